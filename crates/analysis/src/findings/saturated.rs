//! Saturation: the queue is full, and a deeper one adds latency and no IOPS.
//!
//! One run: the mean latency is what Little's law gives for rate and depth, and no property of the device. Reported from 16
//! in flight on: below, waiting is a small part of the latency. Several runs: the rate stays while the latency grows with
//! the depth. Depth alone does not separate a configured limit from a saturated device. A limit keeps one figure at every
//! block size: equal IOPS of different sizes are evidence of an IOPS limit, equal bytes per second of a bandwidth limit. So
//! is a published or named limit at that level.

use super::device_port;
use super::groups::{Vary, groups, name};
use super::qos_limit::{NearTo, is_under_dev, near};
use super::qos_shape::Held;
use super::{
    Cause, Confidence, Finding, Group, Look, Rule, RuleId, Seen, Several, Severity, finding,
};
use crate::observed::Observed;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("saturated"),
    group: Group::Queue,
    cause: Cause::Alone,
    limit: None,
    what: "The queue was full: the mean latency contains waiting, and a deeper queue adds latency without IOPS.",
    method: "One run: IOPS × mean latency is within 2% of threads × depth, and that is 16 or more; below that `queue-not-full` applies. Runs of a session that differ only in I/Os in flight: between the shallowest and the deepest run at the level (twice the depth or more) the IOPS lie within 5%. Latencies by Little's law where they are not printed finely. Levels of two or more block sizes within 3% in IOPS or in bytes per second are reported as `iops-limit` or `bandwidth-limit`; the sizes are at least twofold apart. So is a level at a named (3%) or published (2.5%) limit.",
    evidence: &[
        "in_flight_mean",
        "in_flight_asked",
        "in_flight_share",
        "mean_ns",
        "in_flight_from",
        "in_flight_to",
        "rate_from_per_s",
        "rate_to_per_s",
        "latency_times",
        "level",
    ],
    source: "J. D. C. Little, \"A Proof for the Queuing Formula: L = λW\", Operations Research 9 (1961); Denning and Buzen, \"The Operational Analysis of Queueing Network Models\", ACM Computing Surveys 10 (1978): the bottleneck law.",
    advice: "Use the smallest depth that reaches the level. For the service time, measure at depth 1.",
    look: Look::Both(full_queue, level_of_depths),
};

/// From full: 2% either way.
const APART_MAX: f64 = 0.02;
const IN_FLIGHT_MIN: f64 = 16.0;
const LEVEL_MAX: f64 = 0.05;
const DEPTH_TIMES_MIN: f64 = 1.9;
const SAME_MAX: f64 = 0.03;
const SIZES_MIN: f64 = 1.9;

/// A group's level.
struct Level<'a> {
    from: &'a Observed,
    to: &'a Observed,
}

