//! What to run next, from what has been measured. Pure: it never runs anything and reads no clock.
//!
//! A survey: a caller asks `next`, runs the point, and asks again with the result added. Read in this order: `survey`
//! (the seven workloads and when each stops), `budget` (how long each cell may take).
//!
//! A sweep: its cells are known before the first one runs. `grid` (axes, groups, exclusions → cells), `order` (which
//! comes when), `repeat` (how often), `key` (what a cell is known by in the database), `forecast` (how long it all takes).
//!
//! Deliberately absent: files, time, printing, and what the numbers mean (`analysis`).

mod budget;
mod forecast;
mod grid;
mod key;
mod order;
mod pts;
mod repeat;
mod survey;

pub use budget::{BUDGET_DEFAULT, CELL_MAX, MEASURED_MIN, WARMUP_MAX, WARMUP_MIN};
pub use forecast::{AROUND_GUESS, FILL_GUESS_BYTES_PER_S, Pace, filling, preparation};
pub use grid::{Axis, CELLS_MAX, Cell, Exclusion, Grid, GridProblem, Group};
pub use key::key;
pub use order::{Order, Turn, turns};
pub use pts::{Pts, PtsPoint, PtsRequest};
pub use repeat::{Repeat, is_tight};
pub use survey::{
    GRID_SHARE_DEFAULT, Load, PRECISION_DEFAULT, SETS, Skipped, Survey, SurveyError, SurveyOptions,
    SurveyRequest, SurveyWorkload, Why, WorkloadSet,
};

use analysis::Estimate;
use model::{Nanos, RunRecord, Timespan};

/// What to run next.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The workload's name.
    pub label: String,
    /// How hard; as in the timespan.
    pub load: Load,
    /// Why it is run.
    pub why: Why,
    /// Half of the 95% interval of its rate, as a share of it, at which it may end before its time.
    pub precision: Option<f64>,
    /// The request, unchecked.
    pub timespan: Timespan,
}

/// A point that has been run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The point's label.
    pub label: String,
    /// Its result.
    pub record: RunRecord,
    /// What the cell cost in all, from being handed out to the next question.
    pub wall: Nanos,
    /// IOPS, with what is known of it.
    rate: Estimate,
    /// I/Os that completed.
    ios: u64,
    /// Mean latency in seconds; `None` without I/Os.
    latency_s: Option<f64>,
    /// The tool, and not the target, was its limit.
    tool_bound: bool,
}

impl Measured {
    /// Reads the record once, so that the questions after it need not.
    pub fn new(label: String, record: RunRecord, wall: Nanos) -> Measured {
        let report = analysis::run_report(&record);
        let mean_ns = report.total().and_then(|row| row.latency.mean_ns);
        Measured {
            label,
            rate: analysis::rate_estimate(&record),
            ios: report.total().map_or(0, |row| row.ios),
            latency_s: mean_ns.map(|ns| ns / 1e9),
            tool_bound: report
                .findings
                .iter()
                .any(|one| one.limit() == Some(analysis::LimitKind::Tool)),
            record,
            wall,
        }
    }
}

/// A walk through points, each chosen from the results before it.
pub trait Sweep {
    /// The next point, or `None` at the end. The same `done` always gives the same answer. `done` contains
    /// every point that was handed out, in order, failed ones included.
    fn next(&self, done: &[Measured]) -> Option<Point>;

    /// How many cells may still come, at most; 0 exactly when `next` is `None`.
    fn cells_left_max(&self, done: &[Measured]) -> usize;
}
