//! What `fathom audit` and `fathom triage` take.

use super::KeepArgs;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

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
