//! fio's job files and command line, 3.x: the part that people use for files and block devices.
//!
//! Read in this order: `text` (files → sections), `table` (every option, one row each: the table drives reading, help and
//! the manual), `read`, `read_bounds`, `read_files`, `read_results` and `verify` (what an option does to a job), `job` (what a job is), `reporting` (which results it
//! asks for), `jobs` (sections → jobs), `ranges` (the files of a job), `build` (jobs → [`model::Profile`]). `result`, `normal`,
//! `terse` and `logs` print what `figures` has from the records. What is not honoured is named with its line, why, and what is nearest;
//! nothing is dropped in silence. Where fathom differs stands in `docs/compatibility/fio.md`.
//!
//! Deliberately absent: files (`cli` reads them and checks targets), results (`views` prints them), and whether data
//! may be overwritten: no option of fio confirms it, and `model::check` decides.

mod build;
mod builder;
mod command;
mod derived;
pub mod figures;
mod help;
mod honoured;
mod job;
mod jobs;
mod logs;
mod normal;
mod noted;
mod number;
mod posted;
mod printed;
mod problem;
mod ranges;
mod read;
mod read_bounds;
mod read_files;
mod read_results;
pub(crate) mod reader;
mod reader_tail;
mod reader_terse;
pub(crate) mod reader_text;
mod refused;
pub mod replay;
mod reporting;
mod result;
mod row;
mod spread;
mod table;
mod terse;
mod text;
mod times;
mod verify;

pub use build::{Built, JobPart, There, build};
pub use command::{Action, Extra, Form, MAIN, Main, Request, parse};
pub use help::{command_help, engine_help};
pub use logs::{fio_logs, is_log};
pub use normal::fio_normal;
pub use problem::{Note, Place, Problem, Refusal};
pub use replay::Replay;
pub use reporting::{Reporting, Sides};
pub use result::{FioResults, fio_json};
pub use row::Row;
pub use table::{option, rows};
pub use terse::fio_terse;
pub use text::FILE_MAX;

use crate::Tool;
use crate::imports::Reader;
use model::ImportFormat;
use std::fmt::Write;

/// Defines the row of fio.
pub(crate) const TOOL: Tool = Tool {
    name: "fio",
    option: Some(option),
    readers: &[
        Reader {
            format: ImportFormat::FioJson,
            name: "fio's JSON",
            about: "fio's --output-format=json or json+",
            begins: reader::begins,
            read: reader::read,
        },
        Reader {
            format: ImportFormat::FioText,
            name: "fio's text",
            about: "what fio prints without --output-format, versions 2 and 3",
            begins: reader_text::begins,
            read: reader_text::read,
        },
        Reader {
            format: ImportFormat::FioTerse,
            name: "fio's terse lines",
            about: "fio's --minimal or --output-format=terse, versions 3 to 5",
            begins: reader_terse::begins,
            read: reader_terse::read,
        },
    ],
};

/// What reading a request must be reported, so that it needs no machine.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The text of a file, or the system's error.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// `$ncpus`.
    pub processors: u32,
    /// `$mb_memory`.
    pub mib_memory: u64,
    /// Random, for jobs that ask for a seed of each run.
    pub drawn_seed: u64,
}

impl Environment<'_> {
    /// A machine without files and variables.
    pub const BARE: Environment<'static> = Environment {
        read: &|_| Err("no such file".to_owned()),
        variable: &|_| None,
        processors: 1,
        mib_memory: 1024,
        drawn_seed: 1,
    };
}

/// [`FIO_VERSION`] as a literal.
macro_rules! fio_version {
    () => {
        "fio-3.42"
    };
}

/// The version of fio whose requests are read and whose results are written.
pub const FIO_VERSION: &str = fio_version!();
/// How the line with the version begins, in `--version` and in the normal text.
pub const SIGNATURE: &str = concat!(fio_version!(), " (fathom ");

/// What `--version` prints: scripts read the version of fio from it, people whose program it is.
pub fn version(fathom: &str) -> String {
    format!("{SIGNATURE}{fathom})\n")
}

/// The help.
pub fn usage(program: &str) -> String {
    let mut text = format!(
        "{program} [OPTIONS] [JOBFILE...]\n\nTakes fio's job files, and jobs as --name=NAME with options behind it.\n\
         fio writes to any target; fathom does not: an existing file that it did not create needs --overwrite, a\n\
         device --destroy DEVICE.\n\nOptions of the command line:\n"
    );
    for row in MAIN {
        let _ = writeln!(text, "  --{:<24} {}", row.shown(), row.doc);
    }
    text.push_str("\nOptions of jobs, in files or as --OPTION=VALUE:\n");
    for row in table::rows() {
        let _ = writeln!(
            text,
            "  {} ({}): {}",
            row.names.join(", "),
            row.fate(),
            row.linux
        );
    }
    text
}

/// The tables of the manual.
pub fn option_table() -> String {
    let mut text = String::from("| option | here | |\n|---|---|---|\n");
    for row in table::rows() {
        let names: Vec<String> = row.names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            names.join(", "),
            row.fate(),
            row.linux
        );
    }
    text
}

#[cfg(test)]
mod tests;
