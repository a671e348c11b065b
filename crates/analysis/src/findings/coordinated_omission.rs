//! A closed loop hides pauses: while the target stands still, no new I/O begins, so few I/Os wait where many users would.
//!
//! Told only where it matters: where the longest pause would have held back a hundred times more arrivals than the queue
//! had places, and those would have been more than a hundredth of all.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("coordinated-omission"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "A new I/O began only when another ended, so the percentiles leave out whoever would have come during a pause.",
    method: "No rate was asked. The arrivals that the mean rate would have brought during the slowest I/O are 100 times the I/Os that the queue could hold, and 0.1% of all I/Os or more.",
    evidence: &["longest_ns", "in_flight_asked", "arrivals_in_pause"],
    source: "Schroeder, Wierman, Harchol-Balter, \"Open Versus Closed: A Cautionary Tale\", NSDI 2006.",
    advice: "Ask for a rate (`--rate`): then the response times count from the moment at which an I/O should have begun.",
    look: Look::Any(look),
};

const TIMES_MIN: f64 = 100.0;
const SHARE_MIN: f64 = 0.001;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let total = &observed.total;
    let (asked, rate, longest) = (observed.asked_in_flight?, total.rate_per_s?, total.max_ns?);
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
                "in the longest pause of {} at most {} waited, because no new ones began; at this rate {} would have come",
                say::time(longest),
                say::counted(asked as u64, "I/O"),
                say::count(arrivals.round() as u64)
            ),
            &[
                ("longest_ns", longest),
                ("in_flight_asked", asked),
                ("arrivals_in_pause", arrivals),
            ],
            "the percentiles say nothing of users who come at their own time: for these ask for a rate (--rate)",
        )
        .sure(Confidence::Medium),
    )
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, told};
    use model::Nanos;

    #[test]
    fn a_pause_that_few_saw_and_many_would_have_seen_is_told() {
        let mut run = imported();
        run.workload.threads = Some(1);
        run.workload.queue_depth = Some(1);
        let total = &mut run.figures.total;
        total.latency.mean = Some(Nanos::micros(48));
        total.latency.max = Some(Nanos::micros(2000));
        assert_eq!(told(&run, "coordinated-omission"), None, "41 arrivals");
        run.figures.total.latency.max = Some(Nanos::millis(211));
        assert_eq!(
            told(&run, "coordinated-omission").unwrap().sentence,
            "in the longest pause of 211 ms at most 1 I/O waited, because no new ones began; at this rate 4343 would \
             have come"
        );
        run.workload.queue_depth = None;
        assert_eq!(told(&run, "coordinated-omission"), None, "not known");
    }

    #[test]
    fn a_hundred_waits_for_each_place_and_a_thousandth_of_all_matter() {
        for (ios, longest, is_told) in [
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
                told(&run, "coordinated-omission").is_some(),
                is_told,
                "{longest} ms"
            );
        }
    }
}
