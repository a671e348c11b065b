//! This machine: files and loop devices that the tests make, with real tools' marks on them.

use crate::nobody::let_nobody_do;
use crate::saved::in_words;
use crate::tools::{Loop, Mounted, Swapping, sparse, tool};
use gate::Pins;
use host::{
    CounterReader, Root, chain_devices, content_of_whole, devices, host_record, target_facts,
};
use model::{Bytes, Claim, Content, Nanos, TargetFacts, TargetKind};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

pub(crate) fn facts(path: &Path) -> TargetFacts {
    target_facts(&Root::live(), path)
}

pub(crate) fn claims(path: &Path) -> Vec<String> {
    facts(path).claims.iter().map(in_words).collect()
}

#[test]
fn this_machine_has_cores_memory_and_a_kernel() {
    let found = host_record(&Root::live());
    assert!(found.kernel.starts_with("Linux "));
    assert!(!found.cpus.is_empty());
    assert!(found.ram >= found.ram_available && found.ram_available > Bytes(0));
}

#[test]
fn names_of_all_kinds_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "text").unwrap();
    symlink("circle", at("circle")).unwrap();
    symlink("not/there", at("into nothing")).unwrap();
    symlink("new", at("to a new file")).unwrap();
    let kind = |name: &str| facts(&at(name)).kind;
    assert_eq!(kind("file"), TargetKind::File);
    assert_eq!(kind(""), TargetKind::Folder);
    assert_eq!(kind("new"), TargetKind::Missing);
    assert_eq!(kind("no/new"), TargetKind::MissingFolder);
    assert_eq!(kind("file/new"), TargetKind::MissingFolder);
    assert_eq!(kind("circle"), TargetKind::Other);
    assert_eq!(kind("into nothing"), TargetKind::MissingFolder);
    assert_eq!(kind("to a new file"), TargetKind::Missing);
    assert_eq!(facts(Path::new("/dev/null")).kind, TargetKind::Other);
    assert_eq!(facts(Path::new("")).kind, TargetKind::MissingFolder);
    assert_eq!(
        facts(Path::new("fathom-of-no-such-name")).kind,
        TargetKind::Missing
    );
}

#[test]
fn a_file_s_size_identity_and_content_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fathom.dat");
    let mut data = vec![0xA5; 3 << 20];
    model::block_header::write_blocks(&mut data, &Default::default());
    fs::write(&file, &data).unwrap();
    let found = facts(&file);
    let there = fs::metadata(&file).unwrap();
    assert_eq!(found.size, Bytes(3 << 20));
    assert_eq!(found.identity, Some((there.dev(), there.ino())));
    assert!(found.writable && found.claims.is_empty());
    assert_eq!(found.content, Content::Fathom);
    fs::write(&file, "a person's text").unwrap();
    assert_eq!(facts(&file).content, Content::Foreign);
    fs::write(&file, "").unwrap();
    assert_eq!(facts(&file).content, Content::Empty);
}

#[test]
fn one_written_block_in_a_large_sparse_file_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("image");
    sparse(&file, 10 << 30);
    assert_eq!(facts(&file).content, Content::Empty);
    let open = fs::OpenOptions::new().write(true).open(&file).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&open, b"precious", 3_333_333_333).unwrap();
    assert_eq!(facts(&file).content, Content::Foreign);
}

#[test]
fn looking_at_a_missing_file_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let found = facts(&folder.path().join("new"));
    assert!(found.writable);
    assert!(found.file_system.is_some_and(|on| on.free > Bytes(0)));
    assert_eq!(found.content, Content::Unknown);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_file_has_the_alignment_of_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("there");
    fs::write(&file, "x").unwrap();
    assert_eq!(
        facts(&folder.path().join("new")).direct_io,
        facts(&file).direct_io
    );
}

#[test]
fn a_file_in_memory_has_no_device_and_no_unbuffered_io() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("skipped: /dev/shm cannot be written");
        return;
    };
    let found = facts(&folder.path().join("new"));
    if found
        .file_system
        .as_ref()
        .is_none_or(|on| on.kind != "tmpfs")
    {
        eprintln!("skipped: /dev/shm is not a tmpfs");
        return;
    }
    assert_eq!(found.direct_io, None);
    assert!(found.chain.is_empty());
}

