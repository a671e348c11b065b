//! fio's log files: a line per step of the time series, for each thread of a job and each direction.
//!
//! Source: fio's manual, "Log File Formats", `iolog.c` of 3.42 and the files of 3.33. Omitted: lines per I/O, which no record
//! has; the log of submission latencies, which are not measured; histograms per step, which a record has in coarse classes only.

use super::Built;
use super::figures::by_thread;
use super::job::Job;
use super::reporting::{LogValue, Logs};
use model::{Interval, Nanos, Operation, RunRecord};
use std::fmt::Write as _;
use std::path::PathBuf;

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
    (5..=7).contains(&columns.len()) && columns.iter().all(is_number)
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

    /// Returns the kinds of its logs, and how the names of their files begin.
    fn kinds(&self) -> Vec<(Kind, String)> {
        let Logs {
            bandwidth,
            iops,
            latency,
            ..
        } = &self.logs;
        let [clat, lat] = self.latencies;
        let all = [
            (Kind::Bandwidth, bandwidth, true),
            (Kind::Iops, iops, true),
            (Kind::Clat, latency, clat),
            (Kind::Lat, latency, lat),
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
        };
        PathBuf::from(match self.logs.together {
            true => format!("{begin}_{kind}.log"),
            false => format!("{begin}_{kind}.{}.log", self.first + thread),
        })
    }

    /// The lines of one thread. Steps without I/Os have none, nor has the last one where it was cut short.
    fn lines(&self, kind: Kind, record: &RunRecord, series: &[Vec<Interval>; 2]) -> String {
        let step = record.plan.interval;
        let whole = (record.phases.measured().0 / step.0.max(1)) as usize;
        let from = match self.logs.since_1970 {
            true => record.started_utc.0 + record.phases.measured_from.0,
            false => 0,
        };
        let mut lines = String::new();
        for place in 0..whole {
            let end = Nanos(from + step.0 * (place as u64 + 1));
            for (direction, series) in series.iter().enumerate() {
                if let Some(interval) = series.get(place).filter(|interval| interval.ios > 0) {
                    self.line(&mut lines, direction, end, kind.values(interval, step));
                }
            }
        }
        lines
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
}

impl Kind {
    /// Returns mean and largest value of a step with I/Os: KiB per second, IOPS or nanoseconds.
    fn values(self, interval: &Interval, step: Nanos) -> [u64; 2] {
        const KIB: f64 = 1024.0;
        let rate = |amount: u64| step.rate_of(amount as f64);
        match self {
            Kind::Bandwidth => [(rate(interval.bytes.0) / KIB) as u64; 2],
            Kind::Iops => [rate(interval.ios) as u64; 2],
            Kind::Clat | Kind::Lat => [
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
            let series = record.map_or_else(Vec::new, |record| series(record, &job.targets));
            for thread in 0..job.threads {
                let path = job.path(kind, &begin, thread);
                let lines = record.zip(series.get(thread as usize));
                let lines = lines.map_or_else(String::new, |(record, series)| {
                    job.lines(kind, record, series)
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

/// Reads and writes of each thread on these targets, step by step.
fn series(record: &RunRecord, targets: &[u32]) -> Vec<[Vec<Interval>; 2]> {
    let threads = by_thread(record, targets, false);
    let of = |operation: Operation, threads: &[&model::ThreadRecord]| {
        let mut sum = model::Tally::default();
        threads
            .iter()
            .for_each(|thread| sum.merge(&thread.measured[operation.index()]));
        sum.intervals
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

    #[test]
    fn a_log_needs_a_step_and_latencies_that_are_reported() {
        for options in ["--write_bw_log=x", "--write_lat_log=x --log_avg_msec=0"] {
            let why = built(options).map(drop).unwrap_err();
            assert!(why.contains("log_avg_msec"), "{why}");
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
