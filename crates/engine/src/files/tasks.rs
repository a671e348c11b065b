//! The phases of mdtest: what each task does to its items, and how one phase becomes a step of the record.
//!
//! A thread is a task. It keeps folders of the tree open and names items in them, so that renaming a folder above does not decide
//! what is changed. What is done, in which order and to whose items is the model's ([`MdtestWork`]). Omitted: the test folder and who
//! removes it (`mdtest`).

use super::crew::{Beat, Ended};
use super::tree;
use crate::clock::{Clock, WallClock};
use crate::meeting::Level;
use crate::rng::Rng;
use crate::stop::Stop;
use crate::system::caches;
use gate::{Folder, Name, Use};
use model::errno_text;
use model::record::mdtest::{MdtestPhase, MdtestShape, MdtestWork};
use model::{Bytes, FilesOrder, FilesOutcome, FilesStep, Nanos};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Barrier};

/// Folders of the tree that all threads together keep open.
const HELD_MAX: usize = 256;

/// One phase to do by some of all tasks.
pub(super) struct Phase<'a> {
    pub(super) top: &'a Folder,
    pub(super) work: &'a MdtestWork,
    pub(super) phase: MdtestPhase,
    /// The tasks of this process.
    pub(super) tasks: Range<u32>,
    /// Its origin is the moment of the start, which may be ahead.
    pub(super) clock: WallClock,
    pub(super) stop: &'a Stop,
    pub(super) pulse: &'a AtomicU64,
    /// Where its tasks meet behind a deadline.
    pub(super) level: &'a Level,
}

