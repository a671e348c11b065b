//! File systems that people run fathom on: whether they take direct I/O is learned from a file of theirs, and what they
//! refuse has its cause.

use crate::bench::{Bench, Said};
use crate::mounted::Mounted;
use std::path::{Path, PathBuf};
use std::process::Command;

const RUN: &str = "run m/f --no-store --create 4M -d 200ms --warmup 0s";

/// A folder that the program bindfs passes on to `m`; unmounted again in any case. Needs /dev/fuse.
pub(crate) struct Passed {
    folder: PathBuf,
}

impl Passed {
    pub(crate) fn new(bench: &Bench, source: &Path) -> Option<Self> {
        let folder = bench.path("m");
        std::fs::create_dir(&folder).unwrap();
        let bindfs = Command::new("bindfs").arg(source).arg(&folder).output();
        match bindfs {
            Ok(done) if done.status.success() => Some(Passed { folder }),
            Ok(done) => {
                println!("skipped: bindfs: {}", String::from_utf8_lossy(&done.stderr));
                None
            }
            Err(why) => {
                println!("skipped: bindfs does not run: {why}");
                None
            }
        }
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    names
        .map(|one| one.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn fuse_takes_direct_io_without_files_that_have_no_name() {
    let bench = Bench::new();
    let source = bench.path("source");
    std::fs::create_dir(&source).unwrap();
    let Some(passed) = Passed::new(&bench, &source) else {
        return;
    };
    let said = bench.line(&format!("{RUN} --json"));
    let report = said.good().json();
    assert_eq!(names(&passed.folder), ["f"], "nothing else is left");
    assert_eq!(report["targets"][0]["facts"]["file_system"], "fuse");
    bench.line("run m/f --no-store -d 200ms --warmup 0s").good();
}

#[test]
fn a_file_system_in_memory_below_fuse_is_named() {
    let bench = Bench::new();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let Some(_passed) = Passed::new(&bench, memory.path()) else {
        return;
    };
    bench
        .line(RUN)
        .refused("no direct I/O (O_DIRECT): the file is in memory (tmpfs below fuse)");
}

#[test]
fn a_journal_of_data_is_the_cause_and_not_the_file_system() {
    let bench = Bench::new();
    let Some(mounted) = Mounted::ext4(&bench, &["-o", "data=journal"]) else {
        return;
    };
    let refused = bench.line(RUN);
    refused.refused("ext4 is mounted with data=journal\n");
    refused.refused("hint: use --cache cached");
    bench.line(&format!("{RUN} --cache cached")).good();
    assert!(
        names(&mounted.folder)
            .iter()
            .all(|name| !name.starts_with('.'))
    );
}

/// What a container often lacks; a place that was named is refused as before.
#[test]
fn without_a_home_that_can_be_written_a_run_is_measured_and_not_stored() {
    let bench = Bench::new();
    let run = |home: Option<&str>| {
        let mut command = bench.command(&["run", "sim:ssd", "-d", "1s", "--json"]);
        command.env_remove("FATHOM_STORE");
        home.map(|home| command.env("HOME", home));
        Said::from(command.output().unwrap())
    };
    for (home, cause) in [
        (None, "neither XDG_DATA_HOME nor HOME is set"),
        (
            Some("/nonexist/x"),
            "/nonexist/x does not exist, and is not created",
        ),
        (
            Some("/proc"),
            "/proc/.local/share/fathom/fathom.db cannot be written",
        ),
    ] {
        let said = run(home);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.err.contains("results are not stored"), "{}", said.err);
        assert!(said.err.contains(cause), "{}", said.err);
        assert!(said.json()["stored"].is_null());
    }
    assert!(!std::path::Path::new("/nonexist").exists());
    let mut named = bench.command(&["run", "sim:ssd", "-d", "1s"]);
    named.env("FATHOM_STORE", "/proc/fathom.db");
    Said::from(named.output().unwrap()).refused("/proc/fathom.db");
}
