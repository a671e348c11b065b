//! The pass over the whole range after a run: what was written to storage is read from storage.
//!
//! Everything dirty is brought to the device first, and what the page cache has of the target is dropped. Omitted: the
//! comparison of a block (`check`).

use super::Verifier;
use super::check::{Compared, count};
use super::diagnose::Suspect;
use super::journal::Journal;
use super::map::Expected;
use super::medium::FileMedium;
use crate::RunError;
use crate::clock::monotonic;
use crate::observer::{Event, Observer};
use crate::prepare::scan::Scan;
use crate::stop::Stop;
use crate::system::caches;
use gate::Pins;
use model::block_header::{BLOCK, BLOCK_BYTES};
use model::{Bytes, Nanos, Plan, VerifyCounts, VerifyPass};
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// What a pass found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pass(pub(crate) VerifyPass);

/// What a pass reads.
pub(crate) struct PassOf<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) pins: &'a Pins,
    /// Receives that all of a target is on its storage.
    pub(crate) journal: Option<&'a Journal>,
}

/// Reads all targets of a run whose threads are done.
///
/// # Errors
/// A target cannot be opened any more, or its data cannot be brought to the device.
pub(crate) fn whole_range(
    verifier: &Verifier,
    of: &PassOf<'_>,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<Pass, RunError> {
    let PassOf {
        plan,
        pins,
        journal,
    } = *of;
    let began = monotonic();
    let mut pass = VerifyPass {
        total: Bytes(plan.targets.iter().map(|target| target.length.0).sum()),
        ..VerifyPass::default()
    };
    let before = &mut pass;
    for (target, number) in plan.targets.iter().zip(0u32..) {
        let medium = FileMedium::of(target, pins)?;
        let path = target
            .held_by()
            .expect("the check refuses targets without data");
        let synced = caches::write_back_to_read(&medium.file);
        synced.map_err(|source| crate::target::unopened(path, "writing back", source))?;
        if let Some(journal) = journal {
            journal.flushed(number);
        }
        caches::drop_cache(&medium.file);
        let scan = Scan {
            file: &medium.file,
            from: target.base.0,
            to: target.base.0 + target.length.0,
            stop,
        };
        let counts = Mutex::new(VerifyCounts::default());
        let each = |at: u64, read: io::Result<&[u8]>| {
            let mut own = VerifyCounts::default();
            verifier.compare_piece(number, at..scan.to, &read, &mut own);
            counts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(&own);
            Ok::<(), ()>(())
        };
        let (so_far, total) = (before.done.0, before.total);
        let (done, _) = scan.run(
            &each,
            |(), ()| false,
            |done| {
                let done = Bytes(so_far + done);
                observer.on(Event::Verifying { path, done, total });
            },
        );
        before.done.0 += done;
        before
            .counts
            .add(&counts.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    pass.took = Nanos(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
    Ok(Pass(pass))
}

/// The same of simulated devices, in no time.
pub(crate) fn block_by_block(verifier: &Verifier, plan: &Plan) -> Pass {
    let mut pass = VerifyPass::default();
    for (target, number) in plan.targets.iter().zip(0u32..) {
        let range = target.base.0..target.base.0 + target.length.0;
        for offset in range.step_by(BLOCK_BYTES) {
            verifier.read_one(number, offset, &mut pass.counts);
        }
        pass.total.0 += target.length.0;
    }
    pass.done = pass.total;
    Pass(pass)
}

impl Verifier {
    /// Compares the blocks of a piece that begins with the range and is not longer.
    pub(super) fn compare_piece(
        &self,
        target: u32,
        range: Range<u64>,
        read: &io::Result<&[u8]>,
        counts: &mut VerifyCounts,
    ) {
        let at = range.start;
        match read {
            Ok(data) => {
                let (blocks, _) = data.as_chunks::<BLOCK_BYTES>();
                for (block, number) in blocks.iter().zip(0u64..) {
                    self.compare_one(target, at + number * BLOCK.0, Ok(block), counts);
                }
            }
            Err(_) => {
                let end = range.end.min(at + crate::prepare::scan::PIECE);
                let blocks = (at..end).step_by(BLOCK_BYTES);
                for offset in blocks.filter(|offset| offset + BLOCK.0 <= end) {
                    self.read_one(target, offset, counts);
                }
            }
        }
    }

    /// Reads and compares one block.
    fn read_one(&self, target: u32, offset: u64, counts: &mut VerifyCounts) {
        match self.checked(target).medium.read(offset) {
            Ok(block) => self.compare_one(target, offset, Ok(&block), counts),
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or_default();
                self.compare_one(target, offset, Err(errno), counts);
            }
        }
    }

    /// Compares one block that no write meets any more, or one that cannot be read.
    fn compare_one(
        &self,
        target: u32,
        offset: u64,
        read: Result<&super::Block, i32>,
        counts: &mut VerifyCounts,
    ) {
        let (place, map) = (self.place(target, offset), &self.checked(target).map);
        let entry = map.entry(map.grain_at(offset));
        // A write that the device never answered may still come.
        let expected = entry.expected(entry);
        let first = match read {
            Ok(block) => match place.compare(block, expected, true) {
                Compared::Wrong(wrong) => Ok((block, wrong)),
                compared => return count(counts, compared),
            },
            Err(_) if matches!(expected, Expected::Anything | Expected::Between(..)) => {
                counts.unknown += 1;
                return;
            }
            Err(errno) => Err(errno),
        };
        let suspect = Suspect {
            place,
            expected,
            first,
            read_by: None,
        };
        self.confirm(&suspect, entry, counts);
    }
}
