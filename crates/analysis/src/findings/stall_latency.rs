//! Stalls as latencies show them: the slowest I/Os all took nearly the same time, several times what the others took.
//!
//! Such a plateau is no tail of a distribution. During a stall each I/O in flight waits for its end, so the number of I/Os
//! on the plateau, divided by the queue depth, is the number of stalls. Omitted: stalls in the time series (`stall`).

use super::process_stopped::measured_stops;
use super::{Confidence, Finding, Own, RuleId, Seen, Severity, finding};
use crate::observed::ObservedFigures;
use crate::rows::Sums;
use crate::say;
use model::LatencyHistogram;

/// A shorter pause is part of the tail.
const STALL_MIN_NS: f64 = 1e8;
const FLAT_MAX: f64 = 1.10;
const FACTOR_MIN: f64 = 3.0;
const BEYOND_MIN: f64 = 9.5; // ten, as far as a binary quantile is exact
/// An I/O of this share of the longest or more is of a pause.
pub(super) const NEAR_MAX: f64 = 0.9;
pub(super) const TIME_SHARE_MIN: f64 = 0.005;

/// Finds stalls of 100 ms or more. What stopped fathom itself is no stall of the target.
pub(super) fn in_latencies(seen: &Seen<'_>, id: RuleId) -> Option<Finding> {
    let stopped = |own: &Own<'_>| !measured_stops(own.record).is_empty();
    if seen
        .own
        .is_some_and(|own| stopped(own) || is_a_slow_target(own))
    {
        return None;
    }
    look(seen, id).or_else(|| jump(seen, id))
}

/// Whether the slowest I/Os are what is usual on one of several targets.
fn is_a_slow_target(own: &Own<'_>) -> bool {
    let targets = own.record.plan.targets.len() as u32;
    let max = own.total.latency.max().map_or(0, |max| max.0) as f64;
    let usual = |target| {
        let sums = Sums::of(own.record, Some(target));
        let median = sums.total.latency.quantile(0.5);
        median.map_or(0.0, |median| median.0 as f64)
    };
    targets > 1 && (0..targets).any(|target| FACTOR_MIN * usual(target) >= max)
}

fn look(seen: &Seen<'_>, id: RuleId) -> Option<Finding> {
    let observed = seen.observed;
    let total = &observed.total;
    let (ios, max) = (total.ios? as f64, total.max_ns?);
    let coarse = observed
        .printed
        .latency_step_ns
        .is_some_and(|step| max < 100.0 * step);
    let steps = total.percentiles.windows(2);
    let mut walls = steps.filter(|pair| pair[1].1 > 0.0 && max / pair[1].1 <= FLAT_MAX);
    let wall = walls.next()?;
    let ((before, below), (from, level)) = (wall[0], wall[1]);
    let (beyond, factor) = (ios * (1.0 - from), level / below);
    if coarse || beyond < BEYOND_MIN || below <= 0.0 || factor < FACTOR_MIN {
        return None;
    }
    let counted = seen
        .own
        .map(|own| beyond_of(&own.total.latency, NEAR_MAX * max).max(1) as f64);
    let beyond = counted.unwrap_or(beyond);
    let stalls = observed
        .load
        .requested_in_flight
        .map(|asked| beyond / asked);
    // Fewer than half of the queue: some I/Os were slow, the target was not.
    if level < STALL_MIN_NS || stalls.is_some_and(|stalls| stalls < 0.5) {
        return None;
    }
    let at_least = if counted.is_some() { "" } else { "at least " };
    let shown = match (say::time(level), say::time(max)) {
        (from, to) if from == to => to,
        (from, to) => format!("{from} to {to}"),
    };
    let times = stalls.map_or_else(String::new, |stalls| {
        let many = stalls.round().max(1.0) as u64;
        format!("{at_least}{}, ", say::counted(many, "time"))
    });
    let sentence = format!(
        "the target stalled {times}for up to {}: {at_least}{} took {shown}, {}x the latency that {} of all did not exceed",
        say::time(max),
        say::counted(beyond.round() as u64, "I/O"),
        say::digits(factor),
        percent_of(before)
    );
    let mut evidence = vec![
        ("ios_beyond", beyond),
        ("level_ns", level),
        ("max_ns", max),
        ("factor", factor),
    ];
    evidence.extend(stalls.map(|stalls| ("stalls", stalls)));
    let measured = observed.measured_ns.filter(|time| *time > 0.0);
    let share = stalls
        .zip(measured)
        .map(|(stalls, time)| stalls * level / time);
    let severity = match share {
        Some(share) if share >= TIME_SHARE_MIN => Severity::Warning,
        _ => Severity::Note,
    };
    let advice =
        "find the cause of the stall at that time; report these I/Os separately from the tail";
    Some(finding(id, severity, sentence, &evidence, advice).sure(Confidence::Medium))
}