/// Finds a queue that was full throughout one run.
fn full_queue(seen: &Seen<'_>) -> Option<Finding> {
    let observed = seen.observed;
    let (mean, asked) = (observed.in_flight()?, observed.load.requested_in_flight?);
    let share = mean / asked;
    if asked < IN_FLIGHT_MIN || (share - 1.0).abs() > APART_MAX {
        return None;
    }
    let latency = observed.total.mean_ns?;
    Some(finding(
        RULE.id,
        Severity::Note,
        format!(
            "queue full ({} of {} in flight, {}): the mean latency of {} includes waiting",
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
        "for the service time, measure at depth 1",
    ))
}

/// Finds the depth from which the rate stays.
fn level_of_depths(several: &Several<'_>) -> Option<Finding> {
    let all = groups(several.runs, Vary::InFlight);
    let levels: Vec<Level<'_>> = all.iter().filter_map(|group| level(group)).collect();
    let steepest = levels
        .iter()
        .max_by(|one, other| one.grown().total_cmp(&other.grown()))?;
    let limiter = levels.iter().find_map(|level| at_cap(level, several));
    let limiter = limiter.or_else(|| same_of_sizes(&levels));
    let (rate, last) = (steepest.from.rate()?, steepest.to.rate()?);
    let what = name(steepest.from, true);
    let change = if last < rate { "loses" } else { "adds" };
    let mut sentence = format!(
        "{what} saturates at QD{}: QD{} {change} {:.1}% IOPS ({} to {}) for {}× the latency ({} to {})",
        say::count(steepest.from.asked().round() as u64),
        say::count(steepest.to.asked().round() as u64),
        (last / rate - 1.0).abs() * 100.0,
        say::rate(rate),
        say::rate(last),
        say::digits(steepest.grown()),
        say::time(steepest.from.latency_ns()?),
        say::time(steepest.to.latency_ns()?)
    );
    if levels.len() > 1 {
        sentence.push_str(&format!(
            "; also saturated: {}",
            say::counted(levels.len() as u64 - 1, "other workload")
        ));
    }
    let mut evidence = vec![
        ("in_flight_from", steepest.from.asked()),
        ("in_flight_to", steepest.to.asked()),
        ("rate_from_per_s", rate),
        ("rate_to_per_s", last),
        ("latency_times", steepest.grown()),
    ];
    let (id, severity, confidence) = match &limiter {
        Some((held, why, cap)) => {
            sentence = format!("{why}; {sentence}");
            evidence.push(("level", *cap));
            (held.id(), Severity::Warning, Confidence::Medium)
        }
        None => (RULE.id, Severity::Note, Confidence::High),
    };
    let advice = "use the smallest depth that reaches the level: a deeper queue only adds latency";
    Some(finding(id, severity, sentence, &evidence, advice).sure(confidence))
}

/// The shallowest run whose rate the deepest one does not exceed, with the deepest.
fn level<'a>(group: &[&'a Observed]) -> Option<Level<'a>> {
    let mut by_depth: Vec<&Observed> = group
        .iter()
        .copied()
        .filter(|run| run.asked() > 0.0)
        .collect();
    by_depth.sort_by(|one, other| one.asked().total_cmp(&other.asked()));
    let deepest = *by_depth.last()?;
    let most = by_depth
        .iter()
        .filter_map(|run| run.rate())
        .fold(0.0, f64::max);
    let is_level = |run: &&&Observed| {
        run.rate()
            .is_some_and(|rate| rate >= most * (1.0 - LEVEL_MAX))
    };
    let from = *by_depth.iter().find(is_level)?;
    let flat = deepest.rate()? >= most * (1.0 - LEVEL_MAX);
    let deeper = deepest.asked() >= DEPTH_TIMES_MIN * from.asked();
    (flat && deeper).then_some(Level { from, to: deepest })
}

/// A level at a limit that was specified or published. A limit that another run exceeds is none.
fn at_cap(level: &Level<'_>, several: &Several<'_>) -> Option<(Held, String, f64)> {
    let total = &level.to.total;
    let write_share = level.to.load.write_share;
    let near = near(
        several.known,
        total.iops,
        total.bytes_per_s,
        NearTo {
            write_share,
            network: !is_under_dev(&level.to.target),
        },
    )?;
    let figure = |run: &Observed| match near.held {
        Held::Rate => run.total.iops,
        Held::Bandwidth => run.total.bytes_per_s,
    };
    let as_port = near.held == Held::Bandwidth && device_port::explains(near.value, several);
    let most = near.value * (1.0 + LEVEL_MAX);
    let exceeded = several
        .runs
        .iter()
        .filter_map(figure)
        .any(|figure| figure > most);
    let along = level.to.load.random_share == Some(0.0) && near.held == Held::Bandwidth;
    let as_platter = along && device_port::turns(near.value, &level.to.target, several);
    if exceeded || ((as_port || as_platter) && !near.is_named()) {
        return None;
    }
    let text = match near.held {
        Held::Rate => format!("limited to {} IOPS", say::rate(near.value)),
        Held::Bandwidth => format!("bandwidth limited to {} MiB/s", say::mib_per_s(near.value)),
    };
    Some((near.held, format!("{text}, {}", near.words()), near.value))
}

