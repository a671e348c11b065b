//! `fathom fit`: whether storage is fast enough for a program, from several runs of the program's workload.
//!
//! The figure of each run is one sample, so that what varies from run to run is in the interval and what is correlated
//! within a run is not taken for precision: Student's t on the logarithms (Kalibera and Jones, "Rigorous Benchmarking in
//! Reasonable Time", 2013). The answer is a pass or a fail only if the whole interval is on one side of the limit and no
//! finding reports that the figures are not those of the storage. Omitted: what programs require (`docs/demands.toml`).

use super::{LooksContext, LooksPlace, StepFinding, place_of, reports, step_findings, verdict};
use crate::findings::COMMIT_LATENCY;
use crate::run::RunReport;
use crate::say;
use crate::spread::{mean, t_95_of};
use crate::verdict::{Validity, Verdict};
use crate::{Answer, Estimate};
use model::{LatencyHistogram, Operation, RunRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fewer runs have no interval that means much.
const RUNS_MIN: usize = 3;

/// What a program requires of its storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Demand {
    /// Its id: `etcd`.
    pub id: String,
    /// What it is for: `the write-ahead log of etcd`.
    pub title: String,
    /// Options of `fathom run` that issue its workload.
    pub workload: String,
    /// The figure that decides.
    pub figure: DemandFigure,
    /// The most for a latency, in nanoseconds; the least for others, per second.
    pub limit: f64,
    /// What happens if it is missed.
    pub missed: String,
    /// The public document that states the limit.
    pub source: String,
}

/// A figure that a demand is about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DemandFigure {
    /// Which I/Os count.
    pub of: DemandOperation,
    /// Which figure of them.
    pub statistic: DemandStatistic,
}

/// Which I/Os count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DemandOperation {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// The fsync or fdatasync that follows writes.
    Sync,
    /// Reads and writes.
    Total,
}

/// Which figure of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DemandStatistic {
    /// The mean latency.
    Mean,
    /// The latency that this share does not exceed.
    Quantile(f64),
    /// I/Os per second.
    Iops,
    /// Bytes per second.
    BytesPerS,
}

impl DemandFigure {
    /// Reads `sync p99`; `None` for another text.
    pub fn read(text: &str) -> Option<Self> {
        let (of, statistic) = text.split_once(' ')?;
        let of = match of {
            "read" => DemandOperation::Read,
            "write" => DemandOperation::Write,
            "sync" => DemandOperation::Sync,
            "total" => DemandOperation::Total,
            _ => return None,
        };
        let statistic = match statistic {
            "mean" => DemandStatistic::Mean,
            "p50" => DemandStatistic::Quantile(0.5),
            "p99" => DemandStatistic::Quantile(0.99),
            "p99.9" => DemandStatistic::Quantile(0.999),
            "iops" => DemandStatistic::Iops,
            "MiB/s" => DemandStatistic::BytesPerS,
            _ => return None,
        };
        let of_syncs_alone = of == DemandOperation::Sync;
        let is_rate = matches!(
            statistic,
            DemandStatistic::Iops | DemandStatistic::BytesPerS
        );
        (!(of_syncs_alone && is_rate)).then_some(DemandFigure { of, statistic })
    }

    /// Returns whether the limit is the most, as of latencies, and not the least.
    pub fn is_latency(self) -> bool {
        matches!(
            self.statistic,
            DemandStatistic::Mean | DemandStatistic::Quantile(_)
        )
    }

    /// Returns its name: `sync p99`.
    pub fn name(self) -> String {
        let of = match self.of {
            DemandOperation::Read => "read",
            DemandOperation::Write => "write",
            DemandOperation::Sync => "sync",
            DemandOperation::Total => "",
        };
        let statistic = match self.statistic {
            DemandStatistic::Mean => "latency".to_owned(),
            DemandStatistic::Quantile(share) => format!("p{}", (share * 1000.0).round() / 10.0),
            // The unit of the value is the name.
            DemandStatistic::Iops | DemandStatistic::BytesPerS => String::new(),
        };
        format!("{of} {statistic}").trim().to_owned()
    }

    /// Writes a value of it with its unit.
    pub fn value(self, value: f64) -> String {
        match self.statistic {
            DemandStatistic::Mean | DemandStatistic::Quantile(_) => say::time(value),
            DemandStatistic::Iops => format!("{} IOPS", say::rate(value)),
            DemandStatistic::BytesPerS => format!("{} MiB/s", say::mib_per_s(value)),
        }
    }

    /// Returns the figure of a run; `None` where it has none.
    fn of_run(self, record: &RunRecord, report: &RunReport) -> Option<f64> {
        let name = match self.of {
            DemandOperation::Sync => return self.of_latencies(&syncs(record)),
            DemandOperation::Read => Operation::Read.name(),
            DemandOperation::Write => Operation::Write.name(),
            DemandOperation::Total => "total",
        };
        let row = report.operations.iter().find(|row| row.operation == name)?;
        match self.statistic {
            DemandStatistic::Mean => row.latency.mean_ns,
            DemandStatistic::Quantile(share) => {
                row.latency.at(share)?.latency_ns.map(|ns| ns as f64)
            }
            DemandStatistic::Iops => Some(row.iops),
            DemandStatistic::BytesPerS => Some(row.bytes_per_s),
        }
    }

