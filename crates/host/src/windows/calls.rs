//! Calls about the machine: its version, its names, its memory, its processors, its clocks, the job of this process and its
//! console. Omitted: what follows from an answer, processes (`process_calls`) and volumes (`volume_calls`).
#![allow(unsafe_code)]

use super::ask::Answer;
use super::wide::{text, wide};
use model::Nanos;
use std::ffi::OsString;
use std::fs::File;
use std::os::windows::io::AsRawHandle;
use std::ptr::null_mut;
use std::time::Duration;
use windows_sys::Wdk::System::SystemInformation::{
    NtQuerySystemInformation, SystemProcessorPerformanceInformation,
};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::Foundation::{
    INVALID_HANDLE_VALUE, WAIT_EVENT, WAIT_FAILED, WAIT_OBJECT_0,
};
use windows_sys::Win32::System::Console::{GetConsoleMode, GetStdHandle, STD_OUTPUT_HANDLE};
use windows_sys::Win32::System::JobObjects::{JOBOBJECTINFOCLASS, QueryInformationJobObject};
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Registry::{
    HKEY_LOCAL_MACHINE, REG_ROUTINE_FLAGS, RRF_RT_REG_MULTI_SZ, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::SystemInformation::{
    ComputerNameDnsHostname, GetComputerNameExW, GetLogicalProcessorInformationEx, GetTickCount64,
    GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW, RelationAll,
};
use windows_sys::Win32::System::Threading::{
    ALL_PROCESSOR_GROUPS, GetActiveProcessorCount, WaitForSingleObject,
};
use windows_sys::Win32::System::WindowsProgramming::SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION;

/// A text of the registry that is longer is none.
const REGISTRY_UNITS: usize = 4096;
const NAME_UNITS: usize = 256;
const PROCESSOR_BYTES_MAX: usize = 4 << 20;
/// Processors of one group. // winnt.h, MAXIMUM_PROC_PER_GROUP
const GROUP_PROCESSORS: usize = 64;

/// Major, minor and build number of the system, independent of the version that it shows to programs. Source: RtlGetVersion.
pub(super) fn version() -> Option<[u32; 3]> {
    let mut found = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        ..OSVERSIONINFOW::default()
    };
    // SAFETY: the structure contains its own size and outlives the call.
    let status = unsafe { RtlGetVersion(&raw mut found) };
    (status == 0).then_some([
        found.dwMajorVersion,
        found.dwMinorVersion,
        found.dwBuildNumber,
    ])
}

/// The machine's own name on the network. Source: GetComputerNameExW.
pub(super) fn host_name() -> Option<String> {
    let mut name = [0u16; NAME_UNITS];
    let mut length = NAME_UNITS as u32;
    let into = name.as_mut_ptr();
    // SAFETY: the buffer has the given length and outlives the call.
    let code = unsafe { GetComputerNameExW(ComputerNameDnsHostname, into, &raw mut length) };
    (code != 0).then(|| text(&name).to_string_lossy().into_owned())
}

/// A text below HKEY_LOCAL_MACHINE.
pub(super) fn registry_text(key: &str, value: &str) -> Option<String> {
    let found = registry(key, value, RRF_RT_REG_SZ)?;
    let found = text(&found).to_string_lossy().trim().to_owned();
    (!found.is_empty()).then_some(found)
}

/// Several texts below HKEY_LOCAL_MACHINE.
pub(super) fn registry_list(key: &str, value: &str) -> Option<Vec<OsString>> {
    registry(key, value, RRF_RT_REG_MULTI_SZ).map(|found| super::wide::list(&found))
}

/// Source: RegGetValueW.
fn registry(key: &str, value: &str, kind: REG_ROUTINE_FLAGS) -> Option<Vec<u16>> {
    let (key, value) = (wide(key), wide(value));
    let mut found = vec![0u16; REGISTRY_UNITS];
    let mut bytes = (REGISTRY_UNITS * 2) as u32;
    let (key, value) = (key.as_ptr(), value.as_ptr());
    let into = found.as_mut_ptr().cast();
    let size = &raw mut bytes;
    let root = HKEY_LOCAL_MACHINE;
    // SAFETY: both names end in a zero, the buffer has the given size, and all of them outlive the call.
    let code = unsafe { RegGetValueW(root, key, value, kind, null_mut(), into, size) };
    (code == 0).then_some(found)
}

/// Main memory: all of it, what is available of it, and what may still be committed. Source: GlobalMemoryStatusEx.
pub(super) fn memory() -> Option<[u64; 3]> {
    let mut found = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: the structure contains its own size and outlives the call.
    let code = unsafe { GlobalMemoryStatusEx(&raw mut found) };
    (code != 0).then_some([
        found.ullTotalPhys,
        found.ullAvailPhys,
        found.ullAvailPageFile,
    ])
}

