//! `--live`: the engine's progress, passed to a screen; messages are kept until the screen is closed.
//!
//! Deliberately absent: how the screen looks (`monitor`). It hears of events and of nothing else, so what is measured with
//! it is measured as without.

use crate::environment::Environment;
use crate::output;
use crate::system;
use engine::{Event, Tick};
use model::{BlockDevice, Bytes, CommandError, Nanos, TargetFacts};
use monitor::Palette;
use monitor::live::{Live, Update, Wanted};
use session::clock::Stopwatch;
use std::io::IsTerminal;
use std::sync::Mutex;

/// A screen that is up.
#[derive(Debug)]
pub(crate) struct Screen {
    live: Mutex<Live>,
    /// Of the whole run, where one run is all there is.
    total: Option<Nanos>,
}

/// One, if it was requested and there is a terminal for it; a missing terminal is reported.
pub(crate) fn screen(
    asked: bool,
    environment: &Environment,
    targets: &[TargetFacts],
) -> Result<Option<Screen>, CommandError> {
    if !asked {
        return Ok(None);
    }
    if !environment.draws_progress || !std::io::stdin().is_terminal() {
        output::tell("--live: standard error or input is no terminal, so nothing is drawn");
        return Ok(None);
    }
    let since = Stopwatch::start();
    let live = Live::start(Wanted {
        out: Box::new(std::io::stderr()),
        devices: devices(targets),
        palette: Palette {
            colours: environment.colours,
        },
        clock: Box::new(move || since.elapsed()),
        // As Ctrl-C without a screen: the first ends the run, and a second one the program.
        stop: Box::new(system::interrupt_self),
    });
    let live = live.map_err(|error| {
        let why = model::errno_text(&error);
        CommandError::refused(format!("--live: the terminal cannot be drawn on: {why}"))
    })?;
    Ok(Some(Screen {
        live: Mutex::new(live),
        total: None,
    }))
}

/// Every device below the targets, once.
fn devices(targets: &[TargetFacts]) -> Vec<BlockDevice> {
    let mut found: Vec<BlockDevice> = Vec::new();
    for device in targets.iter().flat_map(|target| &target.chain) {
        if found.iter().all(|one| one.name != device.name) {
            found.push(device.clone());
        }
    }
    found
}

impl Screen {
    /// For a single run of this length, with its name.
    pub(crate) fn of_run(mut self, what: String, total: Nanos) -> Self {
        self.what(what);
        self.total = Some(total);
        self
    }

    /// What is run from now on.
    pub(crate) fn what(&self, what: String) {
        self.update(Update::What(what));
    }

    /// How far all of it is.
    pub(crate) fn progress(&self, done: Nanos, all: Nanos) {
        self.update(Update::Progress(done, all));
    }

    /// A line that stays once the screen is gone.
    pub(crate) fn tell(&self, text: &str) {
        self.update(Update::Line(text.to_owned()));
    }

    /// The engine's progress.
    pub(crate) fn on(&self, event: Event<'_>) {
        let update = match event {
            Event::Filling { path, done, total } => making("filling", path, done, total),
            Event::Proving { path, done, total } => making("checking", path, done, total),
            Event::Verifying { path, done, total } => making("verifying", path, done, total),
            Event::Phase { name: "measured" } => Update::Phase("measuring".to_owned()),
            Event::Phase { name } => Update::Phase(name.to_owned()),
            Event::Tick(Tick {
                elapsed,
                ios,
                bytes,
                p99,
            }) => {
                if let Some(total) = self.total {
                    self.progress(elapsed, total);
                }
                Update::Tick {
                    elapsed,
                    ios,
                    bytes,
                    p99,
                }
            }
        };
        self.update(update);
    }

    /// Gives the terminal back, and prints the lines that stay.
    pub(crate) fn finish(&self) {
        let lines = self.live.lock().map(|mut live| live.finish());
        lines
            .unwrap_or_default()
            .iter()
            .for_each(|line| output::tell(line));
    }

    fn update(&self, update: Update) {
        if let Ok(live) = self.live.lock() {
            live.tell(update);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.finish(); // where an error ended the command; a second time it does nothing
    }
}

fn making(doing: &str, path: &std::path::Path, done: Bytes, total: Bytes) -> Update {
    let name = views::printable(&path.to_string_lossy());
    let percent = done.0.saturating_mul(100) / total.0.max(1);
    Update::Phase(format!("{doing} {name}, {percent}%"))
}
