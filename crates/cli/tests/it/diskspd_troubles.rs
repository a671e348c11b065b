//! What goes wrong under `fathom diskspd` while it waits or measures: reported, and nothing else is done.

use crate::bench::{Bench, Said, send};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Child;

/// Starts it and waits for the line that reports it.
fn started(bench: &Bench, line: &str, until: &str) -> Child {
    let mut child = bench.start(line);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains(until) {
        assert_ne!(out.read_line(&mut said).unwrap(), 0, "{said:?}");
    }
    child.stdout = Some(out.into_inner()); // it goes on writing there
    child
}

#[test]
fn counted_errors_and_short_transfers_are_reported() {
    let bench = Bench::new();
    let line = "diskspd -c1M -b4K -r -o4 -W0 -d1 -v --continue-on-error f";
    let child = started(&bench, line, "starting measurements");
    let file = fs::OpenOptions::new().write(true).open(bench.path("f"));
    file.unwrap().set_len((512 << 10) + 100).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    for words in [
        "f: another program truncated the file",
        "warning: f: error during read: ",
        "I/Os failed: No data available (error code: 61); they are not in the results",
        "I/Os transferred fewer bytes instead of 4K during read",
    ] {
        assert!(said.err.contains(words), "{words} in {said:?}");
    }
}

#[test]
fn a_stop_while_it_waits_for_an_event_starts_nothing() {
    let bench = Bench::new();
    let line = "diskspd -c1M -b4K -w100 -W0 -d1 -v -yrnobody-sets-this f";
    let child = started(&bench, line, "waiting for a signal");
    let before = fs::read(bench.path("f")).unwrap();
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out
            .contains("interrupted before the measurements began"),
        "{said:?}"
    );
    assert_eq!(fs::read(bench.path("f")).unwrap(), before);
}

#[test]
fn one_file_under_two_names_is_two_targets() {
    let bench = Bench::new();
    for line in [
        "diskspd -c1M -b4K -w50 -r -W0 -d1 f ./f", // created
        "diskspd -c1M -b4K -w50 -r -W0 -d1 f ./f", // kept
    ] {
        let said = bench.line(line);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains("| ./f (1MiB)"), "{said:?}");
    }
}
