//! Asks an onlooker, again and again, whether what was counted is enough for what he wants to know.
//!
//! On the control plane: the workers publish their counts anyway. Deliberately absent: what is enough, which is the
//! onlooker's decision, and clocks.

use crate::observer::{Observer, SoFar};
use model::Nanos;

/// From one question to the next.
pub(crate) const ASK_EVERY: Nanos = Nanos::millis(20);
/// Readings that an onlooker is asked by, at most: after those he is not asked any more.
const READINGS_MAX: u64 = 10_000;

/// What the onlooker is asked by: the readings of the measured phase so far.
pub(crate) struct Judge {
    from: Nanos,
    ios_before: u64,
    so_far: Vec<SoFar>,
    enough: bool, // its decision
}

impl Judge {
    /// At the start of a measured phase of this length, when so many I/Os were done.
    pub(crate) fn begin(from: Nanos, ios_before: u64, measured: Nanos) -> Judge {
        let readings = (measured.0 / ASK_EVERY.0).min(READINGS_MAX) as usize;
        Judge {
            from,
            ios_before,
            so_far: Vec::with_capacity(readings),
            enough: false,
        }
    }

    /// When he is to be asked next.
    pub(crate) fn due(&self) -> Nanos {
        if self.enough || self.so_far.len() as u64 >= READINGS_MAX {
            return Nanos::MAX;
        }
        let last = self.so_far.last().map_or(Nanos(0), |last| last.elapsed);
        self.from.plus(last).plus(ASK_EVERY)
    }

    /// Takes a reading: so many I/Os are done. Whether he has enough.
    pub(crate) fn asks(&mut self, observer: &dyn Observer, now: Nanos, ios: u64) -> bool {
        self.so_far.push(SoFar {
            elapsed: now.minus(self.from),
            ios: ios.saturating_sub(self.ios_before),
        });
        self.enough = observer.enough(&self.so_far);
        self.enough
    }

    /// Returns whether the onlooker has enough.
    pub(crate) fn had_enough(&self) -> bool {
        self.enough
    }
}
