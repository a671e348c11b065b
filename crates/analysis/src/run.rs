//! The report of one run, assembled from its parts. Each part cites the source of its method.

use crate::checks::Checks;
use crate::cpu::CpuReport;
use crate::device_check::{DeviceCheck, device_checks};
use crate::estimates::{Series, WarmupCut, warmup_cut};
use crate::events::EventsReport;
use crate::facts::{EngineDigest, HostDigest, TargetDigest, WorkDigest};
use crate::findings::{Finding, Own, Seen, commit_of, findings};
use crate::goal_check::{GoalReport, judge};
use crate::in_flight::{InFlight, in_flight};
use crate::intervals::{IntervalRow, Steadiness, interval_rows, steadiness};
use crate::known::Known;
use crate::mixed::{LineRow, line_rows};
use crate::observed::Observed;
use crate::open_loop::{CallRow, OpenLoop, calls, open_loop};
use crate::rows::{OperationRow, Sums, operation_rows};
use crate::verdict::{SIMULATED, Verdict};
use crate::verification::VerificationReport;
use crate::workers::{WorkerShare, worker_shares};
use model::read_back::ReadBackDelay;
use model::{Nanos, Operation, Outcome, PlannedTarget, ResultRow, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Result of one run, and its reliability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "fathom run report")]
pub struct RunReport {
    /// Whether the result may be used, with the reasons.
    pub verdict: Verdict,
    /// How the run ended.
    pub outcome: OutcomeReport,
    /// When it ran and how long each part took.
    pub time: TimeReport,
    /// Reads, writes if requested or counted, and the total of all, in the measured time.
    pub operations: Vec<OperationRow>,
    /// Each target with its work, and with its own rows if there are several.
    pub targets: Vec<TargetReport>,
    /// Requested and achieved rate; none in a closed loop, where no rate was requested.
    pub open_loop: Option<OpenLoop>,
    /// Flushes and discards of a trace that were replayed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRow>,
    /// Number of I/Os in flight, as measured.
    pub in_flight: InFlight,
    /// The block layer's counts compared with the tool's; one entry per device.
    pub device_checks: Vec<DeviceCheck>,
    /// Load of the CPUs in the measured time.
    pub cpu: CpuReport,
    /// Time of the tool's own threads; empty for runs stored before this was counted.
    pub workers: Vec<WorkerShare>,
    /// Part of the measured time that was still warm-up.
    pub warmup_cut: WarmupCut,
    /// Whether the rate was in steady state.
    pub steadiness: Steadiness,
    /// The rate over time.
    pub intervals: Vec<IntervalRow>,
    /// Findings of the rules, by severity.
    pub findings: Vec<Finding>,
    /// Result of the verification; none if none was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationReport>,
    /// Events of the system from before the run to after it; none if it was not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventsReport>,
    /// Goals of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalReport>,
    /// The machine.
    pub host: HostDigest,
    /// I/O engine.
    pub engine: EngineDigest,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
}

impl RunReport {
    /// Returns the latency of a commit, where it is the answer and not that of the write.
    pub fn commit(&self) -> Option<String> {
        commit_of(&self.findings, self.total()?.latency.mean_ns)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeReport {
    /// In one word.
    pub kind: OutcomeKind,
    /// The I/O that ended it, where one did.
    pub failure: Option<FailureReport>,
}

/// How a run ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeKind {
    /// As planned.
    Complete,
    /// Stopped from outside.
    Interrupted,
    /// Ended by a failed I/O.
    Failed,
}

/// The I/O that ended a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureReport {
    /// Its work.
    pub operation: Operation,
    /// Path of its target.
    pub path: String,
    /// Where, in bytes from the start of the target.
    pub offset_bytes: u64,
    /// How many bytes it was to move.
    pub length_bytes: u64,
    /// The kernel's answer.
    pub errno: i32,
    /// The same in words.
    pub message: String,
}

/// When a run took place and how long its parts were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeReport {
    /// Wall clock at the start of the warm-up: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// Requested warm-up, in nanoseconds.
    pub warmup_ns: u64,
    /// Requested measured time, in nanoseconds.
    pub measured_requested_ns: u64,
    /// Length of the measured time, in nanoseconds; all rates are over it.
    pub measured_ns: u64,
    /// From the start of the warm-up to the last completion, in nanoseconds.
    pub drained_ns: u64,
    /// Length of one step of the time series, in nanoseconds.
    pub interval_ns: u64,
}

/// A target, its work, and its own rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetReport {
    /// What it is.
    pub facts: TargetDigest,
    /// What was done to it.
    pub work: WorkDigest,
    /// Its own rows; empty where it is the only target.
    pub operations: Vec<OperationRow>,
    /// The lines of a mixed workload; empty where all its I/Os are of one kind.
    pub lines: Vec<LineRow>,
}

/// Reads a record. Never fails: what a record does not contain is `None` or empty, and reported.
pub fn run_report(record: &RunRecord) -> RunReport {
    run_report_knowing(record, &Known::default())
}

/// The same, with the user's hints on the target.
pub fn run_report_knowing(record: &RunRecord, known: &Known) -> RunReport {
    Reading::of(record, known).report
}

