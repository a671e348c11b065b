//! Shapes of a rate limit in one run, for `qos_limit`: paced, where I/Os are let through one by one, and in slices, where a
//! share of each slice is let through at once and the rest waits for the next.
//!
//! Deliberately absent: limits that a user named or that are published (`qos_limit`), and any finding.

use super::cpu_bound;
use super::impossible_for_medium::RIM_BYTES_PER_S_MAX;
use super::storage_stack::{Below, targets};
use super::{Confidence, Own, RuleId, Seen, Severity};
use crate::device_classes::{ETHERNET, LinkClass};
use crate::known::Medium;
use crate::observed::{Observed, ObservedFigures};
use crate::say;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// IOPS.
    Rate,
    /// Bytes a second.
    Bandwidth,
}

impl Held {
    /// The rule that explains it.
    pub(super) const fn id(self) -> RuleId {
        match self {
            Held::Rate => super::IOPS_LIMIT,
            Held::Bandwidth => super::BANDWIDTH_LIMIT,
        }
    }
}

/// A rate limit, as far as one run shows it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cap {
    pub(super) held: Held,
    /// The sentence's second half: why it is one.
    pub(super) why: String,
    pub(super) severity: Severity,
    pub(super) confidence: Confidence,
    pub(super) evidence: Vec<(&'static str, f64)>,
}

/// Rates of the steps lie within this of each other.
pub(super) const RATE_CV_MAX: f64 = 0.02;

/// Without a cap that is known, one run cannot show which of both applies: large I/Os meet a bandwidth first.
pub(super) fn by_size(seen: &Seen<'_>) -> Held {
    const LARGE: f64 = 65_536.0;
    match seen.observed.bytes_an_io() {
        Some(bytes) if bytes >= LARGE => Held::Bandwidth,
        _ => Held::Rate,
    }
}

/// A rate limit that paces lets no queue run dry.
const IN_FLIGHT_MIN: f64 = 16.0;
const PACED_CV_MAX: f64 = 0.005;
const PACED_SPREAD_MAX: f64 = 1.10;
/// Of fathom's own runs it is a note, and service times beyond the limit add to it.
const OWN_SPREAD_MAX: f64 = 1.15;
/// iSCSI, NFS and SMB move this share of what a link carries, or more, where the link is the limit.
const LINK_SHARE_MIN: f64 = 0.92;
const SLICED_CV_MAX: f64 = 0.05;
const SLICED_MEAN_TIMES: f64 = 4.0;
const SLICED_SHARE_MIN: f64 = 0.5;
const SLICE_NS_MIN: f64 = 5e6;
/// Latencies of one length: from here to the longest of them.
const ONE_LENGTH: f64 = 0.8;

/// Full queue, even windows, and latencies that hardly differ: each I/O waits for as many as are before it.
pub(super) fn paced(seen: &Seen<'_>, rate_cv: f64) -> Option<Cap> {
    let observed = seen.observed;
    let many = observed.load.requested_in_flight? >= IN_FLIGHT_MIN;
    if !many || rate_cv > PACED_CV_MAX.max(counting_cv(seen)) || generator_is_busy(seen) {
        return None;
    }
    let spread = widest(seen)?;
    let round = is_round(observed);
    // At its own maximum a device may be as even. A survey or a sweep with other block sizes decides; an import has none.
    let platter = may_be_platter(seen);
    let severity = match seen.own {
        None if !platter => Severity::Warning,
        _ => Severity::Note,
    };
    let mut why = format!(
        "the queue was full and IOPS vary by {}; p1 to p95 of the latency are within {} of each other, as behind an \
         IOPS limit, a bandwidth limit or a link",
        say::percent(rate_cv),
        say::percent(spread - 1.0)
    );
    let round = round && !platter;
    if round {
        why.push_str("; the figure is round, as is usual for limits");
    }
    if platter {
        why.push_str(AS_EVEN);
    }
    Some(Cap {
        held: by_size(seen),
        why,
        severity,
        confidence: match platter && seen.own.is_some() {
            true => Confidence::Low,
            false => Confidence::Medium, // whether of IOPS or of bytes, a second block size shows
        },
        evidence: vec![("rate_cv", rate_cv), ("p95_over_p1", spread)],
    })
}

/// Why a figure that may be a platter's is no more than a hint.
pub(super) const AS_EVEN: &str = "; sequential I/O on a rotating disk is as even";

