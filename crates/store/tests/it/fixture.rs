//! Every old store file opens. A file stands here for each version of the schema, written once by that version.

use crate::records::{record, without_spread};
use model::{
    Account, Arrivals, Backlog, DeviceCounters, LatencyHeat, LineCount, Nanos, Operation,
    RunRecord, Sample, Series, Spacing, Waiting, WatchRecord, WorkerRecord,
};
use std::path::Path;
use store::*;

const V1: &[u8] = include_bytes!("../fixtures/v1.sqlite");
const V2: &[u8] = include_bytes!("../fixtures/v2.sqlite");
const V3: &[u8] = include_bytes!("../fixtures/v3.sqlite");
const V4: &[u8] = include_bytes!("../fixtures/v4.sqlite");
const V5: &[u8] = include_bytes!("../fixtures/v5.sqlite");
const V6: &[u8] = include_bytes!("../fixtures/v6.sqlite");
const V7: &[u8] = include_bytes!("../fixtures/v7.sqlite");
const V8: &[u8] = include_bytes!("../fixtures/v8.sqlite");

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
        assert_eq!(run.record(), Some(&expected));
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
    assert_ne!(old, record(4), "nothing to distinguish");
    for record in [&record(4), &old] {
        store.save(SessionId(1), "later", record).unwrap();
    }
    let runs = store.load(SessionId(1)).unwrap().runs;
    let records: Vec<_> = runs.iter().filter_map(StoredRun::record).collect();
    assert_eq!(records[2..], [&record(4), &old]);
}

/// A record of a rate: response times next to latencies, and each worker's own times.
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
        syncs: Vec::new(),
        recorded: None,
        opened: None,
        closed: None,
        thread: 1,
        backlog: Some(Backlog {
            from: waiting(0),
            to: waiting(3),
        }),
        account: Some(Account {
            issued: vec![1, 2],
            ..Account::default()
        }),
        lines: vec![],
    }];
    record
}

/// A record of work in several sizes, whose workers counted by line of the job.
fn lines_record() -> RunRecord {
    let mut record = rate_record();
    record.engine.workers[0].lines = vec![LineCount {
        target: 0,
        line: 1,
        ios: [3, 4],
        ..LineCount::default()
    }];
    record
}

#[test]
fn response_times_are_kept_beside_runs_that_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V2);
    store.save(SessionId(1), "rate", &rate_record()).unwrap();
    let runs = store.load(SessionId(1)).unwrap().runs;
    assert_eq!(runs[2].record(), Some(&rate_record()));
    assert_eq!(runs[1].record(), Some(&record(4)));
}

#[test]
fn a_store_of_version_3_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V3);
    assert_holds(&store, [record(3), record(4)]);
    let cut = store.load(SessionId(2)).unwrap();
    assert_eq!(cut.summary.outcome, None);
    assert_eq!(cut.runs[0].record(), Some(&rate_record()));
}

/// From any version, a run has the line that it would get today.
#[test]
fn runs_of_all_versions_have_lines() {
    for (file, makes) in [(V1, without_spread as fn(_) -> _), (V2, same), (V3, same)] {
        let folder = tempfile::tempdir().unwrap();
        let store = opened(folder.path(), file);
        let rows = store.rows(&[SessionId(1)]).unwrap();
        assert_eq!(rows.len(), 2);
        for (seed, row) in (3..).zip(rows) {
            let again = model::ResultRow {
                session: 1,
                number: row.number,
                kind: "survey".to_owned(),
                label: row.label.clone(),
                ..model::ResultRow::of_record(&makes(record(seed)))
            };
            assert_eq!(row, again);
        }
        crate::killed::assert_whole(&store);
        let next = store.begin(&crate::sessions::new_session()).unwrap();
        assert!(next.0 > 1, "a number is never given twice");
    }
}

fn same(record: RunRecord) -> RunRecord {
    record
}

/// A damaged run of old does not keep the others from being brought up to date, and is reported when it is asked for.
#[test]
fn a_damaged_run_of_old_does_not_hold_up_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    std::fs::write(&path, V3).unwrap();
    let plain = rusqlite::Connection::open(&path).unwrap();
    plain
        .execute_batch(
            "UPDATE tallies SET latency = x'00' WHERE run_id = 2; PRAGMA user_version = 3",
        )
        .unwrap();
    drop(plain);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.rows(&[SessionId(1)]).unwrap().len(), 2);
    assert_eq!(store.load_one(SessionId(1), 1).unwrap().runs.len(), 1);
    let reported = store.load(SessionId(1)).unwrap_err().to_string();
    assert!(reported.contains("run 1.2: thread"), "{reported}");
}

