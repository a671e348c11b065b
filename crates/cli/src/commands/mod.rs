//! One file a command. Each reads as its flow, from the words to the result.

pub(crate) mod answer;
pub(crate) mod baseline;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod db;
pub(crate) mod dd;
pub(crate) mod delete;
pub(crate) mod devices;
mod dialect;
pub(crate) mod diskspd;
pub(crate) mod ended;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fidelity;
pub(crate) mod files;
pub(crate) mod fio;
pub(crate) mod hosts;
pub(crate) mod import;
pub(crate) mod iometer;
pub(crate) mod ior;
pub(crate) mod learn;
pub(crate) mod learned;
pub(crate) mod list;
pub(crate) mod looks;
pub(crate) mod mdtest;
pub(crate) mod note;
pub(crate) mod noted;
mod observe;
mod preflight;
pub(crate) mod pts;
mod ranks;
pub(crate) mod replay;
pub(crate) mod report;
mod restated;
pub(crate) mod resumed;
mod rows;
pub(crate) mod run;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod sqlio;
pub(crate) mod survey;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod tag;
pub(crate) mod trace;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod xdd;

use self::dialect::Line;
use crate::environment::Environment;
use crate::failure::Ending;
use model::CommandError;
use session::VERSION;
use std::ffi::OsString;

/// Another tool whose command lines are run: by a link of its name, or as a command. DISKSPD has exit codes of its own and is not
/// among them.
#[derive(Clone, Copy)]
pub(crate) struct OtherTool {
    pub(crate) name: &'static str,
    command: &'static str,
    /// Ranks of a launcher work together on one line.
    pub(crate) has_ranks: bool,
    pub(crate) run: fn(&Line, &Environment) -> Result<Ending, CommandError>,
}

/// All of them.
pub(crate) const OTHER_TOOLS: [OtherTool; 5] = [
    alone("sqlio", "fathom sqlio", sqlio::sqlio),
    of_ranks(alone("fio", "fathom fio", fio::fio)),
    of_ranks(alone("ior", "fathom ior", ior::ior)),
    alone("xdd", "fathom xdd", xdd::xdd),
    of_ranks(alone("mdtest", "fathom mdtest", mdtest::mdtest)),
];

const fn alone(
    name: &'static str,
    command: &'static str,
    run: fn(&Line, &Environment) -> Result<Ending, CommandError>,
) -> OtherTool {
    OtherTool {
        name,
        command,
        has_ranks: false,
        run,
    }
}

const fn of_ranks(tool: OtherTool) -> OtherTool {
    OtherTool {
        has_ranks: true,
        ..tool
    }
}

impl OtherTool {
    /// The command line, if it is this tool's.
    pub(crate) fn line(&self, all: &[OsString]) -> Option<Line> {
        Line::of(all, self.name, self.command)
    }
}

/// The command line as it was given, program name first, for the record.
fn command_line() -> Vec<String> {
    let mut words: Vec<String> = of_links(std::env::args_os().collect())
        .into_iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(program) = words.first_mut() {
        "fathom".clone_into(program);
    }
    words
}

/// Commands that are also programs of their own, by a link of this name.
const LINKED: [&str; 2] = ["lmdd", "sgp_dd"];

/// Returns the words with the command's name, where a link has it: `lmdd if=f` becomes `fathom lmdd if=f`.
pub(crate) fn of_links(mut words: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let stem = words.first().and_then(|word| {
        std::path::Path::new(word)
            .file_stem()
            .map(std::ffi::OsStr::to_owned)
    });
    let linked = LINKED
        .iter()
        .find(|name| stem.as_deref() == Some(name.as_ref()));
    if let Some(name) = linked {
        words.splice(..1, ["fathom".into(), name.into()]);
    }
    words
}
