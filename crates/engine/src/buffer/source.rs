//! Write data that all threads of a target share: one buffer, in which each write begins somewhere.
//!
//! Random bytes of a fixed seed, so that every run writes the same; or a file, repeated where it is shorter, as it is.

use super::map::Map;
use crate::RunError;
use crate::rng::Jenkins;
use model::{Plan, WriteContent};
use std::io::Read;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

/// The buffer. No code writes to it once it is filled.
#[derive(Debug)]
pub(crate) struct Source {
    map: Map,
    bytes: u64,
}

impl Source {
    /// The sources of a plan's targets, where they have one and write.
    pub(crate) fn all(plan: &Plan) -> Result<Vec<Option<Arc<Source>>>, RunError> {
        let one = |content: &WriteContent| match content {
            WriteContent::Source { bytes, file } => {
                Source::new(bytes.0, file.as_deref()).map(|made| Some(Arc::new(made)))
            }
            _ => Ok(None),
        };
        let targets = plan.targets.iter();
        targets
            .map(|target| {
                if target.writes() {
                    one(&target.content)
                } else {
                    Ok(None)
                }
            })
            .collect()
    }

    /// Whether the files that sources are read from exist and are not empty.
    pub(crate) fn can_be_read(plan: &Plan) -> Result<(), RunError> {
        let writing = plan.targets.iter().filter(|target| target.writes());
        for target in writing {
            if let WriteContent::Source {
                file: Some(path), ..
            } = &target.content
            {
                read(path, 1)?;
            }
        }
        Ok(())
    }

    fn new(bytes: u64, file: Option<&Path>) -> Result<Self, RunError> {
        let length = usize::try_from(bytes).expect("the check keeps it below the memory");
        let mut map = Map::new(length, false)?;
        let data = map.piece_mut(0, length);
        match file {
            None => Jenkins::new(0).fill(data),
            Some(path) => {
                let whole = read(path, bytes)?;
                for piece in data.chunks_mut(whole.len()) {
                    piece.copy_from_slice(&whole[..piece.len()]);
                }
            }
        }
        Ok(Source { map, bytes })
    }

    /// Where the next write of `block` bytes begins. // block at most the size; align above 0
    #[inline]
    pub(crate) fn place(&self, block: u64, align: u64, rng: &mut Jenkins) -> NonNull<u8> {
        let drawn = u64::from(rng.low()) % (self.bytes - block + 1);
        self.map
            .at((drawn - drawn % align) as usize, block as usize)
    }

    /// All of it, for registering with the kernel.
    #[allow(dead_code, reason = "only rings register memory")]
    pub(crate) fn whole(&self) -> (NonNull<u8>, usize) {
        self.map.whole()
    }
}

/// The first of a file's bytes, so many at most and at least one.
fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, RunError> {
    let reported = |source| RunError::Source {
        path: path.to_owned(),
        source,
    };
    let mut whole = Vec::new();
    gate::Input::open(path)
        .and_then(|input| input.take(bytes_max).read_to_end(&mut whole))
        .map_err(reported)?;
    if whole.is_empty() {
        return Err(reported(std::io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(whole)
}
