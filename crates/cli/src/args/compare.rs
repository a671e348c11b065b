//! `fathom compare` and `fathom baseline`.

use super::StoreArgs;
use clap::{Args, Subcommand};

pub(super) const SIDES: &str = "\
A side is a session (12, last, -2), a result (12.3), a tag, a baseline (baseline:NAME), a file, or several of these with \
commas. A file is a results database (FILE.db:6, or FILE.db for its newest session) or what fathom import reads. A word \
that is no number is a tag; tag:NAME is always one. Results of the same work are compared with each other; \
several of the same work on one side are repeats.\n\n\
A condition is a figure as `fathom table` names it, > with a rise or < with a fall, in percent: 'p99 > +10%', 'iops < -5%'. \
It is broken where the change itself is beyond the limit and is significant. Exit codes: 0 all \
conditions are met, or none is broken; 3 one is broken, or with --strict not shown to be met.";

/// Conditions of a comparison.
#[derive(Args, Debug, Default)]
pub(crate) struct ConditionArgs {
    /// End with exit code 3 if this is so: 'p99 > +10%', 'iops < -5%' (repeatable)
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub(crate) fail_if: Vec<String>,
    /// End with exit code 3 also where it is unclear whether this is so
    #[arg(long, requires = "fail_if")]
    pub(crate) strict: bool,
    /// Compare results of other work or of another size, which are otherwise refused
    #[arg(long)]
    pub(crate) any_work: bool,
}

/// `fathom compare`.
#[derive(Args, Debug)]
#[command(after_help = SIDES)]
pub(crate) struct CompareArgs {
    /// Reference result
    #[arg(value_name = "A", allow_negative_numbers = true)]
    pub(crate) a: String,
    /// What is compared with it: ratios are B over A
    #[arg(value_name = "B", allow_negative_numbers = true)]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom baseline`.
#[derive(Args, Debug)]
pub(crate) struct BaselineArgs {
    #[command(subcommand)]
    pub(crate) command: BaselineCommand,
}

/// What can be done with baselines.
#[derive(Debug, Subcommand)]
pub(crate) enum BaselineCommand {
    /// Name a session or a result, to compare later ones with it; an existing name moves to it
    Set(BaselineSetArgs),
    /// List the names and their results
    List(BaselineListArgs),
    /// Compare the newest session of the same kind and target with it, or the specified one
    #[command(after_help = SIDES)]
    Check(BaselineCheckArgs),
    /// Remove a name; its result stays
    Remove(BaselineRemoveArgs),
}

/// `fathom baseline set`.
#[derive(Args, Debug)]
pub(crate) struct BaselineSetArgs {
    /// One word
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// A session or a result: 12, 12.3, last
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom baseline list`.
#[derive(Args, Debug)]
pub(crate) struct BaselineListArgs {
    /// Print them as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom baseline check`.
#[derive(Args, Debug)]
pub(crate) struct BaselineCheckArgs {
    /// The baseline
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// What is compared with it [default: the newest complete session of its kind and on its target]
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) id: Option<String>,
    /// The newest session, of any kind
    #[arg(long, conflicts_with = "id")]
    pub(crate) last: bool,
    #[command(flatten)]
    pub(crate) conditions: ConditionArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom baseline remove`.
#[derive(Args, Debug)]
pub(crate) struct BaselineRemoveArgs {
    /// The baseline
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
