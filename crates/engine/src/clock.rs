//! The only reader of the monotonic clock, and a fake one for tests.
//!
//! The time stamp counter is used where the kernel itself keeps time by it and the processor never changes or stops it,
//! because a reading costs 10 ns against 25 for the kernel's clock. It is calibrated against the monotonic clock before a
//! run (`calibration`), given up where it has gone another way until the run begins, and compared after; the difference
//! is in the record. See `docs/measurement.md`.
#![allow(unsafe_code, reason = "reading the time stamp counter")]

use crate::calibration::{Calibration, Reading, Scale};
use model::{ClockRecord, Nanos};
use std::cell::Cell;
use std::time::Instant;

/// Something that returns the time since the start of a run.
pub(crate) trait Clock {
    /// How late the system's own waiting may be: a caller that needs a moment requests so much less and then polls.
    const SLACK: Nanos;

    /// Since the start of the run.
    fn now(&self) -> Nanos;
    /// Returns at `moment`, or a little later.
    fn wait_until(&self, moment: Nanos);
    /// The same without ever spinning: later by what the system's timers are late.
    fn sleep_until(&self, moment: Nanos);
}

/// Real time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallClock {
    source: Source,
    /// The same origin on the monotonic clock, to measure drift by.
    anchor: Instant,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Tsc { origin_ticks: u64, scale: Scale },
    Monotonic,
}

/// A counter is given up that is off by more than both of these when the run begins. Between calibration and beginning
/// lie some milliseconds, in which an interrupt shows as microseconds; what is not that is percents. Under valgrind, whose
/// counter is its own, a sound one is off by 0.12 to 0.16%.
const OFF_MAX: Nanos = Nanos::micros(10);
/// The other bound: this part of the time since the calibration.
const OFF_PART: u64 = 200;
/// Sleeping is late by up to this much; the rest is spent spinning.
const SLEEP_SLACK: Nanos = Nanos::micros(150);

impl Calibration {
    /// Begins to watch the counter, so that the first run waits only for what is missing.
    pub fn begun() -> Self {
        Calibration::since(reading())
    }
}

impl WallClock {
    /// The best clock of this machine, its origin now. `trusted` means that the kernel keeps time by the time
    /// stamp counter. Takes 4 ms where the counter has to be watched first.
    pub(crate) fn start(trusted: bool, calibration: &Calibration) -> Self {
        let scale = if trusted {
            calibration.scale(reading)
        } else {
            None
        };
        let Some(scale) = scale else {
            return WallClock::monotonic();
        };
        let begin = reading();
        WallClock {
            source: Source::Tsc {
                origin_ticks: begin.ticks,
                scale,
            },
            anchor: begin.time,
        }
    }

    /// The kernel's monotonic clock, its origin now.
    pub(crate) fn monotonic() -> Self {
        WallClock {
            source: Source::Monotonic,
            anchor: monotonic(),
        }
    }

    /// The kernel's monotonic clock, its origin at a moment that may be ahead: until then it is 0. Now where there is none.
    pub(crate) fn starting(moment: Option<Instant>) -> Self {
        WallClock {
            source: Source::Monotonic,
            anchor: moment.unwrap_or_else(monotonic),
        }
    }

    /// Returns at its origin, or a little later.
    pub(crate) fn wait_for_origin(&self) {
        wait_for(self.anchor);
    }

    /// The same clock with its origin now; the system's, and a note, where the counter has gone another way since the
    /// start.
    pub(crate) fn restarted(self) -> (Self, Option<String>) {
        let (off, since) = (self.least_drift(), self.anchor.elapsed().as_nanos() as u64);
        let Reading {
            ticks,
            time: anchor,
        } = reading();
        if off > OFF_MAX.0 && off > since / OFF_PART {
            let note = format!(
                "the time-stamp counter went {off} ns off the system's clock within {since} ns before the run, so the \
                 system's clock was read instead; each reading costs a little more"
            );
            let source = Source::Monotonic;
            return (WallClock { source, anchor }, Some(note));
        }
        let source = match self.source {
            Source::Tsc { scale, .. } => Source::Tsc {
                origin_ticks: ticks,
                scale,
            },
            Source::Monotonic => Source::Monotonic,
        };
        (WallClock { source, anchor }, None)
    }

