//! A library of C, loaded at run time. Source: `LoadLibraryExW`.
//!
//! A name without a folder is sought in the system's folders and next to the program only: a library in the current folder
//! may be another user's.
#![allow(unsafe_code, reason = "a library of C, loaded at run time")]

use std::ffi::{CStr, c_void};
use std::io;
use std::ptr::null_mut;
use windows_sys::Win32::System::LibraryLoader::{
    GetProcAddress, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_WITH_ALTERED_SEARCH_PATH, LoadLibraryExW,
};

/// Open MPI has no version for Windows.
pub(crate) const OPEN_MPI: &[&CStr] = &[];
/// Libraries of MPICH's relatives: Microsoft MPI, Intel MPI.
pub(crate) const MPICH: &[&CStr] = &[c"msmpi.dll", c"impi.dll"];
/// Libraries with the standard ABI of MPI 5.0.
pub(crate) const STANDARD: &[&CStr] = &[c"mpi_abi.dll"];

/// Loads it, for good. `Err` has the system's words.
pub(crate) fn open(name: &CStr) -> Result<*mut c_void, String> {
    let text = name.to_string_lossy();
    let wide: Vec<u16> = text.encode_utf16().chain([0]).collect();
    let how = match text.contains(['/', '\\']) {
        true => LOAD_WITH_ALTERED_SEARCH_PATH, // what it needs is next to it
        false => LOAD_LIBRARY_SEARCH_DEFAULT_DIRS,
    };
    // SAFETY: the name ends in 0; the start of a library of MPI has no precondition.
    let library = unsafe { LoadLibraryExW(wide.as_ptr(), null_mut(), how) };
    match library.is_null() {
        true => Err(format!("{text}: {}", io::Error::last_os_error())),
        false => Ok(library),
    }
}

/// The address of a symbol. `Err` has the system's words.
pub(crate) fn find(library: *mut c_void, symbol: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: the library was loaded and is never closed; the name ends in 0.
    let address = unsafe { GetProcAddress(library, symbol.as_ptr().cast()) };
    match address {
        Some(address) => Ok(address as *mut c_void),
        None => Err(format!(
            "{}: {}",
            symbol.to_string_lossy(),
            io::Error::last_os_error()
        )),
    }
}
