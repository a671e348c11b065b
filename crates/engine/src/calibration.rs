//! How long a tick of the time stamp counter is: found by comparing it with the monotonic clock.
//!
//! The first run of a command watches for 4 ms, of which what passed since the command began ([`Calibration::begun`]) is
//! already over. A later one looks back to the start of the one before it, which is longer ago, so that it has the better
//! rate and waits for nothing. Deliberately absent: which clock is used (`clock`), and whether the counter may be trusted
//! at all (`host`).

use model::Nanos;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long the counter is watched at least. The tightest of some pairs of readings is good to about 10 ns, so the rate is
/// good to about 3 parts in a million: of 60 rates over 4 ms, the worst was 2.6 in a million off that over 150 ms, of 60 over
/// 10 ms 1.0. What is left shows as drift in the record.
const WATCHED_MIN: Duration = Duration::from_millis(4);
/// A first reading that is older is not used: a machine that slept since then would give another rate, and there is none
/// before it to compare with.
const BEGUN_MAX: Duration = Duration::from_secs(1);
/// A rate over a longer time stands in for a fresh one unless it is further from the rate before it than one part in so
/// many. The system's own slewing of its clock stays below 500 in a million (adjtimex(2)); a machine that slept, with
/// the counter running and the clock standing, is far beyond.
const SAME_WITHIN: u64 = 1_000;

/// Nanoseconds a tick, times 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale(u64);

impl Scale {
    /// From so many ticks in so long a time; `None` where the counter does not run.
    fn of(ticks: u64, time: Duration) -> Option<Scale> {
        let scale = (time.as_nanos() << 32).checked_div(u128::from(ticks))?;
        u64::try_from(scale)
            .ok()
            .filter(|&scale| scale > 0)
            .map(Scale)
    }

    /// The time of so many ticks.
    #[inline]
    pub(crate) fn nanos(self, ticks: u64) -> Nanos {
        Nanos(((u128::from(ticks) * u128::from(self.0)) >> 32) as u64)
    }

    /// A rate that is wrong by so much.
    #[cfg(test)]
    pub(crate) fn faster_by_a_part_in(self, part: u64) -> Scale {
        Scale(self.0 + self.0 / part)
    }

    fn is_near(self, other: Scale) -> bool {
        self.0.abs_diff(other.0) <= other.0 / SAME_WITHIN
    }
}

/// The counter and the clock at nearly the same moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) ticks: u64,
    pub(crate) time: Instant,
}

/// What one run of a command leaves to the next about the counter.
#[derive(Debug, Default)]
pub struct Calibration {
    known: Cell<Option<Known>>,
    begun: Option<Reading>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    /// When this was found out.
    at: Reading,
    scale: Scale,
}

impl Calibration {
    /// Watches since this reading.
    pub(crate) fn since(begun: Reading) -> Self {
        Calibration {
            begun: Some(begun),
            ..Calibration::default()
        }
    }

    /// The counter's rate, from what `read` returns. Waits where the last look is not long enough ago.
    pub(crate) fn scale(&self, read: fn() -> Reading) -> Option<Scale> {
        let known = self.looked_back(read());
        let known = known.or_else(|| watched(read, self.begun));
        self.known.set(known);
        known.map(|known| known.scale)
    }

    /// The rate since the last look.
    fn looked_back(&self, now: Reading) -> Option<Known> {
        let before = self.known.get()?;
        let scale = between(before.at, now)?;
        scale
            .is_near(before.scale)
            .then_some(Known { at: now, scale })
    }
}

/// Returns the rate since `begun`, after a wait where that is too short ago; without it, the rate while this waits.
fn watched(read: fn() -> Reading, begun: Option<Reading>) -> Option<Known> {
    let (first, wait) = first_and_wait(begun, read());
    std::thread::sleep(wait);
    let at = read();
    between(first, at).map(|scale| Known { at, scale })
}

/// Returns the reading to count from, and how long to wait until it is long enough ago.
fn first_and_wait(begun: Option<Reading>, now: Reading) -> (Reading, Duration) {
    let since = |begun: &Reading| now.time.saturating_duration_since(begun.time);
    let first = begun.filter(|begun| since(begun) <= BEGUN_MAX);
    let first = first.unwrap_or(now);
    (first, WATCHED_MIN.saturating_sub(since(&first)))
}

/// `None` also where it is too short, or the counter went back.
fn between(first: Reading, last: Reading) -> Option<Scale> {
    let time = last.time.checked_duration_since(first.time)?;
    let ticks = last.ticks.checked_sub(first.ticks)?;
    Scale::of(ticks, time).filter(|_| time >= WATCHED_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::monotonic;

    fn reading(ticks: u64, time: Instant) -> Reading {
        Reading { ticks, time }
    }

    fn known(scale: u64) -> (Calibration, Instant) {
        let calibration = Calibration::default();
        let then = monotonic();
        let at = reading(1_000, then);
        let scale = Scale(scale);
        calibration.known.set(Some(Known { at, scale }));
        (calibration, then)
    }

    #[test]
    fn a_later_run_takes_the_rate_since_the_one_before() {
        // Two ticks a nanosecond, and then 50 in a million fewer.
        let (calibration, then) = known(1 << 31);
        let second = Duration::from_secs(1);
        let found = calibration
            .looked_back(reading(1_000 + 1_999_900_000, then + second))
            .unwrap();
        assert_eq!(found.scale.nanos(1_999_900_000), Nanos(999_999_999));
    }

    #[test]
    fn the_first_run_waits_for_what_is_missing_since_the_command_began() {
        let begun = reading(1_000, monotonic());
        let wait = |after_ms: u64| {
            let now = reading(9_000, begun.time + Duration::from_millis(after_ms));
            let (first, wait) = first_and_wait(Some(begun), now);
            (first.ticks, wait.as_millis())
        };
        assert_eq!(wait(0), (1_000, 4));
        assert_eq!(wait(3), (1_000, 1));
        assert_eq!(wait(5), (1_000, 0));
        assert_eq!(wait(1_001), (9_000, 4)); // too long ago
        assert_eq!(first_and_wait(None, begun).1, WATCHED_MIN);
    }

    #[test]
    fn what_cannot_be_believed_is_watched_anew() {
        let (calibration, then) = known(1 << 31);
        let later =
            |ticks: u64, time: Duration| calibration.looked_back(reading(ticks, then + time));
        // Too short ago; the counter stood, went back, or went on while the machine slept.
        assert!(later(2_000_000, Duration::from_millis(1)).is_none());
        assert!(later(1_000, Duration::from_secs(1)).is_none());
        assert!(later(999, Duration::from_secs(1)).is_none());
        assert!(later(4_000_000_000, Duration::from_secs(1)).is_none());
        assert!(later(2_000_000_000, Duration::from_secs(1)).is_some());
    }
}
