//! The words of `fathom learn` and `fathom fidelity`, and those of a profile in `fathom run`.

use super::TraceInputArgs;
use clap::Args;
use std::path::PathBuf;

/// `fathom learn`.
#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    pub(crate) input: TraceInputArgs,
    /// Learn from this device of the trace, where it has several: 8:16
    #[arg(long, value_name = "DEVICE")]
    pub(crate) of: Option<String>,
    /// Write the profile into this new file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `fathom fidelity`.
#[derive(Args, Debug)]
pub(crate) struct FidelityArgs {
    /// The original: a trace or a profile
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: PathBuf,
    /// What is compared with it: a trace or a profile
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,
    /// Exit with 3 if a property is so or worse: similar or differs
    #[arg(long, value_name = "VERDICT")]
    pub(crate) fail_if: Option<String>,
    /// Seed of the I/Os of a profile
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
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
}
