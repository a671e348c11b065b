//! Reads all sessions and all results, in one pass over their summaries.
//!
//! Every summary is compared with its checksum. Where one is damaged or missing, its session is read from its own rows; what
//! is damaged there, too, is reported by name and hides nothing else. Left out: which results are meant (`cli`).

use crate::care::Listing;
use crate::error::Fault;
use crate::load::tags_of;
use crate::session::{SessionId, SessionSummary};
use crate::summary::{decode_result, decode_runs, decode_session};
use crate::{Result, Store, StoreError};
use model::ResultRow;
use rusqlite::{OptionalExtension, Rows, Transaction};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// What takes each row, until it has enough.
type Each<'a> = &'a mut dyn FnMut(ResultRow) -> ControlFlow<()>;

/// Tags of all sessions and results: of a session, (0, tag); of a result, (number, tag).
type Tags = HashMap<u64, Vec<(u32, String)>>;

impl Store {
    /// The newest sessions that `fits` takes, at most so many; damaged ones are reported and do not hide the others.
    ///
    /// Errors: the file cannot be read at all.
    pub fn listing_of(
        &self,
        limit: Option<u32>,
        fits: &dyn Fn(&SessionSummary) -> bool,
    ) -> Result<Listing> {
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        if self.has_summaries() {
            match self.newest(limit, fits) {
                Ok(Some(listing)) => return Ok(listing),
                Ok(None) | Err(Fault::Damaged(_) | Fault::Sql(_)) => {}
                Err(other) => return Err(other.at(self.path())),
            }
        }
        let mut listing = self.listing_by_rows()?;
        listing.sessions.retain(|session| fits(session));
        listing.sessions.truncate(limit);
        Ok(listing)
    }

    /// By the summaries; `None` where some are missing or damaged.
    fn newest(
        &self,
        limit: usize,
        fits: &dyn Fn(&SessionSummary) -> bool,
    ) -> Result<Option<Listing>, Fault> {
        let transaction = self.read()?;
        if !all_have_summaries(&transaction)? {
            return Ok(None);
        }
        let mut select = transaction.prepare(
            "SELECT session_id, summary FROM session_summaries ORDER BY session_id DESC",
        )?;
        let mut rows = select.query([])?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()?.filter(|_| sessions.len() < limit) {
            let blob = row.get_ref(1)?.as_blob().unwrap_or_default();
            match decode_session(SessionId(row.get(0)?), blob) {
                Ok(session) if fits(&session) => sessions.push(session),
                Ok(_) => {}
                Err(_) => return Ok(None),
            }
        }
        add_tags(&transaction, &mut sessions)?;
        Ok(Some(Listing {
            sessions,
            damaged: Vec::new(),
        }))
    }

