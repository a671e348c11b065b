//! `fathom replay`: on simulated devices and files, its refusals, and what is stored.

use crate::bench::Bench;
use crate::fio_iologs;
use crate::looped::Loop;
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
    assert!(!said.err.contains("omitted"), "{}", said.err);
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
    bench.line("compare 1 2 --any-work").good();
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
    assert_eq!(access["issue"]["flushes"], 0);
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
        said.err.contains("1501 I/Os of other devices omitted"),
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
            .starts_with("t.csv: 3000 I/Os, 1 flush over 3 s; fit identity"),
        "{dry:?}"
    );
    assert_eq!(bench.snapshot(), before);
    let said = bench.line("replay t.csv new.dat --create 64M --speed 10 --json --no-store");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(ios(&document(&said.out), "write"), 750);
    let again = bench.line("replay t.csv new.dat --speed 10 --reads-only --json --no-store");
    assert_eq!(ios(&document(&again.out), "read"), 2250);
}

/// A read of 200 µs each 300 µs, of one thread; every hundredth is a write, whose completion another thread's flush follows.
fn chain(bench: &Bench, latency: &str) {
    let mut text = "time_ns,device,op,offset,length,flags,thread,latency_ns\n".to_owned();
    for n in 0..2000u64 {
        let (at, offset) = (n * 300_000, n * 7919 % 4096 * 4096);
        let is_last = n % 100 == 99;
        let op = if is_last { "write" } else { "read" };
        text += &format!("{at},8:0,{op},{offset},4096,,1,{latency}\n");
        if is_last {
            text += &format!("{},8:0,flush,0,0,,2,{latency}\n", at + 250_000);
        }
    }
    std::fs::write(bench.path("c.csv"), text).unwrap();
}

#[test]
fn a_dependent_replay_has_the_pace_of_its_target() {
    let bench = Bench::new();
    chain(&bench, "200000");
    let measured = |device: &str, timing: &str| {
        let line = format!("replay c.csv {device} --timing {timing} --json --no-store");
        let found = document(&bench.line(&line).good().out);
        assert_eq!((ios(&found, "read"), ios(&found, "write")), (1980, 20));
        assert_eq!(found["calls"][0]["operation"], "flush");
        assert_eq!(found["calls"][0]["calls"], 20);
        let recorded = &found["targets"][0]["work"]["access"]["recorded"];
        let share = found["time"]["measured_ns"].as_u64().unwrap() as f64 / 0.6e9;
        (share, recorded["issue"]["timing"].clone())
    };
    // As recorded; a device twice as fast; one half as fast: 300, 200 and 500 µs each.
    for (service, expected) in [(200, 1.0), (100, 2.0 / 3.0), (400, 5.0 / 3.0)] {
        let device = format!("sim:ssd,law=constant,service={service}us,write-service={service}us");
        let (share, timing) = measured(&device, "dependent");
        // 4 µs for the bytes of each.
        assert!((share / expected - 1.0).abs() < 0.03, "{service}: {share}");
        // The flushes wait for the writes also where another thread has them.
        let (dealt, _) = measured(&device, "dependent --threads 4");
        assert!((dealt / share - 1.0).abs() < 1e-6, "{dealt}, not {share}");
        assert_eq!(timing["dependent"]["ios"], 2019);
        assert_eq!(timing["dependent"]["chain"], 2001);
        let least = timing["dependent"]["least"].as_f64().unwrap();
        assert!((least / 0.2e9 - 1.0).abs() < 0.01, "{least}");
    }
    let slow = "sim:ssd,law=constant,service=400us,write-service=400us";
    assert!((measured(slow, "recorded").0 - 1.0).abs() < 0.01);
    assert!(measured(slow, "fast").0 < 0.3);
    let dry = bench
        .line("replay c.csv sim:ssd --timing dependent --dry-run")
        .good();
    assert!(
        dry.out.contains(
            "timing dependent: 100% wait for a completion, in chains of at most 2001 I/Os"
        ),
        "{}",
        dry.out
    );
    let shown = bench
        .line("replay c.csv sim:ssd --timing dependent")
        .good()
        .out;
    assert!(shown.contains("20 flushes: p50"), "{shown}");
}

