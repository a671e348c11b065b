//! What speaks for a rate limit in one run, for `iops-limit` and `bandwidth-limit`: one judgement, so that both never speak
//! at once.
//!
//! A rate limit lets I/Os through at an even rate and makes all others wait, so the rate is flatter than chance would make
//! it while latencies are wide. That alone also fits some devices, so it is only a hint. It becomes more with a cap that
//! is known (a person's word, a provider's), or where the device itself was idle while I/Os waited above it.
//! Deliberately absent: several depths, which show more than one run (`saturated`), and the control group's own limit
//! (`cgroup-io-limit`).

use super::answered_from_memory::LINK_BYTES_PER_S;
use super::qos_shape::{self, Cap, Held, RATE_CV_MAX, by_size};
use super::queued_in_kernel::fills_its_queue;
use super::storage_stack::targets;
use super::{Confidence, Own, Seen, Severity, io_wq_offload};
use crate::device_classes::PORTS;
use crate::intervals::IntervalRow;
use crate::known::{CloudCap, Known};
use crate::observed::{Observed, ObservedFigures, RateWindows};
use crate::say;
use crate::verdict::SIMULATED;
use model::{DeviceCounters, Operation};

/// The figures that findings of both limits can have.
pub(super) const EVIDENCE: &[&str] = &[
    "iops",
    "bytes_per_s",
    "cap",
    "distance_share",
    "rate_cv",
    "latency_cv",
    "p95_over_p1",
    "median_ns",
    "slice_ns",
    "time_share",
    "device_mean_ns",
    "in_device_mean",
    "device_busy_share",
    "mean_ns",
    "level",
    "in_flight_from",
    "in_flight_to",
    "rate_from_per_s",
    "rate_to_per_s",
    "latency_times",
    "link_bytes_per_s",
];

/// Slices of a rate limit of 100 ms do not fit into short steps evenly, so where the device was idle less will do.
const HELD_CV_MAX: f64 = 0.05;
/// The kernel's throttle lets I/Os through once in such a slice. // blk-throttle.c, DFL_THROTL_SLICE
const SLICE_S: f64 = 0.1;
/// Flatter than this share of what chance makes of latencies so wide.
const CHANCE_SHARE_MAX: f64 = 0.75;
const LATENCY_CV_MIN: f64 = 0.30;
/// Beyond, few very long latencies make the spread, and not a queue.
const LATENCY_CV_MAX: f64 = 3.0;
/// How far from a cap it may be and be at it.
const NEAR_NAMED: f64 = 0.03;
const NEAR_PUBLISHED: f64 = 0.025;
/// A queue below this depth leaves the device's own time in the latencies: a published limit must be nearer.
const DEEP_MIN: f64 = 16.0;
const NEAR_SHALLOW: f64 = 0.01;
const FULL_MIN: f64 = 0.90;
const ASKED_MIN: f64 = 4.0;
/// A device that has so little to do waits for no lock and no scheduler: these keep an I/O in it.
const IDLE_SHARE_MAX: f64 = 0.05;
const IDLE_BUSY_MAX: f64 = 0.25;
const HALVES_APART_MAX: f64 = 0.15;
/// With fewer I/Os in the device than this share of those that waited, the waiting was above it.
const DEVICE_SHARE_MAX: f64 = 0.5;

