//! The runs of one load → one cell of all their I/Os.
//!
//! The interval of one run shows the error of its rate if the target stays as it was in those seconds. A target, or
//! the machine around it, may be another a minute later, and only another run at another time shows it. So the rate of a
//! load that was run more than once is the mean of its runs, and its interval contains the value of each
//! ([`Estimate::together`]). Where noise lasts, the run by which a load was chosen does not count, and the interval is that
//! of repeats ([`RunLoad::rate_of`]). Its latencies are those of all I/Os of these runs: histograms are merged, and how deep a
//! percentile may go follows from the merged count ([`Latency::together`]). Its findings are those of the longest run and
//! those that make any run invalid; that too little was measured is compared with what all runs measured. Deliberately
//! absent: which runs are of one load (`visits`), and when a load is run again, which is `sweep`'s.

use super::peak::fresh;
use super::visits::{has_lasting_noise, is_closed, is_same, is_whole};
use super::{CellLoad, CellReport, CellThroughput, RunLoad, beside};
use crate::estimate::Estimate;
use crate::estimates::Series;
use crate::findings::{Finding, Repeats, SHORT_RUN, Severity, not_repeatable, shortness};
use crate::latency::Latency;
use crate::rows::ErrorRow;
use crate::say;
use crate::verdict::Validity;
use model::{LatencyHeat, RunRecord, Tally};

/// The loads that were run to their end more than once, all runs of each together, in the order of their first runs.
/// `records` are those of the cells, in their order.
pub(super) fn joined(cells: &[CellReport], records: &[(String, RunRecord)]) -> Vec<CellReport> {
    let mut loads: Vec<Vec<Run<'_>>> = Vec::new();
    for (cell, (_, record)) in cells.iter().zip(records) {
        if !is_closed(cell) || beside::is_beside(&cell.load.workload) {
            continue;
        }
        match loads.iter_mut().find(|known| is_same(known[0].0, cell)) {
            Some(known) => known.push((cell, record)),
            None => loads.push(vec![(cell, record)]),
        }
    }
    let joined = loads.iter().filter_map(|runs| {
        let lasting = has_lasting_noise(cells, &runs[0].0.load.workload);
        together(runs, lasting)
    });
    joined.collect()
}

/// A run as the table has it, and its record.
type Run<'a> = (&'a CellReport, &'a RunRecord);

/// Of several the first.
fn longest<'a>(runs: &[Run<'a>]) -> Option<&'a CellReport> {
    let runs = runs.iter().map(|(run, _)| *run).rev();
    runs.max_by_key(|run| run.throughput.measured_ns)
}

