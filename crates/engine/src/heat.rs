//! How a thread's latencies were spread, step by step, without a trace in the hot loop: when a step closes, what the
//! running histogram counted since the last look goes into a row that was allocated before the start.
//!
//! A look reads only the columns between the step's smallest and largest latency, and is done once per step. Memory is
//! bounded: where a row a step would take more than [`MEMORY_MAX`] over all threads, several steps share one, and the
//! record contains the length of a row.

use crate::thread_plan::places;
use model::{HeatRow, LatencyHeat, LatencyHistogram, Nanos, Operation, Plan};
use std::ops::RangeInclusive;

/// What the rows of all threads may take together.
pub(crate) const MEMORY_MAX: usize = 16 << 20;
const COLUMNS: usize = LatencyHeat::COLUMNS;

/// Rows of one thread, target and operation.
#[derive(Debug)]
pub(crate) struct HeatRows {
    steps_a_row: usize,
    seen: Box<[u64]>, // by column: counts of the histogram at the last look
    rows: Vec<u64>,   // COLUMNS a row; touched only where something falls in
}

impl HeatRows {
    /// For all steps of a plan in which each thread has so many steps a row.
    pub(crate) fn new(steps: usize, steps_a_row: usize) -> Self {
        HeatRows {
            steps_a_row,
            seen: vec![0; COLUMNS].into(),
            rows: vec![0; steps.div_ceil(steps_a_row) * COLUMNS],
        }
    }

    /// Counts for a step what came since the last look: latencies in the range `within`.
    pub(crate) fn look(
        &mut self,
        step: usize,
        latency: &LatencyHistogram,
        within: RangeInclusive<Nanos>,
    ) {
        let row = step / self.steps_a_row * COLUMNS;
        let (min, max) = within.into_inner();
        for column in LatencyHistogram::column_of(min)..=LatencyHistogram::column_of(max) {
            let now = latency.column(column);
            self.rows[row + column] += now - self.seen[column];
            self.seen[column] = now;
        }
    }

    /// The record's form, of so many steps; `None` where nothing was counted.
    pub(crate) fn into_record(
        self,
        target: u32,
        operation: Operation,
        interval_ns: u64,
        steps: usize,
    ) -> Option<LatencyHeat> {
        let rows = self.rows.chunks(COLUMNS).map(HeatRow::of_dense);
        let heat = LatencyHeat {
            target,
            operation,
            step: Nanos(interval_ns.saturating_mul(self.steps_a_row as u64)),
            rows: rows.take(steps.div_ceil(self.steps_a_row)).collect(),
        };
        (heat.total() > 0).then_some(heat)
    }
}

/// How many steps share a row, so that the rows of all threads take no more than they may.
pub(crate) fn steps_a_row(plan: &Plan) -> usize {
    let seats: usize = places(plan, 0).iter().map(|place| place.seats.len()).sum();
    let each = seats.max(1) * Operation::ALL.len() * COLUMNS * size_of::<u64>();
    let rows = (MEMORY_MAX / each).max(1);
    steps(plan).div_ceil(rows).max(1)
}

/// Of the time series of a plan.
pub(crate) fn steps(plan: &Plan) -> usize {
    plan.phases.measured.0.div_ceil(plan.interval.0) as usize
}

/// Adds what one thread did to one target to what all did, in order of target and operation.
pub(crate) fn gather(all: &mut Vec<LatencyHeat>, parts: Vec<LatencyHeat>) {
    for part in parts {
        let key = |heat: &LatencyHeat| (heat.target, heat.operation);
        match all.binary_search_by_key(&key(&part), key) {
            Ok(place) => {
                let merged = all[place].merge(&part);
                debug_assert!(merged, "all rows of a plan are equally long");
            }
            Err(place) => all.insert(place, part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::tests::{plan, planned};

    #[test]
    fn each_step_gets_what_came_in_it() {
        let mut latency = LatencyHistogram::new();
        let mut rows = HeatRows::new(3, 1);
        let mut count = |step, values: &[u64]| {
            values.iter().for_each(|ns| latency.record(Nanos(*ns)));
            let (min, max) = (values.iter().min().unwrap(), values.iter().max().unwrap());
            rows.look(step, &latency, Nanos(*min)..=Nanos(*max));
        };
        count(0, &[100, 5_000, 5_001]);
        count(2, &[100, 1 << 50]);
        let heat = rows.into_record(7, Operation::Write, 1000, 3).unwrap();
        let column = |ns| LatencyHeat::column_of(Nanos(ns));
        assert_eq!((heat.target, heat.step), (7, Nanos(1000)));
        assert_eq!(
            heat.rows[0].counts(),
            [(column(100), 1), (column(5_000), 2)]
        );
        assert_eq!(heat.rows[1].counts(), []);
        assert_eq!(heat.rows[2].counts(), [(column(100), 1), (280, 1)]);
    }

    #[test]
    fn rows_are_shared_where_they_would_take_too_much() {
        let mut long = plan(&[planned()]);
        long.phases.measured = Nanos::seconds(120);
        long.interval = Nanos::seconds(1);
        assert_eq!(steps_a_row(&long), 1);
        long.targets[0].threads = 64;
        assert_eq!(steps_a_row(&long), 3); // 58 rows a thread
        long.interval = Nanos::millis(1);
        assert_eq!(steps_a_row(&long), 2069);
        assert_eq!(steps(&long).div_ceil(2069), 58);
    }
}
