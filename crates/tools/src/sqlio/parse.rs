//! Arguments → request: each switch is one token and may stand anywhere; what is no switch is a file.
//!
//! What a switch means stands in `switches`, and what only the whole line shows in `finish`. All problems are reported at
//! once.

use super::command::{Command, Given, Word};
use super::flags;
use super::profile::Profile;
use super::{Action, Environment, Extra, Note, Problem, Refusal, Request};
use crate::diskspd::LOOKS_LIKE_A_SWITCH;

/// Reads a whole command line, program name omitted.
///
/// # Errors
/// Everything that is wrong with it. Nothing has been opened but the parameter file.
pub fn parse(args: &[String], environment: &Environment) -> Result<Request, Refusal> {
    let mut command = Command {
        environment,
        profile: Profile::default(),
        given: Given::default(),
        extra: Extra::default(),
        notes: Vec::new(),
        problems: Vec::new(),
    };
    let words = split(args, &mut command);
    let mut read: Vec<&'static str> = Vec::new();
    for word in &words {
        if read.contains(&word.flag.name) && word.flag.name != "destroy" {
            command.note(word, "given more than once; the last one counts");
        }
        read.push(word.flag.name);
        if let Err(problem) = (word.flag.read)(&mut command, word) {
            command.problems.push(problem);
        }
    }
    if read.contains(&"?") {
        return Ok(Request {
            action: Action::Usage,
            notes: Vec::new(),
            extra: Extra::default(),
        });
    }
    command.finish()
}

/// EN DASH, EM DASH and MINUS SIGN: what pages on the web make of a hyphen.
const LONG_DASHES: [char; 3] = ['\u{2013}', '\u{2014}', '\u{2212}'];

/// Takes the arguments apart. Files go to the command, switches into the list.
fn split<'t>(args: &'t [String], command: &mut Command) -> Vec<Word<'t>> {
    let mut words = Vec::new();
    let mut arguments = args.iter();
    while let Some(argument) = arguments.next() {
        let Some(rest) = argument.strip_prefix('-').or_else(|| {
            let rest = argument.strip_prefix(LONG_DASHES)?;
            let what = "the dash is a long one, as web pages make it; read as a short one";
            command.notes.push(Note::new(argument, what));
            Some(rest)
        }) else {
            if argument.is_empty() {
                command.problems.push(Problem::Value {
                    token: "a file".to_owned(),
                    read: String::new(),
                    accepted: "specify a file or a device",
                });
            } else {
                command.given.files.push(argument.clone());
            }
            continue;
        };
        let long = rest.strip_prefix('-').or_else(|| {
            let name = rest.split_once('=').map_or(rest, |(name, _)| name);
            let made_one = !argument.starts_with('-') && flags::find_long(name).is_some();
            made_one.then_some(rest)
        });
        let word = match long {
            Some(long) => long_switch(long, || arguments.next().map(String::as_str)),
            None => short_switch(rest),
        };
        match word {
            Ok(word) => words.push(word),
            Err(problem) => command.problems.push(problem),
        }
    }
    words
}

fn short_switch(rest: &str) -> Result<Word<'_>, Problem> {
    let token = format!("-{rest}");
    match flags::find(rest) {
        Some(flag) => Ok(Word {
            token,
            value: &rest[flag.name.len()..],
            flag,
        }),
        None => Err(Problem::Unknown { token }),
    }
}

/// `--name`, `--name=value` or `--name value`; a value that looks like a switch is one behind `=` only.
fn long_switch<'t>(
    long: &'t str,
    next: impl FnOnce() -> Option<&'t str>,
) -> Result<Word<'t>, Problem> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let token = format!("--{name}");
    let Some(flag) = flags::find_long(name) else {
        return Err(Problem::Unknown { token });
    };
    let takes = !flag.argument.is_empty();
    let apart = value.is_none();
    let value = if takes { value.or_else(next) } else { value };
    let word = Word {
        token,
        value: value.unwrap_or_default(),
        flag,
    };
    if takes && apart && word.value.starts_with('-') {
        return Err(word.value(LOOKS_LIKE_A_SWITCH));
    }
    match (takes, word.value.is_empty()) {
        (false, false) => Err(word.value("this switch takes no value")),
        (true, true) => Err(word.value("a value belongs to it, as in --json run.json")),
        _ => Ok(word),
    }
}
