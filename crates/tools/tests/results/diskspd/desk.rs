//! Records written by hand, and pages of them.

use analysis::sample::Sample;
use model::{
    Bytes, CpuFacts, CpuTimes, HostRecord, Interval, Nanos, RunRecord, Tally, TargetFacts,
    ThreadRecord,
};
use tools::diskspd::figures::system;
use tools::diskspd::{Compat, Profile, Target, TimeSpan};
use tools::diskspd::{DiskspdResults, diskspd_text, diskspd_xml};

/// 2026-05-04 13:22:07 UTC.
pub(super) const STARTED: Nanos = Nanos::seconds(1_777_900_927);

/// One I/O of a test: interval, whether it writes, latency in µs.
pub(super) type Io = (usize, bool, u64);

/// User and kernel time of each processor, in millionths.
pub(super) type Cpus = [(u64, u64)];

/// Four processors, `per_core` of them a core.
pub(super) fn host(per_core: u32) -> HostRecord {
    let cpu = |cpu| CpuFacts {
        cpu,
        core: Some(cpu / per_core),
        socket: Some(0),
        node: Some(0),
        governor: Some("Balanced (381b4222-f694-41f0-9685-ff5bb260df2e)".to_owned()),
        efficiency_class: None,
    };
    HostRecord {
        hostname: "HOST01".to_owned(),
        cpus: (0..4).map(cpu).collect(),
        ..HostRecord::default()
    }
}

/// A record without threads.
pub(super) fn record(time: Nanos, host: HostRecord, cpus: &Cpus, targets: &[u64]) -> RunRecord {
    let mut record = Sample::default().build();
    record.phases.measured_from = Nanos(0);
    record.phases.measured_to = time;
    record.plan.phases.measured = time;
    record.host = host;
    record.threads.clear();
    let facts = record.targets[0].clone();
    let sized = |size: &u64| TargetFacts {
        size: Bytes(*size),
        ..facts.clone()
    };
    record.targets = targets.iter().map(sized).collect();
    record.plan.targets = vec![record.plan.targets[0].clone(); targets.len()];
    let still = |cpu| CpuTimes {
        cpu,
        ..CpuTimes::default()
    };
    let busy = |(cpu, &(user, kernel)): (u32, &(u64, u64))| CpuTimes {
        cpu,
        user: Nanos(user),
        kernel: Nanos(kernel),
        idle: Nanos(1_000_000 - user - kernel),
        ..CpuTimes::default()
    };
    record.window.before.cpus = (0..).take(cpus.len()).map(still).collect();
    record.window.after.cpus = (0..).zip(cpus).map(busy).collect();
    record
}

/// What one thread did to one target.
pub(super) fn thread(thread: u32, target: u32, read: Tally, write: Tally) -> ThreadRecord {
    ThreadRecord {
        thread,
        target,
        measured: [read, write],
        lifetime: Default::default(),
        abandoned: 0,
    }
}

/// Only counts.
pub(super) fn counted(ios: u64, bytes: u64) -> Tally {
    Tally {
        ios,
        bytes: Bytes(bytes),
        ..Tally::default()
    }
}

/// Each I/O of one direction, 4 KiB long.
pub(super) fn tally(ios: &[Io], writes: bool) -> Tally {
    let mut tally = Tally::default();
    for &(step, _, us) in ios.iter().filter(|io| io.1 == writes) {
        let latency = Nanos::micros(us);
        tally.ios += 1;
        tally.bytes.0 += 4096;
        tally.latency.record(latency);
        if tally.intervals.len() <= step {
            tally.intervals.resize(step + 1, Interval::default());
        }
        tally.intervals[step].record(Bytes(4096), latency);
    }
    tally
}

/// A profile of one time span on these paths.
pub(super) fn profile(paths: &[&str], change: impl Fn(&mut TimeSpan, &mut Target)) -> Profile {
    let mut span = TimeSpan::default();
    for path in paths {
        let mut target = Target {
            path: (*path).to_owned(),
            ..Target::default()
        };
        change(&mut span, &mut target);
        span.targets.push(target);
    }
    Profile {
        time_spans: vec![span],
        ..Profile::default()
    }
}

/// What the pages show of these records.
pub(super) fn results<'a>(
    profile: &'a Profile,
    command_line: &'a str,
    compat: Compat,
    records: &[&RunRecord],
) -> DiskspdResults<'a> {
    let host = records
        .first()
        .map(|record| record.host.clone())
        .unwrap_or_default();
    let system = system(&host, STARTED, "0.1.0");
    DiskspdResults::of(profile, command_line, compat, system, records)
}

pub(super) fn text(results: &DiskspdResults<'_>) -> String {
    let mut page = Vec::new();
    diskspd_text(results, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

pub(super) fn xml(results: &DiskspdResults<'_>) -> String {
    let mut page = Vec::new();
    diskspd_xml(results, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}
