//! Arguments → switches and targets.
//!
//! Here is what Linux and the web do to a DISKSPD command line: paths that begin like switches, and dashes that a web
//! page has lengthened. The meaning of a switch is elsewhere.

use super::Command;
use crate::diskspd::flags::{self, Flag, Pass};
use crate::diskspd::problem::{Note, Problem};

/// One argument, or a long switch with its value.
pub(in crate::diskspd) struct Word<'t> {
    /// As it was given; a dash is a dash.
    pub(super) token: String,
    /// What stands behind the name of the switch.
    pub(super) value: &'t str,
    pub(super) flag: &'static Flag,
    /// Its place among the arguments.
    pub(super) place: usize,
}

impl Word<'_> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.flag.name == name
    }

    /// The problem that the value is not what the switch takes.
    pub(super) fn value(&self, accepted: &'static str) -> Problem {
        Problem::Value {
            token: self.token.clone(),
            read: self.value.to_owned(),
            accepted,
        }
    }

    pub(super) fn clash(&self, why: &'static str) -> Problem {
        Problem::Clash {
            token: self.token.clone(),
            why,
        }
    }
}

/// Takes a line apart at blanks that do not stand in quotes, and returns whether a quote stays open. A backslash is a letter,
/// because Windows paths are full of them.
pub(crate) fn words_of(text: &str) -> (Vec<String>, bool) {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (words, quote.is_some())
}

/// Returns whether a word is the program, with any folder before it.
pub(crate) fn is_program(word: &str) -> bool {
    let file = word.trim_matches(['"', '\'']).rsplit(['/', '\\']).next();
    let file = file.unwrap_or_default().to_ascii_lowercase();
    let stem = file.strip_suffix(".exe").unwrap_or(&file);
    ["diskspd", "diskspd64", "diskspd32"].contains(&stem)
}

/// EN DASH, EM DASH and MINUS SIGN: what pages on the web make of a hyphen.
const LONG_DASHES: [char; 3] = ['\u{2013}', '\u{2014}', '\u{2212}'];

/// Takes the arguments apart. Targets go to the command, everything else into the list.
pub(super) fn split<'t>(args: &'t [String], command: &mut Command) -> Vec<Word<'t>> {
    let mut words: Vec<Word> = Vec::new();
    let mut arguments = args.iter().enumerate();
    while let Some((place, argument)) = arguments.next() {
        command.place = place;
        let last = place + 1 == args.len();
        let Some((dashes, rest)) = after_dashes(argument, last, command) else {
            if argument.is_empty() {
                command.refuse(Problem::Value {
                    token: "a target".to_owned(),
                    read: String::new(),
                    accepted: "specify a file or a device",
                });
            }
            command.targets.push(argument.clone());
            continue;
        };
        if dashes == Dashes::Two {
            let next = || arguments.next().map(|(_, value)| value.as_str());
            match long_switch(rest, place, next) {
                Ok(word) => words.push(word),
                Err(problem) => command.refuse(problem),
            }
            continue;
        }
        match (command.targets.last().cloned(), short_switch(rest, place)) {
            (Some(target), _) => {
                let token = format!("-{rest}");
                command.refuse(Problem::AfterTarget { token, target });
            }
            (None, Some(word)) => words.push(word),
            (None, None) => command.refuse(Problem::Unknown {
                token: format!("-{rest}"),
            }),
        }
    }
    words
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dashes {
    One,
    Two,
}

/// What follows the dashes, if the argument is a switch.
fn after_dashes<'t>(
    argument: &'t str,
    last: bool,
    command: &mut Command,
) -> Option<(Dashes, &'t str)> {
    if let Some(rest) = argument.strip_prefix('-') {
        return Some(match rest.strip_prefix('-') {
            Some(long) => (Dashes::Two, long),
            None => (Dashes::One, rest),
        });
    }
    if let Some(rest) = argument.strip_prefix(LONG_DASHES) {
        let second = rest
            .strip_prefix(LONG_DASHES)
            .or_else(|| rest.strip_prefix('-'));
        let rest = second.unwrap_or(rest);
        let name = rest.split_once('=').map_or(rest, |(name, _)| name);
        // Pages make one long dash of two.
        let (dashes, read) = match flags::find_long(name) {
            Some(_) => (Dashes::Two, format!("--{rest}")),
            None => (Dashes::One, format!("-{rest}")),
        };
        let what = format!("the dash is a long one, as web pages make it; read as `{read}`");
        command.notes.push(Note::new(argument, what));
        return Some((dashes, rest));
    }
    if argument == "/?" {
        return Some((Dashes::One, "?"));
    }
    let rest = argument.strip_prefix('/')?;
    let switch = !last && looks_like_a_switch(rest) && !(command.environment.exists)(argument);
    if switch {
        let what = format!(
            "there is no such path, so it is read as the switch `-{rest}`; write it with a dash"
        );
        command.notes.push(Note::new(argument, what));
    }
    switch.then_some((Dashes::One, rest))
}

