//! Overload: the target did not sustain the requested rate, so the backlog grew.
//!
//! Response times then grow with the length of the run and do not describe the target at this rate. A stable queue varies,
//! so growth counts from one hundredth of the measured time and from ten I/Os. Omitted: smaller growth, which the report
//! shows as a figure.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, fathom_cpu_bound, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("overload"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Overload: the requested rate was not sustained, and the backlog grew.",
    method: "With a requested rate, the delay behind schedule grew by at least 1% of the measured time and by ten I/Os or more. Response times then describe the length of the run, not the target.",
    evidence: &[
        "target_iops",
        "reached_per_s",
        "backlog_after_ios",
        "late_after_ns",
        "grown_ns",
    ],
    source: "Schroeder, Wierman, Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\", NSDI 2006.",
    advice: "Request a rate below the achieved one, or use more depth or threads.",
    look: Look::Own(look),
};

const SHARE_MIN: f64 = 0.01;
const IOS_MIN: u64 = 10;

pub(super) fn look(seen: &Own<'_>) -> Option<Finding> {
    let open = seen.open_loop?;
    let measured_ns = seen.record.phases.measured().0;
    let grown_ns = open.late_after_ns.saturating_sub(open.late_before_ns);
    let grown_ios = open
        .backlog_after_ios
        .saturating_sub(open.backlog_before_ios);
    if grown_ios < IOS_MIN || (grown_ns as f64) < SHARE_MIN * measured_ns as f64 {
        return None;
    }
    let null = seen.record.engine.backend == "null";
    let who = match fathom_cpu_bound::look(seen) {
        Some(_) => "fathom itself",
        None if null => "the null engine",
        None => "the target",
    };
    let sentence = format!(
        "overload: {who} sustained {} of {} IOPS; backlog {}, {} behind schedule",
        say::rate(open.reached_per_s),
        say::rate(open.target_iops as f64),
        say::counted(open.backlog_after_ios, "I/O"),
        say::time(open.late_after_ns as f64)
    );
    let evidence = [
        ("target_iops", open.target_iops as f64),
        ("reached_per_s", open.reached_per_s),
        ("backlog_after_ios", open.backlog_after_ios as f64),
        ("late_after_ns", open.late_after_ns as f64),
        ("grown_ns", grown_ns as f64),
    ];
    let reported = finding(
        RULE.id,
        Severity::Error,
        sentence,
        &evidence,
        "request a rate below the achieved one, or use more depth or threads",
    );
    Some(reported.not_as("a response time at this rate"))
}

#[cfg(test)]
mod tests {
    use crate::findings::{Severity, found};
    use crate::sample::Sample;
    use model::{Arrivals, Backlog, Nanos, RunRecord, Spacing, Waiting, WorkerRecord};

    fn record(from: (u64, Nanos), to: (u64, Nanos)) -> RunRecord {
        let mut record = Sample::default().build();
        record.plan.arrivals = Some(Arrivals {
            per_s: 50_000,
            spacing: Spacing::Constant,
        });
        let waiting = |(ios, late)| Waiting { ios, late };
        record.engine.workers = vec![WorkerRecord {
            backlog: Some(Backlog {
                from: waiting(from),
                to: waiting(to),
            }),
            ..WorkerRecord::default()
        }];
        record
    }

    #[test]
    fn a_backlog_that_grew_is_said_first() {
        let record = record((0, Nanos(0)), (188_000, Nanos::millis(3760)));
        let reported = found(&record, "overload").unwrap();
        assert_eq!(reported.severity, Severity::Error);
        let verdict = crate::run_report(&record).verdict.sentence();
        for part in ["INVALID", "2000 of 50.0k IOPS", "188000 I/Os, 3.76 s"] {
            assert!(verdict.contains(part), "{verdict}");
        }
    }

    #[test]
    fn a_backlog_that_was_there_before_or_hardly_grew_is_no_finding() {
        let late = (5000, Nanos::millis(100));
        for (from, to) in [
            (late, late),
            (late, (0, Nanos(0))),
            ((0, Nanos(0)), (400, Nanos::millis(8))),
            ((0, Nanos(0)), (9, Nanos::seconds(3))),
        ] {
            assert_eq!(found(&record(from, to), "overload"), None);
        }
        assert_eq!(found(&Sample::default().build(), "overload"), None);
    }

    #[test]
    fn a_hundredth_of_the_time_and_ten_ios_are_enough() {
        // In ten seconds.
        for (ios, late, reported) in [
            (2000, Nanos::millis(150), true),
            (2000, Nanos::millis(90), false),
            (10, Nanos::seconds(3), true),
        ] {
            let record = record((0, Nanos(0)), (ios, late));
            assert_eq!(
                found(&record, "overload").is_some(),
                reported,
                "{ios} {late}"
            );
        }
    }
}
