//! A subcommand: one row, from which the parser, the help, the completions, the man pages and `main` work.
//!
//! A row is `COMMAND` in the file of the subcommand; `registry::COMMANDS` lists them. Omitted: what the options mean.

use crate::commands::Line;
use crate::environment::Environment;
use crate::failure::Ending;
use clap::builder::StyledStr;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use model::CommandError;
use std::ffi::OsString;

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
    define: fn(Command) -> Command,
    /// Returns what stands behind its options in the help.
    after_help: Option<fn() -> StyledStr>,
    /// Options that its short help lists, by their identifiers; all of them where it is empty.
    pub(crate) often_options: &'static [&'static str],
    /// Whether the processes of a launcher (MPI) do it together; of another one several processes are refused.
    pub(crate) has_ranks: bool,
    pub(crate) run: Entry,
}

/// What carries a subcommand out.
pub(crate) enum Entry {
    /// A function of the description of the whole command line.
    Description(fn(&ArgMatches, Command) -> Result<Ending, CommandError>),
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

impl Subcommand {
    /// Makes the row of a subcommand with the options of `T`, for one process.
    pub(crate) const fn new<T: Args>(
        name: &'static str,
        group: Group,
        about: &'static str,
        run: fn(&ArgMatches, &Environment) -> Result<Ending, CommandError>,
    ) -> Subcommand {
        Subcommand::row(name, group, about, T::augment_args, Entry::Options(run))
    }

    /// Makes the row of a subcommand that prints a description of the whole command line.
    pub(crate) const fn description<T: Args>(
        name: &'static str,
        about: &'static str,
        run: fn(&ArgMatches, Command) -> Result<Ending, CommandError>,
    ) -> Subcommand {
        let define = T::augment_args;
        Subcommand::row(name, Group::System, about, define, Entry::Description(run))
    }

    /// Makes the row of another tool's command line. It is listed for help, completions and man pages; `run` reads the words.
    pub(crate) const fn dialect(
        name: &'static str,
        about: &'static str,
        run: fn(&Line, &Environment) -> Result<Ending, CommandError>,
    ) -> Subcommand {
        let define = |command| DialectArgs::augment_args(command).disable_help_flag(true);
        Subcommand::row(name, Group::OtherTools, about, define, Entry::Line(run))
    }

    const fn row(
        name: &'static str,
        group: Group,
        about: &'static str,
        define: fn(Command) -> Command,
        run: Entry,
    ) -> Subcommand {
        Subcommand {
            name,
            group,
            often: false,
            about,
            define,
            after_help: None,
            often_options: &[],
            has_ranks: false,
            run,
        }
    }

    /// Lists it in the short help, too.
    pub(crate) const fn often(mut self) -> Self {
        self.often = true;
        self
    }

    /// Lists only these options in its short help.
    pub(crate) const fn often_options(mut self, options: &'static [&'static str]) -> Self {
        self.often_options = options;
        self
    }

    /// Appends a text to its help.
    pub(crate) const fn after_help(mut self, text: fn() -> StyledStr) -> Self {
        self.after_help = Some(text);
        self
    }

    /// Lets the processes of a launcher do it together.
    pub(crate) const fn with_ranks(mut self) -> Self {
        self.has_ranks = true;
        self
    }

    /// Describes it to the parser.
    pub(crate) fn described(&self) -> Command {
        let command = (self.define)(Command::new(self.name)).about(self.about);
        match self.after_help {
            Some(text) => command.after_help(text()),
            None => command,
        }
    }
}

/// Options of another tool's command line, for help, completions and man pages. The tool's own reader reads the words.
#[derive(Args, Debug)]
struct DialectArgs {
    /// The tool's own switches, then its targets
    #[arg(
        value_name = "SWITCH|TARGET",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    #[allow(dead_code, reason = "see above")]
    words: Vec<OsString>,
}

/// Options of the program itself.
#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// Use no colours; NO_COLOR in the environment does the same
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Print the notices of the libraries that fathom contains; without other options
    #[arg(long, exclusive = true)]
    pub(crate) licenses: bool,
}

/// Describes the program, without subcommands.
pub(crate) fn program() -> Command {
    ProgramArgs::augment_args(Command::new("fathom")).subcommand_required(true)
}

/// Returns the options that the parser read.
///
/// # Errors
/// They are not those of `T`.
pub(crate) fn parsed<T: FromArgMatches>(words: &ArgMatches) -> Result<T, CommandError> {
    T::from_arg_matches(words).map_err(|error| CommandError::refused(error.render()))
}

/// Reads the whole line of a subcommand, program name first.
///
/// # Errors
/// It is no line of this subcommand.
pub(crate) fn read_line<T: Args>(
    name: &'static str,
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<T, clap::Error> {
    let program = program().subcommand(T::augment_args(Command::new(name)));
    let matches = program.try_get_matches_from(words)?;
    let (_, words) = matches.subcommand().expect("the parser requires one");
    T::from_arg_matches(words)
}
