//! Finds the folder of a database, and decides whether it may be opened: who owns it, what leads to it, what lies next to
//! it.
//!
//! SQLite opens files by name. The folder's handle does not share deletion, so that no process can rename or remove that folder while
//! the database is open. Omitted: what is in the file (`store`).

use super::facts::file_facts;
use super::handle::{open_at, reopen};
use super::name::Name;
use super::names::{self, open_no_link, opening};
use super::owner::Owner;
use super::pinned::real_path;
use super::walk::resolve;
use crate::database::{DatabaseRefusal, check_database_name, is_sqlites};
use crate::file_facts::{FileFacts, NodeKind};
use crate::side_files::{SIDE_FILES, database_of};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_GENERIC_READ, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_SHARE_READ, FILE_SHARE_WRITE, READ_CONTROL,
};

/// A database file, or the place of a new one, pinned by handles.
#[derive(Debug)]
pub struct DatabasePlace {
    folder: File,
    name: OsString,
    path: PathBuf, // absolute, without links
    node: Option<FileFacts>,
    held: Option<File>, // of the file, for its facts alone
    largest: AtomicU64, // bytes that the file had; a database does not shrink
}

/// Finds where `path` leads and checks that this user may rely on what is there.
///
/// # Errors
/// See [`DatabaseRefusal`].
pub fn database(path: &Path) -> Result<DatabasePlace, DatabaseRefusal> {
    check_database_name(path)?;
    let found = resolve(path)?;
    if let Some(name) = found.foreign {
        return Err(DatabaseRefusal::ForeignName(name));
    }
    if let Some(database) = database_of(&found.folder, &found.name) {
        return Err(DatabaseRefusal::OfDatabase(database));
    }
    let node = found.node.as_ref().map(file_facts).transpose()?;
    if let (Some(facts), Some(file)) = (&node, &found.node) {
        match facts.kind {
            NodeKind::File => {}
            NodeKind::Folder => return Err(DatabaseRefusal::Folder),
            _ => return Err(DatabaseRefusal::NotAFile),
        }
        owned(file)?;
    }
    let kept = reopen(
        &found.folder,
        FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES | READ_CONTROL,
        FILE_SHARE_READ | FILE_SHARE_WRITE,
        FILE_FLAG_BACKUP_SEMANTICS,
    );
    // Where the folder may not be listed, or is being renamed, it is not kept.
    let folder = kept.unwrap_or(found.folder);
    Ok(DatabasePlace {
        path: real_folder(&folder, path)?.join(&found.name),
        folder,
        name: found.name,
        node,
        held: found.node,
        largest: AtomicU64::new(0),
    })
}

fn owned(file: &File) -> Result<(), DatabaseRefusal> {
    let owner = Owner::of(file)?;
    match owner.is_trusted() {
        true => Ok(()),
        false => Err(DatabaseRefusal::ForeignOwner(owner)),
    }
}

/// The path of an open folder, without links.
pub(crate) fn real_folder(folder: &File, _: &Path) -> Result<PathBuf, DatabaseRefusal> {
    real_path(folder).ok_or(DatabaseRefusal::Replaced)
}

impl DatabasePlace {
    /// Its name: absolute, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses to write a file that has another name, next to which SQLite would keep another log.
    ///
    /// # Errors
    /// [`DatabaseRefusal::SecondName`].
    pub fn has_one_name(&self) -> Result<(), DatabaseRefusal> {
        match self.node {
            Some(node) if node.names > 1 => Err(DatabaseRefusal::SecondName(node.names)),
            _ => Ok(()),
        }
    }

    /// The name to open.
    pub fn reached(&self) -> PathBuf {
        self.path.clone()
    }

    /// Volume and file ID, where there is a file.
    pub fn identity(&self) -> Option<(u64, u64)> {
        self.node.map(|node| node.identity)
    }

    /// The first bytes of the file, at most so many.
    ///
    /// # Errors
    /// Those of the system's open and read.
    pub fn first_bytes(&self, bytes: u64) -> Result<Vec<u8>, DatabaseRefusal> {
        let Some(node) = &self.node else {
            return Ok(Vec::new());
        };
        let file = self.open(&self.name)?;
        if file_facts(&file)?.identity != node.identity {
            return Err(DatabaseRefusal::Replaced);
        }
        read(file, bytes)
    }

    fn open(&self, name: &OsStr) -> Result<File, DatabaseRefusal> {
        Ok(open_no_link(&self.folder, name, FILE_GENERIC_READ)?)
    }

