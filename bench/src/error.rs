//! What can go wrong: a word that nobody knows, a program that fails, a system call that is refused.

use std::io;

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("{0}")]
    Usage(String),
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
    #[error("`{command}` ended with {status}: {said}")]
    Failed {
        command: String,
        status: String,
        said: String,
    },
    #[error("`{command}` printed something else than expected: {said}")]
    Unreadable { command: String, said: String },
    #[error("stopped; everything that was made is gone")]
    Stopped,
}

/// Says what was being done when the system refused.
pub(crate) fn doing(what: impl Into<String>) -> impl FnOnce(io::Error) -> BenchError {
    let doing = what.into();
    move |source| BenchError::Io { doing, source }
}
