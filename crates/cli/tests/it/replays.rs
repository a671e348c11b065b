//! `fathom replay`: on simulated devices and files, its refusals, and what is stored.

use crate::bench::Bench;
use serde_json::Value;

/// 3000 I/Os in 3 s: reads of 8 KiB from two threads, every fourth a write of 4 KiB; a flush at the end.
fn trace(bench: &Bench) {
    let mut text = "time_ns,device,op,offset,length,flags,thread,latency_ns\n".to_owned();
    for n in 0..3000u64 {
        let (op, length) = if n % 4 == 3 {
            ("write", 4096)
        } else {
            ("read", 8192)
        };
        let (device, offset) = (n % 2, n * 8192 % (16 << 20));
        text += &format!(
            "{},8:{device},{op},{offset},{length},,{},\n",
            n * 1_000_000,
            n % 2
        );
    }
    text += "3000000000,8:0,flush,0,0,,0,\n";
    std::fs::write(bench.path("t.csv"), text).unwrap();
}

fn document(out: &str) -> Value {
    serde_json::from_str(out).unwrap()
}

/// I/Os of a row of operations.
fn ios(document: &Value, operation: &str) -> u64 {
    let rows = document["operations"].as_array().unwrap();
    let row = rows.iter().find(|row| row["operation"] == operation);
    row.map_or(0, |row| row["ios"].as_u64().unwrap())
}

#[test]
fn a_replay_on_a_simulated_device_issues_every_io_at_its_time() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench.line("replay t.csv sim:ssd --json --threads 2");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("1 flush omitted"), "{}", said.err);
    let found = document(&said.out);
    assert_eq!((ios(&found, "read"), ios(&found, "write")), (2250, 750));
    assert_eq!(found["open_loop"]["spacing"], "recorded");
    assert_eq!(found["open_loop"]["lateness"]["max_ns"], 0);
    let access = &found["targets"][0]["work"]["access"]["recorded"];
    assert_eq!(
        (&access["fit"], &access["ios"]),
        (&"identity".into(), &3000.into())
    );
    // It is a run like any other.
    let shown = bench.line("show 1").good();
    assert!(
        shown.out.contains("trace t.csv") && shown.out.contains("late by p50 0 ns"),
        "{}",
        shown.out
    );
    assert!(bench.line("list").good().out.contains("sim:ssd"));
    bench.line("replay t.csv sim:ssd --json --speed 4");
    let table = bench.line("table --columns id,pattern,ios").good();
    assert_eq!(table.out.matches("trace").count(), 2, "{}", table.out);
    bench.line("compare 1 2").good();
    assert_eq!(bench.line("report 1 2").code, Some(0));
    assert_eq!(bench.line("export --csv").good().out.lines().count(), 3);
}

#[test]
fn speed_window_and_reads_only_choose_what_is_issued() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench
        .line("replay t.csv sim:ssd --json --no-store --speed 10 --window 1s..2s --reads-only");
    let found = document(&said.out);
    assert_eq!((ios(&found, "read"), ios(&found, "write")), (750, 0));
    let access = &found["targets"][0]["work"]["access"]["recorded"];
    assert_eq!(access["omitted"]["writes"], 250);
    assert_eq!(access["duration"], 99_800_000);
    assert!(said.err.contains("speed 10"), "{}", said.err);
}

#[test]
fn a_smaller_target_is_fitted_and_the_overlap_is_a_finding() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench.line("replay t.csv sim:ssd,size=8M --json --no-store");
    let found = document(&said.out);
    assert_eq!(
        found["targets"][0]["work"]["access"]["recorded"]["fit"],
        "hash"
    );
    let findings = found["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding["id"] == "address-overlap"),
        "{findings:?}"
    );
    bench
        .line("replay t.csv sim:ssd,size=8M --fit identity")
        .refused("the target is too small");
}

#[test]
fn devices_of_a_trace_go_to_targets_of_their_own() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench.line("replay t.csv --map 8:0=sim:ssd --map 8:1=sim:spindle --json --no-store");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(document(&said.out)["targets"].as_array().unwrap().len(), 2);
    let said = bench.line("replay t.csv --map 8:1=sim:ssd --json --no-store");
    assert!(
        said.err.contains("1500 I/Os of other devices omitted"),
        "{}",
        said.err
    );
    bench
        .line("replay t.csv --map 9:9=sim:ssd")
        .refused("invalid value '9:9' for --map: must be a device of the trace: 8:0, 8:1");
}

#[test]
fn a_replay_writes_only_where_fathom_may() {
    let bench = Bench::new();
    trace(&bench);
    bench.write("letters", 64 << 20);
    let before = bench.snapshot();
    bench
        .line("replay t.csv letters --engine sync --depth 1 --no-store")
        .refused("letters");
    bench
        .line("replay t.csv nowhere --no-store")
        .refused("nowhere");
    let dry = bench.line("replay t.csv new.dat --create 64M --dry-run --no-store");
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert!(
        dry.out
            .starts_with("t.csv: 3000 I/Os over 3.00 s; fit identity; "),
        "{dry:?}"
    );
    assert_eq!(bench.snapshot(), before);
    let said = bench.line("replay t.csv new.dat --create 64M --speed 10 --json --no-store");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(ios(&document(&said.out), "write"), 750);
    let again = bench.line("replay t.csv new.dat --speed 10 --reads-only --json --no-store");
    assert_eq!(ios(&document(&again.out), "read"), 2250);
}

#[test]
fn wrong_options_are_refused_all_at_once() {
    let bench = Bench::new();
    trace(&bench);
    let said = bench.line("replay t.csv sim:ssd --speed 0 --fit tight");
    assert_eq!(said.code, Some(2));
    for message in [
        "invalid value '0' for --speed: must be a number from 0.01 to 100",
        "invalid value 'tight' for --fit: must be one of identity, ",
    ] {
        assert!(said.err.contains(message), "{}", said.err);
    }
    bench
        .line("replay - sim:ssd")
        .refused("invalid value '-' for TRACE: must be a file");
    bench
        .line("replay nowhere sim:ssd")
        .refused("nowhere: cannot be read");
}