/// The rate limit of a run, if there is one.
pub(super) fn cap(seen: &Seen<'_>) -> Option<Cap> {
    let observed = seen.observed;
    let (rate, bytes) = (observed.total.iops, observed.total.bytes_per_s);
    if observed.total.errors.is_some_and(|errors| errors > 0) {
        return None;
    }
    if let Some(cap) = named(seen.known, rate, bytes) {
        return Some(cap);
    }
    let rate = rate.filter(|rate| *rate > 0.0)?;
    if seen.own.is_some_and(Own::is_starved) {
        return None;
    }
    // Memory is as flat, and no limit is so high.
    if seen.own.is_none() && bytes > Some(LINK_BYTES_PER_S) {
        return None;
    }
    let asked = observed.load.requested_in_flight?;
    let in_flight = observed.in_flight()?;
    if asked < ASKED_MIN || in_flight < FULL_MIN * asked {
        return None;
    }
    if let Some(cap) = qos_shape::tight(seen) {
        return Some(cap);
    }
    let near = near_here(seen, Some(rate), bytes);
    let windows_min = match near {
        Some(_) => RateWindows::MIN_AT_LIMIT,
        None => RateWindows::MIN,
    };
    let Some(spread) = observed.windows.spread_per_s(windows_min) else {
        let shape = qos_shape::unseen(seen);
        let known = shape.and_then(|shape| at_known(seen, &shape));
        let known = known.or_else(|| qos_shape::sliced_unseen(seen));
        return known.or_else(|| qos_shape::link(seen, None));
    };
    let rate_cv = spread / rate;
    if let Some(cap) = seen.own.and_then(|own| above_device(own, seen, rate_cv)) {
        return Some(cap);
    }
    let near = near.filter(|near| asked >= DEEP_MIN || near.apart() <= NEAR_SHALLOW);
    if let Some(shape) = near.and_then(|_| qos_shape::even(seen, rate_cv)) {
        return at_known(seen, &shape);
    }
    if let Some(cap) = qos_shape::paced(seen, rate_cv).or_else(|| qos_shape::sliced(seen, rate_cv))
    {
        return Some(cap);
    }
    if let Some(cap) = qos_shape::link(seen, Some(rate_cv)) {
        return Some(cap);
    }
    let latency_cv = observed.total.sd_ns? / observed.total.mean_ns.filter(|mean| *mean > 0.0)?;
    let step_s = seen
        .own
        .map_or(1.0, |own| own.record.plan.interval.as_seconds());
    let by_chance = latency_cv / (rate * step_s).sqrt();
    let flat = rate_cv <= RATE_CV_MAX && rate_cv <= CHANCE_SHARE_MAX * by_chance;
    let wide = (LATENCY_CV_MIN..=LATENCY_CV_MAX).contains(&latency_cv);
    (flat && wide && !qos_shape::jobs_share_cores(seen))
        .then(|| flat_and_wide(seen, rate_cv, latency_cv))
}

/// Even latencies of a full queue at a published limit. A rotating disk at sequential I/O is as even, and any rate of it may
/// be near one of so many limits.
fn at_known(seen: &Seen<'_>, shape: &str) -> Option<Cap> {
    let total = &seen.observed.total;
    let near = near_here(seen, total.iops, total.bytes_per_s)?;
    let (severity, confidence, but) = match qos_shape::may_be_platter(seen) {
        true => (Severity::Note, Confidence::Low, qos_shape::AS_EVEN),
        false if seen.observed.load.requested_in_flight < Some(DEEP_MIN) => {
            (Severity::Warning, Confidence::Low, "")
        }
        false => (Severity::Warning, Confidence::Medium, ""),
    };
    Some(Cap {
        held: near.held,
        why: format!("{shape}; {}{but}", near.words()),
        severity,
        confidence,
        evidence: vec![
            ("cap", near.cap),
            ("distance_share", near.value / near.cap - 1.0),
        ],
    })
}

/// A cap that a figure is at.
pub(super) struct Near {
    pub(super) held: Held,
    /// The figure.
    pub(super) value: f64,
    /// The cap.
    pub(super) cap: f64,
    /// Whose it is; none of a person's own.
    name: Option<String>,
    /// It lasts only as long as credits do.
    burst: bool,
}

impl Near {
    /// `1.7% above the published cap of NAME, 1920 IOPS`.
    pub(super) fn words(&self) -> String {
        let cap = match self.held {
            Held::Rate => format!("{} IOPS", say::rate(self.cap)),
            Held::Bandwidth => format!("{} MiB/s", say::mib_per_s(self.cap)),
        };
        let distance = distance(self.value, self.cap);
        match &self.name {
            Some(name) if self.burst => {
                format!("{distance} the published burst limit of {name}, {cap}")
            }
            Some(name) => format!("{distance} the published limit of {name}, {cap}"),
            None => format!("{distance} the specified limit of {cap}"),
        }
    }

