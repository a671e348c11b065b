//! What a person finds in the database: sessions, their runs, and how both are named.

use crate::{StoreError, StoredAnswer};
use model::{FilesRecord, ImportedRun, Nanos, Note, RunRecord, WatchRecord};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A session's number. Given out once, from 1. // in [1, 2^63)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a user types to name something in the database: `12` or `12.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunName {
    /// The session.
    pub session: SessionId,
    /// One of its runs; `None` is all of them. // from 1
    pub run: Option<u32>,
}

impl FromStr for RunName {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let (session, run) = match text.split_once('.') {
            Some((session, run)) => (session, Some(run)),
            None => (text, None),
        };
        let name = || {
            let session = SessionId(whole(session)?);
            let run = match run {
                Some(run) => Some(u32::try_from(whole(run)?).ok()?),
                None => None,
            };
            Some(RunName { session, run })
        };
        name().ok_or_else(|| StoreError::Name {
            read: text.to_owned(),
        })
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.run {
            Some(run) => write!(f, "{}.{run}", self.session),
            None => write!(f, "{}", self.session),
        }
    }
}

/// A name as a user types it, which may depend on what is stored: `12`, `12.3`, `last`, `-1`, `-2.3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// A number.
    Number(RunName),
    /// Counted from the newest session, which is 1. // from 1
    FromNewest {
        /// So many sessions back.
        back: u64,
        /// One of its runs; `None` is all of them. // from 1
        run: Option<u32>,
    },
}

impl Name {
    /// The newest session.
    pub const LAST: Name = Name::FromNewest { back: 1, run: None };
}

impl FromStr for Name {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let (is_last, behind) = match (text.strip_prefix("last"), text.strip_prefix('-')) {
            (Some(run), _) if run.is_empty() || run.starts_with('.') => (true, format!("1{run}")),
            (_, behind) => (false, behind.unwrap_or(text).to_owned()),
        };
        let read: RunName = behind.parse().map_err(|_| StoreError::Name {
            read: text.to_owned(),
        })?;
        Ok(match is_last || text.starts_with('-') {
            true => Name::FromNewest {
                back: read.session.0,
                run: read.run,
            },
            false => Name::Number(read),
        })
    }
}

/// Digits only, at least 1, and within what SQLite numbers rows with.
fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = digits.then(|| text.parse().ok()).flatten()?;
    (number >= 1 && i64::try_from(number).is_ok()).then_some(number)
}

/// The kind of a session: the word of the command that filled it. Which kinds there are is known above the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionKind(Cow<'static, str>);

impl SessionKind {
    /// Longest word.
    const LETTERS_MAX: usize = 16;

    /// Names a kind; `word` is of at most 16 letters from a to z.
    pub const fn new(word: &'static str) -> Self {
        SessionKind(Cow::Borrowed(word))
    }

    /// Returns its word, as it stands in the file and in lists.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Reads the word of a file; `None` where it is no word of a command.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let is_word = (1..=Self::LETTERS_MAX).contains(&name.len())
            && name.bytes().all(|letter| letter.is_ascii_lowercase());
        is_word.then(|| SessionKind(Cow::Owned(name.to_owned())))
    }
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOutcome {
    /// As planned.
    Complete,
    /// Stopped from outside.
    Interrupted,
    /// Ended by an error.
    Failed,
}

impl SessionOutcome {
    const ALL: [SessionOutcome; 3] = [
        SessionOutcome::Complete,
        SessionOutcome::Interrupted,
        SessionOutcome::Failed,
    ];

    /// As it stands in the file and in lists.
    pub const fn name(self) -> &'static str {
        match self {
            SessionOutcome::Complete => "complete",
            SessionOutcome::Interrupted => "interrupted",
            SessionOutcome::Failed => "failed",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// What is known when a session begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Which command fills it.
    pub kind: SessionKind,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Version of fathom.
    pub tool_version: String,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// What is measured, as it was given.
    pub target: String,
    /// Notes that were given with the command.
    pub notes: Vec<Note>,
}

/// A session without its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its number.
    pub id: SessionId,
    /// Which command filled it.
    pub kind: SessionKind,
    /// Wall clock at its start: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// The target, as it was specified.
    pub target: String,
    /// How it ended; `None` is cut short: it was never finished, or is still running.
    pub outcome: Option<SessionOutcome>,
    /// Number of its results, missing ones included.
    pub runs: u32,
    /// Words that a person gave it, in order.
    pub tags: Vec<String>,
    /// Notes that a person added to it, by field.
    pub notes: Vec<Note>,
    /// What its report answers.
    pub answer: StoredAnswer,
}

