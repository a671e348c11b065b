//! `-v` and `-P`: what is going on, line by line and dot by dot, as DISKSPD prints it.
//!
//! To standard output, as there; to standard error where standard output gets a document, which it would break. A bar is
//! drawn instead where neither is asked for.

use super::events::Signals;
use crate::environment::Environment;
use crate::progress::Progress;
use engine::{Event, Filled, Observer, Tick};
use model::Nanos;
use session::clock;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use views::Zone;

/// Receives the engine's reports and prints them.
pub(super) struct Trace<'a> {
    bar: Option<Progress>,
    verbose: bool,
    dot_every: u64, // 0 for none
    document: bool, // standard output gets one
    dots: AtomicU64,
    signals: &'a Signals,
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wishes {
    pub(super) verbose: bool,
    pub(super) dot_every: u32,
    pub(super) document: bool,
}

impl<'a> Trace<'a> {
    /// For one time span of this length. `signals` get the name of each phase as it begins.
    pub(super) fn new(
        wishes: Wishes,
        total: Nanos,
        environment: &Environment,
        signals: &'a Signals,
    ) -> Self {
        let quiet = !wishes.verbose && wishes.dot_every == 0;
        Trace {
            bar: quiet.then(|| Progress::of_run(environment, total)),
            verbose: wishes.verbose,
            dot_every: u64::from(wishes.dot_every),
            document: wishes.document,
            dots: AtomicU64::new(0),
            signals,
        }
    }

    /// One line with the time before it, if `-v` was asked for.
    pub(super) fn say(&self, text: &str) {
        if self.verbose {
            let at = views::local_stamp(clock::utc().0, &Zone::system());
            self.put(&format!("{at}: {}\n", views::printable(text)));
        }
    }

    /// Files were created: how much was written, and how fast.
    pub(super) fn filled(&self, filled: &[Filled]) {
        match &self.bar {
            Some(bar) => {
                bar.filled(filled);
            }
            None => {
                for file in filled {
                    let done = if file.made { "created" } else { "recreated" };
                    self.say(&format!(
                        "{done} {} ({} bytes)",
                        file.path.display(),
                        file.bytes.0
                    ));
                }
            }
        }
    }

    /// Nothing more to report.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish();
        }
        if self.dots.load(Ordering::Relaxed) > 0 {
            self.put("\n");
        }
    }

    fn put(&self, text: &str) {
        // A closed output is no failure here.
        if self.document {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        } else {
            let mut out = std::io::stdout().lock();
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }

    fn dot(&self, ios: u64) {
        let due = ios / self.dot_every;
        let drawn = self.dots.swap(due, Ordering::Relaxed);
        self.put(&".".repeat(due.saturating_sub(drawn).min(1000) as usize));
    }
}

impl Observer for Trace<'_> {
    fn on(&self, event: Event<'_>) {
        if let Some(bar) = &self.bar {
            bar.on(event);
        }
        match event {
            Event::Phase { name } => {
                self.signals.phase(name);
                self.say(match name {
                    "warm-up" => "starting warm up...",
                    "measured" => "starting measurements...",
                    "cool-down" => "measurements done, starting cool down...",
                    _ => "waiting for what is in flight...",
                });
            }
            Event::Tick(Tick { ios, .. }) if self.dot_every > 0 => self.dot(ios),
            _ => {}
        }
    }
}
