//! What is going on, for a person at a terminal; elsewhere only what stays worth reading.
//!
//! Drawn on standard error and gone when the result comes. Deliberately absent: results.

use crate::environment::{self, Environment};
use crate::live::Screen;
use crate::output;
use analysis::say;
use engine::{Event, Filled, Observer, Silent, Tick};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::{Bytes, Nanos};
use session::clock::Stopwatch;
use session::{Step, Watcher};
use std::path::Path;
use std::sync::Mutex;

/// The line never jumps: the bar has its place with any text before and behind it.
/// What is longer than its place is cut, so that no line wraps.
const LINE: &str = "{prefix:31!} [{bar:24}] {wide_msg}";
/// The same where there is less room: 40 columns are left for the message on a terminal of 80.
const LINE_NARROW: &str = "{prefix:30!} [{bar:6}] {wide_msg}";
const COLUMNS_WIDE: usize = 100;
const TITLE_RUN: &str = "running";

/// Draws the progress of the engine and the survey.
pub(crate) struct Progress {
    /// Instead of the line, where one was asked for.
    screen: Option<Screen>,
    bar: ProgressBar,
    since: Stopwatch,
    state: Mutex<State>,
}

struct State {
    /// Of the running timespan, or the survey's budget.
    total: Nanos,
    /// What stands before the rate: the phase, or the cell.
    what: String,
    /// When the running timespan began.
    began: Nanos,
    last: Tick,
    /// A survey's bar runs over its whole time, not over one timespan.
    survey: bool,
    /// When the survey is expected to end, on the stopwatch.
    ends: Nanos,
    /// What is being done to the files, and since when; first they may be proven, then they are filled.
    chore: Option<(Chore, Nanos)>,
}

/// What is done to a file before a run or after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chore {
    Proving,
    Filling,
    Verifying,
}

impl Progress {
    /// For one timespan of this length.
    pub(crate) fn of_run(environment: &Environment, total: Nanos) -> Self {
        Self::new(environment, total, false)
    }

    /// For the making of a survey's file, which is not part of its budget.
    pub(crate) fn of_filling(environment: &Environment) -> Self {
        Self::new(environment, Nanos(0), false)
    }

    /// For a survey that may take this long.
    pub(crate) fn of_survey(environment: &Environment, budget: Nanos) -> Self {
        Self::new(environment, budget, true)
    }

    fn new(environment: &Environment, total: Nanos, survey: bool) -> Self {
        let target = if environment.draws_progress {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(total.0.max(1)), target);
        let wide = environment::message_columns().is_some_and(|columns| columns >= COLUMNS_WIDE);
        let line = if wide { LINE } else { LINE_NARROW };
        let style = ProgressStyle::with_template(line).expect("the template is a constant");
        bar.set_style(style.progress_chars("=> "));
        Progress {
            screen: None,
            bar,
            since: Stopwatch::start(),
            state: Mutex::new(State {
                total,
                what: TITLE_RUN.to_owned(),
                began: Nanos(0),
                last: Tick::default(),
                survey,
                ends: total,
                chore: None,
            }),
        }
    }

    /// On a screen instead, where there is one.
    pub(crate) fn on_screen(mut self, screen: Option<Screen>) -> Self {
        if screen.is_some() {
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        self.screen = screen;
        self
    }

    /// The files are there: what was written and how fast, as a line that stays. Returns how long the writing
    /// took; what was read before, to prove that it may be written over, is no part of it.
    pub(crate) fn filled(&self, filled: &[Filled]) -> Nanos {
        let now = self.since.elapsed();
        let state = self.state.lock().expect("drawing does not panic");
        let took = match state.chore {
            Some((Chore::Filling, since)) => now.minus(since),
            _ => Nanos(0),
        };
        drop(state);
        let bytes: u64 = filled.iter().map(|file| file.bytes.0).sum();
        let names: Vec<String> = filled
            .iter()
            .map(|file| file.path.display().to_string())
            .collect();
        if filled.iter().any(|file| !file.allocation.is_written()) {
            self.tell(&format!(
                "{}: created, and not filled with data: first writes allocate blocks",
                names.join(", ")
            ));
        } else if !names.is_empty() {
            let verb = if filled.iter().all(|file| file.made) {
                "created and filled"
            } else {
                "filled"
            };
            self.tell(&format!(
                "{}: {verb} with {} in {} ({} MiB/s)",
                names.join(", "),
                say::bytes(bytes),
                say::time(took.0 as f64),
                say::mib_per_s(bytes as f64 / took.as_seconds().max(1e-9)),
            ));
        }
        took
    }

    /// A survey's next cell begins; it is expected that all of them end after `left` more.
    pub(crate) fn cell(&self, what: String, left: Nanos) {
        let now = self.since.elapsed();
        if let Some(screen) = &self.screen {
            screen.what(what.clone());
            screen.progress(now, now.plus(left));
        }
        let mut state = self.state.lock().expect("drawing does not panic");
        state.what = what;
        state.began = now;
        state.last = Tick::default();
        state.ends = now.plus(left);
        drop(state);
        self.draw(None);
    }

    /// A line that stays, above what is drawn.
    pub(crate) fn tell(&self, text: &str) {
        match &self.screen {
            Some(screen) => screen.tell(text),
            None => self.bar.suspend(|| output::tell(text)),
        }
    }

    /// Nothing more to draw.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
        if let Some(screen) = &self.screen {
            screen.finish();
        }
    }

