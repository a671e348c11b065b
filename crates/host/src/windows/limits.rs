//! What the job of this process allows it: processor time and memory. Source: QueryInformationJobObject. Omitted: jobs above
//! this one, which are not shown, and I/O, for which jobs have no limit any more.

use super::calls::{job, memory, processor_count};
use super::process_calls::own_memory;
use crate::root::Root;
use model::{Bytes, Limits, MemoryLimit};
use std::mem::offset_of;
use windows_sys::Win32::System::JobObjects::{
    JOB_OBJECT_CPU_RATE_CONTROL_ENABLE, JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP,
    JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_BASIC_LIMIT_INFORMATION,
    JOBOBJECT_CPU_RATE_CONTROL_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectCpuRateControlInformation, JobObjectExtendedLimitInformation,
};

/// A rate of all processors. // hundredths of a percent
const WHOLE_RATE: u64 = 10_000;

/// Of this process.
pub(super) fn limits(root: &Root) -> Limits {
    if !root.is_live() {
        return Limits::default();
    }
    Limits {
        cpu_millicores: cpu_rate()
            .map(|rate| rate * u64::from(processor_count()) * 1000 / WHOLE_RATE),
        memory: job_memory(),
        ..Limits::default()
    }
}

/// What this process can still commit: available memory, what the system may still promise, or the room of a job where that is
/// less.
pub fn memory_room(root: &Root) -> Option<Bytes> {
    let [_, available, commit] = memory().filter(|_| root.is_live())?;
    let job = job_memory().map(|memory| memory.room());
    let machine = [Bytes(available), Bytes(commit)];
    machine.into_iter().chain(job).min()
}

/// The share of all processors that may not be exceeded, in hundredths of a percent.
fn cpu_rate() -> Option<u64> {
    type Rate = JOBOBJECT_CPU_RATE_CONTROL_INFORMATION;
    let answer = job::<Rate>(JobObjectCpuRateControlInformation)?;
    let flags = answer.u32(offset_of!(Rate, ControlFlags))?;
    let has = |flag: u32| flags & flag != 0;
    let at = offset_of!(Rate, Anonymous);
    if !has(JOB_OBJECT_CPU_RATE_CONTROL_ENABLE) {
        None
    } else if has(JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE) {
        answer.u16(at + 2).map(u64::from) // the maximum is behind the minimum
    } else if has(JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP) {
        answer.u32(at).map(u64::from)
    } else {
        None // a weight, which binds only under contention
    }
}

/// The limit with the least room. Of what all processes of the job use, the system reports only the most that it was.
fn job_memory() -> Option<MemoryLimit> {
    type All = JOBOBJECT_EXTENDED_LIMIT_INFORMATION;
    let answer = job::<All>(JobObjectExtendedLimitInformation)?;
    let at = offset_of!(All, BasicLimitInformation)
        + offset_of!(JOBOBJECT_BASIC_LIMIT_INFORMATION, LimitFlags);
    let flags = answer.u32(at)?;
    let limit = |flag: u32, at: usize, used: u64| {
        let limit = answer.u64(at).filter(|_| flags & flag != 0)?;
        Some(MemoryLimit {
            group: "job object".into(),
            limit: Bytes(limit),
            used: Bytes(used),
        })
    };
    let peak = answer.u64(offset_of!(All, PeakJobMemoryUsed))?;
    let of_job = limit(
        JOB_OBJECT_LIMIT_JOB_MEMORY,
        offset_of!(All, JobMemoryLimit),
        peak,
    );
    let of_process = limit(
        JOB_OBJECT_LIMIT_PROCESS_MEMORY,
        offset_of!(All, ProcessMemoryLimit),
        own_memory()?,
    );
    let both = of_job.into_iter().chain(of_process);
    both.min_by_key(MemoryLimit::room)
}
