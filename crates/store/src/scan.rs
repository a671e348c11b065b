//! Reads all sessions and all results, in one pass over their summaries.
//!
//! Every summary is compared with its checksum. Where one is damaged or missing, its session is read from its own rows; what
//! is damaged there, too, is reported by name and hides nothing else. Omitted: which results are meant (`cli`).

use crate::answers::{StoredAnswer, judge};
use crate::care::Listing;
use crate::error::Fault;
use crate::notes::{Noted, notes_for};
use crate::session::{SessionId, SessionSummary};
use crate::summary::{Depth, decode_result, decode_runs, decode_session};
use crate::{Result, Store, StoreError};
use model::{Note, ResultRow};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::FromSql;
use rusqlite::{OptionalExtension, Rows, Statement, Transaction};
use std::ops::ControlFlow;

/// What takes each row, until it has enough. The row is read over by the next one.
type Each<'a> = &'a mut dyn FnMut(&ResultRow) -> ControlFlow<()>;

/// The same for sessions, with their results where these are read.
type EachSession<'a> = &'a mut dyn FnMut(&SessionSummary, &[ResultRow]) -> ControlFlow<()>;

/// Which summaries are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Sessions, newest first.
    Sessions,
    /// The same with their results, of which figures may be missing.
    SessionsWithResults,
    /// Sessions with their results, oldest first.
    Results,
    /// The same with their verdicts, of whose sessions only the id, the tags and the count of results are read.
    Rows,
}

impl Pass {
    /// What an id is compared by: it grows on the way.
    fn place(self, id: SessionId) -> i64 {
        let id = i64::try_from(id.0).unwrap_or(i64::MAX);
        if self.is_of_results() { id } else { -id }
    }

    /// A select of this pass. In `query`, `{}` is the direction.
    fn select<'t>(self, of: &'t Transaction<'_>, query: &str) -> rusqlite::Result<Statement<'t>> {
        let direction = if self.is_of_results() { "" } else { "DESC" };
        of.prepare(&query.replace("{}", direction))
    }

    fn is_of_results(self) -> bool {
        matches!(self, Pass::Results | Pass::Rows)
    }
}

impl Store {
    /// All sessions, newest first; those that are damaged are reported and do not hide the others.
    ///
    /// Errors: the file cannot be read at all.
    pub fn listing(&self) -> Result<Listing> {
        let mut sessions = Vec::new();
        let damaged = self.each_session(Pass::Sessions, &mut |session, _| {
            sessions.push(session.clone());
            ControlFlow::Continue(())
        })?;
        Ok(Listing { sessions, damaged })
    }

    /// Gives one session after the other in the order of the pass, until `each` breaks; returns what is damaged of what the
    /// pass is for. A session whose results are damaged comes without any.
    ///
    /// Errors: the file cannot be read at all.
    pub fn each_session(&self, pass: Pass, each: EachSession<'_>) -> Result<Vec<String>> {
        let mut done = None;
        if self.has_summaries() {
            match self.stream(pass, each, &mut done, &mut |_| ControlFlow::Break(())) {
                Ok(()) => return Ok(Vec::new()),
                // From there on each session is read from its own rows, so that the order stays.
                Err(Fault::Damaged(_) | Fault::Sql(_)) => {}
                Err(other) => return Err(other.at(self.path())),
            }
        }
        let Listing {
            mut sessions,
            mut damaged,
        } = self.listing_by_rows()?;
        if pass.is_of_results() {
            sessions.reverse();
        }
        let done = done.map(|id| pass.place(id));
        sessions.retain(|session| done.is_none_or(|done| pass.place(session.id) > done));
        for session in sessions {
            let rows = match pass {
                Pass::Sessions => Ok(Vec::new()),
                Pass::Rows => self.judged_rows(session.id),
                _ => self.rows(&[session.id]),
            };
            let rows = match rows {
                Ok(rows) => rows,
                Err(StoreError::Damaged { what, .. }) => {
                    damaged.extend(pass.is_of_results().then_some(what));
                    Vec::new()
                }
                Err(error) => return Err(error),
            };
            if each(&session, &rows).is_break() {
                break;
            }
        }
        Ok(damaged)
    }

