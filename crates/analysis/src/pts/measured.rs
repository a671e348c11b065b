//! One run of a test: which it is, and what a report needs of its record.
//!
//! Omitted: which runs make a round (`progress`).

use super::definition::PtsMetric;
use crate::comparison::Agreement;
use crate::findings::{Finding, Group, NOISY_NEIGHBOUR, Severity};
use crate::intervals::full_intervals;
use crate::latency::Latency;
use crate::run::{RunReport, run_report};
use model::{Location, Operation, Outcome, RunRecord, RunResult, SimulatedDevice};
use std::fmt;
use std::str::FromStr;

/// Which run of a test: its key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PtsStep {
    /// Part of the test. // from 0
    pub part: u32,
    /// A part begins a new series when the drive rested too long within it. // from 1
    pub series: u32,
    /// Round; 0 outside of rounds.
    pub round: u32,
    /// A round that was interrupted is begun again. // from 1
    pub attempt: u32,
    /// Cell of the part. // from 0
    pub cell: u32,
}

impl fmt::Display for PtsStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PtsStep {
            part,
            series,
            round,
            attempt,
            cell,
        } = self;
        write!(f, "pts.{part}.{series}.{round}.{attempt}.{cell}")
    }
}

impl FromStr for PtsStep {
    type Err = ();

    fn from_str(key: &str) -> Result<Self, ()> {
        let numbers = key.strip_prefix("pts.").ok_or(())?.split('.');
        let numbers: Result<Vec<u32>, _> = numbers.map(str::parse).collect();
        match numbers.map_err(|_| ())?.as_slice() {
            &[part, series, round, attempt, cell] => Ok(PtsStep {
                part,
                series,
                round,
                attempt,
                cell,
            }),
            _ => Err(()),
        }
    }
}

/// One run of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsRun {
    /// Which.
    pub step: PtsStep,
    /// As it is stored: `round 3, 4K 65/35`.
    pub label: String,
    /// What was reached.
    pub figures: PtsFigures,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Wall clock at its start, in nanoseconds since 1970.
    pub started_utc_ns: u64,
    /// How long its I/Os were issued, in nanoseconds.
    pub busy_ns: u64,
    /// Why it has no result, where it has none.
    pub trouble: Option<String>,
    /// Errors and warnings that are not about its length or its own steadiness.
    pub findings: Vec<Finding>,
    /// The device's counters were compared with fathom's and agree.
    pub counters_agree: bool,
    /// The drive, where it exists in a model only.
    pub simulated: Option<SimulatedDevice>,
}

/// What one run reached.
#[derive(Clone, Debug, PartialEq)]
pub struct PtsFigures {
    /// IOPS.
    pub iops: f64,
    /// IOPS in the last full step of the time series.
    pub last_rate_per_s: f64,
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// How long I/Os took.
    pub latency: Latency,
    /// IOPS in each step of the time series.
    pub steps_per_s: Vec<f64>,
    /// Length of a step, in nanoseconds.
    pub step_ns: u64,
}

impl PtsRun {
    /// Reads a record once.
    pub fn of(step: PtsStep, label: &str, record: &RunRecord) -> PtsRun {
        let report = run_report(record);
        let trouble = match record.result() {
            RunResult::Usable => None,
            RunResult::Interrupted => Some("it was interrupted".to_owned()),
            RunResult::Failed(_) => Some(match &record.outcome {
                Outcome::Failed(failure) => failure.words(),
                _ => "no I/O was completed as requested".to_owned(),
            }),
        };
        let location = record.plan.targets.first().map(|target| &target.location);
        PtsRun {
            step,
            label: label.to_owned(),
            figures: PtsFigures::of(&report),
            written_bytes: record.counted(Operation::Write, None).bytes.0,
            started_utc_ns: record.started_utc.0,
            busy_ns: record.phases.measured_to.0,
            trouble,
            findings: report
                .findings
                .iter()
                .filter(|one| counts(one))
                .cloned()
                .collect(),
            counters_agree: !report.device_checks.is_empty()
                && report
                    .device_checks
                    .iter()
                    .all(|check| check.agreement == Agreement::Agrees),
            simulated: match location {
                Some(Location::Simulated(device)) => Some(**device),
                _ => None,
            },
        }
    }

    /// The figure that a part is judged by.
    pub fn value(&self, metric: PtsMetric) -> f64 {
        let figures = &self.figures;
        match metric {
            PtsMetric::Iops => figures.iops,
            PtsMetric::LastIops => figures.last_rate_per_s,
            PtsMetric::BytesPerS => figures.bytes_per_s,
            PtsMetric::MeanLatency => figures.latency.mean_ns.unwrap_or(0.0),
        }
    }
}

/// Steadiness is judged over rounds, and the specification sets the time of a run. What others did to the drive counts.
fn counts(finding: &Finding) -> bool {
    let of_time = matches!(finding.group, Group::Stability | Group::Samples);
    finding.severity > Severity::Note
        && finding.because.is_none()
        && (finding.id == NOISY_NEIGHBOUR || !of_time)
}

impl PtsFigures {
    fn of(report: &RunReport) -> PtsFigures {
        let total = report.total();
        let rate = total.map_or(0.0, |row| row.iops);
        let step = model::Nanos(report.time.interval_ns);
        let steps = full_intervals(&report.intervals, step);
        let steps: Vec<f64> = steps.iter().filter_map(|step| step.iops).collect();
        PtsFigures {
            iops: rate,
            last_rate_per_s: steps.last().copied().unwrap_or(rate),
            bytes_per_s: total.map_or(0.0, |row| row.bytes_per_s),
            latency: total.map(|row| row.latency.clone()).unwrap_or_default(),
            steps_per_s: steps,
            step_ns: step.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let step = PtsStep {
            part: 1,
            series: 2,
            round: 25,
            attempt: 3,
            cell: 55,
        };
        assert_eq!(step.to_string(), "pts.1.2.25.3.55");
        assert_eq!(step.to_string().parse(), Ok(step));
        for other in [
            "",
            "pts.1.2",
            "pts.1.2.3.4.5.6",
            "pts.1.2.3.4.x",
            "1.2.3.4.5",
        ] {
            assert_eq!(other.parse::<PtsStep>(), Err(()), "{other}");
        }
    }
}
