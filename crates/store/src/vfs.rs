//! SQLite's usual way to files, but names stay as they are given: below the descriptor of a folder. The usual way turns each
//! name into an absolute one first, and another user who exchanges a folder on that path decides which database, log and
//! journal are opened and removed. Source: <https://www.sqlite.org/vfs.html>. Omitted: which names (`gate`).
#![allow(unsafe_code, reason = "registers functions with SQLite")]

use rusqlite::{Connection, OpenFlags, ffi};
use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::ptr;
use std::sync::LazyLock;

const NAME: &CStr = c"fathom";

/// Whether SQLite took it.
static IS_REGISTERED: LazyLock<bool> = LazyLock::new(register);

/// Opens a name as it is given.
///
/// # Errors
/// Those of SQLite.
pub(crate) fn open(name: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    match *IS_REGISTERED {
        true => Connection::open_with_flags_and_vfs(name, flags, NAME),
        false => Connection::open_with_flags(name, flags),
    }
}

fn register() -> bool {
    // SAFETY: a call without arguments, which may be repeated.
    let is_ready = unsafe { ffi::sqlite3_initialize() } == ffi::SQLITE_OK;
    if !is_ready {
        return false;
    }
    // SAFETY: SQLite is initialized, and no name asks for the usual one.
    let usual = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    // SAFETY: what SQLite has registered itself lives as long as the process.
    let Some(usual) = (unsafe { usual.as_ref() }) else {
        return false;
    };
    let own = Box::leak(Box::new(*usual));
    own.zName = NAME.as_ptr();
    own.pNext = ptr::null_mut();
    own.xFullPathname = Some(as_given);
    // SAFETY: the copy has what the usual one has, and is leaked, so it lives as long.
    unsafe { ffi::sqlite3_vfs_register(own, 0) == ffi::SQLITE_OK }
}

/// Copies a name to where SQLite wants the absolute one.
unsafe extern "C" fn as_given(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    absolute: *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes a name that ends in a zero byte.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
    if name.len() > usize::try_from(room).unwrap_or(0) {
        return ffi::SQLITE_CANTOPEN;
    }
    // SAFETY: the buffer is another one and has `room` bytes, which are enough.
    unsafe { ptr::copy_nonoverlapping(name.as_ptr().cast(), absolute, name.len()) };
    ffi::SQLITE_OK
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_name_below_a_descriptor_leads_to_the_folder_wherever_its_name_leads() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let [mine, moved, other] = ["mine", "moved", "other"].map(|name| folder.path().join(name));
        std::fs::create_dir(&mine).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("d-journal"), "precious").unwrap();
        let open_folder = std::fs::File::open(&mine).unwrap();
        let name = format!("/proc/self/fd/{}/d", open_folder.as_raw_fd());
        std::fs::rename(&mine, &moved).unwrap();
        std::fs::rename(&other, &mine).unwrap();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = open(name, flags).unwrap();
        let filled = "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);";
        connection.execute_batch(filled).unwrap();
        connection.close().unwrap();
        let there = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
        assert_eq!((there(&moved), there(&mine)), (1, 1));
        let kept = std::fs::read_to_string(mine.join("d-journal")).unwrap();
        assert_eq!(kept, "precious");
    }
}
