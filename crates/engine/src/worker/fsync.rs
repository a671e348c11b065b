//! The fsync and fdatasync calls of one thread: after every so many writes, when nothing of it is in flight, and after its last write.
//!
//! A call covers all writes before it, because it begins when they are complete. It blocks the thread, so its time is no
//! other I/O's latency. Omitted: the targets' own way to be durable (`write_through`), which is the descriptor's.

use crate::RunError;
use crate::clock::Clock;
use crate::target::OpenTarget;
use crate::thread_plan::ThreadPlan;
use model::{Fsync, LatencyHistogram, Nanos, Plan, SyncCount};
use std::fs::File;

/// Calls on all targets of a thread.
pub(crate) struct Syncs {
    seats: Box<[Seat]>,
    due: bool,
    ended: bool,
}

struct Seat {
    target: u32,
    fsync: Fsync,
    file: File,
    writes: u32, // since the last call
    failed: u64,
    at_end: Nanos,
    latency: LatencyHistogram,
}

/// A call that failed.
pub(super) struct Failed {
    pub(super) target: u32,
    pub(super) error: std::io::Error,
}

impl Syncs {
    /// None where no target asks for any.
    pub(crate) fn new(
        plan: &Plan,
        place: &ThreadPlan,
        files: &[OpenTarget],
    ) -> Result<Option<Box<Syncs>>, RunError> {
        let fsync = |target: u32| plan.targets[target as usize].fsync;
        if place.seats.iter().all(|seat| fsync(seat.target).is_never()) {
            return Ok(None);
        }
        let mut seats = Vec::with_capacity(files.len());
        for (seat, file) in place.seats.iter().zip(files) {
            let target = seat.target;
            let source = |source| RunError::Thread {
                number: place.thread,
                source,
            };
            if let Some(file) = file.another().map_err(source)? {
                seats.push(Seat {
                    target,
                    fsync: fsync(target),
                    file,
                    writes: 0,
                    failed: 0,
                    at_end: Nanos(0),
                    latency: LatencyHistogram::new(),
                });
            }
        }
        Ok(Some(Box::new(Syncs {
            seats: seats.into(),
            due: false,
            ended: false,
        })))
    }

    /// Counts a write that is submitted.
    #[inline]
    pub(super) fn wrote(&mut self, seat: usize) {
        let seat = &mut self.seats[seat];
        seat.writes += 1;
        self.due |= seat.writes == seat.fsync.every;
    }

    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// Makes the calls that are due. Nothing of the thread is in flight.
    pub(super) fn call_due(&mut self, clock: &impl Clock) -> Result<Nanos, Failed> {
        self.due = false;
        let mut now = clock.now();
        for seat in &mut self.seats {
            if seat.fsync.every > 0 && seat.writes >= seat.fsync.every {
                let from = clock.now();
                seat.call(seat.fsync.data_only)?;
                now = clock.now();
                seat.latency.record(now.minus(from));
            }
        }
        Ok(now)
    }

    /// Makes the calls at the end, once.
    pub(super) fn call_at_end(&mut self, clock: &impl Clock) -> Result<Nanos, Failed> {
        let mut now = clock.now();
        if !std::mem::replace(&mut self.ended, true) {
            for seat in self.seats.iter_mut().filter(|seat| seat.fsync.at_end) {
                let from = clock.now();
                seat.call(false)?;
                now = clock.now();
                seat.at_end = now.minus(from);
            }
        }
        Ok(now)
    }

    pub(super) fn into_counts(self) -> Vec<SyncCount> {
        let seats = self.seats.into_iter();
        let used = seats.filter(|seat| !seat.fsync.is_never());
        used.map(|seat| SyncCount {
            target: seat.target,
            failed: seat.failed,
            at_end: seat.at_end,
            latency: seat.latency,
        })
        .collect()
    }
}

impl Seat {
    fn call(&mut self, data_only: bool) -> Result<(), Failed> {
        self.writes = 0;
        let outcome = match data_only {
            true => self.file.sync_data(),
            false => self.file.sync_all(),
        };
        outcome.map_err(|error| {
            self.failed += 1;
            Failed {
                target: self.target,
                error,
            }
        })
    }
}
