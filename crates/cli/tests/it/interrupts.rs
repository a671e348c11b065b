//! Ctrl-C: the first ends the run at once with what it has, the second kills.

use crate::bench::{Bench, Said, has_worked, ignores_hangup, seen, send, until};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;

#[test]
fn an_interrupted_run_is_printed_kept_and_marked() {
    let bench = Bench::new();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let child = bench.start("run --engine null --warmup 0s -d 1h --json");
        has_worked(&child);
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
fn an_input_that_gives_nothing_is_reported_and_one_signal_ends_the_wait() {
    let bench = Bench::new();
    bench.write("f", 1 << 20);
    let made = std::process::Command::new("mkfifo")
        .arg(bench.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let lines = [
        "import pipe",
        "fio pipe",
        "diskspd -Xpipe",
        "diskspd -b4K -d1 -W0 -w100 -Z1M,pipe -c1M new",
        "iometer pipe",
        "ior -f pipe",
        "learn pipe",
        "trace pipe",
        "fidelity pipe pipe",
        "survey f --workload pipe",
    ];
    let waiting = lines.map(|line| (line, bench.spawn(line)));
    for (line, mut child) in waiting {
        let mut printed = BufReader::new(child.stderr.take().unwrap()).lines();
        let is_reported = printed.any(|one| one.unwrap().contains("waiting for data"));
        assert!(is_reported, "{line}");
        send("-INT", &child);
        assert!(!child.wait().unwrap().success(), "{line}");
    }
    // What is read more than once is no pipe.
    for line in [
        "verify f --journal pipe",
        "sweep --plan pipe",
        "replay pipe f",
        "run f --profile pipe",
    ] {
        bench.line(line).refused("file");
    }
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
fn an_interrupted_survey_is_resumed_by_its_number() {
    let bench = Bench::new();
    for (signal, session) in [("-INT", 1), ("-KILL", 2)] {
        let child = bench.start("survey --size 64M --read-only --budget 10s --page none");
        until(|| bench.line(&format!("show {session}.2 --json")).code == Some(0));
        let running = bench.line(&format!("survey --resume {session}"));
        running.refused("is running just now");
        send(signal, &child);
        let said = Said::from(child.wait_with_output().unwrap());
        let hint = format!("fathom survey --resume {session}");
        assert_eq!(said.err.contains(&hint), signal == "-INT", "{said:?}");
        let shown = bench.line(&format!("show {session}"));
        assert!(shown.err.contains(&hint), "{shown:?}");
        let before = whole_points(&bench, session);
        let resumed = bench.line(&format!("survey --resume {session} --page none --json"));
        let report = resumed.good().json();
        assert_eq!(report["cell_counts"]["interrupted"], 0, "{signal}");
        assert_eq!(bench.line(&format!("show {session}")).good().err, "");
        assert!(report["cell_counts"]["done"].as_u64().unwrap() as usize > before.len());
        let after = whole_points(&bench, session);
        assert_eq!(
            after[..before.len()],
            before,
            "{signal}: none is measured again"
        );
        // The budget is that of both parts together.
        let measured: u64 = after.iter().map(|(_, measured_ns)| measured_ns).sum();
        assert!(measured <= 10_000_000_000, "{signal}: {measured}");
        let again = bench.line(&format!("survey --resume {session}"));
        again.refused("it is complete");
    }
    bench.line("run --engine null -d 100ms").good();
    bench
        .line("survey --resume 3")
        .refused("this is not a survey");
    bench
        .line("survey --resume 2 --no-store")
        .refused("omit --no-store");
}

/// When the points of a survey began that are complete, and for how long each measured, in ns.
fn whole_points(bench: &Bench, session: u32) -> Vec<(u64, u64)> {
    let runs = (1..).map_while(|run| {
        let shown = bench.line(&format!("show {session}.{run} --json"));
        (shown.code == Some(0)).then(|| shown.json())
    });
    let whole = runs.filter(|run| run["outcome"]["kind"] == "complete");
    let figure = |run: &serde_json::Value, name: &str| run["time"][name].as_u64().unwrap();
    let points = whole.map(|run| (figure(&run, "started_utc_ns"), figure(&run, "measured_ns")));
    points.collect()
}

#[test]
fn a_survey_of_another_target_is_not_resumed() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("other")).unwrap();
    let child = bench.start("survey --size 64M --read-only --budget 10s --page none");
    until(|| bench.line("show 1.1 --json").code == Some(0));
    send("-KILL", &child);
    child.wait_with_output().unwrap();
    let mut elsewhere = bench.command(&["survey", "--resume", "1"]);
    let said = Said::from(elsewhere.current_dir(bench.path("other")).output().unwrap());
    said.refused("the target is not the one of this session");
    assert!(!bench.path("other/fathom.dat").exists());
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
