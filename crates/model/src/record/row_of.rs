//! Records and imported runs, read into a row.
//!
//! The quantiles that are kept of runs of fathom stand here, and the rule how deep they go.

use super::files::FilesRecord;
use super::histogram::LatencyHistogram;
use super::imported::{ImportedLatency, ImportedOperation, ImportedRun};
use super::row::{Origin, ResultRow, RowFigures, RowTimes, RowWork};
use super::run::{Outcome, RunRecord};
use super::tally::{Tally, standard_deviation};
use super::watched::{WatchMoment, WatchRecord};
use crate::plan::{Access, Operation, PlannedTarget, Skew};
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

impl ResultRow {
    /// Reads a record into a row, without where it is stored.
    pub fn of_record(record: &RunRecord) -> ResultRow {
        let [read, write] = Operation::ALL.map(|operation| Together::of(record, operation));
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
            read: read.figures(),
            write: write.figures(),
            total: read.and(&write).figures(),
            ..ResultRow::default()
        }
    }
}

impl ResultRow {
    /// Reads the records of all ranks of a job into one row; `None` of none. Counts are added and histograms merged. The
    /// measured time is that in which the sum of all I/Os has the sum of the ranks' own IOPS.
    pub fn of_ranks(records: &[&RunRecord]) -> Option<ResultRow> {
        let rows: Vec<ResultRow> = records
            .iter()
            .map(|one| ResultRow::of_record(one))
            .collect();
        let first = rows.first()?.clone();
        let [read, write] = Operation::ALL.map(|operation| {
            let ranks = records.iter().map(|one| Together::of(one, operation));
            ranks.reduce(|sum, one| sum.and(&one)).unwrap_or_default()
        });
        let each = |of: fn(&ResultRow) -> Option<String>| {
            let names: Vec<String> = rows.iter().filter_map(of).collect();
            crate::distinct(names.iter().map(String::as_str)).join(" ")
        };
        let mut threads = rows.iter().map(|row| row.work.threads);
        let sizes = rows.iter().map(|row| row.work.size.map(|size| size.0));
        let limits = rows.iter().map(|row| row.work.target_iops);
        let all = |sum: Option<u64>, one: Option<u64>| sum?.checked_add(one?);
        Some(ResultRow {
            host: Some(each(|row| row.host.clone())).filter(|names| !names.is_empty()),
            target: each(|row| Some(row.target.clone())),
            work: RowWork {
                threads: threads.try_fold(0, |sum: u32, one| sum.checked_add(one?)),
                size: sizes.fold(Some(0), all).map(Bytes),
                target_iops: limits.fold(Some(0), all),
                ..first.work
            },
            measured: Some(measured_by_all(records)),
            read: read.figures(),
            write: write.figures(),
            total: read.and(&write).figures(),
            ..first
        })
    }
}

fn measured_by_all(records: &[&RunRecord]) -> Nanos {
    let (mut ios, mut per_ns) = (0.0, 0.0);
    let mut longest = Nanos(0);
    for record in records {
        let time = record.phases.measured();
        let its: u64 = Operation::ALL
            .iter()
            .map(|one| record.tally(*one, None).ios)
            .sum();
        longest = longest.max(time);
        if time > Nanos(0) {
            ios += its as f64;
            per_ns += its as f64 / time.0 as f64;
        }
    }
    match per_ns > 0.0 {
        true => Nanos((ios / per_ns).round() as u64),
        false => longest,
    }
}

fn work(record: &RunRecord) -> RowWork {
    let plan = &record.plan;
    let size = plan.targets.iter().map(|target| target.length.0);
    RowWork {
        block: common(record, |t| t.workload.single_block()).flatten(),
        queue_depth: common(record, |t| t.workload.queue_depth.0),
        threads: Some(plan.threads()),
        write_percent: common(record, |t| t.workload.write.as_percent()),
        pattern: common(record, |t| pattern_of(&t.workload.access)).map(str::to_owned),
        random_percent: common(record, |t| random_percent(&t.workload.access)).flatten(),
        cache: common(record, |t| t.cache),
        write_through: common(record, |t| t.write_through),
        size: size.reduce(u64::saturating_add).map(Bytes),
        target_iops: plan.arrivals.map(|arrivals| arrivals.per_s),
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
        Access::Random | Access::Permuted(_) | Access::Skewed(_) => Some(100),
        Access::Stripe(_) | Access::Runs { .. } | Access::Recorded(_) => None,
        Access::Diskspd(walk) => Some(walk.random.as_percent()),
        Access::Mixed(mixed) => Some(mixed.random().as_percent()),
    }
}

