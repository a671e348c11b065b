//! Why a command has no result: how far it came, and a message for each reason.
//!
//! Omitted: exit codes and printing, which belong to the program.

use std::fmt::{self, Display};

/// How far the command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be run; nothing was done.
    Refused,
    /// The same, and it is the target or the machine that does not fit.
    Unfit,
    /// The run could not be carried out.
    Failed,
}

/// Why a command has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    kind: ErrorKind,
    /// One message each: a name in it may contain line ends.
    messages: Vec<String>,
}

impl CommandError {
    /// Reports a request that cannot be run; nothing was done.
    pub fn refused(why: impl Display) -> Self {
        CommandError::refused_for([why.to_string()])
    }

    /// The same for several reasons, each a message of its own.
    pub fn refused_for(reasons: impl IntoIterator<Item = String>) -> Self {
        CommandError::new(ErrorKind::Refused, reasons)
    }

    /// Reports what the target or the machine cannot do; nothing was done.
    pub fn unfit(reasons: impl IntoIterator<Item = String>) -> Self {
        CommandError::new(ErrorKind::Unfit, reasons)
    }

    /// Reports a run that could not be carried out.
    pub fn failed(why: impl Display) -> Self {
        CommandError::new(ErrorKind::Failed, [why.to_string()])
    }

    /// Reports a result that no process reads any more; no message is needed.
    pub fn silent() -> Self {
        CommandError::new(ErrorKind::Failed, [])
    }

    fn new(kind: ErrorKind, messages: impl IntoIterator<Item = String>) -> Self {
        CommandError {
            kind,
            messages: messages.into_iter().collect(),
        }
    }

    /// How far it came.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Each reason.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("; "))
    }
}
