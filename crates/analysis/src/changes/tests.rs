//! How often the detectors are wrong, over a thousand series of each kind.

use super::{Drift, RateDrop, changes};
use crate::chance::Chance;
use crate::intervals::IntervalRow;
use model::Nanos;

const STEP: Nanos = Nanos(1_000_000_000);

fn rows(rates: &[f64]) -> Vec<IntervalRow> {
    (0u64..)
        .zip(rates)
        .map(|(number, rate)| IntervalRow {
            from_ns: number * STEP.0,
            length_ns: STEP.0,
            ios: rate.max(0.0) as u64,
            bytes: 0,
            iops: Some(*rate),
            bytes_per_s: None,
            latency_mean_ns: None,
            latency_max_ns: None,
        })
        .collect()
}

fn found(rates: &[f64]) -> (Option<Drift>, Option<RateDrop>) {
    changes(&rows(rates), STEP)
}

/// Noise about 1: a first-order series with this correlation and deviation.
fn noise(chance: &mut Chance, steps: usize, correlation: f64, deviation: f64) -> Vec<f64> {
    let fresh = (1.0 - correlation * correlation).sqrt();
    let mut state = chance.normal();
    let mut next = || {
        state = correlation * state + fresh * chance.normal();
        1.0 + deviation * state
    };
    (0..steps).map(|_| next()).collect()
}

#[test]
fn a_thousand_stationary_series_give_at_most_ten_alarms() {
    let mut chance = Chance(1);
    let kinds = [
        (0.0, 0.02),
        (0.3, 0.05),
        (0.6, 0.1),
        (0.8, 0.05),
        (0.9, 0.1),
    ];
    let mut alarms = 0;
    for (correlation, deviation) in kinds {
        let mut of_kind = 0;
        for number in 0..200 {
            let steps = [20, 50, 60, 120, 600][number % 5];
            let series = noise(&mut chance, steps, correlation, deviation);
            let scaled: Vec<f64> = series.iter().map(|value| value * 20_000.0).collect();
            of_kind += u32::from(found(&scaled) != (None, None));
        }
        println!("correlation {correlation}, deviation {deviation}: {of_kind} of 200");
        alarms += of_kind;
    }
    println!("false alarms: {alarms} of 1000");
    assert!(alarms <= 10, "{alarms}");
}

/// Noise that keeps a level for some steps, as in runs whose steps are shorter than the noise, and of each step by itself.
fn levels(chance: &mut Chance, steps: usize, correlation: f64, lasts: usize) -> Vec<f64> {
    let level = noise(chance, steps / lasts + 2, correlation, 0.1);
    let begin = (chance.share() * lasts as f64) as usize;
    (0..steps)
        .map(|step| level[(step + begin) / lasts] * (1.0 + 0.005 * chance.normal()))
        .collect()
}

#[test]
fn noise_between_steps_gives_few_alarms_in_runs_of_any_length() {
    const SERIES: u32 = 300;
    let mut chance = Chance(11);
    let (mut alarms, mut worst, mut all) = (0, 0, 0);
    for steps in [20, 30, 50, 60, 120, 600] {
        for (correlation, lasts) in [(0.6, 1), (0.8, 1), (0.9, 1), (0.95, 1), (0.9, 5), (0.5, 5)] {
            let mut of_kind = 0;
            for _ in 0..SERIES {
                let series = levels(&mut chance, steps, correlation, lasts);
                let scaled: Vec<f64> = series.iter().map(|value| value * 20_000.0).collect();
                of_kind += u32::from(found(&scaled) != (None, None));
            }
            println!("{steps} steps, r {correlation} every {lasts}: {of_kind} of {SERIES}");
            (worst, alarms, all) = (worst.max(of_kind), alarms + of_kind, all + SERIES);
        }
    }
    println!("false alarms: {alarms} of {all}, at most {worst} of {SERIES}");
    assert!(
        alarms * 50 <= all && worst * 16 <= SERIES,
        "{alarms} of {all}, {worst}"
    );
}

