//! Whole reads and writes at a place of a file, on every system.

use std::fs::File;
use std::io;
use std::path::Path;

/// A file that is read and written at places.
pub(crate) trait FileAt {
    /// Fills all of it from this place.
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()>;

    /// Writes all of it to this place.
    fn write_all_at(&self, data: &[u8], at: u64) -> io::Result<()>;
}

impl FileAt for File {
    fn read_exact_at(&self, into: &mut [u8], at: u64) -> io::Result<()> {
        let mut length = 0;
        while length < into.len() {
            match gate::read_at(self, &mut into[length..], at + length as u64)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more => length += more,
            }
        }
        Ok(())
    }

    fn write_all_at(&self, data: &[u8], at: u64) -> io::Result<()> {
        let mut length = 0;
        while length < data.len() {
            length += gate::write_at(self, &data[length..], at + length as u64)?;
        }
        Ok(())
    }
}

/// The space of a file; `None` where std does not report it.
#[cfg(target_os = "linux")]
pub(crate) fn allocated(path: &Path) -> Option<u64> {
    let there = std::fs::metadata(path).unwrap();
    Some(std::os::unix::fs::MetadataExt::blocks(&there) * 512)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn allocated(_: &Path) -> Option<u64> {
    None
}
