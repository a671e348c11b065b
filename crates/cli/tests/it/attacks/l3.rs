//! L3: a stopped fathom was reported as a target that answered nothing.

use crate::bench::{Bench, Said, send};
use crate::looped::Loop;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const RUN: &str = "-d 4s --warmup 0s --no-store --interval 100ms --json";
const PAUSE: Duration = Duration::from_secs(1);

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
fn names_the_stop(child: Child, at_most: Duration) {
    let said = Said::from(child.wait_with_output().unwrap()).good();
    let stop = finding(&said, "process-stopped").unwrap_or_else(|| panic!("{said:?}"));
    let evidence = stop["evidence"].as_array().unwrap();
    let length = evidence.iter().find(|one| one["name"] == "stopped_ns");
    let length = length.unwrap()["value"].as_f64().unwrap() / 1e9;
    let least = PAUSE.as_secs_f64() * 0.5; // after it a busy machine may take a while
    let bounds = least..=at_most.as_secs_f64() + 0.5;
    assert!(
        bounds.contains(&length),
        "{length} s in {bounds:?}: {said:?}"
    );
    for id in ["standstill", "not-steady", "drop", "latency-wall"] {
        assert_eq!(finding(&said, id), None, "{id}");
    }
}

#[test]
fn a_stopped_fathom_is_the_cause_and_not_the_target() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let child = begin(&bench, "f");
    let watch = Instant::now();
    send("-STOP", &child);
    std::thread::sleep(PAUSE);
    send("-CONT", &child);
    names_the_stop(child, watch.elapsed());
}

/// A freezer group; its processes are thawed again whatever happens.
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
        println!("skipped: no freezer cgroup can be made here");
        return;
    };
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let child = begin(&bench, "f");
    fs::write(freezer.0.join("cgroup.procs"), child.id().to_string()).unwrap();
    let watch = Instant::now();
    freezer.set("FROZEN");
    std::thread::sleep(PAUSE);
    freezer.set("THAWED");
    names_the_stop(child, watch.elapsed());
}

/// A linear mapping over a loop device, which can be suspended.
struct Suspendable {
    name: String,
    _below: Loop,
}

impl Suspendable {
    fn new() -> Option<Self> {
        let below = Loop::new(&[])?;
        let name = format!("fathom-l3-{}", std::process::id());
        let table = format!("0 131072 linear {} 0", below.device.display());
        let mut create = Command::new("dmsetup");
        create.args(["create", &name, "--table", &table]);
        match create.output() {
            Ok(made) if made.status.success() => Some(Suspendable {
                name,
                _below: below,
            }),
            _ => {
                println!("skipped: no device-mapper device can be made here");
                None
            }
        }
    }

    fn command(&self, what: &[&str]) {
        let status = Command::new("dmsetup").args(what).arg(&self.name).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Suspendable {
    fn drop(&mut self) {
        for what in ["resume", "remove"] {
            let _ = Command::new("dmsetup").args([what, &self.name]).status();
        }
    }
}

#[test]
fn a_device_that_stalls_is_still_the_cause() {
    let Some(device) = Suspendable::new() else {
        return;
    };
    let bench = Bench::new();
    let line = format!("run {RUN} --engine sync /dev/mapper/{}", device.name);
    let child = bench.start(&line);
    crate::attacks::wait_for_reads(&child, 4 << 20);
    std::thread::sleep(PAUSE / 2);
    device.command(&["suspend", "--noflush", "--nolockfs"]);
    std::thread::sleep(PAUSE);
    device.command(&["resume"]);
    let said = Said::from(child.wait_with_output().unwrap()).good();
    assert!(finding(&said, "standstill").is_some(), "{said:?}");
    assert_eq!(finding(&said, "process-stopped"), None);
}