/// Returns whether the I/Os are sequential, at a rate that a rotating disk has, on a disk that may be one: it does or may
/// rotate, as a person states, as the kernel reports of own runs, or by the names of disks in the text of another tool.
pub(super) fn may_be_platter(seen: &Seen<'_>) -> bool {
    /// The inner tracks of old disks, up to the rim of new ones.
    const MEDIA_PER_S: std::ops::RangeInclusive<f64> = 20e6..=RIM_BYTES_PER_S_MAX;
    let along = seen.observed.load.random_share == Some(0.0);
    let moved = seen.observed.total.bytes_per_s;
    let may_turn = match (seen.known.medium, seen.own, seen.imported) {
        (Some(medium), ..) => matches!(medium, Medium::Hdd { .. }),
        (None, Some(own), _) => may_turn(own),
        (None, None, Some(run)) => {
            let disks = &run.evidence.disks;
            disks.is_empty() || disks.iter().any(|disk| is_named_as_disk(&disk.name))
        }
        (None, None, None) => true,
    };
    along && may_turn && moved.is_some_and(|moved| MEDIA_PER_S.contains(&moved))
}

/// Returns whether a target of a run of fathom is on a rotating disk, or on a disk that no flag describes.
fn may_turn(own: &Own<'_>) -> bool {
    let flash = |target: &Below<'_>| {
        let mut disks = target.facts.chain.iter();
        target.spindles().is_none() && disks.any(|device| device.rotational == Some(false))
    };
    !targets(own.record).all(|target| flash(&target))
}

fn is_named_as_disk(name: &str) -> bool {
    let mut kinds = ["sd", "hd", "md", "dm-"].iter();
    kinds.any(|kind| name.starts_with(kind))
}

/// A full queue, and latencies that do not differ at all, of an imported run: windows of several jobs vary, because each is of
/// one job.
pub(super) fn tight(seen: &Seen<'_>) -> Option<Cap> {
    const SPREAD_MAX: f64 = 1.02;
    let observed = seen.observed;
    let several = seen
        .imported?
        .workload
        .threads
        .is_some_and(|threads| threads > 1);
    let many = observed.load.requested_in_flight? >= IN_FLIGHT_MIN;
    if !several || !many || generator_is_busy(seen) || may_be_platter(seen) {
        return None;
    }
    let step_ns = seen
        .imported?
        .figures
        .total
        .latency
        .resolution
        .map_or(0.0, |step| step.0 as f64);
    let is_fine =
        sides(observed).all(|side| side.mean_ns.is_some_and(|mean| 0.01 * mean >= step_ns));
    let spread = within(seen, SPREAD_MAX).filter(|_| is_fine)?;
    let round = match is_round(observed) {
        true => "; the figure is round, as is usual for limits",
        false => "",
    };
    Some(Cap {
        held: by_size(seen),
        why: format!(
            "the queue was full, and p1 to p95 of the latency are within {} of each other, as behind a limit \
             or a link{round}",
            say::percent(spread - 1.0)
        ),
        severity: Severity::Warning,
        confidence: Confidence::Medium,
        evidence: vec![("p95_over_p1", spread)],
    })
}

/// The widest spread of reads and writes, where all of it is narrow.
fn widest(seen: &Seen<'_>) -> Option<f64> {
    let most = match seen.own {
        Some(_) => OWN_SPREAD_MAX,
        None => PACED_SPREAD_MAX,
    };
    within(seen, most)
}

fn within(seen: &Seen<'_>, most: f64) -> Option<f64> {
    let step_ns = seen
        .imported
        .and_then(|run| run.figures.total.latency.resolution);
    let step_ns = step_ns.map_or(0.0, |step| step.0 as f64);
    let all = sides(seen.observed).filter_map(|side| spread(side, step_ns));
    let widest = all.reduce(f64::max)?;
    (widest <= most).then_some(widest)
}

/// Full queue and even latencies, where the text has no windows: the sentence about them.
pub(super) fn unseen(seen: &Seen<'_>) -> Option<String> {
    let many = seen.observed.load.requested_in_flight? >= IN_FLIGHT_MIN;
    let no_windows = seen.imported?.evidence.total.windows.is_none();
    if !many || !no_windows || seen.observed.windows.sd_per_s.is_some() || generator_is_busy(seen) {
        return None;
    }
    let spread = widest(seen)?;
    Some(format!(
        "the queue was full, and the latencies up to p95 are within {} of each other, as behind a limit",
        say::percent(spread - 1.0)
    ))
}

