//! Resolves a path to handles, one component at a time, and notes the first name that another user could have placed. Opens
//! nothing for reading or writing: every handle has the right to its facts alone. Omitted: what follows from that name.

use super::facts::file_facts;
use super::handle::open_at;
use super::name::{BadName, Name, check, is_device};
use super::names::{opening, raw_error};
use super::pinned::real_path;
use super::trust::distrust;
use crate::file_facts::NodeKind;
use crate::resolved::{ForeignName, Resolved};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf, Prefix};
use windows_sys::Wdk::Storage::FileSystem::FILE_OPEN_REPARSE_POINT;
use windows_sys::Win32::Foundation::{ERROR_CANT_RESOLVE_FILENAME, ERROR_DIRECTORY};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_READ_ATTRIBUTES, READ_CONTROL,
};

/// Links that one path may contain, as many as Windows follows.
const LINKS_MAX: usize = 63;
/// Streams that a result may be written to.
const STREAMS: [&str; 3] = ["NUL", "CON", "CONOUT$"];

/// Resolves `path` from the current folder. A link in its last place is followed, also one that leads to nothing yet. A volume is
/// `X:` or `\\.\X:`, a disk `\\.\PhysicalDrive0`.
///
/// # Errors
/// Those of the system's open: a folder is missing, no permission to search one, more than 63 links; a name that Windows would
/// change.
pub fn resolve(path: &Path) -> io::Result<Resolved> {
    if path.as_os_str().is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    if let Some(device) = device_path(path) {
        return of_device(&device);
    }
    check_names(path)?;
    Walk::begin(&std::path::absolute(path)?)?.finish()
}

/// The path by which a device is opened, if it is that of one.
fn device_path(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    let mut parts = path.components();
    let prefix = match parts.next()? {
        Component::Prefix(prefix) => Some(prefix.kind()),
        _ => None,
    };
    let is_alone = parts.next().is_none();
    match prefix {
        Some(Prefix::DeviceNS(_)) => Some(path.to_owned()),
        Some(Prefix::Disk(_)) if is_alone => Some(PathBuf::from(format!(r"\\.\{text}"))),
        None if STREAMS.iter().any(|name| name.eq_ignore_ascii_case(text)) => Some(path.to_owned()),
        _ => None,
    }
}

/// A device: its own handle is used in place of its folder's, which it has not.
fn of_device(path: &Path) -> io::Result<Resolved> {
    let text = path.to_string_lossy();
    if text.to_ascii_lowercase().starts_with(r"\\.\pipe\") {
        let why = "a named pipe of Windows cannot be checked without connecting to it; hint: specify a file, and copy it to the pipe";
        return Err(io::Error::new(ErrorKind::Unsupported, why));
    }
    let access = match is_stream(path.as_os_str()) {
        true => FILE_READ_ATTRIBUTES,
        false => 0,
    };
    let mut options = OpenOptions::new();
    let node = match options.access_mode(access).open(path) {
        // A console that shows has no attributes to read.
        Err(_) if access != 0 => options.access_mode(0xC000_0000).open(path)?,
        opened => opened?,
    };
    Ok(Resolved {
        folder: node.try_clone()?,
        name: path.as_os_str().to_owned(),
        node: Some(node),
        foreign: None,
    })
}

/// Refuses names that Windows changes silently, before it does.
fn check_names(path: &Path) -> io::Result<()> {
    let Some(text) = path.to_str() else {
        return Err(BadName::HalfCharacter(path.to_string_lossy().into_owned()).into());
    };
    if text.starts_with(r"\\?\") {
        return Ok(()); // taken as it stands; each name is checked on the way
    }
    path.components().try_for_each(|component| match component {
        Component::Normal(name) => Ok(check(name)?),
        _ => Ok(()),
    })
}

struct Walk {
    folder: File,
    way: PathBuf, // of `folder`
    todo: VecDeque<OsString>,
    links: usize,
    wants_folder: bool,
    foreign: Option<ForeignName>,
}

impl Walk {
    /// Begins at the root of an absolute path.
    fn begin(path: &Path) -> io::Result<Walk> {
        let mut todo = VecDeque::new();
        let mut root = PathBuf::new();
        for component in path.components() {
            match component {
                Component::Prefix(_) | Component::RootDir => root.push(component),
                Component::Normal(name) => {
                    check(name)?;
                    todo.push_back(name.to_owned());
                }
                Component::CurDir | Component::ParentDir => {}
            }
        }
        let ends = path.to_string_lossy();
        Ok(Walk {
            folder: open_root(&root)?,
            way: root,
            todo,
            links: 0,
            wants_folder: ends.ends_with(['\\', '/']),
            foreign: None,
        })
    }

