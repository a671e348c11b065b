//! One time span: what each thread did to each target, all of it together, and the processors meanwhile.

use super::cpu::{CpuShares, CpuUse, uses};
use super::latency::Latency;
use super::series::{Series, Sum};
use super::system::places;
use model::{
    Access, Effective, LatencyHistogram, Nanos, Operation, Outcome, PlannedTarget, RunRecord,
    Tally, ThreadRecord,
};

/// A time span.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a profile has few time spans, and nearly all are measured"
)]
pub enum Span {
    /// Stopped before anything was measured, or ended by a failed I/O: nothing is reported.
    Interrupted,
    /// What was measured.
    Measured(Measured),
}

/// What was measured in a time span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// How long: what every rate is divided by.
    pub time: Nanos,
    /// Threads of all targets, or of the pool.
    pub threads: u32,
    /// Each processor.
    pub cpus: Vec<CpuUse>,
    /// The plain mean over them.
    pub cpu_average: CpuShares,
    /// Each thread on each of its targets, by thread and then by target.
    pub rows: Vec<Row>,
    /// All rows together, with percentiles.
    pub total: Figures,
    /// Each path on its own, in order of first appearance; a path may belong to several targets.
    pub paths: Vec<TargetLatency>,
    /// Where random I/Os fell, every layout once; empty where all places were equally likely.
    pub layouts: Vec<Layout>,
}

/// What one thread did to one target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Which thread of the time span.
    pub thread: u32,
    /// Which target of the time span.
    pub target: u32,
    /// The target as it was asked for.
    pub path: String,
    /// Size of the whole target in bytes.
    pub size_bytes: u64,
    /// Its result.
    pub figures: Figures,
    /// Where its random I/Os fell; empty where all places were equally likely.
    pub ranges: Effective,
}

/// Reads, writes and both, and their time series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Reads.
    pub read: DirectionFigures,
    /// Writes.
    pub write: DirectionFigures,
    /// Both.
    pub total: DirectionFigures,
    /// By interval.
    pub series: Series,
}

/// The I/Os of one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionFigures {
    /// How many.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// A second of measured time.
    pub rate_per_s: f64,
    /// Bytes a second of measured time.
    pub bytes_per_s: f64,
    /// Standard deviation of IOPS over intervals. // 0 without I/Os
    pub iops_std_dev: f64,
    /// How long they took.
    pub latency: Latency,
}

/// The latencies of one path over all threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TargetLatency {
    /// The path as it was asked for.
    pub path: String,
    /// Of its reads.
    pub read: Latency,
    /// Of its writes.
    pub write: Latency,
    /// Of both.
    pub total: Latency,
}

/// Ranges that some targets have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The ranges.
    pub ranges: Effective,
    /// Each path with the threads to which they apply.
    pub targets: Vec<(String, Vec<u32>)>,
}

/// Sums over all time spans that were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Measured time together.
    pub time: Nanos,
    /// Reads: I/Os, bytes, and both a second.
    pub read: TotalsRow,
    /// Writes.
    pub write: TotalsRow,
    /// Both.
    pub total: TotalsRow,
}

/// One direction over all time spans.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalsRow {
    /// I/Os.
    pub ios: u64,
    /// Bytes that they transferred.
    pub bytes: u64,
    /// IOPS.
    pub rate_per_s: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
}

/// The report of one time span; `paths` are its targets as they were asked for, in order.
pub fn span(record: &RunRecord, paths: &[&str]) -> Span {
    let time = record.phases.measured();
    // The original's own limit: below it there is nothing to divide by.
    if time < Nanos(100) || matches!(record.outcome, Outcome::Failed(_)) {
        return Span::Interrupted;
    }
    let reader = Reader {
        record,
        time,
        paths,
    };
    let mut threads: Vec<&ThreadRecord> = record.threads.iter().collect();
    threads.sort_by_key(|thread| (thread.thread, thread.target));
    let rows: Vec<Row> = threads.iter().map(|thread| reader.row(thread)).collect();
    let cpus = uses(&places(&record.host), &record.window);
    Span::Measured(Measured {
        time,
        threads: record.plan.threads(),
        cpu_average: CpuShares::mean(&cpus),
        cpus,
        total: reader.figures(&threads, Latency::full),
        paths: reader.by_path(&threads),
        layouts: layouts(&rows),
        rows,
    })
}

/// Sums over the time spans that were measured.
pub fn totals(spans: &[Span]) -> Totals {
    let measured = spans.iter().filter_map(|span| match span {
        Span::Measured(measured) => Some(measured),
        Span::Interrupted => None,
    });
    let measured: Vec<&Measured> = measured.collect();
    let time = measured
        .iter()
        .fold(Nanos(0), |sum, span| sum.plus(span.time));
    let row = |side: fn(&Figures) -> &DirectionFigures| {
        let sides = || measured.iter().map(|span| side(&span.total));
        let (ios, bytes) = (sides().map(|s| s.ios).sum(), sides().map(|s| s.bytes).sum());
        TotalsRow {
            ios,
            bytes,
            rate_per_s: time.rate_of(ios as f64),
            bytes_per_s: time.rate_of(bytes as f64),
        }
    };
    Totals {
        time,
        read: row(|f| &f.read),
        write: row(|f| &f.write),
        total: row(|f| &f.total),
    }
}

