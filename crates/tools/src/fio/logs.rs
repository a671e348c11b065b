//! fio's log files: a line per step of the time series, for each thread of a job and each direction.
//!
//! Source: fio's manual, "Log File Formats", `iolog.c` of 3.42 and the files of 3.33. Omitted: lines per I/O, which no record
//! has; the log of submission latencies, which are not measured; histograms per step, which a record has in coarse classes only.

use super::Built;
use super::figures::by_thread;
use super::job::Job;
use super::reporting::{LogValue, Logs};
use model::{Interval, LatencyHistogram, Nanos, Operation, RunRecord, Tally};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Returns whether a file that begins so is a log: its first line has a log's columns, which are numbers. Any other file of
/// numbers is not replaced by a log.
pub fn is_log(start: &[u8]) -> bool {
    let start = String::from_utf8_lossy(start);
    let columns: Vec<&str> = start
        .lines()
        .next()
        .unwrap_or_default()
        .split(", ")
        .collect();
    let is_number = |column: &&str| {
        let digits = column.strip_prefix("0x").unwrap_or(column);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let classes = (0..=6).map(|coarseness| 3 + (CLASSES >> coarseness));
    ((5..=7).contains(&columns.len()) || classes.into_iter().any(|count| count == columns.len()))
        && columns.iter().all(is_number)
}

/// Bits of fio's classes of latencies: each power of two has 64.
const CLASS_BITS: u32 = 6;
/// How many there are.
const CLASSES: usize = 29 << CLASS_BITS;

/// The number of fio's class of a latency. Source: `plat_val_to_idx` in `stat.c` of 3.33.
fn class_of(ns: u64) -> usize {
    let most = ns.max(1).ilog2();
    if most <= CLASS_BITS {
        return ns as usize;
    }
    let shift = most - CLASS_BITS;
    let base = (shift as usize + 1) << CLASS_BITS;
    let offset = (ns >> shift) as usize & ((1 << CLASS_BITS) - 1);
    (base + offset).min(CLASSES - 1)
}

/// A line: time in milliseconds, direction, a block size, which a run has not, and the I/Os of each class, or of so many together.
fn histogram_line(
    end_ms: u64,
    direction: usize,
    latency: &LatencyHistogram,
    coarseness: u32,
) -> String {
    let mut counts = [0u64; CLASSES];
    for (low, high, count) in latency.buckets() {
        counts[class_of(low.0 + (high.0 - low.0) / 2)] += count;
    }
    let sums = counts
        .chunks(1 << coarseness)
        .map(|chunk| chunk.iter().sum::<u64>().to_string());
    format!(
        "{end_ms}, {direction}, 0, {}\n",
        sums.collect::<Vec<_>>().join(", ")
    )
}

/// The logs of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobLogs {
    span: usize,
    targets: Vec<u32>,
    name: String,
    /// Number of its first thread, from 1 over all jobs.
    first: u64,
    threads: u64,
    /// Which latencies have logs: `clat` and `lat`.
    latencies: [bool; 2],
    logs: Logs,
}

