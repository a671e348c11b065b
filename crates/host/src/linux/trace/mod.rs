//! How long each request takes, from the kernel's tracepoints, in an instance of our own that goes away again.
//!
//! From `block_rq_issue` (handed to the driver) to `block_rq_complete`. Source: the kernel's
//! `Documentation/trace/ftrace.rst` and `events.rst`. So that watching stays cheap with any load of the device, only
//! I/Os whose place has some bits clear are traced when there are many: the choice does not depend on how long they
//! take. The buffer keeps what came first; a reading with lost events reports them. Deliberately absent: devices
//! without requests of their own (zram, md, dm).

mod pages;

use super::mounts::mounts;
use crate::root::Root;
use model::Nanos;
use pages::{Format, Happened, Layout};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The two events of a request's life.
const EVENTS: [&str; 2] = ["block_rq_issue", "block_rq_complete"];
/// A core's share: some 20 000 events.
const BUFFER_KIB: &str = "1536";
/// What our instances are called; behind it stands the number of the process.
const NAME: &str = "fathom-watch-";
/// At most this many IOPS are to be traced, so that reading them costs a fraction of a percent of a core.
const TRACED_PER_S: f64 = 8_000.0;
/// Places that differ in the bits from here on: a mebibyte in sectors. Below them, I/Os that are aligned do not differ.
const CHOICE_SHIFT: u32 = 11;
/// One in 4096 at the least.
const CHOICE_BITS_MAX: u32 = 12;
/// A filter costs each request a comparison for each device in it.
const FILTER_DEVICES_MAX: usize = 16;
/// I/Os that are waited for; more were never completed, or their end was lost.
const OPEN_MAX: usize = 1 << 16;
/// As large as any page of a trace.
const PAGE_BYTES: usize = 64 << 10;

/// A trace of block requests. Its instance is removed with the value.
pub struct BlockTrace {
    instance: PathBuf,
    cores: Vec<File>,
    format: Format,
    /// Issued and not completed, by device and sector.
    open: HashMap<((u32, u32), u64), Nanos>,
    /// Completed before their issue was read: another core's buffer was read earlier.
    early: Vec<Happened>,
    page: Vec<u8>,
    /// In the syntax of an event filter; empty for all.
    devices: String,
    choice_bits: u32,
}

/// What was timed since the last reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// Latencies by major and minor number, in no order.
    pub devices: HashMap<(u32, u32), Vec<Nanos>>,
    /// Some were lost, so that these are no fair choice.
    pub lost: bool,
    /// One I/O in so many was to be timed. // at least 1
    pub one_in: u64,
}

