//! Null backend and fake clock: counts, histograms, phases and time series to the last I/O.

use crate::contract::DEVICE_FAILED;
use crate::jobs;
use engine::rehearse;
use model::*;

fn behaviour(delay: Nanos) -> NullBehaviour {
    NullBehaviour {
        size: Bytes::mib(64),
        delay,
        error_every: 0,
        ..NullBehaviour::default()
    }
}

/// Readings of the clock take no time, so every I/O takes the delay and nothing else.
fn rehearsed(delay: Nanos, change: jobs::Change<'_>) -> RunRecord {
    rehearse(jobs::null(behaviour(delay), change), Nanos(0)).unwrap()
}

#[test]
fn one_at_a_time_gives_one_io_a_delay() {
    let record = rehearsed(Nanos::micros(100), &|_| {});
    // Found at 100 µs, 200 µs … 999.9 ms; the one at 1 s is found after the end.
    let total = record.total();
    assert_eq!(total.ios, 9_999);
    assert_eq!(total.bytes, Bytes(9_999 * 4096));
    assert_eq!(total.latency.count(), 9_999);
    assert_eq!(
        (total.latency.min(), total.latency.max()),
        (Some(Nanos::micros(100)), Some(Nanos::micros(100)))
    );
    assert_eq!(total.latency.sum_ns(), 9_999 * 100_000);
    assert_eq!(record.outcome, Outcome::Complete);
    assert_eq!(record.phases.measured(), Nanos::seconds(1));
}

#[test]
fn what_is_found_at_the_end_is_in_the_lifetime_but_not_in_the_measurement() {
    let record = rehearsed(Nanos::micros(100), &|_| {});
    assert_eq!(
        record.threads[0].lifetime[Operation::Read.index()].ios,
        10_000
    );
    assert_eq!(record.threads[0].abandoned, 0);
}

#[test]
fn depth_multiplies_the_rate_and_not_the_latency() {
    let record = rehearsed(Nanos::micros(100), &|span| {
        span.targets[0].workload.queue_depth = QueueDepth(8);
    });
    let total = record.total();
    assert_eq!(total.ios, 8 * 9_999);
    assert_eq!(total.latency.max(), Some(Nanos::micros(100)));
}

#[test]
fn phases_cut_where_they_should() {
    let record = rehearsed(Nanos::millis(1), &|span| {
        span.phases = Phases {
            warmup: Nanos::millis(10),
            measured: Nanos::millis(50),
            cooldown: Nanos::millis(5),
        };
    });
    // Found at 10, 11 … 59 ms: counted. Found until 65 ms: lived.
    assert_eq!(record.total().ios, 50);
    assert_eq!(record.threads[0].lifetime[0].ios, 65);
    assert_eq!(record.phases.measured_from, Nanos::millis(10));
    assert_eq!(record.phases.measured_to, Nanos::millis(60));
    assert_eq!(record.phases.drained, Nanos::millis(65));
}

#[test]
fn each_step_of_the_series_holds_its_own() {
    let record = rehearsed(Nanos::millis(30), &|span| {
        span.targets[0].workload.queue_depth = QueueDepth(2);
    });
    // Two every 30 ms: at 30, 60, 90 | 120, 150, 180 | 210, 240, 270 | 300 …
    let counts: Vec<u64> = record
        .total()
        .intervals
        .iter()
        .map(|step| step.ios)
        .collect();
    assert_eq!(counts, [6, 6, 6, 8, 6, 6, 8, 6, 6, 8]);
    let sum: u64 = record
        .total()
        .intervals
        .iter()
        .map(|step| step.latency_sum.0)
        .sum();
    assert_eq!(u128::from(sum), record.total().latency.sum_ns());
    assert!(
        record
            .total()
            .intervals
            .iter()
            .all(|step| step.latency_max == Nanos::millis(30))
    );
    let square = u128::from(Nanos::millis(30).0).pow(2);
    for step in record.total().intervals {
        let spread = step.latency_spread.unwrap();
        assert_eq!(spread.min, Nanos::millis(30));
        assert_eq!(spread.squares_ns2, u128::from(step.ios) * square);
    }
}

