//! The shape of the command line: names, help and which options exist. Completions and man pages come from here.
//!
//! Values stay text: the dialect reads them, so that all that is wrong is told at once. Defaults are the
//! dialect's. Deliberately absent: what any option means for a run.

mod compare;
mod files;
mod import;
mod known;
mod load;
mod looks;
mod report;
mod run;
mod shelf;
mod sweep;
mod watch;

use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use compare::{
    BaselineArgs, BaselineCheckArgs, BaselineCommand, BaselineListArgs, BaselineSetArgs,
    CompareArgs, ConditionArgs,
};
pub(crate) use files::{DdArgs, FilesArgs, FilesWorkArgs};
pub(crate) use import::ImportArgs;
pub(crate) use known::KnownArgs;
pub(crate) use load::LoadArgs;
pub(crate) use looks::{LayersArgs, QuickArgs};
pub(crate) use report::ReportArgs;
pub(crate) use run::RunArgs;
pub(crate) use shelf::{
    BackupArgs, CheckDbArgs, DbArgs, DbCommand, DeleteArgs, ExportArgs, ListArgs, RowsArgs,
    ShowArgs, SqlArgs, StoreArgs, TableArgs, TagArgs,
};
use std::ffi::OsString;
use std::path::PathBuf;
pub(crate) use sweep::SweepArgs;
use tools::native;
pub(crate) use watch::{CheckArgs, WatchArgs};

const NO_COLOR: &str = "--no-color";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "fathom",
    version,
    about = "Measures storage and says what the numbers mean",
    after_help = "Exit codes: 0 good; 1 the run failed or was interrupted; 2 the request was refused; 3 a \
                  comparison or a check said no.",
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    /// Use no colours, on screens, in help and in messages; NO_COLOR in the environment does the same
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Print the notices of the libraries that fathom contains; only by itself
    #[arg(long, exclusive = true)]
    pub(crate) licenses: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads them; what is wrong with them is told in colours only where these words do not ask for none.
    pub(crate) fn read(words: &[OsString]) -> Result<Cli, clap::Error> {
        let plain = words.iter().any(|word| word == NO_COLOR);
        let choice = if plain {
            ColorChoice::Never
        } else {
            ColorChoice::Auto
        };
        let matches = Cli::command().color(choice).try_get_matches_from(words)?;
        Cli::from_arg_matches(&matches)
    }
}

/// What there is to do.
#[allow(clippy::large_enum_variant, reason = "one is made a process")]
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find out what a disk can do: seven workloads, each at growing queue depths
    Survey(SurveyArgs),
    /// Run every combination of a matrix of workloads, and go on where it was cut short
    #[command(after_help = sweep::LISTS)]
    Sweep(Box<SweepArgs>),
    /// Run one workload
    Run(Box<RunArgs>),
    /// Say what to put right before a target is measured: other load, health, throttles, settings
    Check(CheckArgs),
    /// Watch what devices do: rates, latencies and queues, every second
    Watch(WatchArgs),
    /// Look quickly: what hdparm -tT and a pair of dd runs tell, in ten seconds
    Quick(QuickArgs),
    /// Compare a device with the file system on it: what the system's cache and the file system cost
    Layers(Box<LayersArgs>),
    /// Measure what a file system does with names and bytes: create, stat, rename, delete, fsync, stream
    Files(Box<FilesArgs>),
    /// Measure a copy in dd's words: its percentiles, and what of it came from caches
    #[command(after_help = files::OPERANDS)]
    Dd(Box<DdArgs>),
    /// Take a command line or an XML profile of DISKSPD 2.2, and print its output; `fathom diskspd -?` lists its
    /// switches
    #[command(disable_help_flag = true)]
    Diskspd(DialectArgs),
    /// Take a command line of SQLIO 1.5 with its parameter file, and print its output; `fathom sqlio -?` lists its switches
    #[command(disable_help_flag = true)]
    Sqlio(DialectArgs),
    /// Take job files and the command line of fio 3, and print its JSON; `fathom fio --help` lists its options
    #[command(disable_help_flag = true)]
    Fio(DialectArgs),
    /// Run an IOmeter configuration (.icf) and write its results as IOmeter does; or write one from a run
    Iometer(IometerArgs),
    /// Import results of DISKSPD, SQLIO, fio, IOmeter, dd and bonnie++, to look at them beside fathom's own
    #[command(after_help = import::READ)]
    Import(ImportArgs),
    /// List what was measured, newest first
    List(ListArgs),
    /// Show the result of a survey, sweep, run or import again
    Show(ShowArgs),
    /// Write a page that opens in any browser: one file with verdict, charts, tables and the data itself
    Report(ReportArgs),
    /// Filter, sort and lay out results of any session
    Table(TableArgs),
    /// Say what changed from one result to another, and how sure that is
    Compare(CompareArgs),
    /// Name results to hold later ones against
    Baseline(BaselineArgs),
    /// Write results for other programs: CSV, JSON or Parquet
    Export(ExportArgs),
    /// Give words to sessions and results, or take them away
    Tag(TagArgs),
    /// Delete sessions and results for good
    Delete(DeleteArgs),
    /// Look after the file that keeps the results
    Db(DbArgs),
    /// Explain a finding, a result or an outcome: what it means, how it is found, what to do
    Explain(ExplainArgs),
    /// List the block devices of this machine and who uses them
    Devices(DevicesArgs),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Write the man pages into a folder
    Man(ManArgs),
}

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
    /// Size of files that are made, where the configuration says no maximum size: 8G
    #[arg(long, value_name = "SIZE")]
    pub(crate) size: Option<String>,
    /// Measured time of each test, instead of the configuration's: 60s
    #[arg(short, long, value_name = "TIME")]
    pub(crate) duration: Option<String>,
    /// What moves the bytes: auto, io_uring, libaio or sync
    #[arg(long, value_name = "ENGINE", default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Write a configuration for IOmeter to this file instead, from a run on the shelf
    #[arg(long, value_name = "OUT.icf", conflicts_with_all = ["results", "target_map", "size", "duration"])]
    pub(crate) write_icf: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// The words that allow losing data.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Consent")]
