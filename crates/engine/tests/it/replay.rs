//! Traces through the real loop: every I/O once, at its time, in its place.

use crate::jobs;
use engine::{Job, RecordedIo, RecordedIos, Recording, Silent, Stop, run};
use host::Root;
use model::plan::{
    RecordedAccess, RecordedDependencies, RecordedIssue, RecordedOmissions, RecordedTiming,
};
use model::record::RecordedCount;
use model::trace::{TraceDependency, TraceOperation};
use model::*;

/// I/Os at equal distances, every third a write, in sizes of 4 and 8 KiB.
fn ios(count: u64, gap: Nanos) -> Vec<RecordedIo> {
    let io = |number: u64| RecordedIo {
        number,
        at: Nanos(number * gap.0),
        offset: number * 7919 % 200_000 * 4096,
        length: if number.is_multiple_of(2) { 4096 } else { 8192 },
        operation: if number.is_multiple_of(3) {
            TraceOperation::Write
        } else {
            TraceOperation::Read
        },
        ..RecordedIo::default()
    };
    (0..count).map(io).collect()
}

pub(crate) fn access(ios: &[RecordedIo]) -> Access {
    Access::Recorded(Box::new(RecordedAccess {
        trace: "synthetic".to_owned(),
        digest: String::new(),
        granularity: Bytes::kib(4),
        ios: ios.len() as u64,
        duration: ios.last().map_or(Nanos(0), |last| last.at),
        think: None,
        speed_ppm: 1_000_000,
        fit: "identity".to_owned(),
        overlap_ppm: Some(0),
        unit: Bytes::kib(4),
        omitted: RecordedOmissions::default(),
        issue: RecordedIssue::default(),
    }))
}

/// Each thread of the target has its share in turn.
fn recording(ios: Vec<RecordedIo>) -> Recording {
    Recording::new(move |share| {
        let mine = (0u32..).zip(ios.clone());
        let mine = mine.filter(move |(number, _)| number % share.threads == share.index);
        let mine: RecordedIos = Box::new(mine.map(|(_, io)| Ok(io)));
        Ok(mine)
    })
}

fn replay(
    job: impl Fn(jobs::Change<'_>) -> Job,
    ios: Vec<RecordedIo>,
    depth: u32,
    threads: u32,
) -> RunRecord {
    let mut job = job(&|span| {
        span.phases.measured = Nanos::seconds(60);
        span.arrivals = Some(Arrivals {
            per_s: 1000,
            spacing: Spacing::Recorded,
        });
        let target = &mut span.targets[0];
        target.threads = threads;
        target.workload = Workload {
            block: Bytes::kib(8),
            queue_depth: QueueDepth(depth),
            write: Ratio::percent(33).unwrap(),
            access: access(&ios),
        };
    });
    job.recording = Some(recording(ios));
    let folder = tempfile::tempdir().unwrap();
    run(
        job,
        &Root::at(folder.path().to_owned()),
        &Silent,
        &Stop::new(),
    )
    .unwrap()
}

fn simulated(ios: Vec<RecordedIo>, depth: u32, threads: u32) -> RunRecord {
    replay(
        |change| jobs::simulated(&["sim:ssd"], change),
        ios,
        depth,
        threads,
    )
}

fn late(record: &RunRecord) -> LatencyHistogram {
    let mut all = LatencyHistogram::new();
    let counts = record
        .engine
        .workers
        .iter()
        .filter_map(|worker| worker.recorded.as_ref());
    counts.for_each(|RecordedCount { late, .. }| all.merge(late));
    all
}

#[test]
fn every_io_is_issued_once_at_its_nanosecond() {
    for threads in [1, 3] {
        let record = simulated(ios(9000, Nanos::millis(1)), 64, threads);
        assert_eq!(record.outcome, Outcome::Complete);
        let total = record.total();
        assert_eq!(
            (total.ios, total.bytes.0),
            (9000, 4500 * 4096 + 4500 * 8192)
        );
        assert_eq!(record.counted(Operation::Write, None).ios, 3000);
        assert_eq!(
            (late(&record).count(), late(&record).max()),
            (9000, Some(Nanos(0)))
        );
        assert_eq!(total.latency, total.response.unwrap());
        // The run ends with the last completion, not with the time that it might have taken.
        let measured = record.phases.measured();
        assert!(
            measured > Nanos::millis(8999) && measured < Nanos::millis(9010),
            "{measured}"
        );
    }
}

#[test]
fn a_late_io_stays_in_the_schedule_and_its_response_time_counts_from_its_moment() {
    // One I/O in flight is too little for one each 10 µs.
    let record = simulated(ios(5000, Nanos::micros(10)), 1, 1);
    let total = record.total();
    assert_eq!(total.ios, 5000);
    let (late, response) = (late(&record), total.response.unwrap());
    assert_eq!(late.count(), 5000);
    assert!(late.max() > Some(Nanos::millis(50)), "{:?}", late.max());
    assert_eq!(response.sum_ns(), total.latency.sum_ns() + late.sum_ns());
}

#[test]
fn the_same_trace_gives_the_same_record() {
    let first = simulated(ios(2000, Nanos::micros(50)), 8, 2);
    let second = simulated(ios(2000, Nanos::micros(50)), 8, 2);
    assert_eq!(
        (first.threads, first.phases),
        (second.threads, second.phases)
    );
}

#[test]
fn a_real_loop_reads_the_trace_ahead_and_issues_all_of_it() {
    let null = |change: jobs::Change<'_>| {
        let null = NullBehaviour {
            size: Bytes::gib(1),
            ..NullBehaviour::default()
        };
        jobs::null(null, change)
    };
    let record = replay(null, ios(100_000, Nanos::micros(1)), 32, 2);
    assert_eq!(
        (record.total().ios, late(&record).count()),
        (100_000, 100_000)
    );
    let backlog = record
        .engine
        .workers
        .iter()
        .filter_map(|worker| worker.backlog);
    assert!(backlog.map(|backlog| backlog.to.ios).all(|ios| ios == 0));
}

