//! What the ranks of a job are judged by: a row for each, and how they differ. Omitted: where it comes from (`rows`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankRow {
    /// Its number.
    pub rank: u32,
    /// Name of its host.
    pub host: String,
    /// Its number in the session, where it is stored.
    #[serde(rename = "number")]
    pub run: Option<u32>,
    /// Why it has no result; none where it has one.
    pub missing: Option<String>,
    /// How its run ended: `complete`, `interrupted` or `failed`; none without a result.
    pub outcome: Option<String>,
    /// The verdict of its own report; none without a result.
    pub verdict: Option<String>,
    /// Its figures; none without a result.
    pub figures: Option<RankFigures>,
    /// Its clock; none without a result.
    pub clock: Option<RankClock>,
    /// Cores of its host.
    pub cores: u32,
    /// Cores that its process could use.
    pub usable_cores: u32,
    /// Threads that issued I/Os.
    pub threads: u32,
    /// Facts that it does not share with most others: `kernel: Linux 6.1`.
    pub differs_in: Vec<String>,
}

/// Figures of one rank, reads and writes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankFigures {
    /// I/Os that it completed.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// IOPS.
    pub iops: f64,
    /// Half of their 95% interval, as a share of them.
    pub half_width: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Median latency.
    pub latency_p50_ns: Option<u64>,
    /// 99th percentile.
    pub latency_p99_ns: Option<u64>,
    /// The largest.
    pub latency_max_ns: Option<u64>,
    /// Its IOPS as a share of the median of all ranks.
    pub of_median: Option<f64>,
    /// How far it is from the median in robust standard deviations; none below four ranks, and where all are equal.
    pub z: Option<f64>,
    /// Its longest pause; none where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<RankPause>,
}

/// A time in which a rank completed no I/O.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankPause {
    /// When it began: nanoseconds from the start of the measured phase, to one step of the time series.
    pub from_ns: u64,
    /// How long it was.
    pub length_ns: u64,
}

impl RankPause {
    /// Whether both have a moment in common.
    pub(crate) const fn overlaps(self, other: RankPause) -> bool {
        self.from_ns < other.from_ns.saturating_add(other.length_ns)
            && other.from_ns < self.from_ns.saturating_add(self.length_ns)
    }
}

/// The clock of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankClock {
    /// How long after the agreed moment it began, on its own clock.
    pub late_ns: u64,
    /// By how much the clock of rank 0 was ahead of its own before the run.
    pub offset_ns: Option<i64>,
    /// Error of that value, in either direction.
    pub uncertainty_ns: Option<u64>,
    /// By how much its wall clock was ahead of that of rank 0, with the time between their last preparations.
    pub wall_clock_ahead_ns: i64,
}

/// How far the starts and measured phases of all ranks agree, on the clock of rank 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct StartReport {
    /// From the first rank's start to the last one's.
    pub spread_ns: u64,
    /// It is within this, either way: the widest uncertainty of a clock.
    pub uncertainty_ns: u64,
    /// The part of the time in which any rank measured, in which all did. // in [0, 1]
    pub overlap: f64,
}

/// A fact of one rank that most ranks do not share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) rank: u32,
    pub(crate) fact: &'static str,
    pub(crate) value: String,
    /// What most have.
    pub(crate) usual: String,
}

/// All that a rule about hosts may use.
pub struct JobSeen<'a> {
    /// Each rank.
    pub hosts: &'a [RankRow],
    /// Machines that they are on: containers of one machine are one.
    pub(crate) machines: usize,
    /// Each rank while no other one measured; empty where that was not requested.
    pub(crate) alone: &'a [RankRow],
    /// Ranks on hosts that own the target.
    pub(crate) owners: &'a [u32],
    /// Facts in which hosts differ.
    pub(crate) differences: &'a [Difference],
    /// How far the starts agree.
    pub start: StartReport,
    /// Jain's index.
    pub fairness: Option<f64>,
    /// How long was measured, in nanoseconds.
    pub measured_ns: u64,
}

impl RankRow {
    /// Its IOPS, where it has a result.
    pub fn iops(&self) -> Option<f64> {
        self.figures.map(|figures| figures.iops)
    }

    /// Its longest pause.
    pub(crate) fn pause(&self) -> Option<RankPause> {
        self.figures?.pause
    }

    /// How far it is from the median.
    pub(crate) fn z(&self) -> Option<f64> {
        self.figures?.z
    }

    /// Its IOPS as a share of the median.
    pub(crate) fn of_median(&self) -> Option<f64> {
        self.figures?.of_median
    }
}

/// 1 / Φ⁻¹(3/4): the median of absolute deviations times this estimates a standard deviation. Source: Rousseeuw, Croux,
/// Alternatives to the median absolute deviation, JASA 88 (1993).
const MAD_SCALE: f64 = 1.4826;
/// With fewer ranks a median of deviations is meaningless.
const RANKS_MIN_FOR_Z: usize = 4;

/// Compares each rank with the median of all.
pub(crate) fn beside_median(rows: &mut [RankRow]) {
    let rates: Vec<f64> = rows.iter().filter_map(RankRow::iops).collect();
    let Some(middle) = median(rates.clone()) else {
        return;
    };
    let deviations = rates.iter().map(|rate| (rate - middle).abs()).collect();
    let scale = median(deviations).map(|mad| mad * MAD_SCALE);
    let scale = scale.filter(|scale| *scale > 0.0 && rates.len() >= RANKS_MIN_FOR_Z);
    for figures in rows.iter_mut().filter_map(|row| row.figures.as_mut()) {
        figures.of_median = (middle > 0.0).then(|| figures.iops / middle);
        figures.z = scale.map(|scale| (figures.iops - middle) / scale);
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (count, middle) = (values.len(), values.len() / 2);
    match count {
        0 => None,
        _ if count % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// Source: Jain, Chiu, Hawe, A quantitative measure of fairness, DEC-TR-301 (1984).
pub(crate) fn fairness(hosts: &[RankRow]) -> Option<f64> {
    let rates: Vec<f64> = hosts.iter().filter_map(RankRow::iops).collect();
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    (rates.len() > 1 && squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}
