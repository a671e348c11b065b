//! Is the file whole? Either of all of it, or of what is read each day: structure and summaries, and the records of the
//! newest sessions and of some others.
//!
//! Damage is a finding, never an error. Nothing in the file is changed.

use crate::error::Fault;
use crate::load::all_there;
use crate::rows::{lines, summaries};
use crate::scan::Pass;
use crate::session::{SessionId, SessionSummary};
use crate::{Result, Store};
use rusqlite::Transaction;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The tables that `fathom list` and `fathom table` read, and the records of so many sessions: half of them the
    /// newest, the others drawn by the seed.
    Sample {
        /// How many sessions.
        sessions: u64,
        /// Another one draws others.
        seed: u64,
    },
    /// All of it.
    Full,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Sessions in the list.
    pub sessions: u64,
    /// Results that they have.
    pub results: u64,
    /// Results of which the whole record was read and is whole.
    pub whole: u64,
    /// Results of which the record was not read.
    pub unread: u64,
    /// What is wrong, one sentence each; empty where nothing is.
    pub findings: Vec<String>,
}

/// Most findings of SQLite that are reported.
const FINDINGS_MAX: usize = 20;

/// Tables that are small compared with the records; files of old have the last ones alone.
const SMALL: [&str; 7] = [
    "result_summaries",
    "session_summaries",
    "answers",
    "notes",
    "baselines",
    "tags",
    "headlines",
];

impl Store {
    /// Checks the file; reports how many of how many sessions are done.
    ///
    /// Errors: the file cannot be read at all.
    pub fn check(&self, depth: Depth, report: &mut dyn FnMut(u64, u64)) -> Result<Check> {
        let mut findings = self.structure(depth);
        let listing = self.listing()?;
        findings.extend(listing.damaged);
        let chosen = chosen(&listing.sessions, depth);
        let results: u64 = listing.sessions.iter().map(|one| u64::from(one.runs)).sum();
        findings.extend(self.check_summaries()?);
        let (mut whole, mut read) = (0, 0);
        let transaction = self.read().map_err(|fault| fault.at(self.path()))?;
        for (done, session) in (0..).zip(&chosen) {
            report(done, chosen.len() as u64);
            let (good, wrong) = self.check_session(&transaction, session.id);
            whole += good;
            read += u64::from(session.runs);
            findings.extend(wrong);
        }
        let mut seen = BTreeSet::new();
        findings.retain(|finding| seen.insert(finding.clone()));
        Ok(Check {
            sessions: listing.sessions.len() as u64,
            results,
            whole,
            unread: results.saturating_sub(read),
            findings,
        })
    }

    /// SQLite's errors on its own pages and on rows without a parent.
    fn structure(&self, depth: Depth) -> Vec<String> {
        let tables: &[&str] = match depth {
            Depth::Full => &[""],
            Depth::Sample { .. } => &SMALL,
        };
        let mut findings = Vec::new();
        for table in tables {
            if !table.is_empty() && self.has_table(table) == Some(false) {
                continue;
            }
            // A table that is named is checked alone.
            let (pages, strays) = match *table {
                "" => (
                    format!("PRAGMA integrity_check({FINDINGS_MAX})"),
                    "PRAGMA foreign_key_check".to_owned(),
                ),
                table => (
                    format!("PRAGMA quick_check({table})"),
                    format!("PRAGMA foreign_key_check({table})"),
                ),
            };
            match self.reported(&pages, |row| row.get(0)) {
                Ok(lines) => findings.extend(lines.into_iter().filter(|line| line != "ok")),
                Err(error) => findings.push(format!("the structure of the file: {error}")),
            }
            let strays = self.reported(&strays, |row| {
                let (table, row): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
                let row = row.map_or_else(String::new, |row| format!(" {row}"));
                Ok(format!("{table}: row{row} belongs to nothing"))
            });
            match strays {
                Ok(lines) => findings.extend(lines.into_iter().take(FINDINGS_MAX)),
                Err(error) => findings.push(format!("what belongs together: {error}")),
            }
        }
        findings
    }

    fn has_table(&self, name: &str) -> Option<bool> {
        let query =
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
        let there = self.connection.query_row(query, [name], |row| row.get(0));
        there.ok()
    }

