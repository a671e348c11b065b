//! `fathom run`: one workload. The whole flow of the house, from request to view, in one function.

pub(crate) mod stored;

use super::preflight::check_event_files;
use super::{command_line, ended, hosts};
use crate::args::{KeepArgs, OutputArgs, RunArgs};
use crate::commands::answer;
use crate::environment::Environment;
use crate::evidence::Evidence;
use crate::failure::Ending;
use crate::kept_trace::{RunTrace, RunTraces};
use crate::progress::RunBars;
use crate::report::Form;
use crate::run_context::RunContext;
use crate::{journal_file, output, report, signals};
use analysis::Known;
use engine::{JournalSink, Recording, Stop};
use model::{CommandError, NoResult, Note, Profile, RunRecord, RunResult, invalid_value};
use session::{Admission, CheckedPlan, Journal, ProvenFiles, Runner, Timespans, clock, same_name};
use std::path::Path;
use store::{NewSession, SessionOutcome};
use stored::KIND;
use tools::native::{self, Built};

/// Runs it, keeps it, prints it.
pub(crate) fn run(args: &RunArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if let Some(way) = hosts::way(&args.hosts.all, environment)? {
        return hosts::run(args, &way, environment);
    }
    if let Some(option) = args.hosts.given() {
        return Err(hosts::refuse_for_many(option));
    }
    let known = args.known.read()?;
    let Built { mut profile, notes } = native::build(&args.request())?;
    let evidence = Evidence::check(args.verification.evidence.as_ref())?;
    keep_evidence(&mut profile, evidence.is_some())?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        event_files: &args.events,
        ..ground.gate()
    };
    let checked = gate.check(&profile)?;
    check_event_files(&args.events, checked.iter().flat_map(|plan| &plan.facts))?;
    let asked_interval = args.load.time.interval.is_some();
    let of_defaults = |option: &str| option == "--interval" && !asked_interval;
    for note in notes.iter().filter(|note| !of_defaults(note.option)) {
        output::tell(&note.to_string());
    }
    if journal_file::is_standard_output(args.verification.journal.as_ref()) && args.output.json {
        return Err(CommandError::refused(
            "--journal -: standard output cannot have --json, too; hint: a file or a FIFO for the journal",
        ));
    }
    let journal = journal_file::open(args.verification.journal.as_ref(), &checked, &ground.root)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let measurement = Measurement {
        ground: &ground,
        gate: &gate,
        profile: &profile,
        checked,
        recording: None,
        kept: Kept {
            journal,
            trace: args.trace.keep_trace.as_deref(),
        },
        evidence,
        known: &known,
        notes: args.known.notes(),
        keep: &args.keep,
        live: args.live,
        output: args.output,
    };
    measure(measurement, &stop, environment)
}

/// What is written while it runs.
#[derive(Default)]
pub(super) struct Kept<'a> {
    /// Where the journal of what is durable goes.
    pub(super) journal: Option<JournalSink>,
    /// Where a trace of its I/Os goes.
    pub(super) trace: Option<&'a Path>,
}

/// A request of one time span that was checked, and what is done with its result.
pub(super) struct Measurement<'a> {
    pub(super) ground: &'a RunContext,
    pub(super) gate: &'a Admission<'a>,
    pub(super) profile: &'a Profile,
    pub(super) checked: Vec<CheckedPlan>,
    /// The trace that is replayed, where the request is one of a trace.
    pub(super) recording: Option<Recording>,
    pub(super) kept: Kept<'a>,
    /// Where corrupt blocks go.
    pub(super) evidence: Option<Evidence>,
    pub(super) known: &'a Known,
    pub(super) notes: Vec<Note>,
    pub(super) keep: &'a KeepArgs,
    pub(super) live: bool,
    pub(super) output: OutputArgs,
}

