//! `fathom baseline`: names for results, and later ones compared with them.

use super::compare::{conditions, held_against, side_of};
use super::rows::{name_of, open_store};
use crate::args::{
    BaselineArgs, BaselineCheckArgs, BaselineCommand, BaselineListArgs, BaselineSetArgs,
};
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use model::{CommandError, ResultRow};
use session::clock;
use std::ops::ControlFlow;
use store::{Baseline, Pass, RunName, SessionOutcome, SessionSummary, Store};

/// The row of `fathom baseline`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<BaselineArgs>(
    "baseline",
    Group::Results,
    "Name results to compare later ones with",
    |words, environment| baseline(&parsed(words)?, environment),
);

/// Sets, lists, checks or removes.
pub(crate) fn baseline(
    args: &BaselineArgs,
    environment: &Environment,
) -> Result<Ending, CommandError> {
    match &args.command {
        BaselineCommand::Set(args) => set(args, environment),
        BaselineCommand::List(args) => list(args, environment),
        BaselineCommand::Check(args) => check(args, environment),
        BaselineCommand::Remove(args) => {
            let store = open_store(&args.store, environment)?;
            store
                .remove_baseline(&args.name)
                .map_err(CommandError::refused)?;
            Ok(Ending::Good)
        }
    }
}

fn set(args: &BaselineSetArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let of = name_of(&store, &args.id)?;
    let baseline = Baseline {
        name: args.name.clone(),
        of,
        set_utc: clock::utc(),
    };
    let before = store
        .set_baseline(&baseline)
        .map_err(CommandError::refused)?;
    if let Some(before) = before.filter(|before| before.of != of) {
        output::tell(&format!(
            "{} was {}, and is {of} now",
            before.name, before.of
        ));
    }
    Ok(Ending::Good)
}

fn list(args: &BaselineListArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let store = open_store(&args.store, environment)?;
    let baselines = store.baselines().map_err(CommandError::refused)?;
    let lines = baselines.into_iter().map(|baseline| {
        let session = store
            .summary_of(baseline.of.session)
            .map_err(CommandError::refused)?;
        Ok((baseline, session))
    });
    let lines: Vec<(Baseline, SessionSummary)> = lines.collect::<Result<_, CommandError>>()?;
    output::print(&report::baselines(
        &lines,
        Form::of_list(args.json, environment),
    ))?;
    Ok(Ending::Good)
}

fn check(args: &BaselineCheckArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let conditions = conditions(&args.conditions)?;
    let store = open_store(&args.store, environment)?;
    let baseline = store.baseline(&args.name).map_err(CommandError::refused)?;
    let a = side_of(&store, &format!("baseline:{}", baseline.name))?;
    let b = match &args.id {
        Some(id) => id.clone(),
        None => newest(&store, &baseline, args.last)?.to_string(),
    };
    let b = side_of(&store, &b)?;
    let form = Form::of_list(args.json, environment);
    held_against(&store, [&a, &b], &conditions, &args.conditions, form)
}

/// The newest session that is meant. One that is still running, or was cut short, is no match: half a sweep would pass
/// for a whole one.
fn newest(store: &Store, baseline: &Baseline, last: bool) -> Result<RunName, CommandError> {
    let own = store
        .summary_of(baseline.of.session)
        .map_err(CommandError::refused)?;
    let fits = |session: &SessionSummary| {
        session.id != own.id
            && (last
                || (session.kind == own.kind
                    && session.target == own.target
                    && session.outcome == Some(SessionOutcome::Complete)))
    };
    let mut found = None;
    let mut until = |session: &SessionSummary, _: &[ResultRow]| match fits(session) {
        true => {
            found = Some(session.id);
            ControlFlow::Break(())
        }
        false => ControlFlow::Continue(()),
    };
    let damaged = store.each_session(Pass::Sessions, &mut until);
    super::rows::reported(store, &damaged.map_err(CommandError::refused)?);
    let found = found.filter(|session| last || *session > own.id);
    found.map(|session| RunName { session, run: None }).ok_or_else(|| {
        CommandError::refused(match last {
            true => format!("only the baseline {} itself is stored: measure something first", baseline.name),
            false => format!(
                "no complete {} of {} is newer than the baseline {} ({}): measure it again, or specify what to compare \
                 with it: fathom baseline check {} ID",
                own.kind.name(), own.target, baseline.name, baseline.of, model::shell_word(&baseline.name)
            ),
        })
    })
}