#[test]
fn a_file_that_may_not_be_read_is_unknown_to_a_person_without_rights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("closed");
    fs::write(&file, "text").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&file).is_ok() {
        let_nobody_do("live::a_file_that_may_not_be_read_is_unknown_to_a_person_without_rights");
        return;
    }
    let found = facts(&file);
    assert_eq!(found.content, Content::Unknown);
    assert!(!found.writable);
}

#[test]
fn a_mounted_loop_device_is_claimed_and_its_chain_goes_down_to_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 64 << 20);
    let path = image.to_str().unwrap();
    if tool("mkfs.ext4", &["-q", "-F", path]).is_none() {
        return;
    }
    assert_eq!(claims(&image), [format!("{path} carries ext4 file system")]);
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let name = device.name();
    assert_eq!(
        claims(&device.0),
        [format!("{name} carries ext4 file system")]
    );
    let mount_point = folder.path().join("mnt");
    let Some(_mount) = Mounted::at(device.0.to_str().unwrap(), &mount_point, &[]) else {
        return;
    };
    let mounted = format!("{name} mounted at {}", mount_point.display());
    let carries = format!("{name} carries ext4 file system");
    assert_eq!(claims(&device.0), [mounted.clone(), carries]);
    let of_image = claims(&image);
    assert!(of_image.contains(&mounted), "{of_image:?}");
    assert!(
        of_image.contains(&format!("{path} used by {name}")),
        "{of_image:?}"
    );
    let inside = facts(&mount_point.join("new"));
    assert_eq!(inside.chain[0].name, name);
    assert_eq!(inside.chain[0].detail.as_deref(), Some(path));
    let below = chain_devices(&facts(&image));
    assert_eq!(chain_devices(&inside)[1..], below[..]);
    assert_eq!(inside.file_system.unwrap().kind, "ext4");
    assert!(inside.writable && inside.direct_io.is_some());
    let listed = devices(&Root::live());
    let listed = listed
        .iter()
        .find(|listing| listing.device.name == name)
        .unwrap();
    assert!(listed.claims.iter().any(Claim::in_use));
}

#[test]
fn a_read_only_mount_and_a_read_only_device_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 16 << 20);
    if tool("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]).is_none() {
        return;
    }
    let Some(device) = Loop::over(&image, &["-r"]) else {
        return;
    };
    let found = facts(&device.0);
    assert_eq!(found.kind, TargetKind::BlockDevice);
    assert_eq!(found.size, Bytes(16 << 20));
    assert!(!found.writable && found.chain[0].read_only);
    let mount_point = folder.path().join("mnt");
    let device = device.0.to_str().unwrap();
    let Some(_mount) = Mounted::at(device, &mount_point, &["-o", "ro"]) else {
        return;
    };
    let found = facts(&mount_point.join("new"));
    assert!(!found.writable && found.file_system.unwrap().read_only);
}

#[test]
fn an_unused_device_is_free_and_one_that_is_held_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 8 << 20);
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let found = facts(&device.0);
    assert!(found.claims.is_empty(), "{:?}", found.claims);
    assert_eq!(found.content, Content::Unproven);
    assert_eq!(content_of_whole(&found, &Pins::default()), Content::Empty);
    let aligned = found.direct_io.unwrap();
    assert!(aligned.offset.0.is_power_of_two() && aligned.offset <= Bytes(4096));
    let mut exclusive = fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(exclusive.read(true), libc::O_EXCL);
    let _held = exclusive.open(&device.0).unwrap();
    assert_eq!(claims(&device.0), [format!("{} busy", device.name())]);
}

