//! Ground for staged runs: control groups with limits, other programs at work, a mounted file system. Taken apart again
//! in any case.

use crate::bench::Bench;
use crate::looped::Loop;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where the system's own commands are, for tests that run without an environment.
pub(crate) const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

const FIRST_IO: &str = "/sys/fs/cgroup/blkio";
const FIRST_CPU: &str = "/sys/fs/cgroup/cpu";
const SECOND: &str = "/sys/fs/cgroup";

/// Major and minor number of a device.
pub(crate) fn number_of(device: &Path) -> (u32, u32) {
    let facts = host::target_facts(&host::Root::live(), device);
    facts.chain[0].number
}

/// A control group with a limit. Source: the kernel's `Documentation/admin-guide/cgroup-v2.rst`, and
/// `cgroup-v1/blkio-controller.rst`.
pub(crate) struct Group {
    pub(crate) folder: PathBuf,
}

impl Group {
    /// A limit on one device, in the words of the second version: `riops`, `rbps`. `None`, with the reason printed, where
    /// it cannot be.
    pub(crate) fn of_io((major, minor): (u32, u32), what: &str, limit: u64) -> Option<Self> {
        let name = format!("{major}-{minor}-{what}-{limit}");
        let (top, file, line) = if Path::new(FIRST_IO).is_dir() {
            let file = match what {
                "riops" => "blkio.throttle.read_iops_device",
                _ => "blkio.throttle.read_bps_device",
            };
            (FIRST_IO, file, format!("{major}:{minor} {limit}"))
        } else {
            (SECOND, "io.max", format!("{major}:{minor} {what}={limit}"))
        };
        Self::reported(Self::made(top, "+io", &name, &[(file, line)]))
    }

    /// A limit on processor time, in thousandths of a core; likewise.
    pub(crate) fn of_processor(millicores: u64) -> Option<Self> {
        let period = 100_000;
        let quota = millicores * period / 1000;
        let name = format!("cpu-{millicores}");
        Self::reported(if Path::new(FIRST_CPU).join("cpu.cfs_quota_us").is_file() {
            let quota = ("cpu.cfs_quota_us", quota.to_string());
            Self::made(FIRST_CPU, "", &name, &[quota])
        } else {
            let quota = ("cpu.max", format!("{quota} {period}"));
            Self::made(SECOND, "+cpu", &name, &[quota])
        })
    }

    fn made(
        top: &str,
        controller: &str,
        name: &str,
        lines: &[(&str, String)],
    ) -> std::io::Result<Self> {
        let top = Path::new(top);
        let second = top.join("cgroup.subtree_control");
        if second.exists() {
            fs::write(second, controller)?;
        }
        let folder = top.join(format!("fathom-staged-{}-{name}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Group { folder };
        for (file, line) in lines {
            fs::write(group.folder.join(file), line)?;
        }
        Ok(group)
    }

    fn reported(made: std::io::Result<Self>) -> Option<Self> {
        if let Err(why) = &made {
            println!("skipped: no limit by control groups: {why}");
        }
        made.ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The rest of a shell script that hides control groups from the program, as a container may, and runs it; `None` where
/// that cannot be done. Only the program's own view of the mounts changes.
pub(crate) fn without_limits_in_sight() -> Option<String> {
    let first = Path::new(FIRST_IO).is_dir();
    let hide = if first { FIRST_IO } else { SECOND };
    let script = format!("umount -l {hide} && exec \"$@\"");
    let mut hidden = Command::new("unshare");
    let tried = hidden
        .args(["-m", "sh", "-c", &script, "sh", "true"])
        .output();
    let works = tried.is_ok_and(|tried| tried.status.success());
    works.then(|| format!("exec unshare -m sh -c 'umount -l {hide} && exec \"$@\"' sh \"$@\""))
}

/// Another program at work; ended with the value, and all that it started.
pub(crate) struct Guest(Child);

impl Guest {
    /// `None` where there is no such program.
    pub(crate) fn start(words: &[&str]) -> Option<Self> {
        use std::os::unix::process::CommandExt;
        let (program, rest) = words.split_first()?;
        let mut command = Command::new(program);
        command
            .args(rest)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        command.spawn().ok().map(Guest)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Its process group has its own number, and only its children are in it.
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.0.wait();
    }
}

/// A file system on a loop device, mounted with an option.
pub(crate) struct Mounted {
    pub(crate) at: PathBuf,
}

impl Mounted {
    /// `None`, with the reason printed, where it cannot be.
    pub(crate) fn ext4(looped: &Loop, bench: &Bench, option: &str) -> Option<Self> {
        let at = bench.path("mnt");
        fs::create_dir(&at).unwrap();
        let mut make = Command::new("mkfs.ext4");
        let made = make.args(["-q", "-F"]).arg(&looped.device).status();
        let mut mount = Command::new("mount");
        mount.args(["-o", option]).arg(&looped.device).arg(&at);
        let done = made.is_ok_and(|status| status.success())
            && mount.status().is_ok_and(|status| status.success());
        if !done {
            println!("skipped: no ext4 can be created and mounted here");
            return None;
        }
        Some(Mounted { at })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.at).status();
    }
}
