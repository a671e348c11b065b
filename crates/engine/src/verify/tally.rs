//! What a pass without a run counts: whole blocks by run, corrupt ones by kind, and the places of what is not whole.
//!
//! Memory has a bound however the content is: beyond it blocks are counted, and not described. Omitted: the comparison
//! (`alone`).

use super::check::Block;
use super::diagnose::in_hexadecimal;
use super::found::{CASES_MAX, Found, bytes_max, count_kind, relate};
use model::block_header::{BLOCK, BlockHeader};
use model::journal::{Age, Durable};
use model::verified::{Durability, DurableCounts, RunBlocks, Stretch, VerifyWork};
use model::{Bytes, CorruptBlock, KindCount, Nanos};
use std::collections::BTreeMap;

/// Runs whose blocks are counted apart, while it reads; the largest of them are in the record.
const RUNS_COUNTED: usize = 4096;
/// Runs in the record.
const RUNS_MAX: usize = 64;
/// Stretches that are joined, while it reads; the first of them are in the record.
const STRETCHES_JOINED: usize = 1 << 16;
/// Stretches in the record.
const STRETCHES_MAX: usize = 64;
/// Where more than one of so many blocks of a run is at another place than its own, they were moved: copied, or striped.
const MOVED_ONE_IN: u64 = 8;

/// A run's number and which of its targets.
pub(super) type RunKey = (u64, u16);

/// What one piece contains, counted by one reader.
#[derive(Default)]
pub(super) struct PieceTally {
    evidence: bool,
    pub(super) zeros: u64,
    foreign: u64,
    runs: BTreeMap<RunKey, RunBlocks>,
    stretches: Vec<Stretch>,
    damaged: Vec<Damaged>,
    pub(super) durable: DurableCounts,
}

struct Damaged {
    case: CorruptBlock,
    /// The run of a whole block at another place than its own.
    elsewhere: Option<RunKey>,
}

/// What all pieces contain.
#[derive(Default)]
pub(super) struct Tally {
    evidence: bool,
    durable: DurableCounts,
    work: VerifyWork,
    runs: BTreeMap<RunKey, RunBlocks>,
    stretches: BTreeMap<(u64, bool), u64>, // from and whether corrupt, to
    found: Found,
    elsewhere: BTreeMap<RunKey, Elsewhere>,
}

/// Whole blocks of one run that are not at their places.
#[derive(Default)]
struct Elsewhere {
    cases: Vec<CorruptBlock>, // the first
    kinds: Vec<KindCount>,
    stretches: Vec<Stretch>,
    blocks: RunBlocks,
    /// How far behind its place the first of them is, and whether all are.
    distance: i64,
    differs: bool,
}

impl PieceTally {
    /// With `evidence` the bytes of all described blocks are kept.
    pub(super) fn new(evidence: bool) -> PieceTally {
        PieceTally {
            evidence,
            ..PieceTally::default()
        }
    }

    pub(super) fn whole(&mut self, offset: u64, header: &BlockHeader) {
        let of_run = self.runs.entry((header.run, header.target));
        add(
            of_run.or_default(),
            offset,
            header.generation,
            Nanos(header.issued_ns),
        );
    }

    /// A block whose durable version, or a newer one, is there.
    pub(super) fn found(&mut self, durable: Durable, header: &BlockHeader) {
        self.durable.found += 1;
        self.durable.newer += u64::from(durable.age(header) == Age::Newer);
        let ended = Nanos::millis(durable.ms);
        self.durable.last_found = self.durable.last_found.max(ended);
    }

    /// A block whose durable version is not there.
    pub(super) fn lost(&mut self, durable: Durable) {
        let ended = Nanos::millis(durable.ms);
        self.durable.add(&DurableCounts {
            lost: 1,
            first_lost: ended,
            last_lost: ended,
            ..DurableCounts::default()
        });
    }

    pub(super) fn foreign(&mut self, offset: u64) {
        self.foreign += 1;
        lengthen(&mut self.stretches, offset, false);
    }

    pub(super) fn damaged(
        &mut self,
        mut case: CorruptBlock,
        block: Option<&Block>,
        elsewhere: Option<RunKey>,
    ) {
        if self.damaged.len() < bytes_max(self.evidence) {
            case.bytes = block.and_then(|block| in_hexadecimal(block, self.evidence));
        }
        if elsewhere.is_none() {
            lengthen(&mut self.stretches, case.offset.0, true);
        }
        self.damaged.push(Damaged { case, elsewhere });
    }

    /// The runs with a whole block in the piece.
    pub(super) fn runs(&self) -> impl Iterator<Item = RunKey> {
        self.runs.keys().copied()
    }
}

impl Tally {
    /// The same of all pieces.
    pub(super) fn new(evidence: bool) -> Tally {
        Tally {
            evidence,
            ..Tally::default()
        }
    }

    pub(super) fn add(&mut self, piece: PieceTally) {
        self.work.blocks.zeros += piece.zeros;
        self.work.blocks.foreign += piece.foreign;
        self.durable.add(&piece.durable);
        for (key, blocks) in piece.runs {
            self.work.blocks.whole += blocks.blocks;
            match self.runs.len() < RUNS_COUNTED || self.runs.contains_key(&key) {
                true => join(self.runs.entry(key).or_default(), &blocks),
                false => self.work.further_runs += blocks.blocks,
            }
        }
        for one in piece.stretches {
            match self.stretches.len() < STRETCHES_JOINED {
                true => drop(self.stretches.insert((one.from.0, one.corrupt), one.to.0)),
                false => self.work.stretch_count += 1,
            }
        }
        for Damaged { case, elsewhere } in piece.damaged {
            match elsewhere {
                Some(run) => self.add_elsewhere(case, run),
                None => self.add_case(case),
            }
        }
    }