    /// Returns how long after a moment its origin is.
    pub(crate) fn origin_after(&self, moment: Instant) -> Nanos {
        let late = self.anchor.saturating_duration_since(moment);
        Nanos(u64::try_from(late.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Its entry in the record, with its drift until now.
    pub(crate) fn record(&self) -> ClockRecord {
        let source = match self.source {
            Source::Tsc { .. } => "tsc",
            Source::Monotonic => "monotonic",
        };
        ClockRecord {
            source: source.to_owned(),
            cost: self.cost(),
            drift: Nanos(self.least_drift()),
        }
    }

    /// Of several looks, because an interrupt may come between the two readings of one.
    fn least_drift(&self) -> u64 {
        let looks = (0..5).map(|_| self.drift());
        looks.min().expect("five looks")
    }

    fn drift(&self) -> u64 {
        match self.source {
            Source::Monotonic => 0,
            Source::Tsc { .. } => {
                let (mine, truth) = (self.now().0, self.anchor.elapsed().as_nanos() as u64);
                mine.abs_diff(truth)
            }
        }
    }

    /// What one reading costs: the median of many short series.
    fn cost(&self) -> Nanos {
        const SERIES: u64 = 64;
        let mut costs: Vec<u64> = (0..31)
            .map(|_| {
                let begin = self.now();
                for _ in 0..SERIES {
                    std::hint::black_box(self.now());
                }
                self.now().minus(begin).0 / (SERIES + 1)
            })
            .collect();
        costs.sort_unstable();
        Nanos(costs[costs.len() / 2])
    }
}

impl Clock for WallClock {
    const SLACK: Nanos = SLEEP_SLACK;

    #[inline]
    fn now(&self) -> Nanos {
        match self.source {
            Source::Tsc {
                origin_ticks,
                scale,
            } => scale.nanos(ticks().saturating_sub(origin_ticks)),
            Source::Monotonic => Nanos(self.anchor.elapsed().as_nanos() as u64),
        }
    }

    fn wait_until(&self, moment: Nanos) {
        let left = moment.minus(self.now());
        if left > SLEEP_SLACK {
            std::thread::sleep(left.minus(SLEEP_SLACK).as_duration());
        }
        while self.now() < moment {
            std::hint::spin_loop();
        }
    }

    fn sleep_until(&self, moment: Nanos) {
        std::thread::sleep(moment.minus(self.now()).as_duration());
    }
}

#[allow(clippy::disallowed_methods, reason = "the one place that reads it")]
pub(crate) fn monotonic() -> Instant {
    Instant::now()
}

/// Returns at a moment of the monotonic clock, or a little later. The last part is spun, because a timer is late.
pub(crate) fn wait_for(moment: Instant) {
    let left = moment.saturating_duration_since(monotonic());
    std::thread::sleep(left.saturating_sub(SLEEP_SLACK.as_duration()));
    while monotonic() < moment {
        std::hint::spin_loop();
    }
}

/// Reads the counter and the clock at nearly the same moment: the tightest of several tries.
fn reading() -> Reading {
    let tries = (0..8).map(|_| {
        let before = ticks();
        let time = monotonic();
        let width = ticks().saturating_sub(before);
        let ticks = before + width / 2;
        (width, Reading { ticks, time })
    });
    let (_, tightest) = tries.min_by_key(|(width, _)| *width).expect("eight tries");
    tightest
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn ticks() -> u64 {
    // SAFETY: the instruction exists on every x86-64 processor and only reads a counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// No counter that we know: the calibration finds that it stands still.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn ticks() -> u64 {
    0
}

/// A clock that its creator controls: each reading takes `step`, and waiting takes no time at all.
#[derive(Clone, Debug)]
pub(crate) struct FakeClock {
    now_ns: Cell<u64>,
    step: Nanos,
}

impl FakeClock {
    pub(crate) fn new(step: Nanos) -> Self {
        FakeClock {
            now_ns: Cell::new(0),
            step,
        }
    }
}

impl Clock for FakeClock {
    const SLACK: Nanos = Nanos(0);

    #[inline]
    fn now(&self) -> Nanos {
        let now = self.now_ns.get();
        self.now_ns.set(now + self.step.0);
        Nanos(now)
    }

    fn wait_until(&self, moment: Nanos) {
        self.now_ns.set(self.now_ns.get().max(moment.0));
    }

    fn sleep_until(&self, moment: Nanos) {
        self.wait_until(moment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sources_run_forward_and_agree_with_the_monotonic_clock() {
        for trusted in [false, true] {
            let clock = WallClock::start(trusted, &Calibration::default());
            let clock = clock.restarted().0;
            let mut last = clock.now();
            for _ in 0..10_000 {
                let now = clock.now();
                assert!(now >= last);
                last = now;
            }
            clock.wait_until(Nanos::millis(3));
            assert!(clock.now() >= Nanos::millis(3));
            let record = clock.record();
            // A pair of readings can be torn apart by an interrupt; a wrong scale would show as percents.
            assert!(record.drift < Nanos::millis(1), "{record:?}");
        }
    }

    #[test]
    fn a_counter_that_goes_another_way_is_given_up_and_reported() {
        let mut clock = WallClock::start(true, &Calibration::default());
        let Source::Tsc { scale, .. } = &mut clock.source else {
            println!("skipped: this processor has no time stamp counter that we know");
            return;
        };
        *scale = scale.faster_by_a_part_in(50);
        clock.wait_until(Nanos::millis(3));
        let (restarted, note) = clock.restarted();
        assert_eq!(restarted.record().source, "monotonic");
        let note = note.unwrap();
        assert!(note.starts_with("the time-stamp counter went "), "{note}");
        let again = restarted.restarted();
        assert_eq!(
            (again.0.record().source.as_str(), again.1),
            ("monotonic", None)
        );
    }

    #[test]
    fn a_fake_clock_stands_still_but_for_its_step() {
        let clock = FakeClock::new(Nanos(2));
        assert_eq!([clock.now(), clock.now()], [Nanos(0), Nanos(2)]);
        clock.wait_until(Nanos(100));
        clock.wait_until(Nanos(50));
        assert_eq!(clock.now(), Nanos(100));
    }
}
