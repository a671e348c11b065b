//! Hosts that own a shared target, compared with the others, which reach it through an owner or over the network.
//!
//! Omitted: which hosts own it (`job`), and differences between hosts of one kind (`straggler`, `uneven_hosts`).

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::{JobSeen, RankRow, median};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("owner-node"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "Hosts that own the shared target had other IOPS than hosts that reach it through an owner.",
    method: "The mean IOPS of the ranks on owners divided by the mean of the others, and its 95% interval from those of all ranks. Ranks are compared as they measured alone where they did (--each), else as they measured together. Found where the interval does not contain 1 and the difference is 10% or more. Owners are named by --owner; without it they are the hosts on which the file system is local while others mount it over NFS or SMB.",
    evidence: &[
        "ratio",
        "ratio_low",
        "ratio_high",
        "iops_owner",
        "iops_other",
        "alone",
    ],
    source: "Fieller, Some Problems in Interval Estimation, JRSS B 16 (1954), in its approximation for small relative errors; Microsoft Learn, Cluster Shared Volumes: I/O redirection to the coordinator node.",
    advice: "Run what needs the speed on the owner, or move the ownership to the host that needs it. Report both figures: neither alone is the speed of the shared target.",
    look: Look::Job(look),
};

/// A smaller difference is of no consequence.
const OFF_MIN: f64 = 0.10;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let is_alone = !seen.alone.is_empty();
    let rows = if is_alone { seen.alone } else { seen.hosts };
    let measured = |row: &&RankRow| row.iops().is_some_and(|rate| rate > 0.0);
    let (owners, others): (Vec<&RankRow>, Vec<&RankRow>) = rows
        .iter()
        .filter(measured)
        .partition(|row| seen.owners.contains(&row.rank));
    let (owner, other) = (Side::of(&owners)?, Side::of(&others)?);
    let ratio = owner.mean / other.mean;
    let half = ratio * owner.error.hypot(other.error);
    let (low, high) = (ratio - half, ratio + half);
    if (low..=high).contains(&1.0) || (ratio - 1.0).abs() < OFF_MIN {
        return None;
    }
    let names: Vec<&str> = owners.iter().map(|row| row.host.as_str()).collect();
    let sentence = format!(
        "on the owner ({}) {ratio:.2} times the IOPS of the other hosts ({low:.2} to {high:.2}), {}: {} and {} IOPS{}",
        model::distinct(names).join(", "),
        if is_alone {
            "each alone"
        } else {
            "all together"
        },
        say::rate(owner.mean),
        say::rate(other.mean),
        latencies(&owner, &other)
    );
    let evidence = [
        ("ratio", ratio),
        ("ratio_low", low),
        ("ratio_high", high),
        ("iops_owner", owner.mean),
        ("iops_other", other.mean),
        ("alone", f64::from(u8::from(is_alone))),
    ];
    let advice = "report both figures: neither alone is the speed of the shared target";
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        advice,
    ))
}

/// The ranks of one kind.
struct Side {
    /// Of their IOPS. // above 0
    mean: f64,
    /// Half of its 95% interval, as a share of it.
    error: f64,
    /// The median of their median latencies.
    p50_ns: Option<f64>,
}

impl Side {
    /// `None` without ranks, or where the interval of one is unknown.
    fn of(rows: &[&RankRow]) -> Option<Side> {
        let figures: Vec<_> = rows.iter().filter_map(|row| row.figures).collect();
        let count = figures.len() as f64;
        let mean = figures.iter().map(|one| one.iops).sum::<f64>() / count;
        let mut squares = 0.0;
        for one in &figures {
            squares += (one.half_width? * one.iops).powi(2);
        }
        let p50 = figures.iter().filter_map(|one| one.latency_p50_ns);
        (count > 0.0).then(|| Side {
            mean,
            error: squares.sqrt() / count / mean,
            p50_ns: median(p50.map(|ns| ns as f64).collect()),
        })
    }
}

fn latencies(owner: &Side, other: &Side) -> String {
    let both = owner.p50_ns.zip(other.p50_ns);
    both.map_or_else(String::new, |(owner, other)| {
        format!("; p50 {} and {}", say::time(owner), say::time(other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::test::job::of_owners;

    #[test]
    fn an_owner_is_compared_with_the_others_as_they_were_alone() {
        let together = [100.0, 100.0, 100.0];
        let found = of_owners(&together, &[240.0, 98.0, 102.0], &[0], look).unwrap();
        let value = |key: &str| {
            let one = found.evidence.iter().find(|one| one.name == key);
            one.unwrap().value
        };
        assert!((value("ratio") - 2.4).abs() < 1e-9);
        // Of 1% of 240, and of 1% of each of two with a mean of 100.
        let error = 0.01f64.hypot(0.98f64.hypot(1.02) / 2.0 / 100.0);
        assert!((value("ratio_high") - 2.4 * (1.0 + error)).abs() < 1e-9);
        assert_eq!(value("alone"), 1.0);
        assert!(of_owners(&[240.0, 98.0, 102.0], &[], &[0], look).is_some());
    }

    #[test]
    fn equal_hosts_and_unknown_owners_are_none() {
        assert_eq!(of_owners(&[105.0, 100.0], &[], &[0], look), None);
        assert_eq!(of_owners(&[240.0, 100.0], &[], &[], look), None);
        assert_eq!(of_owners(&[240.0, 100.0], &[], &[0, 1], look), None);
    }
}