/// None where there are not two runs to take together, and where the longest is not whole, which then stands alone.
fn together(runs: &[Run<'_>], lasting: bool) -> Option<CellReport> {
    let every: Vec<Run<'_>> = runs
        .iter()
        .copied()
        .filter(|(run, _)| is_whole(run))
        .collect();
    let whole = fresh(&every, lasting).unwrap_or(&every);
    if whole.len() < 2 || !is_whole(longest(runs)?) {
        return None;
    }
    let counts: Vec<(Tally, Option<LatencyHeat>)> = whole
        .iter()
        .map(|(_, record)| (record.total(), record.heat(None, None)))
        .collect();
    let series = whole.iter().zip(&counts);
    let series: Vec<Series<'_>> = series
        .map(|((_, record), (tally, heat))| Series::of(record, tally, heat.as_ref()))
        .collect();
    let cells: Vec<&CellReport> = whole.iter().map(|(run, _)| *run).collect();
    let every: Vec<&CellReport> = every.iter().map(|(run, _)| *run).collect();
    let rate = RunLoad::rate_of(&by_time(&every), lasting);
    Some(joined_cell(longest(whole)?, &cells, &series, rate))
}

fn joined_cell(
    longest: &CellReport,
    runs: &[&CellReport],
    series: &[Series<'_>],
    rate: Estimate,
) -> CellReport {
    let all =
        |of: fn(&CellReport) -> u64| runs.iter().map(|run| of(run)).fold(0, u64::saturating_add);
    // A run whose histogram does not contain its I/Os has no latencies.
    let timed = |series: &&Series<'_>| series.tally.latency.count() == series.tally.ios;
    let timed: Vec<Series<'_>> = series.iter().filter(timed).copied().collect();
    let (ios, measured_ns) = (
        all(|run| run.throughput.ios),
        all(|run| run.throughput.measured_ns),
    );
    let steps = series.iter().map(|series| series.full().len()).sum();
    let short = shortness(ios, steps, measured_ns as f64);
    let rates = by_time(runs);
    let unlike = not_repeatable(&Repeats {
        in_flight: longest.load.queue_depth,
        runs: &rates,
    });
    let findings = findings(longest, runs, short.as_ref(), unlike);
    CellReport {
        load: CellLoad {
            target_iops: None,
            ..longest.load.clone()
        },
        validity: Validity::of_findings(&findings),
        outcome: longest.outcome.clone(),
        runs: runs.len() as u64,
        latency_runs: timed.len() as u64,
        throughput: CellThroughput {
            measured_ns,
            ios,
            bytes: all(|run| run.throughput.bytes),
            iops: mean(runs, |run| run.throughput.iops),
            iops_estimate: rate,
            bytes_per_s: mean(runs, |run| run.throughput.bytes_per_s),
        },
        latency: Latency::together(&timed),
        response: None,
        in_flight_mean: runs
            .iter()
            .all(|run| run.in_flight_mean.is_some())
            .then(|| mean(runs, |run| run.in_flight_mean.unwrap_or(0.0))),
        errors: errors(runs),
        findings,
    }
}

/// Of all runs, by errno.
fn errors(runs: &[&CellReport]) -> Vec<ErrorRow> {
    let mut all: Vec<ErrorRow> = Vec::new();
    for error in runs.iter().flat_map(|run| &run.errors) {
        match all.iter_mut().find(|known| known.errno == error.errno) {
            Some(known) => known.count = known.count.saturating_add(error.count),
            None => all.push(error.clone()),
        }
    }
    all
}

/// Returns those of all runs together (too few I/Os, runs that contradict each other), those of the longest run, and of the
/// others what makes them invalid.
fn findings(
    longest: &CellReport,
    runs: &[&CellReport],
    short: Option<&Finding>,
    unlike: Option<Finding>,
) -> Vec<Finding> {
    let mut all: Vec<Finding> = unlike.into_iter().collect();
    for finding in &longest.findings {
        match finding.id {
            SHORT_RUN => all.extend(short.cloned()),
            _ => all.push(finding.clone()),
        }
    }
    for finding in runs.iter().flat_map(|run| &run.findings) {
        let is_reported =
            |known: &Finding| known.id == finding.id && known.severity == finding.severity;
        if finding.severity == Severity::Error && !all.iter().any(is_reported) {
            all.retain(|known| known.id != finding.id);
            all.push(finding.clone());
        }
    }
    all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    all
}

/// The loads of which a run kept no latencies, in a sentence each.
pub(super) fn untimed(joined: &[CellReport]) -> impl Iterator<Item = String> + '_ {
    let lacking = joined.iter().filter(|load| load.latency_runs < load.runs);
    lacking.map(|load| {
        format!(
            "{} (depth {}): the latencies are those of {} of its {}, because a record does not contain all of its own",
            load.load.workload,
            load.load.queue_depth,
            load.latency_runs,
            say::counted(load.runs, "run")
        )
    })
}

/// The rate of each with the time that it measured.
pub(super) fn by_time(runs: &[&CellReport]) -> Vec<(f64, Estimate)> {
    let each = runs.iter().map(|run| {
        (
            run.throughput.measured_ns as f64,
            run.throughput.iops_estimate,
        )
    });
    each.collect()
}

/// By how long each measured.
fn mean(runs: &[&CellReport], of: fn(&CellReport) -> f64) -> f64 {
    let sum = |value: fn(&CellReport) -> f64| -> f64 {
        runs.iter()
            .map(|run| run.throughput.measured_ns as f64 * value(run))
            .sum()
    };
    sum(of) / sum(|_| 1.0).max(1.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::run::OutcomeKind;
    use crate::sample::Sample;
    use crate::survey::visits::Runs;
    use crate::survey::{SurveyContext, survey_report};
    use crate::verdict::Validity;
    use model::{CacheMode, LatencyHistogram, Nanos};

    /// A run of so many IOPS.
    pub(in crate::survey) fn run(
        rate: f64,
        half_width: Option<f64>,
        measured_ns: u64,
    ) -> CellReport {
        let record = ("4K random read".to_owned(), Sample::default().build());
        let report = survey_report(&[record], &SurveyContext::default());
        let mut cell = report.cells[0].clone();
        cell.throughput.iops = rate;
        cell.throughput.iops_estimate = Estimate {
            value: rate,
            low: half_width.map(|width| rate - width),
            high: half_width.map(|width| rate + width),
            samples: 10.0,
            not_known: None,
        };
        cell.throughput.measured_ns = measured_ns;
        cell
    }

    fn taken(cells: &[CellReport]) -> CellReport {
        let record = ("4K random read".to_owned(), Sample::default().build());
        let joined = joined(cells, &vec![record; cells.len()]);
        let runs = Runs {
            cells,
            joined: &joined,
        };
        let loads = runs.loads(&cells[0].load.workload);
        assert_eq!(loads.len(), 1);
        loads[0].clone()
    }

    fn ends(cell: &CellReport) -> (f64, f64) {
        (
            cell.throughput.iops_estimate.low.unwrap(),
            cell.throughput.iops_estimate.high.unwrap(),
        )
    }

    #[test]
    fn runs_that_agree_make_one_rate_that_is_surer_and_holds_both() {
        let both = taken(&[run(1000.0, Some(60.0), 3), run(1004.0, Some(80.0), 1)]);
        assert_eq!(
            (both.runs, both.throughput.measured_ns, both.throughput.iops),
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
        assert_eq!(
            (both.throughput.iops_estimate.value, ends(&both)),
            (1200.0, (990.0, 1420.0))
        );
    }

    #[test]
    fn one_run_is_shown_as_it_is_and_one_without_an_interval_leaves_none() {
        let one = run(1000.0, Some(10.0), 1);
        assert_eq!(taken(std::slice::from_ref(&one)), one);
        let none = taken(&[one, run(1100.0, None, 1)]);
        assert_eq!(
            (
                none.throughput.iops_estimate.low,
                none.throughput.iops_estimate.value
            ),
            (None, 1050.0)
        );
    }

    #[test]
    fn a_run_that_was_cut_short_is_not_taken_with_others() {
        let mut cut = run(500.0, Some(10.0), 1);
        cut.outcome.kind = OutcomeKind::Interrupted;
        assert_eq!(
            taken(&[run(1000.0, Some(10.0), 2), cut]).throughput.iops,
            1000.0
        );
    }

    /// A survey of one workload that ran one load as often as there are samples.
    fn joined_of(samples: &[Sample]) -> (crate::SurveyReport, CellReport) {
        let label = || "4K random read".to_owned();
        let records = samples.iter().map(|sample| (label(), sample.build()));
        let report = survey_report(&records.collect::<Vec<_>>(), &SurveyContext::default());
        let best = report.rows[0].best.clone().unwrap();
        (report, best)
    }

    fn sample(reads: u64, latency_us: u64) -> Sample {
        Sample {
            reads,
            latency: Some(Nanos::micros(latency_us)),
            ..Sample::default()
        }
    }

    #[test]
    fn latencies_of_a_load_are_those_of_all_its_runs() {
        let (report, best) = joined_of(&[sample(3000, 100), sample(3000, 200)]);
        assert_eq!(
            (best.runs, best.latency_runs, best.throughput.ios),
            (2, 2, 6000)
        );
        let [one, other] = [0, 1].map(|place| report.cells[place].latency.clone());
        let mean = |latency: &Latency| latency.mean_ns.unwrap();
        let between = (mean(&one) + mean(&other)) / 2.0;
        assert!((mean(&best.latency) - between).abs() < 1.0, "{best:?}");
        assert_eq!(best.latency.min_ns, one.min_ns);
        assert_eq!(best.latency.max_ns, one.max_ns.max(other.max_ns));
        let time = |latency: &Latency, quantile| latency.at(quantile).unwrap().latency_ns;
        assert!(time(&best.latency, 0.5) < time(&other, 0.5));
        assert!(time(&best.latency, 0.9) > time(&one, 0.9));
        assert_eq!((report.cells.len(), report.joined), (2, vec![best]));
    }

    #[test]
    fn a_run_whose_latencies_are_not_kept_is_reported() {
        let samples = [sample(3000, 100), sample(3000, 200)];
        let mut records = samples.map(|sample| ("4K random read".to_owned(), sample.build()));
        records[1].1.threads[0].measured[0].latency = LatencyHistogram::new();
        let report = survey_report(&records, &SurveyContext::default());
        let best = report.rows[0].best.as_ref().unwrap();
        assert_eq!((best.runs, best.latency_runs), (2, 1));
        assert_eq!(best.latency, report.cells[0].latency);
        let reported = report.remarks.notes.last().unwrap();
        assert!(
            reported.contains("the latencies are those of 1 of its 2 runs"),
            "{reported}"
        );
    }

    #[test]
    fn a_run_that_the_survey_ended_is_not_short_where_its_interval_is_known() {
        for reads in [400, 600] {
            let load = joined_of(&[sample(reads, 100), sample(reads, 100)]).1;
            assert!(load.throughput.iops_estimate.half_width_share() <= Some(0.1));
            assert!(load.findings.iter().all(|finding| finding.id != SHORT_RUN));
            assert_eq!(load.validity, Validity::Valid);
        }
        let few = joined_of(&[sample(8, 100), sample(8, 100)]).1;
        assert_eq!(few.throughput.iops_estimate.low, None);
        let mut found = few.findings.iter();
        let found = found.find(|finding| finding.id == SHORT_RUN).unwrap();
        assert_eq!(found.sentence, "a short run: 16 I/Os in 20 s");
        assert_eq!(few.validity, Validity::Caution);
    }

    #[test]
    fn what_makes_a_run_invalid_stands_in_the_load_and_errors_are_those_of_all() {
        let bad = Sample {
            cache: CacheMode::Cached,
            device_percent: 0,
            measured: Nanos::seconds(9),
            ..sample(3000, 100)
        };
        let (_, best) = joined_of(&[sample(3000, 100), bad]);
        assert_eq!(
            (best.validity, best.findings[0].id),
            (Validity::Invalid, crate::findings::PAGE_CACHE)
        );
        let failing = |count| {
            let mut cell = run(1000.0, Some(10.0), 1);
            cell.errors = vec![ErrorRow {
                errno: 5,
                message: "Input/output error".to_owned(),
                count,
            }];
            cell
        };
        assert_eq!(taken(&[failing(2), failing(3)]).errors[0].count, 5);
    }
}
