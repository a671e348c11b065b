//! Every I/O of a device, from the kernel's tracepoints: when it arrives at the queue, and when it completes.
//!
//! The buffer keeps what came last, so that the kernel counts what was lost, and between which events. Events are passed on
//! in the order of time, once no core can add an earlier one. Omitted: which events belong to the same I/O (`traces`), and
//! which threads and places count.

use super::device_filter;
use super::instance::{Instance, Setup, data_offset, tracefs};
use super::pages::{self, Field, event_id, field, number, wide};
use crate::reported::ObservedEvents;
use crate::root::Root;
use model::Nanos;
use model::trace::{BLOCK_LETTERS, BlockEvent, BlockStage, LostEvents};
use std::path::Path;

/// The events, with what they mean. A device without requests of its own (md, dm, zram) has no `rq` events.
const EVENTS: [(&str, BlockStage); 3] = [
    ("block_bio_queue", BlockStage::Queued),
    ("block_rq_complete", BlockStage::Completed),
    ("block_bio_complete", BlockStage::Completed),
];
/// All cores' shares together, and the least and most of one.
const BUFFER_KIB: u64 = 64 << 10;
const CORE_KIB: std::ops::RangeInclusive<u64> = (2 << 10)..=(32 << 10);
const NAME: &str = "learn";

/// A trace of I/Os. Its instance is removed with the value.
pub struct IoTrace {
    instance: Instance,
    layouts: Vec<Layout>,
    forks: Option<ForkLayout>,
    data: usize,
    waiting: Vec<BlockEvent>,
    /// By core: the last event that was read.
    last: Vec<Nanos>,
    /// All events up to here were passed on.
    complete: Nanos,
}

/// Where the fields of the creation of a thread lie. `set_event_pid` with `event-fork` would follow children too, but it also
/// omits the completions, which happen in any thread.
#[derive(Clone, Copy, Debug)]
struct ForkLayout {
    id: u16,
    parent: usize,
    child: usize,
}

impl ForkLayout {
    fn read(format: &str) -> Option<ForkLayout> {
        let offset = |name| field(format, name).filter(|found| found.size == 4);
        Some(ForkLayout {
            id: event_id(format)?,
            parent: offset("parent_pid")?.offset,
            child: offset("child_pid")?.offset,
        })
    }

    fn fork(&self, data: &[u8]) -> Option<[u32; 2]> {
        Some([number(data, self.parent)?, number(data, self.child)?])
    }
}

/// Where the fields of an event lie.
#[derive(Clone, Copy, Debug)]
struct Layout {
    id: u16,
    stage: BlockStage,
    device: usize,
    sector: usize,
    sectors: usize,
    thread: usize,
    letters: Field,
}

impl Layout {
    fn read(format: &str, stage: BlockStage) -> Option<Layout> {
        let offset = |name: &str, size: usize| {
            let found = field(format, name)?;
            (found.size == size).then_some(found.offset)
        };
        Some(Layout {
            id: event_id(format)?,
            stage,
            device: offset("dev", 4)?,
            sector: offset("sector", 8)?,
            sectors: offset("nr_sector", 4)?,
            thread: offset("common_pid", 4)?,
            letters: field(format, "rwbs")?,
        })
    }

    fn event(&self, data: &[u8], at: Nanos) -> Option<BlockEvent> {
        let device = number(data, self.device)?;
        let from = self.letters.offset;
        let text = data.get(from..from + self.letters.size)?;
        let mut letters = [0; BLOCK_LETTERS];
        for (to, &letter) in letters.iter_mut().zip(text) {
            if letter == 0 {
                break;
            }
            *to = letter;
        }
        Some(BlockEvent {
            at,
            stage: self.stage,
            device: (device >> 20, device & 0xF_FFFF),
            sector: wide(data, self.sector)?,
            sectors: number(data, self.sectors)?,
            thread: number(data, self.thread)?,
            letters,
        })
    }
}

impl IoTrace {
    /// Returns why I/Os cannot be observed, without changing anything.
    ///
    /// # Errors
    /// What is missing, for a person.
    pub fn check(root: &Root) -> Result<(), String> {
        layouts(&tracefs(root)?.join("events")).map(drop)
    }

    /// Begins to trace the I/Os of these devices (major and minor numbers of whole disks); of all without any. `forks`: also
    /// which threads are created, where the kernel traces that.
    ///
    /// # Errors
    /// What is missing, for a person.
    pub fn start(root: &Root, devices: &[(u32, u32)], forks: bool) -> Result<IoTrace, String> {
        let tracing = tracefs(root)?;
        let format = tracing.join("events/sched/sched_process_fork/format");
        let format = crate::system::tree::text(&format).filter(|_| forks);
        let (layouts, data) = layouts(&tracing.join("events"))?;
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
        let setup = Setup {
            name: NAME,
            buffer_kib: (BUFFER_KIB / cores).clamp(*CORE_KIB.start(), *CORE_KIB.end()),
            overwrites: true,
        };
        let instance = Instance::create(root, &tracing, &setup)?;
        let trace = IoTrace {
            last: vec![Nanos(0); instance.cores()],
            instance,
            layouts,
            forks: format.and_then(|format| ForkLayout::read(&format)),
            data,
            waiting: Vec::new(),
            complete: Nanos(0),
        };
        trace
            .begin(&device_filter(devices))
            .map_err(|error| format!("the trace cannot be set up: {error}"))?;
        Ok(trace)
    }