    fn finish(mut self) -> io::Result<Resolved> {
        while let Some(name) = self.todo.pop_front() {
            if let Some(node) = self.step(&name)? {
                return Ok(self.end(name, node));
            }
        }
        let node = Some(self.folder.try_clone()?);
        Ok(self.end(OsString::from("."), node))
    }

    fn end(mut self, name: OsString, node: Option<File>) -> Resolved {
        let facts = node.as_ref().and_then(|node| file_facts(node).ok());
        if facts.is_some_and(|facts| facts.kind == NodeKind::File && facts.names > 1) {
            self.note_foreign(&name, false);
        }
        Resolved {
            folder: self.folder,
            name,
            node,
            foreign: self.foreign,
        }
    }

    /// Walks one name. `Some` where it was the last: what is there, if anything is.
    fn step(&mut self, name: &OsStr) -> io::Result<Option<Option<File>>> {
        let last = self.todo.is_empty();
        let node = match open_plain(&self.folder, name, FILE_OPEN_REPARSE_POINT) {
            Ok(node) => node,
            Err(error) if error.kind() == ErrorKind::NotFound && last => return Ok(Some(None)),
            Err(error) => return Err(error),
        };
        match file_facts(&node)?.kind {
            NodeKind::Link => {
                self.follow(name)?;
                Ok(None)
            }
            NodeKind::Folder if last => Ok(Some(Some(node))),
            NodeKind::Folder => {
                self.way.push(name);
                self.folder = node;
                Ok(None)
            }
            _ if last && !self.wants_folder => Ok(Some(Some(node))),
            _ => Err(raw_error(ERROR_DIRECTORY)),
        }
    }

    /// Goes on where a link leads, with what is left of the path behind it.
    fn follow(&mut self, name: &OsStr) -> io::Result<()> {
        self.links += 1;
        if self.links > LINKS_MAX {
            return Err(raw_error(ERROR_CANT_RESOLVE_FILENAME));
        }
        self.note_foreign(name, true);
        let target = match open_plain(&self.folder, name, 0) {
            Ok(there) => real_path(&there).ok_or(ErrorKind::NotFound)?,
            // It leads to nothing yet.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let link = std::fs::read_link(self.way.join(name))?;
                std::path::absolute(self.way.join(link))?
            }
            Err(error) => return Err(error),
        };
        let rest = std::mem::take(&mut self.todo);
        let mut walk = Walk::begin(&target)?;
        walk.todo.extend(rest);
        walk.links = self.links;
        walk.wants_folder = self.wants_folder;
        walk.foreign = self.foreign.take();
        *self = walk;
        Ok(())
    }

    /// Notes a name if another user could have placed it, and none was noted before.
    fn note_foreign(&mut self, name: &OsStr, is_link: bool) {
        if self.foreign.is_none()
            && let Some(why) = distrust(&self.folder)
        {
            let path = self.way.join(name);
            self.foreign = Some(ForeignName { path, is_link, why });
        }
    }
}

/// Opens a name for its facts, and for its rights where these may be asked.
fn open_plain(folder: &File, name: &OsStr, options: u32) -> io::Result<File> {
    let mut how = opening(FILE_READ_ATTRIBUTES | READ_CONTROL);
    how.options = how.options & !FILE_OPEN_REPARSE_POINT | options;
    match open_at(folder, name, &how) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            how.access = FILE_READ_ATTRIBUTES;
            open_at(folder, name, &how)
        }
        opened => opened,
    }
}

/// Opens `C:\` or `\\server\share\`.
fn open_root(root: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    match options
        .access_mode(FILE_READ_ATTRIBUTES | READ_CONTROL)
        .open(root)
    {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            options.access_mode(FILE_READ_ATTRIBUTES).open(root)
        }
        opened => opened,
    }
}

/// Returns the name in its folder, or that of a stream, which has none.
pub(crate) fn name_of(found: &Resolved) -> io::Result<Name> {
    match found.node.is_some() && is_stream(&found.name) {
        true => Ok(Name::of_stream(&found.name)),
        false => Name::of(&found.name),
    }
}

/// Whether a path is that of a stream to which results may be written.
pub(super) fn is_stream(name: &OsStr) -> bool {
    let text = name.to_string_lossy();
    is_device(&text)
        && STREAMS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&text))
}
