//! Real targets, made here: a file on the disk of the bench's folder, a loop device under a control group's limit, a zram
//! device. As root; each is gone at the end.

use super::{Case, answered, in_group, surveyed};
use crate::error::{BenchError, doing};
use crate::looped::Looped;
use crate::place::{Device, Shop};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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

pub(super) fn add(
    shop: &Shop,
    cases: &mut Vec<Case>,
    skipped: &mut Vec<String>,
) -> Result<(), BenchError> {
    let workloads = shop.folder().join("reads.toml");
    fs::write(&workloads, WORKLOADS).map_err(doing("a file of workloads"))?;
    let workloads = workloads.to_string_lossy().into_owned();
    let reads = ["--workload", workloads.as_str(), "--read-only"];
    cases.push(both(
        shop,
        "file, unbuffered",
        &["survey.dat", "--size", "1G"],
        &reads,
    )?);
    match on_ext4(shop, &reads) {
        Ok(case) => cases.push(case?),
        Err(why) => skipped.push(format!("skipped: ext4 in memory: {why}")),
    }
    match throttled(shop, &reads) {
        Ok(case) => cases.push(case?),
        Err(why) => skipped.push(format!("skipped: loop device under a limit: {why}")),
    }
    match Device::make() {
        Ok(device) => {
            let path = device.path();
            fill(&path)?;
            let title = format!("{} device", device.kind());
            cases.push(both(shop, &title, &[&path.to_string_lossy()], &reads)?);
        }
        Err(why) => skipped.push(format!("skipped: zram: {why}")),
    }
    Ok(())
}

fn both(shop: &Shop, title: &str, words: &[&str], more: &[&str]) -> Result<Case, BenchError> {
    let words = [words, more].concat();
    Ok(Case {
        title: title.to_owned(),
        adaptive: surveyed(shop, &words, &[])?,
        whole: surveyed(shop, &words, &["--exhaustive"])?,
        again: Some(surveyed(shop, &words, &["--exhaustive"])?),
    })
}

/// The same file on a device that is like itself from one minute to the next, as this machine's disk may not be.
fn on_ext4(shop: &Shop, reads: &[&str]) -> Result<Result<Case, BenchError>, String> {
    let looped = Looped::with_file_system(FILE_SYSTEM_BYTES, "ext4")?;
    let file = looped.folder().join("survey.dat");
    let words = [&file.to_string_lossy(), "--size", "512M"];
    Ok(both(
        shop,
        "ext4 in memory, a file, unbuffered",
        &words,
        reads,
    ))
}

/// `Err` where it cannot be made.
fn throttled(shop: &Shop, reads: &[&str]) -> Result<Result<Case, BenchError>, String> {
    let looped = Looped::new(LOOP_BYTES)?;
    looped.fill(LOOP_BYTES).map_err(|error| error.to_string())?;
    let group = Group::new(&looped.device).map_err(|error| error.to_string())?;
    let device = looped.device.to_string_lossy().into_owned();
    let run = |more: &[&str]| {
        let words = [&[device.as_str()], reads, more].concat();
        answered(&mut in_group(shop, &group.0, &words), shop)
    };
    Ok(run(&[]).and_then(|adaptive| {
        Ok(Case {
            title: format!("loop device, its control group allows {LIMIT} reads a second"),
            adaptive,
            whole: run(&["--exhaustive"])?,
            again: Some(run(&["--exhaustive"])?),
        })
    }))
}

fn fill(device: &Path) -> Result<(), BenchError> {
    let mut fill = std::process::Command::new("dd");
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
