//! Whole copies of the file: for a person, and before a migration.
//!
//! A copy is written under another name by SQLite's online backup, while others go on writing, and gets its own name when
//! it is whole and on stable storage. It is as damaged as what it is a copy of.

use crate::error::Fault;
use crate::open::{may_be_a_copy, refused};
use crate::{Notice, Result, Store, StoreError};
use gate::PartFile;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Pages between two reports.
const STEP: i32 = 4096;

/// How often a migration tries to find a name for the copy.
const NAMES_MAX: u32 = 100;

impl Store {
    /// Writes a whole copy of the database, as it is at this moment, into a new file; others may go on writing meanwhile. A
    /// process that is killed leaves nothing under that name.
    ///
    /// Errors: `to` exists; the copy cannot be written; the database cannot be read.
    pub fn backup(&self, to: &Path, report: &mut dyn FnMut(Notice)) -> Result<()> {
        copy(&self.connection, self.path(), to, report)
    }
}

/// Keeps the file as it is at this moment next to it, as `NAME.before-vN`, or `NAME.before-vN-2` where that is taken.
pub(crate) fn keep_old(
    connection: &Connection,
    path: &Path,
    version: u32,
    next: u32,
    report: &mut dyn FnMut(Notice),
) -> Result<PathBuf> {
    for number in 1..=NAMES_MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".before-v{next}"));
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let to = PathBuf::from(name);
        match copy(connection, path, &to, report) {
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error),
            Ok(()) => {
                report(Notice::KeptOld {
                    path: to.clone(),
                    version,
                });
                return Ok(to);
            }
        }
    }
    let mut path = path.as_os_str().to_owned();
    path.push(format!(".before-v{next}"));
    Err(StoreError::Exists { path: path.into() })
}

fn copy(from: &Connection, path: &Path, to: &Path, report: &mut dyn FnMut(Notice)) -> Result<()> {
    let of_copy = |refusal| refused(refusal, to);
    let part = PartFile::create(to, may_be_a_copy).map_err(of_copy)?;
    let mut pages = || -> Result<(), Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut copy = Connection::open_with_flags(part.path(), flags)?;
        // No process reads it before it is whole, and then it is flushed.
        copy.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
        copy.pragma_update(None, "synchronous", "OFF")?;
        // What others write meanwhile does not make the copy begin again.
        let state = from.unchecked_transaction()?;
        state.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let backup = Backup::new(from, &mut copy)?;
        while backup.step(STEP)? == StepResult::More {
            let progress = backup.progress();
            let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
            report(Notice::Copying {
                done: count(progress.pagecount - progress.remaining),
                pages: count(progress.pagecount),
            });
        }
        Ok(())
    };
    pages().map_err(|fault| fault.of_copy(path, to))?;
    part.publish().map_err(of_copy)
}
