//! What stands against a DISKSPD request, and what was accepted but deserves a word.
//!
//! Deliberately absent: exit codes (`cli` turns [`Refusal`] into DISKSPD's code 3), and the machine's problems
//! with a request, which is `model::check`'s business.

use super::xml::XmlError;
use std::fmt;

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A value that is not what the switch takes.
    #[error("{}", invalid(token, read, accepted))]
    Value {
        /// The argument as it was given.
        token: String,
        /// The part of it that was read.
        read: String,
        /// One sentence on what is accepted here.
        accepted: &'static str,
    },
    /// A list of processors that cannot be read, with the place.
    #[error("{token}: {why}\n{token}\n{}^", " ".repeat(*at))]
    Processors {
        /// The argument as it was given.
        token: String,
        /// Characters before the one that is wrong.
        at: usize,
        /// What is wrong there, and what is accepted.
        why: &'static str,
    },
    /// A switch that cannot be together with an earlier one.
    #[error("{token}: {why}")]
    Clash {
        /// The argument as it was given.
        token: String,
        /// What it contradicts and what to do.
        why: &'static str,
    },
    /// No such switch.
    #[error(
        "{token}: there is no such switch; letters count as they are written, and -? lists them all"
    )]
    Unknown {
        /// The argument as it was given.
        token: String,
    },
    /// A switch behind a target.
    #[error("{token}: read after the target {target}; switches must come before targets")]
    AfterTarget {
        /// The argument as it was given.
        token: String,
        /// The target before it.
        target: String,
    },
    /// Nothing to measure.
    #[error("no target: specify a file or a device at the end of the line")]
    NoTarget,
    /// A switch with a profile that the profile does not leave open.
    #[error("{token}: the profile of {profile} specifies this, and it cannot be specified twice{}; with -X there may be \
             only -: -C -d -W -R -v -vs -z, the long switches and targets", hint(*.before))]
    BesideProfile {
        /// The argument as it was given.
        token: String,
        /// The argument that names the profile.
        profile: String,
        /// It came before the profile.
        before: bool,
    },
    /// A profile that is not possible.
    #[error("-X{path}: {why}; specify a readable XML profile")]
    Unreadable {
        /// As it was given.
        path: String,
        /// The system's error.
        why: String,
    },
    /// A profile that cannot be read.
    #[error("-X{path}: {error}")]
    Document {
        /// As it was given.
        path: String,
        /// What is wrong, and where.
        error: XmlError,
    },
    /// Values that cannot be together, found when all were read.
    #[error("{place}: {why}")]
    Rule {
        /// The time span or target that breaks it.
        place: String,
        /// What is wrong and what to do.
        why: String,
    },
}

impl Problem {
    /// The message, and below it what is only to be shown as it stands: the argument with a mark under the place.
    pub fn message(&self) -> (String, Vec<String>) {
        let text = self.to_string();
        let Problem::Processors { token, at, .. } = self else {
            return (text, Vec::new());
        };
        let mark = format!("{}^", " ".repeat(*at));
        let first = text.strip_suffix(&format!("\n{token}\n{mark}"));
        (first.unwrap_or(&text).to_owned(), vec![token.clone(), mark])
    }
}

/// Writes what is wrong with the value behind a switch. Without one, a blank mostly stands before it, as in `-b 4K`.
pub(crate) fn invalid(token: &str, read: &str, accepted: &str) -> String {
    let switch = token.strip_suffix(read).unwrap_or(token);
    if read.is_empty() {
        return format!("no value for {token}: {accepted}; it follows the switch without a blank");
    }
    let option = if switch == "-" { token } else { switch };
    model::invalid_value(read, option, accepted)
}

fn hint(before: bool) -> &'static str {
    if before {
        " (it counts as a profile of its own, and multiple XML profiles do not exist)"
    } else {
        ""
    }
}

/// Everything that is wrong with a request.
pub type Refusal = crate::refusal::Refusal<Problem>;

impl Refusal {
    /// DISKSPD's exit code for a request that is not run.
    pub const EXIT_CODE: u8 = 3;
}

/// Something that was accepted and may not mean what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The argument, or the target, that it is about.
    pub about: String,
    /// What it was taken for, or why it changes nothing.
    pub what: String,
}

impl Note {
    /// A note about an argument or target.
    pub fn new(about: impl Into<String>, what: impl Into<String>) -> Note {
        Note {
            about: about.into(),
            what: what.into(),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warning: {}: {}", self.about, self.what)
    }
}
