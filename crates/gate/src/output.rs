//! Result files: created where nothing is, or put in the place of an earlier result in one step.
//!
//! A result is written into a part file in the same folder (`.NAME.part-RANDOM`) and gets its name when it is whole. What
//! is replaced is judged by its content, read from one descriptor; the two files are exchanged
//! (`renameat2(RENAME_EXCHANGE)`), and only if the exchanged file is the one that was judged is it removed. File systems
//! without these calls: a free name is taken by link(2), or by `O_EXCL` where there are no links either; a file that is
//! replaced is first moved to a random name and compared there. Omitted: what a result of one's own looks like.

use crate::mark::{Marked, compare};
pub use crate::output_error::OutputError;
use crate::side_files::database_of;
use crate::system::acl::Kept;
use crate::system::folder::{Folder, Name, id};
use crate::system::lease::{Openers, openers};
use crate::system::part::{
    Judged, NotWhole, Part, Placed, create_whole, keeps_all_names, remove_leftovers,
};
use crate::system::stream;
use crate::system::trust::{Distrust, distrust, is_overlay, is_own};
use crate::system::walk::{ForeignName, resolve};
use rustix::fs::{Access, AtFlags, FileType, Mode, OFlags, Stat, accessat, fstat, openat, statat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
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
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = openat(
        &place.folder,
        place.name.as_c_str(),
        flags,
        Mode::from_raw_mode(mode),
    );
    made.map(File::from).map_err(|error| match error {
        Errno::EXIST => OutputError::Exists {
            path: path.to_owned(),
        },
        other => OutputError::io(path, "created", other),
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
    let facts = fstat(node).map_err(|error| OutputError::open(path, error.into()))?;
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::Fifo => {}
        FileType::RegularFile => {
            return Err(OutputError::Exists {
                path: path.to_owned(),
            });
        }
        _ => {
            let (path, what) = (path.to_owned(), "neither a new file nor a pipe");
            return Err(OutputError::NotAFile { path, what });
        }
    }
    place.check_owner(&facts)?;
    let pipe = stream::open_pipe(node.as_fd());
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
        let may = accessat(&place.folder, c".", Access::WRITE_OK, AtFlags::EACCESS);
        return may.map_err(|error| failed(error.into()));
    }
    let part = Part::create(&place.folder, &place.name, 0o600).map_err(failed)?;
    match place.left(part) {
        None => Ok(()),
        left => Err(failed(Errno::PERM.into()).leaving(left)),
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
            Err(Errno::EXIST) => Err(OutputError::Exists { path: self.path }),
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
    folder: OwnedFd,
    name: Name,
    node: Option<OwnedFd>,
    new_mode: u32, // of a file that is created, reduced by the umask
}

/// What stands there now.
enum There {
    Free,
    File(Judged),
    /// Written to, not replaced.
    Stream,
}

impl<'a> Place<'a> {
    fn find(path: &'a Path) -> Result<Self, OutputError> {
        let found = resolve(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => OutputError::NoFolder {
                path: path.to_owned(),
            },
            _ => OutputError::open(path, error),
        })?;
        if let Some(name) = found.foreign {
            return Err(OutputError::foreign(path, name));
        }
        if let Some(database) = database_of(found.folder.as_fd(), &found.name) {
            let path = path.to_owned();
            return Err(OutputError::OfDatabase { path, database });
        }
        let Ok(name) = Name::new(found.name.as_bytes()) else {
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
        let copy = folder.as_fd().try_clone_to_owned();
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
        match create_whole(self.folder.as_fd(), &self.name, self.new_mode, bytes) {
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
    fn check_owner(&self, facts: &Stat) -> Result<(), OutputError> {
        let is_file = FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile;
        let has_second_name = is_file && facts.st_nlink > 1;
        if is_own(facts.st_uid) && !has_second_name {
            return Ok(());
        }
        let why = match distrust(&self.folder) {
            Some(why) => why,
            None if !is_own(facts.st_uid) && is_overlay(&self.folder) => Distrust::Overlay,
            None => return Ok(()),
        };
        let (path, user) = (self.path.to_owned(), facts.st_uid);
        Err(match is_own(user) {
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
        let node = self.node.as_ref().ok_or(Errno::NXIO)?;
        stream::write(self.folder.as_fd(), &self.name, node.as_fd(), bytes)
    }

    /// What the name leads to now. A link here was put there after the path was resolved.
    fn judge(&self, replace: Replace<'_>) -> Result<There, OutputError> {
        let refused = |what| OutputError::NotAFile {
            path: self.path.to_owned(),
            what,
        };
        if let Some(node) = &self.node
            && stream::is_one(self.folder.as_fd(), &self.name, node.as_fd())
        {
            let facts = fstat(node);
            let facts = facts.map_err(|error| OutputError::io(self.path, "checked", error))?;
            self.check_owner(&facts)?;
            return Ok(There::Stream);
        }
        let facts = match statat(
            &self.folder,
            self.name.as_c_str(),
            AtFlags::SYMLINK_NOFOLLOW,
        ) {
            Ok(facts) => facts,
            Err(Errno::NOENT) if is_devices(&self.folder) => return Err(refused("no device")),
            Err(Errno::NOENT) => return Ok(There::Free),
            Err(error) => return Err(OutputError::io(self.path, "checked", error)),
        };
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(refused("a folder")),
            FileType::Symlink => return Err(refused("a link")),
            _ => return Err(refused("a device or socket")),
        }
        self.judge_file(replace).map(There::File)
    }

    fn judge_file(&self, replace: Replace<'_>) -> Result<Judged, OutputError> {
        let unread =
            |error| OutputError::io(self.path, "read, so that it would be lost unseen", error);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = openat(&self.folder, self.name.as_c_str(), flags, Mode::empty());
        let mut file = File::from(open.map_err(|error| unread(error.into()))?);
        let facts = fstat(&file).map_err(|error| unread(error.into()))?;
        self.check_owner(&facts)?;
        let length = u64::try_from(facts.st_size).unwrap_or(0);
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
                let acl = Kept::of(&file);
                Ok(Judged { facts, acl })
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

/// A free name in `/dev` is a misspelt device: a file there fills memory.
fn is_devices(folder: &OwnedFd) -> bool {
    let devices = rustix::fs::stat(c"/dev").map(|there| id(&there));
    devices.is_ok() && devices == fstat(folder).map(|there| id(&there))
}

#[cfg(test)]
mod tests;
