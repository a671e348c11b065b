//! Deletes sessions and results: only here, and only what was named.

use crate::answers::forget;
use crate::baselines;
use crate::error::Fault;
use crate::save::count_results;
use crate::session::RunName;
use crate::{Result, Store};
use rusqlite::{Transaction, params};

impl Store {
    /// How many results the named sessions and results are, each counted once: what [`Store::delete`] would lose.
    ///
    /// Errors: a name that there is not.
    pub fn count(&self, names: &[RunName]) -> Result<u64> {
        let count = || {
            let transaction = self.read()?;
            let mut lost = Vec::new();
            for name in names {
                self.must_be_there(&transaction, *name)?;
                lost.extend(results(&transaction, self.lines_in(), *name)?);
            }
            lost.sort_unstable();
            lost.dedup();
            Ok(lost.len() as u64)
        };
        count().map_err(|fault: Fault| fault.at(self.path()))
    }

    /// Deletes sessions with all their results, and single results, all that is named or nothing. The number of a
    /// session is never given out again.
    ///
    /// Errors: a name that there is not; a result that has a name of its own, see [`crate::StoreError::IsBaseline`].
    pub fn delete(&self, names: &[RunName]) -> Result<()> {
        self.writing(|transaction| {
            for name in names {
                self.must_be_there(transaction, *name)?;
                baselines::must_not_be_one(transaction, *name)?;
            }
            // Single results first: their session may be named as well.
            let singles = names
                .iter()
                .filter_map(|name| Some((name.session, name.run?)));
            let mut singles: Vec<_> = singles.collect();
            singles.sort_unstable();
            singles.dedup();
            for (session, number) in singles {
                // It no longer contains the whole of its files, so that they can be imported again.
                transaction.execute(
                    "UPDATE sessions SET fingerprint = NULL WHERE id = ?1 AND kind = 'import'",
                    [session.0],
                )?;
                count_results(transaction, session, -1)?;
                forget(transaction, session)?;
                for table in ["runs", "headlines", "tags", "notes"] {
                    let column = if matches!(table, "tags" | "notes") {
                        "number > 0 AND number"
                    } else {
                        "number"
                    };
                    let delete =
                        format!("DELETE FROM {table} WHERE session_id = ?1 AND {column} = ?2");
                    transaction.execute(&delete, params![session.0, number])?;
                }
            }
            for name in names.iter().filter(|name| name.run.is_none()) {
                transaction.execute("DELETE FROM sessions WHERE id = ?1", [name.session.0])?;
            }
            Ok(())
        })
    }
}

/// The results behind a name, as (session, number).
fn results(
    transaction: &Transaction<'_>,
    table: &str,
    name: RunName,
) -> Result<Vec<(u64, u32)>, Fault> {
    let mut select = transaction.prepare_cached(&format!(
        "SELECT session_id, number FROM {table} WHERE session_id = ?1 AND number BETWEEN coalesce(?2, 1) AND coalesce(?2, 4294967295)"
    ))?;
    let found = select.query_map(params![name.session.0, name.run], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}
