//! `fathom completions` and `fathom man`: made from the same description as the parser, so they cannot drift.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Ending, Failure};
use crate::output;
use clap::CommandFactory;
use std::fs::OpenOptions;
use std::io::{self, Write};

/// The section that a man page has and a description of a command line has not. Source: man-pages(7).
const EXIT_STATUS: &str = ".SH \"EXIT STATUS\"
.TP
0
All went as asked. The verdict on a result does not change this.
.TP
1
The run failed or was interrupted, nothing completed, or its result could not be kept.
.TP
2
The request was refused; nothing was run.
";

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
    let unwritten = |error: io::Error| {
        Failure::failed(format!(
            "{}: the man pages could not be written: {}",
            folder.display(),
            output::errno_text(&error)
        ))
    };
    let command = Cli::command();
    clap_mangen::generate_to(command.clone(), folder).map_err(unwritten)?;
    let names = command
        .get_subcommands()
        .map(|sub| format!("fathom-{}.1", sub.get_name()));
    for name in names.chain(["fathom.1".to_owned()]) {
        OpenOptions::new()
            .append(true)
            .open(folder.join(name))
            .and_then(|mut page| page.write_all(EXIT_STATUS.as_bytes()))
            .map_err(unwritten)?;
    }
    Ok(Ending::Good)
}