    /// How far apart both are.
    fn apart(&self) -> f64 {
        (self.value / self.cap - 1.0).abs()
    }

    pub(super) const fn is_named(&self) -> bool {
        self.name.is_none()
    }
}

/// Limits that may apply to a run.
#[derive(Clone, Copy, Default)]
pub(super) struct NearTo {
    /// Share of its I/Os that write, where it is known.
    pub(super) write_share: Option<f64>,
    /// Whether its target may be on a network file system.
    pub(super) network: bool,
}

/// Returns whether one of these targets is a device node.
pub(super) fn is_under_dev(targets: &str) -> bool {
    targets.split(' ').any(|path| path.starts_with("/dev/"))
}

/// Returns whether the target may be on a network file system: no target is a device node, no disk of the machine was counted,
/// and no other file system is known.
fn may_be_network(seen: &Seen<'_>) -> bool {
    let counted = seen
        .imported
        .is_some_and(|run| !run.evidence.disks.is_empty());
    let mounted = seen.own.is_none_or(|own| {
        let mut systems = own.record.targets.iter();
        systems.any(|target| {
            let system = target.file_system.as_ref();
            system.is_some_and(|system| system.kind.starts_with("nfs"))
        })
    });
    !counted && mounted && !is_under_dev(&seen.observed.target)
}

/// The cap that these figures are at: a person's before any provider's, then the nearest.
/// A limit for reads is none for writes, so it counts only where all I/Os are such.
pub(super) fn near(
    known: &Known,
    rate: Option<f64>,
    bytes: Option<f64>,
    of: NearTo,
) -> Option<Near> {
    let at = |held, value: Option<f64>, cap: Option<f64>, cloud: Option<&CloudCap>| {
        let (value, cap) = value.zip(cap)?;
        let bound = if cloud.is_none() {
            NEAR_NAMED
        } else {
            NEAR_PUBLISHED
        };
        let near = cap > 0.0 && (value / cap - 1.0).abs() <= bound;
        near.then(|| Near {
            held,
            value,
            cap,
            name: cloud.map(|cloud| cloud.name.clone()),
            burst: cloud.is_some_and(|cloud| cloud.burst),
        })
    };
    at(Held::Rate, rate, known.cap_per_s, None)
        .or_else(|| at(Held::Bandwidth, bytes, known.cap_bytes_per_s, None))
        .or_else(|| {
            let both = |cloud: &CloudCap| {
                let rates = at(Held::Rate, rate, cloud.per_s, Some(cloud));
                [
                    rates,
                    at(Held::Bandwidth, bytes, cloud.bytes_per_s, Some(cloud)),
                ]
            };
            let caps = known.caps.iter().filter(|cap| cap.limits(of.write_share));
            let caps = caps.filter(|cap| of.network || !cap.network);
            let caps = caps.filter(|cap| !exceeds(cap, rate, bytes));
            let all = caps.flat_map(both).flatten();
            all.min_by(|one, other| one.apart().total_cmp(&other.apart()))
        })
}

/// Returns whether a figure is beyond what a volume with this limit has: beyond its other column, or beyond the IOPS of any.
fn exceeds(cloud: &CloudCap, rate: Option<f64>, bytes: Option<f64>) -> bool {
    /// Volumes of the providers in the table have 400000 IOPS at most.
    const VOLUME_IOPS_MAX: f64 = 400_000.0;
    /// Beyond what is still near.
    const EXCEEDED: f64 = 1.05;
    let beyond = |value: Option<f64>, cap: Option<f64>| {
        value
            .zip(cap)
            .is_some_and(|(value, cap)| value > cap * EXCEEDED)
    };
    beyond(rate, cloud.per_s) || beyond(bytes, cloud.bytes_per_s) || rate > Some(VOLUME_IOPS_MAX)
}

