//! How long each request takes, from the kernel's tracepoints, in an instance of our own that goes away again.
//!
//! From `block_rq_issue` (handed to the driver) to `block_rq_complete`. Source: the kernel's
//! `Documentation/trace/ftrace.rst` and `events.rst`. So that watching stays cheap with any load of the device, only
//! I/Os whose place has some bits clear are traced when there are many: the choice does not depend on how long they
//! take. The buffer keeps what came first; a reading with lost events reports them. Deliberately absent: devices
//! without requests of their own (zram, md, dm).

mod instance;
mod ios;
mod pages;

pub use ios::IoTrace;

use crate::reported::Timed;
use crate::root::Root;
use instance::{Instance, Setup, data_offset, tracefs};
use model::Nanos;
use pages::{Format, Happened, Layout};
use std::collections::HashMap;
use std::path::Path;

/// The two events of a request's life.
const EVENTS: [&str; 2] = ["block_rq_issue", "block_rq_complete"];
/// A core's share: some 20 000 events.
const BUFFER_KIB: u64 = 1536;
/// What our instances are called; behind it stands the number of the process.
const NAME: &str = "watch";
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
/// A trace of block requests. Its instance is removed with the value.
pub struct BlockTrace {
    instance: Instance,
    format: Format,
    /// Issued and not completed, by device and sector.
    open: HashMap<((u32, u32), u64), Nanos>,
    /// Completed before their issue was read: another core's buffer was read earlier.
    early: Vec<Happened>,
    /// In the syntax of an event filter; empty for all.
    devices: String,
    choice_bits: u32,
}

impl BlockTrace {
    /// Begins to trace requests of these devices (major and minor numbers of whole disks); or why that cannot be, in
    /// words for a person.
    pub fn start(root: &Root, devices: &[(u32, u32)]) -> Result<Self, String> {
        let tracing = tracefs(root)?;
        let events = tracing.join("events");
        let format = format_of(&events).ok_or("this kernel traces no block requests")?;
        let setup = Setup {
            name: NAME,
            buffer_kib: BUFFER_KIB,
            overwrites: false,
        };
        let trace = BlockTrace {
            instance: Instance::create(root, &tracing, &setup)?,
            format,
            open: HashMap::new(),
            early: Vec::new(),
            devices: device_filter(devices),
            choice_bits: 0,
        };
        trace
            .begin()
            .map_err(|error| format!("the trace cannot be set up: {error}"))?;
        Ok(trace)
    }

    fn begin(&self) -> std::io::Result<()> {
        self.filter(0)?;
        EVENTS
            .iter()
            .try_for_each(|event| self.instance.enable(event))
    }

    /// What was timed since the last call. `rate_per_s` is the sum of the counters of all devices; it decides which
    /// share is timed from now on.
    pub fn read(&mut self, rate_per_s: f64) -> Timed {
        let mut happened = std::mem::take(&mut self.early);
        let carried = happened.len();
        let mut lost = false;
        let format = &self.format;
        self.instance.read(&mut |_, page| {
            lost |= pages::page(page, format, &mut |event| happened.push(event));
        });
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
            self.instance.filter(event, &filter)?;
        }
        Ok(())
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

fn format_of(events: &Path) -> Option<Format> {
    let text = |name: &str| crate::system::tree::text(&events.join(name));
    let layout = |event: &str| Layout::read(&text(&format!("block/{event}/format"))?);
    Some(Format {
        data: data_offset(events)?,
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