/// Full queue, even latencies and windows as even as a known limit needs: the sentence about them. A shallow queue, of four to
/// fifteen, needs windows as even as those of a paced limit and allows the spread of runs of fathom: the device's own time is
/// more of its latency.
pub(super) fn even(seen: &Seen<'_>, rate_cv: f64) -> Option<String> {
    let many = seen.observed.load.requested_in_flight? >= IN_FLIGHT_MIN;
    let (cv_max, spread_max) = match many {
        true => (RATE_CV_MAX, PACED_SPREAD_MAX),
        false => (PACED_CV_MAX, OWN_SPREAD_MAX),
    };
    if seen.own.is_some() || rate_cv > cv_max || generator_is_busy(seen) {
        return None;
    }
    let spread = within(seen, spread_max)?;
    Some(format!(
        "the queue was full and IOPS vary by {}; p1 to p95 of the latency are within {} of each other",
        say::percent(rate_cv),
        say::percent(spread - 1.0)
    ))
}

/// A full queue and an even rate at what one Ethernet link carries, over a network as far as the text shows: its target is
/// on another host, or no disk of this machine counted the I/Os.
pub(super) fn link(seen: &Seen<'_>, rate_cv: Option<f64>) -> Option<Cap> {
    let run = seen.imported?;
    let moved = seen.observed.total.bytes_per_s?;
    let remote =
        |name: &String| name.starts_with("\\\\") || name.contains("nfs") || name.contains("smb");
    let mapped = |name: &str| {
        ["dm-", "rbd", "nbd", "drbd"]
            .iter()
            .any(|kind| name.starts_with(kind))
    };
    let disks = &run.evidence.disks;
    let is_far = run.workload.targets.iter().any(remote);
    let may_be_far = is_far || disks.iter().any(|disk| mapped(&disk.name));
    if rate_cv.is_some_and(|cv| cv > RATE_CV_MAX) || !may_be_far || generator_is_busy(seen) {
        return None;
    }
    let near = |link: &&LinkClass| (LINK_SHARE_MIN..=1.0).contains(&(moved / link.bytes_per_s));
    let link = ETHERNET.iter().find(near)?;
    Some(Cap {
        held: Held::Bandwidth,
        why: format!(
            "the queue was full, and {} carries {} MB/s at most",
            link.name,
            say::digits(link.bytes_per_s / 1e6)
        ),
        severity: if is_far {
            Severity::Warning
        } else {
            Severity::Note
        },
        confidence: Confidence::Medium,
        evidence: vec![("link_bytes_per_s", link.bytes_per_s)],
    })
}

/// A window has one I/O more or less than its share at any limit: at most half an I/O of standard deviation.
fn counting_cv(seen: &Seen<'_>) -> f64 {
    let own = seen.own.zip(seen.observed.total.iops);
    own.map_or(0.0, |(own, rate)| {
        0.5 / (rate * own.record.plan.interval.as_seconds()).max(1.0)
    })
}

/// Most of the latency is in few I/Os of nearly one length, though the windows are even: they waited for the next slice.
pub(super) fn sliced(seen: &Seen<'_>, rate_cv: f64) -> Option<Cap> {
    let rate_cv = without_slowest(seen, rate_cv);
    if rate_cv > SLICED_CV_MAX || generator_is_busy(seen) || varies_as_chance(seen, rate_cv) {
        return None;
    }
    let slice = sides(seen.observed).find_map(slice)?;
    Some(Cap {
        held: by_size(seen),
        why: slice.words(),
        severity: Severity::Warning,
        confidence: Confidence::Medium,
        evidence: vec![
            ("rate_cv", rate_cv),
            ("median_ns", slice.median_ns),
            ("slice_ns", slice.to_ns),
            ("time_share", slice.time_share),
        ],
    })
}

/// Returns how much the windows of another tool vary but for the slowest one: the first of fio is often half a window.
fn without_slowest(seen: &Seen<'_>, rate_cv: f64) -> f64 {
    let windows = &seen.observed.windows;
    let slowest = windows
        .min_per_s
        .zip(windows.count)
        .zip(seen.observed.total.iops);
    let Some(((least, count), mean)) = slowest.filter(|_| seen.own.is_none()) else {
        return rate_cv;
    };
    let apart = (mean - least) / mean;
    let squares = rate_cv.powi(2) - apart.powi(2) / (count as f64 - 1.0).max(1.0);
    squares.max(0.0).sqrt()
}

