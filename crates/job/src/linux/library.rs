//! A library of C, loaded at run time. Source: dlopen(3).
#![allow(unsafe_code, reason = "a library of C, loaded at run time")]

use libc::{RTLD_GLOBAL, RTLD_NOW, c_void, dlerror, dlopen, dlsym};
use std::ffi::CStr;

/// Libraries of Open MPI.
pub(crate) const OPEN_MPI: &[&CStr] = &[c"libmpi.so.40"];
/// Libraries of MPICH and its relatives.
pub(crate) const MPICH: &[&CStr] = &[c"libmpich.so.12", c"libmpi.so.12"];
/// Libraries with the standard ABI of MPI 5.0.
pub(crate) const STANDARD: &[&CStr] = &[c"libmpi_abi.so.1"];

/// Loads it, for good. `Err` has the system's words.
pub(crate) fn open(name: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: the name ends in 0; constructors of a library of MPI have no precondition.
    let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW | RTLD_GLOBAL) };
    if library.is_null() {
        Err(last_error())
    } else {
        Ok(library)
    }
}

/// The address of a symbol. `Err` has the system's words.
pub(crate) fn find(library: *mut c_void, symbol: &CStr) -> Result<*mut c_void, String> {
    // SAFETY: the library was loaded and is never closed; the name ends in 0.
    let address = unsafe { dlsym(library, symbol.as_ptr()) };
    if address.is_null() {
        Err(last_error())
    } else {
        Ok(address)
    }
}

fn last_error() -> String {
    // SAFETY: the call has no precondition.
    let text = unsafe { dlerror() };
    if text.is_null() {
        return "the reason is unknown".to_owned();
    }
    // SAFETY: it is a text that lives until the next call of this thread.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
