//! A thread that waits for its target, and one that panics with an I/O in flight.

use super::*;
use crate::rehearsal::tests::{plan, planned};
use crate::thread_plan::places;
use model::{CacheMode, Location};

#[cfg(target_os = "linux")]
mod leaks;

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
