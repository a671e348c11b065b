//! Whether 95% intervals contain the true figure: a thousand simulated runs with known figures.
//!
//! A closed loop of so many slots in simulated time: each slot begins an I/O as soon as its last one is done. The truth
//! is the quantile of the distribution that latencies are drawn from, and the depth over their mean.

use super::{latency_estimate, rate_estimate};
use crate::chance::Chance;
use crate::run::run_report;
use crate::sample::Sample;
use model::{Bytes, HeatRow, Interval, LatencyHeat, Nanos, Operation, RunRecord, Tally};

const STEP: Nanos = Nanos(1_000_000_000);
const STEPS: u64 = 60;
const WARMUP_S: f64 = 3.0;
const RUNS: u64 = 250;
/// Points of the normal distribution.
const NORMAL: [(f64, f64); 3] = [(0.5, 0.0), (0.99, 2.326_348), (0.999, 3.090_232)];

/// A kind of device: the next latency, with mean `mean` and the quantiles below in units of its own.
struct Device {
    name: &'static str,
    ios: f64,
    next: fn(&mut Chance, &mut f64) -> f64,
    mean: f64,
    quantiles: [f64; 3],
}

fn devices() -> [Device; 4] {
    let lognormal = |deviation: f64| NORMAL.map(|(_, point)| (deviation * point).exp());
    [
        Device {
            name: "exponential",
            ios: 20_000.0,
            next: |chance, _| chance.exponential(),
            mean: 1.0,
            quantiles: [2f64.ln(), 100f64.ln(), 1000f64.ln()],
        },
        Device {
            name: "lognormal",
            ios: 20_000.0,
            next: |chance, _| (0.7 * chance.normal()).exp(),
            mean: 0.245f64.exp(),
            quantiles: lognormal(0.7),
        },
        Device {
            name: "correlated, r = 0.9",
            ios: 80_000.0,
            next: |chance, state| {
                *state = 0.9 * *state + 0.19f64.sqrt() * chance.normal();
                (0.5 * *state).exp()
            },
            mean: 0.125f64.exp(),
            quantiles: lognormal(0.5),
        },
        Device {
            name: "bimodal",
            ios: 20_000.0,
            next: |chance, _| {
                let level = if chance.share() <= 0.05 { 10.0 } else { 1.0 };
                level * (0.1 * chance.normal()).exp()
            },
            mean: (0.95 + 0.5) * 0.005f64.exp(),
            quantiles: [
                (0.1 * 0.066_012f64).exp(),
                10.0 * (0.1 * 0.841_621f64).exp(),
                10.0 * (0.1 * 2.053_749f64).exp(),
            ],
        },
    ]
}

/// One run, in this unit of latency.
fn simulate(device: &Device, depth: usize, seed: u64, unit_ns: f64) -> (Tally, LatencyHeat) {
    let mut chance = Chance(seed);
    let mut state = chance.normal();
    let measured = STEP.0 * STEPS;
    let mut tally = Tally {
        intervals: vec![Interval::default(); STEPS as usize],
        ..Tally::default()
    };
    let mut rows = vec![[0u64; LatencyHeat::COLUMNS]; STEPS as usize];
    let warmup = WARMUP_S * 1e9;
    let mut draw = || (device.next)(&mut chance, &mut state) * unit_ns;
    let mut slots: Vec<(f64, f64)> = Vec::new(); // when it ends, and how long it took
    for _ in 0..depth {
        let latency = draw();
        slots.push((latency, latency));
    }
    loop {
        let first = slots.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let (at, latency) = *first;
        let at_ns = (at - warmup).max(-1.0);
        if at_ns >= measured as f64 {
            let heat = LatencyHeat {
                target: 0,
                operation: Operation::Read,
                step: STEP,
                rows: rows.iter().map(|row| HeatRow::of_dense(row)).collect(),
            };
            return (tally, heat);
        }
        let next = draw();
        *first = (at + next, next);
        if at_ns >= 0.0 {
            let latency = Nanos(latency as u64);
            tally.ios += 1;
            tally.bytes.0 += 4096;
            tally.latency.record(latency);
            let step = (at_ns as u64 / STEP.0) as usize;
            tally.intervals[step].record(Bytes(4096), latency);
            rows[step][usize::from(LatencyHeat::column_of(latency))] += 1;
        }
    }
}