/// The same level for any size.
fn same_of_sizes(levels: &[Level<'_>]) -> Option<(Held, String, f64)> {
    let figure = |of: fn(&Observed) -> Option<f64>, held: Held| {
        let known: Vec<(f64, f64)> = levels
            .iter()
            .filter_map(|level| Some((level.to.load.block_bytes? as f64, of(level.to)?)))
            .collect();
        let span = |pick: fn(&(f64, f64)) -> f64| {
            let all = known.iter().map(pick);
            (
                all.clone().fold(f64::INFINITY, f64::min),
                all.fold(0.0, f64::max),
            )
        };
        let ((small, large), (low, high)) = (span(|one| one.0), span(|one| one.1));
        let reported =
            known.len() > 1 && large >= SIZES_MIN * small && high <= low * (1.0 + SAME_MAX);
        let text = match held {
            Held::Rate => format!("limited to {} IOPS", say::rate(high)),
            Held::Bandwidth => format!("bandwidth limited to {} MiB/s", say::mib_per_s(high)),
        };
        reported.then(|| {
            let sizes = format!(
                "{} to {}",
                say::bytes(small as u64),
                say::bytes(large as u64)
            );
            (
                held,
                format!("{text}, equal for blocks of {sizes}, as behind a QoS limit"),
                high,
            )
        })
    };
    figure(|run| run.total.bytes_per_s, Held::Bandwidth)
        .or_else(|| figure(|run| run.total.iops, Held::Rate))
}

impl Level<'_> {
    /// By how much the latency grew; 0 where it is not known.
    fn grown(&self) -> f64 {
        let both = self.from.latency_ns().zip(self.to.latency_ns());
        both.map_or(0.0, |(from, to)| to / from)
    }
}

impl Observed {
    fn asked(&self) -> f64 {
        self.load.requested_in_flight.unwrap_or(0.0)
    }

    fn rate(&self) -> Option<f64> {
        self.total.iops
    }

