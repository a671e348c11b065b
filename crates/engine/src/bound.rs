//! Whether a thread reaches what it has to: a rate over each cycle, and no latency above a bound. Looked at once per millisecond or so,
//! and never for a single I/O.
//!
//! As in fio, rates are those of a thread, over all its targets, and are compared from two seconds after its start on.

use model::{Bounds, Nanos};

/// Before the first rate is taken.
const SETTLING: Nanos = Nanos::seconds(2);
/// What fio reports: EIO for a rate, ETIMEDOUT for a latency.
const EIO: i32 = 5;
const ETIMEDOUT: i32 = 110;

/// What was moved so far, and the longest latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    pub(crate) longest: Nanos,
}

impl Moved {
    /// Both together.
    pub(crate) fn and(self, other: Moved) -> Moved {
        Moved {
            ios: self.ios + other.ios,
            bytes: self.bytes + other.bytes,
            longest: self.longest.max(other.longest),
        }
    }
}

/// The bounds of one thread on one target, or on all of those that it takes in turn.
#[derive(Debug)]
pub(crate) struct Bound {
    bounds: Bounds,
    from: Option<Nanos>, // of the cycle; none before the first
    seen: (u64, u64),    // I/Os and bytes then
}

/// What was not reached.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unmet {
    pub(crate) errno: i32,
    pub(crate) message: String,
}

impl Bound {
    /// None where nothing has to be reached.
    pub(crate) fn new(bounds: Bounds) -> Option<Box<Bound>> {
        let bound = Bound {
            bounds,
            from: None,
            seen: (0, 0),
        };
        (!bounds.is_none()).then(|| Box::new(bound))
    }

    /// Compares what was moved so far. `since` is the time since the thread began its part of the measured phase.
    pub(crate) fn look(&mut self, since: Nanos, moved: Moved) -> Option<Unmet> {
        let Moved {
            ios,
            bytes,
            longest,
        } = moved;
        let most = self.bounds.latency_max;
        if most.0 > 0 && longest > most {
            return Some(Unmet {
                errno: ETIMEDOUT,
                message: format!(
                    "max_latency: an I/O took {:.1} µs, and {:.1} µs is the most that is accepted",
                    longest.0 as f64 / 1e3,
                    most.0 as f64 / 1e3
                ),
            });
        }
        let Some(from) = self.from else {
            if since >= SETTLING {
                (self.from, self.seen) = (Some(since), (ios, bytes));
            }
            return None;
        };
        let took = since.minus(from);
        if took < self.bounds.cycle {
            return None;
        }
        let moved = (ios - self.seen.0, bytes - self.seen.1);
        (self.from, self.seen) = (Some(since), (ios, bytes));
        let least = [
            ("rate_iops_min", moved.0, self.bounds.iops_min, "IOPS"),
            ("rate_min", moved.1, self.bounds.bytes_per_s_min, "B/s"),
        ];
        least.into_iter().find_map(|(name, count, least, unit)| {
            let rate = took.rate_of(count as f64);
            (rate < least as f64).then(|| Unmet {
                errno: EIO,
                message: format!("{name}: {rate:.0} {unit} in {:.1} s, and {least} {unit} is the least that is accepted",
                    took.as_seconds()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_compared_per_cycle_from_two_seconds_on_and_latencies_always() {
        let bounds = Bounds {
            iops_min: 100,
            latency_max: Nanos::millis(5),
            ..Bounds::default()
        };
        let mut bound = Bound::new(bounds).unwrap();
        let mut at = |ms: u64, ios: u64, longest: u64| {
            let moved = Moved {
                ios,
                bytes: ios * 4096,
                longest: Nanos::millis(longest),
            };
            let unmet = bound.look(Nanos::millis(ms), moved);
            unmet.map(|unmet| unmet.errno)
        };
        assert_eq!(at(1000, 0, 1), None, "the start is not compared");
        assert_eq!(at(2000, 10, 1), None);
        assert_eq!(at(2900, 10, 1), None);
        assert_eq!(at(3000, 110, 1), None);
        assert_eq!(at(4000, 209, 5), Some(EIO));
        assert_eq!(at(4001, 210, 6), Some(ETIMEDOUT));
        assert!(Bound::new(Bounds::default()).is_none());
    }
}
