//! One rank whose IOPS are far from those of the others, with what only that host has.
//!
//! From four ranks on by the median and the median of absolute deviations, which one outlier does not move; of two or three
//! by their ratio and intervals. Omitted: ranks that differ without a single outlier (`uneven_hosts`).

use super::{Cause, Finding, Group, Look, Rule, RuleId, Severity, finding};
use crate::job::seen::{JobSeen, RankRow};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("straggler"),
    group: Group::Stability,
    cause: Cause::Alone,
    limit: None,
    what: "One host was much slower or faster than the others.",
    method: "From four ranks on: IOPS more than 3.5 robust standard deviations and more than 10% from the median of all. Of two or three: more than 25% below the fastest, and the 95% intervals do not overlap.",
    evidence: &["rank", "iops", "of_median", "z"],
    source: "Iglewicz, Hoaglin, How to Detect and Handle Outliers, ASQC 1993: the modified z-score and its limit of 3.5.",
    advice: "Compare the host that is named with the others; what only that host has is listed in its row.",
    look: Look::Job(look),
};

/// Robust standard deviations.
const Z_MAX: f64 = 3.5;
/// Share of the median.
const OFF_MIN: f64 = 0.10;
/// Share of the fastest, of two or three ranks.
const OFF_FEW_MIN: f64 = 0.25;
const RANKS_FEW_MAX: usize = 3;

fn look(seen: &JobSeen<'_>) -> Option<Finding> {
    let with_result: Vec<&RankRow> = seen
        .hosts
        .iter()
        .filter(|host| host.iops().is_some())
        .collect();
    let host = outlier(&with_result)?;
    let of_median = host.of_median().unwrap_or(1.0);
    let differs = match host.differs_in.as_slice() {
        [] => String::new(),
        facts => format!("; only there: {}", facts.join(", ")),
    };
    let sentence = format!(
        "rank {} ({}) does {} of the median of all ranks{differs}",
        host.rank,
        host.host,
        say::percent(of_median)
    );
    let evidence = [
        ("rank", f64::from(host.rank)),
        ("iops", host.iops().unwrap_or(0.0)),
        ("of_median", of_median),
        ("z", host.z().unwrap_or(f64::NAN)),
    ];
    Some(finding(
        RULE.id,
        Severity::Warning,
        sentence,
        &evidence,
        RULE.advice,
    ))
}

/// The rank that is the furthest off, if any is far.
pub(super) fn outlier<'a>(hosts: &[&'a RankRow]) -> Option<&'a RankRow> {
    if hosts.len() <= RANKS_FEW_MAX {
        let rate = |host: &&&RankRow| host.iops().unwrap_or(0.0);
        let fastest = hosts.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
        let slowest = hosts.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)))?;
        let (low, high) = (rate(&slowest), rate(&fastest));
        let half = |host: &RankRow, rate: f64| {
            host.figures
                .and_then(|one| one.half_width)
                .map(|half| half * rate)
        };
        let apart = half(slowest, low)
            .zip(half(fastest, high))
            .is_some_and(|(a, b)| low + a < high - b);
        return (low < (1.0 - OFF_FEW_MIN) * high && apart).then_some(*slowest);
    }
    let far = hosts.iter().filter(|host| {
        let off = host
            .of_median()
            .is_some_and(|share| (share - 1.0).abs() > OFF_MIN);
        off && host.z().is_some_and(|z| z.abs() > Z_MAX)
    });
    let furthest = far.max_by(|a, b| {
        a.z()
            .unwrap_or(0.0)
            .abs()
            .total_cmp(&b.z().unwrap_or(0.0).abs())
    });
    furthest.copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::test::job;

    #[test]
    fn the_slow_one_of_many_is_named_with_what_only_it_has() {
        let rates = [100.0, 101.0, 99.0, 62.0, 100.5];
        let found = job::with(
            &rates,
            |hosts| hosts[3].differs_in = vec!["kernel: old".to_owned()],
            look,
        )
        .unwrap();
        assert_eq!(found.evidence[0].value, 3.0);
        assert!(found.sentence.contains("kernel: old"), "{}", found.sentence);
    }

    #[test]
    fn small_differences_are_none_however_even_the_others_are() {
        assert_eq!(
            job::of_rates(&[100.0, 100.1, 99.9, 92.0, 100.0], look),
            None
        );
        assert_eq!(
            job::of_rates(&[100.0, 120.0, 80.0, 110.0, 90.0], look),
            None
        );
    }

    #[test]
    fn of_two_the_slower_one_is_named_where_their_intervals_are_apart() {
        assert!(job::of_rates(&[100.0, 60.0], look).is_some());
        assert_eq!(job::of_rates(&[100.0, 80.0], look), None);
        assert_eq!(
            job::with(
                &[100.0, 60.0],
                |hosts| hosts[1].figures.as_mut().unwrap().half_width = Some(0.7),
                look
            ),
            None
        );
    }
}
