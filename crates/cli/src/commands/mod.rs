//! One file or folder a command, and one row of `registry::COMMANDS`. Each reads as its flow, from the words to the result.

mod answer;
pub(crate) mod audit;
pub(crate) mod baseline;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod db;
pub(crate) mod dd;
pub(crate) mod delete;
pub(crate) mod devices;
mod dialect;
pub(crate) mod diskspd;
pub(crate) mod docs;
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
pub(crate) mod restated;
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
pub(crate) mod triage;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod xdd;

pub(crate) use dialect::Line;
use session::VERSION;

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
