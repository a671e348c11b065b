//! The words of `fathom learn` and `fathom fidelity`, and those of a profile in `fathom run`.

use super::{StoreArgs, TraceInputArgs};
use clap::Args;
use std::path::PathBuf;

/// `fathom learn`.
#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    /// The files of one trace, which are merged by time; - is standard input
    #[arg(
        value_name = "TRACE",
        required_unless_present_any = ["device", "file", "pid"],
        conflicts_with_all = ["device", "file", "pid"]
    )]
    traces: Vec<PathBuf>,
    /// The format, where the first lines do not show it
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["device", "file", "pid"])]
    format: Option<String>,
    /// Only this part, in times since the first I/O: 10m..15m
    #[arg(long, value_name = "FROM..TO", conflicts_with_all = ["device", "file", "pid"])]
    window: Option<String>,
    /// Learn from this device of the trace, where it has several: 8:16
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["device", "file", "pid"])]
    pub(crate) of: Option<String>,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
    /// Write the profile into this new file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON document with the profile
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) json: bool,
}

impl LearnArgs {
    /// Returns which trace is read.
    pub(crate) fn input(&self) -> TraceInputArgs {
        TraceInputArgs {
            files: self.traces.clone(),
            format: self.format.clone(),
            window: self.window.clone(),
            rounds: Vec::new(),
        }
    }
}

/// What is observed instead of reading a trace.
#[derive(Args, Debug)]
#[command(next_help_heading = "Observe a running application (root)")]
pub(crate) struct ObserveArgs {
    /// Observe the I/Os of this block device or partition
    #[arg(long, value_name = "DEVICE", conflicts_with = "file")]
    pub(crate) device: Option<PathBuf>,
    /// Observe the I/Os of the device that are in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Observe only the I/Os that this process or its children issue
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Option<u32>,
    /// How long; Ctrl-C ends it earlier and keeps what was seen [default: 60s]
    #[arg(long = "for", value_name = "TIME", conflicts_with = "traces")]
    pub(crate) duration: Option<String>,
    /// Write the I/Os that were observed into this new file, as a trace for fathom replay
    #[arg(long, value_name = "FILE", conflicts_with = "traces")]
    pub(crate) keep_trace: Option<PathBuf>,
    /// Print what would be observed and observe nothing
    #[arg(long, conflicts_with = "traces")]
    pub(crate) dry_run: bool,
}

/// `fathom fidelity`.
#[derive(Args, Debug)]
pub(crate) struct FidelityArgs {
    /// The original: a trace, a profile, or the id of a stored replay or run of a profile
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,
    /// What is compared with it: likewise
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,
    /// Exit with 3 if a property is so or worse: similar or differs
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_if: Option<String>,
    /// Seed of the I/Os of a profile
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// The trace that a run keeps of its I/Os.
#[derive(Args, Debug)]
pub(crate) struct KeepTraceArgs {
    /// Write the I/Os, as they are issued, into this new file: a trace for fathom trace, replay and fidelity
    #[arg(long, value_name = "FILE")]
    pub(crate) keep_trace: Option<PathBuf>,
}

/// What is run instead of the options of the workload.
#[derive(Args, Debug)]
#[command(next_help_heading = "Learned workload")]
pub(crate) struct ProfileArgs {
    /// Run the workload of this profile (fathom learn) on one target; if the target is smaller, its places move together
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "block", "write", "pattern", "base", "length", "duration", "warmup", "cooldown", "rate", "arrivals",
            "verify", "evidence", "journal", "fsync", "fdatasync", "hosts", "layout", "on_loss", "host_timeout", "mpi_library",
        ]
    )]
    pub(crate) profile: Option<PathBuf>,
    /// Multiply the rate of the profile, 0.001 to 1000
    #[arg(long, value_name = "FACTOR", requires = "profile")]
    pub(crate) scale_rate: Option<String>,
    /// Divide all times of the profile, 0.01 to 100: gaps and duration become shorter
    #[arg(long, value_name = "FACTOR", requires = "profile")]
    pub(crate) scale_time: Option<String>,
    /// With --profile: print what would be run and run nothing
    #[arg(long, requires = "profile", conflicts_with = "json")]
    pub(crate) dry_run: bool,
}
