//! Result files: created where nothing is, or put in the place of an earlier result in one step.
//!
//! A result is written into a part file in the same folder (`.NAME.part-RANDOM`) and gets its name when it is whole. What
//! is replaced is judged by its content, read from one descriptor; the two files are exchanged
//! (`renameat2(RENAME_EXCHANGE)`), and only if the exchanged file is the one that was judged is it removed. File systems
//! without these calls: a free name is taken by link(2), or by `O_EXCL` where there are no links either; a file that is
//! replaced is first moved to a random name and compared there. Omitted: what a result of one's own looks like.

use crate::file_facts::{FileFacts, NodeKind};
use crate::mark::{Marked, compare};
use crate::openers::Openers;
pub use crate::output_error::OutputError;
use crate::part::{Judged, NotWhole, Part, Placed, create_whole, remove_leftovers};
use crate::resolved::ForeignName;
use crate::side_files::database_of;
use crate::system::folder::Folder;
use crate::system::name::Name;
use crate::system::trust::{distrust, hidden_owner};
use crate::system::{
    self, Owner, Rights, file_facts, keeps_all_names, look_up, open_to_read, openers, stream,
};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// So often the place is judged again because another process changed it.
const ATTEMPTS: u32 = 3;
/// So much of a part that was left behind has to be as in the result.
const ALIKE_BYTES: usize = 16;
/// So much of a file is judged by its content.
const HEAD_BYTES: u64 = 64 << 10;

/// A file that stands where a result is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Existing<'a> {
    /// How it begins.
    pub head: &'a [u8],
    /// Every byte of it is as [`write_output`] left it; false only where the file system has no attributes.
    pub unchanged: bool,
}

/// What may be replaced. An empty file of this user always may, and nothing that another program has open for writing.
#[derive(Clone, Copy)]
pub enum Replace<'a> {
    /// Nothing.
    Nothing,
    /// Files that this accepts, of those that are as fathom wrote them.
    Own(&'a dyn Fn(&Existing<'_>) -> bool),
    /// Any regular file, because the user confirmed it.
    Anything,
}

/// Creates a file for writing at `path`; `mode` is reduced by the umask.
///
/// # Errors
/// An existing file or link; a link on the way that another user could have placed; those of open(2).
pub fn create_new(path: &Path, mode: u32) -> Result<File, OutputError> {
    let place = Place::find(path)?;
    if place.node.is_some() {
        return Err(OutputError::Exists {
            path: path.to_owned(),
        });
    }
    let created = system::create_new(&place.folder, &place.name, mode);
    created.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => OutputError::Exists {
            path: path.to_owned(),
        },
        _ => OutputError::io(path, "created", error),
    })
}

/// Opens what is written for as long as work lasts: a file that is created for this user alone, or a pipe that has a reader.
/// Returns whether it is a file.
///
/// # Errors
/// Anything else with this name; a link on the way that another user could have placed; a pipe without a reader; those
/// of open(2).
pub fn open_growing(path: &Path) -> Result<(File, bool), OutputError> {
    let place = Place::find(path)?;
    let Some(node) = &place.node else {
        return create_new(path, 0o600).map(|file| (file, true));
    };
    let facts = file_facts(node).map_err(|error| OutputError::open(path, error))?;
    match facts.kind {
        NodeKind::Pipe => {}
        NodeKind::File => {
            return Err(OutputError::Exists {
                path: path.to_owned(),
            });
        }
        _ => {
            let (path, what) = (path.to_owned(), "neither a new file nor a pipe");
            return Err(OutputError::NotAFile { path, what });
        }
    }
    place.check_owner(node, &facts)?;
    let pipe = stream::open_pipe(node);
    let pipe = pipe.map_err(|error| OutputError::open(path, error))?;
    Ok((pipe, false))
}

/// Before long work: whether [`write_output`] would be allowed now. Tries to create a file in the folder.
///
/// # Errors
/// The reason why not.
pub fn check_output(path: &Path, replace: Replace<'_>) -> Result<(), OutputError> {
    let place = Place::find(path)?;
    match place.judge(replace)? {
        There::Stream => return Ok(()),
        There::Free | There::File(_) => {}
    }
    let failed = |error: io::Error| OutputError::io(path, "created", error);
    if keeps_all_names(&place.folder) {
        return system::may_add(&place.folder).map_err(failed);
    }
    let part = Part::create(&place.folder, &place.name, 0o600).map_err(failed)?;
    match place.left(part) {
        None => Ok(()),
        left => Err(failed(ErrorKind::PermissionDenied.into()).leaving(left)),
    }
}

