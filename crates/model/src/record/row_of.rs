//! Records and imported runs, read into a row.
//!
//! The quantiles that are kept of fathom's own runs stand here, and the rule how deep they go.

use super::histogram::LatencyHistogram;
use super::imported::{ImportedLatency, ImportedOperation, ImportedRun};
use super::row::{Origin, ResultRow, RowFigures, RowTimes, RowWork};
use super::run::{Outcome, RunRecord};
use super::tally::{Tally, standard_deviation};
use crate::plan::{Access, Operation, PlannedTarget};
use crate::units::{Bytes, Nanos};

/// Each quantile with the number of I/Os of which one lies beyond it. With fewer I/Os the percentile is the maximum
/// under another name, so it is not kept.
const KEPT: [(f64, u64); 7] = [
    (0.5, 2),
    (0.9, 10),
    (0.95, 20),
    (0.99, 100),
    (0.999, 1000),
    (0.9999, 10_000),
    (0.99999, 100_000),
];

pub(super) fn record(record: &RunRecord) -> ResultRow {
    let of = |operations: &[Operation]| {
        let each = operations.iter().map(|operation| operation.index());
        let tallies = each.flat_map(|at| record.threads.iter().map(move |t| &t.measured[at]));
        figures(&tallies.collect::<Vec<_>>())
    };
    let targets = record.targets.iter();
    let targets: Vec<_> = targets.map(|t| t.path.to_string_lossy()).collect();
    ResultRow {
        tool: "fathom".to_owned(),
        tool_version: Some(record.tool_version.clone()),
        started_utc: Some(record.started_utc),
        host: Some(record.host.hostname.clone()).filter(|name| !name.is_empty()),
        target: targets.join(" "),
        outcome: Some(outcome_name(&record.outcome).to_owned()),
        work: work(record),
        measured: Some(record.phases.measured()),
        total: of(&Operation::ALL),
        read: of(&[Operation::Read]),
        write: of(&[Operation::Write]),
        ..ResultRow::default()
    }
}

fn work(record: &RunRecord) -> RowWork {
    let plan = &record.plan;
    let size = plan.targets.iter().map(|target| target.length.0);
    RowWork {
        block: common(record, |t| t.workload.block),
        queue_depth: common(record, |t| t.workload.queue_depth.0),
        threads: Some(plan.threads()),
        write_percent: common(record, |t| t.workload.write.as_percent()),
        pattern: common(record, |t| pattern_of(&t.workload.access)).map(str::to_owned),
        random_percent: common(record, |t| random_percent(&t.workload.access)).flatten(),
        cache: common(record, |t| t.cache),
        write_through: common(record, |t| t.write_through),
        size: size.reduce(u64::saturating_add).map(Bytes),
        rate_per_s: plan.arrivals.map(|arrivals| arrivals.per_s),
        engine: Some(record.engine.backend.clone()),
    }
}

/// What all targets have in common, if they do.
fn common<T: PartialEq>(record: &RunRecord, of: impl Fn(&PlannedTarget) -> T) -> Option<T> {
    let mut values = record.plan.targets.iter().map(of);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Percent of I/Os that go to a random place; a stripe has its own order.
fn random_percent(access: &Access) -> Option<u8> {
    match access {
        Access::Sequential => Some(0),
        Access::Random => Some(100),
        Access::Stripe(_) => None,
        Access::Diskspd(walk) => Some(walk.random.as_percent()),
    }
}

fn pattern_of(access: &Access) -> &'static str {
    match (access, random_percent(access)) {
        (Access::Stripe(_), _) => "stripe",
        (_, percent) => pattern(percent.unwrap_or(0)),
    }
}

/// What most people would call it.
fn pattern(random_percent: u8) -> &'static str {
    match random_percent {
        0 => "sequential",
        100 => "random",
        _ => "mixed",
    }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Complete => "complete",
        Outcome::Interrupted => "interrupted",
        Outcome::Failed(_) => "failed",
    }
}

/// Not `RunRecord::tally`, which adds up time series too; and a sum that does not fit is the largest number there is,
/// so that a damaged record ends nothing here.
fn figures(tallies: &[&Tally]) -> RowFigures {
    let sum = |of: fn(&Tally) -> u64| {
        tallies
            .iter()
            .fold(0, |sum: u64, t| sum.saturating_add(of(t)))
    };
    let (mut latency, mut response) = (LatencyHistogram::new(), LatencyHistogram::new());
    for tally in tallies {
        latency.merge(&tally.latency);
        if let Some(times) = &tally.response {
            response.merge(times);
        }
    }
    let all_have_responses = tallies.iter().all(|t| t.ios == 0 || t.response.is_some());
    RowFigures {
        ios: Some(sum(|tally| tally.ios)),
        bytes: Some(Bytes(sum(|tally| tally.bytes.0))),
        errors: Some(sum(Tally::errors_total)),
        ios_per_s: None,
        bytes_per_s: None,
        latency: RowTimes {
            sd: latency_sd(tallies, &latency),
            ..times(&latency)
        },
        response: match all_have_responses {
            true => times(&response),
            false => RowTimes::default(),
        },
    }
}

