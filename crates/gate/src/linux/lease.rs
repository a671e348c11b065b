//! Whether another program has a file open, as the kernel answers by granting a lease on it.
//!
//! A read lease is granted only where no process has the file open for writing; a writable mapping and a loop device count as
//! such. It is given back at once. Source: fcntl(2), "Leases". Omitted: programs that only read, and what follows.
#![allow(unsafe_code, reason = "asks the kernel for leases")]

use super::trust::OVERLAY;
use crate::errno_text;
use crate::openers::Openers;
use rustix::fs::fstatfs;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Duration;

/// Tries until the last descriptor of this process is closed: a ring gives its files back a little later.
const TRIES: u32 = 20;
const TICK: Duration = Duration::from_millis(1);
/// Numbers of the file systems of this kernel alone, all of whose writers it knows: ext2 to ext4, xfs, btrfs, tmpfs, f2fs,
/// bcachefs, jfs, zfs, vfat, exfat, ntfs3, hugetlbfs. // statfs(2)
const LOCAL: [i128; 12] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0xF2F5_2010,
    0xCA45_1A4E,
    0x3153_464A,
    0x2FC1_2FC1,
    0x4D44,
    0x2011_BAB0,
    0x7366_746E,
    0x9584_58F6,
];

/// A read lease on a file, which ends when it is dropped. Needs the owner of the file or root.
#[derive(Debug)]
pub struct Lease<'a>(&'a File);

impl<'a> Lease<'a> {
    /// Takes it. The descriptor must be open for reading only.
    ///
    /// # Errors
    /// `EAGAIN` while a descriptor that writes is open; those of fcntl(2).
    pub fn take(file: &'a File) -> io::Result<Self> {
        let mut answer = Err(io::ErrorKind::WouldBlock.into());
        for number in 0..TRIES {
            thread::sleep(TICK * number);
            answer = Lease::try_once(file);
            match &answer {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
        answer
    }

    fn try_once(file: &'a File) -> io::Result<Self> {
        const F_SETSIG: i32 = 10; // <asm-generic/fcntl.h>
        // Who opens the file while the lease is active waits until it is given back. The signal that reports it is one
        // that does nothing.
        // SAFETY: plain integers about a descriptor that is borrowed here.
        let reported = unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) };
        if reported != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: as above.
        let taken = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
        match taken {
            0 => Ok(Lease(file)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // SAFETY: plain integers about a descriptor that is borrowed here.
        unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_SETLEASE, libc::F_UNLCK) };
    }
}

/// Asks for a file that is open for reading only.
pub fn openers(file: &File) -> Openers {
    match fstatfs(file) {
        Ok(system) => openers_on(file, i128::from(system.f_type)),
        Err(error) => Openers::Unasked(errno_text(&error.into())),
    }
}

fn openers_on(file: &File, system: i128) -> Openers {
    let passes_on = system == OVERLAY;
    if !LOCAL.contains(&system) && !passes_on {
        return Openers::Unasked("its file system does not know all of them".to_owned());
    }
    match Lease::take(file) {
        // The writers of the file behind it are not known.
        Ok(_) if passes_on => Openers::Unasked("an overlay does not know all of them".to_owned()),
        Ok(_) => Openers::NoWriter,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Openers::Writer,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Openers::Unasked("only the file's owner and root may ask".to_owned())
        }
        Err(error) => Openers::Unasked(errno_text(&error)),
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
        match openers(&reading) {
            Openers::Unasked(why) => return println!("skipped: {why}"),
            other => assert_eq!(other, Openers::NoWriter),
        }
        let writer = File::options().append(true).open(&path).unwrap();
        assert_eq!(openers(&reading), Openers::Writer);
        drop(writer);
        assert_eq!(openers(&reading), Openers::NoWriter);
        assert!(matches!(openers_on(&reading, 0x6969), Openers::Unasked(_))); // NFS
        let overlay = openers_on(&reading, OVERLAY);
        assert!(matches!(overlay, Openers::Unasked(_)));
    }
}
