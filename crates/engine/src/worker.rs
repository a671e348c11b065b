//! One thread's measured life, on one target or on all targets of a pool. The hot loop is `drive`: nothing below it allocates, locks, prints or reads an
//! option; `tests/it/no_allocation.rs` holds it to that.
//!
//! When the clock is read: once before each I/O is handed over, and once after each return from the kernel,
//! for all completions found then. See `docs/measurement.md` for what that means for the latency.

use crate::RunError;
use crate::account::{Book, Turn};
use crate::backend::{Backend, Completion, Io, REAP_AT_MOST};
use crate::buffer::Buffers;
use crate::clock::Clock;
use crate::jenkins::Jenkins;
use crate::lane::{Draw, Lane, Shared};
use crate::live::Live;
use crate::mix::Mix;
use crate::open::Open;
use crate::pace::Pace;
use crate::pacer::Pacer;
use crate::place::Place;
use crate::ring::Ring;
use crate::schedule::Schedule;
use crate::tally::{Found, Moved, ThreadTally};
use crate::target::OpenTarget;
use model::{Account, Bytes, Failure, Nanos, OnError, Operation, ThreadCpu, WorkerRecord};
use std::sync::Arc;

/// How long the drain waits for a device that answers nothing at all.
const DRAIN_SILENCE: Nanos = Nanos::seconds(10);
/// How long the drain waits in all, for a device that is slow but answers.
pub(crate) const DRAIN_MAX: Nanos = Nanos::seconds(30);
/// How long it waits in all when somebody wants the end.
const DRAIN_HALTED_MAX: Nanos = Nanos::seconds(1);
/// From one telling of onlookers to the next: far less than they can see, far more than a turn of a fast loop.
const TELL_EVERY: Nanos = Nanos::millis(1);
/// The same for percentiles, which take a look at all buckets: some microseconds in 200 ms.
const TELL_P99_EVERY: Nanos = Nanos::millis(200);
/// Nothing was transferred: the target ends before the offset.
const ENODATA: i32 = 61;

/// Everything that one thread works with. Made before the start, owned by the thread alone.
pub(crate) struct Work<C> {
    pub(crate) clock: C,
    pub(crate) schedule: Arc<Schedule>,
    thread: u32,
    threads: u32, // of the plan
    live: Arc<Live>,
    dice: Jenkins, // DISKSPD's generator, one for all targets of the thread
    draw: Draw,
    lanes: Box<[Lane]>, // by seat
    pub(crate) buffers: Buffers,
    open: Option<Open>,      // where a rate is asked
    flights: Box<[Flight]>,  // by slot
    lines: Box<[u16]>,       // of mixed workloads, by slot
    free: Ring,              // slots not in flight
    landed: Vec<Completion>, // capacity the slots
    pace: Pace,
    found: Found, // the last batch
    book: Book,
    pub(crate) cpu: Option<ThreadCpu>, // used in the turns; its owner says it
    pub(crate) delayed: Option<Nanos>, // ready in the turns, without a processor; likewise
    tell_at: Nanos,                    // when onlookers are told next
    tell_p99_at: Nanos,                // when of percentiles too
    interval_ns: u64,
    on_error: OnError,
    failure: Option<Failure>,
}

/// One slot's I/O.
#[derive(Clone, Copy)]
struct Flight {
    issued: Nanos,
    offset: u64,
    operation: Operation,
    seat: u16,
}

/// What a thread leaves behind.
pub(crate) struct Done {
    pub(crate) seats: Vec<SeatDone>,
    pub(crate) failure: Option<Failure>,
    /// When the last completion was found.
    pub(crate) drained: Nanos,
    /// What it says of itself.
    pub(crate) worker: WorkerRecord,
}

/// What it leaves behind of one target.
pub(crate) struct SeatDone {
    pub(crate) target: u32,
    pub(crate) tally: ThreadTally,
    /// I/Os that the device never answered.
    pub(crate) abandoned: u32,
}

