//! Set-ups that are the cause of what a run shows, staged for real: a file system in user space, I/Os of the idle class, a file in
//! memory below a loop device, several threads at one place, a file that shares its blocks. Each next to a set-up that is none.
//!
//! Deliberately absent: limits, caches and other programs, which are in `staged`.

use crate::bench::{Bench, Said};
use crate::environments::Passed;
use crate::looped::Loop;
use crate::staged::{finding, ids};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const SHORT: &str = "-d 600ms --warmup 0s --json --no-store";

/// Where the result of a run names a cause: the reasons of its verdict.
fn reasons(document: &Value) -> String {
    document["verdict"]["reasons"].to_string()
}

/// A file on the disk of the test's folder; `None`, with the reason printed, where that has no direct I/O.
fn file_on_disk(bench: &Bench, words: &str) -> Option<Value> {
    let said = bench.line(&format!("run --create 16M {words} {SHORT} f"));
    if said.err.contains("no direct I/O") {
        println!("skipped: {}", said.err.trim());
        return None;
    }
    Some(said.good().json())
}

#[test]
fn a_file_system_in_user_space_is_named_and_the_one_below_it_is_not() {
    let bench = Bench::new();
    let source = bench.path("source");
    std::fs::create_dir(&source).unwrap();
    let Some(_passed) = Passed::new(&bench, &source) else {
        return;
    };
    let line = format!("run --create 16M -o 4 {SHORT}");
    let document = bench.line(&format!("{line} m/f")).good().json();
    assert!(
        finding(&document, "fuse-server").is_some(),
        "{:?}",
        ids(&document)
    );
    assert!(
        reasons(&document).contains("FUSE"),
        "{}",
        reasons(&document)
    );
    let below = bench.line(&format!("run -o 4 {SHORT} source/f"));
    if below.err.contains("no direct I/O") {
        println!("skipped: {}", below.err.trim());
        return;
    }
    assert_eq!(finding(&below.good().json(), "fuse-server"), None);
}

/// The scheduler of a loop device of the test's own; false where this cannot be set.
fn schedules(device: &Path, scheduler: &str) -> bool {
    let name = device.file_name().unwrap().to_str().unwrap();
    let set = std::fs::write(format!("/sys/block/{name}/queue/scheduler"), scheduler);
    if let Err(why) = &set {
        println!("skipped: scheduler {scheduler}: {why}");
    }
    set.is_ok()
}

#[test]
fn ios_of_the_idle_class_are_named_where_the_scheduler_serves_them_last() {
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let bench = Bench::new();
    let run = |class: &str| {
        let mut ionice = Command::new("ionice");
        ionice
            .args(["-c", class, env!("CARGO_BIN_EXE_fathom"), "run", "-o", "4"])
            .args(SHORT.split(' '))
            .arg(&looped.device)
            .current_dir(bench.path(""));
        Some(Said::from(ionice.output().ok()?).good().json())
    };
    for (scheduler, class, is_named) in [
        ("none", "3", false),
        ("mq-deadline", "3", true),
        ("mq-deadline", "2", false),
    ] {
        if !schedules(&looped.device, scheduler) {
            return;
        }
        let Some(document) = run(class) else {
            println!("skipped: no ionice here");
            return;
        };
        let found = finding(&document, "idle-class");
        assert_eq!(
            found.is_some(),
            is_named,
            "{scheduler} {class}: {:?}",
            ids(&document)
        );
        assert_eq!(reasons(&document).contains("idle class"), is_named);
    }
}

#[test]
fn a_file_in_memory_below_a_loop_device_is_named_and_one_on_a_disk_is_not() {
    let bench = Bench::new();
    let Some(memory) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let run = |looped: &Loop| {
        let line = format!("run -o 4 {SHORT} {}", looped.device.display());
        bench.line(&line).good().json()
    };
    let document = run(&memory);
    let found = finding(&document, "no-device").unwrap();
    assert_eq!(found["severity"], "error");
    assert_eq!(document["verdict"]["validity"], "INVALID");
    let Some(disk) = Loop::within(&bench.path(""), 16 << 20, &["--direct-io=on"]) else {
        return;
    };
    let document = run(&disk);
    let chain = document["targets"][0]["facts"].to_string();
    match chain.contains("tmpfs") {
        true => println!("skipped: the tests' folder is in memory"),
        false => assert_eq!(finding(&document, "no-device"), None),
    }
}

#[test]
fn threads_that_read_the_same_blocks_are_named_and_those_apart_are_not() {
    let bench = Bench::new();
    let Some(apart) = file_on_disk(&bench, "-t 4 --pattern sequential") else {
        return;
    };
    assert_eq!(finding(&apart, "same-place"), None);
    bench.line("diskspd -t4 -d1 -W0 -b64K -Sh f").good();
    let document = bench.line("show last --json").good().json();
    let found = finding(&document, "same-place").unwrap();
    assert_eq!(found["severity"], "warning");
    assert!(reasons(&document).contains("the same blocks"));
}

#[test]
fn first_writes_to_shared_blocks_are_named_and_overwrites_are_not() {
    let bench = Bench::new();
    let Some(image) = Loop::within("/var/tmp".as_ref(), 400 << 20, &[]) else {
        return;
    };
    let folder = bench.path("m");
    std::fs::create_dir(&folder).unwrap();
    let script = format!(
        "mkfs.xfs -q -f {0} && mount {0} m && cd m && \
         dd if=/dev/urandom of=a bs=1M count=32 status=none && cp --reflink=always a b && sync",
        image.device.display()
    );
    let mut shell = Command::new("/bin/sh");
    let made = shell
        .args(["-c", &script])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    let document = made.status.success().then(|| {
        let line = format!("run -w 100 --overwrite -b 64K --rate 100 {SHORT} m/b");
        let shared = bench.line(&line).good().json();
        let line = format!("run -w 100 --create 32M -b 64K --rate 100 {SHORT} m/c");
        (shared, bench.line(&line).good().json())
    });
    let _ = Command::new("umount").arg(&folder).status();
    let Some((shared, own)) = document else {
        println!("skipped: {}", String::from_utf8_lossy(&made.stderr).trim());
        return;
    };
    let found = finding(&shared, "unwritten-extents").unwrap();
    assert_eq!(found["severity"], "warning", "{found}");
    let own = finding(&own, "unwritten-extents").filter(|one| one["severity"] == "warning");
    assert_eq!(own, None);
}
