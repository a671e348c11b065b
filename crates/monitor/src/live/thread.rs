//! The thread that draws, and the keys it looks for meanwhile.

use super::draw::draw;
use super::model::{Running, Update};
use crate::Clock;
use crate::keys::{Input, key_or_size};
use crate::sampler::{Asked, Sampler};
use crate::style::Palette;
use crate::terminal::{Screen, take};
use crate::watch::leaves;
use crossterm::event::KeyEventKind;
use host::Root;
use model::BlockDevice;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two pictures.
const EVERY: Duration = Duration::from_millis(250);

/// What a screen needs.
pub struct Wanted {
    /// The terminal.
    pub out: Box<dyn Write + Send>,
    /// Whose counters are shown.
    pub devices: Vec<BlockDevice>,
    /// Whether colours may be used.
    pub palette: Palette,
    /// The time.
    pub clock: Box<Clock>,
    /// Sent once when the user requests the end of the run; the terminal is as it was by then.
    pub stop: Box<dyn FnOnce() + Send>,
}

/// A screen that is up. It goes with the value.
#[derive(Debug)]
pub struct Live {
    updates: Option<Sender<Update>>,
    thread: Option<JoinHandle<Vec<String>>>,
}

impl Live {
    /// Takes the terminal.
    ///
    /// # Errors
    /// Where the terminal cannot be drawn on, or there can be no thread.
    pub fn start(wanted: Wanted) -> io::Result<Self> {
        let (updates, reported) = channel();
        let (ready, is_ready) = channel();
        let thread = std::thread::Builder::new()
            .name("live".to_owned())
            .spawn(move || run(wanted, &reported, &ready))?;
        is_ready
            .recv()
            .unwrap_or_else(|_| Err(io::Error::other("the screen's thread ended")))?;
        Ok(Live {
            updates: Some(updates),
            thread: Some(thread),
        })
    }

    /// Something that it may show; at once back.
    pub fn tell(&self, update: Update) {
        if let Some(updates) = &self.updates {
            let _ = updates.send(update); // a screen that is gone shows nothing
        }
    }

    /// Gives the terminal back; the lines that are to stay, in their order.
    pub fn finish(&mut self) -> Vec<String> {
        self.updates = None;
        let thread = self.thread.take();
        thread
            .and_then(|thread| thread.join().ok())
            .unwrap_or_default()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

fn run(wanted: Wanted, reported: &Receiver<Update>, ready: &Sender<io::Result<()>>) -> Vec<String> {
    let Wanted {
        out,
        devices,
        palette,
        clock,
        stop,
    } = wanted;
    let (mut screen, guard) = match take(out) {
        Ok(taken) => taken,
        Err(error) => {
            let _ = ready.send(Err(error));
            return Vec::new();
        }
    };
    let _ = ready.send(Ok(()));
    let mut running = Running {
        palette,
        ..Running::default()
    };
    let mut sampler = Sampler::start(Root::live(), devices, Asked::default(), &*clock);
    let left = show(&mut screen, &mut running, &mut sampler, reported, &*clock);
    drop(screen);
    drop(guard);
    if left {
        stop();
    }
    // Without a screen the run goes on to its end; what it reports until then is kept.
    while let Ok(update) = reported.recv() {
        running.update(update, clock());
    }
    running.lines
}

/// Whether the person left, rather than the run ended.
fn show(
    screen: &mut Screen,
    running: &mut Running,
    sampler: &mut Sampler,
    reported: &Receiver<Update>,
    clock: &Clock,
) -> bool {
    let mut drawn = clock();
    loop {
        loop {
            match reported.try_recv() {
                Ok(update) => running.update(update, clock()),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
        if clock().minus(drawn).0 >= EVERY.as_nanos() as u64 || running.moment.is_none() {
            drawn = clock();
            running.moment = Some(sampler.next(clock));
            if screen.draw(|frame| draw(running, frame)).is_err() {
                return false;
            }
        }
        // A short wait: the end of the run must not wait for a picture.
        match key_or_size(EVERY / 5) {
            Ok(Some(Input::Key(key))) if key.kind != KeyEventKind::Release && leaves(key) => {
                return true;
            }
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
