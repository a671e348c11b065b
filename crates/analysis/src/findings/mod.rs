//! What the rules found: one rule is one file here and one row in [`FINDINGS`].
//!
//! A rule checks what is already derived and reports one thing: a sentence, the numbers behind it, and what
//! to do. It keeps silent rather than guess: every threshold stands in its file with the reason. A rule's test cases
//! belong to it, the quiet ones too.
//!
//! To add one: a file `NAME.rs` with a `pub(super) const RULE: Rule` with its meaning, its method,
//! its source, and what to do (the pages of docs/findings are generated from these: `UPDATE_EXPECT=1 cargo test -p views --test it findings`);
//! its `look`; its tests; then `mod NAME;` and `NAME::RULE` in the table, in the order of consequence. `Look::Own` is
//! for rules that need fathom's own record (its device counters, time series, threads); `Look::Any` is for rules
//! that read [`Observed`], which own and imported runs both have, and may read either in addition; `Look::Several` and
//! `Look::Both` for what several runs of a session show together. Findings of one
//! [`Cause`] do not repeat each other: the strongest of them is reported. A rule without competitors has
//! `Cause::Alone`. Build with [`finding`]; `.sure(Confidence::Medium)` and `.invalid_for("a disk result")` add to it.

mod address_overlap;
mod answered_from_memory;
mod audit;
mod bandwidth_limit;
mod bound_cores;
mod cgroup_cpu_limit;
mod cgroup_io_limit;
mod clock_drift;
mod clock_offset;
mod commit_latency;
mod common_pause;
mod compressible_data;
mod coordinated_omission;
mod corrupt_data;
mod cpu_bound;
mod cpu_stats_incomplete;
mod cpu_steal;
mod device_cache;
mod device_port;
mod differing_files;
mod equal_sides;
mod event_in_window;
mod explains;
mod failover;
mod fathom_cpu_bound;
mod filesystem_overhead;
mod fragmented_file;
mod fuse_server;
mod governor;
mod groups;
mod host_configuration_differs;
mod host_lost;
#[cfg(test)]
mod hostile;
mod id;
mod idle_class;
mod impossible_for_medium;
mod inconsistent_figures;
mod interrupted;
mod interrupted_writes;
mod interrupts_elsewhere;
mod io_errors;
mod io_timeout;
mod io_wq_offload;
mod iops_limit;
mod journal_bound;
mod latency_groups;
mod latency_resolution;
mod loop_page_cache;
mod low_verify_coverage;
mod misaligned;
mod mount_options;
mod no_device;
mod no_figures;
mod no_io;
mod noisy_neighbour;
mod not_repeatable;
mod not_steady;
mod one_at_a_time;
mod overload;
mod owner_node;
mod page_cache;
mod paths;
mod process_stopped;
mod pts;
mod qos_limit;
mod qos_shape;
mod queue_depth_ignored;
mod queue_not_full;
mod queued_in_kernel;
mod replay_late;
mod requested_rate;
mod requests_merged;
mod requests_split;
mod same_place;
mod saturated;
mod scheduler;
mod short_io;
mod short_run;
mod single_spindle;
mod slow_reads;
mod slow_tail;
mod source_bound;
mod stall;
mod stall_latency;
mod start_spread;
mod storage_stack;
mod straggler;
mod synchronous_submission;
mod target_changed;
mod tell;
#[cfg(test)]
pub(crate) mod test;
mod thread_imbalance;
mod throughput_drift;
mod throughput_drop;
mod tool_warning;
mod two_speeds;
mod uncounted_storage;
mod undersampled_tail;
mod uneven_disks;
mod uneven_hosts;
mod unwritten_extents;
mod verified;
mod working_set_fits_cache;
mod write_cache;
mod write_penalty;
mod zero_data;

