//! Refresh after refresh: on a screen with keys, or as lines.

use super::recording::Recording;
use crate::output;
use engine::Stop;
use model::{CommandError, Nanos};
use monitor::watch::{Next, Watch, draw, press};
use monitor::{Clock, Moment, Palette, Sampler, Screen, Server};
use session::clock;
use std::io;
use std::time::Duration;

/// So often a wait looks whether it is to end.
const LOOK: Nanos = Nanos::millis(100);

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    Screen,
    Plain,
    Json,
}

/// A watch that goes on.
pub(super) struct Shown<'a> {
    pub(super) sampler: Sampler,
    pub(super) clock: &'a Clock,
    pub(super) interval: Nanos,
    pub(super) count: Option<u64>,
    pub(super) stop: &'a Stop,
    pub(super) server: Option<Server>,
    pub(super) recording: Option<Recording<'a>>,
    pub(super) colours: bool,
    pub(super) zone: views::Zone,
}

impl Shown<'_> {
    /// Until a stop is requested, or the requested number of refreshes is reached.
    pub(super) fn run(&mut self, show: Show) -> Result<(), CommandError> {
        if show == Show::Screen {
            let done = monitor::screen(Box::new(io::stdout()), |screen| self.on_screen(screen));
            return done.map_err(|error| {
                CommandError::failed(format!(
                    "the terminal cannot be drawn on: {}: add --plain",
                    model::errno_text(&error)
                ))
            });
        }
        if let Some(why) = self.sampler.untraced() {
            output::tell(&format!("averages only, no percentiles: {why}"));
        }
        if show == Show::Plain {
            output::print(format!("{}\n", monitor::plain_head()).as_bytes())?;
        }
        self.as_lines(show)
    }

    fn as_lines(&mut self, show: Show) -> Result<(), CommandError> {
        let mut refreshes = Refreshes::new(self.count, self.interval, (self.clock)());
        while refreshes.more() {
            while let Some(wait) = refreshes.wait((self.clock)()) {
                if self.stop.asked() {
                    return Ok(());
                }
                std::thread::sleep(wait);
            }
            let moment = self.next();
            let lines = match show {
                Show::Json => {
                    let line = monitor::json_line(&moment, clock::utc());
                    let line = line.map_err(CommandError::failed)?;
                    views::json_escaped(&line).into_owned() + "\n"
                }
                _ => {
                    let time = views::local_stamp(clock::utc().0, &self.zone);
                    monitor::plain_lines(&moment, &time)
                        .iter()
                        .map(|line| format!("{line}\n"))
                        .collect()
                }
            };
            if !output::still_read(lines.as_bytes())? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn on_screen(&mut self, screen: &mut Screen) -> io::Result<()> {
        let mut watch = self.model();
        let mut refreshes = Refreshes::new(self.count, self.interval, (self.clock)());
        screen.draw(|frame| draw(&watch, frame))?;
        while refreshes.more() {
            while let Some(wait) = refreshes.wait((self.clock)()) {
                if self.stop.asked() {
                    return Ok(());
                }
                match monitor::key_or_size(wait)?.map(|event| event.change(&mut watch, press)) {
                    Some(Next::Leave) => return Ok(()),
                    Some(Next::Draw) => {
                        screen.draw(|frame| draw(&watch, frame))?;
                    }
                    Some(Next::Stay) | None => {}
                }
            }
            watch.add(self.next());
            screen.draw(|frame| draw(&watch, frame))?;
        }
        Ok(())
    }

    fn model(&self) -> Watch {
        let mut also = Vec::new();
        if let Some(server) = &self.server {
            also.push(format!("http://{}/metrics", server.at()));
        }
        if self.recording.is_some() {
            also.push("recorded".to_owned());
        }
        let host = host::host_record(&host::Root::live()).hostname;
        let mut watch = Watch::new(host, self.interval);
        watch.untraced = self.sampler.untraced().map(str::to_owned);
        watch.also = also;
        watch.palette = Palette {
            colours: self.colours,
        };
        watch
    }

    /// The next moment, which goes to everybody who wants it.
    fn next(&mut self) -> Moment {
        let moment = self.sampler.next(self.clock);
        if let Some(server) = &self.server {
            server.publish(monitor::metrics_text(&moment));
        }
        if let Some(recording) = &mut self.recording {
            recording.add(&moment);
        }
        moment
    }
}

/// When refreshes are due: at whole intervals from the start, so that delays do not add up.
struct Refreshes {
    left: Option<u64>,
    interval: Nanos,
    due: Nanos,
}

impl Refreshes {
    fn new(count: Option<u64>, interval: Nanos, now: Nanos) -> Self {
        Refreshes {
            left: count,
            interval,
            due: now.plus(interval),
        }
    }

    /// Whether another one is to come; counts it.
    fn more(&mut self) -> bool {
        match &mut self.left {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    /// How long to wait at most before asking again; `None` when it is due. Those that were missed are omitted.
    fn wait(&mut self, now: Nanos) -> Option<Duration> {
        if now < self.due {
            return Some(self.due.minus(now).min(LOOK).as_duration());
        }
        while self.due <= now {
            self.due = self.due.plus(self.interval);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_come_at_whole_intervals_and_missed_ones_are_left_out() {
        let mut refreshes = Refreshes::new(Some(2), Nanos::seconds(1), Nanos(0));
        assert!(refreshes.more());
        assert_eq!(
            refreshes.wait(Nanos::millis(950)),
            Some(Duration::from_millis(50))
        );
        assert_eq!(refreshes.wait(Nanos::millis(1_100)), None);
        assert_eq!(refreshes.due, Nanos::seconds(2));
        assert_eq!(refreshes.wait(Nanos::millis(4_500)), None);
        assert_eq!(refreshes.due, Nanos::seconds(5));
        assert!(refreshes.more());
        assert!(!refreshes.more());
    }
}
