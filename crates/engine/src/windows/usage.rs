//! Processor time of the calling thread. Sources: `GetThreadTimes`, `QueryUnbiasedInterruptTime`.
//!
//! The system charges whole ticks of its clock, 15.6 ms as a rule, to what runs at the tick.
#![allow(unsafe_code, reason = "asks the system about the thread")]

use model::{Nanos, ThreadCpu};
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::SystemInformation::GetTickCount64;
use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};
use windows_sys::Win32::System::WindowsProgramming::QueryUnbiasedInterruptTime;

/// Since the thread began; `None` where the system does not report it.
pub(crate) fn of_this_thread() -> Option<ThreadCpu> {
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: a handle that needs no closing.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the system writes four such structures where the pointers show.
    let answered = unsafe {
        GetThreadTimes(
            thread,
            &raw mut began,
            &raw mut ended,
            &raw mut kernel,
            &raw mut user,
        )
    };
    (answered != 0).then(|| ThreadCpu {
        user: nanos(user),
        kernel: nanos(kernel),
    })
}

/// Page faults of the calling thread that waited for a device: Windows counts those of processes only.
pub(crate) fn major_faults_of_this_thread() -> Option<u64> {
    None
}

/// How long the machine has been suspended since it started, within a tick of its clock.
pub(crate) fn suspended() -> Nanos {
    // SAFETY: asks for a number.
    let since_start = Nanos::millis(unsafe { GetTickCount64() }); // first, so that the difference is never below the truth
    let mut running = 0;
    // SAFETY: the system writes a number where the pointer shows.
    unsafe { QueryUnbiasedInterruptTime(&raw mut running) };
    since_start.minus(Nanos(running * 100))
}

/// Units of 100 ns.
fn nanos(time: FILETIME) -> Nanos {
    Nanos((u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100)
}