#[test]
fn a_last_step_that_is_shorter_is_kept() {
    let record = rehearsed(Nanos::millis(1), &|span| span.interval = Nanos::millis(300));
    let counts: Vec<u64> = record
        .total()
        .intervals
        .iter()
        .map(|step| step.ios)
        .collect();
    assert_eq!(counts, [299, 300, 300, 100]);
}

#[test]
fn reads_and_writes_are_kept_apart() {
    let record = rehearsed(Nanos::micros(100), &|span| {
        span.targets[0].workload.write = Ratio::percent(30).unwrap();
    });
    let (reads, writes) = (
        record.tally(Operation::Read, None),
        record.tally(Operation::Write, None),
    );
    assert_eq!(reads.ios + writes.ios, 9_999);
    assert_eq!(reads.latency.count(), reads.ios);
    // Five standard deviations of a binomial: sqrt(9 999 × 0.3 × 0.7) = 46.
    assert!(writes.ios.abs_diff(3_000) < 230, "{}", writes.ios);
}

#[test]
fn threads_and_targets_are_kept_apart() {
    let second = Location::Null(behaviour(Nanos::micros(200)));
    let record = rehearsed(Nanos::micros(100), &|span| {
        span.targets[0].threads = 2;
        let mut other = span.targets[0].clone();
        (other.location, other.threads) = (second.clone(), 1);
        span.targets.push(other);
    });
    let by_thread: Vec<(u32, u32, u64)> = record
        .threads
        .iter()
        .map(|t| (t.thread, t.target, t.measured[0].ios))
        .collect();
    assert_eq!(by_thread, [(0, 0, 9_999), (1, 0, 9_999), (2, 1, 4_999)]);
    assert_eq!(record.tally(Operation::Read, Some(0)).ios, 2 * 9_999);
    assert_eq!(record.tally(Operation::Read, Some(1)).ios, 4_999);
}

#[test]
fn the_first_error_ends_the_run_and_says_where() {
    let mut device = behaviour(Nanos::millis(1));
    device.error_every = 5;
    let record = rehearse(jobs::null(device, &|_| {}), Nanos(0)).unwrap();
    let Outcome::Failed(failure) = &record.outcome else {
        panic!("{:?}", record.outcome)
    };
    assert_eq!(
        (failure.errno, failure.operation),
        (DEVICE_FAILED, Operation::Read)
    );
    let device_failed = std::io::Error::from_raw_os_error(DEVICE_FAILED);
    assert_eq!(failure.message, errno_text(&device_failed));
    assert_eq!(record.total().ios, 4);
    assert_eq!(
        record.total().errors,
        [ErrorCount {
            errno: DEVICE_FAILED,
            count: 1
        }]
    );
    assert_eq!(record.phases.measured(), Nanos::millis(5));
}

#[test]
fn errors_can_be_counted_instead() {
    let mut device = behaviour(Nanos::millis(1));
    device.error_every = 5;
    let record = rehearse(
        jobs::null(device, &|span| span.on_error = OnError::Continue),
        Nanos(0),
    )
    .unwrap();
    assert_eq!(record.outcome, Outcome::Complete);
    let total = record.total();
    assert_eq!((total.ios, total.errors_total()), (800, 199));
    assert_eq!(total.latency.count(), 800, "a failure has no latency");
}

#[test]
fn the_cost_of_the_clock_is_part_of_the_latency() {
    let job = jobs::null(behaviour(Nanos::micros(100)), &|_| {});
    let record = rehearse(job, Nanos(10)).unwrap();
    let latency = record.total().latency;
    // Issued at t; due at t + 100 µs; read once to see that it is due, once for the completion stamp.
    assert_eq!(latency.min(), latency.max());
    assert_eq!(latency.min(), Some(Nanos(100_010)));
}

#[test]
fn rehearsals_repeat_to_the_last_bit() {
    let job = jobs::null(behaviour(Nanos::micros(37)), &|span| {
        span.targets[0].workload.write = Ratio::percent(50).unwrap();
    });
    assert_eq!(
        rehearse(job.clone(), Nanos(3)).unwrap(),
        rehearse(job, Nanos(3)).unwrap()
    );
}
