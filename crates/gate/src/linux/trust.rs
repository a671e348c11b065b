//! Whether only root and this user decide what a folder contains. On it depends whether a link, a second name of a file, or
//! what already has the name of a result is relied upon.
//!
//! Asked are the owner, the mount, the mode, the entries of the ACL and the members of each group that may write. What cannot
//! be asked counts as another user's right. A sticky bit keeps others from renaming what is there, not from placing a link
//! where nothing is. Omitted: what follows from the answer (`walk`, `output`, `database`).

use super::accounts::Accounts;
use super::acl::{self, Holder};
use crate::errno_text;
use rustix::fs::{Stat, fstat, fstatfs};
use rustix::io::Errno;
use std::fmt;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;

/// Of file systems in user space. // statfs(2), FUSE_SUPER_MAGIC
const FUSE: i128 = 0x6573_5546;
/// Of overlays. // statfs(2), OVERLAYFS_SUPER_MAGIC
pub(crate) const OVERLAY: i128 = 0x794C_7630;
/// What user and group a file has that this user namespace, or the mount's mapping, does not know. // user_namespaces(7)
const UNMAPPED: u32 = 65534;
const STICKY: u32 = 0o1000;
const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;

/// Why a folder is not trusted: another user, as named, may place names in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the message describes each variant")]
pub enum Distrust {
    Owner(u32),
    UnknownOwner,
    /// The mount maps owners, so that any user may be shown as this one. // mount_setattr(2)
    MappedMount,
    /// A symbolic link of another user's, wherever it is.
    Link(u32),
    /// The folder may be this user's alone, and below it another's, whose files it shows.
    Overlay,
    /// The server of the file system decides what the folder seems to be.
    Mount(u32),
    /// A medium that a user mounted contains what another computer wrote.
    Medium,
    Everybody,
    User(u32),
    /// An entry of NFSv4.
    Named(String),
    Member {
        group: u32,
        member: String,
    },
    Unasked(String),
}

impl Distrust {
    /// Whether it is because of the link itself, not of its folder.
    pub(crate) fn is_of_link(&self) -> bool {
        matches!(self, Distrust::Link(_))
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::Owner(user) => write!(out, "user {user} owns it"),
            Distrust::UnknownOwner => write!(out, "its owner is unknown in this user namespace"),
            Distrust::MappedMount => write!(out, "its mount maps the owners of files"),
            Distrust::Overlay => write!(out, "its overlay may show a folder of that user"),
            Distrust::Link(user) => write!(out, "user {user} created the link"),
            Distrust::Mount(user) => write!(out, "user {user} mounted its file system"),
            Distrust::Medium => write!(out, "a user mounted its medium"),
            Distrust::Everybody => write!(out, "its mode lets every user write"),
            Distrust::User(user) => write!(out, "its ACL lets user {user} write"),
            Distrust::Named(name) => write!(out, "its ACL lets {name} write"),
            Distrust::Member { group, member } => {
                write!(
                    out,
                    "group {group} may write, of which {member} is a member"
                )
            }
            Distrust::Unasked(what) => write!(out, "it could not be checked {what}"),
        }
    }
}

/// Why not only root and this user decide what is in an open folder; `None` where they alone do.
pub(crate) fn distrust(folder: impl AsFd) -> Option<Distrust> {
    let folder = folder.as_fd();
    match fstat(folder) {
        Ok(facts) => of_owner(&facts)
            .or_else(|| of_mount(folder))
            .or_else(|| of_rights(folder, &facts, &Accounts::of(Path::new("/")))),
        Err(error) => Some(unasked("who may write to it", error)),
    }
}

/// Whether a folder is one of an overlay, which may show the files of a folder below it that belongs to another user.
pub(crate) fn hidden_owner(folder: impl AsFd) -> Option<Distrust> {
    let system = fstatfs(folder).ok()?;
    (i128::from(system.f_type) == OVERLAY).then_some(Distrust::Overlay)
}

