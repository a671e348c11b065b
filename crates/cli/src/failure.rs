//! The last stop of every error: its words on standard error, its exit code.
//!
//! The one place that decides which errors are refusals (2: nothing was run) and which are failures (1).
//! The words themselves come from the crates that know what went wrong.

use crate::output;
use clap::error::{ContextKind, ContextValue};
use engine::RunError;
use std::fmt::{self, Display};
use std::process::ExitCode;

/// How a command that printed its result ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All went as asked.
    Good,
    /// There is a result, but the run was interrupted, failed on the way, or could not be kept.
    Wrong,
}

/// Why a command has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    refused: bool,
    /// One message each: a name in it may hold line ends.
    messages: Vec<String>,
}

impl Failure {
    /// The request cannot be run; nothing was done.
    pub(crate) fn refused(why: impl Display) -> Self {
        Failure::refused_for([why.to_string()])
    }

    /// The same for several reasons, each a message of its own.
    pub(crate) fn refused_for(reasons: impl IntoIterator<Item = String>) -> Self {
        Failure {
            refused: true,
            messages: reasons.into_iter().collect(),
        }
    }

    /// The run could not be carried out.
    pub(crate) fn failed(why: impl Display) -> Self {
        Failure {
            refused: false,
            messages: vec![why.to_string()],
        }
    }

    /// Says it, a message a problem.
    pub(crate) fn tell(&self) -> ExitCode {
        self.messages
            .iter()
            .for_each(|message| output::tell(message));
        ExitCode::from(if self.refused { 2 } else { 1 })
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("; "))
    }
}

impl Ending {
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Ending::Good => 0,
            Ending::Wrong => 1,
        })
    }

    /// The worse of the two.
    pub(crate) fn and(self, other: Ending) -> Ending {
        if self == Ending::Good { other } else { self }
    }
}

/// What the parser has to say: help and version are results, everything else is a refusal.
pub(crate) fn parser_says(mut error: clap::Error) -> ExitCode {
    make_printable(&mut error);
    match error.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            output::unwritten(&error).tell()
        }
        _ if error.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// The parser repeats what it read as it was: what a terminal would obey is made visible, as in `output::tell`.
fn make_printable(error: &mut clap::Error) {
    let printable: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(views::printable(text)),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(|text| views::printable(text)).collect())
                }
                _ => return None, // made by the parser, of nothing that was read
            };
            Some((kind, value))
        })
        .collect();
    for (kind, value) in printable {
        error.insert(kind, value);
    }
}

impl From<dialects::Refusal> for Failure {
    fn from(refusal: dialects::Refusal) -> Self {
        Failure::refused_for(refusal.iter().map(ToString::to_string))
    }
}

impl From<model::Problems> for Failure {
    fn from(problems: model::Problems) -> Self {
        Failure::refused_for(problems.iter().map(ToString::to_string))
    }
}

/// What the machine does not offer is known before the first I/O, so it is a refusal; what goes wrong later is
/// a failure.
impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Open { .. }
            | RunError::NotOurs { .. }
            | RunError::Locked { .. }
            | RunError::Unavailable { .. }
            | RunError::DepthWithoutRing { .. } => Failure::refused(error),
            _ => Failure::failed(error),
        }
    }
}
