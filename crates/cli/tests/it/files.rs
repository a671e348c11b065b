//! `fathom files`: its output, its files, its refusals.

use crate::bench::{Bench, send, until};
use crate::mounted::Mounted;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

const SMALL: &str = "--files 100 --data 1M --threads 2 --step-limit 60s";

fn left(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with(".fathom"))
        .count()
}

#[test]
fn every_operation_is_reported_kept_shown_again_and_nothing_is_left() {
    let bench = Bench::new();
    bench.write("letter", 100);
    std::fs::create_dir(bench.path("there")).unwrap();
    let before = bench.snapshot();
    let said = bench.line(&format!("files . {SMALL}")).good();
    assert!(said.out.contains("\n  small files     create "), "{said:?}");
    for operation in [
        "write bytes",
        "rewrite blocks",
        "seek, random",
        "stat, random",
        "append and fsync",
        "remove folder",
    ] {
        assert!(said.out.contains(operation), "{operation}: {said:?}");
    }
    assert!(!said.out.contains("not measured"), "{said:?}");
    let names = |shot: Vec<_>| {
        shot.into_iter()
            .filter(|(path, _): &(std::path::PathBuf, _)| !path.to_string_lossy().contains("s.db"))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(bench.snapshot()), names(before));

    let page = |text: &str| text.lines().take(20).collect::<Vec<_>>().join("\n");
    let shown = bench.line("show 1").good();
    assert_eq!(page(&shown.out), page(&said.out));
    assert!(
        bench
            .line("show 1.8")
            .good()
            .out
            .contains("create, sequential")
    );
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["rows"].as_array().unwrap().len(), 24);
    for row in document["rows"].as_array().unwrap() {
        assert!(
            row["iops_estimate"]["value"].as_f64().unwrap() > 0.0,
            "{row}"
        );
        assert!(row["latency"]["max_ns"].as_u64().is_some(), "{row}");
    }
    assert!(bench.line("list --kind files").good().out.contains("files"));
    let table = bench.line("table 1").good();
    assert!(table.out.contains("append and fsync, random"), "{table:?}");
    let csv = bench.line("export 1 --csv").good();
    assert_eq!(csv.out.lines().count(), 25);
    assert!(bench.line("db check").good().out.contains("24"));
}

#[test]
fn steps_that_are_left_out_are_named_and_no_step_misses_what_it_works_on() {
    let bench = Bench::new();
    let said = bench
        .line(&format!("files . {SMALL} --skip bytes,rename"))
        .good();
    let without = "omitted on request: write bytes, read bytes, rename";
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(without), "{said:?}");
    for left_out in ["bytes, seq", "rename, "] {
        assert!(!said.out.contains(left_out), "{said:?}");
    }
    assert!(!said.out.contains("not measured"), "{said:?}");
    let again = bench.line("show 1").good().out;
    let again = again.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(again.contains(without), "{again}");
    let document = bench.line("show 1 --json").good().json();
    assert_eq!(document["rows"].as_array().unwrap().len(), 24 - 2 - 2);
    let skipped = &document["tree"]["skipped"];
    assert_eq!(skipped.as_array().unwrap().len(), 3, "{skipped}");
    let command = document["command"].as_array().unwrap();
    assert!(command.iter().any(|word| word == "bytes,rename"));

    let reported = bench.line("files . --skip stat,remove,fsync --threads 0");
    reported.refused(
        "invalid value 'remove,fsync' for --skip: must be steps: write-bytes, write-blocks",
    );
    reported.refused("invalid value '0' for --threads");
    bench
        .line("files . --skip write-blocks")
        .refused("rewrite-blocks, read-bytes, read-blocks and seek need what it leaves");
    let bonnie = bench
        .line("files . --files 0 --data 1M --skip bytes --bonnie")
        .good();
    assert!(
        bonnie
            .err
            .contains("omitted, as requested: write bytes, read bytes"),
        "{bonnie:?}"
    );
    let fields: Vec<&str> = bonnie.out.lines().last().unwrap().split(',').collect();
    assert!(fields[9].is_empty() && !fields[11].is_empty(), "{fields:?}");
}

#[test]
fn the_layout_of_bonnie_has_numbers_where_bonnie_has_plus_signs() {
    let bench = Bench::new();
    let said = bench
        .line("files . --files 1024 --file-size 0 --data 2M --step-limit 60s --bonnie")
        .good();
    assert!(!said.out.contains("++"), "{said:?}");
    let last = said.out.lines().last().unwrap();
    let fields: Vec<&str> = last.split(',').collect();
    assert_eq!(fields.len(), 50, "{last}");
    assert_eq!((fields[0], fields[5], fields[21]), ("1.98", "2M", "1"));
    assert!(fields[26].parse::<f64>().unwrap() > 0.0);
    let mut bonnie = Command::new("bonnie++");
    bonnie
        .args(["-u", "root", "-s", "16", "-r", "8", "-n", "1", "-d"])
        .arg(bench.path("."));
    let Ok(theirs) = bonnie.output() else {
        println!("skipped: bonnie++ does not run here, so its own layout is not compared");
        return;
    };
    let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
    if !theirs.contains("1.98,2.00a") {
        println!("skipped: not bonnie++ 2.00a as root, so its own layout is not compared");
        return;
    }
    let frame = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| {
            line.contains("Per Chr") || line.contains("%CP") || line.starts_with("Version")
        });
        lines.map(str::to_owned).collect()
    };
    assert_eq!(frame(&said.out), frame(&theirs));
    let line = theirs.lines().last().unwrap();
    assert_eq!(line.split(',').count(), fields.len(), "{line}");
}

