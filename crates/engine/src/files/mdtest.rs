//! The test folders of `fathom mdtest`: created, marked, left for a later call or removed with what fathom created in them.
//!
//! A test folder is known by its name, its owner and the mark in it (`tree_mark`), as that of `fathom files` is (`scratch`). The mark
//! ends in a line: `run ID` while phases change the tree, `tree …` with its shape once it is left whole. A tree whose last call was ended before
//! that is removed by the next call that creates one there. Everything waits in a thread of its own for the file system, so
//! that a mount which does not answer blocks no caller. Omitted: the phases (`tasks`).

use super::scratch::{self, MARK, is_name, when_released};
use super::tasks::{ASIDE, Phase};
use super::tree_mark::{State, described, marked, mismatch, write_mark};
use super::{FilesError, LOOK, Watch};
use crate::clock::WallClock;
use crate::meeting::{Level, Meet};
use crate::stop::Stop;
use gate::{Folder, Kind, Name, Owner};
use host::{CounterReader, Root};
use model::errno_text;
use model::record::mdtest::{MdtestPhase, MdtestWork};
use model::{CounterWindow, FilesOutcome, FilesStep, Nanos};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What is left behind begins like this.
const LEFT: &str = "test-dir.";
/// Other hosts see a new folder after this time at most.
const SEEN_AFTER: Duration = Duration::from_secs(5);

/// The folder that a command names.
#[derive(Clone, Debug)]
pub struct MdtestPlace {
    /// As it was given.
    pub folder: PathBuf,
    /// For so long no operation may end without the work being given up. // above 0
    pub patience: Nanos,
}

/// What is below the file system, and who works in it from elsewhere.
#[derive(Clone, Debug)]
pub struct MdtestBelow<'a> {
    /// This machine.
    pub root: &'a Root,
    /// The device, by its kernel name, where there is one and it is to be looked at.
    pub device: Option<&'a str>,
    /// Other processes with tasks.
    pub meeting: Option<&'a dyn Meet>,
}

/// One test folder, with the tasks of this process.
#[derive(Debug)]
pub struct MdtestSite {
    place: MdtestPlace,
    work: Arc<MdtestWork>,
    /// Tasks of this process.
    tasks: Range<u32>,
    parent: Arc<Folder>,
    top: Arc<Folder>,
    /// Locked while this process answers for the folder; rank 0 has it.
    mark: Option<File>,
    pulse: Arc<AtomicU64>,
}

