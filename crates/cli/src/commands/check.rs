//! `fathom check`: what to put right before a target is measured.
//!
//! Looks and reads only, and passes the same check as `fathom survey`. Deliberately absent: what is judged how
//! (`analysis`), and refusing a run.

use super::preflight::{Start, preflight};
use super::survey;
use crate::args::CheckArgs;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::{output, report};
use analysis::PreflightAnswer;
use host::Root;
use model::{CommandError, Location, Nanos, TargetFacts, TargetKind};
use std::path::Path;
use tools::Reader;

const LOOK_MIN: Nanos = Nanos::seconds(1);
const LOOK_MAX: Nanos = Nanos::seconds(60);

/// Checks, and reports the findings.
pub(crate) fn check(args: &CheckArgs, environment: &Environment) -> Result<Ending, CommandError> {
    let look = args.duration.parse::<Nanos>().ok();
    let look = look.filter(|look| (LOOK_MIN..=LOOK_MAX).contains(look));
    let look = look.ok_or_else(|| {
        let read = &args.duration;
        CommandError::refused(format!(
            "invalid value '{read}' for --duration: must be 1s to 60s"
        ))
    })?;
    let root = Root::live();
    let host = host::host_record(&root);
    let name = args.target.as_deref().unwrap_or(survey::TARGET.as_ref());
    let target = target_of(&root, name)?;
    let start = start(name, &target, environment)?;
    let found = preflight(&root, &host, &target, &start, look);
    output::print(&report::preflight(
        &found,
        Form::of_list(args.json, environment),
    ))?;
    Ok(match found.answer {
        PreflightAnswer::Ready | PreflightAnswer::Caution => Ending::Good,
        PreflightAnswer::NotReady => Ending::Denied,
    })
}

/// The target as it would be measured: `sim:ssd` is no file of that name.
fn target_of(root: &Root, target: &Path) -> Result<TargetFacts, CommandError> {
    let mut reader = Reader::default();
    let location = reader.location(target);
    Ok(match reader.finish(location)? {
        Location::Path(path) => host::target_facts(root, &path),
        Location::Null(behaviour) => TargetFacts::null(&behaviour),
        Location::Simulated(device) => TargetFacts::simulated(&device),
    })
}

/// Takes the survey's own check, which creates and writes nothing. Of a folder that of the file in it which a survey
/// creates.
fn start(
    name: &Path,
    target: &TargetFacts,
    environment: &Environment,
) -> Result<Start, CommandError> {
    let name = match target.kind {
        TargetKind::Folder => name.join(survey::TARGET),
        _ => name.to_owned(),
    };
    let starts = |more: &[&str]| survey::would_start(&name, more, environment);
    let refused = match starts(&[]) {
        Ok(()) => return Ok(Start::default()),
        Err(refused) => refused.messages().to_vec(),
    };
    Ok(Start {
        refused,
        read_only: starts(&["--read-only"]).is_ok(),
    })
}
