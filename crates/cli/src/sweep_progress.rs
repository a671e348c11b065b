//! How far a sweep is, for a person at a terminal: one bar for all of it, one for the cell. Elsewhere a line a cell.
//!
//! The time that is left follows from what the last cells cost beyond their phases. Deliberately absent: results.

use crate::environment::{self, Environment};
use crate::live::Screen;
use crate::output;
use analysis::{SweepForecast, SweepResult, say};
use engine::{Event, Observer, Tick};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::Nanos;
use session::clock::Stopwatch;
use std::sync::Mutex;
use sweep::Pace;

const SWEEP_LINE: &str = "{prefix:31!} [{bar:24}] {wide_msg}";
const SWEEP_LINE_NARROW: &str = "{prefix:30!} [{bar:6}] {wide_msg}";
const COLUMNS_WIDE: usize = 100;

/// Draws the progress of the engine and the walk.
pub(crate) struct SweepProgress {
    /// Instead of the bars, where one was asked for.
    screen: Option<Screen>,
    bars: MultiProgress,
    whole: ProgressBar,
    cell: ProgressBar,
    draws: bool,
    since: Stopwatch,
    state: Mutex<State>,
}

struct State {
    pace: Pace,
    rest: Nanos,
    /// Runs that are certain, those done in this call included.
    runs: u64,
    done: u64,
    /// What is left after the running cell.
    left: Nanos,
    /// Of the running cell.
    planned: Nanos,
    began: Nanos,
    last: Tick,
    phase: &'static str,
}

/// A turn that has ended.
pub(crate) struct Done {
    pub(crate) label: String,
    pub(crate) result: Result<SweepResult, String>,
    pub(crate) planned: Nanos,
    pub(crate) took: Nanos,
}

impl SweepProgress {
    /// For what was foretold, at this pace.
    pub(crate) fn new(environment: &Environment, forecast: &SweepForecast, pace: Pace) -> Self {
        let bars = MultiProgress::with_draw_target(match environment.draws_progress {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        });
        let wide = environment::message_columns().is_some_and(|columns| columns >= COLUMNS_WIDE);
        let line = if wide { SWEEP_LINE } else { SWEEP_LINE_NARROW };
        let bar = |length: u64| {
            let style = ProgressStyle::with_template(line).expect("the template is a constant");
            let bar = bars.add(ProgressBar::new(length.max(1)));
            bar.set_style(style.progress_chars("=> "));
            bar
        };
        let rests = forecast.runs_least.saturating_sub(1).max(1);
        SweepProgress {
            screen: None,
            whole: bar(forecast.time.duration_least_ns),
            cell: bar(1),
            bars,
            draws: environment.draws_progress,
            since: Stopwatch::start(),
            state: Mutex::new(State {
                pace,
                rest: Nanos(forecast.time.rest_ns / rests),
                runs: forecast.runs_least,
                done: 0,
                left: Nanos(
                    forecast
                        .time
                        .duration_least_ns
                        .saturating_sub(forecast.time.filling_ns),
                ),
                planned: Nanos(0),
                began: Nanos(0),
                last: Tick::default(),
                phase: "",
            }),
        }
    }

    /// On a screen instead, where there is one.
    pub(crate) fn on_screen(mut self, screen: Option<Screen>) -> Self {
        if screen.is_some() {
            self.bars.set_draw_target(ProgressDrawTarget::hidden());
            self.draws = false;
        }
        self.screen = screen;
        self
    }

    /// A turn begins.
    pub(crate) fn begin(&self, label: String, planned: Nanos) {
        let now = self.since.elapsed();
        let mut state = self.lock();
        state.planned = planned;
        state.began = now;
        state.last = Tick::default();
        state.phase = "starting";
        let around = state.pace.around();
        state.left = state.left.minus(state.pace.load(planned).plus(around));
        drop(state);
        if let Some(screen) = &self.screen {
            screen.what(label.clone());
        }
        self.cell.set_prefix(label);
        self.draw(None);
    }

    /// A turn has ended. A missing result is reported in a line that stays.
    pub(crate) fn end(&self, done: &Done) {
        let mut state = self.lock();
        state.pace.learn(done.planned, done.took);
        state.done += 1;
        let count = format!("{} of {}", state.done, state.runs.max(state.done));
        let left = state.left;
        drop(state);
        if let Some(screen) = &self.screen {
            let now = self.since.elapsed();
            screen.progress(now, now.plus(left));
        }
        let figures = match &done.result {
            Ok(result) => figures(result),
            Err(reason) => format!("NA: {reason}"),
        };
        if !self.draws || done.result.is_err() {
            let text = format!("{count}, {}: {figures}; {}", done.label, left_words(left));
            match &self.screen {
                Some(screen) => screen.tell(&text),
                None => self.bars.suspend(|| output::tell(&text)),
            }
        }
    }

