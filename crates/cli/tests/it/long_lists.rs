//! What `fathom list` and `fathom table` print of more than a person reads.

use crate::bench::Bench;
use model::Nanos;
use serde_json::json;
use std::fs;
use store::{NewSession, SessionKind, Store};

#[test]
fn the_newest_thousand_sessions_are_listed_and_all_for_a_program() {
    let bench = Bench::new();
    let store = Store::open(&bench.path("s.db")).unwrap();
    for number in 1..=1001 {
        let session = NewSession {
            kind: SessionKind::new("run"),
            command: vec!["fathom".to_owned(), "run".to_owned()],
            tool_version: "0.1.0".to_owned(),
            started_utc: Nanos::seconds(number),
            target: format!("target-{number}"),
            notes: Vec::new(),
        };
        store.begin(&session).unwrap();
    }
    drop(store);
    let listed = |line: &str| bench.line(line).out.matches("target-").count();
    let said = bench.line("list").good();
    assert_eq!(said.out.matches("target-").count(), 1000);
    assert!(
        said.out.contains("target-1001") && said.err.contains("hint: --number N"),
        "{}",
        said.err
    );
    assert_eq!(listed("list --json"), 1001);
    for (number, err) in [("1000", ""), ("1001", ""), ("2000", "")] {
        let said = bench.line(&format!("list --number {number}"));
        assert_eq!(said.err, err, "{number}");
    }
    assert_eq!(listed("list --number 1001"), 1001);
}

#[test]
fn a_thousand_results_are_shown_and_all_for_a_program() {
    let bench = Bench::new();
    let job = |number: u32| {
        json!({
            "jobname": format!("job-{number}"), "error": 0, "job options": {"rw": "randread", "bs": "4k"},
            "read": {"io_bytes": 4_096_000, "total_ios": 1000, "iops": 1000.0 + f64::from(number), "bw_bytes": 4_096_000, "runtime": 1000}
        })
    };
    let jobs: Vec<_> = (0..1001).map(job).collect();
    let document = json!({"fio version": "fio-3.36", "timestamp": 1, "jobs": jobs});
    fs::write(bench.path("jobs.json"), document.to_string()).unwrap();
    bench.line("import jobs.json").good();
    let said = bench.line("table").good();
    assert_eq!(said.out.matches("\n1.").count(), 1000);
    assert!(said.err.contains("hint: --limit N"), "{}", said.err);
    let last = bench.line("table --sort -label --columns label").good();
    let has = |label: &str| last.out.lines().any(|line| line.trim() == label);
    assert!(has("job-999") && has("job-1000") && !has("job-0"));
    assert_eq!(
        bench.line("table --csv").good().out.matches("\n1.").count(),
        1001
    );
    let all = bench.line("table --limit 1001").good();
    assert_eq!(
        (all.out.matches("\n1.").count(), all.err.as_str()),
        (1001, "")
    );
}
