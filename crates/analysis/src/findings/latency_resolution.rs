//! Latencies in whole milliseconds: Little's law gives the true mean if the queue was full.

use super::{Cause, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("latency-resolution"),
    group: Group::Samples,
    cause: Cause::Digits,
    limit: None,
    what: "The resolution of the printed latencies is about as coarse as the latencies.",
    method: "Resolution of 1 ms or coarser, and a mean below ten steps. The true mean follows from Little's law, depth × threads / IOPS, if the queue was full; a note where both are within 15%.",
    evidence: &[
        "mean_ns",
        "step_ns",
        "mean_by_little_ns",
        "mean_of_histogram_ns",
    ],
    source: "SQLIO's printed results, truncated to whole milliseconds; J. D. C. Little, Operations Research 9 (1961).",
    advice: "Do not compare these latencies with finer ones; calculate the mean from the IOPS.",
    look: Look::Any(look),
};

const STEP_MIN_NS: f64 = 1e6;
/// Steps in a mean beyond which the rest matters little; beyond it a mean is off by less than 5%.
const STEPS_MAX: f64 = 20.0;

/// A mean that is off by less still describes the latency.
const OFF_MAX: f64 = 0.15;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let (mean, step) = (observed.total.mean_ns?, observed.printed.latency_step_ns?);
    if step < STEP_MIN_NS || mean >= STEPS_MAX * step {
        return None;
    }
    let really = observed
        .load
        .requested_in_flight
        .zip(observed.total.iops.filter(|rate| *rate > 0.0))
        .map(|(asked, rate)| asked / rate * 1e9);
    let cut = format!(
        "latencies are truncated to steps of {}, so a mean of {}",
        say::time(step),
        say::time(mean)
    );
    let sentence = match really {
        Some(really) => format!("{cut} is {} by Little's law", say::time(really)),
        None => format!("{cut} may be up to {}", say::time(mean + step)),
    };
    let mut evidence = vec![("mean_ns", mean), ("step_ns", step)];
    evidence.extend(really.map(|really| ("mean_by_little_ns", really)));
    evidence.extend(histogram_mean_ns(seen, step).map(|mean| ("mean_of_histogram_ns", mean)));
    let off = really.map(|really| (really - mean).abs() / really);
    let severity = match off {
        Some(off) if off <= OFF_MAX => Severity::Note,
        _ => Severity::Warning,
    };
    Some(finding(
        RULE.id,
        severity,
        sentence,
        &evidence,
        "do not compare these latencies with finer ones; calculate the mean from the IOPS",
    ))
}

/// Mean of the printed columns, each taken at its middle; none where a last column without an end has I/Os.
fn histogram_mean_ns(seen: &Seen<'_>, step: f64) -> Option<f64> {
    let columns = &seen.observed.printed.columns;
    let last = columns.last()?;
    let whole: f64 = columns.iter().map(|column| column.percent).sum();
    if last.percent > 0.0 || whole <= 0.0 {
        return None;
    }
    let middle = |from: f64| from + step / 2.0;
    let sum: f64 = columns
        .iter()
        .map(|column| column.percent * middle(column.from.0 as f64))
        .sum();
    Some(sum / whole)
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use model::Nanos;

    #[test]
    fn whole_milliseconds_are_reported_with_what_they_must_have_been() {
        let mut run = imported();
        assert_eq!(reported(&run, "latency-resolution"), None);
        let total = &mut run.figures.total;
        total.latency.resolution = Some(Nanos::millis(1));
        total.latency.mean = Some(Nanos::millis(3));
        assert_eq!(
            reported(&run, "latency-resolution").unwrap().sentence,
            "latencies are truncated to steps of 1 ms, so a mean of 3 ms is 3.11 ms by Little's law"
        );
        run.workload.threads = None;
        assert_eq!(
            reported(&run, "latency-resolution").unwrap().sentence,
            "latencies are truncated to steps of 1 ms, so a mean of 3 ms may be up to 4 ms"
        );
        run.figures.total.latency.mean = Some(Nanos::millis(200));
        assert_eq!(reported(&run, "latency-resolution"), None);
    }

    #[test]
    fn from_twenty_steps_on_the_rest_matters_little() {
        for (millis, is_reported) in [(15, true), (25, false)] {
            let mut run = imported();
            let latency = &mut run.figures.total.latency;
            latency.resolution = Some(Nanos::millis(1));
            latency.mean = Some(Nanos::millis(millis));
            assert_eq!(
                reported(&run, "latency-resolution").is_some(),
                is_reported,
                "{millis} ms"
            );
        }
    }
}
