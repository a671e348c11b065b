//! What a worker's time goes into, by the stamps that it takes anyway.
//!
//! The first [`FIRST`] turns of the loop and then one in [`EVERY`] are looked at: a thread whose calls block has few turns. So
//! the account costs the loop one decrement a turn and no reading of the clock. The number is a prime, so that no rhythm of the
//! loop hides behind it. Deliberately absent: processor time, which the thread's owner reads before and after.

use model::{Account, Nanos};

/// One turn in so many is looked at.
const EVERY: u32 = 61;
/// All of the first turns are.
const FIRST: u64 = 8;
/// 0, 1, 2 to 3 … 32 768 and more.
const SIZES: usize = 17;

/// One thread's account.
#[derive(Debug)]
pub(crate) struct LoopProfile {
    left: u32, // turns until the next look, this one included
    looked_at: u64,
    issuing: Nanos,
    waiting: Nanos,
    waiting_full: Nanos,
    issued: [u64; SIZES],
    found: [u64; SIZES],
    began: Option<Nanos>,
    ended: Nanos,
}

/// One turn of the loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// When the completions before it were found.
    pub(crate) began: Nanos,
    /// The last stamp of an I/O in it; `began` where none was issued.
    pub(crate) issued_at: Nanos,
    /// When its own completions were found.
    pub(crate) found_at: Nanos,
    pub(crate) issued: usize,
    pub(crate) found: usize,
    /// No slot was free while it waited.
    pub(crate) full: bool,
}

impl LoopProfile {
    pub(crate) fn new() -> Self {
        LoopProfile {
            left: 1,
            looked_at: 0,
            issuing: Nanos(0),
            waiting: Nanos(0),
            waiting_full: Nanos(0),
            issued: [0; SIZES],
            found: [0; SIZES],
            began: None,
            ended: Nanos(0),
        }
    }

    /// Whether this turn is looked at. Asked once a turn.
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0
    }

    /// Checks a turn that is due.
    #[cold]
    pub(crate) fn look(&mut self, turn: Turn) {
        self.looked_at += 1;
        self.left = if self.looked_at < FIRST { 1 } else { EVERY };
        self.issuing = self.issuing.plus(turn.issued_at.minus(turn.began));
        let waited = turn.found_at.minus(turn.issued_at);
        self.waiting = self.waiting.plus(waited);
        if turn.full {
            self.waiting_full = self.waiting_full.plus(waited);
        }
        self.issued[size(turn.issued)] += 1;
        self.found[size(turn.found)] += 1;
    }

    /// The whole of it began then.
    pub(crate) fn begin(&mut self, now: Nanos) {
        self.began = Some(now);
    }

    /// And ended then.
    pub(crate) fn end(&mut self, now: Nanos) {
        self.ended = now;
    }

    /// All turns, of which those since the last one that was looked at are known by what is left.
    fn turns(&self) -> u64 {
        match self.looked_at.checked_sub(FIRST) {
            None => self.looked_at,
            Some(later) => FIRST + later * u64::from(EVERY) + u64::from(EVERY - self.left),
        }
    }

    /// For the record; without what others count.
    pub(crate) fn close(self) -> Account {
        let used = |sizes: [u64; SIZES]| {
            let last = sizes.iter().rposition(|&turns| turns > 0);
            sizes[..last.map_or(0, |last| last + 1)].to_vec()
        };
        Account {
            elapsed: self.ended.minus(self.began.unwrap_or(self.ended)),
            cpu: None,
            delayed: None,
            again: 0,
            turns: self.turns(),
            looked_at: self.looked_at,
            issuing: self.issuing,
            waiting: self.waiting,
            waiting_full: self.waiting_full,
            issued: used(self.issued),
            found: used(self.found),
        }
    }
}

/// The place of a batch in the counts.
fn size(batch: usize) -> usize {
    ((usize::BITS - batch.leading_zeros()) as usize).min(SIZES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_turns_and_one_in_sixty_one_are_looked_at_and_all_are_counted() {
        let mut book = LoopProfile::new();
        book.begin(Nanos(5));
        for number in 0..200u64 {
            if book.is_due() {
                book.look(Turn {
                    began: Nanos(number),
                    issued_at: Nanos(number + 2),
                    found_at: Nanos(number + 9),
                    issued: 3,
                    found: 0,
                    full: number > 100,
                });
            }
        }
        book.end(Nanos(305));
        let account = book.close();
        assert_eq!((account.turns, account.looked_at), (200, 11));
        assert_eq!(account.elapsed, Nanos(300));
        let times = [account.issuing, account.waiting, account.waiting_full];
        assert_eq!(times, [Nanos(22), Nanos(77), Nanos(14)]);
        assert_eq!((account.issued, account.found), (vec![0, 0, 11], vec![11]));
    }

    #[test]
    fn batches_are_counted_by_powers_of_two() {
        let sizes = [0, 1, 2, 3, 4, 7, 8, 32_767, 32_768, usize::MAX].map(size);
        assert_eq!(sizes, [0, 1, 2, 2, 3, 3, 4, 15, 16, 16]);
    }
}
