//! How often two results of one and the same thing are called different: pairs of runs, and pairs of sweeps of 64 cells, on the
//! simulated devices of the table of coverage.
//!
//! `cargo xtask coverage` sets how many. Omitted: surveys, which choose their own points.

use super::tests::compared;
use super::*;
use crate::chance::Chance;
use crate::estimates::coverage::Cell;

/// Pairs that may be called different: 5%, and what chance adds.
const DIFFERENT_MAX: f64 = 0.0615;
/// Pairs of sweeps of which any cell may be.
const SWEEPS_MAX: f64 = 0.09;
const CELLS: usize = 64;

fn side(name: &str, results: Vec<Compared>) -> Side {
    Side {
        name: name.to_owned(),
        results,
    }
}

fn is_difference(verdict: Verdict) -> bool {
    match verdict {
        Verdict::Faster
        | Verdict::Slower
        | Verdict::WaitsLess
        | Verdict::WaitsMore
        | Verdict::Mixed => true,
        Verdict::NoDifference | Verdict::Identical | Verdict::Inconclusive => false,
    }
}

/// Of so many pairs of runs of a device: how many are called different, and how many have no answer.
fn pairs(cell: &Cell, count: usize, seed: u64) -> (usize, usize) {
    let mut chance = Chance(seed);
    let (mut different, mut open) = (0, 0);
    for pair in cell.records(2 * count, &mut chance).chunks(2) {
        let one = |record, number| side("", vec![compared(record, number)]);
        let verdict = compare_report(&one(&pair[0], 1), &one(&pair[1], 2), &[]).verdict;
        different += usize::from(is_difference(verdict));
        open += usize::from(verdict == Verdict::Inconclusive);
    }
    (different, open)
}

/// Whether any of 64 cells of two sweeps of a device differs.
fn sweeps_differ(cell: &Cell, seed: u64) -> bool {
    let mut chance = Chance(seed);
    let mut sweep = |session: u32| {
        let records = cell.records(CELLS, &mut chance);
        let numbered = records.iter().zip(1u32..);
        let cells = numbered.map(|(record, number)| {
            let mut one = compared(record, session);
            one.row.number = number;
            one.row.work.queue_depth = Some(number);
            one
        });
        side("", cells.collect())
    };
    let counts = compare_report(&sweep(1), &sweep(2), &[]).cell_counts;
    assert_eq!(counts.paired, CELLS as u64);
    counts.faster + counts.slower > 0
}

#[allow(
    clippy::disallowed_methods,
    reason = "the number of pairs is not part of any result"
)]
fn wanted(name: &str, default: usize) -> usize {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// In two threads, each with every second cell.
fn in_turns<T: Send>(cells: &[Cell], of: impl Fn(usize, &Cell) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let of = &of;
        let halves = [0, 1].map(|half| {
            scope.spawn(move || {
                let mine = cells.iter().enumerate().skip(half).step_by(2);
                mine.map(|(place, cell)| of(place, cell))
                    .collect::<Vec<T>>()
            })
        });
        halves
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    })
}

#[test]
fn two_runs_of_one_device_are_rarely_called_different() {
    let wanted = wanted("FATHOM_COVERAGE_PAIRS", 18);
    let all = Cell::all();
    let step = (all.len() / wanted.min(all.len())).max(1);
    let cells: Vec<Cell> = all.into_iter().step_by(step).collect();
    let each = wanted.div_ceil(cells.len());
    let found = in_turns(&cells, |place, cell| {
        (
            cell.time_s,
            cell.duration_s,
            pairs(cell, each, place as u64 + 1),
        )
    });
    let all = each * cells.len();
    let different: usize = found.iter().map(|(.., (different, _))| different).sum();
    let open: usize = found.iter().map(|(.., (_, open))| open).sum();
    let mut kinds: Vec<(u64, f64)> = found
        .iter()
        .map(|(time, duration, _)| (*duration, *time))
        .collect();
    kinds.sort_by(|one, other| one.partial_cmp(other).unwrap());
    kinds.dedup();
    for (duration, time) in kinds {
        let mine = found
            .iter()
            .filter(|one| (one.1, one.0) == (duration, time));
        let (count, sum) = mine.fold((0, 0), |sum, (.., (different, _))| {
            (sum.0 + each, sum.1 + different)
        });
        println!("pairs of {duration} s, noise of {time} s: {sum} of {count} different");
    }
    println!("| pairs of runs called different: {different} of {all}; without an answer: {open} |");
    // Chance adds three standard deviations to a small number of pairs.
    let chance = 3.0 * (0.05 * 0.95 / all as f64).sqrt();
    let share = different as f64 / all as f64;
    assert!(
        share <= DIFFERENT_MAX.max(0.05 + chance),
        "{different} of {all}"
    );
}

#[test]
fn two_sweeps_of_one_device_rarely_have_a_cell_that_differs() {
    let short: Vec<Cell> = Cell::all()
        .into_iter()
        .filter(|cell| cell.duration_s == 1)
        .collect();
    let all = wanted("FATHOM_COVERAGE_SWEEPS", 2);
    let step = (short.len() / all.min(short.len())).max(1);
    let cells: Vec<Cell> = short
        .iter()
        .cycle()
        .step_by(step)
        .take(all)
        .copied()
        .collect();
    let found = in_turns(&cells, |place, cell| {
        let is_short = cell.time_s < cell.duration_s as f64;
        (is_short, sweeps_differ(cell, place as u64 + 1))
    });
    let different = found.iter().filter(|(_, differs)| *differs).count();
    println!(
        "| pairs of sweeps of {CELLS} cells with any cell called different: {different} of {all} |"
    );
    // One run does not show noise that stays as long as the run: that is a limit, and not asserted.
    let short = found.iter().filter(|(is_short, _)| *is_short);
    let short: Vec<bool> = short.map(|(_, differs)| *differs).collect();
    let different = short.iter().filter(|differs| **differs).count();
    let all = short.len();
    println!("| the same where noise is shorter than the run: {different} of {all} |");
    let chance = 3.0 * (0.05 * 0.95 / all.max(1) as f64).sqrt();
    let share = different as f64 / all.max(1) as f64;
    assert!(
        share <= SWEEPS_MAX.max(0.05 + chance),
        "{different} of {all}"
    );
}
