//! Steps of work with files: kept whole, a line each, and found damaged where they are.

use crate::sessions::new_session;
use model::{
    Bytes, CopyWork, FilesOrder, FilesOutcome, FilesPlace, FilesRecord, FilesStep, FilesThread,
    FilesWork, HostRecord, LatencyHistogram, Nanos, TreeWork,
};
use store::{Depth, NewSession, SessionKind, SessionOutcome, Store, StoredResult};

fn record(name: &str, work: FilesWork) -> FilesRecord {
    let mut latency = LatencyHistogram::new();
    (0..1000).for_each(|n| latency.record(Nanos::micros(10 + n)));
    FilesRecord {
        tool_version: "1".to_owned(),
        command: vec!["fathom".to_owned(), "files".to_owned()],
        started_utc: Nanos::seconds(1_700_000_000),
        host: HostRecord::default(),
        place: FilesPlace {
            paths: vec!["/data".into()],
            ..FilesPlace::default()
        },
        work,
        step: FilesStep {
            name: name.to_owned(),
            order: FilesOrder::Random,
            planned: Some(1000),
            block: Some(Bytes::kib(4)),
            threads: vec![FilesThread {
                operations: 1000,
                bytes: Bytes::mib(4),
                latency,
                batch_operations: 31,
                batch_ends: (1..=32).map(Nanos::millis).collect(),
                ended: Nanos::millis(40),
                ..FilesThread::default()
            }],
            elapsed: Nanos::millis(40),
            ..FilesStep::default()
        },
        outcome: FilesOutcome::Failed("create: no space".to_owned()),
    }
}

pub(crate) fn both() -> [FilesRecord; 2] {
    [
        record("create", FilesWork::Tree(TreeWork::default())),
        record("read", FilesWork::Copy(CopyWork::default())),
    ]
}

pub(crate) fn files_session() -> NewSession {
    NewSession {
        kind: SessionKind::new("files"),
        ..new_session()
    }
}

#[test]
fn what_is_read_back_is_what_was_kept_and_each_step_is_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("s.db")).unwrap();
    let session = store.begin(&files_session()).unwrap();
    for (number, record) in (1..).zip(&both()) {
        assert_eq!(store.save_files(session, record).unwrap(), number);
    }
    store.finish(session, SessionOutcome::Failed, None).unwrap();
    let loaded = store.load(session).unwrap();
    assert_eq!(loaded.summary.kind, SessionKind::new("files"));
    let results: Vec<_> = loaded.runs.into_iter().map(|run| run.result).collect();
    assert_eq!(
        results,
        both().map(|record| StoredResult::Files(Box::new(record)))
    );
    let rows = store.rows(&[session]).unwrap();
    assert_eq!(rows[0].label, "create, random");
    assert_eq!(
        (rows[0].total.ios, rows[0].total.bytes),
        (Some(1000), Some(Bytes::mib(4)))
    );
    assert_eq!(rows[0].work.engine.as_deref(), Some("files"));
    assert_eq!(rows[1].outcome.as_deref(), Some("failed"));
    crate::killed::assert_whole(&store);

    store.delete(&["1.1".parse().unwrap()]).unwrap();
    assert_eq!(store.load(session).unwrap().runs.len(), 1);
    let plain = rusqlite::Connection::open(folder.path().join("s.db")).unwrap();
    let left: u32 = plain
        .query_row("SELECT count(*) FROM files", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 1);
    plain
        .execute_batch("UPDATE files SET document_json = replace(document_json, '1000', '1001')")
        .unwrap();
    let reported = store.load(session).unwrap_err().to_string();
    assert!(reported.contains("1.2"), "{reported}");
    assert_eq!(
        store
            .check(Depth::Full, &mut |_, _| ())
            .unwrap()
            .findings
            .len(),
        1
    );
}