/// The same for a run. Published limits are those of cloud volumes, so they count only where the machine may be one.
fn near_here(seen: &Seen<'_>, rate: Option<f64>, bytes: Option<f64>) -> Option<Near> {
    let of = NearTo {
        write_share: seen.observed.load.write_share,
        network: may_be_network(seen),
    };
    let near = near(seen.known, rate, bytes, of)?;
    let may_be_cloud = seen.own.is_none_or(|own| {
        own.record.engine.backend != SIMULATED && own.record.host.virtualization.is_some()
    });
    // A disk's own port limits as evenly, and it is nearer than a volume of a cloud.
    let of_port = near.held == Held::Bandwidth && has_port(seen) && is_usual_port(near.value);
    (near.is_named() || may_be_cloud && !of_port).then_some(near)
}

/// Returns whether a bandwidth is what a port moves that disks have by design.
fn is_usual_port(bytes_per_s: f64) -> bool {
    let mut ports = PORTS.iter().filter(|port| port.usual);
    ports.any(|port| port.carries(bytes_per_s))
}

/// Returns whether the disk of an imported run is behind SATA, SAS or USB by its name.
fn has_port(seen: &Seen<'_>) -> bool {
    let targets = seen.observed.target.split(' ');
    let mut targets = targets.filter(|target| !target.is_empty()).peekable();
    seen.imported.is_some()
        && targets.peek().is_some()
        && targets.all(|target| target.starts_with("/dev/sd"))
}

/// A figure at the cap that a person named.
fn named(known: &Known, rate: Option<f64>, bytes: Option<f64>) -> Option<Cap> {
    let near = near(known, rate, bytes, NearTo::default()).filter(Near::is_named)?;
    Some(Cap {
        held: near.held,
        why: format!("that is {}", near.words()),
        severity: Severity::Warning,
        confidence: Confidence::High,
        evidence: vec![
            ("cap", near.cap),
            ("distance_share", near.value / near.cap - 1.0),
        ],
    })
}

/// `1.7% above`, `just at`.
fn distance(value: f64, cap: f64) -> String {
    let apart = value / cap - 1.0;
    match apart {
        apart if apart.abs() < 0.0005 => "exactly at".to_owned(),
        apart if apart > 0.0 => format!("{:.1}% above", apart * 100.0),
        apart => format!("{:.1}% below", -apart * 100.0),
    }
}

/// The side of a mix that a limit makes wait: its I/Os take four times as long as the others, or longer. A limit of all I/Os makes
/// both wait, and media differ by less.
pub(super) fn waiting_side(observed: &Observed) -> Option<(Operation, &ObservedFigures)> {
    const LONGER_MIN: f64 = 4.0;
    const IOS_MIN: u64 = 100;
    let known = |side: &ObservedFigures| {
        let mean_ns = side.mean_ns.filter(|mean| *mean > 0.0)?;
        (side.ios? >= IOS_MIN && side.iops? > 0.0).then_some(mean_ns)
    };
    let (read, write) = known(&observed.read).zip(known(&observed.write))?;
    if write >= LONGER_MIN * read {
        return Some((Operation::Write, &observed.write));
    }
    (read >= LONGER_MIN * write).then_some((Operation::Read, &observed.read))
}

/// The figures that are limited, in words, and the IOPS and bytes per second themselves: of one side of a mix, where only that one
/// waits. Without a cap that is known, one run cannot show whether IOPS or bytes are limited, so both are given.
pub(super) fn limited(seen: &Seen<'_>, cap: &Cap) -> Option<(String, Option<f64>, Option<f64>)> {
    let is_known = cap.evidence.iter().any(|(name, _)| *name == "cap");
    let side = waiting_side(seen.observed).filter(|_| !is_known);
    let (what, figures) = match side {
        Some((Operation::Read, read)) => (" for reads", read),
        Some((Operation::Write, write)) => (" for writes", write),
        None => ("", &seen.observed.total),
    };
    let bytes = figures.bytes_per_s;
    let in_bytes = bytes.map(|bytes| format!("{} MiB/s", say::mib_per_s(bytes)));
    let in_ios = figures.iops.map(|rate| format!("{} IOPS", say::rate(rate)));
    let (first, second) = match cap.held {
        Held::Rate => (in_ios, in_bytes),
        Held::Bandwidth => (in_bytes, in_ios),
    };
    let second = second.filter(|_| !is_known);
    let second = second.map_or_else(String::new, |second| format!(" ({second})"));
    let words = format!("{}{second}{what}", first?);
    Some((words, figures.iops, bytes))
}

