//! One row of the result table: what an operation did, in all and per second.
//!
//! Rates are over the time that was really measured, never over the time that was asked.

use crate::estimate::Estimate;
use crate::estimates::Series;
use crate::latency::Latency;
use model::{HostRecord, Nanos, Operation, RunRecord, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of one operation, or of all together, in the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationRow {
    /// `read`, `write` or `total`.
    pub operation: String,
    /// I/Os completed without error.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// I/Os of these that transferred fewer bytes than requested.
    pub short_ios: u64,
    /// IOPS of measured time.
    pub iops: f64,
    /// The same with its 95% interval.
    pub iops_estimate: Estimate,
    /// Bytes a second of measured time.
    pub bytes_per_s: f64,
    /// The same with its 95% interval.
    pub bytes_per_s_estimate: Estimate,
    /// Response time of each, from its scheduled start; only if a rate was requested. With a rate this is what a user
    /// of the target experiences.
    pub response: Option<Latency>,
    /// How long each took from the moment at which it was submitted: the service time.
    pub latency: Latency,
    /// Failures, by errno; not part of the I/Os above.
    pub errors: Vec<ErrorRow>,
}

/// How often one error came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRow {
    /// As the kernel of the machine that ran it numbers it.
    pub errno: i32,
    /// The same in words.
    pub message: String,
    /// How often.
    pub count: u64,
}

impl OperationRow {
    fn of(operation: &str, host: &HostRecord, series: &Series<'_>) -> OperationRow {
        let tally = series.tally;
        let (rate, bytes_per_s_estimate) = (series.rate(), series.bytes_per_s_estimate());
        OperationRow {
            operation: operation.to_owned(),
            ios: tally.ios,
            bytes: tally.bytes.0,
            short_ios: tally.short_ios,
            iops: rate.value,
            iops_estimate: rate,
            bytes_per_s: bytes_per_s_estimate.value,
            bytes_per_s_estimate,
            response: tally.response.as_ref().map(Latency::of_responses),
            latency: Latency::of_series(series),
            errors: tally
                .errors
                .iter()
                .map(|error| ErrorRow {
                    errno: error.errno,
                    message: host.error_message(error.errno),
                    count: error.count,
                })
                .collect(),
        }
    }
}

/// `amount` over a time; 0 over no time at all, because nothing was measured then.
pub(crate) fn per_second(amount: f64, time: Nanos) -> f64 {
    time.rate_of(amount)
}

/// Part of a whole; `None` where there is no whole.
pub(crate) fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// What the threads of a run counted together: added up once, because that is most of the work of a report.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    /// By `Operation::index`.
    pub(crate) each: [Tally; Operation::ALL.len()],
    pub(crate) total: Tally,
}

impl Sums {
    /// Of one target or of the whole run.
    pub(crate) fn of(record: &RunRecord, target: Option<u32>) -> Sums {
        let each = Operation::ALL.map(|operation| record.tally(operation, target));
        let [reads, writes] = &each;
        let mut total = reads.clone();
        total.merge(writes);
        Sums { each, total }
    }
}

/// Rows of the operations that were asked or seen, the sum of all last; of one target or of the whole run, as the sums are.
pub(crate) fn operation_rows(
    record: &RunRecord,
    target: Option<u32>,
    sums: &Sums,
) -> Vec<OperationRow> {
    let mut rows = Vec::new();
    for operation in Operation::ALL {
        let tally = &sums.each[operation.index()];
        if asked(record, target, operation) || tally.ios > 0 || tally.errors_total() > 0 {
            let heat = record.heat(Some(operation), target);
            let series = Series::of(record, tally, heat.as_ref());
            rows.push(OperationRow::of(operation.name(), &record.host, &series));
        }
    }
    let heat = record.heat(None, target);
    let series = Series::of(record, &sums.total, heat.as_ref());
    rows.push(OperationRow::of("total", &record.host, &series));
    rows
}

fn asked(record: &RunRecord, target: Option<u32>, operation: Operation) -> bool {
    let numbered = (0u32..).zip(&record.plan.targets);
    numbered
        .filter(|(number, _)| target.is_none_or(|wanted| wanted == *number))
        .any(|(_, planned)| match operation {
            Operation::Read => planned.workload.write.as_percent() < 100,
            Operation::Write => planned.workload.write.as_percent() > 0,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn rates_are_over_the_time_that_was_measured_not_the_time_that_was_asked() {
        let record = Sample {
            measured: Nanos::seconds(2),
            planned: Nanos::seconds(60),
            reads: 3000,
            ..Sample::default()
        }
        .build();
        let rows = operation_rows(&record, None, &Sums::of(&record, None));
        assert_eq!(rows.len(), 2, "a read-only run has no row for writes");
        assert_eq!((rows[0].iops, rows[1].ios), (1500.0, 3000));
        assert_eq!(rows[0].bytes_per_s, 1500.0 * 4096.0);
    }
}
