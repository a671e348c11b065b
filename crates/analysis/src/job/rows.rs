//! A row for each rank, and the sums of all.

use super::JobPart;
use super::phase::job_phase;
use super::seen::{Difference, RankClock, RankFigures, RankPause, RankRow, beside_median};
use crate::estimates::rate_estimate;
use crate::findings::{FAILOVER, STALL};
use crate::latency::Latency;
use crate::rows::per_second;
use crate::run::{OutcomeKind, RunReport};
use model::{Operation, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;

/// One operation, all ranks together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JobOperation {
    /// `read`, `write` or `total`.
    pub operation: String,
    /// I/Os completed without error.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Sum of the IOPS of all ranks, each over its own measured time; of ranks that moved an amount each, the I/Os of all over
    /// the time from the first start to the last end.
    pub iops: f64,
    /// The same of bytes; the time includes opening and closing files, where that was measured.
    pub bytes_per_s: f64,
    /// Of the merged histogram.
    pub latency: Latency,
}

pub(super) fn operations(records: &[&RunRecord]) -> Vec<JobOperation> {
    let moves_amount = |record: &&RunRecord| {
        let mut targets = record.plan.targets.iter();
        targets.any(|target| target.amount.is_some())
    };
    let phase = records.iter().any(moves_amount).then(|| job_phase(records));
    let row = |name: &str, sides: &[Operation]| {
        let mut one = JobOperation {
            operation: name.to_owned(),
            ios: 0,
            bytes: 0,
            errors: 0,
            iops: 0.0,
            bytes_per_s: 0.0,
            latency: Latency::of(&model::LatencyHistogram::new()),
        };
        let mut latency = model::LatencyHistogram::new();
        for record in records {
            for side in sides {
                let tally = record.tally(*side, None);
                one.ios += tally.ios;
                one.bytes += tally.bytes.0;
                one.errors += tally.errors_total();
                one.iops += per_second(tally.ios as f64, record.phases.measured());
                one.bytes_per_s += per_second(tally.bytes.0 as f64, record.phases.measured());
                latency.merge(&tally.latency);
            }
        }
        if let Some(phase) = phase {
            let over = |count: u64, seconds: f64| match seconds > 0.0 {
                true => count as f64 / seconds,
                false => 0.0,
            };
            one.iops = over(one.ios, phase.io_s);
            one.bytes_per_s = over(one.bytes, phase.total_s);
        }
        one.latency = Latency::of(&latency);
        one
    };
    let sides = [
        row("read", &[Operation::Read]),
        row("write", &[Operation::Write]),
    ];
    let total = row("total", &Operation::ALL);
    let seen = sides.into_iter().filter(|side| side.ios + side.errors > 0);
    seen.chain([total]).collect()
}

pub(super) fn rank_rows(
    parts: &[JobPart<'_>],
    reports: &[RunReport],
    differences: &[Difference],
) -> Vec<RankRow> {
    let first_utc = parts
        .iter()
        .find_map(|part| Some(part.outcome.ok()?.started_utc.0));
    let mut reports = reports.iter();
    let row = |part: &JobPart<'_>| match part.outcome {
        Ok(record) => {
            let report = reports.next().expect("a report for each record");
            let its = differences.iter().filter(|one| one.rank == part.rank);
            RankRow {
                figures: Some(RankFigures {
                    pause: pause(report),
                    ..figures(record)
                }),
                clock: clock(record, first_utc.unwrap_or(0)),
                differs_in: its
                    .map(|one| format!("{}: {}", one.fact, one.value))
                    .collect(),
                ..of_record(part, record, report)
            }
        }
        Err(why) => RankRow {
            rank: part.rank,
            host: part.host.to_owned(),
            run: part.run,
            missing: Some(why.to_owned()),
            ..RankRow::default()
        },
    };
    let mut rows: Vec<RankRow> = parts.iter().map(row).collect();
    beside_median(&mut rows);
    rows
}

fn of_record(part: &JobPart<'_>, record: &RunRecord, report: &RunReport) -> RankRow {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let outcome = match report.outcome.kind {
        OutcomeKind::Complete => "complete",
        OutcomeKind::Interrupted => "interrupted",
        OutcomeKind::Failed => "failed",
    };
    RankRow {
        rank: part.rank,
        host: record.host.hostname.clone(),
        run: part.run,
        outcome: Some(outcome.to_owned()),
        verdict: Some(report.verdict.validity.word().to_owned()),
        cores: count(record.host.cpus.len()),
        usable_cores: record.engine.rank().map_or(0, |rank| rank.usable_cores),
        threads: count(record.engine.workers.len()),
        ..RankRow::default()
    }
}

fn figures(record: &RunRecord) -> RankFigures {
    let total = record.total();
    let measured = record.phases.measured();
    let quantile = |at: f64| total.latency.quantile(at).map(|ns| ns.0);
    RankFigures {
        ios: total.ios,
        bytes: total.bytes.0,
        errors: total.errors_total(),
        iops: per_second(total.ios as f64, measured),
        half_width: rate_estimate(record).half_width_share(),
        bytes_per_s: per_second(total.bytes.0 as f64, measured),
        latency_p50_ns: quantile(0.5),
        latency_p99_ns: quantile(0.99),
        latency_max_ns: total.latency.max().map(|ns| ns.0),
        ..RankFigures::default()
    }
}

/// The longest pause, with its cause or without.
fn pause(report: &RunReport) -> Option<RankPause> {
    [(FAILOVER, "pause_ns"), (STALL, "stall_ns")]
        .into_iter()
        .find_map(|(id, length)| {
            let found = report.findings.iter().find(|finding| finding.id == id)?;
            let figure = |name: &str| {
                let figure = found.evidence.iter().find(|figure| figure.name == name);
                figure.map(|figure| figure.value.max(0.0) as u64)
            };
            Some(RankPause {
                from_ns: figure("from_ns")?,
                length_ns: figure(length)?,
            })
        })
}

fn clock(record: &RunRecord, first_utc: u64) -> Option<RankClock> {
    let rank = record.engine.rank()?;
    Some(RankClock {
        late_ns: rank.late.0,
        offset_ns: rank.clock_before.map(|offset| offset.offset_ns),
        uncertainty_ns: rank.clock_before.map(|offset| offset.uncertainty.0),
        wall_clock_ahead_ns: record.started_utc.0.wrapping_sub(first_utc).cast_signed(),
    })
}