/// A record that was read once, with all that a report of several needs of it.
pub(crate) struct Reading {
    pub(crate) report: RunReport,
    pub(crate) row: ResultRow,
    pub(crate) observed: Observed,
    pub(crate) sums: Sums,
}

impl Reading {
    pub(crate) fn of(record: &RunRecord, known: &Known) -> Reading {
        let sums = Sums::of(record, None);
        let row = ResultRow::of_record(record);
        let intervals = interval_rows(record, &sums.total);
        let observed = Observed::of_record(record, &row, &intervals).with_spread(&sums);
        Reading {
            report: report(record, known, &sums, &observed, intervals),
            row,
            observed,
            sums,
        }
    }
}

/// Why the steadiness of such a run is not known.
const READS_AGAIN: &str =
    "writes are read again after a time, which takes a share of the IOPS from then on";

/// Whether the run itself lowers its IOPS some time after its start.
pub(crate) fn reads_again_later(target: &PlannedTarget) -> bool {
    let after = target.verify.read_back.map(|one| one.after);
    matches!(after, Some(ReadBackDelay::Time(time)) if time > Nanos(0))
}

fn report(
    record: &RunRecord,
    known: &Known,
    sums: &Sums,
    observed: &Observed,
    intervals: Vec<IntervalRow>,
) -> RunReport {
    let total = &sums.total;
    let steadiness = match record.plan.targets.iter().any(reads_again_later) {
        true => Steadiness::unknown(READS_AGAIN),
        false => steadiness(&intervals, record.plan.interval),
    };
    let device_checks = device_checks(record);
    let cpu = CpuReport::of(&record.window);
    let in_flight = in_flight(record, total);
    let open_loop = open_loop(record, total);
    let workers = worker_shares(record);
    let own = Own {
        record,
        total,
        intervals: &intervals,
        steadiness: &steadiness,
        device_checks: &device_checks,
        cpu: &cpu,
        in_flight: &in_flight,
        open_loop: open_loop.as_ref(),
        workers: &workers,
    };
    let findings = findings(&Seen {
        observed,
        own: Some(&own),
        imported: None,
        known,
    });
    let checks = Checks::of_own(&own);
    RunReport {
        verdict: Verdict::from_findings(&findings, checks)
            .of_simulated(record.engine.backend == SIMULATED),
        outcome: OutcomeReport::of(record),
        time: TimeReport::of(record),
        operations: operation_rows(record, None, sums),
        targets: target_reports(record),
        open_loop,
        calls: calls(record),
        in_flight,
        device_checks,
        cpu,
        workers,
        warmup_cut: warmup_cut(&Series::of(record, total, None)),
        steadiness,
        intervals,
        findings,
        verification: record
            .engine
            .verification
            .as_ref()
            .map(VerificationReport::of),
        events: EventsReport::of(record),
        goals: goals(record, known),
        host: HostDigest::of(&record.host),
        engine: EngineDigest::of(&record.engine, record.plan.engine, record.plan.seed),
        tool_version: record.tool_version.clone(),
        command: record.command.clone(),
    }
}

fn goals(record: &RunRecord, known: &Known) -> Vec<GoalReport> {
    let row = || Some(ResultRow::of_record(record));
    match known.goals.is_empty() {
        true => Vec::new(),
        false => judge(known, &[(String::new(), row())]),
    }
}

fn target_reports(record: &RunRecord) -> Vec<TargetReport> {
    let several = record.plan.targets.len() > 1;
    (0u32..)
        .zip(record.targets.iter().zip(&record.plan.targets))
        .map(|(number, (facts, planned))| TargetReport {
            facts: TargetDigest::of(facts),
            work: WorkDigest::of(planned, record.plan.pool),
            operations: if several {
                operation_rows(record, Some(number), &Sums::of(record, Some(number)))
            } else {
                Vec::new()
            },
            lines: line_rows(record, number),
        })
        .collect()
}

impl OutcomeReport {
    pub(crate) fn of(record: &RunRecord) -> OutcomeReport {
        let (kind, failure) = match &record.outcome {
            Outcome::Complete => (OutcomeKind::Complete, None),
            Outcome::Interrupted => (OutcomeKind::Interrupted, None),
            Outcome::Failed(failure) => (OutcomeKind::Failed, Some(failure)),
        };
        let path = |target: u32| {
            let facts = record.targets.get(target as usize);
            facts.map_or_else(String::new, |facts| {
                facts.path.to_string_lossy().into_owned()
            })
        };
        OutcomeReport {
            kind,
            failure: failure.map(|failure| FailureReport {
                operation: failure.operation,
                path: path(failure.target),
                offset_bytes: failure.offset.0,
                length_bytes: failure.length.0,
                errno: failure.errno,
                message: failure.message.clone(),
            }),
        }
    }
}

impl TimeReport {
    fn of(record: &RunRecord) -> TimeReport {
        TimeReport {
            started_utc_ns: record.started_utc.0,
            warmup_ns: record.plan.phases.warmup.0,
            measured_requested_ns: record.plan.phases.measured.0,
            measured_ns: record.phases.measured().0,
            drained_ns: record.phases.drained.0,
            interval_ns: record.plan.interval.0,
        }
    }
}

impl RunReport {
    /// The row of all operations together.
    pub fn total(&self) -> Option<&OperationRow> {
        self.operations.last()
    }
}
