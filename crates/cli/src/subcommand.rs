//! A subcommand: one row, from which the parser, the help, the completions, the man pages and `main` work.
//!
//! A row is `COMMAND` in the file of the subcommand; `commands::COMMANDS` lists them. Omitted: what the options mean.

use crate::args::DialectArgs;
use crate::commands::Line;
use crate::environment::Environment;
use crate::failure::Ending;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use model::CommandError;

/// A subcommand of fathom.
pub(crate) struct Subcommand {
    pub(crate) name: &'static str,
    /// The heading under which the help lists it.
    pub(crate) group: Group,
    /// Whether the short help lists it, too.
    pub(crate) often: bool,
    /// What it does, in one line.
    pub(crate) about: &'static str,
    /// Adds its options to the parser's description of it.
    pub(crate) define: fn(Command) -> Command,
    /// Options that its short help lists, by their identifiers; all of them where it is empty.
    pub(crate) often_options: &'static [&'static str],
    /// Whether the processes of a launcher (MPI) do it together; of another one several processes are refused.
    pub(crate) has_ranks: bool,
    pub(crate) run: Entry,
}

/// What carries a subcommand out.
pub(crate) enum Entry {
    /// A function of the options that the parser read.
    Options(fn(&ArgMatches, &Environment) -> Result<Ending, CommandError>),
    /// A function of another tool's command line, which the parser does not read. A link of the tool's name calls it, too.
    Line(fn(&Line, &Environment) -> Result<Ending, CommandError>),
}

/// A heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Measure,
    OtherTools,
    Results,
    Understand,
    System,
}

impl Group {
    /// All of them, in the order of the help.
    pub(crate) const ALL: [Group; 5] = [
        Group::Measure,
        Group::OtherTools,
        Group::Results,
        Group::Understand,
        Group::System,
    ];

    /// Returns the heading.
    pub(crate) const fn heading(self) -> &'static str {
        match self {
            Group::Measure => "Measure",
            Group::OtherTools => "Command lines and results of other tools",
            Group::Results => "Results",
            Group::Understand => "Understand",
            Group::System => "System",
        }
    }
}

/// A row to fill in: without options, for one process, not in the short help.
pub(crate) const PLAIN: Subcommand = Subcommand {
    name: "",
    group: Group::System,
    often: false,
    about: "",
    define: |command| command,
    often_options: &[],
    has_ranks: false,
    run: Entry::Options(|_, _| Ok(Ending::Good)),
};

/// A row of another tool's command line to fill in.
pub(crate) const DIALECT: Subcommand = Subcommand {
    group: Group::OtherTools,
    // Listed for help, completions and man pages; the tool's own reader reads the words.
    define: |command| DialectArgs::augment_args(command).disable_help_flag(true),
    ..PLAIN
};

impl Subcommand {
    /// Describes it to the parser.
    pub(crate) fn described(&self) -> Command {
        (self.define)(Command::new(self.name)).about(self.about)
    }
}

/// Adds the options of `T` to a subcommand.
pub(crate) fn options<T: Args>(command: Command) -> Command {
    T::augment_args(command)
}

/// Returns the options that the parser read.
///
/// # Errors
/// They are not those of `T`.
pub(crate) fn parsed<T: FromArgMatches>(words: &ArgMatches) -> Result<T, CommandError> {
    T::from_arg_matches(words).map_err(|error| CommandError::refused(error.render()))
}
