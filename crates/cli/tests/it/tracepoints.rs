//! The latencies that fathom reports against the times that the kernel's own tracepoints give the same I/Os. Needs root.
//!
//! The block layer's time of a request (`block_rq_issue` to `block_rq_complete`) lies inside the ring's
//! (`io_uring_submit_req` to `io_uring_complete`), and that inside fathom's: from its stamp before the hand-over to the
//! one after the return. So at no quantile fathom reports less than either, and that does not depend on other load. What
//! fathom reports more than the ring is its own: the way from the stamp to the system call and back, and where one call
//! submits several I/Os, the time until the kernel reaches this one (1 to 8 µs in the middle at depth 8). What
//! the ring reports more than the block layer is the kernel's: making the request, and waking the thread.

use crate::bench::Bench;
use crate::looped::Loop;
use crate::tracefs::{Traced, Tracefs, from_the_call, spans};
use host::{Root, target_facts};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs until which other work on the machine may hide that fathom's own part is small; a real one stays and fails.
const RUNS_MAX: usize = 40;
/// Fathom's own part at depth 1, with the tracing of its two events; and for each I/O more that it may
/// find or submit between two looks.
const OWN_US: f64 = 5.0;
const OWN_EACH_US: f64 = 0.5;
/// I/Os at the edges, and the checks the target before the run, that stand in one account only.
const EDGES: usize = 8;
/// A trace has whole microseconds, at both ends.
const RESOLUTION_US: f64 = 1.0;
/// Half a bucket of the histogram, and its rounding.
const BUCKET: f64 = 0.004;
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// Of one run, in microseconds.
struct Seen {
    ios: usize,
    reported: [f64; 3], // at QUANTILES
    ring: Vec<u64>,
    /// From the first I/O of the call that submitted this one.
    call: Vec<u64>,
    block: Vec<u64>,
}

impl Seen {
    /// The value of this rank from below, `shift` ranks lower.
    fn at(spans: &[u64], quantile: f64, shift: usize) -> f64 {
        let rank = (quantile * spans.len() as f64).ceil() as usize;
        let place = rank.saturating_sub(1 + shift).min(spans.len() - 1);
        spans[place] as f64
    }

    fn print(&self, name: &str, depth: usize) {
        for (quantile, reported) in QUANTILES.iter().zip(self.reported) {
            let at = |spans| Self::at(spans, *quantile, 0);
            let (block, ring, call) = (at(&self.block), at(&self.ring), at(&self.call));
            println!(
                "{name}, depth {depth}, {} I/Os, p{}: block layer {block} µs, ring {ring} µs, its call {call} µs, \
                 fathom {reported:.1} µs",
                self.ios,
                quantile * 100.0
            );
        }
    }

    fn sees(&self, spans: &[u64]) -> bool {
        spans.len() * 100 >= self.ios * 99
    }

    /// True under any other load of the machine.
    fn holds(&self, depth: usize) {
        assert!(self.sees(&self.ring), "each I/O is seen");
        for (quantile, reported) in QUANTILES.iter().zip(self.reported) {
            for spans in [&self.ring, &self.block] {
                let least = Self::at(spans, *quantile, 2 * depth + EDGES) - RESOLUTION_US;
                assert!(
                    reported * (1.0 + BUCKET) >= least,
                    "{reported} at {quantile} for {least}"
                );
            }
        }
    }

    /// Returns whether the difference between fathom and the calls is no more than fathom's own part.
    fn is_explained(&self, depth: usize) -> bool {
        let own = OWN_US + OWN_EACH_US * (depth - 1) as f64;
        QUANTILES
            .iter()
            .zip(self.reported)
            .all(|(quantile, reported)| {
                let call = Self::at(&self.call, *quantile, 0);
                reported <= (call + own + RESOLUTION_US) * (1.0 + BUCKET)
            })
    }
}

/// One traced run of 4K random reads with direct I/O.
struct Work<'a> {
    tracefs: &'a Tracefs,
    bench: &'a Bench,
    target: &'a Path,
    device: (u32, u32),
}

