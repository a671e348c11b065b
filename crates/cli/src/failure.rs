//! The last stop of every error: its words on standard error, its exit code.
//!
//! The one place that decides which errors are refusals (2: nothing was run) and which are failures (1).
//! The words themselves come from the crates that know what went wrong.

use crate::output;
use clap::error::{ContextKind, ContextValue};
use model::{CommandError, ErrorKind};
use std::process::ExitCode;

/// How a command that printed its result ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All went as asked.
    Good,
    /// There is a result, but the run was interrupted, failed on the way, or could not be kept.
    Wrong,
    /// There is a result, and it broke a condition that was set.
    Denied,
    /// What was read is not what was written.
    Corrupt,
    /// A dialect's own exit code.
    Code(u8),
}

/// Reports a result file that was not written: refused where the place rules it out.
pub(crate) fn of_output(error: &gate::OutputError) -> CommandError {
    match error.is_refusal() {
        true => CommandError::refused(error),
        false if error.is_full() => CommandError::failed(format!(
            "{error}; hint: make room, or free inodes (see df -i)"
        )),
        false => CommandError::failed(error),
    }
}

/// Prints why there is no result, a message for each reason.
pub(crate) fn say(failure: &CommandError) {
    let messages = failure.messages().iter();
    messages.for_each(|message| output::tell(message));
}

/// The same, and the exit code.
pub(crate) fn tell(failure: &CommandError) -> ExitCode {
    say(failure);
    ExitCode::from(match failure.kind() {
        ErrorKind::Refused | ErrorKind::Unfit => 2,
        ErrorKind::Failed => 1,
    })
}

impl Ending {
    /// Prints what could not be stored, if anything.
    pub(crate) fn of(stored: Result<(), CommandError>) -> Ending {
        match stored {
            Ok(()) => Ending::Good,
            Err(failure) => {
                say(&failure);
                Ending::Wrong
            }
        }
    }

    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Ending::Good => 0,
            Ending::Wrong => 1,
            Ending::Denied => 3,
            Ending::Corrupt => 4,
            Ending::Code(code) => code,
        })
    }

    /// The worse of the two: corrupt data before all else.
    pub(crate) fn and(self, other: Ending) -> Ending {
        match (self, other) {
            (_, Ending::Corrupt) | (Ending::Good, _) => other,
            _ => self,
        }
    }

    /// Whether data that was read is not what was written.
    pub(crate) const fn of_data(corrupt: bool) -> Ending {
        match corrupt {
            true => Ending::Corrupt,
            false => Ending::Good,
        }
    }
}

/// Output of the parser: help and version are results, everything else is a refusal.
pub(crate) fn parser_says(mut error: clap::Error) -> ExitCode {
    make_printable(&mut error);
    if error.use_stderr() {
        let _ = error.print(); // there is nowhere to report a failure of this
        return ExitCode::from(2);
    }
    match output::written(error.print()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => tell(&CommandError::silent()),
        Err(failure) => tell(&failure),
    }
}

/// The parser repeats what it read as it was: what a terminal would obey is escaped, as for all messages.
fn make_printable(error: &mut clap::Error) {
    let printable: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(views::printable(text)),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(|text| views::printable(text)).collect())
                }
                _ => return None, // created by the parser, not from input
            };
            Some((kind, value))
        })
        .collect();
    for (kind, value) in printable {
        error.insert(kind, value);
    }
}
