//! The runs of one load, taken together.
//!
//! The interval of one run says how far its rate may be off if the target stays as it was in those seconds. A target, or the
//! machine around it, may be another a minute later, and only another run at another time tells. So the rate of a load that
//! was run more than once is the mean of its runs, and its interval holds what each of them came to
//! ([`Estimate::together`]). Latencies, which have no mean
//! that could be shown, are those of the longest run, and so are its findings. Deliberately absent: when a load is run again,
//! which is `sweep`'s.

use super::CellReport;
use crate::estimate::Estimate;
use crate::run::OutcomeKind;
use crate::say;
use std::borrow::Cow;

/// Runs of one load that are further apart than this, as a share of the lower, make a row weak.
const APART_MAX: f64 = 0.10;

/// Each load of a workload once, without those of an open loop, in the order of their first runs.
pub(super) fn loads<'a>(label: &str, cells: &'a [CellReport]) -> Vec<Cow<'a, CellReport>> {
    let closed = |cell: &&CellReport| cell.workload == label && cell.asked_rate_per_s.is_none();
    let mut loads: Vec<Vec<&CellReport>> = Vec::new();
    for cell in cells.iter().filter(closed) {
        match loads.iter_mut().find(|known| is_same(known[0], cell)) {
            Some(known) => known.push(cell),
            None => loads.push(vec![cell]),
        }
    }
    loads.iter().map(|runs| together(runs)).collect()
}

fn is_same(one: &CellReport, other: &CellReport) -> bool {
    (one.queue_depth, one.threads) == (other.queue_depth, other.threads)
}

/// Whether a run may be taken together with others.
fn is_whole(run: &CellReport) -> bool {
    run.ios > 0 && run.outcome.kind == OutcomeKind::Complete
}

fn together<'a>(runs: &[&'a CellReport]) -> Cow<'a, CellReport> {
    let longest = runs
        .iter()
        .rev() // of several the first
        .max_by_key(|run| run.measured_ns)
        .expect("a load was run");
    let whole: Vec<&CellReport> = runs.iter().copied().filter(|run| is_whole(run)).collect();
    if whole.len() < 2 || !is_whole(longest) {
        return Cow::Borrowed(longest);
    }
    let all =
        |of: fn(&CellReport) -> u64| whole.iter().map(|run| of(run)).fold(0, u64::saturating_add);
    Cow::Owned(CellReport {
        runs: whole.len() as u64,
        measured_ns: all(|run| run.measured_ns),
        ios: all(|run| run.ios),
        bytes: all(|run| run.bytes),
        rate_per_s: mean(&whole, |run| run.rate_per_s),
        rate: Estimate::together(&by_time(&whole)),
        bytes_per_s: mean(&whole, |run| run.bytes_per_s),
        ..(*longest).clone()
    })
}

/// The rate of each with the time that it measured.
fn by_time(runs: &[&CellReport]) -> Vec<(f64, Estimate)> {
    let each = runs.iter().map(|run| (run.measured_ns as f64, run.rate));
    each.collect()
}

/// By how long each measured.
fn mean(runs: &[&CellReport], of: fn(&CellReport) -> f64) -> f64 {
    let sum = |value: fn(&CellReport) -> f64| -> f64 {
        runs.iter()
            .map(|run| run.measured_ns as f64 * value(run))
            .sum()
    };
    sum(of) / sum(|_| 1.0).max(1.0)
}

