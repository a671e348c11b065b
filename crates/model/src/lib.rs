//! The words of the house: what is asked, what is run, what came of it.
//!
//! ```text
//!  text ─dialects─▶ Profile ─check─▶ Plan ─engine─▶ RunRecord ─analysis─▶ Report ─views─▶ bytes
//! ```
//!
//! Pure data and the arithmetic that belongs to it. Deliberately absent: input and output, clocks,
//! threads, `unsafe`, and any knowledge of an operating system or of another tool's flags.

pub mod check;
pub mod plan;
pub mod record;
pub mod stamp;
pub mod units;

pub use check::{Consent, Problem, Problems, check};
pub use plan::{
    Access, Arrivals, BeyondEnd, CacheMode, DiskspdAccess, Distribution, Effective, EffectiveRange,
    EngineChoice, Extent, Flush, Hint, Location, NullBehaviour, OnError, Operation, Pacing, Phases,
    Placement, Plan, PlannedTarget, Polling, Pool, PoolDraw, Priority, Profile, QueueDepth,
    Sequence, Spacing, Stall, StripeAccess, Target, Timespan, Workload, WriteContent,
};
pub use record::{
    Account, Backlog, BlockDevice, Claim, ClockRecord, Content, CounterWindow, Counters, CpuFacts,
    CpuTimes, DeviceCounters, DirectIo, EngineRecord, ErrorCount, Failure, FileSystem,
    HistogramShare, HostRecord, ImportFormat, ImportedCpu, ImportedFigures, ImportedLatency,
    ImportedOperation, ImportedRow, ImportedRun, ImportedWorkload, Interval, LatencyHistogram,
    LatencySpread, LifetimeCount, Namespace, Origin, Outcome, PhaseTimes, ResultRow, RowFigures,
    RowTimes, RowWork, RunRecord, Tally, TargetFacts, TargetKind, ThreadCpu, ThreadRecord, Waiting,
    WorkerRecord,
};
pub use units::{Bytes, Nanos, Ratio, UnitError};
