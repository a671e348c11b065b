//! Both ends of a copy: how they are opened, by their pins, and where it begins. Nothing is cut to length before it is
//! locked.

use super::blocks::{self, Aligned};
use super::{CopyError, CopyJob, source};
use crate::stop::Stop;
use gate::{Access, NodeKind, file_facts};
use model::Bytes;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::PathBuf;

/// One end of a copy.
#[derive(Clone, Debug, Default)]
pub struct CopyEnd {
    /// Its name.
    pub path: PathBuf,
    /// Bytes of one read or write. // at least 1
    pub block: Bytes,
    /// Where it begins.
    pub offset: Bytes,
    /// Past the system's cache.
    pub direct: bool,
    /// Data and facts are on the device when a write returns.
    pub sync: bool,
    /// Data is.
    pub dsync: bool,
    /// Each write goes to the end.
    pub append: bool,
    /// The device below it, by its kernel name, where there is one.
    pub device: Option<String>,
}

impl CopyEnd {
    fn opened_for(&self, access: Access) -> Access {
        access
            .direct(self.direct)
            .sync(self.sync)
            .data_sync(self.dsync)
            .append(self.append)
    }
}

pub(super) fn open(job: &CopyJob) -> Result<(File, File), CopyError> {
    let path = &job.input.path;
    let input = source::open(job, job.input.opened_for(Access::READ));
    let input = input.map_err(|source| CopyError::Input {
        path: path.clone(),
        source,
    })?;
    let output = open_output(job)?;
    Ok((input, output))
}

fn open_output(job: &CopyJob) -> Result<File, CopyError> {
    let path = &job.output.path;
    let refused = |source: io::Error| match gate::is_changed(&source) {
        true => CopyError::Changed { path: path.clone() },
        false => CopyError::Output {
            path: path.clone(),
            source,
        },
    };
    let pin = job.pins.pin(path).map_err(refused)?;
    let access = job.output.opened_for(Access::WRITE);
    let Some(node) = pin.node() else {
        return match job.must_be_there {
            true => Err(refused(io::ErrorKind::NotFound.into())),
            false => begin_output(job, pin.create(access).map_err(refused)?).map_err(refused),
        };
    };
    let kind = file_facts(&node).map_err(refused)?.kind;
    if job.must_be_new && kind != NodeKind::BlockDevice {
        return Err(refused(io::ErrorKind::AlreadyExists.into()));
    }
    job.pins.claim(&pin).map_err(refused)?; // not while it is mounted
    if !job.pins.lock(&pin, true) {
        return Err(CopyError::Locked {
            path: path.clone(),
            holder: crate::error::lock_holder(path),
        });
    }
    begin_output(job, pin.reopen(access).map_err(refused)?).map_err(refused)
}

/// As dd does it: what stands before the beginning stays, what stands behind it goes.
fn begin_output(job: &CopyJob, mut file: File) -> io::Result<File> {
    let is_file = file_facts(&file)?.kind == NodeKind::File;
    if is_file && !job.keeps_length {
        file.set_len(job.output.offset.0)?;
    }
    if is_file || job.output.offset.0 > 0 {
        file.seek(SeekFrom::Start(job.output.offset.0))?;
    }
    Ok(file)
}

/// What cannot be sought is read and thrown away.
pub(super) fn skip(job: &CopyJob, input: &mut File, stop: &Stop) -> Result<(), CopyError> {
    let mut left = job.input.offset.0;
    if left == 0
        || input
            .seek(SeekFrom::Start(left))
            .is_ok_and(|_| is_sought(input))
    {
        return Ok(());
    }
    let mut buffer = Aligned::of(job.input.block);
    let waiting = source::waits(input).then_some(stop);
    while left > 0 && !stop.asked() {
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.bytes().len());
        let read = blocks::read(input, &mut buffer.bytes_mut()[..most], true, waiting);
        match read {
            Ok(0) => return Ok(()),
            Ok(length) => left -= length as u64,
            Err(source) => {
                return Err(CopyError::Skip {
                    path: job.input.path.clone(),
                    source,
                });
            }
        }
    }
    Ok(())
}

/// A seek in a pipe fails; one in /dev/zero changes nothing, and nothing is lost by that.
fn is_sought(input: &File) -> bool {
    file_facts(input).is_ok_and(|there| there.kind != NodeKind::Pipe)
}

/// Short reads before the end of the source are completed.
pub(super) fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < into.len() {
        match gate::read_at(file, &mut into[length..], at.saturating_add(length as u64)) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Writes all of it at this place, and returns how much was written.
pub(super) fn write_at(file: &File, data: &[u8], at: u64) -> (usize, io::Result<()>) {
    blocks::write(data, |data, behind| {
        gate::write_at(file, data, at.saturating_add(behind as u64))
    })
}
