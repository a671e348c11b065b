//! How fast completions come, so that the loop knows whether to submit each I/O at once or a batch whole.
//!
//! No division: it is asked for each I/O. Deliberately absent: what follows from it, which is the loop's.

use model::Nanos;

/// Where I/Os complete slower than this, each is submitted at once: a system call an I/O is then little
/// compared with the device, which can begin on the first of a batch while the last is still being built. Where they
/// complete faster, a batch is submitted whole. On a virtual disk at depth 32 (13 µs an I/O) handing over at
/// once gives 8 to 12% more; on the page cache (0.5 µs an I/O) batches give 25% more.
const SLOW: Nanos = Nanos::micros(5);
/// A completion counts as so many, so that few of them can fade as well.
const ONE: u64 = 256;

/// Time and completions of about the last eight turns of the loop: each turn an eighth of both is forgotten.
#[derive(Debug)]
pub(crate) struct Pace {
    time_ns: u64,
    completions: u64, // times ONE
}

impl Pace {
    /// Slow until it is known better.
    pub(crate) fn new() -> Self {
        Pace {
            time_ns: 16 * SLOW.0,
            completions: 8 * ONE,
        }
    }

    /// A turn of the loop found so many completions. // none count as one, so that silence is slow
    #[inline]
    pub(crate) fn learn(&mut self, turn: Nanos, completions: usize) {
        self.time_ns = self.time_ns - self.time_ns / 8 + turn.0;
        let found = completions.max(1) as u64 * ONE;
        self.completions = self.completions - self.completions / 8 + found;
    }

    #[inline]
    pub(crate) fn is_slow(&self) -> bool {
        u128::from(self.time_ns) * u128::from(ONE) > u128::from(SLOW.0 * self.completions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(turns: u32, turn_ns: u64, completions: usize) -> bool {
        let mut pace = Pace::new();
        (0..turns).for_each(|_| pace.learn(Nanos(turn_ns), completions));
        pace.is_slow()
    }

    #[test]
    fn it_is_slow_until_a_few_fast_turns_were_seen() {
        assert!(Pace::new().is_slow() && after(3, 100_000, 1));
        assert!(!after(12, 500, 1) && !after(12, 16_000, 32));
        assert!(after(100, 5_200, 1) && after(100, 32 * 5_200, 32));
        assert!(!after(100, 4_800, 1) && !after(100, 32 * 4_800, 32));
    }

    #[test]
    fn silence_is_slow_and_no_turn_is_too_long() {
        let mut pace = Pace::new();
        (0..50).for_each(|_| pace.learn(Nanos(600), 1));
        assert!(!pace.is_slow());
        pace.learn(Nanos::seconds(100_000_000), 0);
        assert!(pace.is_slow());
    }
}
