//! A rate or pauses were requested: IOPS are those of the request, and no property of the device.
//!
//! Of runs of fathom `overload` reports where the device did not keep the rate.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("requested-rate"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The load had a requested rate or pauses, so IOPS are what was requested and not what the device does.",
    method: "Imported runs: the request has a rate or a think time (fio: rate, rate_iops, thinktime; DISKSPD: -g), and fewer than 90% of the specified I/Os were in flight on average.",
    evidence: &["rate_per_s", "in_flight_mean"],
    source: "fio, HOWTO, I/O rate; DISKSPD, command line -g. An open load: Schroeder, Wierman and Harchol-Balter, NSDI 2006.",
    advice: "Compare the latency at this rate; repeat without the option for the device's maximum.",
    look: Look::Any(look),
};

const FULL_MIN: f64 = 0.9;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported.filter(|run| run.evidence.paced)?;
    let observed = seen.observed;
    let rate = observed.total.rate_per_s.filter(|rate| *rate > 0.0)?;
    let asked = run.workload.queue_depth.zip(run.workload.threads);
    let asked = asked.map(|(depth, threads)| f64::from(depth) * f64::from(threads));
    let in_flight = observed.in_flight();
    // With a full queue the device was slower than the rate.
    if in_flight
        .zip(asked)
        .is_some_and(|(is, asked)| is >= FULL_MIN * asked)
    {
        return None;
    }
    let sentence = format!(
        "a rate was requested: {} IOPS are those of the request, not of the device",
        say::rate(rate)
    );
    let mut evidence = vec![("rate_per_s", rate)];
    evidence.extend(in_flight.map(|is| ("in_flight_mean", is)));
    let advice =
        "repeat without the rate: more IOPS mean that this run did not reach the device's maximum";
    Some(finding(
        RULE.id,
        Severity::Note,
        sentence,
        &evidence,
        advice,
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Nanos;

    #[test]
    fn a_requested_rate_is_named_unless_the_device_was_slower() {
        let mut run = imported();
        assert_eq!(reported(&run, "requested-rate"), None);
        run.evidence.paced = true;
        assert_eq!(reported(&run, "requested-rate"), None, "the queue was full");
        run.figures.total.latency.mean = Some(Nanos::micros(100));
        let found = reported(&run, "requested-rate").unwrap();
        assert_eq!(found.evidence[0].value, 20_581.94);
    }
}
