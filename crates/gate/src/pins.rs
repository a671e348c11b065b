//! The pins of one session: each path is resolved once and stays pinned, and what is written stays locked, from before
//! its facts are taken to the end of the session.
//!
//! One exclusive descriptor claims a device: the descriptors of the threads are opened next to it and are not
//! exclusive themselves, because exclusive ones exclude each other within a process, too. A file is claimed by a lock
//! on one open file description; other descriptors of this process do not ask for it.

use crate::access::Access;
use crate::file_facts::{FileFacts, NodeKind};
use crate::pin::{Number, Pin};
use crate::system::try_lock;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tries to lock a file, the pauses between them 120 ms in all.
const LOCK_TRIES: u32 = 16;
const LOCK_TICK: std::time::Duration = std::time::Duration::from_millis(1);

/// The pins of one session. A clone is the same ones.
#[derive(Clone, Debug, Default)]
pub struct Pins(Arc<Mutex<Registry>>);

#[derive(Debug, Default)]
struct Registry {
    pins: Vec<(PathBuf, Arc<Pin>)>,
    holds: Vec<Hold>,
    /// Files are locked together with the other ranks of a job.
    is_shared: bool,
}

/// Of one file or device, under any names.
#[derive(Debug)]
struct Hold {
    of: Number,
    file: File,
    /// Against everybody, or together with others that only read.
    alone: bool,
    /// What a device was when it was first asked.
    state: Option<String>,
}

impl Pins {
    /// What this path led to when it was named first.
    ///
    /// # Errors
    /// Those of [`Pin::new`].
    pub fn pin(&self, path: &Path) -> io::Result<Arc<Pin>> {
        let mut all = self.all();
        if let Some((_, known)) = all.pins.iter().find(|(known, _)| known == path) {
            return Ok(Arc::clone(known));
        }
        let fresh = Arc::new(Pin::new(path)?);
        // A file that is not there yet has to be known under its second name when it was created under the first.
        let known = all.pins.iter().find(|(_, one)| one.is_place_of(&fresh));
        let pin = known.map_or(fresh, |(_, known)| Arc::clone(known));
        all.pins.push((path.to_owned(), Arc::clone(&pin)));
        Ok(pin)
    }

    /// Pins of one rank of a job whose ranks write one file: no lock of theirs keeps the others out, and a fathom outside of
    /// the job finds the file locked.
    pub fn shared() -> Pins {
        Pins(Arc::new(Mutex::new(Registry {
            is_shared: true,
            ..Registry::default()
        })))
    }

    /// Whether they are those of a rank of a job whose ranks write one file.
    pub fn is_shared(&self) -> bool {
        self.all().is_shared
    }

    /// Forgets names under which there was nothing: another rank of a job may have created the file since.
    pub fn forget_missing(&self) {
        self.all().pins.retain(|(_, pin)| pin.node().is_some());
    }

