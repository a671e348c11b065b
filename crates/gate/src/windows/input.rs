//! How an input is opened, and how one waits for its bytes.

use super::handle::{bytes_in_pipe, file_type};
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::path::Path;
use std::thread;
use std::time::Duration;
use windows_sys::Win32::Storage::FileSystem::FILE_TYPE_PIPE;

/// How long one wait takes before the program is asked whether it goes on.
const STEP: Duration = Duration::from_millis(50);

/// Opens it.
pub(crate) fn open_input(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Returns standard input under a handle of its own.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Waits for a while; whether there are bytes, or no writer is left that could write some. A console waits by itself, and Ctrl-C
/// ends that.
pub(crate) fn wait_for_bytes(file: &File) -> io::Result<bool> {
    if file_type(file) != FILE_TYPE_PIPE {
        return Ok(true);
    }
    match bytes_in_pipe(file) {
        Ok(0) => {
            thread::sleep(STEP);
            Ok(false)
        }
        _ => Ok(true),
    }
}
