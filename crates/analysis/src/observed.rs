//! What was asked and its result, as far as it is known: the same figures of a run of fathom, an imported one, and
//! a row of the database.
//!
//! Everything is `None` if no source reports it; nothing is guessed. Where targets of one run differ in what was asked,
//! it is `None` too. Deliberately absent: data that only fathom's own record contains (`findings::Own`), and any
//! judgement.

use crate::intervals::{IntervalRow, full_intervals};
use crate::rows::{Sums, per_second};
use model::{
    Bytes, CacheMode, HistogramShare, ImportFormat, ImportedCpu, ImportedRun, Nanos, Origin,
    ResultRow, RowFigures, RunRecord,
};

/// What is known of a run of any tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Reads and writes together.
    pub total: ObservedFigures,
    /// Reads alone.
    pub read: ObservedFigures,
    /// Writes alone.
    pub write: ObservedFigures,
    /// IOPS of the windows of the run.
    pub windows: RateWindows,
    /// Mean latency in nanoseconds with the time of submitting, where that is counted apart.
    pub whole_mean_ns: Option<f64>,
    /// Mean number of I/Os in the device, as another tool's counters show it.
    pub in_device: Option<f64>,
    /// How long was counted, in nanoseconds.
    pub measured_ns: Option<f64>,
    /// What was requested.
    pub load: ObservedLoad,
    /// Files and devices, joined by a space.
    pub target: String,
    /// What moved the bytes, in the tool's words.
    pub engine: Option<String>,
    /// What is known of a printed result alone.
    pub printed: PrintedFacts,
    /// Threads or targets with figures of their own.
    pub rows: Vec<ObservedRow>,
}

/// The load that was requested. Where the targets of one run differ in it, it is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedLoad {
    /// Size of one I/O in bytes.
    pub block_bytes: Option<u64>,
    /// Outstanding I/Os of a thread.
    pub queue_depth: Option<u32>,
    /// Threads of the whole run.
    pub threads: Option<u32>,
    /// I/Os in flight that the whole run was to keep; none where pauses or a rate were asked, and where it is not known.
    pub requested_in_flight: Option<f64>,
    /// Share of I/Os that write. // in [0, 1]
    pub write_share: Option<f64>,
    /// Share of I/Os that go to a random place. // in [0, 1]
    pub random_share: Option<f64>,
    /// Caches between the I/O and the device.
    pub cache: Option<CacheMode>,
    /// Whether a write was complete only when it was durable.
    pub write_through: Option<bool>,
    /// Size of the range that was used, in bytes.
    pub size_bytes: Option<u64>,
}

/// What another tool printed, and how exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrintedFacts {
    /// Kind of the text; none of own runs.
    pub format: Option<ImportFormat>,
    /// Name of the run in its text.
    pub name: Option<String>,
    /// The command line, as printed or posted.
    pub command: Option<String>,
    /// Step of the printed digits of latencies in nanoseconds; own runs count nanoseconds.
    pub latency_step_ns: Option<f64>,
    /// Columns of a printed histogram.
    pub columns: Vec<HistogramShare>,
    /// Load of the processors as another tool printed it.
    pub cpu: Option<ImportedCpu>,
}

/// IOPS of the windows of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateWindows {
    /// How many there are.
    pub count: Option<u64>,
    /// Their standard deviation.
    pub sd_per_s: Option<f64>,
    /// IOPS of the slowest.
    pub min_per_s: Option<f64>,
    /// IOPS of the fastest.
    pub max_per_s: Option<f64>,
}

/// The result of one operation, or of both together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedFigures {
    /// Completed without error.
    pub ios: Option<u64>,
    /// Failed.
    pub errors: Option<u64>,
    /// IOPS.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub bytes_per_s: Option<f64>,
    /// Mean latency in nanoseconds.
    pub mean_ns: Option<f64>,
    /// Standard deviation of latencies in nanoseconds.
    pub sd_ns: Option<f64>,
    /// Smallest latency in nanoseconds.
    pub min_ns: Option<f64>,
    /// Largest latency in nanoseconds.
    pub max_ns: Option<f64>,
    /// (Quantile in 0…1, latency in nanoseconds), ascending.
    pub percentiles: Vec<(f64, f64)>,
}

