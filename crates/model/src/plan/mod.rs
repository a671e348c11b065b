//! What is asked (`Profile`) and what is run (`Plan`).
//!
//! Read in this order: `profile` (the request and its stretches of time), `target` (what is measured and
//! how it is opened), `workload` (what is done to it), `planned` (the checked form; only
//! [`crate::check()`] makes one). One `Plan` is one timespan on one machine and gives one `RunRecord`; a
//! profile with several timespans gives a list of both.

mod arrivals;
mod bounds;
mod core_order;
mod effective;
mod mixed;
mod placement;
pub(crate) mod planned;
mod profile;
mod simulated;
mod skew;
mod target;
mod unsealed;
mod verify;
mod workload;

pub use arrivals::{Arrivals, Spacing};
pub use bounds::{Bounds, StridedZones};
pub use core_order::{CoreOrder, CoreSet, EfficiencyOrder};
pub use effective::{Effective, EffectiveRange, Extent};
pub use mixed::{LINES_MAX, MixedAccess, MixedLine, RangePart, SHARE_MAX};
pub use placement::Placement;
pub use planned::{Plan, PlannedTarget};
pub use profile::{
    OnError, Phases, Polling, Pool, PoolDraw, Profile, Queueing, SubmitBatch, Timespan,
};
pub use simulated::{
    DataFault, DataFaults, FaultPlan, FlushLaw, KEYS as SIMULATED_KEYS, NEIGHBOUR_BLOCK, PowerCut,
    ServiceLaw, SimulatedDevice, SimulatedError, SimulatedFaults, SimulatedKey, SimulatedModel,
    UnevenFaults, Unit as SimulatedUnit,
};

pub use skew::Skew;
pub use target::{
    Active, Allocation, BeyondEnd, CacheMode, EngineChoice, Flush, Fsync, Hint, Location,
    NullBehaviour, Pacing, Priority, Stall, Target, WriteContent,
};
pub use unsealed::Unsealed;
pub use verify::{Verify, VerifyLevel};
pub use workload::{
    Access, DiskspdAccess, Distribution, Operation, PermutedAccess, QueueDepth, RecordedAccess,
    RecordedDependencies, RecordedIssue, RecordedOmissions, RecordedTiming, Sequence, StripeAccess,
    Workload,
};
