//! What a job asks of Windows: libraries that are loaded at run time, and groups of processes.

pub(crate) mod library;

use std::os::windows::process::CommandExt;
use std::process::Command;
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// Lets Ctrl-C be for this process alone, and not for the one that is started.
pub(crate) fn separate(command: &mut Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}