/// Writes a result: a reader finds the old one or the new one, whole. Pipes, terminals, `/dev/null` and this
/// process's own standard output are written to. A file that is replaced keeps its mode and owner.
///
/// # Errors
/// What stands there may not be replaced, or cannot be; nothing was changed then, but where the error names what stays.
pub fn write_output(path: &Path, bytes: &[u8], replace: Replace<'_>) -> Result<(), OutputError> {
    Place::find(path)?.write(bytes, replace)
}

/// The same, for this user alone where the file is new, regardless of the umask.
///
/// # Errors
/// As [`write_output`].
pub fn write_private_output(
    path: &Path,
    bytes: &[u8],
    replace: Replace<'_>,
) -> Result<(), OutputError> {
    let mut place = Place::find(path)?;
    place.new_mode = 0o600;
    place.write(bytes, replace)
}

/// A result that is written as it grows, because it may be larger than memory. It gets its name when it is whole; dropped
/// before [`publish`](NewOutput::publish), it is removed.
#[derive(Debug)]
pub struct NewOutput {
    part: Part,
    path: PathBuf,
}

impl NewOutput {
    /// Begins a file for this user alone, that will have a name that is free.
    ///
    /// # Errors
    /// A name that exists; those of the folder.
    pub fn create(path: &Path) -> Result<NewOutput, OutputError> {
        let place = Place::find(path)?;
        if !matches!(place.judge(Replace::Nothing)?, There::Free) {
            return Err(OutputError::Exists {
                path: path.to_owned(),
            });
        }
        place.check_renaming("a file in another folder")?;
        let part = Part::create(&place.folder, &place.name, 0o600);
        Ok(NewOutput {
            part: part.map_err(|error| OutputError::io(path, "created", error))?,
            path: path.to_owned(),
        })
    }

    /// Returns a descriptor to write to.
    ///
    /// # Errors
    /// Those of dup(2).
    pub fn file(&self) -> io::Result<File> {
        self.part.file().try_clone()
    }

    /// Gives it its name, once all of it is on stable storage.
    ///
    /// # Errors
    /// The name was taken meanwhile; that file stays. Those of fsync(2).
    pub fn publish(mut self) -> Result<(), OutputError> {
        let failed = |error| OutputError::io(&self.path, "written", error);
        self.part.file().sync_all().map_err(failed)?;
        match self.part.take_name() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(OutputError::Exists { path: self.path })
            }
            Err(error) => Err(OutputError::io(&self.path, "named", error)),
            Ok(true) => Ok(()),
            Ok(false) => {
                let left = folder_of(&self.path).join(self.part.part().as_os_str());
                let path = self.path;
                Err(OutputError::Beside { path, left })
            }
        }
    }
}

/// The same in a folder that is open; `shown` is its path for messages. A link under the name is refused.
///
/// # Errors
/// As [`write_output`].
pub fn write_output_in(
    folder: &Folder,
    name: &Name,
    shown: &Path,
    bytes: &[u8],
    replace: Replace<'_>,
) -> Result<(), OutputError> {
    Place::within(folder, name, shown)?.write(bytes, replace)
}

/// The check of [`write_output_in`], before anything is written.
///
/// # Errors
/// What stands there may not be replaced.
pub fn check_output_in(
    folder: &Folder,
    name: &Name,
    shown: &Path,
    replace: Replace<'_>,
) -> Result<(), OutputError> {
    Place::within(folder, name, shown)?.judge(replace).map(drop)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A name in a folder.
struct Place<'a> {
    path: &'a Path, // for messages
    folder: File,
    name: Name,
    node: Option<File>,
    new_mode: u32, // of a file that is created, reduced by the umask
}

/// What stands there now.
enum There {
    Free,
    File(Box<Judged>),
    /// Written to, not replaced.
    Stream,
}

