//! The checked form of a request: the engine takes nothing else.

use super::arrivals::Arrivals;
use super::bounds::{Bounds, StridedZones};
use super::effective::Effective;
use super::placement::Placement;
use super::profile::{OnError, Phases, Polling, Pool, Queueing};
use super::target::{
    Active, Allocation, CacheMode, EngineChoice, Flush, Fsync, Hint, Location, Pacing, Priority,
    WriteContent,
};
use super::verify::Verify;
use super::workload::{Access, Workload};
use crate::block_header::BLOCK;
use crate::record::{Namespace, PhaseTimes};
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// One timespan that can be run: every field is filled, in range, and fits the machine it was checked on.
///
/// Created by [`crate::check()`]; read back from the store as history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// How long each phase lasts.
    pub phases: Phases,
    /// Length of one step of the time series.
    pub interval: Nanos,
    /// Same seed, same offsets and operations.
    pub seed: u64,
    /// Which backend was asked for.
    pub engine: EngineChoice,
    /// What is polled instead of waited for.
    #[serde(default)]
    pub polling: Polling,
    /// How I/Os reach the queue and leave it.
    #[serde(default, skip_serializing_if = "Queueing::is_default")]
    pub queueing: Queueing,
    /// What a failed I/O means for the run.
    pub on_error: OnError,
    /// What is measured. // at least one
    pub targets: Vec<PlannedTarget>,
    /// Threads that share all targets, instead of threads for each.
    #[serde(default)]
    pub pool: Option<Pool>,
    /// On which cores the threads run.
    #[serde(default)]
    pub placement: Placement,
    /// When I/Os are to start; without it, as soon as a slot is free.
    #[serde(default)]
    pub arrivals: Option<Arrivals>,
    /// The first thread that has done its amount ends the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_with_first: bool,
    pub(crate) checked: Checked,
}

/// A target whose range, alignment and right to be written are settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTarget {
    /// Where the bytes are.
    pub location: Location,
    /// First byte of the range.
    pub base: Bytes,
    /// Length of the range. // a whole number of blocks; for a DISKSPD walk, anything of at least one block
    pub length: Bytes,
    /// Make or complete the file at this size first; `None` uses what is there.
    pub create: Option<Bytes>,
    /// What of a file that is created is written before the run.
    #[serde(default, skip_serializing_if = "Allocation::is_written")]
    pub allocation: Allocation,
    /// Caches between the I/O and the device.
    pub cache: CacheMode,
    /// What the system's cache contained of the target was dropped before the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drop_cache: bool,
    /// Each thread drops the pages of its range again before it goes on behind so many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_cache_every: Option<Bytes>,
    /// Each write returns only when the data is on stable storage.
    pub write_through: bool,
    /// Calls that make what was written durable.
    #[serde(default, skip_serializing_if = "Fsync::is_never")]
    pub fsync: Fsync,
    /// Memory-mapped instead of read and written; when mapped writes are flushed.
    #[serde(default)]
    pub mapped: Option<Flush>,
    /// Which backend does its I/O, where it is not that of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineChoice>,
    /// What is written.
    #[serde(default)]
    pub content: WriteContent,
    /// How fast a thread may go.
    #[serde(default)]
    pub pacing: Pacing,
    /// What a thread has to reach.
    #[serde(default, skip_serializing_if = "Bounds::is_none")]
    pub bounds: Bounds,
    /// Zones of the range that are used one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zones: Option<StridedZones>,
    /// Which part of the time span its threads run.
    #[serde(default, skip_serializing_if = "Active::is_always")]
    pub active: Active,
    /// How urgent its I/Os are to the system's scheduler.
    #[serde(default)]
    pub priority: Priority,
    /// The hint to the system about the pattern.
    #[serde(default)]
    pub hint: Hint,
    /// I/O memory in huge pages.
    #[serde(default)]
    pub large_pages: bool,
    /// Share in a pool whose slots are not bound to targets. // above 0
    #[serde(default = "one")]
    pub weight: u32,
    /// Which threads of a pool use it, with their own weights (0: the target's); empty for all.
    #[serde(default)]
    pub pool_threads: Vec<(u32, u32)>,
    /// What is read is compared with what was written.
    #[serde(default, skip_serializing_if = "Verify::is_off")]
    pub verify: Verify,
    /// Opened so that no other process can mount or write it: devices that are written.
    pub exclusive: bool,
    /// Threads on this target, each with its own queue. // in [1, 1024]
    pub threads: u32,
    /// Each of them is done after so many bytes, and the run when all are; without it the time decides alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Bytes>,
    /// What each of them does.
    pub workload: Workload,
    /// Buffers and offsets are multiples of this. // a power of two, at least 512
    pub alignment: Bytes,
    /// Before anything is written, every block has to prove that fathom wrote it: a sample indicated it, and
    /// no confirmation was given.
    #[serde(default)]
    pub prove_ours: bool,
    /// The namespace to which commands are passed through, where the target is one.
    #[serde(default)]
    pub namespace: Option<Namespace>,
    /// Device and inode number at the time of the check; the engine refuses anything else under this name.
    pub identity: Option<(u64, u64)>,
}

