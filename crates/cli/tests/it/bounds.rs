//! Disks that are full, small or read-only. As root, on file systems in memory that the test mounts itself.

use crate::bench::Bench;
use std::path::PathBuf;
use std::process::Command;

/// A small file system in memory; gone with the value.
struct Mounted(PathBuf);

impl Mounted {
    /// `None`, with the reason printed, where that cannot be done.
    fn new(bench: &Bench, options: &str) -> Option<Self> {
        let at = bench.path("mnt");
        std::fs::create_dir(&at).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&at)
            .output();
        match mount {
            Ok(output) if output.status.success() => Some(Mounted(at)),
            _ => {
                eprintln!("skipped: mounting needs root and the right to mount");
                None
            }
        }
    }

    fn make_read_only(&self) {
        let status = Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&self.0)
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let status = Command::new("umount").arg(&self.0).status();
        assert!(status.unwrap().success());
    }
}

#[test]
fn what_does_not_fit_is_refused_before_a_byte_is_written() {
    let bench = Bench::new();
    let Some(disk) = Mounted::new(&bench, "size=32M") else {
        return;
    };
    let line = "run --cache cached --create 64M mnt/f";
    bench
        .line(line)
        .refused("64M more are needed and 32M are free");
    let line = "survey --create --cache cached mnt/f";
    bench
        .line(line)
        .refused("32 MiB are free, and the file may take a quarter of that");
    let line = "survey --create --cache cached --size 64M mnt/f";
    bench
        .line(line)
        .refused("64M more are needed and 32M are free");
    assert_eq!(std::fs::read_dir(&disk.0).unwrap().count(), 0);
}

#[test]
fn a_read_only_file_system_is_read_and_never_written() {
    let bench = Bench::new();
    let Some(disk) = Mounted::new(&bench, "size=32M") else {
        return;
    };
    let short = "-d 300ms --warmup 0s --cache cached";
    bench.line(&format!("run {short} --create 1M mnt/f")).good();
    disk.make_read_only();
    bench.line(&format!("run {short} mnt/f")).good();
    bench
        .line(&format!("run {short} -w 1 mnt/f"))
        .refused("is mounted read-only");
    bench
        .line(&format!("run {short} --create 1M mnt/new"))
        .refused("is mounted read-only");
    for size in ["--size 64M", ""] {
        bench
            .line(&format!("survey --create --cache cached {size} mnt/new"))
            .refused("is mounted read-only");
    }
}

#[test]
fn a_store_that_cannot_be_written_can_be_looked_into() {
    let bench = Bench::new();
    let Some(disk) = Mounted::new(&bench, "size=32M") else {
        return;
    };
    let store = "--store mnt/s.db";
    let run = format!("run --engine null -d 300ms --warmup 0s {store}");
    let printed = bench.line(&run).good();
    disk.make_read_only();
    let listed = bench.line(&format!("list {store}")).good();
    assert!(listed.out.contains("null"), "{listed:?}");
    let shown = bench.line(&format!("show 1 {store}")).good();
    assert_eq!(shown.out, printed.out);
    bench.line(&run).refused("cannot be written");
}
