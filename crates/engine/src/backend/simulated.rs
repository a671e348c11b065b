//! Moves no bytes: asks a simulated device when each I/O will be done, and waits for that in simulated
//! time.
//!
//! Threads share a device; their turns come one after the other in the order of simulated time, so nothing is locked.

use super::memory::IoMemory;
use super::{Backend, Completion, Io, REAP_AT_MOST, Used};
use crate::RunError;
use crate::clock::Clock;
use crate::simulated::{Device, Promise, Request, SharedStore};
use model::{Nanos, Operation};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::PoisonError;

/// One thread's side of its devices.
pub(crate) struct Simulated {
    devices: Box<[Rc<RefCell<Device>>]>, // by seat
    stores: Box<[Option<SharedStore>]>,  // by seat
    through: Box<[bool]>,                // by seat: writes have to be durable
    thread: u32,
    flights: Box<[Flight]>,                 // by slot
    due: BinaryHeap<Reverse<(Nanos, u32)>>, // slots in flight; capacity depth
    done: u64,
}

#[derive(Clone, Copy)]
struct Flight {
    request: Request,
    promise: Promise,
    seat: u16,
    memory: IoMemory,
}

impl Simulated {
    pub(crate) fn new(
        thread: u32,
        depth: u32,
        devices: Box<[Rc<RefCell<Device>>]>,
        stores: Box<[Option<SharedStore>]>,
        through: Box<[bool]>,
    ) -> Self {
        let idle = Flight {
            request: Request {
                at: Nanos(0),
                operation: Operation::Read,
                offset: 0,
                length: 0,
                thread,
            },
            promise: Promise::default(),
            seat: 0,
            memory: IoMemory::NONE,
        };
        Simulated {
            devices,
            stores,
            through,
            thread,
            flights: vec![idle; depth as usize].into(),
            due: BinaryHeap::with_capacity(depth as usize),
            done: 0,
        }
    }

    /// When the first of what is in flight is done; `MAX` where nothing is.
    pub(crate) fn first_due(&self) -> Nanos {
        self.due.peek().map_or(Nanos::MAX, |Reverse((due, _))| *due)
    }

    /// Moves the data of an I/O, where its device has any.
    fn moved(&self, mut flight: Flight) -> Result<(), i32> {
        let Some(store) = &self.stores[usize::from(flight.seat)] else {
            return Ok(());
        };
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = flight.request.offset;
        store.advance(flight.promise.due);
        match flight.request.operation {
            Operation::Write => {
                let through = self.through[usize::from(flight.seat)];
                store.write(offset, flight.memory.bytes(), through);
                Ok(())
            }
            Operation::Read => store.read(offset, flight.memory.bytes()),
        }
    }

    /// The power of the devices is cut: writes in flight may reach them in part, and nothing is moved any more.
    pub(crate) fn cut(&mut self) {
        for Reverse((_, slot)) in &self.due {
            let mut flight = self.flights[*slot as usize];
            if flight.request.operation == Operation::Write
                && let Some(store) = &self.stores[usize::from(flight.seat)]
            {
                let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
                store.begin_write(flight.request.offset, flight.memory.bytes());
            }
        }
        self.stores.fill(None);
    }

    /// I/Os that were done so far.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }
}

impl Backend for Simulated {
    fn used(&self) -> Used {
        Used::default()
    }

    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let request = Request {
            at: io.issued,
            operation: io.operation,
            offset: io.offset,
            length: u64::from(io.length),
            thread: self.thread,
        };
        let promise = self.devices[usize::from(io.seat)]
            .borrow_mut()
            .take(request);
        self.flights[io.slot as usize] = Flight {
            request,
            promise,
            seat: io.seat,
            memory: IoMemory::of(&io),
        };
        self.due.push(Reverse((promise.due, io.slot)));
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        let bound = clock.now().plus(REAP_AT_MOST);
        clock.wait_until(self.first_due().min(until).min(bound));
        let now = clock.now();
        while let Some(&Reverse((due, slot))) = self.due.peek() {
            if due > now {
                break;
            }
            self.due.pop();
            let flight = self.flights[slot as usize];
            let device = &self.devices[usize::from(flight.seat)];
            device.borrow_mut().complete(flight.request, flight.promise);
            self.done += 1;
            let moved = self.moved(flight);
            let result = moved.map_or_else(
                |errno| -errno,
                |()| i32::try_from(flight.request.length).expect("at most 1 GiB"),
            );
            landed.push(Completion { slot, result });
        }
        Ok(())
    }
}
