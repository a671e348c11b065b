//! The options of the subcommands: names and help. The parser of the whole line consists of them (`parser`).
//!
//! Values stay text: the dialect reads them, so that all that is wrong is reported at once. Defaults are the
//! dialect's. Deliberately absent: what any option means for a run.

mod compare;
mod database;
pub(crate) mod files;
mod hosts;
pub(crate) mod import;
mod known;
mod learn;
mod load;
mod looks;
pub(crate) mod pts;
mod replay;
mod report;
mod run;
pub(crate) mod sweep;
pub(crate) mod trace;
mod watch;

use crate::subcommand::read_line;
use clap::Args;
pub(crate) use compare::{
    BaselineArgs, BaselineCheckArgs, BaselineCommand, BaselineListArgs, BaselineSetArgs,
    CompareArgs, ConditionArgs,
};
pub(crate) use database::{
    ALL_NOTES, BackupArgs, COMMENT, CheckDbArgs, DbArgs, DbCommand, DeleteArgs, ExportArgs,
    ExportForm, LAST, ListArgs, NoteArgs, RowsArgs, ShowArgs, SqlArgs, StoreArgs, TableArgs,
    TagArgs,
};
pub(crate) use files::{DdArgs, FilesArgs, FilesWorkArgs, VerifyArgs};
pub(crate) use hosts::{HostsArgs, RunHostsArgs};
pub(crate) use import::ImportArgs;
pub(crate) use known::{HINTS, KnownArgs, known_by};
pub(crate) use learn::{FidelityArgs, LearnArgs, ObserveArgs, ProfileArgs};
pub(crate) use load::LoadArgs;
pub(crate) use looks::{AbArgs, FitArgs, LayersArgs, QuickArgs};
use model::CommandError;
pub(crate) use pts::{PtsArgs, PtsCourseArgs, PtsWorkArgs, WRITE as PTS_WRITE};
pub(crate) use replay::{ReplayArgs, ReplayTraceArgs};
pub(crate) use report::ReportArgs;
pub(crate) use run::RunArgs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
pub(crate) use sweep::SweepArgs;
use tools::native;
pub(crate) use trace::{TraceArgs, TraceInputArgs};
pub(crate) use watch::{AuditArgs, CheckArgs, TriageArgs, WatchArgs};

/// `fathom iometer`.
#[derive(Args, Debug)]
pub(crate) struct IometerArgs {
    /// The configuration; with --write-icf the run it is written from, such as 12 or 12.3
    #[arg(value_name = "FILE.icf")]
    pub(crate) file: PathBuf,
    /// Where the results go, in IOmeter's layout
    #[arg(value_name = "RESULTS.csv")]
    pub(crate) results: Option<PathBuf>,
    /// What a target of the file is here: 'C:=/mnt/iobw.tst'; once for each
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) target_map: Vec<String>,
    /// Size of files that are created, where the configuration specifies no maximum size: 8G
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Measured time of each test, instead of the configuration's: 60s
    #[arg(short, long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// What does the I/O: auto, io_uring, libaio or sync
    #[arg(long, value_name = "ENGINE", default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Write a configuration for IOmeter to this file instead, from a run in the database
    #[arg(long, value_name = "OUT.icf", conflicts_with_all = ["results", "target_map", "size", "duration"])]
    pub(crate) write_icf: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// The words that allow losing data.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Data-loss confirmation")]
pub(crate) struct ConsentArgs {
    /// Confirm that the data in the target files may be lost
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Confirm that the data on this target device may be lost (repeatable)
    #[arg(long, value_name = "DEVICE")]
    pub(crate) destroy: Vec<PathBuf>,
}

impl ConsentArgs {
    /// In the checker's words.
    pub(crate) fn consent(&self) -> model::Consent {
        model::Consent {
            overwrite_files: self.overwrite,
            destroy_devices: self.destroy.clone(),
        }
    }
}

/// Where results are stored.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Results")]
pub(crate) struct KeepArgs {
    /// The results database [default: $FATHOM_STORE, or fathom/fathom.db in the user's data folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Store nothing
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,
}

impl KeepArgs {
    /// Of another tool's command line.
    pub(crate) fn of_tool(own: &tools::OwnOptions) -> KeepArgs {
        KeepArgs {
            store: own.store.clone(),
            no_store: own.no_store,
        }
    }
}

/// Default of `--workload`.
pub(crate) const WORKLOAD: &str = "all";
/// Default of `--precision`, as it is typed: what `sweep` recommends.
pub(crate) const PRECISION: &str = "2%";