/// A jump between two printed percentiles of an imported run: several stalls of different lengths hide each other's plateaus,
/// and the percentiles of a mix are those of its sides.
fn jump(seen: &Seen<'_>, id: RuleId) -> Option<Finding> {
    let observed = seen.observed;
    let asked = observed
        .load
        .requested_in_flight
        .filter(|_| seen.imported.is_some())?;
    let coarse = observed
        .printed
        .latency_step_ns
        .is_some_and(|step| STALL_MIN_NS < 20.0 * step);
    let sides = [&observed.total, &observed.read, &observed.write];
    let of_side = |side: &ObservedFigures| {
        let counted = side
            .iops
            .zip(observed.measured_ns)
            .map(|(rate, ns)| rate * ns / 1e9);
        let ios = side.ios.map(|ios| ios as f64).or(counted)?;
        let median = side.latency_at(0.5)?;
        let pairs = side.percentiles.windows(2).filter(|pair| pair[0].0 >= 0.9);
        let jumps = pairs.filter(|pair| {
            let (below, level) = (pair[0].1, pair[1].1);
            let jumps = below > 0.0 && level >= FACTOR_MIN * below && level >= FACTOR_MIN * median;
            jumps && level >= STALL_MIN_NS && ios * (1.0 - pair[1].0) >= BEYOND_MIN
        });
        let factor = |pair: &[(f64, f64)]| pair[1].1 / pair[0].1;
        let pair = jumps.max_by(|one, other| factor(one).total_cmp(&factor(other)))?;
        Some((ios * (1.0 - pair[1].0), pair[0], pair[1].1))
    };
    let (beyond, (before, below), level) =
        sides.into_iter().find_map(of_side).filter(|_| !coarse)?;
    let stalls = beyond / asked;
    let measured = observed.measured_ns.filter(|time| *time > 0.0)?;
    let share = stalls * level / measured;
    if stalls < 0.5 || share < TIME_SHARE_MIN {
        return None;
    }
    let many = stalls.round().max(1.0) as u64;
    let sentence = format!(
        "the target stalled at least {}: {} took {} or longer, {}x the latency that {} of all did not exceed",
        say::counted(many, "time"),
        say::counted(beyond.round() as u64, "I/O"),
        say::time(level),
        say::digits(level / below),
        percent_of(before)
    );
    let evidence = [
        ("ios_beyond", beyond),
        ("level_ns", level),
        ("factor", level / below),
        ("stalls", stalls),
        ("share", share),
    ];
    let advice =
        "find the cause of the stall at that time; report these I/Os separately from the tail";
    Some(finding(id, Severity::Warning, sentence, &evidence, advice).sure(Confidence::Medium))
}

/// I/Os that took this long or more, from the histogram.
pub(super) fn beyond_of(latency: &LatencyHistogram, least_ns: f64) -> u64 {
    let slow = latency
        .buckets()
        .filter(|(from, ..)| from.0 as f64 >= least_ns);
    slow.map(|(.., count)| count).sum()
}

fn percent_of(quantile: f64) -> String {
    let text = format!("{:.5}", quantile * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use crate::findings::Severity;
    use crate::findings::test::{imported, reported};
    use model::{ImportedRun, Nanos};

    fn run(points: &[(f64, u64)], max_us: u64) -> ImportedRun {
        let mut run = imported();
        let latency = &mut run.figures.total.latency;
        latency.percentiles = points
            .iter()
            .map(|(at, us)| (*at, Nanos::micros(*us)))
            .collect();
        latency.max = Some(Nanos::micros(max_us));
        run
    }

    #[test]
    fn a_plateau_at_the_end_is_reported_as_stalls() {
        let seed = [
            (0.99, 5274),
            (0.999, 39_374),
            (0.9999, 207_734),
            (0.99999, 209_483),
        ];
        let reported = reported(&run(&seed, 211_330), "stall").unwrap();
        assert_eq!(
            reported
                .evidence
                .iter()
                .find(|one| one.name == "ios_beyond")
                .unwrap()
                .value
                .round(),
            247.0
        );
        let stalls = reported.evidence.iter().find(|one| one.name == "stalls");
        assert_eq!(stalls.unwrap().value.round(), 4.0);
        assert_eq!(reported.severity, Severity::Warning);
    }

    #[test]
    fn a_tail_that_goes_on_and_a_wall_of_few_ios_are_none() {
        let tail = [
            (0.99, 5274),
            (0.999, 39_374),
            (0.9999, 120_000),
            (0.99999, 180_000),
        ];
        assert_eq!(reported(&run(&tail, 400_000), "stall"), None);
        let few = [(0.99, 5274), (0.999_999, 210_000)];
        assert_eq!(reported(&run(&few, 211_330), "stall"), None, "2.5 I/Os");
        let narrow = [(0.5, 100_000), (0.99, 205_000)];
        assert_eq!(reported(&run(&narrow, 211_330), "stall"), None);
        assert_eq!(reported(&run(&[], 211_330), "stall"), None);
    }

    #[test]
    fn seven_stalls_are_counted_as_seven_and_short_ones_are_none() {
        use crate::sample::Sample;
        let stalled = |length: Nanos| {
            let mut record = Sample {
                depth: 8,
                reads: 100_000,
                ..Sample::default()
            }
            .build();
            let histogram = &mut record.threads[0].measured[0].latency;
            *histogram = model::LatencyHistogram::new();
            for number in 0..100_000 {
                let is_slow = number % 14_286 < 8; // seven times the queue of eight
                histogram.record(if is_slow { length } else { Nanos::micros(700) });
            }
            crate::findings::found(&record, "stall")
        };
        let reported = stalled(Nanos::millis(120)).unwrap();
        let stalls = reported.evidence.iter().find(|one| one.name == "stalls");
        assert_eq!(stalls.unwrap().value, 7.0, "{}", reported.sentence);
        assert_eq!(stalled(Nanos::millis(60)), None);
    }
}
