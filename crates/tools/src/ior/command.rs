//! The words of a command line → tests, or everything that is wrong with them.
//!
//! A letter has its value behind a blank or `=`; flags may be joined and count how often they were given. Omitted: the lines of
//! scripts (`script`), and what contradicts itself (`settle`).

use super::number::number;
use super::rows::{self, Apply, Row};
use super::script::{self, Line};
use super::settle::settle;
use super::test::{Output, Settings, Test};
use crate::OwnOptions;
use crate::fio::{Note, Place, Problem, Refusal};
use crate::refusal::Problems;

/// What reading a request has to be given, so that it needs no machine.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// The text of a file, or the system's reason against it.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// How many processes a launcher started, each of which is a task; 1 where tasks are threads of this one.
    pub ranks: u32,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Print the help.
    Usage,
    /// Run the tests.
    Run,
}

/// A request as read.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is to be done.
    pub action: Action,
    /// In their order.
    pub tests: Vec<Test>,
    /// Where the results go.
    pub output: Output,
    /// What may be written, and where runs are stored.
    pub own: OwnOptions,
    /// What was taken and is different here.
    pub notes: Vec<Note>,
}

/// Reads a command line.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn parse(args: &[String], environment: &Environment<'_>) -> Result<Request, Refusal> {
    let mut reader = Reader::default();
    reader.line(args);
    let mut tests = vec![reader.settings.test.clone()];
    if let Some(path) = reader.settings.script.clone().filter(|_| !reader.help) {
        tests = reader.script(&path, environment);
    }
    let Reader {
        settings,
        own,
        mut notes,
        mut problems,
        help,
        ..
    } = reader;
    let action = match help {
        true => Action::Usage,
        false => Action::Run,
    };
    for test in &mut tests {
        settle(test, environment.ranks, &mut notes, &mut problems);
    }
    if action == Action::Run {
        Refusal::none_or(problems)?;
    }
    notes.dedup();
    Ok(Request {
        action,
        tests,
        output: settings.output,
        own,
        notes,
    })
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    settings: Settings,
    /// Where it is read.
    place: Place,
    own: OwnOptions,
    notes: Vec<Note>,
    problems: Problems<Problem>,
    help: bool,
}

