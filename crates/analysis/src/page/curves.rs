//! Rate and latency over a growing load: which cells make a curve, and where it bends.
//!
//! A curve is one workload with one number of threads; its load is the number of I/Os outstanding over all threads. Of
//! several cells with one load the one whose rate stands in the middle is shown: a mean of percentiles is none. The runs of
//! one load of a survey are one point with the figures of all of them (`loads`).

use super::loads::load_of;
use super::reports::Surveyed;
use super::{CurveMark, CurvePoint, PageCell, PageCurve, PageLoad};
use crate::say;
use crate::survey::{KNEE_SHARE, Reached, SurveyKnee};
use model::{ResultRow, RowWork};
use std::collections::HashMap;
use std::hash::Hash;

/// A cell as the curves see it.
pub(super) struct Seen<'a> {
    /// Its place on the page.
    pub(super) place: usize,
    /// The cell.
    pub(super) cell: &'a PageCell,
    /// Its row.
    pub(super) row: &'a ResultRow,
}

impl Seen<'_> {
    /// Whether its figures may be used.
    pub(super) fn is_usable(&self) -> bool {
        let errors = self.row.total.errors.unwrap_or(0);
        let valid = self.cell.validity != Some(crate::verdict::Validity::Invalid);
        valid && !self.cell.failed && errors == 0 && self.rate() > 0.0
    }

    /// IOPS; 0 where it is not known.
    pub(super) fn rate(&self) -> f64 {
        self.cell.iops_estimate.map_or(0.0, |rate| rate.value)
    }

    /// Bytes a second; 0 where it is not known.
    pub(super) fn bytes_per_s(&self) -> f64 {
        let total = &self.row.total;
        let counted = || {
            let seconds = self.row.measured?.as_seconds();
            (seconds > 0.0).then(|| total.bytes.map(|bytes| bytes.0 as f64 / seconds))?
        };
        total.bytes_per_s.or_else(counted).unwrap_or(0.0)
    }

    /// I/Os outstanding over all threads, as asked; none of a rate, whose load is the rate itself.
    pub(super) fn outstanding(&self) -> Option<u64> {
        let work = &self.row.work;
        let asked = u64::from(work.queue_depth?) * u64::from(work.threads?);
        (work.target_iops.is_none() && asked > 0).then_some(asked)
    }

    /// The workload in words, without depth and threads: `4 KiB random reads`.
    pub(super) fn workload(&self) -> String {
        workload_in_words(&self.row.work)
    }

    /// What two cells of one curve have in common.
    fn key(&self) -> impl Eq + Hash + use<> {
        let work = &self.row.work;
        (
            (self.cell.part, self.row.target.clone(), self.workload()),
            (work.size, work.engine.clone(), work.random_percent),
            work.threads,
        )
    }
}

/// Names a workload without its depth and threads: `4 KiB random reads`.
pub(crate) fn workload_in_words(work: &RowWork) -> String {
    let mut words = Vec::new();
    words.extend(work.block.map(|block| say::bytes(block.0)));
    words.extend(work.pattern.clone());
    words.push(match work.write_percent {
        None => "I/Os".to_owned(),
        Some(0) => "reads".to_owned(),
        Some(100) => "writes".to_owned(),
        Some(share) => format!("reads, {share}% writes"),
    });
    let cached = work
        .cache
        .is_some_and(|mode| mode != model::CacheMode::Unbuffered);
    words.extend(cached.then(|| "through the cache".to_owned()));
    let through = work.write_through == Some(true);
    words.extend(through.then(|| "write-through".to_owned()));
    words.join(" ")
}

