//! Opens what a person named as input, and reads it. A pipe without a writer and an idle terminal give nothing for
//! ever: the program reports that after a second, and can end it. Omitted: what the bytes mean.

use crate::file_facts::NodeKind;
use crate::system::{self, file_facts};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// After so many waits of 50 ms without a byte the program reports it: a second.
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
    pub(crate) what: Option<WhileWaiting>,
}

impl Input {
    /// Opens it without waiting for a writer. The access time of a file stays where the system allows that.
    ///
    /// # Errors
    /// Those of open(2).
    pub fn open(path: &Path) -> io::Result<Input> {
        Input::of(system::open_input(path)?, path)
    }

    /// Returns standard input.
    ///
    /// # Errors
    /// Those of dup(2), where it is closed.
    pub fn standard() -> io::Result<Input> {
        Input::of(system::standard_input()?, Path::new("standard input"))
    }

    fn of(file: File, path: &Path) -> io::Result<Input> {
        let kind = file_facts(&file)?.kind;
        Ok(Input {
            file,
            path: path.to_owned(),
            is_stream: !matches!(kind, NodeKind::File | NodeKind::Folder),
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
            if system::wait_for_bytes(&self.file)? {
                return Ok(());
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
