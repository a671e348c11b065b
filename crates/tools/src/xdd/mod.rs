//! xdd's command line, version 7: targets that are read and written in passes, each by as many threads as its queue is deep.
//!
//! Read in this order: `rows` (every option: reading, help and the manual come from them), `request` (what was given, for each target
//! and for all), `settle` (what contradicts itself, and what is refused), `build` (a pass → a timespan). [`xdd_text`] prints xdd's
//! lines from the records. Source: xdd 7.0, its `parse_func.c` and what it prints. Omitted: files (`cli` checks them), and which pass
//! is next (`cli`).

mod build;
mod request;
mod result;
mod rows;
mod settle;
#[cfg(test)]
mod tests;

pub use build::{PASS_TIME_MAX, timespan};
pub use request::{
    Amount, Output, Pattern, Pick, Request, Throttle, Times, Walk, Writes, XddTarget,
};
pub use result::{XddResults, xdd_csv, xdd_described, xdd_text};
pub use rows::{option, option_table, read, usage};

use crate::Tool;

/// Defines the row of xdd.
pub(crate) const TOOL: Tool = Tool {
    name: "xdd",
    option: Some(option),
    readers: &[],
};
