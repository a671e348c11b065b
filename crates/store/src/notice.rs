//! What is done to a file before it can be used, for the person whose file it is. The caller words and prints it.

use std::path::PathBuf;

/// One thing that was done, or how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Others could read or write the file, and no longer can.
    MadePrivate {
        /// Which.
        path: PathBuf,
        /// The rights that it had.
        mode: u32,
    },
    /// The file is copied.
    Copying {
        /// Pages that are in the copy.
        done: u64,
        /// All pages.
        pages: u64,
    },
    /// Before the schema is brought up to date, the whole file was copied.
    KeptOld {
        /// The copy.
        path: PathBuf,
        /// The version of its schema.
        version: u32,
    },
    /// The schema is brought up to date.
    Migrating {
        /// Sessions that are done.
        done: u64,
        /// All sessions.
        sessions: u64,
    },
}
