//! What a job asks of Linux: libraries that are loaded at run time, and groups of processes.

pub(crate) mod library;

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets Ctrl-C be for this process alone, and not for the one that is started.
pub(crate) fn separate(command: &mut Command) {
    command.process_group(0);
}