/// The device had few I/Os while many waited above it: a rate limit of this machine.
fn above_device(own: &Own<'_>, seen: &Seen<'_>, rate_cv: f64) -> Option<Cap> {
    let works = || targets(own.record).any(|target| target.works_above());
    let queue_is_full = || targets(own.record).any(|target| fills_its_queue(own, &target));
    let is_memory = own.record.engine.backend == "null";
    if is_memory || waits_for_a_processor(own) || works() || queue_is_full() {
        return None;
    }
    let asked = seen.observed.load.requested_in_flight?;
    let side = waiting_side(seen.observed).map_or(&seen.observed.total, |(_, side)| side);
    let waiting_ns = side.mean_ns?;
    let Idle {
        device,
        above,
        each_ns,
        in_device,
        busy,
    } = idle_device(own, seen, asked, waiting_ns)?;
    // A step that is not a whole number of slices gets one more or one less of them.
    let uneven_max = HELD_CV_MAX.max(SLICE_S / own.record.plan.interval.as_seconds());
    let idle = in_device <= IDLE_SHARE_MAX * asked && busy <= IDLE_BUSY_MAX;
    if rate_cv > uneven_max && !(idle && both_halves_are_alike(own, asked)) {
        return None;
    }
    let below = above.map_or_else(String::new, |above| format!(" and below {above}"));
    (in_device < 1.0f64.max(0.1 * asked)).then(|| Cap {
        held: by_size(seen),
        why: format!(
            "{device} took {} per I/O with {} in flight, while {} waited above it{below}",
            say::time(each_ns),
            say::digits(in_device),
            say::digits(asked)
        ),
        severity: Severity::Warning,
        confidence: Confidence::Medium, // whether of IOPS or of bytes, a second block size shows
        evidence: vec![
            ("device_mean_ns", each_ns),
            ("in_device_mean", in_device),
            ("device_busy_share", busy.min(1.0)),
            ("mean_ns", waiting_ns),
        ],
    })
}

/// A device that had few I/Os while most waited.
struct Idle<'a> {
    device: &'a str,
    /// The device above it, which had them all, where it is not the first.
    above: Option<&'a str>,
    each_ns: f64,
    in_device: f64,
    busy: f64,
}

/// The first device of the chain that had few of the I/Os that were in flight. Below a device that passes I/Os on as they come (a
/// partition, a mapping, a loop device on a direct file) a limit lets through few, too. A thread of the kernel that passes them on
/// needs its time for each, so there only rates count that no such thread is too slow for.
fn idle_device<'a>(
    own: &'a Own<'_>,
    seen: &Seen<'_>,
    asked: f64,
    waiting_ns: f64,
) -> Option<Idle<'a>> {
    const PASSED_ON_PER_S: f64 = 5000.0;
    const SHARE_MIN: f64 = 0.5;
    let first = own.device_checks.first()?.device.as_deref()?;
    let chain = &own.record.targets.first()?.chain;
    let from = chain.iter().position(|device| device.name == first)?;
    let elapsed = own.record.window.elapsed().0 as f64;
    let mut above: Option<(&str, f64)> = None;
    for device in &chain[from..] {
        let counted: DeviceCounters = own.record.window.device(&device.name)?;
        let ios = counted.reads.saturating_add(counted.writes) as f64;
        let time = counted.read_time.plus(counted.write_time).0 as f64;
        let fewer = above.is_some_and(|(_, all)| ios < SHARE_MIN * all);
        // Without a time, the device does not measure it.
        if ios < 100.0 || elapsed <= 0.0 || time <= 0.0 || fewer {
            return None;
        }
        let (each_ns, in_device) = (time / ios, time / elapsed);
        // Requests that wait for a place in a full device queue are not counted by it either.
        if in_device <= DEVICE_SHARE_MAX * asked && each_ns <= DEVICE_SHARE_MAX * waiting_ns {
            return Some(Idle {
                device: &device.name,
                above: above.map(|(name, _)| name),
                each_ns,
                in_device,
                busy: counted.busy.0 as f64 / elapsed,
            });
        }
        let passes_on = match device.kind.as_str() {
            "partition" | "dm" => true,
            "loop" => device.file_direct == Some(true),
            _ => false,
        };
        if !passes_on || seen.observed.total.iops > Some(PASSED_ON_PER_S) {
            return None;
        }
        above = Some((&device.name, ios));
    }
    None
}

