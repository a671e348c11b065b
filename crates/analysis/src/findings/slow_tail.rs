//! A few I/Os took many times as long as all others, one here and one there: a retry, an error that was corrected, garbage
//! collection, a path that is slower.
//!
//! Silent where they came together, which is a stall (`stall`), and where one in twenty or more are slow, which is a group
//! of its own (`latency-groups`).

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::intervals::full_intervals;
use crate::latency::{Split, split_of};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("slow-tail"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "A few I/Os took many times as long as all others.",
    method: "Runs of fathom with one target and one kind of I/Os (one size, all random or all sequential, no replay): 5% of the reads or of the writes or fewer, 20 or more, form a group of their own. Almost none are between, from one latency to 2.5 times as much. Their median is five times that of the others or more. They are in at least half as many steps of the time series as chance alone would put them. A warning if they make up 10% of all waiting or more.",
    evidence: &[
        "tail_share",
        "tail_ios",
        "tail_ns",
        "median_ns",
        "time_share",
    ],
    source: "Dean and Barroso, \"The Tail at Scale\", Communications of the ACM 56 (2013).",
    advice: "Report the tail with its share. Check the health of the device, retries in the system log, and the paths to it.",
    look: Look::Own(look),
};

const SHARE_MAX: f64 = 0.05;
const FACTOR_MIN: f64 = 5.0;
const STEPS_SHARE_MIN: f64 = 0.5;
const TIME_SHARE_WARNING: f64 = 0.10;

fn look(own: &Own<'_>) -> Option<Finding> {
    let (split, latency) = split_of(own.record)?;
    let share = 1.0 - split.fast_share;
    let apart = split.slow_ns >= FACTOR_MIN * split.fast_ns;
    if share > SHARE_MAX || !apart || !are_spread(own, &split) {
        return None;
    }
    let waited = latency.mean_ns()? * latency.count() as f64;
    let time_share = (split.slow_ios as f64 * split.slow_ns / waited).min(1.0);
    let severity = match time_share >= TIME_SHARE_WARNING {
        true => Severity::Warning,
        false => Severity::Note,
    };
    let sentence = format!(
        "slow tail: {} of the I/Os took {}, {}x the median of the others ({} of all waiting)",
        say::percent(share),
        say::time(split.slow_ns),
        say::digits(split.slow_ns / split.fast_ns),
        say::percent(time_share)
    );
    let evidence = [
        ("tail_share", share),
        ("tail_ios", split.slow_ios as f64),
        ("tail_ns", split.slow_ns),
        ("median_ns", split.fast_ns),
        ("time_share", time_share),
    ];
    let advice = "check the health of the device, retries in the system log and the paths to it; report the tail with its share";
    Some(finding(RULE.id, severity, sentence, &evidence, advice).sure(Confidence::Medium))
}

/// Whether they are in about as many steps as chance puts them: k in m steps are in m (1 - (1 - 1/m)^k).
fn are_spread(own: &Own<'_>, split: &Split) -> bool {
    let steps = full_intervals(own.intervals, own.record.plan.interval);
    let has = |row: &&crate::intervals::IntervalRow| {
        row.latency_max_ns
            .is_some_and(|ns| ns as f64 >= 0.9 * split.slow_from_ns)
    };
    let (count, seen) = (steps.len() as f64, steps.iter().filter(has).count() as f64);
    let by_chance = count * (1.0 - (1.0 - 1.0 / count.max(1.0)).powf(split.slow_ios as f64));
    count >= 2.0 && seen >= STEPS_SHARE_MIN * by_chance
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::{
        Access, Bytes, LatencyHistogram, MixedAccess, MixedLine, Nanos, RangePart, Ratio, RunRecord,
    };

    /// Of 100000 I/Os of 200 us, one of so many takes this long; `steps` of the ten have one.
    fn run(one_of: u32, slow: Nanos, steps: usize) -> RunRecord {
        let mut record = Sample {
            depth: 8,
            reads: 100_000,
            ..Sample::default()
        }
        .build();
        let tally = &mut record.threads[0].measured[0];
        tally.latency = LatencyHistogram::new();
        for number in 0..100_000 {
            let is_slow = number % one_of == 0;
            tally
                .latency
                .record(if is_slow { slow } else { Nanos::micros(200) });
        }
        for (number, interval) in tally.intervals.iter_mut().enumerate() {
            interval.latency_max = if number < steps {
                slow
            } else {
                Nanos::micros(200)
            };
        }
        record
    }

    #[test]
    fn slow_ones_here_and_there_are_a_tail_with_its_share() {
        let found = found(&run(100, Nanos::millis(20), 10), "slow-tail").unwrap();
        assert_eq!(found.severity, Severity::Warning);
        let value = |name: &str| {
            found
                .evidence
                .iter()
                .find(|one| one.name == name)
                .unwrap()
                .value
        };
        assert!((value("tail_share") - 0.01).abs() < 1e-6, "{found:?}");
        assert!((value("tail_ns") / 20e6 - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn ios_of_several_kinds_are_slow_by_their_nature() {
        let line = |block, random| MixedLine {
            share: 1,
            block,
            write: Ratio::NONE,
            random,
            align: Bytes::kib(4),
            burst: 1,
            pause: Nanos(0),
            part: RangePart::WHOLE,
        };
        let small = line(Bytes::kib(4), Ratio::ALL);
        let mixes = [
            (vec![small], true),
            (vec![small, small], true),
            (vec![small, line(Bytes::mib(1), Ratio::ALL)], false),
            (vec![small, line(Bytes::kib(4), Ratio::NONE)], false),
            (vec![line(Bytes::kib(4), Ratio::percent(3).unwrap())], false),
        ];
        let mut record = run(100, Nanos::millis(20), 10);
        for (lines, is_tail) in mixes {
            record.plan.targets[0].workload.access = Access::Mixed(MixedAccess {
                lines,
                ..MixedAccess::default()
            });
            assert_eq!(found(&record, "slow-tail").is_some(), is_tail);
        }
        let mut two = run(100, Nanos::millis(20), 10);
        two.plan.targets.push(two.plan.targets[0].clone());
        two.targets.push(two.targets[0].clone());
        assert_eq!(found(&two, "slow-tail"), None);
    }

    #[test]
    fn few_ones_of_little_weight_are_a_note_and_one_in_ten_or_all_at_once_are_no_tail() {
        let few = found(&run(2000, Nanos::millis(5), 10), "slow-tail").unwrap();
        assert_eq!(few.severity, Severity::Note);
        assert_eq!(found(&run(10, Nanos::millis(20), 10), "slow-tail"), None);
        assert_eq!(found(&run(100, Nanos::millis(20), 1), "slow-tail"), None);
        assert_eq!(found(&run(100, Nanos::micros(500), 10), "slow-tail"), None);
    }
}
