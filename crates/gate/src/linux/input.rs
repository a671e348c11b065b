//! How an input is opened, and how one waits for its bytes. Source: open(2), poll(2).

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// How long one wait takes at most before the program is asked whether it goes on.
const STEP: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// Opens it without waiting for a writer. The access time of a file stays where the system allows that.
pub(crate) fn open_input(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    // openat(2), since the watch for silent file systems does not know open(2).
    let opened = match openat(CWD, path, flags | OFlags::NOATIME, Mode::empty()) {
        Err(Errno::PERM) => openat(CWD, path, flags, Mode::empty()),
        opened => opened,
    };
    Ok(opened?.into())
}

/// Returns standard input under a descriptor of its own.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Waits for a while; whether there are bytes, or no writer is left that could write some.
pub(crate) fn wait_for_bytes(file: &File) -> io::Result<bool> {
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&STEP)) {
        Ok(0) | Err(Errno::INTR) => Ok(false),
        Ok(_) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Input, WhileWaiting};
    use std::io::{Read, Write};
    use std::path::PathBuf;

    fn pipe() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RWXU).unwrap();
        (folder, path)
    }

    #[test]
    fn a_pipe_is_read_to_the_end_of_its_last_writer() {
        let (_folder, path) = pipe();
        let mut input = Input::open(&path).unwrap();
        let writer = std::thread::spawn(move || {
            let mut to = File::options().write(true).open(&path).unwrap();
            to.write_all(b"one ").unwrap();
            to.write_all(b"two").unwrap();
        });
        let mut read = String::new();
        input.read_to_string(&mut read).unwrap();
        writer.join().unwrap();
        assert_eq!(read, "one two");
    }

    #[test]
    fn a_pipe_without_a_writer_is_open_at_once_and_the_program_ends_the_wait() {
        let (_folder, path) = pipe();
        let mut input = Input::open(&path).unwrap();
        input.what = Some(WhileWaiting {
            report: |_| {},
            is_ended: || true,
        });
        let error = input.read(&mut [0; 8]).unwrap_err();
        assert_eq!(error.to_string(), "interrupted");
    }
}
