//! Named events: one process sets one, others wait for it. Linux has none, so they are files.
//!
//! An event is a file in a folder that only its user may enter; it is there while a process holds it (a shared lock), and
//! it is set when it is not empty. A file that nobody holds was left behind by a process that was killed, and counts
//! for nothing. Once set, an event stays set as long as it is there, as in the original.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// From one look at an event to the next.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// An event that this process holds.
#[derive(Debug)]
pub struct Event {
    path: PathBuf,
    file: File,
}

impl Event {
    /// Takes part in an event; it is made where nobody holds it. `home` is a folder of the user's own for what lives no
    /// longer than a session, where there is one.
    ///
    /// # Errors
    /// A sentence that says why that cannot be, and what to do.
    pub fn hold(home: Option<&Path>, name: &str) -> Result<Event, String> {
        hold_at(&folder(home)?, name).map_err(|error| told(name, &error))
    }

    /// Sets it, for everybody who waits now or later.
    pub fn set(&self) {
        // The file is open for writing; on a full disk nobody can be told in any way.
        let _ = fs::write(&self.path, b"1");
    }

    /// Whether anybody has set it.
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
    /// The last one to hold it takes it away.
    fn drop(&mut self) {
        let alone = self.file.unlock().is_ok() && self.file.try_lock().is_ok();
        if alone && is_same(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path); // what stays counts for nothing
        }
    }
}

/// Sets an event that another process holds.
///
/// # Errors
/// A sentence that says why that cannot be, and what to do.
pub fn set_event(home: Option<&Path>, name: &str) -> Result<(), String> {
    signal_at(&folder(home)?, name).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!(
            "{name}: no process of this user waits for or holds an event of this name: start that one first, and \
             check the spelling"
        ),
        _ => told(name, &error),
    })
}

fn signal_at(folder: &Path, name: &str) -> io::Result<()> {
    let path = folder.join(name);
    let file = OpenOptions::new().read(true).open(&path)?;
    if file.try_lock().is_ok() {
        return Err(io::ErrorKind::NotFound.into()); // left behind; nobody is there
    }
    fs::write(&path, b"1")
}

fn hold_at(folder: &Path, name: &str) -> io::Result<Event> {
    let path = folder.join(name);
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)?;
        if file.try_lock().is_ok() {
            file.set_len(0)?; // nobody else is there: a new event, not set
            file.unlock()?;
        }
        file.lock_shared()?;
        // Between opening and locking, the last holder may have taken it away.
        if is_same(&file, &path) {
            return Ok(Event { path, file });
        }
    }
}

fn is_same(file: &File, path: &Path) -> bool {
    let number = |there: fs::Metadata| (there.dev(), there.ino());
    let open = file.metadata().map(number).ok();
    open.is_some() && open == fs::metadata(path).map(number).ok()
}

/// The folder of this user's events, made when it is not there. Nobody else may write to it.
fn folder(home: Option<&Path>) -> Result<PathBuf, String> {
    let user = user();
    let folder = match home {
        Some(base) => base.join("fathom-events"),
        None => std::env::temp_dir().join(format!("fathom-events-{user}")),
    };
    let made = DirBuilder::new()
        .recursive(false)
        .mode(0o700)
        .create(&folder);
    let there = match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::symlink_metadata(&folder),
    };
    match there {
        Ok(there) if there.is_dir() && there.uid() == user => Ok(folder),
        Ok(_) => Err(format!(
            "{}: events are kept there, and it is not a folder of this user: remove it, or set XDG_RUNTIME_DIR to a \
             folder of your own",
            folder.display()
        )),
        Err(error) => Err(format!(
            "{}: the folder for events cannot be made: {error}; set XDG_RUNTIME_DIR to a folder of your own",
            folder.display()
        )),
    }
}

fn told(name: &str, error: &io::Error) -> String {
    format!("the event {name} cannot be had: {error}; take another name")
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
        let hold = || hold_at(folder.path(), "go").unwrap();
        assert_eq!(
            signal_at(folder.path(), "go").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        let (one, other) = (hold(), hold());
        assert!(!one.wait(|| true));
        signal_at(folder.path(), "go").unwrap();
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
        fs::write(folder.path().join("go"), b"1").unwrap();
        assert_eq!(
            signal_at(folder.path(), "go").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(!hold_at(folder.path(), "go").unwrap().is_set());
    }
}
