//! What a sweep is asked for: a request of which some fields take several values.
//!
//! It comes from the options of `fathom run` with lists in them, from a DISKSPD command line with axes in addition, or
//! from a plan in TOML. Read in this order: the definition (here), `fields` (what can be varied), `values` (lists and
//! ranges), `options`, `line`, `plan` and `script` (the four
//! spellings; `loops` follows a script), `course` (order, repetitions, rest), `cell` (one
//! combination → timespan), `foreign` (timespan → DISKSPD's switches, for scripts).
//!
//! Deliberately absent: combining values (`sweep`), reading files, and consent: a plan cannot confirm that data may be
//! lost.

mod cell;
mod course;
mod fields;
mod foreign;
mod line;
mod loops;
mod options;
mod plan;
mod problem;
mod script;
#[cfg(test)]
mod tests;
mod values;

pub use cell::{BuiltCell, ScriptCell, build_cell, script_cell};
pub use course::{Course, CourseText, Order, Repeat};
pub use fields::field_names;
pub use line::Line;
pub use loops::{ScriptLine, ScriptLoops, UnreadLine, read_script};
pub use options::{Varied, from_options};
pub use plan::{PLAN_LENGTH_MAX, from_plan};
pub use problem::{Problem, Refusal};
pub use script::{TargetName, from_script};

use crate::native;

/// A sweep as it was asked for. Values are text; whether they can be combined is not looked at here.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What all cells have in common.
    pub base: Base,
    /// Sets of axes; one without a name where none was named. // never empty
    pub groups: Vec<Group>,
    /// Combinations that are omitted: fields with their values.
    pub exclude: Vec<Vec<Axis>>,
    /// In which order, how often, with which pause.
    pub course: Course,
    /// What of it was not read, for the user.
    pub notes: Vec<String>,
}

/// What all cells have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// Options of `fathom run`.
    Native(Box<native::Request>),
    /// A DISKSPD command line.
    Diskspd(Line),
    /// The command lines of a script; the field `line` chooses one by its place, from 1.
    Script(Vec<Line>),
}

/// One field and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// As its option is called, without dashes.
    pub name: String,
    /// In the order given, each in its shortest form.
    pub values: Vec<String>,
}

/// A set of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What a person calls it.
    pub name: Option<String>,
    /// Outermost first.
    pub axes: Vec<Axis>,
}
