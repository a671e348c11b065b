//! What a thread does to each of its targets, how a free slot gets its target, and what all threads share.

use crate::RunError;
use crate::address::{Route, Steps};
use crate::bound::{Bound, Moved, Unmet};
use crate::buffer::Source;
use crate::dependency_board::Board;
use crate::dependent::BoardSeat;
use crate::diskspd_address::{SharedPointer, Step, Stride, Walk};
use crate::heat;
use crate::io_log::{IoLog, IoLogSink};
use crate::mix::{Mix, Turn};
use crate::pacer::Pacer;
use crate::recorded::{Feed, RecordedShare, Recording};
use crate::rng::Jenkins;
use crate::schedule::Schedule;
use crate::strided::Strided;
use crate::tally::ThreadTally;
use crate::thread_plan::{TargetShare, ThreadPlan};
use crate::verify::journal::{Journal, JournalOf};
use crate::verify::{Medium, Verifier};
use gate::Pins;
use model::{Access, Bytes, EngineRecord, Nanos, Plan, PlannedTarget, PoolDraw, TargetFacts};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

/// What all threads of a plan share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) plan: Arc<Plan>,
    pub(crate) schedule: Arc<Schedule>,
    pointers: Arc<[Arc<SharedPointer>]>,            // by target
    pub(crate) sources: Arc<[Option<Arc<Source>>]>, // by target
    pub(crate) run: u64,                            // random, in every block header of the run
    pub(crate) verifier: Option<Arc<Verifier>>,     // where content is compared; its owner sets it
    pub(crate) journal: Option<Arc<Journal>>,       // of what is durable; likewise
    pub(crate) io_log: Option<Arc<IoLog>>,          // of what is issued
    steps_a_row: usize,                             // of the latencies over time
    /// What the targets' paths lead to.
    pub(crate) pins: Pins,
    /// The trace that is replayed, and whether it is read ahead.
    recording: Option<(Recording, bool)>,
    boards: Arc<[Option<Arc<Board>>]>, // by target, where the I/Os of the trace wait for one another
}

impl Shared {
    /// The same with a trace; `ahead`: a thread of its own reads it.
    pub(crate) fn replaying(self, recording: Option<&Recording>, ahead: bool) -> Self {
        let recording = recording.map(|recording| (recording.clone(), ahead));
        let board =
            |target: &PlannedTarget| is_dependent(target).then(|| Board::new(target.threads));
        let boards = self.plan.targets.iter().map(board).collect();
        Shared {
            recording,
            boards,
            ..self
        }
    }

    /// The same with a log of what so many threads issue, where it goes somewhere.
    pub(crate) fn logged(self, sink: Option<&IoLogSink>, threads: usize) -> Self {
        let io_log = sink.map(|sink| IoLog::new(sink, threads));
        Shared { io_log, ..self }
    }

    /// Passes on the last of the log: all threads have ended. Returns notes on it.
    pub(crate) fn close_log(&self) -> Vec<String> {
        self.io_log
            .as_ref()
            .map_or_else(Vec::new, |log| log.close())
    }

    /// The I/Os of a trace that this thread has.
    pub(crate) fn feed(&self, place: &ThreadPlan) -> Result<Option<Feed>, RunError> {
        let Some((recording, ahead)) = &self.recording else {
            return Ok(None);
        };
        let seat = &place.seats[0]; // the check allows no pool with a rate
        let share = RecordedShare {
            target: seat.target,
            index: seat.index,
            threads: seat.threads,
        };
        let feed = Feed::open(recording, share, *ahead);
        feed.map(Some).map_err(|why| RunError::Trace { why })
    }

    /// The part of this thread where the I/Os of its trace wait for one another.
    pub(crate) fn board_seat(&self, place: &ThreadPlan) -> Option<BoardSeat> {
        let seat = &place.seats[0]; // as above
        let board = self.boards.get(seat.target as usize)?.clone();
        board.map(|board| BoardSeat {
            board,
            thread: seat.index,
        })
    }

    /// Makes what the threads share, shared write data among it.
    pub(crate) fn new(
        plan: &Plan,
        schedule: &Arc<Schedule>,
        pins: &Pins,
    ) -> Result<Self, RunError> {
        Ok(Shared {
            plan: Arc::new(plan.clone()),
            schedule: Arc::clone(schedule),
            pointers: plan.targets.iter().map(|_| Arc::default()).collect(),
            sources: Source::all(plan)?.into(),
            run: random_number(),
            verifier: None,
            journal: None,
            io_log: None,
            steps_a_row: heat::steps_a_row(plan),
            pins: pins.clone(),
            recording: None,
            boards: Arc::default(),
        })
    }

