//! How far one run is from the next of the same work on the same target: from the repeats of the other side, or from earlier
//! results.
//!
//! Sources: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, for the variance between runs as what
//! decides; of earlier runs, the differences of neighbours in time (von Neumann, Annals of Mathematical Statistics 12 (1941),
//! page 367), of which the median is taken, so that a change between two of them, such as the one that is looked for, counts
//! for little. Omitted: what is found within one run.

use super::compared::Compared;
use super::metric::Metric;
use super::pair::{PLACE, WORK, text};
use super::spread::{Spread, of_one};
use model::{Origin, ResultRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewest repeats of one side that represent those of the other.
const REPEATS_MIN: usize = 3;
/// Fewest differences of earlier runs.
const DIFFERENCES_MIN: usize = 5;
/// The median of the square of a normal variable with deviation 1.
const MEDIAN_SQUARE: f64 = 0.454_936;
/// Of the differences of a normal variable, a median is worth so many of a mean of squares.
const WORTH: f64 = 0.37;
/// Results that were measured for another time vary in another way.
const TIME_RATIO: f64 = 1.5;

/// From where it is known how far one run is from the next.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BetweenRuns {
    /// Both sides have several runs, or one has enough for both.
    Repeats,
    /// Earlier results of the same work on the same target.
    History,
    /// It is not known: intervals are of these two runs.
    Unknown,
}

/// How far one run of a cell is from the next.
pub(super) struct Between {
    pub(super) from: BetweenRuns,
    /// Earlier results, in the order in which they ran.
    earlier: Vec<ResultRow>,
}

impl Between {
    /// Of a cell. `history` is in the order in which it ran.
    pub(super) fn of(a: &[&Compared], b: &[&Compared], history: &[ResultRow]) -> Between {
        let known = |from, earlier| Between { from, earlier };
        if a.len() > 1 && b.len() > 1 || a.len().max(b.len()) >= REPEATS_MIN {
            return known(BetweenRuns::Repeats, Vec::new());
        }
        let compared = || a.iter().chain(b).map(|one| &one.row);
        let Some(first) = compared().find(|row| row.origin == Origin::Measured) else {
            return known(BetweenRuns::Unknown, Vec::new());
        };
        let is_new = |row: &&ResultRow| compared().all(|one| one.name() != row.name());
        let alike = |row: &&ResultRow| is_new(row) && is_alike(first, row);
        let earlier: Vec<ResultRow> = history.iter().filter(alike).cloned().collect();
        match earlier.len() > DIFFERENCES_MIN {
            true => known(BetweenRuns::History, earlier),
            false => known(BetweenRuns::Unknown, Vec::new()),
        }
    }

    /// Of one figure, for a side of one run; `other` are the values of the other side.
    pub(super) fn spread(&self, metric: &Metric, other: &[f64]) -> Option<Spread> {
        if other.len() >= REPEATS_MIN {
            let logs: Vec<f64> = other.iter().map(|value| value.ln()).collect();
            return logs
                .iter()
                .all(|log| log.is_finite())
                .then(|| of_one(&logs));
        }
        let values = self.earlier.iter().filter_map(|row| metric.value(row));
        let logs: Vec<f64> = values.map(f64::ln).filter(|log| log.is_finite()).collect();
        let squares = logs.windows(2).map(|two| (two[1] - two[0]).powi(2));
        let mut squares: Vec<f64> = squares.collect();
        if squares.len() < DIFFERENCES_MIN {
            return None;
        }
        squares.sort_by(f64::total_cmp);
        let median = f64::midpoint(squares[(squares.len() - 1) / 2], squares[squares.len() / 2]);
        // A difference has the variance of both.
        let error = (median / MEDIAN_SQUARE / 2.0).sqrt();
        Some(Spread {
            low: error,
            high: error,
            freedom: (WORTH * squares.len() as f64).max(1.0),
        })
    }
}

/// Whether two results are of the same work in the same place, measured for about as long.
fn is_alike(one: &ResultRow, other: &ResultRow) -> bool {
    let fields = || WORK.iter().chain(&PLACE);
    let of_fields = fields().all(|field| text(one, field) == text(other, field));
    let long = |row: &ResultRow| row.measured.map_or(0.0, |time| time.0 as f64);
    let (a, b) = (long(one), long(other));
    of_fields && other.origin == Origin::Measured && a.max(b) <= TIME_RATIO * a.min(b)
}
