//! What can be wrong with a request as typed, and what was accepted but changes nothing.
//!
//! Only what the text alone shows; problems with the machine are `model::check`'s business.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong with the text of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A value that is not what the option takes.
    #[error("{}", model::invalid_value(read, option, accepted))]
    Value {
        /// As it is written on the command line.
        option: &'static str,
        /// The text as it was given.
        read: String,
        /// One sentence on what is accepted here.
        accepted: &'static str,
    },
    /// An option that cannot be together with another.
    #[error("{option}: {why}")]
    Contradiction {
        /// As it is written on the command line.
        option: &'static str,
        /// What it contradicts and what to do.
        why: &'static str,
    },
    /// What cannot be omitted of a request, because the rest of it needs it.
    #[error("{option}: {why}")]
    Needed {
        /// As it is written on the command line.
        option: &'static str,
        /// Who needs it and what to do.
        why: String,
    },
    /// A file that an option names, with what is wrong in it.
    #[error("{option} {}: {what}", path.display())]
    File {
        /// As it is written on the command line.
        option: &'static str,
        /// As it was given.
        path: PathBuf,
        /// What was read and what is accepted.
        what: String,
    },
    /// Nothing to measure.
    #[error("no target: specify a file or a device at the end of the line")]
    NoTarget,
    /// The name of a target is empty.
    #[error("a target: read an empty name; specify a file or a device")]
    EmptyTarget,
    /// What is wrong with the word of a simulated device.
    #[error("a simulated target (sim:MODEL[,key=value...]): {why}")]
    Simulated {
        /// In a sentence.
        why: String,
    },
    /// The engine null has no target.
    #[error(
        "{}: the engine null moves no bytes, so it takes no target: omit the name, or specify another engine", path.display()
    )]
    TargetOfNull {
        /// As it was given.
        path: PathBuf,
    },
    /// The same name twice.
    #[error("{}: given twice as a target: specify it once, and specify --threads for more load on it", path.display())]
    TargetTwice {
        /// As it was given.
        path: PathBuf,
    },
    /// A name that cannot be kept with the results.
    #[error(
        "{}: this name is not UTF-8, and results are kept with their target's name as text: rename it, or \
         make a symbolic link with a plain name", path.display()
    )]
    NameNotText {
        /// As it was given.
        path: PathBuf,
    },
}

/// Everything that is wrong with the text of a request.
pub type Refusal = crate::refusal::Refusal<Problem>;

/// Something that was accepted and changes nothing, so that it is not believed to have an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// As it is written on the command line.
    pub option: &'static str,
    /// Why it changes nothing.
    pub why: &'static str,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "note: {}: {}", self.option, self.why)
    }
}
