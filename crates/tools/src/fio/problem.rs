//! What stands against a job file, and what was accepted but deserves a word, each with its place.

use crate::refusal::Problems;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Where something was specified: a file and a line, or an option of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file; empty for the command line.
    pub file: Arc<str>,
    /// From 1; 0 for the command line.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str("command line"),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{place}: {what}: {why}")]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// The option as it was given, the section, or the file.
    pub what: String,
    /// Why it cannot be, and the nearest thing that can.
    pub why: String,
}

/// Something that was accepted and changes nothing, or not just what it changes in fio.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// Where it stands.
    pub place: Place,
    /// The option as it was given.
    pub what: String,
    /// What is different.
    pub why: String,
}

impl From<Problem> for Note {
    fn from(problem: Problem) -> Self {
        let Problem { place, what, why } = problem;
        Note { place, what, why }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "note: {}: {}: {}", self.place, self.what, self.why)
    }
}

/// Omits the content of files that are no job files: of each, one problem stays, with its line.
pub(super) fn withhold(problems: &mut Problems<Problem>, job_files: &HashSet<Arc<str>>) {
    let mut reported: HashSet<Arc<str>> = HashSet::new();
    problems.retain_mut(|problem| {
        let file = &problem.place.file;
        if file.is_empty() || job_files.contains(file) {
            return true;
        }
        let is_first = reported.insert(file.clone());
        "no option of fio".clone_into(&mut problem.what);
        "this is no job file, and its content is not printed".clone_into(&mut problem.why);
        is_first
    });
}

/// Everything that is wrong with a request.
pub type Refusal = crate::refusal::Refusal<Problem>;
