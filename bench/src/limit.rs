//! Limits that the kernel keeps: one device that is no faster than that, and programs that have no more memory than that.
//!
//! They slow a device in memory to the rate of a disk, and provide a file larger than memory, so that the figures that
//! programs report of either can be compared closely. The limit of the device is the root group's, because what the
//! system's cache writes back is written by threads of that group. Source: the kernel's
//! `Documentation/admin-guide/cgroup-v1`, the pages `blkio-controller` and `memory`. Needs root and that version of
//! control groups.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const BLOCK_GROUP: &str = "/sys/fs/cgroup/blkio";
const MEMORY_GROUP: &str = "/sys/fs/cgroup/memory";
const RULES: [&str; 2] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
];

/// Lifted at the end.
pub(crate) struct Limit {
    /// The device's number, as rules name it.
    device: String,
    /// A group of our own, where memory is limited.
    memory: Option<PathBuf>,
}

impl Limit {
    /// So many bytes per second on this device, each way; `Err` is the reason why not.
    pub(crate) fn new(device: &Path, bytes_per_s: u64) -> Result<Limit, String> {
        let facts = std::fs::metadata(device);
        let facts = facts.map_err(|error| format!("{}: {error}", device.display()))?;
        let (major, minor) = (libc::major(facts.rdev()), libc::minor(facts.rdev()));
        let limit = Limit {
            device: format!("{major}:{minor}"),
            memory: None,
        };
        limit.rule(bytes_per_s)?;
        Ok(limit)
    }

    /// And so many bytes of memory, the system's cache of what they read and write included.
    pub(crate) fn with_memory(mut self, bytes: u64) -> Result<Limit, String> {
        let folder = Path::new(MEMORY_GROUP).join(format!("fathom-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = folder.join("memory.limit_in_bytes");
        self.memory = Some(folder);
        write(&file, &bytes.to_string())?;
        Ok(self)
    }

    fn rule(&self, bytes_per_s: u64) -> Result<(), String> {
        let rule = format!("{} {bytes_per_s}", self.device);
        let files = RULES.map(|file| Path::new(BLOCK_GROUP).join(file));
        files.iter().try_for_each(|file| write(file, &rule))
    }

    /// The same command within the limits.
    pub(crate) fn around(&self, command: &Command) -> Command {
        let enter = |folder: &Path| format!("echo $$ > '{}/cgroup.procs' && ", folder.display());
        let memory = self.memory.as_deref().map(enter).unwrap_or_default();
        let line = format!("{}{memory}exec \"$@\"", enter(Path::new(BLOCK_GROUP)));
        let mut within = Command::new("sh");
        within.args(["-c", &line, "sh"]);
        within.arg(command.get_program()).args(command.get_args());
        within
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

impl Drop for Limit {
    fn drop(&mut self) {
        let lifted = self.rule(0); // 0 takes the rule away
        let removed = self.memory.as_deref().map(std::fs::remove_dir);
        if lifted.is_err() || removed.is_some_and(|done| done.is_err()) {
            eprintln!(
                "bench: a limit on {} in {BLOCK_GROUP}, or a group in {MEMORY_GROUP}, stays",
                self.device
            );
        }
    }
}
