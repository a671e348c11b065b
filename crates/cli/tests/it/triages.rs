//! `fathom triage` of processes whose answer does not depend on the load of the machine; the rules are tested in `analysis`.

use crate::bench::Bench;
use std::process::{Child, Command};

/// Ends with the test.
struct Running(Child);

impl Running {
    fn shell(script: &str) -> Running {
        Running(
            Command::new("/bin/sh")
                .args(["-c", script])
                .spawn()
                .unwrap(),
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_that_computes_waits_for_the_cpu_and_one_that_sleeps_for_nothing() {
    let bench = Bench::new();
    for (script, answer) in [
        ("while :; do :; done", "cpu"),
        ("exec sleep 100", "nothing"),
    ] {
        let running = Running::shell(script);
        let line = format!("triage --pid {} --for 1s --json", running.0.id());
        let document = bench.line(&line).good().json();
        assert_eq!(document["answer"], answer, "{document}");
        assert!(document["elapsed_ns"].as_u64().unwrap() >= 1_000_000_000);
    }
}

#[test]
fn a_triage_of_the_machine_has_a_sentence_its_evidence_and_the_next_command() {
    let bench = Bench::new();
    let text = bench.line("triage --for 1s").good().out;
    assert!(
        text.contains("\ncpu ") && text.contains("\nnext "),
        "{text}"
    );
    let document = bench.line("triage . --for 1s --json").good().json();
    assert_eq!(document["scope"], ".");
    assert!(
        document["evidence"].as_array().unwrap().len() >= 2,
        "{document}"
    );
}

#[test]
fn what_cannot_be_looked_at_is_refused() {
    let bench = Bench::new();
    for (line, words) in [
        ("triage --for 1ms", "invalid value '1ms' for --for"),
        (
            "triage /nowhere/at/all",
            "invalid value '/nowhere/at/all' for PATH",
        ),
        ("triage gone", "invalid value 'gone' for PATH"),
        (
            "triage --pid 4000000001",
            "invalid value '4000000001' for --pid",
        ),
        (
            "triage --cgroup /nowhere/at/all",
            "invalid value '/nowhere/at/all' for --cgroup",
        ),
    ] {
        bench.line(line).refused(words);
    }
}
