//! The backends: what moves bytes. One file and one row in the table of the system (`BACKENDS`) each; here are those of all
//! systems.
//!
//! A backend has no policy: it receives operations with their memory, and returns their results. It is created
//! on the thread that uses it. Everything that allocates happens in `open_loop`.

mod memory;
mod mmap;
mod null;
mod simulated;

pub(crate) use mmap::Mmap;
pub(crate) use null::Null;
pub(crate) use simulated::Simulated;

use crate::RunError;
use crate::buffer::Buffers;
use crate::clock::Clock;
use gate::Descriptor;
use model::{Nanos, Operation, PlannedTarget, Polling, Queueing};
use std::ptr::NonNull;

/// The name of an I/O in flight: its place in the thread's fixed set. // in [0, depth)
pub(crate) type Slot = u32;

/// The largest time after which `reap` comes back without a completion, so that a stop is heard.
pub(crate) const REAP_AT_MOST: Nanos = Nanos::millis(100);

/// One I/O to be done. The memory stays untouched by us until its completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Io {
    pub(crate) operation: Operation,
    /// From the start of the target.
    pub(crate) offset: u64,
    pub(crate) memory: NonNull<u8>,
    pub(crate) length: u32,
    /// Which registered piece of memory: 0 is the thread's own.
    #[allow(dead_code, reason = "only rings register memory")]
    pub(crate) area: u16,
    /// Which of the thread's targets.
    pub(crate) seat: u16,
    pub(crate) slot: Slot,
    /// When the worker stamped it.
    pub(crate) issued: Nanos,
}

/// The result of one I/O: bytes transferred, or a negated error number, as the system gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) slot: Slot,
    pub(crate) result: i32,
}

/// An open target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetFd {
    /// None for the null backend's.
    pub(crate) descriptor: Descriptor,
}

/// What a backend is opened with.
pub(crate) struct Setup<'a> {
    /// The thread's targets, in the order of its seats, open and as planned.
    pub(crate) aims: &'a [TargetFd],
    pub(crate) targets: Vec<&'a PlannedTarget>,
    /// Most I/Os in flight over all of them.
    pub(crate) depth: u32,
    #[allow(dead_code, reason = "only rings register memory")]
    pub(crate) buffers: &'a Buffers,
    /// What is polled instead of waited for.
    #[allow(dead_code, reason = "only backends of Linux poll")]
    pub(crate) polling: Polling,
    /// How I/Os reach the queue and leave it.
    pub(crate) queueing: Queueing,
}

impl Setup<'_> {
    /// Returns how many completions are taken at once.
    pub(crate) fn completions_max(&self) -> usize {
        self.queueing.completions_max.unwrap_or(u32::MAX).max(1) as usize
    }
}

/// What a backend used of the kernel's offers, and what a person should know about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    pub(crate) features: Vec<&'static str>,
    pub(crate) notes: Vec<String>,
}

impl Used {
    /// What another thread used; what both used is listed once.
    pub(crate) fn join(&mut self, other: Used) {
        let new = |feature: &&str| !self.features.contains(feature);
        let features: Vec<&str> = other.features.into_iter().filter(new).collect();
        self.features.extend(features);
        let new = |note: &String| !self.notes.contains(note);
        let notes: Vec<String> = other.notes.into_iter().filter(new).collect();
        self.notes.extend(notes);
    }
}

/// Moves bytes.
pub(crate) trait Backend {
    /// Whether an I/O is done the moment it is submitted, so that no second one may be stamped before.
    const ONE_AT_A_TIME: bool = false;

    /// Whether its targets are opened for outstanding I/Os, which Windows decides when a file is opened.
    const OVERLAPPED: bool = false;

    /// What it used of the kernel's offers.
    fn used(&self) -> Used;

    /// Takes one I/O. Never blocks on the device, never allocates. At most `depth` are in flight.
    fn push(&mut self, io: Io) -> Result<(), RunError>;

    /// Takes one that failed with `EAGAIN`, so that its next submission waits for room and does not fail
    /// again; `false` where there is no such way.
    fn push_waiting(&mut self, _io: Io) -> Result<bool, RunError> {
        Ok(false)
    }

    /// Submits what was pushed, without waiting; `reap` does so anyway.
    fn hand_over(&mut self) -> Result<(), RunError>;

    /// Submits what was pushed and waits for at least one completion, or until `until`, or for at most about
    /// [`REAP_AT_MOST`]; then takes all that is there. `until` is `MAX` where nothing else is waited for. `landed` is
    /// empty before, and has room for `depth`. The clock is for backends that wait by themselves.
    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError>;
}
