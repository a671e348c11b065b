//! The figures of one cell on both sides, and of all cells together.

use super::between::Between;
use super::change::{Change, Level};
use super::compared::Compared;
use super::metric::{Kind, METRICS, Metric};
use super::pair::Pair;
use super::spread::Shown;
use crate::estimate::NotKnown;
use model::Origin;

/// A cell of both sides: its name, its figures, and why a side of it is doubtful.
#[derive(Clone, Debug)]
pub(super) struct JudgedCell {
    pub(super) name: String,
    pub(super) figures: Vec<Figure>,
    pub(super) doubt: Option<String>,
    /// A side is INVALID for a cause that the other does not have: nothing can be concluded from it.
    pub(super) is_void: bool,
}

/// One figure on both sides.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) metric: &'static Metric,
    /// In the field's unit; of several runs, and over cells, the geometric mean.
    pub(super) a: f64,
    pub(super) b: f64,
    /// None where a side is 0.
    pub(super) change: Option<Change>,
    /// Why there is no change, or none with an interval.
    pub(super) cannot: Option<String>,
    /// Cells that it is of.
    pub(super) cells: u64,
}

/// All figures of a cell that both sides have.
pub(super) fn of_cell(cell: &Pair<'_>, between: &Between) -> Vec<Figure> {
    let same = cell.a.len() == cell.b.len()
        && cell
            .a
            .iter()
            .zip(&cell.b)
            .all(|(a, b)| a.row.session > 0 && a.row.name() == b.row.name());
    (0..METRICS.len())
        .filter_map(|place| figure(cell, between, place, same))
        .collect()
}

fn figure(cell: &Pair<'_>, between: &Between, place: usize, same: bool) -> Option<Figure> {
    let metric = &METRICS[place];
    let side = |results: &[&Compared]| -> Vec<(f64, Shown)> {
        let values = results.iter().filter_map(|one| {
            let value = metric.value(&one.row)?;
            Some((value, one.spread(place)))
        });
        values.collect()
    };
    let (runs_a, runs_b) = (side(&cell.a), side(&cell.b));
    if runs_a.is_empty() || runs_b.is_empty() {
        return None;
    }
    let values = |runs: &[(f64, Shown)]| runs.iter().map(|(value, _)| *value).collect::<Vec<_>>();
    let level = |own: &[(f64, Shown)], other: &[(f64, Shown)]| {
        Level::of(own, between.spread(metric, &values(other)))
    };
    let levels = level(&runs_a, &runs_b).zip(level(&runs_b, &runs_a));
    let change = levels.map(|(a, b)| {
        if same {
            Change::NONE
        } else {
            Change::between(a, b)
        }
    });
    let cannot = match change {
        None => Some(zero(&runs_a)),
        Some(Change { spread: None, .. }) => why(cell, place, metric),
        Some(_) => None,
    };
    let mean = |runs: &[(f64, Shown)]| match Level::of(runs, None) {
        Some(level) => level.log.exp(),
        None => 0.0,
    };
    let exact = |runs: &[(f64, Shown)]| match runs {
        [(value, _)] => *value,
        _ => mean(runs),
    };
    Some(Figure {
        metric,
        a: exact(&runs_a),
        b: exact(&runs_b),
        change,
        cannot,
        cells: 1,
    })
}

fn zero(runs_a: &[(f64, Shown)]) -> String {
    let side = if runs_a.iter().any(|(value, _)| *value <= 0.0) {
        "A"
    } else {
        "B"
    };
    format!("it is 0 in {side}, and of that there is no ratio")
}

/// Why the data do not report it how far it may be off.
fn why(cell: &Pair<'_>, place: usize, metric: &Metric) -> Option<String> {
    let sides = [("A", &cell.a), ("B", &cell.b)];
    let single = sides
        .into_iter()
        .find_map(|(side, results)| match results.as_slice() {
            [one] => Some((side, one, one.spread(place).err()?)),
            _ => None,
        });
    let Some((side, one, why)) = single else {
        let unsteady =
            "it swung so much that it is not known to a factor of 10: measure longer, or repeat";
        return Some(unsteady.to_owned());
    };
    let name = one.row.name();
    if one.row.origin == Origin::Imported {
        return Some(format!(
            "{name} of {side} was imported, and one run of another tool has no error bound: import \
             repeats of it, or measure with fathom"
        ));
    }
    let what = match (why, metric.kind) {
        (NotKnown::FewIos, Kind::At(..)) => {
            "too few I/Os beyond it that are independent: measure longer"
        }
        _ => why.sentence(),
    };
    Some(format!("not known in {name} of {side}: {what}"))
}

/// The figures of all cells together, each over the cells that have it.
pub(super) fn over(cells: &[Vec<Figure>]) -> Vec<Figure> {
    METRICS
        .iter()
        .filter_map(|metric| over_cells(cells, metric))
        .collect()
}

fn over_cells(cells: &[Vec<Figure>], metric: &'static Metric) -> Option<Figure> {
    let mine: Vec<&Figure> = cells
        .iter()
        .filter_map(|figures| figures.iter().find(|figure| figure.metric == metric))
        .collect();
    if let [one] = mine.as_slice() {
        return Some((*one).clone());
    }
    let with: Vec<&&Figure> = mine
        .iter()
        .filter(|figure| figure.change.is_some())
        .collect();
    let changes: Vec<Change> = with.iter().filter_map(|figure| figure.change).collect();
    let change = Change::over(&changes);
    let mean = |of: fn(&Figure) -> f64| {
        let logs = with.iter().map(|figure| of(figure).ln()).sum::<f64>();
        (logs / with.len().max(1) as f64).exp()
    };
    let cannot = match change {
        Some(Change {
            spread: Some(_), ..
        }) => None,
        _ => mine.iter().find_map(|figure| figure.cannot.clone()),
    };
    (!mine.is_empty()).then(|| Figure {
        metric,
        a: if with.is_empty() {
            0.0
        } else {
            mean(|figure| figure.a)
        },
        b: if with.is_empty() {
            0.0
        } else {
            mean(|figure| figure.b)
        },
        change,
        cannot,
        cells: with.len() as u64,
    })
}
