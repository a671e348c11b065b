//! Simulated devices through the real loop: what is known of them comes out, the same every time.

use crate::jobs;
use engine::{Job, Limit, Silent, Stop, Truth, run, truth};
use host::Root;
use model::*;

/// A job on these devices, its host and everything else as usual.
fn job(words: &[&str], change: jobs::Change<'_>) -> Job {
    jobs::simulated(words, change)
}

fn simulated(word: &str, change: jobs::Change<'_>) -> RunRecord {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Root::at(folder.path().to_owned());
    run(job(&[word], change), &nothing, &Silent, &Stop::new()).unwrap()
}

/// At so many outstanding over so many threads, 4 KiB random reads for ten seconds.
fn at(word: &str, depth: u32, threads: u32) -> RunRecord {
    simulated(word, &|span| {
        span.phases.measured = Nanos::seconds(10);
        span.targets[0].workload.queue_depth = QueueDepth(depth);
        span.targets[0].threads = threads;
    })
}

fn rate(record: &RunRecord) -> f64 {
    record.total().ios as f64 / record.phases.measured().as_seconds()
}

fn known(word: &str) -> Truth {
    let device: SimulatedDevice = word.parse().unwrap();
    truth(&device, Bytes::kib(4), device.size, Ratio::NONE, false)
}

fn near(found: f64, expected: f64, percent: f64, what: &str) {
    let off = (found / expected - 1.0).abs() * 100.0;
    assert!(
        off <= percent,
        "{what}: {found} instead of {expected}, {off:.2} % off"
    );
}

#[test]
fn rates_are_known_beforehand_within_a_percent() {
    for (word, depths) in [
        ("sim:ssd,bandwidth=0", &[1, 4, 8, 32][..]),
        ("sim:ssd", &[1, 2, 64]),
        ("sim:spindle", &[1, 4, 16]),
        ("sim:capped,cap-iops=1920", &[8, 64]),
        ("sim:ssd,cap-bandwidth=20M", &[8, 32]),
        ("sim:array", &[1, 8, 64]),
        ("sim:cliff", &[1, 16, 32]),
    ] {
        let known = known(word);
        for &depth in depths {
            let found = at(word, depth, 1);
            let expected = known.rate_at(u64::from(depth)).unwrap();
            near(
                rate(&found),
                expected,
                1.0,
                &format!("{word} at depth {depth}"),
            );
        }
    }
}

#[test]
fn threads_together_are_one_queue() {
    let known = known("sim:ssd,bandwidth=0");
    for (depth, threads) in [(1, 4), (4, 1), (2, 2), (8, 4)] {
        let record = at("sim:ssd,bandwidth=0", depth, threads);
        assert_eq!(record.threads.len(), threads as usize);
        let outstanding = u64::from(depth * threads);
        near(
            rate(&record),
            known.rate_at(outstanding).unwrap(),
            1.0,
            &format!("{threads} threads at depth {depth}"),
        );
    }
}

#[test]
fn what_limits_it_is_known() {
    for (word, limit) in [
        ("sim:ssd,bandwidth=0", Limit::Channels),
        ("sim:ssd,bandwidth=100M", Limit::Bandwidth),
        ("sim:capped", Limit::CapIops),
        ("sim:ssd,cap-bandwidth=20M", Limit::CapBandwidth),
        ("sim:spindle", Limit::Channels),
        ("sim:cliff,channels=64,bandwidth=0", Limit::Cliff),
    ] {
        assert_eq!(known(word).limit, limit, "{word}");
    }
}

/// Little: in flight = rate × latency, and all slots are taken all the time.
#[test]
fn in_flight_is_rate_times_latency() {
    for word in ["sim:ssd", "sim:spindle", "sim:capped", "sim:array"] {
        let record = at(word, 16, 2);
        let latency = record.total().latency.mean_ns().unwrap() / 1e9;
        near(rate(&record) * latency, 32.0, 1.0, word);
    }
}

/// M/M/1 and M/M/4 at several loads, against Erlang.
#[test]
fn response_times_are_those_of_the_textbook() {
    for (channels, per_s) in [(1, 300), (1, 700), (4, 2000), (4, 3200)] {
        let word = format!(
            "sim:ssd,channels={channels},law=exponential,service=1ms,bandwidth=0,write-bandwidth=0,spread=0%"
        );
        let record = simulated(&word, &|span| {
            span.phases.measured = Nanos::seconds(600);
            span.targets[0].workload.queue_depth = QueueDepth(256);
            span.arrivals = Some(Arrivals {
                per_s,
                spacing: Spacing::Poisson,
            });
        });
        near(rate(&record), per_s as f64, 1.0, "arrivals");
        let response = record.total().response.unwrap();
        for quantile in [0.5, 0.99] {
            let found = response.quantile(quantile).unwrap().0 as f64;
            let known = known(&word);
            let expected = known.response_quantile_ns(per_s as f64, quantile).unwrap();
            near(
                found,
                expected,
                5.0,
                &format!("{word} at {per_s}/s, {quantile}"),
            );
        }
    }
}

#[test]
fn percentiles_alone_are_those_of_the_law() {
    let word = "sim:ssd,bandwidth=0,spread=60%";
    let record = at(word, 1, 1);
    for quantile in [0.5, 0.9, 0.99] {
        let found = record.total().latency.quantile(quantile).unwrap().0 as f64;
        let expected = known(word).quantile_alone_ns(quantile).unwrap();
        near(found, expected, 1.0, &format!("quantile {quantile}"));
    }
}