impl<C: Clock> Work<C> {
    /// Allocates everything that the thread will need.
    pub(crate) fn new(
        shared: &Shared,
        place: &Place,
        clock: C,
        live: Arc<Live>,
    ) -> Result<Self, RunError> {
        let plan = &shared.plan;
        let mut dice = Jenkins::new(plan.seed.wrapping_add(u64::from(place.thread)));
        let lanes: Box<[Lane]> = place
            .seats
            .iter()
            .map(|seat| Lane::new(shared, place.thread, seat, &mut dice))
            .collect();
        let mixed = lanes.iter().any(|lane| lane.mix.is_some());
        let buffers = Buffers::new(plan, place, &shared.sources, place.content_seed)?;
        let seat_of = |slot: u32| {
            let bound = place
                .seats
                .iter()
                .rposition(|seat| seat.first_slot <= slot && !place.draws);
            bound.unwrap_or(0) as u16
        };
        let (issued, operation) = (Nanos(0), Operation::Read);
        let idle = |slot| Flight {
            issued,
            offset: 0,
            operation,
            seat: seat_of(slot),
        };
        Ok(Work {
            clock,
            schedule: Arc::clone(&shared.schedule),
            thread: place.thread,
            threads: plan.threads(),
            live,
            dice,
            draw: Draw::new(plan, place),
            lanes,
            buffers,
            open: Open::new(plan, place),
            flights: (0..place.slots).map(idle).collect(),
            lines: vec![0; if mixed { place.slots as usize } else { 0 }].into(),
            free: Ring::full(place.slots),
            landed: Vec::with_capacity(place.slots as usize),
            pace: Pace::new(),
            found: Found::NEVER,
            book: Book::new(),
            cpu: None,
            delayed: None,
            tell_at: Nanos(0),
            tell_p99_at: Nanos(0),
            interval_ns: plan.interval.0,
            on_error: plan.on_error,
            failure: None,
        })
    }

    /// The moment of the next I/O of an open loop, where it has not come.
    #[inline]
    fn too_early(&self, now: Nanos) -> Option<Nanos> {
        let next = self.open.as_ref()?.next();
        (next > now).then_some(next)
    }

    fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    /// Whether all slots go to one target at no pace and in one size, so that the loop need not ask for each.
    fn is_plain(&self) -> bool {
        let plain = |lane: &Lane| {
            lane.mix.is_none() && lane.left == u64::MAX && matches!(lane.pacer, Pacer::Free)
        };
        matches!(&*self.lanes, [lane] if plain(lane))
    }

    /// Whether it has done all that it was to do.
    fn is_spent(&self) -> bool {
        self.in_flight() == 0 && self.lanes.iter().all(|lane| lane.left == 0)
    }

    /// Tells onlookers what was completed and transferred so far, in all phases.
    #[cold]
    fn tell(&mut self, now: Nanos) {
        let (ios, bytes) = self.lanes.iter().fold((0, 0), |(ios, bytes), lane| {
            let (its_ios, its_bytes) = lane.tally.so_far();
            (ios + its_ios, bytes + its_bytes)
        });
        self.live.publish(ios, bytes);
        if now >= self.tell_p99_at {
            let slowest = self.lanes.iter().filter_map(|lane| lane.tally.p99()).max();
            self.live.publish_p99(slowest);
            self.tell_p99_at = now.plus(TELL_P99_EVERY);
        }
        let edge = self
            .open
            .as_mut()
            .map(|open| open.look(now, &self.schedule));
        self.tell_at = now.plus(TELL_EVERY).min(edge.unwrap_or(Nanos::MAX));
    }
}

/// Runs from the start of the warm-up until the schedule is over, then takes in what is still in flight.
pub(crate) fn drive<B: Backend, C: Clock>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    match (work.open.is_some(), work.is_plain()) {
        (true, true) => take_turns::<B, C, true, true>(work, backend),
        (true, false) => take_turns::<B, C, false, true>(work, backend), // a mix: pools and paces have no rate
        (false, true) => take_turns::<B, C, true, false>(work, backend),
        (false, false) => take_turns::<B, C, false, false>(work, backend),
    }
}

/// The loop. `PLAIN` is what [`Work::is_plain`] says and `OPEN` whether I/Os start at moments of their own, both known
/// to the compiler.
fn take_turns<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
) -> Result<(), RunError> {
    let mut now = begin(work);
    let mut paced = now;
    while !work.schedule.is_over(now) {
        let turn = start_turn::<B, C, PLAIN, OPEN>(work, backend, now)?;
        now = end_turn::<B, C, PLAIN, OPEN>(work, backend, &turn, &mut paced)?;
        if !PLAIN && work.is_spent() {
            work.schedule.is_spent(now, work.threads);
            break;
        }
    }
    work.book.end(now);
    Ok(())
}

/// The first turn begins at the moment that is returned.
pub(crate) fn begin<C: Clock>(work: &mut Work<C>) -> Nanos {
    let now = work.clock.now();
    work.book.begin(now);
    now
}

