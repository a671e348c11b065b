//! Comparison of what is read with what was written.
//!
//! Read in this order: `map` (which version each place has), `check` (whether a block is what it may be) with `block_sums`,
//! `diagnose` (what is wrong with it, after further readings), `pass` (the whole range, after the run), `alone` (a file or
//! device without a run), `read_back` (writes that are read again in the run), `tally` (what such a pass counts), `found`
//! (what both find), `medium` (where a block is read again). `journal` (what is durable, while it is written), `promised`
//! (the same, read) and `after_cut` (blocks after a power cut).
//! This file has what the threads share and what each has of its own. The worker calls it from its turns
//! (`worker::verified`), and a run without verification never comes here. Omitted: the text of findings (`analysis`).

mod after_cut;
mod alone;
mod block_sums;
mod check;
mod diagnose;
mod found;
pub(crate) mod journal;
mod map;
pub(crate) mod medium;
mod pass;
pub(crate) mod promised;
mod read_back;
mod tally;

pub(crate) use alone::after_cut;
pub use alone::{VerifyJob, verify_target};
pub(crate) use check::Block;
pub(crate) use diagnose::Medium;
pub(crate) use pass::{Pass, PassOf, block_by_block, whole_range};
pub(crate) use read_back::ThreadReadBack;

use crate::buffer::Extent;
use crate::thread_plan::ThreadPlan;
use check::{Before, Compared, Place, count};
use diagnose::{Suspect, in_hexadecimal};
use found::{CASES_MAX, Found, bytes_max, count_kind, relate};
use journal::{Journal, JournalOf, ThreadJournal};
use map::{Entry, WriteMap};
use model::block_header::{BLOCK, BLOCK_BYTES, BlockHeader};
use model::journal::{EARLIER_RUNS_MAX, JournalHead, JournalTarget};
use model::{
    BlockDevice, Bytes, CacheMode, CorruptBlock, Location, Nanos, Plan, PlannedTarget, TargetFacts,
    TargetKind, Verification, Verify, VerifyCounts,
};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks that show whether data of earlier runs is at its own places.
const PLACES: u64 = 32;
/// Blocks of a sample that shows which runs wrote what was there before.
const EARLIER: u64 = 256;
/// Corrupt blocks that are counted once, however often they are read.
const BLOCKS_MAX: usize = 1 << 20;

/// What all threads of a run share.
pub(crate) struct Verifier {
    request: Verify,
    run: u64,
    targets: Box<[Option<Checked>]>, // by target
    found: Mutex<Found>,
    stopping: AtomicBool,
}

/// A target whose content is compared.
struct Checked {
    map: WriteMap,
    medium: Box<dyn Medium>,
    before: Before,
}

impl Verifier {
    /// None where no target asks for it. `medium` gives where a target is read again.
    pub(crate) fn new<E>(
        plan: &Plan,
        facts: &[TargetFacts],
        run: u64,
        medium: impl Fn(usize, &PlannedTarget) -> Result<Box<dyn Medium>, E>,
    ) -> Result<Option<Arc<Verifier>>, E> {
        let asked = plan.targets.iter().map(|target| target.verify);
        let Some(request) = asked.clone().find(|verify| !verify.is_off()) else {
            return Ok(None);
        };
        let targets = plan.targets.iter().zip(facts).enumerate();
        let targets = targets.map(|(number, (target, facts))| {
            if target.verify.is_off() {
                return Ok(None);
            }
            let medium = medium(number, target)?;
            Ok(Some(Checked {
                map: WriteMap::new(target.base.0, target.length.0, target.grain().0),
                before: before(target, facts, &*medium),
                medium,
            }))
        });
        Ok(Some(Arc::new(Verifier {
            request,
            run,
            targets: targets.collect::<Result<_, E>>()?,
            found: Mutex::default(),
            stopping: AtomicBool::new(false),
        })))
    }

