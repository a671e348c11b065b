//! What the system reports of a target's devices, paths and servers while something runs on it.
//!
//! A thread of its own wakes five times per second, reads the states that the kernel shows (`states`) and the new lines of
//! the kernel's log (`kernel_log`, `kernel_lines`), as far as they are about the target (`scope`). Nothing of it is
//! on the path of an I/O. Logs of services that the request names are read in the end (`service_log`). What cannot be read is
//! recorded as not read and is no failure. Omitted: what follows from an event.

mod kernel_lines;
mod kernel_log;
#[cfg(test)]
mod sample_lines;
mod scope;
mod service_log;
mod states;
#[cfg(test)]
mod tests;

use super::sys;
use crate::root::Root;
use kernel_log::KernelLog;
use model::record::{EventSource, SystemEvents};
use model::{Nanos, TargetFacts, TargetKind};
use scope::Scope;
use service_log::Window;
use states::States;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// From one reading to the next.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long the last reading may take; a file that never answers is given up.
const LAST_LOOK_MAX: Nanos = Nanos::seconds(1);
/// If the fastest line came this long after its stamp, the log has another clock than ours: its time without the machine's
/// suspended hours, for example.
const DELAY_MAX: Nanos = Nanos::seconds(2);
/// A stamp may be ahead of our clock by this much without being of another one.
const AHEAD_MAX: Nanos = Nanos::millis(1);

/// What was seen so far, its times on the monotonic clock.
#[derive(Default)]
struct Seen {
    events: SystemEvents,
    /// From the stamp of a line of the log to its arrival, the shortest.
    least_delay: Option<i64>,
}

/// Returns the monotonic clock, as [`SystemObserver::finish`] takes the start of a run.
pub fn monotonic() -> Nanos {
    sys::monotonic()
}

/// Observes until it is finished or dropped.
pub struct SystemObserver {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
    files: Option<Files>,
}

/// Logs of services that are read in the end, for lines on these devices.
struct Files {
    paths: Vec<PathBuf>,
    scope: Scope,
}

#[derive(Default)]
struct Shared {
    is_over: AtomicBool,
    seen: Mutex<Seen>,
}

impl SystemObserver {
    /// Begins to observe what these targets use; `files` are logs of services. `None` where they use nothing of the system:
    /// devices of a model.
    pub fn start(root: &Root, targets: &[TargetFacts], files: &[PathBuf]) -> Option<Self> {
        let is_real =
            |facts: &TargetFacts| !matches!(facts.kind, TargetKind::Simulated | TargetKind::Null);
        if !targets.iter().any(is_real) {
            return None;
        }
        let shared = Arc::new(Shared::default());
        let mut watch = Watch::open(root, targets, &mut shared.lock());
        let its = Arc::clone(&shared);
        let observe = move || {
            loop {
                thread::park_timeout(LOOK_EVERY);
                let is_last = its.is_over.load(Ordering::Acquire);
                watch.look(sys::monotonic(), &mut its.lock());
                if is_last {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("system-events".to_owned());
        Some(SystemObserver {
            thread: thread.spawn(observe).ok()?,
            shared,
            files: (!files.is_empty()).then(|| Files {
                paths: files.to_vec(),
                scope: Scope::of(root, targets),
            }),
        })
    }

    /// Reads all once more and returns the events, their times from `origin` on, which is of [`monotonic`]; `utc` is now, in
    /// nanoseconds since 1970.
    pub fn finish(self, origin: Nanos, utc: Nanos) -> SystemEvents {
        let begun = sys::monotonic();
        self.end();
        let is_in_time = || sys::monotonic().minus(begun) < LAST_LOOK_MAX;
        while !self.thread.is_finished() && is_in_time() {
            thread::sleep(Duration::from_micros(200));
        }
        let mut events = std::mem::take(&mut *self.shared.lock()).since(origin);
        if let Some(files) = &self.files {
            // Both clocks are of the call, which may have waited since.
            files.read(utc, begun.minus(origin), &mut events);
        }
        events
    }

    fn end(&self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.thread.thread().unpark();
    }
}

impl Files {
    /// Adds what the files report of the last `elapsed` up to `utc`, in nanoseconds since 1970.
    fn read(&self, utc: Nanos, elapsed: Nanos, events: &mut SystemEvents) {
        let now = signed(utc);
        let window = Window {
            start: now.saturating_sub(signed(elapsed)),
            now,
        };
        for path in &self.paths {
            let read = service_log::read(path, window, &self.scope, &mut |event| {
                events.push(event);
            });
            if let Err(error) = read {
                let why = model::errno_text(&error);
                events
                    .files_unread
                    .push(format!("{}: {why}", path.display()));
            }
        }
        events.events.sort_by_key(|event| event.at_ns); // stable
    }
}

impl Drop for SystemObserver {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All that is read.
struct Watch {
    scope: Scope,
    states: States,
    log: Option<KernelLog>,
}

impl Watch {
    fn open(root: &Root, targets: &[TargetFacts], seen: &mut Seen) -> Self {
        let scope = Scope::of(root, targets);
        let log = KernelLog::open(root);
        seen.events.kernel_log_unread = log.as_ref().err().cloned();
        Watch {
            states: States::open(root, targets, &scope, signed(sys::monotonic())),
            log: log.ok(),
            scope,
        }
    }

    fn look(&mut self, now: Nanos, seen: &mut Seen) {
        let now = signed(now);
        self.states.look(now, seen);
        if let Some(log) = &mut self.log {
            log.look(&self.scope, now, seen);
        }
    }
}

impl Seen {
    /// The events in order, their times from `origin` on. Where the log has another clock, its stamps are moved so that the
    /// fastest line arrived at once.
    fn since(self, origin: Nanos) -> SystemEvents {
        let mut events = self.events;
        let delay = self.least_delay.unwrap_or(0);
        let is_ours = (-signed(AHEAD_MAX)..=signed(DELAY_MAX)).contains(&delay);
        for event in &mut events.events {
            if event.source == EventSource::KernelLog && !is_ours {
                event.at_ns = event.at_ns.saturating_add(delay);
                event.uncertainty = event.uncertainty.plus(DELAY_MAX);
            }
            event.at_ns = event.at_ns.saturating_sub(signed(origin));
        }
        events.events.sort_by_key(|event| event.at_ns); // stable
        events
    }
}

fn signed(time: Nanos) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}
