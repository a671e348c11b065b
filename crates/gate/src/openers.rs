//! Whether another program has a file open for writing. Omitted: how a system is asked (`linux::lease`).

/// Whether another program has a file open for writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openers {
    /// None has.
    NoWriter,
    /// One has.
    Writer,
    /// Why it could not be asked.
    Unasked(String),
}
