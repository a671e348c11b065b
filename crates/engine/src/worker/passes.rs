//! The pages of a thread's targets, which it drops from the page cache again each time it has moved so many bytes. Omitted: the first time, before the run, which is the session's.

use crate::RunError;
use crate::system::caches::drop_pages;
use crate::target::OpenTarget;
use crate::thread_plan::{TargetShare, ThreadPlan};
use model::{Bytes, Plan};
use std::fs::File;

/// What is left of the pass on each target of a thread.
pub(crate) struct Passes {
    seats: Box<[Option<Pass>]>,
}

struct Pass {
    file: File,
    base: Bytes,
    length: Bytes,
    every: u64,
    left: u64,
}

impl Passes {
    /// None where no target is dropped again.
    pub(crate) fn new(
        plan: &Plan,
        place: &ThreadPlan,
        files: &[OpenTarget],
    ) -> Result<Option<Box<Passes>>, RunError> {
        let pass = |(seat, file): (&TargetShare, &OpenTarget)| {
            let target = &plan.targets[seat.target as usize];
            let Some(every) = target.drop_cache_every else {
                return Ok(None);
            };
            let pass = |file| Pass {
                file,
                base: target.base,
                length: target.length,
                every: every.0,
                left: every.0,
            };
            Ok(file.another()?.map(pass))
        };
        let seats = place.seats.iter().zip(files).map(pass);
        let seats = seats.collect::<std::io::Result<Box<[Option<Pass>]>>>();
        let seats = seats.map_err(|source| RunError::Thread {
            number: place.thread,
            source,
        })?;
        let any = seats.iter().any(Option::is_some);
        Ok(any.then(|| Box::new(Passes { seats })))
    }

    /// Counts an I/O that is about to be issued. The pages go before the first one of the next pass, so that those of the last
    /// pass stay, as after any run.
    #[inline]
    pub(super) fn before(&mut self, seat: usize, bytes: u64) {
        let Some(pass) = &mut self.seats[seat] else {
            return;
        };
        if pass.begins_again(bytes) {
            pass.drop_pages();
        }
    }
}

impl Pass {
    /// Counts an I/O. Returns whether it is the first of a further pass.
    #[inline]
    fn begins_again(&mut self, bytes: u64) -> bool {
        let again = self.left == 0;
        if again {
            self.left = self.every;
        }
        self.left = self.left.saturating_sub(bytes);
        again
    }

    /// Dirty pages stay, and are on their way to the device then. The same call succeeded before the run: nothing is reported.
    #[cold]
    fn drop_pages(&self) {
        let _ = drop_pages(&self.file, self.base, self.length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(every: u64) -> Pass {
        Pass {
            file: tempfile::tempfile().unwrap(),
            base: Bytes(0),
            length: Bytes(every),
            every,
            left: every,
        }
    }

    #[test]
    fn a_pass_begins_again_behind_its_bytes_and_the_first_one_does_not() {
        for (every, size) in [(16, 4), (16, 5), (4, 4), (16, 64)] {
            let mut pass = pass(every);
            let begun: Vec<usize> = (0..40).filter(|_| pass.begins_again(size)).collect();
            let ios = every.div_ceil(size) as usize;
            let expected: Vec<usize> = (ios..40).step_by(ios).collect();
            assert_eq!(begun, expected, "{every} {size}");
        }
    }
}
