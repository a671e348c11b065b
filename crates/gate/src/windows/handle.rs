//! The system calls on handles of files and folders, and nothing that decides. Source: NtCreateFile and NtSetInformationFile
//! of the Windows Driver Kit; `fileapi.h` and `winbase.h`.
#![allow(unsafe_code, reason = "system calls on handles")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::mem::{MaybeUninit, offset_of};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::ptr::{null, null_mut};
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_RENAME_INFORMATION, FileRenameInformation, NtCreateFile, NtSetInformationFile,
};
use windows_sys::Win32::Foundation::{
    GENERIC_READ, HANDLE, INVALID_HANDLE_VALUE, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError,
    UNICODE_STRING,
};
use windows_sys::Win32::Security::PSECURITY_DESCRIPTOR;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_DISPOSITION_FLAG_DELETE,
    FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE, FILE_DISPOSITION_FLAG_POSIX_SEMANTICS,
    FILE_DISPOSITION_INFO, FILE_DISPOSITION_INFO_EX, FILE_ID_BOTH_DIR_INFO, FILE_SHARE_DELETE,
    FILE_SHARE_READ, FILE_SHARE_WRITE, FileDispositionInfo, FileDispositionInfoEx,
    FileIdBothDirectoryInfo, GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType,
    GetFinalPathNameByHandleW, GetVolumeInformationByHandleW, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, ReOpenFile, SYNCHRONIZE, SetFileInformationByHandle,
    UnlockFileEx,
};
use windows_sys::Win32::System::IO::{DeviceIoControl, IO_STATUS_BLOCK, OVERLAPPED};
use windows_sys::Win32::System::Ioctl::{
    GET_LENGTH_INFORMATION, IOCTL_DISK_GET_LENGTH_INFO, IOCTL_STORAGE_GET_DEVICE_NUMBER,
    STORAGE_DEVICE_NUMBER,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;

/// Everything is shared, as on Linux: what may not happen at a time is decided by locks.
pub(super) const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
/// The byte that is locked: behind every file, because locks of Windows keep others from reading and writing.
const LOCKED_BYTE: u64 = 1 << 62;

/// How a name is opened.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    pub(super) access: u32,
    /// `FILE_OPEN` or `FILE_CREATE`.
    pub(super) disposition: u32,
    /// Those of NtCreateFile.
    pub(super) options: u32,
    /// Who may use what is created; null for what the folder passes on.
    pub(super) security: PSECURITY_DESCRIPTOR,
}

/// Opens one name in an open folder.
pub(super) fn open_at(folder: &File, name: &OsStr, how: &Opening) -> io::Result<File> {
    let mut wide: Vec<u16> = name.encode_wide().collect();
    let bytes = u16::try_from(wide.len() * 2).map_err(|_| ErrorKind::InvalidFilename)?;
    let text = UNICODE_STRING {
        Length: bytes,
        MaximumLength: bytes,
        Buffer: wide.as_mut_ptr(),
    };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: raw(folder),
        ObjectName: &raw const text,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: how.security.cast_const().cast(),
        SecurityQualityOfService: null(),
    };
    let (mut handle, mut status) = (null_mut(), IO_STATUS_BLOCK::default());
    // SAFETY: the name, its description and both results outlive the call; a null allocation and no attributes are allowed.
    let code = unsafe {
        NtCreateFile(
            &raw mut handle,
            how.access | SYNCHRONIZE,
            &raw const attributes,
            &raw mut status,
            null(),
            0,
            SHARE_ALL,
            how.disposition,
            how.options,
            null(),
            0,
        )
    };
    check_status(code)?;
    // SAFETY: the handle was just opened and belongs to nothing else.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Opens what a handle leads to again, with other rights and flags.
