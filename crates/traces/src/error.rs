//! Why a trace cannot be read: the file, the place in it, what was read and what is accepted.

use std::fmt;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a trace cannot be read or written.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file is not what its format accepts.
    #[error("{}:{place}: {problem}", path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What was read and what is accepted.
        problem: String,
    },
    /// A stop was requested while the file was read.
    #[error("interrupted: no I/O was read until then")]
    Stopped,
    /// The request cannot be met by this trace.
    #[error("{0}")]
    Request(String),
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The number of a line, from 1.
    Line(u64),
    /// The offset of a byte.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(number) => write!(f, "{number}"),
            Place::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// What is wrong with a line or a frame; the reader of the file adds the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flaw(pub(crate) String);

/// So much of what was read is in a message.
const SHOWN: usize = 80;

impl Flaw {
    /// Describes a value that was read where another is accepted.
    pub(crate) fn new(read: &[u8], name: &str, accepted: &str) -> Flaw {
        let text = String::from_utf8_lossy(&read[..read.len().min(SHOWN)]);
        let more = if read.len() > SHOWN { "…" } else { "" };
        let shown = format!("{}{more}", model::printable(&text));
        Flaw(model::invalid_value(&shown, name, accepted))
    }
}
