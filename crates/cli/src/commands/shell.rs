//! `fathom completions` and `fathom man`: made from the same description as the parser, so they cannot drift.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Ending, Failure};
use crate::output;
use clap::CommandFactory;

/// Prints the completions for one shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fathom", &mut script);
    output::print(&script)?;
    Ok(Ending::Good)
}

/// Writes `fathom.1` and a page for each command.
pub(crate) fn man(args: &ManArgs) -> Result<Ending, Failure> {
    let folder = &args.folder;
    if !folder.is_dir() {
        return Err(Failure::refused(format!(
            "{}: this is not a folder: name an existing one to put the man pages into",
            folder.display()
        )));
    }
    clap_mangen::generate_to(Cli::command(), folder).map_err(|error| {
        Failure::failed(format!(
            "{}: the man pages could not be written: {}",
            folder.display(),
            output::errno_text(&error)
        ))
    })?;
    Ok(Ending::Good)
}
