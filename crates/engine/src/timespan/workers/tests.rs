//! A thread that panics with an I/O in flight leaves the ring, the memory and the descriptor to the kernel.

use super::*;
use crate::backend::{Completion, Io};
use crate::rehearsal::tests::{plan, planned};
use crate::thread_plan::places;
use model::{CacheMode, Location};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A backend whose first wait panics.
struct Panics<'a> {
    memory: &'a AtomicUsize,
    dropped: &'a AtomicBool,
}

impl Drop for Panics<'_> {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::Relaxed);
    }
}

impl Backend for Panics<'_> {
    fn used(&self) -> Used {
        Used::default()
    }

    fn push(&mut self, io: Io) -> Result<(), RunError> {
        self.memory
            .store(io.memory.as_ptr() as usize, Ordering::Relaxed);
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn reap<C: Clock>(&mut self, _: &C, _: Nanos, _: &mut Vec<Completion>) -> Result<(), RunError> {
        panic!("in flight")
    }
}

/// Orders for the one thread of a plan that reads this file, and where its words arrive.
fn orders(path: &std::path::Path) -> (Orders, Receiver<(u32, Word)>) {
    let mut target = planned();
    target.location = Location::Path(path.to_owned());
    (target.cache, target.identity) = (CacheMode::Cached, None);
    let plan = plan(&[target]);
    let schedule = Arc::new(Schedule::new(&plan.phases));
    let gate = Arc::new(Gate::default());
    gate.open(Signal::Go(WallClock::monotonic()));
    let (words, heard) = channel();
    let orders = Orders {
        shared: Shared::new(&plan, &schedule, &gate::Pins::default()).unwrap(),
        place: places(&plan, 0).remove(0),
        cores: Vec::new(),
        live: Arc::default(),
        gate,
        words,
    };
    (orders, heard)
}

fn is_mapped(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().any(|line| {
        let range = line.split(' ').next().unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        (number(from)..number(to)).contains(&address)
    })
}

#[test]
fn a_panic_with_an_io_in_flight_leaks_what_the_kernel_may_still_use() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let (memory, dropped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut descriptor = -1;
    let (orders, heard) = orders(file.path());
    let lived = catch_unwind(AssertUnwindSafe(|| {
        live_with(&orders, |setup| {
            descriptor = setup.aims[0].descriptor.raw();
            Ok(Panics {
                memory: &memory,
                dropped: &dropped,
            })
        });
    }));
    assert!(lived.is_err());
    assert!(matches!(heard.recv(), Ok((0, Word::Ready(_)))));
    assert!(!dropped.load(Ordering::Relaxed), "the ring");
    assert!(is_mapped(memory.load(Ordering::Relaxed)), "the memory");
    let open = std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
    assert_eq!(open.unwrap(), file.path(), "the descriptor");
}

#[test]
fn a_thread_that_waits_for_its_target_does_not_keep_a_stop_from_ending_the_run() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 20).unwrap();
    let (orders, _heard) = orders(file.path());
    let waits: Life = |orders| {
        orders.gate.wait(); // as an open of a server that does not answer
    };
    let stop = Stop::new();
    stop.ask();
    let places = vec![(orders.place.clone(), Vec::new())];
    let spawned = Workers::spawn(&orders.shared, |_| waits, places, &stop);
    assert!(matches!(
        spawned.err(),
        Some(RunError::StoppedWhileOpening {
            missing: 1,
            threads: 1
        })
    ));
}
