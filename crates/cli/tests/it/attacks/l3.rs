//! L3: a stopped fathom was reported as a target that answered nothing.

use crate::bench::{Bench, Said, send};
use crate::looped::Loop;
use crate::staged_ground::{Group, number_of};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

const RUN: &str = "-d 4s --warmup 0s --no-store --interval 100ms --json";
const PAUSE: Duration = Duration::from_secs(1);
/// Bytes per second that limit nothing.
const FAST: u64 = 100 << 30;

/// Waits until the measured phase has begun, and some of it is over.
fn begin(bench: &Bench, target: &str) -> Child {
    let child = bench.start(&format!("run {RUN} --cache cached --engine sync {target}"));
    crate::attacks::wait_for_reads(&child, 4 << 20);
    std::thread::sleep(PAUSE / 2); // of the measured time, which the stop must not begin with
    child
}

fn finding(said: &Said, id: &str) -> Option<serde_json::Value> {
    let json = said.json();
    let findings = json["findings"].as_array().unwrap().clone();
    findings.into_iter().find(|finding| finding["id"] == id)
}

/// The stop is the cause, it is about as long as it was, and nothing else is blamed for it.
fn names_the_stop(child: Child) {
    let said = Said::from(child.wait_with_output().unwrap()).good();
    let stop = finding(&said, "process-stopped").unwrap_or_else(|| panic!("{said:?}"));
    let evidence = stop["evidence"].as_array().unwrap();
    let length = evidence.iter().find(|one| one["name"] == "stopped_ns");
    let length = length.unwrap()["value"].as_f64().unwrap() / 1e9;
    let least = PAUSE.as_secs_f64() * 0.5; // after it a busy machine may take a while
    let bounds = least..=4.0;
    assert!(
        bounds.contains(&length),
        "{length} s in {bounds:?}: {said:?}"
    );
    for id in ["stall", "not-steady", "throughput-drop"] {
        assert_eq!(finding(&said, id), None, "{id}");
    }
}

#[test]
fn a_stopped_fathom_is_the_cause_and_not_the_target() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let child = begin(&bench, "f");
    send("-STOP", &child);
    std::thread::sleep(PAUSE);
    send("-CONT", &child);
    names_the_stop(child);
}

/// A freezer group; its processes are thawed again in any case.
struct Freezer(PathBuf);

impl Freezer {
    fn new() -> Option<Self> {
        let top = Path::new("/sys/fs/cgroup/freezer");
        let folder = top.join(format!("fathom-l3-{}", std::process::id()));
        let made = top.is_dir() && fs::create_dir(&folder).is_ok();
        made.then_some(Freezer(folder))
    }

    fn set(&self, state: &str) {
        fs::write(self.0.join("freezer.state"), state).unwrap();
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        let _ = fs::write(self.0.join("freezer.state"), "THAWED");
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_frozen_fathom_is_the_cause_too() {
    let Some(freezer) = Freezer::new() else {
        println!("skipped: no freezer cgroup can be created here");
        return;
    };
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let child = begin(&bench, "f");
    fs::write(freezer.0.join("cgroup.procs"), child.id().to_string()).unwrap();
    freezer.set("FROZEN");
    std::thread::sleep(PAUSE);
    freezer.set("THAWED");
    names_the_stop(child);
}

#[test]
fn a_device_that_stalls_is_still_the_cause() {
    let Some(device) = Loop::new(&[]) else {
        return;
    };
    let number = number_of(&device.device);
    let Some(group) = Group::of_io(number, "rbps", FAST) else {
        return;
    };
    let (first, (major, minor)) = ("blkio.throttle.read_bps_device", number);
    let limit = |bytes: u64| match group.folder.join(first).exists() {
        true => fs::write(group.folder.join(first), format!("{major}:{minor} {bytes}")),
        false => {
            let line = format!("{major}:{minor} rbps={bytes}");
            fs::write(group.folder.join("io.max"), line)
        }
    };
    let bench = Bench::new();
    let line = format!("run {RUN} --engine sync {}", device.device.display());
    let child = bench.start(&line);
    fs::write(group.folder.join("cgroup.procs"), child.id().to_string()).unwrap();
    crate::attacks::wait_for_reads(&child, 4 << 20);
    std::thread::sleep(PAUSE / 2);
    limit(1).unwrap();
    std::thread::sleep(PAUSE);
    limit(FAST).unwrap();
    let said = Said::from(child.wait_with_output().unwrap()).good();
    assert!(finding(&said, "stall").is_some(), "{said:?}");
    assert_eq!(finding(&said, "process-stopped"), None);
}
