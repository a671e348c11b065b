//! The folder of our own in a person's folder: created under a new name, marked, and removed with what we created in it.
//!
//! Both folders stay open, and everything in them is reached through their descriptors ([`gate::Folder`]): a user who
//! owns the person's folder may rename ours or put a link in its place, and changes nothing that is done in it.
//!
//! What an earlier fathom left behind (it was killed, or the machine lost power) is known by four things together: the
//! folder's name, its owner, the mark in it, and that no process has locked the mark. Of what lies in it only names of the
//! form that we give are removed; links are never followed and mount points never entered; anything else stays,
//! and the folder with it.

use super::{FilesError, PREFIX, stream, tree};
use gate::{Folder, Kind, Name, OutputError, Owner, Use};
use model::errno_text;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) const MARK: &str = "fathom.mark";
const MARK_TEXT: &str =
    "fathom files created this folder and everything in it. It may be removed.\n";
/// So many names are tried.
const NAMES_MAX: u32 = 1000;

/// Our folder, as long as it is there.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The person's folder.
    parent: Folder,
    name: Name,
    folder: Arc<Folder>,
    /// Its path when it was created, for messages.
    path: PathBuf,
    /// Locked until the process ends, however it ends.
    mark: File,
}

impl Scratch {
    /// Creates it under a name that is free.
    pub(super) fn make(parent: Folder, folder: &Path) -> Result<Self, FilesError> {
        let refused = |source| FilesError::Make {
            folder: folder.to_owned(),
            source,
        };
        for number in 0..NAMES_MAX {
            let text = format!("{PREFIX}{}-{number}", std::process::id());
            let (path, name) = (folder.join(&text), Name::new(text).map_err(refused)?);
            let ours = match parent.create_private(&name) {
                Ok(ours) => ours,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(source) => return Err(refused(source)),
            };
            return match mark(&ours) {
                Ok(mark) => Ok(Scratch {
                    parent,
                    name,
                    folder: Arc::new(ours),
                    path,
                    mark,
                }),
                // Another one took the empty folder for one that was left behind.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => {
                    if parent.is_at(&name, &ours) {
                        let _ = parent.remove_folder(&name); // the error that counts is the first one
                    }
                    Err(refused(source))
                }
            };
        }
        Err(refused(io::ErrorKind::AlreadyExists.into()))
    }

    pub(super) fn folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    /// Removes it with everything that we created in it. `Err` has what is left, and why.
    pub(super) fn remove(self, pulse: &AtomicU64) -> Result<(), (PathBuf, String)> {
        let Scratch {
            parent,
            name,
            folder,
            path,
            mark,
        } = self;
        remove_ours(&parent, &name, &folder, mark, pulse)
            .map_err(|error| (path, errno_text(&error)))
    }

    /// Removes what earlier calls left behind next to it, where its file system gives all files one owner, who is not
    /// this user ([`remove_left`] found nothing then).
    pub(super) fn remove_left(&self, pulse: &AtomicU64) -> Result<Left, FilesError> {
        let owner = self.folder.owner();
        match owner == Owner::own() {
            true => Ok(Vec::new()),
            false => remove_of(&self.parent, &self.path, &owner, Some(&self.name), pulse),
        }
    }
}

/// What earlier calls left behind; each with whether all of it could be removed.
pub(super) type Left = Vec<(PathBuf, bool)>;

/// Opens the person's folder.
pub(super) fn open(folder: &Path) -> Result<Folder, FilesError> {
    Folder::open(folder).map_err(|error| match error {
        OutputError::Io { source, .. } => FilesError::Look {
            folder: folder.to_owned(),
            source,
        },
        other => FilesError::Refused(other),
    })
}

/// Removes what earlier calls of this user left behind in the folder.
pub(super) fn remove_left(
    parent: &Folder,
    path: &Path,
    pulse: &AtomicU64,
) -> Result<Left, FilesError> {
    remove_of(parent, &path.join(PREFIX), &Owner::own(), None, pulse)
}

/// `sibling` is the path of something in the folder.
fn remove_of(
    parent: &Folder,
    sibling: &Path,
    owner: &Owner,
    except: Option<&Name>,
    pulse: &AtomicU64,
) -> Result<Left, FilesError> {
    let mut removed = Vec::new();
    let one = |name: &Name, kind: Kind| {
        let text = name.as_os_str().to_string_lossy();
        if kind != Kind::Folder || !text.starts_with(PREFIX) || Some(name) == except {
            return Ok(());
        }
        let Some(left) = parent
            .enter(name)
            .ok()
            .filter(|left| left.owner() == *owner)
        else {
            return Ok(());
        };
        let path = sibling.with_file_name(name.as_os_str());
        if parent.remove_folder(name).is_ok() {
            // It was empty: one that was ended before it had written its mark.
            removed.push((path, true));
        } else if let Some(mark) = left_behind(&left) {
            let gone = remove_ours(parent, name, &left, mark, pulse).is_ok();
            removed.push((path, gone));
        }
        Ok(())
    };
    parent.each(one).map_err(|source| FilesError::Look {
        folder: sibling.to_owned(),
        source,
    })?;
    Ok(removed)
}