    fn of_latencies(self, latencies: &LatencyHistogram) -> Option<f64> {
        match self.statistic {
            DemandStatistic::Quantile(share) => Some(latencies.quantile(share)?.0 as f64),
            _ => latencies.mean_ns(),
        }
    }
}

fn syncs(record: &RunRecord) -> LatencyHistogram {
    let mut all = LatencyHistogram::new();
    let workers = record.engine.workers.iter();
    for count in workers.flat_map(|worker| &worker.syncs) {
        all.merge(&count.latency);
    }
    all
}

impl Demand {
    /// Writes what it requires: `below 10.0 ms`.
    pub fn requires(&self) -> String {
        let side = match self.figure.is_latency() {
            true => "below",
            false => "at least",
        };
        format!("{side} {}", self.figure.value(self.limit))
    }
}

/// Whether the storage is fast enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The whole interval is on the good side of the limit.
    Pass,
    /// The whole interval is on the other side.
    Fail,
    /// The interval contains the limit, or the figures are not those of the storage.
    Inconclusive,
}

impl Decision {
    /// Returns its word in results.
    pub const fn word(self) -> &'static str {
        match self {
            Decision::Pass => "PASS",
            Decision::Fail => "FAIL",
            Decision::Inconclusive => "INCONCLUSIVE",
        }
    }
}

/// Whether storage is fast enough for a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitReport {
    /// The decision.
    pub decision: Decision,
    /// Why there is none; none of a pass or a fail.
    pub reason: Option<String>,
    /// What was required; none of a session whose context is lost.
    pub demand: Option<Demand>,
    /// The figure over all runs with its 95% interval, in nanoseconds or per second; none without runs.
    pub figure: Option<Estimate>,
    /// The answer, in one line.
    pub answers: Vec<Answer>,
    /// Whether the figures may be used, with the reasons.
    pub verdict: Verdict,
    /// One a run, in their order.
    pub rows: Vec<FitRow>,
    /// Place and target; none if nothing was run.
    pub place: Option<LooksPlace>,
    /// Errors and warnings of the runs.
    pub findings: Vec<StepFinding>,
    /// Notes on these figures.
    pub notes: Vec<String>,
    /// It was completed.
    pub complete: bool,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitRow {
    /// `run 1`.
    pub label: String,
    /// The figure that decides, in nanoseconds or per second; none where the run has none.
    pub figure: Option<f64>,
    /// I/Os per second.
    pub iops: f64,
    /// Mean latency of the I/Os, in nanoseconds.
    pub latency_mean_ns: Option<f64>,
    /// The latency that 99% of them do not exceed, in nanoseconds.
    pub latency_p99_ns: Option<f64>,
}

/// The report of a session's runs, each with its label, in the order in which they were run.
pub fn fit_report(runs: &[(String, RunRecord)], context: &LooksContext) -> FitReport {
    let all = reports(runs);
    let demand = context.demand.as_ref();
    let rows: Vec<FitRow> = runs
        .iter()
        .zip(&all)
        .filter_map(|((label, record), report)| row(label, record, report, demand))
        .collect();
    let steps: Vec<(String, bool, &RunReport)> = runs
        .iter()
        .zip(&all)
        .map(|((label, _), report)| (label.clone(), false, report))
        .collect();
    let mut findings = step_findings(&steps);
    // It reports that the latency of the writes is without the sync, whose latency is what was asked for.
    let of_syncs = demand.is_some_and(|demand| demand.figure.of == DemandOperation::Sync);
    findings.retain(|one| !(of_syncs && one.finding.id == COMMIT_LATENCY));
    let verdict = verdict(&steps, &findings, context);
    let figure = estimate(rows.iter().filter_map(|row| row.figure));
    let (decision, reason) = decide(demand, figure, &verdict);
    let mut notes = context.notes.clone();
    if let Some(demand) = demand {
        notes.push(format!("if missed: {}", demand.missed));
        notes.push(format!("source: {}", demand.source));
    }
    FitReport {
        answers: answer(demand, figure, decision, reason.as_deref()),
        decision,
        reason,
        demand: demand.cloned(),
        figure,
        place: place_of(all.first(), &all),
        complete: !context.interrupted && context.failure.is_none(),
        verdict,
        rows,
        findings,
        notes,
    }
}

fn row(
    label: &str,
    record: &RunRecord,
    report: &RunReport,
    demand: Option<&Demand>,
) -> Option<FitRow> {
    let mut operations = report.operations.iter();
    let total = operations.find(|row| row.operation == "total")?;
    let p99 = total.latency.at(0.99).and_then(|at| at.latency_ns);
    Some(FitRow {
        label: label.to_owned(),
        figure: demand.and_then(|demand| demand.figure.of_run(record, report)),
        iops: total.iops,
        latency_mean_ns: total.latency.mean_ns,
        latency_p99_ns: p99.map(|ns| ns as f64),
    })
}

