//! Tests of SNIA's PTS on simulated drives: steady state in the round that arithmetic gives, or not at all; killed and resumed.
//!
//! A drive that gets slower by a fixed time per minute has the IOPS `1 / (1 + drift × age)`. So the value of each round
//! follows from its age, and the round in which SNIA's rule is kept first is computed here by the normal equations.

use crate::bench::{Bench, Said, send, until};
use crate::looped::Loop;
use serde_json::Value;
use std::process::Stdio;

/// A drive whose service times are constant, without a ceiling of bandwidth that matters.
const DRIVE: &str = "sim:ssd,law=constant";
/// The same, and slow: a simulated second has few I/Os, and a mean of them is known less exactly.
const SLOW_DRIVE: &str = "sim:ssd,law=constant,service=1ms,write-service=1ms";
const SCALE: f64 = 600.0;

/// Whether five values keep both bounds.
fn steady(window: &[f64]) -> bool {
    let n = window.len() as f64;
    let x = (1..).map(f64::from).take(window.len());
    let (sx, sxx) = x.clone().fold((0.0, 0.0), |(s, ss), x| (s + x, ss + x * x));
    let (sy, sxy) = x
        .zip(window)
        .fold((0.0, 0.0), |(s, sxy), (x, y)| (s + y, sxy + x * y));
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    let most = window.iter().copied().fold(f64::MIN, f64::max);
    let least = window.iter().copied().fold(f64::MAX, f64::min);
    most - least <= 0.2 * sy / n && (4.0 * slope).abs() <= 0.1 * sy / n
}

fn first_steady(values: &[f64]) -> Option<u64> {
    let round = (5..=values.len()).find(|&count| steady(&values[count - 5..count]))?;
    Some(round as u64)
}

/// A test with a drift.
struct Case {
    test: &'static str,
    /// Size of the drive in GiB.
    size: u64,
    /// Slowdown in percent per minute.
    drift: u64,
    /// Time of a round, and from its start to the middle of what is judged, in minutes before scaling.
    round: f64,
    middle: f64,
    rounds_max: u32,
    /// The value grows with the age, as a latency does.
    grows: bool,
}

const CASES: [Case; 6] = [
    Case {
        test: "iops",
        size: 64,
        drift: 36,
        round: 56.0,
        middle: 54.5,
        rounds_max: 25,
        grows: false,
    },
    Case {
        test: "lat",
        size: 64,
        drift: 220,
        round: 9.0,
        middle: 7.5,
        rounds_max: 25,
        grows: true,
    },
    Case {
        test: "dirth",
        size: 64,
        drift: 34,
        round: 72.0,
        middle: 1.5,
        rounds_max: 25,
        grows: false,
    },
    Case {
        test: "cbw",
        size: 64,
        drift: 0,
        round: 72.0,
        middle: 1.5,
        rounds_max: 25,
        grows: false,
    },
    Case {
        test: "tp",
        size: 64,
        drift: 0,
        round: 2.0,
        middle: 1.5,
        rounds_max: 25,
        grows: false,
    },
    Case {
        test: "lat",
        size: 64,
        drift: 3000,
        round: 9.0,
        middle: 7.5,
        rounds_max: 25,
        grows: true,
    },
];

impl Case {
    /// In which round steady state is reached, by arithmetic; `filled` is the age of the drive before the first round.
    fn reached(&self, filled: f64) -> Option<u64> {
        let value = |round: u32| {
            let minutes = (f64::from(round - 1) * self.round + self.middle) / SCALE + filled;
            let slowness = 1.0 + self.drift as f64 / 100.0 * minutes;
            if self.grows { slowness } else { 1.0 / slowness }
        };
        let values: Vec<f64> = (1..=self.rounds_max).map(value).collect();
        first_steady(&values)
    }
}

fn rounds_part(report: &Value) -> &Value {
    let parts = report["parts"].as_array().unwrap();
    parts.iter().find(|part| part["kind"] == "rounds").unwrap()
}

fn ran(line: &str) -> Value {
    Bench::new()
        .line(&format!("pts {line} --json --no-store"))
        .good()
        .json()
}