    /// The same with what the threads compare with, where the plan asks for it.
    pub(crate) fn with_verifier(
        self,
        facts: &[TargetFacts],
        medium: impl Fn(usize, &PlannedTarget) -> Result<Box<dyn Medium>, RunError>,
    ) -> Result<Self, RunError> {
        let verifier = Verifier::new(&self.plan, facts, self.run, medium)?;
        Ok(Shared { verifier, ..self })
    }
}

impl Shared {
    /// The same with a journal of what is durable, where it is verified.
    pub(crate) fn with_journal(
        self,
        of: &JournalOf<'_>,
        places: &[ThreadPlan],
    ) -> Result<Self, RunError> {
        let Some(verifier) = &self.verifier else {
            return Ok(self);
        };
        let head = verifier.journal_head(of);
        let journal = Journal::begin(of.sink, &head, places)?;
        Ok(Shared {
            journal: Some(journal),
            ..self
        })
    }

    /// Adds the number in the headers of the blocks that the run writes, where it writes any.
    pub(crate) fn marked(&self, record: EngineRecord) -> EngineRecord {
        let sealed = |target: &PlannedTarget| target.writes() && target.unsealed().is_none();
        EngineRecord {
            header_run: self.plan.targets.iter().any(sealed).then_some(self.run),
            ..record
        }
    }
}

/// Whether the I/Os of the target's trace wait for one another.
fn is_dependent(target: &PlannedTarget) -> bool {
    matches!(&target.workload.access, Access::Recorded(recorded)
        if recorded.issue.timing.has_waits())
}

/// 64 bits that no other run has. The standard library takes its keys from the system's random numbers.
pub(crate) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// What the thread does to one of its targets.
pub(crate) struct TargetState {
    pub(crate) route: Route,
    /// Of a mixed workload; it is asked instead of the route.
    pub(crate) mix: Option<Box<Mix>>,
    /// Zones in which the route is, where there are any.
    pub(crate) zones: Option<Box<Strided>>,
    /// What it has to reach.
    pub(crate) bound: Option<Box<Bound>>,
    pub(crate) pacer: Pacer,
    pub(crate) tally: ThreadTally,
    pub(crate) block: u32,
    /// Bytes that it may still issue; `MAX` where the time decides alone.
    pub(crate) left: u64,
    /// When it may issue its first I/O, and when no more.
    pub(crate) active: Range<Nanos>,
    /// Its amount, until it has met the others where it goes on after its deadline to what the furthest of them did.
    pub(crate) wears_out: Option<u64>,
    pub(crate) target: u32,
}

/// How a free slot gets its target.
pub(crate) enum Draw {
    /// It has one.
    Bound,
    /// By weight: of each seat, where its share of `total` ends.
    Weights {
        ends: Box<[u32]>,
        total: u32,
        alike: bool,
    },
    /// One seat after another.
    InTurn {
        /// The next.
        next: u16,
        /// How many there are.
        seats: u16,
    },
}

impl TargetState {
    /// Whether it issues I/Os from the start to the end, as many as there is time for.
    pub(crate) fn is_endless(&self) -> bool {
        self.left == u64::MAX && self.active == (Nanos(0)..Nanos::MAX)
    }

    /// Whether it has issued all that it was to issue.
    pub(crate) fn is_spent(&self, now: Nanos) -> bool {
        self.left == 0 || now >= self.active.end
    }

    /// Its deadline is over. It goes on until it has issued `goal` bytes, of which it has issued `done`.
    pub(crate) fn go_on_to(&mut self, goal: u64, done: u64) {
        self.left = goal.saturating_sub(done);
        self.active.end = Nanos::MAX;
    }

    /// The next step of the route, in the zone.
    #[inline]
    pub(crate) fn step(&mut self, rng: &mut Jenkins, slot: u32) -> Step {
        let step = self.route.next(rng, slot);
        match &mut self.zones {
            None => step,
            Some(zones) => Step {
                offset: zones.shift(step.offset),
                ..step
            },
        }
    }

    /// What it has to reach and did not.
    pub(crate) fn unmet(&mut self, now: Nanos, measured_from: Nanos, sum: Moved) -> Option<Unmet> {
        let since = now.minus(measured_from.max(self.active.start));
        self.bound.as_mut()?.look(since, sum)
    }

