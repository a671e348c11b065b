//! Results: where they go, what is kept, and how they are found again.

use crate::bench::{Bench, Said};
use std::fs::OpenOptions;
use std::process::Stdio;

const NULL: &str = "run --engine null -d 300ms --warmup 0s";

#[test]
fn a_run_is_printed_kept_listed_and_shown_again() {
    let bench = Bench::new();
    let printed = bench.line(NULL).good();
    assert_eq!(printed.err, "");
    let listed = bench.line("list").good();
    assert!(listed.out.contains("null"), "{listed:?}");
    let shown = bench.line("show 1").good();
    assert_eq!(shown.out, printed.out);
    bench.line("show 1.1").good();
    bench.line("show 2").refused("session 2");
    bench
        .line("show 1.2")
        .refused("session 1 has no run 2: it has one, 1.1");
}

#[test]
fn json_is_one_document_and_the_same_when_shown_again() {
    let bench = Bench::new();
    let printed = bench
        .line(&format!("{NULL} -o 4 -w 30 --json"))
        .good()
        .json();
    assert_eq!(printed["outcome"]["kind"], "complete");
    let shown = bench.line("show 1 --json").good().json();
    assert_eq!(shown, printed);
    assert!(bench.line("devices --json").good().json()["devices"].is_array());
}

#[test]
fn a_document_says_where_it_is_kept() {
    let bench = Bench::new();
    let path = bench.path("s.db");
    let stored = |line: &str| bench.line(line).good().json()["stored"].clone();
    let session =
        serde_json::json!({"id": "1", "session": 1, "number": null, "path": path, "notes": []});
    assert_eq!(stored(&format!("{NULL} --json")), session);
    let run =
        serde_json::json!({"id": "1.1", "session": 1, "number": 1, "path": path, "notes": []});
    assert_eq!(stored("show 1.1 --json"), run);
    let nowhere = stored(&format!("{NULL} --json --no-store"));
    assert!(nowhere.is_null(), "{nowhere}");
    let list = bench.line("list --json").good().json();
    assert_eq!(list["path"], path.to_str().unwrap());
    assert_eq!(list["sessions"][0]["session"], 1);
    assert_eq!(list["sessions"][0]["outcome"], "complete");
}

#[test]
fn a_session_that_still_runs_is_called_unfinished() {
    let bench = Bench::new();
    let mut child = bench.start("survey --engine null --budget 25s --json");
    let mut listed = String::new();
    while !listed.contains("survey") {
        listed = bench.line("list").good().out;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(listed.contains("unfinished"), "{listed}");
}

#[test]
fn a_run_in_which_nothing_completed_has_failed() {
    let bench = Bench::new();
    for (options, words) in [
        (
            "--null-error-every 1 --continue-on-error",
            "no I/O completed",
        ),
        ("--null-delay 2s", "no I/O completed"),
    ] {
        let said = bench.line(&format!("{NULL} {options}"));
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains(words), "{said:?}");
    }
    let listed = bench.line("list").good();
    assert_eq!(listed.out.matches("failed").count(), 2, "{listed:?}");
    let first = bench.line("show 1").good().out;
    assert!(first.contains(" I/Os failed, 100% of all"), "{first}");
}

#[test]
fn without_a_store_nothing_is_kept() {
    let bench = Bench::new();
    bench.line(&format!("{NULL} --no-store")).good();
    assert!(bench.snapshot().is_empty());
}

#[test]
fn looking_makes_nothing() {
    let bench = Bench::new();
    let at_home = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = bench.command(&words);
        command
            .env_remove("FATHOM_STORE")
            .env("HOME", bench.path("home"));
        Said::from(command.output().unwrap())
    };
    at_home("list").good();
    at_home("show 1").refused("nothing is stored yet");
    assert!(bench.snapshot().is_empty());
}

#[test]
fn the_store_is_made_in_the_users_data_folder() {
    let bench = Bench::new();
    let words: Vec<&str> = NULL.split_whitespace().collect();
    for (variable, path) in [("XDG_DATA_HOME", "fathom"), ("HOME", ".local/share/fathom")] {
        let home = bench.path(variable);
        if variable == "HOME" {
            std::fs::create_dir(&home).unwrap();
        }
        let mut command = bench.command(&words);
        let output = command
            .env_remove("FATHOM_STORE")
            .env(variable, &home)
            .output();
        Said::from(output.unwrap()).good();
        assert!(home.join(path).join("fathom.db").is_file(), "{variable}");
    }
}

#[test]
fn a_run_that_fails_is_kept_printed_and_marked() {
    let bench = Bench::new();
    let said = bench.line(&format!("{NULL} --null-error-every 100 --json"));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.json()["outcome"]["kind"], "failed");
    assert!(said.err.contains("--continue-on-error"), "{said:?}");
    let shown = bench.line("show 1 --json").json();
    assert_eq!(shown["outcome"]["kind"], "failed");
    let going_on = bench.line(&format!(
        "{NULL} --null-error-every 100 --continue-on-error --json"
    ));
    assert_eq!(going_on.good().json()["outcome"]["kind"], "complete");
}