#[test]
fn a_trace_that_breaks_off_fails_the_run_and_keeps_what_was_measured() {
    let mut job = jobs::simulated(&["sim:ssd"], &|span| {
        span.phases.measured = Nanos::seconds(60);
        span.arrivals = Some(Arrivals {
            per_s: 1000,
            spacing: Spacing::Recorded,
        });
        span.targets[0].workload.block = Bytes::kib(8);
        span.targets[0].workload.write = Ratio::percent(33).unwrap();
        span.targets[0].workload.access = access(&[]);
    });
    let whole = ios(5000, Nanos::millis(1));
    job.recording = Some(Recording::new(move |_| {
        let ios = whole.clone().into_iter().map(Ok);
        Ok(Box::new(ios.chain([Err("t:9: cut".to_owned())])))
    }));
    let folder = tempfile::tempdir().unwrap();
    let record = run(
        job,
        &Root::at(folder.path().to_owned()),
        &Silent,
        &Stop::new(),
    )
    .unwrap();
    let Outcome::Failed(failure) = &record.outcome else {
        panic!("{:?}", record.outcome)
    };
    assert_eq!(
        failure.message,
        "the trace cannot be read to its end: t:9: cut"
    );
    assert_eq!(record.total().ios, 5000);
}

/// Each waits for the completion of the one before, and thinks for 100 µs.
fn chain(count: u64) -> Vec<RecordedIo> {
    let io = |(number, io): (u64, RecordedIo)| RecordedIo {
        after: TraceDependency {
            back: u32::from(number > 0),
            completed: true,
            gap: Nanos::micros(100),
            barrier: 0,
        },
        length: 4096,
        operation: TraceOperation::Read,
        ..io
    };
    (0..).zip(ios(count, Nanos::micros(300))).map(io).collect()
}

#[test]
fn ios_that_wait_for_one_another_take_their_time_from_the_device() {
    for (service, took) in [(100, 200), (200, 300), (400, 500)] {
        let device = format!("sim:ssd,law=constant,service={service}us,write-service={service}us");
        let timing = RecordedTiming::Dependent(RecordedDependencies::default());
        let record = timed(&device, chain(2000), timing);
        assert_eq!(record.total().ios, 2000);
        // The bytes of each take 4 µs.
        let expected = Nanos(2000 * (took * 1000 + 4096));
        let measured = record.phases.measured();
        let share = measured.0 as f64 / expected.0 as f64;
        assert!(
            (share - 1.0).abs() < 0.01,
            "{service}: {measured}, not {expected}"
        );
        assert_eq!(late(&record).max(), Some(Nanos(0)));
    }
}

