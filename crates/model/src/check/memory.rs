//! What the threads of a plan will allocate, before they do.
//!
//! Deliberately absent: what they then allocate (`engine`); both count the same things.

use super::problem::Problem;
use crate::plan::planned::{Plan, PlannedTarget};
use crate::plan::{Access, MixedAccess, WriteContent};
use crate::record::HostRecord;
use crate::units::Bytes;

/// What the threads allocate must fit next to the other load of the machine; half of what is free is the limit. A
/// control group is a hard limit: what exceeds it is killed.
pub(super) fn check(plan: &Plan, host: &HostRecord, problems: &mut Vec<Problem>) {
    let steps = u128::from(plan.phases.measured.0 / plan.interval.0.max(1)) + 1;
    let kinds = if plan.arrivals.is_some() { 2 } else { 1 }; // of latency
    let fixed = steps * SERIES_STEP + kinds * HISTOGRAMS;
    let needed: u128 = plan
        .targets
        .iter()
        .map(|target| {
            let threads = u128::from(plan.threads_on(target));
            let shared = match target.content {
                WriteContent::Source { bytes, .. } => u128::from(bytes.0),
                _ => 0,
            };
            threads * (buffers_of_thread(plan, target) + fixed) + shared
        })
        .sum();
    let allowed = host.ram_available.0 / 2;
    let needed = Bytes(u64::try_from(needed).unwrap_or(u64::MAX));
    let own = THREAD.saturating_mul(u64::from(plan.threads()));
    let with_own = Bytes(needed.0.saturating_add(own).saturating_add(PROCESS));
    if let Some(group) = &host.limits.memory
        && with_own > group.room()
    {
        problems.push(Problem::GroupMemory {
            needed: with_own.about(),
            limit: group.limit,
            used: group.used.about(),
            group: group.group.clone(),
        });
        return;
    }
    if host.ram_available.0 > 0 && needed.0 > allowed {
        problems.push(Problem::Memory {
            needed: needed.about(),
            available: host.ram_available,
        });
    }
}

/// What one thread maps for a target: a slot for each I/O that it may have outstanding there, once for reads and
/// once, or more often, for writes.
fn buffers_of_thread(plan: &Plan, target: &PlannedTarget) -> u128 {
    let own = target.workload.queue_depth.0;
    let slots = plan.pool.map_or(own, |pool| pool.slots(own));
    let buffers = u128::from(slots) * u128::from(target.workload.block.0);
    let write = target.workload.write.as_percent();
    let reads = if write < 100 { buffers } else { 0 };
    let writes = match target.content {
        _ if write == 0 => 0,
        WriteContent::Source { .. } => 0,
        WriteContent::Marked | WriteContent::Shaped { .. } => {
            buffers.max(match target.unsealed() {
                Some(_) => WRITE_POOL,
                None => WRITE_POOL_BLOCKS,
            })
        }
        _ => buffers,
    };
    let visited = match &target.workload.access {
        Access::Mixed(mixed) if mixed.once => places(target, mixed) / 63 * 8,
        _ => 0,
    };
    reads + writes + visited
}

/// How many places a mix visits once a pass, each of which is a bit.
fn places(target: &PlannedTarget, mixed: &MixedAccess) -> u128 {
    let align = mixed.lines.first().map_or(512, |line| line.align.0.max(1));
    u128::from(target.length.0 / align)
}

/// What a thread and the process need in addition: rings, stacks, and what is computed and stored after the run.
const THREAD: u64 = 256 << 10;
const PROCESS: u64 = 16 << 20;
/// Least write data of a thread; see `engine`'s buffers.
const WRITE_POOL: u128 = 4 << 20;
/// The same of blocks with headers.
const WRITE_POOL_BLOCKS: u128 = 1 << 20;
/// A step of the time series, for reads and writes.
const SERIES_STEP: u128 = 2 * 32;
/// A thread's two histograms.
const HISTOGRAMS: u128 = 2 * 72 * 1024;
