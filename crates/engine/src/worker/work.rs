//! Everything that one thread works with, created before the start.
//!
//! Omitted: what is done with it, which is in the other files of the worker.

use super::calls::{CHECK_EVERY, Calls, FailedCall};
use super::fsync::{Failed, Syncs};
use super::passes::Passes;
use crate::RunError;
use crate::backend::Completion;
use crate::bound::Moved;
use crate::buffer::Buffers;
use crate::clock::Clock;
use crate::completion_rate::Pace;
use crate::io_log::ThreadIoLog;
use crate::loop_profile::LoopProfile;
use crate::observer::{Counted, Live};
use crate::open_loop::Open;
use crate::pacer::Pacer;
use crate::ring::Ring;
use crate::rng::Jenkins;
use crate::schedule::Schedule;
use crate::tally::BatchTime;
use crate::target_state::{Draw, Shared, TargetState};
use crate::thread_plan::ThreadPlan;
use crate::verify::ThreadVerify;
use model::trace::TraceOperation;
use model::{Bytes, Failure, Nanos, OnError, Operation, ThreadCpu};
use std::sync::Arc;

/// From one telling of onlookers to the next: far less than they can see, far more than a turn of a fast loop.
const TELL_EVERY: Nanos = Nanos::millis(1);
/// The same for percentiles, which read all buckets: some microseconds in 200 ms.
const TELL_P99_EVERY: Nanos = Nanos::millis(200);

/// Everything that one thread works with, owned by the thread alone.
pub(crate) struct Work<C> {
    pub(crate) clock: C,
    pub(super) config: Config,
    pub(super) rng: Jenkins, // DISKSPD's generator, one for all targets of the thread
    pub(super) draw: Draw,
    pub(super) lanes: Box<[TargetState]>, // by seat
    pub(crate) buffers: Buffers,
    pub(super) open: Option<Open>, // where a rate is asked
    pub(super) slots: Slots,
    pub(super) pace: Pace,
    pub(crate) side: SideWork,
    pub(crate) account: Accounting,
    pub(super) shown: Shown,
}

/// What a thread does apart from its I/Os, each where it is requested.
pub(crate) struct SideWork {
    /// Where what is read is compared with what was written.
    pub(super) verify: Option<Box<ThreadVerify>>,
    /// Where what is issued is recorded.
    pub(super) io_log: Option<Box<ThreadIoLog>>,
    /// Where a target asks for fsync; its owner sets it.
    pub(crate) syncs: Option<Box<Syncs>>,
    /// Where a trace has flushes or discards; its owner sets it.
    pub(crate) calls: Option<Box<Calls>>,
    /// Where the page cache is dropped again and again; its owner sets it.
    pub(crate) passes: Option<Box<Passes>>,
}

/// What stays as it is.
pub(super) struct Config {
    pub(super) schedule: Arc<Schedule>,
    pub(super) thread: u32,
    pub(super) threads: u32, // that have to be done before the run is
    pub(super) interval_ns: u64,
    pub(super) on_error: OnError,
    /// How many are submitted together, where that is specified.
    pub(super) batch: Option<u32>,
}

/// Which slots are free, and what is in the others.
pub(super) struct Slots {
    pub(super) flights: Box<[Flight]>,  // by slot
    pub(super) lines: Box<[u16]>,       // of mixed workloads, by slot
    pub(super) free: Ring,              // not in flight
    pub(super) landed: Vec<Completion>, // capacity the slots
    pub(super) refused: Vec<u32>,       // given back undone; likewise
    pub(super) again_at: Box<[Nanos]>,  // by slot: the stamp of what was last submitted again
}

/// What the thread did, other than the counts of each target.
pub(crate) struct Accounting {
    pub(super) found: BatchTime, // the last batch
    pub(super) book: LoopProfile,
    pub(super) again: u64,             // I/Os submitted again
    pub(crate) opened: Option<Nanos>,  // how long it took to open the targets; its owner sets it
    pub(crate) cpu: Option<ThreadCpu>, // used in the turns; its owner sets it
    pub(crate) delayed: Option<Nanos>, // ready in the turns, without a processor; likewise
    pub(super) failure: Option<Failure>,
}

/// What onlookers are shown, and when next.
pub(super) struct Shown {
    live: Arc<Live>,
    pub(super) at: Nanos,
    p99_at: Nanos,
    snapshot: u64, // number of the last one
}

/// One slot's I/O.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    pub(super) issued: Nanos,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) operation: Operation,
    pub(super) seat: u16,
}

impl SideWork {
    /// Returns whether calls that make writes durable are due.
    #[inline]
    pub(super) fn is_sync_due(&self) -> bool {
        self.syncs.as_ref().is_some_and(|syncs| syncs.is_due())
    }
}

