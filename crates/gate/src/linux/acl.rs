//! Access control lists of files: who may write by them, and how a list is kept when a file is replaced.
//!
//! Source: acl(5); the kernel's `include/uapi/linux/posix_acl_xattr.h`; nfs4_acl(5) and RFC 7530, 6.2.

use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr, getxattr};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd};

const POSIX: &str = "system.posix_acl_access";
const NFS: &str = "system.nfs4_acl";
/// The longest attribute there is. // xattr(7)
const ATTRIBUTE_MAX: usize = 64 << 10;

/// Whom an entry that lets write is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    User(u32),
    /// `None` is the group of the file.
    Group(Option<u32>),
    /// As a server names it.
    Named(String),
    Everybody,
}

/// Who but the owner may write to an open folder by its list, everybody omitted where the mode has them; `None` where it
/// has no list. A descriptor that opens nothing suffices.
pub(crate) fn of_folder(folder: BorrowedFd<'_>) -> Result<Option<Vec<Holder>>, Errno> {
    let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
    let read = |name: &str| {
        let mut list = vec![0; ATTRIBUTE_MAX];
        match getxattr(&path, name, &mut list[..]) {
            Ok(length) => {
                list.truncate(length);
                Ok(Some(list))
            }
            Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error),
        }
    };
    if let Some(list) = read(POSIX)? {
        return posix_writers(&list).map(Some).ok_or(Errno::INVAL);
    }
    match read(NFS)? {
        Some(list) => nfs_writers(&list).map(Some).ok_or(Errno::INVAL),
        None => Ok(None),
    }
}

/// Version 2, then per entry its tag, its rights and, for a user or group that it names, the number.
fn posix_writers(list: &[u8]) -> Option<Vec<Holder>> {
    const WRITE: u16 = 2;
    let entries = list.strip_prefix(&2u32.to_le_bytes())?.chunks(8);
    let entries: Option<Vec<(u16, u16, u32)>> = entries
        .map(|entry| {
            let entry: &[u8; 8] = entry.try_into().ok()?;
            let short = |at: usize| u16::from_le_bytes([entry[at], entry[at + 1]]);
            let id = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]);
            Some((short(0), short(2), id))
        })
        .collect();
    let entries = entries?;
    let mask = entries.iter().find(|(tag, ..)| *tag == 0x10);
    let mask = mask.map_or(WRITE, |(_, rights, _)| *rights);
    let writing = entries.iter().filter(|(_, rights, _)| rights & WRITE != 0);
    let holders = writing.filter_map(|(tag, _, id)| match tag {
        0x02 if mask & WRITE != 0 => Some(Holder::User(*id)),
        0x04 if mask & WRITE != 0 => Some(Holder::Group(None)),
        0x08 if mask & WRITE != 0 => Some(Holder::Group(Some(*id))),
        0x20 => Some(Holder::Everybody),
        _ => None,
    });
    Some(holders.collect())
}

/// A count, then per entry its type, its flags, its rights and whom it is for, in XDR. Entries that deny are not subtracted.
fn nfs_writers(list: &[u8]) -> Option<Vec<Holder>> {
    const ALLOWS: u32 = 0;
    const INHERITED_ONLY: u32 = 0x08;
    // To add files and folders, to delete them, and to change the list or the owner.
    const WRITES: u32 = 0x2 | 0x4 | 0x40 | 0x4_0000 | 0x8_0000;
    let mut rest = list;
    let word = |rest: &mut &[u8]| {
        let (first, after) = rest.split_first_chunk::<4>()?;
        *rest = after;
        Some(u32::from_be_bytes(*first))
    };
    let mut holders = Vec::new();
    for _ in 0..word(&mut rest)? {
        let (kind, flags, rights) = (word(&mut rest)?, word(&mut rest)?, word(&mut rest)?);
        let length = word(&mut rest)? as usize;
        let name = String::from_utf8_lossy(rest.get(..length)?).into_owned();
        rest = rest.get(length.next_multiple_of(4)..)?;
        if kind != ALLOWS || flags & INHERITED_ONLY != 0 || rights & WRITES == 0 {
            continue;
        }
        match name.as_str() {
            "OWNER@" => {}
            "GROUP@" => holders.push(Holder::Group(None)),
            "EVERYONE@" => holders.push(Holder::Everybody),
            _ => holders.push(Holder::Named(name)),
        }
    }
    Some(holders)
}

/// The list of a file, to be given to another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(Option<(&'static str, Vec<u8>)>);

impl Kept {
    /// That of an open file.
    pub(crate) fn of(file: &File) -> Kept {
        let read = |name: &'static str| {
            let mut list = vec![0; ATTRIBUTE_MAX];
            let length = fgetxattr(file, name, &mut list[..]).ok()?;
            list.truncate(length);
            Some((name, list))
        };
        Kept(read(POSIX).or_else(|| read(NFS)))
    }

    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Gives it to a file, and takes away what the file has of its folder; whether both have the same afterwards.
    pub(crate) fn give_to(&self, file: &File) -> bool {
        match &self.0 {
            Some((name, list)) => fsetxattr(file, *name, list, XattrFlags::empty()).is_ok(),
            None => matches!(
                fremovexattr(file, POSIX),
                Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_ID: u32 = u32::MAX;

    fn posix(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut list = 2u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            list.extend(id.to_le_bytes());
        }
        list
    }

    #[test]
    fn an_entry_lets_write_what_the_mask_leaves_of_it() {
        let mask = |rights| {
            let entries = [
                (0x01, 7, NO_ID),
                (0x02, 3, 1001),
                (0x02, 5, 1002),
                (0x04, 7, NO_ID),
                (0x08, 2, 50),
                (0x10, rights, NO_ID),
                (0x20, 5, NO_ID),
            ];
            posix_writers(&posix(&entries)).unwrap()
        };
        let all = [
            Holder::User(1001),
            Holder::Group(None),
            Holder::Group(Some(50)),
        ];
        assert_eq!(mask(7), all);
        assert_eq!(mask(5), []);
        let everybody = posix(&[(0x01, 7, NO_ID), (0x04, 5, NO_ID), (0x20, 7, NO_ID)]);
        assert_eq!(posix_writers(&everybody).unwrap(), [Holder::Everybody]);
    }

    #[test]
    fn an_entry_of_nfs_lets_write_unless_it_is_only_inherited() {
        let entry = |kind: u32, flags: u32, rights: u32, name: &str| {
            let mut bytes: Vec<u8> = [kind, flags, rights, name.len() as u32]
                .iter()
                .flat_map(|word| word.to_be_bytes())
                .collect();
            bytes.extend(name.as_bytes());
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let entries = [
            entry(0, 0, 0x1f_01ff, "OWNER@"),
            entry(0, 0, 0x12_00a9, "GROUP@"),
            entry(0, 0x08, 0x2, "eve@example.org"),
            entry(0, 0, 0x2, "bob@example.org"),
            entry(1, 0, 0x2, "EVERYONE@"),
        ];
        let list = [&5u32.to_be_bytes()[..], &entries.concat()].concat();
        let bob = Holder::Named("bob@example.org".to_owned());
        assert_eq!(nfs_writers(&list), Some(vec![bob]));
    }

    #[test]
    fn a_list_that_is_cut_off_is_not_read() {
        let list = posix(&[(0x01, 7, NO_ID), (0x20, 5, NO_ID)]);
        for length in [0, 3, 5, list.len() - 1] {
            assert_eq!(posix_writers(&list[..length]), None, "{length}");
        }
        assert_eq!(nfs_writers(&[0, 0, 0, 2, 0, 0]), None);
    }
}