use crate::LimitKind;
use crate::audit::scope::AuditSeen;
use crate::cpu::CpuReport;
use crate::device_check::DeviceCheck;
use crate::estimate::Estimate;
use crate::in_flight::InFlight;
use crate::intervals::{IntervalRow, Steadiness};
use crate::job::seen::JobSeen;
use crate::known::Known;
use crate::observed::Observed;
use crate::open_loop::OpenLoop;
use crate::workers::WorkerShare;
use model::{FilesRecord, ImportedRun, RunRecord, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use corrupt_data::case_text;
pub(crate) use corrupt_data::in_content;
pub use id::RuleId;
pub(crate) use interrupted_writes::of_blocks as interrupted_writes;
pub(crate) use loop_page_cache::is_on_loop;
pub(crate) use not_repeatable::not_repeatable;
pub(crate) use short_run::shortness;
pub use tell::session_findings;
pub(crate) use tell::{audit_findings, files_findings, findings, job_findings, pts_findings};

/// Rules that are compared with outside of this folder.
pub(crate) const BANDWIDTH_LIMIT: RuleId = bandwidth_limit::RULE.id;
pub(crate) const CPU_BOUND: RuleId = cpu_bound::RULE.id;
pub(crate) const NOT_REPEATABLE: RuleId = not_repeatable::RULE.id;
/// What a cache above the device served.
pub const PAGE_CACHE: RuleId = page_cache::RULE.id;
pub(crate) const NOISY_NEIGHBOUR: RuleId = noisy_neighbour::RULE.id;
pub(crate) const IOPS_LIMIT: RuleId = iops_limit::RULE.id;
pub(crate) use commit_latency::{commit_answer, commit_of};
pub(crate) const STALL: RuleId = stall::RULE.id;
pub(crate) const FAILOVER: RuleId = failover::RULE.id;
pub(crate) const SHORT_RUN: RuleId = short_run::RULE.id;
/// The rule that a latency is that of a commit.
pub(crate) const COMMIT_LATENCY: RuleId = commit_latency::RULE.id;
pub(crate) const FATHOM_CPU_BOUND: RuleId = fathom_cpu_bound::RULE.id;

/// Every rule, the most important first; among findings of one severity this is the order of the report.
pub const FINDINGS: &[Rule] = &[
    corrupt_data::LOST,
    corrupt_data::STALE_READ,
    corrupt_data::TORN,
    corrupt_data::MISDIRECTED,
    corrupt_data::DUPLICATED,
    corrupt_data::ALIASED,
    corrupt_data::BIT_ROT,
    corrupt_data::ZEROED,
    corrupt_data::SHIFTED,
    corrupt_data::FOREIGN,
    corrupt_data::FUTURE,
    corrupt_data::UNREADABLE,
    corrupt_data::NOT_DURABLE,
    host_lost::RULE,
    target_changed::RULE,
    io_errors::RULE,
    short_io::RULE,
    io_timeout::RULE,
    no_io::RULE,
    no_figures::RULE,
    no_device::RULE,
    answered_from_memory::RULE,
    audit::NOT_ON_DEVICE,
    audit::MERGED,
    audit::NOT_WRITTEN,
    tool_warning::RULE,
    overload::RULE,
    requested_rate::RULE,
    replay_late::RULE,
    address_overlap::RULE,
    pts::SCALED,
    pts::NOT_STEADY,
    pts::DEMANDS,
    cgroup_io_limit::RULE,
    fuse_server::RULE,
    idle_class::RULE,
    iops_limit::RULE,
    bandwidth_limit::RULE,
    unwritten_extents::RULE,
    loop_page_cache::RULE,
    uncounted_storage::RULE,
    same_place::RULE,
    impossible_for_medium::RULE,
    page_cache::RULE,
    device_cache::RULE,
    zero_data::RULE,
    working_set_fits_cache::RULE,
    low_verify_coverage::RULE,
    journal_bound::RULE,
    interrupted::RULE,
    process_stopped::RULE,
    failover::RULE,
    stall::RULE,
    inconsistent_figures::RULE,
    audit::OTHER_LOAD,
    noisy_neighbour::RULE,
    cgroup_cpu_limit::RULE,
    fathom_cpu_bound::RULE,
    cpu_bound::RULE,
    source_bound::RULE,
    synchronous_submission::RULE,
    queue_depth_ignored::RULE,
    commit_latency::RULE,
    slow_reads::RULE,
    uneven_disks::RULE,
    queue_not_full::RULE,
    queued_in_kernel::RULE,
    saturated::RULE,
    owner_node::RULE,
    straggler::RULE,
    uneven_hosts::RULE,
    start_spread::RULE,
    common_pause::RULE,
    bound_cores::RULE,
    two_speeds::RULE,
    throughput_drop::RULE,
    throughput_drift::RULE,
    not_repeatable::RULE,
    not_steady::RULE,
    short_run::RULE,
    thread_imbalance::RULE,
    slow_tail::RULE,
    undersampled_tail::RULE,
    latency_resolution::RULE,
    latency_groups::RULE,
    one_at_a_time::RULE,
    paths::DOWN,
    paths::NOT_OPTIMISED,
    paths::ONE,
    event_in_window::RULE,
    paths::TIMEOUT,
    filesystem_overhead::RULE,
    single_spindle::RULE,
    cpu_steal::RULE,
    misaligned::RULE,
    mount_options::RULE,
    fragmented_file::RULE,
    scheduler::RULE,
    interrupts_elsewhere::RULE,
    io_wq_offload::RULE,
    governor::RULE,
    compressible_data::RULE,
    write_cache::RULE,
    write_penalty::RULE,
    requests_split::RULE,
    requests_merged::RULE,
    cpu_stats_incomplete::RULE,
    clock_drift::RULE,
    host_configuration_differs::RULE,
    clock_offset::RULE,
    coordinated_omission::RULE,
    verified::RULE,
    audit::NOT_COUNTED,
    interrupted_writes::RULE,
    differing_files::RULE,
];

/// One rule, and all that its page in docs/findings contains.
pub struct Rule {
    /// Its name, for good: documents refer to it, and its page in docs/findings has it.
    pub id: RuleId,
    /// What it is about: the heading under which `fathom explain` lists it.
    pub group: Group,
    /// What its findings come from; of one cause only the strongest finding is reported.
    pub cause: Cause,
    /// What limits the rate where it reports something, if it is about that.
    pub limit: Option<LimitKind>,
    /// What it means, in one sentence.
    pub what: &'static str,
    /// How it decides, with its thresholds.
    pub method: &'static str,
    /// Names of the figures that its findings can have in JSON.
    pub evidence: &'static [&'static str],
    /// Where the method, or the counter that it reads, is described.
    pub source: &'static str,
    /// What to do, in general; a finding has it for its case.
    pub advice: &'static str,
    /// Checks a run, and reports something or nothing.
    pub look: Look,
}

