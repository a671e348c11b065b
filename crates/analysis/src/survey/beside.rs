//! Requested extra checks: whether the cache keeps its promises, and the cost of the file system.
//!
//! Both compare cells of one survey that differ in one thing. A difference below what both cells may be off by (the
//! halves of their intervals added) is none. Deliberately absent: causes that one survey cannot part, which the sentences
//! name as such.

use super::CellReport;
use crate::say;
use model::Location;

/// What stands before the label of a cell of the cache check.
const CACHE: &str = "cache check: ";
/// What stands after the label of a workload that ran on the raw device.
const RAW: &str = " (raw device)";
/// So many times faster is a cache.
const CACHE_TIMES: f64 = 1.3;

/// One cell of the cache check: 4K, random, one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheLook {
    /// Reads past the system's cache, over the whole range.
    Whole,
    /// The same in a part that fits into any cache.
    Small,
    /// Reads of that part through the system's cache.
    Cached,
    /// Writes past the system's cache.
    Write,
    /// The same, each on stable storage before it returns.
    WriteThrough,
    /// Writes into the system's cache.
    CachedWrite,
}

impl CacheLook {
    /// In the order in which they run: the reads first.
    pub const ALL: [CacheLook; 6] = [
        CacheLook::Whole,
        CacheLook::Small,
        CacheLook::Cached,
        CacheLook::Write,
        CacheLook::WriteThrough,
        CacheLook::CachedWrite,
    ];

    /// The label of its cell.
    pub const fn label(self) -> &'static str {
        match self {
            CacheLook::Whole => "cache check: reads of all",
            CacheLook::Small => "cache check: reads of a small part",
            CacheLook::Cached => "cache check: cached reads of a small part",
            CacheLook::Write => "cache check: writes",
            CacheLook::WriteThrough => "cache check: writes, write-through",
            CacheLook::CachedWrite => "cache check: cached writes",
        }
    }

    /// Whether it writes.
    pub const fn writes(self) -> bool {
        matches!(
            self,
            CacheLook::Write | CacheLook::WriteThrough | CacheLook::CachedWrite
        )
    }

    /// Whether it works on a small part of the range.
    pub const fn small(self) -> bool {
        matches!(
            self,
            CacheLook::Small | CacheLook::Cached | CacheLook::CachedWrite
        )
    }

    /// Whether it goes through the system's cache.
    pub const fn cached(self) -> bool {
        matches!(self, CacheLook::Cached | CacheLook::CachedWrite)
    }

    /// Whether each write is durable before it returns.
    pub const fn write_through(self) -> bool {
        matches!(self, CacheLook::WriteThrough)
    }

    /// Simulated devices and the engine null have no system's cache above them, and nothing to flush.
    pub fn runs_on(self, target: &Location, read_only: bool) -> bool {
        let real = target.path().is_some();
        (real || !(self.cached() || self.write_through())) && !(read_only && self.writes())
    }
}

/// The label of a workload's cells on the raw device.
pub fn raw_label(workload: &str) -> String {
    format!("{workload}{RAW}")
}

/// Whether a cell is no workload's of the survey.
pub(super) fn is_beside(label: &str) -> bool {
    label.starts_with(CACHE) || label.ends_with(RAW)
}

/// Their results, one sentence each; empty if no check was requested.
pub(super) fn sentences(cells: &[CellReport]) -> Vec<String> {
    let sound = |cell: &&CellReport| cell.throughput.ios > 0 && cell.throughput.iops > 0.0;
    let cells: Vec<&CellReport> = cells.iter().filter(sound).collect();
    let mut said = caches(&cells);
    said.extend(file_system(&cells));
    said
}

fn caches(cells: &[&CellReport]) -> Vec<String> {
    let at = |look: CacheLook| cells.iter().find(|cell| cell.load.workload == look.label());
    let each = |cell: &CellReport| say::time(1e9 / cell.throughput.iops);
    let times = |slow: &CellReport, fast: &CellReport| fast.throughput.iops / slow.throughput.iops;
    let mut said = Vec::new();
    if let (Some(whole), Some(small)) = (at(CacheLook::Whole), at(CacheLook::Small)) {
        let both = format!(
            "a read takes {} over the whole range, {} in 8 MiB",
            each(whole),
            each(small)
        );
        said.push(match times(whole, small) {
            many if many >= CACHE_TIMES => format!(
                "{both}: a cache of the device, or below it, serves data that fits {} times faster; use a range many times larger",
                say::digits(many)
            ),
            _ => format!("{both}: no cache below shows"),
        });
    }
    if let (Some(small), Some(cached)) = (at(CacheLook::Small), at(CacheLook::Cached)) {
        let both = format!(
            "past the system's cache {}, through it {}",
            each(small),
            each(cached)
        );
        said.push(match times(small, cached) {
            many if many >= CACHE_TIMES => format!("{both}: unbuffered reads do pass it by"),
            _ => format!(
                "{both}: no difference; unbuffered reads may be answered from memory all the same"
            ),
        });
    }
    if let (Some(plain), Some(through)) = (at(CacheLook::Write), at(CacheLook::WriteThrough)) {
        let both = format!(
            "a write takes {}, a durable one (write-through) {}",
            each(plain),
            each(through)
        );
        said.push(match times(through, plain) {
            many if many >= CACHE_TIMES => format!(
                "{both}: without write-through, writes rest in a cache that may lose them"
            ),
            _ => format!("{both}: no layer below delays writes, or its cache is protected, or it does not keep the promise"),
        });
    }
    if let (Some(plain), Some(cached)) = (at(CacheLook::Write), at(CacheLook::CachedWrite)) {
        said.push(format!(
            "a write into the system's cache takes {}, {} past it: the first is memory, not the device",
            each(cached),
            each(plain)
        ));
    }
    said
}

/// Each workload on the file and on the device, at the loads that both have.
fn file_system(cells: &[&CellReport]) -> Vec<String> {
    let raw = cells
        .iter()
        .filter(|cell| cell.load.workload.ends_with(RAW));
    let pairs = raw.filter_map(|raw| {
        let workload = raw.load.workload.strip_suffix(RAW)?;
        let same = |cell: &&&CellReport| {
            cell.load.workload == workload
                && cell.load.target_iops.is_none()
                && (cell.load.queue_depth, cell.load.threads)
                    == (raw.load.queue_depth, raw.load.threads)
        };
        let file = cells
            .iter()
            .filter(same)
            .max_by_key(|cell| cell.throughput.measured_ns)?;
        Some(cost(workload, file, raw))
    });
    pairs.collect()
}

fn cost(workload: &str, file: &CellReport, raw: &CellReport) -> String {
    let lost = 1.0 - file.throughput.iops / raw.throughput.iops;
    let width = |cell: &CellReport| {
        cell.throughput
            .iops_estimate
            .half_width_share()
            .unwrap_or(super::UNKNOWN_WIDTH)
    };
    let sure = width(file) + width(raw);
    let what = match lost {
        lost if lost > sure => format!("the file system costs {}", say::percent(lost)),
        lost if lost < -sure => format!(
            "the file is {} faster: it is elsewhere on the device, or a cache serves it",
            say::percent(-lost)
        ),
        _ => format!("no difference beyond {}", say::percent(sure)),
    };
    format!(
        "{workload} at {} in flight: {} IOPS on the file, {} on the raw device: {what}",
        file.load.queue_depth,
        say::rate(file.throughput.iops),
        say::rate(raw.throughput.iops)
    )
}
