//! A rate that the target could not sustain: what waited at the end was more than what waited at the start.
//!
//! Response times then grow for as long as the run lasts, so they say how long it lasted and not how the target answers
//! at this rate. A queue of arrivals breathes, so growth is told from one hundredth of the measured time on, and from ten
//! I/Os on. Whatever is below that stands in the report all the same.

use super::{Cause, Finding, Group, Look, Own, Rule, RuleId, Severity, fathom_cpu_bound, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("overload"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "The rate that was asked for was not sustained: more I/Os waited at the end than at the start.",
    method: "With a rate asked, the lateness grew by at least 1% of the measured time and by ten I/Os or more. A queue of arrivals breathes; beyond that the response times say how long the run was, not how the target answers.",
    evidence: &[
        "asked_per_s",
        "reached_per_s",
        "backlog_after_ios",
        "late_after_ns",
        "grown_ns",
    ],
    source: "Schroeder, Wierman, Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\", NSDI 2006.",
    advice: "Ask for less than what was reached, or give the run more depth or threads.",
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
        "{who} cannot sustain this rate: asked {}/s, reached {}/s, the backlog grew to {} and {} late",
        say::rate(open.asked_per_s as f64),
        say::rate(open.reached_per_s),
        say::counted(open.backlog_after_ios, "I/O"),
        say::time(open.late_after_ns as f64)
    );
    let evidence = [
        ("asked_per_s", open.asked_per_s as f64),
        ("reached_per_s", open.reached_per_s),
        ("backlog_after_ios", open.backlog_after_ios as f64),
        ("late_after_ns", open.late_after_ns as f64),
        ("grown_ns", grown_ns as f64),
    ];
    let told = finding(
        RULE.id,
        Severity::Error,
        sentence,
        &evidence,
        "ask for less than what was reached, or give it more depth or threads",
    );
    Some(told.not_as("a response time at this rate"))
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
        let told = found(&record, "overload").unwrap();
        assert_eq!(told.severity, Severity::Error);
        assert_eq!(
            crate::run_report(&record).verdict.sentence(),
            "INVALID as a response time at this rate: the target cannot sustain this rate: asked 50.0k/s, \
             reached 2000/s, the backlog grew to 188000 I/Os and 3.76 s late"
        );
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
        for (ios, late, told) in [
            (2000, Nanos::millis(150), true),
            (2000, Nanos::millis(90), false),
            (10, Nanos::seconds(3), true),
        ] {
            let record = record((0, Nanos(0)), (ios, late));
            assert_eq!(found(&record, "overload").is_some(), told, "{ios} {late}");
        }
    }
}
