//! What is written to and never replaced: `NUL` and the console. Omitted: named pipes, which cannot be looked at without
//! connecting to them.

use super::facts::file_facts;
use super::name::Name;
use super::walk::is_stream;
use crate::file_facts::NodeKind;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::windows::io::AsHandle;

/// Whether a result is written to it.
pub(crate) fn is_one(_: &File, name: &Name, node: &File) -> bool {
    let kind = file_facts(node).map(|facts| facts.kind);
    matches!(kind, Ok(NodeKind::CharacterDevice)) && is_stream(name.as_os_str())
}

/// Returns a handle of standard output of its own.
///
/// # Errors
/// Those of DuplicateHandle.
pub fn standard_output() -> io::Result<File> {
    io::stdout()
        .as_handle()
        .try_clone_to_owned()
        .map(File::from)
}

/// A pipe of Windows has no name that could be resolved.
pub(crate) fn open_pipe(_: &File) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes to it.
pub(crate) fn write(_: &File, name: &Name, _: &File, bytes: &[u8]) -> io::Result<()> {
    let mut stream = OpenOptions::new().write(true).open(name.as_os_str())?;
    stream.write_all(bytes)
}