/// What the runs of a row's best load came to, where they contradict each other.
pub(super) fn unlike_itself(best: &CellReport, cells: &[CellReport]) -> Option<String> {
    let runs = cells.iter().filter(|cell| {
        let closed = cell.workload == best.workload && cell.asked_rate_per_s.is_none();
        closed && is_same(cell, best) && is_whole(cell)
    });
    let runs: Vec<&CellReport> = runs.collect();
    let rates = runs.iter().map(|run| run.rate_per_s);
    let (least, most) = rates.fold((f64::MAX, 0.0f64), |(least, most), rate| {
        (least.min(rate), most.max(rate))
    });
    let apart = most > (1.0 + APART_MAX) * least;
    let contradict = runs.len() > 1 && apart && Estimate::contradict(&by_time(&runs));
    contradict.then(|| {
        let each: Vec<String> = runs.iter().map(|run| say::rate(run.rate_per_s)).collect();
        format!(
            "not like itself: one load came to {} IO/s, so its rate is that of the moment (depth {})",
            each.join(" and later to "),
            best.queue_depth
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::survey::{SurveyContext, survey_report};

    fn run(rate: f64, half_width: Option<f64>, measured_ns: u64) -> CellReport {
        let record = ("4K random read".to_owned(), Sample::default().build());
        let report = survey_report(&[record], &SurveyContext::default());
        let mut cell = report.cells[0].clone();
        cell.rate_per_s = rate;
        cell.rate = Estimate {
            value: rate,
            low: half_width.map(|width| rate - width),
            high: half_width.map(|width| rate + width),
            samples: 10.0,
        };
        cell.measured_ns = measured_ns;
        cell
    }

    fn taken(runs: &[CellReport]) -> CellReport {
        let loads = loads(&runs[0].workload, runs);
        assert_eq!(loads.len(), 1);
        loads[0].clone().into_owned()
    }

    fn ends(cell: &CellReport) -> (f64, f64) {
        (cell.rate.low.unwrap(), cell.rate.high.unwrap())
    }

    #[test]
    fn runs_that_agree_make_one_rate_that_is_surer_and_holds_both() {
        let both = taken(&[run(1000.0, Some(60.0), 3), run(1004.0, Some(80.0), 1)]);
        assert_eq!(
            (both.runs, both.measured_ns, both.rate_per_s),
            (2, 4, 1001.0)
        );
        let (low, high) = ends(&both);
        let reach = (45.0f64.powi(2) + 20.0f64.powi(2)).sqrt();
        assert!((high - 1001.0 - reach).abs() < 1e-9 && (1001.0 - low - reach).abs() < 1e-9);
        // Surer than the distance of the two it is not.
        let near = taken(&[run(1000.0, Some(10.0), 1), run(1016.0, Some(10.0), 1)]);
        assert_eq!(ends(&near), (1000.0, 1016.0));
    }

    #[test]
    fn runs_that_contradict_each_other_are_all_in_the_interval() {
        let both = taken(&[run(1000.0, Some(10.0), 1), run(1400.0, Some(20.0), 1)]);
        assert_eq!((both.rate.value, ends(&both)), (1200.0, (990.0, 1420.0)));
    }

    #[test]
    fn one_run_is_shown_as_it_is_and_one_without_an_interval_leaves_none() {
        let one = run(1000.0, Some(10.0), 1);
        assert_eq!(taken(std::slice::from_ref(&one)), one);
        let none = taken(&[one, run(1100.0, None, 1)]);
        assert_eq!((none.rate.low, none.rate.value), (None, 1050.0));
    }

    #[test]
    fn a_run_that_was_cut_short_is_not_taken_with_others() {
        let mut cut = run(500.0, Some(10.0), 1);
        cut.outcome.kind = OutcomeKind::Interrupted;
        assert_eq!(taken(&[run(1000.0, Some(10.0), 2), cut]).rate_per_s, 1000.0);
    }

    #[test]
    fn a_load_that_is_not_like_itself_is_told_with_what_it_came_to() {
        let runs = [run(14_500.0, Some(300.0), 1), run(20_400.0, Some(300.0), 1)];
        let told = unlike_itself(&runs[0], &runs).unwrap();
        assert!(
            told.contains("came to 14.5 k and later to 20.4 k IO/s"),
            "{told}"
        );
        let near = [run(1000.0, Some(1.0), 1), run(1099.0, Some(1.0), 1)];
        assert_eq!(unlike_itself(&near[0], &near), None, "less than a tenth");
        let unsure = [run(1000.0, Some(70.0), 1), run(1120.0, Some(70.0), 1)];
        assert_eq!(unlike_itself(&unsure[0], &unsure), None, "may be one");
        assert_eq!(unlike_itself(&runs[0], &runs[..1]), None, "one run");
    }
}