    /// Refuses files next to the database that SQLite would take for its own and overwrite, or that another user placed.
    ///
    /// # Errors
    /// [`DatabaseRefusal::InTheWay`], [`DatabaseRefusal::ForeignOwner`].
    pub fn check_side_files(&self) -> Result<(), DatabaseRefusal> {
        for suffix in SIDE_FILES {
            let name = self.beside(suffix);
            let how = opening(FILE_READ_ATTRIBUTES | READ_CONTROL);
            let there = match open_at(&self.folder, &name, &how) {
                Ok(there) => there,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            let in_the_way = |what| DatabaseRefusal::InTheWay {
                file: self.path.with_file_name(&name),
                what,
            };
            let facts = file_facts(&there)?;
            if facts.kind != NodeKind::File {
                return Err(in_the_way("replace"));
            }
            owned(&there)?;
            if facts.length == 0 {
                continue;
            }
            let first = match self.open(&name).and_then(|file| read(file, 136)) {
                Ok(first) => first,
                // SQLite locks what it writes: another process has the database open.
                Err(DatabaseRefusal::Io(error)) if is_locked(&error) => continue,
                Err(error) => return Err(error),
            };
            if !is_sqlites(suffix, &first, self.has_pages()) {
                return Err(in_the_way("overwrite"));
            }
        }
        Ok(())
    }

    fn has_pages(&self) -> bool {
        let name = Name::of(&self.name);
        let there = name.and_then(|name| names::look_up(&self.folder, &name));
        there.is_ok_and(|there| there.length > 0)
    }

    fn beside(&self, suffix: &str) -> OsString {
        let mut name = self.name.clone();
        name.push(suffix);
        name
    }

    /// Creates the file, empty, for this user alone. If another process was faster, its file is treated as an existing one.
    ///
    /// # Errors
    /// Those of the system's open.
    pub fn create(&mut self) -> Result<(), DatabaseRefusal> {
        let name = Name::of(&self.name)?;
        match names::create_new(&self.folder, &name, 0o600) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
        let access = FILE_READ_ATTRIBUTES | READ_CONTROL;
        let held = open_no_link(&self.folder, &self.name, access)?;
        let facts = file_facts(&held)?;
        if facts.kind != NodeKind::File {
            return Err(DatabaseRefusal::Replaced);
        }
        owned(&held)?;
        (self.node, self.held) = (Some(facts), Some(held));
        Ok(())
    }

    /// Whether the name in its folder still leads to the file that was checked.
    ///
    /// # Errors
    /// [`DatabaseRefusal::Replaced`] where it does not, or the file was cut to length; those of the system's open.
    pub fn still_there(&self) -> Result<(), DatabaseRefusal> {
        let there = names::look_up(&self.folder, &Name::of(&self.name)?)?;
        let by_path = resolve(&self.path)?.node;
        let by_path = by_path.as_ref().map(file_facts).transpose()?;
        let identity = self.identity();
        let is_it = |facts: &FileFacts| Some(facts.identity) == identity;
        let is_cut = self.largest.fetch_max(there.length, Relaxed) > there.length;
        match is_it(&there) && by_path.is_some_and(|facts| is_it(&facts)) && !is_cut {
            true => Ok(()),
            false => Err(DatabaseRefusal::Replaced),
        }
    }

    /// Whether nothing has the name any more.
    pub fn is_vacant(&self) -> bool {
        let name = Name::of(&self.name);
        let there = name.and_then(|name| names::look_up(&self.folder, &name));
        there.is_err_and(|error| error.kind() == ErrorKind::NotFound)
    }

    /// Where the file is now; `None` where it was deleted.
    pub fn moved_to(&self) -> Option<PathBuf> {
        let way = real_path(self.held.as_ref()?)?;
        let there = resolve(&way).ok()?.node?;
        let is_it = Some(file_facts(&there).ok()?.identity) == self.identity();
        is_it.then_some(way)
    }

    /// A name next to the database: in the folder that it was opened in, wherever that is now.
    pub fn neighbour(&self, suffix: &str) -> PathBuf {
        let folder = real_path(&self.folder);
        let folder = folder.unwrap_or_else(|| self.path.with_file_name(""));
        folder.join(self.beside(suffix))
    }

    /// Changes nothing: a database that fathom created is private by its list, and another has the list that its folder gave it,
    /// which a mode cannot express.
    pub fn make_private(&self) -> Option<u32> {
        None
    }
}

fn is_locked(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(33) // ERROR_LOCK_VIOLATION
}

fn read(file: File, bytes: u64) -> Result<Vec<u8>, DatabaseRefusal> {
    let mut first = Vec::new();
    file.take(bytes).read_to_end(&mut first)?;
    Ok(first)
}
