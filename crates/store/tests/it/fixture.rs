//! Every old store file opens. A file stands here for each version of the schema, written once by that version.

use crate::records::{record, without_spread};
use model::{Account, Arrivals, Backlog, Nanos, RunRecord, Spacing, Waiting, WorkerRecord};
use std::path::Path;
use store::*;

const V1: &[u8] = include_bytes!("../fixtures/v1.sqlite");
const V2: &[u8] = include_bytes!("../fixtures/v2.sqlite");

/// Opens it as it lies in a file of its own.
fn opened(folder: &Path, file: &[u8]) -> Store {
    let path = folder.join("s.sqlite");
    std::fs::write(&path, file).expect("a temporary file");
    Store::open(&path).expect("a store as it was kept")
}

fn assert_holds(store: &Store, expected: [RunRecord; 2]) {
    let session = store.load(SessionId(1)).expect("a whole session");
    assert_eq!(session.summary.outcome, Some(SessionOutcome::Complete));
    assert_eq!(session.summary.target, "fathom.dat");
    assert_eq!(session.context.as_deref(), Some("{}"));
    let labels: Vec<_> = session.runs.iter().map(|run| run.label.as_str()).collect();
    assert_eq!(labels, ["4K random read", "4K random write"]);
    for (run, expected) in session.runs.into_iter().zip(expected) {
        assert_eq!(run.record, expected);
    }
}

#[test]
fn a_store_of_version_1_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V1);
    assert_holds(&store, [record(3), record(4)].map(without_spread));
}

#[test]
fn a_store_of_version_2_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V2);
    assert_holds(&store, [record(3), record(4)]);
}

/// Old and new runs lie side by side; an old one that is saved again stays without what it never had.
#[test]
fn a_store_of_version_1_takes_runs_of_today() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V1);
    let old = without_spread(record(4));
    assert_ne!(old, record(4), "nothing to tell apart");
    for record in [&record(4), &old] {
        store.save(SessionId(1), "later", record).unwrap();
    }
    let runs = store.load(SessionId(1)).unwrap().runs;
    let records: Vec<_> = runs.into_iter().map(|run| run.record).collect();
    assert_eq!(records[2..], [record(4), old]);
}

/// A record of a rate: response times beside latencies, and what each worker says of itself.
fn rate_record() -> RunRecord {
    let mut record = record(4);
    record.plan.arrivals = Some(Arrivals {
        per_s: 5000,
        spacing: Spacing::Poisson,
    });
    for tally in record.threads.iter_mut().flat_map(|t| &mut t.measured) {
        let mut response = tally.latency.clone();
        response.record(Nanos::seconds(2));
        tally.response = Some(response);
    }
    let waiting = |ios| Waiting {
        ios,
        late: Nanos(7 * ios),
    };
    record.engine.workers = vec![WorkerRecord {
        thread: 1,
        backlog: Some(Backlog {
            from: waiting(0),
            to: waiting(3),
        }),
        account: Some(Account {
            issued: vec![1, 2],
            ..Account::default()
        }),
    }];
    record
}

#[test]
fn response_times_are_kept_beside_runs_that_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V2);
    store.save(SessionId(1), "rate", &rate_record()).unwrap();
    let runs = store.load(SessionId(1)).unwrap().runs;
    assert_eq!(runs[2].record, rate_record());
    assert_eq!(runs[1].record, record(4));
}

/// What a shelf of an older version looks like to somebody who may not bring it up to date.
#[test]
fn a_shelf_without_the_column_of_response_times_is_read_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V2);
    drop(store);
    let path = folder.path().join("s.sqlite");
    let plain = rusqlite::Connection::open(&path).unwrap();
    plain
        .execute_batch("ALTER TABLE tallies DROP COLUMN response")
        .unwrap();
    drop(plain);
    assert_holds(&Store::open(&path).unwrap(), [record(3), record(4)]);
}
