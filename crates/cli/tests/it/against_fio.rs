//! The same work by fathom and by fio, in interleaved runs: their rates agree within 5% where the device is the
//! limit. Both take turns on the same target, so that other load of the machine affects both.
//!
//! A control group makes the device the limit: with a ceiling far below what the disk can do, nothing that other
//! programs do moves the rates. Without one a disk decides only as far as fio agrees with itself.

use crate::bench::Bench;
use crate::looped::Loop;
use host::{Root, target_facts};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Both rates may differ by so much.
const TOLERANCE: f64 = 0.05;
/// Pairs until which noise may hide the agreement.
const PAIRS_MAX: usize = 15;
/// Pairs from which on a median is meaningful.
const PAIRS_MIN: usize = 3;
/// IOPS under a ceiling: a disk does more, also while others use it.
const CEILING: u32 = 1000;

/// The work: 4K random reads, unbuffered.
struct Work<'a> {
    bench: &'a Bench,
    target: &'a Path,
    depth: u32,
    /// A control group that both run in, if any.
    group: Option<&'a Path>,
}

/// fio's figures of one run.
struct OfFio {
    rate: f64,
    /// Share of the time that fio itself took, without the kernel. // in [0, 1]
    own_time: f64,
}

impl Work<'_> {
    fn command(&self, program: &str) -> Command {
        let Some(group) = self.group else {
            return Command::new(program);
        };
        let mut shell = Command::new("sh");
        let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", group.display());
        shell.args(["-c", &join, "sh", program]);
        shell
    }

    fn document(&self, mut command: Command) -> Value {
        let reported = command
            .current_dir(self.bench.path(""))
            .env("FATHOM_STORE", self.bench.path("s.db"))
            .output()
            .unwrap();
        assert!(reported.status.success(), "{reported:?}");
        serde_json::from_slice(&reported.stdout).unwrap()
    }

    fn fathom(&self) -> f64 {
        let mut command = self.command(env!("CARGO_BIN_EXE_fathom"));
        command
            .args(["run", "--json", "--engine", "io_uring"])
            .args(["--duration", "1s", "--warmup", "300ms"])
            .args(["--depth", &self.depth.to_string()])
            .arg(self.target);
        figure(&self.document(command), "/operations/0/iops")
    }

    fn fio(&self) -> OfFio {
        let mut command = self.command("fio");
        command
            .args(["--name=x", "--rw=randread", "--bs=4k", "--direct=1"])
            .args(["--ioengine=io_uring", "--norandommap", "--readonly"])
            .args(["--time_based", "--runtime=1", "--ramp_time=300ms"])
            .args(["--output-format=json", &format!("--iodepth={}", self.depth)])
            .arg(format!("--filename={}", self.target.display()));
        let document = self.document(command);
        OfFio {
            rate: figure(&document, "/jobs/0/read/iops"),
            own_time: figure(&document, "/jobs/0/usr_cpu") / 100.0,
        }
    }

    /// Runs pairs until their median ratio is within the tolerance. A real difference stays and fails.
    fn agree(&self) {
        let mut ratios = Vec::new();
        for pair in 0..PAIRS_MAX {
            let (fathom, fio) = match pair % 2 {
                0 => (self.fathom(), self.fio().rate),
                _ => {
                    let fio = self.fio().rate;
                    (self.fathom(), fio)
                }
            };
            ratios.push(fathom / fio);
            let ratio = fathom / fio;
            println!(
                "depth {}: fathom {fathom:.0}, fio {fio:.0}, ratio {ratio:.3}",
                self.depth
            );
            if ratios.len() >= PAIRS_MIN && (median(&ratios) - 1.0).abs() <= TOLERANCE {
                return;
            }
        }
        panic!(
            "fathom and fio disagree at depth {}: {ratios:?}",
            self.depth
        );
    }

    /// The same without a ceiling, where other work may move every run: it decides only where the runs of fio agree
    /// with each other and fio's own time is small, so that both together cannot make the difference. Otherwise it
    /// is reported, no more.
    fn agree_if_fio_agrees_with_itself(&self) {
        let mut fathom = Vec::new();
        let mut fio = Vec::new();
        for _ in 0..PAIRS_MIN {
            fio.push(self.fio());
            fathom.push(self.fathom());
            fio.push(self.fio());
        }
        let rates: Vec<f64> = fio.iter().map(|of_fio| of_fio.rate).collect();
        let usual = median(&rates);
        let spread = rates
            .iter()
            .map(|rate| (rate / usual - 1.0).abs())
            .fold(0.0, f64::max);
        let own_time = fio.iter().map(|of_fio| of_fio.own_time).fold(0.0, f64::max);
        let ratio = median(&fathom) / usual;
        println!(
            "no ceiling, depth {}: fathom {fathom:.0?}, fio {rates:.0?}, ratio {ratio:.3}; fio is up to {spread:.3} \
             from itself and takes up to {own_time:.3} of the time",
            self.depth
        );
        if spread + own_time <= TOLERANCE {
            assert!((ratio - 1.0).abs() <= TOLERANCE, "at depth {}", self.depth);
        }
    }
}

