//! What a workload comes up against at its best rate, in one word and one sentence.
//!
//! # The method
//!
//! In this order, the first that applies:
//!
//! 1. Nothing of the device was seen: most of the cells at the peak were answered from a cache above it.
//! 2. Most of the cells at the peak stand at a limit that is known: of a control group, named by a person, published by a
//!    cloud, or seen because the device was idle while I/Os waited above it. Where others kept the processors busy
//!    meanwhile, that is still the limit.
//! 3. fathom, or a processor, had no time left in most of the cells at the peak.
//! 4. The rate may rise beyond the deepest load that was run: the limit was not reached.
//! 5. Another workload with blocks at least twice as large or small reaches the same bytes per second, or to the same I/Os a
//!    second; or one with blocks of the same size that reads or writes otherwise reaches the same rate. One figure that
//!    is the same for every load is a ceiling: of a link, of the medium, or of a rate limit. From outside these are one
//!    thing (bottleneck law; Denning and Buzen, Computing Surveys 10 (1978)). What more others share counts. Where
//!    another workload moves more, there is no ceiling for all: of IOPS nothing is left then, of bytes what as large a
//!    share of writes has in common, because many devices read and write at different speeds.
//! 6. More in flight than at the best is clearly slower: the target falls off a cliff.
//! 7. What is left is the device's own time for an I/O.
//!
//! The cells at the peak are those from the knee on with 95% of the best rate. Most of them must show it, so that one
//! odd cell does not decide, nor how many cells were run. Deliberately absent: what to do about it, which is the
//! findings'.

use super::row::is_sound;
use super::visits::Runs;
use super::{CellReport, KNEE_SHARE, Limit, LimitKind, SurveyRow};
use crate::findings::{Confidence, Severity};
use crate::gain::GAIN_MIN;
use crate::say;

/// Two levels this near are one.
const SAME_MAX: f64 = 0.03;
/// Sizes that lie further apart than this show a ceiling.
const SIZES_MIN: f64 = 1.9;
/// From this size on, one figure of both reads and writes is likelier one of bytes.
const LARGE: f64 = 65_536.0;
/// A fall below the best by this much is a cliff.
const CLIFF_SHARE: f64 = 0.85;

/// Limits in the findings of a cell, the most specific first.
const FOUND: [LimitKind; 3] = [LimitKind::Cache, LimitKind::Cap, LimitKind::Tool];

/// A workload's level, for the comparison with others.
#[derive(Clone, Copy, Debug)]
struct Level {
    block_bytes: f64,
    rate: f64,
    write_percent: u8,
    is_reached: bool, // deeper brought no more
}

/// Sets the limit of each row. `queue_depth_max` is the deepest load that was allowed.
pub(super) fn name(rows: &mut [SurveyRow], runs: Runs<'_>, queue_depth_max: u64) {
    let levels: Vec<Option<Level>> = rows
        .iter()
        .map(|row| level(row, runs, queue_depth_max))
        .collect();
    for (place, row) in rows.iter_mut().enumerate() {
        let others = levels.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let others: Vec<Level> = others.filter_map(|(_, level)| *level).collect();
        let limit = levels[place].and_then(|mine| limit(row, runs, mine, &others));
        row.limit = limit;
    }
}

/// Of the engine null, which has no device: all that it shows is fathom itself.
pub(super) fn name_null(rows: &mut [SurveyRow]) {
    for row in rows.iter_mut().filter(|row| row.best.is_some()) {
        let sentence = "fathom itself: the engine null does no I/O".to_owned();
        row.limit = Some(said(LimitKind::Tool, sentence, Confidence::High));
    }
}

fn sound<'a>(row: &SurveyRow, runs: Runs<'a>) -> Vec<&'a CellReport> {
    let mut loads = runs.loads(&row.workload);
    loads.retain(|cell| is_sound(cell));
    loads
}

