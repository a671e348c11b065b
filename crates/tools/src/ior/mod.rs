//! IOR's command line and scripts, versions 3 and 4: writes and reads of many tasks on a shared file, or a file of each.
//!
//! Read in this order: `test` (what a test is), `rows` (every option: the table drives reading, help and the manual), `command` and
//! `script` (words → tests), `settle` (what of a test contradicts itself, and what is refused), `build` (a phase of a test → a
//! timespan). `result` prints what [`analysis::job::job_phase`] has from the records, as IOR's table, JSON or CSV. Where fathom differs stands in
//! `docs/compatibility/ior.md`.
//!
//! Deliberately absent: files (`cli` reads them and checks targets), which phase is next (`cli`), and whether data may be
//! overwritten: IOR has no option for it, and `model::check` decides.

mod build;
mod command;
pub(crate) mod number;
mod reader;
mod reader_json;
mod result;
mod result_json;
mod rows;
mod script;
mod settle;
mod test;

pub use build::{PHASE_TIME_MAX, Phase, names, timespan};
pub use command::{Action, Environment, Request, parse};
pub use result::{IorResults, IorRun, IorTest, ior_csv, ior_text};
pub use result_json::ior_json;
pub use rows::{option, option_table, usage};
pub use script::SCRIPT_MAX;
pub use test::{Actions, Course, Files, Form, Layout, Order, Output, Storage, Test};

use crate::Tool;
use crate::imports::Reader;
use model::ImportFormat;

/// Defines the row of IOR.
pub(crate) const TOOL: Tool = Tool {
    name: "IOR",
    option: Some(option),
    readers: &[
        Reader {
            format: ImportFormat::IorText,
            name: "IOR's text",
            about: "what IOR prints, versions 2.10 to 4",
            begins: reader::begins,
            read: reader::read,
        },
        Reader {
            format: ImportFormat::IorJson,
            name: "IOR's JSON",
            about: "IOR's -O summaryFormat=JSON",
            begins: reader_json::begins,
            read: reader_json::read,
        },
    ],
};

/// The version of IOR whose requests are read and whose results are written.
pub const IOR_VERSION: &str = "4.1.0";