pub(crate) struct ConsentArgs {
    /// What the target files hold may be lost
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// What this target device holds may be lost (repeatable)
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

/// Where results are kept.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Results")]
pub(crate) struct KeepArgs {
    /// The file that keeps the results [default: $FATHOM_STORE, or fathom/fathom.db in the user's data folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Keep nothing
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,
}

/// Default of `--workload`.
pub(crate) const WORKLOAD: &str = "all";
/// Default of `--precision`, as it is typed: what `sweep` recommends.
pub(crate) const PRECISION: &str = "2%";

/// `fathom survey`.
#[derive(Args, Debug)]
pub(crate) struct SurveyArgs {
    /// A file or a device [default: fathom.dat in the current folder, which is made]
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<PathBuf>,
    /// Size of the file, or of the part that is used [default: chosen from memory and free space]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) size: Option<String>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Remove the file afterwards, if fathom made it
    #[arg(long)]
    pub(crate) rm: bool,
    /// What moves the bytes: auto, io_uring, libaio, sync, or null (no I/O: measures fathom itself)
    #[arg(long, value_name = "ENGINE", allow_hyphen_values = true, default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Same seed, same offsets and operations
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value = native::SEED)]
    pub(crate) seed: String,
    /// Write the page of the survey into this file; none writes no page [default: fathom-survey-ID.html in the current
    /// folder]
    #[arg(short = 'o', long, value_name = "FILE|none")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Show rate, latency, queue, cores and device counters moving while it runs; q ends it
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
    /// How long it may take, without making the file: 90s, 3m, 1h [default: 3m, 6m with --p99; as long as needed with
    /// --exhaustive]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) budget: Option<String>,
    /// Deepest queue of the ladder, 1 to 128 [default: 128, or 1 with the engine sync]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) depth_max: Option<String>,
    /// unbuffered: past the system's cache; cached: through it
    #[arg(long, value_name = "MODE", allow_hyphen_values = true, default_value = native::CACHE)]
    pub(crate) cache: String,
    /// What is measured: all, oltp, olap, sql-log, backup, vdi, several of these with commas, or a file of workloads
    #[arg(long, value_name = "NAME|FILE", default_value = WORKLOAD)]
    pub(crate) workload: String,
    /// Also find the highest arrival rate whose 99th percentile stays below this time: 5ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) p99: Option<String>,
    /// A cell ends when its rate is known this well: half of its 95% interval
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, default_value = PRECISION)]
    pub(crate) precision: String,
    /// Most threads, 1 to 8 [default: as many as cores, up to 8]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) threads_max: Option<String>,
    /// Run every depth with every number of threads, each for 5 s, instead of looking for what tells most
    #[arg(long)]
    pub(crate) exhaustive: bool,
    /// Also look whether caches are honest: a small part against the whole, cached, unbuffered, write-through
    #[arg(long)]
    pub(crate) cache_check: bool,
    /// Also read the device below the file, to see what the file system costs; it is only read
    #[arg(long, value_name = "DEVICE")]
    pub(crate) compare_raw: Option<PathBuf>,
    /// Leave out the workloads that write
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// `fathom diskspd` and `fathom sqlio`: listed here for help, completions and man pages. The dialects read the words
/// themselves.
#[derive(Args, Debug)]
pub(crate) struct DialectArgs {
    /// The tool's own switches, then its targets
    #[arg(
        value_name = "SWITCH|TARGET",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    #[allow(dead_code, reason = "see above")]
    pub(crate) words: Vec<std::ffi::OsString>,
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
    /// An id, such as iops-limit, or a word of a report, such as NOT CHECKED [default: all are listed]
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
