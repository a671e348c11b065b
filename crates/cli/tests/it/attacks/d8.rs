//! The database of another program is never changed, and no name is read as anything but a file's.

use super::{RUN, names};
use crate::bench::Bench;
use std::fs;

/// A database of another program: every byte but those that show its owner.
fn foreign(bench: &Bench, name: &str) {
    bench.line(RUN).good();
    let mut bytes = fs::read(bench.path("s.db")).unwrap();
    bytes[68..72].copy_from_slice(&[0, 0, 0, 0]);
    fs::write(bench.path(name), bytes).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(bench.path(&format!("s.db{suffix}")));
    }
}

#[test]
fn names_that_sqlite_gives_another_meaning_are_refused() {
    let bench = Bench::new();
    foreign(&bench, "o.sqlite");
    let before = bench.snapshot();
    for name in [
        "file:o.sqlite",
        "FILE:o.sqlite?mode=rwc",
        ":memory:",
        "file:/o.sqlite",
    ] {
        let hint = format!("./{name}");
        for line in [
            RUN,
            "list",
            "table",
            "show 1",
            "db check",
            "db sql SELECT(1)",
            "tag 1 --add x",
        ] {
            bench.line(&format!("{line} --store {name}")).refused(&hint);
        }
        let mut by_variable = bench.command(&["list"]);
        by_variable.env("FATHOM_STORE", name);
        crate::bench::Said::from(by_variable.output().unwrap()).refused(&hint);
    }
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn a_file_may_be_called_like_that() {
    let bench = Bench::new();
    bench
        .line(&format!("{RUN} --store ./file:o.sqlite?mode=ro"))
        .good();
    bench.line("list --store ./file:o.sqlite?mode=ro").good();
    bench
        .line("db backup ./file:copy --store ./file:o.sqlite?mode=ro")
        .done();
    bench.line("list --store ./file:copy").good();
    assert!(bench.path("file:copy").exists());
    assert!(!bench.path("copy").exists() && !bench.path("o.sqlite").exists());
}

#[test]
fn a_backup_goes_where_it_says_or_nowhere() {
    let bench = Bench::new();
    bench.line(RUN).good();
    fs::write(bench.path("copy"), b"a user's").unwrap();
    let before = names(&bench.path(""));
    for name in ["file:copy", "file:new?mode=rwc", ":memory:", "copy"] {
        bench.line(&format!("db backup {name}")).refused(name);
    }
    assert_eq!(names(&bench.path("")), before);
    assert_eq!(fs::read(bench.path("copy")).unwrap(), b"a user's");
}

#[test]
fn a_database_of_another_program_is_left_as_it_is() {
    let bench = Bench::new();
    foreign(&bench, "o.sqlite");
    fs::write(bench.path("notes"), b"not a database at all").unwrap();
    let before = bench.snapshot();
    for name in ["o.sqlite", "notes"] {
        for line in [RUN, "list", "db check", "delete 1 --lose x"] {
            bench
                .line(&format!("{line} --store {name}"))
                .refused("it was not changed");
        }
    }
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn files_that_sqlite_would_overwrite_next_to_it_are_left_as_they_are() {
    for name in ["s.db-wal", "s.db-shm", "s.db-journal"] {
        for there in [false, true] {
            let bench = Bench::new();
            if there {
                bench.line(RUN).good();
            }
            bench.write(name, 5000);
            let before = bench.snapshot();
            bench.line(RUN).refused(name);
            assert_eq!(bench.snapshot(), before, "{name} {there}");
        }
    }
}
