//! What the screen shows, and how it changes.

use crate::history::History;
use crate::moment::Moment;
use crate::style::Palette;
use model::{Bytes, Nanos};

/// A report while something runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// What is run now: the target, or a cell of a survey.
    What(String),
    /// How far all of it is: done, and in all.
    Progress(Nanos, Nanos),
    /// A phase began, or a file is being created.
    Phase(String),
    /// A line that is to stay; it is handed back when the screen is gone.
    Line(String),
    /// Time has passed in a running timespan.
    Tick {
        /// Since the start of the warm-up.
        elapsed: Nanos,
        /// Completed since then.
        ios: u64,
        /// Moved by them.
        bytes: Bytes,
        /// 99th percentile of the measured phase so far.
        p99: Option<Nanos>,
    },
}

/// Everything on the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Running {
    pub(crate) palette: Palette,
    pub(crate) what: String,
    pub(crate) phase: String,
    pub(crate) progress: Option<(Nanos, Nanos)>,
    pub(crate) last: Option<(Nanos, u64, Bytes)>,
    pub(crate) rate: Option<Rate>,
    /// The rate and the percentile are of what ran before: what runs now has reported nothing yet.
    pub(crate) before: bool,
    pub(crate) p99: Option<Nanos>,
    /// IOPS, over the time of the screen.
    pub(crate) history: History,
    pub(crate) moment: Option<Moment>,
    pub(crate) lines: Vec<String>,
}

/// Between two ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rate {
    pub(crate) ios_per_s: f64,
    pub(crate) bytes_per_s: f64,
}

impl Running {
    /// A report, at this time of the screen.
    pub(crate) fn update(&mut self, update: Update, now: Nanos) {
        match update {
            Update::What(what) => {
                self.what = what;
                (self.last, self.before) = (None, true);
            }
            Update::Progress(done, all) => self.progress = Some((done, all)),
            Update::Phase(phase) => self.phase = phase,
            Update::Line(line) => self.lines.push(line),
            Update::Tick {
                elapsed,
                ios,
                bytes,
                p99,
            } => {
                self.before = false;
                self.tick(elapsed, ios, bytes, now);
                self.p99 = p99;
            }
        }
    }

    /// A run that began again begins from nothing.
    fn tick(&mut self, elapsed: Nanos, ios: u64, bytes: Bytes, now: Nanos) {
        let before = self.last.filter(|last| last.0 < elapsed && last.1 <= ios);
        let (then, ios_then, bytes_then) = before.unwrap_or_default();
        let seconds = elapsed.minus(then).as_seconds();
        if seconds > 0.0 {
            let rate = Rate {
                ios_per_s: (ios - ios_then) as f64 / seconds,
                bytes_per_s: bytes.0.saturating_sub(bytes_then.0) as f64 / seconds,
            };
            self.history.push(now, rate.ios_per_s);
            self.rate = Some(rate);
        }
        self.last = Some((elapsed, ios, bytes));
    }
}