impl BlockTrace {
    /// Begins to trace requests of these devices (major and minor numbers of whole disks); or why that cannot be, in
    /// words for a person.
    pub fn start(root: &Root, devices: &[(u32, u32)]) -> Result<Self, String> {
        let tracing = tracefs(root)?;
        remove_left_over(root, &tracing);
        let events = tracing.join("events");
        let format = format_of(&events).ok_or("this kernel traces no block requests")?;
        let instance = tracing
            .join("instances")
            .join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&instance).map_err(|error| match error.kind() {
            ErrorKind::PermissionDenied => "only root may trace".to_owned(),
            _ => format!(
                "no instance can be created in {}: {error}",
                tracing.display()
            ),
        })?;
        let mut trace = BlockTrace {
            instance,
            cores: Vec::new(),
            format,
            open: HashMap::new(),
            early: Vec::new(),
            page: vec![0; PAGE_BYTES],
            devices: device_filter(devices),
            choice_bits: 0,
        };
        trace
            .begin()
            .map_err(|error| format!("the trace cannot be set up: {error}"))?;
        Ok(trace)
    }

    fn begin(&mut self) -> std::io::Result<()> {
        // One clock for all cores: an I/O may end on another than it began on.
        self.write("trace_clock", "mono")?;
        self.write("buffer_size_kb", BUFFER_KIB)?;
        self.write("options/overwrite", "0")?;
        for core in fs::read_dir(self.instance.join("per_cpu"))?.flatten() {
            let mut open = OpenOptions::new();
            open.read(true).custom_flags(libc::O_NONBLOCK);
            self.cores
                .push(open.open(core.path().join("trace_pipe_raw"))?);
        }
        self.filter(0)?;
        for event in EVENTS {
            self.write(&format!("events/block/{event}/enable"), "1")?;
        }
        Ok(())
    }

    /// What was timed since the last call. `rate_per_s` is the sum of the counters of all devices; it decides which
    /// share is timed from now on.
    pub fn read(&mut self, rate_per_s: f64) -> Timed {
        let mut happened = std::mem::take(&mut self.early);
        let carried = happened.len();
        let mut lost = false;
        for core in &self.cores {
            let mut core: &File = core;
            while let Ok(length @ 1..) = core.read(&mut self.page) {
                let page = &self.page[..length];
                lost |= pages::page(page, &self.format, &mut |event| happened.push(event));
            }
        }
        let mut timed = Timed {
            lost,
            one_in: 1 << self.choice_bits,
            ..Timed::default()
        };
        self.pair(happened, carried, &mut timed);
        self.choose(rate_per_s);
        timed
    }

    /// From each issue to the completion at the same place. `carried` of them were left over and wait no longer.
    fn pair(&mut self, mut happened: Vec<Happened>, carried: usize, timed: &mut Timed) {
        let old = happened[..carried].iter().map(|event| event.at).max();
        happened.sort_by_key(|event| event.at);
        for event in happened {
            let key = (event.device, event.sector);
            if event.issued {
                self.open.insert(key, event.at);
            } else if let Some(began) = self.open.remove(&key) {
                let times = timed.devices.entry(event.device).or_default();
                times.push(event.at.minus(began));
            } else if old.is_none_or(|old| event.at > old) && self.early.len() < OPEN_MAX {
                self.early.push(event);
            }
        }
        if self.open.len() > OPEN_MAX {
            self.open.clear();
            timed.lost = true;
        }
    }

    /// The smallest number of bits that keeps what is traced below its bound.
    fn choose(&mut self, rate_per_s: f64) {
        let wanted = choice_bits(rate_per_s);
        // Twice as fast or half as fast changes nothing, so that a steady load has a steady choice.
        if wanted == self.choice_bits || wanted + 1 == self.choice_bits {
            return;
        }
        if self.filter(wanted).is_ok() {
            self.choice_bits = wanted;
            self.open.clear(); // of those whose end is no longer traced
        }
    }

    /// Only our devices, and only places that have so many bits clear.
    fn filter(&self, bits: u32) -> std::io::Result<()> {
        let mask = ((1u64 << bits) - 1) << CHOICE_SHIFT;
        let chosen = (bits > 0).then(|| format!("!(sector & {mask})"));
        let devices = Some(self.devices.clone()).filter(|devices| !devices.is_empty());
        let parts: Vec<String> = devices.into_iter().chain(chosen).collect();
        let filter = match parts.is_empty() {
            true => "0".to_owned(),
            false => parts.join(" && "),
        };
        for event in EVENTS {
            self.write(&format!("events/block/{event}/filter"), &filter)?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> std::io::Result<()> {
        fs::write(self.instance.join(file), text)
    }
}

impl Drop for BlockTrace {
    fn drop(&mut self) {
        self.cores.clear(); // an instance that is open cannot be removed
        let _ = fs::remove_dir(&self.instance);
    }
}

/// As the kernel keeps device numbers. More of them than a filter should have are all of them.
fn device_filter(devices: &[(u32, u32)]) -> String {
    if devices.is_empty() || devices.len() > FILTER_DEVICES_MAX {
        return String::new();
    }
    let each = devices
        .iter()
        .map(|(major, minor)| format!("dev == {}", major << 20 | minor));
    format!("({})", each.collect::<Vec<_>>().join(" || "))
}

fn choice_bits(rate_per_s: f64) -> u32 {
    let mut bits = 0;
    while bits < CHOICE_BITS_MAX && rate_per_s / f64::from(1u32 << bits) > TRACED_PER_S {
        bits += 1;
    }
    bits
}

/// Where the tracing file system is mounted.
fn tracefs(root: &Root) -> Result<PathBuf, String> {
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

/// Instances of ours whose process was killed.
fn remove_left_over(root: &Root, tracing: &Path) {
    let Ok(entries) = fs::read_dir(tracing.join("instances")) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(NAME));
        let dead = process.is_some_and(|number| {
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

fn format_of(events: &Path) -> Option<Format> {
    let text = |name: &str| crate::root::text(&events.join(name));
    let layout = |event: &str| Layout::read(&text(&format!("block/{event}/format"))?);
    let header = at_once(&events.join("header_page"))?;
    let data = header.lines().find(|line| line.contains(" data;"))?;
    let data = data
        .split(';')
        .find_map(|word| word.trim().strip_prefix("offset:"))?;
    Some(Format {
        data: data.parse().ok()?,
        issue: layout(EVENTS[0])?,
        complete: layout(EVENTS[1])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_the_device_the_fewer_are_timed() {
        let bits: Vec<u32> = [0.0, 8_000.0, 8_001.0, 64_000.0, 1e12]
            .map(choice_bits)
            .into();
        assert_eq!(bits, [0, 0, 1, 3, CHOICE_BITS_MAX]);
    }
}
