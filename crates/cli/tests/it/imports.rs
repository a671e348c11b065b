//! `fathom import`: what is kept, what is named, what is recognised, and what is shown of it.

use crate::bench::Bench;
use std::io::Write;
use std::process::Stdio;

const PAGE: &str = include_str!("../../../tools/tests/imports/texts/seed_000.txt");
const OLD: &str = include_str!("../../../tools/tests/imports/texts/seed_001.txt");
const SQLIO: &str = include_str!("../../../tools/tests/imports/texts/seed_002.txt");
const FIO: &str = include_str!("../../../tools/tests/imports/texts/fio_jobs.json");

fn put(bench: &Bench, name: &str, text: &str) {
    std::fs::write(bench.path(name), text).unwrap();
}

#[test]
fn what_is_imported_is_reported_kept_and_shown_with_its_printed_figures() {
    let bench = Bench::new();
    put(&bench, "page.txt", PAGE);
    let said = bench.line("import page.txt").good();
    assert!(
        said.out
            .starts_with("imported 1 run from page.txt as session 1\n"),
        "{said:?}"
    );
    assert!(said.out.contains("1 run of DISKSPD's text"));
    assert!(
        said.out.ends_with("all data: fathom show 1 --json\n"),
        "{said:?}"
    );
    assert_eq!(said.err, "");
    let shown = bench.line("show 1").good().out;
    assert!(
        shown.contains("\nCAUTION: ")
            && shown.contains("explain stall")
            && shown.contains(
                "\nfigures  as printed by diskspd 2.0.17: page.txt, run 1 of the file, line 1\n"
            ),
        "{shown}"
    );
    for figure in [
        "20.6k", "1286", "3.11 ms", "2.85 ms", "5.27 ms", "39.4 ms", "211 ms",
    ] {
        assert!(shown.contains(figure), "{figure} in\n{shown}");
    }
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(
        "64 KiB, random, 90% reads, 10% writes; queue depth 4 x 16 threads; direct I/O, write-through"
    ));
    assert!(shown.contains("start unknown"));
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["printed_by"], "as printed by diskspd 2.0.17");
    assert_eq!(document["figures"]["total"]["ios"], 2_469_840);
    assert_eq!(
        document["figures"]["total"]["latency"]["mean_ns"],
        3_106_000
    );
    assert_eq!(document["text"], PAGE);
    assert!(bench.line("list").good().out.contains("page.txt"));
}

