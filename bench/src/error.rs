//! What can go wrong: an unknown word, a program that fails, a system call that is refused.

use std::io;

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("{0}")]
    Usage(String),
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
    #[error("`{command}` ended with {status}: {printed}")]
    Failed {
        command: String,
        status: String,
        printed: String,
    },
    #[error("`{command}` printed something else than expected: {printed}")]
    Unreadable { command: String, printed: String },
    #[error("stopped; all created files are removed")]
    Stopped,
}

/// Adds the operation that the system refused.
pub(crate) fn doing(what: impl Into<String>) -> impl FnOnce(io::Error) -> BenchError {
    let doing = what.into();
    move |source| BenchError::Io { doing, source }
}