impl<C: Clock> Work<C> {
    /// Allocates everything that the thread will need.
    pub(crate) fn new(
        shared: &Shared,
        place: &ThreadPlan,
        clock: C,
        live: Arc<Live>,
    ) -> Result<Self, RunError> {
        let plan = &shared.plan;
        let mut rng = Jenkins::new(plan.seed.wrapping_add(u64::from(place.thread)));
        let lanes: Box<[TargetState]> = place
            .seats
            .iter()
            .map(|seat| TargetState::new(shared, place.thread, seat, &mut rng))
            .collect();
        Ok(Work {
            clock,
            config: Config {
                schedule: Arc::clone(&shared.schedule),
                thread: place.thread,
                batch: plan.queueing.submit.map(|batch| batch.ios(place.slots)),
                threads: if plan.end_with_first {
                    1
                } else {
                    plan.threads()
                },
                interval_ns: plan.interval.0,
                on_error: plan.on_error,
            },
            rng,
            draw: Draw::new(plan, place),
            slots: Slots::new(place, lanes.iter().any(|lane| lane.mix.is_some())),
            lanes,
            buffers: Buffers::new(plan, place, &shared.sources, shared.run)?,
            open: Open::new(plan, place, shared.feed(place)?, shared.board_seat(place)),
            pace: Pace::new(),
            side: SideWork {
                verify: verify(shared, place),
                io_log: (shared.io_log.as_ref()).map(|log| ThreadIoLog::new(log, place)),
                syncs: None,
                calls: None,
                passes: None,
            },
            account: Accounting {
                found: BatchTime::NEVER,
                book: LoopProfile::new(),
                again: 0,
                opened: None,
                cpu: None,
                delayed: None,
                failure: None,
            },
            shown: Shown {
                live,
                at: Nanos(0),
                p99_at: Nanos(0),
                snapshot: 0,
            },
        })
    }

    /// The moment of the next I/O of an open loop, where it has not come.
    #[inline]
    pub(super) fn too_early(&self, now: Nanos) -> Option<Nanos> {
        let next = self.open.as_ref()?.next();
        (next > now).then_some(next)
    }

    /// Records what a slot has just got, where that is recorded.
    #[inline]
    pub(super) fn log(&self, slot: u32) {
        if let Some(log) = &self.side.io_log {
            let flight = &self.slots.flights[slot as usize];
            let operation = match flight.operation {
                Operation::Read => TraceOperation::Read,
                Operation::Write => TraceOperation::Write,
            };
            let range = [flight.offset, u64::from(flight.length)];
            log.issued(flight.seat, flight.issued, operation, range);
        }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.slots.flights.len() - self.slots.free.len()
    }

    /// Whether all that is in flight waits for writes of the same places.
    pub(super) fn only_defers(&self) -> bool {
        self.side.verify.as_ref().is_some_and(|verify| {
            let deferred = verify.deferred.len();
            deferred > 0 && deferred == self.in_flight()
        })
    }

    /// Whether anything is in flight.
    pub(crate) fn is_waiting(&self) -> bool {
        self.in_flight() > 0
    }

    /// Whether all slots go to one target at no pace and in one size, so that the loop need not ask for each.
    pub(super) fn is_plain(&self) -> bool {
        let plain = |lane: &TargetState| {
            lane.mix.is_none()
                && lane.zones.is_none()
                && lane.is_endless()
                && matches!(lane.pacer, Pacer::Free)
        };
        let recorded = self.open.as_ref().is_some_and(Open::is_recorded);
        self.config.batch.is_none()
            && self.side.syncs.is_none()
            && self.side.verify.is_none()
            && self.side.passes.is_none()
            && self.side.io_log.is_none()
            && !recorded
            && matches!(&*self.lanes, [lane] if plain(lane))
    }

    /// Whether calls are due, and nothing is in flight that they would have to wait for.
    pub(super) fn is_sync_due(&self) -> bool {
        self.side.is_sync_due() && self.in_flight() == 0
    }

    /// Makes fsync calls. Returns when they were done. One that fails is a failed write.
    #[cold]
    pub(super) fn sync(
        &mut self,
        now: Nanos,
        calls: impl FnOnce(&mut Syncs, &C) -> Result<Nanos, Failed>,
    ) -> Nanos {
        let Some(syncs) = &mut self.side.syncs else {
            return now;
        };
        let called = calls(syncs, &self.clock);
        let (verify, io_log) = (&self.side.verify, &self.side.io_log);
        syncs.report(|seat, call| {
            if let Some(verify) = verify {
                verify.flushed(seat, call.succeeded);
            }
            if let Some(log) = io_log {
                log.issued(seat as u16, call.from, TraceOperation::Flush, [0, 0]);
            }
        });
        let failed = match called {
            Ok(later) => return later.max(now),
            Err(failed) => failed,
        };
        if self.config.on_error == OnError::Stop && self.account.failure.is_none() {
            self.config.schedule.halt(now);
            self.account.failure = Some(Failure {
                operation: Operation::Write,
                target: failed.target,
                offset: Bytes(0),
                length: Bytes(0),
                errno: failed.error.raw_os_error().unwrap_or_default(),
                message: format!("fsync: {}", model::errno_text(&failed.error)),
            });
        }
        self.clock.now()
    }

