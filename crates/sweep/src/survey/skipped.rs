//! What a survey did not run of the whole grid, and why: so that an omission is not read as a measurement.

use super::load::Load;
use super::row::Row;
use analysis::Reached;

/// The loads of one workload that were not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub workload: String,
    /// How many loads of the grid.
    pub loads: usize,
    /// Why, in one sentence.
    pub why: String,
}

impl Skipped {
    /// `is_known` where the climb has come to its end.
    pub(crate) fn of(name: &str, grid: &[Load], row: &Row, is_known: bool) -> Option<Skipped> {
        let left = grid.iter().filter(|load| row.at(**load).is_none());
        let left: Vec<&Load> = left.collect();
        (!left.is_empty()).then(|| Skipped {
            workload: name.to_owned(),
            loads: left.len(),
            why: why(&left, row, is_known),
        })
    }
}

fn why(left: &[&Load], row: &Row, is_known: bool) -> String {
    let best = row.best().filter(|_| !row.spoilt);
    let cells = row.cells.iter();
    let rates = cells.map(|cell| (u64::from(cell.load.in_flight()), cell.rate));
    if row.is_new() {
        return "the survey ended before them".to_owned();
    }
    let Some(reached) = best.and_then(|best| Reached::of(rates, best.rate)) else {
        return "a run before them failed, was stopped or moved nothing".to_owned();
    };
    if !is_known {
        return "the survey ended before it was known whether they were redundant".to_owned();
    }
    let knee = reached.in_flight;
    let of = |wanted: &dyn Fn(&Load) -> bool| left.iter().any(|load| wanted(load));
    let mut parts = Vec::new();
    if of(&|load| load.threads == 1 && u64::from(load.in_flight()) < knee) {
        parts.push(format!(
            "below {knee} in flight the rate follows from the service time"
        ));
    }
    if of(&|load| load.threads == 1 && u64::from(load.in_flight()) > knee) {
        parts.push(match reached.is_knee {
            true => format!("beyond {knee} in flight more brought nothing"),
            false => format!("more than {knee} in flight was not run"),
        });
    }
    if of(&|load| load.threads > 1) {
        parts.push(match row.cells.iter().any(|cell| cell.load.threads > 1) {
            true => "of more threads, those that could bring more were run".to_owned(),
            false => "one thread was not the limit".to_owned(),
        });
    }
    parts.join("; ")
}
