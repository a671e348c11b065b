//! What is asked and opened through a handle that can do nothing else. Source: ReOpenFile.

use super::facts::file_facts;
use super::handle::{self, Opening, SHARE_ALL, open_at};
use super::names::{WAITS, open_no_link, opening, raw_error};
use crate::access::Access;
use crate::file_facts::{FileFacts, NodeKind};
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DELETE_ON_CLOSE, FILE_NO_INTERMEDIATE_BUFFERING, FILE_NON_DIRECTORY_FILE,
    FILE_OPEN_REPARSE_POINT, FILE_RANDOM_ACCESS, FILE_SEQUENTIAL_ONLY, FILE_WRITE_THROUGH,
};
use windows_sys::Win32::Foundation::ERROR_FILE_INVALID;
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_APPEND_DATA, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OVERLAPPED, FILE_FLAG_RANDOM_ACCESS, FILE_FLAG_SEQUENTIAL_SCAN,
    FILE_FLAG_WRITE_THROUGH, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_READ_ATTRIBUTES,
    FILE_WRITE_DATA, READ_CONTROL,
};

/// Paths up to this length need no prefix. // MAX_PATH less what a file in a folder takes
const SHORT_PATH: usize = 247;

/// The path of what is open, without links; without the prefix `\\?\` where Windows does not need it.
pub(crate) fn real_path(file: &File) -> Option<PathBuf> {
    let wide = handle::final_path(file).ok()?;
    let path = PathBuf::from(OsString::from_wide(&wide));
    let short = path.to_str().and_then(|text| {
        let text = text.strip_prefix(r"\\?\")?;
        let short = match text.strip_prefix(r"UNC\") {
            Some(share) => format!(r"\\{share}"),
            None if text.get(1..2) == Some(":") => text.to_owned(),
            None => return None,
        };
        (short.len() <= SHORT_PATH).then_some(short)
    });
    Some(short.map_or(path, PathBuf::from))
}

/// No path of Windows leads to an open file wherever its name is.
pub(crate) fn link_to(_: &File) -> Option<PathBuf> {
    None
}

/// Opens what `node` leads to.
pub(crate) fn reopen(node: &File, _: &File, name: &OsStr, access: Access) -> io::Result<File> {
    let there = file_facts(node)?;
    match there.kind {
        NodeKind::BlockDevice | NodeKind::CharacterDevice => {
            if there.kind == NodeKind::BlockDevice {
                refuse_device(access)?;
            }
            let mut options = OpenOptions::new();
            options.custom_flags(flags(access));
            options.access_mode(rights(access)).open(name)
        }
        NodeKind::Folder => {
            handle::reopen(node, rights(access), SHARE_ALL, FILE_FLAG_BACKUP_SEMANTICS)
        }
        _ => handle::reopen(node, rights(access), SHARE_ALL, flags(access)),
    }
}

/// What writing to a volume or disk of Windows needs was never tried on one, so it is not done.
fn refuse_device(access: Access) -> io::Result<()> {
    let why = "volumes and disks are not written on Windows yet: whether their locks keep out what else uses them was never \
               tried on one; hint: specify a file";
    match access.writes || access.exclusive {
        true => Err(io::Error::new(ErrorKind::Unsupported, why)),
        false => Ok(()),
    }
}

fn rights(access: Access) -> u32 {
    let read = if access.reads { FILE_GENERIC_READ } else { 0 };
    let write = match (access.writes, access.appends) {
        (false, _) => 0,
        (true, false) => FILE_GENERIC_WRITE,
        (true, true) => FILE_GENERIC_WRITE & !FILE_WRITE_DATA | FILE_APPEND_DATA,
    };
    read | write
}

/// Those of CreateFile and ReOpenFile.
fn flags(access: Access) -> u32 {
    let all = [
        (access.direct, FILE_FLAG_NO_BUFFERING),
        (access.data_sync || access.sync, FILE_FLAG_WRITE_THROUGH),
        (access.overlapped, FILE_FLAG_OVERLAPPED),
        (access.random, FILE_FLAG_RANDOM_ACCESS),
        (access.sequential, FILE_FLAG_SEQUENTIAL_SCAN),
    ];
    sum(&all)
}

/// The same of NtCreateFile.
fn options(access: Access) -> u32 {
    let all = [
        (access.direct, FILE_NO_INTERMEDIATE_BUFFERING),
        (access.data_sync || access.sync, FILE_WRITE_THROUGH),
        (!access.overlapped, WAITS),
        (access.random, FILE_RANDOM_ACCESS),
        (access.sequential, FILE_SEQUENTIAL_ONLY),
    ];
    sum(&all)
}

fn sum(all: &[(bool, u32)]) -> u32 {
    let requested = all.iter().filter(|(is_requested, _)| *is_requested);
    requested.fold(0, |sum, (_, flag)| sum | flag)
}

/// Creates a file that is not there yet: what is opened for `access`, and a handle for its facts alone.
pub(crate) fn create(folder: &File, name: &OsStr, access: Access) -> io::Result<(File, File)> {
    super::name::check(name)?;
    let how = Opening {
        access: rights(access) | FILE_READ_ATTRIBUTES,
        disposition: FILE_CREATE,
        options: options(access) | FILE_NON_DIRECTORY_FILE,
        security: null_mut(),
    };
    let file = open_at(folder, name, &how)?;
    let plain = handle::reopen(&file, FILE_READ_ATTRIBUTES | READ_CONTROL, SHARE_ALL, 0)?;
    Ok((file, plain))
}

/// A file that is gone when it is closed, for direct I/O or not.
pub(crate) fn nameless(folder: &File, direct: bool) -> io::Result<File> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Relaxed);
    let name = format!(".fathom-probe-{}-{number}", std::process::id());
    let access = Access::READ_WRITE.direct(direct);
    let how = Opening {
        access: rights(access) | DELETE,
        disposition: FILE_CREATE,
        options: options(access) | FILE_NON_DIRECTORY_FILE | FILE_DELETE_ON_CLOSE,
        security: null_mut(),
    };
    open_at(folder, OsStr::new(&name), &how)
}

/// The facts of what a name leads to now; a link there is followed where that is asked for.
pub(crate) fn named(folder: &File, name: &OsStr, follows: bool) -> io::Result<FileFacts> {
    if name == "." {
        return file_facts(folder);
    }
    let mut how = opening(FILE_READ_ATTRIBUTES);
    if follows {
        how.options &= !FILE_OPEN_REPARSE_POINT;
    }
    file_facts(&open_at(folder, name, &how)?)
}

/// Opens what a name leads to for reading, links followed.
pub(crate) fn open_target(folder: &File, name: &OsStr) -> io::Result<File> {
    match open_no_link(folder, name, FILE_GENERIC_READ) {
        Err(error) if super::is_link(&error) => {
            let mut how = opening(FILE_GENERIC_READ);
            how.options &= !FILE_OPEN_REPARSE_POINT;
            open_at(folder, name, &how)
        }
        opened => opened,
    }
}

/// The first bytes of a name. // `length` at most that of the name
pub(crate) fn beginning(name: &OsStr, length: usize) -> Option<&OsStr> {
    name.to_str()?.get(..length).map(OsStr::new)
}

/// The error of a pin that leads to something else than it did.
pub(crate) fn stale() -> io::Error {
    raw_error(ERROR_FILE_INVALID)
}
