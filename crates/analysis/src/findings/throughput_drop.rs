//! The rate fell to a lower level and stayed there: something fast was used up on the way. The detector is in
//! `crate::changes`.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::intervals::full_intervals;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("throughput-drop"),
    group: Group::Stability,
    cause: Cause::Change,
    limit: None,
    what: "IOPS dropped to a lower level during the run and stayed there.",
    method: "The split of the time series with the smallest sum of squares: the level after it is 10% or more below the level before, seven standard errors or more apart. A step fits the series better than a slope. Where only writes were measured without a warm-up, the excess over the later rate is the size of a full cache.",
    evidence: &[
        "at_ns",
        "iops_before",
        "iops_after",
        "change_share",
        "cache_bytes",
    ],
    source: "Least-squares change point; the manual, chapter Statistics.",
    advice: "Measure the level after the drop with a longer warm-up. A full write cache, thermal throttling or a used-up burst allowance causes such a drop.",
    look: Look::Own(look),
};

fn look(seen: &Own<'_>) -> Option<Finding> {
    let drop = seen.steadiness.drop.as_ref()?;
    let bytes = filled_cache(seen, drop.at_ns);
    let written = bytes.map_or_else(String::new, |bytes| {
        format!(", as when a cache of {} is full,", say::bytes(bytes as u64))
    });
    let mut evidence = vec![
        ("at_ns", drop.at_ns as f64),
        ("iops_before", drop.iops_before),
        ("iops_after", drop.iops_after),
        ("change_share", drop.change_share),
    ];
    evidence.extend(bytes.map(|bytes| ("cache_bytes", bytes)));
    Some(finding(
        RULE.id,
        Severity::Warning,
        format!(
            "IOPS dropped from {1} to {2} ({3:.0}%) after {0}{written} and stayed there",
            say::time(drop.at_ns as f64),
            say::rate(drop.iops_before),
            say::rate(drop.iops_after),
            drop.change_share * 100.0
        ),
        &evidence,
        "a full write cache, thermal throttling or a used-up burst allowance causes this; measure the level after the drop",
    ))
}

/// The size of a cache that was filled: what was written up to then in excess of the rate that stayed. None where something was
/// written before that is not counted.
fn filled_cache(seen: &Own<'_>, at_ns: u64) -> Option<f64> {
    let plan = &seen.record.plan;
    let only_writes = plan
        .targets
        .iter()
        .all(|target| target.workload.write.as_percent() == 100);
    let steps = full_intervals(seen.intervals, plan.interval);
    // The step of the fall is of both levels.
    let fall = steps.iter().position(|row| row.from_ns >= at_ns)?;
    let (before, after) = steps.split_at_checked(fall + 1)?;
    let stays = after.iter().map(|row| row.bytes as f64).sum::<f64>() / after.len() as f64;
    let excess = before.iter().map(|row| (row.bytes as f64 - stays).max(0.0));
    let filled = only_writes && plan.phases.warmup.0 == 0 && !after.is_empty();
    filled.then(|| excess.sum())
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{found, stepped};

    #[test]
    fn a_step_down_is_reported_with_its_moment_and_nothing_else_of_the_change() {
        let record = stepped(|step| if step < 20 { 2000 } else { 1000 });
        let reported = found(&record, "throughput-drop").unwrap();
        let figures: Vec<f64> = reported.evidence.iter().map(|one| one.value).collect();
        assert_eq!(figures, [10e9, 4000.0, 2000.0, -0.5]);
        assert_eq!(found(&record, "not-steady"), None, "one cause, one finding");
        assert_eq!(found(&stepped(|_| 2000), "throughput-drop"), None);
    }
}
