//! The tool's counts against the block layer's own, on a loop device without other users (root).
#![cfg(target_os = "linux")]

use crate::jobs;
use engine::{Silent, Stop, run};
use host::Root;
use model::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A loop device over a file in memory; taken apart again in any case.
struct Loop {
    device: PathBuf,
    _folder: TempDir,
}

impl Loop {
    /// `None`, with the reason printed, where this machine or user cannot have one.
    fn new(size: Bytes) -> Option<Self> {
        let Ok(folder) = TempDir::new_in("/dev/shm") else {
            println!("skipped: no memory file system at /dev/shm");
            return None;
        };
        let backing = folder.path().join("backing");
        std::fs::write(&backing, vec![0xA5; size.0 as usize]).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show", "--direct-io=on"])
            .arg(&backing)
            .output();
        match made {
            Ok(reported) if reported.status.success() => {
                let device = PathBuf::from(String::from_utf8_lossy(&reported.stdout).trim());
                Some(Loop {
                    device,
                    _folder: folder,
                })
            }
            Ok(reported) => {
                println!(
                    "skipped: no loop device: {}",
                    String::from_utf8_lossy(&reported.stderr).trim()
                );
                None
            }
            Err(why) => {
                println!("skipped: losetup does not run: {why}");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.device)
            .status();
    }
}

fn job(device: &Path, change: jobs::Change<'_>) -> engine::Job {
    let facts = host::target_facts(&Root::live(), device);
    assert_eq!(facts.kind, TargetKind::BlockDevice);
    jobs::device(facts, &|span| {
        span.phases = Phases {
            warmup: Nanos::millis(200),
            measured: Nanos::millis(800),
            cooldown: Nanos::millis(100),
        };
        change(span);
    })
}

/// What the tool and the block layer counted: reads and writes. Two neighbours that were submitted together
/// may reach the device as one request; the block layer counts the other as merged.
struct Counts {
    ios: [(u64, u64); 2],
    bytes: [(u64, u64); 2],
}

fn lifetime(record: &RunRecord, device: &str) -> Counts {
    let kernel = record
        .lifetime
        .device(device)
        .expect("the device was read at both ends");
    let tool = |index: usize| {
        record.threads.iter().fold((0, 0), |(ios, bytes), thread| {
            (
                ios + thread.lifetime[index].ios,
                bytes + thread.lifetime[index].bytes.0,
            )
        })
    };
    let (reads, writes) = (tool(0), tool(1));
    Counts {
        ios: [
            (reads.0, kernel.reads + kernel.reads_merged),
            (writes.0, kernel.writes + kernel.writes_merged),
        ],
        bytes: [
            (reads.1, kernel.read_bytes.0),
            (writes.1, kernel.write_bytes.0),
        ],
    }
}

/// Runs until which noise may hide that the counts are the same, or that the edges contain the difference: another program
/// may read a device that has just appeared. A real difference stays and fails.
const RUNS_MAX: usize = 10;

#[test]
fn over_the_life_of_a_run_both_count_the_same_to_the_last_byte() {
    let Some(looped) = Loop::new(Bytes::mib(64)) else {
        return;
    };
    for work in [(1, 1, 0), (32, 1, 0), (8, 2, 30), (16, 1, 100)] {
        let same = (0..RUNS_MAX).any(|_| both_count_the_same(&looped.device, work));
        assert!(
            same,
            "depth, threads and writes {work:?}: in none of {RUNS_MAX} runs"
        );
    }
}

/// One run, and whether the two counts of its life are equal.
fn both_count_the_same(device: &Path, (depth, threads, write): (u32, u32, u8)) -> bool {
    let name = device.file_name().unwrap().to_str().unwrap();
    let job = job(device, &|span| {
        let target = &mut span.targets[0];
        target.threads = threads;
        target.workload.queue_depth = QueueDepth(depth);
        target.workload.write = Ratio::percent(write).unwrap();
    });
    let record = run(job, &Root::live(), &Silent, &Stop::new()).unwrap();
    let counts = lifetime(&record, name);
    println!("ios {:?}, bytes {:?}", counts.ios, counts.bytes);
    let mut pairs = counts.ios.into_iter().chain(counts.bytes);
    pairs.all(|(tool, kernel)| tool == kernel)
}

#[test]
fn in_the_measured_window_they_differ_by_no_more_than_the_edges_hold() {
    let Some(looped) = Loop::new(Bytes::mib(64)) else {
        return;
    };
    for depth in [1, 8, 64] {
        let near = (0..RUNS_MAX).any(|_| the_edges_hold_the_difference(&looped.device, depth));
        assert!(
            near,
            "at depth {depth} none of {RUNS_MAX} runs is within the bound"
        );
    }
}

/// One run, and whether the two counts of its measured phase are near enough to each other.
fn the_edges_hold_the_difference(device: &Path, depth: u32) -> bool {
    let name = device.file_name().unwrap().to_str().unwrap();
    let plan = job(device, &|span| {
        span.targets[0].workload.queue_depth = QueueDepth(depth);
    });
    let record = run(plan, &Root::live(), &Silent, &Stop::new()).unwrap();
    let kernel = record.window.device(name).unwrap();
    let kernel = kernel.reads + kernel.reads_merged;
    let tool = record.total().ios;
    let late = |reading: &Counters, edge: Nanos| reading.ended.minus(edge).0;
    let late_ns = late(&record.window.before, record.phases.measured_from)
        + late(&record.window.after, record.phases.measured_to);
    // In flight at both edges, and what completed between an edge and the end of its reading. The rate
    // at an edge can be above the mean: twice is generous, but where other programs take the processor.
    let per_ns = tool as f64 / record.phases.measured().0 as f64;
    let bound = 2.0 * f64::from(depth) + 2.0 * per_ns * late_ns as f64 + 1.0;
    let difference = kernel.abs_diff(tool);
    println!(
        "depth {depth}: tool {tool}, block layer {kernel}, difference {difference}, bound {bound:.0}, readings late {late_ns} ns"
    );
    difference as f64 <= bound
}