impl SessionSummary {
    /// One without words, to be read over.
    pub(crate) fn empty() -> SessionSummary {
        SessionSummary {
            id: SessionId(0),
            kind: SessionKind::new("run"),
            started_utc: Nanos(0),
            command: Vec::new(),
            tool_version: String::new(),
            target: String::new(),
            outcome: None,
            runs: 0,
            tags: Vec::new(),
            notes: Vec::new(),
            answer: StoredAnswer::Missing,
        }
    }
}

/// A session with all its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// What `fathom list` shows of it.
    pub summary: SessionSummary,
    /// Content that was stored at its end other than its runs, as it was given.
    pub context: Option<String>,
    /// In the order of their numbers.
    pub runs: Vec<StoredRun>,
}

/// One result as it was saved.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRun {
    /// Within its session. // from 1
    pub number: u32,
    /// What it was for.
    pub label: String,
    /// What a sweep knows the cell by; unique in its session.
    pub key: Option<String>,
    /// Equal to what was saved.
    pub result: StoredResult,
    /// Words that a person gave it; not those of its session.
    pub tags: Vec<String>,
}

/// What is kept of one result.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredResult {
    /// Measured by fathom.
    Run(Box<RunRecord>),
    /// One step of work with files, measured by fathom.
    Files(Box<FilesRecord>),
    /// What was seen of one device while it was watched.
    Watch(Box<WatchRecord>),
    /// Read from another tool's result.
    Imported(Box<ImportedRun>),
    /// There is none, and why.
    Missing(String),
}

impl StoredRun {
    /// The record, where fathom measured it.
    pub fn record(&self) -> Option<&RunRecord> {
        match &self.result {
            StoredResult::Run(record) => Some(record),
            _ => None,
        }
    }

    /// The same, taken out, with its label.
    pub fn into_record(self) -> Option<(String, RunRecord)> {
        match self.result {
            StoredResult::Run(record) => Some((self.label, *record)),
            _ => None,
        }
    }
}

/// A cell of a session without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCell {
    /// Within its session. // from 1
    pub number: u32,
    /// What it was for.
    pub label: String,
    /// What it is known by; unique in its session.
    pub key: String,
    /// Why there is no result, where there is none.
    pub missing: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_runs_have_short_names() {
        for (text, session, run) in [("12", 12, None), ("12.3", 12, Some(3)), ("1.1", 1, Some(1))] {
            let name: RunName = text.parse().unwrap();
            assert_eq!((name.session.0, name.run), (session, run), "{text}");
            assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_no_name() {
        for text in [
            "",
            "0",
            "-1",
            "+1",
            "1.",
            ".1",
            "1.0",
            "1.2.3",
            "a",
            "1 ",
            "1.x",
            "9223372036854775808",
            "1.4294967296",
        ] {
            let reported = text.parse::<RunName>().unwrap_err().to_string();
            assert!(
                reported.starts_with(&format!("invalid value '{text}': ")),
                "{reported}"
            );
        }
    }
}

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn names_are_numbers_or_counted_from_the_newest() {
        let newest = |back, run| Name::FromNewest { back, run };
        let number = |session, run| {
            let session = SessionId(session);
            Name::Number(RunName { session, run })
        };
        for (text, expected) in [
            ("12", number(12, None)),
            ("12.3", number(12, Some(3))),
            ("last", newest(1, None)),
            ("last.3", newest(1, Some(3))),
            ("-1", newest(1, None)),
            ("-2.3", newest(2, Some(3))),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in [
            "", "-", "-0", "last2", "lastly", "last.", "--1", "-last", "1.x",
        ] {
            assert!(text.parse::<Name>().is_err(), "{text}");
        }
        assert!("last".parse::<RunName>().is_err());
    }
}