fn pattern_of(access: &Access) -> &'static str {
    match (access, random_percent(access)) {
        (Access::Stripe(_), _) => "stripe",
        (Access::Runs { columns: 1, .. }, _) => "sequential",
        (Access::Runs { .. }, _) => "interleaved",
        (Access::Recorded(_), _) => "trace",
        (Access::Permuted(_), _) => "permuted",
        (Access::Skewed(Skew::Zipf(_)), _) => "zipf",
        (Access::Skewed(Skew::Pareto(_)), _) => "pareto",
        (Access::Skewed(Skew::Normal(_)), _) => "normal",
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

/// What several tallies counted together. Not `RunRecord::tally`, which adds up time series too; and a sum that does not
/// fit is the largest number there is, so that a damaged record ends nothing here.
#[derive(Default)]
struct Together {
    ios: u64,
    bytes: u64,
    errors: u64,
    latency: LatencyHistogram,
    response: Option<LatencyHistogram>,
    lacks_responses: bool, // somewhere
    /// Of the time series: I/Os and the sum of their squared latencies, which is exact; none where one of its steps has
    /// none.
    spread: Option<(u64, u128)>,
}

impl Together {
    /// Of all threads.
    fn of(record: &RunRecord, operation: Operation) -> Together {
        let mut sum = Together {
            spread: Some((0, 0)),
            ..Together::default()
        };
        for thread in &record.threads {
            sum.add(&thread.measured[operation.index()]);
        }
        sum
    }

    fn add(&mut self, tally: &Tally) {
        self.ios = self.ios.saturating_add(tally.ios);
        self.bytes = self.bytes.saturating_add(tally.bytes.0);
        self.errors = self.errors.saturating_add(tally.errors_total());
        self.latency.merge(&tally.latency);
        self.add_responses(tally.response.as_ref());
        self.lacks_responses |= tally.ios > 0 && tally.response.is_none();
        let spread = tally.intervals.iter().filter(|step| step.ios > 0);
        self.spread = spread.fold(self.spread, |sum, step| {
            let squares = step.latency_spread?.squares_ns2;
            Some((sum?.0.checked_add(step.ios)?, sum?.1.checked_add(squares)?))
        });
    }

    fn add_responses(&mut self, times: Option<&LatencyHistogram>) {
        if let Some(times) = times {
            self.response.get_or_insert_default().merge(times);
        }
    }

    fn and(mut self, other: &Together) -> Together {
        self.latency.merge(&other.latency);
        self.add_responses(other.response.as_ref());
        let spread = self.spread.zip(other.spread);
        Together {
            ios: self.ios.saturating_add(other.ios),
            bytes: self.bytes.saturating_add(other.bytes),
            errors: self.errors.saturating_add(other.errors),
            lacks_responses: self.lacks_responses || other.lacks_responses,
            spread: spread.and_then(|(one, two)| {
                Some((one.0.checked_add(two.0)?, one.1.checked_add(two.1)?))
            }),
            ..self
        }
    }

    fn figures(&self) -> RowFigures {
        let responses = self.response.as_ref().filter(|_| !self.lacks_responses);
        RowFigures {
            ios: Some(self.ios),
            bytes: Some(Bytes(self.bytes)),
            errors: Some(self.errors),
            ios_per_s: None,
            bytes_per_s: None,
            latency: RowTimes {
                sd: self.latency_sd(),
                ..times(&self.latency)
            },
            response: responses.map_or_else(RowTimes::default, times),
        }
    }

    /// None where the series does not contain every I/O.
    fn latency_sd(&self) -> Option<Nanos> {
        let (ios, squares) = self.spread?;
        let all = (ios == self.latency.count()).then_some(ios)?;
        let sd = standard_deviation(all, self.latency.sum_ns(), squares)?;
        Some(Nanos(sd.round() as u64))
    }
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

impl ResultRow {
    /// Reads an imported run into a row, without where it is stored.
    pub fn of_imported(run: &ImportedRun) -> ResultRow {
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
                target_iops: None,
                engine: asked.engine.clone(),
            },
            measured: run.measured.or(asked.duration),
            total: printed(&run.figures.total),
            read: printed(&run.figures.read),
            write: printed(&run.figures.write),
            ..ResultRow::default()
        }
    }
}

