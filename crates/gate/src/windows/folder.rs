//! A folder that is kept open: what is in it is reached by single names below its handle, so that no process that
//! renames a folder above it, or puts a link in place of one, decides what is written.
//!
//! Neither a name nor a link that stands under it leads out of the folder: links are opened themselves, and refused. Omitted: paths
//! (`walk`) and results that replace a file (`output`).

use super::facts::file_facts;
use super::handle::{self, Opening, SHARE_ALL, open_at};
use super::name::Name;
use super::names::{self, WAITS, look_up, move_to, open_no_link, raw_error};
use super::owner::Owner;
use super::security::Private;
use super::walk::resolve;
use crate::file_facts::{FileFacts, NodeKind};
use crate::output_error::OutputError;
use crate::use_of_names::{Kind, Use};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::path::Path;
use std::ptr::null_mut;
use windows_sys::Wdk::Storage::FileSystem::{FILE_CREATE, FILE_DIRECTORY_FILE};
use windows_sys::Win32::Foundation::{
    ERROR_DIRECTORY, ERROR_NOT_SAME_DEVICE, ERROR_TOO_MANY_LINKS,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_APPEND_DATA, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_FLAG_BACKUP_SEMANTICS, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY,
    FILE_READ_ATTRIBUTES, FILE_WRITE_DATA, READ_CONTROL,
};

/// What a folder is opened for.
const FOLDER: u32 = FILE_LIST_DIRECTORY | FILE_READ_ATTRIBUTES | READ_CONTROL;

/// A folder by its handle.
#[derive(Debug)]
pub struct Folder {
    file: File,
    facts: FileFacts,
    owner: Owner,
    /// Another user may enter it, so that foreign files may be in it under names of ours.
    shared: bool,
}

impl Folder {
    /// Opens the folder that a path leads to.
    ///
    /// # Errors
    /// A link on the way that another user could have placed; those of the system's open.
    pub fn open(path: &Path) -> Result<Folder, OutputError> {
        let failed = |source: io::Error| OutputError::open(path, source);
        let found = resolve(path).map_err(failed)?;
        if let Some(name) = found.foreign {
            return Err(OutputError::foreign(path, name));
        }
        let node = found
            .node
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
        let file = handle::reopen(&node, FOLDER, SHARE_ALL, FILE_FLAG_BACKUP_SEMANTICS);
        Folder::of(file.map_err(failed)?, false).map_err(failed)
    }

    /// `shared` is inherited: a user who cannot enter a folder cannot reach what is in it.
    fn of(file: File, shared: bool) -> io::Result<Folder> {
        let facts = file_facts(&file)?;
        if facts.kind != NodeKind::Folder {
            return Err(raw_error(ERROR_DIRECTORY));
        }
        let owner = Owner::of(&file)?;
        Ok(Folder {
            file,
            facts,
            owner,
            shared,
        })
    }

    /// Creates a folder that only this user may enter, and opens it. What is opened is what was created.
    ///
    /// # Errors
    /// Those of NtCreateFile; `AlreadyExists` where the name is taken.
    pub fn create_private(&self, name: &Name) -> io::Result<Folder> {
        let created = create_folder_in(&self.file, name.as_os_str(), true)?;
        Folder::of(created, false)
    }

    /// Creates a folder with the permissions that this one passes on.
    ///
    /// # Errors
    /// Those of NtCreateFile.
    pub fn create_folder(&self, name: &Name) -> io::Result<()> {
        create_folder_in(&self.file, name.as_os_str(), false).map(drop)
    }

    /// Opens a folder in it: no link, and on the same volume.
    ///
    /// # Errors
    /// Those of the system's open; a link or another volume.
    pub fn enter(&self, name: &Name) -> io::Result<Folder> {
        let file = open_no_link(&self.file, name.as_os_str(), FOLDER)?;
        let folder = Folder::of(file, self.shared)?;
        match folder.facts.identity.0 == self.facts.identity.0 {
            true => Ok(folder),
            false => Err(raw_error(ERROR_NOT_SAME_DEVICE)),
        }
    }

    /// Creates a file for reading and writing; for this user alone where `mode` has no rights of others.
    ///
    /// # Errors
    /// Those of NtCreateFile; `AlreadyExists` for an existing name, links too.
    pub fn create_new(&self, name: &Name, mode: u32) -> io::Result<File> {
        names::create_new(&self.file, name, mode)
    }

