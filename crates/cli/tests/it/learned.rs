//! `fathom learn`, `fathom run --profile` and `fathom fidelity`, on simulated devices and files.

use crate::bench::{Bench, Said, send};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

/// 12 s of reads of 8 KiB and writes of 4 KiB, at irregular times and places.
fn trace(bench: &Bench) {
    let mut text = "time_ns,device,op,offset,length,flags,thread,latency_ns\n".to_owned();
    let (mut at, mut state) = (0u64, 1u64);
    for _ in 0..12_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let drawn = state >> 33;
        at += drawn % 2_000_000;
        let offset = (drawn >> 8) % 4096 * 8192;
        let (op, length) = match drawn % 4 {
            3 => ("write", 4096),
            _ => ("read", 8192),
        };
        text += &format!("{at},8:0,{op},{offset},{length},,1,\n");
    }
    std::fs::write(bench.path("t.csv"), text).unwrap();
}

fn learn(bench: &Bench) {
    let said = bench.line("learn t.csv -o t.profile");
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
    assert!(said.err.contains("learned from 12000 I/Os"), "{}", said.err);
}

fn document(out: &str) -> Value {
    serde_json::from_str(out).unwrap()
}

#[test]
fn a_learned_profile_runs_on_a_simulated_device_and_is_like_the_trace() {
    let bench = Bench::new();
    trace(&bench);
    learn(&bench);
    let profile = std::fs::read_to_string(bench.path("t.profile")).unwrap();
    assert!(profile.contains("[[\"8K\", 100.0]]"), "{profile}");
    let found = document(&bench.line("learn t.csv --json").good().out);
    assert_eq!(
        (&found["schema_version"], &found["ios"]),
        (&2.into(), &12_000.into())
    );
    assert_eq!(
        (&found["format"], &found["profile"]),
        (&"csv".into(), &profile.into())
    );
    bench
        .line("run --profile t.profile missing")
        .refused("missing: there is nothing under this name");
    let said = bench.line("run --profile t.profile sim:ssd --json");
    assert_eq!(said.code, Some(0), "{said:?}");
    let found = document(&said.out);
    let access = &found["targets"][0]["work"]["access"]["recorded"];
    assert_eq!(access["ios"], 12_000);
    assert_eq!(found["open_loop"]["lateness"]["max_ns"], 0);
    // What the run issued is what the profile draws.
    let its = document(&bench.line("fidelity t.profile 1 --json").good().out);
    assert_eq!(its["differs"], 0, "{its}");
    // Gaps that are uniform have no law of their own in a profile, so those of the drawn I/Os differ.
    let said = bench.line("fidelity t.csv t.profile --json --fail-if differs");
    let found = document(&said.out);
    let differs = found["differs"].as_u64().unwrap();
    assert!(differs <= 1, "{}", said.out);
    let code = if differs > 0 { 3 } else { 0 };
    assert_eq!(said.code, Some(code), "{}", said.out);
    assert_eq!(found["compared"].as_array().unwrap().len(), 14);
    assert!(found["same"].as_u64() >= Some(9), "{}", said.out);
    let text = bench.line("fidelity t.csv t.profile").good();
    assert!(text.out.starts_with("like t.csv in "), "{}", text.out);
}

/// Each I/O in flight takes its latency and the think time, so that the rate follows from the loop.
#[test]
fn a_closed_loop_runs_with_its_ios_in_flight_and_its_think_time() {
    let bench = Bench::new();
    trace(&bench);
    learn(&bench);
    let text = std::fs::read_to_string(bench.path("t.profile")).unwrap();
    let open = text.find("[workload.arrivals]").unwrap();
    let closed = "[workload.arrivals]\nkind = \"closed\"\nin_flight = 4\nthink = \"3ms\"\nduration = \"10s\"\n";
    std::fs::write(bench.path("c.profile"), text[..open].to_owned() + closed).unwrap();
    for (options, in_flight, think) in [
        ("", 4.0, 3e6),
        ("--threads 2", 4.0, 3e6),
        ("--depth 8", 8.0, 3e6),
        ("-o 1", 1.0, 3e6), // the default of other runs, and here it was given
        ("--scale-time 3", 4.0, 1e6),
    ] {
        let line = format!("run --profile c.profile {options} sim:ssd,channels=64 --json");
        let found = bench.line(&line).good().json();
        assert_eq!(found["open_loop"], Value::Null);
        let rate = found["operations"][2]["iops"].as_f64().unwrap();
        let waiting = found["in_flight"]["mean"].as_f64().unwrap();
        // Little's law, for the I/Os in flight and those between a completion and the next I/O.
        let ratio = (waiting + rate * think / 1e9) / in_flight;
        assert!((0.99..=1.01).contains(&ratio), "{options}: {ratio}");
        let findings = found["findings"].as_array().unwrap();
        assert!(findings.iter().all(|one| one["id"] != "queue-not-full"));
    }
    let its = bench.line("fidelity c.profile 1 --json").good().json();
    assert_eq!(its["differs"], 0, "{its}");
    for (line, what) in [
        ("c.profile --threads 2", "4 I/Os in flight over 10 s"),
        ("t.profile --scale-rate 2", "24000 I/Os over "),
    ] {
        let dry = format!("run --profile {line} sim:ssd --dry-run");
        let said = bench.line(&dry).good().out;
        assert!(said.contains(what), "{said}");
    }
    let stored = bench.line("list --json").good().json();
    assert_eq!(stored["sessions"].as_array().map(Vec::len), Some(5));
    bench
        .line("run --profile c.profile --scale-rate 2 sim:ssd")
        .refused("--scale-rate: the arrivals of the profile are closed");
    bench
        .line("run --profile c.profile --threads 3 sim:ssd")
        .refused("invalid value '3' for --threads: must divide the 4 I/Os in flight");
}