/// Whether only root and this user can rename this user's files in the folder.
pub(crate) fn keeps_names(folder: impl AsFd) -> bool {
    let folder = folder.as_fd();
    let sticky = fstat(folder).is_ok_and(|facts| facts.st_mode & STICKY != 0);
    match distrust(folder) {
        None => true,
        Some(
            Distrust::Everybody
            | Distrust::User(_)
            | Distrust::Named(_)
            | Distrust::Member { .. }
            | Distrust::Unasked(_),
        ) => sticky && fstat(folder).is_ok_and(|facts| of_owner(&facts).is_none()),
        Some(
            Distrust::Owner(_)
            | Distrust::UnknownOwner
            | Distrust::MappedMount
            | Distrust::Link(_)
            | Distrust::Overlay
            | Distrust::Mount(_)
            | Distrust::Medium,
        ) => false,
    }
}

/// Whether this is root or the effective user, which need not protect themselves from each other.
pub(crate) fn is_own(user: u32) -> bool {
    user == 0 || user == rustix::process::geteuid().as_raw()
}

fn unasked(what: &str, error: Errno) -> Distrust {
    let text = errno_text(&error.into());
    Distrust::Unasked(format!("{what} ({text})"))
}

fn of_owner(facts: &Stat) -> Option<Distrust> {
    if !is_own(facts.st_uid) {
        return Some(Distrust::Owner(facts.st_uid));
    }
    let unknown = facts.st_uid == UNMAPPED && !every_user_is_known();
    unknown.then_some(Distrust::UnknownOwner)
}

/// Whether the user namespace has all users. // user_namespaces(7), uid_map
fn every_user_is_known() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

/// Who decides, by the mount. A file system in user space is its server's, and a medium that a user mounted
/// (by `user` in fstab(5), by udisks(8)) was written elsewhere: libmount(3) notes both in its own table.
fn of_mount(folder: BorrowedFd<'_>) -> Option<Distrust> {
    let system = match fstatfs(folder) {
        Ok(system) => system,
        Err(error) => return Some(unasked("who mounted it", error)),
    };
    let is_fuse = i128::from(system.f_type) == FUSE;
    let media = std::fs::read_to_string("/run/mount/utab").unwrap_or_default();
    let Some(line) = mount_line(folder) else {
        let what = "who mounted it (/proc/self/mountinfo does not list its mount)".to_owned();
        return is_fuse.then_some(Distrust::Unasked(what));
    };
    of_mount_line(&line, is_fuse, &media)
}

/// The line of mountinfo for what is open. // proc_pid_fdinfo(5), proc_pid_mountinfo(5)
fn mount_line(folder: BorrowedFd<'_>) -> Option<String> {
    let info = format!("/proc/self/fdinfo/{}", folder.as_raw_fd());
    let info = std::fs::read_to_string(info).ok()?;
    let id = info.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let of_id = |line: &&str| line.split(' ').next() == Some(id.trim());
    mounts.lines().find(of_id).map(str::to_owned)
}

fn of_mount_line(line: &str, is_fuse: bool, media: &str) -> Option<Distrust> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(4);
    let (at, options) = (mount.next()?, mount.next()?);
    if is_fuse {
        let server = system
            .split([' ', ','])
            .find_map(|word| word.strip_prefix("user_id="));
        return match server.and_then(|user| user.parse().ok()) {
            Some(user) if is_own(user) => None,
            Some(user) => Some(Distrust::Mount(user)),
            None => Some(Distrust::Unasked("who mounted it (no user_id)".to_owned())),
        };
    }
    // In a user namespace of one's own, as in a container, it is the mapping that makes the owners known.
    if options.split(',').any(|option| option == "idmapped") && every_user_is_known() {
        return Some(Distrust::MappedMount);
    }
    let noted = |line: &str| {
        let target = line
            .split(' ')
            .find_map(|word| word.strip_prefix("TARGET="));
        let options = line.split(' ').find_map(|word| word.strip_prefix("OPTS="));
        let mut options = options.unwrap_or_default().split(',');
        target == Some(at)
            && options.any(|option| option.starts_with("user=") || option.starts_with("uhelper="))
    };
    media.lines().any(noted).then_some(Distrust::Medium)
}

