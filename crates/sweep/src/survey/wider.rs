//! The next load of a workload: one of a climb, or of more threads, where one thread cannot show what the target can.
//!
//! Twice the threads do at most twice what they did at the same depth, so every depth at which one half's rate, doubled,
//! lies above the best is a candidate. Where the deepest load still gained, more of the same is asked for: the depth stays.
//! Where a processor was the limit (the tool's own thread, or a worker of the kernel that carries out the I/Os of one
//! ring), other depths may suit more threads better than the one that suited one: as many I/Os in flight as before come
//! first, then the depth that was best, then the lightest candidate, and at last the neighbours of the best of these.

use super::climb::{Climb, Limits, Why};
use super::load::Load;
use super::row::{Cell, Row};
use analysis::{GAIN_MIN, KNEE_SHARE};

/// Loads of one number of threads, at most: as many as a ladder has rungs.
pub(super) const LOADS_MAX: usize = 8;

/// The next load of a workload, or `None` when it is known. `ceiling` is the peak that others of its kind foretell.
pub(super) fn next(row: &Row, limits: &Limits, roof: Option<f64>) -> Option<(Load, Why)> {
    if row.spoilt || row.is_run_afresh() {
        return None;
    }
    let limits = &limits.of_a_slow_target(row);
    let climb = Climb::on(row, &limits.ladder, roof);
    climb.next().or_else(|| more_threads(row, limits))
}

/// The next load, or `None` where more threads are not wanted or known.
fn more_threads(row: &Row, limits: &Limits) -> Option<(Load, Why)> {
    let top = *limits.ladder.last()?;
    if top.threads > 1 {
        return None; // the ladder itself climbs by threads
    }
    let widths = (0..limits.threads_max.ilog2()).map(|step| 1u32 << step);
    let mut before = 0.0f64;
    for threads in widths {
        let narrow = best(row, threads)?;
        let below = row
            .cells
            .iter()
            .filter(|cell| cell.load.in_flight() < narrow.load.in_flight())
            .map(|cell| cell.rate)
            .fold(0.0, f64::max);
        let at_the_end = narrow.load.in_flight() >= top.in_flight();
        let load = if narrow.rate <= GAIN_MIN * before {
            return None; // these threads brought nothing
        } else if is_bound(row, narrow) {
            of_full_processors(row, narrow, limits)
        } else if at_the_end && narrow.rate > GAIN_MIN * below {
            open(row, narrow.load.depth, 2 * threads)
        } else {
            return None;
        };
        let load = load.filter(|load| load.in_flight() <= limits.in_flight_max);
        if load.is_some() {
            return load.map(|load| (load, Why::Threads));
        }
        before = before.max(narrow.rate);
    }
    None
}

/// Of these threads, the load that surely reaches the most.
fn best(row: &Row, threads: u32) -> Option<&Cell> {
    let mine = row.cells.iter().filter(|cell| cell.load.threads == threads);
    mine.max_by(|a, b| a.at_least().total_cmp(&b.at_least()))
}

/// A processor was the limit of this load, or of one of as many threads that does as much: short cells show it only when
/// they are lucky.
fn is_bound(row: &Row, narrow: &Cell) -> bool {
    row.cells.iter().any(|cell| {
        let alike = cell.load.threads == narrow.load.threads;
        alike && cell.tool_bound && cell.rate >= KNEE_SHARE * narrow.rate
    })
}

fn open(row: &Row, depth: u32, threads: u32) -> Option<Load> {
    let load = Load { threads, depth };
    row.at(load).is_none().then_some(load)
}

fn of_full_processors(row: &Row, narrow: &Cell, limits: &Limits) -> Option<Load> {
    let threads = 2 * narrow.load.threads;
    let lightest = row.cells.iter().find(|cell| {
        let alike = cell.load.threads == narrow.load.threads;
        alike && 2.0 * cell.rate > GAIN_MIN * narrow.rate
    });
    let depths = [
        Some((narrow.load.depth / 2).max(1)),
        Some(narrow.load.depth),
        lightest.map(|cell| cell.load.depth),
    ];
    let asked = depths.into_iter().flatten();
    asked
        .filter_map(|depth| open(row, depth, threads))
        .next()
        .or_else(|| beside_the_best(row, narrow, limits))
}