    /// Whether a corrupt block was found and ends the run.
    pub(crate) fn stops(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    fn place(&self, target: u32, offset: u64) -> Place {
        Place {
            run: self.run,
            target: target as u16,
            offset,
            before: self.checked(target).before,
        }
    }

    fn checked(&self, target: u32) -> &Checked {
        let checked = self.targets[target as usize].as_ref();
        checked.expect("all targets of a plan are compared, or none")
    }

    /// Confirms what seems wrong while writes of its grain are kept back, and counts it; a grain that changed since is
    /// undecided.
    #[cold]
    fn confirm(&self, suspect: &Suspect<'_>, seen: Entry, counts: &mut VerifyCounts) {
        let checked = self.checked(u32::from(suspect.place.target));
        let grain = checked.map.grain_at(suspect.place.offset);
        if !checked.map.keep_back(grain, seen) {
            counts.undecided += 1;
            return;
        }
        let case = suspect.confirm(&*checked.medium);
        checked.map.release(grain, seen);
        counts.corrupt += 1;
        self.add(case, suspect.first.ok().map(|(block, _)| block));
        if self.request.stop {
            self.stopping.store(true, Ordering::Relaxed);
        }
    }

    fn add(&self, mut case: CorruptBlock, bytes: Option<&Block>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let block = (case.target, case.offset.0, case.kind);
        if found.blocks.len() < BLOCKS_MAX && !found.blocks.insert(block) {
            return; // it was read again
        }
        count_kind(&mut found.kinds, case.kind, 1);
        if found.cases.len() < CASES_MAX {
            if found.cases.len() < bytes_max(self.request.evidence) {
                case.bytes = bytes.and_then(|block| in_hexadecimal(block, self.request.evidence));
            }
            found.cases.push(case);
        }
    }

    /// The result, once all threads have left theirs.
    pub(crate) fn result(&self, pass: Option<Pass>) -> Verification {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = std::mem::take(&mut *found);
        relate(&mut found);
        found.kinds.sort_by_key(|one| one.kind);
        found.cases.sort_by_key(|case| (case.target, case.offset));
        Verification {
            request: self.request,
            reads: found.reads,
            read_back: found.read_back,
            read_back_ios: found.read_back_ios,
            pass: pass.map(|pass| pass.0),
            deferred: found.deferred,
            written: found.written,
            kinds: found.kinds,
            cases: found.cases,
            ..Verification::default()
        }
    }

    /// What a journal of the run begins with. Reads a sample of what was there before.
    pub(crate) fn journal_head(&self, of: &JournalOf<'_>) -> JournalHead {
        let beside = of.sink.map(|sink| &*sink.beside).unwrap_or_default();
        let targets = of.plan.targets.iter().zip(of.facts).zip(0u32..);
        let each =
            |((target, facts), number): ((&PlannedTarget, &TargetFacts), u32)| JournalTarget {
                path: facts.path.clone(),
                identity: target.identity,
                base: target.base,
                length: target.length,
                grain: target.grain(),
                at_once: is_durable_at_once(target, facts),
                beside: beside.get(number as usize).copied().unwrap_or_default(),
                atomic: match &target.location {
                    Location::Simulated(device) => device.cut.atomic,
                    _ => Bytes(0), // the system reports what it cuts, and no device's promise
                },
                earlier: self.earlier_runs(number, target),
            };
        JournalHead {
            run: self.run,
            started_utc: of.started_utc,
            targets: targets.map(each).collect(),
        }
    }

    /// Runs whose blocks are in an even sample of a range.
    fn earlier_runs(&self, number: u32, target: &PlannedTarget) -> Vec<u64> {
        let blocks = target.length.0 / BLOCK.0;
        let sampled = EARLIER.min(blocks);
        let places = (0..sampled).map(|one| target.base.0 + blocks * one / sampled * BLOCK.0);
        let medium = &self.checked(number).medium;
        let headers = places.filter_map(|at| BlockHeader::of(&*medium.read(at).ok()?));
        let runs: BTreeSet<u64> = headers.map(|header| header.run).collect();
        runs.into_iter().take(EARLIER_RUNS_MAX).collect()
    }
}

/// Whether a completed write of a target is durable without a flush: the system was asked for that, or there is no cache
/// that could lose it.
fn is_durable_at_once(target: &PlannedTarget, facts: &TargetFacts) -> bool {
    let through = |device: &BlockDevice| device.write_cache.as_deref() == Some("write through");
    let without_cache = target.cache == CacheMode::Unbuffered
        && facts.kind == TargetKind::BlockDevice
        && !facts.chain.is_empty()
        && facts.chain.iter().all(through);
    target.mapped.is_none() && (target.write_through || without_cache)
}

/// Determines what the blocks of a target contain that the run does not write. What is only sampled and then written over
/// may have anything between the samples.
fn before(target: &PlannedTarget, facts: &TargetFacts, medium: &dyn Medium) -> Before {
    if target.create.is_some() && facts.kind == TargetKind::Missing {
        return Before::Placed { filled: true };
    }
    if matches!(target.location, Location::Simulated(_)) {
        return Before::Placed { filled: false };
    }
    let sampled = facts.content.has_headers() && !target.writes();
    match target.prove_ours || sampled {
        true if are_placed(facts.size, medium) => Before::Placed { filled: false },
        true => Before::Ours,
        false => Before::Unknown,
    }
}

/// Whether all whole blocks of a sample were written for the places where they are, and there is one. A partition and the
/// disk that it is on have different places for the same data, and a copy may begin anywhere.
fn are_placed(size: Bytes, medium: &dyn Medium) -> bool {
    let blocks = size.0 / BLOCK.0;
    let places = (0..PLACES).map(|number| blocks * number / PLACES * BLOCK.0);
    let mut placed = places.filter_map(|at| {
        let block = medium.read(at).ok()?;
        let header = BlockHeader::read(&block).ok()?;
        Some(header.block * BLOCK.0 == at)
    });
    placed.next() == Some(true) && placed.all(|here| here)
}

/// What one thread has of its own.
pub(crate) struct ThreadVerify {
    verifier: Arc<Verifier>,
    thread: u32,
    targets: Box<[u32]>,  // by seat
    before: Box<[Entry]>, // by slot and grain
    grains: usize,        // of each slot
    /// Versions of the blocks of the write that is being prepared.
    pub(crate) versions: Vec<u16>,
    /// I/Os that wait for another write of their place. // capacity the slots
    pub(crate) deferred: VecDeque<u32>,
    /// Reads that are submitted at the end of a turn, when their entries of the map are loaded. // capacity the slots
    pub(crate) reads: Vec<u32>,
    journal: Option<ThreadJournal>,
    /// Its writes that are read again.
    pub(crate) read_back: Option<ThreadReadBack>,
    counts: VerifyCounts,
    sums: Sums,
}

/// What one thread did so far.
#[derive(Default)]
struct Sums {
    /// Writes that waited for another one.
    deferred: u64,
    /// Blocks of the writes that were completed.
    written: u64,
    /// Blocks compared, to choose the share of bodies.
    compared: u64,
}

impl ThreadVerify {
    /// `largest` is the longest I/O of the thread.
    pub(crate) fn new(
        verifier: &Arc<Verifier>,
        journal: Option<&Arc<Journal>>,
        place: &ThreadPlan,
        largest: u64,
    ) -> Self {
        let targets: Box<[u32]> = place.seats.iter().map(|seat| seat.target).collect();
        let of = |&target: &u32| verifier.checked(target).map.grains_of(largest);
        let grains = targets.iter().map(of).max().unwrap_or_default();
        let slots = place.slots as usize;
        let read_back = verifier.request.read_back;
        let read_back =
            read_back.map(|request| ThreadReadBack::new(request, place.slots, &targets));
        ThreadVerify {
            verifier: Arc::clone(verifier),
            thread: place.thread,
            targets,
            before: vec![Entry::default(); slots * grains].into(),
            grains,
            versions: Vec::with_capacity((largest / BLOCK.0) as usize),
            deferred: VecDeque::with_capacity(slots),
            reads: Vec::with_capacity(slots),
            journal: journal.map(|journal| ThreadJournal::new(journal, place)),
            read_back,
            counts: VerifyCounts::default(),
            sums: Sums::default(),
        }
    }