/// What the rows of one record have in common.
struct Reader<'a> {
    record: &'a RunRecord,
    time: Nanos,
    paths: &'a [&'a str],
}

impl Reader<'_> {
    fn row(&self, thread: &ThreadRecord) -> Row {
        Row {
            thread: thread.thread,
            target: thread.target,
            path: self.path(thread.target),
            size_bytes: self.size(thread.target),
            figures: self.figures(&[thread], Latency::brief),
            ranges: self.planned(thread.target).map(ranges).unwrap_or_default(),
        }
    }

    fn planned(&self, target: u32) -> Option<&PlannedTarget> {
        self.record.plan.targets.get(target as usize)
    }

    /// As asked for; where the record has more targets than were asked for, its own name.
    fn path(&self, target: u32) -> String {
        let own = || {
            self.planned(target)?
                .location
                .path()
                .map(|path| path.display().to_string())
        };
        let asked = self
            .paths
            .get(target as usize)
            .map(|path| (*path).to_owned());
        asked.or_else(own).unwrap_or_default()
    }

    /// As it was before the run, or as it was created for the run.
    fn size(&self, target: u32) -> u64 {
        let found = self
            .record
            .targets
            .get(target as usize)
            .map_or(0, |facts| facts.size.0);
        let made = self
            .planned(target)
            .and_then(|planned| planned.create)
            .map_or(0, |size| size.0);
        found.max(made)
    }

    fn figures(
        &self,
        threads: &[&ThreadRecord],
        latency: fn(&LatencyHistogram) -> Latency,
    ) -> Figures {
        let mut steps = Sum::default();
        for thread in threads {
            let [read, write] = &thread.measured;
            steps.add(&read.intervals, &write.intervals);
        }
        let plan = &self.record.plan;
        let series = steps.series(
            plan.interval,
            plan.phases.measured.0.div_ceil(plan.interval.0.max(1)),
        );
        let [read, write, total] = directions(threads);
        let side = |tally: &Tally, deviation: Option<f64>| DirectionFigures {
            ios: tally.ios,
            bytes: tally.bytes.0,
            rate_per_s: self.time.rate_of(tally.ios as f64),
            bytes_per_s: self.time.rate_of(tally.bytes.0 as f64),
            iops_std_dev: deviation.unwrap_or(0.0),
            latency: latency(&tally.latency),
        };
        Figures {
            read: side(&read, series.read_std_dev),
            write: side(&write, series.write_std_dev),
            total: side(&total, series.total_std_dev),
            series,
        }
    }

    fn by_path(&self, threads: &[&ThreadRecord]) -> Vec<TargetLatency> {
        let mut paths: Vec<(String, Vec<&ThreadRecord>)> = Vec::new();
        for thread in threads {
            let path = self.path(thread.target);
            match paths.iter_mut().find(|(known, _)| *known == path) {
                Some((_, threads)) => threads.push(thread),
                None => paths.push((path, vec![thread])),
            }
        }
        let latency = |(path, threads): (String, Vec<&ThreadRecord>)| {
            let [read, write, total] =
                directions(&threads).map(|tally| Latency::full(&tally.latency));
            TargetLatency {
                path,
                read,
                write,
                total,
            }
        };
        paths.into_iter().map(latency).collect()
    }
}

/// Reads, writes and both, over some threads. Time series are omitted.
fn directions(threads: &[&ThreadRecord]) -> [Tally; 3] {
    let [mut read, mut write] = [Tally::default(), Tally::default()];
    for thread in threads {
        for (sum, operation) in [(&mut read, Operation::Read), (&mut write, Operation::Write)] {
            let tally = &thread.measured[operation.index()];
            sum.ios += tally.ios;
            sum.bytes.0 += tally.bytes.0;
            sum.latency.merge(&tally.latency);
        }
    }
    let mut total = read.clone();
    total.merge(&write);
    [read, write, total]
}

fn ranges(planned: &PlannedTarget) -> Effective {
    let Access::Diskspd(access) = &planned.workload.access else {
        return Effective::default();
    };
    access
        .distribution
        .effective(&access.extent(planned.length, planned.workload.block))
}

/// Every layout once, in the order of its ranges.
fn layouts(rows: &[Row]) -> Vec<Layout> {
    let mut layouts: Vec<Layout> = Vec::new();
    for row in rows.iter().filter(|row| !row.ranges.ranges.is_empty()) {
        let known = layouts
            .iter()
            .position(|layout| layout.ranges == row.ranges)
            .unwrap_or_else(|| {
                layouts.push(Layout {
                    ranges: row.ranges.clone(),
                    targets: Vec::new(),
                });
                layouts.len() - 1
            });
        let targets = &mut layouts[known].targets;
        match targets.iter_mut().find(|(path, _)| *path == row.path) {
            Some((_, threads)) => threads.push(row.thread),
            None => targets.push((row.path.clone(), vec![row.thread])),
        }
    }
    layouts.sort_by_key(|layout| -> Vec<(u32, u32, u64, u64)> {
        let ranges = layout.ranges.ranges.iter();
        ranges
            .map(|range| (range.io_from, range.io, range.from, range.to))
            .collect()
    });
    layouts
}
