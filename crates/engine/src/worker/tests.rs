//! How far a stamp can be from the truth: a kernel that takes I/Os with a system call and a loop whose every step takes
//! time, so that what each I/O really took is known next to its report.

use super::*;
use crate::backend::{Completion, Io, Used};
use crate::rehearsal::tests::{plan, planned};
use crate::schedule::Schedule;
use crate::target_state::Shared;
use crate::thread_plan::places;
use crate::timespan::seat_record;
use model::{LatencyHistogram, QueueDepth};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What a reading of the clock, the staging of an I/O and a system call take.
const READING: u64 = 10;
const STAGING: u64 = 40;
const CALL: u64 = 300;

/// A clock that the loop and the device share.
#[derive(Clone, Default)]
struct Ticking(Rc<Cell<u64>>);

impl Ticking {
    fn pass(&self, ns: u64) {
        self.0.set(self.0.get() + ns);
    }

    fn at(&self) -> u64 {
        self.0.get()
    }
}

impl Clock for Ticking {
    const SLACK: Nanos = Nanos(0);

    fn now(&self) -> Nanos {
        let now = self.at();
        self.pass(READING);
        Nanos(now)
    }

    fn wait_until(&self, moment: Nanos) {
        self.0.set(self.at().max(moment.0));
    }

    fn sleep_until(&self, moment: Nanos) {
        self.wait_until(moment);
    }
}

/// Of one I/O, on the clock.
struct Truth {
    issued: u64,
    begun: u64,
    done: u64,
    found: u64,
}

#[derive(Default)]
struct Log {
    ios: Vec<Truth>,
    /// The longest that the loop was away from waiting.
    pass: u64,
}

struct Device {
    clock: Ticking,
    delay: u64,
    number: u64,
    /// Every so many I/Os one is given back undone, unless it may wait; 0: never.
    refuses: u64,
    waiting: Vec<u32>, // slots of those that may
    staged: Vec<Io>,
    running: Vec<(Io, u64, u64)>, // begun and done at
    came_back: u64,
    log: Rc<RefCell<Log>>,
}

impl Backend for Device {
    fn used(&self) -> Used {
        Used::default()
    }

    fn push(&mut self, io: Io) -> Result<(), RunError> {
        self.clock.pass(STAGING);
        self.staged.push(io);
        Ok(())
    }

    fn push_waiting(&mut self, io: Io) -> Result<bool, RunError> {
        self.waiting.push(io.slot);
        self.push(io).map(|()| true)
    }

    fn hand_over(&mut self) -> Result<(), RunError> {
        self.clock.pass(CALL);
        let begun = self.clock.at();
        for io in self.staged.drain(..) {
            self.number += 1;
            // Not all identical, so that some are done while the loop is busy with others.
            let delay = self.delay + self.delay / 8 * (self.number % 7);
            self.running.push((io, begun, begun + delay));
        }
        Ok(())
    }

    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        self.hand_over()?;
        let mut log = self.log.borrow_mut();
        log.pass = log.pass.max(self.clock.at() - self.came_back);
        let first = self.running.iter().map(|(.., done)| *done).min();
        clock.wait_until(until.min(Nanos(first.unwrap_or(0))));
        let found = self.clock.at();
        let (refuses, waiting) = (self.refuses, &mut self.waiting);
        self.running.retain(|&(io, begun, done)| {
            if done <= found {
                let slot = io.slot;
                let may_wait = waiting.iter().position(|waits| *waits == slot);
                let waits = may_wait.map(|at| waiting.swap_remove(at)).is_some();
                if !waits && refuses > 0 && io.offset / 4096 % refuses == 0 {
                    let result = -crate::system::errors::AGAIN;
                    landed.push(Completion { slot, result });
                    return false;
                }
                let result = io.length as i32;
                landed.push(Completion { slot, result });
                let issued = io.issued.0;
                log.ios.push(Truth {
                    issued,
                    begun,
                    done,
                    found,
                });
            }
            done > found
        });
        self.came_back = found;
        Ok(())
    }
}