    fn add_case(&mut self, mut case: CorruptBlock) {
        count_kind(&mut self.found.kinds, case.kind, 1);
        let cases = &mut self.found.cases;
        // Readers finish out of order: the first places are kept.
        let at = cases.partition_point(|one| one.offset < case.offset);
        if at < CASES_MAX {
            if at >= bytes_max(self.evidence) {
                case.bytes = None;
            }
            cases.insert(at, case);
            cases.truncate(CASES_MAX);
        }
    }

    /// What is not at its place is judged when all of its run was read.
    fn add_elsewhere(&mut self, case: CorruptBlock, run: RunKey) {
        if self.elsewhere.len() >= RUNS_COUNTED && !self.elsewhere.contains_key(&run) {
            self.work.blocks.displaced += 1;
            return;
        }
        let elsewhere = self.elsewhere.entry(run).or_default();
        let Some(found) = case.found else {
            return self.add_case(case);
        };
        let offset = case.offset.0;
        let distance = offset.cast_signed() - found.place.0.cast_signed();
        match elsewhere.blocks.blocks {
            0 => elsewhere.distance = distance,
            _ => elsewhere.differs |= elsewhere.distance != distance,
        }
        add(
            &mut elsewhere.blocks,
            offset,
            found.generation,
            found.issued,
        );
        lengthen(&mut elsewhere.stretches, offset, true);
        count_kind(&mut elsewhere.kinds, case.kind, 1);
        if elsewhere.cases.len() < CASES_MAX {
            elsewhere.cases.push(case);
        }
    }

    /// The record, but for what was asked.
    pub(super) fn finish(mut self) -> VerifyWork {
        self.judge_elsewhere();
        relate(&mut self.found);
        let mut work = self.work;
        self.found.kinds.sort_by_key(|one| one.kind);
        self.found.cases.sort_by_key(|case| case.offset);
        (work.kinds, work.cases) = (self.found.kinds, self.found.cases);
        for (number, case) in work.cases.iter_mut().enumerate() {
            case.bytes = case
                .bytes
                .take()
                .filter(|_| number < bytes_max(self.evidence));
        }
        let mut runs: Vec<RunBlocks> = self
            .runs
            .into_iter()
            .map(|(key, run)| named(key, run))
            .collect();
        runs.sort_by_key(|run| std::cmp::Reverse(run.blocks));
        let further = runs.split_off(runs.len().min(RUNS_MAX));
        work.further_runs += further.iter().map(|run| run.blocks).sum::<u64>();
        work.runs = runs;
        let mut joined: Vec<Stretch> = Vec::new();
        for ((from, corrupt), to) in self.stretches {
            match joined.last_mut() {
                Some(last) if last.to.0 == from && last.corrupt == corrupt => last.to = Bytes(to),
                _ => joined.push(Stretch {
                    from: Bytes(from),
                    to: Bytes(to),
                    corrupt,
                }),
            }
        }
        if self.durable != DurableCounts::default() {
            work.durability = Some(Durability {
                blocks: self.durable,
                ..Durability::default()
            });
        }
        work.stretch_count += joined.len() as u64;
        joined.truncate(STRETCHES_MAX);
        work.stretches = joined;
        work
    }

    /// A run of which many blocks are elsewhere was moved as a whole: a copy, a partition, a member of an array. One of
    /// which few are has misdirected ones.
    fn judge_elsewhere(&mut self) {
        for (key, one) in std::mem::take(&mut self.elsewhere) {
            let moved = one.blocks.blocks;
            let at_place = self.runs.get(&key).map_or(0, |run| run.blocks);
            if moved * MOVED_ONE_IN > moved + at_place {
                self.work.blocks.displaced += moved;
                let run = self.runs.entry(key).or_default();
                join(run, &one.blocks);
                run.blocks = at_place;
                run.displaced = moved;
                run.displaced_by = Some(one.distance).filter(|_| !one.differs);
                continue;
            }
            for KindCount { kind, blocks } in one.kinds {
                let counted_below = one.cases.iter().filter(|case| case.kind == kind).count();
                let others = blocks - counted_below as u64;
                count_kind(&mut self.found.kinds, kind, others);
            }
            one.cases.into_iter().for_each(|case| self.add_case(case));
            let places = one
                .stretches
                .iter()
                .map(|one| ((one.from.0, true), one.to.0));
            self.stretches.extend(places);
        }
    }
}

fn add(run: &mut RunBlocks, offset: u64, version: u16, issued: Nanos) {
    let one = RunBlocks {
        blocks: 1,
        first: Bytes(offset),
        last: Bytes(offset),
        version_max: version,
        last_issued: issued,
        ..RunBlocks::default()
    };
    join(run, &one);
}

fn join(run: &mut RunBlocks, other: &RunBlocks) {
    run.first = match run.blocks {
        0 => other.first,
        _ => run.first.min(other.first),
    };
    run.blocks += other.blocks;
    run.last = run.last.max(other.last);
    run.version_max = run.version_max.max(other.version_max);
    run.last_issued = run.last_issued.max(other.last_issued);
}

fn named(key: RunKey, blocks: RunBlocks) -> RunBlocks {
    RunBlocks {
        header_run: key.0,
        target: key.1,
        ..blocks
    }
}

/// Adds a block behind the last stretch, or begins one.
fn lengthen(stretches: &mut Vec<Stretch>, offset: u64, corrupt: bool) {
    let (from, to) = (Bytes(offset), Bytes(offset + BLOCK.0));
    let is_full = stretches.len() >= STRETCHES_JOINED;
    match stretches.last_mut() {
        Some(last) if last.to == from && last.corrupt == corrupt => last.to = to,
        _ if is_full => {}
        _ => stretches.push(Stretch { from, to, corrupt }),
    }
}