/// A turn whose I/Os are handed over.
pub(crate) struct Underway {
    began: Nanos,
    issued_at: Nanos,
    free: usize,
    left: usize,
    /// When the first of the I/Os that had to wait is due; `MAX` when none had to.
    pub(crate) due: Nanos,
}

/// The first half of a turn: hands over what may be.
#[inline(always)] // a call a turn shows
fn start_turn<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    now: Nanos,
) -> Result<Underway, RunError> {
    let free = work.free.len();
    let (due, issued_at) = issue::<B, C, PLAIN, OPEN>(work, backend, now)?;
    Ok(Underway {
        began: now,
        issued_at,
        free,
        left: work.free.len(),
        due,
    })
}

/// The second half: waits, and counts what was found. Returns when that was.
#[inline(always)] // as above
fn end_turn<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    turn: &Underway,
    paced: &mut Nanos,
) -> Result<Nanos, RunError> {
    wait::<B, C, OPEN>(work, backend, turn.due)?;
    let now = work.clock.now();
    if work.book.is_due() {
        work.book.look(Turn {
            began: turn.began,
            issued_at: turn.issued_at,
            found_at: now,
            issued: turn.free - turn.left,
            found: work.landed.len(),
            full: turn.left == 0,
        });
    }
    if !OPEN || !work.landed.is_empty() {
        work.pace.learn(now.minus(*paced), work.landed.len());
        *paced = now;
    }
    settle::<C, PLAIN, OPEN>(work, now);
    if now >= work.tell_at {
        work.tell(now);
    }
    Ok(now)
}

/// The halves of a turn one by one, for a thread that does not wait itself but takes turns with others.
impl<C: Clock> Work<C> {
    /// See [`start_turn`].
    pub(crate) fn start<B: Backend>(
        &mut self,
        backend: &mut B,
        now: Nanos,
    ) -> Result<Underway, RunError> {
        match (self.open.is_some(), self.is_plain()) {
            (true, _) => start_turn::<B, C, true, true>(self, backend, now),
            (false, true) => start_turn::<B, C, true, false>(self, backend, now),
            (false, false) => start_turn::<B, C, false, false>(self, backend, now),
        }
    }

    /// See [`end_turn`].
    pub(crate) fn end<B: Backend>(
        &mut self,
        backend: &mut B,
        turn: &Underway,
        paced: &mut Nanos,
    ) -> Result<Nanos, RunError> {
        match (self.open.is_some(), self.is_plain()) {
            (true, _) => end_turn::<B, C, true, true>(self, backend, turn, paced),
            (false, true) => end_turn::<B, C, true, false>(self, backend, turn, paced),
            (false, false) => end_turn::<B, C, false, false>(self, backend, turn, paced),
        }
    }

    /// Nothing is issued any more from then on.
    pub(crate) fn close(&mut self, now: Nanos) {
        self.book.end(now);
    }

    /// Whether anything is in flight.
    pub(crate) fn is_waiting(&self) -> bool {
        self.in_flight() > 0
    }
}

