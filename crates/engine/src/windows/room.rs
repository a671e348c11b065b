//! What a folder's volume offers. Sources: `GetDiskFreeSpaceExW`, `GetVolumeInformationW`.
#![allow(unsafe_code, reason = "asks the system about a folder")]

use crate::files::Room;
use model::Bytes;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::{CloseHandle, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    CreateFileW, FILE_ADD_FILE, FILE_ADD_SUBDIRECTORY, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, GetDiskFreeSpaceExW,
    GetVolumeInformationW, GetVolumePathNameW, OPEN_EXISTING,
};
use windows_sys::Win32::System::SystemServices::FILE_READ_ONLY_VOLUME;

/// Longest name of where a volume is mounted.
const PATH_MAX: usize = 32_768;

/// Asks; a volume that does not answer blocks the calling thread. Windows counts no files.
pub(crate) fn room(folder: &Path) -> io::Result<Room> {
    let is_folder = std::fs::metadata(folder)?.is_dir();
    let name = wide(folder);
    let [mut mine, mut all, mut free] = [0; 3];
    // SAFETY: the name ends in 0, and the system writes three numbers where the pointers show.
    let answered =
        unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &raw mut mine, &raw mut all, &raw mut free) };
    if answered == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Room {
        is_folder,
        writable: may_add(&name),
        read_only: is_read_only(&name),
        free: Bytes(mine),
        files_free: None,
        bytes: [all, free],
        files: [0, 0],
    })
}

/// Returns whether this user may create files and folders in it.
fn may_add(name: &[u16]) -> bool {
    let share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    // SAFETY: the name ends in 0. Opening a folder for the right to add to it changes nothing.
    let handle = unsafe {
        CreateFileW(
            name.as_ptr(),
            FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY,
            share,
            null(),
            OPEN_EXISTING,
            FILE_FLAG_BACKUP_SEMANTICS,
            null_mut(),
        )
    };
    if handle == INVALID_HANDLE_VALUE {
        return false;
    }
    // SAFETY: opened above, closed once.
    unsafe { CloseHandle(handle) };
    true
}

/// Returns whether its volume is read-only, where the system reports it.
fn is_read_only(name: &[u16]) -> bool {
    let mut volume = vec![0u16; PATH_MAX];
    // SAFETY: the name ends in 0, and the system writes at most so many characters.
    let found = unsafe { GetVolumePathNameW(name.as_ptr(), volume.as_mut_ptr(), PATH_MAX as u32) };
    let mut flags = 0;
    // SAFETY: the name ends in 0, and the system writes a number where the one pointer shows.
    let answered = unsafe {
        GetVolumeInformationW(
            volume.as_ptr(),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            &raw mut flags,
            null_mut(),
            0,
        )
    };
    found != 0 && answered != 0 && flags & FILE_READ_ONLY_VOLUME != 0
}

fn wide(path: &Path) -> Vec<u16> {
    path.as_os_str().encode_wide().chain([0]).collect()
}