/// The next deeper one where the best is the deepest that was run, and its neighbours where a deeper one is slower.
fn beside_the_best(row: &Row, narrow: &Cell, limits: &Limits) -> Option<Load> {
    let threads = 2 * narrow.load.threads;
    let wide = best(row, threads)?;
    let is_deepest = row.cells.iter().all(|cell| {
        let alike = cell.load.threads == threads;
        !alike || cell.load.depth <= wide.load.depth
    });
    let deeper = wide.load.depth * 2;
    let allowed = limits.ladder.iter().any(|load| load.depth == deeper);
    if is_deepest && allowed && wide.rate > GAIN_MIN * narrow.rate {
        return open(row, deeper, threads);
    }
    let ladder: Vec<Load> = limits
        .ladder
        .iter()
        .map(|load| Load { threads, ..*load })
        .collect();
    Climb::on(row, &ladder, None).peak().map(|(load, _)| load)
}

#[cfg(test)]
mod tests {
    use super::super::load::ladder;
    use super::*;
    use model::EngineChoice;

    /// A row of one thread at every depth, and what `next` asks for after it.
    fn asked(threads_max: u32, rate: impl Fn(Load) -> f64, tool_bound: bool) -> Vec<(u32, u32)> {
        let limits = Limits {
            ladder: ladder(EngineChoice::Auto, 128, threads_max),
            threads_max,
            in_flight_max: u32::MAX,
        };
        let cell = |load: Load| Cell::sample(load, rate(load), 0.01, tool_bound);
        let mut row = Row {
            cells: limits.ladder.iter().map(|load| cell(*load)).collect(),
            spoilt: false,
            lasting: false,
        };
        let mut asked = Vec::new();
        while let Some((load, why)) = more_threads(&row, &limits) {
            assert_eq!(why, Why::Threads);
            assert!(row.at(load).is_none() && asked.len() < 40, "{asked:?}");
            asked.push((load.threads, load.depth));
            row.cells.push(cell(load));
            row.cells
                .sort_by_key(|cell| (cell.load.in_flight(), cell.load.threads));
        }
        asked
    }

    /// One worker of the kernel carries out what one ring asks for; each I/O in flight costs a little in addition.
    fn of_workers(load: Load) -> f64 {
        let busy = f64::from(load.threads.min(2));
        let crowd = f64::from(load.in_flight()).log2() * 0.08;
        busy * 5000.0 * (1.0 - crowd)
    }

    #[test]
    fn where_a_worker_is_full_two_threads_are_tried_at_other_depths_too() {
        let wide = asked(2, of_workers, true);
        assert_eq!(wide, [(2, 1), (2, 2)], "depth 1 was the best of one thread");
        let deep = |load: Load| match load {
            Load {
                threads: 1,
                depth: 4,
            } => 5100.0,
            other => of_workers(other),
        };
        let wide = asked(2, deep, true);
        assert_eq!(wide, [(2, 2), (2, 4), (2, 1)]);
    }

    #[test]
    fn a_lighter_load_of_two_threads_is_come_upon() {
        // Batches bring one thread to 0.9 of what two threads do one at a time, and two threads no further.
        let rate = |load: Load| match (load.threads, load.depth) {
            (1, depth) => 500_000.0 + 57_000.0 * f64::from(depth.ilog2()),
            (_, 1) => 980_000.0,
            (_, _) => 800_000.0,
        };
        let wide = asked(2, rate, true);
        assert_eq!(wide[..3], [(2, 64), (2, 128), (2, 1)]);
        assert_eq!(wide[3..], [(2, 2)], "next to the best");
    }

    #[test]
    fn more_threads_that_bring_nothing_are_the_last() {
        let capped = |load: Load| 1000.0 * f64::from(load.in_flight().min(8));
        assert_eq!(asked(8, capped, false), []);
        assert_eq!(asked(8, capped, true), [(2, 64), (2, 128), (2, 8)]);
        let gains = |load: Load| f64::from(load.in_flight().min(512));
        assert_eq!(asked(8, gains, false), [(2, 128), (4, 128), (8, 128)]);
    }
}
