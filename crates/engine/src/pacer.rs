//! How fast one thread may go on one target. Asked before an I/O is stamped, so that waiting is never latency.
//!
//! Each meter starts with the run, and what was not used counts later: after a stall a rate runs at full speed until it
//! has caught up, as in DISKSPD. Waiting itself is the worker's business.

use crate::arrivals::Moments;
use crate::clock::Clock;
use model::{Arrivals, Nanos, Pacing};

const NS_PER_S: u128 = 1_000_000_000;

/// The meter of one thread on one target.
#[derive(Clone, Debug)]
pub(crate) enum Pacer {
    Free,
    Rate {
        bytes_per_s: u64, // above 0
        block: u64,       // the largest
        charged: u64,     // bytes issued
        due: Nanos,       // when the rate allows one block more
    },
    Ios(Moments),
    Bursts {
        ios: u32, // above 0
        left: u32,
        pause: Nanos,
        due: Nanos,
    },
    /// The generator of the I/Os specifies when to pause.
    Scheduled {
        due: Nanos,
    },
}

impl Pacer {
    pub(crate) fn new(pacing: Pacing, block: u64, seed: u64, thread: u32) -> Self {
        match pacing {
            Pacing::Free => Pacer::Free,
            Pacing::Rate { bytes_per_s } => Pacer::Rate {
                bytes_per_s,
                block,
                charged: 0,
                due: moment(block, bytes_per_s),
            },
            Pacing::Ios { per_s, spacing } => {
                let arrivals = Arrivals { per_s, spacing };
                Pacer::Ios(Moments::of_thread(arrivals, seed, thread))
            }
            Pacing::Bursts { ios, pause } => Pacer::Bursts {
                ios,
                left: ios,
                pause,
                due: Nanos(0),
            },
        }
    }

    /// The moment to wait for, where the next I/O is not due yet.
    #[inline]
    pub(crate) fn holds_until<C: Clock>(&self, clock: &C) -> Option<Nanos> {
        match self {
            Pacer::Free => None,
            Pacer::Ios(moments) => (clock.now() < moments.next()).then_some(moments.next()),
            Pacer::Rate { due, .. } | Pacer::Bursts { due, .. } | Pacer::Scheduled { due } => {
                (clock.now() < *due).then_some(*due)
            }
        }
    }

    /// Nothing is due before this moment, where pauses are specified.
    #[inline]
    pub(crate) fn hold(&mut self, until: Nanos) {
        if let Pacer::Scheduled { due } = self {
            *due = until;
        }
    }

    /// Charges an I/O of so many bytes that was issued at `at`.
    #[inline]
    pub(crate) fn charge(&mut self, at: Nanos, bytes: u64) {
        match self {
            Pacer::Free | Pacer::Scheduled { .. } => {}
            Pacer::Rate {
                bytes_per_s,
                block,
                charged,
                due,
            } => {
                *charged += bytes;
                *due = moment(*charged + *block, *bytes_per_s);
            }
            Pacer::Ios(moments) => {
                moments.take();
            }
            Pacer::Bursts {
                ios,
                left,
                pause,
                due,
            } => {
                *left -= 1;
                if *left == 0 {
                    *left = *ios;
                    *due = at.plus(*pause);
                }
            }
        }
    }
}

/// When so many bytes are allowed: the first whole nanosecond at which time × rate reaches them.
fn moment(bytes: u64, bytes_per_s: u64) -> Nanos {
    let ns = (u128::from(bytes) * NS_PER_S).div_ceil(u128::from(bytes_per_s));
    Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;
    use model::Spacing;

    #[test]
    fn a_rate_lets_the_first_block_wait_and_remembers_what_was_not_used() {
        let clock = FakeClock::new(Nanos(0));
        let mut pacer = Pacer::new(
            Pacing::Rate {
                bytes_per_s: 4_096_000,
            },
            4096,
            7,
            3,
        );
        assert_eq!(pacer.holds_until(&clock), Some(Nanos::millis(1)));
        clock.wait_until(Nanos::millis(3));
        for expected in [None, None, None, Some(Nanos::millis(4))] {
            assert_eq!(pacer.holds_until(&clock), expected);
            pacer.charge(Nanos::millis(3), 4096);
        }
    }

    #[test]
    fn a_rate_of_ios_counts_them_whatever_their_size() {
        let clock = FakeClock::new(Nanos(0));
        let pacing = Pacing::Ios {
            per_s: 1000,
            spacing: Spacing::Constant,
        };
        let mut pacer = Pacer::new(pacing, 4096, 7, 3);
        for (bytes, due) in [(512, 1), (1 << 20, 2), (4096, 3)] {
            assert_eq!(pacer.holds_until(&clock), None);
            pacer.charge(Nanos(0), bytes);
            assert_eq!(pacer.holds_until(&clock), Some(Nanos::millis(due)));
            clock.wait_until(Nanos::millis(due));
        }
    }

    #[test]
    fn a_burst_is_followed_by_its_pause() {
        let clock = FakeClock::new(Nanos(0));
        let mut pacer = Pacer::new(
            Pacing::Bursts {
                ios: 2,
                pause: Nanos::millis(5),
            },
            4096,
            7,
            3,
        );
        pacer.charge(Nanos(0), 4096);
        assert_eq!(pacer.holds_until(&clock), None);
        pacer.charge(Nanos(100), 4096);
        assert_eq!(pacer.holds_until(&clock), Some(Nanos(5_000_100)));
        clock.wait_until(Nanos(5_000_100));
        assert_eq!(pacer.holds_until(&clock), None);
    }
}
