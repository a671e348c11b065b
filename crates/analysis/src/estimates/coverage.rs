//! Whether 95% intervals contain the true figure: a thousand simulated runs with known figures.
//!
//! A closed loop of so many slots in simulated time: each slot begins an I/O as soon as its last one is done. The truth
//! is the quantile of the distribution that latencies are drawn from, and the depth over their mean.

use super::{latency_estimate, rate_estimate};
use crate::chance::Chance;
use crate::run::run_report;
use crate::sample::Sample;
use crate::student::normal_point;
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

/// Noise that stays: this share of the speed, in steps of this length.
const NOISE: f64 = 0.05;
const NOISE_STEP_S: f64 = 0.01;
/// Correlation times of it in seconds; 0 is none.
const TIMES_S: [f64; 4] = [0.0, 0.1, 1.0, 5.0];
const DEPTHS: [usize; 3] = [1, 8, 32];
const DURATIONS_S: [u64; 3] = [1, 10, 60];
/// I/Os of one slot per second, and of a run at most.
const SLOT_IOPS: f64 = 10_000.0;
const RUN_IOS: f64 = 1e6;
const STEPS_OF_RUN: u64 = 50;
/// How often an interval may miss the truth, of all runs of a cell: 5%, and what chance adds to 200 of them.
const MISSED_MAX: f64 = 0.082;

/// How latencies are distributed: what a share of them does not exceed.
type Law = fn(f64) -> f64;

fn lognormal(share: f64) -> f64 {
    (0.25 * normal_point(share)).exp()
}

fn exponential(share: f64) -> f64 {
    -(-share).ln_1p()
}

fn bimodal(share: f64) -> f64 {
    match share < 0.95 {
        true => (0.1 * normal_point(share / 0.95)).exp(),
        false => 10.0 * (0.1 * normal_point((share - 0.95) / 0.05)).exp(),
    }
}

const LAWS: [(&str, Law); 3] = [
    ("lognormal", lognormal),
    ("exponential", exponential),
    ("bimodal", bimodal),
];

/// Mean, deviation and quantiles of a law whose speed varies, each in I/Os. A slow moment has fewer of them.
struct Truth {
    mean: f64,
    deviation: f64,
    quantiles: [f64; 3],
}

impl Truth {
    fn of(law: Law, noise: f64) -> Truth {
        const SHARES: usize = 10_000;
        const MOMENTS: usize = 101;
        let middle = |place: usize, count: usize| (place as f64 + 0.5) / count as f64;
        let own: Vec<f64> = (0..SHARES)
            .map(|place| law(middle(place, SHARES)))
            .collect();
        let mean = own.iter().sum::<f64>() / SHARES as f64;
        let squares = own.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let mut all: Vec<f64> = (0..MOMENTS)
            .flat_map(|place| {
                let slow = (noise * (normal_point(middle(place, MOMENTS)) - noise)).exp();
                own.iter().map(move |value| value * slow)
            })
            .collect();
        let at = |(share, _): (f64, f64)| {
            let place = (share * all.len() as f64) as usize;
            *all.select_nth_unstable_by(place, f64::total_cmp).1
        };
        Truth {
            quantiles: NORMAL.map(at),
            mean: mean * (-noise * noise / 2.0).exp(),
            deviation: (squares / SHARES as f64).sqrt(),
        }
    }
}

/// One cell: a law, a correlation time, a depth and a duration.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    law: usize,
    pub(crate) time_s: f64,
    depth: usize,
    pub(crate) duration_s: u64,
}

impl Cell {
    pub(crate) fn all() -> Vec<Cell> {
        let mut all = Vec::new();
        for (duration_s, time_s) in DURATIONS_S
            .into_iter()
            .flat_map(|duration| TIMES_S.map(|time| (duration, time)))
        {
            for law in 0..LAWS.len() {
                all.extend(DEPTHS.map(|depth| Cell {
                    law,
                    time_s,
                    depth,
                    duration_s,
                }));
            }
        }
        all
    }

    fn noise(&self) -> f64 {
        if self.time_s > 0.0 { NOISE } else { 0.0 }
    }

