//! Real targets, created here: a file on the disk of the bench's folder, a loop device under a control group's limit, a
//! zram device. As root; each is gone at the end.

use super::answer::Answer;
use super::{Case, answered, turns};
use crate::child;
use crate::error::{BenchError, doing};
use crate::looped::Looped;
use crate::options::Options;
use crate::place::{Device, Shop};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const LOOP_BYTES: u64 = 256 << 20;
const FILE_SYSTEM_BYTES: u64 = 768 << 20;
const LIMIT: u64 = 2000;
const FIRST: &str = "/sys/fs/cgroup/blkio";
const SECOND: &str = "/sys/fs/cgroup";
/// Three workloads: the whole grid of seven takes ten minutes a target.
const WORKLOADS: &str = "\
[[workload]]\nblock = \"4K\"\npattern = \"random\"\n\
[[workload]]\nblock = \"64K\"\npattern = \"random\"\n\
[[workload]]\nblock = \"1M\"\npattern = \"sequential\"\n";

/// The same load as options of `fathom run`.
const OPTIONS: &[(&str, &[&str])] = &[
    ("4K random read", &["--block", "4K"]),
    ("64K random read", &["--block", "64K"]),
    (
        "1M sequential read",
        &["--block", "1M", "--pattern", "sequential"],
    ),
];

/// Where it is measured.
pub(super) struct Site<'a> {
    shop: &'a Shop,
    target: String,
    /// Of the survey's file.
    size: Option<&'a str>,
    /// A control group that the program is in.
    group: Option<&'a Path>,
}

/// What one is called in `--places`, its title in a reason for skipping it, and how it is compared; `Err` where it cannot
/// be created.
type Real = (
    &'static str,
    &'static str,
    fn(&Shop, &Path) -> Result<Result<Case, BenchError>, String>,
);
const REAL: [Real; 4] = [
    ("file", "file", in_folder),
    ("ext4", "ext4 in memory", on_ext4),
    ("limit", "loop device under a limit", throttled),
    ("zram", "zram", on_zram),
];

pub(super) fn add(
    (shop, options): (&Shop, &Options),
    cases: &mut Vec<Case>,
    skipped: &mut Vec<String>,
) -> Result<(), BenchError> {
    let workloads = shop.folder().join("reads.toml");
    fs::write(&workloads, WORKLOADS).map_err(doing("a file of workloads"))?;
    for (name, title, compared) in REAL {
        if !options.wants(name) {
            continue;
        }
        match compared(shop, &workloads) {
            Ok(case) => cases.push(case?),
            Err(why) => skipped.push(format!("skipped: {title}: {why}")),
        }
    }
    Ok(())
}

fn in_folder(shop: &Shop, workloads: &Path) -> Result<Result<Case, BenchError>, String> {
    let site = Site {
        shop,
        target: "survey.dat".to_owned(),
        size: Some("1G"),
        group: None,
    };
    Ok(site.compared("file, unbuffered", workloads))
}

fn on_zram(shop: &Shop, workloads: &Path) -> Result<Result<Case, BenchError>, String> {
    let device = Device::make()?;
    fill(&device.path()).map_err(|error| error.to_string())?;
    let title = format!("{} device", device.kind());
    Ok(Site::of_device(shop, &device.path()).compared(&title, workloads))
}

/// The same file on a device that is like itself from one minute to the next, as this machine's disk may not be.
fn on_ext4(shop: &Shop, workloads: &Path) -> Result<Result<Case, BenchError>, String> {
    let looped = Looped::with_file_system(FILE_SYSTEM_BYTES, "ext4")?;
    let file = looped.folder().join("survey.dat");
    let site = Site {
        size: Some("512M"),
        ..Site::of_device(shop, &file)
    };
    Ok(site.compared("ext4 in memory, a file, unbuffered", workloads))
}

fn throttled(shop: &Shop, workloads: &Path) -> Result<Result<Case, BenchError>, String> {
    let looped = Looped::new(LOOP_BYTES)?;
    looped.fill(LOOP_BYTES).map_err(|error| error.to_string())?;
    let group = Group::new(&looped.device).map_err(|error| error.to_string())?;
    let site = Site {
        group: Some(&group.0),
        ..Site::of_device(shop, &looped.device)
    };
    let title = format!("loop device, its control group allows {LIMIT} reads a second");
    Ok(site.compared(&title, workloads))
}

impl<'a> Site<'a> {
    fn of_device(shop: &'a Shop, path: &Path) -> Site<'a> {
        Site {
            shop,
            target: path.to_string_lossy().into_owned(),
            size: None,
            group: None,
        }
    }

    /// The survey, the whole grid, and the loads in turns.
    fn compared(&self, title: &str, workloads: &Path) -> Result<Case, BenchError> {
        let mut case = Case {
            title: title.to_owned(),
            adaptive: self.surveyed(workloads, &[])?,
            whole: self.surveyed(workloads, &["--exhaustive"])?,
            turns: Vec::new(),
        };
        case.turns = turns::take(self, &case, OPTIONS)?;
        Ok(case)
    }

    fn surveyed(&self, workloads: &Path, more: &[&str]) -> Result<Answer, BenchError> {
        let mut command = self.fathom("survey");
        command.args(["--read-only", "--workload"]).arg(workloads);
        if let Some(size) = self.size {
            command.args(["--size", size]);
        }
        answered(command.args(more), self.shop)
    }

    /// What `fathom run` prints of this target.
    pub(super) fn run(&self, options: &[&str]) -> Result<String, BenchError> {
        let mut command = self.fathom("run");
        command.args(options).current_dir(self.shop.folder());
        Ok(child::run(&mut command, &self.shop.stop)?.out)
    }

    /// The program on this target, in the control group.
    fn fathom(&self, name: &str) -> Command {
        let mut command = match self.group {
            None => Command::new(&self.shop.fathom),
            Some(group) => {
                let script = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", group.display());
                let mut shell = Command::new("sh");
                shell.args(["-c", &script, "sh"]).arg(&self.shop.fathom);
                shell
            }
        };
        command.args([name, "--json", "--no-store", &self.target]);
        command
    }
}

fn fill(device: &Path) -> Result<(), BenchError> {
    let mut fill = Command::new("dd");
    fill.args([
        "if=/dev/urandom",
        "bs=1M",
        "oflag=direct",
        "status=none",
        "count=64",
    ]);
    fill.arg(format!("of={}", device.display()));
    fill.status().map_err(doing("dd")).map(|_| ())
}

/// A control group with a limit on reads of a device; gone on drop. Source: the kernel's
/// `Documentation/admin-guide/cgroup-v1/blkio-controller.rst` and `cgroup-v2.rst`.
struct Group(PathBuf);

impl Group {
    fn new(device: &Path) -> std::io::Result<Group> {
        let number = fs::metadata(device)?.rdev();
        let (major, minor) = (libc::major(number), libc::minor(number));
        let first = Path::new(FIRST).is_dir();
        let (top, file, line) = match first {
            true => (
                FIRST,
                "blkio.throttle.read_iops_device",
                format!("{major}:{minor} {LIMIT}"),
            ),
            false => (SECOND, "io.max", format!("{major}:{minor} riops={LIMIT}")),
        };
        if !first {
            fs::write(Path::new(top).join("cgroup.subtree_control"), "+io")?;
        }
        let folder = Path::new(top).join(format!("bench-survey-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Group(folder);
        fs::write(group.0.join(file), line)?;
        Ok(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
