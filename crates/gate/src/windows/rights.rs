//! Who may use a file: its owner and its access control list, and how another file gets the same.

use super::handle::{SHARE_ALL, reopen};
use super::names::CHANGE_RIGHTS;
use super::owner::Owner;
use super::security::{self, Private};
use std::fs::File;
use std::io;

/// The rights of a file, to be given to the one that replaces it.
#[derive(Debug)]
pub(crate) struct Rights {
    owner: Owner,
    list: security::AccessList,
}

impl Rights {
    /// Returns those of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Rights> {
        Ok(Rights {
            owner: Owner::of(file)?,
            list: security::access_list(file)?,
        })
    }

    /// Gives a file the same list; `false` if its owner would be another one.
    pub(crate) fn give_to(&self, file: &File) -> bool {
        if !Owner::of(file).is_ok_and(|owner| owner == self.owner) {
            return false;
        }
        let given = self.list.give_to(file);
        // A private file is better than one that all may read.
        given.is_ok() || make_private(file).is_ok()
    }
}

/// Files of Windows have no mode; those that are created again are private.
pub(crate) fn mode_of(_: &File) -> io::Result<u32> {
    Ok(0o600)
}

/// Takes all rights from other users but the system and its administrators.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    let private = Private::of_file()?;
    match private.give_to(file) {
        Ok(()) => Ok(()),
        Err(_) => private.give_to(&reopen(file, CHANGE_RIGHTS, SHARE_ALL, 0)?),
    }
}
