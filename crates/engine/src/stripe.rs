//! SQLIO's stripes: a matrix of blocks, walked column by column, the columns shared out among the threads.
//!
//! Pure and exact: no randomness. What the matrix is stands at [`model::StripeAccess`].

use model::StripeAccess;

/// One thread's endless list of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Stripe {
    columns: u64,
    rows: u64,
    first: u64, // of the thread's own columns
    end: u64,   // behind them; above `first`
    column: u64,
    row: u64,
}

impl Stripe {
    /// For the thread of this number among so many.
    pub(crate) fn new(access: StripeAccess, index: u32, threads: u32) -> Self {
        let columns = u64::from(access.columns);
        let begin = |thread: u32| columns * u64::from(thread) / u64::from(threads);
        let (first, end) = (begin(index), begin(index + 1));
        assert!(
            first < end && access.rows > 0,
            "the check leaves a column for each thread, and rows"
        );
        Stripe {
            columns,
            rows: u64::from(access.rows),
            first,
            end,
            column: first,
            row: 0,
        }
    }

    /// The number of the next block: down the column, then the next column.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let number = self.row * self.columns + self.column;
        self.row += 1;
        if self.row == self.rows {
            self.row = 0;
            self.column += 1;
            if self.column == self.end {
                self.column = self.first;
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn blocks((columns, rows): (u32, u32), index: u32, threads: u32, count: usize) -> Vec<u64> {
        let mut stripe = Stripe::new(StripeAccess { columns, rows }, index, threads);
        (0..count).map(|_| stripe.next()).collect()
    }

    /// Case O028: `-b2 -f64 -i64 -t1`.
    #[test]
    fn o028_a_run_goes_down_one_column_and_the_next_run_takes_the_next() {
        let walk = blocks((64, 64), 0, 1, 64 * 64 + 2);
        assert_eq!(&walk[..3], [0, 64, 128]);
        assert_eq!(&walk[62..66], [3968, 4032, 1, 65]);
        assert_eq!(&walk[64 * 64 - 1..], [4095, 0, 64], "then it starts over");
    }

    /// Case O029: the same with `-t2`.
    #[test]
    fn o029_threads_share_the_columns_out() {
        let columns = |index| -> HashSet<u64> {
            let walk = blocks((64, 64), index, 2, 64 * 32);
            walk.iter().map(|block| block % 64).collect()
        };
        assert_eq!(columns(0), (0..32).collect());
        assert_eq!(columns(1), (32..64).collect());
        let second = blocks((64, 64), 1, 2, 64 * 32 + 1);
        assert_eq!((second[0], second[1], second[64]), (32, 96, 33));
        assert_eq!(second[64 * 32], 32, "it starts over in its own part");
    }

    #[test]
    fn a_stripe_of_one_block_is_sequential() {
        assert_eq!(blocks((1, 4), 0, 1, 6), [0, 1, 2, 3, 0, 1]);
    }

    #[test]
    fn columns_that_cannot_be_shared_evenly_are_all_taken_once() {
        for threads in 1..=7 {
            let mut all: Vec<u64> = Vec::new();
            for index in 0..threads {
                let stripe = Stripe::new(
                    StripeAccess {
                        columns: 7,
                        rows: 3,
                    },
                    index,
                    threads,
                );
                let own = ((stripe.end - stripe.first) * 3) as usize;
                all.extend(blocks((7, 3), index, threads, own));
            }
            all.sort_unstable();
            assert_eq!(all, (0..21).collect::<Vec<u64>>(), "{threads} threads");
        }
    }
}
