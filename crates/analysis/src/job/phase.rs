//! Ranks that move an amount each, as IOR reports them: times of opening, I/O and closing, and the rates over all of it.
//!
//! Each of the three is that of the slowest task, and their sum is the total: they are apart, as with IOR's `-g`. The time of
//! I/O ends with fsync. Deliberately absent: rounding, which is the view's.

use model::record::WearOut;
use model::{Bytes, Nanos, Operation, RunRecord};

/// The figures of all ranks of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseFigures {
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
    /// What all tasks had moved when they met behind the deadline; none where they did not meet.
    pub met: Option<WearOut>,
}

/// The figures of the records of a phase: one, or one of each process.
pub fn job_phase(records: &[&RunRecord]) -> PhaseFigures {
    let lifetime = |thread: &model::ThreadRecord| {
        let of = Operation::ALL.map(|operation| thread.lifetime[operation.index()].bytes.0);
        of.iter().sum::<u64>()
    };
    let tasks = || {
        records
            .iter()
            .flat_map(|record| &record.threads)
            .map(lifetime)
    };
    let bytes: u64 = tasks().sum();
    let slowest = |of: fn(&model::WorkerRecord) -> Option<Nanos>| {
        let workers = records.iter().flat_map(|record| &record.engine.workers);
        workers.filter_map(of).max().map(Nanos::as_seconds)
    };
    let (open_s, close_s) = (slowest(|one| one.opened), slowest(|one| one.closed));
    let io_s = first_to_last(records).as_seconds();
    let total_s = open_s.unwrap_or(0.0) + io_s + close_s.unwrap_or(0.0);
    let totals: Vec<model::Tally> = records.iter().map(|record| record.total()).collect();
    let ios: u64 = totals.iter().map(|total| total.ios).sum();
    let waited = totals.iter().filter_map(|total| {
        let mean = total.latency.mean_ns()?;
        Some(mean * total.ios as f64)
    });
    let per_s = |count: u64, seconds: f64| match seconds > 0.0 {
        true => count as f64 / seconds,
        false => 0.0,
    };
    PhaseFigures {
        bytes,
        bytes_per_s: per_s(bytes, total_s),
        ios_per_s: per_s(ios, io_s),
        latency_s: waited.sum::<f64>() / ios.max(1) as f64 / 1e9,
        open_s,
        io_s,
        close_s,
        total_s,
        least_of_task: tasks().min().unwrap_or(0),
        met: met(records),
    }
}

/// What the tasks of all processes had moved when the last of them met the others.
fn met(records: &[&RunRecord]) -> Option<WearOut> {
    let each = records.iter().map(|record| record.engine.wear_out);
    let each: Vec<WearOut> = each.collect::<Option<_>>()?;
    each.into_iter().reduce(|one, other| WearOut {
        after: one.after.max(other.after),
        all: Bytes(one.all.0 + other.all.0),
        least: one.least.min(other.least),
        most: one.most.max(other.most),
    })
}

/// From the first start to the end of the last process. Each began a little after the agreed moment.
fn first_to_last(records: &[&RunRecord]) -> Nanos {
    let late = |record: &&RunRecord| {
        let rank = record.engine.rank();
        rank.map_or(Nanos(0), |rank| rank.late)
    };
    let ends = records
        .iter()
        .map(|record| late(record).plus(record.phases.drained));
    let begun = records.iter().map(late).min().unwrap_or(Nanos(0));
    ends.max().unwrap_or(begun).minus(begun)
}
