//! The lists of sessions, baselines and devices.

use crate::pages::paper;
use expect_test::expect;
use model::{BlockDevice, Bytes, Claim};
use std::path::{Path, PathBuf};
use views::{
    BaselineLine, DeviceLine, Paper, SessionLine, write_baselines, write_devices, write_sessions,
};

#[test]
fn sessions_newest_first_as_given() {
    let session = |id, kind: &str, outcome, target: &str| SessionLine {
        id,
        kind: kind.to_owned(),
        outcome,
        validity: if id == 12 { "CAUTION" } else { "" }.to_owned(),
        headline: "4 KiB random read 48.5k IOPS, write 32.4k IOPS".to_owned(),
        device: "nvme0n1".to_owned(),
        started_utc_ns: 1_795_259_117_000_000_000,
        target: target.to_owned(),
        tags: if id == 12 {
            vec!["baseline".to_owned()]
        } else {
            vec![]
        },
        comment: (id == 12).then(|| "before the update".to_owned()),
    };
    let sessions = [
        session(12, "survey", "complete", "/data/fathom.dat"),
        session(11, "run", "interrupted", "/data/bad\nname"),
    ];
    let mut pages = String::new();
    for columns in [60, 80, 100, 140] {
        let mut page = Vec::new();
        let paper = Paper {
            columns: Some(columns),
            ..paper()
        };
        write_sessions(&sessions, &paper, &mut page).unwrap();
        pages += &String::from_utf8(page).unwrap();
    }
    expect![[r#"
        id   started           what    result       target
        12   2026-11-21 12:05  survey  CAUTION      /data/… update
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        11   2026-11-21 12:05  run     interrupted  /data/…d\nname
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        id   started           what    result       target
        12   2026-11-21 12:05  survey  CAUTION      /data/fathom.dat…before the update
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        11   2026-11-21 12:05  run     interrupted  /data/bad\nname
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        id   started           what    result       target
        12   2026-11-21 12:05  survey  CAUTION      /data/fathom.dat [baseline]: before the update
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        11   2026-11-21 12:05  run     interrupted  /data/bad\nname
             4 KiB random read 48.5k IOPS, write 32.4k IOPS
        id   started           what    result       target                                      device   answer
        12   2026-11-21 12:05  survey  CAUTION      /data/fathom.dat [ba…e]: before the update  nvme0n1  4 KiB random read 48.5k IOPS, write …
        11   2026-11-21 12:05  run     interrupted  /data/bad\nname                             nvme0n1  4 KiB random read 48.5k IOPS, write …
    "#]]
    .assert_eq(&pages);
    let mut page = Vec::new();
    write_sessions(&[], &paper(), &mut page).unwrap();
    expect![[r#"
        nothing is stored yet; `fathom survey` measures and stores
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}

#[test]
fn a_long_target_of_a_baseline_is_cut_and_not_when_it_was_set() {
    let baseline = |name: &str, target: &str| BaselineLine {
        name: name.to_owned(),
        of: "12.3".to_owned(),
        kind: "survey".to_owned(),
        target: target.to_owned(),
        set_utc_ns: 1_795_259_117_000_000_000,
    };
    let lines = [
        baseline("gold", "/data/fathom.dat"),
        baseline(
            "before-the-new-firmware",
            "/mnt/array/of/some/vendor/with/a/long/name/fathom.dat",
        ),
    ];
    let narrow = Paper {
        columns: Some(80),
        ..paper()
    };
    let mut page = Vec::new();
    write_baselines(&lines, &narrow, &mut page).unwrap();
    expect![[r#"
        name                     is    kind    set               target
        gold                     12.3  survey  2026-11-21 12:05  /data/fathom.dat
        before-the-new-firmware  12.3  survey  2026-11-21 12:05  /mnt/array/…/fathom.dat
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}

fn device(name: &str, kind: &str, gib: u64) -> BlockDevice {
    BlockDevice {
        name: name.to_owned(),
        kind: kind.to_owned(),
        size: Bytes::gib(gib),
        model: (kind == "disk").then(|| "Example NVMe 970".to_owned()),
        ..BlockDevice::default()
    }
}

#[test]
fn devices_with_what_would_be_lost() {
    let (disk, part, spare, mapping) = (
        device("nvme0n1", "disk", 931),
        device("nvme0n1p1", "partition", 930),
        device("sdb", "disk", 4),
        device("dm-0", "dm", 3),
    );
    let mounted = [
        Claim::Mounted {
            device: "nvme0n1p1".to_owned(),
            at: PathBuf::from("/"),
        },
        Claim::Signature {
            device: "nvme0n1p1".to_owned(),
            what: "ext4 file system".to_owned(),
        },
    ];
    let lines = [
        DeviceLine {
            path: Path::new("/dev/nvme0n1"),
            device: &disk,
            parent: None,
            claims: &mounted[..1],
            known_as: None,
        },
        DeviceLine {
            path: Path::new("/dev/nvme0n1p1"),
            device: &part,
            parent: Some("nvme0n1"),
            claims: &mounted,
            known_as: None,
        },
        DeviceLine {
            path: Path::new("/dev/sdb"),
            device: &spare,
            parent: None,
            claims: &[],
            known_as: None,
        },
        DeviceLine {
            path: Path::new("/dev/dm-0"),
            device: &mapping,
            parent: Some("sdb"),
            claims: &[],
            known_as: Some("a--group-with--a--long--name-root"),
        },
    ];
    let mut page = Vec::new();
    write_devices(&lines, &paper(), &mut page).unwrap();
    expect![[r#"
        device            kind           size  model, or name                 in use, or what is on it
        /dev/nvme0n1      disk        931 GiB  Example NVMe 970               mounted on /
          /dev/nvme0n1p1  partition   930 GiB  -                              mounted on /, ext4 file system
        /dev/sdb          disk          4 GiB  Example NVMe 970               nothing found on it
          /dev/dm-0       dm            3 GiB  a--group-with-…ong--name-root  nothing found on it
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}

#[test]
fn that_nothing_was_found_is_reported_whole_on_the_narrowest_page() {
    let disk = BlockDevice {
        size: Bytes::gib(1_023),
        ..device("sdb", "a kind of its own", 4)
    };
    let line = DeviceLine {
        path: Path::new("/dev/a-name-that-is-longer-than-most"),
        device: &disk,
        parent: Some("sda"),
        claims: &[],
        known_as: Some("a--group-with--a--long--name-root"),
    };
    let narrow = Paper {
        columns: Some(80),
        ..paper()
    };
    let mut page = Vec::new();
    write_devices(&[line], &narrow, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("  nothing found on it\n"), "{page}");
    assert!(page.contains("  in use, or on it\n"), "{page}");
}

#[test]
fn on_a_narrow_page_a_long_name_leaves_room_for_who_uses_it() {
    let devices = [device("sdb", "disk", 4), device("dm-0", "dm", 3)];
    let paths = ["/dev/sdb", "/dev/dm-0"].map(Path::new);
    let names = [None, Some("a--group-with--a--long--name-root")];
    let lines = [0, 1].map(|place| DeviceLine {
        path: paths[place],
        device: &devices[place],
        parent: None,
        claims: &[],
        known_as: names[place],
    });
    let narrow = Paper {
        columns: Some(80),
        ..paper()
    };
    let mut page = Vec::new();
    write_devices(&lines, &narrow, &mut page).unwrap();
    expect![[r#"
        device          kind           size  model, or name          in use, or on it
        /dev/sdb        disk          4 GiB  Example NVMe 970        nothing found on it
        /dev/dm-0       dm            3 GiB  a--group-w…--name-root  nothing found on it
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}
