//! Latency over block size is a line with the intercept and slope of one rotating disk.
//!
//! Service time = positioning + bytes / media rate: the classical model of a disk without a queue, both fitted by least
//! squares over several sizes at one I/O in flight. Times come from the rate (1 / rate), because printed latencies may be
//! whole milliseconds.

use super::groups::{Vary, groups, name};
use super::{Cause, Confidence, Finding, Group, Look, Rule, RuleId, Several, Severity, finding};
use crate::observed::Observed;
use crate::say;

pub(super) const RULE: Rule = Rule {
    id: RuleId::new("single-spindle"),
    group: Group::Limit,
    cause: Cause::Alone,
    limit: None,
    what: "Latency over block size matches one rotating disk: a few milliseconds of positioning, then the media rate.",
    method: "Random I/Os of three sizes or more, at least fourfold apart, with one in flight: t = positioning + bytes / media rate by least squares. Reported if positioning is 2 to 20 ms, the media rate 20 to 400 MiB/s, and every latency within 7% of the line.",
    evidence: &[
        "positioning_ns",
        "ns_a_kib",
        "media_bytes_per_s",
        "largest_residual_share",
    ],
    source: "Ruemmler and Wilkes, \"An Introduction to Disk Drive Modeling\", IEEE Computer 27 (1994).",
    advice: "Use more spindles or a solid-state disk; deeper queues gain little.",
    look: Look::Several(look),
};

const SIZES_MIN: usize = 3;
const SPAN_MIN: f64 = 4.0;
const OFF_MAX: f64 = 0.07;
const POSITIONING_NS: std::ops::RangeInclusive<f64> = 2e6..=20e6;
const MIB: f64 = 1_048_576.0;
const MEDIA_PER_S: std::ops::RangeInclusive<f64> = 20.0 * MIB..=400.0 * MIB;

fn look(several: &Several<'_>) -> Option<Finding> {
    let groups = groups(several.runs, Vary::Size);
    let mut lines = groups
        .iter()
        .filter_map(|group| Some((group[0], line(group)?)));
    let (first, line) = lines.next()?;
    Some(
        finding(
            RULE.id,
            Severity::Note,
            format!(
                "{} with {} block sizes takes {} + {} per KiB, like one rotating disk: {} of positioning, then {} MiB/s media rate",
                name(first, false),
                line.points,
                say::time(line.start_ns),
                say::time(line.ns_a_byte * 1024.0),
                say::time(line.start_ns),
                say::mib_per_s(1e9 / line.ns_a_byte)
            ),
            &[
                ("positioning_ns", line.start_ns),
                ("ns_a_kib", line.ns_a_byte * 1024.0),
                ("media_bytes_per_s", 1e9 / line.ns_a_byte),
                ("largest_residual_share", line.off),
            ],
            "use more spindles or a solid-state disk; a deeper queue gains little",
        )
        .sure(Confidence::Medium),
    )
}

struct Line {
    start_ns: f64,
    ns_a_byte: f64,
    /// Largest distance of a time from the line, as a share of the time.
    off: f64,
    points: usize,
}

fn line(group: &[&Observed]) -> Option<Line> {
    let random = group[0].load.random_share.is_some_and(|share| share >= 1.0);
    let alone = group[0].load.requested_in_flight == Some(1.0);
    if !random || !alone {
        return None;
    }
    let mut points: Vec<(f64, f64)> = Vec::new();
    for run in group {
        let point = (run.load.block_bytes? as f64, 1e9 / run.total.iops?);
        if points.iter().all(|(size, _)| *size != point.0) {
            points.push(point);
        }
    }
    let sizes = points.iter().map(|(size, _)| *size);
    let (small, large) = (
        sizes.clone().fold(f64::INFINITY, f64::min),
        sizes.fold(0.0, f64::max),
    );
    if points.len() < SIZES_MIN || large < SPAN_MIN * small {
        return None;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_size, mean_time) = (mean(|point| point.0), mean(|point| point.1));
    let (mut above, mut below) = (0.0, 0.0);
    for (size, time) in &points {
        above += (size - mean_size) * (time - mean_time);
        below += (size - mean_size).powi(2);
    }
    let ns_a_byte = above / below;
    let start_ns = mean_time - ns_a_byte * mean_size;
    let off = |(size, time): &(f64, f64)| (start_ns + ns_a_byte * size - time).abs() / time;
    let off = points.iter().map(off).fold(0.0, f64::max);
    let like_a_disk =
        POSITIONING_NS.contains(&start_ns) && MEDIA_PER_S.contains(&(1e9 / ns_a_byte));
    (like_a_disk && off <= OFF_MAX).then_some(Line {
        start_ns,
        ns_a_byte,
        off,
        points: points.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::test::several;
    use crate::known::Known;
    use crate::observed::{Observed, ObservedLoad};

    fn run(kib: u64, rate: f64) -> Observed {
        let mut run = Observed {
            load: ObservedLoad {
                block_bytes: Some(kib * 1024),
                requested_in_flight: Some(1.0),
                write_share: Some(1.0),
                random_share: Some(1.0),
                ..ObservedLoad::default()
            },

            ..Observed::default()
        };
        run.total.iops = Some(rate);
        run
    }

    #[test]
    fn positioning_and_media_rate_are_fitted_over_the_sizes() {
        let runs = [
            run(8, 225.8),
            run(16, 220.39),
            run(64, 192.85),
            run(128, 176.30),
        ];
        assert_eq!(
            several(&runs, &Known::default(), "single-spindle")
                .unwrap()
                .sentence,
            "random write with 4 block sizes takes 4.39 ms + 10.4 µs per KiB, like one rotating disk: 4.39 ms of \
             positioning, then 93.5 MiB/s media rate"
        );
        assert_eq!(
            several(&runs[..2], &Known::default(), "single-spindle"),
            None
        );
    }

    #[test]
    fn fast_disks_and_crooked_lines_are_no_spindle() {
        let fast = [run(4, 12_000.0), run(16, 9000.0), run(64, 5000.0)];
        assert_eq!(several(&fast, &Known::default(), "single-spindle"), None);
        let crooked = [
            run(8, 225.8),
            run(16, 150.0),
            run(64, 192.85),
            run(128, 176.30),
        ];
        assert_eq!(several(&crooked, &Known::default(), "single-spindle"), None);
    }

    #[test]
    fn points_may_lie_seven_percent_off_the_line() {
        // 5 ms and 10 us a KiB, but for the third size, which takes so much longer.
        let with = |longer: f64| {
            [8u64, 16, 64, 128].map(|kib| {
                let off = if kib == 64 { longer } else { 1.0 };
                run(kib, 1e6 / ((5000.0 + 10.0 * kib as f64) * off))
            })
        };
        let found = |longer| several(&with(longer), &Known::default(), "single-spindle");
        assert!(found(1.05).is_some());
        assert_eq!(found(1.2), None);
    }
}
