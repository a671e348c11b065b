//! Stalls as events of the time line: when each ended, how long it was, and whether they come at regular times.
//!
//! A step in which an I/O completed that took far longer than usual is the end of a stall only if I/Os are missing for as
//! long: a single slow I/O next to others that continued is none. Omitted: stalls below 100 ms, which steps of that length do
//! not show.

use crate::intervals::{IntervalRow, full_intervals};
use model::Nanos;

/// A shorter one is part of the tail.
const LENGTH_MIN_NS: f64 = 1e8;
/// The longest I/O of the step, compared with the longest of most steps.
const LONGER_MIN: f64 = 3.0;
/// I/Os are missing for at least this share of its length. Of two I/Os in flight one that is slow leaves the half.
const MISSING_MIN: f64 = 0.75;
const EVENTS_OF_PERIOD: usize = 3;
const APART_MAX: f64 = 0.15;

/// A stall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stalled {
    /// End of the step in which it ended, in nanoseconds from the start of the measured phase.
    pub(crate) to_ns: f64,
    /// How long nothing was completed, in nanoseconds.
    pub(crate) length_ns: f64,
}

/// Returns the stalls of a time line in order. `usual_ns` is what most I/Os take: an I/O that waits for the end of a stall
/// takes that in addition.
pub(crate) fn pauses(rows: &[IntervalRow], step: Nanos, usual_ns: f64) -> Vec<Stalled> {
    let full = full_intervals(rows, step);
    let longest = |row: &IntervalRow| row.latency_max_ns.unwrap_or(0) as f64;
    let (usual_max, typical) = (
        median(full.iter().map(longest)),
        median(full.iter().map(ios)),
    );
    let step_ns = step.0 as f64;
    let mut found: Vec<(usize, Stalled)> = Vec::new();
    for (number, row) in full.iter().enumerate() {
        let length_ns = longest(row) - usual_ns;
        if length_ns < LENGTH_MIN_NS || longest(row) < LONGER_MIN * usual_max || typical <= 0.0 {
            continue;
        }
        let reach = |ns: f64| number.saturating_sub((ns / step_ns).ceil() as usize);
        let missing = |from: usize| {
            let short = full[from..=number]
                .iter()
                .map(|row| (1.0 - ios(row) / typical).max(0.0));
            short.sum::<f64>() * step_ns
        };
        if missing(reach(length_ns)) < MISSING_MIN * length_ns {
            continue;
        }
        let stalled = Stalled {
            to_ns: (row.from_ns + row.length_ns) as f64,
            length_ns,
        };
        // The queue of one stall may be served beyond the end of its step.
        let same = found.last().is_some_and(|(before, last)| {
            let apart = (number - before) as f64 * step_ns;
            let both = last.length_ns + length_ns;
            apart + step_ns < length_ns
                || *before + 1 == number && missing(reach(both)) < MISSING_MIN * both
        });
        match found.last_mut().filter(|_| same) {
            Some((_, last)) => last.length_ns = last.length_ns.max(length_ns),
            None => found.push((number, stalled)),
        }
    }
    found.into_iter().map(|(_, stalled)| stalled).collect()
}

fn ios(row: &IntervalRow) -> f64 {
    row.ios as f64
}

/// Returns the time from one to the next, if it is always the same as far as steps show it.
pub(crate) fn period(stalls: &[Stalled], step: Nanos) -> Option<f64> {
    let (first, last) = stalls.first().zip(stalls.last())?;
    if stalls.len() < EVENTS_OF_PERIOD {
        return None;
    }
    let mean = (last.to_ns - first.to_ns) / (stalls.len() - 1) as f64;
    let even = |pair: &[Stalled]| {
        let gap = pair[1].to_ns - pair[0].to_ns;
        (gap - mean).abs() <= APART_MAX * mean + step.0 as f64
    };
    // Where a step is a large part of it, anything is regular.
    let shown = mean >= 4.0 * step.0 as f64;
    (shown && stalls.windows(2).all(even)).then_some(mean)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    match values.is_empty() {
        true => 0.0,
        false => *values.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Nanos = Nanos::millis(200);

    /// Steps of 1000 I/Os of at most 2 ms, but for those that are named: (number, I/Os, longest in ms).
    fn line(other: &[(usize, u64, u64)]) -> Vec<IntervalRow> {
        let row = |number: usize| {
            let other = other.iter().find(|(at, ..)| *at == number);
            let (ios, max_ms) = other.map_or((1000, 2), |(_, ios, ms)| (*ios, *ms));
            IntervalRow {
                from_ns: number as u64 * STEP.0,
                length_ns: STEP.0,
                ios,
                bytes: 0,
                iops: None,
                bytes_per_s: None,
                latency_mean_ns: None,
                latency_max_ns: Some(max_ms * 1_000_000),
            }
        };
        (0..50).map(row).collect()
    }

    #[test]
    fn each_stall_is_an_event_and_regular_ones_have_a_period() {
        let ends = [5, 15, 25, 35];
        let other: Vec<_> = ends
            .iter()
            .flat_map(|end| [(end - 1, 0, 0), (*end, 500, 301)])
            .collect();
        let found = pauses(&line(&other), STEP, 1e6);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0].length_ns, 3e8);
        assert_eq!(period(&found, STEP), Some(2e9));
        assert_eq!(period(&found[..2], STEP), None, "two have no period");
        let uneven = [
            (4, 0, 0),
            (5, 500, 301),
            (9, 0, 0),
            (10, 500, 301),
            (34, 0, 0),
            (35, 500, 301),
        ];
        assert_eq!(period(&pauses(&line(&uneven), STEP, 1e6), STEP), None);
    }

    #[test]
    fn a_slow_io_beside_others_is_no_stall_and_a_queue_served_late_is_no_second() {
        assert_eq!(pauses(&line(&[(9, 990, 400)]), STEP, 1e6), []);
        let one_of_two = [(8, 500, 2), (9, 500, 401)];
        assert_eq!(pauses(&line(&one_of_two), STEP, 1e6), []);
        let late = [(8, 0, 0), (9, 300, 340), (10, 990, 345)];
        assert_eq!(pauses(&line(&late), STEP, 1e6).len(), 1);
        assert_eq!(pauses(&[], STEP, 1e6), []);
    }
}
