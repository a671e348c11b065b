//! SQLIO 1.5: its command line, its parameter file, and the first part of its output.
//!
//! Read in this order: `flags` (every switch, one row each: the table drives reading, help and the manual), `parse`
//! (arguments → [`Request`]), `params` (the file of `-F`), `profile` (the content of a request, in SQLIO's terms),
//! `build` (→
//! [`model::Profile`]), `text` (how the request was understood, as SQLIO prints it), `print` (the line that means a
//! request). Where it differs from the original stands in `docs/compatibility/sqlio.md`. What is wrong with a request is
//! reported in the words of [`crate::diskspd`], whose command line has the same shape.
//!
//! Deliberately absent: files (`cli` reads the parameter file and checks the targets), results (`views` prints
//! them), where the I/Os go (`engine`), and whether data may be overwritten (`model::check`).

mod build;
mod command;
pub mod figures;
mod finish;
mod flags;
mod names;
mod params;
mod parse;
mod print;
mod profile;
pub(crate) mod reader;
mod result;
mod switches;
mod text;

pub use crate::diskspd::{Note, Problem, Refusal, decode};
pub use build::{Built, Size, There, build, path_of};
pub use command::Flag;
pub use flags::{FLAGS, flag_table, option, usage};
pub use params::{PARAMS_MAX, read_params};
pub use parse::parse;
pub use print::{print_params, print_words};
pub use profile::{Access, Affinity, Buffering, Files, Line, Profile, Timer, Usage};
pub use result::{SqlioResults, sqlio_latency, sqlio_text};
pub use text::{file_list, head};

use crate::OwnOptions;
use crate::Tool;
use crate::imports::Reader;
use model::ImportFormat;
use std::path::PathBuf;

/// Defines the row of SQLIO.
pub(crate) const TOOL: Tool = Tool {
    name: "SQLIO",
    option: Some(option),
    readers: &[Reader {
        format: ImportFormat::SqlioText,
        name: "SQLIO's text",
        about: "what SQLIO prints",
        begins: reader::begins,
        read: reader::read,
    }],
};

/// Most threads, and most files.
pub const COUNT_MAX: u32 = 256;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is to be done.
    pub action: Action,
    /// What was accepted and may not mean what was meant; for stderr.
    pub notes: Vec<Note>,
    /// The long switches, which SQLIO does not have.
    pub extra: Extra,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `-?`: print [`usage`] to stdout.
    Usage,
    /// Measure.
    Run(Profile),
}

/// The long switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// fathom's own.
    pub own: OwnOptions,
    /// `--json FILE`: the run's report besides.
    pub json: Option<PathBuf>,
    /// `--text FILE`: the text output besides.
    pub text: Option<PathBuf>,
    /// `--continue-on-error`: a failed I/O is counted and the run goes on.
    pub continue_on_error: bool,
}

/// What the reading of a command line must be reported, so that it needs no machine.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The text of a file, or the system's error.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
}

impl Environment<'_> {
    /// A machine without files.
    pub const BARE: Environment<'static> = Environment {
        read: &|_| Err("no such file".to_owned()),
    };
}
