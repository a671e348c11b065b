//! The results of a run: counts, latencies, time series, and the machine they were taken on.
//!
//! Read in this order: `run` (one execution, whole), `tally` (what one thread did to one target),
//! `histogram` and `interval` (its latencies and its time series), `series` and `heat` (all threads over time), `host`
//! (facts before, with `layout` and `limits`), `counters` (what the kernel counted meanwhile), `system_events` (what the system reported meanwhile), `files` and `tree_step`
//! (work with files), `verified` (content that was read and checked), `watched` (a device under observation), `audited` (a program under observation), `imported` (what another tool printed of its own runs).
//! Nothing here is derived: rates and percentiles are `analysis`'s.

pub mod audited;
pub mod copied;
mod counters;
mod files;
mod heat;
mod histogram;
mod host;
mod imported;
mod joined;
mod layout;
mod limits;
pub mod mdtest;
mod rank;
mod result;
mod row;
mod row_of;
mod run;
mod series;
mod system;
mod system_events;
mod tally;
mod tree_step;
mod verification;
pub mod verified;
mod watched;
mod worker;

pub use copied::CopyWork;
pub use counters::{CounterWindow, Counters, CpuTimes, DeviceCounters, ProcessCpu, QuotaCounters};
pub use files::{
    FilesOrder, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesThread, FilesWork, TreeWork,
};
pub use heat::{HeatRow, LatencyHeat};
pub use histogram::LatencyHistogram;
pub use host::{
    BlockDevice, Claim, Content, CpuFacts, DeviceHealth, DirectIo, FileSystem, ForeignName,
    HealthState, HostRecord, Namespace, PathFacts, TargetFacts, TargetKind,
};
pub use imported::{
    HistogramShare, ImportFormat, ImportedCore, ImportedCpu, ImportedFigures, ImportedLatency,
    ImportedOperation, ImportedRow, ImportedRun, ImportedWorkload,
};
pub use layout::{CachedPages, DataSample, Extents, Layout};
pub use limits::{IoLimit, Limits, MemoryLimit};
pub use rank::{ClockOffset, JobLayout, RankRecord};
pub use result::{NoResult, RunResult};
pub use row::{Note, Origin, ResultRow, RowFigures, RowTimes, RowVerdict, RowWork};
pub use run::{
    ClockRecord, Disturbances, EngineRecord, Failure, OtherProgram, Outcome, PhaseTimes,
    ProcessStop, RunRecord, WearOut,
};
pub use series::{CpuSample, Sample, Series};
pub use system_events::{EventKind, EventSource, SystemEvent, SystemEvents};
pub use tally::{Counted, ErrorCount, Interval, LatencySpread, LifetimeCount, Tally, ThreadRecord};
pub use tree_step::TreeStep;
pub use verification::{
    CorruptBlock, CorruptKind, FoundHeader, InjectedFault, KindCount, Verification, VerifyCounts,
    VerifyPass,
};
pub use watched::{WatchLatency, WatchMoment, WatchRecord};
pub use worker::{
    Account, Backlog, CallCount, KernelWorkers, LineCount, RecordedCount, SyncCount, ThreadCpu,
    Waiting, WorkerRecord,
};
