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
    Access, CacheMode, EngineChoice, Location, NullBehaviour, OnError, Operation, Phases, Plan,
    PlannedTarget, Profile, QueueDepth, Target, Timespan, Workload,
};
pub use record::{
    BlockDevice, Claim, ClockRecord, Content, CounterWindow, Counters, CpuFacts, CpuTimes,
    DeviceCounters, DirectIo, EngineRecord, ErrorCount, Failure, FileSystem, HostRecord, Interval,
    LatencyHistogram, LifetimeCount, Outcome, PhaseTimes, RunRecord, Tally, TargetFacts,
    TargetKind, ThreadRecord,
};
pub use units::{Bytes, Nanos, Ratio, UnitError};