/// Few large I/Os in flight leave a rate limit in clusters, so that short steps differ and long ones do not: both halves had
/// as many I/Os, but for one queue more or less.
fn both_halves_are_alike(own: &Own<'_>, asked: f64) -> bool {
    let (first, second) = own.intervals.split_at(own.intervals.len() / 2);
    let ios = |rows: &[IntervalRow]| -> f64 { rows.iter().map(|row| row.ios as f64).sum() };
    let (first, second) = (ios(first), ios(second));
    first > 0.0 && (first - second).abs() <= HALVES_APART_MAX * first + asked
}

/// I/Os that wait for a processor wait above the device, too.
fn waits_for_a_processor(own: &Own<'_>) -> bool {
    const BUSY_MIN: f64 = 0.80;
    let worker = |share: &crate::workers::WorkerShare| share.cpu.busy_share() >= Some(BUSY_MIN);
    own.workers.iter().any(worker) || io_wq_offload::workers_are_busy(own.record)
}

/// How far the cap that a person named is, where the figure is limited elsewhere: `; 23.3% below the cap of …`.
pub(super) fn distance_reported(known: &Known, held: Held, value: f64) -> String {
    let (cap, name) = match held {
        Held::Rate => (
            known.cap_per_s,
            known
                .cap_per_s
                .map(|cap| format!("{} IOPS", say::rate(cap))),
        ),
        Held::Bandwidth => (
            known.cap_bytes_per_s,
            known
                .cap_bytes_per_s
                .map(|cap| format!("{} MiB/s", say::mib_per_s(cap))),
        ),
    };
    match (cap, name) {
        (Some(cap), Some(name)) if (value / cap - 1.0).abs() > NEAR_NAMED => {
            format!("; {} the specified limit of {name}", distance(value, cap))
        }
        _ => String::new(),
    }
}

