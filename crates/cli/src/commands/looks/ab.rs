//! `fathom ab`: which of two is faster, from runs of both in turns, until the ratio is known or the time is used up.
//!
//! A and B are two targets with one workload, or one target with two. Omitted: how it is decided (`analysis`).

use super::look::{Feedback, Look, Setting};
use super::{PlannedTurn, span_of_words};
use crate::args::AbArgs;
use crate::commands::survey::request::read_precision;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::run_context::RunContext;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report, seed};
use analysis::LooksContext;
use analysis::looks::{AB_PAIRS_MIN, AbRequest, AbSide, ab_is_known};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use model::{CommandError, Nanos, Profile, RunRecord, Timespan};
use std::ffi::OsString;
use std::path::Path;
use tools::{Problem, Reader};

/// The row of `fathom ab`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<AbArgs>(
    "ab",
    Group::Measure,
    "Find out which of two targets or workloads is faster, and by how much",
    |words, environment| {
        let args: AbArgs = parsed(words)?;
        ab(&args, &load_words(words), environment)
    },
);

/// Times of a run where none are specified.
const DEFAULTS: [&str; 2] = ["--duration=1s", "--warmup=200ms"];
const BUDGET_FORM: &str = "must be at least the time of six pairs of runs";

/// Request.
struct AbPlan {
    /// One run of each.
    a: Timespan,
    b: Timespan,
    compared: AbRequest,
    /// Most pairs within the budget.
    pairs_max: usize,
    seed: u64,
}

/// Runs both in turns, keeps every run, prints the decision.
fn ab(
    args: &AbArgs,
    words: &[OsString],
    environment: &Environment,
) -> Result<Ending, CommandError> {
    let plan = read(args, words)?;
    if args.dry_run {
        output::print(described(&plan).as_bytes())?;
        return Ok(Ending::Good);
    }
    let context = RunContext::find(&args.keep, args.consent.consent(), environment)?;
    let gate = context.gate();
    let location = plan.a.targets[0].location.clone();
    let other = &plan.b.targets[0].location;
    let mut both = plan.a.clone();
    if *other != location {
        both.targets.extend(plan.b.targets.iter().cloned());
    }
    let all = match *other == location {
        true => vec![plan.a.clone(), plan.b.clone()],
        false => vec![both],
    };
    let precision = plan.compared.precision;
    let more = |done: &[(String, RunRecord)]| match done.len() / 2 {
        pairs if pairs >= plan.pairs_max => Vec::new(),
        pairs if pairs >= AB_PAIRS_MIN && ab_is_known(done, precision) => Vec::new(),
        pairs => pair(&plan, pairs + 1),
    };
    let look = Look {
        kind: &super::stored::AB,
        named: format!("{} {}", plan.compared.a, plan.compared.b),
        all: Profile { timespans: all },
        reads: None,
        turns: pair(&plan, 1),
        location: &location,
        own_file: false,
        beside: match *other == location {
            true => Vec::new(),
            false => vec![gate.look(other)],
        },
        seed: plan.seed,
        context: LooksContext {
            ab: Some(plan.compared.clone()),
            ..LooksContext::default()
        },
        page: report::ab,
        feedback: Feedback {
            more: &more,
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

fn pair(plan: &AbPlan, number: usize) -> Vec<PlannedTurn> {
    let turn = |side: AbSide| {
        let span = match side {
            AbSide::A => &plan.a,
            AbSide::B => &plan.b,
        };
        PlannedTurn::of_span(side.label(number), span)
    };
    AbSide::order(number).map(turn).into()
}

/// Describes what would be run.
fn described(plan: &AbPlan) -> String {
    let both = plan.a.phases.total().plus(plan.b.phases.total());
    format!(
        "would run A = {} and B = {} in turns, {both} a pair, {AB_PAIRS_MIN} to {} pairs, until the ratio of IOPS is known \
         within {}%\n",
        plan.compared.a,
        plan.compared.b,
        plan.pairs_max,
        plan.compared.precision * 100.0
    )
}

fn read(args: &AbArgs, words: &[OsString]) -> Result<AbPlan, CommandError> {
    let first = &args.targets[0];
    let second = args.targets.get(1).unwrap_or(first);
    let same = second == first || is_same_file(first, second);
    if same && args.a.is_none() && args.b.is_none() {
        return Err(CommandError::refused(
            "A and B are the same file with the same workload: specify two targets, or what differs with --a and --b",
        ));
    }
    let mut reader = Reader::default();
    let precision = read_precision(&args.precision, &mut reader);
    let budget: Option<Nanos> = reader.value("--budget", &args.budget);
    let side = |name: &str, own: Option<&str>, path: &Path| {
        let own = own.unwrap_or_default().split_whitespace();
        let all = DEFAULTS.map(OsString::from).into_iter();
        let all = all.chain(words.iter().cloned()).chain(own.map(Into::into));
        span_of_words(name, all, &["seed"], path)
    };
    let a = side("--a", args.a.as_deref(), first)?;
    let b = side("--b", args.b.as_deref(), second)?;
    let pair = a.phases.total().plus(b.phases.total());
    let pairs_max = budget.map_or(0, |budget| budget.0 / pair.0.max(1)) as usize;
    if budget.is_some() && pairs_max < AB_PAIRS_MIN {
        reader.refuse(Problem::Value {
            option: "--budget",
            read: args.budget.clone(),
            accepted: BUDGET_FORM,
        });
    }
    let named = |own: Option<&str>, path: &Path| match own {
        Some(own) if same => own.to_owned(),
        Some(own) => format!("{} {own}", path.display()),
        None if same => "the other options".to_owned(),
        None => path.display().to_string(),
    };
    let seed = seed::chosen(args.load.engine.seed.as_deref(), [first.as_path()]);
    let seed = super::read_seed(&mut reader, Some(&seed));
    Ok(reader.finish(AbPlan {
        compared: AbRequest {
            a: named(args.a.as_deref(), first),
            b: named(args.b.as_deref(), second),
            precision,
        },
        a,
        b,
        pairs_max,
        seed,
    })?)
}

/// Returns whether both names lead to one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let canonical = |path: &Path| std::fs::canonicalize(path).ok();
    canonical(a).is_some_and(|a| canonical(b) == Some(a))
}

/// Returns the options of the workload that were typed, for both sides, without the seed: each run has one of its own.
fn load_words(matches: &ArgMatches) -> Vec<OsString> {
    let load = crate::args::LoadArgs::augment_args(Command::new("load"));
    let typed = |id: &str| {
        matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let mut words = Vec::new();
    for option in load.get_arguments() {
        let id = option.get_id().as_str();
        let Some(long) = option
            .get_long()
            .filter(|long| *long != "seed" && typed(id))
        else {
            continue;
        };
        if !option.get_action().takes_values() {
            words.push(format!("--{long}").into());
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let mut word = OsString::from(format!("--{long}="));
            word.push(value);
            words.push(word);
        }
    }
    words
}
