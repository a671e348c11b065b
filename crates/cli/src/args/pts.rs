//! The words of `fathom pts`.

use super::{ConsentArgs, KeepArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;
use tools::native;

/// Default of `--threads`.
const THREADS: &str = "4";
/// Default of `--depth`.
const DEPTH: &str = "32";
/// Default of `--range`.
const RANGE: &str = "100%";
/// Default of `--scale`.
const SCALE: &str = "1";
/// Default of `--purge`.
const PURGE: &str = "none";
/// Default of `--write`.
pub(crate) const WRITE: &str = "100";

/// What stands below the options.
pub(crate) const TESTS: &str = "\
iops: block sizes and mixes. tp: sequential throughput. lat: latency of single I/Os. wsat: write saturation. hir: host idle \
recovery. xsr: cross stimulus recovery. cbw: composite block sizes. dirth: demand intensity and response time histogram.

A test takes hours and writes the target many times: --dry-run prints how long and how much.

Exit codes: 0 good, also without steady state; 1 the test failed or was interrupted; 2 the request was refused.";

/// `fathom pts`.
#[derive(Args, Debug)]
pub(crate) struct PtsArgs {
    /// The test: iops, tp, lat, wsat, hir, xsr, cbw or dirth
    #[arg(
        value_name = "TEST",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    pub(crate) test: Option<String>,
    /// A whole drive; a file and a simulated device run, too, and the report lists which demands they do not meet
    #[arg(
        value_name = "TARGET",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    pub(crate) target: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: PtsWorkArgs,
    #[command(flatten)]
    pub(crate) course: PtsCourseArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is done to the target.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload")]
pub(crate) struct PtsWorkArgs {
    /// Threads, in the preconditioning and in the test; lat, cbw and dirth have their own in the test
    #[arg(short, long, value_name = "N", default_value = THREADS)]
    pub(crate) threads: String,
    /// Queue depth per thread, likewise
    #[arg(short = 'o', long, value_name = "N", default_value = DEPTH)]
    pub(crate) depth: String,
    /// Active range: a share of the target, or a size
    #[arg(long, value_name = "PERCENT%|SIZE", default_value = RANGE)]
    pub(crate) range: String,
    /// Create the file with this size, filled with data; a large enough file created by fathom is used as it is
    #[arg(long, value_name = "SIZE")]
    pub(crate) create: Option<String>,
    /// Bytes of one I/O of dirth
    #[arg(short, long, value_name = "SIZE", default_value = native::BLOCK)]
    pub(crate) block: String,
    /// Share of writes of dirth, 0 to 100
    #[arg(short, long, value_name = "PERCENT", default_value = WRITE)]
    pub(crate) write: String,
    /// I/O engine: auto, io_uring, libaio or sync
    #[arg(long, value_name = "ENGINE", default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Seed of the random offsets and operations
    #[arg(long, value_name = "N", default_value = native::SEED)]
    pub(crate) seed: String,
}

/// Purge, rounds, and how to go on.
#[derive(Args, Debug)]
#[command(next_help_heading = "Run order")]
pub(crate) struct PtsCourseArgs {
    /// Whether the drive was purged before the test: done or none. fathom purges no drive; this is stated in the report
    #[arg(long, value_name = "STATE", default_value = PURGE)]
    pub(crate) purge: String,
    /// Most rounds, 5 to 100 [default: 25; of wsat and hir as many as 24 hours have]
    #[arg(long, value_name = "N")]
    pub(crate) max_rounds: Option<String>,
    /// Shorten all times and the preconditioning for a demonstration, to 1/1000 at least: 1/600 makes a minute 100 ms. The
    /// result is no PTS result
    #[arg(long, value_name = "1/N", default_value = SCALE)]
    pub(crate) scale: String,
    /// Resume this test, as fathom list numbers it; the same command as before does so, too
    #[arg(long, value_name = "ID", conflicts_with_all = ["new", "purge", "max_rounds", "scale", "PtsWorkArgs"])]
    pub(crate) resume: Option<String>,
    /// Begin again, even if this test was begun before and is not finished
    #[arg(long, conflicts_with = "no_store")]
    pub(crate) new: bool,
    /// Print how long it takes and what is written; run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
