//! The survey against the whole grid, on simulated devices of which the twenty of `cargo xtask bench survey` are the list:
//! knee within one doubling, peak within 3%, same limit named, in at most a tenth of the measured time. In simulated
//! time, so nothing here depends on the machine; the same seed gives the same answer.

use crate::bench::Bench;
use serde_json::Value;

const DEVICES: &str = include_str!("../../../../bench/src/survey/devices.txt");

fn surveyed(line: &str) -> Value {
    let bench = Bench::new();
    let line = format!("survey --json --no-store --threads-max 2 {line}");
    bench.line(&line).good().json()
}

fn row<'a>(report: &'a Value, name: &Value) -> &'a Value {
    let mut rows = report["rows"].as_array().unwrap().iter();
    rows.find(|row| row["workload"] == *name).unwrap()
}

/// What is not as it should be, of one device.
fn faults(line: &str) -> Vec<String> {
    let (few, all) = (surveyed(line), surveyed(&format!("{line} --exhaustive")));
    let mut faults = Vec::new();
    for one in few["rows"].as_array().unwrap() {
        let name = &one["workload"];
        let other = row(&all, name);
        let ratio = |of: &dyn Fn(&Value) -> f64| of(one) / of(other);
        let knees = ratio(&|row| row["knee_depth"].as_f64().unwrap());
        let peaks = ratio(&|row| row["best"]["iops"].as_f64().unwrap());
        let limits = (&one["limit"]["kind"], &other["limit"]["kind"]);
        let good = (0.5..=2.0).contains(&knees) && (peaks - 1.0).abs() <= 0.03;
        if !good || limits.0 != limits.1 {
            faults.push(format!(
                "{line}: {name}: knees {knees}, peaks {peaks}, {limits:?}"
            ));
        }
    }
    let measured = |report: &Value| report["budget"]["measured_ns"].as_f64().unwrap();
    if measured(&few) > 0.1 * measured(&all) {
        faults.push(format!("{line}: {} of {}", measured(&few), measured(&all)));
    }
    faults
}

/// Every second of the starred ones; `cargo xtask bench survey` has all twenty.
#[test]
fn a_tenth_of_the_time_finds_what_the_whole_grid_finds() {
    let starred = DEVICES.lines().filter_map(|line| line.strip_prefix('*'));
    let mine = starred.step_by(2).map(str::trim);
    let faults: Vec<String> = mine.flat_map(faults).collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn the_rate_that_keeps_a_latency_is_the_one_that_queueing_theory_knows() {
    // M/M/1: one of a hundred takes longer than ln 100 / (served - rate).
    let line = "sim:ssd,channels=1,law=exponential,service=1ms,bandwidth=0,write-bandwidth=0 --p99 20ms --read-only \
                --workload oltp";
    let report = surveyed(line);
    let found = row(&report, &"8K random read".into())["goal"]["iops_estimate"].clone();
    let known = 1000.0 - 100f64.ln() / 20e-3;
    let value = found["value"].as_f64().unwrap();
    assert!((value / known - 1.0).abs() <= 0.03, "{found} for {known}");
    let (low, high) = (
        found["low"].as_f64().unwrap(),
        found["high"].as_f64().unwrap(),
    );
    assert!(low < known && known < high, "{found} for {known}");
}

#[test]
fn the_limit_of_each_model_is_named() {
    for (target, workload, limit) in [
        ("sim:ssd", "4K random read", "service"),
        ("sim:ssd", "64K random read", "bandwidth"),
        ("sim:capped", "4K random read", "rate"),
        ("sim:cliff", "4K random read", "cliff"),
        ("sim:spindle", "1M sequential read", "bandwidth"),
    ] {
        let report = surveyed(target);
        let said = &row(&report, &workload.into())["limit"]["kind"];
        assert_eq!(said, limit, "{target}, {workload}");
    }
}
