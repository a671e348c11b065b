//! A source that waits for other processes: waited for without blocking. Sources: `PeekNamedPipe`,
//! `WaitForSingleObject`; `ReOpenFile`.
#![allow(unsafe_code, reason = "asks the system about handles")]

use gate::{Access, Descriptor, NodeKind, Pin, file_facts};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::windows::io::FromRawHandle;
use std::ptr::null_mut;
use std::time::{Duration, Instant};
use windows_sys::Win32::Foundation::{
    GENERIC_WRITE, INVALID_HANDLE_VALUE, WAIT_FAILED, WAIT_OBJECT_0,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, ReOpenFile,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// How often a pipe is asked: it cannot be waited for.
const TICK: Duration = Duration::from_millis(5);

/// Opens the source.
pub(crate) fn open(pin: &Pin, access: Access) -> io::Result<File> {
    pin.reopen(access)
}

/// Waits so long at most; returns whether a read would not block.
pub(crate) fn can_be_read(input: &File, wait: Duration) -> io::Result<bool> {
    if file_facts(input)?.kind == NodeKind::Pipe {
        return Ok(pipe_can_be_read(input, wait));
    }
    let wait_ms = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX);
    // SAFETY: the handle is open; a console's is signalled while it has input.
    match unsafe { WaitForSingleObject(Descriptor::of(input).raw(), wait_ms) } {
        WAIT_FAILED => Err(io::Error::last_os_error()),
        waited => Ok(waited == WAIT_OBJECT_0),
    }
}

/// A pipe without a writer can be read: the read returns its end.
fn pipe_can_be_read(input: &File, wait: Duration) -> bool {
    let until = Instant::now() + wait;
    loop {
        let mut available = 0;
        // SAFETY: the system writes a number where the one pointer shows, and reads nothing out of the pipe.
        let answered = unsafe {
            PeekNamedPipe(
                Descriptor::of(input).raw(),
                null_mut(),
                0,
                null_mut(),
                &raw mut available,
                null_mut(),
            )
        };
        if answered == 0 || available > 0 {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(TICK);
    }
}

/// Opens the file of a handle that bypasses the system's cache once more, without that, at the same position: it takes the
/// place of the first one from now on.
pub(crate) fn through_cache(file: &File) -> io::Result<Option<File>> {
    let share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    // SAFETY: the handle is open; the new one is of the same file, independent of its name.
    let opened = unsafe { ReOpenFile(Descriptor::of(file).raw(), GENERIC_WRITE, share, 0) };
    if opened == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and nothing else owns it.
    let mut other = unsafe { File::from_raw_handle(opened) };
    let mut first = file;
    let position = first.stream_position()?;
    other.seek(SeekFrom::Start(position))?;
    Ok(Some(other))
}
