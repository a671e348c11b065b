//! The results database's commands: list, show, table, export, tag, note, delete, db.

use super::{KnownArgs, OutputArgs};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use std::path::PathBuf;
use views::{EXPORTS, Export};

const FILTER: &str = "\
A filter compares fields with values in their units: 'block=8K and write=0', 'latency_p99 < 5ms', \
'(threads=4 or threads=8) and not label ~ warm'. Operators: = != < <= > >= ~ (contains) !~, with and, or, not and \
parentheses; - means not known. `fathom table --fields` lists all fields; a name may \
omit its unit: latency_p99 is latency_p99_ns, and p99 is, too.";

/// The newest session.
pub(crate) const LAST: &str = "last";

/// Where to look.
#[derive(Args, Debug, Default)]
pub(crate) struct StoreArgs {
    /// The results database [default: $FATHOM_STORE, or fathom/fathom.db in the user's data folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
}

/// `fathom list`.
#[derive(Args, Debug)]
pub(crate) struct ListArgs {
    /// Only sessions in which all of these words are found: in target, labels, tags, command, host or source
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Only sessions of this kind, as the list shows it: survey
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Only sessions whose target's name contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) target: Option<String>,
    /// Only sessions that have this tag, themselves or on a result of theirs
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only sessions with results of this tool: fathom, diskspd, sqlio, fio, iometer, dd, bonnie++
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// Only sessions that began then or later, in UTC: 2026-11-21, 2026-11-21T10:30
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Only sessions that began then or earlier
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// At most so many [default: 1000, and all with --json]
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) number: Option<String>,
    /// Print them as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom show`.
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// As `fathom list` names it: 12 is a session, 12.3 the third result of it; last or -1 the newest, -2 the one before
    #[arg(value_name = "ID", allow_negative_numbers = true, default_value = LAST)]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which results.
#[derive(Args, Debug, Default)]
pub(crate) struct RowsArgs {
    /// Sessions and results: 12, 12.3, last, -2 [default: all stored]
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// Only results that fit, as in 'block=8K and write=0'
    #[arg(long = "where", value_name = "FILTER")]
    pub(crate) filter: Option<String>,
    /// Sort by these fields; a field behind a - falls: block,-iops
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true)]
    pub(crate) sort: Option<String>,
    /// At most so many, after sorting [default: 1000 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom table`.
#[derive(Args, Debug)]
#[command(after_help = FILTER)]
pub(crate) struct TableArgs {
    #[command(flatten)]
    pub(crate) rows: RowsArgs,
    /// These fields, or `all` [default: fields that distinguish the results, and their figures]
    #[arg(long, value_name = "FIELDS")]
    pub(crate) columns: Option<String>,
    /// Lay one field out by one or two others, rows first: --by block,threads
    #[arg(long, value_name = "FIELDS", conflicts_with_all = ["columns", "sort", "limit", "csv", "json"])]
    pub(crate) by: Option<String>,
    /// The field that is laid out [default: iops]
    #[arg(long, value_name = "FIELD", requires = "by")]
    pub(crate) show: Option<String>,
    /// Of each workload only the result with the highest rate that fits: --best 'p99 <= 5ms' shows which depth and
    /// threads
    #[arg(long, value_name = "FILTER", conflicts_with = "by")]
    pub(crate) best: Option<String>,
    /// Comma-separated, headings with their units
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// One JSON list
    #[arg(long)]
    pub(crate) json: bool,
    /// List all fields with their meaning
    #[arg(long, exclusive = true)]
    pub(crate) fields: bool,
}

/// `fathom export`.
#[derive(Args, Debug)]
#[command(after_help = FILTER)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) rows: RowsArgs,
    /// These fields [default: all]
    #[arg(long, value_name = "FIELDS")]
    pub(crate) columns: Option<String>,
    #[command(flatten)]
    pub(crate) form: ExportForm,
    /// Into this new file [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// In which form: an option for each row of [`EXPORTS`], or whole sessions; exactly one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExportForm {
    /// Rows, one per result.
    Rows(&'static Export),
    /// Whole sessions, for `fathom import` on another machine.
    Sessions,
}

