//! Memory from the system, in large pages where that is asked for. Sources: `VirtualAlloc`; *Large-Page Support*, which
//! names the right that they need.
#![allow(
    unsafe_code,
    reason = "allocates memory that the kernel reads and writes"
)]

use std::io;
use std::ptr::{NonNull, null, null_mut};
use windows_sys::Win32::Foundation::{CloseHandle, ERROR_NOT_ALL_ASSIGNED, GetLastError, HANDLE};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE,
    VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Size of an ordinary page.
const PAGE: usize = 4096;

/// Memory of our own.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) start: NonNull<u8>,
    pub(crate) bytes: usize,
    /// What the system gave, which begins at `start` or before it.
    base: NonNull<u8>,
}

// SAFETY: the memory belongs to its owner, on any thread.
unsafe impl Send for Region {}
// SAFETY: shared references only give its address; what is written there goes through `&mut`.
unsafe impl Sync for Region {}

impl Region {
    /// `large` insists on large pages; without it pages are not specified, so they are what any program gets.
    pub(crate) fn new(bytes: usize, large: bool) -> io::Result<Self> {
        let (bytes, kind) = match large {
            true => {
                may_lock_memory()?;
                (Region::whole_large_pages(bytes), MEM_LARGE_PAGES)
            }
            false => (bytes.max(PAGE), 0),
        };
        // SAFETY: fresh memory at a place that the system chooses.
        let start = unsafe {
            VirtualAlloc(
                null(),
                bytes,
                MEM_RESERVE | MEM_COMMIT | kind,
                PAGE_READWRITE,
            )
        };
        let start = NonNull::new(start.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Region {
            start,
            bytes,
            base: start,
        })
    }

    /// The same with ordinary pages from a multiple of `align` on. // a power of two above a page
    pub(crate) fn aligned(bytes: usize, align: usize) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(PAGE);
        let whole = Region::new(bytes + align, false)?;
        let before = whole.base.as_ptr().align_offset(align);
        // SAFETY: `before` lies inside the memory, which is longer than the alignment.
        let start = unsafe { whole.base.add(before) };
        let base = whole.base;
        std::mem::forget(whole); // the new one frees all of it
        Ok(Region { start, bytes, base })
    }

    /// Bytes of the large pages that contain so many.
    pub(crate) fn whole_large_pages(bytes: usize) -> usize {
        // SAFETY: asks for a number.
        let page = unsafe { GetLargePageMinimum() };
        bytes.max(1).next_multiple_of(page.max(PAGE))
    }

    /// What makes the system grant large pages.
    pub(crate) fn large_remedy(_: usize) -> String {
        "give this user the right \"Lock pages in memory\" (SeLockMemoryPrivilege; secpol.msc, User Rights Assignment), \
         sign in again, and run as administrator"
            .to_owned()
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, and nothing in flight uses it: the worker leaks buffers with I/O in flight.
        unsafe { VirtualFree(self.base.as_ptr().cast(), 0, MEM_RELEASE) };
    }
}

/// Enables the right to lock memory, which large pages need, for this process.
fn may_lock_memory() -> io::Result<()> {
    let mut token: HANDLE = null_mut();
    // SAFETY: a handle that needs no closing.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the system writes a handle where the pointer shows.
    if unsafe { OpenProcessToken(process, TOKEN_ADJUST_PRIVILEGES, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let enabled = enable(token);
    // SAFETY: opened above, closed once.
    unsafe { CloseHandle(token) };
    enabled
}

fn enable(token: HANDLE) -> io::Result<()> {
    let mut rights = TOKEN_PRIVILEGES {
        PrivilegeCount: 1,
        Privileges: [LUID_AND_ATTRIBUTES {
            Attributes: SE_PRIVILEGE_ENABLED,
            ..LUID_AND_ATTRIBUTES::default()
        }],
    };
    let number = &raw mut rights.Privileges[0].Luid;
    // SAFETY: the name ends in 0, and the system writes a number where the pointer shows.
    if unsafe { LookupPrivilegeValueW(null(), SE_LOCK_MEMORY_NAME, number) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system reads one such structure; the former state is not wanted.
    let adjusted =
        unsafe { AdjustTokenPrivileges(token, 0, &raw const rights, 0, null_mut(), null_mut()) };
    // SAFETY: asks for a number. The call also succeeds where it did not assign all.
    match (adjusted, unsafe { GetLastError() }) {
        (0, number) | (_, number @ ERROR_NOT_ALL_ASSIGNED) => {
            Err(io::Error::from_raw_os_error(number.cast_signed()))
        }
        _ => Ok(()),
    }
}
