//! The archive that a kernel unpacks into its first file system.
//!
//! Source: the kernel's `Documentation/driver-api/early-userspace/buffer-format.rst` (newc).

use std::collections::BTreeSet;

/// Files and folders, in the order in which they were put in; folders above a file are created.
pub(super) struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    number: u32,
}

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_755;

impl Archive {
    pub(super) fn new() -> Self {
        Archive {
            bytes: Vec::new(),
            folders: BTreeSet::new(),
            number: 0,
        }
    }

    pub(super) fn folder(&mut self, name: &str) {
        if self.folders.insert(name.to_owned()) {
            self.entry(name, FOLDER, &[]);
        }
    }

    /// Any user may run it.
    pub(super) fn file(&mut self, name: &str, bytes: &[u8]) {
        for (at, _) in name.match_indices('/') {
            self.folder(&name[..at]);
        }
        self.entry(name, FILE, bytes);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, bytes: &[u8]) {
        self.number += 1;
        let links = 1;
        let (size, name_size) = (bytes.len() as u32, name.len() as u32 + 1);
        let fields = [
            self.number,
            mode,
            0,
            0,
            links,
            0,
            size,
            0,
            0,
            0,
            0,
            name_size,
            0,
        ];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08x}").bytes());
        }
        self.bytes.extend(name.bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend(bytes);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_their_files_and_all_is_aligned() {
        let mut archive = Archive::new();
        archive.file("a/b/c", b"12345");
        let bytes = archive.finish();
        let text = String::from_utf8_lossy(&bytes);
        let places: Vec<_> = ["a\0", "a/b\0", "a/b/c\0", "12345", "TRAILER!!!"]
            .iter()
            .map(|part| text.find(part).unwrap())
            .collect();
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!((bytes.len() % 4, &bytes[..6]), (0, b"070701".as_slice()));
    }
}