impl Phase<'_> {
    /// Does it, whole.
    pub(super) fn run(&self) -> (FilesStep, FilesOutcome) {
        let tasks: Vec<u32> = self
            .tasks
            .clone()
            .filter(|task| self.takes_part(*task))
            .collect();
        let mut ended = self.threads(&tasks);
        let error = ended.iter_mut().find_map(|one| one.error.take());
        let name = self.phase.name();
        let mut outcome = match error {
            Some(error) => FilesOutcome::Failed(format!("{name}: {}", errno_text(&error))),
            None if ended.iter().any(|one| one.interrupted) => FilesOutcome::Interrupted,
            None => FilesOutcome::Complete,
        };
        let mut flush = None;
        if self.work.syncs_phases && outcome == FilesOutcome::Complete {
            let begin = self.clock.now();
            if let Err(error) = caches::sync_all() {
                outcome = FilesOutcome::Failed(format!("{name}: {}", errno_text(&error)));
            }
            let end = self.clock.now();
            flush = Some(end.minus(begin));
            ended.iter_mut().for_each(|one| one.counted.ended = end);
        }
        let is_random = self.work.random_seed.is_some() && self.draws();
        let nothing = match self.each() {
            0 => "one folder has no place to be renamed to",
            _ => "no operation was done",
        };
        let first = ended.iter().map(|one| one.counted.began).min();
        let last = ended.iter().map(|one| one.counted.ended).max();
        let part = FilesStep {
            name: self.work.step_name(self.phase),
            order: if is_random {
                FilesOrder::Random
            } else {
                FilesOrder::Sequential
            },
            planned: match self.work.wear_out {
                Some(_) if self.phase == MdtestPhase::FileCreation => None,
                _ => Some(self.each().saturating_mul(tasks.len() as u64)),
            },
            block: self.block(),
            unmeasured: Some(nothing.to_owned()),
            elapsed: last.unwrap_or_default().minus(first.unwrap_or_default()),
            threads: ended.into_iter().map(|one| one.counted).collect(),
            flush,
            ..FilesStep::default()
        };
        (FilesStep::joined(vec![part]), outcome)
    }

    /// A shared tree is created and removed by task 0.
    fn takes_part(&self, task: u32) -> bool {
        !self.phase.is_of_trees() || self.work.shape.own_trees || task == 0
    }

    /// Operations of one task.
    fn each(&self) -> u64 {
        match self.phase.is_of_trees() {
            true => self.work.shape.tree_folders().unwrap_or(0),
            false => self.items_of_task(),
        }
    }

    fn items_of_task(&self) -> u64 {
        match (self.phase, self.work.shape.items()) {
            (MdtestPhase::DirectoryRename, 1) => 0,
            (_, items) => items,
        }
    }

    /// Whether its order may be random.
    fn draws(&self) -> bool {
        use MdtestPhase::{DirectoryStat, FileRead, FileStat};
        matches!(self.phase, DirectoryStat | FileStat | FileRead)
    }

    fn block(&self) -> Option<Bytes> {
        let size = match self.phase {
            MdtestPhase::FileCreation => self.work.shape.file_size,
            MdtestPhase::FileRead => self.work.read,
            _ => Bytes(0),
        };
        (size > Bytes(0)).then_some(size)
    }

    /// All begin together.
    fn threads(&self, tasks: &[u32]) -> Vec<Ended> {
        let together = Barrier::new(tasks.len());
        let lost = || Ended {
            error: Some(io::Error::other("a thread ended without a word")),
            ..Ended::default()
        };
        std::thread::scope(|scope| {
            let spawned = tasks.iter().map(|&task| {
                let together = &together;
                scope.spawn(move || self.task(task, tasks.len(), together))
            });
            let threads: Vec<_> = spawned.collect();
            let joined = threads.into_iter().map(|one| one.join());
            joined.map(|one| one.unwrap_or_else(|_| lost())).collect()
        })
    }

    fn task(&self, task: u32, threads: usize, together: &Barrier) -> Ended {
        let shape = &self.work.shape;
        let creator = self.work.creator(self.phase, task);
        let mut walk = Walk {
            top: self.top,
            shape,
            tree: match self.phase.is_of_trees() {
                true => task,
                false => shape.tree_of(creator),
            },
            open: HashMap::new(),
            held_max: (HELD_MAX / threads).max(1),
            last: None,
        };
        if !self.phase.is_of_trees() {
            walk.hold();
        }
        let beat = Beat {
            clock: self.clock,
            stop: self.stop,
            pulse: self.pulse,
            limit: Nanos::MAX,
        };
        match self.phase {
            MdtestPhase::TreeCreation => {
                self.begin(together);
                beat.each(
                    |number| (number < self.each()).then(|| walk.place(number)),
                    |(at, name)| Walk::in_it(self.top, at)?.add(&name),
                )
            }
            MdtestPhase::TreeRemoval => {
                self.begin(together);
                let all = self.each();
                beat.each(
                    |number| (number < all).then(|| walk.left(all - 1 - number)),
                    |(at, name)| Walk::in_it(self.top, at)?.remove(&name),
                )
            }
            MdtestPhase::DirectoryRename => {
                self.begin(together);
                self.rename(creator, &mut walk, &beat)
            }
            _ => self.items(task, &mut walk, &beat, together),
        }
    }

    /// The items in their order; none where it is that of their numbers.
    fn order(&self, task: u32) -> Vec<u64> {
        let Some(seed) = self.work.random_seed.filter(|_| self.draws()) else {
            return Vec::new();
        };
        let mut numbers: Vec<u64> = (0..self.each()).collect();
        tree::shuffle(&mut numbers, &mut Rng::new(seed, u64::from(task)));
        numbers
    }

    /// Whether data is compared in this phase.
    fn compares(&self) -> bool {
        let (work, compares) = (self.work, self.work.compares);
        match self.phase {
            MdtestPhase::FileCreation => compares.writes && work.shape.file_size > Bytes(0),
            MdtestPhase::FileRead => compares.reads && work.read > Bytes(0),
            _ => false,
        }
    }

    fn begin(&self, together: &Barrier) {
        together.wait();
        self.clock.wait_for_origin();
    }

    /// Until when files are created before tasks meet.
    fn deadline(&self) -> Option<Nanos> {
        let is_worn = self.phase == MdtestPhase::FileCreation;
        let time = self.work.wear_out.filter(|_| is_worn)?;
        Some(self.clock.now().plus(time))
    }

    fn items(&self, task: u32, walk: &mut Walk<'_>, beat: &Beat<'_>, together: &Barrier) -> Ended {
        let shape = &self.work.shape;
        let (creator, order) = (self.work.creator(self.phase, task), self.order(task));
        let kind = match self.phase.is_of_files() {
            true => "file",
            false => "dir",
        };
        let mut content = vec![0; usize::try_from(shape.file_size.0).unwrap_or(0)];
        let mut into = vec![0; usize::try_from(self.work.read.0).unwrap_or(0)];
        let is_compared = self.compares();
        if self.phase == MdtestPhase::FileCreation || is_compared {
            Rng::new(1, u64::from(creator)).fill(&mut content);
        }
        let mut differing = 0;
        let syncs = self.work.syncs_files;
        self.begin(together);
        let mut goal = Goal {
            level: self.level,
            is_over: &|| self.stop.asked(),
            deadline: self.deadline(),
            items: shape.items(),
        };
        let item = |at: u64| {
            let item = match order.is_empty() {
                true => goal.includes(at, &self.clock).then_some(at),
                false => order.get(usize::try_from(at).ok()?).copied(),
            }?;
            let (folder, number) = shape.place(item);
            Some((
                walk.enter(folder),
                item_name(kind, creator, number, ""),
                number,
            ))
        };
        let mut ended = match self.phase {
            MdtestPhase::DirectoryCreation => {
                beat.each(item, |(at, name, _)| at?.create_folder(&name).map(|()| 0))
            }
            MdtestPhase::DirectoryStat | MdtestPhase::FileStat => {
                beat.each(item, |(at, name, _)| tree::look_up(&*at?, &name))
            }
            MdtestPhase::DirectoryRemoval => {
                beat.each(item, |(at, name, _)| at?.remove_folder(&name).map(|()| 0))
            }
            MdtestPhase::FileCreation => beat.each(item, |(at, name, number)| {
                number_it(&mut content, number);
                let at = at?;
                let written = create(&at, &name, &content, syncs)?;
                if is_compared {
                    into.resize(content.len(), 0);
                    at.open_file(&name, Use::Read)?.read_exact(&mut into)?;
                    differing += u64::from(into != content);
                }
                Ok(written)
            }),
            MdtestPhase::FileRead => beat.each(item, |(at, name, number)| {
                at?.open_file(&name, Use::Read)?.read_exact(&mut into)?;
                if is_compared {
                    number_it(&mut content, number);
                    differing += u64::from(into[..] != content[..into.len()]);
                }
                Ok(into.len() as u64)
            }),
            _ => beat.each(item, |(at, name, _)| at?.remove_file(&name).map(|()| 0)),
        };
        goal.meet(ended.counted.operations, &self.clock);
        if is_compared {
            ended.counted.compared = ended.counted.operations;
            ended.counted.differing = differing;
        }
        ended
    }

    /// Each folder takes the place of the one before; the first one goes round, and the last one stays.
    fn rename(&self, creator: u32, walk: &mut Walk<'_>, beat: &Beat<'_>) -> Ended {
        let shape = &self.work.shape;
        let items = shape.items();
        let mut place = |item: u64, suffix: &str| {
            let (folder, number) = shape.place(item);
            (
                walk.enter(folder),
                item_name("dir", creator, number, suffix),
            )
        };
        let pair = |at: u64| {
            (at < self.each()).then(|| match at {
                0 => (place(0, ""), place(0, ASIDE)),
                at if at == items - 1 => (place(0, ASIDE), place(at - 1, "")),
                at => (place(at, ""), place(at - 1, "")),
            })
        };
        beat.each(pair, |((at, from), (other, to))| {
            at?.move_to(&from, &*other?, &to).map(|()| 0)
        })
    }
}