/// The I/Os of a run on a loop device, issued again there: the same, in the same order, in the same time.
#[test]
fn a_replay_on_a_loop_device_is_the_trace_to_the_last_io() {
    let Some(looped) = Loop::new(&[]) else {
        return;
    };
    let (bench, device) = (Bench::new(), looped.device.display());
    let work = "-d 3s --warmup 0s -b 8K -w 30 --rate 400 --depth 16";
    let run = format!("run {device} --destroy {device} {work} --keep-trace a --no-store --json");
    assert_eq!(bench.line(&run).code, Some(0));
    let replay = format!("replay a {device} --destroy {device} --keep-trace b --no-store --json");
    let again = bench.line(&replay).good().json();
    let issued = fio_iologs::ios(&bench, "a");
    assert!(issued.len() > 1000, "{}", issued.len());
    assert_eq!(fio_iologs::ios(&bench, "b"), issued);
    let length = |trace: &str| {
        let found = bench.line(&format!("trace {trace} --json")).good().json();
        found["duration_ns"].as_u64().unwrap()
    };
    let (first, second) = (length("a"), length("b"));
    // A busy machine may delay an I/O, also the last.
    let late = again["open_loop"]["lateness"]["max_ns"].as_u64().unwrap();
    let more = second.abs_diff(first).saturating_sub(late);
    assert!(more <= first / 1000, "{first} and {second}, late by {late}");
}