    /// What it has moved so far, in all phases.
    pub(crate) fn moved(&self) -> Moved {
        let (ios, bytes) = self.tally.so_far();
        let longest = self.tally.longest();
        Moved {
            ios,
            bytes,
            longest,
        }
    }

    /// The next turn of a mixed workload.
    #[inline]
    pub(crate) fn turn(&mut self) -> Option<Turn> {
        self.mix.as_mut().map(|mix| mix.next())
    }

    pub(crate) fn new(shared: &Shared, thread: u32, seat: &TargetShare, rng: &mut Jenkins) -> Self {
        let plan = &shared.plan;
        let whole = &plan.targets[seat.target as usize];
        let in_order = matches!(&whole.workload.access, Access::Diskspd(walk) if walk.random.as_percent() == 0);
        let target = &Strided::in_zone(whole, !in_order);
        let apart = plan.pool.map_or(0, |_| u64::from(seat.target) << 32) | u64::from(thread);
        let mix = match &target.workload.access {
            Access::Mixed(mixed) => Some(Box::new(Mix::new(target, mixed, plan.seed, seat, apart))),
            _ => None,
        };
        let route = match &target.workload.access {
            Access::Diskspd(access) => {
                let stride = Stride {
                    index: seat.index,
                    first_slot: seat.first_slot,
                    slots: seat.slots,
                };
                let pointer = &shared.pointers[seat.target as usize];
                Route::Diskspd(Walk::new(target, access, stride, pointer, rng))
            }
            Access::Sequential
            | Access::Random
            | Access::Permuted(_)
            | Access::Skewed(_)
            | Access::Stripe(_)
            | Access::Runs { .. }
            | Access::Mixed(_)
            | Access::Recorded(_) => Route::Own(Steps::new(target, plan.seed, seat, apart)),
        };
        let pauses = matches!(&target.workload.access, Access::Mixed(mixed) if mixed.pauses());
        TargetState {
            route,
            mix,
            zones: Strided::new(whole),
            bound: Bound::new(target.bounds),
            pacer: if pauses {
                Pacer::Scheduled { due: Nanos(0) }
            } else {
                Pacer::new(target.pacing, target.workload.block.0, plan.seed, thread)
            },
            tally: ThreadTally::new(plan, shared.steps_a_row),
            block: u32::try_from(target.workload.block.0).expect("at most 1 GiB"),
            left: left(target),
            active: target.active.after..target.active.end(plan.phases.warmup),
            wears_out: target.active.wear_out.then_some(left(target)),
            target: seat.target,
        }
    }
}

/// What a thread may issue in all, in whole blocks; where I/Os end before what was visited, all of it.
fn left(target: &PlannedTarget) -> u64 {
    let block = match &target.workload.access {
        Access::Mixed(mixed) if mixed.once => Bytes(1),
        _ => target.workload.block,
    };
    target
        .amount
        .map_or(u64::MAX, |amount| amount.floor_to(block).0.max(block.0))
}

impl Draw {
    /// The seat whose meter counts the I/Os of a seat: in turn the thread has one for all.
    #[inline]
    pub(crate) fn metered(&self, seat: u16) -> usize {
        match self {
            Draw::InTurn { .. } => 0,
            Draw::Bound | Draw::Weights { .. } => usize::from(seat),
        }
    }

    /// The seat had its turn too early, and has the next one too.
    #[inline]
    pub(crate) fn repeat(&mut self, seat: u16) {
        if let Draw::InTurn { next, .. } = self {
            *next = seat;
        }
    }

    pub(crate) fn new(plan: &Plan, place: &ThreadPlan) -> Self {
        if !place.draws || place.seats.len() == 1 {
            return Draw::Bound;
        }
        if plan.pool.is_some_and(|pool| pool.draw == PoolDraw::InTurn) {
            let seats = u16::try_from(place.seats.len()).expect("a seat's number is 16 bits wide");
            return Draw::InTurn { next: 0, seats };
        }
        let first = place.seats[0].weight;
        let mut total = 0u32;
        let ends = place.seats.iter().map(|seat| {
            total = total.saturating_add(seat.weight);
            total
        });
        let ends: Box<[u32]> = ends.collect();
        let alike = place.seats.iter().all(|seat| seat.weight == first);
        Draw::Weights { ends, total, alike }
    }
}