    /// Whether there is any session.
    pub fn has_sessions(&self) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT 1 FROM sessions)";
        let any = self.connection.query_row(query, [], |row| row.get(0));
        any.map_err(|error| Fault::Sql(error).at(self.path()))
    }

    /// All results as lines, by session and number, oldest first, until `each` breaks; answers what is damaged of what was
    /// read, which is left out.
    ///
    /// Errors: the file cannot be read at all.
    pub fn each_row(&self, each: Each<'_>) -> Result<Vec<String>> {
        let (mut damaged, mut done) = (Vec::new(), SessionId(0));
        let mut flow = ControlFlow::Continue(());
        let mut until = |row| {
            if flow.is_continue() {
                flow = each(row);
            }
            flow
        };
        if self.has_summaries() {
            match self.stream(&mut until, &mut done, &mut |_| ControlFlow::Break(())) {
                Ok(()) => return Ok(damaged),
                // From there on each session is read from its own rows, so that the order stays.
                Err(Fault::Damaged(_) | Fault::Sql(_)) => {}
                Err(other) => return Err(other.at(self.path())),
            }
        }
        let listing = self.listing(None)?;
        damaged.extend(listing.damaged);
        let rest = listing.sessions.iter().rev().map(|session| session.id);
        let rest: Vec<SessionId> = rest.filter(|id| *id > done).collect();
        self.rows_one_by_one(&rest, (&mut until, &mut damaged))?;
        Ok(damaged)
    }

    fn rows_one_by_one(
        &self,
        sessions: &[SessionId],
        (each, damaged): (Each<'_>, &mut Vec<String>),
    ) -> Result<()> {
        for session in sessions {
            match self.rows(&[*session]) {
                Ok(rows) => {
                    if rows.into_iter().try_for_each(&mut *each).is_break() {
                        break;
                    }
                }
                Err(StoreError::Damaged { what, .. }) => damaged.push(what),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Gives the results of all sessions by their summaries. `lacking` gets each session whose summary is damaged or missing,
    /// and says whether to continue without it. `done` is the last session that was read.
    ///
    /// Errors: `lacking` ended it.
    pub(crate) fn stream(
        &self,
        each: Each<'_>,
        done: &mut SessionId,
        lacking: &mut dyn FnMut(SessionId) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let ended = || Fault::Damaged("a summary is damaged or missing".to_owned());
        let transaction = self.read()?;
        let tags = all_tags(&transaction)?;
        if !all_have_summaries(&transaction)? {
            let missing = "SELECT id FROM sessions EXCEPT SELECT session_id FROM session_summaries";
            let mut select = transaction.prepare(missing)?;
            let ids = select.query_map([], |row| row.get(0).map(SessionId))?;
            for id in ids {
                if lacking(id?).is_break() {
                    return Err(ended());
                }
            }
        }
        let mut sessions = transaction
            .prepare("SELECT session_id, summary FROM session_summaries ORDER BY session_id")?;
        let mut results = transaction.prepare(
            "SELECT session_id, number, summary FROM result_summaries ORDER BY session_id, number",
        )?;
        let mut sessions = sessions.query([])?;
        let mut results = Results::new(results.query([])?)?;
        while let Some(row) = sessions.next()? {
            let id = SessionId(row.get(0)?);
            let blob = row.get_ref(1)?.as_blob().unwrap_or_default();
            let runs = decode_runs(id, blob);
            let rows = results.of(id)?;
            match (runs, rows) {
                (Ok(runs), Some(rows)) if rows.len() == runs as usize => {
                    for mut row in rows {
                        row.tags = tags_of_result(tags.get(&id.0), row.number);
                        if each(row).is_break() {
                            return Ok(());
                        }
                    }
                }
                _ if lacking(id).is_break() => return Err(ended()),
                _ => {}
            }
            *done = id;
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
            if let Some(Ok(summary)) = blob.map(|blob| decode_session(session, &blob)) {
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
        let (mut rows, mut damaged) = (Vec::new(), Vec::new());
        let mut take = |row: ResultRow| {
            if row.tags.iter().any(|one| one == tag) {
                rows.push(row);
            }
            ControlFlow::Continue(())
        };
        self.rows_one_by_one(&sessions, (&mut take, &mut damaged))?;
        Ok((rows, damaged))
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

/// Whether there are as many summaries as sessions. What was added behind fathom's back is missed otherwise.
fn all_have_summaries(transaction: &Transaction<'_>) -> Result<bool, Fault> {
    let counts = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM session_summaries)";
    let (sessions, summaries): (u64, u64) =
        transaction.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(sessions == summaries)
}

fn all_tags(transaction: &Transaction<'_>) -> Result<Tags, Fault> {
    let mut select =
        transaction.prepare("SELECT session_id, number, tag FROM tags ORDER BY session_id, tag")?;
    let mut rows = select.query([])?;
    let mut tags = Tags::new();
    while let Some(row) = rows.next()? {
        let of = tags.entry(row.get(0)?).or_default();
        of.push((row.get(1)?, row.get(2)?));
    }
    Ok(tags)
}

/// Its session's and its own, each once.
fn tags_of_result(tags: Option<&Vec<(u32, String)>>, number: u32) -> Vec<String> {
    let own = tags.into_iter().flatten();
    let own = own.filter(|(of, _)| *of == 0 || *of == number);
    let mut own: Vec<String> = own.map(|(_, tag)| tag.clone()).collect();
    own.dedup();
    own
}

/// A few are looked up one by one, many in one pass.
fn add_tags(transaction: &Transaction<'_>, sessions: &mut [SessionSummary]) -> Result<(), Fault> {
    if sessions.len() < 100 {
        for session in sessions {
            session.tags = tags_of(transaction, session.id, 0)?;
        }
        return Ok(());
    }
    let tags = all_tags(transaction)?;
    for session in sessions.iter_mut().filter(|_| !tags.is_empty()) {
        session.tags = tags_of_result(tags.get(&session.id.0), 0);
    }
    Ok(())
}

/// The results of one session after another.
struct Results<'stmt> {
    rows: Rows<'stmt>,
    next: Option<(SessionId, Option<ResultRow>)>, // a damaged one has no line
}

impl<'stmt> Results<'stmt> {
    fn new(rows: Rows<'stmt>) -> Result<Self, Fault> {
        let mut results = Results { rows, next: None };
        results.step()?;
        Ok(results)
    }

    fn step(&mut self) -> Result<(), Fault> {
        self.next = match self.rows.next()? {
            Some(row) => {
                let (session, number) = (SessionId(row.get(0)?), row.get(1)?);
                let blob = row.get_ref(2)?.as_blob().unwrap_or_default();
                Some((session, decode_result((session, number), blob).ok()))
            }
            None => None,
        };
        Ok(())
    }

    /// `None` where one of them is damaged. Those of sessions before this one are skipped.
    fn of(&mut self, session: SessionId) -> Result<Option<Vec<ResultRow>>, Fault> {
        let mut found = Some(Vec::new());
        while let Some((of, row)) = self.next.take_if(|(of, _)| *of <= session) {
            if of == session {
                match (row, &mut found) {
                    (Some(row), Some(found)) => found.push(row),
                    _ => found = None,
                }
            }
            self.step()?;
        }
        Ok(found)
    }
}
