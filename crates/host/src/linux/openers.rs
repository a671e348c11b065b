//! Whether another program has a file open for writing, as a virtual machine has its disk and a database its file.
//!
//! The kernel grants a read lease only where no process has the file open for writing; a writable mapping and a loop device count
//! as such. It is given back at once. Source: fcntl(2), "Leases". Deliberately absent: programs that only read.

use super::sys::ReadLease;
use std::fs::File;
use std::io;
use std::thread;
use std::time::Duration;

/// Tries until the last descriptor of this process is closed: a ring gives its files back a little later.
const TRIES: u32 = 20;
const TICK: Duration = Duration::from_millis(1);
/// File systems of this kernel alone, all of whose writers it knows.
const LOCAL: [&str; 14] = [
    "ext2",
    "ext3",
    "ext4",
    "xfs",
    "btrfs",
    "tmpfs",
    "f2fs",
    "bcachefs",
    "jfs",
    "zfs",
    "vfat",
    "exfat",
    "ntfs3",
    "hugetlbfs",
];

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Openers {
    NoWriter,
    Writer,
    /// Why it could not be asked.
    Unasked(String),
}

/// Takes the lease, for as long as the value is there.
pub(super) fn lease(file: &File) -> io::Result<ReadLease<'_>> {
    let mut answer = Err(io::ErrorKind::WouldBlock.into());
    for number in 0..TRIES {
        thread::sleep(TICK * number);
        answer = ReadLease::take(file);
        match &answer {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            _ => break,
        }
    }
    answer
}

/// Asks for a file that is open for reading only, on a file system of this kind.
pub(super) fn openers(file: &File, kind: &str) -> Openers {
    let passes_on = kind == "overlay";
    if !LOCAL.contains(&kind) && !passes_on {
        return Openers::Unasked(format!("{kind} does not know all of them"));
    }
    match lease(file) {
        // The writers of the file behind it are not known.
        Ok(_) if passes_on => Openers::Unasked("an overlay does not know all of them".to_owned()),
        Ok(_) => Openers::NoWriter,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Openers::Writer,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Openers::Unasked("only the file's owner and root may ask".to_owned())
        }
        Err(error) => Openers::Unasked(model::errno_text(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_shows_and_a_reader_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"one").unwrap();
        let reading = File::open(&path).unwrap();
        let _second = File::open(&path).unwrap();
        match openers(&reading, "ext4") {
            Openers::Unasked(why) => return println!("skipped: {why}"),
            other => assert_eq!(other, Openers::NoWriter),
        }
        let writer = File::options().append(true).open(&path).unwrap();
        assert_eq!(openers(&reading, "ext4"), Openers::Writer);
        drop(writer);
        assert_eq!(openers(&reading, "ext4"), Openers::NoWriter);
        assert!(matches!(openers(&reading, "nfs4"), Openers::Unasked(_)));
        assert!(matches!(openers(&reading, "overlay"), Openers::Unasked(_)));
    }
}
