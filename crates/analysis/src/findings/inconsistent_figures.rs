//! Inconsistent figures of another tool: the rate is not the count divided by the time, or latencies are out of order.

use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Severity, finding};
use crate::say;
use model::{ImportedLatency, ImportedRun, Nanos};

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("inconsistent-figures"),
    group: Group::Data,
    cause: Cause::Alone,
    limit: None,
    what: "The printed figures contradict each other: the rate and the count divided by the time, or the order of the latencies.",
    method: "Rate: more than 3% apart, in runs of a second or more with ten IOPS or more: rounding explains at most 1% there. Latencies: the mean is below the smallest or above the largest, or a higher percentile is below a lower one. Or the mean is above the most that the highest percentile and the maximum allow, or below half of the median. The difference exceeds 3% and the last printed digit.",
    evidence: &[
        "printed_per_s",
        "counted_per_s",
        "lower_bound_ns",
        "upper_bound_ns",
    ],
    source: "Arithmetic on the printed text.",
    advice: "Check whether the text combines pieces of two runs. If the mean is above what the percentiles allow, use the mean and the maximum.",
    look: Look::Any(look),
};

const APART_MAX: f64 = 0.03;
const TIME_MIN_NS: u64 = 1_000_000_000;
const RATE_MIN: f64 = 10.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let run = seen.imported?;
    of_rate(run)
        .or_else(|| of_latencies(run))
        .or_else(|| of_parts(run))
}

/// Latencies of reads, writes or both that are not in order.
fn of_latencies(run: &ImportedRun) -> Option<Finding> {
    let figures = &run.figures;
    let sides = [
        ("", &figures.total),
        ("read ", &figures.read),
        ("write ", &figures.write),
    ];
    sides.into_iter().find_map(|(side, operation)| {
        let latency = &operation.latency;
        let step_ns = latency.resolution.map_or(1.0, |step| step.0 as f64);
        let (low, high) = out_of_order(latency, step_ns)?;
        let sentence = format!(
            "the printed {side}{} of {} is above the {} of {}",
            low.0,
            say::time(low.1),
            high.0,
            say::time(high.1)
        );
        let evidence = [("lower_bound_ns", low.1), ("upper_bound_ns", high.1)];
        let advice = match high.0.starts_with(CUT_OFF) {
            true => "use the mean and the maximum: fio counts no latency above 17.1 s, so these percentiles are lower bounds",
            false => "check whether the text combines pieces of two runs",
        };
        let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
        Some(reported.sure(Confidence::High))
    })
}

/// Half of the I/Os took the median or longer, so the mean with submission is half of it or more.
fn of_parts(run: &ImportedRun) -> Option<Finding> {
    let (figures, evidence) = (&run.figures, &run.evidence);
    let sides = [
        (&figures.read, &evidence.read),
        (&figures.write, &evidence.write),
    ];
    sides.into_iter().find_map(|(figures, evidence)| {
        let mean_ns = evidence.whole_mean?.0 as f64;
        let median = figures.latency.percentiles.iter().find(|(at, _)| *at == 0.5);
        let median_ns = median?.1.0 as f64;
        let least_ns = 0.5 * median_ns * (1.0 - APART_MAX);
        (mean_ns > 0.0 && mean_ns < least_ns).then(|| {
            let sentence = format!(
                "the printed mean latency of {} is below half of the median of {}: one of them is wrong",
                say::time(mean_ns),
                say::time(median_ns)
            );
            let evidence = [("lower_bound_ns", least_ns), ("upper_bound_ns", mean_ns)];
            let advice = "check the engine's clock: the percentiles may count from another start";
            let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
            reported.sure(Confidence::High)
        })
    })
}

/// Begins the name of the bound of a mean.
const CUT_OFF: &str = "most that p";

/// A latency and what it is.
type Named = (String, f64);

/// The first two that must be in this order and are not.
fn out_of_order(latency: &ImportedLatency, step_ns: f64) -> Option<(Named, Named)> {
    let named = |name: &str, time: Option<Nanos>| Some((name.to_owned(), time?.0 as f64));
    let smallest = named("smallest latency", latency.min);
    let mean = named("mean latency", latency.mean);
    let largest = named("largest latency", latency.max);
    let points = latency.percentiles.iter();
    let points = points.map(|(at, time)| (format!("p{}", (at * 1e5).round() / 1e3), time.0 as f64));
    let points: Vec<Named> = points.collect();
    let in_turn = points
        .windows(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()));
    let around = [(smallest, mean.clone()), (mean, largest)];
    let around = around
        .into_iter()
        .filter_map(|(low, high)| Some((low?, high?)))
        .chain(cut_off(latency));
    let is_wrong =
        |(low, high): &(Named, Named)| high.1 > 0.0 && low.1 > high.1 * (1.0 + APART_MAX) + step_ns;
    around.chain(in_turn).find(is_wrong)
}

