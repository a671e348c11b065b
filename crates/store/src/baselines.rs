//! Names of results, to compare later ones with. A name is given once; a result may have several.
//!
//! What has such a name cannot be deleted: a later comparison would lose its reference. Deliberately absent: comparing.

use crate::error::Fault;
use crate::load::damaged;
use crate::save::signed;
use crate::session::{RunName, SessionId};
use crate::tags;
use crate::{Result, Store, StoreError};
use model::Nanos;
use rusqlite::{Row, Transaction, params};

/// A named result or session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub of: RunName,
    /// When it got the name: nanoseconds since 1970 in UTC.
    pub set_utc: Nanos,
}

const SELECT: &str = "SELECT name, session_id, number, set_utc_ns FROM baselines";

impl Store {
    /// Gives a session or a result this name, and answers what had it before.
    ///
    /// Errors: a name that there is not; a word that is none, see [`StoreError::BaselineName`].
    pub fn set_baseline(&self, baseline: &Baseline) -> Result<Option<Baseline>> {
        self.writing(|transaction| {
            let Baseline { name, of, set_utc } = baseline;
            if !tags::is_word(name) {
                return Err(Fault::Named(StoreError::BaselineName { read: name.clone() }));
            }
            self.must_be_there(transaction, *of)?;
            let before = found(transaction, name)?;
            transaction.execute(
                "INSERT OR REPLACE INTO baselines (name, session_id, number, set_utc_ns) VALUES (?1, ?2, ?3, ?4)",
                params![name, signed("session", of.session.0)?, of.run.unwrap_or(0), signed("moment", set_utc.0)?],
            )?;
            Ok(before)
        })
    }

    /// All of them, by name.
    pub fn baselines(&self) -> Result<Vec<Baseline>> {
        let read = || {
            if !self.has_baselines() {
                return Ok(Vec::new());
            }
            all(&self.read()?)
        };
        read().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// The one of this name.
    ///
    /// Errors: there is none; the message lists the existing ones.
    pub fn baseline(&self, name: &str) -> Result<Baseline> {
        let all = self.baselines()?;
        let known = all.iter().map(|one| one.name.clone()).collect();
        let mut found = all.into_iter().filter(|one| one.name == name);
        found.next().ok_or_else(|| StoreError::NoBaseline {
            read: name.to_owned(),
            known,
        })
    }

    /// Takes the name away; what had it stays.
    ///
    /// Errors: as [`Store::baseline`].
    pub fn remove_baseline(&self, name: &str) -> Result<()> {
        self.baseline(name)?;
        self.writing(|transaction| {
            transaction.execute("DELETE FROM baselines WHERE name = ?1", [name])?;
            Ok(())
        })
    }
}

/// Refuses to lose what has a name: all of it or a part.
pub(crate) fn must_not_be_one(transaction: &Transaction<'_>, of: RunName) -> Result<(), Fault> {
    let touched = |one: &Baseline| {
        one.of.session == of.session
            && (of.run.is_none() || one.of.run.is_none() || one.of.run == of.run)
    };
    match all(transaction)?.into_iter().find(touched) {
        Some(one) => Err(Fault::Named(StoreError::IsBaseline {
            read: of,
            name: one.name,
        })),
        None => Ok(()),
    }
}

fn all(transaction: &Transaction<'_>) -> Result<Vec<Baseline>, Fault> {
    let mut select = transaction.prepare(&format!("{SELECT} ORDER BY name"))?;
    let mut rows = select.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(baseline(row)?);
    }
    Ok(found)
}

fn found(transaction: &Transaction<'_>, name: &str) -> Result<Option<Baseline>, Fault> {
    let mut select = transaction.prepare(&format!("{SELECT} WHERE name = ?1"))?;
    let mut rows = select.query([name])?;
    rows.next()?.map(baseline).transpose()
}

fn baseline(row: &Row<'_>) -> Result<Baseline, Fault> {
    let name: String = row.get("name")?;
    let number: i64 = row.get("number")?;
    let number = u32::try_from(number)
        .map_err(|_| damaged(format!("baseline {name}"), "its number is none"))?;
    Ok(Baseline {
        of: RunName {
            session: SessionId(row.get("session_id")?),
            run: (number > 0).then_some(number),
        },
        set_utc: Nanos(row.get("set_utc_ns")?),
        name,
    })
}
