//! A device below the one that is named is in use, though nothing visible to this process shows it.

use super::tools::{Loop, foreign, tool};
use crate::bench::Bench;
use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

const O_EXCL: i32 = 0o200;

/// Two loop devices: the second over the first.
fn stacked(bench: &Bench, image: &[u8]) -> Option<(Loop, Loop)> {
    let below = Loop::over_new(&bench.path("disk.img"), image)?;
    let above = Loop::over(&below.0)?;
    Some((below, above))
}

#[test]
fn a_device_that_another_process_has_opened_exclusively_is_in_use() {
    let bench = Bench::new();
    let image = foreign(16 << 20);
    let Some((below, above)) = stacked(&bench, &image) else {
        return;
    };
    let Some(alone) = Loop::over_new(&bench.path("alone.img"), &image) else {
        return;
    };
    for (opened, target, file) in [(&below, &above, "disk.img"), (&alone, &alone, "alone.img")] {
        let mut options = fs::OpenOptions::new();
        let exclusive = options.read(true).custom_flags(O_EXCL).open(&opened.0);
        let name = target.name();
        let line = format!("run --no-store -w 100 -d 20ms --warmup 0s --destroy {name} {name}");
        let refused = bench.line(&line);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("in use"), "{refused:?}");
        assert_eq!(fs::read(bench.path(file)).unwrap(), image);
        drop(exclusive.unwrap());
        assert_ne!(bench.line(&line).code, Some(2));
    }
}

/// Mounted in another namespace: this one's table of mounts does not list it.
#[test]
fn a_device_below_that_another_namespace_has_mounted_is_in_use() {
    let bench = Bench::new();
    let Some((below, above)) = stacked(&bench, &vec![0; 32 << 20]) else {
        return;
    };
    if !tool("mkfs.ext4", &["-q", "-F", below.name()]) {
        println!("skipped: no mkfs.ext4");
        return;
    }
    fs::create_dir(bench.path("mnt")).unwrap();
    let script = format!(
        "mount {} mnt && echo mounted && exec sleep 60",
        below.name()
    );
    let mut elsewhere = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .current_dir(bench.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut word = [0; 8];
    let out = elsewhere.stdout.as_mut().unwrap();
    let mounted = std::io::Read::read_exact(out, &mut word).is_ok();
    if mounted {
        tool("sync", &[]);
        let before = fs::read(bench.path("disk.img")).unwrap();
        for target in [&above, &below] {
            let name = target.name();
            let line = format!("run --no-store -w 100 -d 20ms --warmup 0s --destroy {name} {name}");
            let said = bench.line(&line);
            assert_eq!(said.code, Some(2), "{said:?}");
        }
        let after = fs::read(bench.path("disk.img")).unwrap();
        assert_eq!(before.len(), after.len());
        // The file system may note times of its own; fathom's run would have changed megabytes.
        let changed = before
            .chunks(4096)
            .zip(after.chunks(4096))
            .filter(|(a, b)| a != b);
        assert!(changed.count() < 64);
    }
    elsewhere.kill().unwrap();
    elsewhere.wait().unwrap();
    assert!(mounted);
}