/// The same where the text has no windows: only a share of I/Os of so nearly one length that no device makes it.
pub(super) fn sliced_unseen(seen: &Seen<'_>) -> Option<Cap> {
    const ONE_LENGTH_MIN: f64 = 0.85;
    const IOS_SHARE_MIN: f64 = 0.1;
    const LENGTH_NS_MIN: f64 = 2e7;
    seen.imported?;
    if seen.observed.windows.sd_per_s.is_some() || generator_is_busy(seen) {
        return None;
    }
    let slice = sides(seen.observed).find_map(slice)?;
    let even = slice.from_ns >= ONE_LENGTH_MIN * slice.to_ns && slice.to_ns >= LENGTH_NS_MIN;
    (even && slice.ios_share >= IOS_SHARE_MIN).then(|| Cap {
        held: by_size(seen),
        why: slice.words(),
        severity: Severity::Warning,
        confidence: Confidence::Medium,
        evidence: vec![
            ("median_ns", slice.median_ns),
            ("slice_ns", slice.to_ns),
            ("time_share", slice.time_share),
        ],
    })
}

/// Steps of the own time series vary as latencies so wide make them: slow I/Os here and there, and no slices, each of which
/// admits as many.
fn varies_as_chance(seen: &Seen<'_>, rate_cv: f64) -> bool {
    const CHANCE_SHARE_MIN: f64 = 0.5;
    let total = &seen.observed.total;
    let by_chance = || {
        let ios = total.iops? * seen.own?.record.plan.interval.as_seconds();
        Some(total.sd_ns? / total.mean_ns.filter(|mean| *mean > 0.0)? / ios.sqrt())
    };
    by_chance().is_some_and(|chance| rate_cv >= CHANCE_SHARE_MIN * chance)
}

/// Reads and writes apart: where a run mixes them, their sum has no percentiles, and a limit may be on one of them.
fn sides(observed: &Observed) -> impl Iterator<Item = &ObservedFigures> {
    let all = [&observed.read, &observed.write, &observed.total];
    all.into_iter()
        .filter(|side| !side.percentiles.is_empty() && side.ios.is_none_or(|ios| ios >= 100))
}

/// None where one printed digit is more than the spread that matters.
fn spread(side: &ObservedFigures, step_ns: f64) -> Option<f64> {
    let low = side
        .percentiles
        .iter()
        .find(|(at, ns)| *at <= 0.25 && *ns > 0.0)?;
    if step_ns > (PACED_SPREAD_MAX - 1.0) * low.1 {
        return None;
    }
    let high = side
        .percentiles
        .iter()
        .find(|(at, _)| (0.94..=0.96).contains(at))?;
    Some(high.1 / low.1)
}

struct Slice {
    median_ns: f64,
    from_ns: f64,
    to_ns: f64,
    ios_share: f64,
    time_share: f64,
}

impl Slice {
    fn words(&self) -> String {
        format!(
            "half of the I/Os took {} or less; {} took {} to {} ({} of all waiting), as behind a QoS limit \
             that admits I/Os in slices",
            say::time(self.median_ns),
            say::percent(self.ios_share),
            say::time(self.from_ns),
            say::time(self.to_ns),
            say::percent(self.time_share.min(1.0))
        )
    }
}

fn slice(side: &ObservedFigures) -> Option<Slice> {
    let points = &side.percentiles;
    let median_ns = side.latency_at(0.5)?;
    let mean = side.mean_ns.or_else(|| mean_of(points))?;
    let to_ns = side.latency_at(0.99)?;
    if median_ns <= 0.0 || mean < SLICED_MEAN_TIMES * median_ns || to_ns < SLICE_NS_MIN {
        return None;
    }
    let long = points
        .iter()
        .position(|(_, ns)| *ns >= ONE_LENGTH * to_ns)?;
    let (from, from_ns) = points[long];
    let before = long.checked_sub(1).map_or(0.0, |before| points[before].0);
    // Between two printed percentiles it is not known where the long ones begin.
    let ios_share = 1.0 - f64::midpoint(before, from);
    let time_share = ios_share * to_ns / mean;
    (time_share >= SLICED_SHARE_MIN).then_some(Slice {
        median_ns,
        from_ns,
        to_ns,
        ios_share,
        time_share,
    })
}

