//! Work with files: create, look up, read, append, rename and delete many small ones, and stream one large one.
//!
//! ```text
//!  run_files ─▶ foreman (a thread of its own) ─▶ steps ─▶ crew (one thread each, stamps) ─▶ gate::Folder
//!      └─ watches the foreman's pulse: a mount that does not answer any more cannot block the program
//! ```
//!
//! Read in this order: here, `steps` (which operations, in which order), `crew` (what is stamped), `tree` and `stream`
//! (what an operation is), `scratch` (the folder of our own, and what is removed), `room` (what is looked at before).
//! It is no second engine for block I/O: there are no queues, no offsets of a plan and no direct I/O here. Deliberately
//! absent: what may be asked (`cli`), and what the figures mean (`analysis`).

mod crew;
mod mdtest;
mod room;
mod scratch;
mod steps;
mod stream;
mod tasks;
mod tree;
mod tree_mark;

pub(crate) use crew::Batches;
use crew::Beat;
pub use mdtest::{MdtestBelow, MdtestPlace, MdtestSite};
pub use room::{Room, may_drop_caches, room_of};

use crate::clock::{Clock, WallClock};
use crate::stop::Stop;
use crate::system::caches;
use host::{CounterReader, Root};
use model::errno_text;
use model::{CounterWindow, DeviceCounters, FilesOutcome, FilesStep, Nanos, TreeWork};
use scratch::Scratch;
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

/// How often the pulse is felt.
const LOOK: Nanos = Nanos::millis(200);

/// How names of our folders begin.
const PREFIX: &str = ".fathom-files-";

/// Why work with files could not be done or was given up. What fails within a step is in the step's record.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum FilesError {
    #[error("{}: no folder could be created in it: {}; specify a folder that you may write", folder.display(), errno_text(source))]
    Make { folder: PathBuf, source: io::Error },
    #[error("{}: cannot be read: {}", folder.display(), errno_text(source))]
    Look { folder: PathBuf, source: io::Error },
    #[error(transparent)]
    Refused(gate::OutputError),
    #[error(
        "{}: it does not answer: {doing} has not progressed for {patience}, so fathom gave up; if this is a network mount, \
         check its server. The files are still there in a folder that begins with {left}, which the same command there removes",
        folder.display()
    )]
    Stalled {
        folder: PathBuf,
        doing: String,
        patience: Nanos,
        left: &'static str,
    },
    #[error("{0}")]
    Foreign(String),
    #[error("a thread could not be started: {}", errno_text(.0))]
    Thread(io::Error),
    #[error(
        "the thread that worked with the files ended without a word; this is a mistake of fathom's"
    )]
    Lost,
}

/// What is to be done, and where.
#[derive(Clone, Debug)]
pub struct FilesJob {
    /// An existing folder. A folder of our own is created in it, and nothing else in it is touched.
    pub folder: PathBuf,
    /// What is done there.
    pub work: TreeWork,
    /// The device below the file system, by its kernel name, where there is one.
    pub device: Option<String>,
    /// For so long no operation may end without the work being given up. // above 0
    pub patience: Nanos,
    /// Each step begins when its event `Ready` has been taken, as those of other processes do.
    pub together: bool,
}

