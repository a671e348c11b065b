//! The rate went to and fro between two levels: throttling by temperature, a cache that is filled and flushed in turns, a
//! neighbour that comes and goes.
//!
//! Omitted: loads that change by themselves (replays, pauses that were requested). One change that lasts is `throughput-drop`; a rate that wanders is `not-steady`; nothing at all for a while is `stall`.

use super::stall::pauses_itself;
use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::intervals::full_intervals;
use crate::run::reads_again_later;
use crate::say;
use model::PlannedTarget;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("two-speeds"),
    group: Group::Stability,
    cause: Cause::Change,
    limit: None,
    what: "IOPS went to and fro between two levels, so their mean describes neither.",
    method: "Runs of fathom that are no replay and have no requested pauses, with 20 steps of the time series or more: the best division of the rates into two classes leaves 15% of all squares or less. A normal distribution leaves 36%, a sine 19%. The median of the upper class is 25% above that of the lower or more, which is 10% of it or more. Each class has 10% of the steps or more, two falls or more were seen. A level lasts two steps and half a second or more on average.",
    evidence: &[
        "fast_per_s",
        "slow_per_s",
        "fast_time_share",
        "falls",
        "period_ns",
    ],
    source: "Otsu, \"A threshold selection method from gray-level histograms\", IEEE Transactions on Systems, Man and Cybernetics 9 (1979).",
    advice: "Report both levels with their shares of the time. Check the temperature, the cache and other load at the times of the falls.",
    look: Look::Own(look),
};

const STEPS_MIN: usize = 20;
const LEFT_MAX: f64 = 0.15;
const LEVELS_APART_MIN: f64 = 1.25;
const LOW_MIN: f64 = 0.10;
const CLASS_SHARE_MIN: f64 = 0.10;
const FALLS_MIN: usize = 2;
const STEPS_AT_LEVEL_MIN: f64 = 2.0;
/// What comes and goes faster is the jitter of a scheduler.
const LEVEL_NS_MIN: f64 = 5e8;
/// Falls whose distances show a period.
const FALLS_OF_PERIOD: usize = 3;

fn look(own: &Own<'_>) -> Option<Finding> {
    let changes = |target: &PlannedTarget| pauses_itself(target) || reads_again_later(target);
    if own.record.plan.targets.iter().any(changes) {
        return None;
    }
    let rows = full_intervals(own.intervals, own.record.plan.interval);
    let rates: Option<Vec<f64>> = rows.iter().map(|row| row.iops).collect();
    let levels = levels(&rates?)?;
    let step_ns = own.record.plan.interval.0 as f64;
    if levels.lasts * step_ns < LEVEL_NS_MIN {
        return None;
    }
    let (first, last) = levels.falls.first().zip(levels.falls.last())?;
    let times = (levels.falls.len() - 1).max(1) as f64;
    let period_ns =
        (levels.falls.len() >= FALLS_OF_PERIOD).then(|| (last - first) as f64 * step_ns / times);
    let every = period_ns.map_or_else(String::new, |ns| {
        format!(", on average every {}", say::time(ns))
    });
    let sentence = format!(
        "two speeds: IOPS were {} for {} of the time and {} for the rest, with {} falls{every}",
        say::rate(levels.fast),
        say::percent(levels.fast_share),
        say::rate(levels.slow),
        levels.falls.len()
    );
    let mut evidence = vec![
        ("fast_per_s", levels.fast),
        ("slow_per_s", levels.slow),
        ("fast_time_share", levels.fast_share),
        ("falls", levels.falls.len() as f64),
    ];
    evidence.extend(period_ns.map(|ns| ("period_ns", ns)));
    let advice = "check the temperature, the cache and other load at the times of the falls; report both levels";
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        advice,
    ))
}

#[derive(Debug, PartialEq)]
struct Levels {
    fast: f64,
    slow: f64,
    fast_share: f64,
    /// Steps that a level lasts on average.
    lasts: f64,
    /// Steps in which a fall to the lower level was seen.
    falls: Vec<usize>,
}

