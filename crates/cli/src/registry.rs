//! The tables of subcommands: one row each.
//!
//! Omitted: what a row has (`subcommand`), and kinds of sessions (`kinds`).

use crate::args::RunArgs;
use crate::commands::{
    audit, baseline, check, compare, db, dd, delete, devices, diskspd, docs, explain, export,
    fidelity, files, fio, hosts, import, iometer, ior, learn, learned, list, looks, mdtest, note,
    pts, replay, report, run, shell, show, sqlio, survey, sweep, table, tag, trace, triage, verify,
    watch, xdd,
};
use crate::seed;
use crate::subcommand::{Group, Subcommand, parsed};

/// All of them, in the order of the help; in the short help those of a group that people use most.
pub(crate) static COMMANDS: &[&Subcommand] = &[
    &survey::COMMAND,
    &RUN,
    &sweep::COMMAND,
    &looks::quick::COMMAND,
    &check::COMMAND,
    &watch::COMMAND,
    &audit::COMMAND,
    &triage::COMMAND,
    &looks::layers::COMMAND,
    &looks::fit::COMMAND,
    &looks::ab::COMMAND,
    &files::COMMAND,
    &verify::COMMAND,
    &pts::COMMAND,
    &trace::COMMAND,
    &replay::COMMAND,
    &learn::COMMAND,
    &fidelity::COMMAND,
    &fio::COMMAND,
    &import::COMMAND,
    &diskspd::COMMAND,
    &sqlio::COMMAND,
    &iometer::COMMAND,
    &ior::COMMAND,
    &mdtest::COMMAND,
    &xdd::COMMAND,
    &dd::COMMAND,
    &dd::LMDD,
    &dd::SGP_DD,
    &list::COMMAND,
    &show::COMMAND,
    &compare::COMMAND,
    &report::COMMAND,
    &table::COMMAND,
    &export::COMMAND,
    &baseline::COMMAND,
    &tag::COMMAND,
    &note::COMMAND,
    &delete::COMMAND,
    &db::COMMAND,
    &explain::COMMAND,
    &docs::COMMAND,
    &devices::COMMAND,
    &shell::COMPLETIONS,
    &shell::MAN,
];

/// The row of `fathom run`, which runs a workload of options or of a profile.
static RUN: Subcommand = Subcommand::new::<RunArgs>(
    "run",
    Group::Measure,
    "Run one workload",
    |words, environment| {
        let mut args: RunArgs = parsed(words)?;
        let targets = args.targets.iter().map(AsRef::as_ref);
        args.load.engine.seed = Some(seed::chosen(args.load.engine.seed.as_deref(), targets));
        match &args.profile.profile {
            Some(path) => {
                if !args.hosts.all.alone {
                    hosts::refuse_many("fathom run --profile", environment)?;
                }
                learned::run(path, &args, environment)
            }
            None => run::run(&args, environment),
        }
    },
)
.often()
.often_options(&[
    "block",
    "depth",
    "threads",
    "write",
    "pattern",
    "duration",
    "create",
    "cache",
    "rate",
    "engine",
    "overwrite",
    "json",
])
.with_ranks();
