//! What came of a run: counts, latencies, time series, and the machine they were taken on.
//!
//! Read in this order: `run` (one execution, whole), `tally` (what one thread did to one target),
//! `histogram` and `interval` (its latencies and its time series), `host` (facts before), `counters`
//! (what the kernel counted meanwhile). Nothing here is derived: rates and percentiles are `analysis`'s.

mod counters;
mod histogram;
mod host;
mod run;
mod tally;
mod worker;

pub use counters::{CounterWindow, Counters, CpuTimes, DeviceCounters};
pub use histogram::LatencyHistogram;
pub use host::{
    BlockDevice, Claim, Content, CpuFacts, DirectIo, FileSystem, HostRecord, Namespace,
    TargetFacts, TargetKind,
};
pub use run::{ClockRecord, EngineRecord, Failure, Outcome, PhaseTimes, RunRecord};
pub use tally::{ErrorCount, Interval, LatencySpread, LifetimeCount, Tally, ThreadRecord};
pub use worker::{Account, Backlog, ThreadCpu, Waiting, WorkerRecord};
