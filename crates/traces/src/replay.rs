//! A trace as a replay issues it: what it contains, from a first pass, and its I/Os in their places on the targets.
//!
//! Omitted: issuing them (`engine`), and where a target is (`cli`).

use crate::error::TraceError;
use crate::fit::{Placement, Used};
use crate::footprint::mix;
use crate::trace::Trace;
use model::Nanos;
use model::trace::{TraceOperation, TraceRecord};

/// The speed at which times stay as they are.
pub const SPEED_ONE: u64 = 1_000_000;
/// Offsets and lengths are multiples of at most this, so that blocks keep their headers.
const UNIT_MAX: u64 = 4096;

/// What a first pass over a trace finds.
#[derive(Debug, Default)]
pub struct Scan {
    /// What it uses of its devices, of the I/Os that are issued.
    pub used: Used,
    /// Reads and writes by device.
    pub by_device: Vec<[u64; 2]>,
    /// Flushes.
    pub flushes: u64,
    /// Discards.
    pub discards: u64,
    /// Writes that are not issued.
    pub omitted_writes: u64,
    /// The time of the last I/O that is issued.
    pub last: Nanos,
    /// The largest power of two that divides all offsets and lengths, at most 4096.
    pub granularity: u64,
    /// Whether the trace distinguishes threads.
    pub has_threads: bool,
    digest: u64,
}

impl Scan {
    /// Reads a trace to its end; `reads_only`: writes are not issued; `goes_on` is asked after each I/O.
    ///
    /// # Errors
    /// Those of the trace; no I/O to issue.
    pub fn read(
        trace: &mut Trace,
        reads_only: bool,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Scan, TraceError> {
        let mut scan = Scan {
            granularity: UNIT_MAX,
            ..Scan::default()
        };
        while let Some(record) = trace.read()? {
            scan.take(&record, reads_only);
            if !goes_on() {
                break;
            }
        }
        match scan.by_device.iter().flatten().all(|&ios| ios == 0) {
            true => Err(TraceError::Request(
                "the trace has nothing to replay: must have reads, or writes without --reads-only"
                    .to_owned(),
            )),
            false => Ok(scan),
        }
    }

    /// Counts I/Os that need no file: those that are drawn by a profile.
    pub fn of(records: impl Iterator<Item = TraceRecord>) -> Scan {
        let mut scan = Scan {
            granularity: UNIT_MAX,
            ..Scan::default()
        };
        records.for_each(|record| scan.take(&record, false));
        scan
    }

    fn take(&mut self, record: &TraceRecord, reads_only: bool) {
        match record.operation {
            TraceOperation::Flush => self.flushes += 1,
            TraceOperation::Discard => self.discards += 1,
            TraceOperation::Write if reads_only => self.omitted_writes += 1,
            TraceOperation::Read | TraceOperation::Write => {
                let device = usize::from(record.device);
                if self.by_device.len() <= device {
                    self.by_device.resize(device + 1, [0; 2]);
                }
                self.by_device[device][record.operation as usize] += 1;
                self.used.count(record);
                self.last = record.at;
                let bits = record.offset | record.length | UNIT_MAX;
                self.granularity = self.granularity.min(1 << bits.trailing_zeros());
                self.has_threads |= record.thread != 0;
            }
        }
        let part = record.at.0 ^ record.offset.rotate_left(17) ^ record.length.rotate_left(43);
        self.digest = mix(self.digest ^ part ^ (record.operation as u64) << 62);
    }

    /// Returns a checksum of all I/Os of the trace.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.digest)
    }
}

/// Where the I/Os of a trace go, and when.
#[derive(Debug)]
pub struct Route {
    /// The target of each device; `None` for one that is not replayed.
    pub targets: Vec<Option<u32>>,
    /// The places on each target.
    pub placements: Vec<Placement>,
    /// Writes are not issued.
    pub reads_only: bool,
    /// Times are divided by this, in millionths.
    pub speed_ppm: u64,
    /// I/Os go to threads by the thread of the trace, not in turn.
    pub by_thread: bool,
}

/// One I/O on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutedIo {
    /// When it is issued.
    pub at: Nanos,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// A write, not a read.
    pub is_write: bool,
}

impl Route {
    /// Returns the time of an I/O at this speed.
    pub fn time(&self, at: Nanos) -> Nanos {
        let ns = u128::from(at.0) * u128::from(SPEED_ONE) / u128::from(self.speed_ppm);
        Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// Returns the target of an I/O that is issued.
    fn target(&self, record: &TraceRecord) -> Option<u32> {
        let issued = match record.operation {
            TraceOperation::Read => true,
            TraceOperation::Write => !self.reads_only,
            TraceOperation::Discard | TraceOperation::Flush => false,
        };
        let target = self.targets.get(usize::from(record.device)).copied();
        target.flatten().filter(|_| issued)
    }

    /// Returns the next I/O of a thread: number `index` of `threads` of its target. `number` counts the I/Os of the
    /// target that were read.
    ///
    /// # Errors
    /// Those of the trace.
    pub fn next(
        &self,
        trace: &mut Trace,
        share: Share,
        number: &mut u64,
    ) -> Result<Option<RoutedIo>, TraceError> {
        while let Some(record) = trace.read()? {
            if self.target(&record) != Some(share.target) {
                continue;
            }
            let turn = if self.by_thread {
                mix(u64::from(record.thread))
            } else {
                *number
            };
            *number += 1;
            if turn % u64::from(share.threads) != u64::from(share.index) {
                continue;
            }
            let (offset, length) = self.placements[share.target as usize].place(&record);
            return Ok(Some(RoutedIo {
                at: self.time(record.at),
                offset,
                length,
                is_write: record.operation == TraceOperation::Write,
            }));
        }
        Ok(None)
    }
}

/// Which I/Os a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the target.
    pub target: u32,
    /// The number of the thread among those of the target.
    pub index: u32,
    /// How many there are.
    pub threads: u32,
}
