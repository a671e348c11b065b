//! What to run next, from what has been measured. Pure: it never runs anything and reads no clock.
//!
//! A survey: a caller asks `next`, runs the point, and asks again with the result added. Read in this order: `survey`
//! (the seven workloads and when each stops), `budget` (how long each cell may take).
//!
//! A sweep: its cells are known before the first one runs. `grid` (axes, groups, exclusions → cells), `order` (which
//! comes when), `repeat` (how often), `key` (what a cell is known by on the shelf), `forecast` (how long it all takes).
//!
//! Deliberately absent: files, time, printing, and what the numbers mean (`analysis`).

mod budget;
mod forecast;
mod grid;
mod key;
mod order;
mod repeat;
mod survey;

pub use budget::{BUDGET_DEFAULT, CELL_MAX, MEASURED_MIN, WARMUP_MAX, WARMUP_MIN};
pub use forecast::{AROUND_GUESS, FILL_GUESS_BYTES_PER_S, Pace, filling};
pub use grid::{Axis, CELLS_MAX, Cell, Exclusion, Grid, GridProblem, Group};
pub use key::key;
pub use order::{Order, Turn, turns};
pub use repeat::Repeat;
pub use survey::{Survey, SurveyError, SurveyRequest, SurveyWorkload};

use model::{Nanos, QueueDepth, RunRecord, Timespan};

/// What to run next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The workload's name.
    pub label: String,
    /// I/Os outstanding; the timespan says the same.
    pub queue_depth: QueueDepth,
    /// The request, unchecked.
    pub timespan: Timespan,
}

/// A point that has been run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The point's label.
    pub label: String,
    /// What came of it.
    pub record: RunRecord,
    /// What the cell cost in all, from being handed out to the next question.
    pub wall: Nanos,
}

/// A walk through points, each chosen from the results before it.
pub trait Sweep {
    /// The next point, or `None` at the end. The same `done` always gives the same answer. `done` holds
    /// every point that was handed out, in order, failed ones included.
    fn next(&self, done: &[Measured]) -> Option<Point>;

    /// How many cells may still come, at most; 0 exactly when `next` is `None`.
    fn cells_left_max(&self, done: &[Measured]) -> usize;
}