/// The mean that percentiles give, up to the last of them: a text without its first lines has no other.
fn mean_of(points: &[(f64, f64)]) -> Option<f64> {
    const POINTS_MIN: usize = 8;
    let parts = points.windows(2).map(|pair| {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        (to - from) * f64::midpoint(low, high)
    });
    let (first, last) = (points.first()?, points.last()?);
    (points.len() >= POINTS_MIN)
        .then(|| first.0 * first.1 + parts.sum::<f64>() + (1.0 - last.0) * last.1)
}

/// Even figures come from a processor at its limit, too.
fn generator_is_busy(seen: &Seen<'_>) -> bool {
    const BUSY_PERCENT: f64 = 90.0;
    let imported = seen.imported.filter(|run| run.format.tool() == "fio");
    let cpu = imported.and_then(|run| run.cpu);
    let of_jobs = cpu.is_some_and(|cpu| {
        cpu.user_percent.unwrap_or(0.0) + cpu.kernel_percent.unwrap_or(0.0) >= BUSY_PERCENT
    });
    let simulated = seen
        .own
        .is_some_and(|own| own.record.engine.backend == "null");
    let shared = cpu.is_some_and(|cpu| cpu_bound::shared_core(seen, &cpu).is_some());
    of_jobs || shared || simulated
}

/// Several jobs that together use a core or more, and each much of one: where there are fewer cores than jobs, latencies
/// are as wide because the jobs take turns, and the rate is as even.
pub(super) fn jobs_share_cores(seen: &Seen<'_>) -> bool {
    const EACH_PERCENT: f64 = 30.0;
    let imported = seen.imported.filter(|run| run.format.tool() == "fio");
    let busy = |run: &model::ImportedRun| {
        let cpu = run.cpu?;
        let jobs = run.workload.threads.filter(|jobs| *jobs > 1)?;
        Some((jobs, cpu.user_percent? + cpu.kernel_percent?))
    };
    imported
        .and_then(busy)
        .is_some_and(|(jobs, each)| each >= EACH_PERCENT && each * f64::from(jobs) >= 100.0)
}

