//! Ctrl-C: the first ends the run at once with what it has, the second kills.

use crate::bench::{Bench, Said, ignores_hangup, seen, send, until};
use std::os::unix::process::ExitStatusExt;

#[test]
fn an_interrupted_run_is_printed_kept_and_marked() {
    let bench = Bench::new();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let child = bench.start("run --engine null --warmup 0s -d 1h --json");
        let signal = if signal == "-HUP" && ignores_hangup(&child) {
            eprintln!("skipped: hanging up is ignored here (nohup)");
            "-INT"
        } else {
            signal
        };
        send(signal, &child);
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(1), "{signal} {said:?}");
        assert_eq!(said.json()["outcome"]["kind"], "interrupted", "{signal}");
        assert!(
            said.err.contains("interrupted: the result covers"),
            "{said:?}"
        );
    }
    let kept = bench.line("show 3 --json").good().json();
    assert_eq!(kept["outcome"]["kind"], "interrupted");
}

#[test]
fn an_interrupted_survey_is_printed_kept_and_marked() {
    let bench = Bench::new();
    let child = bench.start("survey --engine null --budget 25s --json");
    until(|| bench.line("show 1.2 --json").code == Some(0));
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("interrupted"), "{said:?}");
    assert_eq!(said.json()["cell_counts"]["interrupted"], 1);
    let kept = bench.line("show 1 --json").good().json();
    assert_eq!(kept["cell_counts"]["interrupted"], 1);
    let listed = bench.line("list").good();
    assert!(listed.out.contains("interrupted"), "{listed:?}");
}

#[test]
fn an_interrupted_filling_leaves_nothing_behind() {
    let bench = Bench::new();
    let child = bench.start("survey --size 2G --no-store");
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(
        said.err.contains("the unfinished file was removed"),
        "{said:?}"
    );
    assert!(bench.snapshot().is_empty());
}

#[test]
fn the_second_interrupt_kills() {
    let bench = Bench::new();
    // Each I/O takes an hour, so a run with one out cannot end by itself soon after the first word. One that heard the
    // word before its first I/O does; then it is tried again.
    for _ in 0..20 {
        let mut child = bench.start("run --engine null --null-delay 1h --warmup 0s -d 1h");
        send("-INT", &child);
        seen(&child);
        send("-INT", &child);
        let status = child.wait().unwrap();
        if status.signal() == Some(2) {
            return;
        }
        assert_eq!(status.code(), Some(1), "{status}");
    }
    panic!("no run of twenty was killed by the second word");
}
