//! Buffers that direct I/O takes, and whole reads and writes.

use super::source;
use crate::stop::Stop;
use model::Bytes;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Alignment that every device takes.
const PAGE: usize = 4096;

/// A buffer whose first byte stands at a multiple of a page.
pub(super) struct Aligned {
    memory: Vec<u8>,
    from: usize,
    length: usize,
    /// How much of it has content that was not written yet.
    pub(super) filled: usize,
}

impl Aligned {
    pub(super) fn of(size: Bytes) -> Self {
        let length = usize::try_from(size.0).expect("a block fits into memory");
        let memory = vec![0; length + PAGE];
        let from = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Aligned {
            memory,
            from,
            length,
            filled: 0,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[self.from..self.from + self.length]
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.from..self.from + self.length]
    }
}

/// One read, or with `fills` as many as it takes. `waiting`: nothing is read after a stop request, because a read may wait.
pub(super) fn read(
    file: &mut File,
    into: &mut [u8],
    fills: bool,
    waiting: Option<&Stop>,
) -> io::Result<usize> {
    let mut length = 0;
    while length < into.len() {
        if let Some(stop) = waiting
            && !source::ready(file, stop)?
        {
            break;
        }
        match file.read(&mut into[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        if !fills {
            break;
        }
    }
    Ok(length)
}

/// Writes all of it, and returns how much was written, also where a later part failed. `once` is one write, of what is left
/// behind so many bytes.
pub(super) fn write(
    data: &[u8],
    mut once: impl FnMut(&[u8], usize) -> io::Result<usize>,
) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < data.len() {
        match once(&data[written..], written) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

pub(super) fn skip(file: &mut File, bytes: u64) -> io::Result<()> {
    let bytes = i64::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    file.seek(SeekFrom::Current(bytes)).map(drop)
}