    /// The mean latency that rate and depth make by Little's law: printed ones may be cut to whole milliseconds.
    fn latency_ns(&self) -> Option<f64> {
        Some(self.load.requested_in_flight? / self.rate().filter(|rate| *rate > 0.0)? * 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test::{imported, reported, several};
    use crate::findings::Severity;
    use crate::known::{CloudCap, Known};
    use crate::observed::{Observed, ObservedLoad};
    use model::Nanos;

    fn run(block: u64, in_flight: f64, rate: f64) -> Observed {
        let mut run = Observed {
            load: ObservedLoad {
                block_bytes: Some(block),
                requested_in_flight: Some(in_flight),
                write_share: Some(1.0),
                random_share: Some(1.0),
                ..ObservedLoad::default()
            },

            ..Observed::default()
        };
        run.total.iops = Some(rate);
        run.total.bytes_per_s = Some(rate * block as f64);
        run
    }

    #[test]
    fn a_rotating_disk_near_a_published_limit_is_not_limited_by_it() {
        let along = |in_flight, rate| {
            let mut run = run(1 << 20, in_flight, rate);
            run.load.random_share = Some(0.0);
            run.total.mean_ns = Some(in_flight / rate * 1e9);
            run
        };
        let of = |random_reads: f64| {
            let mut random = run(4096, 1.0, random_reads);
            random.load.write_share = Some(0.0);
            let runs = [along(1.0, 95.2), along(8.0, 96.8), random];
            let known = Known {
                caps: vec![CloudCap {
                    name: "a volume".to_owned(),
                    per_s: None,
                    bytes_per_s: Some(100e6),
                    direction: None,
                    burst: false,
                    network: false,
                }]
                .into(),
                ..Known::default()
            };
            several(&runs, &known, "bandwidth-limit").is_some()
        };
        assert!(of(9000.0));
        assert!(!of(100.0));
    }

    #[test]
    fn a_full_queue_is_reported_with_its_share() {
        let mut run = imported();
        let full = reported(&run, "saturated").unwrap();
        let share = full
            .evidence
            .iter()
            .find(|one| one.name == "in_flight_share");
        assert_eq!((share.unwrap().value * 1000.0).round(), 999.0);
        run.workload.threads = Some(2);
        assert_eq!(
            reported(&run, "saturated"),
            None,
            "shallow, and it does not fit"
        );
        run.workload.threads = Some(20);
        assert_eq!(reported(&run, "saturated"), None, "not full");
    }

    #[test]
    fn a_queue_is_full_within_two_percent_and_deep_from_sixteen_on() {
        for (threads, micros, is_reported) in [
            (16, 3060, true),  // 98.4%
            (16, 3013, false), // 96.9%
            (4, 777, true),    // 16 in flight
            (3, 583, false),   // 12
        ] {
            let mut run = imported();
            run.workload.threads = Some(threads);
            run.figures.total.latency.mean = Some(Nanos::micros(micros));
            assert_eq!(
                reported(&run, "saturated").is_some(),
                is_reported,
                "{threads} {micros}"
            );
        }
    }

    #[test]
    fn depth_that_brings_nothing_is_reported_with_what_it_costs() {
        let runs = [run(8192, 1.0, 225.8), run(8192, 4.0, 221.73)];
        let reported = several(&runs, &Known::default(), "saturated").unwrap();
        assert_eq!(reported.severity, Severity::Note);
        assert_eq!(
            reported.sentence,
            "8 KiB random write saturates at QD1: QD4 loses 1.8% IOPS (226 to 222) for 4.07× the latency (4.43 ms to 18.0 ms)"
        );
    }

    #[test]
    fn a_rate_that_still_grows_and_a_single_depth_are_no_level() {
        let known = Known::default();
        let grows = [
            run(4096, 1.0, 1000.0),
            run(4096, 4.0, 3000.0),
            run(4096, 8.0, 4000.0),
        ];
        assert_eq!(several(&grows, &known, "saturated"), None);
        assert_eq!(several(&grows[..1], &known, "saturated"), None);
        assert_eq!(several(&[], &known, "saturated"), None);
    }

    #[test]
    fn the_same_rate_of_all_sizes_or_a_known_cap_is_a_limiter() {
        let capped = [
            run(4096, 8.0, 1920.0),
            run(4096, 32.0, 1925.0),
            run(16_384, 8.0, 1918.0),
            run(16_384, 32.0, 1921.0),
        ];
        let reported = several(&capped, &Known::default(), "iops-limit").unwrap();
        assert_eq!(reported.severity, Severity::Warning);
        assert!(
            reported.sentence.starts_with(
                "limited to 1925 IOPS, equal for blocks of 4 KiB to 16 KiB, as behind a QoS limit; "
            ),
            "{}",
            reported.sentence
        );
        let known = Known {
            caps: vec![CloudCap {
                name: "some disk".to_owned(),
                per_s: Some(1920.0),
                bytes_per_s: None,
                direction: None,
                burst: false,
                network: false,
            }]
            .into(),
            ..Known::default()
        };
        let exceeded = [&capped[..2], &[run(65_536, 4.0, 2500.0)]].concat();
        assert_eq!(several(&exceeded, &known, "iops-limit"), None);
        let reported = several(&capped[..2], &known, "iops-limit").unwrap();
        assert!(
            reported.sentence.contains("1925 IOPS, 0.3% above"),
            "{}",
            reported.sentence
        );
    }

    #[test]
    fn a_level_is_within_a_twentieth_and_the_same_within_three_percent() {
        let known = Known::default();
        let at = |rate| {
            several(
                &[run(4096, 1.0, rate), run(4096, 4.0, 1000.0)],
                &known,
                "saturated",
            )
        };
        assert!(at(960.0).is_some());
        assert_eq!(at(930.0), None);
        let shallow = [run(4096, 1.0, 1000.0), run(4096, 1.5, 1000.0)];
        assert_eq!(several(&shallow, &known, "saturated"), None);
        let sizes = |large: f64| {
            let runs = [
                run(4096, 8.0, 1920.0),
                run(4096, 32.0, 1920.0),
                run(16_384, 8.0, large),
                run(16_384, 32.0, large),
            ];
            several(&runs, &known, "iops-limit")
        };
        assert!(sizes(1950.0).is_some());
        assert_eq!(sizes(2000.0), None);
    }
}
