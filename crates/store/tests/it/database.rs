//! Cells, imported runs, lines, tags, deleting, questions and copies.

use crate::records::record;
use crate::sessions::{new_session, shelf};
use model::*;
use std::ops::ControlFlow;
use store::*;

pub(crate) fn imported(place: u32) -> ImportedRun {
    let latency = ImportedLatency {
        mean: Some(Nanos::micros(80)),
        max: Some(Nanos::millis(9)),
        percentiles: vec![
            (0.5, Nanos::micros(70)),
            (0.99, Nanos::millis(2)),
            (0.9999999, Nanos::millis(9)),
        ],
        ..ImportedLatency::default()
    };
    let total = ImportedOperation {
        ios: Some(1000 + u64::from(place)),
        bytes: Some(Bytes::kib(8 * (1000 + u64::from(place)))),
        ios_per_s: Some(100.5),
        latency,
        ..ImportedOperation::default()
    };
    ImportedRun {
        format: ImportFormat::DiskspdText,
        tool_version: Some("2.0.17".to_owned()),
        source: "results.txt".to_owned(),
        place,
        line: 100 * place,
        started_utc: None,
        host: Some("SQL1".to_owned()),
        command: Some("diskspd -b8K".to_owned()),
        name: None,
        workload: ImportedWorkload {
            targets: vec!["d:\\iotest.dat".to_owned()],
            block: Some(Bytes::kib(8)),
            random_percent: Ratio::percent(100),
            ..ImportedWorkload::default()
        },
        measured: Some(Nanos::seconds(10)),
        figures: ImportedFigures {
            total,
            ..ImportedFigures::default()
        },
        cpu: None,
        evidence: model::imported_evidence::ImportedEvidence::default(),
        rows: vec![],
        notes: vec!["odd".to_owned()],
        text: "thread | bytes\n".repeat(40),
    }
}

fn reported(error: &StoreError, store: &Store) -> String {
    error
        .to_string()
        .replace(&store.path().display().to_string(), "S")
}

#[test]
fn a_cell_is_in_its_session_once() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    assert_eq!(store.save_cell(session, "a", "k1", &record(3)).unwrap(), 1);
    assert_eq!(
        store.save_missing(session, "b", "k2", "no space").unwrap(),
        2
    );
    assert_eq!(
        store
            .save_missing(session, "b", "k2", "still none")
            .unwrap(),
        2
    );
    let twice = store.save_cell(session, "a", "k1", &record(4)).unwrap_err();
    assert!(
        reported(&twice, &store).starts_with("cell `k1`: session 1 has it already, as 1.1"),
        "{twice}"
    );
    assert!(store.save_missing(session, "a", "k1", "x").is_err());
    let cell = |number, label: &str, key: &str, missing: Option<&str>| StoredCell {
        number,
        label: label.to_owned(),
        key: key.to_owned(),
        missing: missing.map(str::to_owned),
    };
    let cells = store.cells(session).unwrap();
    assert_eq!(
        cells,
        [
            cell(1, "a", "k1", None),
            cell(2, "b", "k2", Some("still none"))
        ]
    );
    // A missing cell that is run after all keeps its number.
    assert_eq!(store.save_cell(session, "b", "k2", &record(5)).unwrap(), 2);
    let loaded = store.load(session).unwrap();
    assert_eq!(loaded.summary.runs, 2);
    assert_eq!(loaded.runs[0].record(), Some(&record(3)));
    assert_eq!(loaded.runs[1].record(), Some(&record(5)));
    assert_eq!(loaded.runs[1].key.as_deref(), Some("k2"));
    crate::killed::assert_whole(&store);
}

#[test]
fn the_ranks_of_a_cell_are_stored_together_and_found_by_the_key_of_the_first() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    let records = [record(3), record(4)];
    let line = |rank: usize, outcome| RankLine {
        label: format!("a, rank {rank}, n{rank}"),
        outcome,
    };
    let cell = |ranks, missing| RanksCell {
        label: "a",
        key: "k",
        ranks,
        missing,
    };
    // One rank is lost: the other's record stays, and the key is that of the reason.
    let lost = [line(0, Ok(&records[0])), line(1, Err("host-lost"))];
    let number = store.save_ranks(session, cell(&lost, Some("rank 1 is lost")));
    assert_eq!(number.unwrap(), 3);
    let cells = store.cells(session).unwrap();
    assert_eq!(cells.len(), 1);
    assert_eq!(cells[0].missing.as_deref(), Some("rank 1 is lost"));
    // All are there: the reason goes, and the key is that of rank 0.
    let whole = [line(0, Ok(&records[0])), line(1, Ok(&records[1]))];
    assert_eq!(store.save_ranks(session, cell(&whole, None)).unwrap(), 3);
    let cells = store.cells(session).unwrap();
    assert_eq!((cells[0].number, &cells[0].missing), (3, &None));
    let loaded = store.load(session).unwrap();
    let labels: Vec<&str> = loaded.runs.iter().map(|run| run.label.as_str()).collect();
    let both = ["a, rank 0, n0", "a, rank 1, n1"];
    assert_eq!(labels, [both, both].concat());
    assert_eq!(loaded.runs[3].record(), Some(&records[1]));
    // Not twice, and then nothing of it.
    assert!(store.save_ranks(session, cell(&whole, None)).is_err());
    assert_eq!(store.load(session).unwrap().summary.runs, 4);
    crate::killed::assert_whole(&store);
}