    /// One run, in this unit of latency.
    fn simulate(&self, chance: &mut Chance, unit_ns: f64) -> (Tally, LatencyHeat) {
        let (_, law) = LAWS[self.law];
        let measured = self.duration_s as f64 * 1e9;
        let step = Nanos(self.duration_s * 1_000_000_000 / STEPS_OF_RUN);
        let mut tally = Tally {
            intervals: vec![Interval::default(); STEPS_OF_RUN as usize],
            ..Tally::default()
        };
        let mut rows = vec![[0u64; LatencyHeat::COLUMNS]; STEPS_OF_RUN as usize];
        let kept = (-NOISE_STEP_S / self.time_s.max(1e-9)).exp();
        let fresh = (1.0 - kept * kept).sqrt();
        let (mut state, mut until) = (chance.normal(), 0.0);
        let mut slow = (self.noise() * state).exp();
        let mut latency_at = |at: f64, chance: &mut Chance| {
            while until < at && self.time_s > 0.0 {
                until += NOISE_STEP_S * 1e9;
                state = kept * state + fresh * chance.normal();
                slow = (NOISE * state).exp();
            }
            law(chance.share().min(1.0 - 1e-12)) * unit_ns * slow
        };
        // So long before it is measured that the slots are out of step.
        let warmup = 20.0 * unit_ns;
        let mut slots: Vec<(f64, f64)> = Vec::new();
        for _ in 0..self.depth {
            let latency = latency_at(0.0, chance);
            slots.push((latency * chance.share(), latency));
        }
        loop {
            let first = slots.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            let (at, latency) = *first;
            let at_ns = at - warmup;
            if at_ns >= measured {
                break;
            }
            let next = latency_at(at, chance);
            *first = (at + next, next);
            if at_ns >= 0.0 {
                let latency = Nanos(latency as u64);
                let place = (at_ns as u64 / step.0).min(STEPS_OF_RUN - 1) as usize;
                tally.ios += 1;
                tally.bytes.0 += 4096;
                tally.latency.record(latency);
                tally.intervals[place].record(Bytes(4096), latency);
                rows[place][usize::from(LatencyHeat::column_of(latency))] += 1;
            }
        }
        let heat = LatencyHeat {
            target: 0,
            operation: Operation::Read,
            step,
            rows: rows.iter().map(|row| HeatRow::of_dense(row)).collect(),
        };
        (tally, heat)
    }

    /// Truth, IOPS, unit of latency in ns, and a record without its I/Os.
    fn prepared(&self) -> (Truth, f64, f64, RunRecord) {
        let truth = Truth::of(LAWS[self.law].1, self.noise());
        let rate = (self.depth as f64 * SLOT_IOPS).min(RUN_IOS / self.duration_s as f64);
        let unit_ns = self.depth as f64 * 1e9 / rate / truth.mean;
        let measured = Nanos::seconds(self.duration_s);
        let base = Sample {
            planned: measured,
            measured,
            reads: 1,
            depth: self.depth as u32,
            ..Sample::default()
        };
        let mut base = base.build();
        base.plan.interval = Nanos(measured.0 / STEPS_OF_RUN);
        (truth, rate, unit_ns, base)
    }

    /// So many runs one after another, as records.
    pub(crate) fn records(&self, runs: usize, chance: &mut Chance) -> Vec<RunRecord> {
        let (_, _, unit_ns, base) = self.prepared();
        let one = |_| {
            let (tally, heat) = self.simulate(chance, unit_ns);
            record(tally, Some(heat), &base)
        };
        (0..runs).map(one).collect()
    }

    /// So many runs: what was reported, and how much wider than need be the interval of the rate was.
    fn run(&self, runs: u64, seed: u64) -> (Held, f64) {
        let (truth, rate, unit_ns, base) = self.prepared();
        let mut held = Held::default();
        let mut chance = Chance(seed);
        let mut wider = 0.0;
        for _ in 0..runs {
            let (tally, heat) = self.simulate(&mut chance, unit_ns);
            let ideal = 1.96 * truth.deviation / truth.mean / (tally.ios as f64).sqrt();
            let record = record(tally, Some(heat), &base);
            let report = run_report(&record);
            let total = report.total().unwrap();
            let ends = |estimate: crate::Estimate| estimate.low.zip(estimate.high);
            held.look(0, ends(total.iops_estimate), rate);
            wider += total.iops_estimate.half_width_share().unwrap_or(0.0) / ideal;
            let mean = total.latency.mean.unwrap();
            held.look(1, ends(mean), truth.mean * unit_ns);
            for (place, (quantile, _)) in NORMAL.iter().enumerate() {
                let one = total.latency.at(*quantile).unwrap();
                let ends = one.low_ns.zip(one.high_ns);
                let ends = ends.map(|(low, high)| (low as f64, high as f64));
                held.look(2 + place, ends, truth.quantiles[place] * unit_ns);
            }
        }
        (held, wider / runs as f64)
    }
}

