//! A results database that is moved, replaced, deleted or locked while it is used: what was measured is kept next to it, and
//! `fathom import` adds it as if it had been stored.

use super::{RUN, names};
use crate::bench::{Bench, until};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use store::{NewSession, SessionId, SessionKind, Store};

/// Twelve cells, of which each takes a quarter of a second.
const SWEEP: &str =
    "sweep --engine null -d 200ms --warmup 0s --block 4K,8K,16K --depth 1,2,4,8 --store s.db";

/// Waits until the sweep has stored so many results.
fn wait_for_results(bench: &Bench, count: u32) {
    until(|| {
        let store = Store::look(&bench.path("s.db")).ok();
        let stored = store.and_then(|store| store.summary_of(SessionId(1)).ok());
        stored.is_some_and(|session| session.runs >= count)
    });
}

fn kept(bench: &Bench) -> Vec<PathBuf> {
    let names = names(&bench.path("")).into_iter();
    let kept = names.filter(|name| name.starts_with("s.db.kept-"));
    kept.map(|name| bench.path(&name)).collect()
}

/// The document of a session without what differs between two stores.
fn document(bench: &Bench, session: u32, store: &str) -> Value {
    let mut document = bench
        .line(&format!("show {session} --json --store {store}"))
        .json();
    document.as_object_mut().unwrap().remove("stored");
    document
}

fn ended(child: std::process::Child) -> crate::bench::Said {
    crate::bench::Said::from(child.wait_with_output().unwrap())
}

#[test]
fn a_sweep_whose_store_is_moved_away_keeps_all_and_can_be_continued() {
    let bench = Bench::new();
    let child = bench.spawn(SWEEP);
    wait_for_results(&bench, 2);
    fs::rename(bench.path("s.db"), bench.path("x.db")).unwrap();
    let said = ended(child);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(!said.out.contains("fathom show"), "{said:?}");
    let [file] = &kept(&bench)[..] else {
        panic!("{said:?}: {:?}", names(&bench.path("")));
    };
    let command = format!("fathom import {} --store", file.display());
    assert!(said.err.contains(&command), "{said:?}");
    assert!(said.err.contains("x.db"), "{said:?}");
    assert!(
        !bench.path("s.db-wal").exists(),
        "{:?}",
        names(&bench.path(""))
    );

    bench.line("db check --full --store x.db").good();
    let before = bench
        .line("table 1 --json --store x.db")
        .json()
        .as_array()
        .unwrap()
        .len();
    let file = file.display();
    bench.line(&format!("import {file} --store x.db")).good();
    let added = bench
        .line("table 2 --json --store x.db")
        .json()
        .as_array()
        .unwrap()
        .len();
    assert!(added > before && added < 12, "{before}, {added}");
    let again = bench.line(&format!("import {file} --store x.db"));
    assert!(again.err.contains("session 2"), "{again:?}");
    let resumed = bench.line(&SWEEP.replace("s.db", "x.db")).good();
    assert!(resumed.out.contains("fathom show 2"), "{resumed:?}");
    bench.line("db check --full --store x.db").good();
    // Nothing is in the way of a new one.
    assert_ne!(bench.line(&format!("{RUN} --store s.db")).code, Some(2));
}

#[test]
fn a_sweep_whose_store_is_deleted_keeps_all() {
    let bench = Bench::new();
    let child = bench.spawn(SWEEP);
    wait_for_results(&bench, 2);
    for name in ["s.db", "s.db-wal", "s.db-shm"] {
        let _ = fs::remove_file(bench.path(name));
    }
    let said = ended(child);
    assert_eq!(said.code, Some(1), "{said:?}");
    let [file] = &kept(&bench)[..] else {
        panic!("{said:?}: {:?}", names(&bench.path("")));
    };
    bench
        .line(&format!("import {} --store s.db", file.display()))
        .good();
    let rows = bench
        .line("table 1 --json --store s.db")
        .json()
        .as_array()
        .unwrap()
        .len();
    assert!(rows >= 3, "{rows}");
    bench.line(SWEEP).good();
}

#[test]
fn a_run_whose_store_or_folder_is_moved_is_kept_beside_it() {
    for (from, to, hidden) in [("s.db", "x.db", false), ("in", "out", true)] {
        let bench = Bench::new();
        fs::create_dir(bench.path("in")).unwrap();
        let store = if hidden { "in/s.db" } else { "s.db" };
        let child = bench.start(&format!(
            "run --engine null -d 1s --warmup 0s --store {store}"
        ));
        fs::rename(bench.path(from), bench.path(to)).unwrap();
        let said = ended(child);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("fathom import"), "{said:?}");
        assert!(said.out.contains("IOPS"), "{said:?}");
        let file = if hidden {
            "out/s.db.kept-1"
        } else {
            "s.db.kept-1"
        };
        bench.line(&format!("import {file} --store n.db")).good();
        bench.line("show 1 --store n.db").good();
    }
}

#[test]
fn a_result_that_a_lock_keeps_out_is_the_same_after_its_import() {
    let bench = Bench::new();
    drop(Store::open(&bench.path("s.db")).unwrap());
    let child = bench.start("run --engine null -d 500ms --warmup 0s --seed 7");
    let locked = Store::open(&bench.path("s.db")).unwrap();
    let new = NewSession {
        kind: SessionKind::new("import"),
        command: Vec::new(),
        tool_version: String::new(),
        started_utc: model::Nanos(1),
        target: String::new(),
        notes: Vec::new(),
    };
    let mut said = None;
    // The transaction of an import lasts as long as its runs are read.
    locked.import(&new, |_| said = Some(ended(child))).unwrap();
    drop(locked);
    let said = said.unwrap();
    assert_eq!(said.code, Some(1), "{said:?}");
    let [file] = &kept(&bench)[..] else {
        panic!("{said:?}");
    };
    let name = file.file_name().unwrap().to_str().unwrap();
    let original = document(&bench, 1, name);
    bench.line(&format!("import {name} --dry-run")).good();
    let imported = bench.line(&format!("import {name} --json")).good().json();
    let session = imported["files"][0]["sessions"][0].as_u64().unwrap() as u32;
    assert_eq!(document(&bench, session, "s.db"), original);
    bench.line("db check --full").good();
    let listed = bench.line("list").good().out;
    let has = |word: &&str| listed.contains(*word);
    assert!(
        ["VALID", "CAUTION", "NOT CHECKED"].iter().any(has),
        "{listed}"
    );
}

#[test]
fn another_database_is_imported_whole_and_never_itself() {
    let bench = Bench::new();
    let run = RUN.replace("20ms", "300ms");
    bench.line(&format!("{run} --store other.db")).good();
    bench
        .line("sweep --engine null -d 200ms --warmup 0s --depth 1,2 --store other.db")
        .good();
    bench.line(&format!("{run} --store s.db")).good();
    let said = bench.line("import other.db").good();
    assert!(said.out.contains("2 sessions"), "{said:?}");
    for (here, there) in [(2, 1), (3, 2)] {
        assert_eq!(
            document(&bench, here, "s.db"),
            document(&bench, there, "other.db")
        );
    }
    assert_eq!(bench.line("import s.db").code, Some(2));
    fs::write(
        bench.path("bad.db"),
        [b"SQLite format 3\0".as_slice(), &[7; 4096]].concat(),
    )
    .unwrap();
    assert_eq!(bench.line("import bad.db").code, Some(2));
    bench.line("db check --full").good();
}
