//! Moves no bytes: completes after a programmed delay, or fails at a programmed beat.
//!
//! The instrument of the tests, and the measure of what the tool itself costs. All I/Os in flight wait side
//! by side, so depth q with delay d gives q/d completions a second, exactly so on a fake clock.

use super::{Backend, Completion, Io, REAP_AT_MOST, Setup, Slot, Used};
use crate::RunError;
use crate::clock::Clock;
use model::{Nanos, NullBehaviour};
use std::collections::VecDeque;

/// What the kernel would call an I/O error.
const EIO: i32 = 5;

/// An imaginary device.
pub(crate) struct Null {
    behaviour: NullBehaviour,
    in_flight: VecDeque<Waiting>, // capacity depth; due times rise, because every delay is the same
    pushed: u64,
}

#[derive(Clone, Copy)]
struct Waiting {
    due: Nanos,
    slot: Slot,
    result: i32,
}

impl Null {
    pub(crate) fn open(setup: &Setup<'_>, behaviour: NullBehaviour) -> Self {
        let in_flight = VecDeque::with_capacity(setup.depth as usize);
        Null {
            behaviour,
            in_flight,
            pushed: 0,
        }
    }

    #[inline]
    fn take_due(&mut self, now: Nanos, landed: &mut Vec<Completion>) {
        while let Some(first) = self.in_flight.front().filter(|first| first.due <= now) {
            landed.push(Completion {
                slot: first.slot,
                result: first.result,
            });
            self.in_flight.pop_front();
        }
    }
}

impl Backend for Null {
    fn used(&self) -> Used {
        Used::default()
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        self.pushed += 1;
        let every = self.behaviour.error_every;
        let fails = every > 0 && self.pushed.is_multiple_of(every);
        let result = if fails {
            -EIO
        } else {
            i32::try_from(io.length).expect("at most 1 GiB")
        };
        self.in_flight.push_back(Waiting {
            due: io.issued.plus(self.behaviour.delay),
            slot: io.slot,
            result,
        });
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    #[inline]
    fn reap<C: Clock>(&mut self, clock: &C, landed: &mut Vec<Completion>) -> Result<(), RunError> {
        if self.behaviour.delay.0 == 0 {
            self.take_due(Nanos::MAX, landed);
            return Ok(());
        }
        if let Some(first) = self.in_flight.front() {
            clock.wait_until(first.due.min(clock.now().plus(REAP_AT_MOST)));
            self.take_due(clock.now(), landed);
        }
        Ok(())
    }

    fn abandon(self) {}
}