/// Limits are round: one digit and zeros, or a half between; or a power of two of MiB/s.
fn is_round(observed: &Observed) -> bool {
    const APART_MAX: f64 = 0.003;
    const ROUND: [f64; 14] = [
        1.0, 1.2, 1.25, 1.5, 1.6, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 6.4,
    ];
    let near = |value: f64| {
        let scale = 10f64.powf(value.log10().floor());
        ROUND
            .iter()
            .any(|round| (value / (round * scale) - 1.0).abs() <= APART_MAX)
    };
    let mib = observed.total.bytes_per_s.map(|bytes| bytes / 1_048_576.0);
    let rate = observed
        .total
        .iops
        .is_some_and(|rate| rate >= 50.0 && near(rate));
    rate || mib.is_some_and(|mib| mib >= 1.0 && near(mib))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::{imported, reported};
    use crate::findings::{Confidence, Severity};
    use model::{Bytes, ImportFormat, ImportedRun, Nanos};

    /// A volume of 6000 IOPS at a depth of 64.
    fn volume(rate: f64, points: &[(f64, u64)]) -> ImportedRun {
        let mut run = imported();
        run.format = ImportFormat::FioJson;
        run.workload.block = Some(Bytes::kib(4));
        run.evidence.total.windows = Some(2000);
        let total = &mut run.figures.total;
        (total.ios, total.ios_per_s, total.ios_per_s_sd) =
            (Some((rate * 120.0) as u64), Some(rate), Some(rate * 0.002));
        total.bytes_per_s = Some(rate * 4096.0);
        total.latency.mean = Some(Nanos((64e9 / rate) as u64));
        total.latency.percentiles = points
            .iter()
            .map(|(at, us)| (*at, Nanos::micros(*us)))
            .collect();
        run.figures.read = total.clone();
        run
    }

    /// A volume that admits I/Os in slices, of which the text has neither the mean nor the first lines.
    #[test]
    fn slices_are_found_by_the_percentiles_and_the_device() {
        let of = |long_us: u64| {
            let mut run = volume(4258.0, &[]);
            (run.workload.queue_depth, run.workload.threads) = (Some(64), Some(1));
            let total = &mut run.figures.total;
            total.latency.mean = None;
            let shares = [
                (0.1, 1319),
                (0.2, 1713),
                (0.3, 1991),
                (0.4, 2212),
                (0.5, 2540),
                (0.6, 2933),
                (0.7, 5407),
                (0.8, long_us),
                (0.9, long_us + 1000),
                (0.99, long_us + 2000),
            ];
            total.latency.percentiles = shares
                .iter()
                .map(|(at, us)| (*at, Nanos::micros(*us)))
                .collect();
            total.ios_per_s_sd = Some(250.0);
            run.evidence.total.windows = Some(123);
            run.evidence.total.window_min_per_s = Some(2052.0);
            let ios = total.ios.unwrap();
            run.evidence.disks = vec![model::imported_evidence::ImportedDisk {
                name: "sdb".to_owned(),
                ios,
                util_percent: Some(90.0),
                queue_time: Some(Nanos::seconds(64 * 120)),
            }];
            run.figures.read = run.figures.total.clone();
            reported(&run, "iops-limit").is_some()
        };
        assert!(of(44_303));
        assert!(!of(6_000), "no slice");
    }

    const PACED: [(f64, u64); 4] = [
        (0.01, 10_420),
        (0.5, 10_650),
        (0.95, 10_820),
        (0.99, 11_000),
    ];

    #[test]
    fn a_paced_ceiling_is_named_with_its_figure() {
        let reported_of = reported(&volume(6004.0, &PACED), "iops-limit").unwrap();
        assert_eq!(
            (reported_of.severity, reported_of.confidence),
            (Severity::Warning, Confidence::Medium)
        );
        assert_eq!(reported_of.evidence[0].value, 6004.0);
        assert!(reported_of.sentence.contains("6004 IOPS (23.5 MiB/s):"));
        assert!(reported_of.sentence.contains("round"));
        let odd = reported(&volume(5683.0, &PACED), "iops-limit").unwrap();
        assert!(!odd.sentence.contains("round"), "{}", odd.sentence);
    }

    #[test]
    fn a_limit_of_one_side_of_a_mix_has_its_figure() {
        let mut run = volume(1542.0, &PACED);
        let figures = &mut run.figures;
        figures.write = figures.read.clone();
        for (side, rate, us) in [
            (&mut figures.read, 765.0, 300),
            (&mut figures.write, 777.0, 82_000),
        ] {
            (side.ios, side.ios_per_s) = (Some((rate * 120.0) as u64), Some(rate));
            side.bytes_per_s = Some(rate * 4096.0);
            side.latency.mean = Some(Nanos::micros(us));
        }
        let found = reported(&run, "iops-limit").unwrap();
        assert_eq!(found.evidence[0].value, 777.0);
        assert!(
            found
                .sentence
                .starts_with("limited to 777 IOPS (3.04 MiB/s) for writes:"),
            "{}",
            found.sentence
        );
        run.figures.read.latency.mean = Some(Nanos::micros(41_000));
        let both = reported(&run, "iops-limit").unwrap();
        assert_eq!(both.evidence[0].value, 1542.0, "both wait");
    }

    #[test]
    fn latencies_as_a_device_has_them_and_a_shallow_queue_are_no_ceiling() {
        let wide = [(0.01, 2_100), (0.5, 9_650), (0.95, 21_820), (0.99, 31_000)];
        assert_eq!(reported(&volume(6004.0, &wide), "iops-limit"), None);
        let mut shallow = volume(6004.0, &PACED);
        shallow.workload.threads = Some(2);
        shallow.figures.total.latency.mean = Some(Nanos::micros(1332));
        assert_eq!(reported(&shallow, "iops-limit"), None);
    }

    #[test]
    fn a_limiter_in_slices_is_seen_by_its_waiting() {
        // 100 ms slices: most I/Os at once, one in eight waits for the next.
        let slices = [
            (0.01, 90),
            (0.5, 180),
            (0.8, 400),
            (0.9, 97_000),
            (0.95, 98_000),
            (0.99, 99_600),
        ];
        let mut run = volume(4480.0, &slices);
        let reported_of = reported(&run, "iops-limit").unwrap();
        assert_eq!(reported_of.confidence, Confidence::Medium);
        assert!(
            reported_of.sentence.contains("in slices"),
            "{}",
            reported_of.sentence
        );
        run.figures.total.ios_per_s_sd = Some(900.0);
        assert_eq!(
            reported(&run, "iops-limit"),
            None,
            "uneven windows: a device that pauses"
        );
    }
}
