//! One execution of a plan, complete.

use super::counters::CounterWindow;
use super::heat::LatencyHeat;
use super::host::{HostRecord, TargetFacts};
use super::rank::{RankRecord, Ranks};
use super::series::Series;
use super::system_events::SystemEvents;
use super::tally::{Counted, Tally, ThreadRecord};
use super::verification::Verification;
use super::worker::{KernelWorkers, WorkerRecord};
use crate::plan::{Operation, Plan};
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One execution of a plan: what was run, on what, its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Wall clock at the start of the warm-up: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// What was run.
    pub plan: Plan,
    /// The machine before it.
    pub host: HostRecord,
    /// The plan's targets before it, in the plan's order.
    pub targets: Vec<TargetFacts>,
    /// I/O engine and clock.
    pub engine: EngineRecord,
    /// When the phases really began and ended.
    pub phases: PhaseTimes,
    /// Each thread on each of its targets, in order: thread by thread.
    pub threads: Vec<ThreadRecord>,
    /// The kernel's counters around the measured phase.
    pub window: CounterWindow,
    /// The kernel's counters from before the first I/O to after the last.
    pub lifetime: CounterWindow,
    /// Latencies and the machine's counters over time.
    #[serde(default)]
    pub series: Series,
    /// How it ended.
    pub outcome: Outcome,
}

/// I/O engine and clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineRecord {
    /// The backend that ran.
    pub backend: String,
    /// Kernel features that it used, by the kernel's names.
    pub features: Vec<String>,
    /// Notes: a fallback, a feature that the kernel refused.
    pub notes: Vec<String>,
    /// The measured phase ended before its planned time, because what was counted was enough for what was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_early: bool,
    /// Where stamps came from.
    pub clock: ClockRecord,
    /// Time and counts of each thread. Empty in records stored before these were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<WorkerRecord>,
    /// Kernel workers that were seen; none in records kept before this was separate from the notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_workers: Option<KernelWorkers>,
    /// What the threads had done when they met after a deadline; none where they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wear_out: Option<WearOut>,
    /// What happened to the process, its targets and the system meanwhile.
    #[serde(flatten)]
    pub disturbances: Disturbances,
    /// The random number in the headers of the blocks that the run wrote; none where it wrote none with headers, and in
    /// records from before this was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_run: Option<u64>,
    /// What the comparison of read data with written data found; none where none was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Which rank of a job it was, or all of them; none of a run alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Ranks>,
}

/// What the threads of a process had done when they met after a deadline, to go on to as much as the one that did most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WearOut {
    /// When the last of them came, on the run's clock.
    pub after: Nanos,
    /// All threads together.
    pub all: Bytes,
    /// The thread that did least.
    pub least: Bytes,
    /// The thread that did most.
    pub most: Bytes,
}

/// What happened to the process, its targets and the system during a run. Empty in records kept before each was observed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disturbances {
    /// When the system did not run this process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub process_stops: Vec<ProcessStop>,
    /// Targets, by their number in the plan, whose file was deleted or replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_targets: Vec<u32>,
    /// Targets whose file had fewer blocks at some time than at the start, where overwriting frees none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freed_targets: Vec<u32>,
    /// What the system reported of the targets' devices, paths and servers; none where it was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_events: Option<SystemEvents>,
    /// Other programs that used the most processor time or moved the most bytes; empty where little was used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<OtherProgram>,
}

/// What a program other than fathom used, from just before the first I/O to after the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherProgram {
    /// Number of the process.
    pub process: u32,
    /// Its name: `dd`.
    pub name: String,
    /// Processor time, in itself and in the kernel.
    pub cpu: Nanos,
    /// Read from devices; 0 where this process may not read it.
    pub read: Bytes,
    /// Sent to devices, or to be sent; 0 where this process may not read it.
    pub written: Bytes,
}

impl EngineRecord {
    /// Which rank of a job it was; none of a run alone, and of all ranks together.
    pub const fn rank(&self) -> Option<&RankRecord> {
        match &self.rank {
            Some(Ranks::One(rank)) => Some(rank),
            Some(Ranks::All(_)) | None => None,
        }
    }

    /// The same, to add what its job finds later.
    pub const fn rank_mut(&mut self) -> Option<&mut RankRecord> {
        match &mut self.rank {
            Some(Ranks::One(rank)) => Some(rank),
            Some(Ranks::All(_)) | None => None,
        }
    }