fn record(tally: Tally, heat: Option<LatencyHeat>, base: &RunRecord) -> RunRecord {
    let mut record = base.clone();
    record.series.heat = heat.into_iter().collect();
    record.threads[0].measured = [tally, Tally::default()];
    record
}

/// How often each figure was reported with both ends, and how often these contained the truth.
#[derive(Default)]
struct Held([(u32, u32); 5]);

impl Held {
    fn look(&mut self, figure: usize, ends: Option<(f64, f64)>, truth: f64) {
        if let Some((low, high)) = ends {
            self.0[figure].0 += 1;
            self.0[figure].1 += u32::from(low <= truth && truth <= high);
        }
    }

    fn reported(&self) -> String {
        let names = ["rate", "mean", "p50", "p99", "p99.9"];
        let each = names.iter().zip(self.0);
        let texts =
            each.map(|(name, (reported, covered))| format!("{name} {covered} of {reported}"));
        texts.collect::<Vec<_>>().join(", ")
    }
}

/// Of one kind of device; depths 1, 4 and 16 in turn.
fn covered(device: &Device, seed: u64) -> Held {
    let base = Sample {
        planned: Nanos(STEP.0 * STEPS),
        measured: Nanos(STEP.0 * STEPS),
        reads: 1,
        ..Sample::default()
    };
    let mut base = base.build();
    base.plan.interval = STEP;
    let mut covered = Held::default();
    for run in 0..RUNS {
        let depth = [1, 4, 16][run as usize % 3];
        let unit_ns = (STEP.0 * STEPS) as f64 * depth as f64 / device.ios / device.mean;
        let (tally, heat) = simulate(device, depth, seed + run, unit_ns);
        // Records kept before the heat was have none.
        let record = record(tally, (run % 2 == 0).then_some(heat), &base);
        let ends = |estimate: crate::Estimate| estimate.low.zip(estimate.high);
        let rate = rate_estimate(&record);
        covered.look(0, ends(rate), depth as f64 * 1e9 / (device.mean * unit_ns));
        let latency = latency_estimate(&record).unwrap();
        covered.look(1, ends(latency), device.mean * unit_ns);
        let report = run_report(&record);
        let latency = &report.total().unwrap().latency;
        for (place, (quantile, _)) in NORMAL.iter().enumerate() {
            let reported = latency.at(*quantile).unwrap();
            let ends = reported.low_ns.zip(reported.high_ns);
            let ends = ends.map(|(low, high)| (low as f64, high as f64));
            covered.look(2 + place, ends, device.quantiles[place] * unit_ns);
        }
    }
    covered
}

#[test]
fn intervals_hold_the_truth_in_93_of_100_simulated_runs() {
    let devices = devices();
    let each: Vec<Held> = std::thread::scope(|scope| {
        let numbered = (1u64..).zip(&devices);
        let run = |(number, device)| scope.spawn(move || covered(device, number << 32));
        let running: Vec<_> = numbered.map(run).collect();
        let done = running.into_iter().map(|one| one.join().unwrap());
        done.collect()
    });
    let mut all = Held::default();
    for (device, covered) in devices.iter().zip(each) {
        println!("{}: {}", device.name, covered.reported());
        for (sum, (reported, kept)) in all.0.iter_mut().zip(covered.0) {
            // Of each kind at least nine in ten, so that no kind hides behind the others.
            assert!(
                f64::from(kept) >= 0.9 * f64::from(reported),
                "{}",
                device.name
            );
            *sum = (sum.0 + reported, sum.1 + kept);
        }
    }
    println!("all: {}", all.reported());
    for (reported, kept) in all.0 {
        assert!(
            reported > 800 && f64::from(kept) >= 0.93 * f64::from(reported),
            "{reported} {kept}"
        );
    }
}
