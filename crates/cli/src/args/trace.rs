//! The words of `fathom trace`.

use clap::Args;
use std::path::PathBuf;
use traces::trace::FileRounds;

/// Writes the formats below the options.
pub(crate) fn formats() -> String {
    let rows = traces::FORMATS
        .iter()
        .map(|format| format!("  {:<9} {}\n", format.name, format.title));
    let rows: String = rows.collect();
    format!(
        "Formats, recognized by the first lines:\n{rows}\
         \u{20} csv:time=us,-,op,offset=sectors,length=bytes   any text in columns (--format)\n\n\
         Names and device numbers in a trace are labels: nothing is opened by them."
    )
}

/// `fathom trace`.
#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) input: TraceInputArgs,
    /// Write the trace in another format: iotrace, fio3 or csv
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    pub(crate) convert: Option<String>,
    /// With --convert: into this new file [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "convert")]
    pub(crate) out: Option<PathBuf>,
    /// Print the summary as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which trace is read, and which part of it.
#[derive(Args, Clone, Debug)]
pub(crate) struct TraceInputArgs {
    /// The files of one trace, which are merged by time; - is standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The format, where the first lines do not show it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Only this part, in times since the first I/O: 10m..15m
    #[arg(long, value_name = "FROM..TO")]
    pub(crate) window: Option<String>,
    /// By file
    #[arg(skip)]
    pub(crate) rounds: Vec<FileRounds>,
}
