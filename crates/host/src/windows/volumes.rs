//! Volumes: what is mounted where, on which disks it lies, and the file system of an open file. Omitted: who uses them (`claims`).

use super::ask;
use super::volume_calls::{
    drive_type, file_system, final_path, mount_point, mount_points, room, volume_at, volumes,
};
use crate::root::Root;
use model::{Bytes, FileSystem};
use std::ffi::OsStr;
use std::fs::File;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_REMOTE_PROTOCOL_INFO, FileRemoteProtocolInfo, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS,
};
use windows_sys::Win32::System::Ioctl::{DISK_EXTENT, VOLUME_DISK_EXTENTS};
use windows_sys::Win32::System::SystemServices::FILE_READ_ONLY_VOLUME;
use windows_sys::Win32::System::WindowsProgramming::{DRIVE_RAMDISK, DRIVE_REMOTE};

/// The number of the SMB protocol. // winnetwk.h, WNNC_NET_SMB
const SMB: u32 = 0x0002_0000;
const EXTENTS_MAX: usize = 1024;

/// A stretch of a disk that belongs to a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The number of the disk: 0 of `PhysicalDrive0`.
    pub(super) disk: u32,
    pub(super) start: u64,
    pub(super) length: u64,
}

/// A volume of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Volume {
    /// As devices are named: `C:` where it has a letter, else `Volume{…}`.
    pub(super) name: String,
    /// Where it is mounted: `C:\`, or a folder.
    pub(super) at: Vec<PathBuf>,
    /// Where it lies; empty where that is not reported.
    pub(super) stretches: Vec<Stretch>,
}

