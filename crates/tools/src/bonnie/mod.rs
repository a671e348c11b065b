//! bonnie++: its table and its line of fields, printed and read.
//!
//! Deliberately absent: its command line, which `fathom files` replaces.

pub(crate) mod reader;
mod result;
mod table;

use crate::Tool;
use crate::imports::Reader;
use model::ImportFormat;
pub use result::{files_bonnie, unmeasured_words};

/// Defines the row of bonnie++.
pub(crate) const TOOL: Tool = Tool {
    name: "bonnie++",
    option: None,
    readers: &[Reader {
        format: ImportFormat::BonnieText,
        name: "bonnie++'s table and line",
        about: "the line of commas that bonnie++ 1.03, 1.96 or 1.97 prints last, or the table above it",
        begins: reader::begins,
        read: reader::read,
    }],
};