    fn draw(&self, tick: Option<Tick>) {
        let now = self.since.elapsed();
        let mut state = self.state.lock().expect("drawing does not panic");
        let rate = tick
            .map(|tick| rate_between(&state.last, &tick))
            .unwrap_or_default();
        let (position, length) = if state.survey {
            (now, state.ends.max(now))
        } else {
            (tick.map_or(Nanos(0), |tick| tick.elapsed), state.total)
        };
        self.bar.set_length(length.0.max(1));
        self.bar.set_position(position.0.min(length.0));
        self.bar.set_prefix(state.what.clone());
        self.bar
            .set_message(format!("{rate}{}", left(length.minus(position))));
        if let Some(tick) = tick {
            state.last = tick;
        }
    }

    /// Returns how long this has taken since it was first reported.
    fn elapsed_of(&self, chore: Chore) -> Nanos {
        let now = self.since.elapsed();
        let mut state = self.state.lock().expect("drawing does not panic");
        match state.chore {
            Some((same, since)) if same == chore => now.minus(since),
            _ => {
                state.chore = Some((chore, now));
                Nanos(0)
            }
        }
    }

    /// Returns what the run takes that follows this; a survey's files are created before its time begins.
    fn behind(&self, chore: Chore) -> Nanos {
        let state = self.state.lock().expect("drawing does not panic");
        match chore == Chore::Verifying || state.survey {
            true => Nanos(0),
            false => state.total,
        }
    }

    fn draw_chore(&self, chore: Chore, path: &Path, done: Bytes, total: Bytes) {
        let doing = match chore {
            Chore::Proving => "checking",
            Chore::Filling => "filling",
            Chore::Verifying => "verifying",
        };
        let name = views::printable(&path.to_string_lossy());
        let rate = done.0 as f64 / self.elapsed_of(chore).as_seconds().max(1e-3);
        let remaining = total.0.saturating_sub(done.0) as f64 / rate.max(1.0) * 1e9;
        let remaining = Nanos(remaining as u64).plus(self.behind(chore));
        self.bar.set_length(total.0.max(1));
        self.bar.set_position(done.0);
        self.bar.set_prefix(format!("{doing} {name}"));
        self.bar.set_message(format!(
            "{} of {}, {} MiB/s, {}",
            say::bytes(done.0),
            say::bytes(total.0),
            say::mib_per_s(rate),
            left(remaining)
        ));
    }
}

/// Draws a bar for each run of a request.
pub(crate) struct RunBars<'a> {
    environment: &'a Environment,
    screen: Option<Screen>,
    bar: Option<Progress>,
}

impl<'a> RunBars<'a> {
    pub(crate) fn new(environment: &'a Environment) -> Self {
        RunBars {
            environment,
            screen: None,
            bar: None,
        }
    }

    /// The first run is shown on a screen, if there is one.
    pub(crate) fn on_screen(mut self, screen: Option<Screen>) -> Self {
        self.screen = screen;
        self
    }
}

impl Watcher for RunBars<'_> {
    fn begin(&mut self, step: &Step, planned: Nanos) {
        if !step.title.is_empty() {
            output::tell(&step.title);
        }
        let bar = Progress::of_run(self.environment, planned);
        self.bar = Some(bar.on_screen(self.screen.take()));
    }

    fn observer(&self) -> &dyn Observer {
        self.bar.as_ref().map_or(&Silent, |bar| bar)
    }

    fn ready(&mut self, filled: &[Filled]) -> bool {
        if let Some(bar) = self.bar.as_ref().filter(|_| !self.environment.quiet) {
            bar.filled(filled);
        }
        true
    }

    fn end(&mut self) {
        self.bar.iter().for_each(Progress::finish);
    }
}

