//! The file in which a result or a database grows, until it gets its name.
//!
//! It is locked (flock(2)) while its writer lives. One that a killed run left behind is recognised by five things together:
//! the form of its name with the checksum in it, its owner, one name only, no lock on it, and a start that the caller
//! accepts; only then is it removed.

use super::acl::Kept;
use super::folder::{Name, id};
use crate::mark::{Checksum, mark};
use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Gid, Mode, OFlags, RenameFlags, Stat, StatxAttributes,
    StatxFlags, Uid, fchmod, fchown, flock, fstat, linkat, openat, renameat, renameat_with, statat,
    statx, unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

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
    pub(crate) facts: Stat,
    pub(crate) acl: Kept,
}

impl Judged {
    /// Whether this is the same file with the same content. Renaming changes the time of change, so that is not compared.
    pub(crate) fn is(&self, other: &Stat) -> bool {
        let facts = |of: &Stat| (id(of), of.st_size, of.st_mtime, of.st_mtime_nsec);
        facts(&self.facts) == facts(other)
    }
}

/// A part file that this process writes.
#[derive(Debug)]
pub(crate) struct Part {
    folder: OwnedFd,
    name: Name,
    part: Name,
    file: File,
    placed: bool,
}

impl Part {
    /// Creates it in this folder, for the result that will have this name.
    pub(crate) fn create(folder: impl AsFd, name: &Name, mode: u32) -> io::Result<Part> {
        let folder = folder.as_fd().try_clone_to_owned()?;
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..NAMES_MAX {
            let part = random_name(name)?;
            let file = match openat(&folder, part.as_c_str(), flags, Mode::from_raw_mode(mode)) {
                Ok(file) => File::from(file),
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            };
            // Without locks another run may take it for one that was left behind; it is created again then.
            let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
            if fstat(&file)?.st_nlink == 0 {
                continue;
            }
            return Ok(Part {
                folder,
                name: name.clone(),
                part,
                file,
                placed: false,
            });
        }
        Err(Errno::EXIST.into())
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
        let own = fstat(&self.file).map(|there| id(&there)).ok();
        own.is_some() && self.stat(&self.part).ok().map(|there| id(&there)) == own
    }

    /// Takes the name of the result, if that is free; whether it has no other name any more.
    pub(crate) fn take_name(&mut self) -> Result<bool, Errno> {
        let alone = take_free_name(self.folder.as_fd(), &self.part, &self.name)?;
        self.placed = true;
        Ok(alone)
    }

    /// Removes it, unless it has the name of the result; the name under which it stays where that is not possible.
    pub(crate) fn discard(mut self) -> Option<Name> {
        if self.placed || !self.is_there() {
            return None;
        }
        self.placed = true;
        let removed = unlinkat(&self.folder, self.part.as_c_str(), AtFlags::empty());
        removed.is_err().then(|| self.part.clone())
    }

