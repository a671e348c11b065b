//! `fathom completions` and `fathom man`: generated from the same description as the parser, so they cannot drift.

use crate::args::{CompletionsArgs, ManArgs};
use crate::commands::report::why_never_replaced;
use crate::failure::Ending;
use crate::output;
use crate::subcommand::{Subcommand, parsed};
use clap::Command;
use clap_mangen::Man;
use gate::{Folder, Name, OutputError, Replace};
use model::CommandError;
use std::io;
use std::path::PathBuf;

/// The row of `fathom man`.
pub(crate) static MAN: Subcommand = Subcommand::description::<ManArgs>(
    "man",
    "Write the man pages into a folder",
    |words, program| man(&parsed(words)?, program),
);

/// The row of `fathom completions`.
pub(crate) static COMPLETIONS: Subcommand = Subcommand::description::<CompletionsArgs>(
    "completions",
    "Print the completions for a shell",
    |words, program| completions(&parsed(words)?, program),
);

/// The section that a man page has and a description of a command line has not. Source: man-pages(7).
const EXIT_STATUS: &str = ".SH \"EXIT STATUS\"
.TP
0
Good. The verdict on a result does not change this.
.TP
1
The run failed or was interrupted, nothing completed, or its result could not be stored.
.TP
2
The request was refused; nothing was run.
";

/// Prints the completions for one shell.
pub(crate) fn completions(
    args: &CompletionsArgs,
    mut program: Command,
) -> Result<Ending, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "fathom", &mut script);
    output::print(&script)?;
    Ok(Ending::Good)
}

/// Writes `fathom.1` and a page for each command. What is there stays, unless the option replaces it.
pub(crate) fn man(args: &ManArgs, program: Command) -> Result<Ending, CommandError> {
    if !args.folder.is_dir() {
        return Err(CommandError::refused(format!(
            "{}: this is not a folder: specify an existing one to put the man pages into",
            args.folder.display()
        )));
    }
    let folder = Folder::open(&args.folder).map_err(|error| crate::failure::of_output(&error))?;
    let replace = match args.overwrite {
        true => Replace::Anything,
        false => Replace::Nothing,
    };
    let pages = pages(program).map_err(|error| CommandError::failed(model::errno_text(&error)))?;
    let places: Vec<(&Name, PathBuf, &[u8])> = pages
        .iter()
        .map(|(name, text)| (name, args.folder.join(name.as_os_str()), text.as_slice()))
        .collect();
    let refused: Vec<String> = places
        .iter()
        .filter_map(|(name, path, _)| {
            let why = gate::check_output_in(&folder, name, path, replace).err();
            let used = || why_never_replaced(path).filter(|_| args.overwrite);
            why.map(|why| reported(&why)).or_else(used)
        })
        .collect();
    if !refused.is_empty() {
        return Err(CommandError::refused_for(refused));
    }
    for (name, path, text) in places {
        gate::write_output_in(&folder, name, &path, text, replace)
            .map_err(|error| crate::failure::of_output(&error))?;
    }
    Ok(Ending::Good)
}

fn reported(error: &OutputError) -> String {
    match error {
        OutputError::Exists { path } => format!(
            "{}: already exists, and was not changed; hint: --overwrite replaces it",
            path.display()
        ),
        other => other.to_string(),
    }
}

/// Every page with its name.
fn pages(mut command: Command) -> io::Result<Vec<(Name, Vec<u8>)>> {
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(Name, Vec<u8>)>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        add_pages(below, pages)?;
    }
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    text.extend(EXIT_STATUS.as_bytes());
    pages.push((Name::new(page.get_filename())?, text));
    Ok(())
}
