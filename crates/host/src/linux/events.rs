//! Named events: one process sets one, others wait for it. Linux has none, so they are files.
//!
//! An event is a file in a folder that only its user may enter; it is there while a process uses it (a shared lock),
//! and it is set when it is not empty. A file without a lock was left behind by a process that was killed, and counts
//! for nothing. Once set, an event stays set as long as it is there, as in the original.

use gate::{Folder, Name, Owner, Use};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

/// From one check of an event to the next.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// An event that this process has locked.
#[derive(Debug)]
pub struct Event {
    folder: Folder,
    name: Name,
    file: File,
}

impl Event {
    /// Takes part in an event; it is created if no process has it. `home` is a folder of the user's own for what lives
    /// no longer than a session, where there is one.
    ///
    /// # Errors
    /// A sentence with the reason and the remedy.
    pub fn hold(home: Option<&Path>, name: &str) -> Result<Event, String> {
        hold_at(folder(home)?, name).map_err(|error| reported(name, &error))
    }

    /// Sets it, for everybody who waits now or later.
    pub fn set(&self) {
        // On a full disk no message can be written either.
        let _ = self.file.write_all_at(b"1", 0);
    }

    /// Returns whether any process has set it.
    pub fn is_set(&self) -> bool {
        self.file.metadata().is_ok_and(|there| there.len() > 0)
    }

    /// Waits until it is set or `given_up`; whether it is set.
    pub fn wait(&self, given_up: impl Fn() -> bool) -> bool {
        while !self.is_set() {
            if given_up() {
                return false;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        true
    }
}

impl Drop for Event {
    /// The last process that has it removes it.
    fn drop(&mut self) {
        let alone = self.file.unlock().is_ok() && self.file.try_lock().is_ok();
        if alone && is_same(&self.file, &self.folder, &self.name) {
            let _ = self.folder.remove_file(&self.name); // what stays counts for nothing
        }
    }
}

/// Sets an event that another process has locked.
///
/// # Errors
/// A sentence with the reason and the remedy.
pub fn set_event(home: Option<&Path>, name: &str) -> Result<(), String> {
    signal_at(&folder(home)?, name).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{name}: no process of this user waits for or owns an event of this name: start that one first, and \
             check the spelling"
        ),
        _ => reported(name, &error),
    })
}

fn signal_at(folder: &Folder, name: &str) -> io::Result<()> {
    let file = folder.open_file(&Name::new(name)?, Use::Write)?;
    if file.try_lock().is_ok() {
        return Err(io::ErrorKind::NotFound.into()); // left behind; no process has it
    }
    file.write_all_at(b"1", 0)
}

fn hold_at(folder: Folder, name: &str) -> io::Result<Event> {
    let name = Name::new(name)?;
    loop {
        let file = match folder.create_new(&name, 0o600) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match folder.open_file(&name, Use::Write) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    opened => opened?,
                }
            }
            created => created?,
        };
        if file.try_lock().is_ok() {
            file.set_len(0)?; // no other process has it: a new event, not set
            file.unlock()?;
        }
        file.lock_shared()?;
        // Between opening and locking, the last holder may have taken it away.
        if is_same(&file, &folder, &name) {
            return Ok(Event { folder, name, file });
        }
    }
}

fn is_same(file: &File, folder: &Folder, name: &Name) -> bool {
    let open = file.metadata();
    open.is_ok_and(|open| folder.is_file_at(name, open.dev(), open.ino()))
}

/// The folder of this user's events, created if it does not exist. No other user may write to it.
fn folder(home: Option<&Path>) -> Result<Folder, String> {
    let user = user();
    let (base, name) = match home {
        Some(base) => (base.to_owned(), "fathom-events".to_owned()),
        None => (std::env::temp_dir(), format!("fathom-events-{user}")),
    };
    let shown = base.join(&name);
    match open_folder(&base, name) {
        Ok(folder) if folder.owner() == Owner::own() => Ok(folder),
        Ok(_) => Err(format!(
            "{}: events are stored there, and it is not a folder of this user: remove it, or set XDG_RUNTIME_DIR to a \
             folder of your own",
            shown.display()
        )),
        Err(error) => Err(format!(
            "{}: the folder for events cannot be created: {error}; set XDG_RUNTIME_DIR to a folder of your own",
            shown.display()
        )),
    }
}

fn open_folder(base: &Path, name: String) -> io::Result<Folder> {
    let base = Folder::open(base).map_err(io::Error::other)?;
    let name = Name::new(name)?;
    match base.create_private(&name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => base.enter(&name),
        created => created,
    }
}

fn reported(name: &str, error: &io::Error) -> String {
    format!("the event {name} cannot be created: {error}; specify another name")
}

/// Who this process is, as the kernel shows it.
fn user() -> u32 {
    fs::metadata("/proc/self").map_or(0, |there| there.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_there_while_it_is_held_and_stays_set() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path()).unwrap();
        let hold = || hold_at(open(), "go").unwrap();
        assert_eq!(
            signal_at(&open(), "go").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        let (one, other) = (hold(), hold());
        assert!(!one.wait(|| true));
        signal_at(&open(), "go").unwrap();
        assert!(one.wait(|| true) && other.is_set());
        drop(one);
        assert!(hold().is_set());
        drop(other);
        assert!(!folder.path().join("go").exists());
        assert!(!hold().is_set());
    }

    #[test]
    fn what_a_killed_process_left_behind_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path()).unwrap();
        fs::write(folder.path().join("go"), b"1").unwrap();
        assert_eq!(
            signal_at(&open(), "go").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(!hold_at(open(), "go").unwrap().is_set());
    }

    #[test]
    fn a_name_that_leads_elsewhere_and_a_link_are_no_events() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path()).unwrap();
        fs::write(folder.path().join("thesis"), b"thesis").unwrap();
        std::os::unix::fs::symlink("thesis", folder.path().join("go")).unwrap();
        for name in ["go", "../go", "", "a/b"] {
            assert!(hold_at(open(), name).is_err(), "{name}");
            assert!(signal_at(&open(), name).is_err(), "{name}");
        }
        assert_eq!(fs::read(folder.path().join("thesis")).unwrap(), b"thesis");
    }
}
