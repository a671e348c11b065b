//! Foreign data that an attempt must not change: files with what they contained, open by a descriptor, so that a name
//! that was moved does not hide a change.

use crate::AttackError;
use crate::dice::Dice;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

#[derive(Default)]
pub(crate) struct Victims(Vec<Victim>);

struct Victim {
    path: PathBuf,
    file: File,
    content: Vec<u8>,
    mode: u32,
    /// Whether its name has to lead to it at the end.
    named: bool,
}

impl Victims {
    /// Adds a file as it stands now.
    pub(crate) fn add(&mut self, path: &Path, named: bool) -> Result<(), AttackError> {
        let file = File::open(path)?;
        self.0.push(Victim {
            path: path.to_owned(),
            content: fs::read(path)?,
            mode: file.metadata()?.mode(),
            file,
            named,
        });
        Ok(())
    }

    /// Creates a file with this content and adds it.
    pub(crate) fn create(&mut self, path: &Path, content: &[u8]) -> Result<(), AttackError> {
        let mut file = File::create_new(path)?;
        file.write_all(content)?;
        drop(file);
        self.add(path, true)
    }

    /// What has changed since, a sentence each.
    pub(crate) fn damage(&self) -> Vec<String> {
        self.0.iter().filter_map(Victim::damage).collect()
    }
}

impl Victim {
    fn damage(&self) -> Option<String> {
        let name = self.path.display();
        let there = self.file.metadata().ok()?;
        if there.len() != self.content.len() as u64 {
            let was = self.content.len();
            return Some(format!("{name}: {was} bytes became {}", there.len()));
        }
        let mut found = vec![0; self.content.len()];
        if let Err(error) = self.file.read_exact_at(&mut found, 0) {
            return Some(format!("{name}: unreadable: {error}"));
        }
        if found != self.content {
            let mut pairs = found.iter().zip(&self.content);
            let at = pairs.position(|(new, old)| new != old).unwrap_or(0);
            return Some(format!("{name}: overwritten at byte {at}"));
        }
        if there.mode() != self.mode {
            return Some(format!("{name}: mode became {:o}", there.mode()));
        }
        let now = fs::metadata(&self.path).map(|there| there.ino());
        let moved = self.named && now.ok() != Some(there.ino());
        moved.then(|| format!("{name}: its name was removed or replaced"))
    }
}

/// Foreign content of many kinds, and its name.
pub(crate) fn content(dice: &mut Dice, own: &[u8]) -> (&'static str, Vec<u8>) {
    let length = *dice.one_of(&[1, 511, 4095, 4096, 4097, 65_536, 1 << 20, (1 << 20) + 7]);
    let random = |dice: &mut Dice| {
        let mut data = vec![0; length];
        dice.fill(&mut data);
        data
    };
    match dice.below(12) {
        0 => (
            "text",
            b"a thesis, years of work\n"
                .iter()
                .copied()
                .cycle()
                .take(length)
                .collect(),
        ),
        1 => ("zeros", vec![0; length]),
        2 => ("counting bytes", (0..length).map(|at| at as u8).collect()),
        3 => ("random", random(dice)),
        4 => ("SQLite", with_head(b"SQLite format 3\0", random(dice))),
        5 => ("zip", with_head(b"PK\x03\x04", random(dice))),
        6 => ("old mark only", old_mark(random(dice))),
        7 => {
            let mut data = vec![0; length];
            let at = dice.index(length);
            data[at] = 1;
            ("one byte in zeros", data)
        }
        8 => {
            let mut data = own.to_vec();
            let at = dice.index(data.len());
            data[at] ^= 1 << dice.below(8);
            ("own file, one bit changed", data)
        }
        9 => {
            let mut data = own.to_vec();
            let at = dice.index(data.len() - 512) / 512 * 512;
            data[at..at + 512].fill(b'T');
            ("own file, one sector of text", data)
        }
        10 => {
            let mut data = own.to_vec();
            data.extend_from_slice(b"dear diary");
            ("own file, text at its end", data)
        }
        _ => {
            let mut data = own.to_vec();
            let to = dice.index(data.len() / 4096) * 4096;
            data[to..to + 4096].copy_from_slice(&vec![b'x'; 4096]);
            ("own file, one page of text", data)
        }
    }
}

fn with_head(head: &[u8], mut data: Vec<u8>) -> Vec<u8> {
    let length = head.len().min(data.len());
    data[..length].copy_from_slice(&head[..length]);
    data
}

fn old_mark(mut data: Vec<u8>) -> Vec<u8> {
    for block in data.chunks_mut(4096) {
        let length = 8.min(block.len());
        block[..length].copy_from_slice(&b"FATHOM\x01\n"[..length]);
    }
    data
}
