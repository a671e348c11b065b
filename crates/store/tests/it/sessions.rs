//! Sessions and their runs: what is loaded equals what was saved.

use crate::records::{pool_record, record};
use model::Nanos;
use proptest::prelude::*;
use store::*;
use tempfile::TempDir;

pub(crate) fn new_session() -> NewSession {
    NewSession {
        kind: SessionKind::new("survey"),
        command: vec!["fathom".into(), "survey".into(), "it's \"here\"".into()],
        tool_version: "0.1.0".into(),
        started_utc: Nanos(1_700_000_000_123_456_789),
        target: "fathom.dat".into(),
        notes: vec![],
    }
}

pub(crate) fn shelf() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().join("s.sqlite")).expect("a new store");
    (folder, store)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_reads_back_as_it_was_saved(seeds in prop::collection::vec(any::<u64>(), 1..4), label in ".*") {
        let (_folder, store) = shelf();
        let session = store.begin(&new_session()).unwrap();
        for (before, &seed) in seeds.iter().enumerate() {
            prop_assert_eq!(store.save(session, &label, &record(seed)).unwrap() as usize, before + 1);
        }
        let loaded = store.load(session).unwrap();
        for (run, &seed) in loaded.runs.iter().zip(&seeds) {
            prop_assert_eq!(run.record(), Some(&record(seed)));
            prop_assert_eq!(&run.label, &label);
        }
        prop_assert_eq!(loaded.runs.len(), seeds.len());
    }
}

#[test]
fn threads_with_a_record_for_each_target_read_back_whole() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    let records: Vec<_> = (0..20).map(pool_record).collect();
    for record in &records {
        store.save(session, "pool", record).unwrap();
    }
    let loaded = store.load(session).unwrap();
    assert!(
        loaded
            .runs
            .iter()
            .filter_map(StoredRun::record)
            .eq(&records)
    );
}

#[test]
fn a_session_that_was_never_finished_is_listed_as_cut_short() {
    let (_folder, store) = shelf();
    let first = store.begin(&new_session()).unwrap();
    store.save(first, "a", &record(1)).unwrap();
    let path = store.path().to_owned();
    drop(store);
    let store = Store::open(&path).unwrap();
    let second = store.begin(&new_session()).unwrap();
    let context = Some("{\"elapsed_ns\": 3}");
    store
        .finish(second, SessionOutcome::Complete, context)
        .unwrap();
    let kept = |session| store.load(session).unwrap().context;
    assert_eq!((kept(first), kept(second).as_deref()), (None, context));
    let listed = store.sessions(None).unwrap();
    let seen: Vec<_> = listed.iter().map(|s| (s.id, s.outcome, s.runs)).collect();
    assert_eq!(
        seen,
        [
            (second, Some(SessionOutcome::Complete), 0),
            (first, None, 1)
        ]
    );
    let NewSession {
        kind,
        command,
        tool_version,
        started_utc,
        target,
        notes,
    } = new_session();
    let expected = SessionSummary {
        id: first,
        kind,
        started_utc,
        command,
        tool_version,
        target,
        outcome: None,
        runs: 1,
        tags: vec![],
        notes,
        answer: store::StoredAnswer::Missing,
    };
    assert_eq!(listed[1], expected);
    assert_eq!(store.load(first).unwrap().summary, expected);
    assert_eq!(store.sessions(Some(1)).unwrap(), listed[..1]);
}

#[test]
fn a_missing_session_is_reported_with_those_that_exist() {
    let (_folder, store) = shelf();
    let reported = |error: StoreError| {
        error
            .to_string()
            .replace(&store.path().display().to_string(), "S")
    };
    let nine = SessionId(9);
    assert_eq!(
        reported(store.load(nine).unwrap_err()),
        "session 9: S is empty: `fathom survey` or `fathom run` puts the first one there"
    );
    store.begin(&new_session()).unwrap();
    assert_eq!(
        reported(store.load(nine).unwrap_err()),
        "session 9: S has session 1 only"
    );
    store.begin(&new_session()).unwrap();
    let range = "session 9: S has sessions from 1 to 2: see `fathom list`";
    assert_eq!(reported(store.load(nine).unwrap_err()), range);
    assert_eq!(
        reported(store.save(nine, "", &record(1)).unwrap_err()),
        range
    );
    assert_eq!(
        reported(
            store
                .finish(nine, SessionOutcome::Failed, None)
                .unwrap_err()
        ),
        range
    );
    assert!(matches!(
        store.load(SessionId(u64::MAX)),
        Err(StoreError::NoSession { .. })
    ));
}

#[test]
fn two_programs_share_a_shelf_from_its_first_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let store = Store::open(path).unwrap();
                let session = store.begin(&new_session()).unwrap();
                for seed in 0..8 {
                    let number = store
                        .save(session, "w", &record(worker * 8 + seed))
                        .unwrap();
                    assert_eq!(u64::from(number), seed + 1);
                }
                store
                    .finish(session, SessionOutcome::Complete, None)
                    .unwrap();
            });
        }
    });
    let store = Store::open(&path).unwrap();
    let runs: Vec<_> = store
        .sessions(None)
        .unwrap()
        .iter()
        .map(|s| s.runs)
        .collect();
    assert_eq!(runs, [8; 4]);
}

#[test]
fn the_overview_speaks_in_units_of_people() {
    let (_folder, store) = shelf();
    let mut run = record(3);
    run.phases.measured_from = Nanos::seconds(1);
    run.phases.measured_to = Nanos::seconds(3);
    run.threads.truncate(1);
    for thread in &mut run.threads {
        (thread.measured[0].ios, thread.measured[1].ios) = (600, 400);
        (thread.measured[0].bytes.0, thread.measured[1].bytes.0) = (4 << 20, 0);
    }
    assert_eq!(run.threads.len(), 1, "the seed was chosen for it");
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "4K random read", &run).unwrap();
    let connection = rusqlite::Connection::open(store.path()).unwrap();
    let row: (String, String, f64, f64) = connection
        .query_row(
            "SELECT id, started_utc, iops, bytes_per_s FROM results",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )
        .unwrap();
    assert_eq!((row.0.as_str(), row.2, row.3), ("1.1", 500.0, 2_097_152.0));
    assert!(row.1.ends_with('Z'));
}
