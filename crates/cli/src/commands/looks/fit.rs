//! `fathom fit`: whether storage is fast enough for a program. Several runs of the program's workload, and one decision.
//!
//! A demand is a row of `docs/demands.toml` or of a file of that form. Omitted: how it is decided (`analysis`).

use super::look::{Feedback, Look, Setting};
use super::{PlannedTurn, STEP_MIN, STEPS, own_file, read_seed, span_of_words};
use crate::args::FitArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{options, output, report, seed};
use analysis::LooksContext;
use analysis::looks::{Decision, fit_report};
use model::{CommandError, Nanos, Phases, Profile, RunRecord, Timespan};
use session::Admission;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use tools::{DEMANDS_LENGTH_MAX, DemandRow, Problem, Reader};

/// The row of `fathom fit`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<FitArgs>(
    "fit",
    Group::Measure,
    "Decide whether storage is fast enough for etcd, SQL Server and others",
    |words, environment| {
        let mut args: FitArgs = parsed(words)?;
        args.seed = Some(seed::chosen(args.seed.as_deref(), [args.target.as_path()]));
        fit(&args, environment)
    },
);

const ROUNDS_FORM: &str = "must be a whole number from 3 to 100";
const TIME_FORM: &str = "must be 100ms to 1h";
const ROUND_TIMES: (Nanos, Nanos) = (Nanos::millis(100), Nanos::seconds(3600));
const WARMUP: Nanos = Nanos::millis(500);

/// Request.
struct FitRequest {
    row: DemandRow,
    in_folder: bool,
    rounds: u64,
    /// One run.
    span: Timespan,
    seed: u64,
}

/// Runs the workload of a demand several times, keeps every run, prints the decision.
fn fit(args: &FitArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let mut rows = tools::known_demands();
    if let Some(path) = &args.demands {
        let own = demands_in(path)?;
        rows.retain(|row| own.iter().all(|one| !one.has_name(&row.demand.id)));
        rows.extend(own);
    }
    if args.list {
        output::print(list(&rows).as_bytes())?;
        return Ok(Ending::Good);
    }
    let request = read(args, rows)?;
    if args.dry_run {
        output::print(plan(&request).as_bytes())?;
        return Ok(Ending::Good);
    }
    let context = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = Admission {
        options: options::dd,
        ..context.gate()
    };
    let location = request.span.targets[0].location.clone();
    let turn = |number| PlannedTurn::of_span(format!("run {number}"), &request.span);
    let look = Look {
        kind: &super::stored::FIT,
        named: args.target.display().to_string(),
        all: Profile {
            timespans: vec![request.span.clone()],
        },
        reads: None,
        turns: (1..=request.rounds).map(turn).collect(),
        location: &location,
        own_file: request.in_folder,
        beside: Vec::new(),
        seed: request.seed,
        context: LooksContext {
            demand: Some(request.row.demand.clone()),
            ..LooksContext::default()
        },
        page: report::fit,
        feedback: Feedback {
            ending: match args.strict {
                true => |runs, context| ending(runs, context, true),
                false => |runs, context| ending(runs, context, false),
            },
            ..Feedback::NONE
        },
    };
    let setting = Setting {
        environment,
        ground: &context,
        gate: &gate,
        keep: &args.keep,
        json: args.json,
    };
    look.take(&setting)
}

fn ending(runs: &[(String, RunRecord)], context: &LooksContext, strict: bool) -> Ending {
    match fit_report(runs, context).decision {
        Decision::Pass => Ending::Good,
        Decision::Inconclusive if !strict => Ending::Good,
        Decision::Fail | Decision::Inconclusive => Ending::Denied,
    }
}

/// Reads a file of demands.
fn demands_in(path: &Path) -> Result<Vec<DemandRow>, CommandError> {
    let refused =
        |what: &str| CommandError::refused(format!("--demands {}: {what}", path.display()));
    let mut text = String::new();
    gate::Input::open(path)
        .and_then(|input| {
            let mut input = input.take(DEMANDS_LENGTH_MAX as u64 + 1);
            input.read_to_string(&mut text)
        })
        .map_err(|error| refused(&model::errno_text(&error)))?;
    tools::demands_of(&text).map_err(|problems| refused(&problems.join("; ")))
}

