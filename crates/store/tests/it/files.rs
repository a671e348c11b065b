//! Which files are taken, and the errors of the others. What is not ours stays as it is.

#[cfg(target_os = "linux")]
use crate::nobody::let_nobody_do;
use crate::records::record;
use crate::sessions::{new_session, shelf};
use model::Nanos;
use rusqlite::Connection;
use std::path::Path;
use store::*;

/// Opens what must be refused, checks that its bytes stay, and answers with the message.
fn refused(path: &Path) -> String {
    let before = std::fs::read(path).ok();
    let error = Store::open(path).err().expect("must be refused");
    assert_eq!(std::fs::read(path).ok(), before, "it was touched");
    error.to_string().replace(&path.display().to_string(), "S")
}

#[test]
fn missing_folders_are_made_and_an_empty_file_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/s.sqlite");
    assert_eq!(Store::open(&path).unwrap().sessions(None).unwrap(), []);
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    assert_eq!(Store::open(&empty).unwrap().sessions(None).unwrap(), []);
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    assert!(
        refused(folder.path())
            .starts_with("S: this is a folder; a store is one file: specify a file in it")
    );
    assert!(refused(Path::new("/dev/null")).contains("not a regular file"));
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "a person's notes, longer than a header. ".repeat(9)).unwrap();
    assert!(refused(&text).contains("not a fathom store, and it was not changed"));
    std::fs::write(&text, "short").unwrap();
    assert!(refused(&text).contains("not a fathom store"));
    assert!(refused(&text.join("s.sqlite")).contains("cannot be written"));
}

#[test]
fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.sqlite");
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("PRAGMA application_id = 17; CREATE TABLE mine (x)")
        .unwrap();
    drop(other);
    assert!(
        refused(&path)
            .contains("another program (application id 0x00000011, a fathom store has 0x4654484d)")
    );
}

#[test]
fn a_newer_store_is_refused_with_both_versions() {
    let (_folder, store) = shelf();
    let path = store.path().to_owned();
    drop(store);
    Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    let reported = refused(&path);
    let both =
        format!("its schema is version 99, this fathom reads up to version {SCHEMA_VERSION}");
    assert!(reported.contains(&both), "{reported}");
}

#[test]
fn a_store_that_is_cut_off_is_damaged() {
    let (_folder, store) = shelf();
    let path = store.path().to_owned();
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "a", &record(5)).unwrap();
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..60]).unwrap();
    assert!(refused(&path).contains("the store is damaged: it ends within its header"));
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let read = Store::open(&path).and_then(|store| store.load(session));
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
}

#[test]
fn a_damaged_cell_names_the_run_and_what_is_wrong() {
    for (damage, reported) in [
        (
            "UPDATE runs SET plan_json = '{}'",
            "run 1.1: plan_json: missing field",
        ),
        ("UPDATE runs SET measured_to_ns = -1", "out of range"),
        (
            "UPDATE tallies SET latency = x'48010000'",
            "thread 0, read: latency: its checksum does not match",
        ),
        (
            "UPDATE tallies SET intervals = x''",
            "thread 0, read: intervals: too short",
        ),
        (
            "DELETE FROM tallies",
            "thread 0, read: its counts are missing",
        ),
    ] {
        let (_folder, store) = shelf();
        let session = store.begin(&new_session()).unwrap();
        store.save(session, "a", &record(3)).unwrap();
        let other = Connection::open(store.path()).unwrap();
        assert!(other.execute(damage, []).unwrap() > 0, "{damage}");
        let error = store.load(session).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(reported), "{error}");
    }
}

#[test]
fn a_run_that_cannot_be_stored_leaves_the_session_as_it_was() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "good", &record(3)).unwrap();
    let mut wrong = record(3);
    wrong.threads[0].lifetime[0].ios = u64::MAX; // found only after most rows are in
    let error = store.save(session, "wrong", &wrong).unwrap_err();
    assert_eq!(
        error.to_string(),
        "lifetime ios: read 18446744073709551615; a store counts up to 9223372036854775807, so this cannot be right"
    );
    wrong = record(3);
    wrong.started_utc = Nanos::MAX;
    assert!(store.save(session, "wrong", &wrong).is_err());
    let loaded = store.load(session).unwrap();
    assert_eq!(loaded.runs.len(), 1);
    assert_eq!(loaded.runs[0].record(), Some(&record(3)));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_reported() {
    use std::os::unix::ffi::OsStringExt;
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    let mut run = record(3);
    run.plan.targets[0].location =
        model::Location::Path(std::ffi::OsString::from_vec(vec![0xff]).into());
    let reported = store.save(session, "a", &run).unwrap_err().to_string();
    assert!(
        reported.starts_with("the plan cannot be stored: ") && reported.contains("UTF-8"),
        "{reported}"
    );
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, store) = shelf();
    let path = store.path().to_owned();
    drop(store);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        let_nobody_do("files::a_store_that_may_not_be_written_is_reported");
        return;
    }
    assert!(refused(&path).contains("S: the store cannot be written: it is read-only"));
}

#[test]
fn another_programs_long_write_does_not_hold_up_readers() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    let other = Connection::open(store.path()).unwrap();
    other
        .execute_batch("BEGIN IMMEDIATE; DELETE FROM sessions")
        .unwrap();
    assert_eq!(store.load(session).unwrap().summary.id, session);
    assert_eq!(store.sessions(None).unwrap().len(), 1);
}
