//! Coordinated omission: in a closed loop no new I/O is issued during a stall, so few I/Os wait where an open load would
//! queue many.
//!
//! Omitted: stalls during which an open load would have queued fewer than a hundred times the queue depth, or less than a
//! thousandth of all I/Os.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("coordinated-omission"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "Coordinated omission: each I/O waited for another to complete, so the percentiles omit the arrivals during a stall.",
    method: "No rate was requested. The arrivals at the mean rate during the slowest I/O are 100 times the queue depth, and 0.1% of all I/Os or more.",
    evidence: &["longest_ns", "in_flight_asked", "arrivals_in_pause"],
    source: "Schroeder, Wierman, Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\", NSDI 2006.",
    advice: "Request a rate (`--rate`): response times then count from the scheduled start of each I/O.",
    look: Look::Any(look),
};

const TIMES_MIN: f64 = 100.0;
const SHARE_MIN: f64 = 0.001;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let total = &observed.total;
    let (asked, rate, longest) = (
        observed.load.requested_in_flight?,
        total.iops?,
        total.max_ns?,
    );
    let ios = total.ios? as f64;
    let null = seen
        .own
        .is_some_and(|own| own.record.engine.backend == "null");
    let arrivals = rate * longest / 1e9;
    let matters = arrivals >= TIMES_MIN * asked && arrivals >= SHARE_MIN * ios;
    if null || !matters || arrivals > ios {
        return None;
    }
    Some(
        finding(
            RULE.id,
            Severity::Note,
            format!(
                "coordinated omission: during a stall of {} at most {} waited; an open load would have queued {}",
                say::time(longest),
                say::counted(asked as u64, "I/O"),
                say::count(arrivals.round() as u64)
            ),
            &[
                ("longest_ns", longest),
                ("in_flight_asked", asked),
                ("arrivals_in_pause", arrivals),
            ],
            "for response times under an open load, request a rate (--rate)",
        )
        .sure(Confidence::Medium),
    )
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Nanos;

    #[test]
    fn a_pause_that_few_saw_and_many_would_have_seen_is_reported() {
        let mut run = imported();
        run.workload.threads = Some(1);
        run.workload.queue_depth = Some(1);
        let total = &mut run.figures.total;
        total.latency.mean = Some(Nanos::micros(48));
        total.latency.max = Some(Nanos::micros(2000));
        assert_eq!(reported(&run, "coordinated-omission"), None, "41 arrivals");
        run.figures.total.latency.max = Some(Nanos::millis(211));
        let found = reported(&run, "coordinated-omission").unwrap();
        assert_eq!(found.evidence[2].value.round(), 4343.0);
        run.workload.queue_depth = None;
        assert_eq!(reported(&run, "coordinated-omission"), None, "not known");
    }

    #[test]
    fn a_hundred_waits_for_each_place_and_a_thousandth_of_all_matter() {
        for (ios, longest, is_reported) in [
            (20_000, 4, false), // 82 arrivals
            (20_000, 6, true),  // 123
            (2_469_840, 100, false),
            (2_469_840, 140, true), // 2881
        ] {
            let mut run = imported();
            (run.workload.threads, run.workload.queue_depth) = (Some(1), Some(1));
            let total = &mut run.figures.total;
            total.ios = Some(ios);
            total.latency.mean = Some(Nanos::micros(48));
            total.latency.max = Some(Nanos::millis(longest));
            assert_eq!(
                reported(&run, "coordinated-omission").is_some(),
                is_reported,
                "{longest} ms"
            );
        }
    }
}
