//! An instance of the kernel's tracing, of our own: set up, read and removed again.
//!
//! Source: the kernel's `Documentation/trace/ftrace.rst`. Omitted: which events, and what they mean.

use super::super::mounts::mounts;
use crate::root::Root;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The names of our instances begin with it; what uses it and the number of the process follow.
const PREFIX: &str = "fathom-";
/// As large as any page of a trace.
const PAGE_BYTES: usize = 64 << 10;

/// How an instance is set up.
pub(super) struct Setup {
    /// What uses it.
    pub(super) name: &'static str,
    /// A core's share.
    pub(super) buffer_kib: u64,
    /// Events that find the buffer full replace the oldest; else they are dropped.
    pub(super) overwrites: bool,
}

/// An instance, removed with the value.
pub(super) struct Instance {
    path: PathBuf,
    cores: Vec<File>,
    page: Vec<u8>,
    pages_max: u64, // of a core in one reading
}

impl Instance {
    /// Creates it, without any event; or why that cannot be, for a person.
    pub(super) fn create(root: &Root, tracing: &Path, setup: &Setup) -> Result<Self, String> {
        remove_left_over(root, tracing);
        let name = format!("{PREFIX}{}-{}", setup.name, std::process::id());
        let path = tracing.join("instances").join(name);
        let created = fs::create_dir(&path).or_else(|error| match error.kind() {
            // Of a program that was killed and had the same number, as in a container.
            ErrorKind::AlreadyExists => fs::remove_dir(&path).and_then(|()| fs::create_dir(&path)),
            _ => Err(error),
        });
        created.map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => "only root may trace".to_owned(),
            _ => format!(
                "no instance can be created in {}: {error}",
                tracing.display()
            ),
        })?;
        let mut instance = Instance {
            path,
            cores: Vec::new(),
            page: vec![0; PAGE_BYTES],
            pages_max: setup.buffer_kib / 4 + 2,
        };
        instance
            .begin(setup)
            .map_err(|error| format!("the trace cannot be set up: {error}"))?;
        Ok(instance)
    }

    fn begin(&mut self, setup: &Setup) -> std::io::Result<()> {
        // One clock for all cores: an I/O may end on another than it began on.
        self.write("trace_clock", "mono")?;
        self.write("buffer_size_kb", &setup.buffer_kib.to_string())?;
        self.write(
            "options/overwrite",
            if setup.overwrites { "1" } else { "0" },
        )?;
        for core in fs::read_dir(self.path.join("per_cpu"))?.flatten() {
            let mut open = OpenOptions::new();
            open.read(true).custom_flags(libc::O_NONBLOCK);
            self.cores
                .push(open.open(core.path().join("trace_pipe_raw"))?);
        }
        Ok(())
    }

    /// Returns how many cores have a buffer.
    pub(super) fn cores(&self) -> usize {
        self.cores.len()
    }

    /// Traces an event of the block layer.
    pub(super) fn enable(&self, event: &str) -> std::io::Result<()> {
        self.write(&format!("events/block/{event}/enable"), "1")
    }

    /// Traces every process and thread that is created.
    pub(super) fn enable_forks(&self) -> std::io::Result<()> {
        self.write("events/sched/sched_process_fork/enable", "1")
    }

    /// Restricts an event; `0` removes the filter.
    pub(super) fn filter(&self, event: &str, filter: &str) -> std::io::Result<()> {
        self.write(&format!("events/block/{event}/filter"), filter)
    }

    /// Passes on all pages, each with the number of its core. Returns the cores whose buffer is not empty yet: events
    /// come as fast as they are read.
    pub(super) fn read(&mut self, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<usize> {
        let mut full = Vec::new();
        for (number, mut core) in self.cores.iter().enumerate() {
            let mut pages = 0;
            while pages < self.pages_max
                && let Ok(length @ 1..) = core.read(&mut self.page)
            {
                sink(number, &self.page[..length]);
                pages += 1;
            }
            if pages == self.pages_max {
                full.push(number);
            }
        }
        full
    }

    fn write(&self, file: &str, text: &str) -> std::io::Result<()> {
        fs::write(self.path.join(file), text)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.cores.clear(); // an instance that is open cannot be removed
        let _ = fs::remove_dir(&self.path);
    }
}

/// Returns where the entries of a page begin.
pub(super) fn data_offset(events: &Path) -> Option<usize> {
    let header = at_once(&events.join("header_page"))?;
    let data = header.lines().find(|line| line.contains(" data;"))?;
    let offset = data
        .split(';')
        .find_map(|word| word.trim().strip_prefix("offset:"))?;
    offset.parse().ok()
}

/// Where the tracing file system is mounted.
pub(super) fn tracefs(root: &Root) -> Result<PathBuf, String> {
    let found = mounts(root)
        .into_iter()
        .find(|mount| mount.kind == "tracefs");
    let at = found.map(|mount| mount.at);
    let usual = PathBuf::from("/sys/kernel/tracing");
    // Below debugfs it is mounted on the first access.
    let debug = PathBuf::from("/sys/kernel/debug/tracing");
    let there = |at: &PathBuf| at.join("instances").is_dir();
    at.into_iter().chain([usual, debug]).find(there).ok_or_else(|| {
        "the kernel's tracing file system cannot be read: it needs root, and: mount -t tracefs nodev /sys/kernel/tracing"
            .to_owned()
    })
}

/// Removes instances of ours whose process was killed.
fn remove_left_over(root: &Root, tracing: &Path) {
    let Ok(entries) = fs::read_dir(tracing.join("instances")) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let process = ours.and_then(|ours| ours.rsplit_once('-'));
        let dead = process.is_some_and(|(_, number)| {
            number.parse::<u32>().is_ok() && !root.path(format!("proc/{number}")).exists()
        });
        if dead {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The kernel gives this file in one reading or cut short: a second one finds it at its end.
fn at_once(path: &Path) -> Option<String> {
    let mut bytes = vec![0; PAGE_BYTES];
    let length = File::open(path).ok()?.read(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
}
