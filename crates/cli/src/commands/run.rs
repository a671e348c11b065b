//! `fathom run`: one workload. The whole flow of the house, from request to view, in one function.

use super::{command_line, ended};
use crate::args::{KeepArgs, OutputArgs, RunArgs};
use crate::commands::answer;
use crate::environment::Environment;
use crate::evidence::Evidence;
use crate::failure::Ending;
use crate::progress::RunBars;
use crate::report::Form;
use crate::run_context::RunContext;
use crate::{journal_file, output, report, signals};
use analysis::Known;
use engine::{JournalSink, Recording, Stop};
use model::{CommandError, NoResult, Note, Profile, RunRecord, RunResult};
use session::{Admission, CheckedPlan, Journal, ProvenFiles, Runner, Timespans, clock};
use store::{NewSession, SessionKind, SessionOutcome};
use tools::native::{self, Built};

/// Runs it, keeps it, prints it.
pub(crate) fn run(args: &RunArgs, environment: &Environment) -> Result<Ending, CommandError> {
    if let Some(way) = super::hosts::way(&args.hosts, environment)? {
        return super::hosts::run(args, &way, environment);
    }
    let known = args.known.read()?;
    let Built { mut profile, notes } = native::build(&args.request())?;
    let evidence = Evidence::check(args.evidence.as_ref())?;
    keep_evidence(&mut profile, evidence.is_some())?;
    let ground = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = ground.gate();
    let checked = gate.check(&profile)?;
    let asked_interval = args.load.time.interval.is_some();
    let of_defaults = |option: &str| option == "--interval" && !asked_interval;
    for note in notes.iter().filter(|note| !of_defaults(note.option)) {
        output::tell(&note.to_string());
    }
    if journal_file::is_standard_output(args.journal.as_ref()) && args.output.json {
        return Err(CommandError::refused(
            "--journal -: standard output cannot have --json, too; hint: a file or a FIFO for the journal",
        ));
    }
    let journal = journal_file::open(args.journal.as_ref(), &checked, &ground.root)?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let measurement = Measurement {
        ground: &ground,
        gate: &gate,
        profile: &profile,
        checked,
        recording: None,
        journal,
        evidence,
        known: &known,
        notes: args.known.notes(),
        keep: &args.keep,
        live: args.live,
        output: args.output,
    };
    measure(measurement, &stop, environment)
}

/// A request of one time span that was checked, and what is done with its result.
pub(super) struct Measurement<'a> {
    pub(super) ground: &'a RunContext,
    pub(super) gate: &'a Admission<'a>,
    pub(super) profile: &'a Profile,
    pub(super) checked: Vec<CheckedPlan>,
    /// The trace that is replayed, where the request is one of a trace.
    pub(super) recording: Option<Recording>,
    /// Where the journal of what is durable goes.
    pub(super) journal: Option<JournalSink>,
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
        journal: sink,
        evidence,
        known,
        notes,
        keep,
        live,
        output,
    } = request;
    let store = crate::keep::open(ground.place.as_ref())?;
    let targets = checked.iter().flat_map(|one| &one.facts);
    let names: Vec<_> = targets.map(|facts| facts.path.to_string_lossy()).collect();
    let new = session::new_session(
        SessionKind::Run,
        command_line(),
        names.join(" "),
        clock::utc(),
    );
    let new = NewSession {
        notes: notes.clone(),
        ..new
    };
    let journal = Journal::single(store, new);
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
    runner.run(
        &mut schedule,
        &mut RunBars::new(environment).on_screen(screen),
    )?;
    let Some(record) = schedule.records.pop() else {
        return Err(CommandError::failed(
            "interrupted before the measurement began",
        ));
    };
    let form = Form {
        json: output.json,
        kept: crate::keep::kept(journal.store(), journal.name()),
        notes: &notes,
        place_named: keep.store.is_some(),
        columns: environment.columns,
        verbose: output.verbose,
        known: Some(known),
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
        .and(data))
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
    for &target in &record.engine.deleted_targets {
        if let Some(target) = record.targets.get(target as usize) {
            output::tell(&format!(
                "warning: {}: another program deleted or replaced the file while it was measured",
                target.path.display()
            ));
        }
    }
}
