//! A wall at the end of the latencies: the slowest I/Os all took nearly the same time, several times what the others took.
//!
//! Such a plateau is no tail of a distribution: it is an event during which the target stood still, and each I/O that was
//! in flight then has its length as its latency. So the number of I/Os on it, divided by the places in the queue, is the
//! number of pauses.

use super::{Cause, Confidence, Finding, FindingRank, Look, Own, Rule, RuleId, Seen, finding};
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("latency-wall"),
    cause: Cause::Alone,
    limit: None,
    what: "The slowest I/Os all took nearly the same time, far from all others: pauses of the whole queue, not a tail.",
    method: "From some percentile on up to the maximum the latencies lie within 10%, ten I/Os or more are there, and the percentile before is at most a third of them. I/Os there / I/Os in flight = pauses; own runs count I/Os of 90% of the longest or more in the histogram, of printed percentiles it is a lower bound. A warning where the pauses are half a percent of the run or more.",
    source: "Order statistics of the printed or counted latencies; a pause gives all I/Os in flight its own length.",
    advice: "Look for what stood still at that time: a controller's cache flush, a failover, garbage collection; the rate over time shows when.",
    look: Look::Any(look),
};

const FLAT_MAX: f64 = 1.10;
const FACTOR_MIN: f64 = 3.0;
const BEYOND_MIN: f64 = 9.5; // ten, as far as a quantile in binary says it
/// An I/O of this share of the longest or more is of a pause.
const NEAR_MAX: f64 = 0.9;
const TIME_SHARE_MIN: f64 = 0.005;

fn look(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let total = &observed.total;
    let (ios, max) = (total.ios? as f64, total.max_ns?);
    let coarse = observed
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
    let counted = seen.own.map(|own| at_the_end(own, max));
    let beyond = counted.unwrap_or(beyond);
    let shown = match (say::time(level), say::time(max)) {
        (from, to) if from == to => to,
        (from, to) => format!("{from} to {to}"),
    };
    let mut sentence = format!(
        "the slowest I/Os, {}{}, took {shown}, {} times what {} of all stayed below",
        if counted.is_some() { "" } else { "at least " },
        say::count(beyond.round() as u64),
        say::digits(factor),
        percent_of(before)
    );
    let mut evidence = vec![
        ("ios_beyond", beyond),
        ("level_ns", level),
        ("max_ns", max),
        ("factor", factor),
    ];
    let mut time_share = 0.0;
    if let Some(asked) = observed.asked_in_flight {
        let pauses = beyond / asked;
        if pauses >= 0.5 {
            sentence.push_str(&pauses_of(pauses, counted.is_some(), max));
            evidence.push(("pauses", pauses));
            let measured = observed.measured_ns.filter(|time| *time > 0.0);
            time_share = measured.map_or(0.0, |time| pauses * level / time);
        }
    }
    let rank = if time_share >= TIME_SHARE_MIN {
        FindingRank::Warning
    } else {
        FindingRank::Info
    };
    Some(
        finding(
            RULE.id,
            rank,
            sentence,
            &evidence,
            "look at the rate over time, and for what stood still then; leave the event out of what you call the tail",
        )
        .sure(Confidence::Medium),
    )
}

/// I/Os that took nine tenths of the longest or more, from the histogram.
fn at_the_end(own: &Own<'_>, max_ns: f64) -> f64 {
    let buckets = own.total.latency.buckets();
    let slow = buckets.filter(|(from, ..)| from.0 as f64 >= NEAR_MAX * max_ns);
    let count: u64 = slow.map(|(.., count)| count).sum();
    count.max(1) as f64
}

/// Printed percentiles lie on a grid, so there may be more I/Os than they show; each pause has as many as were in flight.
fn pauses_of(pauses: f64, is_counted: bool, max: f64) -> String {
    let many = pauses.round().max(1.0) as u64;
    let about = if is_counted { "about" } else { "at least" };
    format!(
        ": {about} {} of the whole queue of {}, an event and no tail",
        say::counted(many, "pause"),
        say::time(max)
    )
}

fn percent_of(quantile: f64) -> String {
    let text = format!("{:.5}", quantile * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use crate::findings::FindingRank;
    use crate::findings::test::{imported, told};
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
    fn a_plateau_at_the_end_is_told_as_pauses_of_the_queue() {
        let seed = [
            (0.99, 5274),
            (0.999, 39_374),
            (0.9999, 207_734),
            (0.99999, 209_483),
        ];
        let told = told(&run(&seed, 211_330), "latency-wall").unwrap();
        assert_eq!(
            told.sentence,
            "the slowest I/Os, at least 247, took 208 ms to 211 ms, 5.28 times what 99.9% of all stayed below: at least 4 \
             pauses of the whole queue of 211 ms, an event and no tail"
        );
        assert_eq!(told.rank, FindingRank::Warning);
    }

    #[test]
    fn a_tail_that_goes_on_and_a_wall_of_few_ios_are_none() {
        let tail = [
            (0.99, 5274),
            (0.999, 39_374),
            (0.9999, 120_000),
            (0.99999, 180_000),
        ];
        assert_eq!(told(&run(&tail, 400_000), "latency-wall"), None);
        let few = [(0.99, 5274), (0.999_999, 210_000)];
        assert_eq!(told(&run(&few, 211_330), "latency-wall"), None, "2.5 I/Os");
        let narrow = [(0.5, 100_000), (0.99, 205_000)];
        assert_eq!(told(&run(&narrow, 211_330), "latency-wall"), None);
        assert_eq!(told(&run(&[], 211_330), "latency-wall"), None);
    }

    #[test]
    fn seven_pauses_are_counted_as_seven() {
        use crate::sample::Sample;
        let mut record = Sample {
            depth: 8,
            reads: 100_000,
            ..Sample::default()
        }
        .build();
        let histogram = &mut record.threads[0].measured[0].latency;
        *histogram = model::LatencyHistogram::new();
        for number in 0..100_000 {
            let pause = number % 14_286 < 8; // seven times the queue of eight
            histogram.record(if pause {
                Nanos::millis(60)
            } else {
                Nanos::micros(700)
            });
        }
        let told = crate::findings::found(&record, "latency-wall").unwrap();
        let pauses = told.evidence.iter().find(|one| one.name == "pauses");
        assert_eq!(pauses.unwrap().value, 7.0, "{}", told.sentence);
    }
}
