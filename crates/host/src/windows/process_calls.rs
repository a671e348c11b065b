//! Calls about processes and named events. Omitted: what follows from an answer.
#![allow(unsafe_code)]

use super::wide::{text, wide};
use model::Nanos;
use model::record::ProcessCpu;
use std::io;
use std::os::windows::io::{AsRawHandle, HandleOrInvalid, HandleOrNull, OwnedHandle};
use std::ptr::null;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    CreateEventW, EVENT_MODIFY_STATE, GetCurrentProcess, GetCurrentThreadStackLimits,
    GetProcessHandleCount, GetProcessTimes, OpenEventW, OpenProcess,
    PROCESS_QUERY_LIMITED_INFORMATION, SetEvent,
};

/// What the system lists of a process.
pub(super) struct Listed {
    pub(super) process: u32,
    pub(super) parent: u32,
    pub(super) name: String,
}

/// When a process began, and what processor time it has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) began: u64,
    pub(super) cpu: ProcessCpu,
}

/// All processes. Source: CreateToolhelp32Snapshot.
pub(super) fn processes() -> Vec<Listed> {
    // SAFETY: takes numbers and returns a handle that is ours.
    let handle = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    // SAFETY: the handle is ours, or the value for none.
    let Ok(snapshot) = OwnedHandle::try_from(unsafe { HandleOrInvalid::from_raw_handle(handle) })
    else {
        return Vec::new();
    };
    let mut entry = PROCESSENTRY32W {
        dwSize: size_of::<PROCESSENTRY32W>() as u32,
        ..PROCESSENTRY32W::default()
    };
    let mut found = Vec::new();
    // SAFETY: the snapshot is open; the entry contains its own size and outlives the call.
    let mut more = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        found.push(Listed {
            process: entry.th32ProcessID,
            parent: entry.th32ParentProcessID,
            name: text(&entry.szExeFile).to_string_lossy().into_owned(),
        });
        // SAFETY: as before.
        more = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut entry) };
    }
    found
}

/// The times of a process; `None` where it is gone or may not be asked. Source: GetProcessTimes.
pub(super) fn times_of(process: u32) -> Option<Times> {
    // SAFETY: takes numbers and returns a handle that is ours.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    // SAFETY: the handle is ours, or null.
    let handle = unsafe { HandleOrNull::from_raw_handle(handle) };
    let handle = OwnedHandle::try_from(handle).ok()?;
    times(handle.as_raw_handle())
}

/// The times of this process.
pub(super) fn own_times() -> Option<Times> {
    times(own())
}

fn own() -> HANDLE {
    // SAFETY: no arguments; returns a constant that means this process.
    unsafe { GetCurrentProcess() }
}

fn times(process: HANDLE) -> Option<Times> {
    let mut found = [FILETIME::default(); 4];
    let [began, ended, kernel, user] = &mut found;
    let (began, ended) = (&raw mut *began, &raw mut *ended);
    let (kernel, user) = (&raw mut *kernel, &raw mut *user);
    // SAFETY: the handle is open or means this process; the four structures outlive the call.
    let code = unsafe { GetProcessTimes(process, began, ended, kernel, user) };
    let [began, _, kernel, user] = found.map(|time| {
        u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime) // of 100 ns
    });
    (code != 0).then_some(Times {
        began,
        cpu: ProcessCpu {
            user: Nanos(user.saturating_mul(100)),
            kernel: Nanos(kernel.saturating_mul(100)),
        },
    })
}

/// How many handles this process has open. Source: GetProcessHandleCount.
pub(super) fn own_handles() -> Option<u64> {
    let mut count = 0u32;
    // SAFETY: the number outlives the call.
    let code = unsafe { GetProcessHandleCount(own(), &raw mut count) };
    (code != 0).then_some(u64::from(count))
}

/// Bytes that this process has committed. Source: GetProcessMemoryInfo, `PagefileUsage`.
pub(super) fn own_memory() -> Option<u64> {
    let mut found = PROCESS_MEMORY_COUNTERS::default();
    let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    found.cb = size;
    // SAFETY: the structure has the given size and outlives the call.
    let code = unsafe { K32GetProcessMemoryInfo(own(), &raw mut found, size) };
    (code != 0).then_some(found.PagefileUsage as u64)
}

/// Bytes of the stack of the calling thread. Source: GetCurrentThreadStackLimits.
pub(super) fn own_stack() -> u64 {
    let (mut low, mut high) = (0usize, 0usize);
    // SAFETY: both numbers outlive the call, which cannot fail.
    unsafe { GetCurrentThreadStackLimits(&raw mut low, &raw mut high) };
    high.saturating_sub(low) as u64
}

/// Opens a named event that stays set once it is, and creates it where there is none. Source: CreateEventW.
pub(super) fn create_event(name: &str) -> io::Result<OwnedHandle> {
    let name = wide(name);
    // SAFETY: the name ends in a zero and outlives the call.
    let handle = unsafe { CreateEventW(null(), 1, 0, name.as_ptr()) };
    owned(handle)
}

/// Opens a named event to set it. Source: OpenEventW.
pub(super) fn open_event(name: &str) -> io::Result<OwnedHandle> {
    let name = wide(name);
    // SAFETY: the name ends in a zero and outlives the call.
    let handle = unsafe { OpenEventW(EVENT_MODIFY_STATE, 0, name.as_ptr()) };
    owned(handle)
}

fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    let error = io::Error::last_os_error();
    // SAFETY: the handle is ours, or null.
    let handle = unsafe { HandleOrNull::from_raw_handle(handle) };
    OwnedHandle::try_from(handle).map_err(|_| error)
}

/// Sets an event. Source: SetEvent.
pub(super) fn set_event(event: &OwnedHandle) -> io::Result<()> {
    // SAFETY: the handle is open as long as it is borrowed.
    match unsafe { SetEvent(event.as_raw_handle()) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