fn level(row: &SurveyRow, runs: Runs<'_>, queue_depth_max: u64) -> Option<Level> {
    let best = row.best.as_ref()?;
    let loads = sound(row, runs);
    let mut deeper = loads
        .iter()
        .filter(|cell| cell.load.queue_depth > best.load.queue_depth);
    let knee = row.knee_depth?;
    let at_knee = loads.iter().filter(|cell| cell.load.queue_depth == knee);
    let knee_rate = at_knee.map(|cell| cell.throughput.iops).fold(0.0, f64::max);
    // A doubling that brought nothing, or the deepest with little left to gain.
    let beyond = loads.iter().filter(|cell| cell.load.queue_depth > knee);
    let flat = beyond
        .map(|cell| cell.throughput.iops)
        .any(|rate| rate < GAIN_MIN * knee_rate);
    let bent = knee.saturating_mul(2) <= queue_depth_max && best.load.queue_depth > knee;
    Some(Level {
        block_bytes: best.throughput.bytes as f64 / best.throughput.ios.max(1) as f64,
        rate: best.throughput.iops,
        write_percent: best.load.write_percent,
        is_reached: flat || bent || deeper.next().is_some(),
    })
}

fn limit(row: &SurveyRow, runs: Runs<'_>, mine: Level, others: &[Level]) -> Option<Limit> {
    let best = row.best.as_ref()?;
    let knee = row.knee_depth.unwrap_or(best.load.queue_depth);
    let loads = sound(row, runs);
    let peak = |cell: &&CellReport| {
        cell.load.queue_depth >= knee && cell.throughput.iops >= KNEE_SHARE * best.throughput.iops
    };
    let at_peak: Vec<&CellReport> = loads.iter().copied().filter(peak).collect();
    if let Some(limit) = found(&at_peak) {
        return Some(limit);
    }
    if !mine.is_reached {
        let sentence = format!(
            "limit not reached: the rate may rise beyond QD{}",
            best.load.queue_depth
        );
        return Some(said(LimitKind::Depth, sentence, Confidence::High));
    }
    if let Some(limit) = roof(mine, others) {
        return Some(limit);
    }
    let slow = |cell: &&&CellReport| {
        cell.load.queue_depth > best.load.queue_depth
            && cell.throughput.iops < CLIFF_SHARE * best.throughput.iops
    };
    let cliff = loads
        .iter()
        .filter(slow)
        .min_by_key(|cell| cell.load.queue_depth);
    Some(match cliff {
        Some(cell) => said(
            LimitKind::Cliff,
            format!(
                "throughput drops beyond QD{}: {} IOPS at QD{}",
                best.load.queue_depth,
                say::rate(cell.throughput.iops),
                cell.load.queue_depth
            ),
            Confidence::Medium,
        ),
        None => said(
            LimitKind::Service,
            "no ceiling shared with other block sizes, no limit detected".to_owned(),
            Confidence::Medium,
        ),
    })
}

/// The limit that most cells at the peak report.
fn found(at_peak: &[&CellReport]) -> Option<Limit> {
    for kind in FOUND {
        let reported = at_peak.iter().filter_map(|cell| {
            let mut findings = cell.findings.iter();
            findings.find(|one| one.severity >= Severity::Warning && one.limit() == Some(kind))
        });
        let reported: Vec<_> = reported.collect();
        // A finding of the first cell may be that of a short one: the surest speaks.
        if !reported.is_empty() && 2 * reported.len() >= at_peak.len() {
            let surest = reported.iter().max_by_key(|finding| finding.confidence)?;
            return Some(said(kind, surest.sentence.clone(), surest.confidence));
        }
    }
    None
}

