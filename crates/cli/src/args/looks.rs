//! The words of `fathom quick`, `layers`, `fit` and `ab`.

use super::load::LoadArgs;
use super::{ConsentArgs, KeepArgs};
use clap::Args;
use std::path::PathBuf;

/// Default of `--size`.
pub(crate) const SIZE: &str = "1G";
/// Default of `--rounds`.
pub(crate) const ROUNDS: &str = "5";
/// Default of `--round-time`.
pub(crate) const ROUND_TIME: &str = "500ms";
/// Default of `--round-time` of `fathom fit`.
pub(crate) const FIT_ROUND_TIME: &str = "5s";

/// `fathom quick`.
#[derive(Args, Debug)]
pub(crate) struct QuickArgs {
    /// A device, a file, or a folder: in a folder a temporary file is created and removed [default: the current folder]
    #[arg(value_name = "TARGET", default_value = ".", hide_default_value = true)]
    pub(crate) target: PathBuf,
    /// Measure the write side too: with direct I/O, flushed one by one, and into the cache
    #[arg(long)]
    pub(crate) write: bool,
    /// Size of the file that is created in a folder
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = SIZE)]
    pub(crate) size: String,
    /// Same seed, same offsets [default: drawn; 0 for simulated devices]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `fathom layers`.
#[derive(Args, Debug)]
pub(crate) struct LayersArgs {
    /// The device; it is only read, unless --write and --destroy are given
    #[arg(value_name = "DEVICE")]
    pub(crate) device: PathBuf,
    /// A folder on the device's file system; a temporary file is created there and removed
    #[arg(long, value_name = "DIR")]
    pub(crate) mount: PathBuf,
    /// Measure writes too: on the file, and on the device where --destroy allows it
    #[arg(long)]
    pub(crate) write: bool,
    /// Size of the file, and of the part of the device that is used
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, default_value = SIZE)]
    pub(crate) size: String,
    /// Number of rounds, each of which measures every I/O path once, 2 to 100
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value = ROUNDS)]
    pub(crate) rounds: String,
    /// Duration of one measurement
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = ROUND_TIME)]
    pub(crate) round_time: String,
    /// Same seed, same offsets [default: drawn; 0 for simulated devices]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `fathom fit`.
#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    /// What is to run on the storage: etcd, sql-log, … (--list)
    #[arg(value_name = "DEMAND")]
    pub(crate) demand: Option<String>,
    /// A folder, in which a temporary file is created and removed, a file or a device [default: the current folder]
    #[arg(value_name = "TARGET", default_value = ".", hide_default_value = true)]
    pub(crate) target: PathBuf,
    /// List the demands, with their limits and sources
    #[arg(long)]
    pub(crate) list: bool,
    /// Read demands from this file, too; it has the form of docs/demands.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) demands: Option<PathBuf>,
    /// Exit with 3 if the answer is INCONCLUSIVE, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Number of runs, 3 to 100; more make the interval narrower
    #[arg(long, value_name = "N", allow_hyphen_values = true, default_value = ROUNDS)]
    pub(crate) rounds: String,
    /// Duration of one run
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, default_value = FIT_ROUND_TIME)]
    pub(crate) round_time: String,
    /// Print what would be run, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Same seed, same offsets [default: drawn; 0 for simulated devices]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// `fathom ab`.
#[derive(Args, Debug)]
#[command(
    mut_arg("duration", |option| option.default_value("1s")),
    mut_arg("warmup", |option| option.default_value("200ms"))
)]
pub(crate) struct AbArgs {
    /// A and B: two files or devices with the same workload; or one, with --a and --b
    #[arg(value_name = "TARGET", required = true, num_args = 1..=2)]
    pub(crate) targets: Vec<PathBuf>,
    /// Options of fathom run for A alone: '--depth 1'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) a: Option<String>,
    /// Options of fathom run for B alone: '--depth 32'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) b: Option<String>,
    /// Smaller differences are none; the comparison ends when the ratio of IOPS is known as well, 1% to 50%
    #[arg(
        long,
        value_name = "PERCENT",
        allow_hyphen_values = true,
        default_value = "2%"
    )]
    pub(crate) precision: String,
    /// Most time of all runs together
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        default_value = "5m"
    )]
    pub(crate) budget: String,
    /// Print what would be run, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
