//! The same work by fathom and by fio, in interleaved runs: their rates agree within 5 % where the device is the
//! limit. Both take turns on the same target, so that whatever else the machine does meets both.

use crate::bench::Bench;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Both rates may differ by so much.
const TOLERANCE: f64 = 0.05;
/// Pairs until which noise may hide the agreement.
const PAIRS_MAX: usize = 15;
/// Pairs from which on a median says something.
const PAIRS_MIN: usize = 3;

/// The work: 4K random reads, unbuffered.
struct Work<'a> {
    bench: &'a Bench,
    target: &'a Path,
    depth: u32,
    /// A control group that both run in, if any.
    group: Option<&'a Path>,
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

    fn rate(&self, mut command: Command, place: &str) -> f64 {
        let told = command
            .current_dir(self.bench.path(""))
            .env("FATHOM_STORE", self.bench.path("s.db"))
            .output()
            .unwrap();
        assert!(told.status.success(), "{told:?}");
        let document: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
        document
            .pointer(place)
            .and_then(serde_json::Value::as_f64)
            .unwrap()
    }

    fn fathom(&self) -> f64 {
        let mut command = self.command(env!("CARGO_BIN_EXE_fathom"));
        command
            .args([
                "run",
                "--json",
                "--engine",
                "io_uring",
                "--duration",
                "1s",
                "--warmup",
                "300ms",
            ])
            .args(["--depth", &self.depth.to_string()])
            .arg(self.target);
        self.rate(command, "/operations/0/rate_per_s")
    }

    fn fio(&self) -> f64 {
        let mut command = self.command("fio");
        command
            .args([
                "--name=x",
                "--rw=randread",
                "--bs=4k",
                "--direct=1",
                "--ioengine=io_uring",
            ])
            .args([
                "--time_based",
                "--runtime=1",
                "--ramp_time=300ms",
                "--norandommap",
                "--readonly",
            ])
            .args(["--output-format=json", &format!("--iodepth={}", self.depth)])
            .arg(format!("--filename={}", self.target.display()));
        self.rate(command, "/jobs/0/read/iops")
    }

    /// Runs pairs until their median ratio is within the tolerance. A real difference stays and fails.
    fn agree(&self) {
        let mut ratios = Vec::new();
        for pair in 0..PAIRS_MAX {
            let (fathom, fio) = match pair % 2 {
                0 => (self.fathom(), self.fio()),
                _ => {
                    let fio = self.fio();
                    (self.fathom(), fio)
                }
            };
            ratios.push(fathom / fio);
            println!(
                "depth {}: fathom {fathom:.0}, fio {fio:.0}, ratio {:.3}",
                self.depth,
                fathom / fio
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
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn fio_is_there() -> bool {
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
    let made = bench.line("run --create 256M --duration 100ms --warmup 0s --json t.dat");
    if made.err.contains("takes no unbuffered I/O") {
        println!("skipped: {}", made.err.trim());
        return;
    }
    made.good();
    let target = bench.path("t.dat");
    for depth in [1, 32] {
        Work {
            bench: &bench,
            target: &target,
            depth,
            group: None,
        }
        .agree();
    }
}

#[test]
fn on_a_device_with_a_ceiling() {
    if !fio_is_there() {
        return;
    }
    let Some(looped) = Loop::new() else { return };
    let Some(group) = Ceiling::new(&looped.device, 2000) else {
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

/// A loop device over a file in memory.
struct Loop {
    device: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir_in("/dev/shm").ok()?;
        let backing = folder.path().join("backing");
        std::fs::write(&backing, vec![0xA5; 64 << 20]).unwrap();
        let made = Command::new("losetup")
            .args(["--find", "--show"])
            .arg(&backing)
            .output()
            .ok()?;
        if !made.status.success() {
            println!(
                "skipped: no loop device: {}",
                String::from_utf8_lossy(&made.stderr).trim()
            );
            return None;
        }
        let device = PathBuf::from(String::from_utf8(made.stdout).unwrap().trim());
        Some(Loop {
            device,
            _folder: folder,
        })
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

/// A control group in which reads of one device have a ceiling.
struct Ceiling {
    folder: PathBuf,
}

impl Ceiling {
    fn new(device: &Path, iops: u32) -> Option<Self> {
        let numbers = Command::new("lsblk")
            .args(["-dno", "MAJ:MIN"])
            .arg(device)
            .output()
            .ok()?;
        let numbers = String::from_utf8(numbers.stdout).unwrap();
        let numbers = numbers.trim();
        let name = format!("fathom-{}", std::process::id());
        let (top, file, line) = if Path::new("/sys/fs/cgroup/blkio").is_dir() {
            (
                "/sys/fs/cgroup/blkio",
                "blkio.throttle.read_iops_device",
                format!("{numbers} {iops}"),
            )
        } else {
            let _ = std::fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+io");
            (
                "/sys/fs/cgroup",
                "io.max",
                format!("{numbers} riops={iops}"),
            )
        };
        let group = Ceiling {
            folder: Path::new(top).join(name),
        };
        let made = std::fs::create_dir(&group.folder)
            .and_then(|()| std::fs::write(group.folder.join(file), line));
        match made {
            Ok(()) => Some(group),
            Err(why) => {
                println!("skipped: no ceiling by control groups here: {why}");
                None
            }
        }
    }
}

impl Drop for Ceiling {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}
