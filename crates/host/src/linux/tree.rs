//! Reads `/proc`, `/sys` and `/etc`: of this machine, or of a saved tree of another one.
//!
//! Reads only, and is tolerant: a file that is missing, cannot be read or has unexpected content
//! is `None`. Deliberately absent: the meaning of any file.

use crate::root::Root;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// No file of `/proc` or `/sys` that is read here comes near this.
const TEXT_BYTES_MAX: u64 = 16 << 20;

impl Root {
    /// `below` (without a leading slash) as a path that can be opened.
    pub(crate) fn path(&self, below: impl AsRef<Path>) -> PathBuf {
        debug_assert!(below.as_ref().is_relative(), "else `join` leaves the root");
        self.at.join(below)
    }

    /// Where a link in the tree leads; `None` when it leads nowhere or out of the tree.
    pub(crate) fn resolve(&self, below: impl AsRef<Path>) -> Option<PathBuf> {
        let found = fs::canonicalize(self.path(below)).ok()?;
        let root = fs::canonicalize(&self.at).ok()?;
        found.starts_with(root).then_some(found)
    }

    /// The text of a file, without white space around it.
    pub(crate) fn text(&self, below: impl AsRef<Path>) -> Option<String> {
        text(&self.path(below))
    }

    /// The number in a file.
    pub(crate) fn number<T: FromStr>(&self, below: impl AsRef<Path>) -> Option<T> {
        self.text(below)?.parse().ok()
    }

    /// What is in a folder, sorted by natural order: `cpu2` before `cpu10`.
    pub(crate) fn names(&self, below: impl AsRef<Path>) -> Vec<String> {
        names(&self.path(below))
    }
}

/// The text of a file, without white space around it; `None` when there is none.
pub(crate) fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(TEXT_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// What is in a folder, sorted by natural order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_by_cached_key(|name| natural_key(name));
    names
}

/// Splits a name into text and the number that ends it: `sda10` is after `sda9`.
fn natural_key(name: &str) -> (String, u64) {
    let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (head.to_owned(), name[head.len()..].parse().unwrap_or(0))
}

/// `key : value`
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, value)| name.trim() == key && !value.trim().is_empty())
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["sda10", "sda9", "nvme0n1", "sda"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(names(folder.path()), ["nvme0n1", "sda", "sda9", "sda10"]);
    }

    #[test]
    fn a_link_out_of_the_tree_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("out")).unwrap();
        assert_eq!(Root::at(folder.path().to_owned()).resolve("out"), None);
    }

    #[test]
    fn what_is_missing_or_garbled_is_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("size"), [0xff, 0x00, b'\n']).unwrap();
        let root = Root::at(folder.path().to_owned());
        assert_eq!(root.number::<u64>("size"), None);
        assert_eq!(root.text("nothing"), None);
        assert!(root.names("nothing").is_empty());
    }
}
