//! Arguments → request, in two passes as DISKSPD goes about it.
//!
//! The first pass reads the targets, `-b` and the switches that may be combined with `-X`; the second reads the rest
//! from left to right, so that `b` in a size means the last `-b` at any place. Which switch belongs to which
//! pass, and the function that reads it, stand in `flags::FLAGS`. All problems are reported at once; `-?` and `-ye` end the
//! reading where they stand, as they always did.

mod access;
mod arguments;
mod cache;
mod finish;
mod places;
mod plain;

pub(super) use access::{interlocked, mixed, random, ranges, sequential};
pub(super) use cache::{all_off, caching, flush};
pub(super) use places::{affinity, base, content, max_or_hints};
pub(super) use plain::*;

use super::flags::Pass;
use super::problem::{Note, Problem, Refusal};
use super::profile::{Bypass, Cache, Flush, Profile, ResultFormat, Target, TimeSpan};
use super::{Action, Environment, Events, Extra, Request, number};
pub(super) use arguments::Word;
pub(crate) use arguments::{LOOKS_LIKE_A_SWITCH, is_program, words_of};
use std::ops::RangeInclusive;

/// Most words of a command line.
const ARGS_MAX: usize = 20_000;

/// Reads a whole command line, program name omitted.
///
/// # Errors
/// Everything that is wrong with it. Nothing has been opened but the profile that `-X` names.
pub fn parse(args: &[String], environment: &Environment) -> Result<Request, Refusal> {
    if args.is_empty() {
        return Ok(Request {
            action: Action::Usage { asked: false },
            notes: Vec::new(),
            events: Events::default(),
            extra: Extra::default(),
        });
    }
    if args.len() > ARGS_MAX {
        let why = format!("more than {ARGS_MAX} words: specify the targets in a profile");
        let place = "the command line".to_owned();
        return Err(Problem::Rule { place, why }.into());
    }
    let mut command = Command::new(environment);
    let words = arguments::split(args, &mut command);
    command.refuse_beside_profile(&words);
    command.note_repeats(&words);
    for pass in [Pass::First, Pass::Second] {
        for word in &words {
            if word.flag.pass != pass || command.stop.is_some() {
                continue;
            }
            command.place = word.place;
            if let Err(problem) = (word.flag.read)(&mut command, word) {
                command.refuse(problem);
            }
        }
    }
    if command.over.machine {
        return command.finish_machine(&words);
    }
    command.finish()
}

/// A command line while it is read.
pub(super) struct Command<'a> {
    environment: &'a Environment<'a>,
    own: OwnProfile,
    targets: Vec<String>,
    over: Overrides,
    profile_path: Option<String>,
    print: bool,
    stop: Option<Action>,
    events: Events,
    extra: Extra,
    notes: Vec<Note>,
    problems: Vec<(usize, Problem)>,
    /// Which argument is being read.
    place: usize,
}

/// The profile that the switches describe, where no `-X` names one: a target like all others, in a single time span.
#[derive(Default)]
struct OwnProfile {
    profile: Profile,
    span: TimeSpan,
    target: Target,
    align_given: bool,
    base_given: bool,
    /// `-w` is on the line.
    writes_given: bool,
    caching: Caching,
}

/// The effect of `-S`, `-h` and `-N` so far.
#[derive(Default)]
struct Caching {
    cache: Option<Cache>,
    write_through: bool,
    mapped: bool,
    flush: Option<Flush>,
    bypass: Option<Bypass>,
}

/// Options of the command line that override a profile.
#[derive(Default)]
struct Overrides {
    duration_s: Option<u32>,
    warmup_s: Option<u32>,
    cooldown_s: Option<u32>,
    seed: Option<u32>,
    experiment_flags: Option<u32>,
    format: Option<ResultFormat>,
    /// `-Rs`: the system information instead of any profile.
    machine: bool,
    verbose: bool,
    verbose_stats: bool,
}

impl<'a> Command<'a> {
    fn new(environment: &'a Environment<'a>) -> Self {
        Command {
            environment,
            own: OwnProfile::default(),
            targets: Vec::new(),
            over: Overrides::default(),
            profile_path: None,
            print: false,
            stop: None,
            events: Events::default(),
            extra: Extra::default(),
            notes: Vec::new(),
            problems: Vec::new(),
            place: 0,
        }
    }

    fn refuse(&mut self, problem: Problem) {
        self.problems.push((self.place, problem));
    }

    fn note(&mut self, word: &Word, what: impl Into<String>) {
        self.notes.push(Note::new(&word.token, what));
    }

    /// Reports that the text behind a switch without a value is ignored.
    fn bare(&mut self, word: &Word) {
        if !word.value.is_empty() {
            let what = format!("`{}` is ignored: this switch takes no value", word.value);
            self.note(word, what);
        }
    }

    /// A number as C reads it; what follows it is ignored and reported.
    fn number(
        &mut self,
        word: &Word,
        range: RangeInclusive<i64>,
        accepted: &'static str,
    ) -> Result<u32, Problem> {
        let (value, rest) = number::atoi(word.value);
        let fits = u32::try_from(value).ok().filter(|_| range.contains(&value));
        let value = fits.ok_or_else(|| word.value(accepted))?;
        self.junk(word, value, rest);
        Ok(value)
    }

    fn junk(&mut self, word: &Word, value: u32, rest: &str) {
        if !rest.is_empty() {
            self.note(word, format!("read as {value}; `{rest}` is ignored"));
        }
    }

    fn size(&self, word: &Word, text: &str) -> Result<u64, Problem> {
        number::size(text, u64::from(self.own.target.block_bytes)).ok_or_else(|| Problem::Value {
            token: word.token.clone(),
            read: text.to_owned(),
            accepted: number::SIZE_FORM,
        })
    }

    /// Notes each switch that is given again with another value, because only the last one counts.
    fn note_repeats(&mut self, words: &[Word]) {
        const LAST_COUNTS: [&str; 17] = [
            "b", "bs", "c", "C", "d", "D", "F", "g", "I", "o", "oc", "O", "P", "t", "T", "w", "W",
        ];
        for (place, word) in words.iter().enumerate() {
            let same = |other: &&Word| other.flag.name == word.flag.name;
            let before = words[..place].iter().rev().find(same);
            let Some(before) = before.filter(|before| before.value != word.value) else {
                continue;
            };
            if !word.flag.long && LAST_COUNTS.contains(&word.flag.name) {
                let what = format!(
                    "{} stands before it, and only the last one counts",
                    before.token
                );
                self.note(word, what);
            }
        }
    }

    fn refuse_beside_profile(&mut self, words: &[Word]) {
        let Some(profile) = words.iter().find(|word| word.is("X")) else {
            return;
        };
        for word in words {
            if !word.flag.composes {
                self.problems.push((
                    word.place,
                    Problem::BesideProfile {
                        token: word.token.clone(),
                        profile: profile.token.clone(),
                        before: word.place < profile.place,
                    },
                ));
            }
        }
    }
}
