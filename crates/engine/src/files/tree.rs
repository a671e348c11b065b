//! The tree of small files: who lies where, under which name, and what each operation does to one of them.
//!
//! Names have a fixed form, so that what is ours can be distinguished from what is not ([`super::scratch`]). Deliberately
//! absent: time.

use crate::rng::Rng;
use gate::{Folder, Name, Use};
use model::{FilesOrder, TreeWork};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;

/// Bytes that an append adds, and that are on stable storage after an append with fsync.
pub(crate) const APPEND_BYTES: usize = 4096;

/// So many of the tree's folders are kept open; of more, each thread keeps the one that it used last.
const HELD_MAX: u64 = 256;

/// First letter of a folder's name.
pub(super) const FOLDER: char = 'd';
/// Of a small file's, at its creation.
pub(super) const MADE: char = 'f';
/// Of the same after it was renamed.
pub(super) const RENAMED: char = 'r';

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    folder: Arc<Folder>,
    /// Those that are open, the first of all.
    held: Vec<Arc<Folder>>,
    /// Files, folders, threads.
    files: u64,
    folders: u64,
    threads: u64,
    seed: u64,
}

/// One of the tree's folders, or why it could not be entered.
type Entered = io::Result<Arc<Folder>>;

/// The folder that a thread used last, where it is not one of those that are kept open.
#[derive(Debug, Default)]
pub(crate) struct Last(Option<(u64, Arc<Folder>)>);

impl Tree {
    pub(crate) fn new(folder: &Arc<Folder>, work: &TreeWork) -> Self {
        Tree {
            folder: Arc::clone(folder),
            held: Vec::new(),
            files: work.files,
            folders: work.folders.max(1),
            threads: u64::from(work.threads.max(1)),
            seed: work.seed,
        }
    }

    /// The folder that all of them are in.
    pub(crate) fn top(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn folder(&self, number: u64) -> Name {
        name(FOLDER, number, 7)
    }

    /// The number of the folder that a file is in. Neighbours in number lie in one folder.
    fn folder_of(&self, number: u64) -> u64 {
        number / self.files.div_ceil(self.folders).max(1)
    }

    /// Opens as many folders as are kept open and may be; the others are opened again and again.
    pub(crate) fn hold(&mut self) {
        let first = 0..self.folders.min(HELD_MAX);
        let opened = first.map_while(|number| self.folder.enter(&self.folder(number)).ok());
        self.held = opened.map(Arc::new).collect();
    }

    /// Before they are removed: some file systems cannot remove what is open.
    pub(crate) fn release(&mut self) {
        self.held.clear();
    }

    /// The folder of a file, open.
    pub(crate) fn enter(&self, number: u64, last: &mut Last) -> Entered {
        let folder = self.folder_of(number);
        let held = usize::try_from(folder)
            .ok()
            .and_then(|at| self.held.get(at));
        if let Some(held) = held {
            return Ok(Arc::clone(held));
        }
        match &last.0 {
            Some((number, open)) if *number == folder => Ok(Arc::clone(open)),
            _ => {
                let open = Arc::new(self.folder.enter(&self.folder(folder))?);
                last.0 = Some((folder, Arc::clone(&open)));
                Ok(open)
            }
        }
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

    fn in_order(&self, range: Range<u64>, thread: u64, order: FilesOrder) -> Vec<u64> {
        let mut numbers: Vec<u64> = range.collect();
        if order == FilesOrder::Random {
            shuffle(&mut numbers, &mut Rng::new(self.seed, thread));
        }
        numbers
    }
}

/// Source: Fisher and Yates, as in Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm P.
pub(super) fn shuffle(numbers: &mut [u64], rng: &mut Rng) {
    for place in (1..numbers.len()).rev() {
        let other = rng.below(place as u64 + 1);
        numbers.swap(place, usize::try_from(other).expect("below the length"));
    }
}

/// A file's name in its folder.
pub(crate) fn file(number: u64, letter: char) -> Name {
    name(letter, number, 9)
}

fn name(letter: char, number: u64, digits: usize) -> Name {
    Name::new(format!("{letter}{number:0digits$}")).expect("a letter and digits")
}

/// Created again; an existing one is an error. Answers with the bytes that were written.
pub(crate) fn create(folder: &Folder, name: &Name, content: &[u8]) -> io::Result<u64> {
    let mut file = folder.create_new(name, 0o666)?;
    file.write_all(content)?;
    Ok(content.len() as u64)
}

pub(crate) fn look_up(folder: &Folder, name: &Name) -> io::Result<u64> {
    std::hint::black_box(folder.look_up(name)?);
    Ok(0)
}

pub(crate) fn read(folder: &Folder, name: &Name, into: &mut [u8]) -> io::Result<u64> {
    let mut file = folder.open_file(name, Use::Read)?;
    let mut bytes = 0;
    loop {
        match file.read(into)? {
            0 => return Ok(bytes),
            more => bytes += more as u64,
        }
    }
}

pub(crate) fn append(folder: &Folder, name: &Name, sync: bool) -> io::Result<u64> {
    let mut file = folder.open_file(name, Use::Append)?;
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
        let folder = Folder::open(std::path::Path::new(".")).unwrap();
        Tree::new(&Arc::new(folder), &work)
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
                assert!(tree.folder_of(number) < folders);
            }
        }
    }
}
