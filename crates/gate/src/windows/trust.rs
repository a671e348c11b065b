//! Whether only this user, the system and its administrators decide what a folder contains. On it depends whether a link, a second
//! name of a file, or what already has the name of a result is relied upon.
//!
//! Asked are the owner and the entries of the list; what cannot be asked counts as another user's right. Omitted: what follows
//! from the answer (`walk`, `output`, `database`).

use super::owner::Owner;
use super::security::{self, Holder};
use crate::errno_text;
use std::fmt;
use std::fs::File;
use std::io;
use windows_sys::Win32::Foundation::{GENERIC_ALL, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ADD_FILE, FILE_ADD_SUBDIRECTORY, FILE_DELETE_CHILD, WRITE_DAC, WRITE_OWNER,
};

/// To rename and remove what is there.
const CHANGES: u32 = FILE_DELETE_CHILD | WRITE_DAC | WRITE_OWNER | GENERIC_ALL;
/// To place names, too.
const PLACES: u32 = CHANGES | FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY | GENERIC_WRITE;

/// Why a folder is not trusted: another user, as named, may place names in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message describes each variant")]
pub enum Distrust {
    Owner(Owner),
    Everybody,
    Account(String),
    Unasked(String),
}

impl Distrust {
    /// Whether it is because of the link itself, not of its folder.
    pub(crate) fn is_of_link(&self) -> bool {
        false
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::Owner(user) => write!(out, "{user} owns it"),
            Distrust::Everybody => write!(out, "its ACL lets every user write"),
            Distrust::Account(name) => write!(out, "its ACL lets {name} write"),
            Distrust::Unasked(what) => write!(out, "it could not be checked {what}"),
        }
    }
}

/// Why not only the trusted decide what is in an open folder; `None` where they alone do.
pub(crate) fn distrust(folder: &File) -> Option<Distrust> {
    others(folder, PLACES)
}

/// Whether only the trusted can rename this user's files in the folder.
pub(crate) fn keeps_names(folder: &File) -> bool {
    others(folder, CHANGES).is_none()
}

/// No file system of Windows shows the files of another folder under their names.
pub(crate) fn hidden_owner(_: &File) -> Option<Distrust> {
    None
}

fn others(folder: &File, rights: u32) -> Option<Distrust> {
    match Owner::of(folder) {
        Ok(owner) if owner.is_trusted() => {}
        Ok(owner) => return Some(Distrust::Owner(owner)),
        Err(error) => return Some(unasked("for its owner", &error)),
    }
    let list = security::access_list(folder).and_then(|list| list.allowed(rights));
    let holders = match list {
        Ok(holders) => holders,
        Err(error) => return Some(unasked("for its ACL", &error)),
    };
    holders.into_iter().find_map(|holder| match holder {
        Holder::Everybody => Some(Distrust::Everybody),
        Holder::Account(sid) if security::is_trusted(&sid) => None,
        Holder::Account(sid) => Some(Distrust::Account(sid.to_string())),
    })
}

fn unasked(what: &str, error: &io::Error) -> Distrust {
    Distrust::Unasked(format!("{what} ({})", errno_text(error)))
}