/// What a finding is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// What limits IOPS or bandwidth.
    Limit,
    /// Queue depth: how many I/Os were in flight, and where.
    Queue,
    /// Change over time and between repeats.
    Stability,
    /// Caches that served I/Os instead of the device.
    Cache,
    /// Processors.
    Cpu,
    /// Too few I/Os or digits for a figure.
    Samples,
    /// Configuration of the target, the file system and the tool.
    Setup,
    /// Failed I/Os, content of blocks, and figures that contradict each other.
    Data,
}

impl Group {
    /// All groups, in the order of `fathom explain`.
    pub const ALL: [Group; 8] = [
        Group::Limit,
        Group::Queue,
        Group::Stability,
        Group::Cache,
        Group::Cpu,
        Group::Samples,
        Group::Setup,
        Group::Data,
    ];

    /// Returns its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Limit => "limit",
            Group::Queue => "queue",
            Group::Stability => "stability",
            Group::Cache => "cache",
            Group::Cpu => "cpu",
            Group::Samples => "samples",
            Group::Setup => "setup",
            Group::Data => "data",
        }
    }
}

/// What a rule checks.
pub enum Look {
    /// Needs what only fathom's own record contains.
    Own(fn(&Own<'_>) -> Option<Finding>),
    /// The same, with what people specified about the target.
    OwnKnowing(fn(&Own<'_>, &Known) -> Option<Finding>),
    /// Checks what a run of any tool has.
    Any(fn(&Seen<'_>) -> Option<Finding>),
    /// Checks the runs of a session together.
    Several(fn(&Several<'_>) -> Option<Finding>),
    /// Checks one run, and at the runs of a session together.
    Both(
        fn(&Seen<'_>) -> Option<Finding>,
        fn(&Several<'_>) -> Option<Finding>,
    ),
    /// Checks the ranks of a job together.
    Job(fn(&JobSeen<'_>) -> Option<Finding>),
    /// Checks a test of SNIA's PTS.
    Pts(fn(&PtsSeen) -> Option<Finding>),
    /// Checks the steps of work with files.
    Files(fn(&[FilesRecord]) -> Option<Finding>),
    /// Checks the account of a program.
    Audit(fn(&AuditSeen<'_>) -> Option<Finding>),
}

/// What findings come from. Several rules may see the same thing from different sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Of this rule alone.
    Alone,
    /// Something above or inside the device answered from memory.
    Cache,
    /// Something limits the rate or the bandwidth.
    Cap,
    /// The tool or a processor was slower than the target.
    Processor,
    /// The rate changed on the way.
    Change,
    /// Too few I/Os for what is asked of them.
    Sample,
    /// Digits of latencies.
    Digits,
}

/// All that a rule may use.
pub struct Seen<'a> {
    /// What a run of any tool has, as far as it is known.
    pub observed: &'a Observed,
    /// What only fathom's own record contains; none for imported runs.
    pub own: Option<&'a Own<'a>>,
    /// The run of another tool; none for own runs.
    pub imported: Option<&'a ImportedRun>,
    /// What people specified about the target, and the caps of clouds.
    pub known: &'a Known,
}

/// Runs of one session, in its order: of a sweep, a survey, an import.
pub struct Several<'a> {
    /// Each run.
    pub runs: &'a [Observed],
    /// What people specified about the target, and the caps of clouds.
    pub known: &'a Known,
}

/// Runs of one load in one session.
pub struct Repeats<'a> {
    /// I/Os in flight over all threads.
    pub in_flight: u64,
    /// How long each run measured, in nanoseconds, and its IOPS, in order of time.
    pub runs: &'a [(f64, Estimate)],
}

/// A test of SNIA's PTS.
#[derive(Clone, Debug, Default)]
pub struct PtsSeen {
    /// By what its times are multiplied. // in (0, 1]
    pub scale: f64,
    /// The last rounds, where none was in steady state and no further one is allowed.
    pub not_steady: Option<NotSteady>,
    /// Demands that are not met, by name.
    pub unmet: Vec<String>,
    /// Demands of which it is not known.
    pub unknown: u64,
}

/// Five rounds that are not in steady state.
#[derive(Clone, Copy, Debug)]
pub struct NotSteady {
    /// Rounds in all.
    pub rounds: u32,
    /// No further round is allowed; else another bound ended them, such as the bytes written of wsat.
    pub rounds_ended_it: bool,
    /// Largest minus smallest value, as a share of the mean.
    pub range_share: f64,
    /// Rise of the least-squares line, as a share of the mean.
    pub slope_share: f64,
}

/// What is derived from fathom's own record.
pub struct Own<'a> {
    /// The record itself.
    pub record: &'a RunRecord,
    /// All operations and threads of the measured phase together.
    pub total: &'a Tally,
    /// The rate over time.
    pub intervals: &'a [IntervalRow],
    /// Whether it was steady.
    pub steadiness: &'a Steadiness,
    /// The device's counts against the tool's.
    pub device_checks: &'a [DeviceCheck],
    /// What the processors did.
    pub cpu: &'a CpuReport,
    /// How many I/Os were in flight.
    pub in_flight: &'a InFlight,
    /// How a rate was kept, where one was asked.
    pub open_loop: Option<&'a OpenLoop>,
    /// What the worker threads' time went into.
    pub workers: &'a [WorkerShare],
}

impl Own<'_> {
    /// Returns whether a thread was ready without a processor for much of its time: then the processor gives the rate, and what
    /// it gives in equal slices is as even as a limit.
    fn is_starved(&self) -> bool {
        const DELAYED_MIN: f64 = 0.20;
        let delayed = |share: &WorkerShare| share.cpu.delayed_share;
        let mut workers = self.workers.iter();
        workers.any(|worker| delayed(worker) >= Some(DELAYED_MIN))
    }
}

/// How serious a finding is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Helps to read the result and does not change its validity.
    Note,
    /// The result may be used with this in mind.
    Warning,
    /// The result does not describe what was requested.
    Error,
}

impl Severity {
    /// Returns its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// How far the evidence carries the sentence.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The numbers fit it; other explanations fit them too.
    Low,
    /// It is the likeliest explanation.
    Medium,
    /// Counted or computed: no other explanation is left.
    High,
}

/// One thing that a rule found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule; `fathom explain ID` explains it.
    #[schemars(with = "String")]
    pub id: RuleId,
    /// What it is about.
    pub group: Group,
    /// How serious it is.
    pub severity: Severity,
    /// How far the evidence carries it.
    pub confidence: Confidence,
    /// The finding, in one sentence with its figures.
    pub sentence: String,
    /// Use for which the result is not valid, if it is still valid for another.
    pub invalid_for: Option<String>,
    /// The numbers behind the sentence.
    pub evidence: Vec<Evidence>,
    /// What to do next.
    pub advice: String,
    /// The rule whose finding explains this one: this one is then a consequence, and no reason of the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub because: Option<RuleId>,
}

/// One number behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name of the figure, with its unit last: `stopped_after_ns`.
    pub name: String,
    /// How much.
    pub value: f64,
}

impl Finding {
    /// What limits the rate, where its rule is about that.
    pub fn limit(&self) -> Option<LimitKind> {
        FINDINGS.iter().find(|rule| rule.id == self.id)?.limit
    }

    /// Returns the command that explains it: `fathom explain iops-limit`.
    pub fn see(&self) -> String {
        format!("fathom explain {}", self.id)
    }

    /// Sets how far the evidence supports it.
    #[must_use]
    pub(crate) fn sure(mut self, confidence: Confidence) -> Finding {
        self.confidence = confidence;
        self
    }

    /// Adds what the result is not valid as, though it is valid as something else.
    #[must_use]
    pub(crate) fn invalid_for(mut self, what: &str) -> Finding {
        self.invalid_for = Some(what.to_owned());
        self
    }
}

/// A finding of high confidence, without `invalid_for`; a number that is not finite is omitted of the evidence.
pub(crate) fn finding(
    id: RuleId,
    severity: Severity,
    sentence: String,
    evidence: &[(&str, f64)],
    advice: &str,
) -> Finding {
    let rule = FINDINGS.iter().find(|rule| rule.id == id);
    let rule = rule.expect("only rules create ids");
    for (name, _) in evidence {
        debug_assert!(rule.evidence.contains(name), "{id}: {name} is no evidence");
    }
    Finding {
        id,
        group: rule.group,
        severity,
        confidence: Confidence::High,
        sentence,
        invalid_for: None,
        evidence: evidence
            .iter()
            .filter(|(_, value)| value.is_finite())
            .map(|(name, value)| Evidence {
                name: (*name).to_owned(),
                value: *value,
            })
            .collect(),
        advice: advice.to_owned(),
        because: None,
    }
}

#[cfg(test)]
pub(crate) use test::{event, found};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn a_plain_run_gives_no_finding_at_all() {
        let report = crate::run_report(
            &Sample {
                depth: 8,
                ..Sample::default()
            }
            .build(),
        );
        assert_eq!(report.findings, []);
        assert_eq!(
            report.verdict.sentence(),
            "VALID: no errors; device counters agree, cache bypassed, queue full, steady, enough samples"
        );
    }

    /// `write-cache` was documented as one of runs of any tool.
    #[test]
    fn a_rule_of_runs_of_fathom_alone_is_documented_as_one() {
        for rule in FINDINGS
            .iter()
            .filter(|rule| rule.method.starts_with("Runs of fathom"))
        {
            let others = ["mported", "any tool", "Any run"];
            let of_others = others.iter().any(|words| rule.method.contains(words));
            let own = matches!(rule.look, Look::Own(_) | Look::OwnKnowing(_));
            assert!(own || of_others, "{}", rule.id);
        }
    }

    #[test]
    fn every_rule_has_a_name_of_its_own_and_says_what_it_is() {
        for (place, rule) in FINDINGS.iter().enumerate() {
            assert!(
                FINDINGS[..place].iter().all(|before| before.id != rule.id),
                "{}",
                rule.id
            );
            for text in [rule.what, rule.method, rule.source, rule.advice] {
                assert!(
                    text.ends_with('.') && text.len() > 10,
                    "{}: {text}",
                    rule.id
                );
            }
        }
    }
}
