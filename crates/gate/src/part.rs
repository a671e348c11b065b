//! The file in which a result or a database grows, until it gets its name.
//!
//! It is locked while its writer lives. One that a killed run left behind is recognised by five things together:
//! the form of its name with the checksum in it, its owner, one name only, no lock on it, and a start that the caller
//! accepts; only then is it removed.

use crate::file_facts::{FileFacts, NodeKind};
use crate::mark::{Checksum, mark};
use crate::system::name::Name;
use crate::system::{
    self, Owner, Rights, create_new, file_facts, lacks, look_up, open_to_read, remove_name, rename,
    take_free_name, try_lock,
};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};

/// Between the name and the random part.
const INFIX: &[u8] = b".part-";
/// Hexadecimal digits: eight random ones and the checksum of these and the name.
const DIGITS: usize = 16;
/// Of a name. // NAME_MAX
const NAME_MAX: usize = 255;
/// So many random names are tried.
const NAMES_MAX: u32 = 100;
/// So much of a part that was left behind is judged by the caller.
const HEAD_BYTES: u64 = 100;

/// How an attempt to give a part its name ended.
pub(crate) enum Placed {
    /// The result stands under its name.
    There,
    /// The same, and a file that could not be removed stays under this one.
    Beside(Name),
    /// What stands there changed meanwhile; nothing was done.
    Raced,
    /// The same, and another process's file could not be moved back from this name.
    Left(Name),
}

/// A file that may be replaced.
pub(crate) struct Judged {
    pub(crate) facts: FileFacts,
    pub(crate) rights: Rights,
}

impl Judged {
    /// Whether this is the same file with the same content. Renaming changes the time of change, so that is not compared.
    pub(crate) fn is(&self, other: &FileFacts) -> bool {
        let facts = |of: &FileFacts| (of.identity, of.length, of.modified_ns);
        facts(&self.facts) == facts(other)
    }
}

/// A part file that this process writes.
#[derive(Debug)]
pub(crate) struct Part {
    folder: File,
    name: Name,
    part: Name,
    file: File,
    placed: bool,
}