impl<'a> Place<'a> {
    fn find(path: &'a Path) -> Result<Self, OutputError> {
        let found = system::resolve(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => OutputError::NoFolder {
                path: path.to_owned(),
            },
            _ => OutputError::open(path, error),
        })?;
        if let Some(name) = found.foreign {
            return Err(OutputError::foreign(path, name));
        }
        if let Some(database) = database_of(&found.folder, &found.name) {
            let path = path.to_owned();
            return Err(OutputError::OfDatabase { path, database });
        }
        let Ok(name) = system::name_of(&found) else {
            let (path, what) = (path.to_owned(), "a folder");
            return Err(OutputError::NotAFile { path, what });
        };
        Ok(Place {
            path,
            folder: found.folder,
            name,
            node: found.node,
            new_mode: 0o666,
        })
    }

    fn within(folder: &Folder, name: &Name, path: &'a Path) -> Result<Self, OutputError> {
        let copy = folder.file().try_clone();
        Ok(Place {
            path,
            folder: copy.map_err(|error| OutputError::open(path, error))?,
            name: name.clone(),
            node: None,
            new_mode: 0o666,
        })
    }

    fn write(&self, bytes: &[u8], replace: Replace<'_>) -> Result<(), OutputError> {
        let failed = |error| OutputError::io(self.path, "written", error);
        let mode = match self.judge(replace)? {
            There::Stream => return self.stream(bytes).map_err(failed),
            There::Free if keeps_all_names(&self.folder) => return self.write_once(bytes),
            There::Free => self.new_mode,
            There::File(_) => 0o600,
        };
        let alike = &bytes[..bytes.len().min(ALIKE_BYTES)];
        let ours = |head: &[u8]| alike.starts_with(&head[..head.len().min(ALIKE_BYTES)]);
        remove_leftovers(&self.folder, &self.name, &ours);
        let mut part = Part::create(&self.folder, &self.name, mode).map_err(failed)?;
        let placed = self.place(&mut part, bytes, replace);
        placed.map_err(|error| error.leaving(self.left(part)))
    }

    /// Gives the part its content and its name.
    fn place(
        &self,
        part: &mut Part,
        bytes: &[u8],
        replace: Replace<'_>,
    ) -> Result<(), OutputError> {
        let failed = |error| OutputError::io(self.path, "written", error);
        part.fill(bytes).map_err(failed)?;
        for _ in 0..ATTEMPTS {
            let placed = match self.judge(replace)? {
                There::Stream => break,
                There::Free => part.put(bytes, None),
                There::File(judged) => {
                    if !part.adopt(&judged) {
                        return Err(OutputError::NotOwner {
                            path: self.path.to_owned(),
                        });
                    }
                    part.exchange(&judged, bytes)
                }
            };
            match placed.map_err(failed)? {
                Placed::There => return Ok(()),
                Placed::Raced => {}
                Placed::Beside(left) => {
                    let (path, left) = (self.path.to_owned(), self.beside(&left));
                    return Err(OutputError::Beside { path, left });
                }
                Placed::Left(now) => {
                    let (path, now) = (self.path.to_owned(), self.beside(&now));
                    return Err(OutputError::Moved { path, now });
                }
            }
        }
        Err(OutputError::Changed {
            path: self.path.to_owned(),
        })
    }

    /// Where no name can be changed: created under its own, which is whole a moment later.
    fn write_once(&self, bytes: &[u8]) -> Result<(), OutputError> {
        match create_whole(&self.folder, &self.name, self.new_mode, bytes) {
            Ok(_) => Ok(()),
            Err(NotWhole::Taken) => Err(OutputError::Exists {
                path: self.path.to_owned(),
            }),
            Err(NotWhole::Failed { error, is_left }) => {
                let left = is_left.then(|| self.path.to_owned());
                Err(OutputError::io(self.path, "written", error).leaving(left))
            }
        }
    }

    /// Removes a part; its path where that is not possible.
    fn left(&self, part: Part) -> Option<PathBuf> {
        part.discard().map(|name| self.beside(&name))
    }

    fn beside(&self, name: &Name) -> PathBuf {
        folder_of(self.path).join(name.as_os_str())
    }

    /// Refuses what another user placed here, to whom the result would go.
    fn check_owner(&self, node: &File, facts: &FileFacts) -> Result<(), OutputError> {
        let owner =
            Owner::of(node).map_err(|error| OutputError::io(self.path, "checked", error))?;
        let has_second_name = facts.kind == NodeKind::File && facts.names > 1;
        let is_own = owner.is_trusted();
        if is_own && !has_second_name {
            return Ok(());
        }
        let why = match distrust(&self.folder) {
            Some(why) => why,
            None => match hidden_owner(&self.folder).filter(|_| !is_own) {
                Some(why) => why,
                None => return Ok(()),
            },
        };
        let (path, user) = (self.path.to_owned(), owner);
        Err(match is_own {
            false => OutputError::ForeignOwner { path, user, why },
            true => {
                let (name, is_link) = (path.clone(), false);
                let name = ForeignName {
                    path: name,
                    is_link,
                    why,
                };
                OutputError::ForeignName { path, name }
            }
        })
    }

    /// Refuses a folder in which nothing can be renamed.
    fn check_renaming(&self, instead: &'static str) -> Result<(), OutputError> {
        match keeps_all_names(&self.folder) {
            true => Err(OutputError::AppendOnly {
                path: self.path.to_owned(),
                instead,
            }),
            false => Ok(()),
        }
    }

    fn stream(&self, bytes: &[u8]) -> io::Result<()> {
        let node = self.node.as_ref().ok_or(ErrorKind::NotFound)?;
        stream::write(&self.folder, &self.name, node, bytes)
    }

    /// What the name leads to now. A link here was put there after the path was resolved.
    fn judge(&self, replace: Replace<'_>) -> Result<There, OutputError> {
        let refused = |what| OutputError::NotAFile {
            path: self.path.to_owned(),
            what,
        };
        if let Some(node) = &self.node
            && stream::is_one(&self.folder, &self.name, node)
        {
            let facts = file_facts(node);
            let facts = facts.map_err(|error| OutputError::io(self.path, "checked", error))?;
            self.check_owner(node, &facts)?;
            return Ok(There::Stream);
        }
        let facts = match look_up(&self.folder, &self.name) {
            Ok(facts) => facts,
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(OutputError::io(self.path, "checked", error));
            }
            Err(_) if system::is_devices(&self.folder) => return Err(refused("no device")),
            Err(_) => return Ok(There::Free),
        };
        match facts.kind {
            NodeKind::File => {}
            NodeKind::Folder => return Err(refused("a folder")),
            NodeKind::Link => return Err(refused("a link")),
            _ => return Err(refused("a device or socket")),
        }
        self.judge_file(replace).map(Box::new).map(There::File)
    }

    fn judge_file(&self, replace: Replace<'_>) -> Result<Judged, OutputError> {
        let unread =
            |error| OutputError::io(self.path, "read, so that it would be lost unseen", error);
        let mut file = open_to_read(&self.folder, &self.name).map_err(unread)?;
        let facts = file_facts(&file).map_err(unread)?;
        self.check_owner(&file, &facts)?;
        let length = facts.length;
        if openers(&file) == Openers::Writer {
            return Err(OutputError::OpenForWriting {
                path: self.path.to_owned(),
            });
        }
        let mut is_changed = false;
        let ours = match replace {
            _ if length == 0 => true,
            Replace::Anything => true,
            Replace::Nothing => {
                return Err(OutputError::Exists {
                    path: self.path.to_owned(),
                });
            }
            Replace::Own(accepts) => {
                let mut head = Vec::new();
                Read::by_ref(&mut file)
                    .take(HEAD_BYTES)
                    .read_to_end(&mut head)
                    .map_err(unread)?;
                let marked = compare(&mut file, &head, length).map_err(unread)?;
                is_changed = marked == Marked::Changed;
                let (head, unchanged) = (head.as_slice(), marked == Marked::Whole);
                (unchanged || marked == Marked::Unsupported)
                    && accepts(&Existing { head, unchanged })
            }
        };
        match ours {
            true => {
                self.check_renaming("a new file")?;
                let rights = Rights::of(&file).map_err(unread)?;
                Ok(Judged { facts, rights })
            }
            false if is_changed => Err(OutputError::Edited {
                path: self.path.to_owned(),
                bytes: length,
            }),
            false => Err(OutputError::NotOurs {
                path: self.path.to_owned(),
                bytes: length,
            }),
        }
    }
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