    fn reported(
        &self,
        sql: &str,
        row: fn(&rusqlite::Row<'_>) -> rusqlite::Result<String>,
    ) -> rusqlite::Result<Vec<String>> {
        let mut select = self.connection.prepare(sql)?;
        let rows = select.query_map([], row)?;
        rows.collect()
    }

    /// All summaries: what is damaged beyond the rows that they repeat, and which have to be read from these.
    fn check_summaries(&self) -> Result<Vec<String>> {
        if !self.has_summaries() {
            return Ok(Vec::new());
        }
        let damaged = |session: &SessionId| {
            format!(
                "session {session}: a summary is damaged or missing; what it repeats is read instead"
            )
        };
        let mut whole = Vec::new();
        match self.stream(
            Pass::Results,
            &mut |_, _| ControlFlow::Continue(()),
            &mut None,
            &mut |session| {
                whole.push(session);
                ControlFlow::Continue(())
            },
        ) {
            Ok(()) => Ok(whole.iter().map(damaged).collect()),
            Err(Fault::Damaged(what)) => Ok(vec![format!("the summaries: {what}")]),
            Err(Fault::Sql(error)) => Ok(vec![format!("the summaries: {error}")]),
            Err(other) => Err(other.at(self.path())),
        }
    }

    /// How many results of a session are whole, and the errors of the others.
    pub(crate) fn check_session(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
    ) -> (u64, Vec<String>) {
        let mut findings = Vec::new();
        let mut whole = 0;
        let mut look = || -> Result<(), Fault> {
            let mut note = |fault: Fault| findings.push(self.plain(session, fault.at(self.path())));
            match self.load_summary(transaction, session) {
                Ok((summary, _)) => {
                    let rows = self.check_lines(transaction, session, &mut note)?;
                    if let Some(Err(fault)) = rows.map(|rows| all_there(&summary, rows)) {
                        note(fault);
                    }
                }
                Err(fault) => {
                    note(fault);
                    self.check_lines(transaction, session, &mut note)?;
                }
            }
            whole = self.check_results(transaction, session, &mut note)?;
            Ok(())
        };
        if let Err(fault) = look() {
            findings.push(self.plain(session, fault.at(self.path())));
        }
        (whole, findings)
    }

    /// Compares the lines of a session with their checksums and with their summaries; returns how many there are, if they
    /// can be read. Files of old have none.
    fn check_lines(
        &self,
        transaction: &Transaction<'_>,
        session: SessionId,
        note: &mut dyn FnMut(Fault),
    ) -> Result<Option<usize>, Fault> {
        if !self.has_lines() {
            return Ok(None);
        }
        let rows = match lines(transaction, session, None) {
            Ok(rows) => rows,
            Err(fault) => {
                note(fault);
                return Ok(None);
            }
        };
        // What has no whole summary was found before.
        if self.has_summaries()
            && let Some(found) = summaries(transaction, session)?
            && found.len() == rows.len()
            && found != rows
        {
            let what = "a summary is not what it repeats";
            note(Fault::Damaged(format!("session {session}: {what}")));
        }
        Ok(Some(rows.len()))
    }
}

/// The sessions of which the records are read, newest first.
fn chosen(sessions: &[SessionSummary], depth: Depth) -> Vec<&SessionSummary> {
    let (most, seed) = match depth {
        Depth::Sample { sessions, seed } => (sessions, seed),
        Depth::Full => (u64::MAX, 0),
    };
    let all = sessions.len() as u64;
    if all <= most {
        return sessions.iter().collect();
    }
    let new = most / 2;
    let mut chosen: BTreeSet<u64> = (0..new).collect();
    let mut state = seed;
    while (chosen.len() as u64) < most {
        // Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        chosen.insert((mixed ^ (mixed >> 31)) % all);
    }
    chosen
        .into_iter()
        .map(|at| &sessions[at as usize])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_chosen_and_others_by_the_seed() {
        let session = |id| SessionSummary {
            id: SessionId(id),
            kind: crate::SessionKind::new("run"),
            started_utc: model::Nanos(0),
            command: Vec::new(),
            tool_version: String::new(),
            target: String::new(),
            outcome: None,
            runs: 1,
            tags: Vec::new(),
            notes: Vec::new(),
            answer: crate::StoredAnswer::Missing,
        };
        let all: Vec<SessionSummary> = (1..=1000).rev().map(session).collect();
        let ids = |sessions, seed| -> Vec<u64> {
            let chosen = chosen(&all, Depth::Sample { sessions, seed });
            chosen.iter().map(|one| one.id.0).collect()
        };
        let some = ids(20, 1);
        assert_eq!(some.len(), 20);
        assert_eq!(some[..10], (991..=1000).rev().collect::<Vec<_>>());
        assert_ne!(some, ids(20, 2));
        assert_eq!(ids(2000, 1).len(), 1000);
        assert_eq!(chosen(&all, Depth::Full).len(), 1000);
    }
}