impl Part {
    /// Creates it in this folder, for the result that will have this name.
    pub(crate) fn create(folder: &File, name: &Name, mode: u32) -> io::Result<Part> {
        for _ in 0..NAMES_MAX {
            let part = random_name(name)?;
            let file = match create_new(folder, &part, mode) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Without locks another run may take it for one that was left behind; it is created again then.
            let _ = try_lock(&file, true);
            if file_facts(&file)?.names == 0 {
                continue;
            }
            return Ok(Part {
                folder: folder.try_clone()?,
                name: name.clone(),
                part,
                file,
                placed: false,
            });
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Its name for now.
    pub(crate) fn part(&self) -> &Name {
        &self.part
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Whether its name for now still leads to it.
    pub(crate) fn is_there(&self) -> bool {
        let own = file_facts(&self.file).map(|there| there.identity).ok();
        own.is_some() && self.stat(&self.part).ok().map(|there| there.identity) == own
    }

    /// Takes the name of the result, if that is free; whether it has no other name any more.
    pub(crate) fn take_name(&mut self) -> io::Result<bool> {
        let alone = take_free_name(&self.folder, &self.part, &self.name)?;
        self.placed = true;
        Ok(alone)
    }

    /// Removes it, unless it has the name of the result; the name under which it stays where that is not possible.
    pub(crate) fn discard(mut self) -> Option<Name> {
        if self.placed || !self.is_there() {
            return None;
        }
        self.placed = true;
        let removed = remove_name(&self.folder, &self.part);
        removed.is_err().then(|| self.part.clone())
    }

    /// Brings the names in its folder to stable storage.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        system::sync_folder(&self.folder)
    }

    pub(crate) fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        mark(&self.file, bytes);
        self.file.sync_all()
    }

    /// Takes the rights of the file that it replaces; `false` if the owner cannot be kept.
    pub(crate) fn adopt(&self, judged: &Judged) -> bool {
        judged.rights.give_to(&self.file)
    }

    /// Takes a name that is free.
    pub(crate) fn put(&mut self, bytes: &[u8], judged: Option<&Judged>) -> io::Result<Placed> {
        match self.take_name() {
            Ok(true) => Ok(Placed::There),
            Ok(false) => Ok(Placed::Beside(self.part.clone())),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Placed::Raced),
            // No link, and no rename that keeps what is there: the name itself is created, and is whole a moment later.
            Err(error) if lacks(&error) => self.write_directly(bytes, judged),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn write_directly(
        &self,
        bytes: &[u8],
        judged: Option<&Judged>,
    ) -> io::Result<Placed> {
        let mode = system::mode_of(&self.file)?;
        let mode = judged.map_or(mode, |_| 0o600);
        let created = create_whole(&self.folder, &self.name, mode, bytes);
        let file = match created {
            Ok(file) => file,
            Err(NotWhole::Taken) => return Ok(Placed::Raced),
            Err(NotWhole::Failed { error, .. }) => return Err(error),
        };
        if let Some(judged) = judged {
            judged.rights.give_to(&file);
        }
        Ok(Placed::There)
    }

    /// Takes the name of a file that may be replaced, and removes that file.
    pub(crate) fn exchange(&mut self, judged: &Judged, bytes: &[u8]) -> io::Result<Placed> {
        let swap = || system::exchange(&self.folder, &self.part, &self.name);
        match swap() {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Placed::Raced),
            Err(error) if lacks(&error) => return self.move_aside(judged, bytes),
            Err(error) => return Err(error),
        }
        if self.stat(&self.part).is_ok_and(|out| judged.is(&out)) {
            self.placed = true;
            return Ok(match remove_name(&self.folder, &self.part) {
                Ok(()) => Placed::There,
                Err(_) => Placed::Beside(self.part.clone()),
            });
        }
        let own = file_facts(&self.file)?.identity;
        let is_own = |there: FileFacts| there.identity == own;
        let back = swap().is_ok() && self.stat(&self.part).is_ok_and(is_own);
        Ok(match back {
            true => Placed::Raced,
            false => Placed::Left(self.part.clone()),
        })
    }

    /// The same where two files cannot be exchanged: for a moment nothing has the name.
    pub(crate) fn move_aside(&mut self, judged: &Judged, bytes: &[u8]) -> io::Result<Placed> {
        let aside = random_name(&self.name)?;
        // No process can have guessed this name, so nothing is replaced.
        match rename(&self.folder, &self.name, &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Placed::Raced),
            Err(error) => return Err(error),
        }
        let is_judged = self.stat(&aside).is_ok_and(|out| judged.is(&out));
        let put = match is_judged {
            true => self.put(bytes, Some(judged)),
            false => Ok(Placed::Raced),
        };
        if let Ok(Placed::There | Placed::Beside(_)) = put {
            return match remove_name(&self.folder, &aside) {
                Ok(()) => put,
                Err(_) => Ok(Placed::Beside(aside)),
            };
        }
        match move_back(&self.folder, &aside, &self.name) {
            true => put,
            false => Ok(Placed::Left(aside)),
        }
    }

    /// Leaves it behind as a killed run does; its name.
    #[cfg(test)]
    #[cfg(target_os = "linux")]
    pub(crate) fn leak(mut self) -> String {
        self.placed = true;
        self.part.as_os_str().to_string_lossy().into_owned()
    }

    fn stat(&self, name: &Name) -> io::Result<FileFacts> {
        look_up(&self.folder, name)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.placed && self.is_there() {
            let _ = remove_name(&self.folder, &self.part); // the next run removes it
        }
    }
}

/// Why a file was not created whole.
pub(crate) enum NotWhole {
    /// The name is taken.
    Taken,
    /// What was written of it may be left under its name.
    Failed { error: io::Error, is_left: bool },
}