/// Content of the file of version 4: a survey as the others, and a sweep with a cell, a missing cell and imported runs.
fn keep_v4(store: &Store) {
    let new = |kind| NewSession {
        kind,
        target: "fathom.dat".to_owned(),
        ..crate::sessions::new_session()
    };
    let survey = store.begin(&new(SessionKind::new("survey"))).unwrap();
    store.save(survey, "4K random read", &record(3)).unwrap();
    store.save(survey, "4K random write", &record(4)).unwrap();
    store
        .finish(survey, SessionOutcome::Complete, Some("{}"))
        .unwrap();
    let sweep = store.begin(&new(SessionKind::new("sweep"))).unwrap();
    store.set_fingerprint(sweep, "fingerprint").unwrap();
    store
        .save_cell(sweep, "rate", "key 1", &rate_record())
        .unwrap();
    store
        .save_missing(sweep, "gone", "key 2", "no space")
        .unwrap();
    let runs = [1, 2].map(crate::database::imported);
    store
        .import(&new(SessionKind::new("import")), |put| {
            runs.iter().for_each(put);
        })
        .unwrap();
    let names = ["2", "3.1"].map(|name| name.parse().unwrap());
    store.tag(&names, &["baseline".to_owned()], &[]).unwrap();
}

#[test]
fn a_store_of_version_4_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V4);
    assert_holds(&store, [record(3), record(4)]);
    let again = folder.path().join("again.sqlite");
    let again = Store::open(&again).unwrap();
    keep_v4(&again);
    for session in [1, 2, 3].map(SessionId) {
        assert_eq!(store.load(session).unwrap(), again.load(session).unwrap());
        assert_eq!(
            store.rows(&[session]).unwrap(),
            again.rows(&[session]).unwrap()
        );
    }
    assert_eq!(store.find_sweep("fingerprint").unwrap(), Some(SessionId(2)));
    crate::killed::assert_whole(&store);
}

/// A record with latencies and counters over time.
fn series_record() -> RunRecord {
    let mut record = record(5);
    let row = |counts| model::HeatRow::new(counts).expect("rising columns");
    record.series = Series {
        heat: vec![LatencyHeat {
            target: 0,
            operation: Operation::Write,
            step: Nanos::seconds(1),
            rows: vec![row(vec![(3, 7), (280, 1)]), row(vec![])],
        }],
        samples: vec![Sample {
            at: Nanos::seconds(1),
            length: Nanos::millis(999),
            devices: vec![DeviceCounters {
                name: "sda".to_owned(),
                reads: 77,
                ..DeviceCounters::default()
            }],
            ..Sample::default()
        }],
    };
    record
}

/// Content of the file of version 5: a run as they were before, and one with its series.
fn keep_v5(store: &Store) {
    let session = store.begin(&crate::sessions::new_session()).unwrap();
    store.save(session, "4K random read", &record(3)).unwrap();
    store.save(session, "series", &series_record()).unwrap();
}

#[test]
fn a_store_of_version_5_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V5);
    let runs = store.load(SessionId(1)).unwrap().runs;
    let records: Vec<_> = runs.iter().filter_map(StoredRun::record).collect();
    assert_eq!(records, [&record(3), &series_record()]);
    let again = Store::open(&folder.path().join("again.sqlite")).unwrap();
    keep_v5(&again);
    assert_eq!(
        store.load(SessionId(1)).unwrap(),
        again.load(SessionId(1)).unwrap()
    );
    crate::killed::assert_whole(&store);
}

/// A run that was sealed before there were series keeps its seal, and a changed series breaks one.
#[test]
fn a_series_is_sealed_and_breaks_no_older_seal() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V4);
    crate::killed::assert_whole(&store);
    store.save(SessionId(1), "later", &series_record()).unwrap();
    crate::killed::assert_whole(&store);
    let path = folder.path().join("s.sqlite");
    let plain = rusqlite::Connection::open(&path).unwrap();
    plain
        .execute_batch("UPDATE runs SET series = NULL")
        .unwrap();
    assert_eq!(
        store
            .check(Depth::Full, &mut |_, _| ())
            .unwrap()
            .findings
            .len(),
        1
    );
}

