//! L6: a file that another program truncated or deleted while it was written was measured to the end, with exit code 0.

use crate::bench::{Bench, Said, until};
use std::fs;
use std::process::Child;
use std::time::SystemTime;

/// A file of fathom that is being written, for at most so long.
fn written(bench: &Bench, seconds: u32) -> Child {
    let create = "run -d 100ms --warmup 0s --no-store --create 64M f";
    bench.line(create).good();
    let modified = || fs::metadata(bench.path("f")).unwrap().modified().unwrap();
    let before: SystemTime = modified();
    let line = format!("run f -w 100 -d {seconds}s --warmup 0s --no-store --json");
    let child = bench.start(&line);
    until(|| modified() != before);
    child
}

fn validities(said: &Said) -> Vec<String> {
    let json = said.json();
    let findings = json["findings"].as_array().unwrap();
    let ours = findings.iter().filter(|one| one["id"] == "target-changed");
    ours.map(|one| one["severity"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_file_that_is_truncated_while_it_is_written_ends_the_run_and_the_result_is_invalid() {
    for (length, again) in [(8192, false), (0, false), (0, true)] {
        let bench = Bench::new();
        let child = written(&bench, 60);
        let file = fs::OpenOptions::new().write(true).open(bench.path("f"));
        let file = file.unwrap();
        file.set_len(length).unwrap();
        if again {
            file.set_len(64 << 20).unwrap(); // as long as before, and without its blocks
        }
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("another program"), "{said:?}");
        assert!(!said.err.contains("log"), "not the device: {said:?}");
        assert_eq!(validities(&said), ["error"]);
        assert_eq!(said.json()["verdict"]["validity"], "INVALID");
    }
}

#[test]
fn a_file_that_is_deleted_while_it_is_written_is_a_warning() {
    let bench = Bench::new();
    let child = written(&bench, 1);
    fs::remove_file(bench.path("f")).unwrap();
    let said = Said::from(child.wait_with_output().unwrap()).good();
    assert!(said.err.contains("deleted"), "{said:?}");
    assert_eq!(validities(&said), ["warning"]);
}

#[test]
fn a_file_that_nobody_touches_is_not_suspected() {
    let bench = Bench::new();
    let said = Said::from(written(&bench, 1).wait_with_output().unwrap()).good();
    assert_eq!(validities(&said), Vec::<String>::new());
}
