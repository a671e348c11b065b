//! Facts of an open file. Source: fstat(2).

use super::names::facts_of;
use crate::file_facts::FileFacts;
use std::fs::File;
use std::io;

/// Returns the facts of an open file or device.
///
/// # Errors
/// Those of fstat(2).
pub fn file_facts(file: &File) -> io::Result<FileFacts> {
    Ok(facts_of(&rustix::fs::fstat(file)?))
}
