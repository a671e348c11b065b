//! The words of `fathom quick` and `fathom layers`.

use super::{ConsentArgs, KeepArgs};
use clap::Args;
use std::path::PathBuf;

/// Default of `--size`.
pub(crate) const SIZE: &str = "1G";
/// Default of `--rounds`.
pub(crate) const ROUNDS: &str = "5";
/// Default of `--round-time`.
pub(crate) const ROUND_TIME: &str = "500ms";

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
