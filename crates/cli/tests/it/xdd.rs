//! `fathom xdd`: lines, exit codes, files and stops, on real files.
//!
//! What an option means is tested in `tools`, where the I/Os go in `engine`.

use crate::bench::{Bench, Said, send, until};
use std::fs;

/// The columns of the lines of this name, without the name.
fn rows(said: &str, what: &str) -> Vec<Vec<String>> {
    let lines = said.lines().map(|line| line.replace(',', " "));
    let words = lines.map(|line| {
        let words = line.split_whitespace().map(str::to_owned);
        words.collect::<Vec<String>>()
    });
    let rows = words.filter(|words| words.first().is_some_and(|word| word == what));
    rows.map(|words| words[1..].to_vec()).collect()
}

fn numbers(row: &[String]) -> Vec<f64> {
    row.iter().filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn targets_are_written_and_read_in_passes_and_printed_in_xdd_s_lines() {
    let bench = Bench::new();
    let line =
        "xdd -op write -targets 2 a b -reqsize 64 -mbytes 4 -qd 4 -passes 2 -verbose -id here";
    let said = bench.line(line).good();
    assert!(said.out.contains("\nID for this run, 'here'\n"), "{said:?}");
    let passes = rows(&said.out, "TARGET_PASS");
    assert_eq!(passes.len(), 4, "{said:?}");
    for row in &passes {
        assert_eq!(row[3..5], ["4194304", "64"], "{row:?}");
        assert_eq!(row[10..], ["write", "65536"], "{row:?}");
        let numbers = numbers(row);
        let (elapsed, megabytes) = (numbers[5], numbers[6]);
        // As far as the printed milliseconds go.
        let least = 4.194_304 / (elapsed + 0.0005);
        assert!(megabytes >= least * 0.999, "{row:?}");
    }
    assert_eq!(rows(&said.out, "TARGET_AVERAGE").len(), 2);
    let all = &rows(&said.out, "COMBINED")[0];
    assert_eq!(all[..5], ["2", "2", "4", "16777216", "256"], "{all:?}");
    for name in ["a", "b"] {
        let content = fs::read(bench.path(name)).unwrap();
        assert_eq!(content.len(), 4 << 20);
        assert!(content[4096..].iter().all(|byte| *byte == 0));
    }
    let kept = bench.line("show 1.2 --json").good().json();
    assert_eq!(kept["operations"][0]["ios"], 128);
    let read = bench.line("xdd -op read -target a -mbytes 4 -qd 2").good();
    assert_eq!(rows(&read.out, "COMBINED")[0][10..], ["read", "131072"]);
    assert!(rows(&read.out, "TARGET_PASS").is_empty());
    bench.line("compare 1.1 2 --any-work").good();
    let json = bench.line("xdd -op read -target a -mbytes 4 --json --no-store");
    assert!(json.good().json().is_object());
}

#[test]
fn foreign_files_are_refused_with_what_would_be_lost_and_removed_only_with_consent() {
    let bench = Bench::new();
    let letter = vec![b'x'; 1 << 17];
    fs::write(bench.path("letter"), &letter).unwrap();
    for line in [
        "xdd -op write -target letter -numreqs 1",
        "xdd -op write -target letter -numreqs 100",
        "xdd -op read -target letter -numreqs 1 -deletefile",
    ] {
        bench.line(line).refused("--overwrite");
        assert_eq!(fs::read(bench.path("letter")).unwrap(), letter, "{line}");
    }
    for (line, part) in [
        ("xdd -op read -target missing -numreqs 1", "missing"),
        ("xdd -op read -target letter -numreqs 2", "letter"),
        ("xdd -op write -target . -numreqs 1", "."),
        ("xdd -op write -target no/such/folder -numreqs 1", "no/such"),
        (
            "xdd -op write -target f -numreqs 1 -output f",
            "this is a target",
        ),
        (
            "xdd -op write -target f -numreqs 1 -csvout letter",
            "-csvout",
        ),
        (
            "xdd -op write -target f -reqsize 1 -blocksize 100 -numreqs 5 -dio",
            "-reqsize",
        ),
    ] {
        bench.line(line).refused(part);
        assert!(!bench.path("f").exists(), "{line}");
    }
    bench
        .line("xdd -op write -target letter -numreqs 1 --overwrite")
        .good();
    let said = bench.line("xdd -op read -target letter -numreqs 1 -deletefile --overwrite");
    said.good();
    assert!(!bench.path("letter").exists());
}

#[test]
fn results_go_into_files_and_replace_fathom_s_own() {
    let bench = Bench::new();
    let line = "xdd -op write -target f -numreqs 8 -seek random -seek range 4096 -output text -csvout csv -deletefile";
    for _ in 0..2 {
        let said = bench.line(line);
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
        assert!(!bench.path("f").exists());
    }
    let text = fs::read_to_string(bench.path("text")).unwrap();
    let csv = fs::read_to_string(bench.path("csv")).unwrap();
    assert_eq!(rows(&text, "COMBINED"), rows(&csv, "COMBINED"));
    assert_eq!(rows(&text, "COMBINED").len(), 1);
    fs::write(bench.path("csv"), "What           ,mine\n").unwrap();
    bench.line(line).refused("-csvout");
}

#[test]
fn a_run_time_repeats_passes_and_a_stop_keeps_what_was_measured() {
    let bench = Bench::new();
    let line = "xdd -op write -target f -mbytes 1 -runtime 0.5 -verbose --no-store";
    let said = bench.line(line).good();
    let passes = rows(&said.out, "TARGET_PASS").len();
    assert!(passes > 1, "{said:?}");
    let limited = "xdd -op write -target g -mbytes 64 -throttle bw 4 -timelimit 0.3 --no-store";
    let said = bench.line(limited).good();
    let bytes: u64 = rows(&said.out, "COMBINED")[0][3].parse().unwrap();
    assert!((1..64 << 20).contains(&bytes), "{said:?}");
    let child = bench.start("xdd -op write -target h -mbytes 1024 -throttle bw 1");
    until(|| fs::metadata(bench.path("h")).is_ok_and(|file| file.len() > 1 << 18));
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    let stored = bench.line("show 1 --json").json();
    assert!(stored["operations"][0]["ios"].as_u64().unwrap() > 0);
}

#[test]
fn the_name_makes_it_xdd_and_help_and_dry_runs_do_nothing() {
    let bench = Bench::new();
    let help = bench.line("xdd --help").good();
    assert!(help.out.starts_with("usage: fathom xdd "), "{help:?}");
    let said = bench
        .line("xdd -op write -targets -2 f -mbytes 1 -targetoffset 1024 -dryrun")
        .good();
    assert!(said.out.contains("Number of Operations, 8\n"), "{said:?}");
    assert!(!bench.path("f").exists());
    let all = bench.line("xdd -sgio -e2e issource -target f");
    for part in ["-sgio: ", "-e2e: ", "-numreqs: "] {
        all.refused(part);
    }
}
