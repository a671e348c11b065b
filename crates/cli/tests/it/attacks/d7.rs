//! A check that could not be performed does not count as passed.

use super::tools::{Loop, foreign, own_file, without};
use crate::bench::Bench;
use std::fs;
use std::process::Command;

#[test]
fn without_proc_or_sys_nothing_is_written_and_reading_works() {
    let bench = Bench::new();
    own_file(&bench, "t");
    let before = fs::read(bench.path("t")).unwrap();
    for folder in ["/sys", "/proc"] {
        let hide = format!("mount -t tmpfs none {folder}");
        for line in ["t -w 100", "t -w 100 --overwrite", "new --create 1M"] {
            let line = format!("run --no-store -d 20ms --warmup 0s {line}");
            let Some(said) = without(&bench, &hide, &line) else {
                return;
            };
            assert_eq!(said.code, Some(2), "{folder}, {line}: {said:?}");
            assert!(said.err.contains(folder), "{folder}, {line}: {said:?}");
        }
        let read = without(&bench, &hide, "run --no-store -d 500ms --warmup 0s t").unwrap();
        assert_eq!(read.code, Some(0), "{folder}: {read:?}");
        let copy = without(&bench, &hide, "dd if=/dev/zero of=t count=1 --overwrite").unwrap();
        assert_eq!(copy.code, Some(2), "{folder}: {copy:?}");
    }
    assert_eq!(fs::read(bench.path("t")).unwrap(), before);
    assert!(!bench.path("new").exists());
}

/// The image behind a loop device that was set up by a path of another mount namespace, and whose node is not in /dev:
/// neither its name nor its numbers can be asked for.
#[test]
fn a_file_that_a_loop_device_may_be_over_is_not_written_where_that_cannot_be_asked() {
    let bench = Bench::new();
    let image = foreign(3 << 20);
    for folder in ["b", "elsewhere"] {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    fs::write(bench.path("b/disk.img"), &image).unwrap();
    let script = "mount --bind b elsewhere && losetup -f --show elsewhere/disk.img";
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "sh", "-c", script])
        .current_dir(bench.path("."));
    let output = command.output().unwrap();
    if !output.status.success() {
        println!("skipped: no loop device from a namespace of its own");
        return;
    }
    let device = Loop(String::from_utf8(output.stdout).unwrap().trim().into());
    let hide = format!("mount --bind /dev/null {}", device.name());
    let line = "run --no-store -w 100 -d 20ms --warmup 0s --overwrite";
    let Some(said) = without(&bench, &hide, &format!("{line} b/disk.img")) else {
        return;
    };
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(fs::read(bench.path("b/disk.img")).unwrap(), image);
    fs::write(bench.path("other"), foreign(2 << 20)).unwrap();
    let said = without(&bench, &hide, &format!("{line} other")).unwrap();
    assert_ne!(
        said.code,
        Some(2),
        "of another size, so it is not behind it: {said:?}"
    );
}
