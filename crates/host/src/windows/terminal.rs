//! The console that a person types at: whether there is something to read. Deliberately absent: reading.

use super::calls::{is_console, wait};
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::time::Duration;

/// Waits for keys, at most so long. The console is standard input, or else the one of this process.
///
/// # Errors
/// There is no console.
pub fn wait_for_keys(most: Duration) -> io::Result<()> {
    let input = io::stdin().as_handle().try_clone_to_owned().map(File::from);
    let console = match input {
        Ok(input) if is_console(&input) => input,
        _ => File::options().read(true).write(true).open("CONIN$")?,
    };
    match wait(&console, most) {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}
