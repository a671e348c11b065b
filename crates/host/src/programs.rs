//! What other programs did during a run: their processor time, and what they read from and wrote to devices.
//!
//! All processes are read before the first I/O and after the last, so nothing of it is on the path of an I/O. A process that ended
//! before the second reading is not seen. Deliberately absent: what follows from it (`analysis`).

use crate::root::Root;
use crate::system::programs;
use model::record::OtherProgram;
use model::{Bytes, Nanos};
use std::collections::BTreeMap;

/// Programs that are kept of those with the most processor time, and of those with the most bytes.
const KEPT: usize = 16;
/// Less processor time, and fewer bytes, are not worth a line.
const CPU_MIN: Nanos = Nanos::millis(50);
const BYTES_MIN: u64 = 1 << 20;
/// All processes as they were at one moment.
#[derive(Debug, Default)]
pub struct ProgramReader {
    before: BTreeMap<(u32, u64), OtherProgram>, // by number and start
}

impl ProgramReader {
    /// Reads all processes. Nothing is kept where the root is no live machine.
    pub fn open(root: &Root) -> Self {
        ProgramReader {
            before: programs(root),
        }
    }

    /// Returns the programs other than this process that have used the most since then; none where none were read.
    pub fn used(self, root: &Root) -> Vec<OtherProgram> {
        if self.before.is_empty() {
            return Vec::new();
        }
        let since = |(key, now): ((u32, u64), OtherProgram)| {
            let before = self.before.get(&key);
            let less = |now: Bytes, of: fn(&OtherProgram) -> Bytes| {
                Bytes(now.0.saturating_sub(before.map_or(0, |one| of(one).0)))
            };
            OtherProgram {
                cpu: now.cpu.minus(before.map_or(Nanos(0), |one| one.cpu)),
                read: less(now.read, |one| one.read),
                written: less(now.written, |one| one.written),
                ..now
            }
        };
        let own = std::process::id();
        let mut all: Vec<OtherProgram> = programs(root).into_iter().map(since).collect();
        all.retain(|one| one.process != own);
        let moved = |one: &OtherProgram| one.read.0.saturating_add(one.written.0);
        all.sort_by_key(|one| std::cmp::Reverse(moved(one)));
        let by_bytes = all.iter().take(KEPT).filter(|one| moved(one) >= BYTES_MIN);
        let mut kept: Vec<OtherProgram> = by_bytes.cloned().collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.cpu));
        let by_time = all.into_iter().take(KEPT).filter(|one| one.cpu >= CPU_MIN);
        let known: Vec<u32> = kept.iter().map(|one| one.process).collect();
        kept.extend(by_time.filter(|one| !known.contains(&one.process)));
        kept
    }
}
