//! Detects when the system did not run this process: SIGSTOP, a debugger, a freezer cgroup, a paused or suspended machine.
//!
//! The evidence is the control plane's own sleep: a sleep that takes 100 ms longer than requested although the thread
//! was not ready to run (`schedstat` counts the time ready and without a processor), did not wait for a page from a disk,
//! and the workers completed nearly nothing either. A target that stalls delays none of these. Suspension is the growth of
//! CLOCK_BOOTTIME over CLOCK_MONOTONIC. Omitted: a process that is starved of processor time, which the workers' own
//! accounts show, and what follows for the result (`analysis`).

use crate::usage;
use model::{Nanos, ProcessStop};

/// Shorter delays of a sleep are those of a busy machine.
const STOP_MIN: Nanos = Nanos::millis(100);
/// Workers that completed this part of what their mean rate gives in such a time were running.
const PROGRESS_MAX: f64 = 0.25;

/// The system's counters of the calling thread; all of it only grows.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    /// Time ready to run without a processor.
    delayed: Nanos,
    /// Page faults that waited for a device; `None` where the system does not report them.
    faults: Option<u64>,
}

impl Reading {
    fn now() -> Self {
        Reading {
            delayed: usage::delay_of_this_thread().unwrap_or_default(),
            faults: usage::major_faults_of_this_thread(),
        }
    }
}

/// One sleep of the control plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleep {
    pub(super) from: Nanos,
    pub(super) requested: Nanos,
    pub(super) woke: Nanos,
    /// I/Os that the workers had completed before and after it.
    pub(super) ios: (u64, u64),
}

/// The stops so far.
pub(super) struct ProcessStops {
    before: Reading,
    suspended: Nanos,
    found: Vec<ProcessStop>,
}

impl ProcessStops {
    pub(super) fn new() -> Self {
        ProcessStops {
            before: Reading::now(),
            suspended: usage::suspended(),
            found: Vec::new(),
        }
    }

    /// Takes a new reading to compare with; a few times a second are enough.
    pub(super) fn refresh(&mut self) {
        self.before = Reading::now();
    }

    /// Called after each sleep.
    pub(super) fn woke(&mut self, sleep: Sleep) {
        let suspended = usage::suspended();
        let asleep = suspended.minus(self.suspended);
        let late = sleep.woke.minus(sleep.from).minus(sleep.requested);
        if late < STOP_MIN && asleep < STOP_MIN {
            return;
        }
        let now = Reading::now();
        self.found.extend(stop(sleep, self.before, now, asleep));
        (self.before, self.suspended) = (now, suspended);
    }

    pub(super) fn into_found(self) -> Vec<ProcessStop> {
        self.found
    }
}

/// The stop that explains a late sleep, if one does.
fn stop(sleep: Sleep, before: Reading, now: Reading, asleep: Nanos) -> Option<ProcessStop> {
    let late = sleep.woke.minus(sleep.from).minus(sleep.requested);
    let length = late.minus(now.delayed.minus(before.delayed));
    let suspended = if asleep < STOP_MIN { Nanos(0) } else { asleep };
    let completed = sleep.ios.1.saturating_sub(sleep.ios.0) as f64;
    let expected = sleep.ios.0 as f64 * late.0 as f64 / sleep.from.0.max(1) as f64;
    let progressed = completed > PROGRESS_MAX * expected.max(1.0);
    // Unknown faults prove no stop.
    let faults = now.faults.zip(before.faults);
    let waited_for_a_page = faults.is_none_or(|(now, before)| now > before);
    let stopped = length >= STOP_MIN && !progressed && !waited_for_a_page;
    (stopped || suspended.0 > 0).then(|| ProcessStop {
        from: sleep.woke.minus(length),
        length,
        suspended,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sleep of 20 ms at 5 s that took two seconds longer; 1000 IOPS before.
    fn late(completed: u64) -> Sleep {
        Sleep {
            from: Nanos::seconds(5),
            requested: Nanos::millis(20),
            woke: Nanos::millis(7020),
            ios: (5000, 5000 + completed),
        }
    }

    fn reading(delayed_ms: u64, faults: u64) -> Reading {
        Reading {
            delayed: Nanos::millis(delayed_ms),
            faults: Some(faults),
        }
    }

    #[test]
    fn a_late_sleep_without_another_reason_is_a_stop() {
        let found = stop(late(40), reading(7, 1), reading(7, 1), Nanos(0)).unwrap();
        assert_eq!(
            (found.from, found.length),
            (Nanos::millis(5020), Nanos::seconds(2))
        );
    }

    #[test]
    fn starvation_a_page_from_disk_and_workers_that_went_on_are_no_stop() {
        let none = |sleep, now| stop(sleep, reading(7, 1), now, Nanos(0));
        assert_eq!(none(late(40), reading(1950, 1)), None, "no processor");
        assert_eq!(none(late(40), reading(7, 2)), None, "a page fault");
        let unknown = Reading {
            faults: None,
            ..reading(7, 1)
        };
        assert_eq!(none(late(40), unknown), None, "perhaps a page fault");
        assert_eq!(none(late(1800), reading(7, 1)), None, "one thread only");
    }

    #[test]
    fn a_suspended_machine_is_a_stop_also_where_the_clock_stood_still() {
        let on_time = Sleep {
            woke: Nanos::millis(5021),
            ..late(0)
        };
        let found = stop(on_time, reading(0, 0), reading(0, 0), Nanos::seconds(60)).unwrap();
        assert_eq!(found.suspended, Nanos::seconds(60));
        assert!(found.length < STOP_MIN);
    }
}
