//! Opens what a person named as input, and reads it. A pipe without a writer and an idle terminal give nothing for
//! ever: the program reports that after a second, and can end it. Omitted: what the bytes mean.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How long one wait takes at most before the program is asked whether it goes on.
const STEP: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};
/// After so many waits without a byte the program reports it: a second.
const STEPS_TO_REPORT: u32 = 20;

/// What the program does while an input gives nothing.
#[derive(Clone, Copy, Debug)]
pub struct WhileWaiting {
    /// Reports, once per input, that this one gives nothing.
    pub report: fn(&Path),
    /// Returns whether the user ended the program.
    pub is_ended: fn() -> bool,
}

static WHILE_WAITING: OnceLock<WhileWaiting> = OnceLock::new();

/// Sets what the program does while an input gives nothing. The first call counts.
pub fn while_input_waits(what: WhileWaiting) {
    let _ = WHILE_WAITING.set(what);
}

/// A file, pipe, terminal or device that is read from its begin.
#[derive(Debug)]
pub struct Input {
    file: File,
    path: PathBuf,
    /// Whether it may give nothing for any time.
    is_stream: bool,
    is_reported: bool,
    what: Option<WhileWaiting>,
}

impl Input {
    /// Opens it without waiting for a writer. The access time of a file stays where the system allows that.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn open(path: &Path) -> io::Result<Input> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        // openat(2), since the watch for silent file systems does not know open(2).
        let opened = match openat(CWD, path, flags | OFlags::NOATIME, Mode::empty()) {
            Err(Errno::PERM) => openat(CWD, path, flags, Mode::empty()),
            opened => opened,
        };
        Input::of(opened?.into(), path)
    }

    /// Returns standard input.
    ///
    /// # Errors
    /// Those of dup(2), where it is closed.
    pub fn standard() -> io::Result<Input> {
        let own = io::stdin().as_fd().try_clone_to_owned()?;
        Input::of(own.into(), Path::new("standard input"))
    }

    fn of(file: File, path: &Path) -> io::Result<Input> {
        let kind = FileType::from_raw_mode(fstat(&file)?.st_mode);
        Ok(Input {
            file,
            path: path.to_owned(),
            is_stream: !matches!(kind, FileType::RegularFile | FileType::Directory),
            is_reported: false,
            what: WHILE_WAITING.get().copied(),
        })
    }

    /// Returns what the system knows of it.
    ///
    /// # Errors
    /// Those of fstat(2).
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    /// Returns the open file, of which nothing was read yet.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Waits until there are bytes, or no writer is left that could write some.
    fn wait(&mut self) -> io::Result<()> {
        let mut steps = 0;
        loop {
            let mut asked = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut asked, Some(&STEP)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            steps += 1;
            let Some(what) = self.what else {
                continue;
            };
            if (what.is_ended)() {
                return Err(io::Error::other("interrupted"));
            }
            if steps >= STEPS_TO_REPORT && !self.is_reported {
                (what.report)(&self.path);
                self.is_reported = true;
            }
        }
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_stream {
                self.wait()?;
            }
            match self.file.read(into) {
                // Another reader of the same pipe was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.is_stream => {}
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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

    #[test]
    fn a_file_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "text").unwrap();
        let mut read = String::new();
        Input::open(&path)
            .unwrap()
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, "text");
    }
}
