//! A trace as a replay issues it: what it contains, from a first pass, and its I/Os in their places on the targets.
//!
//! Omitted: issuing them (`engine`), and where a target is (`cli`).

use crate::depends::{Chains, Depends};
use crate::error::TraceError;
use crate::fit::{Placement, Used};
use crate::footprint::mix;
use crate::learn::InFlight;
use crate::trace::Trace;
use model::Nanos;
use model::plan::{RecordedDependencies, RecordedOmissions};
use model::trace::{TraceDependency, TraceOperation, TraceRecord};

/// The speed at which times stay as they are.
pub const SPEED_ONE: u64 = 1_000_000;
/// Offsets and lengths are multiples of at most this, so that blocks keep their headers.
const UNIT_MAX: u64 = 4096;

/// Which I/Os of a trace are issued, and what of each is changed before it has its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Those that are, by operation.
    pub issued: [bool; 4],
    /// What each waits for is needed.
    pub dependent: bool,
    /// Offsets are divided by this. // above 0
    pub divide: u64,
    /// Offsets are rounded down to multiples of this. // above 0
    pub align: u64,
}

impl Default for Selection {
    /// All but discards, as they are.
    fn default() -> Selection {
        Selection {
            issued: TraceOperation::ALL.map(|(_, operation)| operation != TraceOperation::Discard),
            dependent: false,
            divide: 1,
            align: 1,
        }
    }
}

impl Selection {
    /// Returns whether I/Os of this kind are issued.
    pub const fn issues(&self, operation: TraceOperation) -> bool {
        self.issued[operation as usize]
    }

    /// Returns an I/O with its changes.
    fn changed(&self, record: TraceRecord) -> TraceRecord {
        TraceRecord {
            offset: record.offset / self.divide / self.align * self.align,
            ..record
        }
    }
}

/// What a first pass over a trace finds.
#[derive(Debug, Default)]
pub struct Scan {
    /// What it uses of its devices, of the I/Os that are issued.
    pub used: Used,
    /// I/Os by device and operation, whether issued or not.
    pub by_device: Vec<[u64; 4]>,
    /// The time of the last I/O that is issued.
    pub last: Nanos,
    /// The largest power of two that divides all offsets and lengths, at most 4096.
    pub granularity: u64,
    /// Whether the trace distinguishes threads.
    pub has_threads: bool,
    /// Which are issued.
    selection: Selection,
    chains: Option<Box<Chains>>,
    in_flight: Box<InFlight>,
    digest: u64,
}

