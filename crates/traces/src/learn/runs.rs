//! Sequential runs: I/Os of one operation, each of which begins where an earlier one of the same run ended, or covers the end
//! of that again, as a log does whose last block was not full.
//!
//! The 64 runs that were continued last are followed. Where few places are used, an I/O also begins by chance where another
//! ended. How often is estimated from the ends of the 64 runs that were followed before: they are as likely to be met, and
//! nothing continues there. Omitted: runs backward or with gaps, which are single I/Os here.

/// Runs that are followed at once.
const RUNS: usize = 64;

/// A run that is followed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    end: u64,
    used: u64,  // number of its last I/O
    again: u64, // bytes that an I/O of it covered again, or its first one of another run
    /// I/Os so far.
    pub(crate) ios: u64,
    /// Bytes of the first I/O and of the last one.
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// What an I/O is to the runs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It begins one. `met`: the first I/O, in bytes, of a run of the past that it would have continued by chance.
    Begins { met: bool },
    /// It continues one, whose I/O before had `before` bytes, of which it covers the last `again` once more. `open` runs were
    /// continued since, this one included; `directly`: no other I/O came between.
    Continues {
        before: u64,
        again: u64,
        open: u32,
        directly: bool,
    },
}

/// The runs of one operation.
#[derive(Debug, Default)]
pub(crate) struct RunTracker {
    runs: Vec<Run>,
    number: u64,
    past: Vec<Run>, // runs that are not followed any more, the oldest at `oldest`
    oldest: usize,
}

impl Run {
    /// The bytes at the end of its last I/O that an I/O covers again, if it goes on from there; of a run that has not begun, only
    /// a part of them, and only by the next I/O.
    fn covered_again(&self, offset: u64, length: u64, number: u64) -> Option<u64> {
        let start = self.end - self.last;
        let covers = start <= offset && offset < self.end && self.end <= offset + length;
        let may = self.ios > 1 || offset > start && self.used + 1 == number;
        (covers && may).then(|| self.end - offset)
    }
}

impl RunTracker {
    /// Takes the next I/O. `ended` gets a run that is not followed any longer.
    pub(crate) fn take(&mut self, offset: u64, length: u64, ended: &mut dyn FnMut(&Run)) -> Step {
        self.number += 1;
        let number = self.number;
        let covered = |run: &Run| run.covered_again(offset, length, number);
        let Some(place) = self.continued(offset, &covered) else {
            let last = self.runs.iter().find(|run| run.used + 1 == number);
            let new = Run {
                end: offset + length,
                used: number,
                again: last.and_then(covered).unwrap_or(0),
                ios: 1,
                first: length,
                last: length,
            };
            let mut met = false;
            if self.runs.len() < RUNS {
                self.runs.push(new);
            } else if let Some(oldest) = self.runs.iter_mut().min_by_key(|run| run.used) {
                ended(oldest);
                let past = std::mem::replace(oldest, new);
                met = self.forget(past, offset);
            }
            return Step::Begins { met };
        };
        let its = self.runs[place];
        let others = self
            .runs
            .iter()
            .filter(|run| run.ios > 1 && run.used > its.used);
        let open = 1 + others.count() as u32;
        let run = &mut self.runs[place];
        let (before, again) = (run.last, run.end - offset);
        *run = Run {
            end: offset + length,
            used: number,
            ios: its.ios + 1,
            last: length,
            ..its
        };
        Step::Continues {
            before,
            again,
            open,
            directly: its.used + 1 == number,
        }
    }

    /// The run that an I/O continues. Several may have ended at one place; the last one goes on. What is covered again counts if
    /// it is as much as the last time: where large I/Os use few blocks, chance makes others.
    fn continued(&self, offset: u64, covered: &dyn Fn(&Run) -> Option<u64>) -> Option<usize> {
        let is_it =
            |run: &Run| run.end == offset || run.again > 0 && covered(run) == Some(run.again);
        let here = (0..self.runs.len()).filter(|&place| is_it(&self.runs[place]));
        here.max_by_key(|&place| self.runs[place].used)
    }

    /// Puts a run to those of the past; returns whether another one of them would have been continued.
    fn forget(&mut self, past: Run, offset: u64) -> bool {
        let met = self.past.iter_mut().find(|past| past.end == offset);
        let is_met = met.is_some();
        if let Some(met) = met {
            met.end = u64::MAX; // once, as a run that is continued ends elsewhere
        }
        if self.past.len() < RUNS {
            self.past.push(past);
        } else {
            self.past[self.oldest] = past;
            self.oldest = (self.oldest + 1) % RUNS;
        }
        is_met
    }

    /// Ends all runs.
    pub(crate) fn finish(&mut self, ended: &mut dyn FnMut(&Run)) {
        self.runs.drain(..).for_each(|run| ended(&run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interleaved_runs_are_told_apart() {
        let mut runs = RunTracker::default();
        let mut none = |_: &Run| panic!("no run ends");
        let mut steps = Vec::new();
        for number in 0..3u64 {
            for base in [0, 1 << 30] {
                steps.push(runs.take(base + number * 4096, 4096, &mut none));
            }
        }
        let next = |open| Step::Continues {
            before: 4096,
            again: 0,
            open,
            directly: false,
        };
        assert_eq!(steps[..2], [Step::Begins { met: false }; 2]);
        assert_eq!(steps[2], next(1));
        assert_eq!(steps[4..], [next(2), next(2)]);
        let mut lengths = Vec::new();
        runs.finish(&mut |run| lengths.push(run.ios));
        assert_eq!(lengths, [3, 3]);
    }

    #[test]
    fn the_run_that_was_continued_longest_ago_is_the_first_to_end() {
        let mut runs = RunTracker::default();
        let mut ended = Vec::new();
        for number in 0..RUNS as u64 + 1 {
            runs.take(number << 30, 4096, &mut |run| ended.push(run.end));
            runs.take(4096 * (number + 1), 4096, &mut |run| ended.push(run.end));
        }
        assert!(!ended.is_empty() && !ended.contains(&(4096 * 3)));
    }
}
