//! `fathom run` on many hosts: rank 0's part of it.

use super::{Member, Together, Way, refuse_confirmations, together};
use crate::args::RunArgs;
use crate::commands::preflight::check_event_files;
use crate::commands::run::stored::KIND;
use crate::commands::{answer, command_line};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::progress::RunBars;
use crate::report::Form;
use crate::{output, report};
use analysis::JobContext;
use model::{CommandError, Outcome, RunRecord};
use session::{Hosts, Journal, ProvenFiles, RankResult, Runner, Timespans, clock};
use std::borrow::Borrow;
use std::rc::Rc;
use store::{SessionOutcome, Store};
use tools::native::{self, Built};

/// Runs it on all hosts, stores it, prints it.
pub(crate) fn run(
    args: &RunArgs,
    way: &Way,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let request = Together {
        event_files: &args.events,
        ..Together::new(&args.hosts.all, &args.keep, &KIND)
    };
    together(&request, way, environment, &|member| {
        lead(args, member, environment)
    })
}

/// Rank 0: the whole flow of the command.
fn lead(
    args: &RunArgs,
    member: &Member<'_>,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let Member {
        hosts,
        ground,
        gate,
        stop,
        interrupt: _, // the stop flag of the ranks is enough
    } = *member;
    let known = args.known.read()?;
    refuse_alone(args, &known)?;
    refuse_confirmations(&args.consent.consent())?;
    let Built { profile, notes } = native::build(&args.request())?;
    for note in notes.iter().filter(|note| note.option != "--interval") {
        output::tell(&note.to_string());
    }
    let store = crate::keep::open(ground.place.as_ref())?;
    if !args.events.is_empty() {
        check_event_files(&args.events, &gate.facts(&profile))?; // of rank 0; others record what they cannot read
    }
    let names: Vec<String> = profile
        .paths()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let new = session::new_session(KIND.stored(), command_line(), names.join(" "), clock::utc());
    let journal = Journal::new(store, new);
    let mut runner = Runner::new(gate, ProvenFiles::default(), &journal, command_line(), stop);
    runner.hosts = Some(Rc::clone(hosts));
    let owners = owners(args, hosts)?;
    let mut bars = RunBars::new(environment);
    let mut alone = Vec::new();
    for timespan in profile.timespans.iter().filter(|_| args.hosts.each) {
        alone.extend(hosts.one_by_one(timespan, &mut runner, &mut bars)?);
    }
    let mut schedule = Timespans::new(&profile.timespans, &[], Vec::new(), &|_| {});
    runner.run(&mut schedule, &mut bars)?;
    let (results, sums) = hosts.take_results();
    if results.is_empty() {
        return before_all(&journal, !alone.is_empty());
    }
    let form = Form {
        verbose: args.output.verbose,
        known: Some(&known),
        ..Form::of_session(args.output.json, &journal, &args.keep, environment)
    };
    let parts: Vec<_> = results.iter().map(part).collect();
    let alone: Vec<_> = alone.iter().map(part).collect();
    let context = JobContext {
        alone: &alone,
        owners: &owners,
    };
    output::print(&report::job(&report::job_of(&parts, context)?, form))?;
    agrees(&results, sums.as_ref())?;
    let ending = ending(&results);
    let outcome = match ending {
        Ending::Good | Ending::Corrupt => SessionOutcome::Complete,
        _ if stop.asked() && hosts.lost().is_empty() => SessionOutcome::Interrupted,
        _ => SessionOutcome::Failed,
    };
    Ok(answer::finish(&journal, outcome, None).and(ending))
}

/// Ends a job that was interrupted before all ranks measured together.
fn before_all(
    journal: &Journal<impl Borrow<Store>>,
    has_alone: bool,
) -> Result<Ending, CommandError> {
    let Some(name) = journal.name().filter(|_| has_alone) else {
        return Err(CommandError::failed(
            "interrupted before the measurement began",
        ));
    };
    output::tell(&format!(
        "interrupted before all measured together; hint: fathom show {name} has the runs of single ranks"
    ));
    let finished = answer::finish(journal, SessionOutcome::Interrupted, None);
    Ok(finished.and(Ending::Wrong))
}

/// Hosts that own the target, as they were named.
fn owners(args: &RunArgs, hosts: &Hosts) -> Result<Vec<String>, CommandError> {
    let owners = args.hosts.owners()?;
    match hosts.unknown_hosts(&owners).as_slice() {
        [] => Ok(owners),
        unknown => Err(CommandError::refused(format!(
            "invalid value '{}' for --owner: must be hosts that measure; hint: without a name, the host on which the file \
             system is local is the owner",
            unknown.join(",")
        ))),
    }
}

/// What only a run alone has.
fn refuse_alone(args: &RunArgs, known: &analysis::Known) -> Result<(), CommandError> {
    super::refuse_alone(&[
        ("--evidence", args.verification.evidence.is_some()),
        ("--journal", args.verification.journal.is_some()),
        ("--keep-trace", args.trace.keep_trace.is_some()),
        ("--live", args.live),
        ("--goal", !known.goals.is_empty()),
    ])
}

/// A result as the report of the job takes it.
pub(crate) fn part(result: &RankResult) -> analysis::JobPart<'_> {
    analysis::JobPart {
        rank: result.rank,
        host: &result.host,
        run: result.stored,
        outcome: result.outcome.as_ref().map_err(String::as_str),
    }
}

/// The sums that were merged on the way are those of the records.
pub(crate) fn agrees(results: &[RankResult], sums: Option<&job::Sums>) -> Result<(), CommandError> {
    let mut own = job::Sums::default();
    for record in records(results) {
        own.merge(&job::Sums::of(record));
    }
    // A result that cannot be read is reported with its rank; the sums have it.
    let has_all = results.iter().all(|result| result.outcome.is_ok());
    match sums {
        Some(merged) if has_all && *merged != own => Err(CommandError::failed(
            "the sums that the ranks merged are not those of their records; this is a mistake in fathom, please report it",
        )),
        _ => Ok(()),
    }
}

fn records(results: &[RankResult]) -> impl Iterator<Item = &RunRecord> {
    results
        .iter()
        .filter_map(|result| result.outcome.as_ref().ok())
}

/// Prints what a program that reads only the exit code and standard error has to know.
fn ending(results: &[RankResult]) -> Ending {
    let mut ending = Ending::Good;
    for result in results {
        let why = match &result.outcome {
            Ok(record) => match &record.outcome {
                Outcome::Complete => None,
                Outcome::Interrupted => Some("interrupted".to_owned()),
                Outcome::Failed(failure) => Some(failure.words()),
            },
            // `--on-loss continue` keeps the results of the others; a rank without one is a failure all the same.
            Err(_) => {
                ending = Ending::Wrong;
                continue; // it was reported when it was lost
            }
        };
        if let Some(why) = why {
            output::tell(&format!("{}: {why}", result.label()));
            ending = Ending::Wrong;
        }
    }
    ending.and(Ending::of_data(records(results).any(RunRecord::is_corrupt)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::sample::Sample;

    #[test]
    fn a_lost_rank_is_a_failure_whatever_the_others_do() {
        let of = |outcome: Result<RunRecord, String>| RankResult {
            rank: 0,
            host: "n0".to_owned(),
            stored: None,
            outcome,
        };
        let good = || of(Ok(Sample::default().build()));
        assert_eq!(ending(&[good(), good()]), Ending::Good);
        assert_eq!(ending(&[good(), of(Err("lost".to_owned()))]), Ending::Wrong);
    }
}
