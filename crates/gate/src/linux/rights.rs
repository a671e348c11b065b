//! Who may use a file: owner, mode and ACL, and how another file gets the same.

use super::acl::Kept;
use rustix::fs::{Gid, Mode, Stat, Uid, fchmod, fchown, fstat};
use std::fs::File;
use std::io;

/// The rights of a file, to be given to the one that replaces it.
#[derive(Debug)]
pub(crate) struct Rights {
    there: Stat,
    list: Kept,
}

impl Rights {
    /// Returns those of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Rights> {
        Ok(Rights {
            there: fstat(file)?,
            list: Kept::of(file),
        })
    }

    /// Gives a file owner, mode and ACL; `false` if the owner cannot be kept.
    pub(crate) fn give_to(&self, file: &File) -> bool {
        let (there, Ok(own)) = (&self.there, fstat(file)) else {
            return false;
        };
        let mut mode = there.st_mode & 0o777;
        let owner = Some(Uid::from_raw(there.st_uid));
        if own.st_uid != there.st_uid && fchown(file, owner, None).is_err() {
            return false;
        }
        // What a group may do is not given to another group.
        let group = Some(Gid::from_raw(there.st_gid));
        let has_group = own.st_gid == there.st_gid || fchown(file, None, group).is_ok();
        let list = match has_group {
            true => self.list.clone(),
            false => Kept::default(),
        };
        if !has_group {
            mode &= 0o707;
        }
        // Without the list, those whom it excludes would count as others, and those whom the folder's list has as the group.
        if !list.give_to(file) || !has_group && self.list.is_some() {
            mode &= 0o700;
        }
        // A file system without permissions has nothing to keep.
        let _ = fchmod(file, Mode::from_raw_mode(mode));
        true
    }
}

/// Returns the mode that a file has.
pub(crate) fn mode_of(file: &File) -> io::Result<u32> {
    Ok(fstat(file)?.st_mode & 0o777)
}

/// Takes all rights from other users, regardless of the umask.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    Ok(fchmod(file, Mode::from_raw_mode(0o600))?)
}
