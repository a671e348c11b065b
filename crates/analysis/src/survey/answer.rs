//! The answer of a survey: what small random and large sequential I/O reach, and how long one I/O alone takes.
//!
//! Only rows that may be used are part of it. Deliberately absent: why a row may not be used, which is the verdict's.

use super::visits::Runs;
use super::{CellReport, SurveyRow};
use crate::facts::WorkDigest;
use crate::say;
use crate::verdict::Validity;
use model::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The knee represents the peak where it needs at most this share of the I/Os in flight.
const WELL_BELOW: u64 = 2;
/// Workloads that represent a survey without pure reads or writes.
const OTHERS_MAX: usize = 2;

/// One kind of access: its block size and order, with the figures of its reads and writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyAnswer {
    /// `4 KiB random`, or the name of the workload.
    pub name: String,
    /// Whether bytes per second are its figure, as against I/Os per second.
    pub in_bytes: bool,
    /// Reads, then writes.
    pub sides: Vec<SurveyAnswerSide>,
}

/// Figures of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyAnswerSide {
    /// `read`, `write`, or empty for a mix.
    pub operation: String,
    /// Its workload.
    pub workload: String,
    /// I/Os in flight over all threads: the lowest with 95% of the peak where that is half of the peak's or less, else
    /// the peak's.
    #[serde(rename = "total_queue_depth")]
    pub queue_depth: u64,
    /// I/Os per second there.
    pub iops: f64,
    /// Bytes per second there.
    pub bytes_per_s: f64,
    /// Median latency at queue depth 1, in nanoseconds; none where it was not measured.
    pub qd1_latency_p50_ns: Option<u64>,
}

impl SurveyAnswer {
    /// Writes the figure of one side: `70.1k IOPS`.
    pub fn figure(&self, side: &SurveyAnswerSide) -> String {
        match self.in_bytes {
            true => format!("{} MiB/s", say::mib_per_s(side.bytes_per_s)),
            false => format!("{} IOPS", say::rate(side.iops)),
        }
    }

    fn sentence(&self) -> String {
        let sides = self
            .sides
            .iter()
            .map(|side| format!("{} {}", side.operation, self.figure(side)));
        let sides: Vec<String> = sides.map(|side| side.trim_start().to_owned()).collect();
        format!("{} {}", self.name, sides.join(", "))
    }
}

type Usable<'a> = (&'a SurveyRow, &'a WorkDigest);

/// Chooses the smallest random and the largest sequential block; where there are no pure reads or writes, the first
/// workloads. `works` has the work of each row, in the order of the rows; none for a row without cells.
pub(super) fn answers(
    rows: &[SurveyRow],
    works: &[Option<&WorkDigest>],
    runs: Runs<'_>,
) -> Vec<SurveyAnswer> {
    let usable: Vec<Usable<'_>> = rows
        .iter()
        .zip(works)
        .filter(|(row, _)| row.validity != Validity::Invalid && row.best.is_some())
        .filter_map(|(row, work)| Some((row, (*work)?)))
        .collect();
    let of = |access: &Access| {
        let pure = |work: &WorkDigest| matches!(work.write_percent, 0 | 100);
        let mine = usable
            .iter()
            .filter(|(_, work)| work.access == *access && pure(work));
        mine.copied().collect::<Vec<Usable<'_>>>()
    };
    let (random, sequential) = (of(&Access::Random), of(&Access::Sequential));
    let block = |(_, work): &Usable<'_>| work.block_bytes;
    let smallest = random.iter().map(block).min();
    let largest = sequential.iter().map(block).max();
    let small = smallest.map(|bytes| pair("random", false, &random, bytes, runs));
    let large = largest.map(|bytes| pair("sequential", true, &sequential, bytes, runs));
    let answers: Vec<SurveyAnswer> = small.into_iter().chain(large).collect();
    if !answers.is_empty() {
        return answers;
    }
    let others = usable.iter().take(OTHERS_MAX);
    let others = others.map(|(row, work)| SurveyAnswer {
        name: row.workload.clone(),
        in_bytes: work.access == Access::Sequential,
        sides: side(row, work, runs).into_iter().collect(),
    });
    others.collect()
}

/// Returns the answer in one line; none where no row may be used.
pub(super) fn sentence(answers: &[SurveyAnswer]) -> Option<String> {
    let parts: Vec<String> = answers.iter().map(SurveyAnswer::sentence).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn pair(
    order: &str,
    in_bytes: bool,
    usable: &[Usable<'_>],
    block_bytes: u64,
    runs: Runs<'_>,
) -> SurveyAnswer {
    let of = |write_percent| {
        let mut mine = usable.iter().filter(move |(_, work)| {
            work.block_bytes == block_bytes && work.write_percent == write_percent
        });
        mine.next()
    };
    let sides = [0, 100].into_iter().filter_map(of);
    SurveyAnswer {
        name: format!("{} {order}", say::bytes(block_bytes)),
        in_bytes,
        sides: sides
            .filter_map(|(row, work)| side(row, work, runs))
            .collect(),
    }
}

/// The load that represents a workload: the honest operating point instead of the most flattering one.
fn side(row: &SurveyRow, work: &WorkDigest, runs: Runs<'_>) -> Option<SurveyAnswerSide> {
    let best = row.best.as_ref()?;
    let is_knee = |load: &&CellReport| {
        row.knee_depth == Some(load.load.queue_depth)
            && load.load.queue_depth.saturating_mul(WELL_BELOW) <= best.load.queue_depth
    };
    let loads = runs.loads(&row.workload);
    let at_knee = loads.into_iter().filter(is_knee);
    let load = at_knee
        .max_by(|a, b| a.throughput.iops.total_cmp(&b.throughput.iops))
        .unwrap_or(best);
    let operation = match work.write_percent {
        0 => "read",
        100 => "write",
        _ => "",
    };
    Some(SurveyAnswerSide {
        operation: operation.to_owned(),
        workload: row.workload.clone(),
        queue_depth: load.load.queue_depth,
        iops: load.throughput.iops,
        bytes_per_s: load.throughput.bytes_per_s,
        qd1_latency_p50_ns: row.qd1_latency_p50_ns,
    })
}