/// How many items a task does. With a deadline all tasks meet there once, and go on to as many as the fastest one.
struct Goal<'a> {
    level: &'a Level,
    is_over: &'a dyn Fn() -> bool,
    /// `None` where there is none, and once they have met.
    deadline: Option<Nanos>,
    items: u64,
}

impl Goal<'_> {
    fn includes(&mut self, at: u64, clock: &WallClock) -> bool {
        let is_due = |deadline| at >= self.items || clock.now() > deadline;
        if self.deadline.is_some_and(is_due) {
            self.meet(at, clock);
        }
        at < self.items
    }

    /// Also called where a task ended early, because the others wait for it.
    fn meet(&mut self, done: u64, clock: &WallClock) {
        if self.deadline.take().is_some() {
            let goal = self.level.wait(done, clock.now(), self.is_over);
            self.items = goal.unwrap_or(done);
        }
    }
}

/// What the first folder's name ends in while the others are renamed.
pub(super) const ASIDE: &str = "-XX";

/// An item's name.
fn item_name(kind: &str, creator: u32, number: u64, suffix: &str) -> Name {
    Name::new(format!("{kind}.mdtest.{creator}.{number}{suffix}")).expect("letters and digits")
}

/// No two files are the same, so that nothing below can join them.
fn number_it(content: &mut [u8], number: u64) {
    let head = content.len().min(8);
    content[..head].copy_from_slice(&number.to_le_bytes()[..head]);
}