/// From the sums of squares of the time series, which are exact; none where one of its steps has none, or where the series
/// does not hold every I/O.
fn latency_sd(tallies: &[&Tally], latency: &LatencyHistogram) -> Option<Nanos> {
    let (mut ios, mut squares) = (0u64, 0u128);
    let steps = tallies.iter().flat_map(|tally| &tally.intervals);
    for step in steps.filter(|step| step.ios > 0) {
        ios = ios.checked_add(step.ios)?;
        squares = squares.checked_add(step.latency_spread?.squares_ns2)?;
    }
    let all = (ios == latency.count()).then_some(ios)?;
    let sd = standard_deviation(all, latency.sum_ns(), squares)?;
    Some(Nanos(sd.round() as u64))
}

fn times(histogram: &LatencyHistogram) -> RowTimes {
    let deep = |one_in: u64| histogram.count() >= one_in;
    let kept = KEPT.iter().filter(|(_, one_in)| deep(*one_in));
    RowTimes {
        mean: histogram.mean_ns().map(|ns| Nanos(ns.round() as u64)),
        sd: None,
        min: histogram.min(),
        max: histogram.max(),
        percentiles: kept
            .filter_map(|(quantile, _)| Some((*quantile, histogram.quantile(*quantile)?)))
            .collect(),
    }
}

pub(super) fn imported(run: &ImportedRun) -> ResultRow {
    let asked = &run.workload;
    let random = asked.random_percent.map(crate::Ratio::as_percent);
    ResultRow {
        origin: Origin::Imported,
        label: run.name.clone().unwrap_or_default(),
        tool: run.format.tool().to_owned(),
        tool_version: run.tool_version.clone(),
        source: Some(run.source.clone()),
        started_utc: run.started_utc,
        host: run.host.clone(),
        target: asked.targets.join(" "),
        work: RowWork {
            block: asked.block,
            queue_depth: asked.queue_depth,
            threads: asked.threads,
            write_percent: asked.write_percent.map(crate::Ratio::as_percent),
            pattern: random.map(|percent| pattern(percent).to_owned()),
            random_percent: random,
            cache: asked.cache,
            write_through: asked.write_through,
            size: asked.size,
            rate_per_s: None,
            engine: asked.engine.clone(),
        },
        measured: run.measured.or(asked.duration),
        total: printed(&run.figures.total),
        read: printed(&run.figures.read),
        write: printed(&run.figures.write),
        ..ResultRow::default()
    }
}

fn printed(operation: &ImportedOperation) -> RowFigures {
    let ImportedLatency {
        mean,
        sd,
        min,
        max,
        percentiles,
        resolution: _,
        histogram: _,
    } = &operation.latency;
    RowFigures {
        ios: operation.ios,
        bytes: operation.bytes,
        errors: operation.errors,
        ios_per_s: operation.ios_per_s,
        bytes_per_s: operation.bytes_per_s,
        latency: RowTimes {
            mean: *mean,
            sd: *sd,
            min: *min,
            max: *max,
            percentiles: percentiles.clone(),
        },
        response: RowTimes::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Interval;
    use super::*;

    fn tally(latencies: &[u64]) -> Tally {
        let mut tally = Tally::default();
        for (at, &ns) in latencies.iter().enumerate() {
            tally.ios += 1;
            tally.latency.record(Nanos(ns));
            if at % 2 == 0 {
                tally.intervals.push(Interval::default());
            }
            let step = tally.intervals.last_mut().unwrap();
            step.record(Bytes(512), Nanos(ns));
        }
        tally
    }

    #[test]
    fn the_deviation_is_of_all_threads_and_steps_and_exact() {
        let (one, other) = (tally(&[2, 4, 4]), tally(&[4, 5, 5, 7, 9]));
        let of = |tallies: &[&Tally]| figures(tallies).latency.sd;
        assert_eq!(of(&[&one, &tally(&[]), &other]), Some(Nanos(2)));
        assert_eq!(of(&[&tally(&[])]), None);
        let mut old = other.clone();
        old.intervals[1].latency_spread = None;
        assert_eq!(of(&[&one, &old]), None, "one step is not known");
        let mut short = other;
        short.intervals.pop();
        assert_eq!(of(&[&one, &short]), None, "I/Os are missing in the steps");
    }
}