    fn all(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a block device (and nothing else) exclusively, once, and keeps it open: from then on no process can mount it or open it exclusively.
    /// Opened for reading, because the end of a descriptor that could write makes udev look for new content.
    ///
    /// # Errors
    /// `EBUSY` where another process has it open exclusively, and those of [`Pin::reopen`].
    pub fn claim(&self, pin: &Pin) -> io::Result<()> {
        let is_device = |there: FileFacts| there.kind == NodeKind::BlockDevice;
        if self.claims(pin) || !pin.facts().is_some_and(is_device) {
            return Ok(());
        }
        let file = pin.reopen(Access::READ.exclusive().without_waiting())?;
        self.keep(pin, file, true)
    }

    /// Whether this session has the device open exclusively.
    pub fn claims(&self, pin: &Pin) -> bool {
        let number = pin.number().map(|(_, _, device)| device);
        let mut holds = self.all();
        let mut holds = holds.holds.iter_mut();
        holds.any(|hold| hold.alone && hold.of.2 != 0 && Some(hold.of.2) == number)
    }

    /// Whether the claimed targets are unchanged since the first call: `state` returns their present state, and equal
    /// values for the same state. True for a target that is not claimed.
    pub fn is_unchanged(&self, pin: &Pin, state: &str) -> bool {
        let number = pin.number();
        let mut all = self.all();
        let hold = all.holds.iter_mut().find(|hold| Some(hold.of) == number);
        hold.is_none_or(|hold| hold.state.get_or_insert_with(|| state.to_owned()) == state)
    }

    /// Locks a file (and nothing else) against other fathoms: alone, or together with others that only read. False where another program's
    /// lock is in the way. File systems without locks are taken as they are, and so is a file that cannot be opened:
    /// opening it for the run reports why.
    pub fn lock(&self, pin: &Pin, alone: bool) -> bool {
        let is_file = |there: FileFacts| there.kind == NodeKind::File;
        let (Some(of), true) = (pin.number(), pin.facts().is_some_and(is_file)) else {
            return true;
        };
        let mut all = self.all();
        let alone = alone && !all.is_shared;
        let known = all.holds.iter_mut().find(|hold| hold.of == of);
        if let Some(hold) = known {
            if alone && !hold.alone {
                hold.alone = is_locked(&hold.file, true);
                return hold.alone;
            }
            return true;
        }
        let opened = pin
            .reopen(Access::READ.without_waiting())
            .or_else(|_| pin.reopen(Access::WRITE.without_waiting()));
        let Ok(file) = opened else {
            return true;
        };
        let locked = is_locked_in_time(&file, alone);
        if locked {
            all.holds.push(Hold {
                of,
                file,
                alone,
                state: None,
            });
        }
        locked
    }

    fn keep(&self, pin: &Pin, file: File, alone: bool) -> io::Result<()> {
        let of = pin.number().ok_or(io::ErrorKind::NotFound)?;
        self.all().holds.push(Hold {
            of,
            file,
            alone,
            state: None,
        });
        Ok(())
    }
}

/// Locks a file, and waits for a lock that is about to go: a ring of the run before gives its files back a little later.
fn is_locked_in_time(file: &File, alone: bool) -> bool {
    (0..LOCK_TRIES).any(|number| {
        std::thread::sleep(LOCK_TICK * number);
        is_locked(file, alone)
    })
}

/// Whether the lock was given, or there are none.
fn is_locked(file: &File, alone: bool) -> bool {
    try_lock(file, alone).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_path_stays_what_it_was_and_two_names_of_one_place_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("t"), b"own").unwrap();
        let pins = Pins::default();
        let first = pins.pin(&at("t")).unwrap();
        fs::write(at("u"), b"foreign").unwrap();
        fs::rename(at("t"), at("gone")).unwrap();
        fs::rename(at("u"), at("t")).unwrap();
        let again = pins.pin(&at("t")).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let (new, also) = (pins.pin(&at("new")), pins.pin(&at("./new")));
        assert!(Arc::ptr_eq(&new.unwrap(), &also.unwrap()));
    }

    #[test]
    fn a_file_that_another_process_created_is_found_once_its_absence_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let pins = Pins::default();
        let none = pins.pin(&path).unwrap();
        fs::write(&path, b"x").unwrap();
        assert!(pins.pin(&path).unwrap().node().is_none());
        pins.forget_missing();
        let there = pins.pin(&path).unwrap();
        assert!(there.node().is_some() && none.node().is_none());
        pins.forget_missing();
        assert!(Arc::ptr_eq(&there, &pins.pin(&path).unwrap()));
    }

    #[test]
    fn one_session_locks_a_file_once_and_keeps_others_out_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, b"x").unwrap();
        fs::hard_link(&path, folder.path().join("g")).unwrap();
        let (one, other) = (Pins::default(), Pins::default());
        let pin = one.pin(&path).unwrap();
        assert!(one.lock(&pin, false) && other.lock(&pin, false));
        assert!(!one.lock(&pin, true), "another one reads it");
        drop(other);
        assert!(one.lock(&pin, true) && one.lock(&pin, false));
        let second = one.pin(&folder.path().join("g")).unwrap();
        assert!(one.lock(&second, true), "its own lock is not in its way");
        let other = Pins::default();
        assert!(!other.lock(&pin, false));
        drop(one);
        assert!(other.lock(&pin, true));
    }
}
