//! The events of `-y`: the events that the run sets, and those that it waits for.
//!
//! Deliberately absent: `-ye`, which sets an event and runs nothing (`mod`).

use crate::environment;
use engine::Stop;
use host::Event;
use model::CommandError;
use std::sync::atomic::{AtomicBool, Ordering};
use tools::diskspd::Events;

/// The events of `-y` that the run itself takes part in.
pub(super) struct Signals {
    start: Option<Event>,
    finish: Option<Event>,
    /// Before the first I/O.
    pub(super) wait: Option<Event>,
    stop: Option<Event>,
}

impl Signals {
    pub(super) fn hold(events: &Events) -> Result<Signals, CommandError> {
        let home = environment::runtime_folder();
        let hold = |name: &Option<String>| {
            let held = name
                .as_deref()
                .map(|name| Event::hold(home.as_deref(), name));
            held.transpose().map_err(CommandError::failed)
        };
        Ok(Signals {
            start: hold(&events.start)?,
            finish: hold(&events.finish)?,
            wait: hold(&events.wait)?,
            stop: hold(&events.stop)?,
        })
    }

    /// Does the work with an ear for the stop event.
    pub(super) fn watch<R>(&self, stop: &Stop, work: impl FnOnce() -> R) -> R {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            if let Some(event) = &self.stop {
                scope.spawn(|| {
                    if event.wait(|| over.load(Ordering::Relaxed)) {
                        stop.ask();
                    }
                });
            }
            let done = work();
            over.store(true, Ordering::Relaxed);
            done
        })
    }

    /// The measured time begins and ends.
    pub(super) fn phase(&self, name: &str) {
        let event = match name {
            "measured" => &self.start,
            "cool-down" | "drain" => &self.finish,
            _ => return,
        };
        if let Some(event) = event {
            event.set();
        }
    }
}