pub(super) fn reopen(file: &File, access: u32, share: u32, flags: u32) -> io::Result<File> {
    // SAFETY: plain integers about a handle that is borrowed here.
    let handle = unsafe { ReOpenFile(raw(file), access, share, flags) };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just opened and belongs to nothing else.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Asks for a structure of facts. `T` is the structure of that class, which is plain numbers.
pub(super) fn info<T: Copy>(file: &File, class: i32) -> io::Result<T> {
    let mut facts = MaybeUninit::<T>::zeroed();
    let size = size_of::<T>() as u32;
    // SAFETY: the result has the size that is passed, and outlives the call.
    let good =
        unsafe { GetFileInformationByHandleEx(raw(file), class, facts.as_mut_ptr().cast(), size) };
    check(good)?;
    // SAFETY: it was zeroed, the call filled it, and every bit pattern of its numbers is a value.
    Ok(unsafe { facts.assume_init() })
}

/// The older facts, for file systems without file IDs of 128 bits.
pub(super) fn old_info(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut facts = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the result outlives the call.
    check(unsafe { GetFileInformationByHandle(raw(file), &raw mut facts) })?;
    Ok(facts)
}

/// `FILE_TYPE_DISK`, `FILE_TYPE_CHAR`, `FILE_TYPE_PIPE`.
pub(super) fn file_type(file: &File) -> u32 {
    // SAFETY: a handle that is borrowed here.
    unsafe { GetFileType(raw(file)) }
}

/// Which disk and partition a device is; `None` for what is none.
pub(super) fn device_number(file: &File) -> Option<(u32, u32)> {
    let number: STORAGE_DEVICE_NUMBER = ask(file, IOCTL_STORAGE_GET_DEVICE_NUMBER)?;
    Some((number.DeviceNumber, number.PartitionNumber))
}

/// The length of a device that is open for reading.
pub(super) fn device_length(file: &File) -> Option<u64> {
    let length: GET_LENGTH_INFORMATION = ask(file, IOCTL_DISK_GET_LENGTH_INFO)?;
    u64::try_from(length.Length).ok()
}

/// Asks a device for a structure of plain numbers.
fn ask<T: Copy>(file: &File, code: u32) -> Option<T> {
    let mut answer = MaybeUninit::<T>::zeroed();
    let (size, mut length) = (size_of::<T>() as u32, 0);
    let into = answer.as_mut_ptr().cast();
    // SAFETY: nothing is passed in; the answer has the size that is passed, and both results outlive the call.
    let good = unsafe {
        DeviceIoControl(
            raw(file),
            code,
            null(),
            0,
            into,
            size,
            &raw mut length,
            null_mut(),
        )
    };
    if good == 0 || length < size {
        return None;
    }
    // SAFETY: it was zeroed, the call filled all of it, and every bit pattern of its numbers is a value.
    Some(unsafe { answer.assume_init() })
}

/// The flags of the file system that a file is on. // `FILE_NAMED_STREAMS` and others
pub(super) fn volume_flags(file: &File) -> io::Result<u32> {
    let mut flags = 0;
    // SAFETY: what is not asked for is null; the result outlives the call.
    let good = unsafe {
        GetVolumeInformationByHandleW(
            raw(file),
            null_mut(),
            0,
            null_mut(),
            null_mut(),
            &raw mut flags,
            null_mut(),
            0,
        )
    };
    check(good).map(|()| flags)
}

/// The path that a handle leads to, in the form `\\?\C:\…`.
pub(super) fn final_path(file: &File) -> io::Result<Vec<u16>> {
    let mut text = vec![0u16; 512];
    loop {
        let room = text.len() as u32;
        // SAFETY: the text has the length that is passed, and outlives the call.
        let length =
            unsafe { GetFinalPathNameByHandleW(raw(file), text.as_mut_ptr(), room, 0) } as usize;
        match length {
            0 => return Err(io::Error::last_os_error()),
            more if more >= text.len() => text.resize(more + 1, 0),
            length => {
                text.truncate(length);
                return Ok(text);
            }
        }
    }
}

/// Gives what is open a name in a folder. It is open for deletion.
pub(super) fn rename(file: &File, folder: &File, to: &OsStr, replaces: bool) -> io::Result<()> {
    let name: Vec<u16> = to.encode_wide().collect();
    let start = offset_of!(FILE_RENAME_INFORMATION, FileName);
    let bytes = (start + name.len() * 2).max(size_of::<FILE_RENAME_INFORMATION>());
    let mut room = vec![0u64; bytes.div_ceil(8)];
    let head: *mut FILE_RENAME_INFORMATION = room.as_mut_ptr().cast();
    let order = FILE_RENAME_INFORMATION {
        Anonymous: windows_sys::Wdk::Storage::FileSystem::FILE_RENAME_INFORMATION_0 {
            ReplaceIfExists: replaces,
        },
        RootDirectory: raw(folder),
        FileNameLength: (name.len() * 2) as u32,
        FileName: [0],
    };
    // SAFETY: the memory is large enough for the head, and aligned as its pointers are.
    unsafe { head.write(order) };
    let place = start / 2;
    // SAFETY: the memory is ours, initialised, and ends at least `name.len()` units behind the start of the name.
    let units =
        unsafe { std::slice::from_raw_parts_mut(head.cast::<u16>().add(place), name.len()) };
    units.copy_from_slice(&name);
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: the order has the length that is passed, and both outlive the call.
    let code = unsafe {
        NtSetInformationFile(
            raw(file),
            &raw mut status,
            head.cast_const().cast(),
            bytes as u32,
            FileRenameInformation,
        )
    };
    check_status(code)
}

/// Removes the name under which a file or an empty folder was opened, for deletion: at once where the system can, otherwise when
/// it is closed for the last time.
pub(super) fn delete(file: &File) -> io::Result<()> {
    let flags = FILE_DISPOSITION_FLAG_DELETE
        | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS
        | FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE;
    let order = FILE_DISPOSITION_INFO_EX { Flags: flags };
    let size = size_of_val(&order) as u32;
    let class = FileDispositionInfoEx;
    // SAFETY: the order has the length that is passed, and outlives the call.
    let good =
        unsafe { SetFileInformationByHandle(raw(file), class, (&raw const order).cast(), size) };
    if good != 0 {
        return Ok(());
    }
    let first = io::Error::last_os_error();
    // A file system or a system without that class; what is in use or not empty stays so.
    let is_lacking = matches!(
        first.kind(),
        ErrorKind::InvalidInput | ErrorKind::Unsupported
    ) || first.raw_os_error() == Some(1);
    if !is_lacking {
        return Err(first);
    }
    let order = FILE_DISPOSITION_INFO { DeleteFile: true };
    let size = size_of_val(&order) as u32;
    let class = FileDispositionInfo;
    // SAFETY: the order has the length that is passed, and outlives the call.
    check(unsafe { SetFileInformationByHandle(raw(file), class, (&raw const order).cast(), size) })
}

/// Locks a byte far behind the end, without waiting.
pub(super) fn lock(file: &File, alone: bool) -> io::Result<()> {
    let mut at = locked_byte();
    let how = match alone {
        true => LOCKFILE_FAIL_IMMEDIATELY | LOCKFILE_EXCLUSIVE_LOCK,
        false => LOCKFILE_FAIL_IMMEDIATELY,
    };
    // SAFETY: the place outlives the call, because the handle is synchronous.
    check(unsafe { LockFileEx(raw(file), how, 0, 1, 0, &raw mut at) })
}

/// Releases it.
pub(super) fn unlock(file: &File) -> io::Result<()> {
    let mut at = locked_byte();
    // SAFETY: the place outlives the call, because the handle is synchronous.
    check(unsafe { UnlockFileEx(raw(file), 0, 1, 0, &raw mut at) })
}

fn locked_byte() -> OVERLAPPED {
    let mut at = OVERLAPPED::default();
    at.Anonymous.Anonymous.Offset = LOCKED_BYTE as u32;
    at.Anonymous.Anonymous.OffsetHigh = (LOCKED_BYTE >> 32) as u32;
    at
}

/// Calls `each` with every name in a folder that is open for listing, and its attributes.
pub(super) fn list(
    folder: &File,
    each: &mut dyn FnMut(&[u16], u32) -> io::Result<()>,
) -> io::Result<()> {
    let mut room = vec![0u64; 8 << 10];
    let size = size_of_val(room.as_slice());
    loop {
        let into = room.as_mut_ptr().cast();
        let class = FileIdBothDirectoryInfo;
        // SAFETY: the memory has the size that is passed, and is aligned as the entries are.
        let good = unsafe { GetFileInformationByHandleEx(raw(folder), class, into, size as u32) };
        if good == 0 {
            let error = io::Error::last_os_error();
            let is_end = error.raw_os_error() == Some(18); // ERROR_NO_MORE_FILES
            return if is_end { Ok(()) } else { Err(error) };
        }
        let mut at = 0;
        loop {
            let (next, attributes, name) = entry(&room, at).ok_or(ErrorKind::InvalidData)?;
            each(&name, attributes)?;
            if next == 0 {
                break;
            }
            at += next;
        }
    }
}

/// The entry at this byte: the distance to the next, its attributes, its name.
fn entry(room: &[u64], at: usize) -> Option<(usize, u32, Vec<u16>)> {
    let size = size_of_val(room);
    let start = at + offset_of!(FILE_ID_BOTH_DIR_INFO, FileName);
    if at % 8 != 0 || start > size {
        return None;
    }
    let word = |offset: usize| {
        let bytes = at + offset;
        let word = room.get(bytes / 8)?;
        Some((word >> (bytes % 8 * 8)) as u32)
    };
    let next = word(offset_of!(FILE_ID_BOTH_DIR_INFO, NextEntryOffset))? as usize;
    let attributes = word(offset_of!(FILE_ID_BOTH_DIR_INFO, FileAttributes))?;
    let length = word(offset_of!(FILE_ID_BOTH_DIR_INFO, FileNameLength))? as usize / 2;
    let unit = |number: usize| {
        let bytes = start + number * 2;
        let word = room.get(bytes / 8)?;
        Some((word >> (bytes % 8 * 8)) as u16)
    };
    let name: Option<Vec<u16>> = (0..length).map(unit).collect();
    Some((next, attributes, name?))
}

/// How many bytes a pipe has; an error where its other end is closed.
pub(super) fn bytes_in_pipe(file: &File) -> io::Result<u32> {
    let mut bytes = 0;
    // SAFETY: nothing is read; what is not asked for is null, and the result outlives the call.
    let good = unsafe {
        PeekNamedPipe(
            raw(file),
            null_mut(),
            0,
            null_mut(),
            &raw mut bytes,
            null_mut(),
        )
    };
    check(good).map(|()| bytes)
}

/// Opens again for reading, and not together with any process that writes.
pub(super) fn reopen_without_writers(file: &File) -> io::Result<File> {
    reopen(file, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, 0)
}

pub(super) fn raw(file: &File) -> HANDLE {
    file.as_raw_handle()
}

fn check(good: i32) -> io::Result<()> {
    match good {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn check_status(code: i32) -> io::Result<()> {
    if code >= 0 {
        return Ok(());
    }
    // SAFETY: translates a number.
    let error = unsafe { RtlNtStatusToDosError(code) };
    Err(io::Error::from_raw_os_error(error.cast_signed()))
}