#[test]
fn a_real_file_is_made_and_several_targets_run_side_by_side() {
    let bench = Bench::new();
    let line = "run --create 1M -d 300ms --warmup 0s -w 50 --json a b -- -c";
    let said = bench.line(line).good();
    assert_eq!(said.json()["targets"].as_array().unwrap().len(), 3);
    for name in ["a", "b", "-c"] {
        assert_eq!(std::fs::metadata(bench.path(name)).unwrap().len(), 1 << 20);
    }
    bench
        .line("run --create 1M -d 300ms --warmup 0s -w 100 a")
        .good();
}

#[test]
fn with_the_word_a_file_is_overwritten() {
    let bench = Bench::new();
    bench.write("letters", 1 << 20);
    bench.line("run -d 300ms --warmup 0s letters").good();
    bench
        .line("run -d 300ms --warmup 0s -w 100 --overwrite letters")
        .good();
}

#[test]
fn one_cell_of_a_survey_can_be_run_alone_by_the_line_that_is_shown() {
    let bench = Bench::new();
    let survey = "survey --engine null --depth-max 1 --budget 3s";
    bench.line(survey).good();
    let shown = bench.line("show 1.2").good().out;
    let line = shown
        .lines()
        .find_map(|line| line.strip_prefix("this cell alone: fathom "));
    bench.line(line.unwrap()).good();
    assert!(!line.unwrap().contains("--pattern random"), "{line:?}");
    let cell = bench.line("show 1.2 --json").json();
    let alone = bench.line("show 2 --json").json();
    assert_eq!(alone["targets"][0]["work"], cell["targets"][0]["work"]);
}

#[test]
fn the_result_of_a_reader_that_goes_away_is_kept_and_the_code_is_1() {
    let bench = Bench::new();
    let words: Vec<&str> = NULL.split_whitespace().collect();
    let mut child = bench
        .command(&words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    bench.line("show 1").good();
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_and_kept() {
    let bench = Bench::new();
    let words: Vec<&str> = NULL.split_whitespace().collect();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let said = Said::from(bench.command(&words).stdout(full).output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("standard output could not be written"),
        "{said:?}"
    );
    bench.line("show 1").good();
    for words in [["--help"], ["devices"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = Said::from(bench.command(&words).stdout(full).output().unwrap());
        assert_eq!(said.code, Some(1), "{words:?} {said:?}");
        assert!(said.err.contains("standard output could not"), "{said:?}");
    }
}

#[test]
fn data_that_a_device_can_make_smaller_is_reported_beside_the_work() {
    let bench = Bench::new();
    let line = format!("{NULL} --no-store -w 100 --compress 50 --dedupe 30");
    let said = bench.line(&line).good();
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let reported = "data compressible by 50%, 30% duplicate blocks";
    assert!(words.contains(reported), "{words}");
    let work = bench.line(&format!("{line} --json")).good().json()["targets"][0]["work"].clone();
    assert_eq!(
        (
            work["compress_percent"].as_u64(),
            work["dedupe_percent"].as_u64()
        ),
        (Some(50), Some(30))
    );
    assert!(
        !bench
            .line(&format!("{NULL} --no-store -w 100"))
            .good()
            .out
            .contains("compressible")
    );
}

#[test]
fn events_of_a_log_are_part_of_a_result_and_what_is_no_log_is_refused() {
    let bench = Bench::new();
    let now = std::process::Command::new("date")
        .args(["-u", "+%Y-%m-%dT%H:%M:%S.%6NZ"])
        .output()
        .unwrap();
    let now = String::from_utf8(now.stdout).unwrap();
    let words = "[TOTEM ] A new membership (1.2) was formed. Members left: 2";
    let log = format!("{} n1 corosync[7]: {words}\nanother line\n", now.trim());
    std::fs::write(bench.path("log"), log).unwrap();
    let line = "run --create 4M t.dat -d 300ms --warmup 0s --events log";
    let result = bench.line(&format!("{line} --json")).good().json();
    let event = &result["events"]["events"][0];
    assert_eq!(event["kind"], "membership", "{result}");
    assert_eq!(
        (&event["source"], &event["subject"]),
        (&"file".into(), &"corosync".into())
    );
    assert_eq!(event["text"], words);
    let at_ns = event["at_ns"].as_i64().unwrap();
    assert!((-60_000_000_000..1_000_000_000).contains(&at_ns), "{at_ns}");
    let text = bench.line("show 1").good();
    assert!(text.out.contains("corosync membership: "), "{text:?}");
    let wrong = bench.line("run t.dat -d 300ms --events nothing --events .");
    wrong.refused("invalid value 'nothing' for --events: must be a file: No such file");
    wrong.refused("invalid value '.' for --events: must be a regular file");
    bench
        .line("run sim:ssd -d 1s --events log")
        .refused("--events: must not be specified for a simulated device");
}