#[test]
fn a_disk_is_claimed_by_what_its_partitions_carry() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = Loop::with_two_partitions(&folder.path().join("disk.img")) else {
        return;
    };
    let (name, second) = (device.name(), device.part(2));
    if tool("mkfs.ext4", &["-q", "-F", &second]).is_none() {
        return;
    }
    let carries = |what: &str| format!("{name}{what}");
    let table = carries(" carries GPT partition table");
    let ext4 = carries("p2 carries ext4 file system");
    assert_eq!(claims(&device.0), [table.clone(), ext4.clone()]);
    assert_eq!(claims(Path::new(&second)), std::slice::from_ref(&ext4));
    let mount_point = folder.path().join("mnt");
    let Some(_mount) = Mounted::at(&second, &mount_point, &[]) else {
        return;
    };
    let mounted = format!("{name}p2 mounted at {}", mount_point.display());
    assert_eq!(claims(&device.0), [mounted.clone(), table, ext4.clone()]);
    assert_eq!(claims(Path::new(&second)), [mounted, ext4]);
    let inside = facts(&mount_point);
    assert_eq!(
        chain_devices(&inside)[..2],
        [format!("{name}p2"), name.clone()]
    );
    let read = CounterReader::open(&Root::live(), &chain_devices(&inside)).read(&mut || Nanos(0));
    assert_eq!(read.devices.len(), inside.chain.len());
}

#[test]
fn swap_files_and_swap_devices_are_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swap file");
    fs::write(&file, vec![0; 4 << 20]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let path = file.to_str().unwrap();
    if tool("mkswap", &["-q", path]).is_none() {
        return;
    }
    let carries = format!("{path} carries swap space");
    assert_eq!(claims(&file), std::slice::from_ref(&carries));
    if let Some(_swapping) = Swapping::to(&file) {
        assert_eq!(claims(&file), [format!("{path} is swap"), carries]);
    }
    let Some(device) = Loop::over(&file, &[]) else {
        return;
    };
    let Some(_swapping) = Swapping::to(&device.0) else {
        return;
    };
    let name = device.name();
    let expected = [
        format!("{name} is swap"),
        format!("{name} carries swap space"),
    ];
    assert_eq!(claims(&device.0), expected);
    assert!(claims(&file).contains(&format!("{name} is swap")));
}

#[test]
fn a_second_reading_of_the_counters_is_newer_than_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 8 << 20);
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let mut reader = CounterReader::open(&Root::live(), &[device.name()]);
    let before = reader.read(&mut || Nanos(0));
    let mut file = fs::OpenOptions::new().write(true).open(&device.0).unwrap();
    std::io::Write::write_all(&mut file, &vec![7; 1 << 20]).unwrap();
    file.sync_all().unwrap();
    let after = reader.read(&mut || Nanos(1));
    let window = model::CounterWindow { before, after };
    let did = window.device(&device.name()).unwrap();
    assert_eq!(did.write_bytes, Bytes(1 << 20));
    assert!(did.writes > 0);
    assert!(!window.cpus().is_empty());
}

/// Pages of a file that are in the page cache, as another program counts them.
fn cached_pages(path: &Path) -> Option<u64> {
    let path = path.display().to_string();
    let said = tool("fincore", &["--noheadings", "--output", "PAGES", &path])?;
    said.trim().parse().ok()
}

#[test]
fn a_look_leaves_the_page_cache_as_it_was() {
    // Not where temporary files may be kept in memory.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("f");
    let mut data = vec![0xA7; 8 << 20];
    model::block_header::write_blocks(&mut data, &Default::default());
    fs::write(&path, data).unwrap();
    let name = format!("of={}", path.display());
    let whole = 2048;
    if cached_pages(&path) != Some(whole) {
        eprintln!("skipped: this system does not report the content of the page cache");
        return;
    }
    assert_eq!(facts(&path).content, Content::Fathom);
    assert_eq!(cached_pages(&path), Some(whole));
    // On a busy machine the system keeps pages for a moment that it was advised to drop.
    let stayed_dropped = || {
        tool(
            "dd",
            &["oflag=nocache", "conv=notrunc,fdatasync", "count=0", &name],
        )
        .unwrap();
        let dropped = cached_pages(&path).unwrap();
        assert_eq!(facts(&path).content, Content::Fathom);
        let after = cached_pages(&path).unwrap();
        println!("{dropped} pages before, {after} after");
        dropped < whole / 100 && after <= dropped + whole / 100
    };
    assert!((0..5).any(|_| stayed_dropped()));
}