fn figure(document: &Value, place: &str) -> f64 {
    document.pointer(place).and_then(Value::as_f64).unwrap()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

pub(crate) fn fio_is_there() -> bool {
    let there = Command::new("fio").arg("--version").output().is_ok();
    if !there {
        println!("skipped: fio is not installed");
    }
    there
}

#[test]
fn on_a_file_of_a_real_disk() {
    if !fio_is_there() {
        return;
    }
    let bench = Bench::new();
    let made = bench.line("run --create 256M --duration 300ms --warmup 0s --json t.dat");
    if made.err.contains("no direct I/O") {
        println!("skipped: {}", made.err.trim());
        return;
    }
    made.good();
    let target = bench.path("t.dat");
    let group = ceiling(&target);
    for depth in [1, 32] {
        let mut work = Work {
            bench: &bench,
            target: &target,
            depth,
            group: None,
        };
        work.agree_if_fio_agrees_with_itself();
        if let Some(group) = &group {
            work.group = Some(&group.folder);
            work.agree();
        }
    }
}

#[test]
fn on_a_device_with_a_ceiling() {
    if !fio_is_there() {
        return;
    }
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let Some(group) = ceiling(&looped.device) else {
        return;
    };
    let bench = Bench::new();
    for depth in [4, 32] {
        Work {
            bench: &bench,
            target: &looped.device,
            depth,
            group: Some(&group.folder),
        }
        .agree();
    }
}

/// A ceiling over the disk under a target; partitions cannot have one.
fn ceiling(target: &Path) -> Option<Ceiling> {
    let chain = target_facts(&Root::live(), target).chain;
    let disk = chain.into_iter().find(|device| device.kind != "partition");
    let Some(disk) = disk else {
        println!("skipped: {} has no block device", target.display());
        return None;
    };
    match Ceiling::over(disk.number) {
        Ok(ceiling) => Some(ceiling),
        Err(why) => {
            println!(
                "skipped: no ceiling by control groups over {}: {why}",
                disk.name
            );
            None
        }
    }
}

/// A control group in which reads of one device have a ceiling. Gone on drop.
struct Ceiling {
    folder: PathBuf,
}

impl Ceiling {
    /// Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst` (`io.max`), and
    /// `cgroup-v1/blkio-controller.rst`.
    fn over((major, minor): (u32, u32)) -> std::io::Result<Self> {
        let first = Path::new("/sys/fs/cgroup/blkio");
        let (top, file, word) = if first.is_dir() {
            (first, "blkio.throttle.read_iops_device", "")
        } else {
            let second = Path::new("/sys/fs/cgroup");
            std::fs::write(second.join("cgroup.subtree_control"), "+io")?;
            (second, "io.max", "riops=")
        };
        let name = format!("fathom-{}-{major}-{minor}", std::process::id());
        let folder = top.join(name);
        std::fs::create_dir(&folder)?;
        let group = Ceiling { folder };
        let line = format!("{major}:{minor} {word}{CEILING}");
        std::fs::write(group.folder.join(file), line)?;
        Ok(group)
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}
