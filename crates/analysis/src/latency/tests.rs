//! Percentiles and means of counts that are known.

use super::*;
use model::{Bytes, HeatRow, Interval, LatencyHeat, Operation, Tally};

fn trusts(count: u64) -> Vec<TailSamples> {
    let mut histogram = LatencyHistogram::new();
    (0..count).for_each(|n| histogram.record(Nanos(1000 + n)));
    Latency::of(&histogram)
        .percentiles
        .iter()
        .map(|p| p.tail_samples)
        .collect()
}

#[test]
fn a_percentile_is_shown_only_as_deep_as_the_count_reaches() {
    use TailSamples::{Enough, Few, None};
    assert_eq!(trusts(0), [None, None, None, None, None]);
    assert_eq!(trusts(1), [None, None, None, None, None]);
    assert_eq!(trusts(99), [Enough, Few, None, None, None]);
    assert_eq!(trusts(999), [Enough, Enough, Few, None, None]);
    assert_eq!(trusts(10_000), [Enough, Enough, Enough, Enough, Few]);
    assert_eq!(trusts(100_000), [Enough; 5]);
}

/// The percentile 99% of 2 s in steps of 20 ms with 1000 I/Os each, of which this share is slow by step; all others
/// take half as long in every other ten steps, as where neighbours come and go.
fn p99_of_noisy_steps(slow: fn(u64) -> u64) -> Percentile {
    let mut record = crate::sample::Sample {
        planned: Nanos::seconds(2),
        measured: Nanos::seconds(2),
        ..crate::sample::Sample::default()
    }
    .build();
    record.plan.interval = Nanos::millis(20);
    let mut tally = Tally::default();
    let mut heat = LatencyHeat {
        target: 0,
        operation: Operation::Read,
        step: record.plan.interval,
        rows: Vec::new(),
    };
    for number in 0..100u64 {
        let mut step = Interval::default();
        let mut row = [0; LatencyHeat::COLUMNS];
        for io in 0..1000 {
            let level = if number / 10 % 2 == 0 { 40 } else { 80 };
            let slow = io < slow(number);
            let latency = Nanos::micros(if slow { 2000 + io } else { level + io % 7 });
            step.record(Bytes::kib(4), latency);
            tally.latency.record(latency);
            row[usize::from(LatencyHeat::column_of(latency))] += 1;
        }
        tally.ios += 1000;
        tally.intervals.push(step);
        heat.rows.push(HeatRow::of_dense(&row));
    }
    let latency = Latency::of_series(&Series::of(&record, &tally, Some(&heat)));
    latency.percentiles[2].clone()
}

#[test]
fn a_level_that_comes_and_goes_takes_nothing_from_a_percentile_of_even_slow_ios() {
    let reported = p99_of_noisy_steps(|step| 12 + step * 7 % 5);
    assert_eq!(reported.tail_samples, TailSamples::Enough);
    assert_eq!(reported.effective_ios, 100_000.0);
    assert!(
        reported.low_ns >= Some(1_990_000) && reported.high_ns.is_some(),
        "{reported:?}"
    );
}

#[test]
fn slow_ios_that_came_together_make_a_percentile_weak_and_do_not_hide_it() {
    let reported = p99_of_noisy_steps(|step| if step == 40 || step == 41 { 700 } else { 0 });
    assert_eq!(reported.tail_samples, TailSamples::Few, "{reported:?}");
    assert!(reported.latency_ns >= Some(1_990_000), "{reported:?}");
}

#[test]
fn one_io_still_has_mean_and_extremes() {
    let mut histogram = LatencyHistogram::new();
    histogram.record(Nanos(77));
    let latency = Latency::of(&histogram);
    assert_eq!(
        (latency.mean_ns, latency.min_ns, latency.max_ns),
        (Some(77.0), Some(77), Some(77))
    );
}

/// A run of 10 s in steps of 100 ms whose I/Os all take about this long.
fn run_of(ios: u64, latency: Nanos) -> (model::RunRecord, Tally) {
    let mut record = crate::sample::Sample::default().build();
    record.plan.interval = Nanos::millis(100);
    let mut tally = Tally::default();
    for step in 0..100u64 {
        let mut interval = Interval::default();
        for io in 0..ios / 100 {
            let took = Nanos(latency.0 + (step * 31 + io * 7) % 97);
            interval.record(Bytes::kib(4), took);
            tally.latency.record(took);
        }
        tally.ios += interval.ios;
        tally.intervals.push(interval);
    }
    (record, tally)
}

