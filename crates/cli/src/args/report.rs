//! The words of `fathom report`.

use super::StoreArgs;
use clap::Args;
use std::path::PathBuf;

/// `fathom report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Sessions and results: 12, 12.3, last, -2; several are laid side by side [default: the newest session]
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// Every session as a page of its own in one folder, with an index: search, trends, regressions
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,
    /// Write to this file, or with --all to this folder; an earlier report of fathom is replaced, anything else is refused
    /// [default: report.html, or fathom-history]
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) out: Option<PathBuf>,
    /// Replace an existing file at the output's place
    #[arg(long, conflicts_with = "json")]
    pub(crate) force: bool,
    /// Write no page; print its data as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
