//! Whether another program has a file open for writing, as Windows answers by sharing: a file that is open for writing cannot be opened
//! without sharing that. Source: CreateFile, "Sharing".

use super::handle::reopen_without_writers;
use crate::errno_text;
use crate::openers::Openers;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;

/// While it is there, no program can open the file for writing.
#[derive(Debug)]
pub struct Lease<'a> {
    _open: File,
    of: PhantomData<&'a File>,
}

impl<'a> Lease<'a> {
    /// Takes it.
    ///
    /// # Errors
    /// `WouldBlock` while a handle that writes is open; those of ReOpenFile.
    pub fn take(file: &'a File) -> io::Result<Self> {
        match reopen_without_writers(file) {
            Ok(open) => Ok(Lease {
                _open: open,
                of: PhantomData,
            }),
            Err(error) if is_shared(&error) => Err(io::ErrorKind::WouldBlock.into()),
            Err(error) => Err(error),
        }
    }
}

/// Asks for a file that is open for reading only.
pub fn openers(file: &File) -> Openers {
    match Lease::take(file) {
        Ok(_) => Openers::NoWriter,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Openers::Writer,
        Err(error) => Openers::Unasked(errno_text(&error)),
    }
}

fn is_shared(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_SHARING_VIOLATION.cast_signed())
}
