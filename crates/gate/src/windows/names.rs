//! Calls on names in an open folder. Links under a name are never followed.

use super::facts::{file_facts, has_reparse_point};
use super::handle::{self, Opening, SHARE_ALL, open_at};
use super::name::Name;
use super::security;
use crate::file_facts::{FileFacts, NodeKind};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStringExt;
use std::ptr::null_mut;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_NON_DIRECTORY_FILE, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT,
    FILE_OPEN_REPARSE_POINT, FILE_SYNCHRONOUS_IO_NONALERT,
};
use windows_sys::Win32::Foundation::{
    ERROR_INVALID_FUNCTION, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_NOT_SUPPORTED,
    ERROR_REPARSE_POINT_ENCOUNTERED, GENERIC_READ,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_FLAG_BACKUP_SEMANTICS, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY,
    FILE_READ_ATTRIBUTES, WRITE_DAC, WRITE_OWNER,
};

/// How a program that has a file open is found.
pub(crate) const LIST_OPENERS: &str = "Resource Monitor lists the processes";

/// Of everything that is not asynchronous.
pub(super) const WAITS: u32 = FILE_SYNCHRONOUS_IO_NONALERT;

/// Opens what has the name, a link itself.
pub(super) fn opening(access: u32) -> Opening {
    Opening {
        access,
        disposition: FILE_OPEN,
        options: WAITS | FILE_OPEN_REPARSE_POINT | FILE_OPEN_FOR_BACKUP_INTENT,
        security: null_mut(),
    }
}

/// Opens what has the name, and refuses a link.
pub(super) fn open_no_link(folder: &File, name: &OsStr, access: u32) -> io::Result<File> {
    let file = open_at(folder, name, &opening(access))?;
    if !has_reparse_point(&file) {
        return Ok(file);
    }
    if file_facts(&file)?.kind == NodeKind::Link {
        return Err(raw_error(ERROR_REPARSE_POINT_ENCOUNTERED));
    }
    // Its content is stored elsewhere, and comes when the file itself is opened.
    let mut how = opening(access);
    how.options &= !FILE_OPEN_REPARSE_POINT;
    open_at(folder, name, &how)
}

/// Creates a file for reading and writing; for this user alone where `mode` has no rights of others.
pub(crate) fn create_new(folder: &File, name: &Name, mode: u32) -> io::Result<File> {
    let private = match mode & 0o077 {
        0 => Some(security::Private::of_file()?),
        _ => None,
    };
    let how = Opening {
        // Without the right to delete: SQLite, which opens what the gate has created, does not share that.
        access: FILE_GENERIC_READ | FILE_GENERIC_WRITE | WRITE_DAC,
        disposition: FILE_CREATE,
        options: WAITS | FILE_NON_DIRECTORY_FILE,
        security: private.as_ref().map_or(null_mut(), security::Private::raw),
    };
    open_at(folder, name.as_os_str(), &how)
}

/// Opens for reading.
pub(crate) fn open_to_read(folder: &File, name: &Name) -> io::Result<File> {
    open_no_link(folder, name.as_os_str(), FILE_GENERIC_READ)
}

/// Returns the facts of what has the name.
pub(crate) fn look_up(folder: &File, name: &Name) -> io::Result<FileFacts> {
    let how = opening(FILE_READ_ATTRIBUTES);
    file_facts(&open_at(folder, name.as_os_str(), &how)?)
}

/// Renames; what has the other name is replaced.
pub(crate) fn rename(folder: &File, from: &Name, to: &Name) -> io::Result<()> {
    move_to(folder, from, folder, to, true)
}

/// Gives a name of one folder another name, in the same or another folder.
pub(super) fn move_to(
    folder: &File,
    from: &Name,
    other: &File,
    to: &Name,
    replaces: bool,
) -> io::Result<()> {
    let there = open_at(folder, from.as_os_str(), &opening(DELETE))?;
    handle::rename(&there, other, to.as_os_str(), replaces)
}

/// Two names cannot be exchanged on Windows.
pub(crate) fn exchange(_: &File, _: &Name, _: &Name) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Renames without replacing anything; whether the first name is gone.
pub(crate) fn take_free_name(folder: &File, from: &Name, to: &Name) -> io::Result<bool> {
    move_to(folder, from, folder, to, false).map(|()| true)
}

/// Removes a name.
pub(crate) fn remove_name(folder: &File, name: &Name) -> io::Result<()> {
    handle::delete(&open_at(folder, name.as_os_str(), &opening(DELETE))?)
}

/// Whether the system or the file system has no such call.
pub(crate) fn lacks(error: &io::Error) -> bool {
    let is = |code: u32| error.raw_os_error() == Some(code.cast_signed());
    error.kind() == ErrorKind::Unsupported || is(ERROR_NOT_SUPPORTED) || is(ERROR_INVALID_FUNCTION)
}

/// Returns all names in the folder.
pub(crate) fn names(folder: &File) -> io::Result<Vec<Name>> {
    let mut names = Vec::new();
    let open = handle::reopen(
        folder,
        FILE_LIST_DIRECTORY,
        SHARE_ALL,
        FILE_FLAG_BACKUP_SEMANTICS,
    )?;
    handle::list(&open, &mut |name, _| {
        names.extend(Name::of(&OsString::from_wide(name)));
        Ok(())
    })?;
    Ok(names)
}

/// Folders in which names can be added and none removed are not known on Windows.
pub(crate) fn keeps_all_names(_: &File) -> bool {
    false
}

/// Asked only of folders that [`keeps_all_names`].
pub(crate) fn may_add(_: &File) -> io::Result<()> {
    Ok(())
}

/// Devices are in no folder.
pub(crate) fn is_devices(_: &File) -> bool {
    false
}

/// Names are in the journal of the file system when the call that changes them returns.
pub(crate) fn sync_folder(_: &File) -> io::Result<()> {
    Ok(())
}

/// Locks an open file without waiting, alone or together with others that do; false where another lock is in the way.
pub(crate) fn try_lock(file: &File, alone: bool) -> io::Result<bool> {
    let refused = match handle::lock(file, alone) {
        Ok(()) => return Ok(true),
        Err(error) if is_locked(&error) => error,
        Err(error) => return Err(error),
    };
    // A lock of this handle's own is in the way of one for this handle alone, too.
    if !alone || handle::unlock(file).is_err() {
        return Ok(false);
    }
    if handle::lock(file, true).is_ok() {
        return Ok(true);
    }
    match handle::lock(file, false) {
        Ok(()) => Ok(false),
        Err(_) => Err(refused),
    }
}

fn is_locked(error: &io::Error) -> bool {
    let is = |code: u32| error.raw_os_error() == Some(code.cast_signed());
    is(ERROR_LOCK_VIOLATION) || is(ERROR_IO_PENDING)
}

/// Whether an open failed because the name is that of a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_REPARSE_POINT_ENCOUNTERED.cast_signed())
}

pub(super) fn raw_error(code: u32) -> io::Error {
    io::Error::from_raw_os_error(code.cast_signed())
}

/// What a handle needs whose rights are to be changed.
pub(super) const CHANGE_RIGHTS: u32 = GENERIC_READ | WRITE_DAC | WRITE_OWNER;