/// Runs it, stores it, prints it.
pub(super) fn measure(
    request: Measurement<'_>,
    stop: &Stop,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let Measurement {
        ground,
        gate,
        profile,
        checked,
        recording,
        kept,
        evidence,
        known,
        notes,
        keep,
        live,
        output,
    } = request;
    let store = crate::keep::open(ground.place.as_ref())?;
    let traces = kept_traces(kept.trace, &checked)?;
    let sink = kept.journal;
    let journal = Journal::single(store, new_session(&checked, &notes));
    let screen = crate::live::screen(live, environment, &checked[0].facts)?;
    let total = checked[0].plan.phases.total();
    let screen = screen.map(|screen| screen.of_run("run".to_owned(), total));
    let mut runner = Runner::new(gate, ProvenFiles::default(), &journal, command_line(), stop);
    let mut schedule = Timespans::new(&profile.timespans, &[], checked, &|_| {});
    schedule.recording = recording;
    let is_printed = sink
        .as_ref()
        .is_none_or(|sink| sink.path.as_os_str() != "-");
    schedule.journal = sink;
    schedule.io_logs = vec![traces.sink()];
    runner.run(
        &mut schedule,
        &mut RunBars::new(environment).on_screen(screen),
    )?;
    let traced = traces.finish();
    let Some(record) = schedule.records.pop() else {
        return Err(CommandError::failed(
            "interrupted before the measurement began",
        ));
    };
    let form = Form {
        notes: &notes,
        verbose: output.verbose,
        known: Some(known),
        ..Form::of_session(output.json, &journal, keep, environment)
    };
    match is_printed {
        true => crate::output::print(&report::run(&record, form))?,
        false => output::tell_result(&report::run(&record, form)),
    }
    tell_journal(&record);
    let stored = answer::finish(&journal, SessionOutcome::Complete, None);
    let goals = report::goals_of_run(&record, known);
    let data = Ending::of_data(record.is_corrupt());
    let kept = Ending::of(evidence.map_or(Ok(()), |folder| write_evidence(&folder, &record)));
    Ok(tell_outcome(&record)
        .and(stored)
        .and(goals)
        .and(kept)
        .and(traced)
        .and(data))
}

fn new_session(checked: &[CheckedPlan], notes: &[Note]) -> NewSession {
    let targets = checked.iter().flat_map(|one| &one.facts);
    let names: Vec<_> = targets.map(|facts| facts.path.to_string_lossy()).collect();
    let names = names.join(" ");
    let new = session::new_session(KIND.stored(), command_line(), names, clock::utc());
    NewSession {
        notes: notes.to_vec(),
        ..new
    }
}

/// Begins the trace of the I/Os on all targets, where one is kept.
fn kept_traces(path: Option<&Path>, checked: &[CheckedPlan]) -> Result<RunTraces, CommandError> {
    let Some(path) = path else {
        return Ok(RunTraces::default());
    };
    let facts = checked.iter().flat_map(|one| &one.facts);
    if facts.clone().any(|facts| same_name(&facts.path, path)) {
        return Err(CommandError::refused(invalid_value(
            &path.display().to_string(),
            "--keep-trace",
            "must be another file than the target",
        )));
    }
    let names: Vec<Option<String>> = facts
        .map(|facts| Some(facts.path.to_string_lossy().into_owned()))
        .collect();
    let trace = RunTrace::create(path, "iotrace", &names)?;
    Ok(RunTraces::new(vec![trace]))
}

/// Keeps the bytes of corrupt blocks of all targets.
fn keep_evidence(profile: &mut Profile, wanted: bool) -> Result<(), CommandError> {
    let targets = profile
        .timespans
        .iter_mut()
        .flat_map(|span| &mut span.targets);
    for target in targets {
        if wanted && target.verify.is_off() {
            return Err(CommandError::refused(
                "--evidence: nothing is verified: add --verify full, or omit it",
            ));
        }
        target.verify.evidence = wanted;
    }
    Ok(())
}

/// Reports why a journal ended before its run.
fn tell_journal(record: &RunRecord) {
    let verification = record.engine.verification.as_ref();
    let journal = verification.and_then(|found| found.journal.as_ref());
    if let Some(why) = journal.and_then(|journal| journal.failed.as_ref()) {
        output::tell(&format!(
            "warning: the journal could not be written to its end: {why}; what was durable after that is not in it"
        ));
    }
}

fn write_evidence(folder: &Evidence, record: &RunRecord) -> Result<(), CommandError> {
    let paths = record
        .targets
        .iter()
        .map(|facts| facts.path.display().to_string());
    let paths: Vec<String> = paths.collect();
    let verification = record.engine.verification.as_ref();
    verification.map_or(Ok(()), |found| folder.write(&found.cases, &paths))
}

/// Reports what a program that reads only the exit code and standard error needs.
fn tell_outcome(record: &RunRecord) -> Ending {
    match record.result() {
        _ if ended::tell(record) => {
            tell_deleted(record);
            return Ending::Good;
        }
        RunResult::Interrupted => {
            output::tell("interrupted: the result covers what was counted until then");
        }
        RunResult::Failed(NoResult::Ended(failure)) => {
            output::tell(match failure.is_of_the_target() {
                true => "the run ended there",
                false => {
                    "the run ended there; to count failures and continue, add: --continue-on-error"
                }
            });
        }
        RunResult::Failed(_) | RunResult::Usable => {}
    }
    Ending::Wrong
}

/// Reports which targets have no name any more.
fn tell_deleted(record: &RunRecord) {
    for &target in &record.engine.disturbances.deleted_targets {
        if let Some(target) = record.targets.get(target as usize) {
            output::tell(&format!(
                "warning: {}: another program deleted or replaced the file while it was measured",
                target.path.display()
            ));
        }
    }
}
