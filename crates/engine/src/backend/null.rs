//! Moves no bytes: completes after a programmed delay, or fails at a programmed beat.
//!
//! The instrument of the tests, and the measure of what the tool itself costs. All I/Os in flight wait side
//! by side, so depth q with delay d gives q/d completions a second, exactly so on a fake clock.

use super::{Backend, Completion, Io, REAP_AT_MOST, Setup, Slot, Used};
use crate::RunError;
use crate::clock::Clock;
use crate::system::errors::DEVICE_FAILED;
use model::{Location, Nanos, NullBehaviour, PlannedTarget};
use std::collections::VecDeque;

/// An simulated device.
pub(crate) struct Null {
    devices: Box<[Device]>,       // by seat
    alike: bool,                  // all devices have the same delay
    at_once: bool,                // no device has a delay
    done: Vec<Completion>,        // without a delay: what was pushed; capacity depth
    in_flight: VecDeque<Waiting>, // with one: capacity depth, in the order of the due times
}

struct Device {
    behaviour: NullBehaviour,
    until_error: u64, // I/Os, this one included, until the next fails; 0 for never
    delays: Box<[Nanos]>, // where they are not all `behaviour.delay`
    number: usize,    // of the next I/O, among `delays`
}

#[derive(Clone, Copy)]
struct Waiting {
    due: Nanos,
    slot: Slot,
    result: i32,
}

impl Null {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let device = |target: &&PlannedTarget| match target.location {
            Location::Null(behaviour) => Ok(Device {
                behaviour,
                until_error: behaviour.error_every,
                delays: delays(&behaviour),
                number: 0,
            }),
            Location::Path(_) | Location::Simulated(_) => Err(RunError::Unavailable {
                engine: "null",
                reason: "it moves no bytes, so it has no file or device".to_owned(),
                remedy: "give it null targets only",
            }),
        };
        let devices: Box<[Device]> = setup.targets.iter().map(device).collect::<Result<_, _>>()?;
        let first = devices[0].behaviour;
        let simple = |device: &Device| device.delays.is_empty() && device.behaviour.stall.is_none();
        Ok(Null {
            alike: devices.iter().all(|device| {
                let behaviour = device.behaviour;
                device.delays.is_empty()
                    && (behaviour.delay, behaviour.stall) == (first.delay, first.stall)
            }),
            at_once: devices
                .iter()
                .all(|device| simple(device) && device.behaviour.delay.0 == 0),
            devices,
            done: Vec::with_capacity(setup.depth as usize),
            in_flight: VecDeque::with_capacity(setup.depth as usize),
        })
    }

    /// Keeps the order of the due times where delays differ.
    #[cold]
    fn insert(&mut self, waiting: Waiting) {
        let place = self
            .in_flight
            .partition_point(|other| other.due <= waiting.due);
        self.in_flight.insert(place, waiting);
    }

    /// Waits for the first that is due and takes all that are. Apart from `reap`, which is short without it.
    #[inline(never)]
    fn reap_due<C: Clock>(&mut self, clock: &C, until: Nanos, landed: &mut Vec<Completion>) {
        let Some(first) = self.in_flight.front() else {
            return;
        };
        clock.wait_until(first.due.min(until).min(clock.now().plus(REAP_AT_MOST)));
        let now = clock.now();
        while let Some(first) = self.in_flight.front().filter(|first| first.due <= now) {
            landed.push(Completion {
                slot: first.slot,
                result: first.result,
            });
            self.in_flight.pop_front();
        }
    }
}

/// The delays of a device's I/Os in turn; none where they are all identical.
fn delays(behaviour: &NullBehaviour) -> Box<[Nanos]> {
    let steps = match behaviour.delay_max > behaviour.delay {
        true => NullBehaviour::DELAY_STEPS,
        false => 0,
    };
    (0..steps)
        .map(|number| behaviour.delay_of(number))
        .collect()
}

impl Device {
    /// When an I/O that was issued then is done.
    #[inline]
    fn due(&mut self, issued: Nanos) -> Nanos {
        let mut delay = self.behaviour.delay;
        if !self.delays.is_empty() {
            delay = self.delays[self.number];
            self.number = (self.number + 1) % self.delays.len();
        }
        let due = issued.plus(delay);
        match self.behaviour.stall {
            Some(stall) if due >= stall.from => due.max(stall.from.plus(stall.length)),
            _ => due,
        }
    }
}

impl Backend for Null {
    fn used(&self) -> Used {
        Used::default()
    }

    #[inline(always)] // what the loop costs is measured with it, so it must not cost a call
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let device = &mut self.devices[io.seat as usize];
        let fails = device.until_error == 1;
        if device.until_error > 0 {
            device.until_error = if fails {
                device.behaviour.error_every
            } else {
                device.until_error - 1
            };
        }
        let result = if fails {
            -DEVICE_FAILED
        } else {
            i32::try_from(io.length).expect("at most 1 GiB")
        };
        let slot = io.slot;
        if self.at_once {
            self.done.push(Completion { slot, result });
            return Ok(());
        }
        let due = device.due(io.issued);
        let waiting = Waiting { due, slot, result };
        if self.alike {
            self.in_flight.push_back(waiting); // due times rise
        } else {
            self.insert(waiting);
        }
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    #[inline]
    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        if self.at_once {
            std::mem::swap(&mut self.done, landed); // both have room for the depth
            return Ok(());
        }
        self.reap_due(clock, until, landed);
        Ok(())
    }
}
