//! The words of `fathom import`.

use super::{KnownArgs, StoreArgs};
use clap::Args;
use std::path::PathBuf;

/// What stands below the options: what is read.
pub(crate) const READ: &str = "\
Read are, recognised by what is in them and also mixed in one file: the text of DISKSPD 2.0.11 to 2.2 and of fathom \
diskspd, DISKSPD's XML results, the text of SQLIO, fio's JSON, the results file of IOmeter, the lines of a script \
that prints `Param -b4k, -t1, -o1, 9735.28 iops, …`, what dd prints, and bonnie++'s line of commas. What a file does not say stays unknown; see docs/import.md.

Exit codes: 0 good; 1 something in the files could not be imported, the rest was; 2 nothing was imported.";

/// `fathom import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// Files with results of other tools; - is standard input
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
