//! Calls about volumes, their mount points and their names. Omitted: what follows from an answer, and questions to the device below
//! (`ask`).
#![allow(unsafe_code)]

use super::wide::{list, text, wide};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_NAME_NORMALIZED, FindFirstVolumeW, FindNextVolumeW, FindVolumeClose, GetDiskFreeSpaceExW,
    GetDiskFreeSpaceW, GetDriveTypeW, GetFinalPathNameByHandleW, GetVolumeInformationByHandleW,
    GetVolumeNameForVolumeMountPointW, GetVolumePathNameW, GetVolumePathNamesForVolumeNameW,
    QueryDosDeviceW,
};

/// Longest path. // 32,767 units and a zero
const PATH_UNITS: usize = 32 << 10;
/// `\\?\Volume{…}\` and the like.
const NAME_UNITS: usize = 128;
/// The list of all devices' names.
const DEVICES_UNITS: usize = 256 << 10;

/// The type of the file system that an open file lies on, and its flags. Source: GetVolumeInformationByHandleW.
pub(super) fn file_system(file: &File) -> Option<(String, u32)> {
    let mut name = [0u16; NAME_UNITS];
    let mut flags = 0u32;
    let handle = file.as_raw_handle();
    let (into, units) = (name.as_mut_ptr(), NAME_UNITS as u32);
    let (label, serial, longest) = (null_mut(), null_mut(), null_mut());
    let flags_at = &raw mut flags;
    // SAFETY: the handle is open as long as `file` is borrowed; the buffer has the given length; what is null is not written.
    let code = unsafe {
        GetVolumeInformationByHandleW(handle, label, 0, serial, longest, flags_at, into, units)
    };
    (code != 0).then(|| (text(&name).to_string_lossy().into_owned(), flags))
}

/// The path of an open file without links. Source: GetFinalPathNameByHandleW.
pub(super) fn final_path(file: &File) -> Option<PathBuf> {
    let mut path = vec![0u16; PATH_UNITS];
    let (into, units) = (path.as_mut_ptr(), PATH_UNITS as u32);
    let handle = file.as_raw_handle();
    // SAFETY: the handle is open as long as `file` is borrowed; the buffer has the given length.
    let length = unsafe { GetFinalPathNameByHandleW(handle, into, units, FILE_NAME_NORMALIZED) };
    (1..units).contains(&length).then(|| text(&path).into())
}

/// Where the volume of a path is mounted: `C:\`. Source: GetVolumePathNameW.
pub(super) fn mount_point(path: &Path) -> Option<PathBuf> {
    let path = wide(path);
    let mut found = vec![0u16; PATH_UNITS];
    let (into, units) = (found.as_mut_ptr(), PATH_UNITS as u32);
    // SAFETY: the path ends in a zero, the buffer has the given length, and both outlive the call.
    let code = unsafe { GetVolumePathNameW(path.as_ptr(), into, units) };
    (code != 0).then(|| text(&found).into())
}

/// The name of the volume that is mounted there: `\\?\Volume{…}\`. Source: GetVolumeNameForVolumeMountPointW.
pub(super) fn volume_at(mount_point: &Path) -> Option<OsString> {
    let path = wide(mount_point);
    let mut found = [0u16; NAME_UNITS];
    let (into, units) = (found.as_mut_ptr(), NAME_UNITS as u32);
    // SAFETY: the path ends in a zero, the buffer has the given length, and both outlive the call.
    let code = unsafe { GetVolumeNameForVolumeMountPointW(path.as_ptr(), into, units) };
    (code != 0).then(|| text(&found))
}

/// Bytes that are free for this user, and bytes in all. Source: GetDiskFreeSpaceExW.
pub(super) fn room(mount_point: &Path) -> Option<[u64; 2]> {
    let path = wide(mount_point);
    let (mut free, mut size) = (0u64, 0u64);
    let (free_at, size_at) = (&raw mut free, &raw mut size);
    // SAFETY: the path ends in a zero; both numbers outlive the call, and what is null is not written.
    let code = unsafe { GetDiskFreeSpaceExW(path.as_ptr(), free_at, size_at, null_mut()) };
    (code != 0).then_some([free, size])
}

/// What kind of drive is mounted there. Source: GetDriveTypeW.
pub(super) fn drive_type(mount_point: &Path) -> u32 {
    let path = wide(mount_point);
    // SAFETY: the path ends in a zero and outlives the call.
    unsafe { GetDriveTypeW(path.as_ptr()) }
}

/// All volumes: `\\?\Volume{…}\`. Source: FindFirstVolumeW.
pub(super) fn volumes() -> Vec<OsString> {
    let mut name = [0u16; NAME_UNITS];
    let (into, units) = (name.as_mut_ptr(), NAME_UNITS as u32);
    // SAFETY: the buffer has the given length and outlives the call.
    let search = unsafe { FindFirstVolumeW(into, units) };
    if search == INVALID_HANDLE_VALUE {
        return Vec::new();
    }
    let mut found = vec![text(&name)];
    loop {
        let (into, units) = (name.as_mut_ptr(), NAME_UNITS as u32);
        // SAFETY: the search is open; the buffer has the given length.
        if unsafe { FindNextVolumeW(search, into, units) } == 0 {
            break;
        }
        found.push(text(&name));
    }
    // SAFETY: the search is ours and not used afterwards.
    unsafe { FindVolumeClose(search) };
    found
}

/// Where a volume is mounted. Source: GetVolumePathNamesForVolumeNameW.
pub(super) fn mount_points(volume: &OsStr) -> Vec<PathBuf> {
    let volume = wide(volume);
    let mut found = vec![0u16; PATH_UNITS];
    let mut length = 0u32;
    let (name, into) = (volume.as_ptr(), found.as_mut_ptr());
    let (units, length_at) = (PATH_UNITS as u32, &raw mut length);
    // SAFETY: the name ends in a zero, the buffer has the given length, and all of them outlive the call.
    let code = unsafe { GetVolumePathNamesForVolumeNameW(name, into, units, length_at) };
    match code {
        0 => Vec::new(),
        _ => list(&found).into_iter().map(PathBuf::from).collect(),
    }
}

/// The names of all devices: `C:`, `PhysicalDrive0`. Source: QueryDosDeviceW.
pub(super) fn device_names() -> Vec<String> {
    let mut found = vec![0u16; DEVICES_UNITS];
    let (into, units) = (found.as_mut_ptr(), DEVICES_UNITS as u32);
    // SAFETY: the buffer has the given length and outlives the call; no name means all.
    let length = unsafe { QueryDosDeviceW(null(), into, units) };
    let names = list(&found[..length as usize]).into_iter();
    names.filter_map(|name| name.into_string().ok()).collect()
}

/// Bytes of a cluster of the volume that is mounted there. Source: GetDiskFreeSpaceW.
pub(super) fn cluster(mount_point: &Path) -> Option<u64> {
    let path = wide(mount_point);
    let (mut sectors, mut bytes, mut free, mut all) = (0u32, 0u32, 0u32, 0u32);
    let (sectors_at, bytes_at) = (&raw mut sectors, &raw mut bytes);
    let (free_at, all_at) = (&raw mut free, &raw mut all);
    // SAFETY: the path ends in a zero; the numbers outlive the call.
    let code = unsafe { GetDiskFreeSpaceW(path.as_ptr(), sectors_at, bytes_at, free_at, all_at) };
    (code != 0).then_some(u64::from(sectors) * u64::from(bytes))
}