    /// Brings the names in its folder to stable storage.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        File::from(openat(&self.folder, c".", flags, Mode::empty())?).sync_all()
    }

    pub(crate) fn fill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        mark(&self.file, bytes);
        self.file.sync_all()
    }

    /// Takes owner, mode and ACL of the file that it replaces; `false` if the owner cannot be kept.
    pub(crate) fn adopt(&self, judged: &Judged) -> bool {
        take_rights(&self.file, judged)
    }

    /// Takes a name that is free.
    pub(crate) fn put(&mut self, bytes: &[u8], judged: Option<&Judged>) -> io::Result<Placed> {
        match self.take_name() {
            Ok(true) => Ok(Placed::There),
            Ok(false) => Ok(Placed::Beside(self.part.clone())),
            Err(Errno::EXIST) => Ok(Placed::Raced),
            // No link, and no rename that keeps what is there: the name itself is created, and is whole a moment later.
            Err(error) if lacks(error) => self.write_directly(bytes, judged),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn write_directly(
        &self,
        bytes: &[u8],
        judged: Option<&Judged>,
    ) -> io::Result<Placed> {
        let mode = fstat(&self.file)?.st_mode & 0o777;
        let mode = judged.map_or(mode, |_| 0o600);
        let created = create_whole(self.folder.as_fd(), &self.name, mode, bytes);
        let file = match created {
            Ok(file) => file,
            Err(NotWhole::Taken) => return Ok(Placed::Raced),
            Err(NotWhole::Failed { error, .. }) => return Err(error),
        };
        if let Some(judged) = judged {
            take_rights(&file, judged);
        }
        Ok(Placed::There)
    }

    /// Takes the name of a file that may be replaced, and removes that file.
    pub(crate) fn exchange(&mut self, judged: &Judged, bytes: &[u8]) -> io::Result<Placed> {
        let (part, name) = (self.part.as_c_str(), self.name.as_c_str());
        let swap = || {
            renameat_with(
                &self.folder,
                part,
                &self.folder,
                name,
                RenameFlags::EXCHANGE,
            )
        };
        match swap() {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Placed::Raced),
            Err(error) if lacks(error) => return self.move_aside(judged, bytes),
            Err(error) => return Err(error.into()),
        }
        if self.stat(&self.part).is_ok_and(|out| judged.is(&out)) {
            self.placed = true;
            return Ok(match unlinkat(&self.folder, part, AtFlags::empty()) {
                Ok(()) => Placed::There,
                Err(_) => Placed::Beside(self.part.clone()),
            });
        }
        let own = id(&fstat(&self.file)?);
        let back = swap().is_ok() && self.stat(&self.part).is_ok_and(|there| id(&there) == own);
        Ok(match back {
            true => Placed::Raced,
            false => Placed::Left(self.part.clone()),
        })
    }

    /// The same where two files cannot be exchanged: for a moment nothing has the name.
    pub(crate) fn move_aside(&mut self, judged: &Judged, bytes: &[u8]) -> io::Result<Placed> {
        let aside = random_name(&self.name)?;
        // No process can have guessed this name, so nothing is replaced.
        match renameat(
            &self.folder,
            self.name.as_c_str(),
            &self.folder,
            aside.as_c_str(),
        ) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Placed::Raced),
            Err(error) => return Err(error.into()),
        }
        let is_judged = self.stat(&aside).is_ok_and(|out| judged.is(&out));
        let put = match is_judged {
            true => self.put(bytes, Some(judged)),
            false => Ok(Placed::Raced),
        };
        if let Ok(Placed::There | Placed::Beside(_)) = put {
            return match unlinkat(&self.folder, aside.as_c_str(), AtFlags::empty()) {
                Ok(()) => put,
                Err(_) => Ok(Placed::Beside(aside)),
            };
        }
        match move_back(self.folder.as_fd(), &aside, &self.name) {
            true => put,
            false => Ok(Placed::Left(aside)),
        }
    }

    /// Leaves it behind as a killed run does; its name.
    #[cfg(test)]
    pub(crate) fn leak(mut self) -> String {
        self.placed = true;
        self.part.as_os_str().to_string_lossy().into_owned()
    }

    fn stat(&self, name: &Name) -> io::Result<Stat> {
        Ok(statat(
            &self.folder,
            name.as_c_str(),
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.placed && self.is_there() {
            let _ = unlinkat(&self.folder, self.part.as_c_str(), AtFlags::empty()); // the next run removes it
        }
    }
}

/// Whether a file system (FUSE, NFS, some of FAT) has no such call.
fn lacks(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::PERM].contains(&error)
}

/// Renames without replacing anything; whether the first name is gone.
fn take_free_name(folder: BorrowedFd<'_>, from: &Name, to: &Name) -> Result<bool, Errno> {
    let (from, to) = (from.as_c_str(), to.as_c_str());
    match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        Err(error) if lacks(error) => {
            linkat(folder, from, folder, to, AtFlags::empty())?;
            Ok(unlinkat(folder, from, AtFlags::empty()).is_ok())
        }
        done => done.map(|()| true),
    }
}

