//! `analysis`: what reading a record into its report takes, in this process.
//!
//! The records are synthetic: what counts is how much there is to read. Deliberately absent: reading from the database.

use crate::options::Options;
use crate::table::short;
use analysis::sample::Sample;
use analysis::{
    Compared, Known, Side, SurveyContext, SweepCell, SweepContext, SweepResult, SweepRun,
    compare_report, run_report, survey_report, sweep_report,
};
use model::{
    Bytes, HeatRow, Interval, LatencyHeat, Nanos, Operation, Ratio, ResultRow, RunRecord,
    Sample as Stretch, Tally,
};
use std::hint::black_box;
use std::time::Instant;

const THREADS: u32 = 8;
/// The cells of a matrix of 21 by 21.
const CELLS: u64 = 441;

pub(crate) fn run(options: &Options) -> Vec<String> {
    let long = record(Nanos::seconds(120), Nanos::seconds(1), 2_400_000);
    let cell = record(Nanos::seconds(2), Nanos::millis(20), 40_000);
    let cells: Vec<(String, RunRecord)> = (0..CELLS)
        .map(|number| (format!("{}", number % 7), cell.clone()))
        .collect();
    let context = SurveyContext::default();
    #[allow(clippy::type_complexity, reason = "named once, and read here alone")]
    let rows: [(&str, Box<dyn Fn()>); 4] = [
        (
            "run, 120 s, 120 steps",
            Box::new(|| drop(black_box(run_report(&long)))),
        ),
        (
            "sweep, 441 cells, 100 steps each",
            Box::new(|| drop(black_box(of_sweep(&cell)))),
        ),
        (
            "survey, 441 cells, the same",
            Box::new(|| drop(black_box(survey_report(&cells, &context)))),
        ),
        (
            "compare two sweeps of 441 cells",
            Box::new(|| drop(black_box(of_two_sweeps(&cell)))),
        ),
    ];
    let times: Vec<(&str, f64)> = rows
        .iter()
        .map(|(name, work)| (*name, median_ms(options.rounds, work)))
        .collect();
    let mut lines = vec![
        format!("analysis: a run of 120 s takes {} ms", short(times[0].1)),
        format!(
            "{THREADS} threads, reads and writes, latencies and counters over time; median of {}",
            options.rounds
        ),
        format!("\n{:<32} {:>9}", "records to report", "ms"),
    ];
    let line = |(name, ms): &(&str, f64)| format!("{name:<32} {:>9}", short(*ms));
    lines.extend(times.iter().map(line));
    lines
}

/// Reads and writes of several threads, each with its own histograms and time series, and what is kept of all together
/// over time.
fn record(measured: Nanos, step: Nanos, ios: u64) -> RunRecord {
    let sample = Sample {
        planned: measured,
        measured,
        reads: 1,
        writes: 1,
        write: Ratio::percent(50).expect("in range"),
        ..Sample::default()
    };
    let mut record = sample.build();
    record.plan.interval = step;
    let steps = measured.0 / step.0;
    let each = ios / steps / u64::from(THREADS) / 2;
    let mut threads = Vec::new();
    for thread in 0..THREADS {
        let mut one = record.threads[0].clone();
        one.thread = thread;
        for (operation, seed) in Operation::ALL.into_iter().zip(u64::from(thread) * 2 + 1..) {
            let (tally, heat) = counted((operation, step), (steps, each), seed);
            one.measured[operation.index()] = tally;
            match record.series.heat.get_mut(operation.index()) {
                Some(all) => drop(all.merge(&heat)),
                None => record.series.heat.push(heat),
            }
        }
        threads.push(one);
    }
    record.threads = threads;
    let whole = Stretch::between(&record.window.before, &record.window.after);
    record.series.samples = (1..=steps)
        .map(|number| Stretch {
            at: Nanos(number * step.0),
            length: step,
            ..whole.clone()
        })
        .collect();
    record
}

/// Of one thread and operation: so many I/Os in each of so many steps, from 10 µs to some 10 ms, most of them fast.
fn counted(
    (operation, step): (Operation, Nanos),
    (steps, each): (u64, u64),
    seed: u64,
) -> (Tally, LatencyHeat) {
    const BLOCK: Bytes = Bytes(4096);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut share = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut tally = Tally {
        ios: steps * each,
        bytes: Bytes(steps * each * BLOCK.0),
        intervals: vec![Interval::default(); steps as usize],
        ..Tally::default()
    };
    let mut rows = Vec::new();
    for interval in &mut tally.intervals {
        let mut row = [0u64; LatencyHeat::COLUMNS];
        for _ in 0..each {
            let normal: f64 = (0..12).map(|_| share()).sum::<f64>() - 6.0;
            let latency = Nanos(10_000 + (80_000.0 * normal.exp()) as u64);
            tally.latency.record(latency);
            interval.record(BLOCK, latency);
            row[usize::from(LatencyHeat::column_of(latency))] += 1;
        }
        rows.push(HeatRow::of_dense(&row));
    }
    let heat = LatencyHeat {
        target: 0,
        operation,
        step,
        rows,
    };
    (tally, heat)
}

fn of_sweep(record: &RunRecord) -> analysis::SweepReport {
    let cells: Vec<SweepCell> = (1..=CELLS)
        .map(|number| SweepCell {
            number,
            group: None,
            values: vec![("depth".to_owned(), number.to_string())],
            runs: vec![SweepRun {
                stored: None,
                result: Ok(SweepResult::of(record, &Known::default())),
            }],
        })
        .collect();
    sweep_report(&cells, &SweepContext::default())
}

fn of_two_sweeps(record: &RunRecord) -> analysis::CompareReport {
    let line = ResultRow::of_record(record);
    let side = |session: u64| Side {
        name: session.to_string(),
        results: (1..=CELLS as u32)
            .map(|number| {
                let mut row = ResultRow {
                    session,
                    number,
                    ..line.clone() // the database has it
                };
                row.work.queue_depth = Some(number);
                Compared::measured(row, record, &Known::default())
            })
            .collect(),
    };
    compare_report(&side(1), &side(2), &[])
}

#[allow(
    clippy::disallowed_methods,
    reason = "what is timed here runs in this process"
)]
fn median_ms(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