#[test]
fn a_sweep_is_found_again_until_it_is_complete() {
    let (_folder, store) = shelf();
    let [first, second] = [(); 2].map(|()| store.begin(&new_session()).unwrap());
    for session in [first, second] {
        store.set_fingerprint(session, "f").unwrap();
    }
    let found = |text: &str| store.find_sweep(text).unwrap();
    assert!(store.has_fingerprint(first, "f").unwrap());
    assert!(!store.has_fingerprint(first, "g").unwrap());
    assert_eq!((found("f"), found("g")), (Some(second), None));
    store
        .finish(second, SessionOutcome::Complete, None)
        .unwrap();
    assert_eq!(found("f"), Some(first));
    store
        .finish(first, SessionOutcome::Interrupted, None)
        .unwrap();
    assert_eq!(found("f"), Some(first));
    store.reopen(first).unwrap();
    assert_eq!(store.summary_of(first).unwrap().outcome, None);
    assert!(store.reopen(SessionId(9)).is_err());
}

#[test]
fn imported_runs_read_back_as_they_were_and_have_lines_beside_measured_ones() {
    let (_folder, store) = shelf();
    let measured = store.begin(&new_session()).unwrap();
    store.save(measured, "measured", &record(3)).unwrap();
    let runs: Vec<_> = (1..=3).map(imported).collect();
    let none = store.import(&new_session(), |_| ()).unwrap();
    assert_eq!(none, None, "no run, no session");
    let session = store
        .import(&new_session(), |put| runs.iter().for_each(put))
        .unwrap()
        .unwrap();
    assert_eq!(session, SessionId(2));
    let loaded = store.load(session).unwrap();
    assert_eq!(loaded.runs.len(), 3);
    for (stored, run) in loaded.runs.iter().zip(&runs) {
        assert_eq!(stored.result, StoredResult::Imported(Box::new(run.clone())));
    }
    let rows = store.rows(&[measured, session]).unwrap();
    assert_eq!(rows.len(), 4);
    let row = &rows[2];
    assert_eq!(
        (row.name().as_str(), row.origin, row.tool.as_str()),
        ("2.2", Origin::Imported, "diskspd")
    );
    assert_eq!(row.total.latency.at(0.99), Some(Nanos::millis(2)));
    assert_eq!(row.total.ios_per_s, Some(100.5));
    assert_eq!((row.read.ios, row.started_utc), (None, None));
    assert_eq!(store.check(Depth::Full, &mut |_, _| ()).unwrap().results, 4);
}

#[test]
fn all_imported_runs_are_kept_or_none() {
    let (_folder, store) = shelf();
    let mut runs: Vec<_> = (1..=3).map(imported).collect();
    runs[2].figures.total.ios = Some(u64::MAX);
    assert!(matches!(
        store.import(&new_session(), |put| runs.iter().for_each(put)),
        Err(StoreError::TooLarge { .. })
    ));
    assert!(!store.has_sessions().unwrap());
}