impl Volume {
    fn named(guid: &OsStr) -> Option<Self> {
        let guid = device_name(guid)?;
        let at = mount_points(OsStr::new(&format!(r"\\?\{guid}\")));
        let letter = at.iter().find_map(|at| letter(at));
        let name = letter.unwrap_or_else(|| guid.clone());
        Some(Volume {
            stretches: stretches(&guid),
            name,
            at,
        })
    }
}

/// All volumes of this machine.
pub(super) fn all(root: &Root) -> Vec<Volume> {
    let names = if root.is_live() {
        volumes()
    } else {
        Vec::new()
    };
    let each = names.iter();
    each.filter_map(|name| Volume::named(name)).collect()
}

/// The volume that a path lies on; `None` for a share.
pub(super) fn of_path(real: &Path) -> Option<Volume> {
    Volume::named(&volume_at(&mount_point(real)?)?)
}

/// `\\?\Volume{…}\` as a device is named: `Volume{…}`.
fn device_name(guid: &OsStr) -> Option<String> {
    let name = guid.to_str()?.strip_prefix(r"\\?\")?;
    Some(name.trim_end_matches('\\').to_owned())
}

/// `C:` of `C:\`, and of no folder.
fn letter(at: &Path) -> Option<String> {
    let text = at.to_str()?.strip_suffix('\\')?;
    let is_letter = text.len() == 2 && text.ends_with(':');
    is_letter.then(|| text.to_owned())
}

/// Where a volume lies. Source: IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS.
pub(super) fn stretches(device: &str) -> Vec<Stretch> {
    let answer = ask::for_facts(device).and_then(|volume| {
        let room = size_of::<VOLUME_DISK_EXTENTS>() + EXTENTS_MAX * size_of::<DISK_EXTENT>();
        ask::control(&volume, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, &[], room)
    });
    answer.map(|answer| parsed(&answer)).unwrap_or_default()
}

fn parsed(answer: &ask::Answer) -> Vec<Stretch> {
    let count = answer.u32(offset_of!(VOLUME_DISK_EXTENTS, NumberOfDiskExtents));
    let at = |i: usize| offset_of!(VOLUME_DISK_EXTENTS, Extents) + i * size_of::<DISK_EXTENT>();
    let stretch = |i: usize| {
        Some(Stretch {
            disk: answer.u32(at(i) + offset_of!(DISK_EXTENT, DiskNumber))?,
            start: answer.u64(at(i) + offset_of!(DISK_EXTENT, StartingOffset))?,
            length: answer.u64(at(i) + offset_of!(DISK_EXTENT, ExtentLength))?,
        })
    };
    let count = (count.unwrap_or(0) as usize).min(EXTENTS_MAX);
    (0..count).map_while(stretch).collect()
}

/// The file system that an open file or folder lies on, its real path being known.
pub(super) fn file_system_of(file: &File, real: &Path) -> Option<FileSystem> {
    let (kind, flags) = file_system(file)?;
    let at = mount_point(real)?;
    let drive = drive_type(&at);
    let [free, size] = room(&at).unwrap_or_default();
    let source = volume_at(&at).unwrap_or_else(|| at.clone().into_os_string());
    let kind = match drive {
        DRIVE_REMOTE => remote_kind(file),
        DRIVE_RAMDISK => "ramfs".to_owned(),
        _ => kind,
    };
    Some(FileSystem {
        kind,
        mount_point: shown(&at),
        source: source.to_string_lossy().into_owned(),
        options: String::new(),
        read_only: flags & FILE_READ_ONLY_VOLUME != 0,
        size: Bytes(size),
        free: Bytes(free),
        layer: None,
    })
}

/// The protocol of a file server, as Linux names it; `remote` for one that is not known.
fn remote_kind(file: &File) -> String {
    type Info = FILE_REMOTE_PROTOCOL_INFO;
    let answer = ask::file(file, FileRemoteProtocolInfo, size_of::<Info>()).ok();
    let is_smb = |answer: &ask::Answer| answer.u32(offset_of!(Info, Protocol)) == Some(SMB);
    let answer = answer.filter(is_smb);
    let version = answer.and_then(|answer| answer.u16(offset_of!(Info, ProtocolMajorVersion)));
    match version {
        Some(3) => "smb3",
        Some(2) => "smb2",
        Some(_) => "cifs",
        None => "remote",
    }
    .to_owned()
}

/// Bytes of a cluster of the volume that an open file lies on. Source: FSCTL_GET_NTFS_VOLUME_DATA is for administrators, so the
/// sizes that every program may ask.
pub(super) fn cluster(file: &File) -> Option<u64> {
    let at = mount_point(&final_path(file)?)?;
    super::volume_calls::cluster(&at)
}

/// A path as people write it, without the head that switches off its interpretation.
pub(super) fn shown(path: &Path) -> PathBuf {
    let Some(text) = path.to_str() else {
        return path.to_owned();
    };
    if let Some(share) = text.strip_prefix(r"\\?\UNC\") {
        return PathBuf::from(format!(r"\\{share}"));
    }
    match text.strip_prefix(r"\\?\") {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_people_write_them() {
        let cases = [
            (r"\\?\C:\a", r"C:\a"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
            (r"\\?\Volume{1}\a", r"\\?\Volume{1}\a"),
            (r"D:\", r"D:\"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(Path::new(path)), Path::new(expected));
        }
        assert_eq!(letter(Path::new(r"C:\")).as_deref(), Some("C:"));
        assert_eq!(letter(Path::new(r"C:\mnt\")), None);
    }

    #[test]
    fn the_stretches_of_a_volume_are_read_as_the_system_lays_them_out() {
        let mut bytes = vec![0u8; 8 + 2 * 24];
        bytes[0] = 2;
        for (i, [disk, start, length]) in [[1u64, 512, 4096], [3, 0, 9]].into_iter().enumerate() {
            let at = 8 + i * 24;
            bytes[at] = disk as u8;
            bytes[at + 8..at + 16].copy_from_slice(&start.to_le_bytes());
            bytes[at + 16..at + 24].copy_from_slice(&length.to_le_bytes());
        }
        let stretch = |disk, start, length| Stretch {
            disk,
            start,
            length,
        };
        let expected = [stretch(1, 512, 4096), stretch(3, 0, 9)];
        assert_eq!(parsed(&bytes.clone().into()), expected);
        bytes.truncate(40);
        assert_eq!(parsed(&bytes.into()), expected[..1]);
    }
}