const SESSIONS: &str = "sessions";

impl Args for ExportForm {
    fn augment_args(command: Command) -> Command {
        let option = |export: &'static Export| {
            let option = Arg::new(export.name).long(export.name).help(export.about);
            option.action(ArgAction::SetTrue)
        };
        let sessions = Arg::new(SESSIONS).long(SESSIONS).action(ArgAction::SetTrue);
        let sessions = sessions
            .help("Whole sessions as JSON, for fathom import and compare on another machine")
            .conflicts_with_all(["filter", "sort", "limit", "columns"]);
        let names = EXPORTS.iter().map(|export| export.name).chain([SESSIONS]);
        let group = ArgGroup::new("form").args(names).required(true);
        command
            .args(EXPORTS.iter().map(option))
            .arg(sessions)
            .group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ExportForm {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if matches.get_flag(SESSIONS) {
            return Ok(ExportForm::Sessions);
        }
        let mut all = EXPORTS.iter();
        let export = all.find(|export| matches.get_flag(export.name));
        export
            .map(ExportForm::Rows)
            .ok_or_else(|| clap::Error::new(ErrorKind::MissingRequiredArgument))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `fathom tag`.
#[derive(Args, Debug)]
pub(crate) struct TagArgs {
    /// Sessions and results: 12, 12.3, last, -2
    #[arg(value_name = "ID", required = true, allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// Give them this word (repeatable)
    #[arg(long, value_name = "TAG", required_unless_present = "remove")]
    pub(crate) add: Vec<String>,
    /// Take this word from them (repeatable)
    #[arg(long, value_name = "TAG")]
    pub(crate) remove: Vec<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Name of the note that is free text, and of its option.
pub(crate) const COMMENT: &str = "comment";
/// Every note at once, for `--clear`.
pub(crate) const ALL_NOTES: &str = "all";

/// `fathom note`.
#[derive(Args, Debug)]
pub(crate) struct NoteArgs {
    /// Sessions and results: 12, 12.3, last, -2
    #[arg(value_name = "ID", required = true, allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// Free text, one line: 'firmware 1.2, before the update'
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    /// Remove this note: cap-iops, cap-mibs, array-cache, medium, comment or all (repeatable)
    #[arg(long, value_name = "NOTE")]
    pub(crate) clear: Vec<String>,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Print the notes as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom delete`.
#[derive(Args, Debug)]
pub(crate) struct DeleteArgs {
    /// Sessions and results by their numbers: 12, 12.3
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// How much is lost by it, in just these words: '48 results'
    #[arg(long, value_name = "WORDS")]
    pub(crate) lose: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom db`.
#[derive(Args, Debug)]
pub(crate) struct DbArgs {
    #[command(subcommand)]
    pub(crate) command: DbCommand,
}

/// What can be done with the file.
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Print its path
    Path(StoreArgs),
    /// Check it for damage: its structure, all summaries, and the newest records and some others
    Check(CheckDbArgs),
    /// Write a whole copy of it into a new file
    Backup(BackupArgs),
    /// Answer a question in SQL; nothing can be changed by it. The view `results` has one line a result
    Sql(SqlArgs),
}

/// `fathom db check`.
#[derive(Args, Debug)]
pub(crate) struct CheckDbArgs {
    /// Read all of it, every record
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom db backup`.
#[derive(Args, Debug)]
pub(crate) struct BackupArgs {
    /// A new file
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `fathom db sql`.
#[derive(Args, Debug)]
pub(crate) struct SqlArgs {
    /// One statement: 'SELECT id, iops FROM results'
    #[arg(value_name = "SQL")]
    pub(crate) sql: String,
    /// Comma-separated
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// One JSON list
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
