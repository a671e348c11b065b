//! I5: the metrics were given to a page under any name. Here the option; the rules are tested in `monitor`.

use crate::bench::Bench;

#[test]
fn i5_a_name_for_the_metrics_needs_the_metrics() {
    let bench = Bench::new();
    let said = bench.line("watch --metrics-host disks.example");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--openmetrics"), "{said:?}");
}

#[test]
fn the_notices_of_the_libraries_are_printed() {
    let bench = Bench::new();
    let out = bench.line("--licenses").good().out;
    assert!(
        out.lines().any(|line| line.starts_with("rusqlite ")),
        "{out}"
    );
    assert!(out.contains("Permission is hereby granted"));
    assert_eq!(bench.line("--licenses list").code, Some(2));
}
