//! A rate on the null backend with a fake clock: every response time and every service time is known beforehand.

use crate::jobs;
use engine::rehearse;
use model::*;

const SECOND: u64 = 1_000_000_000;

/// Readings of the clock take no time, so an I/O that finds a free slot starts at its moment.
fn rehearsed(device: NullBehaviour, rate: (u64, Spacing), change: jobs::Change<'_>) -> RunRecord {
    let (per_s, spacing) = rate;
    let job = jobs::null(device, &|span| {
        span.arrivals = Some(Arrivals { per_s, spacing });
        change(span);
    });
    rehearse(job, Nanos(0)).unwrap()
}

fn device(delay: Nanos) -> NullBehaviour {
    NullBehaviour {
        size: Bytes::mib(64),
        delay,
        ..NullBehaviour::default()
    }
}

fn response(record: &RunRecord) -> LatencyHistogram {
    record.total().response.expect("a rate was asked")
}

fn histogram(of: impl IntoIterator<Item = u64>) -> LatencyHistogram {
    let mut histogram = LatencyHistogram::new();
    of.into_iter().for_each(|ns| histogram.record(Nanos(ns)));
    histogram
}

/// What a device of `slots` places and this behaviour gives at a constant rate, by the definition of a queue served in
/// turn: each I/O starts at its moment, or when the first place becomes free. Response and service times of those that
/// complete before `end`.
fn model(
    behaviour: &NullBehaviour,
    per_s: u64,
    slots: usize,
    end: u64,
) -> (LatencyHistogram, LatencyHistogram) {
    let mut free_at = vec![0u64; slots];
    let (mut responses, mut services) = (Vec::new(), Vec::new());
    for number in 0.. {
        let intended = (u128::from(number) * u128::from(SECOND) / u128::from(per_s)) as u64;
        let place = (0..slots).min_by_key(|&place| free_at[place]).unwrap();
        let start = intended.max(free_at[place]);
        if start >= end {
            break;
        }
        let mut done = start + behaviour.delay_of(number).0;
        if let Some(stall) = behaviour.stall
            && (stall.from.0..stall.from.0 + stall.length.0).contains(&done)
        {
            done = stall.from.0 + stall.length.0;
        }
        free_at[place] = done;
        if done < end {
            responses.push(done - intended);
            services.push(done - start);
        }
    }
    (histogram(responses), histogram(services))
}

#[test]
fn a_rate_that_is_sustained_is_kept_to_the_io_and_nothing_waits() {
    for (threads, depth) in [(1, 1), (3, 8)] {
        let record = rehearsed(
            device(Nanos::micros(100)),
            (5000, Spacing::Constant),
            &|span| {
                span.targets[0].threads = threads;
                span.targets[0].workload.queue_depth = QueueDepth(depth);
            },
        );
        assert_eq!(record.total().ios, 5000, "0, 200 µs … 999.8 ms");
        assert_eq!(response(&record), histogram([100_000; 5000]));
        assert_eq!(record.total().latency, response(&record));
        let backlog = |worker: &WorkerRecord| worker.backlog.unwrap();
        assert_eq!(record.engine.workers.len(), threads as usize);
        for worker in &record.engine.workers {
            assert_eq!(backlog(worker), Backlog::default());
        }
    }
}

#[test]
fn without_a_rate_there_is_no_response_time() {
    let record = rehearse(jobs::null(device(Nanos::micros(100)), &|_| {}), Nanos(0)).unwrap();
    assert_eq!(record.total().response, None);
    assert!(
        record
            .engine
            .workers
            .iter()
            .all(|worker| worker.backlog.is_none())
    );
}

/// The test that tools fail which wait for the stalled I/Os before they go on: 10 000 IOPS for 4 s and one
/// stall of 1 s, with places enough for all and with a few.
#[test]
fn a_stall_of_a_second_is_in_the_response_times_as_the_model_has_it() {
    let stalled = NullBehaviour {
        stall: Some(Stall {
            from: Nanos::millis(1500),
            length: Nanos::seconds(1),
        }),
        ..device(Nanos::micros(200))
    };
    for depth in [16_384, 64, 4] {
        let record = rehearsed(stalled, (10_000, Spacing::Constant), &|span| {
            span.phases.measured = Nanos::seconds(4);
            span.targets[0].workload.queue_depth = QueueDepth(depth);
        });
        let (responses, services) = model(&stalled, 10_000, depth as usize, 4 * SECOND);
        assert_eq!(record.total().latency, services, "depth {depth}");
        assert_eq!(response(&record), responses, "depth {depth}");
        assert_eq!(
            responses.max(),
            Some(Nanos(1_000_200_000)),
            "came just before"
        );
    }
}

