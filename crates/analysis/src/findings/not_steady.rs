//! IOPS varied, so the mean does not describe the run. The rule is in `crate::intervals`.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Seen, Severity, finding};
use crate::intervals::{SLOPE_MAX, Steadiness};
use crate::observed::RateWindows;
use crate::say;
use model::CacheMode;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("not-steady"),
    group: Group::Stability,
    cause: Cause::Change,
    limit: None,
    what: "Not in steady state: IOPS varied, so the mean does not describe the run.",
    method: "Runs of fathom: over the last five windows, largest minus smallest is more than 20% of the mean. Or the least-squares line rises or falls by more than 10% of it. A note where windows vary so much by chance: the latencies, as those with a slow tail, have a coefficient of variation of 3 or more. Imported runs: the standard deviation of eight windows or more is half of their mean or more, with 20 I/Os or more per window. It is that of two levels where it is within 20% of √(f(1 − f)) × (fastest − slowest), f = (mean − slowest) / (fastest − slowest).",
    evidence: &[
        "range_share",
        "slope_share",
        "rate_cv",
        "slow_per_s",
        "fast_per_s",
        "fast_time_share",
    ],
    source: "SNIA Solid State Storage Performance Test Specification 2.0.2, steady state; the windows are of one run, so this applies the criterion without a claim of conformance.",
    advice: "Measure longer, with a longer warm-up; check IOPS over time.",
    look: Look::Any(look),
};

/// Honest runs vary by less, short windows of few I/Os included.
const CV_MIN: f64 = 0.5;
/// Windows with fewer I/Os vary by chance: n independent arrivals by 1/√n, 22% of twenty.
const WINDOW_IOS_MIN: u64 = 20;
const TWO_LEVELS_APART_MAX: f64 = 0.2;
/// Latencies that vary by as much have a tail of few I/Os that decides how many others complete.
const TAIL_CV_MIN: f64 = 3.0;
/// Standard deviations that chance may reach: once in 15000 runs.
const CHANCE_DEVIATIONS: f64 = 4.0;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    match seen.own {
        Some(own) => of_own(seen, own),
        None => of_windows(seen),
    }
}

/// Of other tools the windows have no order: the slowest, the fastest and the spread are known.
fn of_windows(seen: &Seen<'_>) -> Option<Finding> {
    let windows = &seen.observed.windows;
    let mean = seen.observed.total.iops.filter(|mean| *mean > 0.0)?;
    let sd = windows.spread_per_s(RateWindows::MIN)?;
    let evidence = seen.imported.map(|run| &run.evidence.total);
    let each = seen
        .observed
        .total
        .ios
        .zip(evidence.and_then(|total| total.windows));
    if each.is_some_and(|(ios, windows)| ios < windows.saturating_mul(WINDOW_IOS_MIN)) {
        return None;
    }
    let (slow, fast) = windows.min_per_s.zip(windows.max_per_s)?;
    if sd < CV_MIN * mean || fast <= mean || slow >= mean {
        return None;
    }
    let share = (mean - slow) / (fast - slow);
    let two_levels = (share * (1.0 - share)).sqrt() * (fast - slow);
    let mut evidence = vec![
        ("rate_cv", sd / mean),
        ("slow_per_s", slow),
        ("fast_per_s", fast),
    ];
    let mut sentence = format!(
        "not in steady state: windows of {} to {} IOPS, the mean is {}",
        say::rate(slow),
        say::rate(fast),
        say::rate(mean)
    );
    let is_of_two = (sd / two_levels - 1.0).abs() <= TWO_LEVELS_APART_MAX;
    let buffered = seen.observed.load.cache == Some(CacheMode::Cached);
    let what = match seen.observed.load.write_share {
        Some(1.0) => Some(
            "a write cache that fills (SLC cache, controller, thin volume), burst credits or throttling",
        ),
        Some(0.0) if buffered => Some("the page cache that these reads fill"),
        Some(0.0) => Some("burst credits, throttling, or a cache that these reads fill"),
        _ => None,
    };
    if let Some(what) = what.filter(|_| is_of_two) {
        evidence.push(("fast_time_share", share));
        sentence.push_str(&format!(
            "; as if it were fast for {} of the time, as with {what}",
            say::percent(share)
        ));
    }
    let advice = "repeat for ten times as long with the IOPS over time (fathom run TARGET -d 10m): a fall that lasts is the rate without the cache";
    let reported = finding(RULE.id, Severity::Warning, sentence, &evidence, advice);
    Some(reported.sure(Confidence::Medium))
}

