//! Address overlap: a trace was replayed on a smaller target, and regions of it share their places.
//!
//! Data that was apart is then together: caches hit more often, and reuse is shorter. Omitted: by how much, which depends
//! on the target's caches.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::Access;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("address-overlap"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "Address overlap: regions of the trace share their places on the target.",
    method: "The target is smaller than the data that the trace uses. At least 1% of the trace's regions of 1 MiB are at the place of another one.",
    evidence: &["overlap_share"],
    source: "fathom's own placement; see fathom docs replay.",
    advice: "Replay on a larger target, a shorter --window, or fewer devices (--map).",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.01;

fn look(seen: &Own<'_>) -> Option<Finding> {
    let overlap = |access: &Access| match access {
        Access::Recorded(recorded) => recorded.overlap_ppm,
        _ => None,
    };
    let targets = seen.record.plan.targets.iter();
    let most = targets
        .filter_map(|target| overlap(&target.workload.access))
        .max()?;
    let share = f64::from(most) / 1e6;
    if share < SHARE_MIN {
        return None;
    }
    let sentence = format!(
        "address overlap: {} of the regions that the trace uses share their place on the smaller target; caches hit more often than in the original",
        say::percent(share)
    );
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &[("overlap_share", share)],
        "replay on a larger target, a shorter window or fewer devices",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::found;
    use crate::sample::Sample;
    use model::plan::{RecordedAccess, RecordedIssue, RecordedOmissions};
    use model::{Access, Bytes, Nanos, RunRecord};

    fn record(overlap_ppm: Option<u32>) -> RunRecord {
        let mut record = Sample::default().build();
        record.plan.targets[0].workload.access = Access::Recorded(Box::new(RecordedAccess {
            trace: "t".to_owned(),
            digest: String::new(),
            granularity: Bytes(512),
            ios: 1,
            duration: Nanos(1),
            think: None,
            speed_ppm: 1_000_000,
            fit: "hash".to_owned(),
            overlap_ppm,
            unit: Bytes(512),
            omitted: RecordedOmissions::default(),
            issue: RecordedIssue::default(),
        }));
        record
    }

    #[test]
    fn a_tenth_of_the_regions_is_reported_and_none_is_not() {
        let reported = found(&record(Some(100_000)), "address-overlap").unwrap();
        assert_eq!(reported.evidence[0].value, 0.1);
        for quiet in [None, Some(0), Some(9999)] {
            assert!(found(&record(quiet), "address-overlap").is_none());
        }
    }
}
