//! A path that was resolved once. Facts, proof, lock and every descriptor that reads or writes come from the pin, so
//! that they belong to one file or device, even if its name leads elsewhere in the meantime.
//!
//! Omitted: which pins a session has, and what it has open exclusively (`pins`).

use crate::access::Access;
use crate::file_facts::FileFacts;
use crate::part::remove_if_same;
use crate::resolved::{ForeignName, Resolved};
use crate::system::name::Name;
use crate::system::trust::distrust;
use crate::system::{self, Owner, file_facts};
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// File system, file and, of a device node, the number of the device.
pub(crate) type Number = (u64, u64, u64);

/// Where a path leads: a descriptor of what is there, and of the folder that contains it.
#[derive(Debug)]
pub struct Pin {
    folder: File,
    name: OsString,
    node: Mutex<Option<Arc<File>>>,
    foreign: Option<ForeignName>,
}

impl Pin {
    /// Resolves the path. What is there need not be readable.
    ///
    /// # Errors
    /// Those of [`resolve`](crate::resolve); that nothing has the name is none.
    pub fn new(path: &Path) -> io::Result<Pin> {
        let Resolved {
            folder,
            name,
            node,
            foreign,
        } = system::resolve(path)?;
        Ok(Pin {
            folder,
            name,
            node: Mutex::new(node.map(Arc::new)),
            foreign,
        })
    }

    /// The first name on the way that another user could have placed.
    pub fn foreign(&self) -> Option<&ForeignName> {
        self.foreign.as_ref()
    }

    /// The owner of what is there, if that is another user who could have placed it.
    pub fn placed_by(&self) -> Option<Owner> {
        let owner = Owner::of(&*self.node()?).ok()?;
        let is_placed = !owner.is_trusted() && distrust(&self.folder).is_some();
        is_placed.then_some(owner)
    }

    /// The folder that contains it; opened for nothing but its facts.
    pub fn folder(&self) -> &File {
        &self.folder
    }

    /// What is there; opened for nothing but its facts. `None` until it is created.
    pub fn node(&self) -> Option<Arc<File>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<File>>> {
        self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its metadata now. `None` where nothing is there.
    pub fn metadata(&self) -> Option<Metadata> {
        self.node()?.metadata().ok()
    }

    /// Its facts now. `None` where nothing is there.
    pub fn facts(&self) -> Option<FileFacts> {
        file_facts(&*self.node()?).ok()
    }

    /// The path without links, as far as the system knows it.
    pub fn real_path(&self) -> Option<PathBuf> {
        match self.node() {
            Some(node) => system::real_path(&node),
            None => Some(system::real_path(&self.folder)?.join(&self.name)),
        }
    }

    /// A path that leads to what is pinned for as long as the pin is there, for system calls that take only a path.
    /// `None` where the system has none, and where nothing is there.
    pub fn link(&self) -> Option<PathBuf> {
        system::link_to(&*self.node()?)
    }

    /// The same for its folder.
    pub fn folder_link(&self) -> Option<PathBuf> {
        system::link_to(&self.folder)
    }

    /// Opens what is pinned, and compares it with the pin. Reading leaves the access time as it was, where the system
    /// allows that.
    ///
    /// # Errors
    /// Those of the system's open; that something else was opened ([`is_changed`]); on Linux, writing without /proc.
    pub fn reopen(&self, access: Access) -> io::Result<File> {
        let node = self.node().ok_or(io::ErrorKind::NotFound)?;
        let opened = system::reopen(&node, &self.folder, &self.name, access)?;
        let (there, pinned) = (file_facts(&opened)?, file_facts(&node)?);
        match (there.identity, there.device) == (pinned.identity, pinned.device) {
            true => Ok(opened),
            false => Err(system::stale()),
        }
    }

    /// Creates the file, which must not be there yet, and pins it.
    ///
    /// # Errors
    /// Those of the system's open; on Linux, no /proc.
    pub fn create(&self, access: Access) -> io::Result<File> {
        let mut node = self.lock();
        let (file, plain) = system::create(&self.folder, &self.name, access)?;
        *node = Some(Arc::new(plain));
        Ok(file)
    }

    /// A file without a name in its folder, for direct I/O or not, which is gone when it is closed.
    ///
    /// # Errors
    /// Those of the system's open.
    pub fn nameless(&self, direct: bool) -> io::Result<File> {
        system::nameless(&self.folder, direct)
    }

    /// Whether the name in its folder still leads to what is pinned, without a link between.
    pub fn has_its_name(&self) -> bool {
        self.is_named(false)
    }

    /// Whether the name in its folder still leads to what is pinned, also by a link: those of /proc lead to files that have no
    /// name elsewhere.
    pub fn leads_to_it(&self) -> bool {
        self.is_named(true)
    }

    fn is_named(&self, follows: bool) -> bool {
        let Some(there) = self.facts() else {
            return false;
        };
        let named = system::named(&self.folder, &self.name, follows);
        named.is_ok_and(|named| named.identity == there.identity)
    }

    /// Removes the file if its name still leads to it; whether it did. Then nothing is pinned but the free name.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self) -> io::Result<bool> {
        let Some(node) = self.node() else {
            return Ok(false);
        };
        let name = Name::of(&self.name)?;
        match remove_if_same(&self.folder, &name, &file_facts(&node)?) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        *self.lock() = None;
        Ok(true)
    }

    /// Whether both are one file or one device; false where nothing is there.
    pub fn is_same(&self, other: &Pin) -> bool {
        let (Some(one), Some(other)) = (self.number(), other.number()) else {
            return false;
        };
        one == other || one.2 != 0 && one.2 == other.2
    }

    pub(crate) fn number(&self) -> Option<Number> {
        Some(number(&self.facts()?))
    }

    /// Whether both are the same name in the same folder, or were when they were resolved.
    pub(crate) fn is_place_of(&self, other: &Pin) -> bool {
        let folder = |pin: &Pin| file_facts(&pin.folder).ok().map(|there| number(&there));
        self.name == other.name && folder(self) == folder(other) && self.number() == other.number()
    }
}

fn number(there: &FileFacts) -> Number {
    (there.identity.0, there.identity.1, there.device)
}

/// Whether an error of [`Pin::reopen`] means that something else was opened.
pub fn is_changed(error: &io::Error) -> bool {
    error.raw_os_error() == system::stale().raw_os_error()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_is_created_only_where_nothing_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (one, late) = (Pin::new(&path).unwrap(), Pin::new(&path).unwrap());
        assert!(one.node().is_none() && one.reopen(Access::READ).is_err());
        one.create(Access::READ_WRITE)
            .unwrap()
            .write_all(b"x")
            .unwrap();
        assert_eq!(one.metadata().unwrap().len(), 1);
        let refused = late.create(Access::READ_WRITE).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert!(one.remove().unwrap() && one.node().is_none() && !path.exists());
    }
}