    /// The same where calls are due, of a thread that takes turns with others.
    pub(crate) fn sync_if_due(&mut self, now: Nanos) {
        if self.is_sync_due() {
            self.sync(now, Syncs::call_due);
        }
    }

    /// Makes the call that is next in a trace; false if an I/O with data is.
    pub(super) fn make_call(&mut self, now: Nanos) -> bool {
        let (Some(open), Some(calls)) = (&mut self.open, &mut self.side.calls) else {
            return false;
        };
        let Some(io) = open.call() else {
            return false;
        };
        let number = open.take_call(now);
        if let Some(log) = &self.side.io_log {
            log.issued(0, now, io.operation, [io.offset, io.length]);
        }
        if calls.make(number, io) {
            open.called(number, now);
        }
        true
    }

    /// Takes the answers of calls. One that failed is a failed write.
    pub(super) fn take_answers(&mut self, now: Nanos) {
        while let Some((number, failed)) = self.side.calls.as_mut().and_then(|calls| calls.answer())
        {
            if let Some(open) = &mut self.open {
                open.called(number, now);
            }
            if let Some(failed) = failed {
                self.fail_call(&failed, now);
            }
        }
    }

    #[cold]
    fn fail_call(&mut self, FailedCall { io, error }: &FailedCall, now: Nanos) {
        if self.config.on_error == OnError::Stop && self.account.failure.is_none() {
            self.config.schedule.halt(now);
            let text = model::errno_text(error);
            self.account.failure = Some(Failure {
                operation: Operation::Write,
                target: self.lanes[0].target,
                offset: Bytes(io.offset),
                length: Bytes(io.length),
                errno: error.raw_os_error().unwrap_or_default(),
                message: format!("{}: {text}", io.operation.name()),
            });
        }
    }

    /// When a turn ends at the latest, where calls have no answer or I/Os of a trace wait for other threads.
    #[inline]
    pub(super) fn next_check(&self, issued_at: Nanos) -> Nanos {
        let waits = self
            .side
            .calls
            .as_ref()
            .is_some_and(|calls| calls.is_waiting())
            || self.open.as_ref().is_some_and(Open::waits_for_others);
        match waits {
            true if C::SLACK == Nanos(0) => issued_at, // in simulated time its turn comes when there is something
            true => issued_at.plus(CHECK_EVERY),
            false => Nanos::MAX,
        }
    }

    /// Whether the I/Os of its trace wait for one another.
    pub(crate) fn is_dependent(&self) -> bool {
        self.open.as_ref().is_some_and(Open::is_dependent)
    }

    /// Whether other threads did what I/Os of its trace wait for.
    pub(crate) fn is_called(&self) -> bool {
        self.open.as_ref().is_some_and(Open::is_called)
    }

    /// Whether it has done all that it was to do.
    pub(super) fn is_spent(&self, now: Nanos) -> bool {
        let spent = || self.lanes.iter().all(|lane| lane.is_spent(now));
        let calls = self
            .side
            .calls
            .as_ref()
            .is_some_and(|calls| calls.is_waiting());
        self.in_flight() == 0 && !calls && (spent() || self.has_ended())
    }

    /// Behind a deadline after which all threads do as much as the one that did most: waits for the others, once, and returns
    /// whether there is more to do.
    #[cold]
    pub(super) fn goes_on(&mut self, now: Nanos) -> bool {
        let schedule = Arc::clone(&self.config.schedule);
        let (Some(level), [lane]) = (schedule.level(), &mut *self.lanes) else {
            return false;
        };
        let Some(amount) = lane.wears_out.take() else {
            return false;
        };
        let (clock, done) = (&self.clock, amount - lane.left);
        let goal = level.wait(done, now, || schedule.is_over(clock.now()));
        lane.go_on_to(goal.unwrap_or(0), done);
        lane.left > 0
    }

    /// Whether all I/Os of its trace were issued.
    pub(super) fn has_ended(&self) -> bool {
        self.open.as_ref().is_some_and(Open::has_ended)
    }