fn flat_and_wide(seen: &Seen<'_>, rate_cv: f64, latency_cv: f64) -> Cap {
    let total = &seen.observed.total;
    let shape = format!(
        "IOPS vary by {} while latencies vary by {}, as behind a QoS limit",
        say::percent(rate_cv),
        say::percent(latency_cv)
    );
    let mut evidence = vec![("rate_cv", rate_cv), ("latency_cv", latency_cv)];
    let Some(near) = near_here(seen, total.iops, total.bytes_per_s) else {
        return Cap {
            held: by_size(seen),
            why: shape,
            severity: Severity::Note,
            confidence: Confidence::Low,
            evidence,
        };
    };
    evidence.extend([
        ("cap", near.cap),
        ("distance_share", near.value / near.cap - 1.0),
    ]);
    Cap {
        held: near.held,
        why: format!("{shape}; {}", near.words()),
        severity: Severity::Warning,
        confidence: Confidence::Medium,
        evidence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::found;
    use crate::sample::Sample;
    use model::{BlockDevice, Nanos, Operation, RunRecord};

    /// 32 in flight for 10 s on devices of these kinds, from the top down, of which the last had each I/O for 100 µs only: what waits
    /// does so above it.
    fn stacked(kinds: &[&str], ios: u64) -> RunRecord {
        let sample = Sample {
            depth: 32,
            reads: ios,
            ..Sample::default()
        };
        let mut record = sample.build();
        let name = |place: usize| format!("{}{place}", kinds[place]);
        let device = |place: usize| BlockDevice {
            name: name(place),
            kind: kinds[place].to_owned(),
            file_direct: (kinds[place] == "loop").then_some(true),
            ..BlockDevice::default()
        };
        let places = || 0..kinds.len();
        record.targets[0].chain = places().map(device).collect();
        for window in [&mut record.window, &mut record.lifetime] {
            for counted in [&mut window.before, &mut window.after] {
                let one = counted.devices[0].clone();
                let named = |place| DeviceCounters {
                    name: name(place),
                    ..one.clone()
                };
                counted.devices = places().map(named).collect();
            }
            let last = window.after.devices.last_mut().unwrap();
            (last.read_time, last.busy) = (Nanos(100_000 * ios), Nanos(100_000 * ios));
        }
        record
    }

    const DEEP: [&str; 5] = ["loop", "dm", "loop", "partition", "disk"];

    #[test]
    fn a_limit_is_found_below_loop_devices_mappings_and_partitions() {
        for kinds in [&["disk"][..], &["dm", "disk"], &["loop", "disk"], &DEEP] {
            let record = stacked(kinds, 20_000);
            let reported = found(&record, "iops-limit").unwrap_or_else(|| panic!("{kinds:?}"));
            assert_eq!(reported.severity, Severity::Warning, "{kinds:?}");
            let figure = |name: &str| {
                let mut all = reported.evidence.iter();
                all.find(|one| one.name == name).unwrap().value
            };
            assert_eq!(figure("iops"), 2000.0);
            assert_eq!(figure("device_mean_ns"), 100_000.0);
            let above = format!("below partition{}", kinds.len().saturating_sub(2));
            let is_deep = kinds.len() == DEEP.len();
            assert_eq!(
                reported.sentence.contains(&above),
                is_deep,
                "{}",
                reported.sentence
            );
        }
    }

    #[test]
    fn what_holds_ios_itself_is_no_limit_above_the_device() {
        let is_limit = |record: &RunRecord| found(record, "iops-limit").is_some();
        for direct in [Some(false), None] {
            let mut record = stacked(&DEEP, 20_000);
            record.targets[0].chain[2].file_direct = direct;
            assert!(!is_limit(&record), "{direct:?}: its page cache is between");
        }
        for other in ["md", "bcache", "zram"] {
            assert!(
                !is_limit(&stacked(&["loop", other, "disk"], 20_000)),
                "{other}"
            );
        }
        assert!(
            !is_limit(&stacked(&DEEP, 60_000)),
            "a thread may be as slow"
        );
        assert!(
            is_limit(&stacked(&["disk"], 60_000)),
            "no thread is between"
        );
        let mut record = stacked(&DEEP, 20_000);
        record.window.after.devices[3].reads /= 3;
        assert!(!is_limit(&record), "two thirds went elsewhere");
        let mut record = stacked(&DEEP, 20_000);
        let last = record.window.after.devices.last_mut().unwrap();
        last.read_time = Nanos(16_000_000 * 20_000);
        assert!(!is_limit(&record), "the device had them all");
    }

    #[test]
    fn a_limit_for_reads_is_not_named_for_writes() {
        let known = Known {
            caps: vec![CloudCap {
                name: "a volume, reads".to_owned(),
                per_s: None,
                bytes_per_s: Some(400e6),
                direction: Some(Operation::Read),
                burst: true,
                network: false,
            }]
            .into(),
            ..Known::default()
        };
        let at = |write_share| {
            let of = NearTo {
                write_share,
                network: false,
            };
            near(&known, Some(1000.0), Some(401e6), of)
        };
        let words = at(Some(0.0)).unwrap().words();
        assert!(
            words.contains("published burst limit of a volume, reads"),
            "{words}"
        );
        for other in [Some(1.0), Some(0.5), None] {
            assert!(at(other).is_none(), "{other:?}");
        }
    }
}