/// What the system knows of cores, packages, nodes and groups, as one entry after another. Source:
/// GetLogicalProcessorInformationEx.
pub(super) fn processors() -> Option<Vec<u8>> {
    let mut bytes = 0u32;
    // SAFETY: no buffer is given, so that only the size is written, which outlives the call.
    unsafe { GetLogicalProcessorInformationEx(RelationAll, null_mut(), &raw mut bytes) };
    let room = usize::try_from(bytes).ok()?;
    if room == 0 || room > PROCESSOR_BYTES_MAX {
        return None;
    }
    let mut found = vec![0u64; room.div_ceil(8)];
    let into = found.as_mut_ptr().cast();
    // SAFETY: the buffer has at least the given size and outlives the call.
    let code = unsafe { GetLogicalProcessorInformationEx(RelationAll, into, &raw mut bytes) };
    let all = found.iter().flat_map(|word| word.to_ne_bytes());
    (code != 0).then(|| all.take(bytes as usize).collect())
}

/// How many processors are active, in all groups. Source: GetActiveProcessorCount.
pub(super) fn processor_count() -> u32 {
    // SAFETY: takes a number and returns one.
    unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) }
}

/// Idle time, time in the kernel (which contains the idle time) and in programs of each processor of this process's group, in
/// units of 100 ns. Source: NtQuerySystemInformation.
pub(super) fn processor_times() -> Vec<[u64; 3]> {
    let mut found = [SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION::default(); GROUP_PROCESSORS];
    let mut bytes = 0u32;
    let (into, size) = (found.as_mut_ptr().cast(), size_of_val(&found) as u32);
    let class = SystemProcessorPerformanceInformation;
    // SAFETY: the buffer has the given size and outlives the call.
    let status = unsafe { NtQuerySystemInformation(class, into, size, &raw mut bytes) };
    let count = match status {
        0 => bytes as usize / size_of::<SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION>(),
        _ => 0,
    };
    let times = |one: &SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION| {
        [one.IdleTime, one.KernelTime, one.UserTime].map(i64::unsigned_abs)
    };
    found.iter().take(count).map(times).collect()
}

/// A fact of the job that this process belongs to; `None` where it belongs to none. Source: QueryInformationJobObject.
pub(super) fn job<T: Copy + Default>(class: JOBOBJECTINFOCLASS) -> Option<Answer> {
    let mut found = vec![0u64; size_of::<T>().div_ceil(8)];
    let size = size_of::<T>() as u32;
    let into = found.as_mut_ptr().cast();
    // SAFETY: the buffer has at least the given size and outlives the call; no job means that of this process.
    let code = unsafe { QueryInformationJobObject(null_mut(), class, into, size, null_mut()) };
    let bytes = found.iter().flat_map(|word| word.to_ne_bytes());
    (code != 0).then(|| Answer::from(bytes.take(size as usize).collect::<Vec<u8>>()))
}

/// Returns the monotonic clock, as [`crate::SystemObserver::finish`] takes the start of a run. Source: QueryPerformanceCounter.
pub fn monotonic() -> Nanos {
    let (mut ticks, mut per_s) = (0i64, 0i64);
    // SAFETY: the call writes one number, which outlives it.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    // SAFETY: the same.
    unsafe { QueryPerformanceFrequency(&raw mut per_s) };
    let per_s = u128::from(per_s.unsigned_abs().max(1));
    let nanos = u128::from(ticks.unsigned_abs()) * 1_000_000_000 / per_s;
    Nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// For how long the machine has been up, in milliseconds. Source: GetTickCount64.
pub fn uptime_ms(_: &crate::Root) -> u64 {
    // SAFETY: no arguments, cannot fail.
    unsafe { GetTickCount64() }
}

/// Whether standard output was closed when the program started, so that nothing can be written to it. Source: GetStdHandle.
pub fn output_was_closed() -> bool {
    // SAFETY: takes a number and returns a handle, which is only compared.
    let handle = unsafe { GetStdHandle(STD_OUTPUT_HANDLE) };
    handle.is_null() || handle == INVALID_HANDLE_VALUE
}

/// Whether an open file is a console. Source: GetConsoleMode.
pub(super) fn is_console(file: &File) -> bool {
    let mut mode = 0;
    // SAFETY: the handle is open as long as `file` is borrowed; the mode outlives the call.
    unsafe { GetConsoleMode(file.as_raw_handle(), &raw mut mode) != 0 }
}

/// Waits until a handle is signalled, at most so long; whether the wait was possible at all. Source: WaitForSingleObject.
pub(super) fn wait(handle: &impl AsRawHandle, most: Duration) -> bool {
    wait_for(handle, most) != WAIT_FAILED
}

/// Whether a handle is signalled.
pub(super) fn is_signalled(handle: &impl AsRawHandle) -> bool {
    wait_for(handle, Duration::ZERO) == WAIT_OBJECT_0
}

fn wait_for(handle: &impl AsRawHandle, most: Duration) -> WAIT_EVENT {
    let most_ms = u32::try_from(most.as_millis()).unwrap_or(u32::MAX - 1);
    // SAFETY: the handle is open as long as it is borrowed.
    unsafe { WaitForSingleObject(handle.as_raw_handle(), most_ms) }
}