    /// Reports what was completed and transferred so far, in all phases.
    #[cold]
    pub(super) fn tell(&mut self, now: Nanos) {
        let (ios, bytes) = self.lanes.iter().fold((0, 0), |(ios, bytes), lane| {
            let (its_ios, its_bytes) = lane.tally.so_far();
            (ios + its_ios, bytes + its_bytes)
        });
        self.shown.live.publish(ios, bytes);
        self.compare_with_bounds(now);
        let requested = self.shown.live.requested();
        if requested > self.shown.snapshot {
            self.answer(now, requested);
        }
        if now >= self.shown.p99_at {
            let slowest = self.lanes.iter().filter_map(|lane| lane.tally.p99()).max();
            self.shown.live.publish_p99(slowest);
            let known = slowest.is_some();
            self.shown.p99_at = now.plus(if known { TELL_P99_EVERY } else { TELL_EVERY });
        }
        let edge = self
            .open
            .as_mut()
            .map(|open| open.look(now, &self.config.schedule));
        self.shown.at = now.plus(TELL_EVERY).min(edge.unwrap_or(Nanos::MAX));
    }
}

impl<C: Clock> Work<C> {
    /// Ends the run where a target has to reach something and does not.
    fn compare_with_bounds(&mut self, now: Nanos) {
        let from = self.config.schedule.measured_from();
        if now < from || self.account.failure.is_some() {
            return;
        }
        // A thread that takes its targets in turn has one rate over all of them.
        let sum = matches!(self.draw, Draw::InTurn { .. }).then(|| {
            let moved = self.lanes.iter().map(TargetState::moved);
            moved.fold(Moved::default(), Moved::and)
        });
        let lanes = self.lanes.iter_mut();
        let found = lanes
            .filter(|lane| lane.bound.is_some() && lane.active.start <= now)
            .filter(|lane| !lane.is_spent(now))
            .find_map(|lane| {
                let moved = sum.unwrap_or_else(|| lane.moved());
                Some((lane.target, lane.unmet(now, from, moved)?))
            });
        if let Some((target, unmet)) = found {
            self.config.schedule.halt(now);
            self.account.failure = Some(Failure {
                operation: Operation::Read,
                target,
                offset: Bytes(0),
                length: Bytes(0),
                errno: unmet.errno,
                message: unmet.message,
            });
        }
    }

    /// Gives the last answer, where there are requests: the thread has ended.
    pub(super) fn answer_last(&mut self, now: Nanos) {
        if self.shown.live.requested() > 0 {
            self.answer(now, Counted::LAST);
        }
    }

    /// Answers a request for a snapshot: the only copy of the counts while the thread works.
    #[cold]
    fn answer(&mut self, now: Nanos, number: u64) {
        self.shown.snapshot = number;
        let measured = now.minus(self.config.schedule.measured_from());
        let lanes = self.lanes.iter();
        self.shown.live.answer(Counted {
            number,
            at: now,
            threads: lanes
                .map(|lane| {
                    let thread = self.config.thread;
                    lane.tally.snapshot(thread, lane.target, measured)
                })
                .collect(),
            syncs: self
                .side
                .syncs
                .as_ref()
                .map_or_else(Vec::new, |syncs| syncs.counts()),
        });
    }
}

impl Slots {
    /// All of them free; `mixed` where a target has several lines.
    fn new(place: &ThreadPlan, mixed: bool) -> Self {
        let slots = place.slots as usize;
        Slots {
            flights: (0..place.slots).map(|slot| idle(place, slot)).collect(),
            lines: vec![0; if mixed { slots } else { 0 }].into(),
            free: Ring::full(place.slots),
            landed: Vec::with_capacity(slots),
            refused: Vec::with_capacity(slots),
            again_at: vec![Nanos::MAX; slots].into(),
        }
    }
}

/// What the thread compares with.
fn verify(shared: &Shared, place: &ThreadPlan) -> Option<Box<ThreadVerify>> {
    let verifier = shared.verifier.as_ref()?;
    let targets = place
        .seats
        .iter()
        .map(|seat| &shared.plan.targets[seat.target as usize]);
    let largest = targets.map(|target| target.workload.block.0).max()?;
    Some(Box::new(ThreadVerify::new(
        verifier,
        shared.journal.as_ref(),
        place,
        largest,
    )))
}

/// A slot before its first I/O, at the target that it is bound to.
fn idle(place: &ThreadPlan, slot: u32) -> Flight {
    let mut seats = place.seats.iter();
    let bound = seats.rposition(|seat| seat.first_slot <= slot && !place.draws);
    Flight {
        issued: Nanos(0),
        offset: 0,
        length: 0,
        operation: Operation::Read,
        seat: bound.unwrap_or(0) as u16,
    }
}