impl ResultRow {
    /// Reads a step of work with files into a row, without where it is stored. A step that was not measured is a row
    /// without figures.
    pub fn of_files(record: &FilesRecord) -> ResultRow {
        let step = &record.step;
        let paths = record.place.paths.iter();
        let paths: Vec<_> = paths.map(|path| path.to_string_lossy()).collect();
        ResultRow {
            label: step.label(),
            tool: "fathom".to_owned(),
            tool_version: Some(record.tool_version.clone()),
            started_utc: Some(record.started_utc),
            host: Some(record.host.hostname.clone()).filter(|name| !name.is_empty()),
            target: paths.join(" "),
            outcome: Some(record.outcome.name().to_owned()),
            work: RowWork {
                block: step.block,
                queue_depth: Some(1),
                threads: u32::try_from(step.threads.len()).ok().filter(|&n| n > 0),
                pattern: Some(step.order.name().to_owned()),
                engine: Some("files".to_owned()),
                ..RowWork::default()
            },
            measured: Some(step.elapsed).filter(|_| step.unmeasured.is_none()),
            total: files_figures(record),
            ..ResultRow::default()
        }
    }
}

fn files_figures(record: &FilesRecord) -> RowFigures {
    let step = &record.step;
    let seconds = step.elapsed.as_seconds();
    if step.unmeasured.is_some() {
        return RowFigures::default();
    }
    RowFigures {
        ios: Some(step.operations()),
        bytes: step.block.map(|_| step.bytes()),
        ios_per_s: (record.counted() != step.operations() && seconds > 0.0)
            .then(|| record.counted() as f64 / seconds),
        latency: times(&step.latency()),
        ..RowFigures::default()
    }
}

impl ResultRow {
    /// Reads a watched device's record into a row, without where it is stored: averages over all of its moments.
    /// Percentiles of single moments cannot be put together, so there are none.
    pub fn of_watch(record: &WatchRecord) -> ResultRow {
        let sum = WatchMoment::sum(&record.moments);
        let figures = |ios: u64, bytes: u64, time: Nanos| RowFigures {
            ios: Some(ios),
            bytes: Some(Bytes(bytes)),
            latency: RowTimes {
                mean: time.0.checked_div(ios).map(Nanos),
                ..RowTimes::default()
            },
            ..RowFigures::default()
        };
        let program = record
            .audit
            .as_ref()
            .and_then(|audit| audit.program.first());
        ResultRow {
            label: program.unwrap_or(&record.device.name).clone(),
            tool: "fathom".to_owned(),
            tool_version: Some(record.tool_version.clone()),
            started_utc: Some(record.started_utc),
            host: Some(record.host.hostname.clone()).filter(|name| !name.is_empty()),
            target: record.target(),
            outcome: Some("complete".to_owned()),
            work: RowWork {
                engine: Some(if program.is_some() { "audit" } else { "watch" }.to_owned()),
                ..RowWork::default()
            },
            measured: Some(sum.length),
            total: figures(
                sum.reads + sum.writes,
                sum.read_bytes.0 + sum.write_bytes.0,
                sum.read_time.plus(sum.write_time),
            ),
            read: figures(sum.reads, sum.read_bytes.0, sum.read_time),
            write: figures(sum.writes, sum.write_bytes.0, sum.write_time),
            ..ResultRow::default()
        }
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
        let of = |tallies: &[&Tally]| {
            let mut sum = Together {
                spread: Some((0, 0)),
                ..Together::default()
            };
            tallies.iter().for_each(|tally| sum.add(tally));
            sum.figures().latency.sd
        };
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