    fn map(&self, seat: u16) -> &WriteMap {
        &self.verifier.checked(self.targets[usize::from(seat)]).map
    }

    /// Claims the place of a write and computes its versions; `false` where another write of it is in flight.
    pub(crate) fn begin_write(&mut self, io: Extent, again: bool) -> bool {
        let map = &self
            .verifier
            .checked(self.targets[usize::from(io.seat)])
            .map;
        let begun = map.begin_write(io.offset, io.length);
        if begun {
            map.versions(io.offset, io.length, &mut self.versions);
        } else if !again {
            self.sums.deferred += 1;
        }
        begun
    }

    /// Computes the versions of a write that is in flight again.
    pub(crate) fn resume_write(&mut self, io: Extent) {
        let map = &self
            .verifier
            .checked(self.targets[usize::from(io.seat)])
            .map;
        map.versions(io.offset, io.length, &mut self.versions);
    }

    /// Puts a read off to the end of the turn, where its entry of the map would be waited for; returns whether it did.
    #[inline]
    pub(crate) fn read_soon(&mut self, seat: u16, offset: u64, slot: u32) -> bool {
        let map = self.map(seat);
        let is_far = map.is_far();
        if is_far {
            map.load_ahead(offset);
            self.reads.push(slot);
        }
        is_far
    }

