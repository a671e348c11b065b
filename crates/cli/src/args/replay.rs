//! The words of `fathom replay`.

use super::learn::KeepTraceArgs;
use super::{ConsentArgs, KeepArgs, KnownArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;
use tools::native;

/// The default of `--speed`.
const SPEED: &str = "1";
/// The default of `--timing`.
const TIMING: &str = "recorded";

/// `fathom replay`.
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The trace; see fathom trace --help for its formats
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    /// A file or device, which gets the I/Os of all devices of the trace
    #[arg(
        value_name = "TARGET",
        required_unless_present = "map",
        conflicts_with = "map"
    )]
    pub(crate) target: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) replay: ReplayTraceArgs,
    #[command(flatten)]
    pub(crate) place: ReplayPlaceArgs,
    #[command(flatten)]
    pub(crate) kept: KeepTraceArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Show IOPS, latency, queue, cores and device counters during the run; q ends it
    #[arg(long)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What of the trace is issued, and when.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trace")]
pub(crate) struct ReplayTraceArgs {
    /// The format, where the first lines do not show it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Only this part, in times since the first I/O: 10m..15m
    #[arg(long, value_name = "FROM..TO")]
    pub(crate) window: Option<String>,
    /// Divide all times by this, 0.01 to 100. Bursts become denser and think times shorter, which more users would not do
    #[arg(long, value_name = "FACTOR", default_value = SPEED)]
    pub(crate) speed: String,
    /// Places on a target that is smaller than the trace's devices: identity, compact, hash, modulo or scale [default: the
    /// first of identity, compact, hash that has room]
    #[arg(long, value_name = "FIT")]
    pub(crate) fit: Option<String>,
    /// Replay this device of the trace on this target: 8:16=/dev/sdb (repeatable); other devices are omitted
    #[arg(long, value_name = "DEVICE=TARGET")]
    pub(crate) map: Vec<String>,
    /// When I/Os start: recorded (at their times), dependent (a think time after the completions that each waited for) or fast
    /// (as soon as fewer than --depth are in flight)
    #[arg(long, value_name = "TIMING", default_value = TIMING)]
    pub(crate) timing: String,
    /// Omit the writes, and with them flushes and discards
    #[arg(long)]
    pub(crate) reads_only: bool,
    /// Omit these: read, write, flush or discard (repeatable)
    #[arg(long, value_name = "OPERATION")]
    pub(crate) skip: Vec<String>,
    /// Round the offsets of the trace down to multiples of this
    #[arg(long, value_name = "SIZE")]
    pub(crate) align: Option<String>,
    /// Divide the offsets of the trace by this, before --align
    #[arg(long, value_name = "N")]
    pub(crate) divide: Option<String>,
    /// Replay the discards, too, which destroy data; places have to be those of the trace
    #[arg(long, conflicts_with = "reads_only")]
    pub(crate) discards: bool,
    /// Print what would be replayed and run nothing
    #[arg(long, conflicts_with = "json")]
    pub(crate) dry_run: bool,
}

/// How the targets are opened, and by which means.
#[derive(Args, Debug)]
#[command(next_help_heading = "Target and engine")]
pub(crate) struct ReplayPlaceArgs {
    /// Most I/Os in flight per thread; more are late [default: 64, or as many as in the trace, up to 1024]
    #[arg(short = 'o', long, value_name = "N")]
    pub(crate) depth: Option<String>,
    /// Threads per target; each thread of the trace is issued by one of them
    #[arg(short, long, value_name = "N", default_value = native::THREADS)]
    pub(crate) threads: String,
    /// Create the file with this size, filled with data; a large enough file created by fathom is used as it is
    #[arg(long, value_name = "SIZE")]
    pub(crate) create: Option<String>,
    /// unbuffered: direct I/O; cached: buffered I/O, through the page cache
    #[arg(long, value_name = "MODE", default_value = native::CACHE)]
    pub(crate) cache: String,
    /// I/O engine: auto, io_uring, libaio, sync, or null (no I/O: measures fathom itself)
    #[arg(long, value_name = "ENGINE", default_value = native::ENGINE)]
    pub(crate) engine: String,
    /// Count failed I/Os and continue, instead of ending the run at the first
    #[arg(long)]
    pub(crate) continue_on_error: bool,
}
