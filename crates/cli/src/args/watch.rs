//! What `fathom watch`, `check`, `audit` and `triage` take.

use super::{HostsArgs, KeepArgs};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// `fathom watch`.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// Devices, by path or kernel name: /dev/sda nvme0n1 [default: every whole disk]
    #[arg(value_name = "DEVICE")]
    pub(crate) devices: Vec<String>,
    /// Time between two refreshes: 1s, 500ms, 1min; at least 100ms
    #[arg(short, long, value_name = "TIME", default_value = "1s")]
    pub(crate) interval: String,
    /// Refreshes until it ends by itself
    #[arg(short, long, value_name = "N")]
    pub(crate) count: Option<u64>,
    /// End after this time: 10s, 5min
    #[arg(long = "for", value_name = "TIME", conflicts_with = "count")]
    pub(crate) time: Option<String>,
    #[command(flatten)]
    pub(crate) account: WatchAccountArgs,
    /// Print a line for each device and refresh instead of a screen; so it does where standard output is no terminal
    #[arg(long, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// Print each refresh as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not time single I/Os: averages from the counters only
    #[arg(long)]
    pub(crate) no_trace: bool,
    /// Store the samples in the results database
    #[arg(long)]
    pub(crate) record: bool,
    /// The file in which they are stored [default: $FATHOM_STORE, or fathom/fathom.db in the user's data folder]
    #[arg(long, value_name = "PATH", requires = "record")]
    pub(crate) store: Option<PathBuf>,
    /// Serve it for Prometheus at http://ADDR:PORT/metrics; without an address for this machine alone
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, default_missing_value = ":9435", require_equals = true)]
    pub(crate) openmetrics: Option<String>,
    /// A name of this machine under which the collector asks for the metrics; localhost and the address need none
    #[arg(long, value_name = "NAME", requires = "openmetrics")]
    pub(crate) metrics_host: Vec<String>,
}

/// Processes that run already.
#[derive(Args, Debug)]
pub(crate) struct WatchAccountArgs {
    /// Report what this process, its children and the devices did in the time of --for, as fathom audit does
    #[arg(long, value_name = "N", requires = "time", conflicts_with_all = ["plain", "openmetrics", "no_trace"])]
    pub(crate) pid: Option<u32>,
    /// The same of the processes of a control group: /system.slice/db.service
    #[arg(long, value_name = "PATH", requires = "time", conflicts_with_all = ["pid", "plain", "openmetrics", "no_trace"])]
    pub(crate) cgroup: Option<PathBuf>,
}

/// `fathom check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// A file, a folder or a device; what need not be there yet is checked where it would be [default: fathom.dat in the
    /// current folder, as of a survey]
    #[arg(value_name = "TARGET")]
    pub(crate) target: Option<PathBuf>,
    /// How long to look for other load: 1s to 60s
    #[arg(short, long, value_name = "TIME", default_value = "2s")]
    pub(crate) duration: String,
    /// Print the whole report as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) hosts: HostsArgs,
}

/// `fathom audit`.
#[derive(Args, Debug)]
pub(crate) struct AuditArgs {
    /// A file, folder or device that the command uses; what need not be there yet is where its folder is (repeatable)
    /// [default: all devices of this machine]
    #[arg(long, value_name = "PATH")]
    pub(crate) on: Vec<PathBuf>,
    /// A file into which the command writes results that fathom import reads; of fio's --output it is found
    #[arg(long, value_name = "FILE")]
    pub(crate) result: Option<PathBuf>,
    /// Read the results that the command prints; its standard output is a pipe then and is passed on
    #[arg(long)]
    pub(crate) tee: bool,
    /// Write the account as one JSON document into this new file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Print no account
    #[arg(long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// The command with its arguments, behind --: -- fio job.fio
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    pub(crate) command: Vec<OsString>,
}

/// `fathom triage`.
#[derive(Args, Debug)]
pub(crate) struct TriageArgs {
    /// A file, folder or device that is slow [default: the whole machine]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// A process that is slow, by its number
    #[arg(long, value_name = "N", conflicts_with = "path")]
    pub(crate) pid: Option<u32>,
    /// A control group whose processes are slow, by its path: /system.slice/db.service
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "pid"])]
    pub(crate) cgroup: Option<PathBuf>,
    /// How long to look: 1s to 10min
    #[arg(long = "for", value_name = "TIME", default_value = "10s")]
    pub(crate) time: String,
    /// Print the answer as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
