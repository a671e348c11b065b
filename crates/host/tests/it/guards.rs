//! What must not be taken for free or for empty: devices in use further down, second names, zeros.

use crate::live::{claims, facts};
use crate::saved::in_words;
use crate::tools::{Loop, Mounted, Swapping, sparse, tool};
use gate::Pins;
use host::{CounterReader, Root, content_of_whole, target_facts_again};
use model::{Bytes, Claim, Content, CounterWindow, Nanos, TargetFacts};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn a_loop_over_a_device_in_use_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 64 << 20);
    if tool("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]).is_none() {
        return;
    }
    let Some(disk) = Loop::over(&image, &[]) else {
        return;
    };
    let Some(second) = Loop::over(&disk.0, &[]) else {
        return;
    };
    let in_use = |found: &TargetFacts| found.claims.iter().any(Claim::in_use);
    assert!(!in_use(&facts(&second.0)), "{:?}", claims(&second.0));
    let mount_point = folder.path().join("mnt");
    let Some(mount) = Mounted::at(disk.0.to_str().unwrap(), &mount_point, &[]) else {
        return;
    };
    let mounted = format!("{} mounted at {}", disk.name(), mount_point.display());
    assert!(
        claims(&second.0).contains(&mounted),
        "{:?}",
        claims(&second.0)
    );
    let earlier = facts(&second.0);
    drop(mount);
    assert!(!in_use(&target_facts_again(
        &Root::live(),
        &Pins::default(),
        &earlier
    )));
}

#[test]
fn two_loops_over_one_file_are_in_each_other_s_way_under_whatever_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    sparse(&at("a"), 32 << 20);
    fs::hard_link(at("a"), at("b")).unwrap();
    let Some(one) = Loop::over(&at("a"), &[]) else {
        return;
    };
    fs::remove_file(at("a")).unwrap();
    let held = format!("{} used by {}", at("b").display(), one.name());
    assert_eq!(claims(&at("b")), [held]);
    sparse(&at("a"), 32 << 20); // another file under the old name is free
    assert!(claims(&at("a")).is_empty());
    assert!(claims(&one.0).is_empty());
    let Some(two) = Loop::over(&at("b"), &[]) else {
        return;
    };
    let by = |name: &str| format!(" used by {name}");
    let of_one = claims(&one.0);
    assert!(of_one[0].ends_with(&by(&two.name())), "{of_one:?}");
    let of_two = claims(&two.0);
    assert!(of_two[0].ends_with(&by(&one.name())), "{of_two:?}");
    assert_eq!((of_one.len(), of_two.len()), (1, 1));
}

#[test]
fn a_loop_over_a_swap_file_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swap");
    fs::write(&file, vec![0; 4 << 20]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let Some(device) = Loop::over(&file, &[]) else {
        return;
    };
    if tool("mkswap", &["-q", file.to_str().unwrap()]).is_none() {
        return;
    }
    let Some(_swapping) = Swapping::to(&file) else {
        return;
    };
    let is_swap = format!("{} is swap", file.display());
    assert!(
        claims(&device.0).contains(&is_swap),
        "{:?}",
        claims(&device.0)
    );
}

#[test]
fn a_partition_is_not_claimed_by_its_neighbours_on_the_same_loop_device() {
    let folder = tempfile::tempdir().unwrap();
    let Some(device) = Loop::with_two_partitions(&folder.path().join("disk.img")) else {
        return;
    };
    let [first, second] = [1, 2].map(|number| device.part(number));
    if tool("mkfs.ext4", &["-q", "-F", &second]).is_none() {
        return;
    }
    let Some(_mount) = Mounted::at(&second, &folder.path().join("mnt"), &[]) else {
        return;
    };
    assert!(claims(Path::new(&first)).is_empty());
    assert!(!claims(Path::new(&second)).is_empty());
}

#[test]
fn zeros_are_empty_only_where_that_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = folder.path().join("zeros");
    fs::write(&zeros, vec![0; 4 << 20]).unwrap();
    fs::File::open(&zeros).unwrap().sync_all().unwrap();
    let found = facts(&zeros);
    assert_eq!(found.content, Content::Unproven);
    assert_eq!(
        content_of_whole(&found, &Pins::default()),
        Content::Unproven,
        "a file's zeros are user data"
    );
    let image = folder.path().join("disk.img");
    sparse(&image, 256 << 20);
    let write = |at: u64| {
        let open = fs::OpenOptions::new().write(true).open(&image).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&open, b"precious", at).unwrap();
    };
    write((200 << 20) + 5 * 4096); // between the samples of a device
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let found = facts(&device.0);
    assert_eq!(found.content, Content::Unproven);
    assert_eq!(content_of_whole(&found, &Pins::default()), Content::Foreign);
    let other = TargetFacts {
        size: Bytes(found.size.0 - 4096),
        ..found.clone()
    };
    assert_eq!(
        content_of_whole(&other, &Pins::default()),
        Content::Unproven,
        "not as large as it was"
    );
    let other = TargetFacts {
        identity: Some((1, 0)),
        ..found
    };
    assert_eq!(
        content_of_whole(&other, &Pins::default()),
        Content::Unproven,
        "another device"
    );
    let large = folder.path().join("large.img");
    sparse(&large, 2 << 30);
    let Some(device) = Loop::over(&large, &[]) else {
        return;
    };
    let found = facts(&device.0);
    assert_eq!(found.content, Content::Unproven);
    assert_eq!(
        content_of_whole(&found, &Pins::default()),
        Content::Unproven
    );
    assert_eq!(found.allocated, found.size);
}