/// Events of the foreman while the work goes on.
#[derive(Debug)]
pub enum FilesEvent<'a> {
    /// A folder that an earlier fathom left behind was removed.
    Removed(&'a Path),
    /// Something stands in such a folder that fathom did not create: it was left as it is.
    LeftAlone(&'a Path),
    /// A step begins.
    Begins(&'a str),
    /// All is there for the step, which begins at the moment that is set: of work that begins together.
    Ready(&'a Cell<Option<Instant>>),
    /// A step has ended.
    Ended(&'a FilesStep, &'a FilesOutcome),
}

/// How all of it ended.
#[derive(Debug, PartialEq, Eq)]
pub enum FilesEnd {
    /// Every step was done, and everything created was removed.
    Complete,
    /// Stopped from outside; everything created was removed.
    Interrupted,
    /// A step failed; everything created was removed.
    Failed(String),
    /// The created files could not be removed: the folder that is left.
    Left(PathBuf, String),
}

/// Does the work, and reports its events as they come.
///
/// Errors: a folder in which nothing can be created, and a folder that does not answer any more: then threads of this
/// process still wait for the system, and their files are left (the next call removes it).
pub fn run_files(
    job: &FilesJob,
    root: &Root,
    stop: &Stop,
    tell: &mut dyn FnMut(FilesEvent<'_>),
) -> Result<FilesEnd, FilesError> {
    let pulse = Arc::new(AtomicU64::new(0));
    let (sender, said) = mpsc::channel();
    let (go, hears) = mpsc::channel();
    let foreman = Foreman {
        job: job.clone(),
        root: root.clone(),
        stop: stop.clone(),
        pulse: Arc::clone(&pulse),
        sender,
        hears,
    };
    let spawned = thread::Builder::new().name("files".to_owned());
    let foreman = spawned
        .spawn(move || foreman.work())
        .map_err(FilesError::Thread)?;
    let mut watch = Watch::new(job.patience);
    let mut doing = String::from("creating its folder");
    loop {
        match said.recv_timeout(LOOK.as_duration()) {
            Ok(Said::Removed(path)) => tell(FilesEvent::Removed(&path)),
            Ok(Said::LeftAlone(path)) => tell(FilesEvent::LeftAlone(&path)),
            Ok(Said::Begins(label)) => {
                tell(FilesEvent::Begins(&label));
                doing = label;
            }
            Ok(Said::Ready) => {
                let moment = Cell::new(None);
                tell(FilesEvent::Ready(&moment));
                pulse.fetch_add(1, Ordering::Relaxed); // others may have been slow
                let _ = go.send(moment.get()); // the foreman may be gone
            }
            Ok(Said::Ended(step, outcome)) => tell(FilesEvent::Ended(&step, &outcome)),
            Ok(Said::Over(end)) => {
                let _ = foreman.join(); // it has reported everything
                return end;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(FilesError::Lost),
        }
        if watch.stalls(pulse.load(Ordering::Relaxed)) {
            return Err(FilesError::Stalled {
                folder: job.folder.clone(),
                doing,
                patience: job.patience,
                left: PREFIX,
            });
        }
    }
}

/// Notices that nothing happens any more.
struct Watch {
    patience: Nanos,
    clock: WallClock,
    last: (u64, Nanos),
}

impl Watch {
    fn new(patience: Nanos) -> Self {
        Watch {
            patience,
            clock: WallClock::monotonic(),
            last: (0, Nanos(0)),
        }
    }

    fn stalls(&mut self, pulse: u64) -> bool {
        let now = self.clock.now();
        if pulse != self.last.0 {
            self.last = (pulse, now);
        }
        now.minus(self.last.1) > self.patience
    }
}

/// What goes from the foreman to the waiting thread.
enum Said {
    Removed(PathBuf),
    LeftAlone(PathBuf),
    Begins(String),
    Ready,
    Ended(Box<FilesStep>, FilesOutcome),
    Over(Result<FilesEnd, FilesError>),
}

/// Does the steps one after the other.
struct Foreman {
    job: FilesJob,
    root: Root,
    stop: Stop,
    pulse: Arc<AtomicU64>,
    sender: Sender<Said>,
    /// When a step begins.
    hears: Receiver<Option<Instant>>,
}

impl Foreman {
    fn work(self) {
        let end = self.all();
        self.say(Said::Over(end));
    }

    fn all(&self) -> Result<FilesEnd, FilesError> {
        let parent = scratch::open(&self.job.folder)?;
        // First: what was left may fill the disk.
        self.tell_left(scratch::remove_left(
            &parent,
            &self.job.folder,
            &self.pulse,
        )?);
        let scratch = Scratch::make(parent, &self.job.folder)?;
        self.tell_left(scratch.remove_left(&self.pulse)?);
        let ended = self.steps(&scratch);
        match scratch.remove(&self.pulse) {
            Ok(()) => Ok(ended),
            Err((path, why)) => Ok(FilesEnd::Left(path, why)),
        }
    }

    fn tell_left(&self, left: scratch::Left) {
        for (path, removed) in left {
            self.say(match removed {
                true => Said::Removed(path),
                false => Said::LeftAlone(path),
            });
        }
    }

    fn steps(&self, scratch: &Scratch) -> FilesEnd {
        let mut site = steps::Site::new(scratch.folder(), &self.job.work);
        for task in steps::tasks(&self.job.work) {
            if self.stop.asked() {
                return FilesEnd::Interrupted;
            }
            self.say(Said::Begins(task.label()));
            let (step, outcome) = self.one(&task, &mut site);
            let end = match &outcome {
                FilesOutcome::Complete => None,
                FilesOutcome::Interrupted => Some(FilesEnd::Interrupted),
                FilesOutcome::Failed(why) => Some(FilesEnd::Failed(why.clone())),
            };
            self.say(Said::Ended(Box::new(step), outcome));
            if let Some(end) = end {
                return end;
            }
        }
        FilesEnd::Complete
    }

    fn one(&self, task: &steps::Task, site: &mut steps::Site) -> (FilesStep, FilesOutcome) {
        let clock = WallClock::monotonic();
        let beat = Beat {
            clock,
            stop: &self.stop,
            pulse: &self.pulse,
            limit: self.job.work.step_limit,
        };
        task.make_way(site, &beat);
        if self.job.work.drops_caches
            && task.reads()
            && let Err(error) = caches::drop_all()
        {
            return task.unmeasured(format!("the system's caches could not be emptied: {error}"));
        }
        let moment = match self.job.together {
            true => {
                self.say(Said::Ready);
                self.hears.recv().ok().flatten()
            }
            false => None,
        };
        let clock = WallClock::starting(moment);
        clock.wait_for_origin();
        let beat = Beat { clock, ..beat };
        let devices: Vec<String> = self.job.device.iter().cloned().collect();
        let mut counters = CounterReader::open(&self.root, &devices);
        let before = counters.read(&mut || clock.now());
        let (mut step, outcome) = task.run(site, &beat);
        let after = counters.read(&mut || clock.now());
        step.device = self.device(&CounterWindow { before, after });
        (step, outcome)
    }

    fn device(&self, window: &CounterWindow) -> Option<DeviceCounters> {
        window.device(self.job.device.as_deref()?)
    }

    /// The receiver may be gone.
    fn say(&self, what: Said) {
        self.pulse.fetch_add(1, Ordering::Relaxed);
        let _ = self.sender.send(what);
    }
}

#[cfg(test)]
mod tests;