/// Without any I/O the reading has no place where it would notice a signal.
#[test]
fn an_interrupt_ends_the_reading_of_blank_lines_without_end() {
    let bench = Bench::new();
    trace(&bench);
    let text = std::fs::read(bench.path("t.csv")).unwrap();
    let mut command = bench.command(&["learn", "-", "-o", "b.profile"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let reads = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            let blank = vec![b'\n'; 1 << 20];
            let mut written = pipe.write_all(&text);
            // Far more than a pipe and the buffers have room for: all of the I/Os have been read.
            for _ in 0..4 {
                written = written.and_then(|()| pipe.write_all(&blank));
            }
            reads.store(true, Ordering::Relaxed);
            while written.is_ok() {
                written = pipe.write_all(&blank);
            }
        });
        while !reads.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        send("-INT", &child);
        Said::from(child.wait_with_output().unwrap())
    });
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("interrupted"), "{said:?}");
    assert!(said.err.contains("learned from 12000 I/Os"), "{said:?}");
}

#[test]
fn a_profile_is_scaled_and_changed() {
    let bench = Bench::new();
    trace(&bench);
    learn(&bench);
    let said = bench.line("run --profile t.profile --scale-rate 0.5 sim:ssd --json");
    let found = document(&said.out);
    let access = &found["targets"][0]["work"]["access"]["recorded"];
    assert_eq!(access["ios"], 6000);
    let text = std::fs::read_to_string(bench.path("t.profile")).unwrap();
    let half = text.replacen("reads = ", "reads = 0.0 # ", 1);
    std::fs::write(bench.path("w.profile"), half).unwrap();
    let said = bench.line("fidelity t.profile w.profile --fail-if differs");
    assert_eq!(said.code, Some(3), "{said:?}");
    bench
        .line("run --profile t.profile --scale-time 0 sim:ssd")
        .refused("invalid value '0' for --scale-time: must be a number from 0.01 to 100");
}

#[test]
fn a_profile_that_is_none_is_refused_with_its_line() {
    let bench = Bench::new();
    trace(&bench);
    learn(&bench);
    let text = std::fs::read_to_string(bench.path("t.profile")).unwrap();
    std::fs::write(bench.path("t.profile"), text.replace("reads =", "raeds =")).unwrap();
    bench
        .line("run --profile t.profile sim:ssd")
        .refused("unknown field `raeds`");
    for option in ["-b 8K", "--journal j"] {
        let said = bench.line(&format!("run --profile t.profile {option} sim:ssd"));
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("cannot be used with"), "{}", said.err);
    }
    bench
        .line("run --profile /dev/zero sim:ssd")
        .refused("must be a file with a profile");
    bench
        .line("learn nosuch.csv -o t.profile")
        .refused("already exists");
    bench
        .line("learn t.csv --of 9:9")
        .refused("invalid value '9:9' for --of: must be a device of the trace: 8:0");
}

#[test]
fn a_profile_with_writes_needs_the_confirmation_of_any_writing() {
    let bench = Bench::new();
    trace(&bench);
    learn(&bench);
    std::fs::write(bench.path("own"), vec![7; 64 << 20]).unwrap();
    let said = bench.line("run --profile t.profile own");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--overwrite"), "{}", said.err);
    let data = std::fs::read(bench.path("own")).unwrap();
    assert!(data.iter().all(|&byte| byte == 7));
}