    /// Whether there is any session.
    pub fn has_sessions(&self) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT 1 FROM sessions)";
        let any = self.connection.query_row(query, [], |row| row.get(0));
        any.map_err(|error| Fault::Sql(error).at(self.path()))
    }

    /// All results as lines, by session and number, oldest first, until `each` breaks; answers what is damaged of what was
    /// read, which is omitted.
    ///
    /// Errors: the file cannot be read at all.
    pub fn each_row(&self, each: Each<'_>) -> Result<Vec<String>> {
        self.each_session(Pass::Rows, &mut |_, rows| {
            rows.iter().try_for_each(&mut *each)
        })
    }

    /// Gives what a pass reads by the summaries. `lacking` gets each session whose summary is damaged or missing, and
    /// returns whether to continue without it. `done` is the last session that was read.
    ///
    /// Errors: `lacking` ended it.
    pub(crate) fn stream(
        &self,
        pass: Pass,
        each: EachSession<'_>,
        done: &mut Option<SessionId>,
        lacking: &mut dyn FnMut(SessionId) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let ended = || Fault::Damaged("a summary is damaged or missing".to_owned());
        let transaction = self.read()?;
        if without_summary(&transaction, lacking)?.is_break() {
            return Err(ended());
        }
        let mut sessions = pass.select(&transaction, SESSIONS)?;
        let mut results = pass.select(&transaction, RESULTS)?;
        let mut tags = pass.select(&transaction, TAGS)?;
        let mut notes = match self.has_notes() {
            true => Some(pass.select(&transaction, NOTES)?),
            false => None,
        };
        let mut sessions = sessions.query([])?;
        let mut tags = Words::<String>::new(pass, tags.query([])?)?;
        let mut notes = match &mut notes {
            Some(notes) => Some(Words::<String>::new(pass, notes.query([])?)?),
            None => None,
        };
        let mut answers = match self.has_answers() {
            true => Some(pass.select(&transaction, ANSWERS)?),
            false => None,
        };
        let mut answers = match &mut answers {
            Some(answers) => Some(Words::<Vec<u8>>::new(pass, answers.query([])?)?),
            None => None,
        };
        let mut results = match pass {
            Pass::Sessions => None,
            _ => Some(Results::new(pass, results.query([])?)?),
        };
        let mut session = SessionSummary::empty();
        while let Some(row) = sessions.next()? {
            let id = SessionId(row.get(0)?);
            let blob = row.get_ref(1)?.as_blob().unwrap_or_default();
            let own = match pass {
                Pass::Rows => decode_runs(id, blob, &mut session),
                _ => decode_session(id, blob, &mut session),
            };
            let rows = match &mut results {
                Some(results) => results
                    .of(id)?
                    .filter(|rows| rows.len() == session.runs as usize),
                None => Some(&mut [][..]),
            };
            let (Ok(()), Some(rows)) = (own, rows) else {
                if lacking(id).is_break() {
                    return Err(ended());
                }
                continue;
            };
            let notes = match &mut notes {
                Some(notes) => notes_of(notes.of(id)?),
                None => Noted::new(),
            };
            set_words(&mut session, rows, tags.of(id)?, &notes);
            let answer = answers.as_mut().map(|answers| answers.of(id)).transpose()?;
            let answer = answer.and_then(|found| found.first());
            let answer = answer.map(|(_, blob)| blob.as_slice());
            match pass {
                Pass::Rows => judge(id, answer, rows),
                _ => session.answer = StoredAnswer::of(id, answer),
            }
            if each(&session, rows).is_break() {
                return Ok(());
            }
            *done = Some(id);
        }
        Ok(())
    }

    /// A session by its summary, or by its own row where that is damaged; without its tags.
    pub(crate) fn summary_or_row(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> Result<SessionSummary, Fault> {
        if self.has_summaries() {
            let query = "SELECT summary FROM session_summaries WHERE session_id = ?1";
            let blob: Option<Vec<u8>> = transaction
                .prepare_cached(query)?
                .query_row([session.0], |row| row.get(0))
                .optional()?;
            let mut summary = SessionSummary::empty();
            if blob.is_some_and(|blob| decode_session(session, &blob, &mut summary).is_ok()) {
                return Ok(summary);
            }
        }
        Ok(self.load_summary(transaction, session)?.0)
    }

    /// The results that have this tag, themselves or by their session, by session and number.
    ///
    /// Errors: the file cannot be read at all; damaged sessions are answered by name, as by [`Store::each_row`].
    pub fn tagged(&self, tag: &str) -> Result<(Vec<ResultRow>, Vec<String>)> {
        let find = || -> Result<Vec<SessionId>, Fault> {
            if !self.has_lines() {
                return Ok(Vec::new());
            }
            let query = "SELECT DISTINCT session_id FROM tags WHERE tag = ?1 ORDER BY session_id";
            let mut select = self.connection.prepare(query)?;
            let found = select.query_map([tag], |row| row.get(0).map(SessionId))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        };
        let sessions = find().map_err(|fault| fault.at(self.path()))?;
        let (mut found, mut damaged) = (Vec::new(), Vec::new());
        for session in sessions {
            match self.rows(&[session]) {
                Ok(rows) => found.extend(rows),
                Err(StoreError::Damaged { what, .. }) => damaged.push(what),
                Err(error) => return Err(error),
            }
        }
        found.retain(|row| row.tags.iter().any(|one| one == tag));
        Ok((found, damaged))
    }

    /// All tags that something has, in order.
    pub fn tags(&self) -> Result<Vec<String>> {
        let find = || -> Result<Vec<String>, Fault> {
            if !self.has_lines() {
                return Ok(Vec::new());
            }
            let mut select = self
                .connection
                .prepare("SELECT DISTINCT tag FROM tags ORDER BY tag")?;
            let found = select.query_map([], |row| row.get(0))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        };
        find().map_err(|fault| fault.at(self.path()))
    }
}

