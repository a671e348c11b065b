//! `fathom run`: one workload. The whole flow of the house, from request to view, in one function.

use super::{command_line, ended};
use crate::args::RunArgs;
use crate::environment::Environment;
use crate::failure::{Ending, Failure};
use crate::ground::Ground;
use crate::progress::Progress;
use crate::report::Form;
use crate::{keep, live, output, report, signals};
use dialects::native::{self, Built};
use engine::{Calibration, Stop};
use model::{NoResult, RunRecord, RunResult};
use session::CheckedPlan;
use session::Measure;
use session::ProvenFiles;
use store::{RunName, SessionKind, SessionOutcome, Store, StoreError};

/// Runs it, keeps it, prints it.
pub(crate) fn run(args: &RunArgs, environment: &Environment) -> Result<Ending, Failure> {
    let known = args.known.read()?;
    let Built { profile, notes } = native::build(&args.request())?;
    let ground = Ground::find(&args.keep, args.consent.consent(), environment)?;
    let gate = ground.gate();
    let passed = only(gate.check(&profile)?);
    let asked_interval = args.load.time.interval.is_some();
    let of_defaults = |option: &str| option == "--interval" && !asked_interval;
    for note in notes.iter().filter(|note| !of_defaults(note.option)) {
        output::tell(&note.to_string());
    }
    let store = keep::open(ground.place.as_ref())?;
    let stop = Stop::new();
    signals::listen(&stop)?;
    let total = passed.plan.phases.total();
    let screen = live::screen(args.live, environment, &passed.facts)?;
    let screen = screen.map(|screen| screen.of_run("run".to_owned(), total));
    let progress = Progress::of_run(environment, total).on_screen(screen);

    let measure = Measure {
        admission: &gate,
        calibration: &Calibration::default(),
        profile: &profile,
        command: command_line(),
        observer: &progress,
        stop: &stop,
    };
    host::give_back_code(); // of the look at the machine and the store
    let record = measure.run(passed, &mut ProvenFiles::default(), |filled| {
        progress.filled(filled);
    })?;
    progress.finish();
    host::give_back_code(); // of the run

    let kept = store.as_ref().map(|store| keep_run(store, &record));
    host::give_back_code(); // of the store
    let name = kept.as_ref().and_then(|kept| kept.as_ref().ok().copied());
    let form = Form {
        json: args.json,
        kept: keep::kept(store.as_ref(), name),
        place_named: args.keep.store.is_some(),
        columns: environment.columns,
        known: Some(&known),
    };
    output::print(&report::run(&record, form))?;
    let keeping = match kept {
        Some(Err(error)) => {
            output::tell(&format!("the result could not be kept: {error}"));
            Ending::Wrong
        }
        _ => Ending::Good,
    };
    Ok(tell_outcome(&record).and(keeping))
}

fn only(mut passed: Vec<CheckedPlan>) -> CheckedPlan {
    assert_eq!(passed.len(), 1, "the native dialect makes one timespan");
    passed.remove(0)
}

fn keep_run(store: &Store, record: &RunRecord) -> Result<RunName, StoreError> {
    let targets: Vec<String> = record
        .targets
        .iter()
        .map(|target| target.path.to_string_lossy().into_owned())
        .collect();
    let session = session::new_session(
        SessionKind::Run,
        record.command.clone(),
        targets.join(" "),
        record.started_utc,
    );
    let session = store.keep(&session, "run", record, session_outcome(record))?;
    Ok(RunName { session, run: None })
}

/// How the session of a single run ended.
fn session_outcome(record: &RunRecord) -> SessionOutcome {
    match record.result() {
        RunResult::Usable => SessionOutcome::Complete,
        RunResult::Interrupted => SessionOutcome::Interrupted,
        RunResult::Failed(_) => SessionOutcome::Failed,
    }
}

/// Says what a program that reads only the exit code and standard error has to know.
fn tell_outcome(record: &RunRecord) -> Ending {
    match record.result() {
        _ if ended::tell(record) => {
            tell_deleted(record);
            return Ending::Good;
        }
        RunResult::Interrupted => {
            output::tell("interrupted: the result holds what was counted until then");
        }
        RunResult::Failed(NoResult::Ended(failure)) => {
            output::tell(match failure.is_of_the_target() {
                true => "the run ended there",
                false => {
                    "the run ended there; to count failures and go on, add: --continue-on-error"
                }
            });
        }
        RunResult::Failed(_) | RunResult::Usable => {}
    }
    Ending::Wrong
}

/// Says which targets have no name any more.
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