#[test]
fn few_ios_a_step_and_wild_steps_are_no_change() {
    let mut chance = Chance(2);
    let mut alarms = 0;
    for number in 0..1000u32 {
        let series: Vec<f64> = (0..60)
            .map(|_| match number % 3 {
                0 => (10.0 * chance.exponential()).floor(),
                1 => 1000.0 * (0.5 * chance.normal()).exp(),
                _ if chance.share() < 0.05 => 100.0,
                _ => 1000.0 + 20.0 * chance.normal(),
            })
            .collect();
        alarms += u32::from(found(&series) != (None, None));
    }
    println!("false alarms: {alarms} of 1000");
    assert!(alarms <= 10, "{alarms}");
}

#[test]
fn a_drop_of_a_fifth_is_found_with_its_moment_and_its_levels() {
    let mut chance = Chance(3);
    let (mut seen, mut close) = (0, 0);
    for number in 0..1000 {
        let steps = [50, 60, 120, 600][number % 4];
        let at = steps / 5 + (chance.share() * steps as f64 * 0.6) as usize;
        let (correlation, deviation) = [(0.0, 0.05), (0.3, 0.03), (0.5, 0.03)][number % 3];
        let mut series = noise(&mut chance, steps, correlation, deviation);
        series[at..].iter_mut().for_each(|value| *value *= 0.8);
        let scaled: Vec<f64> = series.iter().map(|value| value * 20_000.0).collect();
        if let (None, Some(drop)) = found(&scaled) {
            seen += 1;
            let moment = (drop.at_ns as f64 / 1e9 - at as f64).abs() <= 0.03 * steps as f64;
            let level = (drop.iops_before / 20_000.0 - 1.0).abs() < 0.05;
            close += u32::from(moment && level && (drop.change_share + 0.2).abs() < 0.05);
        }
    }
    println!(
        "drops of 20%: {seen} of 1000 found, {close} of these to 3% of the run and 5% of the level"
    );
    assert!(seen >= 950 && close >= 950, "{seen} {close}");
}

#[test]
fn a_slow_fall_is_a_drift_and_no_drop() {
    let mut chance = Chance(4);
    let mut seen = 0;
    for number in 0..1000 {
        let steps = [50, 60, 120, 600][number % 4];
        let (correlation, deviation) = [(0.0, 0.03), (0.3, 0.02), (0.5, 0.02)][number % 3];
        let mut series = noise(&mut chance, steps, correlation, deviation);
        for (place, value) in series.iter_mut().enumerate() {
            *value *= 1.0 - 0.2 * place as f64 / steps as f64;
        }
        let scaled: Vec<f64> = series.iter().map(|value| value * 20_000.0).collect();
        if let (Some(drift), None) = found(&scaled) {
            seen += u32::from((drift.change_share + 0.2).abs() < 0.06);
        }
    }
    println!("falls of 20%: {seen} of 1000 found");
    assert!(seen >= 950, "{seen}");
}

#[test]
fn a_drift_tells_from_when_on() {
    let rates: Vec<f64> = (0..100)
        .map(|n: i32| f64::from(10_000 - 50 * (n - 50).max(0)))
        .collect();
    let (drift, drop) = found(&rates);
    let drift = drift.unwrap();
    assert_eq!((drop, drift.from_ns), (None, 50 * STEP.0));
    assert!((drift.change_share + 0.245).abs() < 0.001, "{drift:?}");
}

#[test]
fn a_perfect_step_and_a_level_line_need_no_noise() {
    let step: Vec<f64> = (0..30)
        .map(|n| if n < 12 { 5000.0 } else { 1000.0 })
        .collect();
    let (drift, drop) = found(&step);
    let drop = drop.unwrap();
    assert_eq!((drift, drop.at_ns), (None, 12 * STEP.0));
    assert_eq!(
        (drop.iops_before, drop.iops_after, drop.change_share),
        (5000.0, 1000.0, -0.8)
    );
    assert_eq!(found(&[5000.0; 30]), (None, None));
    assert_eq!(found(&[0.0; 30]), (None, None));
    assert_eq!(found(&[5000.0; 9]), (None, None));
    assert_eq!(found(&[]), (None, None));
}

#[test]
fn a_dip_that_recovers_is_no_drop() {
    let mut rates = vec![5000.0; 60];
    rates[30..33].fill(500.0);
    assert_eq!(found(&rates), (None, None));
}