/// A thread of a target whose I/Os each wait for the one before, which another thread has.
#[test]
fn ios_wait_for_those_of_other_threads() {
    let real = |before: jobs::Change<'_>| {
        let null = NullBehaviour {
            size: Bytes::gib(1),
            delay: Nanos::micros(5),
            ..NullBehaviour::default()
        };
        jobs::null(null, before)
    };
    let simulated = |before: jobs::Change<'_>| {
        let device = "sim:ssd,law=constant,service=100us,write-service=100us";
        jobs::simulated(&[device], before)
    };
    let dependent = |span: &mut Timespan| {
        let Access::Recorded(recorded) = &mut span.targets[0].workload.access else {
            unreachable!("a trace")
        };
        recorded.issue.timing = RecordedTiming::Dependent(RecordedDependencies::default());
    };
    for threads in [2, 5] {
        let job = |before: jobs::Change<'_>| {
            simulated(&|span| {
                before(span);
                dependent(span);
            })
        };
        let record = replay(job, chain(2000), 8, threads);
        // 100 µs of thinking and 100 of service; the bytes take 4 µs.
        let expected = Nanos(2000 * (200_000 + 4096));
        let share = record.phases.measured().0 as f64 / expected.0 as f64;
        assert!((share - 1.0).abs() < 0.01, "{threads}: {share}");
        assert_eq!(record.total().ios, 2000);
        assert_eq!(late(&record).max(), Some(Nanos(0)));
        let job = |before: jobs::Change<'_>| {
            real(&|span| {
                before(span);
                dependent(span);
            })
        };
        let record = replay(job, chain(500), 8, threads);
        assert_eq!(record.total().ios, 500);
        let least = Nanos(500 * 105_000).minus(Nanos::micros(100));
        assert!(
            record.phases.measured() >= least,
            "{}",
            record.phases.measured()
        );
    }
}

#[test]
fn a_fast_replay_keeps_the_queue_full_and_issues_all() {
    let record = timed(
        "sim:ssd,law=constant",
        ios(4000, Nanos::millis(1)),
        RecordedTiming::Fast,
    );
    assert_eq!(record.total().ios, 4000);
    assert!(record.phases.measured() < Nanos::millis(500));
}

#[test]
fn flushes_and_discards_are_counted_apart_from_the_ios() {
    let mut all = ios(300, Nanos::millis(1));
    for (number, io) in all.iter_mut().enumerate() {
        match number % 30 {
            7 => io.operation = TraceOperation::Flush,
            29 => io.operation = TraceOperation::Flush,
            19 => io.operation = TraceOperation::Discard,
            _ => {}
        }
    }
    for timing in [
        RecordedTiming::Recorded,
        RecordedTiming::Fast,
        RecordedTiming::Dependent(RecordedDependencies::default()),
    ] {
        let record = timed("sim:ssd,data=1M", all.clone(), timing);
        assert!(
            record.phases.measured() < Nanos::millis(302),
            "the last is a flush"
        );
        assert_eq!(record.total().ios, 270, "{timing:?}");
        let counts = record.engine.workers[0].recorded.as_ref().unwrap();
        let calls = counts
            .calls
            .iter()
            .map(|one| (one.operation, one.latency.count()));
        let calls: Vec<_> = calls.collect();
        assert_eq!(
            calls,
            [(TraceOperation::Flush, 20), (TraceOperation::Discard, 10)]
        );
    }
}

/// On one thread of a simulated device.
fn timed(device: &str, ios: Vec<RecordedIo>, timing: RecordedTiming) -> RunRecord {
    let change = |span: &mut Timespan| {
        let Access::Recorded(recorded) = &mut span.targets[0].workload.access else {
            unreachable!("a trace")
        };
        recorded.issue = RecordedIssue {
            timing,
            flushes: 1,
            discards: 1,
        };
        if timing == RecordedTiming::Fast {
            recorded.think = Some(Nanos(0));
            span.arrivals = None;
        }
    };
    let job = |before: jobs::Change<'_>| {
        jobs::simulated(&[device], &|span| {
            before(span);
            change(span);
        })
    };
    replay(job, ios, 8, 1)
}