fn levels(rates: &[f64]) -> Option<Levels> {
    if rates.len() < STEPS_MIN {
        return None;
    }
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (at, left) = divide(&sorted);
    let (low, high) = sorted.split_at(at);
    let (slow, fast) = (*low.get(low.len() / 2)?, *high.get(high.len() / 2)?);
    let few = (CLASS_SHARE_MIN * rates.len() as f64).ceil() as usize;
    if left > LEFT_MAX || low.len() < few || high.len() < few {
        return None;
    }
    if fast < LEVELS_APART_MIN * slow || slow < LOW_MIN * fast {
        return None;
    }
    let middle = f64::midpoint(slow, fast);
    let is_fast: Vec<bool> = rates.iter().map(|rate| *rate > middle).collect();
    let falls: Vec<usize> = (1..rates.len())
        .filter(|&at| is_fast[at - 1] && !is_fast[at])
        .collect();
    let changes = is_fast.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let lasts = rates.len() as f64 / (changes + 1) as f64;
    let count = is_fast.iter().filter(|fast| **fast).count();
    (falls.len() >= FALLS_MIN && lasts >= STEPS_AT_LEVEL_MIN).then(|| Levels {
        fast,
        slow,
        fast_share: count as f64 / rates.len() as f64,
        lasts,
        falls,
    })
}

/// Where sorted values are divided best, and the share of all squares that is left then.
fn divide(sorted: &[f64]) -> (usize, f64) {
    let count = sorted.len() as f64;
    let sum: f64 = sorted.iter().sum();
    let mean = sum / count;
    let all: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    let (mut below, mut best) = (0.0, (0, 0.0));
    for (at, value) in sorted.iter().enumerate() {
        if at > 0 {
            let few = at as f64;
            let apart = below / few - (sum - below) / (count - few);
            let between = few * (count - few) / count * apart * apart;
            if between > best.1 {
                best = (at, between);
            }
        }
        below += value;
    }
    let left = if all > 0.0 { 1.0 - best.1 / all } else { 1.0 };
    (best.0, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::findings::test::{found, stepped};
    use model::plan::{RecordedAccess, RecordedIssue, RecordedOmissions};
    use model::{Access, Bytes, Nanos};

    #[test]
    fn two_levels_in_turns_are_reported_with_both() {
        let record = stepped(|step| if step % 8 < 5 { 2000 } else { 1000 });
        let reported = found(&record, "two-speeds").unwrap();
        let figures: Vec<f64> = reported.evidence.iter().map(|one| one.value).collect();
        assert_eq!(figures, [4000.0, 2000.0, 0.625, 5.0, 4e9]);
        assert_eq!(found(&record, "not-steady"), None, "one cause, one finding");
        let mut replay = record;
        replay.plan.targets[0].workload.access = Access::Recorded(Box::new(RecordedAccess {
            trace: "a.blkparse".to_owned(),
            digest: String::new(),
            granularity: Bytes::kib(4),
            ios: 60_000,
            duration: Nanos::seconds(20),
            think: None,
            speed_ppm: 1_000_000,
            fit: "identity".to_owned(),
            overlap_ppm: None,
            unit: Bytes::kib(4),
            omitted: RecordedOmissions::default(),
            issue: RecordedIssue::default(),
        }));
        assert_eq!(found(&replay, "two-speeds"), None, "the trace has them");
    }

    #[test]
    fn one_step_noise_and_a_wandering_rate_are_not_two_speeds() {
        assert_eq!(
            found(
                &stepped(|step| if step < 20 { 2000 } else { 1000 }),
                "two-speeds"
            ),
            None
        );
        let mut chance = Chance(7);
        let mut alarms = 0;
        for number in 0..1000 {
            let (kept, wide) = [(0.0, 0.3), (0.9, 0.2), (0.5, 0.1)][number % 3];
            let mut state = chance.normal();
            let series: Vec<f64> = (0..60)
                .map(|_| {
                    state = kept * state + (1.0f64 - kept * kept).sqrt() * chance.normal();
                    1000.0 * (wide * state).exp()
                })
                .collect();
            alarms += u32::from(levels(&series).is_some());
        }
        assert!(alarms <= 10, "{alarms} of 1000");
    }
}