/// Returns a line for each demand, and one with its source.
fn list(rows: &[DemandRow]) -> String {
    let mut text = String::new();
    for DemandRow { demand, names, .. } in rows {
        let requires = format!("{} {}", demand.figure.name(), demand.requires());
        let requires = requires.trim_start();
        let also = match names.is_empty() {
            true => String::new(),
            false => format!(" (also: {})", names.join(", ")),
        };
        let _ = writeln!(text, "{:<18} {requires}: {}{also}", demand.id, demand.title);
        let _ = writeln!(text, "{:<18} source: {}", "", demand.source);
    }
    text
}

/// Describes what would be run.
fn plan(request: &FitRequest) -> String {
    let DemandRow { demand, size, .. } = &request.row;
    let target = &request.span.targets[0];
    let measured = request.span.phases.measured;
    let mut text = format!(
        "would run {} times {measured} of {}; required: {} {}\n  fathom run {} {}\n",
        request.rounds,
        demand.title,
        demand.figure.name(),
        demand.requires(),
        target.location.name(),
        demand.workload
    );
    if request.in_folder {
        let _ = writeln!(
            text,
            "would create {} of {size} and remove it",
            target.location.name()
        );
    }
    text
}

fn read(args: &FitArgs, rows: Vec<DemandRow>) -> Result<FitRequest, CommandError> {
    let name = args.demand.as_deref().unwrap_or_default();
    let known: Vec<String> = rows.iter().map(|row| row.demand.id.clone()).collect();
    let row = rows.into_iter().find(|row| row.has_name(name));
    let Some(row) = row else {
        let what = match name {
            "" => "DEMAND is missing".to_owned(),
            _ => format!("invalid value '{name}' for DEMAND"),
        };
        return Err(CommandError::refused(format!(
            "{what}: must be {}; hint: fathom fit --list prints their limits and sources",
            known.join(", ")
        )));
    };
    let mut reader = Reader::default();
    let rounds: Option<u64> = reader.number("--rounds", &args.rounds, ROUNDS_FORM);
    let time: Option<Nanos> = reader.value("--round-time", &args.round_time);
    let mut refuse = |wrong: bool, option, read: &str, accepted| {
        if wrong {
            let read = read.to_owned();
            reader.refuse(Problem::Value {
                option,
                read,
                accepted,
            });
        }
    };
    let rounds_wrong = rounds.is_some_and(|rounds| !(3..=100).contains(&rounds));
    refuse(rounds_wrong, "--rounds", &args.rounds, ROUNDS_FORM);
    let time_wrong = time.is_some_and(|time| time < ROUND_TIMES.0 || time > ROUND_TIMES.1);
    refuse(time_wrong, "--round-time", &args.round_time, TIME_FORM);
    let in_folder = args.target.is_dir();
    let path = match in_folder {
        true => own_file::in_folder(&args.target),
        false => args.target.clone(),
    };
    let seed = read_seed(&mut reader, args.seed.as_deref());
    let mut span = span(&row, &path)?;
    let measured = time.unwrap_or_default();
    span.phases = Phases {
        warmup: WARMUP,
        measured,
        cooldown: Nanos(0),
    };
    span.interval = Nanos(measured.0 / STEPS).max(STEP_MIN);
    for target in &mut span.targets {
        target.create = in_folder.then_some(row.size);
    }
    Ok(reader.finish(FitRequest {
        row,
        in_folder,
        rounds: rounds.unwrap_or_default(),
        span,
        seed,
    })?)
}

/// What `fathom fit` sets of each run.
const FIXED: [&str; 6] = [
    "duration", "warmup", "cooldown", "interval", "seed", "create",
];

/// Reads the options of a demand's workload, for this target.
fn span(row: &DemandRow, path: &Path) -> Result<Timespan, CommandError> {
    let words = row.demand.workload.split_whitespace().map(Into::into);
    let whose = format!("workload of the demand '{}'", row.demand.id);
    span_of_words(&whose, words, &FIXED, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Location;

    #[test]
    fn the_workload_of_every_demand_is_one_of_fathom_run() {
        for row in tools::known_demands() {
            let span = span(&row, Path::new("f")).unwrap();
            assert_eq!(span.targets.len(), 1, "{}", row.demand.id);
            assert_eq!(span.targets[0].location, Location::Path("f".into()));
        }
    }
}