    /// Stores what a read may find at the least.
    pub(crate) fn begin_read(&mut self, io: Extent) {
        let map = &self
            .verifier
            .checked(self.targets[usize::from(io.seat)])
            .map;
        let (first, grains) = (map.grain_at(io.offset), map.grains_of(io.length));
        let own = &mut self.before[io.slot as usize * self.grains..][..grains];
        for (entry, grain) in own.iter_mut().zip(first..) {
            *entry = map.entry(grain);
        }
    }

    /// A write transferred so many bytes of its length, as was found at `now`.
    pub(crate) fn end_write(&mut self, io: Extent, bytes: u64, now: Nanos) {
        match bytes == io.length {
            true => {
                self.sums.written += io.length / BLOCK.0;
                if let Some(journal) = &mut self.journal {
                    let target = self.targets[usize::from(io.seat)];
                    let map = &self.verifier.checked(target).map;
                    let first = map.grain_at(io.offset);
                    for grain in first..first + map.grains_of(io.length) {
                        // Before it is complete in the map, so that no later version of it is earlier in the journal.
                        journal.done(io.seat, grain as u64, map.entry(grain).generation(), now);
                    }
                }
                self.map(io.seat).complete(io.offset, io.length);
                if let Some(read_back) = &mut self.read_back {
                    read_back.written(io, now);
                }
            }
            false => self.map(io.seat).fail(io.offset, io.length),
        }
    }

    /// A flush of a target returned that was issued when nothing of the thread was in flight.
    pub(crate) fn flushed(&self, seat: usize, succeeded: bool) {
        if let Some(journal) = &self.journal {
            journal.flushed(seat, self.targets[seat], succeeded);
        }
    }

    /// A write failed.
    pub(crate) fn fail_write(&self, io: Extent) {
        self.map(io.seat).fail(io.offset, io.length);
    }

    /// Compares what a read returned; the last bytes of a short one that are no block are not compared.
    pub(crate) fn end_read(&mut self, io: Extent, data: &[u8], now: Nanos) {
        let ThreadVerify {
            verifier,
            before,
            counts,
            sums,
            read_back,
            ..
        } = self;
        let counts = match read_back {
            Some(read_back) if read_back.is_reading(io.slot) => &mut read_back.blocks,
            _ => counts,
        };
        let target = self.targets[usize::from(io.seat)];
        let map = &verifier.checked(target).map;
        let first = map.grain_at(io.offset);
        let before = &before[io.slot as usize * self.grains..][..self.grains];
        let (blocks, _) = data.as_chunks::<BLOCK_BYTES>();
        for (block, number) in blocks.iter().zip(0u64..) {
            let place = verifier.place(target, io.offset + number * BLOCK.0);
            let grain = map.grain_at(place.offset);
            let after = map.entry(grain);
            let expected = before[grain - first].expected(after);
            sums.compared += 1;
            match place.compare(
                block,
                expected,
                verifier.request.compares_body(sums.compared),
            ) {
                Compared::Wrong(wrong) => {
                    let suspect = Suspect {
                        place,
                        expected,
                        first: Ok((block, wrong)),
                        read_by: Some((self.thread, now)),
                    };
                    verifier.confirm(&suspect, after, counts);
                }
                compared => count(counts, compared),
            }
        }
    }

    /// Whether a corrupt block was found and ends the run.
    pub(crate) fn stops(&self) -> bool {
        self.verifier.stops()
    }

    /// Adds its counts to the run's.
    pub(crate) fn close(self) {
        let mut found = self
            .verifier
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        found.reads.add(&self.counts);
        found.deferred += self.sums.deferred;
        found.written += self.sums.written;
        if let Some(read_back) = self.read_back {
            let sum = found.read_back.get_or_insert_default();
            sum.add(&read_back.close());
            read_back.ios.iter().for_each(|ios| found.add_ios(ios));
        }
    }
}