/// One figure that is the same at every size.
fn roof(mine: Level, others: &[Level]) -> Option<Limit> {
    let far = |other: &Level| {
        let sizes = other.block_bytes / mine.block_bytes;
        sizes >= SIZES_MIN || sizes <= 1.0 / SIZES_MIN
    };
    let flow = |level: &Level| level.rate * level.block_bytes;
    // One that moves more shows that there is no ceiling for all, and that figures of other shares of writes are equal by
    // chance.
    let beyond = |of: fn(&Level) -> f64| {
        let most = of(&mine) * (1.0 + SAME_MAX);
        others.iter().any(|other| of(other) > most)
    };
    let one_direction = beyond(flow);
    let of_a_kind = |other: &&Level| !one_direction || other.write_percent == mine.write_percent;
    let is_like = |other: &Level, of: fn(&Level) -> f64| {
        other.is_reached && (of(other) / of(&mine) - 1.0).abs() <= SAME_MAX
    };
    // Of one size, reads and writes that give one figure show that there is a ceiling; the size shows which is likelier.
    let twins = |other: &&Level| !far(other) && is_like(other, |level| level.rate);
    let twins = others.iter().filter(twins);
    let (small, large) = match mine.block_bytes < LARGE {
        true => (twins.count(), 0),
        false => (0, twins.filter(of_a_kind).count()),
    };
    let same_flow = |other: &&Level| far(other) && is_like(other, flow);
    let by_bytes = large + others.iter().filter(same_flow).filter(of_a_kind).count();
    // A limit on I/Os applies to all.
    let by_rate = match beyond(|level| level.rate) {
        true => 0,
        false => {
            let same_rate = |other: &&Level| far(other) && is_like(other, |level| level.rate);
            small + others.iter().filter(same_rate).count()
        }
    };
    if by_bytes + by_rate == 0 {
        return None;
    }
    Some(if by_bytes >= by_rate {
        let flow = say::mib_per_s(flow(&mine));
        let what = match one_direction {
            true => "size",
            false => "kind of I/O",
        };
        let sentence =
            format!("{flow} MiB/s for every {what}: a link, the medium, or a bandwidth limit");
        said(LimitKind::Bandwidth, sentence, Confidence::High)
    } else {
        let rate = say::rate(mine.rate);
        let sentence = format!(
            "{rate} IOPS for every kind of I/O: an IOPS limit, or the device's cost per I/O"
        );
        said(LimitKind::Rate, sentence, Confidence::High)
    })
}

fn said(kind: LimitKind, sentence: String, confidence: Confidence) -> Limit {
    Limit {
        kind,
        sentence,
        confidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: Level = Level {
        block_bytes: 4096.0,
        rate: 4000.0,
        write_percent: 0,
        is_reached: true,
    };

    fn kind(others: &[Level]) -> Option<LimitKind> {
        roof(MINE, others).map(|limit| limit.kind)
    }

    #[test]
    fn one_figure_that_holds_whatever_the_size_is_a_roof() {
        let twice = Level {
            block_bytes: 8192.0,
            ..MINE
        };
        assert_eq!(kind(&[twice]), Some(LimitKind::Rate));
        assert_eq!(kind(&[MINE]), Some(LimitKind::Rate));
        let half = Level {
            rate: 2010.0,
            ..twice
        };
        assert_eq!(kind(&[half]), Some(LimitKind::Bandwidth));
        assert_eq!(
            kind(&[Level {
                rate: 3000.0,
                ..twice
            }]),
            None
        );
        let faster = Level {
            rate: 9000.0,
            ..twice
        };
        assert_eq!(kind(&[twice, faster]), None);
    }

    #[test]
    fn a_mix_that_moves_as_much_as_a_write_and_less_than_a_read_is_at_no_roof() {
        let write = Level {
            block_bytes: 1_048_576.0,
            rate: 15.7,
            write_percent: 100,
            ..MINE
        };
        assert_eq!(kind(&[write]), Some(LimitKind::Bandwidth));
        let read = Level {
            write_percent: 30,
            rate: 22.0,
            ..write
        };
        assert_eq!(kind(&[write, read]), None, "equal by chance");
        let of_my_kind = Level {
            write_percent: 0,
            ..write
        };
        assert_eq!(kind(&[of_my_kind, read]), Some(LimitKind::Bandwidth));
    }

    #[test]
    fn a_workload_that_still_gains_tells_no_roof() {
        let gaining = Level {
            block_bytes: 8192.0,
            is_reached: false,
            ..MINE
        };
        assert_eq!(kind(&[gaining]), None);
    }
}
