//! Overload: the target did not sustain the requested rate, so the backlog grew.
//!
//! Response times then grow with the length of the run and do not describe the target at this rate. A stable queue varies,
//! so growth counts from one hundredth of the measured time and from ten I/Os, and it has to last for a tenth of the run: what a
//! stall near the end leaves is served in the time after it. Omitted: smaller growth, which the report shows as a figure.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, fathom_cpu_bound, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("overload"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Overload: the requested rate was not sustained, and the backlog grew.",
    method: "With a requested rate, the delay behind schedule grew by at least 1% of the measured time and by ten I/Os or more. It grew for at least a tenth of the run. Response times then describe the length of the run, not the target.",
    evidence: &[
        "target_iops",
        "iops",
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
/// The backlog grows for at least this share of the run.
const GROWING_MIN: f64 = 0.1;
/// From this share of what it is at the end.
const BEGINS_AT: f64 = 0.1;

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
    if growing_share(seen, open.target_iops).is_some_and(|share| share < GROWING_MIN) {
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
        say::rate(open.iops),
        say::rate(open.target_iops as f64),
        say::counted(open.backlog_after_ios, "I/O"),
        say::time(open.late_after_ns as f64)
    );
    let evidence = [
        ("target_iops", open.target_iops as f64),
        ("iops", open.iops),
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
    Some(reported.invalid_for("a response time at this rate"))
}

/// For which share of the run, up to its end, the backlog has grown, from the I/Os that each step lacks. None where the steps
/// do not show it.
fn growing_share(seen: &Own<'_>, target_iops: u64) -> Option<f64> {
    let lacking = seen.intervals.iter().map(|step| {
        let due = target_iops as f64 * step.length_ns as f64 / 1e9;
        due - step.ios as f64
    });
    let backlog = lacking.scan(0.0, |sum, lacking| {
        *sum += lacking;
        Some(*sum)
    });
    let backlog: Vec<f64> = backlog.collect();
    let last = *backlog.last().filter(|last| **last > 0.0)?;
    let before = backlog.iter().rposition(|ios| *ios <= BEGINS_AT * last);
    let growing = backlog.len() - before.map_or(0, |place| place + 1);
    Some(growing as f64 / backlog.len() as f64)
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
    fn what_a_stall_near_the_end_leaves_is_no_overload() {
        let backlog = (600, Nanos::millis(300));
        let mut record = record((0, Nanos(0)), backlog);
        record.plan.arrivals = Some(Arrivals {
            per_s: 2000, // as many as there were
            spacing: Spacing::Constant,
        });
        record.plan.interval = Nanos::millis(200);
        let steps = &mut record.threads[0].measured[0].intervals;
        let mut step = steps[0];
        step.ios = 400;
        *steps = vec![step; 50];
        // Nothing was completed for 300 ms before the end.
        (steps[49].ios, steps[48].ios) = (0, 200);
        assert_eq!(found(&record, "overload"), None);
        // The same backlog by a rate that is too high for the second half.
        let steps = &mut record.threads[0].measured[0].intervals;
        steps[25..].iter_mut().for_each(|step| step.ios = 376);
        assert!(found(&record, "overload").is_some());
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
