//! `fathom check`: what to put right before a target is measured.
//!
//! Looks and reads only, and passes the same check as `fathom survey`. Deliberately absent: what is judged how
//! (`analysis`), and refusing a run.

use super::hosts::{Member, Together, Way, answer_to, together, way};
use super::preflight::{Found, Start};
use super::survey;
use crate::args::{CheckArgs, HostsArgs, KeepArgs};
use crate::commands::run::stored::KIND;
use crate::environment::Environment;
use crate::failure::Ending;
use crate::report::Form;
use crate::subcommand::{Group, Subcommand, parsed};
use crate::{output, report};
use analysis::{HostPreflight, PreflightAnswer};
use host::Root;
use model::{CommandError, Location, Nanos, TargetFacts, TargetKind};
use serde::{Deserialize, Serialize};
use session::{Admission, HostAnswer, TargetKey, name_of_rank, target_key};
use std::path::{Path, PathBuf};
use tools::Reader;

/// The row of `fathom check`.
pub(crate) static COMMAND: Subcommand = Subcommand::new::<CheckArgs>(
    "check",
    Group::Measure,
    "Check a target before measuring: other load, health, throttling, settings",
    |words, environment| check(&parsed(words)?, environment),
)
.often()
.with_ranks();

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
    let name = args.target.as_deref().unwrap_or(survey::TARGET.as_ref());
    let order = Order {
        target: name.to_owned(),
        look,
    };
    if let Some(way) = way(&args.hosts, environment)? {
        return of_hosts(&order, &args.hosts, &way, environment, args.json);
    }
    let found = order.carry_out(&Root::live(), name, environment)?.judged();
    let form = Form::of_list(args.json, environment);
    output::print(&report::preflight(&found, form))?;
    Ok(ending(found.answer))
}

const fn ending(answer: PreflightAnswer) -> Ending {
    match answer {
        PreflightAnswer::Ready | PreflightAnswer::Caution => Ending::Good,
        PreflightAnswer::NotReady => Ending::Denied,
    }
}

/// What every host checks.
#[derive(Serialize, Deserialize)]
struct Order {
    target: PathBuf,
    look: Nanos,
}

/// What a host found, or what was refused there.
type Answer = Result<(Found, TargetKey), Vec<String>>;

impl Order {
    fn carry_out(
        &self,
        root: &Root,
        name: &Path,
        environment: &Environment,
    ) -> Result<Found, CommandError> {
        let target = target_of(root, name)?;
        let start = start(name, &target, environment)?;
        Ok(Found::read(root, target, start, self.look))
    }

    /// The part of a rank.
    fn of_rank(&self, gate: &Admission<'_>, rank: u32, environment: &Environment) -> Answer {
        let name = name_of_rank(&self.target, rank, &gate.host.hostname);
        let found = name.and_then(|name| self.carry_out(gate.root, &name, environment));
        let found = found.map_err(|error| error.messages().to_vec())?;
        let key = target_key(&found.target, gate.root);
        Ok((found, key))
    }
}

/// Checks on all hosts at once, and whether their targets can be measured together.
fn of_hosts(
    order: &Order,
    hosts: &HostsArgs,
    way: &Way,
    environment: &Environment,
    json: bool,
) -> Result<Ending, CommandError> {
    let keep = KeepArgs {
        no_store: true,
        ..KeepArgs::default()
    };
    let all = Together {
        perform: |gate, body, rank| {
            answer_to(body, |order: Order| {
                order.of_rank(gate, rank, &Environment::read())
            })
        },
        ..Together::new(hosts, &keep, &KIND)
    };
    together(&all, way, environment, &|member: &Member<'_>| {
        let hosts = member.hosts;
        let answers = hosts.ask(order, || order.of_rank(member.gate, 0, environment))?;
        let lost = hosts.lost();
        if let Some(lost) = lost.first() {
            let why = format!("host-lost: rank {}: {}", lost.rank, lost.reason);
            return Err(CommandError::failed(why));
        }
        let mut checks = Vec::new();
        let mut keys = Vec::new();
        for HostAnswer { rank, host, answer } in answers {
            let (found, answer) = answer.map_err(|messages| {
                let named = messages
                    .iter()
                    .map(|why| format!("rank {rank}, {host}: {why}"));
                CommandError::refused_for(named)
            })?;
            let check = found.judged();
            keys.push(HostAnswer {
                rank,
                host: host.clone(),
                answer,
            });
            checks.push(HostPreflight { rank, host, check });
        }
        let found = analysis::hosts_preflight(checks, hosts.unfit_targets(&keys));
        let form = Form::of_list(json, environment);
        output::print(&report::hosts_preflight(&found, form))?;
        Ok(ending(found.answer))
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
    // What is checked here is whether a file can be created, not whether it was requested.
    let refused = match starts(&["--create"]) {
        Ok(()) => return Ok(Start::default()),
        Err(refused) => refused.messages().to_vec(),
    };
    Ok(Start {
        refused,
        read_only: starts(&["--create", "--read-only"]).is_ok(),
    })
}
