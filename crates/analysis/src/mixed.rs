//! What each line of a mixed workload did: the sizes and mixes of one target apart.
//!
//! Omitted: percentiles by line, which the record does not contain; it has sums and the longest.

use crate::rows::per_second;
use model::{Access, LineCount, Operation, Ratio, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Request of a mix component, and its figures in the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineRow {
    /// Bytes of one I/O.
    pub block_bytes: u64,
    /// Share of all I/Os that it was to give, in percent.
    pub requested_percent: f64,
    /// Share of its I/Os that are writes, as requested.
    pub write_percent: u8,
    /// Share of its I/Os that are random, as requested.
    pub random_percent: u8,
    /// What its offsets are multiples of.
    pub align_bytes: u64,
    /// I/Os of one burst.
    pub burst: u32,
    /// Pause after each burst.
    pub pause_ns: u64,
    /// Where its random I/Os are, from and to so many percent of the range; none for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_percent: Option<[u8; 2]>,
    /// Its figures, reads and writes separately; only the requested ones.
    pub operations: Vec<LineOperation>,
}

/// Figures of one mix component for one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineOperation {
    /// `read` or `write`.
    pub operation: String,
    /// I/Os completed without error.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// IOPS of measured time.
    pub iops: f64,
    /// Bytes a second of measured time.
    pub bytes_per_s: f64,
    /// Mean latency; none without I/Os.
    pub latency_mean_ns: Option<f64>,
    /// Longest latency; none without I/Os.
    pub latency_max_ns: Option<u64>,
}

/// The lines of a target in their order; none where its workload is of one kind.
pub(crate) fn line_rows(record: &RunRecord, target: u32) -> Vec<LineRow> {
    let Some(planned) = record.plan.targets.get(target as usize) else {
        return Vec::new();
    };
    let Access::Mixed(mixed) = &planned.workload.access else {
        return Vec::new();
    };
    (0u32..)
        .zip(&mixed.lines)
        .map(|(number, line)| {
            let write = line.write.as_percent();
            let asked = |operation: &Operation| match operation {
                Operation::Read => write < 100,
                Operation::Write => write > 0,
            };
            let workers = record
                .engine
                .workers
                .iter()
                .flat_map(|worker| &worker.lines);
            let counts: Vec<&LineCount> = workers
                .filter(|count| count.target == target && count.line == number)
                .collect();
            let operations = Operation::ALL.into_iter().filter(asked);
            LineRow {
                block_bytes: line.block.0,
                requested_percent: mixed.part_of(line) * 100.0,
                write_percent: write,
                random_percent: line.random.as_percent(),
                align_bytes: line.align.0,
                burst: line.burst,
                pause_ns: line.pause.0,
                range_percent: (!line.part.is_whole())
                    .then(|| [line.part.from, line.part.to].map(Ratio::as_percent)),
                operations: operations.map(|one| done(record, &counts, one)).collect(),
            }
        })
        .collect()
}

fn done(record: &RunRecord, counts: &[&LineCount], operation: Operation) -> LineOperation {
    let which = operation.index();
    let measured = record.phases.measured();
    let sum = |of: fn(&LineCount, usize) -> u64| {
        let parts = counts.iter().map(|count| of(count, which));
        parts.fold(0u64, u64::saturating_add)
    };
    let ios = sum(|count, which| count.ios[which]);
    let bytes = sum(|count, which| count.bytes[which].0);
    let latency = sum(|count, which| count.latency_sum[which].0);
    let longest = counts.iter().map(|count| count.latency_max[which].0).max();
    LineOperation {
        operation: operation.name().to_owned(),
        ios,
        bytes,
        iops: per_second(ios as f64, measured),
        bytes_per_s: per_second(bytes as f64, measured),
        latency_mean_ns: (ios > 0).then(|| latency as f64 / ios as f64),
        latency_max_ns: longest.filter(|_| ios > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use model::{Bytes, MixedLine, Nanos, QueueDepth, Ratio, WorkerRecord, Workload};

    #[test]
    fn the_counts_of_all_threads_add_up_by_line() {
        let mut record = Sample {
            measured: Nanos::seconds(2),
            ..Sample::default()
        }
        .build();
        let large = MixedLine {
            share: 3,
            write: Ratio::ALL,
            ..MixedLine::new(Bytes::kib(64))
        };
        record.plan.targets[0].workload =
            Workload::mixed(vec![MixedLine::new(Bytes::kib(4)), large], QueueDepth(1));
        let count = |line, ios: [u64; 2]| LineCount {
            line,
            ios,
            bytes: ios.map(|ios| Bytes(ios * 4096)),
            latency_sum: ios.map(|ios| Nanos(ios * 1000)),
            latency_max: ios.map(|ios| Nanos(ios * 10)),
            target: 0,
        };
        let worker = |thread| WorkerRecord {
            thread,
            lines: vec![count(0, [10, 0]), count(1, [0, 30])],
            ..WorkerRecord::default()
        };
        record.engine.workers = vec![worker(0), worker(1)];
        let rows = line_rows(&record, 0);
        let reported: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    row.requested_percent,
                    row.operations.len(),
                    row.operations[0].clone(),
                )
            })
            .collect();
        let done = |operation: &str, ios: u64| LineOperation {
            operation: operation.to_owned(),
            ios,
            bytes: ios * 4096,
            iops: ios as f64 / 2.0,
            bytes_per_s: ios as f64 * 2048.0,
            latency_mean_ns: Some(1000.0),
            latency_max_ns: Some(ios * 5),
        };
        assert_eq!(
            reported,
            [(25.0, 1, done("read", 20)), (75.0, 1, done("write", 60))]
        );
    }
}
