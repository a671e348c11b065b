//! The words of `fathom import`.

use super::{KnownArgs, StoreArgs};
use clap::Args;
use std::path::PathBuf;

/// Writes the text below the options: the formats that are read.
pub(crate) fn read() -> String {
    let rows =
        tools::imports::readers().map(|reader| format!("  {:<24} {}\n", reader.name, reader.about));
    let rows: String = rows.collect();
    format!(
        "Formats, recognized by content, also mixed in one file:\n{rows}\n\
         What a file does not contain is unknown; see `fathom docs import`.\n\n\
         Exit codes: 0 good; 1 something in the files could not be imported, the rest was; 2 nothing was imported."
    )
}

/// `fathom import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// Files with results of other tools, results databases, and sessions of fathom export --sessions; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Give the session this word, to find it again (repeatable)
    #[arg(long, value_name = "WORD", conflicts_with = "dry_run")]
    pub(crate) tag: Vec<String>,
    /// Import files again that were imported before
    #[arg(long)]
    pub(crate) again: bool,
    /// Report what would be imported, and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) known: KnownArgs,
    /// Print what was imported as one JSON document, without the files' own text
    #[arg(long)]
    pub(crate) json: bool,
}