fn create(folder: &Folder, name: &Name, content: &[u8], syncs: bool) -> io::Result<u64> {
    let mut file = folder.create_new(name, 0o666)?;
    if !content.is_empty() {
        file.write_all(content)?;
        if syncs {
            file.sync_all()?;
        }
    }
    Ok(content.len() as u64)
}

/// One thread's way through a tree.
struct Walk<'a> {
    top: &'a Folder,
    shape: &'a MdtestShape,
    /// Whose tree, where each task has its own.
    tree: u32,
    /// Folders that are kept open.
    open: HashMap<u64, Arc<Folder>>,
    held_max: usize,
    /// The last one of those that are not.
    last: Option<(u64, Arc<Folder>)>,
}

/// A folder of the tree, or none for the test folder; or why it could not be entered.
type Above = io::Result<Option<Arc<Folder>>>;

impl Walk<'_> {
    fn name(&self, folder: u64) -> Name {
        Name::new(self.shape.folder_name(self.tree, folder)).expect("letters and digits")
    }

    /// Opens the first folders that contain items.
    fn hold(&mut self) {
        let per_folder = self.shape.per_folder.max(1);
        for number in 0..self.shape.folders_with_items().min(self.held_max as u64) {
            let (folder, _) = self.shape.place(number * per_folder);
            if self.enter(folder).is_err() {
                break; // the operation reports it
            }
        }
    }

    fn enter(&mut self, folder: u64) -> io::Result<Arc<Folder>> {
        if let Some(open) = self.open.get(&folder) {
            return Ok(Arc::clone(open));
        }
        if let Some((last, open)) = &self.last
            && *last == folder
        {
            return Ok(Arc::clone(open));
        }
        let name = self.name(folder);
        let above = self.above(folder)?;
        let opened = Arc::new(above.as_deref().unwrap_or(self.top).enter(&name)?);
        match self.open.len() < self.held_max {
            true => {
                self.open.insert(folder, Arc::clone(&opened));
            }
            false => self.last = Some((folder, Arc::clone(&opened))),
        }
        Ok(opened)
    }

    fn above(&mut self, folder: u64) -> Above {
        match self.shape.parent(folder) {
            Some(parent) => self.enter(parent).map(Some),
            None => Ok(None),
        }
    }

    /// Where a folder is to be, and its name.
    fn place(&mut self, folder: u64) -> (Above, Name) {
        (self.above(folder), self.name(folder))
    }

    /// The same of a folder that is removed: some file systems cannot remove what is open.
    fn left(&mut self, folder: u64) -> (Above, Name) {
        self.open.remove(&folder);
        self.last.take_if(|(last, _)| *last == folder);
        self.place(folder)
    }

    fn in_it(top: &Folder, above: Above) -> io::Result<InIt<'_>> {
        Ok(InIt { top, above: above? })
    }
}

/// A folder of the tree, or the test folder.
struct InIt<'a> {
    top: &'a Folder,
    above: Option<Arc<Folder>>,
}

impl InIt<'_> {
    fn folder(&self) -> &Folder {
        self.above.as_deref().unwrap_or(self.top)
    }

    fn add(&self, name: &Name) -> io::Result<u64> {
        self.folder().create_folder(name).map(|()| 0)
    }

    fn remove(&self, name: &Name) -> io::Result<u64> {
        self.folder().remove_folder(name).map(|()| 0)
    }
}