/// Hands over one I/O for each free slot whose target may have one; in an open loop, for each whose moment has come.
/// Returns when the first of those that had to wait is due, `MAX` when none had to; and the last reading of the clock,
/// which was `now` before.
#[inline]
#[allow(
    clippy::too_many_lines,
    reason = "one table of steps; parts would hide their order"
)]
fn issue<B: Backend, C: Clock, const PLAIN: bool, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    mut now: Nanos,
) -> Result<(Nanos, Nanos), RunError> {
    let mut due = Nanos::MAX;
    for _ in 0..work.free.len() {
        if OPEN && let Some(later) = work.too_early(now) {
            return Ok((later, now));
        }
        let slot = work.free.take();
        let seat = if PLAIN { 0 } else { seat_of(work, slot) };
        let lane = &mut work.lanes[usize::from(seat)];
        if !PLAIN && lane.left == 0 {
            work.free.put(slot);
            continue;
        }
        if !PLAIN && let Some(moment) = lane.pacer.holds_until(&work.clock) {
            due = due.min(moment);
            work.free.put(slot);
            continue;
        }
        let turn = if PLAIN { None } else { lane.turn() };
        let step = match turn {
            Some(turn) => turn.step,
            None => lane.route.next(&mut work.dice, slot),
        };
        let length = turn.map_or(lane.block, |turn| turn.length);
        let memory = match (step.operation, turn) {
            (Operation::Read, _) => work.buffers.for_read(slot),
            (Operation::Write, None) => {
                let offset = Bytes(step.offset);
                work.buffers
                    .for_write(usize::from(seat), slot, offset, &mut work.dice)
            }
            (Operation::Write, Some(turn)) => {
                let piece = (Bytes(step.offset), turn.length as usize);
                work.buffers
                    .for_piece(usize::from(seat), slot, piece, &mut work.dice)
            }
        };
        let issued = work.clock.now();
        if !PLAIN {
            lane.pacer.charge(issued, u64::from(length));
            if lane.left < u64::MAX {
                lane.left = lane.left.saturating_sub(u64::from(length));
            }
            if let Some(turn) = turn {
                work.lines[slot as usize] = turn.line;
                if turn.pause.0 > 0 {
                    lane.pacer.hold(issued.plus(turn.pause));
                }
            }
        }
        if OPEN && let Some(open) = &mut work.open {
            open.start(slot);
        }
        now = issued;
        let (operation, offset) = (step.operation, step.offset);
        work.flights[slot as usize] = Flight {
            issued,
            offset,
            operation,
            seat,
        };
        let (memory, area) = (memory.start, memory.area);
        backend.push(Io {
            operation,
            offset,
            memory,
            length,
            area,
            seat,
            slot,
            issued,
        })?;
        if B::ONE_AT_A_TIME {
            break;
        }
        if work.pace.is_slow() {
            backend.hand_over()?;
        }
    }
    Ok((due, now))
}

/// The target of a slot: its own, the next in turn, or drawn as DISKSPD draws it.
#[inline]
fn seat_of<C>(work: &mut Work<C>, slot: u32) -> u16 {
    match &mut work.draw {
        Draw::InTurn { next, seats } => {
            let seat = *next;
            *next = if seat + 1 == *seats { 0 } else { seat + 1 };
            seat
        }
        Draw::Bound => work.flights[slot as usize].seat,
        Draw::Weights {
            ends, alike: true, ..
        } => (work.dice.low() % ends.len() as u32) as u16,
        Draw::Weights { ends, total, .. } => {
            let drawn = work.dice.low() % *total;
            let place = ends.iter().position(|&end| drawn < end);
            place.expect("the last share ends with the total") as u16
        }
    }
}

/// Waits for completions until `due`; where nothing is in flight, sleeps until then. Never spins for a pace. In an open
/// loop it does, because the system wakes a thread late and that would stand in the response times as if the target had
/// been slow: it waits until a little before, and then looks again and again.
#[inline(always)] // as below
fn wait<B: Backend, C: Clock, const OPEN: bool>(
    work: &mut Work<C>,
    backend: &mut B,
    due: Nanos,
) -> Result<(), RunError> {
    if work.in_flight() > 0 {
        let early = if OPEN && due < Nanos::MAX {
            C::SLACK
        } else {
            Nanos(0)
        };
        return backend.reap(&work.clock, due.minus(early), &mut work.landed);
    }
    let bound = work.clock.now().plus(REAP_AT_MOST).min(work.schedule.end());
    if OPEN {
        work.clock.wait_until(due.min(bound));
    } else {
        work.clock.sleep_until(due.min(bound));
    }
    Ok(())
}

/// Counts what was found at `now` and frees its slots.
#[inline(always)] // at depth 1 a call a turn shows
fn settle<C: Clock, const PLAIN: bool, const OPEN: bool>(work: &mut Work<C>, now: Nanos) {
    let found = work.found.next(now, &work.schedule, work.interval_ns);
    work.found = found;
    let mut some_failed = false;
    let (flights, lanes) = (&work.flights, &mut work.lanes);
    for &Completion { slot, result } in &work.landed {
        let flight = &flights[slot as usize];
        let seat = if PLAIN { 0 } else { flight.seat };
        let lane = &mut lanes[usize::from(seat)];
        if result > 0 {
            let bytes = u64::from(result.unsigned_abs());
            let mut asked = lane.block;
            if !PLAIN && let Some(mix) = &mut lane.mix {
                let line = work.lines[slot as usize];
                asked = mix.length_of(line);
                if found.counts() {
                    mix.count(line, flight.operation, bytes, now.minus(flight.issued));
                }
            }
            let moved = Moved {
                bytes,
                short: result.unsigned_abs() < asked,
            };
            lane.tally
                .success(found, flight.operation, flight.issued, moved);
            if OPEN && let Some(open) = &work.open {
                let intended = open.intended(slot);
                lane.tally.respond(found, flight.operation, intended);
            }
        } else {
            some_failed = true;
        }
        work.free.put(slot);
    }
    if some_failed {
        fail(work);
    }
    work.landed.clear();
}

