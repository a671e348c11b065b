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
    /// There is a result, and it broke a condition that was set.
    Denied,
    /// A dialect's own exit code.
    Code(u8),
}

/// How far it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The request cannot be run; nothing was done.
    Refused,
    /// The same, and it is the target or the machine that does not fit.
    Unfit,
    /// The run could not be carried out.
    Failed,
}

/// Why a command has no result.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
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
            kind: Kind::Refused,
            messages: reasons.into_iter().collect(),
        }
    }

    /// What the target or the machine says against the request; nothing was done.
    pub(crate) fn unfit(reasons: impl IntoIterator<Item = String>) -> Self {
        Failure {
            kind: Kind::Unfit,
            messages: reasons.into_iter().collect(),
        }
    }

    /// For dialects that tell these apart.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The run could not be carried out.
    pub(crate) fn failed(why: impl Display) -> Self {
        Failure {
            kind: Kind::Failed,
            messages: vec![why.to_string()],
        }
    }

    /// A result file that was not written: refused where the place rules it out.
    pub(crate) fn of_output(error: &gate::OutputError) -> Self {
        match error.is_refusal() {
            true => Failure::refused(error),
            false => Failure::failed(error),
        }
    }

    /// The result could not be written because its reader closed the pipe; no message is needed.
    pub(crate) fn without_words() -> Self {
        Failure {
            kind: Kind::Failed,
            messages: Vec::new(),
        }
    }

    /// Says it, a message a problem.
    pub(crate) fn tell(&self) -> ExitCode {
        self.say();
        ExitCode::from(match self.kind {
            Kind::Refused | Kind::Unfit => 2,
            Kind::Failed => 1,
        })
    }

    /// The words alone.
    pub(crate) fn say(&self) {
        self.messages
            .iter()
            .for_each(|message| output::tell(message));
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
            Ending::Denied => 3,
            Ending::Code(code) => code,
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
    if error.use_stderr() {
        let _ = error.print(); // nobody can be told where this fails
        return ExitCode::from(2);
    }
    match output::written(error.print()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => Failure::without_words().tell(),
        Err(failure) => failure.tell(),
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

impl<P: std::fmt::Display> From<dialects::refusal::Refusal<P>> for Failure {
    fn from(refusal: dialects::refusal::Refusal<P>) -> Self {
        Failure::refused_for(refusal.told())
    }
}

impl From<model::Problems> for Failure {
    fn from(problems: model::Problems) -> Self {
        let messages = problems.iter().map(ToString::to_string);
        if problems.iter().all(model::Problem::is_of_the_machine) {
            Failure::unfit(messages)
        } else {
            Failure::refused_for(messages)
        }
    }
}

/// What the machine does not offer is known before the first I/O, so it is a refusal; what goes wrong later is
/// a failure.
impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::NotOurs { .. }
            | RunError::Locked { .. }
            | RunError::Core { .. }
            | RunError::NoCore { .. } => Failure::refused(error),
            RunError::Open { .. }
            | RunError::Unavailable { .. }
            | RunError::DepthWithoutRing { .. }
            | RunError::NotPolled { .. }
            | RunError::PassedThrough { .. }
            | RunError::Ring { .. }
            | RunError::Aio { .. }
            | RunError::OpenFiles { .. }
            | RunError::AddressSpace { .. }
            | RunError::FileSize { .. }
            | RunError::Buffers { .. }
            | RunError::Thread { .. }
            | RunError::LargePages { .. }
            | RunError::Source { .. }
            | RunError::Affinity { .. }
            | RunError::Priority { .. }
            | RunError::Map { .. } => Failure::unfit([error.to_string()]),
            _ => Failure::failed(error),
        }
    }
}
