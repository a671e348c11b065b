//! Marks that real tools leave, found again.

use crate::saved::in_words;
use crate::tools::{Loop, sparse, tool};
use host::{Root, target_facts};
use std::fs;
use std::path::Path;

fn found(path: &Path) -> Vec<String> {
    let facts = target_facts(&Root::live(), path);
    facts.claims.iter().map(in_words).collect()
}

/// Tool, its arguments before the file, size of the file in MiB, and what must be found.
const MAKERS: &[(&str, &[&str], u64, &str)] = &[
    ("mkfs.ext2", &["-q", "-F"], 16, "ext2 file system"),
    ("mkfs.ext3", &["-q", "-F"], 32, "ext3 file system"),
    ("mkfs.ext4", &["-q", "-F"], 32, "ext4 file system"),
    (
        "mke2fs",
        &["-q", "-F", "-O", "journal_dev"],
        32,
        "ext journal",
    ),
    ("mkfs.xfs", &["-q", "-f"], 320, "XFS file system"),
    ("mkfs.btrfs", &["-q", "-f"], 128, "Btrfs file system"),
    ("mkfs.f2fs", &["-q", "-f"], 128, "F2FS file system"),
    ("mkfs.vfat", &["-F", "12"], 4, "FAT file system"),
    ("mkfs.vfat", &["-F", "16"], 32, "FAT file system"),
    ("mkfs.vfat", &["-F", "32"], 64, "FAT file system"),
    ("mkfs.ntfs", &["-q", "-F", "-f"], 16, "NTFS file system"),
    ("mkfs.exfat", &[], 16, "exFAT file system"),
    (
        "mkreiserfs",
        &["-q", "-f", "-f"],
        64,
        "ReiserFS file system",
    ),
    ("mkfs.jfs", &["-q"], 32, "JFS file system"),
    ("mkswap", &["-q"], 8, "swap space"),
    ("mkswap", &["-q", "-p", "65536"], 8, "swap space"),
    ("make-bcache", &["-B"], 16, "bcache device"),
    ("mkudffs", &[], 16, "UDF file system"),
];

#[test]
fn marks_of_real_tools_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for (n, (name, arguments, size_mib, expected)) in MAKERS.iter().enumerate() {
        let file = folder.path().join(format!("image{n}"));
        sparse(&file, size_mib << 20);
        let path = file.to_str().unwrap();
        let mut arguments = arguments.to_vec();
        arguments.push(path);
        if tool(name, &arguments).is_some() {
            assert_eq!(
                found(&file),
                [format!("{path} carries {expected}")],
                "{name}"
            );
        }
        fs::remove_file(&file).unwrap();
    }
}

/// A shell line that makes the image `$1`, and what must be found.
const SCRIPTS: &[(&str, &str)] = &[
    ("echo 'label: gpt' | sfdisk -q $1", "GPT partition table"),
    ("echo ',' | sfdisk -q -X dos $1", "MBR partition table"),
    (
        "echo word | cryptsetup -q luksFormat --type luks1 --pbkdf-force-iterations 1000 $1 -",
        "LUKS encrypted volume",
    ),
    (
        "echo word | cryptsetup -q luksFormat --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $1 -",
        "LUKS encrypted volume",
    ),
    (
        "mkdir $1.d && mksquashfs $1.d $1 -quiet -noappend",
        "SquashFS file system",
    ),
    ("mkdir $1.d && mkfs.erofs $1 $1.d", "EROFS file system"),
    (
        "mkdir $1.d && genisoimage -quiet -o $1 $1.d",
        "ISO 9660 file system",
    ),
    (
        "echo 'label: gpt' | sfdisk -q $1 && dd if=/dev/zero of=$1 bs=4096 count=8 conv=notrunc",
        "GPT partition table",
    ),
];

#[test]
fn marks_that_take_more_than_one_command_are_found() {
    let folder = tempfile::tempdir().unwrap();
    for (n, (script, expected)) in SCRIPTS.iter().enumerate() {
        let file = folder.path().join(format!("image{n}"));
        sparse(&file, 32 << 20);
        let path = file.to_str().unwrap();
        if tool("sh", &["-c", script, "sh", path]).is_some() {
            assert_eq!(
                found(&file),
                [format!("{path} carries {expected}")],
                "{script}"
            );
        }
    }
}

#[test]
fn the_mark_of_a_volume_manager_is_found_on_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    sparse(&image, 32 << 20);
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let config = "devices { use_devicesfile=0 } backup { backup=0 archive=0 }";
    let path = device.0.to_str().unwrap();
    if tool(
        "pvcreate",
        &["-qq", "--nolocking", "--config", config, path],
    )
    .is_none()
    {
        return;
    }
    let expected = format!("{} carries LVM physical volume", device.name());
    assert_eq!(found(&device.0), [expected]);
}