impl MdtestPlace {
    /// Opens what the tasks of this process work in: an existing folder, with the test folder that is created, or that is there.
    /// Also returns the paths of what was removed: test folders of calls
    /// that were ended before their end.
    ///
    /// # Errors
    /// What is there under the name of the test folder and is not what the work needs.
    pub fn open(
        &self,
        work: &MdtestWork,
        tasks: Range<u32>,
    ) -> Result<(MdtestSite, Vec<PathBuf>), FilesError> {
        let (place, work) = (self.clone(), Arc::new(work.clone()));
        let pulse = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&pulse);
        self.watched(&pulse, "opening its test folder", move || {
            let parent = Arc::new(scratch::open(&place.folder)?);
            let mut removed = Vec::new();
            let (top, mark) = match work.uses_earlier() {
                true => place.take(&parent, &work)?,
                false => place.begin(&parent, &work, &counted, &mut removed)?,
            };
            let site = MdtestSite {
                place,
                work,
                tasks,
                parent,
                top: Arc::new(top),
                mark: Some(mark),
                pulse: counted,
            };
            Ok((site, removed))
        })?
    }

    /// Opens the test folder that rank 0 works in, on another rank.
    ///
    /// # Errors
    /// It is not there: the folder is not one for all hosts.
    pub fn join(
        &self,
        work: &MdtestWork,
        tasks: Range<u32>,
        run: &str,
    ) -> Result<MdtestSite, FilesError> {
        let (place, work, run) = (self.clone(), Arc::new(work.clone()), run.to_owned());
        let pulse = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&pulse);
        self.watched(&pulse, "opening the test folder of rank 0", move || {
            let path = place.folder.join(work.test_folder());
            let unseen = || {
                FilesError::Foreign(format!(
                    "{}: the test folder of rank 0 is not there, so the folder is not the same on all hosts; hint: -d with a folder \
                     of a shared file system",
                    path.display()
                ))
            };
            let began = crate::clock::monotonic();
            loop {
                let parent = scratch::open(&place.folder).ok();
                let top = parent.and_then(|parent| {
                    let top = parent.enter(&test_folder(&work).ok()?).ok()?;
                    Some((parent, top))
                });
                let seen = top.filter(|(_, top)| {
                    let state = marked(top).map(|(_, state)| state);
                    state.is_some_and(|state| state.running.as_deref() == Some(&run))
                });
                if let Some((parent, top)) = seen {
                    return Ok(MdtestSite {
                        place,
                        work,
                        tasks,
                        parent: Arc::new(parent),
                        top: Arc::new(top),
                        mark: None,
                        pulse: counted,
                    });
                }
                if began.elapsed() > SEEN_AFTER {
                    return Err(unseen());
                }
                thread::sleep(Duration::from_millis(50));
            }
        })?
    }

    /// What keeps the work from being done in this folder: of each iteration, before anything is created. Nothing of a folder that
    /// is not there and would be created.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn problems(&self, work: &MdtestWork) -> Result<Vec<String>, FilesError> {
        let (place, mut work) = (self.clone(), work.clone());
        let pulse = Arc::new(AtomicU64::new(0));
        self.watched(&pulse, "a first check", move || {
            let parent = scratch::open(&place.folder)?;
            let mut problems = Vec::new();
            for iteration in 0..work.iterations {
                work.iteration = iteration;
                if let Err(FilesError::Foreign(why)) = place.found(&parent, &work) {
                    problems.push(why);
                }
            }
            Ok(problems)
        })?
    }

    /// Creates the folder if it is not there. Returns whether it did.
    ///
    /// # Errors
    /// Those of mkdir(2).
    pub fn create_folder(&self) -> Result<bool, FilesError> {
        let refused = |source| FilesError::Make {
            folder: self.folder.clone(),
            source,
        };
        let (parent, name) = parent_of(&self.folder).map_err(refused)?;
        match scratch::open(parent)?.create_folder(&name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(source) => Err(refused(source)),
        }
    }

    /// Removes the folder that [`MdtestPlace::create_folder`] created, if it is empty.
    pub fn remove_folder(&self) {
        let found = parent_of(&self.folder).ok().and_then(|(parent, name)| {
            let parent = scratch::open(parent).ok()?;
            Some(parent.remove_folder(&name))
        });
        drop(found); // one that is not empty has what another process created
    }

    /// The test folder under its name, if it is there, with its mark locked.
    fn found(
        &self,
        parent: &Folder,
        work: &MdtestWork,
    ) -> Result<Option<(Folder, File, State)>, FilesError> {
        let path = self.folder.join(work.test_folder());
        let foreign = |why: String| FilesError::Foreign(format!("{}: {why}", path.display()));
        let name = test_folder(work).map_err(|error| foreign(errno_text(&error)))?;
        let there = match parent.enter(&name) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => match work.uses_earlier() {
                false => return Ok(None),
                true => {
                    return Err(foreign(
                        "there is no such tree; hint: create it with -C and the same options"
                            .to_owned(),
                    ));
                }
            },
            Err(error) => {
                return Err(foreign(format!(
                    "this is no folder of fathom mdtest ({})",
                    errno_text(&error)
                )));
            }
        };
        let marked = marked(&there).filter(|_| there.owner() == Owner::own());
        let Some((mark, state)) = marked else {
            return Err(foreign(
                "fathom mdtest did not create this folder, so it is not used; hint: specify another -d".to_owned(),
            ));
        };
        if mark.try_lock().is_err() {
            return Err(foreign("another fathom mdtest works in it".to_owned()));
        }
        match (work.uses_earlier(), &state.shape) {
            (false, Some(shape)) => Err(foreign(format!(
                "it has the tree that fathom mdtest -C left ({}); hint: remove it with -r, or specify another -d",
                described(shape)
            ))),
            (true, None) => Err(foreign(
                "its last call was ended before its end, so the tree is not whole; hint: create it again with -C".to_owned(),
            )),
            (true, Some(shape)) => match mismatch(shape, work) {
                Some(why) => Err(foreign(why)),
                None => Ok(Some((there, mark, state))),
            },
            (false, None) => Ok(Some((there, mark, state))),
        }
    }

    /// Takes the tree of an earlier call.
    fn take(&self, parent: &Folder, work: &MdtestWork) -> Result<(Folder, File), FilesError> {
        match self.found(parent, work)? {
            Some((there, mark, _)) => Ok((there, mark)),
            None => Err(FilesError::Lost),
        }
    }

    fn begin(
        &self,
        parent: &Folder,
        work: &MdtestWork,
        pulse: &AtomicU64,
        removed: &mut Vec<PathBuf>,
    ) -> Result<(Folder, File), FilesError> {
        let path = self.folder.join(work.test_folder());
        let failed = |source| FilesError::Make {
            folder: path.clone(),
            source,
        };
        let name = test_folder(work).map_err(failed)?;
        if let Some((there, mark, _)) = self.found(parent, work)? {
            remove_all(parent, &name, &there, mark, pulse).map_err(failed)?;
            removed.push(path.clone());
        }
        let folder = parent.create_private(&name).map_err(failed)?;
        let marked = Name::new(MARK).and_then(|mark| {
            let mut file = folder.create_new(&mark, 0o600)?;
            file.lock()?;
            if Owner::of(&file)? != folder.owner() {
                drop(file);
                folder.remove_file(&mark)?;
                return Err(io::Error::other(
                    "another user put a folder of theirs in its place",
                ));
            }
            write_mark(&mut file, &State::default())?;
            Ok(file)
        });
        marked.map(|mark| (folder, mark)).map_err(failed)
    }

    /// Does something in a thread of its own, and gives up where it does not progress.
    fn watched<T: Send + 'static>(
        &self,
        pulse: &Arc<AtomicU64>,
        doing: &str,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, FilesError> {
        self.attended(pulse, doing, act, &|| LOOK)
    }

    /// The same, and calls `attend` again and again meanwhile, each time after so long as it returns.
    fn attended<T: Send + 'static>(
        &self,
        pulse: &Arc<AtomicU64>,
        doing: &str,
        act: impl FnOnce() -> T + Send + 'static,
        attend: &dyn Fn() -> Nanos,
    ) -> Result<T, FilesError> {
        let (sender, answer) = mpsc::channel();
        let spawned = thread::Builder::new().name("mdtest".to_owned());
        let thread = spawned
            .spawn(move || {
                let _ = sender.send(act()); // the receiver may be gone
            })
            .map_err(FilesError::Thread)?;
        let mut watch = Watch::new(self.patience);
        loop {
            match answer.recv_timeout(attend().as_duration()) {
                Ok(answer) => {
                    let _ = thread.join(); // it has answered
                    return Ok(answer);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(FilesError::Lost),
            }
            if watch.stalls(pulse.load(Ordering::Relaxed)) {
                return Err(FilesError::Stalled {
                    folder: self.folder.clone(),
                    doing: doing.to_owned(),
                    patience: self.patience,
                    left: LEFT,
                });
            }
        }
    }
}

