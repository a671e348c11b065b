//! Ranks with equal work and unequal IOPS, without a single outlier.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding, straggler};
use crate::job::seen::{JobSeen, RankRow};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("uneven-hosts"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "The hosts had equal work and shared the IOPS unequally.",
    method: "There are ranks on several machines, Jain's index of the IOPS of all ranks is below 0.95, and no single rank is an outlier.",
    evidence: &["fairness", "iops_min", "iops_max"],
    source: "Jain, Chiu, Hawe, A quantitative measure of fairness, DEC-TR-301 (1984).",
    advice: "Check the paths, links and owners of the target: hosts with a shorter way are served first.",
    look: Look::Job(look),
};

/// One of eight hosts at 62% has 0.98; half of them at half the rate have 0.90.
const FAIR_MIN: f64 = 0.95;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let fairness = seen.fairness.filter(|fairness| *fairness < FAIR_MIN)?;
    let hosts: Vec<&RankRow> = seen
        .hosts
        .iter()
        .filter(|host| host.iops().is_some())
        .collect();
    if seen.machines < 2 || straggler::outlier(&hosts).is_some() {
        return None;
    }
    let rates = hosts.iter().filter_map(|host| host.iops());
    let (least, most) = rates.fold((f64::MAX, 0.0f64), |(least, most), rate| {
        (least.min(rate), most.max(rate))
    });
    let sentence = format!(
        "the hosts share the IOPS unequally: Jain's index {fairness:.2}; the slowest does {} IOPS, the fastest {}",
        crate::say::rate(least),
        crate::say::rate(most)
    );
    let evidence = [
        ("fairness", fairness),
        ("iops_min", least),
        ("iops_max", most),
    ];
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        RULE.advice,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::test::job;

    #[test]
    fn two_groups_are_uneven_and_one_outlier_is_not() {
        assert!(job::of_rates(&[100.0, 40.0, 100.0, 40.0, 100.0, 40.0], look).is_some());
        assert_eq!(
            job::of_rates(&[100.0, 101.0, 100.5, 100.0, 5.0], look),
            None
        );
        assert_eq!(job::of_rates(&[100.0, 98.0, 101.0], look), None);
        let unequal = [100.0, 40.0, 100.0, 40.0];
        assert!(job::of_rates(&unequal, look).is_some());
        assert_eq!(job::on_machines(1, &unequal, look), None);
    }
}