#[test]
fn a_stored_replay_is_compared_with_its_trace() {
    let bench = Bench::new();
    let mut text = "time_ns,device,op,offset,length,flags,thread,latency_ns\n".to_owned();
    for n in 0..20_000u64 {
        let (at, offset) = (n * 500_000 + n * 7919 % 100_000, n * 104_729 % 8192 * 4096);
        text += &format!("{at},8:0,read,{offset},4096,,1,\n");
    }
    std::fs::write(bench.path("f.csv"), text).unwrap();
    for options in [
        "sim:ssd",
        "sim:ssd --speed 4",
        "sim:ssd,size=8M --fit modulo",
    ] {
        bench.line(&format!("replay f.csv {options}"));
    }
    let verdicts = |session: &str| {
        let found = bench
            .line(&format!("fidelity f.csv {session} --json"))
            .good()
            .json();
        let differs = found["compared"].as_array().unwrap().iter();
        let differs = differs.filter(|one| one["verdict"] == "differs");
        differs
            .map(|one| one["property"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts("1"), [""; 0]);
    assert!(
        verdicts("2.1").contains(&"gaps".to_owned()),
        "{:?}",
        verdicts("2")
    );
    assert!(
        verdicts("3").contains(&"jumps".to_owned()),
        "{:?}",
        verdicts("3")
    );
    bench.line("fidelity f.csv 9").refused("9");
    bench.line("run --engine null --warmup 0s -d 50ms").good();
    bench
        .line("fidelity f.csv 4")
        .refused("must be a session of fathom replay or fathom run --profile");
    std::fs::write(
        bench.path("f.csv"),
        "time_ns,device,op,offset,length,flags,thread,latency_ns\n0,8:0,read,0,4096,,1,\n",
    )
    .unwrap();
    bench
        .line("fidelity 1 1")
        .refused("f.csv: is another trace now");
}

#[test]
fn a_trace_without_completions_shows_no_dependencies() {
    let bench = Bench::new();
    chain(&bench, "");
    let found =
        bench.line("replay c.csv sim:ssd --skip write --align 8K --divide 2 --json --no-store");
    let found = document(&found.good().out);
    assert_eq!((ios(&found, "read"), ios(&found, "write")), (1980, 0));
    let recorded = &found["targets"][0]["work"]["access"]["recorded"];
    assert_eq!(recorded["omitted"]["writes"], 20);
    bench
        .line("replay c.csv sim:ssd --timing dependent")
        .refused("the trace does not show what an I/O waited for");
    bench
        .line("replay c.csv sim:ssd --timing fast --no-store")
        .good();
    for (option, wrong) in [
        ("--timing slow", "--timing"),
        ("--skip reads", "--skip"),
        ("--align 0", "--align"),
        ("--divide x", "--divide"),
    ] {
        bench
            .line(&format!("replay c.csv sim:ssd {option}"))
            .refused(&format!("for {wrong}: must be"));
    }
}

#[test]
fn flushes_and_discards_reach_a_file_and_are_counted() {
    let bench = Bench::new();
    let mut text = "time_ns,device,op,offset,length,flags,thread,latency_ns\n".to_owned();
    for n in 0..400u64 {
        let (op, length) = match n % 10 {
            7 => ("discard", 16384),
            9 => ("flush", 0),
            n if n % 2 == 0 => ("write", 4096),
            _ => ("read", 4096),
        };
        let offset = match (op, n) {
            ("flush", _) => 0,
            (_, 0) => 1023 * 4096, // what is beyond the last I/O is not discarded
            _ => n * 37 % 1000 * 4096,
        };
        text += &format!("{},8:0,{op},{offset},{length},,1,\n", n * 100_000);
    }
    std::fs::write(bench.path("d.csv"), text).unwrap();
    let calls = |line: &str| {
        let found = document(&bench.line(line).good().out);
        let calls = found["calls"].as_array().cloned().unwrap_or_default();
        let each = calls.iter().map(|row| {
            assert_eq!(row["failed"], 0, "{row}");
            assert_eq!(row["planned"], 40, "{row}");
            (
                row["operation"].as_str().unwrap().to_owned(),
                row["calls"].as_u64().unwrap(),
            )
        });
        (ios(&found, "write"), each.collect::<Vec<_>>())
    };
    let create = "replay d.csv f.dat --create 8M --discards --json --no-store";
    let both = [("discard".to_owned(), 40), ("flush".to_owned(), 40)];
    assert_eq!(calls(create), (200, both.to_vec()));
    // What was discarded has no space any more; the file stays fathom's own.
    let file = std::fs::metadata(bench.path("f.dat")).unwrap();
    let space = std::os::unix::fs::MetadataExt::blocks(&file) * 512;
    assert!(file.len() == 8 << 20 && space < 8 << 20, "{space}");
    let again = "replay d.csv f.dat --skip flush --json --no-store";
    assert_eq!(calls(again), (200, Vec::new()));
    // What is beyond the last I/O is not discarded, and stays in the count of what was planned.
    let head = "time_ns,device,op,offset,length,flags,thread,latency_ns\n";
    let beyond = format!("{head}0,8:0,write,0,4096,,1,\n1000,8:0,discard,8192,4096,,1,\n");
    std::fs::write(bench.path("b.csv"), beyond).unwrap();
    let ahead = bench.line("replay b.csv f.dat --discards --dry-run");
    assert!(ahead.good().out.contains("1 I/O, 1 discard over"));
    let found = document(
        &bench
            .line("replay b.csv f.dat --discards --json")
            .good()
            .out,
    );
    assert_eq!(
        [&found["calls"][0]["planned"], &found["calls"][0]["calls"]],
        [1, 0]
    );
    assert!(bench.line("show 1").good().out.contains("0 of 1 discard"));
    let short = bench.line("fidelity b.csv b.csv").good().out;
    assert!(short.starts_with("nothing compared: b.csv"), "{short}");
    // Without writes, discards need the same confirmation.
    bench.write("letters", 8 << 20);
    let text = std::fs::read_to_string(bench.path("d.csv")).unwrap();
    std::fs::write(bench.path("r.csv"), text.replace(",write,", ",read,")).unwrap();
    let before = bench.snapshot();
    bench
        .line("replay r.csv letters --no-store --discards")
        .refused("letters");
    assert_eq!(bench.snapshot(), before);
    bench
        .line("replay d.csv sim:ssd,size=1M --discards")
        .refused("--discards: places must be those of the trace");
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
