//! The lists of sessions and devices.

use crate::pages::paper;
use expect_test::expect;
use model::{BlockDevice, Bytes, Claim};
use std::path::{Path, PathBuf};
use views::{DeviceLine, SessionLine, write_devices, write_sessions};

#[test]
fn sessions_newest_first_as_given() {
    let session = |id, kind: &str, outcome: &str, target: &str| SessionLine {
        id,
        kind: kind.to_owned(),
        outcome: outcome.to_owned(),
        started_utc_ns: 1_795_259_117_000_000_000,
        runs: 52,
        target: target.to_owned(),
        tags: if id == 12 {
            vec!["baseline".to_owned()]
        } else {
            vec![]
        },
    };
    let sessions = [
        session(12, "survey", "complete", "/data/fathom.dat"),
        session(11, "run", "interrupted", "/data/bad\nname"),
    ];
    let mut page = Vec::new();
    write_sessions(&sessions, &paper(), &mut page).unwrap();
    expect![[r#"
        id   started           what    ended        runs  target
        12   2026-11-21 12:05  survey  complete       52  /data/fathom.dat [baseline]
        11   2026-11-21 12:05  run     interrupted    52  /data/bad\nname
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
    let mut page = Vec::new();
    write_sessions(&[], &paper(), &mut page).unwrap();
    expect![[r#"
        nothing is stored yet; `fathom survey` measures and stores
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}

#[test]
fn devices_with_what_would_be_lost() {
    let device = |name: &str, kind: &str, gib| BlockDevice {
        name: name.to_owned(),
        kind: kind.to_owned(),
        size: Bytes::gib(gib),
        model: (kind == "disk").then(|| "Example NVMe 970".to_owned()),
        ..BlockDevice::default()
    };
    let (disk, part, spare) = (
        device("nvme0n1", "disk", 931),
        device("nvme0n1p1", "partition", 930),
        device("sdb", "disk", 4),
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
        },
        DeviceLine {
            path: Path::new("/dev/nvme0n1p1"),
            device: &part,
            parent: Some("nvme0n1"),
            claims: &mounted,
        },
        DeviceLine {
            path: Path::new("/dev/sdb"),
            device: &spare,
            parent: None,
            claims: &[],
        },
    ];
    let mut page = Vec::new();
    write_devices(&lines, &paper(), &mut page).unwrap();
    expect![[r#"
        device            kind           size  model             in use, or what is on it
        /dev/nvme0n1      disk        931 GiB  Example NVMe 970  mounted on /
          /dev/nvme0n1p1  partition   930 GiB  -                 mounted on /, ext4 file system
        /dev/sdb          disk          4 GiB  Example NVMe 970  nothing found on it
    "#]]
    .assert_eq(&String::from_utf8(page).unwrap());
}
