//! The only reader of environment variables, and of what can be asked about the terminal.
//!
//! Deliberately absent: any option that is also on the command line, but for the place of the store.

use crate::system;
use job::{Launch, is_launched};
use std::io::IsTerminal;
use std::path::PathBuf;
use terminal_size::{Height, Width, terminal_size_of};

/// The environment, read once at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    /// `FATHOM_STORE`.
    store: Option<PathBuf>,
    /// `XDG_DATA_HOME`, where it is an absolute path; the XDG base directory specification has others ignored.
    data_home: Option<PathBuf>,
    /// `HOME`, where it is an absolute path.
    home: Option<PathBuf>,
    /// Messages go to a terminal, so progress may be drawn.
    pub(crate) draws_progress: bool,
    /// Nothing but failures is reported: programs that call another tool take any text for one.
    pub(crate) quiet: bool,
    /// A screen may use colours: `NO_COLOR` is not set, or empty, and the terminal is not `dumb`. Source: no-color.org.
    pub(crate) colours: bool,
    /// Where results go.
    pub(crate) screen: Screen,
    /// The program that shows long texts, with its options: `PAGER`, or that of the system; none where results go to no terminal.
    pub(crate) pager: Option<String>,
    /// The launcher that started this process as one of several; none of a process alone.
    pub(crate) launch: Option<Launch>,
}

/// What is known of the place that results go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Screen {
    /// How wide the terminal is, or `COLUMNS`; `None` where they go elsewhere.
    pub(crate) columns: Option<usize>,
    /// It is a terminal that may have colours.
    pub(crate) colours: bool,
}

impl Screen {
    /// The place of a page among messages, which has no colours.
    pub(crate) const fn of_messages(columns: Option<usize>) -> Self {
        Screen {
            columns,
            colours: false,
        }
    }
}

/// Where results are stored, and the source of that choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StorePlace {
    /// By `--store` or `FATHOM_STORE`.
    Named(PathBuf),
    /// In the user's data folder, of which this has to be there: what is missing below it is created.
    Default { path: PathBuf, home: PathBuf },
}

impl StorePlace {
    pub(crate) fn path(&self) -> &PathBuf {
        match self {
            StorePlace::Named(path) | StorePlace::Default { path, .. } => path,
        }
    }
}

/// One that a job file names; none where it is not set, or no text.
#[allow(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Environment {
    /// Reads them all. An empty variable counts as not set.
    #[allow(clippy::disallowed_methods, reason = "this is the one place")]
    pub(crate) fn read() -> Self {
        let path = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
        let is_dumb = path("TERM").is_some_and(|term| term.as_os_str() == "dumb");
        let colours = path("NO_COLOR").is_none() && !is_dumb && system::shows_colours();
        let variable = |name: &str| std::env::var(name).ok();
        let is_screen = std::io::stdout().is_terminal() && !is_launched(variable);
        let pager = variable("PAGER").or_else(|| system::PAGER.map(str::to_owned));
        Environment {
            store: path("FATHOM_STORE"),
            data_home: absolute(system::DATA_HOME),
            home: system::HOME.and_then(absolute),
            draws_progress: std::io::stderr().is_terminal(),
            quiet: false,
            colours,
            screen: Screen {
                columns: output_columns().or_else(|| columns_of(path("COLUMNS")?.to_str()?)),
                colours: colours && is_screen,
            },
            pager: pager.filter(|pager| is_screen && !["", "cat"].contains(&pager.trim())),
            launch: Launch::find(variable),
        }
    }

    /// Without colours where the command line wants none.
    pub(crate) fn coloured(self, wanted: bool) -> Self {
        Environment {
            colours: self.colours && wanted,
            screen: Screen {
                colours: self.screen.colours && wanted,
                ..self.screen
            },
            ..self
        }
    }

    /// Where results are stored; `None` if not specified.
    pub(crate) fn store_place(&self, option: Option<&PathBuf>) -> Option<StorePlace> {
        if let Some(path) = option.or(self.store.as_ref()) {
            return Some(StorePlace::Named(path.clone()));
        }
        let (data, home) = match (&self.data_home, &self.home) {
            // The folder itself may be created, by the same specification; the one above it is a misspelt one.
            (Some(data), _) => (data.clone(), data.parent().unwrap_or(data)),
            (None, Some(home)) => (home.join(".local").join("share"), home.as_path()),
            (None, None) => return None,
        };
        let (path, home) = (data.join("fathom").join("fathom.db"), home.to_owned());
        Some(StorePlace::Default { path, home })
    }
}

/// `XDG_RUNTIME_DIR`, where it is an absolute path: for what lives no longer than its user is there.
#[allow(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn runtime_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
    folder.is_absolute().then_some(folder)
}

/// How wide the terminal is that results go to; `None` where they go elsewhere.
pub(crate) fn output_columns() -> Option<usize> {
    columns(terminal_size_of(std::io::stdout()))
}

/// How wide the terminal is that messages go to, at this moment; `None` where they go elsewhere.
pub(crate) fn message_columns() -> Option<usize> {
    columns(terminal_size_of(std::io::stderr()))
}

/// The width that a variable gives: whole columns above 0.
fn columns_of(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&columns| columns > 0)
}

/// A terminal that does not know its width reports 0.
fn columns(size: Option<(Width, Height)>) -> Option<usize> {
    let (width, _) = size?;
    Some(usize::from(width.0)).filter(|&columns| columns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_wins_then_the_variable_then_the_data_folder() {
        let mut environment = Environment {
            store: Some("v.db".into()),
            data_home: Some("/data".into()),
            home: Some("/home/a".into()),
            ..Environment::default()
        };
        let named = |path: &str| Some(StorePlace::Named(path.into()));
        let default = |path: &str, home: &str| {
            let (path, home) = (path.into(), home.into());
            Some(StorePlace::Default { path, home })
        };
        assert_eq!(environment.store_place(Some(&"o.db".into())), named("o.db"));
        assert_eq!(environment.store_place(None), named("v.db"));
        environment.store = None;
        assert_eq!(
            environment.store_place(None),
            default("/data/fathom/fathom.db", "/")
        );
        environment.data_home = None;
        assert_eq!(
            environment.store_place(None),
            default("/home/a/.local/share/fathom/fathom.db", "/home/a")
        );
        environment.home = None;
        assert_eq!(environment.store_place(None), None);
    }
}