impl Observer for Progress {
    fn on(&self, event: Event<'_>) {
        if let Some(screen) = &self.screen {
            screen.on(event);
        }
        match event {
            Event::Filling { path, done, total } => {
                self.draw_chore(Chore::Filling, path, done, total);
            }
            Event::Proving { path, done, total } => {
                self.draw_chore(Chore::Proving, path, done, total);
            }
            Event::Verifying { path, done, total } => {
                self.draw_chore(Chore::Verifying, path, done, total);
            }
            Event::Phase { name } => {
                let mut state = self.state.lock().expect("drawing does not panic");
                if !state.survey {
                    // While it goes on it is a doing, not a deed.
                    let doing = if name == "measured" {
                        "measuring"
                    } else {
                        name
                    };
                    doing.clone_into(&mut state.what);
                }
            }
            Event::Tick(tick) => self.draw(Some(tick)),
        }
    }
}

/// One step after another, each for as long as it takes.
pub(crate) struct Steps(ProgressBar);

impl Steps {
    pub(crate) fn new(environment: &Environment) -> Self {
        let target = if environment.draws_progress {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{wide_msg}").expect("the template is a constant");
        bar.set_style(style);
        Steps(bar)
    }

    /// Shows what is measured from now on.
    pub(crate) fn doing(&self, what: &str) {
        self.working(&format!("measuring: {what}"));
    }

    /// Shows what is done from now on.
    pub(crate) fn working(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// A line that stays, above what is drawn.
    pub(crate) fn tell(&self, text: &str) {
        self.0.suspend(|| output::tell(text));
    }

    /// Nothing more to draw.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

fn rate_between(before: &Tick, now: &Tick) -> String {
    let seconds = now.elapsed.minus(before.elapsed).as_seconds();
    if seconds <= 0.0 {
        return String::new();
    }
    let ios = now.ios.saturating_sub(before.ios) as f64 / seconds;
    let bytes = now.bytes.0.saturating_sub(before.bytes.0) as f64 / seconds;
    format!("{} IOPS, {} MiB/s, ", say::rate(ios), say::mib_per_s(bytes))
}

/// Whole seconds: a tenth of a second more or less is irrelevant for a waiting user.
fn left(time: Nanos) -> String {
    let seconds = time.0.div_ceil(1_000_000_000);
    if seconds < 60 {
        format!("{seconds} s left")
    } else {
        format!("{} min {:02} s left", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proof_is_no_part_of_the_filling() {
        let progress = Progress::of_filling(&Environment::default());
        let (path, done, total) = (Path::new("f"), Bytes(0), Bytes(1));
        let begun = |chore| {
            let (doing, since) = progress.state.lock().unwrap().chore.unwrap();
            assert!(doing == chore);
            since
        };
        assert_eq!(progress.filled(&[]), Nanos(0));
        progress.on(Event::Proving { path, done, total });
        assert_eq!(progress.filled(&[]), Nanos(0));
        let proving = begun(Chore::Proving);
        progress.on(Event::Filling { path, done, total });
        let filling = begun(Chore::Filling);
        assert!(filling >= proving);
        progress.on(Event::Filling { path, done, total });
        assert_eq!(begun(Chore::Filling), filling);
        let until = progress.since.elapsed();
        assert!(progress.filled(&[]) >= until.minus(filling));
    }

    #[test]
    fn what_is_left_while_a_file_is_filled_includes_the_run() {
        let run = Nanos::seconds(5);
        let progress = Progress::of_run(&Environment::default(), run);
        assert_eq!(progress.behind(Chore::Filling), run);
        assert_eq!(progress.behind(Chore::Proving), run);
        assert_eq!(progress.behind(Chore::Verifying), Nanos(0));
        let survey = Progress::of_survey(&Environment::default(), run);
        assert_eq!(survey.behind(Chore::Filling), Nanos(0));
    }

    #[test]
    fn rates_are_those_since_the_last_tick() {
        let tick = |seconds, ios, bytes| Tick {
            elapsed: Nanos::seconds(seconds),
            ios,
            bytes,
            p99: None,
        };
        let (before, now) = (tick(1, 1_000, Bytes(0)), tick(3, 21_000, Bytes::mib(10)));
        assert_eq!(rate_between(&before, &now), "10.0k IOPS, 5.00 MiB/s, ");
        assert_eq!(rate_between(&now, &now), "");
    }

    #[test]
    fn what_is_left_is_said_in_whole_seconds() {
        assert_eq!(left(Nanos(0)), "0 s left");
        assert_eq!(left(Nanos(1)), "1 s left");
        assert_eq!(left(Nanos::seconds(125)), "2 min 05 s left");
    }
}
