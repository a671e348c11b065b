//! Two groups of latencies with nothing between them: two sources answered, such as a cache and the disk behind it.
//!
//! Omitted: tails, which are no group (a tenth of the I/Os or more are one), and limiters that admit I/Os in slices, which
//! `iops-limit` names.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::latency::split_of;
use crate::observed::ObservedFigures;
use crate::say;
use model::imported_evidence::ImportedFlush;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("latency-groups"),
    group: Group::Cache,
    cause: Cause::Alone,
    limit: None,
    what: "The latencies are of two groups with nothing between them, so two sources served the I/Os.",
    method: "Runs of fathom with one target and one kind of I/Os (one size, all random or all sequential, no replay): two groups of 5% of the reads or of the writes or more, with medians four times apart. Almost none are between, from some latency to 2.5 times as much. Imported runs of 1000 I/Os or more: between two neighbours of the printed percentiles from 5% to 90% the latency grows to four times or more. Below them the latencies from 5% on are within a factor of 2.5 of each other. So are those above them up to 95%, with two percentiles or more each. The slow group takes 5 µs or more, as no device answers faster. Not applied to writes with syncs.",
    evidence: &["fast_share", "fast_ns", "slow_ns"],
    source: "D. P. Bovet, M. Cesati, Understanding the Linux Kernel, 3rd edition, chapter 15 (page cache); a mixture of two distributions.",
    advice: "Report both groups and their shares; their mean describes neither.",
    look: Look::Any(look),
};

const IOS_MIN: u64 = 1000;
/// Fewer are a tail.
const SHARE_MIN: f64 = 0.05;
const APART_MIN: f64 = 4.0;
const ALIKE_MAX: f64 = 2.5;
/// No device answers faster: both groups would be memory.
const DEVICE_NS_MIN: f64 = 5_000.0;
const FROM: f64 = 0.0499;
const TO: f64 = 0.9501;
const SLOW_FROM_MAX: f64 = 0.9001;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let (share, fast_ns, slow_ns) = match seen.own {
        Some(own) => counted(own)?,
        None => printed(seen)?,
    };
    // Of imported runs other load is not known.
    let like = match seen.own {
        Some(_) => "as where a cache or a tier serves a part",
        None => "as with a cache, a tier or other load",
    };
    let sentence = format!(
        "two groups of latencies: {} of the I/Os took {} or less, the others {} or more, {like}",
        say::percent(share),
        say::time(fast_ns),
        say::time(slow_ns)
    );
    let evidence = [
        ("fast_share", share),
        ("fast_ns", fast_ns),
        ("slow_ns", slow_ns),
    ];
    let advice = "repeat over a range ten times as large: if fewer I/Os are fast, a cache served these; if as many are, repeat without other load and with power saving off";
    let reported = finding(RULE.id, Severity::Note, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

/// Of runs of fathom: two groups of the histogram, one in twenty or more each.
fn counted(own: &Own<'_>) -> Option<(f64, f64, f64)> {
    let (split, all) = split_of(own.record)?;
    let groups = split.slow_ns >= APART_MIN * split.fast_ns
        && (SHARE_MIN..=1.0 - SHARE_MIN).contains(&split.fast_share)
        && all.count() >= IOS_MIN;
    groups.then_some((split.fast_share, split.fast_to_ns, split.slow_from_ns))
}

fn printed(seen: &Seen<'_>) -> Option<(f64, f64, f64)> {
    // Writes between syncs wait for the commit of those before: `commit-latency` names it.
    let flush = seen.imported?.evidence.flush;
    let synced = matches!(flush, Some(ImportedFlush::EveryWrites(_)));
    let writes = Some(&seen.observed.write).filter(|_| !synced);
    let sides: Vec<&ObservedFigures> = Some(&seen.observed.read)
        .into_iter()
        .chain(writes)
        .collect();
    let many = |side: &&&ObservedFigures| side.ios >= Some(IOS_MIN);
    sides.iter().filter(many).find_map(|side| groups(side))
}

/// The share of the fast ones, the slowest of them and the fastest of the others.
fn groups(side: &ObservedFigures) -> Option<(f64, f64, f64)> {
    let points: Vec<(f64, f64)> = side
        .percentiles
        .iter()
        .copied()
        .filter(|(at, ns)| (FROM..=TO).contains(at) && *ns > 0.0)
        .collect();
    let gap = points
        .windows(2)
        .position(|pair| pair[1].1 >= APART_MIN * pair[0].1)?;
    let (fast, slow) = points.split_at(gap + 1);
    let alike = |group: &[(f64, f64)]| {
        let ends = group.first().zip(group.last());
        group.len() >= 2 && ends.is_some_and(|(first, last)| last.1 <= ALIKE_MAX * first.1)
    };
    let device = slow[0].1 >= DEVICE_NS_MIN;
    if !alike(fast) || !alike(slow) || !device || slow[0].0 > SLOW_FROM_MAX {
        return None;
    }
    let share = f64::midpoint(fast.last()?.0, slow[0].0);
    Some((share, fast.last()?.1, slow[0].1))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::{ImportedRun, Nanos};

    fn run(micros: [u64; 6]) -> ImportedRun {
        let mut run = imported();
        let points = [0.05, 0.2, 0.5, 0.7, 0.9, 0.95].into_iter().zip(micros);
        run.figures.read.ios = Some(100_000);
        run.figures.read.latency.percentiles =
            points.map(|(at, us)| (at, Nanos::micros(us))).collect();
        run
    }

    #[test]
    fn hits_and_misses_of_a_cache_are_two_groups_and_a_wide_tail_is_none() {
        let found = reported(&run([90, 100, 110, 6000, 8000, 9000]), "latency-groups").unwrap();
        assert!((found.evidence[0].value - 0.6).abs() < 1e-9, "{found:?}");
        for one in [
            [90, 120, 300, 700, 1500, 3000],
            [90, 100, 110, 120, 130, 2000],
            [90, 100, 110, 6000, 20_000, 90_000],
            [0, 0, 1, 4, 4, 4],
        ] {
            assert_eq!(reported(&run(one), "latency-groups"), None, "{one:?}");
        }
    }
}