impl Work<'_> {
    /// `None` where events were lost, or others on the same disk handed our requests over, so that they are not seen.
    fn run(&self, depth: usize) -> Option<Seen> {
        let (major, minor) = self.device;
        // Requests end wherever the device's interrupt finds a core: traced by device, all else by process.
        let ends = self.tracefs.instance("ends", &[]).unwrap();
        let filter = format!("dev == {}", major << 20 | minor);
        ends.write("events/block/block_rq_complete/filter", &filter)
            .unwrap();
        ends.write("events/block/block_rq_complete/enable", "1")
            .unwrap();
        let own = self.tracefs.instance(
            "own",
            &[
                "io_uring/io_uring_submit_req",
                "io_uring/io_uring_complete",
                "block/block_rq_issue",
            ],
        );
        let own = own.unwrap();
        // A thread that enters a disk's scheduler submits what waits there, also what others asked for.
        let filter = "nr_sector == 8 && rwbs ~ \"R*\"";
        own.write("events/block/block_rq_issue/filter", filter)
            .unwrap();
        let reported = self.traced(&own.of_process().unwrap(), depth);
        let (mut own, ends) = (own.finish()?, ends.finish()?);
        // What fathom reads to see what is there comes before the first of its I/Os.
        let first = own
            .iter()
            .find(|event| event.event == "io_uring_submit_req");
        let begin = first.map_or(0, |event| event.at_us);
        own.retain(|event| event.at_us >= begin);
        let of_all: Vec<_> = own.into_iter().chain(ends).collect();
        let ios = reported
            .pointer("/operations/0/ios")
            .unwrap()
            .as_u64()
            .unwrap() as usize;
        let sorted = |events: &[Traced], begin, end| {
            let mut spans = spans(events, begin, end);
            spans.truncate(ios); // what came after the end is in no account of ours
            spans.sort_unstable();
            spans
        };
        // With few I/Os the outer percentiles are not reported: then this run shows nothing, and the next one is used.
        let percentiles: Option<Vec<f64>> = QUANTILES
            .iter()
            .map(|quantile| reported_us(&reported, *quantile))
            .collect();
        let seen = Seen {
            ios,
            reported: percentiles?.try_into().ok()?,
            ring: sorted(&of_all, "io_uring_submit_req", "io_uring_complete"),
            call: sorted(
                &from_the_call(&of_all),
                "io_uring_submit_req",
                "io_uring_complete",
            ),
            block: sorted(&of_all, "block_rq_issue", "block_rq_complete"),
        };
        seen.sees(&seen.block).then_some(seen)
    }

    /// So short that the events of 600,000 IOPS are kept.
    fn traced(&self, number_to: &Path, depth: usize) -> Value {
        let script = format!("echo $$ >> {}; exec \"$@\"", number_to.display());
        let depth = depth.to_string();
        let target = self.target.to_str().unwrap();
        let mut words = vec!["-c", &script, "sh", env!("CARGO_BIN_EXE_fathom")];
        words.extend(["run", "--json", "--no-store", "--engine", "io_uring"]);
        words.extend(["--duration", "200ms", "--warmup", "0s"]);
        words.extend(["--depth", &depth, target]);
        let mut command: Command = self.bench.command_of("/bin/sh".as_ref(), &words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn agree(&self, name: &str) {
        for depth in [1, 8] {
            let near = (0..RUNS_MAX).filter_map(|_| self.run(depth)).any(|seen| {
                seen.print(name, depth);
                seen.holds(depth);
                seen.is_explained(depth)
            });
            assert!(
                near,
                "none of {RUNS_MAX} runs at depth {depth} is near enough"
            );
        }
    }
}

fn reported_us(reported: &Value, quantile: f64) -> Option<f64> {
    let all = reported
        .pointer("/operations/0/latency/percentiles")
        .unwrap();
    let all = all.as_array().unwrap();
    let one = all
        .iter()
        .find(|one| one["quantile"].as_f64() == Some(quantile));
    Some(one.unwrap()["latency_ns"].as_f64()? / 1000.0)
}

#[test]
fn on_a_loop_device() {
    let Some(tracefs) = Tracefs::open() else {
        return;
    };
    let Some(looped) = Loop::new(&["--direct-io=on"]) else {
        return;
    };
    let facts = target_facts(&Root::live(), &looped.device);
    let work = Work {
        tracefs: &tracefs,
        bench: &Bench::new(),
        target: &looped.device,
        device: facts.chain[0].number,
    };
    work.agree("loop device");
}

#[test]
fn on_a_file_past_the_cache() {
    let Some(tracefs) = Tracefs::open() else {
        return;
    };
    let bench = Bench::new();
    let made = bench.line("run --create 64M --duration 100ms --warmup 0s --json t.dat");
    if made.err.contains("no direct I/O") {
        println!("skipped: {}", made.err.trim());
        return;
    }
    made.good();
    let target = bench.path("t.dat");
    let facts = target_facts(&Root::live(), &target);
    let disks = facts
        .chain
        .iter()
        .filter(|device| device.kind != "partition");
    let [disk] = &disks.collect::<Vec<_>>()[..] else {
        println!("skipped: the file lies on no disk, or not directly on one");
        return;
    };
    let kind = facts.file_system.map(|on| on.kind).unwrap_or_default();
    let work = Work {
        tracefs: &tracefs,
        bench: &bench,
        target: &target,
        device: disk.number,
    };
    work.agree(&format!("{kind} file on {}", disk.name));
}