fn of_own(seen: &Seen<'_>, own: &Own<'_>) -> Option<Finding> {
    let steadiness = own.steadiness;
    if steadiness.steady != Some(false) {
        return None;
    }
    let (range, slope) = (steadiness.range_share?, steadiness.slope_share?);
    let rates = &steadiness.window_iops;
    let (first, last) = (rates.first()?, rates.last()?);
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let change = last - first;
    // A dip or a bump can tilt the line, too: only ends that differ by more than the slope of a steady rate, and
    // the same way, are a way.
    let sentence = if change.abs() > SLOPE_MAX * mean && change * slope > 0.0 {
        let way = if change > 0.0 { "rose" } else { "fell" };
        format!(
            "not in steady state: IOPS {way} from {} to {}",
            say::rate(*first),
            say::rate(*last)
        )
    } else {
        let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rates.iter().copied().fold(0.0, f64::max);
        format!(
            "not in steady state: IOPS varied between {} and {}",
            say::rate(low),
            say::rate(high)
        )
    };
    let (severity, by_chance) = match is_by_chance(seen, steadiness) {
        true => (
            Severity::Note,
            ", as much as few slow I/Os change it by chance",
        ),
        false => (Severity::Warning, ""),
    };
    Some(finding(
        RULE.id,
        severity,
        format!("{sentence}{by_chance}"),
        &[("range_share", range), ("slope_share", slope)],
        "measure longer, with a longer warm-up; check IOPS over time",
    ))
}

/// Whether independent latencies with such a tail give windows that differ as much: n of them vary by c/√n, c their
/// coefficient of variation. Over five windows the rise of the line varies by 4/√10 of that, and the range is 2.3 of it with
/// a deviation of 0.9 (H. Leon Harter, "Tables of Range and Studentized Range", 1960).
fn is_by_chance(seen: &Seen<'_>, steadiness: &Steadiness) -> bool {
    let known = || {
        let total = &seen.observed.total;
        let cv = total.sd_ns? / total.mean_ns.filter(|mean| *mean > 0.0)?;
        let (range, slope) = (steadiness.range_share?, steadiness.slope_share?);
        let ios = total.iops? * steadiness.window_ns? as f64 / 1e9;
        let one = cv / ios.sqrt();
        let rise = CHANCE_DEVIATIONS * 4.0 / 10f64.sqrt() * one;
        let span = (2.3 + CHANCE_DEVIATIONS * 0.9) * one;
        Some(cv >= TAIL_CV_MIN && slope.abs() <= rise && range <= span)
    };
    known() == Some(true)
}

#[cfg(test)]
mod tests {
    use super::SLOPE_MAX;
    use crate::findings::found;
    use crate::sample::Sample;

    #[test]
    fn a_rate_that_falls_is_reported_with_both_ends() {
        let mut record = Sample::default().build();
        assert_eq!(found(&record, "not-steady"), None);
        for (step, interval) in (0u64..).zip(&mut record.threads[0].measured[0].intervals) {
            interval.ios = 2000 - 100 * step;
        }
        assert_eq!(found(&record, "not-steady"), None, "the drift is stronger");
        let both = record.threads[0].measured.iter_mut();
        both.for_each(|tally| tally.intervals.truncate(5));
        let reported = found(&record, "not-steady").unwrap().sentence;
        assert!(
            reported.ends_with("IOPS fell from 2000 to 1600"),
            "{reported}"
        );
    }

    #[test]
    fn a_dip_is_no_rise_though_the_line_over_it_rises() {
        let mut record = Sample::default().build();
        let intervals = &mut record.threads[0].measured[0].intervals;
        for (place, interval) in intervals.iter_mut().enumerate() {
            interval.ios = [2000, 600, 1990, 2000, 2010][place / 2];
        }
        let reported = found(&record, "not-steady").unwrap();
        assert!(reported.evidence[1].value > SLOPE_MAX, "{reported:?}");
        assert!(
            reported.sentence.ends_with("between 600 and 2010"),
            "{reported:?}"
        );
    }

    /// So many I/Os take 100 times as long as the others.
    #[test]
    fn a_fall_that_a_slow_tail_makes_by_chance_is_a_note_and_a_larger_one_is_not() {
        use crate::findings::Severity;
        use model::{LatencyHistogram, LatencySpread, Nanos};
        for (slow, step, wanted) in [
            (500, 350, Severity::Warning),
            (500, 100, Severity::Note),
            (2, 100, Severity::Warning), // too few for such a fall
        ] {
            let mut record = Sample::default().build();
            let tally = &mut record.threads[0].measured[0];
            tally.latency = LatencyHistogram::new();
            tally.intervals.truncate(5);
            let all: u64 = (0..5).map(|number| 2000 - step * number).sum();
            let times = |number: u64| if number < slow { 100 } else { 1 };
            for (number, interval) in (0u64..).zip(&mut tally.intervals) {
                interval.ios = 2000 - step * number;
                interval.latency_spread = Some(LatencySpread::of(Nanos(0)));
            }
            let squares = (0..all).map(|number| (200_000 * u128::from(times(number))).pow(2));
            if let Some(spread) = &mut tally.intervals[0].latency_spread {
                spread.squares_ns2 = squares.sum();
            }
            for number in 0..all {
                tally.latency.record(Nanos::micros(200 * times(number)));
            }
            record.threads[0].measured[1].intervals.truncate(5);
            let reported = found(&record, "not-steady").unwrap();
            assert_eq!(reported.severity, wanted, "{slow} {step}: {reported:?}");
        }
    }

    #[test]
    fn a_rate_that_swings_is_reported_with_its_extremes() {
        let mut record = Sample::default().build();
        let intervals = &mut record.threads[0].measured[0].intervals;
        (intervals[4].ios, intervals[5].ios) = (3000, 3000);
        let reported = found(&record, "not-steady").unwrap().sentence;
        assert!(reported.ends_with("between 2000 and 3000"), "{reported}");
    }
}
