//! N14: holes that another program punched during a verified run were reported as data that the storage had zeroed.

use crate::bench::{Bench, Said};
use std::process::Command;

/// Less than half of the file.
const HOLE: &str = "512K";

#[test]
fn holes_that_another_program_punches_are_not_the_storage_s() {
    let bench = Bench::new();
    // What the hole takes, this run has written.
    bench.line("run f --create 2M -d 100ms").good();
    let line = "run f --verify headers -w 50 -b 4K -o 4 -d 5s --warmup 0s --no-store --json";
    let child = bench.start(line);
    crate::attacks::wait_for_writes(&child, 8 << 20);
    let punched = Command::new("fallocate")
        .args(["--punch-hole", "--offset", "512K", "--length", HOLE])
        .arg(bench.path("f"))
        .status();
    assert!(punched.unwrap().success());
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(4), "{said:?}");
    let document = said.json();
    assert_eq!(document["verdict"]["validity"], "INVALID");
    let ids: Vec<&str> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"target-changed"), "{ids:?}");
    assert!(!ids.contains(&"data-zeroed"), "{ids:?}");
}