impl JobLogs {
    /// Those of a job on these targets of a time span, behind so many threads.
    pub(super) fn new(job: &Job, span: usize, targets: Vec<u32>, before: u64) -> Self {
        JobLogs {
            span,
            targets,
            name: job.name.clone(),
            first: before + 1,
            threads: job.jobs,
            latencies: [job.reporting.clat, job.reporting.lat],
            logs: job.logs.clone(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether another job of another span logs its I/Os into the same file.
    pub(super) fn shares_ios(&self, job: &Job, span: usize) -> bool {
        self.span != span && self.logs.ios == job.logs.ios
    }

    /// Returns the kinds of its logs, and how the names of their files begin.
    fn kinds(&self) -> Vec<(Kind, String)> {
        let Logs {
            bandwidth,
            iops,
            latency,
            histogram,
            ..
        } = &self.logs;
        let [clat, lat] = self.latencies;
        let all = [
            (Kind::Bandwidth, bandwidth, true),
            (Kind::Iops, iops, true),
            (Kind::Clat, latency, clat),
            (Kind::Lat, latency, lat),
            (Kind::Histogram, histogram, true),
        ];
        let asked = all.into_iter().filter(|(.., asked)| *asked);
        let named = asked.filter_map(|(kind, begin, _)| Some((kind, begin.as_deref()?)));
        let or_job = |begin: &'_ str| match begin {
            "" => self.name.clone(),
            begin => begin.to_owned(),
        };
        named.map(|(kind, begin)| (kind, or_job(begin))).collect()
    }

    fn path(&self, kind: Kind, begin: &str, thread: u64) -> PathBuf {
        let kind = match kind {
            Kind::Bandwidth => "bw",
            Kind::Iops => "iops",
            Kind::Clat => "clat",
            Kind::Lat => "lat",
            Kind::Histogram => "clat_hist",
        };
        PathBuf::from(match self.logs.together {
            true => format!("{begin}_{kind}.log"),
            false => format!("{begin}_{kind}.{}.log", self.first + thread),
        })
    }

    /// The lines of one thread. Steps without I/Os have none, nor has the last one where it was cut short.
    fn lines(&self, kind: Kind, record: &RunRecord, both: &[Tally; 2]) -> String {
        let step = record.plan.interval;
        let whole = (record.phases.measured().0 / step.0.max(1)) as usize;
        let from = self.start(record);
        let mut lines = String::new();
        for place in 0..whole {
            let end = Nanos(from + step.0 * (place as u64 + 1));
            for (direction, tally) in both.iter().enumerate() {
                if let Some(interval) = tally
                    .intervals
                    .get(place)
                    .filter(|interval| interval.ios > 0)
                {
                    self.line(&mut lines, direction, end, kind.values(interval, step));
                }
            }
        }
        lines
    }

    /// When times of its lines begin.
    fn start(&self, record: &RunRecord) -> u64 {
        match self.logs.since_1970 {
            true => record.started_utc.0 + record.phases.measured_from.0,
            false => 0,
        }
    }

    /// A line for each direction with I/Os, at the end of the measured time.
    fn histograms(&self, record: &RunRecord, both: &[Tally; 2]) -> String {
        let end = (self.start(record) + record.phases.measured().0) / 1_000_000;
        let with_ios = both
            .iter()
            .enumerate()
            .filter(|(_, tally)| tally.latency.count() > 0);
        let lines = with_ios.map(|(direction, tally)| {
            histogram_line(end, direction, &tally.latency, self.logs.coarseness)
        });
        lines.collect()
    }

    /// Time in milliseconds, value, direction, a block size, an offset and a priority, which a step has not.
    fn line(&self, lines: &mut String, direction: usize, end: Nanos, [mean, max]: [u64; 2]) {
        let value = match self.logs.value {
            LogValue::Mean => mean.to_string(),
            LogValue::Max => max.to_string(),
            LogValue::Both => format!("{mean}, {max}"),
        };
        let offset = if self.logs.offset { ", 0" } else { "" };
        let priority = if self.logs.priority { "0x0000" } else { "0" };
        let end = end.0 / 1_000_000;
        let _ = writeln!(lines, "{end}, {value}, {direction}, 0{offset}, {priority}");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bandwidth,
    Iops,
    Clat,
    Lat,
    Histogram,
}

impl Kind {
    /// Returns mean and largest value of a step with I/Os: KiB per second, IOPS or nanoseconds.
    fn values(self, interval: &Interval, step: Nanos) -> [u64; 2] {
        const KIB: f64 = 1024.0;
        let rate = |amount: u64| step.rate_of(amount as f64);
        match self {
            Kind::Bandwidth => [(rate(interval.bytes.0) / KIB) as u64; 2],
            Kind::Iops => [rate(interval.ios) as u64; 2],
            Kind::Clat | Kind::Lat | Kind::Histogram => [
                interval.latency_sum.0 / interval.ios,
                interval.latency_max.0,
            ],
        }
    }
}

/// Returns the log files of a request with their text, as far as its jobs have run: without records, the files alone.
pub fn fio_logs(built: &Built, records: &[RunRecord]) -> Vec<(PathBuf, String)> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let asked = built.logs.iter();
    for job in asked.filter(|job| records.is_empty() || job.span < records.len()) {
        for (kind, begin) in job.kinds() {
            let record = records.get(job.span);
            let threads = record.map_or_else(Vec::new, |record| threads(record, &job.targets));
            for thread in 0..job.threads {
                let path = job.path(kind, &begin, thread);
                let lines = record.zip(threads.get(thread as usize));
                let lines = lines.map_or_else(String::new, |(record, both)| match kind {
                    Kind::Histogram => job.histograms(record, both),
                    _ => job.lines(kind, record, both),
                });
                match files.iter_mut().find(|(there, _)| *there == path) {
                    Some((_, text)) => text.push_str(&lines),
                    None => files.push((path, lines)),
                }
            }
        }
    }
    files
}

/// A log of the I/Os of jobs that run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FioIoLog<'b> {
    /// The file.
    pub path: &'b Path,
    /// Which timespan.
    pub span: usize,
    /// The targets of the jobs there.
    pub targets: Vec<u32>,
}

impl Built {
    /// Returns the logs of I/Os, each file once. A job that replays a trace has none.
    pub fn io_logs(&self) -> Vec<FioIoLog<'_>> {
        let mut all: Vec<FioIoLog<'_>> = Vec::new();
        let runs = self.replay.is_none() && !self.create_only;
        for job in self.logs.iter().filter(|_| runs) {
            let Some(path) = job.logs.ios.as_ref().map(Path::new) else {
                continue;
            };
            match all.iter_mut().find(|log| log.path == path) {
                Some(log) => log.targets.extend(&job.targets),
                None => all.push(FioIoLog {
                    path,
                    span: job.span,
                    targets: job.targets.clone(),
                }),
            }
        }
        all
    }
}

