//! Where a page goes: what may be replaced, and how it comes to lie there whole or not at all.
//!
//! A page can be made again from the shelf, so an earlier page gives way to a new one; every other file may be all that
//! somebody has, so it stays unless the person says otherwise.

use crate::failure::Failure;
use crate::output::errno_text;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// What may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    /// Pages of fathom's.
    Pages,
    /// Any file, because the person said so.
    Anything,
}

/// The mark stands in the head of a page.
const HEAD_BYTES: u64 = 4096;

/// The place itself, behind links; or why nothing may be written there.
pub(super) fn allowed(to: &Path, replace: Replace) -> Result<PathBuf, Failure> {
    let refuse = |why: &str| Failure::refused(format!("{}: {why}", to.display()));
    if to.as_os_str() == "-" {
        return Err(refuse(
            "a page is written into a file: name one, or ./- for one of this name; fathom report --json prints its data",
        ));
    }
    let facts = match fs::metadata(to) {
        Ok(facts) => facts,
        Err(error) if error.kind() == ErrorKind::NotFound => return free(to),
        Err(error) => return Err(refuse(&errno_text(&error))),
    };
    if facts.is_dir() {
        return Err(refuse("this is a folder: name a file in it"));
    }
    if !facts.is_file() {
        return Err(refuse("this is no ordinary file: name one"));
    }
    if replace == Replace::Pages && !is_page(to) {
        return Err(refuse(
            "this is there already and is no page of fathom's, so it was left as it is: name another file, or say \
             --force to replace it",
        ));
    }
    fs::canonicalize(to).map_err(|error| refuse(&errno_text(&error)))
}

fn free(to: &Path) -> Result<PathBuf, Failure> {
    let folder = folder_of(to);
    if to.file_name().is_none() || to.as_os_str().to_string_lossy().ends_with('/') {
        return Err(Failure::refused(format!(
            "{}: this names a folder: name a file in it",
            to.display()
        )));
    }
    if folder.is_dir() {
        return Ok(to.to_owned());
    }
    Err(Failure::refused(format!(
        "{}: its folder does not exist: make it first, or name another file",
        to.display()
    )))
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn is_page(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(views::PAGE_MARK)
}

/// Beside its place first, then moved there: whoever opens it sees the old page or the new one.
pub(super) fn put(to: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let beside = to.with_file_name(name);
    let failed = |error: std::io::Error| {
        let _ = fs::remove_file(&beside); // half a page is none
        let room = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                format!(" ({} KiB are needed there)", bytes.len().div_ceil(1024))
            }
            _ => String::new(),
        };
        Failure::failed(format!(
            "{}: the page could not be written: {}{room}; nothing was changed there, and the results are safe on the shelf",
            to.display(),
            errno_text(&error)
        ))
    };
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside);
    let mut file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::failed(format!(
            "{}: this is in the way, from an earlier try: remove it",
            beside.display()
        )),
        _ => failed(error),
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(failed)?;
    fs::rename(&beside, to).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_way_to_a_page_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("page.html"), format!("<html>{}", views::PAGE_MARK)).unwrap();
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
        fs::write(&page, views::PAGE_MARK).unwrap();
        std::os::unix::fs::symlink(&page, &link).unwrap();
        put(&allowed(&link, Replace::Pages).unwrap(), b"new").unwrap();
        assert_eq!(fs::read(&page).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