/// The mean, and the most that it can be: a share q of the I/Os took the percentile at most, the others the largest latency.
/// fio counts latencies up to 17.1 s and prints that for longer ones.
fn cut_off(latency: &ImportedLatency) -> Option<(Named, Named)> {
    const DEEP_MIN: f64 = 0.9;
    let (mean, max) = (latency.mean?.0 as f64, latency.max?.0 as f64);
    let (at, time) = latency
        .percentiles
        .last()
        .filter(|(at, _)| *at >= DEEP_MIN)?;
    let most = at * time.0 as f64 + (1.0 - at) * max;
    let name = format!(
        "{CUT_OFF}{} and the maximum allow,",
        (at * 1e5).round() / 1e3
    );
    Some((("mean latency".to_owned(), mean), (name, most)))
}

fn of_rate(run: &ImportedRun) -> Option<Finding> {
    let total = &run.figures.total;
    let (ios, printed, time) = (total.ios?, total.ios_per_s?, run.measured?);
    if time.0 < TIME_MIN_NS || !printed.is_finite() || printed < RATE_MIN {
        return None;
    }
    let counted = ios as f64 / time.as_seconds();
    let apart = (counted - printed).abs() / printed;
    (ios > 0 && apart > APART_MAX).then(|| {
        finding(
            RULE.id,
            Severity::Warning,
            format!(
                "the printed rate and the printed count divided by time are {} apart",
                say::percent(apart)
            ),
            &[("printed_per_s", printed), ("counted_per_s", counted)],
            "check whether the text combines pieces of two runs",
        )
        .sure(Confidence::High)
    })
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};

    #[test]
    fn a_count_that_is_not_the_rate_times_the_time_is_reported() {
        let mut run = imported();
        assert_eq!(reported(&run, "inconsistent-figures"), None);
        run.figures.total.ios = Some(2_000_000);
        let sentence = reported(&run, "inconsistent-figures").unwrap().sentence;
        assert!(sentence.ends_with("are 19% apart"), "{sentence}");
        run.measured = None;
        assert_eq!(reported(&run, "inconsistent-figures"), None);
    }

    #[test]
    fn a_mean_with_submission_is_half_of_the_median_or_more() {
        let of = |mean_us| {
            let mut run = imported();
            run.figures.read.latency.percentiles = vec![(0.5, model::Nanos::millis(5))];
            run.evidence.read.whole_mean = Some(model::Nanos::micros(mean_us));
            reported(&run, "inconsistent-figures").is_some()
        };
        assert!(of(22));
        assert!(!of(2500));
    }

    #[test]
    fn latencies_out_of_order_are_named() {
        let with = |bend: fn(&mut model::ImportedLatency)| {
            let mut run = imported();
            let latency = &mut run.figures.total.latency;
            *latency = model::ImportedLatency {
                min: Some(model::Nanos::micros(50)),
                mean: Some(model::Nanos::micros(100)),
                max: Some(model::Nanos::millis(9)),
                percentiles: vec![
                    (0.5, model::Nanos::micros(90)),
                    (0.99, model::Nanos::micros(300)),
                ],
                ..model::ImportedLatency::default()
            };
            bend(latency);
            reported(&run, "inconsistent-figures").map(|found| found.sentence)
        };
        assert_eq!(with(|_| ()), None);
        let smallest = with(|latency| latency.min = Some(model::Nanos::micros(200)));
        assert!(
            smallest
                .unwrap()
                .contains("smallest latency of 200 µs is above the mean")
        );
        let largest = with(|latency| latency.max = Some(model::Nanos::micros(60)));
        assert!(
            largest
                .unwrap()
                .contains("mean latency of 100 µs is above the largest")
        );
        let points = with(|latency| latency.percentiles[1].1 = model::Nanos::micros(20));
        assert!(points.unwrap().contains("p50 of 90 µs is above the p99"));
        let coarse = with(|latency| {
            latency.resolution = Some(model::Nanos::millis(1));
            latency.max = Some(model::Nanos::micros(60));
        });
        assert_eq!(coarse, None, "below the last digit");
    }

    #[test]
    fn percentiles_that_are_cut_off_are_no_text_of_two_runs() {
        let mut run = imported();
        run.figures.total.latency = model::ImportedLatency {
            mean: Some(model::Nanos::seconds(20)),
            max: Some(model::Nanos::seconds(60)),
            percentiles: vec![(0.99, model::Nanos::millis(17_112))],
            ..model::ImportedLatency::default()
        };
        let found = reported(&run, "inconsistent-figures").unwrap();
        assert!(found.advice.contains("17.1 s"), "{found:?}");
    }

    #[test]
    fn three_percent_are_rounding_and_more_is_not() {
        for (ios, is_reported) in [(2_519_236, false), (2_568_633, true)] {
            let mut run = imported();
            run.figures.total.ios = Some(ios);
            assert_eq!(
                reported(&run, "inconsistent-figures").is_some(),
                is_reported,
                "{ios}"
            );
        }
    }
}