/// Reads and writes of each thread on these targets.
fn threads(record: &RunRecord, targets: &[u32]) -> Vec<[Tally; 2]> {
    let threads = by_thread(record, targets, false);
    let of = |operation: Operation, threads: &[&model::ThreadRecord]| {
        let mut sum = Tally::default();
        threads
            .iter()
            .for_each(|thread| sum.merge(&thread.measured[operation.index()]));
        sum
    };
    let both = |threads: Vec<&model::ThreadRecord>| {
        Operation::ALL.map(|operation| of(operation, &threads))
    };
    threads.into_values().map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{Environment, build, parse};
    use analysis::sample::Sample;

    fn built(options: &str) -> Result<Built, String> {
        let line = format!("--name=j --ioengine=null --size=1m --rw=randrw {options}");
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let request = parse(&args, &Environment::BARE).map_err(|refused| refused.to_string())?;
        build(&request, &|_| None).map_err(|refused| refused.to_string())
    }

    /// fio 3.33 names its files so, and has these columns.
    #[test]
    fn a_log_has_a_line_per_step_and_direction() {
        let mut record = Sample {
            reads: 20_000,
            writes: 10_000,
            ..Sample::default()
        }
        .build();
        record.started_utc = Nanos::seconds(1_000);
        record.phases.measured_to.0 += 1; // no further step
        let logs = |options: &str| fio_logs(&built(options).unwrap(), &[record.clone()]);
        let all = logs("--log_avg_msec=1000 --write_bw_log=a/x --write_iops_log --write_lat_log=y");
        let names: Vec<_> = all.iter().map(|(path, _)| path.to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "a/x_bw.1.log",
                "j_iops.1.log",
                "y_clat.1.log",
                "y_lat.1.log"
            ]
        );
        let lines: Vec<&str> = all[1].1.lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(
            lines[..3],
            [
                "1000, 2000, 0, 0, 0",
                "1000, 1000, 1, 0, 0",
                "2000, 2000, 0, 0, 0"
            ]
        );
        assert!(
            all[0]
                .1
                .starts_with("1000, 8000, 0, 0, 0\n1000, 4000, 1, 0, 0\n")
        );
        let more = "--per_job_logs=0 --log_offset=1 --log_prio=1 --log_unix_epoch=1 --log_window_value=both";
        let all = logs(&format!("--log_avg_msec=1000 --write_iops_log {more}"));
        assert_eq!(all[0].0, PathBuf::from("j_iops.log"));
        let from = 1_000_000 + record.phases.measured_from.0 / 1_000_000;
        let first = format!("{}, 2000, 2000, 0, 0, 0, 0x0000\n", from + 1000);
        assert!(all[0].1.starts_with(&first), "{}", all[0].1);
        assert!(is_log(all[0].1.as_bytes()));
        let foreign: [&[u8]; 3] = [b"12\n13\n", b"1,2,3,4,5\n", b"a, 1, 2, 3, x\n"];
        assert!(!foreign.into_iter().any(is_log));
    }

    /// The places of 3.33's table of classes.
    #[test]
    fn histograms_have_fio_s_classes_and_every_io_once() {
        let places = [0, 63, 64, 127, 128, 130, 1000, 1 << 40].map(class_of);
        assert_eq!(places, [0, 63, 64, 127, 128, 129, 317, 1855]);
        let record = Sample {
            reads: 20_000,
            writes: 10_000,
            ..Sample::default()
        }
        .build();
        for (options, columns) in [("", CLASSES), (" --log_hist_coarseness=4", CLASSES >> 4)] {
            let built = built(&format!("--write_hist_log=h{options}")).unwrap();
            let (path, text) = fio_logs(&built, std::slice::from_ref(&record)).remove(0);
            assert_eq!(path, PathBuf::from("h_clat_hist.1.log"));
            assert!(is_log(text.as_bytes()));
            let lines: Vec<Vec<u64>> = text
                .lines()
                .map(|line| {
                    line.split(", ")
                        .map(|number| number.parse().unwrap())
                        .collect()
                })
                .collect();
            let sums: Vec<(u64, u64)> = lines
                .iter()
                .map(|line| (line[1], line[3..].iter().sum()))
                .collect();
            assert_eq!(sums, [(0, 20_000), (1, 10_000)]);
            assert_eq!(lines[0].len(), 3 + columns);
        }
    }

    #[test]
    fn a_log_without_a_step_has_short_ones_and_a_note() {
        for options in ["--write_bw_log=x", "--write_lat_log=x --log_avg_msec=0"] {
            let built = built(&format!("{options} --runtime=30")).unwrap();
            assert_eq!(built.profile.timespans[0].interval, Nanos::millis(100));
            let notes: Vec<String> = built.notes.iter().map(ToString::to_string).collect();
            assert!(
                notes.iter().any(|note| note.contains("log_avg_msec")),
                "{notes:?}"
            );
        }
        let built =
            built("--log_avg_msec=100 --write_lat_log=x --disable_clat=1 --numjobs=2").unwrap();
        let files = fio_logs(&built, &[]);
        let names: Vec<_> = files
            .iter()
            .map(|(path, _)| path.to_str().unwrap())
            .collect();
        assert_eq!(names, ["x_lat.1.log", "x_lat.2.log"]);
    }
}