impl Reader {
    fn line(&mut self, args: &[String]) {
        let mut words = args.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let done = match (word.strip_prefix("--"), word.strip_prefix('-')) {
                (Some(long), _) => self.long(long, &mut words),
                (None, Some("?" | "h")) => {
                    self.help = true;
                    Some(())
                }
                (None, Some(letters)) if !letters.is_empty() => self.letters(letters, &mut words),
                _ => {
                    self.refuse(
                        word,
                        "this belongs to no option; hint: -o FILE is the test file",
                    );
                    Some(())
                }
            };
            if done.is_none() {
                self.refuse(word, "a value is missing behind it");
            }
            for directive in std::mem::take(&mut self.settings.directives) {
                self.directives(&directive);
            }
        }
        if self.own.no_store && self.own.store.is_some() {
            self.refuse("--no-store", "it contradicts --store: specify one of them");
        }
    }

    /// The tests of a script, each with what the command line has set before.
    fn script(&mut self, path: &str, environment: &Environment<'_>) -> Vec<Test> {
        let what = format!("-f {path}");
        let text = match (environment.read)(path) {
            Ok(text) => text,
            Err(why) => {
                self.refuse(&what, &why);
                return Vec::new();
            }
        };
        let lines = script::lines(&text);
        if lines.is_none() {
            self.refuse(&what, "it has no line IOR START");
        }
        let mut tests = vec![self.settings.test.clone()];
        let mut runs = false; // the line before was RUN
        for (number, line) in lines.into_iter().flatten() {
            if runs && tests.len() == script::TESTS_MAX {
                self.place = Place {
                    file: path.into(),
                    line: number,
                };
                let why = format!(
                    "this test is the {}th; at most {} are run",
                    tests.len() + 1,
                    script::TESTS_MAX
                );
                self.refuse("RUN", &why);
                break;
            }
            if runs {
                let id = tests.len() as u64;
                tests.push(Test {
                    id,
                    ..self.settings.test.clone()
                });
            }
            runs = line == Line::Run;
            if let Line::Settings(text) = line {
                self.place = Place {
                    file: path.into(),
                    line: number,
                };
                self.directives(text);
                if let Some(last) = tests.last_mut() {
                    *last = Test {
                        id: last.id,
                        ..self.settings.test.clone()
                    };
                }
            }
        }
        self.place = Place::default();
        tests
    }

    /// An option behind two dashes. None where its value is missing.
    fn long<'a>(&mut self, text: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<()> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let mut wanted = || value.clone().or_else(|| words.next().map(str::to_owned));
        match name {
            "help" => self.help = true,
            "overwrite" => self.own.consent.overwrite_files = true,
            "no-store" => self.own.no_store = true,
            "destroy" => self.own.consent.destroy_devices.push(wanted()?.into()),
            "store" => self.own.store = Some(wanted()?.into()),
            _ => match rows::of_key(name) {
                Some(row) if row.argument.is_empty() => self.apply(row, name, value.as_deref()),
                Some(row) => {
                    let value = wanted()?;
                    self.apply(row, name, Some(&value));
                }
                None => self.unknown(&format!("--{name}"), name),
            },
        }
        Some(())
    }

    /// Letters behind one dash. None where a value is missing.
    fn letters<'a>(&mut self, text: &str, words: &mut impl Iterator<Item = &'a str>) -> Option<()> {
        let (letters, value) = match text.split_once('=') {
            Some((letters, value)) => (letters, Some(value)),
            None => (text, None),
        };
        for (at, letter) in letters.char_indices() {
            let what = format!("-{letter}");
            let Some(row) = rows::of_letter(letter) else {
                self.unknown(&what, "");
                return Some(());
            };
            let behind = &letters[at + letter.len_utf8()..];
            if row.argument.is_empty() {
                self.apply(row, &what, value.filter(|_| behind.is_empty()));
                continue;
            }
            let value = match (value, at) {
                (Some(value), _) => value,
                (None, 0) if !behind.is_empty() => {
                    self.note_glued(text, behind);
                    behind
                }
                (None, _) => words.next()?,
            };
            self.apply(row, &what, Some(value));
            break;
        }
        Some(())
    }

    /// IOR reads the letters of a value that is not apart as flags, too.
    fn note_glued(&mut self, word: &str, value: &str) {
        let read = value
            .chars()
            .filter(|letter| rows::of_letter(*letter).is_some());
        let read: Vec<String> = read.map(|letter| format!("-{letter}")).collect();
        if !read.is_empty() {
            let why = format!(
                "IOR also reads {} in it; here the value alone counts: put a blank before it",
                read.join(", ")
            );
            self.note(&format!("-{word}"), &why);
        }
    }

    /// Settings by the names of scripts, with commas between.
    fn directives(&mut self, line: &str) {
        let line = line.split('#').next().unwrap_or_default();
        for part in line.split(',') {
            match part.split_once('=') {
                Some((key, value)) => {
                    let (key, value) = (key.trim(), value.trim());
                    match rows::of_key(key.trim_start_matches('-')) {
                        Some(row) => self.apply(row, key, Some(value)),
                        None => self.unknown(key, key.trim_start_matches('-')),
                    }
                }
                None => self.refuse(part.trim(), "must be KEY=VALUE"),
            }
        }
    }

    fn apply(&mut self, row: &Row, what: &str, value: Option<&str>) {
        match (&row.apply, value) {
            (Apply::Count(of), None) => *of(&mut self.settings) += 1,
            (Apply::Count(of) | Apply::Number(of), Some(text)) => match number(text) {
                Ok(read) => {
                    *of(&mut self.settings) = read.value;
                    if let Some(dropped) = read.dropped {
                        let why = format!("{dropped:?} behind the number is dropped, as in IOR");
                        self.note(&format!("{what} {text}"), &why);
                    }
                }
                Err(form) => self.refuse(&format!("{what} {text}"), form),
            },
            (Apply::Text(set), Some(text)) => {
                if let Err(why) = set(&mut self.settings, text) {
                    self.refuse(&format!("{what} {text}"), &why);
                }
            }
            (Apply::Noted(why), _) => self.note(what, why),
            (Apply::Refused(why), _) => self.refuse(what, why),
            (Apply::Number(_) | Apply::Text(_), None) => {
                unreachable!("an option with an argument has a value")
            }
        }
    }

    fn unknown(&mut self, what: &str, key: &str) {
        let why = rows::of_backend(key);
        self.refuse(
            what,
            why.unwrap_or("IOR has no such option; --help lists all"),
        );
    }

    fn note(&mut self, what: &str, why: &str) {
        self.notes.push(Note {
            place: self.place.clone(),
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }

    fn refuse(&mut self, what: &str, why: &str) {
        self.problems.push(Problem {
            place: self.place.clone(),
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }
}