#[test]
fn what_a_target_cannot_sustain_waits_and_is_counted() {
    // Four places of 1 ms each serve 4 a millisecond of the 5 that come.
    let record = rehearsed(
        device(Nanos::millis(1)),
        (5000, Spacing::Constant),
        &|span| {
            span.targets[0].workload.queue_depth = QueueDepth(4);
            span.phases.warmup = Nanos::millis(500);
        },
    );
    let backlog = record.engine.workers[0].backlog.unwrap();
    let late = |ms| Nanos::millis(ms);
    assert!(backlog.from.ios.abs_diff(500) <= 5, "{backlog:?}");
    assert!(backlog.to.ios.abs_diff(1500) <= 5, "{backlog:?}");
    assert!(
        backlog.from.late >= late(99) && backlog.from.late <= late(101),
        "{backlog:?}"
    );
    assert!(
        backlog.to.late >= late(299) && backlog.to.late <= late(301),
        "{backlog:?}"
    );
    assert!(record.total().ios.abs_diff(4000) <= 4);
    assert_eq!(record.total().latency.max(), Some(Nanos::millis(1)));
    assert!(response(&record).max().unwrap() >= late(299));
}

/// Delays from 10 µs to 100 ms in equal ratios: what is reported lies within the half width of a bucket.
#[test]
fn every_percentile_of_programmed_delays_is_right_within_the_bucket_error() {
    let spread = NullBehaviour {
        delay_max: Nanos::millis(100),
        ..device(Nanos::micros(10))
    };
    let record = rehearsed(spread, (20_000, Spacing::Constant), &|span| {
        span.targets[0].workload.queue_depth = QueueDepth(4096);
        span.phases.measured = Nanos::seconds(3);
    });
    let mut exact: Vec<u64> = (0..60_000u64)
        .map(|number| (number * 50_000, spread.delay_of(number).0))
        .filter(|(intended, delay)| intended + delay < 3 * SECOND)
        .map(|(_, delay)| delay)
        .collect();
    exact.sort_unstable();
    let found = response(&record);
    assert_eq!(found, histogram(exact.iter().copied()));
    assert_eq!(record.total().latency, found, "nothing waited");
    assert_eq!((exact[0], found.max()), (10_000, Some(Nanos::millis(100))));
    for permille in (1..=1000).chain([9999]) {
        let quantile = if permille == 9999 {
            0.9999
        } else {
            f64::from(permille) / 1000.0
        };
        let rank = ((quantile * exact.len() as f64).ceil() as usize).max(1);
        let (truth, reported) = (
            exact[rank - 1] as f64,
            found.quantile(quantile).unwrap().0 as f64,
        );
        assert!(
            (reported / truth - 1.0).abs() <= 0.002,
            "{quantile}: {reported} for {truth}"
        );
    }
}

#[test]
fn poisson_arrivals_keep_their_rate_and_repeat_to_the_last_bit() {
    let run = || {
        rehearsed(
            device(Nanos::micros(10)),
            (100_000, Spacing::Poisson),
            &|span| {
                span.targets[0].threads = 2;
                span.targets[0].workload.queue_depth = QueueDepth(64);
            },
        )
    };
    let record = run();
    // Five standard deviations of a Poisson count of 100 000.
    assert!(
        record.total().ios.abs_diff(100_000) < 1600,
        "{}",
        record.total().ios
    );
    assert_eq!(
        response(&record).max(),
        Some(Nanos::micros(10)),
        "a free slot each time"
    );
    assert_eq!(record, run());
}

/// M/D/1: one place, Poisson arrivals at 70 % of what it serves. Mean wait rho / (2 (1 - rho)) services (Pollaczek and
/// Khinchine); over a hundred thousand I/Os it comes within a few percent.
#[test]
fn a_queue_with_one_place_waits_as_long_as_queueing_theory_says() {
    let record = rehearsed(
        device(Nanos::micros(100)),
        (7000, Spacing::Poisson),
        &|span| {
            span.phases.measured = Nanos::seconds(30);
        },
    );
    let wait = response(&record).mean_ns().unwrap() - record.total().latency.mean_ns().unwrap();
    let theory = 100_000.0 * 0.7 / (2.0 * 0.3);
    assert!((wait / theory - 1.0).abs() < 0.05, "{wait} for {theory}");
}