#[test]
fn folders_that_cannot_serve_are_refused_and_all_is_reported_at_once() {
    let bench = Bench::new();
    bench.write("letter", 100);
    bench
        .line("files letter")
        .refused("letter: this is no folder");
    bench.line("files gone").refused("gone: cannot be read");
    let reported = bench.line("files . --files 0 --data 0 --threads 0 --patience 0s");
    reported.refused("there is nothing to do");
    reported.refused("invalid value '0' for --threads");
    reported.refused("invalid value '0s' for --patience");
    bench
        .line("files . --files 100 --bonnie")
        .refused("must be a multiple of 1024");
    let Some(full) = Mounted::memory(&bench, "1m") else {
        return;
    };
    bench
        .line("files m --files 10 --data 64M")
        .refused("free space");
    drop(full);
    std::fs::remove_dir(bench.path("m")).unwrap();
    if let Some(_read_only) = Mounted::ext4(&bench, &["-o", "ro"]) {
        bench.line("files m").refused("mounted read-only");
    }
}

#[test]
fn a_file_system_that_runs_full_on_the_way_is_reported_and_cleaned_up() {
    let bench = Bench::new();
    let Some(mounted) = Mounted::memory(&bench, "8m") else {
        return;
    };
    // There is room for what is asked, until another process takes it.
    let mut child =
        bench.start("files m --files 0 --data 7M --block 1K --step-limit 60s --no-store");
    while left(&mounted.folder) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "ended before it began");
        std::thread::yield_now();
    }
    let _ = std::fs::write(mounted.folder.join("other"), vec![1; 8 << 20]);
    let said = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(1), "{err}");
    assert!(
        err.contains("the files that it created are removed"),
        "{err}"
    );
    assert_eq!(left(&mounted.folder), 0);
}

#[test]
fn an_interrupt_removes_what_was_made_and_shows_what_was_measured() {
    let bench = Bench::new();
    let child = bench.start("files . --files 1000000 --file-size 0 --data 0 --step-limit 100m");
    until(|| left(&bench.path(".")) != 0);
    send("-INT", &child);
    let said = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(1), "{err}");
    assert!(
        err.contains("interrupted: the files that it created are removed"),
        "{err}"
    );
    assert_eq!(left(&bench.path(".")), 0);
    assert!(bench.line("list").good().out.contains("interrupted"));
}

#[test]
fn what_a_killed_one_left_is_removed_by_the_next() {
    let bench = Bench::new();
    bench.write("letter", 100);
    let mut child = bench.start("files . --files 1000000 --file-size 0 --data 0 --step-limit 100m");
    let deep = || {
        let found = Command::new("find")
            .arg(bench.path("."))
            .args(["-name", "f0*"])
            .output()
            .unwrap();
        !found.stdout.is_empty()
    };
    until(deep);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(left(&bench.path(".")), 1);
    let shown = bench.line("show 1").out;
    assert!(
        shown.contains("\nCAUTION: ended") || shown.contains("\nINVALID: "),
        "{shown}"
    );
    let said = bench.line("files . --files 10 --data 0").good();
    assert!(
        said.err.contains("an earlier fathom files was ended"),
        "{said:?}"
    );
    assert_eq!(left(&bench.path(".")), 0);
    assert!(bench.path("letter").exists());
}

/// A frozen file system blocks every writer, as a mount does whose server is gone.
#[test]
fn a_folder_that_does_not_answer_is_given_up_with_a_clear_word() {
    let bench = Bench::new();
    let Some(mounted) = Mounted::ext4(&bench, &[]) else {
        return;
    };
    let freeze = |how: &str| {
        let mut command = Command::new("fsfreeze");
        command
            .arg(how)
            .arg(&mounted.folder)
            .status()
            .is_ok_and(|done| done.success())
    };
    if !freeze("--freeze") {
        println!("skipped: the file system cannot be frozen here");
        return;
    }
    let mut child = bench.start("files m --files 10 --data 0 --patience 1s");
    let mut reported = String::new();
    let read = BufReader::new(child.stderr.take().unwrap()).read_line(&mut reported);
    assert!(freeze("--unfreeze"));
    assert!(
        read.is_ok()
            && reported
                .contains("m: it does not answer: creating its folder has not progressed for 1s"),
        "{reported}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let said = bench.line("files m --files 10 --data 0").good();
    assert_eq!(left(&mounted.folder), 0, "{said:?}");
}