/// A thread or target with figures of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRow {
    /// Number of the thread, where it has one.
    pub thread: Option<u32>,
    /// What it worked on.
    pub target: String,
    /// I/Os completed.
    pub ios: Option<u64>,
    /// IOPS.
    pub iops: Option<f64>,
}

impl Observed {
    /// Facts of a row of the database. Its latencies may be in coarse steps that it does not report.
    pub fn of_row(row: &ResultRow) -> Observed {
        let work = &row.work;
        let figures = |figures: &RowFigures| ObservedFigures::of(figures, row.measured);
        // With several targets, a depth may be each target's own.
        let several = row.origin == Origin::Imported && row.target.contains(' ');
        let product = work
            .queue_depth
            .zip(work.threads)
            .map(|(depth, threads)| f64::from(depth) * f64::from(threads));
        let share = |percent: Option<u8>| percent.map(|percent| f64::from(percent) / 100.0);
        Observed {
            total: figures(&row.total),
            read: figures(&row.read),
            write: figures(&row.write),
            windows: RateWindows::default(),
            whole_mean_ns: None,
            in_device: None,
            measured_ns: row.measured.map(|time| time.0 as f64),
            load: ObservedLoad {
                block_bytes: work.block.map(|block| block.0),
                queue_depth: work.queue_depth,
                threads: work.threads,
                requested_in_flight: product
                    .filter(|asked| *asked > 0.0 && work.target_iops.is_none() && !several),
                write_share: share(work.write_percent),
                random_share: share(work.random_percent),
                cache: work.cache,
                write_through: work.write_through,
                size_bytes: work.size.map(|size| size.0),
            },
            target: row.target.clone(),
            engine: work.engine.clone(),
            printed: PrintedFacts::default(),
            rows: Vec::new(),
        }
    }

    /// Facts of a record of fathom, with its row and its rate over time.
    pub(crate) fn of_record(
        record: &RunRecord,
        row: &ResultRow,
        intervals: &[IntervalRow],
    ) -> Observed {
        let known = Observed::of_row(row);
        let free = record
            .plan
            .targets
            .iter()
            .all(model::PlannedTarget::is_unhindered);
        let asked = record.plan.outstanding_max() as f64;
        let may_ask = free && record.plan.arrivals.is_none() && asked > 0.0;
        let full = full_intervals(intervals, record.plan.interval);
        let rates: Vec<f64> = full.iter().filter_map(|row| row.iops).collect();
        Observed {
            load: ObservedLoad {
                requested_in_flight: may_ask.then_some(asked),
                ..known.load
            },
            windows: RateWindows::of(&rates),
            printed: PrintedFacts {
                latency_step_ns: Some(1.0),
                ..known.printed
            },
            rows: own_rows(record),
            ..known
        }
    }

    /// Adds p1 and p95, between which nearly all I/Os are, from the histograms of a record.
    #[must_use]
    pub(crate) fn with_spread(mut self, sums: &Sums) -> Observed {
        const ADDED: [f64; 2] = [0.01, 0.95];
        let [read, write] = &sums.each;
        let sides = [
            (&mut self.read, read),
            (&mut self.write, write),
            (&mut self.total, &sums.total),
        ];
        for (figures, tally) in sides {
            let has = |quantile: &f64| figures.percentiles.iter().any(|(at, _)| at == quantile);
            let added = ADDED.iter().filter(|quantile| !has(quantile));
            let added = added.filter_map(|at| Some((*at, tally.latency.quantile(*at)?.0 as f64)));
            let added: Vec<(f64, f64)> = added.collect();
            figures.percentiles.extend(added);
            figures
                .percentiles
                .sort_by(|one, other| one.0.total_cmp(&other.0));
        }
        self
    }