/// `fathom survey`.
#[derive(Args, Debug)]
pub(crate) struct SurveyArgs {
    /// A file, a device, or a folder: in a folder the file fathom.dat, which is created [default: the current folder]
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) file: SurveyFileArgs,
    /// Go on with this survey, as `fathom list` numbers it, with the options that it began with; confirmations are given
    /// again
    #[arg(long, value_name = "ID", conflicts_with_all = ["target", "create", "size", "SearchArgs", "rm", "seed"])]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Seed of the random offsets and operations [default: drawn for each survey; 0 for simulated devices]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    /// Write the HTML report to this file; none writes none [default: fathom-survey-ID.html in the current
    /// folder]
    #[arg(short = 'o', long, value_name = "FILE|none")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) hosts: HostsArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// The file of a survey.
#[derive(Args, Debug)]
pub(crate) struct SurveyFileArgs {
    /// Create the file if it does not exist; without this option only fathom.dat is created
    #[arg(long)]
    pub(crate) create: bool,
    /// Size of the file, or of the range that is used [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) size: Option<String>,
    /// Remove the file afterwards, if fathom created it
    #[arg(long)]
    pub(crate) rm: bool,
}

/// What is shown during a survey and after it.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ScreenArgs {
    /// Show IOPS, latency, queue, cores and device counters during the run; q ends it
    #[arg(long)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How much of a result is printed, and in which form.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct OutputArgs {
    /// Print everything: curve, limits, all notes, machine and time
    #[arg(long, conflicts_with = "json")]
    pub(crate) verbose: bool,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a survey measures, and how well.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Longest time, without creating the file: 90s, 3m, 1h [default: 3m, 6m with --p99; as long as needed with
    /// --exhaustive]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) budget: Option<String>,
    /// Highest queue depth over all threads, 1 to 128 [default: 128, or 1 with the engine sync]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) depth_max: Option<String>,
    /// unbuffered: direct I/O; cached: buffered I/O, through the page cache
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, default_value = native::CACHE)]
    pub(crate) cache: String,
    /// Workloads: all, oltp, olap, sql-log, backup, vdi, several of these with commas, or a file of workloads
    #[arg(long, value_name = "NAME|FILE", default_value = WORKLOAD)]
    pub(crate) workload: String,
    /// Also find the highest arrival rate whose 99th percentile stays below this time: 5ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) p99: Option<String>,
    /// End a point when half of the 95% interval of its IOPS is this narrow
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, default_value = PRECISION)]
    pub(crate) precision: String,
    /// Most threads, 1 to 8 [default: as many as cores, up to 8]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) threads_max: Option<String>,
    /// Run every queue depth with every number of threads, each for 5 s, instead of choosing points
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// Also compare a small range with the whole, buffered, direct and write-through, to detect caches
    #[arg(long)]
    pub(crate) cache_check: bool,
    /// Also read the device below the file, to measure the cost of the file system
    #[arg(long, value_name = "DEVICE")]
    pub(crate) compare_raw: Option<PathBuf>,
    /// Omit the workloads that write
    #[arg(long)]
    pub(crate) read_only: bool,
    /// I/O engine: auto, io_uring, libaio, sync, or null (no I/O: measures fathom itself)
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true, default_value = native::ENGINE)]
    pub(crate) engine: String,
}

/// `fathom devices`.
#[derive(Args, Debug)]
pub(crate) struct DevicesArgs {
    /// Print them as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `fathom explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// An id, such as iops-limit, a word of a report, such as NOT CHECKED, or any word, such as p99 [default: all are listed]
    #[arg(value_name = "ID")]
    pub(crate) id: Vec<String>,
    /// Print a JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `fathom completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// `fathom man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// An existing folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Replace the man pages that are in it
    #[arg(long)]
    pub(crate) overwrite: bool,
}

/// Reads what a request of another tool replays, as the words behind `fathom replay`.
///
/// # Errors
/// Words that are none of its options.
pub(crate) fn replay(
    trace_and_target: [&Path; 2],
    options: &[String],
) -> Result<ReplayArgs, CommandError> {
    let words = ["fathom", "replay"].map(OsString::from).into_iter();
    let words = words.chain(options.iter().map(OsString::from));
    let words = words.chain([OsString::from("--")]);
    let words = words.chain(trace_and_target.map(|path| path.as_os_str().to_owned()));
    read_line("replay", words).map_err(|error| CommandError::refused(error.render()))
}
