//! The types that all crates share: requests, plans, results.
//!
//! ```text
//!  text ─dialects─▶ Profile ─check─▶ Plan ─engine─▶ RunRecord ─analysis─▶ Report ─views─▶ bytes
//! ```
//!
//! Pure data and the arithmetic that belongs to it. Deliberately absent: input and output, clocks,
//! threads, `unsafe`, and any knowledge of an operating system or of another tool's flags.

pub mod block_header;
pub mod calendar;
pub mod check;
mod command_error;
pub mod fidelity;
pub mod imported_evidence;
pub mod journal;
pub mod plan;
pub mod read_back;
pub mod record;
mod text;
pub mod trace;
pub mod units;

pub use block_header::Flaw;
pub use check::{
    BLOCK_MAX, BLOCK_MIN, Consent, Field, Options, Problem, Problems, asks_if_empty, check,
    check_output, output_asks_if_empty, writes,
};
pub use command_error::{CommandError, ErrorKind};
pub use plan::{
    Access, Active, Allocation, Arrivals, BeyondEnd, Bounds, CacheMode, CoreOrder, CoreSet,
    DataFault, DataFaults, DiskspdAccess, Distribution, Effective, EffectiveRange, EfficiencyOrder,
    EngineChoice, Extent, FaultPlan, Flush, Fsync, Hint, LINES_MAX, Location, MixedAccess,
    MixedLine, NEIGHBOUR_BLOCK, NullBehaviour, OnError, Operation, Pacing, PermutedAccess, Phases,
    Placement, Plan, PlannedTarget, Polling, Pool, PoolDraw, Priority, Profile, QueueDepth,
    Queueing, RangePart, SHARE_MAX, SIMULATED_KEYS, Sequence, ServiceLaw, SimulatedDevice,
    SimulatedFaults, SimulatedKey, SimulatedModel, SimulatedUnit, Skew, Spacing, Stall,
    StridedZones, StripeAccess, SubmitBatch, Target, Timespan, Verify, VerifyLevel, Workload,
    WriteContent,
};
pub use record::verified;
pub use record::{
    Account, Backlog, BlockDevice, CachedPages, Claim, ClockOffset, ClockRecord, Content, CopyWork,
    CorruptBlock, CorruptKind, Counted, CounterWindow, Counters, CpuFacts, CpuSample, CpuTimes,
    DataSample, DeviceCounters, DeviceHealth, DirectIo, EngineRecord, ErrorCount, Extents, Failure,
    FileSystem, FilesOrder, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesThread,
    FilesWork, ForeignName, FoundHeader, HealthState, HeatRow, HistogramShare, HostRecord,
    ImportFormat, ImportedCore, ImportedCpu, ImportedFigures, ImportedLatency, ImportedOperation,
    ImportedRow, ImportedRun, ImportedWorkload, InjectedFault, Interval, IoLimit, JobLayout,
    KernelWorkers, KindCount, LatencyHeat, LatencyHistogram, LatencySpread, Layout, LifetimeCount,
    Limits, LineCount, MemoryLimit, Namespace, NoResult, Note, Origin, Outcome, PhaseTimes,
    ProcessCpu, ProcessStop, QuotaCounters, RankRecord, ResultRow, RowFigures, RowTimes, RowWork,
    RunRecord, RunResult, Sample, Series, SyncCount, Tally, TargetFacts, TargetKind, ThreadCpu,
    ThreadRecord, TreeStep, TreeWork, Verification, VerifyCounts, VerifyPass, Waiting,
    WatchLatency, WatchMoment, WatchRecord, WorkerRecord,
};
pub use text::{
    contains_ignoring_case, distinct, errno_text, invalid_value, is_visible, printable, shell_word,
    split_hint,
};
pub use units::{Bytes, Nanos, Ratio, UnitError};
