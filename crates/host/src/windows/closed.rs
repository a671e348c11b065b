//! What identifies a file, and where this program's output goes.
//!
//! No state is ever settled on Windows: a section that is mapped for writing outlives its handle and shows in no share mode, and
//! NTFS brings times up to date late, so that a later write may leave the state as it was. Content is then proven by reading.

use super::ask;
use crate::reported::ClosedFile;
use gate::{NodeKind, file_facts};
use model::TargetFacts;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::path::Path;
use std::time::Duration;
use windows_sys::Win32::Storage::FileSystem::{FILE_BASIC_INFO, FileBasicInfo};

/// From 1601, where Windows begins to count, to 1970, in units of 100 ns. Source: RtlTimeToSecondsSince1970.
const EPOCH: i64 = 116_444_736_000_000_000;

/// Whether users other than the system, the administrators and this user may change a file.
///
/// # Errors
/// It cannot be asked: the permissions of Windows are not read.
pub fn is_writable_by_others(_: &Path) -> io::Result<bool> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "its permissions cannot be checked on Windows",
    ))
}

/// Returns volume and file ID of an open file: the same for all its names, and no other file's while it is there or open.
///
/// # Errors
/// Those of the system.
pub fn file_identity(file: &File) -> io::Result<(u64, u64)> {
    Ok(file_facts(file)?.target_identity())
}

/// Returns the same of what a path leads to, which is opened for its facts alone.
///
/// # Errors
/// Those of the system.
pub fn identity_at(path: &Path) -> io::Result<(u64, u64)> {
    file_identity(&ask::for_facts_at(path)?)
}

/// Which stream of this program goes into the target, as in `fathom run f > f`.
pub fn stream_into(target: &TargetFacts) -> Option<&'static str> {
    let (volume, file) = target.identity?;
    find_stream(volume, file)
}

/// Which stream of this program goes into the file that this path leads to.
pub fn stream_to(path: &Path) -> Option<&'static str> {
    let (volume, file) = identity_at(path).ok()?;
    find_stream(volume, file)
}

fn find_stream(volume: u64, file: u64) -> Option<&'static str> {
    let goes_there = |stream: BorrowedHandle<'_>| {
        let stream = stream.try_clone_to_owned().map(File::from);
        let facts = stream.and_then(|stream| file_facts(&stream)).ok();
        facts.is_some_and(|facts| {
            matches!(facts.kind, NodeKind::File | NodeKind::BlockDevice)
                && facts.target_identity() == (volume, file)
        })
    };
    if goes_there(io::stdout().as_handle()) {
        return Some("standard output");
    }
    goes_there(io::stderr().as_handle()).then_some("standard error")
}

impl ClosedFile {
    /// Opens a regular file for reading, with its state.
    pub fn open(path: &Path) -> Option<(File, ClosedFile)> {
        let file = File::open(path).ok()?;
        let state = ClosedFile::of(&file)?;
        Some((file, state))
    }

    /// The state as the handle shows it; `None` for what is no regular file. Does not cover writers.
    pub fn of(file: &File) -> Option<ClosedFile> {
        let facts = file_facts(file).ok();
        let facts = facts.filter(|facts| facts.kind == NodeKind::File)?;
        let times = ask::file(file, FileBasicInfo, size_of::<FILE_BASIC_INFO>()).ok()?;
        let changed = times.u64(offset_of!(FILE_BASIC_INFO, ChangeTime))?;
        let changed = i64::try_from(changed).ok()?.checked_sub(EPOCH)?;
        Some(ClosedFile {
            identity: facts.identity,
            generation: 0,
            size: facts.length,
            changed_ns: changed.checked_mul(100)?,
        })
    }

    /// Returns none; see the top of this file.
    pub fn settled(_: &File) -> Option<ClosedFile> {
        None
    }

    /// Returns none: the record would be of a settled state.
    pub fn attribute(_: &File) -> Option<(ClosedFile, String)> {
        None
    }

    /// Sets no record; whether that could be done.
    pub fn begin_attribute(_: &File, _: &str) -> bool {
        false
    }

    /// Sets no record; whether that could be done.
    pub fn end_attribute(_: &File, _: &str) -> bool {
        false
    }

    /// How long ago the last change was; `None` where the clock has been set back.
    pub fn age(&self) -> Option<Duration> {
        let changed = Duration::from_nanos(u64::try_from(self.changed_ns).ok()?);
        let changed = std::time::UNIX_EPOCH.checked_add(changed)?;
        changed.elapsed().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_identity_by_all_its_names_and_a_state_that_is_never_settled() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("f"), b"one").unwrap();
        std::fs::hard_link(at("f"), at("g")).unwrap();
        std::fs::write(at("other"), b"one").unwrap();
        let identity = |name: &str| identity_at(&at(name)).unwrap();
        assert_eq!(identity("f"), identity("g"));
        assert_ne!(identity("f"), identity("other"));
        let (file, state) = ClosedFile::open(&at("f")).unwrap();
        assert_eq!((state.identity, state.size), (identity("f"), 3));
        assert!(state.age().unwrap() < Duration::from_secs(600));
        assert_eq!(ClosedFile::settled(&file), None);
        assert_eq!(stream_to(&at("f")), None);
    }
}
