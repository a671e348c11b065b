//! Where a page goes, and what it may replace.
//!
//! A page can be created again from the database, so an earlier page gives way to a new one; every other file may be
//! all that a user has, so it stays unless the user confirms it.

use gate::{Existing, OutputError};
use host::Root;
use model::CommandError;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// How a database begins. Source: <https://www.sqlite.org/fileformat.html>.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// What may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    /// Pages of fathom's.
    Pages,
    /// Any file, because the user confirmed it.
    Anything,
}

/// Whether a page may be written there; why not otherwise.
pub(super) fn allowed(to: &Path, replace: Replace) -> Result<(), CommandError> {
    if to.as_os_str() == "-" {
        return Err(CommandError::refused(
            "-: a page is written into a file: specify one, or ./- for one of this name; fathom report --json prints its data",
        ));
    }
    refuse_what_is_used(to, replace)?;
    gate::check_output(to, replace.rule()).map_err(|error| reported(&error, 0))
}

/// No option replaces a results database, or a file whose data something else uses.
fn refuse_what_is_used(to: &Path, replace: Replace) -> Result<(), CommandError> {
    let uses = match replace {
        Replace::Pages => None,
        Replace::Anything => why_never_replaced(to),
    };
    match uses {
        None => Ok(()),
        Some(uses) => Err(CommandError::refused(uses)),
    }
}

/// Why no option replaces the file that is there: something else uses its data, or it is a database.
pub(crate) fn why_never_replaced(to: &Path) -> Option<String> {
    if !to.is_file() {
        return None;
    }
    let facts = host::target_facts(&Root::live(), to);
    let uses = facts.claims.iter().filter(|claim| claim.in_use());
    let mut uses: Vec<String> = uses.map(ToString::to_string).collect();
    uses.extend(facts.unchecked);
    if is_database(to) {
        uses.push("it is a database (SQLite)".to_owned());
    }
    (!uses.is_empty()).then(|| {
        format!(
            "{}: not replaced with any option: {}; hint: specify another file",
            to.display(),
            uses.join(", ")
        )
    })
}

fn is_database(to: &Path) -> bool {
    let mut head = [0; SQLITE.len()];
    let read = File::open(to).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *SQLITE
}

impl Replace {
    fn rule(self) -> gate::Replace<'static> {
        match self {
            Replace::Pages => gate::Replace::Own(&is_page),
            Replace::Anything => gate::Replace::Anything,
        }
    }
}

fn is_page(there: &Existing<'_>) -> bool {
    String::from_utf8_lossy(there.head).contains(views::PAGE_MARK)
}

/// A reader gets the old page or the new one.
pub(super) fn put(to: &Path, bytes: &[u8], replace: Replace) -> Result<(), CommandError> {
    refuse_what_is_used(to, replace)?;
    gate::write_output(to, bytes, replace.rule()).map_err(|error| reported(&error, bytes.len()))
}

fn reported(error: &OutputError, bytes: usize) -> CommandError {
    match error {
        OutputError::NotOurs { path, bytes } => CommandError::refused(format!(
            "{}: already exists and is not a fathom report; its {bytes} bytes would be lost; hint: specify another \
            file, or --force to replace it",
            path.display()
        )),
        OutputError::Edited { path, bytes } => CommandError::refused(format!(
            "{}: was changed since fathom wrote it; its {bytes} bytes would be lost; hint: rename it, or --force to replace it",
            path.display()
        )),
        OutputError::Io { source, .. } => {
            let room = match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded if bytes > 0 => {
                    format!(" ({} KiB are needed there)", bytes.div_ceil(1024))
                }
                // No file could be created there, of any length.
                ErrorKind::StorageFull => " (or no inodes: df -i)".to_owned(),
                _ => String::new(),
            };
            CommandError::failed(format!(
                "{error}{room}; nothing was changed there, and the results are safe in the results database"
            ))
        }
        other => crate::failure::of_output(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_page_gives_way_to_a_page_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let page = format!("<html>{}", views::PAGE_MARK);
        put(&at("page.html"), page.as_bytes(), Replace::Pages).unwrap();
        put(&at("edited.html"), page.as_bytes(), Replace::Pages).unwrap();
        fs::write(at("edited.html"), page.clone() + "my notes").unwrap(); // the mark stays
        assert!(allowed(&at("edited.html"), Replace::Pages).is_err());
        assert!(allowed(&at("edited.html"), Replace::Anything).is_ok());
        fs::write(at("thesis.html"), "<html>years of work").unwrap();
        assert!(allowed(&at("page.html"), Replace::Pages).is_ok());
        assert!(allowed(&at("thesis.html"), Replace::Pages).is_err());
        assert!(allowed(&at("thesis.html"), Replace::Anything).is_ok());
        assert!(allowed(folder.path(), Replace::Anything).is_err());
        assert!(allowed(&at("none/page.html"), Replace::Anything).is_err());
        assert!(allowed(&at("new.html"), Replace::Pages).is_ok());
    }

    #[test]
    fn a_link_is_followed_and_nothing_is_left_beside_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let (page, link) = (folder.path().join("a.html"), folder.path().join("b.html"));
        put(&page, views::PAGE_MARK.as_bytes(), Replace::Pages).unwrap();
        std::os::unix::fs::symlink(&page, &link).unwrap();
        put(&link, b"new", Replace::Pages).unwrap();
        assert_eq!(fs::read(&page).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
