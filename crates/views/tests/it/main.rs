//! Views of prepared reports, as expected text; the published schemas; the limits of a page.

#![allow(clippy::unwrap_used, reason = "all of this binary is tests")]

mod fields;
mod findings;
mod json_lines;
mod lists;
mod pages;
mod run;
mod schema;
mod survey;
mod sweep;
mod widths;