    /// These are still to come for certain.
    pub(crate) fn left(&self, planned: impl Iterator<Item = Nanos>) {
        let mut state = self.lock();
        let each = state.pace.around().plus(state.rest);
        let pace = state.pace;
        let one = |phases| pace.load(phases).plus(each);
        state.left = planned.fold(Nanos(0), |sum, phases| sum.plus(one(phases)));
    }

    /// Nothing more to draw.
    pub(crate) fn finish(&self) {
        self.cell.finish_and_clear();
        self.whole.finish_and_clear();
        if let Some(screen) = &self.screen {
            screen.finish();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("drawing does not panic")
    }

    fn draw(&self, tick: Option<Tick>) {
        if !self.draws {
            return;
        }
        let now = self.since.elapsed();
        let mut state = self.lock();
        let here = now.minus(state.began);
        let left_here = state.pace.load(state.planned).minus(here);
        let left = state.left.plus(left_here);
        self.whole.set_length(now.plus(left).0.max(1));
        self.whole.set_position(now.0);
        self.whole.set_prefix(format!(
            "sweep, {} of {}",
            state.done + 1,
            state.runs.max(state.done + 1)
        ));
        self.whole.set_message(left_words(left));
        self.cell.set_length(state.planned.0.max(1));
        self.cell.set_position(here.0.min(state.planned.0));
        let reported = tick.as_ref().map(|tick| live(&state.last, tick));
        self.cell
            .set_message(format!("{}{}", reported.unwrap_or_default(), state.phase));
        if let Some(tick) = tick {
            state.last = tick;
        }
    }
}

impl Observer for SweepProgress {
    fn on(&self, event: Event<'_>) {
        if let Some(screen) = &self.screen {
            screen.on(event);
        }
        match event {
            Event::Filling { path, done, total }
            | Event::Proving { path, done, total }
            | Event::Verifying { path, done, total } => {
                let name = views::printable(&path.to_string_lossy());
                let doing = match event {
                    Event::Filling { .. } => "filling",
                    Event::Proving { .. } => "checking",
                    _ => "verifying",
                };
                self.cell.set_length(total.0.max(1));
                self.cell.set_position(done.0);
                self.cell.set_message(format!("{doing} {name}"));
            }
            Event::Phase { name } => {
                self.lock().phase = if name == "measured" {
                    "measuring"
                } else {
                    name
                };
            }
            Event::Tick(tick) => self.draw(Some(tick)),
        }
    }
}

fn figures(result: &SweepResult) -> String {
    let rate = result.iops().map_or_else(|| "-".to_owned(), say::rate);
    let flow = result
        .bytes_per_s()
        .map_or_else(|| "-".to_owned(), say::mib_per_s);
    let p99 = result.row.total.latency.at(0.99);
    let p99 = p99.map_or_else(String::new, |time| {
        format!(", p99 {}", say::time(time.0 as f64))
    });
    format!("{rate} IOPS, {flow} MiB/s{p99}")
}

/// `84.1k IOPS, p99 1.20 ms, `: the rate since the last tick, the percentile since measuring began.
fn live(last: &Tick, tick: &Tick) -> String {
    let seconds = tick.elapsed.minus(last.elapsed).as_seconds();
    if seconds <= 0.0 {
        return String::new();
    }
    let rate = tick.ios.saturating_sub(last.ios) as f64 / seconds;
    let p99 = tick
        .p99
        .map(|time| format!("p99 {}, ", say::time(time.0 as f64)));
    format!("{} IOPS, {}", say::rate(rate), p99.unwrap_or_default())
}

/// Whole seconds, minutes beyond an hour.
fn left_words(time: Nanos) -> String {
    let seconds = time.0.div_ceil(1_000_000_000);
    match seconds {
        0..60 => format!("{seconds} s left"),
        60..3600 => format!("{} min {:02} s left", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min left", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_what_cells_cost() {
        let forecast = SweepForecast {
            runs_least: 3,
            time: analysis::ForecastTime {
                duration_least_ns: Nanos::seconds(30).0,
                ..Default::default()
            },
            ..SweepForecast::default()
        };
        let progress = SweepProgress::new(&Environment::default(), &forecast, Pace::default());
        progress.begin("a".into(), Nanos::seconds(10));
        progress.end(&Done {
            label: "a".into(),
            result: Err("none".into()),
            planned: Nanos::seconds(10),
            took: Nanos::seconds(15),
        });
        progress.left([Nanos::seconds(10), Nanos::seconds(10)].into_iter());
        assert_eq!(progress.lock().left, Nanos::seconds(30));
        assert_eq!(left_words(Nanos::seconds(7_500)), "2 h 05 min left");
    }

    #[test]
    fn the_rate_is_the_one_since_the_last_tick() {
        let tick = Tick {
            elapsed: Nanos::seconds(3),
            ios: 21_000,
            p99: Some(Nanos::micros(120)),
            ..Tick::default()
        };
        let before = Tick {
            elapsed: Nanos::seconds(1),
            ios: 1_000,
            ..Tick::default()
        };
        assert_eq!(live(&before, &tick), "10.0k IOPS, p99 120 µs, ");
        assert_eq!(live(&tick, &tick), "");
    }
}
