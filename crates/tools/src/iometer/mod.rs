//! IOmeter's configuration files, `.icf`, of versions 1998.05.21 to 1.1.0.
//!
//! Read in this order: `config` (content of a file), `encoding` (bytes → text), `version`, `read` (text → [`Config`],
//! with the line of each problem), `print` ([`Config`] → text that IOmeter opens), `build` (→ one [`model::Timespan`]
//! for each access specification and depth), `restate` (a timespan of fathom's own → [`Config`]). Source: IOmeter 1.1's
//! `PageSetup`, `AccessSpecList`, `ManagerList`, `Manager` and `Worker`, which write and read these files.
//!
//! Deliberately absent: network workers, which are named and refused; results (`views` prints them, `readers` reads them).

mod build;
mod config;
mod encoding;
pub mod figures;
mod print;
mod read;
pub(crate) mod reader;
mod restate;
mod result;
mod version;

pub use build::{Built, Run, There, Wishes, build};
pub use config::{Config, Cycling, Line, Manager, Spec, Worker};
pub use encoding::decode;
pub use print::print;
pub use read::{ICF_MAX, read};
pub use restate::restate;
pub use result::{IometerResults, IometerRow, IometerTest, iometer_csv, iometer_time};

use crate::Tool;
use crate::imports::Reader;
use model::Field;
use model::ImportFormat;

/// Defines the row of IOmeter.
pub(crate) const TOOL: Tool = Tool {
    name: "IOmeter",
    option: Some(option),
    readers: &[Reader {
        format: ImportFormat::IometerCsv,
        name: "IOmeter's CSV",
        about: "the results file of IOmeter",
        begins: reader::begins,
        read: reader::read,
    }],
};

/// Returns the name of a field in IOmeter's window, or the option of `fathom iometer`.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "Transfer Request Size",
        Field::QueueDepth => "# of Outstanding I/Os",
        Field::Threads => "number of workers",
        Field::FileSize => "Maximum Disk Size or --size",
        Field::Create => "--size SIZE",
        Field::Duration => "Run Time or --duration",
        Field::Base => "Starting Disk Sector",
        Field::Length => "Maximum Disk Size",
        Field::Stride => "Align I/Os on",
        Field::ReadOnly => "100% Read",
        Field::Engine => "--engine",
        Field::Passthrough => "--engine nvme",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Interval | Field::Amount | Field::ThreadStride | Field::Distribution => return None,
        Field::Rate | Field::Source | Field::Buffered | Field::Unbuffered => return None,
        Field::CompletionPolling | Field::SubmissionPolling | Field::Pool => return None,
        Field::VerifyMemory => return None,
    })
}

/// One thing that is wrong with a file, or with what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{}{what}", at(*line))]
pub struct Problem {
    /// From 1; 0 where no line is meant.
    pub line: usize,
    /// What was read, what is accepted, what to do.
    pub what: String,
}

fn at(line: usize) -> String {
    match line {
        0 => String::new(),
        line => format!("line {line}: "),
    }
}

#[cfg(test)]
mod tests;