/// Runs for 20 ms; the log of the device, and what was reported.
fn run(depth: u32, delay: u64) -> (Log, LatencyHistogram) {
    let (log, done) = run_on(depth, delay, 0);
    assert_eq!(done.failure, None);
    let mut latency = done.seats.into_iter().map(|seat| {
        let (record, _) = seat_record(0, seat, Nanos::millis(20));
        record.measured[0].latency.clone()
    });
    (log, latency.next_back().unwrap())
}

fn run_on(depth: u32, delay: u64, refuses: u64) -> (Log, Done) {
    let mut target = planned();
    target.workload.queue_depth = QueueDepth(depth);
    let mut plan = plan(&[target]);
    plan.phases.measured = Nanos::millis(20);
    let schedule = Arc::new(Schedule::new(&plan.phases));
    let shared = Shared::new(&plan, &schedule, &gate::Pins::default()).unwrap();
    let place = places(&plan, 0).remove(0);
    let (clock, log) = (Ticking::default(), Rc::new(RefCell::default()));
    let mut device = Device {
        clock: clock.clone(),
        delay,
        number: 0,
        refuses,
        waiting: Vec::new(),
        staged: Vec::new(),
        running: Vec::new(),
        came_back: 0,
        log: Rc::clone(&log),
    };
    let mut work = Work::new(&shared, &place, clock, Arc::default()).unwrap();
    drive(&mut work, &mut device).unwrap();
    let done = finish(Lent::new(work, device, Vec::new())).unwrap();
    let mut log = log.take();
    log.ios.retain(|io| io.found < plan.phases.measured.0);
    (log, done)
}

#[test]
fn a_latency_is_never_too_short_and_too_long_by_two_passes_at_most() {
    for (depth, delay) in [
        (1, 500),
        (8, 1_000),
        (32, 2_000),
        (128, 1_000),
        (32, 200_000),
    ] {
        let (log, reported) = run(depth, delay);
        let mut by_stamps = LatencyHistogram::new();
        for io in &log.ios {
            by_stamps.record(Nanos(io.found - io.issued));
            assert!(io.issued <= io.begun && io.done <= io.found);
            let (staging, finding) = (io.begun - io.issued, io.found - io.done);
            assert!(staging <= log.pass && finding <= log.pass, "depth {depth}");
        }
        assert_eq!(reported, by_stamps, "depth {depth}: the stamps are these");
        assert!(reported.count() > 1000);
        // With each its own call at the most.
        let step = READING + STAGING + CALL;
        assert!(log.pass <= (u64::from(depth) + 1) * step + 10 * READING);
    }
}

#[test]
fn where_completions_are_slow_no_io_waits_for_the_staging_of_another() {
    let (log, _) = run(32, 200_000);
    let staging = log.ios.iter().map(|io| io.begun - io.issued).max();
    assert_eq!(staging, Some(READING + STAGING + CALL));
}

#[test]
fn what_is_given_back_for_want_of_room_is_handed_over_again_and_its_time_runs_on() {
    let (log, done) = run_on(8, 1_000, 3);
    assert_eq!((&done.failure, done.seats[0].abandoned), (&None, 0));
    let again = done.worker.account.as_ref().map(|account| account.again);
    let (record, _) = seat_record(
        0,
        done.seats.into_iter().next_back().unwrap(),
        Nanos::millis(20),
    );
    let mut by_stamps = LatencyHistogram::new();
    let ios = log.ios.iter();
    ios.for_each(|io| by_stamps.record(Nanos(io.found - io.issued)));
    assert_eq!(record.measured[0].latency, by_stamps);
    let twice = log.ios.iter().filter(|io| io.begun - io.issued > 1_000);
    let twice = twice.count();
    assert!(twice > log.ios.len() / 5, "a third of the places");
    assert!(again >= Some(twice as u64), "{again:?} of {twice}");
}