fn reaches_steady_state_in_the_round_that_arithmetic_gives(case: &Case) {
    let Case {
        test, size, drift, ..
    } = case;
    let drive = if case.drift > 0 { DRIVE } else { SLOW_DRIVE };
    let line = format!("{test} {drive},size={size}G,drift={drift}% --scale 1/600 --purge done");
    let report = ran(&line);
    let part = rounds_part(&report);
    // Preconditioning writes twice the range at 700 MB/s, scaled, slower with its own age.
    let bytes = 2.0 * (size << 30) as f64 / SCALE;
    let minutes = bytes / 700e6 / 60.0;
    let filled = if case.drift > 0 {
        let drift = case.drift as f64 / 100.0;
        ((drift * minutes).exp() - 1.0) / drift
    } else {
        0.0
    };
    let expected = case.reached(filled);
    assert_eq!(
        part["reached"].as_u64(),
        expected,
        "{}: {}",
        case.test,
        part["steady"]
    );
    assert_eq!(report["complete"], true, "{}", case.test);
    let ids = finding_ids(&report);
    assert_eq!(
        ids.contains(&"pts-not-steady".to_owned()),
        expected.is_none(),
        "{ids:?}"
    );
    assert!(ids.contains(&"pts-scaled".to_owned()), "{ids:?}");
    assert_eq!(report["verdict"]["validity"], "CAUTION");
}

#[test]
fn iops_are_steady_in_the_round_that_arithmetic_gives() {
    CASES
        .iter()
        .filter(|case| case.test == "iops")
        .for_each(reaches_steady_state_in_the_round_that_arithmetic_gives);
}

#[test]
fn latencies_are_steady_in_the_round_that_arithmetic_gives() {
    CASES
        .iter()
        .filter(|case| case.test == "lat")
        .for_each(reaches_steady_state_in_the_round_that_arithmetic_gives);
}

#[test]
fn other_tests_are_steady_in_the_round_that_arithmetic_gives() {
    CASES
        .iter()
        .filter(|case| !["iops", "lat"].contains(&case.test))
        .for_each(reaches_steady_state_in_the_round_that_arithmetic_gives);
}

