//! The fsync and fdatasync calls of one thread: after every so many writes, when nothing of it is in flight, and after its last write.
//!
//! A call covers all writes before it, because it begins when they are complete. It blocks the thread, so its time is no
//! other I/O's latency. Omitted: the targets' own way to be durable (`write_through`), which is the descriptor's.

use crate::RunError;
use crate::clock::Clock;
use crate::simulated::SharedStore;
use crate::target::OpenTarget;
use crate::thread_plan::{TargetShare, ThreadPlan};
use model::{Fsync, LatencyHistogram, Nanos, Plan, SyncCount};
use std::fs::File;
use std::sync::PoisonError;

/// Calls on all targets of a thread.
pub(crate) struct Syncs {
    seats: Box<[Seat]>,
    due: bool,
    ended: bool,
}

struct Seat {
    number: usize, // among the thread's
    target: u32,
    fsync: Fsync,
    by: Flusher,
    made: Option<Made>, // the last call, until it is reported
    writes: u32,        // since the last call
    failed: u64,
    at_end: Nanos,
    latency: LatencyHistogram,
}

/// What makes the writes of a target durable.
pub(crate) enum Flusher {
    File(File),
    Simulated(SharedStore),
}

/// A call that returned.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) from: Nanos,
    pub(super) succeeded: bool,
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
        let fsync = |seat: &TargetShare| plan.targets[seat.target as usize].fsync;
        if place.seats.iter().all(|seat| fsync(seat).is_never()) {
            return Ok(None);
        }
        let source = |source| RunError::Thread {
            number: place.thread,
            source,
        };
        let files = files.iter().map(OpenTarget::another);
        let files = files.collect::<Result<Vec<_>, _>>().map_err(source)?;
        let by = files.into_iter().map(|file| file.map(Flusher::File));
        Ok(Some(Syncs::of(plan, place, by)))
    }

    /// The same of simulated devices with data; others have nothing to flush.
    pub(crate) fn simulated(
        plan: &Plan,
        place: &ThreadPlan,
        stores: &[Option<SharedStore>],
    ) -> Option<Box<Syncs>> {
        let store = |seat: &TargetShare| stores[seat.target as usize].clone();
        let by = place
            .seats
            .iter()
            .map(|seat| store(seat).map(Flusher::Simulated));
        let syncs = Syncs::of(plan, place, by);
        let never = syncs.seats.iter().all(|seat| seat.fsync.is_never());
        (!never).then_some(syncs)
    }

    fn of(
        plan: &Plan,
        place: &ThreadPlan,
        by: impl Iterator<Item = Option<Flusher>>,
    ) -> Box<Syncs> {
        let seats = place.seats.iter().zip(by).enumerate();
        let seats = seats.filter_map(|(number, (seat, by))| {
            Some(Seat {
                number,
                target: seat.target,
                fsync: plan.targets[seat.target as usize].fsync,
                by: by?,
                made: None,
                writes: 0,
                failed: 0,
                at_end: Nanos(0),
                latency: LatencyHistogram::new(),
            })
        });
        Box::new(Syncs {
            seats: seats.collect(),
            due: false,
            ended: false,
        })
    }

    /// Reports the calls of the seats that returned since the last report.
    pub(super) fn report(&mut self, mut to: impl FnMut(usize, Made)) {
        for seat in &mut self.seats {
            if let Some(made) = seat.made.take() {
                to(seat.number, made);
            }
        }
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
                seat.call(from, seat.fsync.data_only)?;
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
                seat.call(from, false)?;
                now = clock.now();
                seat.at_end = now.minus(from);
            }
        }
        Ok(now)
    }

    /// A copy of what was counted so far.
    pub(super) fn counts(&self) -> Vec<SyncCount> {
        let used = self.seats.iter().filter(|seat| !seat.fsync.is_never());
        used.map(|seat| SyncCount {
            target: seat.target,
            failed: seat.failed,
            at_end: seat.at_end,
            latency: seat.latency.clone(),
        })
        .collect()
    }
}

impl Seat {
    fn call(&mut self, from: Nanos, data_only: bool) -> Result<(), Failed> {
        self.writes = 0;
        let outcome = match &self.by {
            Flusher::File(file) if data_only => file.sync_data(),
            Flusher::File(file) => file.sync_all(),
            Flusher::Simulated(store) => {
                let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
                store.flush();
                Ok(())
            }
        };
        self.made = Some(Made {
            from,
            succeeded: outcome.is_ok(),
        });
        outcome.map_err(|error| {
            self.failed += 1;
            Failed {
                target: self.target,
                error,
            }
        })
    }
}