fn of_rights(folder: BorrowedFd<'_>, facts: &Stat, accounts: &Accounts<'_>) -> Option<Distrust> {
    let entries = match acl::of_folder(folder) {
        Ok(entries) => entries,
        Err(error) => return Some(unasked("for an ACL", error)),
    };
    // With an ACL, the group's bits of the mode are its mask, and do not show which entry writes.
    let mut writers = entries.unwrap_or_else(|| {
        let group = facts.st_mode & GROUP_WRITES != 0;
        group.then_some(Holder::Group(None)).into_iter().collect()
    });
    if facts.st_mode & OTHERS_WRITE != 0 {
        writers.push(Holder::Everybody);
    }
    writers.into_iter().find_map(|writer| match writer {
        Holder::Everybody => Some(Distrust::Everybody),
        Holder::User(user) => (!is_own(user)).then_some(Distrust::User(user)),
        Holder::Named(name) => Some(Distrust::Named(name)),
        Holder::Group(group) => of_group(group.unwrap_or(facts.st_gid), accounts),
    })
}

fn of_group(group: u32, accounts: &Accounts<'_>) -> Option<Distrust> {
    if group == UNMAPPED && !every_user_is_known() {
        return Some(Distrust::Unasked("which group may write".to_owned()));
    }
    match accounts.other_member(group, &is_own) {
        Ok(None) => None,
        Ok(Some(member)) => Some(Distrust::Member { group, member }),
        Err(why) => Some(Distrust::Unasked(format!(
            "who is in group {group} ({why})"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_mode_that_lets_everybody_write_is_not_trusted_and_a_sticky_one_keeps_names() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, trusted, keeps) in [
            (0o755, true, true),
            (0o700, true, true),
            (0o757, false, false),
            (0o777, false, false),
            (0o1777, false, true),
        ] {
            std::fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            let open = File::open(folder.path()).unwrap();
            assert_eq!(distrust(&open).is_none(), trusted, "{mode:o}");
            assert_eq!(keeps_names(&open), keeps, "{mode:o}");
        }
    }

    #[test]
    fn a_mount_of_another_user_and_a_medium_are_not_trusted() {
        let fuse = |user: u32| {
            let line = format!(
                "40 30 0:50 / /home/m/x rw,nosuid - fuse.x x rw,user_id={user},group_id=0,allow_other"
            );
            of_mount_line(&line, true, "")
        };
        assert_eq!(fuse(0), None);
        assert_eq!(fuse(4_000_000), Some(Distrust::Mount(4_000_000)));
        let unlabelled = of_mount_line("40 30 0:50 / /x rw - fuse.x x rw", true, "");
        assert!(matches!(unlabelled, Some(Distrust::Unasked(_))));
        let stick = "41 30 8:17 / /media/m/stick rw,nosuid,nodev - ext4 /dev/sdb1 rw";
        let table = |options: &str| {
            format!("ID=1 SRC=/dev/sdb1 TARGET=/media/m/stick ROOT=/ OPTS={options}\n")
        };
        assert_eq!(
            of_mount_line(stick, false, &table("uhelper=udisks2")),
            Some(Distrust::Medium)
        );
        assert_eq!(
            of_mount_line(stick, false, &table("user=m")),
            Some(Distrust::Medium)
        );
        assert_eq!(of_mount_line(stick, false, &table("_netdev")), None);
        assert_eq!(of_mount_line(stick, false, ""), None);
        let mapped = "42 30 8:1 / /mapped rw,relatime,idmapped shared:1 - ext4 /dev/sda1 rw";
        let answer = of_mount_line(mapped, false, "");
        assert_eq!(
            answer.is_some(),
            every_user_is_known(),
            "in a namespace of one's own it is the usual mount"
        );
    }
}
