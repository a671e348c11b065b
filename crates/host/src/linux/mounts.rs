//! What is mounted where, by proc_pid_mountinfo(5).
//!
//! Only the mounts that this process can see; what others have mounted shows itself as a device that is
//! busy. Deliberately absent: sizes, which only the live file system reports.

use super::block::parse_number;
use crate::root::Root;
use std::path::{Path, PathBuf};

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) id: u64,
    /// Device number as stat(2) returns it; its major is 0 where the file system is on no device, or on several.
    pub(super) number: u64,
    /// Which folder of the file system is mounted: `/` unless it is a bind mount or a subvolume.
    pub(super) inner: PathBuf,
    pub(super) at: PathBuf,
    pub(super) kind: String,
    pub(super) source: String,
    /// Of the mount, then of the file system, each once.
    pub(super) options: String,
}

impl Mount {
    pub(super) fn read_only(&self) -> bool {
        self.options.split(',').any(|option| option == "ro")
    }
}

/// All mounts, in the order of their mounting.
pub(super) fn mounts(root: &Root) -> Vec<Mount> {
    of_text(&root.text("proc/self/mountinfo").unwrap_or_default())
}

pub(super) fn of_text(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse).collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
fn parse(line: &str) -> Option<Mount> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ');
    let id = mount.next()?.parse().ok()?;
    let number = parse_number(mount.nth(1)?)?;
    let inner = unescape(mount.next()?);
    let at = unescape(mount.next()?);
    let mut options: Vec<&str> = mount.next()?.split(',').collect();
    let mut system = system.split(' ');
    let kind = system.next()?.to_owned();
    let source = unescape(system.next()?);
    for option in system.next().unwrap_or_default().split(',') {
        // The file system may be writable where the mount is not; then the mount's word counts.
        if !option.is_empty() && option != "rw" && !options.contains(&option) {
            options.push(option);
        }
    }
    Some(Mount {
        id,
        number,
        inner: PathBuf::from(inner),
        at: PathBuf::from(at),
        kind,
        source,
        options: options.join(","),
    })
}

/// Undoes `\040` for a blank and the like.
pub(super) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        match octal {
            Some(byte) if first == b'\\' => {
                bytes.push(byte);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The mount that a path (absolute, links followed) lies on: by its number where that is known,
/// otherwise the last one among those whose mount point is the longest head of the path.
pub(super) fn mount_of<'a>(mounts: &'a [Mount], path: &Path, id: Option<u64>) -> Option<&'a Mount> {
    let by_id = id.and_then(|id| mounts.iter().find(|mount| mount.id == id));
    by_id.or_else(|| {
        mounts
            .iter()
            .filter(|mount| path.starts_with(&mount.at))
            .max_by_key(|mount| mount.at.components().count())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &str = "\
21 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
30 21 0:40 /@home /home rw shared:2 master:3 - btrfs /dev/mapper/luks-1 rw,ssd,subvol=/@home
31 21 8:17 / /mnt/my\\040disk ro,noatime - xfs /dev/sdb1 rw,attr2
32 30 8:33 / /home rw - ext4 /dev/sdc1 rw";

    fn table() -> Vec<Mount> {
        TABLE.lines().filter_map(parse).collect()
    }

    #[test]
    fn a_line_is_read_whole() {
        let disk = &table()[2];
        assert_eq!(disk.at, Path::new("/mnt/my disk"));
        assert_eq!(disk.number, libc::makedev(8, 17));
        assert_eq!(disk.options, "ro,noatime,attr2");
        assert!(disk.read_only());
        assert_eq!(table()[1].source, "/dev/mapper/luks-1");
        assert_eq!(table()[1].inner, Path::new("/@home"));
    }

    #[test]
    fn the_longest_mount_point_wins_and_among_equals_the_last() {
        let source = |path: &str| {
            mount_of(&table(), Path::new(path), None)
                .unwrap()
                .source
                .clone()
        };
        assert_eq!(source("/etc/passwd"), "/dev/nvme0n1p2");
        assert_eq!(source("/home/a"), "/dev/sdc1");
        assert_eq!(source("/homes"), "/dev/nvme0n1p2");
        let table = table();
        assert_eq!(
            mount_of(&table, Path::new("/home/a"), Some(30))
                .unwrap()
                .kind,
            "btrfs"
        );
    }

    proptest! {
        #[test]
        fn no_line_makes_it_stumble(line in "[ -~]{0,60}( - [ -~]{0,30})?") {
            parse(&line);
            unescape(&line);
        }
    }
}
