//! What a comparison found so far: counts, corrupt blocks by kind, and the first of them one by one.
//!
//! Omitted: the comparison itself (`check`), and how a block gets its kind (`diagnose`).

use model::read_back::{ReadBackCounts, ReadBackIos};
use model::{CorruptBlock, CorruptKind, KindCount, VerifyCounts};
use std::collections::HashSet;

/// Cases that a record has.
pub(super) const CASES_MAX: usize = 64;
/// Cases whose bytes it has.
const BYTES_MAX: usize = 16;
/// So many cases at one distance from the places that their headers specify are addresses that wrap around.
const ALIASED_MIN: usize = 3;

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    pub(super) reads: VerifyCounts,
    pub(super) read_back: Option<ReadBackCounts>,
    pub(super) read_back_ios: Vec<ReadBackIos>,
    pub(super) deferred: u64,
    pub(super) written: u64,
    pub(super) kinds: Vec<KindCount>,
    pub(super) cases: Vec<CorruptBlock>,
    pub(super) blocks: HashSet<(u32, u64, CorruptKind)>, // corrupt ones, each with its kind
}

impl Found {
    /// Adds the I/Os by which a thread read writes of a target again.
    pub(super) fn add_ios(&mut self, ios: &ReadBackIos) {
        match self
            .read_back_ios
            .iter_mut()
            .find(|one| one.target == ios.target)
        {
            Some(one) => one.add(ios),
            None if ios.all_ios > 0 => self.read_back_ios.push(*ios),
            None => {}
        }
    }
}

/// Cases whose bytes are kept.
pub(super) const fn bytes_max(evidence: bool) -> usize {
    match evidence {
        true => CASES_MAX,
        false => BYTES_MAX,
    }
}

pub(super) fn count_kind(kinds: &mut Vec<KindCount>, kind: CorruptKind, blocks: u64) {
    match kinds.iter_mut().find(|one| one.kind == kind) {
        Some(one) => one.blocks += blocks,
        None => kinds.push(KindCount { kind, blocks }),
    }
}

/// Changes the kind of cases that only several together show: data that wraps around, and the place that a misdirected
/// write should have had.
pub(super) fn relate(found: &mut Found) {
    let distance = |case: &CorruptBlock| {
        let header = case.found.filter(|_| {
            matches!(
                case.kind,
                CorruptKind::Duplicated | CorruptKind::Misdirected
            )
        });
        header.map(|header| header.place.0.abs_diff(case.offset.0))
    };
    let distances: Vec<u64> = found.cases.iter().filter_map(distance).collect();
    let first = distances.first().copied();
    let one = distances.len() >= ALIASED_MIN && distances.iter().all(|one| Some(*one) == first);
    let meant: Vec<u64> = found
        .cases
        .iter()
        .filter(|case| case.kind == CorruptKind::Misdirected)
        .filter_map(|case| case.found)
        .map(|header| header.place.0)
        .collect();
    let mut changed = Vec::new();
    for case in &mut found.cases {
        let now = match case.kind {
            _ if one && distance(case).is_some() => CorruptKind::Aliased,
            CorruptKind::Lost if meant.contains(&case.offset.0) => CorruptKind::Misdirected,
            other => other,
        };
        if now != case.kind {
            changed.push((case.kind, now));
            case.kind = now;
        }
    }
    for (from, to) in changed {
        if let Some(count) = found.kinds.iter_mut().find(|one| one.kind == from) {
            // All blocks of the kind wrap around, those without a case too.
            let blocks = if to == CorruptKind::Aliased {
                count.blocks
            } else {
                1
            };
            count.blocks = count.blocks.saturating_sub(blocks);
            count_kind(&mut found.kinds, to, blocks);
        }
    }
    found.kinds.retain(|one| one.blocks > 0);
}