impl Scan {
    /// Reads a trace to its end; `goes_on` is asked after each I/O.
    ///
    /// # Errors
    /// Those of the trace; no I/O to issue.
    pub fn read(
        trace: &mut Trace,
        selection: Selection,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Scan, TraceError> {
        let mut scan = Scan::begin(selection);
        while let Some(record) = trace.read()? {
            scan.take(&selection.changed(record));
            if !goes_on() {
                break;
            }
        }
        let transfers = scan.issued(TraceOperation::Read) + scan.issued(TraceOperation::Write);
        match transfers == 0 {
            true => Err(TraceError::Request(
                "the trace has nothing to replay: must have reads or writes that are not omitted"
                    .to_owned(),
            )),
            false => Ok(scan),
        }
    }

    /// Counts I/Os that need no file: those that are drawn by a profile.
    pub fn of(records: impl Iterator<Item = TraceRecord>) -> Scan {
        let mut scan = Scan::begin(Selection::default());
        records.for_each(|record| scan.take(&record));
        scan
    }

    fn begin(selection: Selection) -> Scan {
        Scan {
            granularity: UNIT_MAX,
            selection,
            chains: selection.dependent.then(Box::default),
            ..Scan::default()
        }
    }

    fn take(&mut self, record: &TraceRecord) {
        let device = usize::from(record.device);
        if self.by_device.len() <= device {
            self.by_device.resize(device + 1, [0; 4]);
        }
        self.by_device[device][record.operation as usize] += 1;
        if self.selection.issues(record.operation) {
            self.last = record.at;
            self.has_threads |= record.thread != 0;
            if record.operation.transfers() {
                self.used.count(record);
                let bits = record.offset | record.length | UNIT_MAX;
                self.granularity = self.granularity.min(1 << bits.trailing_zeros());
            }
            if record.operation.transfers() {
                self.in_flight.take(record, &mut |_, _| ());
            }
            if let Some(chains) = &mut self.chains {
                chains.take(record);
            }
        }
        let part = record.at.0 ^ record.offset.rotate_left(17) ^ record.length.rotate_left(43);
        self.digest = mix(self.digest ^ part ^ (record.operation as u64) << 62);
    }

    /// Returns the I/Os of this kind, of all devices.
    pub fn all(&self, operation: TraceOperation) -> u64 {
        self.by_device
            .iter()
            .map(|its| its[operation as usize])
            .sum()
    }

    /// Returns the I/Os of this kind that are issued, of all devices.
    pub fn issued(&self, operation: TraceOperation) -> u64 {
        match self.selection.issues(operation) {
            true => self.all(operation),
            false => 0,
        }
    }

    /// Returns the most I/Os in flight in the trace, of all devices; `None` if it does not show that.
    pub fn most_in_flight(&self) -> Option<u32> {
        self.in_flight.most()
    }

    /// Returns what the I/Os wait for.
    ///
    /// # Errors
    /// The trace does not show it.
    pub fn dependencies(&self) -> Result<Option<RecordedDependencies>, TraceError> {
        let Some(chains) = &self.chains else {
            return Ok(None);
        };
        let found = chains.found().ok_or_else(|| {
            TraceError::Request(
                "the trace does not show what an I/O waited for: must have the completions of at least 99% of its I/Os; hint: omit --timing dependent"
                    .to_owned(),
            )
        });
        found.map(Some)
    }

    /// Returns what of the trace is issued on these targets, and what is not.
    pub fn routed(&self, targets: &[Option<u32>]) -> ([u64; 4], RecordedOmissions) {
        let mut issued = [0; 4];
        let mut omitted = RecordedOmissions::default();
        for (its, target) in self.by_device.iter().zip(targets) {
            for (operation, &ios) in TraceOperation::ALL
                .iter()
                .map(|(_, operation)| *operation)
                .zip(its)
            {
                let is_issued = self.selection.issues(operation);
                *match operation {
                    TraceOperation::Read if !is_issued => &mut omitted.reads,
                    TraceOperation::Write if !is_issued => &mut omitted.writes,
                    TraceOperation::Flush if !is_issued => &mut omitted.flushes,
                    TraceOperation::Discard if !is_issued => &mut omitted.discards,
                    _ if target.is_none() => &mut omitted.unmapped,
                    _ => &mut issued[operation as usize],
                } += ios;
            }
        }
        (issued, omitted)
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
    /// Which I/Os are issued.
    pub selection: Selection,
    /// Times are divided by this, in millionths.
    pub speed_ppm: u64,
    /// I/Os go to threads by the thread of the trace, not in turn.
    pub by_thread: bool,
}

/// One I/O on a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutedIo {
    /// Its number among those of its target, of all threads, where what it waits for is needed.
    pub number: u64,
    /// When it is issued.
    pub at: Nanos,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
    /// What it does.
    pub operation: TraceOperation,
    /// What it waits for.
    pub after: TraceDependency,
}

impl Route {
    /// Returns the time of an I/O at this speed.
    pub fn time(&self, at: Nanos) -> Nanos {
        let ns = u128::from(at.0) * u128::from(SPEED_ONE) / u128::from(self.speed_ppm);
        Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// Returns the target of an I/O that is issued.
    fn target(&self, record: &TraceRecord) -> Option<u32> {
        let issued = self.selection.issues(record.operation);
        let target = self.targets.get(usize::from(record.device)).copied();
        target.flatten().filter(|_| issued)
    }

    /// Returns the next I/O of a thread: number `index` of `threads` of its target. `passed` is what it has read so far.
    ///
    /// # Errors
    /// Those of the trace.
    pub fn next(
        &self,
        trace: &mut Trace,
        share: Share,
        passed: &mut Passed,
    ) -> Result<Option<RoutedIo>, TraceError> {
        while let Some(record) = trace.read()? {
            let record = self.selection.changed(record);
            if self.target(&record) != Some(share.target) {
                continue;
            }
            let turn = if self.by_thread || self.selection.dependent {
                mix(u64::from(record.thread))
            } else {
                passed.number
            };
            passed.number += 1;
            let is_its = turn % u64::from(share.threads) == u64::from(share.index);
            // What an I/O waits for is found among those of all threads.
            if !is_its && !self.selection.dependent {
                continue;
            }
            let placement = &self.placements[share.target as usize];
            let place = match record.operation {
                TraceOperation::Flush => Some((0, 0)),
                TraceOperation::Discard => placement.place_inwards(&record),
                TraceOperation::Read | TraceOperation::Write => Some(placement.place(&record)),
            };
            let Some((offset, length)) = place else {
                continue;
            };
            let (number, after) = match self.selection.dependent {
                true => passed.depends.take_numbered(&record),
                false => (0, TraceDependency::default()),
            };
            if !is_its {
                continue;
            }
            return Ok(Some(RoutedIo {
                number,
                at: self.time(record.at),
                offset,
                length,
                operation: record.operation,
                after: TraceDependency {
                    gap: self.time(after.gap),
                    ..after
                },
            }));
        }
        Ok(None)
    }
}

/// What a thread has read of its trace so far.
#[derive(Debug, Default)]
pub struct Passed {
    number: u64,
    depends: Depends,
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