/// All curves with two loads or more, in the order of their first cells. The knees of a survey are those that it reports.
pub(super) fn curves(
    cells: &[Seen<'_>],
    surveyed: &HashMap<usize, Surveyed>,
    loads: &[PageLoad],
) -> Vec<PageCurve> {
    let mut groups: Vec<Vec<&Seen<'_>>> = Vec::new();
    let mut places = HashMap::new();
    let loaded =
        |seen: &&Seen<'_>| seen.rate() > 0.0 && !seen.cell.failed && seen.outstanding().is_some();
    for seen in cells.iter().filter(loaded) {
        let place = *places.entry(seen.key()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(seen),
            None => groups.push(vec![seen]),
        }
    }
    groups
        .iter()
        .filter_map(|group| curve(group, surveyed, loads))
        .collect()
}

fn curve(
    group: &[&Seen<'_>],
    surveyed: &HashMap<usize, Surveyed>,
    loads: &[PageLoad],
) -> Option<PageCurve> {
    let mut outstanding: Vec<u64> = group.iter().filter_map(|seen| seen.outstanding()).collect();
    outstanding.sort_unstable();
    outstanding.dedup();
    if outstanding.len() < 2 {
        return None;
    }
    let here = |load: u64| {
        let here = group.iter().copied();
        here.filter(move |seen| seen.outstanding() == Some(load))
    };
    let points: Vec<(CurvePoint, &Seen<'_>)> = outstanding
        .into_iter()
        .map(|load| point(load, here(load).collect(), loads))
        .collect();
    let part = group[0].cell.part;
    Some(PageCurve {
        part,
        workload: group[0].workload(),
        threads: group[0].row.work.threads.unwrap_or(1),
        knee: match surveyed.get(&part) {
            Some(surveyed) => reported_knee(&surveyed.knees, &points),
            None => knee(&points),
        },
        cap: None,
        points: points.into_iter().map(|(point, _)| point).collect(),
    })
}

/// Of the cells with one load, of which there is one at least.
fn point<'a, 'b>(
    outstanding: u64,
    mut here: Vec<&'a Seen<'b>>,
    loads: &[PageLoad],
) -> (CurvePoint, &'a Seen<'b>) {
    here.sort_by(|one, other| one.rate().total_cmp(&other.rate()));
    let middle = here[(here.len() - 1) / 2];
    let joined = here.iter().find_map(|seen| load_of(loads, seen.place));
    let first = joined.and_then(|load| {
        here.iter()
            .find(|seen| load.cells.first() == Some(&seen.place))
    });
    let shown = first.copied().unwrap_or(middle);
    let runs = joined.map_or(here.len(), |load| load.cells.len()) as u64;
    let point = CurvePoint {
        outstanding,
        cell: shown.place,
        runs,
    };
    (point, shown)
}

/// The survey's, on the curve that has its load with its threads.
fn reported_knee(
    knees: &[(String, Option<SurveyKnee>)],
    points: &[(CurvePoint, &Seen<'_>)],
) -> Option<CurveMark> {
    points.iter().find_map(|(point, seen)| {
        let (_, knee) = knees.iter().find(|(label, _)| *label == seen.cell.label)?;
        let knee = knee.as_ref()?;
        let threads = u64::from(seen.row.work.threads?);
        let here = (point.outstanding, threads) == (knee.in_flight, knee.threads);
        here.then(|| CurveMark {
            outstanding: Some(knee.in_flight as f64),
            iops: Some(knee.iops),
            how: reported_how(knee),
        })
    })
}

/// How a survey found its knee, in half a sentence.
pub(super) fn reported_how(knee: &SurveyKnee) -> String {
    format!(
        "the fewest outstanding that reach {} of the best rate of this workload, {} IOPS",
        say::percent(KNEE_SHARE),
        say::rate(knee.best_per_s)
    )
}

/// The smallest load that reaches 95% of the best rate of the curve, as everywhere; none where that is the largest load that
/// was tried, because then the rate may rise on.
fn knee(points: &[(CurvePoint, &Seen<'_>)]) -> Option<CurveMark> {
    let usable = || points.iter().filter(|(_, seen)| seen.is_usable());
    let best = usable().map(|(_, seen)| seen.rate()).fold(0.0, f64::max);
    let loads = usable().map(|(point, seen)| (point.outstanding, seen.rate()));
    let reached = Reached::of(loads, best).filter(|reached| reached.is_knee)?;
    let (point, seen) = usable().find(|(point, _)| point.outstanding == reached.in_flight)?;
    Some(CurveMark {
        outstanding: Some(point.outstanding as f64),
        iops: Some(seen.rate()),
        how: format!(
            "the fewest outstanding that reach {} of the best rate of this curve",
            say::percent(KNEE_SHARE)
        ),
    })
}
