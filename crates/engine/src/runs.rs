//! IOR's segments: rows of runs of blocks, of which a thread has one of each row.
//!
//! Pure and exact: no randomness. What the rows are stands at [`model::Access::Runs`].

/// One thread's endless list of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    run: u64,
    row: u64,    // blocks of a row
    blocks: u64, // of the range; whole rows
    first: u64,  // of the thread's first run
    start: u64,  // of the run that it is in
    within: u64, // in [0, run)
}

impl Runs {
    /// Of one column, in a range of so many blocks.
    pub(crate) fn new(blocks: u64, run: u64, columns: u32, column: u64) -> Self {
        let row = run * u64::from(columns);
        assert!(
            row > 0 && blocks >= row,
            "the check leaves a row of runs with blocks"
        );
        let first = column * run;
        Runs {
            run,
            row,
            blocks,
            first,
            start: first,
            within: 0,
        }
    }

    /// The number of the next block: through the run, then the run of the next row.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let number = self.start + self.within;
        self.within += 1;
        if self.within == self.run {
            self.within = 0;
            self.start += self.row;
            if self.start >= self.blocks {
                self.start = self.first;
            }
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(mut runs: Runs, count: usize) -> Vec<u64> {
        (0..count).map(|_| runs.next()).collect()
    }

    /// Case 13 of IOR: `-s 4 -b 1m -t 256k` of two tasks.
    #[test]
    fn a_task_has_one_run_of_each_segment() {
        let of = |column, count| blocks(Runs::new(32, 4, 2, column), count);
        assert_eq!(of(0, 6), [0, 1, 2, 3, 8, 9]);
        assert_eq!(of(1, 6), [4, 5, 6, 7, 12, 13]);
        let all = of(1, 17);
        assert_eq!((all[15], all[16]), (31, 4), "then it starts over");
    }

    #[test]
    fn one_column_is_sequential() {
        assert_eq!(blocks(Runs::new(6, 3, 1, 0), 7), [0, 1, 2, 3, 4, 5, 0]);
    }
}