impl MdtestSite {
    /// Does a phase with the tasks of this process; at `moment` where there is one, else at once.
    ///
    /// # Errors
    /// The file system does not answer any more.
    pub fn phase(
        &mut self,
        phase: MdtestPhase,
        moment: Option<Instant>,
        below: &MdtestBelow<'_>,
        stop: &Stop,
    ) -> Result<(FilesStep, FilesOutcome), FilesError> {
        let (top, work) = (Arc::clone(&self.top), Arc::clone(&self.work));
        let (tasks, stop, root) = (self.tasks.clone(), stop.clone(), below.root.clone());
        let (device, pulse) = (below.device.map(str::to_owned), Arc::clone(&self.pulse));
        let tasks_here = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
        let level = Arc::new(Level::new(tasks_here, below.meeting.is_some()));
        let meets = work.wear_out.is_some() && phase == MdtestPhase::FileCreation;
        let met = Arc::clone(&level);
        let attend = || {
            let Some(meeting) = below.meeting.filter(|_| meets && !met.is_known()) else {
                return LOOK;
            };
            if met.sleep(LOOK.as_duration()) {
                met.agree(|own| meeting.most(own));
                self.pulse.fetch_add(1, Ordering::Relaxed); // others may have been slow
            }
            Nanos(0)
        };
        let act = move || {
            let devices: Vec<String> = device.iter().cloned().collect();
            let mut counters = CounterReader::open(&root, &devices);
            let clock = WallClock::starting(moment);
            let before = counters.read(&mut || crate::clock::Clock::now(&clock));
            let phase = Phase {
                top: &top,
                work: &work,
                phase,
                tasks,
                clock,
                stop: &stop,
                pulse: &pulse,
                level: &level,
            };
            let (mut step, outcome) = phase.run();
            let after = counters.read(&mut || crate::clock::Clock::now(&clock));
            let window = CounterWindow { before, after };
            step.device = device.and_then(|device| window.device(&device));
            (step, outcome)
        };
        let doing = phase.name();
        let (step, outcome) = self.place.attended(&self.pulse, doing, act, &attend)?;
        if meets && outcome == FilesOutcome::Complete {
            let items = step.operations() / u64::from(tasks_here.max(1));
            Arc::make_mut(&mut self.work).shape.per_folder = items; // from now on
        }
        Ok((step, outcome))
    }

    /// Rank 0: marks the tree as one that is not whole until [`MdtestSite::close`] marks it, and names the work for the other
    /// ranks: `run`.
    ///
    /// # Errors
    /// The mark could not be written.
    pub fn begin_changes(&mut self, run: &str) -> Result<(), FilesError> {
        let changes = self.work.phases.iter().any(|phase| phase.changes());
        let shape = (!changes).then(|| self.work.shape.clone());
        let state = State {
            running: Some(run.to_owned()),
            shape,
        };
        self.write(&state)
    }