/// Creates the mark, and compares its owner with the folder's: if they differ, another user put a folder of theirs in
/// the place of ours before it was opened.
fn mark(folder: &Folder) -> io::Result<File> {
    let name = Name::new(MARK)?;
    let mut file = folder.create_new(&name, 0o666)?;
    let marked = file.lock().and_then(|()| match Owner::of(&file)? {
        owner if owner == folder.owner() => file.write_all(MARK_TEXT.as_bytes()),
        _ => Err(io::Error::other(
            "another user put a folder of theirs in its place",
        )),
    });
    if marked.is_err() {
        drop(file);
        let _ = folder.remove_file(&name); // the error that counts is the first one
        return Err(marked.expect_err("just seen"));
    }
    Ok(file)
}

/// The mark, locked, where it is ours and no process is working in the folder.
fn left_behind(folder: &Folder) -> Option<File> {
    let mut file = folder.open_file(&Name::new(MARK).ok()?, Use::Write).ok()?;
    let is_file = file.metadata().is_ok_and(|there| there.is_file());
    if !is_file || Owner::of(&file).ok()? != folder.owner() {
        return None;
    }
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(4096).read_to_string(&mut text);
    // Killed between making the mark and writing it, its text is empty.
    let marked = read.is_ok() && (text == MARK_TEXT || text.is_empty());
    (marked && file.try_lock().is_ok()).then_some(file)
}

/// The mark goes last: what is still there until then is known as ours. It is closed before it is removed, because a
/// file that is open keeps its folder on FUSE and NFS.
fn remove_ours(
    parent: &Folder,
    at: &Name,
    folder: &Folder,
    mark: File,
    pulse: &AtomicU64,
) -> io::Result<()> {
    folder.each(|name, kind| {
        let text = name.as_os_str().to_string_lossy();
        if kind == Kind::Folder && is_name(&text, tree::FOLDER, 7) {
            remove_files(folder, name, pulse)?;
        } else if kind == Kind::File && text == stream::NAME {
            folder.remove_file(name)?;
        }
        pulse.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })?;
    when_released(|| {
        folder.each(|name, _| match name.as_os_str() == MARK {
            true => Ok(()),
            false => Err(io::ErrorKind::DirectoryNotEmpty.into()),
        })
    })?;
    if !parent.is_at(at, folder) {
        return Err(io::Error::other(
            "another process renamed it; its content is removed, but for its mark",
        ));
    }
    drop(mark);
    match folder.remove_file(&Name::new(MARK)?) {
        // A fathom that began a moment ago removes it, too.
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let removed = when_released(|| {
        parent
            .remove_folder(at)
            .inspect_err(|_| remove_hidden(folder))
    });
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the mark where libfuse gave it another name, because it was removed before its end was reported, and left it
/// there: a file with nothing but the mark's text.
fn remove_hidden(folder: &Folder) {
    let _ = folder.each(|name, kind| {
        let is_hidden = name
            .as_os_str()
            .to_string_lossy()
            .starts_with(".fuse_hidden");
        let is_mark = |text: &str| text == MARK_TEXT;
        if is_hidden && kind == Kind::File && text_of(folder, name).as_deref().is_some_and(is_mark)
        {
            folder.remove_file(name)?;
        }
        Ok(())
    });
}

fn text_of(folder: &Folder, name: &Name) -> Option<String> {
    let mut text = String::new();
    let file = folder.open_file(name, Use::Read).ok()?;
    file.take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Tries again for a second where a folder is not empty: FUSE reports the end of a file to its server after close(2)
/// returned, and until then a removed file is in its folder under another name (`.fuse_hidden…`, on NFS `.nfs…`).
pub(super) fn when_released(mut act: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    const TRIES: u32 = 50;
    const PAUSE: Duration = Duration::from_millis(20);
    for _ in 1..TRIES {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
    act()
}

fn remove_files(top: &Folder, at: &Name, pulse: &AtomicU64) -> io::Result<()> {
    let folder = top.enter(at)?;
    folder.each(|name, kind| {
        let text = name.as_os_str().to_string_lossy();
        let ours = is_name(&text, tree::MADE, 9) || is_name(&text, tree::RENAMED, 9);
        if kind == Kind::File && ours {
            folder.remove_file(name)?;
        }
        pulse.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })?;
    drop(folder);
    when_released(|| top.remove_folder(at))
}

/// A letter and at least so many digits.
pub(super) fn is_name(name: &str, letter: char, digits_min: usize) -> bool {
    let digits = name.strip_prefix(letter).unwrap_or_default();
    digits.len() >= digits_min && digits.bytes().all(|byte| byte.is_ascii_digit())
}