/// Returns the geometric mean with its 95% interval; no interval of fewer than [`RUNS_MIN`] values.
fn estimate(values: impl Iterator<Item = f64>) -> Option<Estimate> {
    let logs: Vec<f64> = values.filter(|value| *value > 0.0).map(f64::ln).collect();
    let count = logs.len() as f64;
    let center = (!logs.is_empty()).then(|| mean(&logs))?;
    let bare = Estimate::bare(center.exp(), count);
    if logs.len() < RUNS_MIN {
        return Some(bare);
    }
    let squares: f64 = logs.iter().map(|log| (log - center).powi(2)).sum();
    let half = t_95_of(count) * (squares / (count - 1.0) / count).sqrt();
    Some(Estimate {
        low: Some((center - half).exp()),
        high: Some((center + half).exp()),
        ..bare
    })
}

fn decide(
    demand: Option<&Demand>,
    figure: Option<Estimate>,
    verdict: &Verdict,
) -> (Decision, Option<String>) {
    let undecided = |reason: String| (Decision::Inconclusive, Some(reason));
    let Some(demand) = demand else {
        return undecided("what was required is not stored".to_owned());
    };
    if verdict.validity == Validity::Invalid {
        let reason = verdict.reasons.first().map_or("", String::as_str);
        return undecided(format!(
            "the figures are not those of the storage: {reason}"
        ));
    }
    let Some(Estimate {
        low: Some(low),
        high: Some(high),
        ..
    }) = figure
    else {
        return undecided(format!("fewer than {RUNS_MIN} runs have this figure"));
    };
    let latency = demand.figure.is_latency();
    if (latency && high < demand.limit) || (!latency && low >= demand.limit) {
        return (Decision::Pass, None);
    }
    if (latency && low >= demand.limit) || (!latency && high < demand.limit) {
        return (Decision::Fail, None);
    }
    undecided("the interval contains the limit; more --rounds make it narrower".to_owned())
}

fn answer(
    demand: Option<&Demand>,
    figure: Option<Estimate>,
    decision: Decision,
    reason: Option<&str>,
) -> Vec<Answer> {
    let measured = |demand: &Demand| {
        let figure = figure?;
        let name = demand.figure.name();
        let value = |value| demand.figure.value(value);
        let text = match (figure.low, figure.high) {
            (Some(low), Some(high)) => format!(
                "{name} {} (95% CI {} to {})",
                value(figure.value),
                value(low),
                value(high)
            ),
            _ => format!("{name} {}", value(figure.value)),
        };
        Some(text.trim_start().to_owned())
    };
    let requires = |demand: &Demand| format!("{} requires {}", demand.title, demand.requires());
    let parts = [
        reason.map(str::to_owned),
        demand.and_then(measured),
        demand.map(requires),
    ];
    Answer::of(decision.word(), parts).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Normal;
    use super::*;

    fn demand(figure: &str, limit: f64) -> Demand {
        Demand {
            id: "x".to_owned(),
            title: "x".to_owned(),
            workload: String::new(),
            figure: DemandFigure::read(figure).unwrap(),
            limit,
            missed: String::new(),
            source: "x".to_owned(),
        }
    }

    fn decision(demand: &Demand, values: &[f64], validity: Validity) -> Decision {
        let verdict = Verdict {
            validity,
            ..Verdict::default()
        };
        let figure = estimate(values.iter().copied());
        decide(Some(demand), figure, &verdict).0
    }

    #[test]
    fn the_whole_interval_decides_and_no_figure_that_is_not_of_the_storage() {
        let latency = demand("sync p99", 10e6);
        let iops = demand("total iops", 800.0);
        let below = [5e6, 5.2e6, 4.9e6, 5.1e6];
        let above = [21e6, 20e6, 19e6];
        for (demand, values, expected) in [
            (&latency, &below[..], Decision::Pass),
            (&latency, &above[..], Decision::Fail),
            (&latency, &[8e6, 12e6, 9.5e6], Decision::Inconclusive),
            (&latency, &below[..2], Decision::Inconclusive),
            (&iops, &[900.0, 910.0, 905.0], Decision::Pass),
            (&iops, &[700.0, 710.0, 705.0], Decision::Fail),
        ] {
            assert_eq!(decision(demand, values, Validity::Valid), expected);
            let invalid = decision(demand, values, Validity::Invalid);
            assert_eq!(invalid, Decision::Inconclusive);
        }
    }

    /// At the limit itself a pass or a fail is wrong; of log-normal runs at most one in twenty is.
    #[test]
    fn at_the_limit_one_in_twenty_is_decided() {
        let mut draw = Normal(3);
        let demand = demand("sync p99", 10e6);
        let decided = (0..2000).filter(|_| {
            let values: Vec<f64> = (0..5).map(|_| 10e6 * (0.2 * draw.draw()).exp()).collect();
            decision(&demand, &values, Validity::Valid) != Decision::Inconclusive
        });
        let decided = decided.count();
        assert!(decided <= 130, "{decided} of 2000");
    }
}