    fn write(&mut self, state: &State) -> Result<(), FilesError> {
        let Some(mark) = &mut self.mark else {
            return Ok(());
        };
        write_mark(mark, state).map_err(|source| FilesError::Make {
            folder: self.place.folder.join(self.work.test_folder()),
            source,
        })
    }

    /// Ends the work of this iteration: leaves the tree if it is whole and was to stay, else removes all that fathom created. `whole`
    /// means that every phase was done. Other ranks only close it. `Err` has what is left, and why.
    ///
    /// # Errors
    /// See above.
    pub fn close(mut self, whole: bool) -> Result<(), (PathBuf, String)> {
        let path = self.place.folder.join(self.work.test_folder());
        let changed = self.work.phases.iter().any(|phase| phase.changes());
        let stays = self.work.leaves_tree() && whole || self.work.uses_earlier() && !changed;
        if stays {
            let state = State {
                running: None,
                shape: Some(self.work.shape.clone()),
            };
            return self
                .write(&state)
                .map_err(|error| (path, error.to_string()));
        }
        let Some(mark) = self.mark.take() else {
            return Ok(());
        };
        let (place, pulse) = (self.place.clone(), Arc::clone(&self.pulse));
        let removed = place.watched(&self.pulse, "removing its test folder", move || {
            let name = test_folder(&self.work)?;
            remove_all(&self.parent, &name, &self.top, mark, &pulse)
        });
        match removed {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err((path, errno_text(&error))),
            Err(error) => Err((path, error.to_string())),
        }
    }
}

fn test_folder(work: &MdtestWork) -> io::Result<Name> {
    Name::new(work.test_folder())
}

/// The folder above, and the name in it.
fn parent_of(folder: &Path) -> io::Result<(&Path, Name)> {
    let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let parent = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    Ok((
        parent.unwrap_or(Path::new(".")),
        Name::new(name.as_encoded_bytes())?,
    ))
}

/// Removes what fathom mdtest created in the test folder, then its mark and the folder itself.
fn remove_all(
    parent: &Folder,
    at: &Name,
    top: &Folder,
    mark: File,
    pulse: &AtomicU64,
) -> io::Result<()> {
    remove_items(top, pulse)?;
    when_released(|| {
        top.each(|name, _| match name.as_os_str() == MARK {
            true => Ok(()),
            false => Err(io::ErrorKind::DirectoryNotEmpty.into()),
        })
    })?;
    if !parent.is_at(at, top) {
        return Err(io::Error::other(
            "another process renamed it; its content is removed, but for its mark",
        ));
    }
    drop(mark);
    top.remove_file(&Name::new(MARK)?)?;
    when_released(|| parent.remove_folder(at))
}

/// Removes what has names of the form that the phases give; links are not followed, and mount points not entered.
fn remove_items(folder: &Folder, pulse: &AtomicU64) -> io::Result<()> {
    folder.each(|name, kind| {
        pulse.fetch_add(1, Ordering::Relaxed);
        let text = name.as_os_str().to_string_lossy();
        match kind {
            Kind::File if is_item(&text, "file.mdtest") => folder.remove_file(name),
            Kind::Folder if is_item(text.trim_end_matches(ASIDE), "dir.mdtest") => {
                folder.remove_folder(name)
            }
            Kind::Folder if is_item(&text, "mdtest_tree") => {
                let below = folder.enter(name)?;
                remove_items(&below, pulse)?;
                drop(below);
                when_released(|| folder.remove_folder(name))
            }
            _ => Ok(()),
        }
    })
}

/// The word, and one or two numbers with dots before.
fn is_item(name: &str, word: &str) -> bool {
    let numbers = name.strip_prefix(word).unwrap_or_default();
    let mut parts = numbers.split('.');
    let begins = parts.next() == Some("");
    let parts: Vec<&str> = parts.collect();
    begins
        && (1..=2).contains(&parts.len())
        && parts
            .iter()
            .all(|part| is_name(&format!("n{part}"), 'n', 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_form_that_phases_give_are_items() {
        for (name, word) in [
            ("file.mdtest.0.5", "file.mdtest"),
            ("mdtest_tree.0", "mdtest_tree"),
            ("mdtest_tree.12.3", "mdtest_tree"),
        ] {
            assert!(is_item(name, word), "{name}");
        }
        for name in [
            "file.mdtest",
            "file.mdtest.",
            "file.mdtest.a",
            "file.mdtest.1.2.3",
            "file.mdtest1",
            "thesis",
        ] {
            assert!(!is_item(name, "file.mdtest"), "{name}");
        }
    }
}
