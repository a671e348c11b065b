//! How a rate that was asked was kept: what was reached, and what waited because nothing was free to take it.
//!
//! An I/O that is late is not omitted: it starts as soon as it can, and its response time contains the delay. What had
//! not started at the end of the measured phase has no response time yet; it is counted here. Deliberately absent: a
//! judgement, which is a finding's.

use crate::rows::per_second;
use model::trace::TraceOperation;
use model::{Access, LatencyHistogram, RunRecord, Spacing, Tally, Waiting, WorkerRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requested and achieved rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenLoop {
    /// IOPS that were to start, over all threads.
    pub target_iops: u64,
    /// How they were spaced.
    pub spacing: Spacing,
    /// IOPS that completed, failed ones included.
    pub iops: f64,
    /// I/Os that were to start before the measured phase and had not.
    pub backlog_before_ios: u64,
    /// The same at its end. Of random arrivals the number that is expected in the time that the oldest had waited.
    pub backlog_after_ios: u64,
    /// For how long the oldest of them had waited at the start, in nanoseconds.
    pub late_before_ns: u64,
    /// The same at the end.
    pub late_after_ns: u64,
    /// How late the I/Os of a trace were issued; none where no trace was replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<Lateness>,
}

/// From the times at which the I/Os of a trace were to start to their submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lateness {
    /// Half of them were at most this late.
    pub p50_ns: u64,
    /// 99%.
    pub p99_ns: u64,
    /// The latest.
    pub max_ns: u64,
    /// How often the trace was not read in time.
    pub reader_late: u64,
}

fn lateness(record: &RunRecord) -> Option<Lateness> {
    let each = || {
        record
            .engine
            .workers
            .iter()
            .filter_map(|worker| worker.recorded.as_ref())
    };
    let mut late = LatencyHistogram::new();
    each().for_each(|count| late.merge(&count.late));
    Some(Lateness {
        p50_ns: late.quantile(0.5)?.0,
        p99_ns: late.quantile(0.99)?.0,
        max_ns: late.max()?.0,
        reader_late: each().map(|count| count.reader_late).sum(),
    })
}

/// The flushes or discards of a trace that were replayed, in all phases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRow {
    /// What they did.
    pub operation: TraceOperation,
    /// Of the trace, if they are replayed. Discards beyond the last read or write are not replayed.
    pub planned: u64,
    /// Calls without an error.
    pub calls: u64,
    /// Calls with one.
    pub failed: u64,
    /// Half of them took at most so long.
    pub p50_ns: u64,
    /// 99%.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Flushes and discards of a trace that is replayed with them.
pub(crate) fn calls(record: &RunRecord) -> Vec<CallRow> {
    let planned = |operation| {
        let targets = record.plan.targets.iter();
        let of = targets.map(|target| match (&target.workload.access, operation) {
            (Access::Recorded(recorded), _) if recorded.ios == 0 => 0, // ended by the duration
            (Access::Recorded(recorded), TraceOperation::Flush) => recorded.issue.flushes,
            (Access::Recorded(recorded), TraceOperation::Discard) => recorded.issue.discards,
            _ => 0,
        });
        of.max().unwrap_or(0) // each target has the number of all
    };
    let each = || {
        let workers = record.engine.workers.iter();
        let counts = workers.filter_map(|worker| worker.recorded.as_ref());
        counts.flat_map(|count| &count.calls)
    };
    let row = |(_, operation): (&str, TraceOperation)| {
        let mut latency = LatencyHistogram::new();
        let mut failed = 0;
        for count in each().filter(|count| count.operation == operation) {
            latency.merge(&count.latency);
            failed += count.failed;
        }
        let quantile = |q| latency.quantile(q).unwrap_or_default().0;
        let planned = planned(operation).max(latency.count() + failed);
        (planned > 0).then(|| CallRow {
            operation,
            planned,
            calls: latency.count(),
            failed,
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            max_ns: latency.max().unwrap_or_default().0,
        })
    };
    TraceOperation::ALL.into_iter().filter_map(row).collect()
}

/// `None` where no rate was asked.
pub(crate) fn open_loop(record: &RunRecord, total: &Tally) -> Option<OpenLoop> {
    let arrivals = record.plan.arrivals?;
    let waiting = |of: fn(&WorkerRecord) -> Option<Waiting>| {
        let each = || record.engine.workers.iter().filter_map(of);
        let ios = each().map(|waiting| waiting.ios);
        (
            ios.fold(0, u64::saturating_add),
            each().map(|waiting| waiting.late.0).max().unwrap_or(0),
        )
    };
    let (backlog_before_ios, late_before_ns) = waiting(|worker| Some(worker.backlog?.from));
    let (backlog_after_ios, late_after_ns) = waiting(|worker| Some(worker.backlog?.to));
    let completed = total.ios.saturating_add(total.errors_total());
    Some(OpenLoop {
        target_iops: arrivals.per_s,
        spacing: arrivals.spacing,
        iops: per_second(completed as f64, record.phases.measured()),
        backlog_before_ios,
        backlog_after_ios,
        late_before_ns,
        late_after_ns,
        lateness: lateness(record),
    })
}
