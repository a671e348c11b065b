//! What came of a run: counts, latencies, time series, and the machine they were taken on.
//!
//! Read in this order: `run` (one execution, whole), `tally` (what one thread did to one target),
//! `histogram` and `interval` (its latencies and its time series), `host` (facts before), `counters`
//! (what the kernel counted meanwhile), `imported` (what another tool printed of its own runs). Nothing here is
//! derived: rates and percentiles are `analysis`'s.

mod counters;
mod histogram;
mod host;
mod imported;
mod row;
mod row_of;
mod run;
mod tally;
mod worker;

pub use counters::{CounterWindow, Counters, CpuTimes, DeviceCounters};
pub use histogram::LatencyHistogram;
pub use host::{
    BlockDevice, Claim, Content, CpuFacts, DirectIo, FileSystem, HostRecord, Namespace,
    TargetFacts, TargetKind,
};
pub use imported::{
    HistogramShare, ImportFormat, ImportedCpu, ImportedFigures, ImportedLatency, ImportedOperation,
    ImportedRow, ImportedRun, ImportedWorkload,
};
pub use row::{Origin, ResultRow, RowFigures, RowTimes, RowWork};
pub use run::{ClockRecord, EngineRecord, Failure, Outcome, PhaseTimes, RunRecord};
pub use tally::{ErrorCount, Interval, LatencySpread, LifetimeCount, Tally, ThreadRecord};
pub use worker::{Account, Backlog, ThreadCpu, Waiting, WorkerRecord};
