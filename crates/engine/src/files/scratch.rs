//! The folder of our own in a person's folder: made under a new name, marked, and removed with what we made in it.
//!
//! What an earlier fathom left behind (it was killed, or the machine lost power) is known by three things together: the
//! folder's name, the mark in it, and that nobody holds the mark locked. Of what lies in it only names of the form that we
//! give are removed, and links are never followed; whatever else is there stays, and the folder with it.

use super::error::FilesError;
use super::{stream, tree};
use crate::error::errno_text;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How names of our folders begin.
pub(super) const PREFIX: &str = ".fathom-files-";
const MARK: &str = "fathom.mark";
const MARK_TEXT: &str = "fathom files made this folder and everything in it. It may be removed.\n";
/// So many names are tried.
const NAMES_MAX: u32 = 1000;

/// Our folder, as long as it is there.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    /// Locked until the process ends, however it ends.
    _mark: File,
}

impl Scratch {
    /// Made under a name that nobody uses.
    pub(super) fn make(folder: &Path) -> Result<Self, FilesError> {
        let refused = |source| FilesError::Make {
            folder: folder.to_owned(),
            source,
        };
        for number in 0..NAMES_MAX {
            let path = folder.join(format!("{PREFIX}{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(source) => return Err(refused(source)),
            }
            return match mark(&path) {
                Ok(mark) => Ok(Scratch { path, _mark: mark }),
                // Another one took the empty folder for one that was left behind.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => {
                    let _ = fs::remove_file(path.join(MARK)); // the error that counts is the first one
                    let _ = fs::remove_dir(&path);
                    Err(refused(source))
                }
            };
        }
        Err(refused(io::ErrorKind::AlreadyExists.into()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it with all that we made in it. `Err` says what is left, and why.
    pub(super) fn remove(self, pulse: &AtomicU64) -> Result<(), (PathBuf, String)> {
        remove_ours(&self.path, pulse).map_err(|error| (self.path.clone(), errno_text(&error)))
    }
}

fn mark(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .open(folder.join(MARK))?;
    file.lock()?;
    file.write_all(MARK_TEXT.as_bytes())?;
    Ok(file)
}

/// Removes what earlier calls left behind in this folder; each with whether all of it could be removed.
pub(super) fn remove_left(
    folder: &Path,
    pulse: &AtomicU64,
) -> Result<Vec<(PathBuf, bool)>, FilesError> {
    let entries = fs::read_dir(folder).map_err(|source| FilesError::Look {
        folder: folder.to_owned(),
        source,
    })?;
    let mut removed = Vec::new();
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && is_folder && fs::remove_dir(entry.path()).is_ok() {
            // It was empty: one that was ended before it had made its mark.
            removed.push((entry.path(), true));
        } else if ours && is_folder && is_left(&entry.path()) {
            let gone = remove_ours(&entry.path(), pulse).is_ok();
            removed.push((entry.path(), gone));
        }
    }
    Ok(removed)
}

/// Marked as ours, and nobody is working in it.
fn is_left(folder: &Path) -> bool {
    let path = folder.join(MARK);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|there| there.is_file());
    let Some(mut file) = is_file.then(|| File::open(&path).ok()).flatten() else {
        return false;
    };
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(4096).read_to_string(&mut text);
    // Killed between making the mark and writing it, its text is empty.
    let marked = read.is_ok() && (text == MARK_TEXT || text.is_empty());
    marked && file.try_lock().is_ok()
}

/// The mark goes last: what is still there until then is known as ours.
fn remove_ours(folder: &Path, pulse: &AtomicU64) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let (name, kind) = (name.to_string_lossy(), entry.file_type()?);
        if kind.is_dir() && is_name(&name, tree::FOLDER, 7) {
            remove_files(&entry.path(), pulse)?;
        } else if kind.is_file() && name == stream::NAME {
            fs::remove_file(entry.path())?;
        }
        pulse.fetch_add(1, Ordering::Relaxed);
    }
    let foreign = fs::read_dir(folder)?.flatten();
    if foreign.into_iter().any(|entry| entry.file_name() != MARK) {
        return Err(io::ErrorKind::DirectoryNotEmpty.into());
    }
    fs::remove_file(folder.join(MARK))?;
    fs::remove_dir(folder)
}

fn remove_files(folder: &Path, pulse: &AtomicU64) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = is_name(&name, tree::MADE, 9) || is_name(&name, tree::RENAMED, 9);
        if entry.file_type()?.is_file() && ours {
            fs::remove_file(entry.path())?;
        }
        pulse.fetch_add(1, Ordering::Relaxed);
    }
    fs::remove_dir(folder)
}

/// A letter and at least so many digits.
fn is_name(name: &str, letter: char, digits_min: usize) -> bool {
    let digits = name.strip_prefix(letter).unwrap_or_default();
    digits.len() >= digits_min && digits.bytes().all(|byte| byte.is_ascii_digit())
}