/// Whether no name in the folder can be changed or removed, only new ones added. // chattr(1), `a`
pub(crate) fn keeps_all_names(folder: impl AsFd) -> bool {
    let facts = statx(folder, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE);
    facts.is_ok_and(|facts| facts.stx_attributes.contains(StatxAttributes::APPEND))
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
    folder: BorrowedFd<'_>,
    name: &Name,
    mode: u32,
    bytes: &[u8],
) -> Result<File, NotWhole> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = match openat(folder, name.as_c_str(), flags, Mode::from_raw_mode(mode)) {
        Ok(file) => File::from(file),
        Err(Errno::EXIST) => return Err(NotWhole::Taken),
        Err(error) => {
            let (error, is_left) = (error.into(), false);
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
            let removed = fstat(&file).map_err(io::Error::from);
            let removed = removed.and_then(|ours| remove_if_same(folder, name, &ours));
            let is_left = removed.is_err();
            Err(NotWhole::Failed { error, is_left })
        }
    }
}

/// Gives a file owner, mode and ACL of the one that it replaces; `false` if the owner cannot be kept.
fn take_rights(file: &File, judged: &Judged) -> bool {
    let (there, Ok(own)) = (&judged.facts, fstat(file)) else {
        return false;
    };
    let mut mode = there.st_mode & 0o777;
    if own.st_uid != there.st_uid && fchown(file, Some(Uid::from_raw(there.st_uid)), None).is_err()
    {
        return false;
    }
    // What a group may do is not given to another group.
    let has_group =
        own.st_gid == there.st_gid || fchown(file, None, Some(Gid::from_raw(there.st_gid))).is_ok();
    let list = match has_group {
        true => judged.acl.clone(),
        false => Kept::default(),
    };
    if !has_group {
        mode &= 0o707;
    }
    // Without the list, those whom it excludes would count as others, and those whom the folder's list has as the group.
    if !list.give_to(file) || !has_group && judged.acl.is_some() {
        mode &= 0o700;
    }
    // A file system without permissions has nothing to keep.
    let _ = fchmod(file, Mode::from_raw_mode(mode));
    true
}

/// Gives a file that was moved aside its name back, if nothing has it now. Where nothing else can be done without the
/// danger of replacing something, the name is only seen to be free.
fn move_back(folder: BorrowedFd<'_>, aside: &Name, name: &Name) -> bool {
    match take_free_name(folder, aside, name) {
        Err(error) if lacks(error) => {
            let there = statat(folder, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW);
            matches!(there, Err(Errno::NOENT))
                && renameat(folder, aside.as_c_str(), folder, name.as_c_str()).is_ok()
        }
        done => done.is_ok(),
    }
}

/// Removes the file under a name if it is the one expected: it is moved to a random name, compared
/// there, and moved back if it is another one. Returns whether it was removed.
pub(crate) fn remove_if_same(
    folder: BorrowedFd<'_>,
    name: &Name,
    expected: &Stat,
) -> io::Result<bool> {
    let stat = |name: &Name| statat(folder, name.as_c_str(), AtFlags::SYMLINK_NOFOLLOW);
    let is_same = |name: &Name| stat(name).map(|there| id(&there) == id(expected));
    if !is_same(name)? {
        return Ok(false);
    }
    let aside = random_name(name)?;
    renameat(folder, name.as_c_str(), folder, aside.as_c_str())?;
    if is_same(&aside) != Ok(true) {
        move_back(folder, &aside, name);
        return Ok(false);
    }
    unlinkat(folder, aside.as_c_str(), AtFlags::empty())?;
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
pub(crate) fn remove_leftovers(folder: impl AsFd, name: &Name, ours: &dyn Fn(&[u8]) -> bool) {
    let folder = folder.as_fd();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(listed) = openat(folder, c".", flags, Mode::empty()).and_then(Dir::new) else {
        return;
    };
    for entry in listed.flatten() {
        let Ok(part) = Name::new(entry.file_name().to_bytes()) else {
            continue;
        };
        if is_part_of(&part, name)
            && let Some(facts) = leftover(folder, &part, ours)
        {
            let _ = remove_if_same(folder, &part, &facts);
        }
    }
}

/// Facts of a part that no process writes any more.
fn leftover(folder: BorrowedFd<'_>, part: &Name, ours: &dyn Fn(&[u8]) -> bool) -> Option<Stat> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, part.as_c_str(), flags, Mode::empty()).ok()?);
    let facts = fstat(&file).ok()?;
    let own = facts.st_uid == rustix::process::geteuid().as_raw() && facts.st_nlink == 1;
    let is_file = FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile;
    if !own || !is_file || flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return None;
    }
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    ours(&head).then_some(facts)
}