#[test]
fn a_look_at_a_device_of_zeros_reads_a_sample_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    let size = 256 << 20;
    sparse(&image, size);
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let name = [device.name()];
    let read_by = |look: &dyn Fn()| {
        let mut reader = CounterReader::open(&Root::live(), &name);
        let before = reader.read(&mut || Nanos(0));
        look();
        let after = reader.read(&mut || Nanos(1));
        let window = CounterWindow { before, after };
        window.device(&name[0]).unwrap().read_bytes.0
    };
    // Both ends, and 256 blocks.
    let few = 4 << 20;
    let sample = read_by(&|| drop(facts(&device.0)));
    assert!(sample <= few, "{sample}");
    let found = facts(&device.0);
    let whole = read_by(&|| assert_eq!(content_of_whole(&found, &Pins::default()), Content::Empty));
    assert!(whole >= size - few, "{whole}");
    println!("sample {sample}, whole {whole}");
}

#[test]
fn allocated_space_is_distinguished_from_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    sparse(&file, 1 << 30);
    assert_eq!(facts(&file).allocated, Bytes(0));
    fs::write(&file, vec![1; 1 << 20]).unwrap();
    fs::File::open(&file).unwrap().sync_all().unwrap();
    assert!(facts(&file).allocated >= Bytes(1 << 20));
    assert_eq!(facts(&folder.path().join("new")).allocated, Bytes(0));
}

#[test]
fn a_file_that_may_only_grow_or_not_change_says_what_lifts_that() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    fs::write(&file, "x").unwrap();
    let path = file.to_str().unwrap();
    for (set, lift, word) in [("+a", "-a", "append-only"), ("+i", "-i", "immutable")] {
        if tool("chattr", &[set, path]).is_none() {
            return;
        }
        let found = facts(&file);
        tool("chattr", &[lift, path]);
        assert!(!found.writable, "{set}");
        let lifts = format!("{word} (chattr {lift} {path} lifts it)");
        assert_eq!(found.obstacle, Some(lifts));
    }
    assert_eq!(facts(&file).obstacle, None);
}

#[test]
fn a_missing_file_on_a_read_only_mount_is_not_refused_for_its_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("disk.img");
    sparse(&image, 32 << 20);
    if tool("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]).is_none() {
        return;
    }
    let Some(device) = Loop::over(&image, &[]) else {
        return;
    };
    let mount_point = folder.path().join("mnt");
    let source = device.0.to_str().unwrap();
    let Some(_mount) = Mounted::at(source, &mount_point, &["-o", "ro"]) else {
        return;
    };
    let found = facts(&mount_point.join("new"));
    assert!(!found.writable);
    assert!(found.direct_io.is_some());
}

#[test]
fn a_second_look_asks_again_who_uses_it_and_not_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    let mut data = vec![0xA5; 1 << 20];
    model::block_header::write_blocks(&mut data, &Default::default());
    fs::write(&file, &data).unwrap();
    fs::File::open(&file).unwrap().sync_all().unwrap(); // its extents are allocated when it is written back
    let again =
        |earlier: &TargetFacts| target_facts_again(&Root::live(), &Pins::default(), earlier);
    // The free space is everybody's: it changes while one looks.
    let apart_from_free_space = |mut facts: TargetFacts| {
        facts
            .file_system
            .iter_mut()
            .for_each(|on| on.free = Bytes(0));
        facts
    };
    let first = facts(&file);
    assert_eq!(
        apart_from_free_space(again(&first)),
        apart_from_free_space(first.clone())
    );
    let reported = TargetFacts {
        content: Content::FathomPartial,
        ..first.clone()
    };
    assert_eq!(again(&reported).content, Content::FathomPartial);
    if let Some(device) = Loop::over(&file, &[]) {
        let held = format!("{} used by {}", file.display(), device.name());
        let found: Vec<String> = again(&first).claims.iter().map(in_words).collect();
        assert_eq!(found, [held]);
    }
    fs::write(&file, "a person's text").unwrap();
    assert_eq!(again(&first).content, Content::Foreign);
}
