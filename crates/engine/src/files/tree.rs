//! The tree of small files: who lies where, under which name, and what each operation does to one of them.
//!
//! Names have a fixed form, so that what is ours can be told from what is not ([`super::scratch`]). Deliberately absent:
//! time.

use crate::rng::Rng;
use model::{FilesOrder, TreeWork};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes that an append adds, and that are on stable storage after an append with fsync.
pub(crate) const APPEND_BYTES: usize = 4096;

/// First letter of a folder's name.
pub(super) const FOLDER: char = 'd';
/// Of a small file's, as it is made.
pub(super) const MADE: char = 'f';
/// Of the same after it was renamed.
pub(super) const RENAMED: char = 'r';

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    folder: PathBuf,
    /// Files, folders, threads.
    files: u64,
    folders: u64,
    threads: u64,
    seed: u64,
}

impl Tree {
    pub(crate) fn new(folder: &Path, work: &TreeWork) -> Self {
        Tree {
            folder: folder.to_owned(),
            files: work.files,
            folders: work.folders.max(1),
            threads: u64::from(work.threads.max(1)),
            seed: work.seed,
        }
    }

    pub(crate) fn folder(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{FOLDER}{number:07}"))
    }

    /// Neighbours in number lie in one folder.
    pub(crate) fn file(&self, number: u64, letter: char) -> PathBuf {
        let each = self.files.div_ceil(self.folders).max(1);
        self.folder(number / each)
            .join(format!("{letter}{number:09}"))
    }

    /// The numbers of one thread's files, in this order; `made` is how many there are of them.
    pub(crate) fn files_of(&self, thread: u64, order: FilesOrder, made: u64) -> Vec<u64> {
        let range = self.part(self.files, thread);
        self.in_order(
            range.start..range.end.min(range.start + made),
            thread,
            order,
        )
    }

    /// The numbers of one thread's folders.
    pub(crate) fn folders_of(&self, thread: u64, order: FilesOrder) -> Vec<u64> {
        self.in_order(self.part(self.folders, thread), thread, order)
    }

    pub(crate) fn threads(&self) -> u64 {
        self.threads
    }

    fn part(&self, of: u64, thread: u64) -> Range<u64> {
        let edge =
            |thread: u64| (u128::from(of) * u128::from(thread) / u128::from(self.threads)) as u64;
        edge(thread)..edge(thread + 1)
    }

    /// Source of the shuffle: Fisher and Yates, as in Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm P.
    fn in_order(&self, range: Range<u64>, thread: u64, order: FilesOrder) -> Vec<u64> {
        let mut numbers: Vec<u64> = range.collect();
        if order == FilesOrder::Random {
            let mut rng = Rng::new(self.seed, thread);
            for place in (1..numbers.len()).rev() {
                let other = rng.below(place as u64 + 1);
                numbers.swap(place, usize::try_from(other).expect("below the length"));
            }
        }
        numbers
    }
}

/// Made anew; an existing one is an error. Answers with the bytes that were written.
pub(crate) fn create(path: &Path, content: &[u8]) -> io::Result<u64> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    Ok(content.len() as u64)
}

pub(crate) fn look_up(path: &Path) -> io::Result<u64> {
    std::hint::black_box(fs::symlink_metadata(path)?);
    Ok(0)
}

pub(crate) fn read(path: &Path, into: &mut [u8]) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut bytes = 0;
    loop {
        match file.read(into)? {
            0 => return Ok(bytes),
            more => bytes += more as u64,
        }
    }
}

pub(crate) fn append(path: &Path, sync: bool) -> io::Result<u64> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    file.write_all(&[0x66; APPEND_BYTES])?;
    if sync {
        file.sync_all()?;
    }
    Ok(APPEND_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: u64, folders: u64, threads: u32) -> Tree {
        let work = TreeWork {
            files,
            folders,
            threads,
            seed: 7,
            ..TreeWork::default()
        };
        Tree::new(Path::new("t"), &work)
    }

    #[test]
    fn every_file_belongs_to_one_thread_in_either_order() {
        for order in [FilesOrder::Sequential, FilesOrder::Random] {
            for (files, threads) in [(0, 1), (1, 3), (10, 3), (1000, 7)] {
                let tree = tree(files, 4, threads);
                let parts =
                    (0..tree.threads()).flat_map(|one| tree.files_of(one, order, u64::MAX / 2));
                let mut all: Vec<u64> = parts.collect();
                all.sort_unstable();
                assert_eq!(all, (0..files).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_random_order_is_another_one_and_always_the_same() {
        let tree = tree(100, 4, 1);
        let random = tree.files_of(0, FilesOrder::Random, 100);
        assert_ne!(random, tree.files_of(0, FilesOrder::Sequential, 100));
        assert_eq!(random, tree.files_of(0, FilesOrder::Random, 100));
    }

    #[test]
    fn no_file_lies_in_a_folder_that_there_is_not() {
        for (files, folders) in [(1, 1), (10, 3), (10, 10), (3, 10), (100, 7)] {
            let tree = tree(files, folders, 1);
            for number in 0..files {
                let path = tree.file(number, MADE);
                let within = (0..folders).any(|folder| path.starts_with(tree.folder(folder)));
                assert!(within, "{}", path.display());
            }
        }
    }
}
