//! `--verify` as a user has it: verdict, exit code, record, and what is refused.

use crate::bench::Bench;
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;

const SHORT: [&str; 6] = ["--warmup", "0s", "-d", "200ms", "--json", "--create"];

fn words<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["run", "f.dat"];
    words.extend(SHORT);
    words.push("2M");
    words.extend(more);
    words
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn ids(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Lists where damage was found, in the order in which random reads met it.
fn places(document: &Value) -> Vec<u64> {
    let cases = document["verification"]["cases"].as_array().unwrap().iter();
    cases
        .map(|one| one["offset_bytes"].as_u64().unwrap())
        .collect()
}

#[test]
fn what_is_right_is_verified_and_what_was_damaged_since_is_found_with_exit_code_4() {
    let bench = Bench::new();
    let clean = bench.say(&words(&["-w", "50", "-o", "4", "--verify", "full"]));
    assert_eq!(clean.code, Some(0), "{clean:?}");
    let report = document(&clean.out);
    assert!(
        ids(&report).contains(&"verified".to_owned()),
        "{:?}",
        ids(&report)
    );
    let verification = &report["verification"];
    assert_eq!(verification["level"], "full");
    assert_eq!(verification["pass"]["done_bytes"], 2 << 20);
    assert_eq!(verification["kinds"], Value::Array(Vec::new()));

    let file = File::options()
        .write(true)
        .open(bench.path("f.dat"))
        .unwrap();
    file.write_all_at(&[0xFF], 5 * 4096 + 99).unwrap();
    file.write_all_at(&[0; 4096], 9 * 4096).unwrap();
    file.sync_all().unwrap();
    let damaged = bench.say(&[
        "run", "f.dat", "-d", "100ms", "--warmup", "0s", "--verify", "full", "--json",
    ]);
    assert_eq!(damaged.code, Some(4), "{damaged:?}");
    let report = document(&damaged.out);
    assert_eq!(report["verdict"]["validity"], "INVALID");
    assert_eq!(ids(&report)[0], "data-bit-rot");
    assert!(places(&report).contains(&(5 * 4096)), "{report}");
    let shown = bench.say(&["show", "2", "--json"]);
    assert!(shown.out.contains("\"kind\": \"bit_rot\""), "{}", shown.out);

    // The first block is part of every sample of what a target contains: damage there is compared as elsewhere.
    file.write_all_at(&[0xFF], 99).unwrap();
    file.sync_all().unwrap();
    let damaged = bench.say(&[
        "run", "f.dat", "-d", "100ms", "--warmup", "0s", "--verify", "full", "--json",
    ]);
    assert_eq!(damaged.code, Some(4), "{damaged:?}");
    let report = document(&damaged.out);
    assert!(places(&report).contains(&0), "{report}");
}

#[test]
fn a_sweep_with_corrupt_data_has_exit_code_4() {
    let bench = Bench::new();
    assert_eq!(
        bench.say(&words(&["-w", "100", "--verify", "full"])).code,
        Some(0)
    );
    let file = File::options()
        .write(true)
        .open(bench.path("f.dat"))
        .unwrap();
    file.write_all_at(&[0xFF], 5 * 4096 + 99).unwrap();
    file.sync_all().unwrap();
    let axis = [
        "sweep",
        "f.dat",
        "--axis",
        "depth=1,2",
        "-d",
        "60ms",
        "--warmup",
        "0s",
        "--verify",
        "headers",
    ];
    let swept = bench.say(&axis);
    assert_eq!(swept.code, Some(4), "{swept:?}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let bench = Bench::new();
    for (more, reason) in [
        (
            &["--dedupe", "50", "-w", "100", "--verify", "full"][..],
            "duplicates",
        ),
        (&["-b", "512", "-w", "100", "--verify", "full"], "4096"),
        (&["--verify", "some"], "'some' for --verify"),
        (
            &["--verify", "full", "--verify-memory", "16"],
            "--verify-memory",
        ),
        (&["--stop-on-corruption"], "--verify"),
    ] {
        let refused = bench.say(&words(more));
        assert_eq!(refused.code, Some(2), "{more:?} {refused:?}");
        assert!(refused.err.contains(reason), "{more:?} {}", refused.err);
    }
    std::fs::write(bench.path("other"), vec![7; 1 << 20]).unwrap();
    for target in [&["other"][..], &["--engine", "null"], &["sim:ssd"]] {
        let mut words = vec!["run", "--verify", "full", "-d", "100ms"];
        words.extend(target);
        let refused = bench.say(&words);
        assert_eq!(refused.code, Some(2), "{target:?} {refused:?}");
        assert!(refused.err.contains("verification"), "{}", refused.err);
    }
}
