//! Which files were imported already. A session of imported runs has the fingerprints of its files, one beside the other.

use crate::error::Fault;
use crate::session::SessionId;
use crate::{Result, Store};
use rusqlite::params;

impl Store {
    /// The oldest complete session that holds the runs of a file with this fingerprint.
    pub fn find_import(&self, fingerprint: &str) -> Result<Option<SessionId>> {
        let find = || {
            if !self.has_lines() {
                return Ok(None);
            }
            let query =
                "SELECT min(id) FROM sessions WHERE kind = 'import' AND outcome = 'complete'
                         AND instr(fingerprint, ?1) > 0";
            let found: Option<u64> =
                self.connection
                    .query_row(query, params![fingerprint], |row| row.get(0))?;
            Ok(found.map(SessionId))
        };
        find().map_err(|fault: Fault| fault.at(self.path()))
    }
}