    /// What another tool printed.
    pub fn of_imported(run: &ImportedRun) -> Observed {
        let known = Observed::of_row(&ResultRow::of_imported(run));
        // With several targets, a depth may be each target's own.
        let one_target = run.workload.targets.len() <= 1;
        let both = run.workload.queue_depth.zip(run.workload.threads);
        let asked = both.map(|(depth, threads)| f64::from(depth) * f64::from(threads));
        let asked = asked.filter(|_| !run.evidence.paced);
        let latency = &run.figures.total.latency;
        let one = || one_thread(run, &known).filter(|_| one_target && !run.evidence.paced);
        let asked = asked
            .filter(|asked| one_target && *asked > 0.0)
            .or_else(one);
        let rows = run.rows.iter().map(|row| ObservedRow {
            thread: row.thread,
            target: row.target.clone(),
            ios: row.figures.total.ios,
            iops: row.figures.total.ios_per_s,
        });
        Observed {
            load: ObservedLoad {
                requested_in_flight: asked,
                ..known.load
            },
            windows: RateWindows::of_imported(run),
            whole_mean_ns: run.evidence.total.whole_mean.map(|mean| mean.0 as f64),
            in_device: in_device(run),
            printed: PrintedFacts {
                format: Some(run.format),
                name: run.name.clone(),
                command: run.command.clone(),
                latency_step_ns: latency
                    .resolution
                    .map(|step| step.0 as f64 / mean_digits(run.format)),
                columns: latency.histogram.clone(),
                cpu: run.cpu,
            },
            rows: rows.collect(),
            ..known
        }
    }

    /// Mean number in flight by Little's law: rate times mean latency, from the beginning of submission. None where
    /// the mean has fewer than ten steps of the printed digits, or these are whole milliseconds, which are truncated.
    pub fn in_flight(&self) -> Option<f64> {
        const STEP_MAX_NS: f64 = 1e6;
        const STEPS_MIN: f64 = 10.0;
        let Some(latency_ns) = self.whole_mean_ns.or(self.total.mean_ns) else {
            return self.in_device;
        };
        let fine = |step: f64| step < STEP_MAX_NS && latency_ns >= STEPS_MIN * step;
        let fine = self.printed.latency_step_ns.is_none_or(fine);
        let mean = self.total.iops? * latency_ns / 1e9;
        (fine && mean.is_finite()).then_some(mean)
    }

    /// Bytes that one I/O moved on average: of the block size where it is not counted.
    pub fn bytes_an_io(&self) -> Option<f64> {
        let total = &self.total;
        let counted = total.bytes_per_s.zip(total.iops);
        let counted = counted.filter(|(_, rate)| *rate > 0.0);
        let counted = counted.map(|(bytes, rate)| bytes / rate);
        self.load.block_bytes.map(|block| block as f64).or(counted)
    }
}

impl RateWindows {
    /// Fewer show no spread.
    pub const MIN: u64 = 8;
    /// Fewer do not even where a limit is known that the rate is at.
    pub const MIN_AT_LIMIT: u64 = 5;

    fn of(rates: &[f64]) -> RateWindows {
        RateWindows {
            count: Some(rates.len() as u64),
            sd_per_s: standard_deviation(rates),
            min_per_s: rates.iter().copied().reduce(f64::min),
            max_per_s: rates.iter().copied().reduce(f64::max),
        }
    }

    /// DISKSPD prints the spread of windows of a second and not their number. fio counts those of all jobs of a group.
    fn of_imported(run: &ImportedRun) -> RateWindows {
        let seen = &run.evidence.total;
        let jobs = u64::from(run.workload.threads.unwrap_or(1).max(1));
        let count = match run.format {
            ImportFormat::DiskspdText | ImportFormat::DiskspdXml => {
                run.measured.map(|time| time.0 / 1_000_000_000)
            }
            _ => seen.windows.map(|windows| windows / jobs),
        };
        if seen.windows.is_none() && run.evidence.read.windows.is_some() {
            return RateWindows::of_both(run, jobs);
        }
        RateWindows {
            count,
            sd_per_s: run.figures.total.ios_per_s_sd.filter(|sd| sd.is_finite()),
            min_per_s: seen.window_min_per_s,
            max_per_s: seen.window_max_per_s,
        }
    }

    /// Of reads and writes that are printed apart: together they vary by no more than the sum of both.
    fn of_both(run: &ImportedRun, jobs: u64) -> RateWindows {
        let (read, write) = (&run.evidence.read, &run.evidence.write);
        let sum = |one: Option<f64>, other: Option<f64>| {
            let (one, other) = one.zip(other)?;
            Some(one + other).filter(|sum| sum.is_finite())
        };
        let counts = read.windows.zip(write.windows);
        RateWindows {
            count: counts.map(|(read, write)| read.min(write) / jobs),
            sd_per_s: sum(
                run.figures.read.ios_per_s_sd,
                run.figures.write.ios_per_s_sd,
            ),
            min_per_s: sum(read.window_min_per_s, write.window_min_per_s),
            max_per_s: sum(read.window_max_per_s, write.window_max_per_s),
        }
    }

