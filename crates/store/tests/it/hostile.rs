//! Databases of an attacker: with a schema that does more than fathom's, or behind a name that leads elsewhere.

use crate::records::record;
use crate::sessions::{new_session, shelf};
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use store::*;
use tempfile::TempDir;

/// A store with a run, changed by hand.
fn changed(sql: &str) -> (TempDir, PathBuf) {
    let (folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "a", &record(3)).unwrap();
    let path = store.path().to_owned();
    drop(store);
    let other = Connection::open(&path).unwrap();
    other.execute_batch(sql).unwrap();
    drop(other);
    (folder, path)
}

fn refused(path: &Path) -> StoreError {
    let before = std::fs::read(path).unwrap();
    let error = Store::open(path).err().expect("must be refused");
    let looked = Store::look(path).err().expect("must be refused");
    assert_eq!(error, looked);
    assert_eq!(std::fs::read(path).unwrap(), before, "it was changed");
    error
}

#[test]
fn what_fathom_did_not_put_into_the_schema_is_refused() {
    for sql in [
        "CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM runs; END",
        "CREATE VIEW v AS SELECT load_extension('x')",
        "CREATE TABLE mine (x)",
        "CREATE INDEX i ON sessions (length(target))",
        "CREATE VIRTUAL TABLE f USING fts5 (x)",
    ] {
        let (_folder, path) = changed(sql);
        let error = refused(&path);
        assert!(
            matches!(error, StoreError::ForeignSchema { .. }),
            "{sql}: {error}"
        );
    }
}

#[test]
fn what_fathom_defined_otherwise_is_refused() {
    for sql in [
        "DROP VIEW results; CREATE VIEW results AS SELECT randomblob(1000000000) AS result",
        "DROP VIEW results",
        "DROP TABLE baselines; CREATE TABLE baselines (name, session_id, number, set_utc_ns AS (zeroblob(1 << 30)))",
    ] {
        let (_folder, path) = changed(sql);
        let error = refused(&path);
        assert!(
            matches!(error, StoreError::Damaged { .. }),
            "{sql}: {error}"
        );
    }
}

#[test]
fn what_analyze_adds_is_harmless() {
    let (_folder, path) = changed("ANALYZE");
    assert_eq!(Store::open(&path).unwrap().sessions(None).unwrap().len(), 1);
}

#[test]
fn a_database_of_another_program_in_disguise_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch(&format!(
            "CREATE TABLE mine (x); PRAGMA application_id = {APPLICATION_ID}"
        ))
        .unwrap();
    drop(other);
    let error = refused(&path);
    assert!(matches!(error, StoreError::ForeignSchema { .. }), "{error}");
    for suffix in ["-wal", "-shm", "-journal"] {
        assert!(!folder.path().join(format!("other.sqlite{suffix}")).exists());
    }
}

#[test]
fn a_damaged_summary_hides_nothing_and_is_found() {
    for sql in [
        "UPDATE result_summaries SET summary = x'5201'",
        "DELETE FROM result_summaries",
        "UPDATE session_summaries SET summary = x''",
        "DELETE FROM session_summaries",
    ] {
        let (_folder, path) = changed(sql);
        let store = Store::open(&path).unwrap();
        let listing = store.listing().unwrap();
        assert_eq!(
            (listing.sessions.len(), listing.damaged.len()),
            (1, 0),
            "{sql}"
        );
        let mut rows = Vec::new();
        let damaged = store
            .each_row(&mut |row| {
                rows.push(row.clone());
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!((rows.len(), damaged.len()), (1, 0), "{sql}");
        assert_eq!(store.rows(&[SessionId(1)]).unwrap(), rows, "{sql}");
        let sample = Depth::Sample {
            sessions: 10,
            seed: 1,
        };
        let findings = store.check(sample, &mut |_, _| ()).unwrap().findings;
        assert!(
            findings.iter().any(|one| one.contains("summary")),
            "{sql}: {findings:?}"
        );
    }
}