#[test]
fn notes_of_a_result_outrank_those_of_its_session() {
    let (_folder, store) = shelf();
    let note = |field: &str, value: &str| Note {
        field: field.to_owned(),
        value: value.to_owned(),
    };
    let noted = NewSession {
        notes: vec![note("medium", "hdd")],
        ..new_session()
    };
    let session = store.begin(&noted).unwrap();
    for label in ["a", "b"] {
        store.save(session, label, &record(3)).unwrap();
    }
    store.begin(&new_session()).unwrap();
    let name = |text: &str| text.parse::<RunName>().unwrap();
    let own = [note("medium", "nvme"), note("comment", "a=b")];
    store.note(&[name("1.2")], &own, &[]).unwrap();
    let words = |notes: &[Note]| -> Vec<String> { notes.iter().map(Note::to_string).collect() };
    let of = |text: &str| words(&store.notes(name(text)).unwrap());
    assert_eq!(of("1"), ["medium=hdd"]);
    assert_eq!(of("1.1"), ["medium=hdd"]);
    assert_eq!(of("1.2"), ["comment=a=b", "medium=nvme"]);
    assert!(of("2").is_empty());
    // One session, all of them, and lists return the same.
    let rows = store.rows(&[session]).unwrap();
    assert_eq!(words(&rows[1].notes), of("1.2"));
    let mut all = Vec::new();
    let damaged = store.each_session(Pass::Results, &mut |session, rows| {
        all.push(words(&session.notes));
        all.extend(rows.iter().map(|row| words(&row.notes)));
        ControlFlow::Continue(())
    });
    assert!(damaged.unwrap().is_empty());
    assert_eq!(all, [of("1"), of("1.1"), of("1.2"), of("2")]);
    assert_eq!(words(&store.sessions(None).unwrap()[1].notes), of("1"));
    let none = |text: &str| store.note(&[name("1"), name(text)], &own, &[]).unwrap_err();
    assert!(matches!(none("1.7"), StoreError::NoResult { .. }));
    assert!(matches!(none("7"), StoreError::NoSession { .. }));
    assert_eq!(of("1"), ["medium=hdd"], "all or nothing");
    store
        .note(&[name("1.2")], &[], &["medium".to_owned()])
        .unwrap();
    assert_eq!(of("1.2"), ["comment=a=b", "medium=hdd"]);
    store.delete(&[name("1.2")]).unwrap();
    store.delete(&[name("1")]).unwrap();
    let left = "SELECT count(*) FROM notes";
    assert_eq!(store.ask(left).unwrap().rows[0][0], Cell::Whole(0));
}

#[test]
fn tags_are_words_on_sessions_and_results() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    for label in ["a", "b"] {
        store.save(session, label, &record(3)).unwrap();
    }
    let name = |text: &str| text.parse::<RunName>().unwrap();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    store
        .tag(&[name("1"), name("1.2")], &words("baseline q3"), &[])
        .unwrap();
    store
        .tag(&[name("1.2")], &words("nvme"), &words("q3 never-there"))
        .unwrap();
    let rows = store.rows(&[session]).unwrap();
    assert_eq!(rows[0].tags, words("baseline q3"));
    assert_eq!(rows[1].tags, words("baseline nvme q3"));
    assert_eq!(store.sessions(None).unwrap()[0].tags, words("baseline q3"));
    for wrong in ["", "two words", "-x", "a,b", "=1"] {
        let error = store
            .tag(&[name("1")], &[wrong.to_owned()], &[])
            .unwrap_err();
        assert!(matches!(error, StoreError::Tag { .. }), "{error}");
    }
    let error = store
        .tag(&[name("1"), name("1.7")], &words("x"), &[])
        .unwrap_err();
    assert_eq!(
        reported(&error, &store),
        "1.7: session 1 has results from 1.1 to 1.2"
    );
    assert_eq!(
        store.rows(&[session]).unwrap()[0].tags,
        words("baseline q3"),
        "all or nothing"
    );
}

#[test]
fn what_is_deleted_is_gone_and_all_else_stays() {
    let (_folder, store) = shelf();
    let name = |text: &str| text.parse::<RunName>().unwrap();
    for _ in 0..3 {
        let session = store.begin(&new_session()).unwrap();
        for label in ["a", "b", "c"] {
            store.save(session, label, &record(3)).unwrap();
        }
    }
    store
        .tag(&[name("1.2"), name("2")], &["x".to_owned()], &[])
        .unwrap();
    let names = ["1.2", "1.2", "2", "2.3"].map(name);
    assert_eq!(store.count(&names).unwrap(), 4);
    assert!(store.delete(&[name("3"), name("9")]).is_err());
    store.delete(&names).unwrap();
    let left: Vec<String> = [1, 3]
        .iter()
        .flat_map(|id| store.rows(&[SessionId(*id)]).unwrap())
        .map(|row| row.name())
        .collect();
    assert_eq!(left, ["1.1", "1.3", "3.1", "3.2", "3.3"]);
    assert!(store.load(SessionId(2)).is_err());
    crate::killed::assert_whole(&store);
    let other = rusqlite::Connection::open(store.path()).unwrap();
    for (table, rows) in [("runs", 5), ("figures", 15), ("tags", 0)] {
        let count = other.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        });
        assert_eq!(count, Ok(rows), "{table}");
    }
    store.delete(&[name("3")]).unwrap();
    assert_eq!(
        store.begin(&new_session()).unwrap(),
        SessionId(4),
        "a number is never given twice"
    );
}

