//! What was checked of a result, and what could not be: VALID means that enough of it was.
//!
//! Six checks decide whether a figure can be what it claims to be. Those that were possible and passed are listed;
//! with fewer than three the result is not checked, however plausible it looks. Nor is a result of another tool of which none
//! shows that a device took part: a page cache keeps a queue full and steady, too. A check that fails is a finding.

use crate::comparison::Agreement;
use crate::findings::{Own, is_on_loop, shortness};
use crate::in_flight::InFlight;
use crate::observed::Observed;
use model::imported_evidence::ImportedFlush;
use model::{CacheMode, ImportedRun, RunRecord};

/// So many decide.
pub(crate) const DECISIVE_MIN: usize = 3;

const COUNTERS: &str = "device counters agree";
const EXTENTS: &str = "extents written";
const BYPASSED: &str = "cache bypassed";
const QUEUE: &str = "queue full";
const STEADY: &str = "steady";
const SAMPLES: &str = "enough samples";
/// All of them, with what a result of another tool needs for it.
const ALL: [(&str, &str); 6] = [
    (COUNTERS, "the device's counters (fio: disk_util)"),
    (EXTENTS, "a target that was written before"),
    (BYPASSED, "direct I/O, or a sync within the time"),
    (QUEUE, "IOPS, mean latency and queue depth"),
    (STEADY, "the IOPS of eight windows or more"),
    (SAMPLES, "1000 I/Os in 10 s or more"),
];

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checks {
    /// Possible, and passed.
    pub(crate) passed: Vec<String>,
    /// Not possible: what it would have needed.
    pub(crate) missing: Vec<String>,
    /// Whether nothing shows that a device took part.
    pub(crate) without_device: bool,
}

impl Checks {
    fn of(passed: &[(&str, bool)]) -> Checks {
        let has = |name: &str| passed.iter().any(|(one, good)| *one == name && *good);
        let (good, other): (Vec<_>, Vec<_>) = ALL.iter().partition(|(name, _)| has(name));
        Checks {
            passed: good.iter().map(|(name, _)| (*name).to_owned()).collect(),
            missing: other.iter().map(|(_, needs)| (*needs).to_owned()).collect(),
            without_device: false,
        }
    }

    pub(crate) fn are_enough(&self) -> bool {
        self.passed.len() >= DECISIVE_MIN && !self.without_device
    }

    /// Of a run of fathom.
    pub(crate) fn of_own(own: &Own<'_>) -> Checks {
        let record = own.record;
        let checks = own.device_checks;
        let agrees = checks
            .iter()
            .all(|check| check.agreement == Agreement::Agrees);
        let unbuffered = record
            .plan
            .targets
            .iter()
            .all(|target| target.cache == CacheMode::Unbuffered);
        let enough = shortness(own.total.ios, own.intervals.len(), 0.0).is_none();
        Checks::of(&[
            (COUNTERS, agrees && !checks.is_empty()),
            (EXTENTS, is_written(record)),
            (BYPASSED, unbuffered),
            (QUEUE, is_full(own.in_flight)),
            (STEADY, own.steadiness.steady == Some(true)),
            (SAMPLES, enough && own.total.ios > 0),
        ])
    }

    /// Of a run that another tool measured.
    pub(crate) fn of_imported(run: &ImportedRun, observed: &Observed) -> Checks {
        const FULL_MIN: f64 = 0.9;
        const CV_MAX: f64 = 0.1;
        let ios = observed.total.ios;
        let full = observed.in_flight().zip(observed.load.requested_in_flight);
        let windows = observed
            .windows
            .spread_per_s(crate::observed::RateWindows::MIN);
        let cv = windows.zip(observed.total.iops.filter(|rate| *rate > 0.0));
        let direct = run.workload.cache == Some(CacheMode::Unbuffered);
        let durable = run.workload.write_through == Some(true)
            || matches!(
                run.evidence.flush,
                Some(ImportedFlush::AtEnd | ImportedFlush::EveryWrites(1))
            );
        let writes = run.workload.write_percent == Some(model::Ratio::ALL);
        let counted = has_counters(run);
        let bypassed = (direct || (durable && writes)) && !is_on_loop(run);
        let checks = Checks::of(&[
            (COUNTERS, counted),
            (BYPASSED, bypassed),
            (
                QUEUE,
                full.is_some_and(|(mean, asked)| mean >= FULL_MIN * asked),
            ),
            (STEADY, cv.is_some_and(|(sd, rate)| sd / rate <= CV_MAX)),
            (
                SAMPLES,
                ios >= Some(1000) && observed.measured_ns >= Some(10e9),
            ),
        ]);
        Checks {
            without_device: !counted && !bypassed,
            ..checks
        }
    }
}

/// Where the devices that fio saw had fewer I/Os, `page-cache` reports it. A loop device counts what its file's cache
/// answers.
fn has_counters(run: &ImportedRun) -> bool {
    let most = run.evidence.disks.iter().map(|disk| disk.ios).max();
    let most = most.filter(|_| !is_on_loop(run));
    most.zip(run.figures.total.ios)
        .is_some_and(|(disk, ios)| disk as f64 >= 0.9 * ios as f64)
}

fn is_written(record: &RunRecord) -> bool {
    let written = |facts: &model::TargetFacts| {
        facts
            .layout
            .extents
            .is_some_and(|extents| extents.unwritten.0 == 0 && extents.holes.0 == 0)
    };
    !record.targets.is_empty() && record.targets.iter().all(written)
}

fn is_full(in_flight: &InFlight) -> bool {
    const FULL_MIN: f64 = 0.9;
    let edge = in_flight.edge_error.unwrap_or(0.0);
    in_flight
        .mean
        .is_some_and(|mean| mean + edge >= FULL_MIN * in_flight.requested as f64)
}
