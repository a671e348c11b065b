//! A phase as IOR reports it: times of opening, I/O and closing, and the rates over all of it.
//!
//! Each of the three is that of the slowest task, and their sum is the total: they are apart, as with IOR's `-g`. The time of
//! I/O ends with fsync. Deliberately absent: rounding, which is the view's.

use model::{Nanos, Operation, RunRecord};

/// The figures of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IorFigures {
    /// Moved, what came behind a deadline included.
    pub bytes: u64,
    /// Bytes per second over the total time.
    pub bytes_per_s: f64,
    /// Transfers per second over the time of I/O.
    pub ios_per_s: f64,
    /// Mean of all transfers; IOR has that of the first task.
    pub latency_s: f64,
    /// The slowest task's; none where it was not measured.
    pub open_s: Option<f64>,
    /// From the first transfer to the end of the last, or of fsync.
    pub io_s: f64,
    /// The slowest task's; none where it was not measured.
    pub close_s: Option<f64>,
    /// Of all three.
    pub total_s: f64,
    /// Moved by the task that moved least.
    pub least_of_task: u64,
}

/// The figures of a record.
pub fn ior_figures(record: &RunRecord) -> IorFigures {
    let lifetime = |thread: &model::ThreadRecord| {
        let of = Operation::ALL.map(|operation| thread.lifetime[operation.index()].bytes.0);
        of.iter().sum::<u64>()
    };
    let bytes: u64 = record.threads.iter().map(lifetime).sum();
    let slowest = |of: fn(&model::WorkerRecord) -> Option<Nanos>| {
        let each = record.engine.workers.iter().filter_map(of);
        each.max().map(Nanos::as_seconds)
    };
    let (open_s, close_s) = (slowest(|one| one.opened), slowest(|one| one.closed));
    let io_s = record.phases.drained.as_seconds();
    let total_s = open_s.unwrap_or(0.0) + io_s + close_s.unwrap_or(0.0);
    let total = record.total();
    let per_s = |count: u64, seconds: f64| match seconds > 0.0 {
        true => count as f64 / seconds,
        false => 0.0,
    };
    IorFigures {
        bytes,
        bytes_per_s: per_s(bytes, total_s),
        ios_per_s: per_s(total.ios, io_s),
        latency_s: total.latency.mean_ns().unwrap_or(0.0) / 1e9,
        open_s,
        io_s,
        close_s,
        total_s,
        least_of_task: record.threads.iter().map(lifetime).min().unwrap_or(0),
    }
}