/// `b4K`, `Suw`, `L`: a known name with nothing but a number behind it, or one of the switches without a value. Narrow
/// on purpose: `/data` is a path, though `-data` would be a duration.
fn looks_like_a_switch(rest: &str) -> bool {
    const BARE: [&str; 18] = [
        "D", "L", "S", "Sb", "Su", "Sw", "Suw", "Sh", "h", "l", "n", "p", "r", "s", "si", "u", "x",
        "Z",
    ];
    let Some(flag) = flags::find(rest) else {
        return false;
    };
    let value = &rest[flag.name.len()..];
    let number = value
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    number || BARE.contains(&rest)
}

fn short_switch(rest: &str, place: usize) -> Option<Word<'_>> {
    let flag = flags::find(rest)?;
    Some(Word {
        token: format!("-{rest}"),
        value: &rest[flag.name.len()..],
        flag,
        place,
    })
}

/// What is accepted where the next switch was taken for a value.
pub(crate) const LOOKS_LIKE_A_SWITCH: &str =
    "a value belongs to it, as in --json run.json, or --json=-x for a name with a dash";

/// `--name`, `--name=value` or `--name value`; a value that looks like a switch is one behind `=` only.
fn long_switch<'t>(
    long: &'t str,
    place: usize,
    next: impl FnOnce() -> Option<&'t str>,
) -> Result<Word<'t>, Problem> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let flag = flags::find_long(name).ok_or_else(|| Problem::Unknown {
        token: format!("--{name}"),
    })?;
    debug_assert!(flag.pass == Pass::Second);
    let apart = value.is_none();
    let value = if flag.argument.is_empty() {
        value
    } else {
        value.or_else(next)
    };
    let switch = apart && value.is_some_and(|text| text.starts_with('-'));
    let word = Word {
        token: format!("--{name}"),
        value: value.unwrap_or_default(),
        flag,
        place,
    };
    match (
        flag.argument.is_empty(),
        value.is_some_and(|text| !text.is_empty()),
    ) {
        (true, true) => Err(word.value("this switch takes no value")),
        (false, true) if switch => Err(word.value(LOOKS_LIKE_A_SWITCH)),
        (false, false) => Err(word.value("a value belongs to it, as in --json run.json")),
        _ => Ok(word),
    }
}

#[cfg(test)]
mod tests {
    use crate::diskspd::{Environment, parse};

    #[test]
    fn pages_make_one_long_dash_of_two() {
        for argument in [
            "\u{2014}overwrite",
            "\u{2013}-overwrite",
            "\u{2013}\u{2013}overwrite",
        ] {
            let args = [argument, "-Rp", "f"].map(str::to_owned);
            let request = parse(&args, &Environment::BARE).unwrap();
            assert!(request.extra.own.consent.overwrite_files, "{argument}");
            let note = request.notes[0].to_string();
            assert!(note.ends_with("read as `--overwrite`"), "{note}");
        }
    }

    #[test]
    fn a_blank_before_the_value_is_reported() {
        let args = ["-b", "4K", "f"].map(str::to_owned);
        let refusal = parse(&args, &Environment::BARE).unwrap_err().to_string();
        assert!(refusal.starts_with("no value for -b: must be"), "{refusal}");
        let args = ["-ag0,", "f"].map(str::to_owned);
        let refusal = parse(&args, &Environment::BARE).unwrap_err();
        let (text, below) = refusal.iter().next().unwrap().message();
        assert!(!text.contains('\n'), "{text}");
        assert_eq!(below, ["-ag0,", "     ^"]);
    }
}