/// Gives each session without a summary, until `lacking` breaks.
fn without_summary(
    transaction: &Transaction<'_>,
    lacking: &mut dyn FnMut(SessionId) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Fault> {
    if all_have_summaries(transaction)? {
        return Ok(ControlFlow::Continue(()));
    }
    let missing = "SELECT id FROM sessions EXCEPT SELECT session_id FROM session_summaries";
    let mut select = transaction.prepare(missing)?;
    let ids = select.query_map([], |row| row.get(0).map(SessionId))?;
    let ids: Vec<SessionId> = ids.collect::<rusqlite::Result<_>>()?;
    Ok(ids.into_iter().try_for_each(lacking))
}

/// Whether there are as many summaries as sessions. What was added behind fathom's back is missed otherwise.
fn all_have_summaries(transaction: &Transaction<'_>) -> Result<bool, Fault> {
    let counts = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM session_summaries)";
    let (sessions, summaries): (u64, u64) =
        transaction.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(sessions == summaries)
}

const SESSIONS: &str = "SELECT session_id, summary FROM session_summaries ORDER BY session_id {}";
const RESULTS: &str =
    "SELECT session_id, number, summary FROM result_summaries ORDER BY session_id {}, number {}";
const TAGS: &str = "SELECT session_id, number, tag FROM tags ORDER BY session_id {}, tag";
const ANSWERS: &str = "SELECT session_id, 0, answer FROM answers ORDER BY session_id {}";
/// A field has no `=`.
const NOTES: &str = "SELECT session_id, number, field || '=' || value FROM notes ORDER BY session_id {}, number, field";

/// Sets what people wrote of a session and of each result in it.
fn set_words(
    session: &mut SessionSummary,
    rows: &mut [ResultRow],
    tags: &[(u32, String)],
    notes: &Noted,
) {
    set_tags(&mut session.tags, tags, 0);
    session.notes = notes_for(notes, 0);
    for row in rows {
        set_tags(&mut row.tags, tags, row.number);
        row.notes = notes_for(notes, row.number);
    }
}

/// A session's tags (number 0), or a result's with those of its session, each once.
fn set_tags(into: &mut Vec<String>, tags: &[(u32, String)], number: u32) {
    let own = tags.iter().filter(|(of, _)| *of == 0 || *of == number);
    into.clear();
    into.extend(own.map(|(_, tag)| tag.clone()));
    into.dedup();
}

fn notes_of(words: &[(u32, String)]) -> Noted {
    let split = words
        .iter()
        .filter_map(|(number, word)| Some((number, word.split_once('=')?)));
    let note = |(number, (field, value)): (&u32, (&str, &str))| {
        let (field, value) = (field.to_owned(), value.to_owned());
        (*number, Note { field, value })
    };
    split.map(note).collect()
}

/// The tags, notes or answers of one session after another.
struct Words<'stmt, T = String> {
    pass: Pass,
    rows: Rows<'stmt>,
    found: Vec<(u32, T)>,
}

impl<'stmt, T: FromSql> Words<'stmt, T> {
    fn new(pass: Pass, mut rows: Rows<'stmt>) -> Result<Self, Fault> {
        rows.advance()?;
        let found = Vec::new();
        Ok(Words { pass, rows, found })
    }

    /// In the order of the query: those of the session with number 0, and those of its results.
    fn of(&mut self, session: SessionId) -> Result<&[(u32, T)], Fault> {
        self.found.clear();
        while let Some(row) = self.rows.get() {
            let of = SessionId(row.get(0)?);
            if self.pass.place(of) > self.pass.place(session) {
                break;
            }
            if of == session {
                self.found.push((row.get(1)?, row.get(2)?));
            }
            self.rows.advance()?;
        }
        Ok(&self.found)
    }
}

/// The results of one session after another, all in the same memory.
struct Results<'stmt> {
    pass: Pass,
    rows: Rows<'stmt>,
    found: Vec<ResultRow>,
}

impl<'stmt> Results<'stmt> {
    fn new(pass: Pass, mut rows: Rows<'stmt>) -> Result<Self, Fault> {
        rows.advance()?;
        let found = Vec::new();
        Ok(Results { pass, rows, found })
    }

    /// By number; `None` where one of them is damaged. Those of sessions before this one are skipped.
    fn of(&mut self, session: SessionId) -> Result<Option<&mut [ResultRow]>, Fault> {
        let depth = match self.pass.is_of_results() {
            true => Depth::All,
            false => Depth::Words,
        };
        let (mut count, mut whole) = (0, true);
        while let Some(row) = self.rows.get() {
            let of = SessionId(row.get(0)?);
            if self.pass.place(of) > self.pass.place(session) {
                break;
            }
            if of == session {
                if count == self.found.len() {
                    self.found.push(ResultRow::default());
                }
                let blob = row.get_ref(2)?.as_blob().unwrap_or_default();
                let number = row.get(1)?;
                whole &= decode_result(of, number, blob, depth, &mut self.found[count]).is_ok();
                count += 1;
            }
            self.rows.advance()?;
        }
        let found = &mut self.found[..count];
        if !self.pass.is_of_results() {
            found.reverse(); // `number {}` follows the direction, so that the index gives the order
        }
        Ok(whole.then_some(found))
    }
}
