//! What identifies the content of a file that fathom has closed: its inode and the time of its last change.
//!
//! A state is taken only where a later write cannot leave it as it is. Three things are needed for that. The file system
//! is local and keeps the time of the last change in nanoseconds of the kernel's clock. No process has the file open
//! for writing: the kernel grants a read lease only then, and a writable mapping or a loop device counts as a writer.
//! And the clock of time stamps has gone on since the last change: a write in the same tick would have the same time.
//!
//! Deliberately absent: where states are kept, and what is concluded from them.

use super::sys;
use super::unmarked::open_unmarked;
use crate::reported::ClosedFile;
use gate::Lease;
use model::TargetFacts;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Longest wait for the clock of time stamps, whose tick is 10 ms at most.
const TICKS: u32 = 40;
/// Tries to meet the clock's tick.
const TRIES: u32 = 20;
const TICK: Duration = Duration::from_millis(1);

/// Whether users other than root and this user may change a file.
///
/// # Errors
/// It cannot be inspected.
pub fn is_writable_by_others(path: &Path) -> io::Result<bool> {
    const OTHERS_WRITE: u32 = 0o022;
    let there = std::fs::metadata(path)?;
    let is_trusted = there.uid() == 0 || there.uid() == super::sys::effective_user();
    Ok(!is_trusted || there.mode() & OTHERS_WRITE != 0)
}

/// Returns device and inode number of an open file: the same for all its names, and no other file's while it is there or
/// open.
///
/// # Errors
/// Those of fstat(2).
pub fn file_identity(file: &File) -> io::Result<(u64, u64)> {
    Ok(identity(&file.metadata()?))
}

/// Returns the same of what a path leads to, without opening it.
///
/// # Errors
/// Those of stat(2).
pub fn identity_at(path: &Path) -> io::Result<(u64, u64)> {
    Ok(identity(&std::fs::metadata(path)?))
}

pub(super) fn identity(there: &Metadata) -> (u64, u64) {
    (there.dev(), there.ino())
}

/// Which stream of this program goes into the target, as in `fathom run f > f`.
pub fn stream_into(target: &TargetFacts) -> Option<&'static str> {
    find_stream(|to| Some(identity(to)) == target.identity)
}

/// Which stream of this program goes into the file that this path leads to.
pub fn stream_to(path: &Path) -> Option<&'static str> {
    let file = identity_at(path).ok()?;
    find_stream(|to| identity(to) == file)
}

fn find_stream(is_it: impl Fn(&Metadata) -> bool) -> Option<&'static str> {
    let streams = [(1, "standard output"), (2, "standard error")];
    let goes_there = |number: u32| {
        let stream = std::fs::metadata(format!("/proc/self/fd/{number}")).ok();
        let stores = stream.filter(|to| to.is_file() || to.file_type().is_block_device());
        stores.is_some_and(|to| is_it(&to))
    };
    let found = streams.into_iter().find(|(number, _)| goes_there(*number));
    found.map(|(_, name)| name)
}

impl ClosedFile {
    /// Opens a regular file for reading, without waiting for another process, with its state.
    pub fn open(path: &Path) -> Option<(File, ClosedFile)> {
        let file = open_unmarked(OpenOptions::new().read(true), libc::O_NONBLOCK, path).ok()?;
        let state = ClosedFile::of(&file)?;
        Some((file, state))
    }

    /// The state as the descriptor shows it; `None` for what is no regular file. Does not cover writers.
    pub fn of(file: &File) -> Option<ClosedFile> {
        let there = file.metadata().ok().filter(|there| there.is_file())?;
        let seconds = there.ctime().checked_mul(1_000_000_000)?;
        Some(ClosedFile {
            identity: identity(&there),
            generation: sys::inode_generation(file).unwrap_or(0),
            size: there.len(),
            changed_ns: seconds.checked_add(there.ctime_nsec())?,
        })
    }

