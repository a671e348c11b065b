//! The findings on devices of which the truth is known: no alarm on clean ones, the right one on faulty ones.
//!
//! In simulated time, through the whole flow but the program's own words: request, check, run, report.

use crate::fleet::{CLEAN, Device, FAULTY, Runs, Work};
use analysis::{Finding, Known, Observed, Severity, run_report, session_findings};
use engine::{Job, Silent, Stop};
use host::Root;
use model::{Bytes, Consent, HostRecord, Location, Nanos, ResultRow, RunRecord, TargetFacts};
use std::path::PathBuf;
use tools::native::{self, Request};

/// How many of the findings a person reads.
const READ: usize = 3;

fn run(word: &str, work: Work, seed: usize) -> RunRecord {
    let mut request = Request {
        targets: vec![PathBuf::from(word)],
        ..Request::default()
    };
    request.work.block = work.block.to_owned();
    request.work.depth = work.depth.to_string();
    request.work.threads = work.threads.to_string();
    request.work.write = work.write.to_string();
    request.work.pattern = work.pattern.to_owned();
    request.place.length = (!work.length.is_empty()).then(|| work.length.to_owned());
    request.time.warmup = "2s".to_owned();
    request.time.duration = "30s".to_owned();
    request.engine.seed = Some(seed.to_string());
    let profile = native::build(&request).unwrap().profile;
    let facts: Vec<TargetFacts> = profile.timespans[0]
        .targets
        .iter()
        .map(|target| match &target.location {
            Location::Simulated(device) => TargetFacts::simulated(device),
            other => unreachable!("{other:?} is no simulated device"),
        })
        .collect();
    let host = HostRecord {
        ram_available: Bytes::gib(4),
        ..HostRecord::default()
    };
    let mut plans = model::check(&profile, &host, &facts, &Consent::default()).unwrap();
    let job = Job {
        recording: None,
        io_log: None,
        journal: None,
        meeting: None,
        plan: plans.remove(0),
        pins: gate::Pins::default(),
        host,
        targets: facts,
        command: Vec::new(),
        tool_version: String::new(),
        started_utc: Nanos(0),
    };
    engine::run(job, &Root::live(), &Silent, &Stop::new()).unwrap()
}

/// What is found on a device, the most important first.
fn found(device: &Device, seed: usize) -> Vec<Finding> {
    let work = device.work;
    let with = |change: fn(&mut Work, &'static str, u32), block, depth| {
        let mut work = work;
        change(&mut work, block, depth);
        run(device.word, work, seed)
    };
    let all = |work: &mut Work, block, depth| (work.block, work.depth) = (block, depth);
    let larger = match work.block {
        "4K" => "16K",
        "8K" => "32K",
        _ => "128K",
    };
    let records: Vec<RunRecord> = match device.runs {
        Runs::One => return run_report(&run(device.word, work, seed)).findings,
        Runs::Depths => [work.block, larger]
            .into_iter()
            .flat_map(|block| [8, 32, 128].map(|depth| with(all, block, depth)))
            .collect(),
        Runs::Sizes => ["4K", "64K", "256K", "1M", "4M"]
            .map(|block| with(all, block, 1))
            .into(),
    };
    let rows = records.iter().map(ResultRow::of_record);
    let runs: Vec<Observed> = rows.map(|row| Observed::of_row(&row)).collect();
    session_findings(&runs, &Known::default())
}

fn reported(findings: &[Finding]) -> String {
    let each = findings.iter();
    let lines = each.map(|one| format!("  {:?} {}: {}", one.severity, one.id, one.sentence));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn fifty_clean_devices_raise_no_alarm() {
    let mut wrong = Vec::new();
    for (seed, device) in CLEAN.iter().enumerate() {
        let findings = found(device, seed);
        if findings.iter().any(|one| one.severity >= Severity::Warning) {
            wrong.push(format!(
                "{} {:?}\n{}",
                device.word,
                device.work,
                reported(&findings)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 50:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn on_fifty_faulty_devices_the_right_finding_is_among_the_first_three() {
    let mut wrong = Vec::new();
    for (seed, device) in FAULTY.iter().enumerate() {
        let findings = found(device, seed);
        let read = findings.iter().take(READ);
        let right = |one: &Finding| device.wrong.contains(&one.id.as_str());
        if !read.into_iter().any(right) {
            wrong.push(format!(
                "{} {:?}: not {:?}\n{}",
                device.word,
                device.work,
                device.wrong,
                reported(&findings)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 50:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