#[test]
fn several_files_and_standard_input_make_one_session() {
    let bench = Bench::new();
    put(&bench, "one.txt", &format!("{OLD}{SQLIO}"));
    put(&bench, "two.json", FIO);
    let mut command = bench.command(&["import", "one.txt", "two.json", "-", "--tag", "old"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(PAGE.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(
        out.starts_with("imported 5 runs from 3 files as session 1\n"),
        "{out}"
    );
    assert!(out.contains("one.txt: 1 run of DISKSPD's text, 1 run of SQLIO's text"));
    for run in [
        "1.1, ",
        "1.5, ",
        "CAUTION (5 of 5 cells): ",
        "fathom show 1 --verbose",
    ] {
        assert!(out.contains(run), "{run}: {out}");
    }
    let shown = bench.line("show 1").good().out;
    let page = out.split_once("\n\n").map_or("", |(_, page)| page);
    assert!(
        !page.is_empty() && shown.starts_with(page.trim_end()),
        "{shown}"
    );
    assert!(
        bench
            .line("show 1.2")
            .good()
            .out
            .contains("as printed by sqlio 1.5.SG")
    );
    assert!(
        bench
            .line("show 1.4")
            .good()
            .out
            .contains("as printed by fio 3.33")
    );
    let sqlio = bench.line("show 1.2").good().out;
    assert!(sqlio.contains("a mean of 3 ms"), "{sqlio}");
}

#[test]
fn the_same_content_is_recognised_and_left_out() {
    let bench = Bench::new();
    put(&bench, "a.txt", PAGE);
    put(&bench, "b.txt", PAGE);
    put(&bench, "c.txt", OLD);
    let said = bench.line("import a.txt b.txt").good();
    assert!(
        said.out
            .starts_with("imported 1 run from a.txt as session 1"),
        "{said:?}"
    );
    assert!(
        said.err
            .contains("b.txt: its content equals that of a file before it")
    );
    let said = bench.line("import b.txt").good();
    assert_eq!(said.out, "imported nothing\n");
    assert!(
        said.err
            .contains("b.txt: imported before, as session 1, and omitted; --again"),
        "{said:?}"
    );
    let said = bench.line("import b.txt c.txt").good();
    assert!(
        said.out
            .starts_with("imported 1 run from c.txt as session 2"),
        "{said:?}"
    );
    let said = bench.line("import --again a.txt").good();
    assert!(
        said.out
            .starts_with("imported 1 run from a.txt as session 3"),
        "{said:?}"
    );
}

#[test]
fn what_was_deleted_can_be_imported_again() {
    let bench = Bench::new();
    put(&bench, "a.txt", PAGE);
    put(&bench, "c.txt", OLD);
    bench.line("import a.txt c.txt").good();
    bench
        .say(&["delete", "1.1", "1.1", "--lose", "2 results"])
        .refused("what would be lost is `1 result`: 1.1 (of an import of 2 files)");
    let said = bench.say(&["delete", "1.1", "--lose", "1 result"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        bench
            .line("show 1")
            .good()
            .out
            .contains("fathom show 1 --verbose")
    );
    bench
        .line("show 1.1")
        .refused("session 1 has no run 1: it has one, 1.2");
    let said = bench.line("import a.txt").good();
    assert!(
        said.out
            .starts_with("imported 1 run from a.txt as session 2"),
        "{said:?}"
    );
}

#[test]
fn what_cannot_be_imported_is_named_and_the_rest_is() {
    let bench = Bench::new();
    let cut = PAGE.find("total: ").unwrap();
    put(&bench, "cut.txt", &format!("{OLD}{}", &PAGE[..cut]));
    put(&bench, "prose.txt", "dd: 1048576 bytes copied\n");
    std::fs::write(bench.path("junk"), [0, 1, 2, 3]).unwrap();
    put(&bench, "empty", "");
    let said = bench.line("import cut.txt prose.txt junk empty nowhere");
    assert_eq!(said.code, Some(1));
    assert!(
        said.out
            .starts_with("imported 1 run from cut.txt as session 1"),
        "{said:?}"
    );
    assert!(said.out.contains("omitted: 1 broken run"));
    for words in [
        "cut.txt: line ",
        "`Total IO` has no line `total:`",
        "prose.txt: line 1 begins no known format, and is not printed",
        "junk: line 1 has the character U+0000",
        "empty: the file is empty",
        "nowhere: cannot be read: No such file or directory",
    ] {
        let err = said.err.replace("\n        ", " ");
        assert!(err.contains(words), "{words} in\n{err}");
    }
    let said = bench.line("import prose.txt");
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    assert!(
        bench.line("list --json").good().json()["sessions"]
            .as_array()
            .unwrap()
            .len()
            == 1
    );
}

#[test]
fn a_trial_keeps_nothing_and_a_document_has_it_all_but_the_text() {
    let bench = Bench::new();
    put(&bench, "a.txt", &format!("{PAGE}{OLD}"));
    let said = bench.line("import --dry-run a.txt").good();
    assert!(
        said.out
            .starts_with("would import 2 runs from a.txt; nothing was stored\n"),
        "{said:?}"
    );
    assert!(!bench.path("s.db").exists());
    let document = bench.line("import --json a.txt").good().json();
    assert_eq!(document["imported_runs"], 2);
    assert_eq!(document["session"], 1);
    assert_eq!(document["files"][0]["runs"]["DISKSPD's text"], 2);
    assert_eq!(document["runs"][0]["figures"]["total"]["iops"], 20_581.94);
    assert_eq!(document["runs"][1]["workload"]["targets"][0], "test.dat");
    assert!(document["runs"][0]["workload"]["engine"].is_null());
    assert!(document["runs"][0].get("text").is_none());
    assert_eq!(bench.line("import --dry-run --tag x a.txt").code, Some(2));
    let said = bench.line("import --again --tag a/b,c a.txt");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert_eq!(
        bench.line("list --json").good().json()["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_store_that_was_named_wrongly_is_refused_before_anything_is_read() {
    let bench = Bench::new();
    put(&bench, "a.txt", PAGE);
    bench
        .line("import --store nowhere/s.db a.txt")
        .refused("its folder does not exist");
}

/// Two machines, each with its own results database.
fn two_machines() -> (Bench, Bench) {
    let (here, there) = (Bench::new(), Bench::new());
    here.line("run sim:ssd -d 1s --warmup 0s --seed 1").good();
    for line in [
        "run sim:ssd -d 1s --warmup 0s --seed 2",
        "survey sim:cliff --page none --workload oltp --budget 20s",
    ] {
        there.line(line).good();
    }
    put(&there, "page.txt", PAGE);
    there.line("import page.txt --tag other").good();
    there.line("note 1 --comment text").good();
    (here, there)
}

#[test]
fn sessions_of_another_machine_are_imported_as_they_were_stored() {
    let (here, there) = two_machines();
    let document = there.line("export --sessions").good().out;
    std::fs::write(here.path("all.json"), &document).unwrap();
    let said = here.line("import all.json").good();
    assert!(said.out.contains("2"), "{said:?}");
    for (old, new) in [("1", "2"), ("2", "3"), ("3", "4")] {
        let shown = |bench: &Bench, name: &str| {
            let mut all = bench.line(&format!("show {name} --json")).good().json();
            let place = all.as_object_mut().and_then(|all| all.remove("stored"));
            assert!(place.is_some(), "{name}");
            all
        };
        assert_eq!(shown(&there, old), shown(&here, new), "{old}");
    }
    assert!(here.line("list").good().out.contains("[other]"));
    let check = here.line("db check --full").good();
    assert!(check.out.contains("all whole"), "{check:?}");
    let twice = here.line("import all.json");
    assert!(
        twice.err.contains("imported before, as session"),
        "{twice:?}"
    );
    // It is the same document again, but for the numbers.
    let again = here.line("export 2 3 4 --sessions").good().out;
    assert_eq!(again.lines().count(), document.lines().count());
}

#[test]
fn documents_that_are_damaged_newer_or_reports_are_refused() {
    let (here, there) = two_machines();
    let whole = there.line("export 1 --sessions").good().out;
    let report = there.line("show 1 --json").good().out;
    let cases = [
        (
            whole[..whole.len() / 2].to_owned(),
            "it is truncated: it ends within line",
        ),
        (
            whole.replace("sim:ssd", "sim:sst"),
            "its sessions were changed after they were written",
        ),
        (
            whole.replacen("\"store_schema\": 1", "\"store_schema\": 9", 1),
            "its store_schema is version 9",
        ),
        (
            whole.replacen("\"fathom_sessions\": 1", "\"fathom_sessions\": 2", 1),
            "its fathom_sessions is version 2, and this fathom reads versions from 1 to 1",
        ),
        (report, "fathom export ID --sessions"),
    ];
    for (document, expected) in cases {
        std::fs::write(here.path("x.json"), document).unwrap();
        for line in ["import x.json", "compare x.json 1"] {
            let said = here.line(line);
            assert!(said.err.contains(expected), "{line}: {expected}: {said:?}");
            assert_ne!(said.code, Some(0), "{said:?}");
        }
    }
    assert_eq!(
        here.line("list --json").good().json()["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    there
        .line("export 2.1 --sessions")
        .refused("a session is exported whole");
}

#[test]
fn files_are_compared_without_being_stored() {
    let (here, there) = two_machines();
    let other = there.path("s.db");
    let document = there.line("export 1 --sessions").good().out;
    std::fs::write(here.path("a.json"), document).unwrap();
    put(&here, "a.txt", PAGE);
    put(&here, "b.txt", PAGE);
    let ratio = |line: &str| {
        let said = here.line(line).good().json();
        let overall = said["overall"].as_array().unwrap().clone();
        let iops = overall.into_iter().find(|one| one["metric"] == "iops");
        iops.unwrap()["ratio"]["value"].clone()
    };
    let by_database = ratio(&format!("compare {}:1 1 --json", other.display()));
    assert_eq!(ratio("compare a.json 1 --json"), by_database);
    assert_ne!(by_database, 1.0, "session 1 of each is another one");
    assert_eq!(ratio("compare a.txt b.txt --json"), 1.0);
    assert_eq!(
        here.line("list --json").good().json()["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let alone = Bench::new();
    put(&alone, "a.txt", PAGE);
    alone.line("compare a.txt a.txt").good();
    assert!(!alone.path("s.db").exists());
}