    /// Names the events.
    pub fn events() -> [&'static str; 3] {
        EVENTS.map(|(event, _)| event)
    }

    fn begin(&self, filter: &str) -> std::io::Result<()> {
        if self.forks.is_some() {
            self.instance.enable_forks()?;
        }
        for (event, _) in EVENTS {
            if !filter.is_empty() {
                self.instance.filter(event, filter)?;
            }
            self.instance.enable(event)?;
        }
        Ok(())
    }

    /// Returns what happened since the last call; `ends`: nothing follows, so that nothing waits either.
    pub fn read(&mut self, ends: bool) -> ObservedEvents {
        let before = self.last.iter().max().copied().unwrap_or_default();
        let (complete, layouts, fork) = (self.complete, &self.layouts, self.forks);
        let (last, waiting) = (&mut self.last, &mut self.waiting);
        let (mut lost, mut forks) = (Vec::new(), Vec::new());
        let full = self.instance.read(&mut |core, page| {
            let known = last[core];
            let mut first = None;
            let missed = pages::entries(page, self.data, &mut |data, at| {
                first.get_or_insert(at);
                last[core] = last[core].max(at);
                let id = data.get(..2).map(|id| u16::from_ne_bytes([id[0], id[1]]));
                let layout = layouts.iter().find(|layout| Some(layout.id) == id);
                waiting.extend(layout.and_then(|layout| layout.event(data, at)));
                let fork = fork.filter(|fork| Some(fork.id) == id);
                forks.extend(fork.and_then(|fork| Some((at, fork.fork(data)?))));
            });
            lost.extend(missed.map(|events| LostEvents {
                // The buffer was empty after the last reading.
                from: known.max(complete),
                to: first.unwrap_or(known),
                events,
            }));
        });
        let behind = full.iter().map(|&core| last[core]).min();
        let until = if ends {
            Nanos::MAX
        } else {
            before.min(behind.unwrap_or(before)).max(complete)
        };
        self.complete = until;
        forks.sort_by_key(|(at, _)| *at);
        ObservedEvents {
            events: take_until(&mut self.waiting, until),
            lost,
            complete: until,
            forks: forks.into_iter().map(|(_, fork)| fork).collect(),
        }
    }
}

/// Takes what happened up to a time, in the order of time; events of the same time stay in the order of a life.
fn take_until(waiting: &mut Vec<BlockEvent>, until: Nanos) -> Vec<BlockEvent> {
    waiting.sort_by_key(|event| (event.at, event.stage));
    let count = waiting.partition_point(|event| event.at <= until);
    waiting.drain(..count).collect()
}

fn layouts(events: &Path) -> Result<(Vec<Layout>, usize), String> {
    let none = || "this kernel traces no block I/Os (CONFIG_BLK_DEV_IO_TRACE)".to_owned();
    let read = |(event, stage): (&str, BlockStage)| {
        let format = events.join(format!("block/{event}/format"));
        Layout::read(&crate::system::tree::text(&format)?, stage)
    };
    let found: Option<Vec<Layout>> = EVENTS.into_iter().map(read).collect();
    Ok((
        found.ok_or_else(none)?,
        data_offset(events).ok_or_else(none)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: block_bio_queue\nID: 2097\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n";

    fn layout() -> Layout {
        Layout::read(FORMAT, BlockStage::Queued).unwrap()
    }

    #[test]
    fn an_event_has_its_thread_place_and_letters() {
        let mut data = vec![0; 40];
        data[4..8].copy_from_slice(&77u32.to_ne_bytes());
        data[8..12].copy_from_slice(&(7u32 << 20 | 3).to_ne_bytes());
        data[16..24].copy_from_slice(&64u64.to_ne_bytes());
        data[24..28].copy_from_slice(&8u32.to_ne_bytes());
        data[28..31].copy_from_slice(b"WS\0");
        let event = layout().event(&data, Nanos(5)).unwrap();
        assert_eq!((event.device, event.thread), ((7, 3), 77));
        assert_eq!((event.sector, event.sectors), (64, 8));
        assert_eq!(&event.letters[..3], b"WS\0");
        assert_eq!(layout().event(&data[..20], Nanos(5)), None);
    }

    #[test]
    fn the_creation_of_a_thread_has_both_numbers() {
        let format = "name: sched_process_fork\nID: 313\nformat:\n\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:pid_t child_pid;\toffset:28;\tsize:4;\tsigned:1;\n";
        let layout = ForkLayout::read(format).unwrap();
        let mut data = vec![0; 32];
        data[24] = 7;
        data[28] = 9;
        assert_eq!((layout.id, layout.fork(&data)), (313, Some([7, 9])));
        assert_eq!(layout.fork(&data[..28]), None);
    }

    #[test]
    fn events_wait_until_no_core_can_add_an_earlier_one() {
        let event = layout().event(&[0; 40], Nanos(0)).unwrap();
        let at = |ns: u64, stage| {
            let mut moved: BlockEvent = event; // clippy 1.95 panics on a struct update here
            (moved.at, moved.stage) = (Nanos(ns), stage);
            moved
        };
        use BlockStage::{Completed, Queued};
        let mut waiting = vec![at(9, Queued), at(5, Completed), at(5, Queued)];
        let taken = take_until(&mut waiting, Nanos(5));
        assert_eq!(taken, [at(5, Queued), at(5, Completed)]);
        assert_eq!(waiting, [at(9, Queued)]);
    }
}