    /// The state of a file that fathom has closed, where no later write can leave it so; see the top of this file. The
    /// descriptor must be open for reading only.
    pub fn settled(file: &File) -> Option<ClosedFile> {
        if !sys::keeps_change_times(file) {
            return None;
        }
        let _lease = Lease::take(file).ok()?;
        let state = ClosedFile::of(file)?;
        // Whole seconds: an ext4 with small inodes, where a second is a tick.
        if state.changed_ns % 1_000_000_000 == 0 {
            return None;
        }
        for _ in 0..TICKS {
            if sys::stamp_clock_ns()? > state.changed_ns {
                return ClosedFile::of(file).filter(|again| *again == state);
            }
            thread::sleep(TICK);
        }
        None
    }

    /// The record in the file's own attribute, with the content that it names. It counts only where no user but the
    /// effective user and root could have written it.
    pub fn attribute(file: &File) -> Option<(ClosedFile, String)> {
        if !is_own(file) {
            return None;
        }
        let text = sys::proof_attribute(file)?;
        let mut words = text.split(' ');
        let mut number = || words.next()?.parse::<i128>().ok();
        let (device, inode) = (number()?, number()?);
        let state = ClosedFile {
            identity: (device.try_into().ok()?, inode.try_into().ok()?),
            generation: number()?.try_into().ok()?,
            size: number()?.try_into().ok()?,
            changed_ns: number()?.try_into().ok()?,
        };
        Some((state, words.next()?.to_owned()))
    }

    /// Sets that attribute before the file is written. It fits no state of the file.
    pub fn begin_attribute(file: &File, content: &str) -> bool {
        let state = ClosedFile::of(file).filter(|_| is_own(file));
        state.is_some_and(|state| sys::set_proof_attribute(file, &state.in_attribute(0, content)))
    }

    /// Sets it after the file was closed. To set it changes the time of the last change, which it has to contain: so it
    /// contains the reading of the clock of time stamps, and is set again until the result is that time.
    pub fn end_attribute(file: &File, content: &str) -> bool {
        if !is_own(file) {
            return false;
        }
        for _ in 0..TRIES {
            let (Some(state), Some(now)) = (ClosedFile::settled(file), sys::stamp_clock_ns())
            else {
                return false;
            };
            if !sys::set_proof_attribute(file, &state.in_attribute(now, content)) {
                return false;
            }
            let expected = ClosedFile {
                changed_ns: now,
                ..state
            };
            if ClosedFile::settled(file) == Some(expected) {
                return true;
            }
        }
        false
    }

    fn in_attribute(&self, changed_ns: i64, content: &str) -> String {
        let (device, inode) = self.identity;
        format!(
            "{device} {inode} {} {} {changed_ns} {content}",
            self.generation, self.size
        )
    }

    /// How long ago the last change was; `None` where the clock has been set back.
    pub fn age(&self) -> Option<Duration> {
        let age = sys::stamp_clock_ns()?.checked_sub(self.changed_ns)?;
        u64::try_from(age).ok().map(Duration::from_nanos)
    }
}

/// Whether only the effective user and root may change the file or its attributes.
fn is_own(file: &File) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    file.metadata()
        .is_ok_and(|there| there.uid() == sys::effective_user() && there.mode() & OTHERS_WRITE == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_settled_state_is_changed_by_every_later_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"one").unwrap();
        let reading = File::open(&path).unwrap();
        let Some(settled) = ClosedFile::settled(&reading) else {
            println!("skipped: the file system here is not one of those that are trusted");
            return;
        };
        assert_eq!(ClosedFile::of(&reading), Some(settled));
        for _ in 0..100 {
            let state = ClosedFile::settled(&reading).unwrap();
            let mut writer = File::options().write(true).open(&path).unwrap();
            writer.write_all(b"two").unwrap();
            drop(writer);
            assert_ne!(ClosedFile::of(&reading), Some(state));
        }
    }

    #[test]
    fn a_file_that_somebody_may_still_write_is_not_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"one").unwrap();
        let reading = File::open(&path).unwrap();
        let writer = File::options().append(true).open(&path).unwrap();
        assert_eq!(ClosedFile::settled(&reading), None);
        drop(writer);
    }
}