fn taken_together(runs: &[(model::RunRecord, Tally)]) -> Latency {
    let series = runs
        .iter()
        .map(|(record, tally)| Series::of(record, tally, None));
    Latency::together(&series.collect::<Vec<_>>())
}

#[test]
fn runs_taken_together_go_as_deep_as_all_their_ios_carry() {
    let run = || run_of(600, Nanos::micros(100));
    let alone = taken_together(&[run()]);
    let both = taken_together(&[run(), run()]);
    let trust = |latency: &Latency| -> Vec<TailSamples> {
        latency.percentiles.iter().map(|p| p.tail_samples).collect()
    };
    use TailSamples::{Enough, Few, None};
    assert_eq!(trust(&alone), [Enough, Enough, Few, None, None]);
    assert_eq!(trust(&both), [Enough, Enough, Enough, Few, None]);
    assert_eq!(both.percentiles[2].effective_ios, 1200.0);
    let (record, tally) = run();
    let own = Latency::of_series(&Series::of(&record, &tally, Option::None));
    assert_eq!(alone, own, "one run alone is that run");
    assert_eq!(taken_together(&[]), Latency::of(&LatencyHistogram::new()));
}

#[test]
fn percentiles_and_means_of_runs_are_those_of_all_ios_and_their_intervals_hold_each_run() {
    let (fast, slow) = (
        run_of(3000, Nanos::micros(100)),
        run_of(1000, Nanos::micros(300)),
    );
    let both = taken_together(&[fast, slow]);
    let mean = both.mean.unwrap();
    assert!((both.mean_ns.unwrap() - 150_048.0).abs() < 1.0, "{both:?}");
    assert_eq!(Some(mean.value), both.mean_ns);
    assert!(
        mean.low < Some(100_100.0) && mean.high > Some(300_000.0),
        "{mean:?}"
    );
    let median = both.at(0.5).unwrap();
    assert!(
        median.latency_ns < Some(101_000),
        "three of four are fast: {median:?}"
    );
    assert!(
        median.high_ns >= Some(300_000) && median.low_ns <= Some(100_200),
        "{median:?}"
    );
    let deep = both.at(0.9).unwrap();
    assert!(
        deep.latency_ns > Some(299_000) && deep.low_ns <= Some(100_200),
        "{deep:?}"
    );
}

/// One queue with random arrivals and service times, for which the response time is exponential with mean S/(1 − ρ) (Kleinrock,
/// Queueing Systems, volume 1, 3.2): how far the percentile of one run is from it is not known, because slow responses come together.
#[test]
fn percentiles_of_response_times_are_never_called_sure() {
    const PATHS: u64 = 300;
    const SERVICE_NS: f64 = 1e6;
    for load in [0.5, 0.8, 0.9, 0.95] {
        let exact = SERVICE_NS / (1.0 - load) * 1000f64.ln();
        let mut chance = crate::chance::Chance((load * 1000.0) as u64);
        let (mut least, mut most) = (f64::INFINITY, 0f64);
        for _ in 0..PATHS {
            let (mut responses, mut time, mut backlog) = (LatencyHistogram::new(), 0.0, 0.0);
            while time < 10e9 {
                let gap = chance.exponential() * SERVICE_NS / load;
                time += gap;
                backlog = f64::max(backlog - gap, 0.0) + chance.exponential() * SERVICE_NS;
                responses.record(Nanos(backlog as u64));
            }
            let latency = Latency::of_responses(&responses);
            for one in &latency.percentiles {
                assert_ne!(one.tail_samples, TailSamples::Enough, "{load}: {one:?}");
                assert_eq!((one.low_ns, one.high_ns), (None, None), "{load}: {one:?}");
                let few = one.effective_ios * (1.0 - one.quantile) < 9.999;
                let shown = one.tail_samples != TailSamples::None;
                let why = if few {
                    NotKnown::FewIos
                } else {
                    NotKnown::NotRecorded
                };
                assert_eq!(one.doubt(), shown.then_some(why), "{load}: {one:?}");
            }
            let found = latency.percentiles[3].latency_ns.unwrap() as f64 / exact;
            (least, most) = (least.min(found), most.max(found));
        }
        println!("ρ = {load}: p99.9 of 10 s is {least:.2} to {most:.2} of the exact one");
    }
}