fn finding_ids(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_drive_that_drops_is_steady_five_rounds_later() {
    // A round of lat takes 900 ms here; preconditioning of 2 × 64 GiB / 600 at 700 MB/s takes 327 ms.
    let report = ran("lat sim:ssd,law=constant,drop=50,drop-at=2300ms --scale 1/600 --purge done");
    let part = rounds_part(&report);
    // The tracked cell is 700 to 800 ms into its round: of the second before 2.3 s, of the third after it. 3 to 7 are equal.
    assert_eq!(part["reached"], 7, "{}", part["steady"]);
    assert_eq!(part["steady"][0]["from_round"], 3);
    // A round of wsat takes 3.1 s, and its last 100 ms are judged: from the third on they are after 7 s.
    let report =
        ran("wsat sim:ssd,law=constant,size=2T,drop=50,drop-at=7s --scale 1/600 --purge done");
    assert_eq!(rounds_part(&report)["reached"], 7);
}

#[test]
fn both_sizes_of_throughput_have_their_own_preconditioning_and_rounds() {
    let report = ran(&format!("tp {SLOW_DRIVE} --scale 1/600 --purge done"));
    let parts = report["parts"].as_array().unwrap();
    let kinds: Vec<&str> = parts
        .iter()
        .map(|part| part["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["precondition", "rounds", "precondition", "rounds"]);
    for part in parts.iter().filter(|part| part["kind"] == "rounds") {
        assert_eq!(part["reached"], 5);
        let writes = &part["cells"][1]["means"]["bytes_per_s"];
        assert!(
            (writes.as_f64().unwrap() / 700e6 - 1.0).abs() < 0.05,
            "{writes}"
        );
    }
    // Twice the range, in whole blocks of each thread.
    let written = parts[0]["written_bytes"].as_f64().unwrap();
    assert!(
        (written / (2.0 * (64u64 << 30) as f64 / SCALE) - 1.0).abs() < 1e-2,
        "{written}"
    );
}

#[test]
fn a_cache_that_drains_while_idle_recovers_and_longer_idle_times_recover_more() {
    // The cache takes 64 MiB; 5 s of writes, scaled, fill it further than short idle times drain it.
    let drive = "sim:ssd,law=constant,size=64G,write-cache=8M,drain=64M/s";
    let report = ran(&format!("hir {drive} --scale 1/1000 --purge done"));
    let parts = report["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 6);
    let steady = parts[0]["steady"][0]["window"]["mean"].as_f64().unwrap();
    let recovered: Vec<f64> = parts[1..]
        .iter()
        .map(|part| {
            let cells = part["cells"].as_array().unwrap();
            assert_eq!(cells.len(), 361);
            let rate = |cell: &Value| cell["means"]["iops"].as_f64().unwrap();
            cells[180..360].iter().map(rate).sum::<f64>() / 180.0 / steady
        })
        .collect();
    assert!(
        recovered.windows(2).all(|pair| pair[0] < pair[1]),
        "{recovered:?}"
    );
    assert!(recovered[4] > 1.5, "{recovered:?}");
}

#[test]
fn cross_stimulus_and_demand_have_their_parts() {
    let report = ran(&format!("xsr {SLOW_DRIVE} --scale 1/1000 --purge done"));
    assert_eq!(report["parts"][0]["cells"].as_array().unwrap().len(), 44);
    assert!(report["parts"][0]["over_time"].as_array().unwrap().len() > 1000);
    let report = ran(&format!("dirth {SLOW_DRIVE} --scale 1/1000 --purge done"));
    let histograms = report["parts"][2]["cells"].as_array().unwrap();
    // Eight channels: 32 × 32 in flight is no faster than 8, and one in flight is an eighth of it.
    let rate = |cell: &Value| cell["means"]["iops"].as_f64().unwrap();
    assert!(rate(&histograms[0]) < rate(&histograms[1]));
    assert!(
        histograms[1]["latency"]["percentiles"]
            .as_array()
            .unwrap()
            .len()
            > 3
    );
    let in_flight =
        |cell: &Value| cell["threads"].as_u64().unwrap() * cell["queue_depth"].as_u64().unwrap();
    assert!(
        in_flight(&histograms[0]) < 8 && in_flight(&histograms[1]) >= 8,
        "{histograms:?}"
    );
}

/// What has to be equal, however often the test was killed.
fn lasting(mut report: Value) -> Value {
    let object = report.as_object_mut().unwrap();
    object.remove("stored"); // another session
    object.remove("place"); // when it started
    report
}

#[test]
fn a_test_that_is_killed_fifty_times_gives_the_same_report() {
    let mut kills = 0;
    // Both get slower for so long that they have 25 and 36 rounds.
    for test in [
        "lat sim:ssd,law=constant,drift=3000%",
        "wsat sim:ssd,law=constant,size=64T,drift=300%",
    ] {
        let bench = Bench::new();
        let line = format!("pts {test} --scale 1/600 --purge done --json");
        let words: Vec<&str> = line.split_whitespace().collect();
        loop {
            let mut child = bench
                .command(&words)
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let lines =
                std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
            let round = |line: &String| line.contains("round ") && line.contains(" of at most ");
            let ended = lines.map_while(Result::ok).find(round).is_none();
            if ended {
                assert!(child.wait().unwrap().success());
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            assert!(kills < 200, "it makes no progress");
        }
        let shown = bench.line("show 1 --json").good().json();
        assert_eq!(shown["complete"], true);
        let whole = bench.line(&format!("{line} --new")).good().json();
        assert_eq!(lasting(shown), lasting(whole));
    }
    assert!(kills >= 50, "{kills}");
}

#[test]
fn an_interrupted_test_names_the_way_to_go_on() {
    let bench = Bench::new();
    let line = "pts hir sim:ssd --scale 1/1000 --purge done --json";
    let words: Vec<&str> = line.split_whitespace().collect();
    // A simulated drive has no threads by which `Bench::start` could see that it runs.
    let mut command = bench.command(&words);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until(|| bench.line("show 1.3 --json").code == Some(0));
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("fathom pts --resume 1"), "{said:?}");
    assert_eq!(said.json()["complete"], false);
    assert_eq!(said.json()["verdict"]["validity"], "CAUTION");
    let ahead = bench.line(&format!("{line} --dry-run")).good().json();
    assert_eq!(ahead["resumes"], 1);
    let ahead = bench.line("pts --resume 1 --dry-run --json").good().json();
    assert_eq!(
        (&ahead["resumes"], &ahead["test"]),
        (&1.into(), &"hir".into())
    );
    bench.line("run --engine null --warmup 0s -d 50ms").good();
    bench
        .line("pts --resume 2")
        .refused("--resume 2: this is not a test of PTS");
    bench.line("pts --resume 7").refused("--resume 7: ");
}

#[test]
fn a_file_is_tested_and_the_report_lists_what_it_does_not_meet() {
    let bench = Bench::new();
    let line = "pts lat f.dat --create 64M --threads 1 --depth 2 --scale 1/1000 --max-rounds 5";
    let ahead = bench
        .line(&format!("{line} --dry-run --json"))
        .good()
        .json();
    assert_eq!(ahead["target"]["create_bytes"], 64 << 20);
    assert_eq!(ahead["omitted"], serde_json::json!(["0.5K"]));
    assert!(bench.snapshot().is_empty(), "a look ahead creates nothing");
    let said = bench.line(&format!("{line} --json")).good();
    let report = said.json();
    assert_eq!(report["complete"], true);
    let unmet: Vec<&str> = report["demands"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["state"] == "not_met")
        .map(|one| one["demand"].as_str().unwrap())
        .collect();
    for demand in [
        "purge before the test",
        "a whole drive",
        "all block sizes",
        "times of the specification",
    ] {
        assert!(unmet.contains(&demand), "{demand}: {unmet:?}");
    }
    assert!(finding_ids(&report).contains(&"pts-demands-unmet".to_owned()));
    let shown = bench.line("show 1 --json").good().json();
    assert_eq!(lasting(shown), lasting(report));
    let page = bench.line("show 1 --verbose").good().out;
    assert!(page.contains("NOT MET: purge before the test"), "{page}");
    bench.line("report 1 -o r.html").good();
    bench.line("export 1 --csv").good();
    let listed = bench.line("list").good().out;
    assert!(listed.contains(" pts "), "{listed}");
    // The file is fathom's own now, and another one is not.
    std::fs::write(bench.path("mine"), vec![7; 65 << 20]).unwrap();
    bench
        .line("pts lat mine --scale 1/1000")
        .refused("--overwrite");
}

#[test]
fn a_block_device_is_tested_whole_and_only_with_its_confirmation() {
    let Some(looped) = Loop::new(&[]) else { return };
    let (bench, device) = (Bench::new(), looped.device.display().to_string());
    let before = std::fs::read(&looped.file).unwrap();
    // A dry run of the whole test, unscaled, writes nothing.
    let line = format!("pts tp {device} --destroy {device}");
    let ahead = bench.line(&format!("{line} --dry-run --json"));
    let ahead = ahead.good().json();
    assert_eq!(ahead["scale"], 1.0);
    let hours = |bound: &str| ahead["duration_ns"][bound].as_f64().unwrap() / 3600e9;
    assert!(hours("least") > 20.0 / 60.0 && hours("most") > 100.0 / 60.0);
    let part = &ahead["parts"][0];
    assert_eq!(
        (&part["kind"], &part["written_bytes"]),
        (&"precondition".into(), &(128u64 << 20).into())
    );
    bench
        .line(&format!("pts tp {device} --scale 1/1000"))
        .refused("--destroy");
    assert!(
        std::fs::read(&looped.file).unwrap() == before,
        "nothing was written"
    );
    let line = format!("{line} --scale 1/1000 --max-rounds 5 --purge done --json");
    let report = bench.line(&line).good().json();
    assert_eq!(report["complete"], true);
    assert!(std::fs::read(&looped.file).unwrap() != before);
    let state = |demand: &str| -> String {
        let demands = report["demands"].as_array().unwrap();
        let found = demands.iter().find(|one| one["demand"] == demand);
        found.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("a whole drive"), "not_met", "a loop device is none");
    assert_eq!(state("purge before the test"), "met");
    assert_eq!(state("times of the specification"), "not_met");
    for part in report["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["kind"] == "rounds")
    {
        assert_eq!(part["rounds"], 5);
    }
    let shown = bench.line("show 1 --json").good().json();
    assert_eq!(lasting(shown), lasting(report.clone()));
}

#[test]
fn another_process_on_the_drive_is_a_demand_that_is_not_met() {
    let others = |drive: &str| -> String {
        let report = ran(&format!("tp {drive} --scale 1/1000 --max-rounds 5"));
        let demands = report["demands"].as_array().unwrap();
        let demand = demands
            .iter()
            .find(|one| one["demand"] == "nothing else on the drive");
        demand.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(others(DRIVE), "met");
    assert_eq!(others(&format!("{DRIVE},neighbour=20000")), "not_met");
}

/// 5 s at 1/1000 are shorter than one write of this drive.
#[test]
fn a_scaled_run_without_any_io_is_repeated_with_more_time() {
    let bench = Bench::new();
    let drive = "sim:ssd,law=constant,service=8ms,write-service=8ms";
    let line = format!("pts hir {drive} --scale 1/1000 --purge done --max-rounds 5 --json");
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = bench.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    while bench.line("show 1.8 --json").code != Some(0) {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
    }
    send("-INT", &child);
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(
        said.err.contains("repeated with 2 times its time"),
        "{said:?}"
    );
    assert!(said.err.contains("interrupted"), "{said:?}");
}

#[test]
fn what_cannot_be_is_refused_with_what_is_accepted() {
    let bench = Bench::new();
    for (line, wanted) in [
        (
            "pts iop sim:ssd",
            "must be iops, tp, lat, wsat, hir, xsr, cbw or dirth",
        ),
        ("pts iops sim:ssd --scale 0.1", "--scale: must be 1, or 1/N"),
        ("pts iops sim:ssd --purge discard", "--purge: must be done"),
        ("pts iops sim:ssd --range 0%", "--range: must be a share"),
        ("pts iops sim:ssd --range 65G", "must be at most 64G"),
        ("pts iops sim:ssd --max-rounds 4", "--max-rounds: must be"),
        ("pts iops nothing.dat", "hint: --create SIZE"),
        ("pts tp .", "folder"),
        ("pts tp no/such --create 64M", "no/such"),
        ("pts tp sim:ssd --create 64M", "--create: "),
        ("pts dirth sim:ssd --block 0", "--block: must be a multiple"),
        ("pts tp sim:ssd --block 8K", "only dirth has this option"),
        ("pts iops sim:ssd,size=32M", "64M or more"),
        ("pts xsr sim:ssd --max-rounds 9", "this test has no rounds"),
    ] {
        bench.line(line).refused(wanted);
    }
    let said = bench.line("pts iops sim:ssd --new --no-store");
    assert!(
        said.code == Some(2) && said.err.contains("--no-store"),
        "{said:?}"
    );
    assert!(bench.snapshot().is_empty());
}

#[test]
fn a_forecast_has_times_and_bytes() {
    let bench = Bench::new();
    let ahead = bench
        .line("pts iops sim:ssd --dry-run --json")
        .good()
        .json();
    let minutes = |name: &str| ahead["duration_ns"][name].as_f64().unwrap() / 60e9;
    let fill = 2.0 * (64u64 << 30) as f64 / ahead["guess_bytes_per_s"].as_f64().unwrap() / 60.0;
    assert!((minutes("least") - 5.0 * 56.0 - fill).abs() < 0.1);
    assert!((minutes("most") - 25.0 * 56.0 - fill).abs() < 0.1);
    assert_eq!(ahead["parts"][0]["written_bytes"], 128u64 << 30);
    // A file that is created is written, too.
    let line = "pts iops new.dat --create 128M --dry-run --json --overwrite";
    let created = bench.line(line).good().json();
    std::fs::write(bench.path("new.dat"), vec![0; 128 << 20]).unwrap();
    let there = bench.line(line).good().json();
    std::fs::remove_file(bench.path("new.dat")).unwrap();
    for bound in ["least", "most"] {
        let [with, without] = [&created, &there].map(|one| one["written_bytes"][bound].as_u64());
        assert_eq!(with.unwrap() - without.unwrap(), 128 << 20, "{bound}");
    }
    assert!(created["duration_ns"]["least"].as_u64() > there["duration_ns"]["least"].as_u64());
    let page = bench.line("pts iops sim:ssd --dry-run").good().out;
    assert!(page.contains("takes") && page.contains("writes"), "{page}");
    assert!(bench.snapshot().is_empty());
}

#[test]
fn the_times_of_the_manual_are_those_of_the_forecast() {
    let bench = Bench::new();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pts.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).collect())
        .filter(|cells: &Vec<&str>| cells.len() == 8)
        .collect();
    assert_eq!(rows.len(), 8);
    for cells in rows {
        let test = cells[1].trim_matches('`');
        let line = format!("pts {test} sim:ssd --dry-run --json");
        let ahead = bench.line(&line).good().json();
        let parts = ahead["parts"].as_array().unwrap();
        let hours = |rounds_most: u64| {
            let measured = parts.iter().filter(|part| part["kind"] != "precondition");
            let times = measured.map(|part| {
                let rounds = part["rounds_max"].as_u64().unwrap().min(rounds_most);
                part["round_ns"].as_f64().unwrap() * rounds as f64 / 3600e9
            });
            times.sum::<f64>()
        };
        for (cell, is) in [(cells[5], hours(5)), (cells[6], hours(u64::MAX))] {
            let (number, unit) = cell.split_once(" h").unwrap();
            let printed: f64 = number.parse().unwrap();
            let parts = if unit.starts_with(" each") { 2.0 } else { 1.0 };
            let digit = if number.contains('.') { 0.1 } else { 1.0 };
            let near = (is / parts - printed).abs() <= 0.51 * digit;
            assert!(
                near,
                "{test}: {cell} in the manual, {is} h of {parts} parts"
            );
        }
    }
}