/// Creates a result under its own name, where it is whole only a moment later.
pub(crate) fn create_whole(
    folder: &File,
    name: &Name,
    mode: u32,
    bytes: &[u8],
) -> Result<File, NotWhole> {
    let mut file = match create_new(folder, name, mode) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(NotWhole::Taken),
        Err(error) => {
            let is_left = false;
            return Err(NotWhole::Failed { error, is_left });
        }
    };
    let written = file.write_all(bytes).and_then(|()| {
        mark(&file, bytes);
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(file),
        Err(error) => {
            let removed = file_facts(&file);
            let removed = removed.and_then(|ours| remove_if_same(folder, name, &ours));
            let is_left = removed.is_err();
            Err(NotWhole::Failed { error, is_left })
        }
    }
}

/// Gives a file that was moved aside its name back, if nothing has it now. Where nothing else can be done without the
/// danger of replacing something, the name is only seen to be free.
fn move_back(folder: &File, aside: &Name, name: &Name) -> bool {
    match take_free_name(folder, aside, name) {
        Err(error) if lacks(&error) => {
            let there = look_up(folder, name);
            let is_free = there.is_err_and(|error| error.kind() == ErrorKind::NotFound);
            is_free && rename(folder, aside, name).is_ok()
        }
        done => done.is_ok(),
    }
}

/// Removes the file under a name if it is the one expected: it is moved to a random name, compared
/// there, and moved back if it is another one. Returns whether it was removed.
pub(crate) fn remove_if_same(folder: &File, name: &Name, expected: &FileFacts) -> io::Result<bool> {
    let is_same = |name: &Name| {
        let there = look_up(folder, name);
        there.map(|there| there.identity == expected.identity)
    };
    if !is_same(name)? {
        return Ok(false);
    }
    let aside = random_name(name)?;
    rename(folder, name, &aside)?;
    if !is_same(&aside).unwrap_or(false) {
        move_back(folder, &aside, name);
        return Ok(false);
    }
    remove_name(folder, &aside)?;
    Ok(true)
}

/// `.NAME.part-` and sixteen digits.
fn random_name(name: &Name) -> io::Result<Name> {
    let random = RandomState::new().hash_one(std::process::id());
    part_name(name, random as u32)
}

fn part_name(name: &Name, random: u32) -> io::Result<Name> {
    let whole = name.as_os_str().as_encoded_bytes();
    let length = whole.len().min(NAME_MAX - 1 - INFIX.len() - DIGITS);
    let mut text = [b".", &whole[..length], INFIX].concat();
    let digits = format!("{random:08x}");
    text.extend(digits.as_bytes());
    let mut sum = Checksum::new();
    sum.add(&text);
    text.extend(format!("{:08x}", sum.hash() as u32).as_bytes());
    Name::new(text)
}

/// Whether it is the name of a part of this result.
fn is_part_of(part: &Name, name: &Name) -> bool {
    let text = part.as_os_str().as_encoded_bytes();
    let digits = text.len().checked_sub(DIGITS).map(|start| &text[start..]);
    let random = digits.and_then(|digits| std::str::from_utf8(&digits[..8]).ok());
    let random = random.and_then(|random| u32::from_str_radix(random, 16).ok());
    random.is_some_and(|random| part_name(name, random).is_ok_and(|made| made == *part))
}

/// Removes what killed runs left of this result; `ours` judges the first 100 bytes. What cannot be seen or removed stays.
pub(crate) fn remove_leftovers(folder: &File, name: &Name, ours: &dyn Fn(&[u8]) -> bool) {
    for part in system::names(folder).unwrap_or_default() {
        if is_part_of(&part, name)
            && let Some(facts) = leftover(folder, &part, ours)
        {
            let _ = remove_if_same(folder, &part, &facts);
        }
    }
}

/// Facts of a part that no process writes any more.
fn leftover(folder: &File, part: &Name, ours: &dyn Fn(&[u8]) -> bool) -> Option<FileFacts> {
    let file = open_to_read(folder, part).ok()?;
    let facts = file_facts(&file).ok()?;
    let own = Owner::of(&file).ok()? == Owner::own() && facts.names == 1;
    if !own || facts.kind != NodeKind::File || !try_lock(&file, true).unwrap_or(false) {
        return None;
    }
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    ours(&head).then_some(facts)
}
