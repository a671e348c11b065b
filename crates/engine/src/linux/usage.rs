//! Processor time of the calling thread, and how long it waited for a processor. Source: getrusage(2), RUSAGE_THREAD.
//!
//! The sum is exact; how it is split between program and kernel is the kernel's estimate by ticks on most machines.
#![allow(unsafe_code, reason = "asks the system about the thread")]

use model::{Nanos, ThreadCpu};

/// Since the thread began; `None` where the system does not report it.
pub(crate) fn of_this_thread() -> Option<ThreadCpu> {
    let usage = thread_usage()?;
    Some(ThreadCpu {
        user: nanos(usage.ru_utime),
        kernel: nanos(usage.ru_stime),
    })
}

/// Page faults of the calling thread that waited for a device; `None` where the system does not report them.
pub(crate) fn major_faults_of_this_thread() -> Option<u64> {
    thread_usage().map(|usage| usage.ru_majflt.unsigned_abs())
}

fn thread_usage() -> Option<libc::rusage> {
    // SAFETY: the structure is plain numbers, for which all zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one such structure where the pointer shows.
    let refused = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0;
    (!refused).then_some(usage)
}

/// How long the machine has been suspended since it started. Source: clock_gettime(2), CLOCK_BOOTTIME.
pub(crate) fn suspended() -> Nanos {
    let mono = read_clock(libc::CLOCK_MONOTONIC); // first, so that the difference is never below the truth
    read_clock(libc::CLOCK_BOOTTIME).minus(mono)
}

fn read_clock(clock: libc::clockid_t) -> Nanos {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one such structure where the pointer shows.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

fn nanos(time: libc::timeval) -> Nanos {
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1000)
}