    /// How many ranks the record is of. // from 1
    pub fn ranks(&self) -> u32 {
        match &self.rank {
            Some(Ranks::All(ranks)) => u32::try_from(ranks.len()).unwrap_or(1).max(1),
            Some(Ranks::One(_)) | None => 1,
        }
    }
}

/// A time in which the system did not run this process: stopped by a signal, a debugger or a freezer, or paused with the
/// whole machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessStop {
    /// When it began, on the run's clock.
    pub from: Nanos,
    /// How long it was on the run's clock, which may not count a suspended machine.
    pub length: Nanos,
    /// How long of it the machine was suspended.
    pub suspended: Nanos,
}

/// Where stamps came from and how far they can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockRecord {
    /// `tsc`, `monotonic` or `fake`.
    pub source: String,
    /// What one reading costs, median of many.
    pub cost: Nanos,
    /// How far it had gone from the monotonic clock at the end of the run, either way; 0 for that clock itself.
    pub drift: Nanos,
}

/// When the phases really began and ended, on the run's clock: counted from the start of the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseTimes {
    /// Counting began.
    pub measured_from: Nanos,
    /// Counting ended: as planned, or when the run was stopped. // at least `measured_from`
    pub measured_to: Nanos,
    /// The last completion was found.
    pub drained: Nanos,
}

impl PhaseTimes {
    /// How long was counted: what every rate is divided by.
    pub const fn measured(&self) -> Nanos {
        self.measured_to.minus(self.measured_from)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As planned.
    Complete,
    /// Stopped from outside; what was counted until then is here.
    Interrupted,
    /// Ended by a failed I/O; what was counted until then is here.
    Failed(Failure),
}

/// What ended a run: a failed I/O, or a change of the target itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Its work.
    pub operation: Operation,
    /// To which of the plan's targets.
    pub target: u32,
    /// Where, from the start of the target.
    pub offset: Bytes,
    /// How long it was; 0 where it is the target that changed and not one I/O that failed.
    pub length: Bytes,
    /// What the kernel answered; 0 where it answered nothing.
    pub errno: i32,
    /// The same in words.
    pub message: String,
}

impl Failure {
    /// Whether another program changed the target, so that no single I/O is to blame.
    pub fn is_of_the_target(&self) -> bool {
        self.length.0 == 0
    }

    /// What failed and why, without the target's name.
    pub fn words(&self) -> String {
        if self.is_of_the_target() {
            return self.message.clone();
        }
        format!(
            "a {} of {} at byte {} failed: {}",
            self.operation.name(),
            self.length,
            self.offset.0,
            self.message
        )
    }
}

impl RunRecord {
    /// Latencies over time of one operation or of all, on one target or on all; `None` where none were kept, or where
    /// their rows differ.
    pub fn heat(&self, operation: Option<Operation>, target: Option<u32>) -> Option<LatencyHeat> {
        let wanted = |heat: &&LatencyHeat| {
            operation.is_none_or(|wanted| heat.operation == wanted)
                && target.is_none_or(|wanted| heat.target == wanted)
        };
        let mut parts = self.series.heat.iter().filter(wanted);
        let mut sum = parts.next()?.clone();
        parts.all(|part| sum.merge(part)).then_some(sum)
    }

    /// Whether what it read is not what was written.
    pub fn is_corrupt(&self) -> bool {
        let verification = self.engine.verification.as_ref();
        verification.is_some_and(|verification| verification.corrupt() > 0)
    }

    /// The measured counts of one operation over all threads, or over those of one target.
    pub fn tally(&self, operation: Operation, target: Option<u32>) -> Tally {
        let mut sum = Tally::default();
        for thread in self
            .threads
            .iter()
            .filter(|t| target.is_none_or(|wanted| t.target == wanted))
        {
            sum.merge(&thread.measured[operation.index()]);
        }
        sum
    }

    /// What of [`RunRecord::tally`] is only numbers, for a caller that needs neither its latencies nor its time series.
    pub fn counted(&self, operation: Operation, target: Option<u32>) -> Counted {
        let mut sum = Counted::default();
        for thread in &self.threads {
            if target.is_none_or(|wanted| thread.target == wanted) {
                let tally = &thread.measured[operation.index()];
                sum.ios = sum.ios.saturating_add(tally.ios);
                sum.bytes.0 = sum.bytes.0.saturating_add(tally.bytes.0);
                sum.errors = sum.errors.saturating_add(tally.errors_total());
            }
        }
        sum
    }

    /// The measured counts of all operations and threads together.
    pub fn total(&self) -> Tally {
        let mut sum = self.tally(Operation::Read, None);
        sum.merge(&self.tally(Operation::Write, None));
        sum
    }
}