/// Counts the failures among what was found.
#[cold]
fn fail<C: Clock>(work: &mut Work<C>) {
    for at in 0..work.landed.len() {
        let Completion { slot, result } = work.landed[at];
        if result <= 0 {
            fail_one(work, slot, if result == 0 { ENODATA } else { -result });
        }
    }
}

/// Counts a failure; where the plan says so, it ends the run for all threads.
fn fail_one<C: Clock>(work: &mut Work<C>, slot: u32, errno: i32) {
    let (found, flight) = (work.found, work.flights[slot as usize]);
    let lane = &mut work.lanes[usize::from(flight.seat)];
    lane.tally.failure(found, flight.operation, errno);
    let line = |mix: &Mix| mix.length_of(work.lines[slot as usize]);
    let length = lane.mix.as_deref().map_or(lane.block, line);
    if work.on_error == OnError::Stop && work.failure.is_none() {
        work.schedule.halt(found.at);
        work.failure = Some(Failure {
            operation: flight.operation,
            target: lane.target,
            offset: Bytes(flight.offset),
            length: Bytes(u64::from(length)),
            errno,
            message: crate::error::errno_text(&std::io::Error::from_raw_os_error(errno)),
        });
    }
}

/// Takes in what is in flight without issuing more. What the device does not answer in time is left behind with its
/// memory, its file and its ring, because it may still answer one day.
pub(crate) fn finish<B: Backend, C: Clock>(
    mut work: Work<C>,
    mut backend: B,
    targets: Vec<OpenTarget>,
) -> Result<Done, RunError> {
    let drained = match drain(&mut work, &mut backend) {
        Ok(drained) => drained,
        Err(error) => {
            backend.abandon();
            work.buffers.abandon();
            targets.into_iter().for_each(OpenTarget::abandon);
            return Err(error);
        }
    };
    let mut answered = vec![false; work.flights.len()];
    work.free
        .iter()
        .for_each(|slot| answered[slot as usize] = true);
    let lost = |seat: usize| {
        let open = work.flights.iter().zip(&answered);
        open.filter(|(flight, answered)| usize::from(flight.seat) == seat && !**answered)
            .count()
    };
    let abandoned: Vec<u32> = (0..work.lanes.len())
        .map(|seat| lost(seat) as u32)
        .collect();
    if abandoned.iter().any(|&count| count > 0) {
        backend.abandon();
        work.buffers.abandon();
        targets.into_iter().for_each(OpenTarget::abandon);
    } else {
        drop(backend); // before the memory that it has registered
    }
    let mixes = work.lanes.iter().filter_map(|lane| lane.mix.as_deref());
    let lines = mixes.flat_map(Mix::counts).copied().collect();
    let seats = work
        .lanes
        .into_iter()
        .zip(abandoned)
        .map(|(lane, abandoned)| SeatDone {
            target: lane.target,
            tally: lane.tally,
            abandoned,
        });
    Ok(Done {
        seats: seats.collect(),
        failure: work.failure,
        drained,
        worker: WorkerRecord {
            thread: work.thread,
            backlog: work.open.map(|open| open.backlog(&work.schedule)),
            account: Some(Account {
                cpu: work.cpu,
                delayed: work.delayed,
                ..work.book.close()
            }),
            lines,
        },
    })
}

/// Takes in what is in flight, within the limits above; returns when the last of it was found.
fn drain<B: Backend, C: Clock>(work: &mut Work<C>, backend: &mut B) -> Result<Nanos, RunError> {
    let began = work.clock.now();
    let mut last_answer = began;
    let mut now = began;
    while work.in_flight() > 0 {
        let limit = if work.schedule.is_halted() {
            DRAIN_HALTED_MAX
        } else {
            DRAIN_MAX
        };
        if now.minus(began) >= limit || now.minus(last_answer) >= DRAIN_SILENCE {
            break;
        }
        backend.reap(&work.clock, Nanos::MAX, &mut work.landed)?;
        now = work.clock.now();
        if !work.landed.is_empty() {
            last_answer = now;
            settle::<C, false, false>(work, now); // nothing counts any more
        }
    }
    Ok(last_answer)
}

#[cfg(test)]
mod tests;