    /// Their standard deviation, where there are enough to speak of one.
    pub fn spread_per_s(&self, windows_min: u64) -> Option<f64> {
        self.sd_per_s.filter(|_| self.count >= Some(windows_min))
    }
}

impl ObservedFigures {
    /// Returns the latency in nanoseconds at a quantile, where just that one is known. // in [0, 1]
    pub(crate) fn latency_at(&self, quantile: f64) -> Option<f64> {
        let mut points = self.percentiles.iter();
        let found = points.find(|(at, _)| (at - quantile).abs() < 1e-9);
        found.map(|(_, ns)| *ns)
    }

    fn of(figures: &RowFigures, measured: Option<Nanos>) -> ObservedFigures {
        let over = |amount: u64| {
            let time = measured.filter(|time| time.0 > 0)?;
            Some(per_second(amount as f64, time))
        };
        let ns = |time: Option<Nanos>| time.map(|time| time.0 as f64);
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite() && *value >= 0.0);
        let latency = &figures.latency;
        let bytes = figures.bytes.map(|Bytes(bytes)| bytes);
        let points = latency.percentiles.iter();
        ObservedFigures {
            ios: figures.ios,
            errors: figures.errors,
            iops: finite(figures.ios_per_s).or_else(|| over(figures.ios?)),
            bytes_per_s: finite(figures.bytes_per_s).or_else(|| over(bytes?)),
            mean_ns: ns(latency.mean),
            sd_ns: ns(latency.sd),
            min_ns: ns(latency.min),
            max_ns: ns(latency.max),
            percentiles: points
                .filter(|(quantile, _)| (0.0..=1.0).contains(quantile))
                .map(|(quantile, time)| (*quantile, time.0 as f64))
                .collect(),
        }
    }
}

/// Mean number of I/Os in the only device, where it completed as many as the tool.
fn in_device(run: &ImportedRun) -> Option<f64> {
    const APART_MAX: f64 = 0.05;
    let [disk] = &run.evidence.disks[..] else {
        return None;
    };
    let ios = run.figures.total.ios.filter(|ios| *ios > 0)? as f64;
    let time = run.measured.filter(|time| time.0 > 0)?;
    let all = (disk.ios as f64 / ios - 1.0).abs() <= APART_MAX;
    all.then_some(disk.queue_time?.0 as f64 / time.0 as f64)
}

/// fio's text prints means with two digits more than percentiles.
fn mean_digits(format: ImportFormat) -> f64 {
    match format {
        ImportFormat::FioText => 100.0,
        _ => 1.0,
    }
}

/// I/Os in flight of one thread, where their number is unknown (fio prints a group of jobs as one, and of a job file not
/// their number) and rate and latency show that so many were in flight: of more threads there would be more.
fn one_thread(run: &ImportedRun, known: &Observed) -> Option<f64> {
    const FULL: std::ops::RangeInclusive<f64> = 0.9..=1.05;
    let depth = f64::from(run.workload.queue_depth.filter(|depth| *depth > 1)?);
    let whole = run.evidence.total.whole_mean.map(|mean| mean.0 as f64);
    let seen = Observed {
        whole_mean_ns: whole,
        ..known.clone()
    };
    let share = seen.in_flight()? / depth;
    (run.workload.threads.is_none() && FULL.contains(&share)).then_some(depth)
}

/// Each thread on each target.
fn own_rows(record: &RunRecord) -> Vec<ObservedRow> {
    let measured = record.phases.measured();
    let row = |thread: &model::ThreadRecord| {
        let ios = thread.measured.iter().map(|tally| tally.ios);
        let ios = ios.fold(0, u64::saturating_add);
        let facts = record.targets.get(thread.target as usize);
        ObservedRow {
            thread: Some(thread.thread),
            target: facts.map_or_else(String::new, |facts| {
                facts.path.to_string_lossy().into_owned()
            }),
            ios: Some(ios),
            iops: (measured.0 > 0).then(|| per_second(ios as f64, measured)),
        }
    };
    record.threads.iter().map(row).collect()
}

/// Of a sample; none of fewer than three values.
fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 3 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt()).filter(|sd| sd.is_finite())
}
