//! The words of `fathom report`.

use super::StoreArgs;
use clap::Args;
use std::path::PathBuf;

/// `fathom report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Sessions and results: 12, 12.3; several are laid side by side
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Write to this file; an earlier report of fathom is replaced, anything else is refused
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "report.html",
        conflicts_with = "json"
    )]
    pub(crate) out: PathBuf,
    /// Replace whatever is at the output's place
    #[arg(long, conflicts_with = "json")]
    pub(crate) force: bool,
    /// Write no page; print its data as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