#[test]
fn the_same_seed_gives_the_same_record_and_another_another() {
    let go = |seed| {
        simulated("sim:array,noise=10%,neighbour=50", &|span| {
            span.seed = seed;
            span.targets[0].threads = 3;
            span.targets[0].workload.write = Ratio::percent(30).unwrap();
        })
    };
    assert_eq!(go(7), go(7));
    assert_ne!(go(7).threads, go(8).threads);
}

#[test]
fn the_counters_are_those_of_the_device() {
    let counted = |word: &str| {
        let record = at(word, 8, 2);
        let name = &record.targets[0].chain[0].name;
        let device = record.window.device(name).unwrap();
        (device, record)
    };
    let (device, record) = counted("sim:ssd");
    let total = record.total();
    assert!(
        device.reads.abs_diff(total.ios) <= 16,
        "those in flight at the edges"
    );
    near(device.busy.as_seconds(), 10.0, 0.1, "busy");
    let seconds: f64 = record
        .series
        .samples
        .iter()
        .map(|s| s.length.as_seconds())
        .sum();
    near(seconds, 10.0, 0.01, "samples");
    let sampled: u64 = record
        .series
        .samples
        .iter()
        .map(|s| s.devices[0].reads)
        .sum();
    assert_eq!(sampled, device.reads);
    let (device, record) = counted("sim:ssd,neighbour=1000");
    near(
        (device.reads - record.total().ios) as f64,
        10_000.0,
        5.0,
        "of the neighbour",
    );
    let (device, record) = counted("sim:ssd,page-cache=40%");
    near(
        device.reads as f64,
        record.total().ios as f64 * 0.6,
        2.0,
        "direct I/O",
    );
}

#[test]
fn rows_over_time_hold_each_io_once() {
    let record = at("sim:ssd,drop=60%,drop-at=5s", 8, 2);
    let heat = record.heat(Some(Operation::Read), None).unwrap();
    let total = record.total();
    let rows: Vec<u64> = heat.rows.iter().map(HeatRow::total).collect();
    let steps: Vec<u64> = total.intervals.iter().map(|step| step.ios).collect();
    assert_eq!((rows, heat.total()), (steps, total.latency.count()));
    let slowest = |row: &HeatRow| row.counts().last().map(|(column, _)| *column);
    assert!(slowest(&heat.rows[0]) < slowest(heat.rows.last().unwrap()));
}

#[test]
fn a_full_write_cache_slows_writes_to_what_it_drains() {
    let record = simulated("sim:ssd,write-cache=256M,drain=100M/s", &|span| {
        span.phases.measured = Nanos::seconds(10);
        span.interval = Nanos::seconds(1);
        span.targets[0].workload.write = Ratio::percent(100).unwrap();
        span.targets[0].workload.block = Bytes::kib(128);
        span.targets[0].workload.queue_depth = QueueDepth(8);
    });
    let steps = record.total().intervals;
    let rate = |step: usize| steps[step].bytes.0 as f64 / f64::from(1 << 20);
    assert!(rate(0) > 300.0, "{}", rate(0));
    near(rate(8), 100.0, 1.0, "drained");
}

#[test]
fn a_burst_runs_ahead_of_the_cap() {
    let record = at("sim:capped,cap-iops=1000,burst=5000", 64, 1);
    near(record.total().ios as f64, 15_000.0, 1.0, "burst and cap");
}

#[test]
fn several_devices_are_several() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Root::at(folder.path().to_owned());
    let both = job(&["sim:spindle", "sim:ssd"], &|_| {});
    let record = run(both, &nothing, &Silent, &Stop::new()).unwrap();
    let ios = |target| record.tally(Operation::Read, Some(target)).ios;
    assert!(ios(0) < 200 && ios(1) > 5_000, "{} {}", ios(0), ios(1));
    assert_eq!(record.window.after.devices.len(), 2);
}

/// Threads of a slow device wait for half a second, those of a fast one do not.
#[test]
fn a_slow_device_does_not_delay_the_threads_of_a_fast_one() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Root::at(folder.path().to_owned());
    let deep = jobs::simulated(&["sim:ssd,bandwidth=0", "sim:spindle"], &|span| {
        span.phases.measured = Nanos::seconds(5);
        for target in &mut span.targets {
            (target.workload.queue_depth, target.threads) = (QueueDepth(32), 4);
        }
    });
    let record = run(deep, &nothing, &Silent, &Stop::new()).unwrap();
    let rate = |target| record.tally(Operation::Read, Some(target)).ios as f64 / 5.0;
    let alone = known("sim:ssd,bandwidth=0").rate_at(128).unwrap();
    near(rate(0), alone, 1.0, "the fast one");
    let alone = known("sim:spindle").rate_at(128).unwrap();
    near(rate(1), alone, 5.0, "the slow one");
}

#[test]
fn a_stop_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = Root::at(folder.path().to_owned());
    let stop = Stop::new();
    stop.ask();
    let record = run(job(&["sim:ssd"], &|_| {}), &nothing, &Silent, &stop).unwrap();
    assert_eq!(record.outcome, Outcome::Interrupted);
    assert!(record.phases.measured() < Nanos::seconds(1));
}