#[test]
fn the_view_has_a_line_a_result_in_the_units_of_its_fields() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    store.save_missing(session, "b", "k", "no space").unwrap();
    store
        .import(&new_session(), |put| put(&imported(1)))
        .unwrap();
    let answer = store
        .ask("SELECT id, origin, tool, block_bytes, iops, latency_p99_ns, outcome, reason FROM results ORDER BY session")
        .unwrap();
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(
        answer.rows,
        [
            vec![
                text("1.1"),
                text("missing"),
                text("fathom"),
                Cell::Nothing,
                Cell::Nothing,
                Cell::Nothing,
                Cell::Nothing,
                text("no space")
            ],
            vec![
                text("2.1"),
                text("imported"),
                text("diskspd"),
                Cell::Whole(8192),
                Cell::Real(100.5),
                Cell::Whole(2_000_000),
                Cell::Nothing,
                Cell::Nothing
            ],
        ]
    );
}

#[test]
fn a_question_changes_nothing() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    for (sql, word) in [
        ("DELETE FROM sessions", "must begin with"),
        (
            "WITH x AS (SELECT 1) DELETE FROM sessions",
            "it would change the store",
        ),
        ("SELECT 1; SELECT 2", "ultiple statement"),
        ("SELECT ios_per_s FROM results", "no such column: ios_per_s"),
        (
            "VACUUM INTO 'x'",
            "must begin with SELECT, WITH, VALUES or EXPLAIN",
        ),
        ("PRAGMA journal_mode = DELETE", "must begin with"),
        ("", "must begin with"),
    ] {
        let error = reported(&store.ask(sql).unwrap_err(), &store);
        assert!(error.contains(word), "{sql}: {error}");
    }
    assert_eq!(store.summary_of(session).unwrap().id, session);
    store.save(session, "goes on", &record(3)).unwrap();
}

#[test]
fn a_copy_is_whole_and_nothing_is_written_over() {
    let (folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    store.save(session, "a", &record(3)).unwrap();
    let to = folder.path().join("copy.sqlite");
    store.backup(&to, &mut |_| ()).unwrap();
    let copy = Store::open(&to).unwrap();
    assert_eq!(copy.load(session).unwrap(), store.load(session).unwrap());
    assert!(matches!(
        store.backup(&to, &mut |_| ()),
        Err(StoreError::Exists { .. })
    ));
    let nowhere = folder.path().join("no/folder/copy.sqlite");
    let error = store.backup(&nowhere, &mut |_| ()).unwrap_err().to_string();
    assert!(error.starts_with(&nowhere.display().to_string()), "{error}");
}

#[test]
fn a_baseline_is_a_name_for_what_cannot_be_deleted_meanwhile() {
    let (_folder, store) = shelf();
    let session = store.begin(&new_session()).unwrap();
    for seed in [3, 4] {
        store.save(session, "x", &record(seed)).unwrap();
    }
    let name = |text: &str| text.parse::<RunName>().unwrap();
    let gold = |of| Baseline {
        name: "gold".to_owned(),
        of: name(of),
        set_utc: Nanos(7),
    };
    assert_eq!(store.set_baseline(&gold("1")).unwrap(), None);
    assert_eq!(store.set_baseline(&gold("1.2")).unwrap(), Some(gold("1")));
    assert_eq!(store.baselines().unwrap(), [gold("1.2")]);
    let refused = store.delete(&[name("1.1"), name("1")]).unwrap_err();
    assert!(
        matches!(refused, StoreError::IsBaseline { .. }),
        "{refused}"
    );
    assert!(store.delete(&[name("1.2")]).is_err());
    store.delete(&[name("1.1")]).unwrap();
    assert!(store.set_baseline(&gold("1.1")).is_err());
    let unnamed = Baseline {
        name: "-x".to_owned(),
        ..gold("1.2")
    };
    assert!(matches!(
        store.set_baseline(&unnamed).unwrap_err(),
        StoreError::BaselineName { .. }
    ));
    let reported = store.baseline("silver").unwrap_err().to_string();
    assert!(reported.contains("there are gold"), "{reported}");
    store.remove_baseline("gold").unwrap();
    store.delete(&[name("1")]).unwrap();
    crate::killed::assert_whole(&store);
}
