//! The parser of the whole command line, from the rows of the subcommands. Completions and man pages come from here.
//!
//! Omitted: what any option means, and how a misspelt one is answered (`suggest`).

mod short_help;
mod suggest;

use crate::registry::COMMANDS;
use crate::subcommand::{self, ProgramArgs, Subcommand};
use clap::{ArgMatches, ColorChoice, Command, FromArgMatches};
use std::ffi::OsString;
pub(crate) use suggest::of_help;

const NO_COLOR: &str = "--no-color";

/// A command line that was read.
pub(crate) struct Cli {
    pub(crate) no_color: bool,
    pub(crate) licenses: bool,
    pub(crate) command: &'static Subcommand,
    /// The options of the command.
    pub(crate) words: ArgMatches,
}

/// Describes the whole command line.
pub(crate) fn program() -> Command {
    let program = subcommand::program()
        .version(session::VERSION)
        .about("Measures storage and explains the figures")
        .after_help(
            "`fathom help COMMAND` prints the options of a command.\n\nExit codes: 0 good; 1 the run failed or was interrupted; \
             2 the request was refused; 3 a condition of a comparison or a check was not met.",
        )
        .max_term_width(100)
        .arg_required_else_help(true)
        .disable_help_subcommand(true);
    program.subcommands(COMMANDS.iter().map(|command| command.described()))
}

impl Cli {
    /// Reads the command line. Errors are in colour unless --no-color is among the words.
    pub(crate) fn read(words: &[OsString]) -> Result<Cli, clap::Error> {
        let plain = words.iter().any(|word| word == NO_COLOR);
        let choice = if plain {
            ColorChoice::Never
        } else {
            ColorChoice::Auto
        };
        let command = || program().color(choice);
        let matches = short_help::laid_out(command(), words).try_get_matches_from(words);
        let matches = matches.map_err(|mut error| {
            suggest::improve(&mut error, words, command());
            error
        })?;
        Cli::of(matches)
    }

    fn of(mut matches: ArgMatches) -> Result<Cli, clap::Error> {
        let ProgramArgs { no_color, licenses } = ProgramArgs::from_arg_matches(&matches)?;
        let (name, words) = matches
            .remove_subcommand()
            .expect("the parser requires one");
        let command = COMMANDS.iter().find(|command| command.name == name);
        Ok(Cli {
            no_color,
            licenses,
            command: command.copied().expect("the parser knows these alone"),
            words,
        })
    }
}
