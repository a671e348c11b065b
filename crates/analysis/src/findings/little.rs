//! A queue that was always full: the mean latency is what Little's law makes of rate and depth, and no property of the
//! device.
//!
//! Told from 16 in flight on: below, waiting is a small part of what people read as latency.

use super::{Cause, Finding, FindingRank, Look, Rule, RuleId, Seen, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("little"),
    cause: Cause::Loop,
    limit: None,
    what: "The queue was always full, so the mean latency is waiting under full load and not the device's service time.",
    method: "Rate × mean latency is within 2% of threads × depth, and that is 16 or more. Where it is less than asked, `queue-not-full` says so.",
    source: "J. D. C. Little, \"A Proof for the Queuing Formula: L = λW\", Operations Research 9 (1961).",
    advice: "To know the service time, measure at depth 1; to know the best depth, sweep over it.",
    look: Look::Any(look),
};

const APART_MAX: f64 = 0.02;
const ASKED_MIN: f64 = 16.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let (mean, asked) = (observed.in_flight()?, observed.asked_in_flight?);
    let share = mean / asked;
    if asked < ASKED_MIN || (share - 1.0).abs() > APART_MAX {
        return None;
    }
    let latency = observed.total.mean_ns?;
    let rate = observed.total.rate_per_s?;
    Some(finding(
        RULE.id,
        FindingRank::Info,
        format!(
            "{} IOPS x {} = {} of {} in flight ({}): the queue was always full, so {} is waiting under full load, not \
             service time",
            say::rate(rate),
            say::time(latency),
            say::digits(mean),
            say::digits(asked),
            say::percent(share),
            say::time(latency)
        ),
        &[
            ("in_flight_mean", mean),
            ("in_flight_asked", asked),
            ("in_flight_share", share),
            ("mean_ns", latency),
        ],
        "to know the service time, measure at a lower depth",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, told};
    use model::Nanos;

    #[test]
    fn a_full_queue_says_that_its_latency_is_waiting() {
        let mut run = imported();
        assert_eq!(
            told(&run, "little").unwrap().sentence,
            "20.6k IOPS x 3.11 ms = 63.9 of 64.0 in flight (99.9%): the queue was always full, so 3.11 ms is waiting \
             under full load, not service time"
        );
        run.workload.threads = Some(2);
        assert_eq!(told(&run, "little"), None, "shallow, and it does not fit");
        run.workload.threads = Some(20);
        assert_eq!(told(&run, "little"), None, "not full");
    }

    #[test]
    fn a_queue_is_full_within_two_percent_and_deep_from_sixteen_on() {
        for (threads, micros, is_told) in [
            (16, 3060, true),  // 98.4%
            (16, 3013, false), // 96.9%
            (4, 777, true),    // 16 in flight
            (3, 583, false),   // 12
        ] {
            let mut run = imported();
            run.workload.threads = Some(threads);
            run.figures.total.latency.mean = Some(Nanos::micros(micros));
            assert_eq!(
                told(&run, "little").is_some(),
                is_told,
                "{threads} {micros}"
            );
        }
    }
}
