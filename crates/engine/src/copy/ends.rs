//! Both ends of a copy: how they are opened, and where it begins. Nothing is cut to length before it is known to be what
//! was checked.

use super::blocks::{self, Aligned};
use super::{CopyError, CopyJob};
use model::Bytes;
use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

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
    fn flags(&self) -> OFlags {
        let flags = [
            (self.direct, OFlags::DIRECT),
            (self.sync, OFlags::SYNC),
            (self.dsync, OFlags::DSYNC),
            (self.append, OFlags::APPEND),
        ];
        let asked = flags.iter().filter(|(asked, _)| *asked);
        asked.fold(OFlags::empty(), |all, (_, flag)| all | *flag)
    }
}

pub(super) fn open(job: &CopyJob) -> Result<(File, File), CopyError> {
    let input = OpenOptions::new()
        .read(true)
        .custom_flags(bits(job.input.flags()))
        .open(&job.input.path)
        .map_err(|source| CopyError::Input {
            path: job.input.path.clone(),
            source,
        })?;
    let output = open_output(job)?;
    Ok((input, output))
}

fn bits(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

fn open_output(job: &CopyJob) -> Result<File, CopyError> {
    let path = &job.output.path;
    let refused = |source| CopyError::Output {
        path: path.clone(),
        source,
    };
    let is_device = std::fs::metadata(path).is_ok_and(|there| there.file_type().is_block_device());
    let mut flags = job.output.flags();
    if is_device {
        flags |= OFlags::EXCL; // not while somebody has it mounted
    }
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(bits(flags));
    match job.must_be_new || job.identity.is_none() {
        true => options.create_new(!is_device && !job.must_be_there),
        false => options.create(false),
    };
    let file = options.open(path).map_err(refused)?;
    let there = file.metadata().map_err(refused)?;
    if job
        .identity
        .is_some_and(|identity| identity != identity_of(&there))
    {
        return Err(CopyError::Changed { path: path.clone() });
    }
    if there.is_file() {
        begin_output(job, &file).map_err(refused)?;
    } else if job.output.offset.0 > 0 {
        (&file)
            .seek(SeekFrom::Start(job.output.offset.0))
            .map_err(refused)?;
    }
    Ok(file)
}

/// As `TargetFacts` has it: a device is known by its number, a file by those of its file system and its own.
fn identity_of(there: &Metadata) -> (u64, u64) {
    match there.file_type().is_block_device() {
        true => (there.rdev(), 0),
        false => host::file_identity(there),
    }
}

/// As dd does it: what stands before the beginning stays, what stands behind it goes.
fn begin_output(job: &CopyJob, mut file: &File) -> io::Result<()> {
    if !job.keeps_length {
        file.set_len(job.output.offset.0)?;
    }
    file.seek(SeekFrom::Start(job.output.offset.0)).map(drop)
}

/// What cannot be sought is read and thrown away.
pub(super) fn skip(job: &CopyJob, input: &mut File) -> Result<(), CopyError> {
    let mut left = job.input.offset.0;
    if left == 0
        || input
            .seek(SeekFrom::Start(left))
            .is_ok_and(|_| is_sought(&job.input.path))
    {
        return Ok(());
    }
    let mut buffer = Aligned::of(job.input.block);
    while left > 0 {
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.bytes().len());
        let read = blocks::read(input, &mut buffer.bytes_mut()[..most], true);
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
fn is_sought(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|there| !there.file_type().is_fifo())
}

/// From now on through the system's cache.
pub(super) fn through_cache(file: &File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - OFlags::DIRECT)?)
}