/// A file of old that this user may not write stays as it is, and its results are named and counted all the same.
#[cfg(unix)]
#[test]
fn what_cannot_be_brought_up_to_date_is_read_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.sqlite");
    std::fs::write(&path, V1).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        crate::nobody::let_nobody_do("fixture::what_cannot_be_brought_up_to_date_is_read_as_it_is");
        return;
    }
    let store = Store::look(&path).unwrap();
    let name = |text: &str| text.parse::<RunName>().unwrap();
    assert_eq!(store.count(&[name("1"), name("1.2")]).unwrap(), 2);
    let reported = store.count(&[name("1.9")]).unwrap_err().to_string();
    assert!(reported.contains("1.9"), "{reported}");
    assert_eq!(store.rows(&[SessionId(1)]).unwrap().len(), 2);
}

/// Files of versions that knew no baselines take them once they are brought up to date.
#[test]
fn stores_of_versions_4_and_5_take_baselines() {
    for (file, of) in [(V4, "2.1"), (V5, "1.2")] {
        let folder = tempfile::tempdir().unwrap();
        let store = opened(folder.path(), file);
        assert_eq!(store.baselines().unwrap(), []);
        store.set_baseline(&baseline(of)).unwrap();
        assert_eq!(store.baseline("gold").unwrap(), baseline(of));
        crate::killed::assert_whole(&store);
    }
}

fn baseline(of: &str) -> Baseline {
    Baseline {
        name: "gold".to_owned(),
        of: of.parse().unwrap(),
        set_utc: Nanos(1),
    }
}

/// Content of the file of version 6: as version 5, with a result that has a name.
fn keep_v6(store: &Store) {
    keep_v5(store);
    store.set_baseline(&baseline("1.2")).unwrap();
}

/// Content of the file of version 7: as version 6, a run that was counted by lines, and a session of steps with files.
fn keep_v7(store: &Store) {
    keep_v6(store);
    store.save(SessionId(1), "lines", &lines_record()).unwrap();
    let files = store.begin(&crate::steps::files_session()).unwrap();
    for step in crate::steps::both() {
        store.save_files(files, &step).unwrap();
    }
    store.finish(files, SessionOutcome::Failed, None).unwrap();
}

#[test]
fn a_store_of_version_6_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path(), V6);
    holds_as(&store, keep_v6, 1);
    let files = store.begin(&crate::steps::files_session()).unwrap();
    let [step, _] = crate::steps::both();
    store.save_files(files, &step).unwrap();
    crate::killed::assert_whole(&store);
}

#[test]
fn a_store_of_version_7_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    holds_as(&opened(folder.path(), V7), keep_v7, 2);
}

/// Content of a new store after `keep`, in so many sessions.
fn holds_as(store: &Store, keep: fn(&Store), sessions: u64) {
    let folder = tempfile::tempdir().unwrap();
    let again = Store::open(&folder.path().join("again.sqlite")).unwrap();
    keep(&again);
    for session in (1..=sessions).map(SessionId) {
        assert_eq!(store.load(session).unwrap(), again.load(session).unwrap());
        assert_eq!(
            store.rows(&[session]).unwrap(),
            again.rows(&[session]).unwrap()
        );
    }
    assert_eq!(store.baselines().unwrap(), again.baselines().unwrap());
    crate::killed::assert_whole(store);
}

/// Content of the file of version 8: as version 7, and samples of a device.
fn keep_v8(store: &Store) {
    keep_v7(store);
    let watch = store
        .begin(&NewSession {
            kind: SessionKind::new("watch"),
            ..crate::sessions::new_session()
        })
        .unwrap();
    let record = WatchRecord {
        tool_version: "1".to_owned(),
        command: vec!["fathom".to_owned(), "watch".to_owned()],
        started_utc: Nanos::seconds(1_700_000_000),
        host: model::HostRecord::default(),
        device: model::BlockDevice::default(),
        interval: Nanos::seconds(1),
        traced: false,
        moments: vec![model::WatchMoment {
            length: Nanos::seconds(1),
            reads: 7,
            ..model::WatchMoment::default()
        }],
        audit: None,
    };
    store.save_watch(watch, &record).unwrap();
    store.finish(watch, SessionOutcome::Complete, None).unwrap();
    store
        .tag(&["1.2".parse().unwrap()], &["q3".to_owned()], &[])
        .unwrap();
}

#[test]
fn a_store_of_version_8_opens_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    holds_as(&opened(folder.path(), V8), keep_v8, 3);
}