/// The weight of a target on a thread of a pool; `None` where that thread does not use it.
pub(crate) fn weight_on(weight: u32, threads: &[(u32, u32)], thread: u32) -> Option<u32> {
    if threads.is_empty() {
        return Some(weight);
    }
    let (_, own) = threads.iter().find(|(number, _)| *number == thread)?;
    Some(if *own == 0 { weight } else { *own })
}

fn one() -> u32 {
    1
}

/// Only this crate can construct it, so only `check` can make a `Plan`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checked;

impl PlannedTarget {
    /// Where a DISKSPD walk's random offsets fall; `None` for other walks.
    pub fn effective(&self) -> Option<Effective> {
        let Access::Diskspd(access) = &self.workload.access else {
            return None;
        };
        let extent = access.extent(self.length, self.workload.block);
        Some(access.distribution.effective(&extent))
    }

    /// The weight of this target on a thread of a pool; `None` where that thread does not use it.
    pub fn weight_on(&self, thread: u32) -> Option<u32> {
        weight_on(self.weight, &self.pool_threads, thread)
    }

    /// Returns what a write map counts versions of: the block where each I/O is one, else the unit of block headers.
    pub fn grain(&self) -> Bytes {
        match self.workload.access {
            Access::Sequential
            | Access::Random
            | Access::Permuted(_)
            | Access::Skewed(_)
            | Access::Runs { .. } => self.workload.block,
            Access::Stripe(_) | Access::Diskspd(_) | Access::Mixed(_) | Access::Recorded(_) => {
                BLOCK
            }
        }
    }

    /// Returns whether its threads issue I/Os from the start to the end, as fast as they can.
    pub fn is_unhindered(&self) -> bool {
        let thinks = match &self.workload.access {
            Access::Recorded(recorded) => recorded.think.is_some_and(|think| think > Nanos(0)),
            _ => false,
        };
        self.pacing == Pacing::Free && self.active.is_always() && !thinks
    }

    /// Returns the part of the measured phase in which its threads ran, from the start of that phase.
    pub fn measured(&self, warmup: Nanos, phases: &PhaseTimes) -> Range<Nanos> {
        let from = self.active.after.max(phases.measured_from);
        let to = self.active.end(warmup).min(phases.measured_to).max(from);
        from.minus(phases.measured_from)..to.minus(phases.measured_from)
    }

    /// Whether it is opened for writing alone.
    pub fn writes_only(&self) -> bool {
        self.workload.write.as_percent() == 100 && self.verify.read_back.is_none()
    }

    /// What uses it, and what it is read from before the run: a namespace's block device.
    pub fn held_by(&self) -> Option<&Path> {
        match &self.namespace {
            Some(namespace) => Some(&namespace.block_device),
            None => self.location.path(),
        }
    }

    /// Whether any I/O of the workload, or the filling of the file, writes.
    pub fn writes(&self) -> bool {
        self.workload.write.as_percent() > 0
    }
}

impl Plan {
    /// Threads that work on one of its targets.
    pub fn threads_on(&self, target: &PlannedTarget) -> u32 {
        let Some(pool) = self.pool else {
            return target.threads;
        };
        let users = (0..pool.threads).filter(|&thread| target.weight_on(thread).is_some());
        users.count() as u32
    }

    /// Threads of all targets together, or of the pool.
    pub fn threads(&self) -> u32 {
        let each = || self.targets.iter().map(|target| target.threads).sum();
        self.pool.map_or_else(each, |pool| pool.threads)
    }

    /// Most I/Os that can be outstanding at once, over all threads.
    pub fn outstanding_max(&self) -> u64 {
        let depth = |t: &PlannedTarget| u64::from(t.workload.queue_depth.0);
        let Some(pool) = self.pool else {
            return self
                .targets
                .iter()
                .map(|t| u64::from(t.threads) * depth(t))
                .sum();
        };
        if let Some(outstanding) = pool.outstanding {
            let first = |thread: u32| {
                let mut targets = self.targets.iter();
                targets.find(|target| target.weight_on(thread).is_some())
            };
            let slots = |target: &PlannedTarget| pool.slots(target.workload.queue_depth.0);
            let each = (0..pool.threads).map(|thread| first(thread).map_or(outstanding, slots));
            return each.map(u64::from).sum();
        }
        let users = |t: &PlannedTarget| {
            (0..pool.threads)
                .filter(|&thread| t.weight_on(thread).is_some())
                .count()
        };
        self.targets
            .iter()
            .map(|t| users(t) as u64 * depth(t))
            .sum()
    }
}