/// How often an interval of noise that stays is printed, and how often it misses the truth. `cargo xtask coverage` sets the
/// number of runs of each cell and takes over the table.
#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the number of runs is not part of any result"
)]
fn intervals_of_noise_that_stays_are_true_or_not_known() {
    let runs = std::env::var("FATHOM_COVERAGE_RUNS").ok();
    let runs: u64 = runs.and_then(|text| text.parse().ok()).unwrap_or(1);
    let cells = Cell::all();
    let halves = [0, 1].map(|half| cells.iter().enumerate().skip(half).step_by(2));
    let mut found: Vec<(usize, Held, f64)> = std::thread::scope(|scope| {
        let running = halves.map(|half| {
            scope.spawn(move || {
                half.map(|(place, cell)| {
                    let (held, wider) = cell.run(runs, (place as u64 + 1) << 32);
                    (place, held, wider)
                })
                .collect::<Vec<_>>()
            })
        });
        running
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    });
    found.sort_by_key(|(place, ..)| *place);
    print_table(&cells, &found, runs);
    let (mut all, mut missed, mut long, mut known) = (0.0, 0.0, 0.0, 0.0);
    // Of runs that are shorter than the noise stays, or as long: the noise adds the same to all steps.
    let (mut hidden, mut hidden_missed) = (0.0, 0.0);
    let mut wider: Vec<f64> = Vec::new();
    for ((_, held, width), cell) in found.iter().zip(&cells) {
        for (reported, kept) in held.0 {
            all += runs as f64;
            missed += f64::from(reported - kept);
            if cell.duration_s as f64 <= cell.time_s {
                hidden += runs as f64;
                hidden_missed += f64::from(reported - kept);
            }
            if cell.duration_s as f64 >= 60.0 * cell.time_s {
                long += runs as f64;
                known += f64::from(reported);
            }
        }
        if cell.time_s == 0.0 {
            wider.push(*width);
        }
    }
    let width = wider.iter().sum::<f64>() / wider.len() as f64;
    let others = (missed - hidden_missed) / (all - hidden);
    let (missed, known) = (missed / all, known / long);
    println!(
        "| missed in all: {:.1}%; in runs longer than the correlation time: {:.1}%; printed at 60 correlation times or more: {:.1}%; width at 0 s: {width:.2} |",
        100.0 * missed,
        100.0 * others,
        100.0 * known
    );
    assert!(
        missed <= 0.09 && others <= 0.05 && known >= 0.85 && width <= 1.4,
        "{missed} {known} {width}"
    );
}

/// Of each duration and correlation time all laws and depths together; then the cells beyond the bound.
fn print_table(cells: &[Cell], found: &[(usize, Held, f64)], runs: u64) {
    println!("| duration | correlation time | IOPS | mean | p50 | p99 | p99.9 |");
    println!("|---|---|---|---|---|---|---|");
    let group = LAWS.len() * DEPTHS.len();
    for (cells, found) in cells.chunks(group).zip(found.chunks(group)) {
        let each = (0..5).map(|figure| {
            let of = |of: fn((u32, u32)) -> u32| {
                found
                    .iter()
                    .map(|(_, held, _)| of(held.0[figure]))
                    .sum::<u32>()
            };
            let all = (runs * group as u64) as f64 / 100.0;
            let (printed, missed) = (
                of(|(reported, _)| reported),
                of(|(reported, kept)| reported - kept),
            );
            format!(
                "{:.0} / {:.1}",
                f64::from(printed) / all,
                f64::from(missed) / all
            )
        });
        let each: Vec<String> = each.collect();
        println!(
            "| {} s | {} s | {} |",
            cells[0].duration_s,
            cells[0].time_s,
            each.join(" | ")
        );
    }
    let mut beyond = [0, 0];
    for ((_, held, _), cell) in found.iter().zip(cells) {
        for (figure, (reported, kept)) in held.0.into_iter().enumerate() {
            let missed = f64::from(reported - kept) / runs as f64;
            beyond[1] += 1;
            if missed > MISSED_MAX {
                beyond[0] += 1;
                println!(
                    "cell {} {} s QD{} {} s figure {figure}: {:.1}%",
                    LAWS[cell.law].0,
                    cell.time_s,
                    cell.depth,
                    cell.duration_s,
                    100.0 * missed
                );
            }
        }
    }
    println!(
        "| cells that miss in more than {:.1}%: {} of {} |",
        100.0 * MISSED_MAX,
        beyond[0],
        beyond[1]
    );
}