    /// Opens a file that is there. In a folder that others may enter it has to have one name only: a second one may be
    /// another user's way to a file that is not in this folder.
    ///
    /// # Errors
    /// Those of the system's open; a link; a file with a second name.
    pub fn open_file(&self, name: &Name, purpose: Use) -> io::Result<File> {
        let access = match purpose {
            Use::Read => FILE_GENERIC_READ,
            Use::Write => FILE_GENERIC_READ | FILE_GENERIC_WRITE,
            Use::Append => FILE_GENERIC_WRITE & !FILE_WRITE_DATA | FILE_APPEND_DATA,
        };
        let file = open_no_link(&self.file, name.as_os_str(), access)?;
        if self.shared && file_facts(&file)?.names != 1 {
            return Err(raw_error(ERROR_TOO_MANY_LINKS));
        }
        Ok(file)
    }

    /// Facts of what stands under a name, a link not followed.
    ///
    /// # Errors
    /// Those of the system's open.
    pub fn look_up(&self, name: &Name) -> io::Result<FileFacts> {
        look_up(&self.file, name)
    }

    /// Gives a file in it another name; what has that name is replaced.
    ///
    /// # Errors
    /// Those of NtSetInformationFile; what has the name is in use.
    pub fn rename(&self, from: &Name, to: &Name) -> io::Result<()> {
        names::rename(&self.file, from, to)
    }

    /// Moves a folder of it into `other`, where the name has to be free.
    ///
    /// # Errors
    /// Those of NtSetInformationFile.
    pub fn move_to(&self, from: &Name, other: &Folder, to: &Name) -> io::Result<()> {
        move_to(&self.file, from, &other.file, to, false)
    }

    /// Removes a name that is not a folder's.
    ///
    /// # Errors
    /// Those of the system's open and of its deletion.
    pub fn remove_file(&self, name: &Name) -> io::Result<()> {
        let there = open_at(&self.file, name.as_os_str(), &names::opening(DELETE))?;
        match file_facts(&there).map(|facts| facts.kind) {
            Ok(NodeKind::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            _ => handle::delete(&there),
        }
    }

    /// Removes an empty folder in it.
    ///
    /// # Errors
    /// Those of the system's open and of its deletion.
    pub fn remove_folder(&self, name: &Name) -> io::Result<()> {
        let there = open_at(&self.file, name.as_os_str(), &names::opening(DELETE))?;
        match file_facts(&there).map(|facts| facts.kind) {
            Ok(NodeKind::Folder) => handle::delete(&there),
            _ => Err(raw_error(ERROR_DIRECTORY)),
        }
    }

    /// Calls `act` with every name in it and whether it is a file or a folder (neither for links and the rest).
    ///
    /// # Errors
    /// Those of listing and of `act`.
    pub fn each(&self, mut act: impl FnMut(&Name, Kind) -> io::Result<()>) -> io::Result<()> {
        // A handle of its own begins at the first name.
        let list = handle::reopen(&self.file, FOLDER, SHARE_ALL, FILE_FLAG_BACKUP_SEMANTICS)?;
        handle::list(&list, &mut |text, attributes| {
            let Ok(name) = Name::of(&OsString::from_wide(text)) else {
                return Ok(()); // `.`, `..`, and what only other systems can have created
            };
            let kind = match attributes {
                point if point & FILE_ATTRIBUTE_REPARSE_POINT != 0 => {
                    Kind::of(self.look_up(&name)?.kind)
                }
                folder if folder & FILE_ATTRIBUTE_DIRECTORY != 0 => Kind::Folder,
                _ => Kind::File,
            };
            act(&name, kind)
        })
    }

    /// The user or group that it belongs to.
    pub fn owner(&self) -> Owner {
        self.owner.clone()
    }

    /// Whether this name leads to `other`.
    pub fn is_at(&self, name: &Name, other: &Folder) -> bool {
        self.is_file_at(name, other.facts.identity.0, other.facts.identity.1)
    }

    /// Whether this name leads to what has this volume and file ID.
    pub fn is_file_at(&self, name: &Name, volume: u64, file: u64) -> bool {
        let there = self.look_up(name);
        there.is_ok_and(|there| there.identity == (volume, file))
    }

    /// The open folder.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

/// Creates a folder and opens it, for this user alone or with what the folder above passes on.
pub(super) fn create_folder_in(above: &File, name: &OsStr, private: bool) -> io::Result<File> {
    super::name::check(name)?;
    let private = match private {
        true => Some(Private::of_folder()?),
        false => None,
    };
    let how = Opening {
        access: FOLDER,
        disposition: FILE_CREATE,
        options: WAITS | FILE_DIRECTORY_FILE,
        security: private.as_ref().map_or(null_mut(), Private::raw),
    };
    open_at(above, name, &how)
}
