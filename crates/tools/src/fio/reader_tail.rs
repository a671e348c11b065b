//! A job of fio's text whose first lines are not in the text: its percentiles, depths and counts, and what they are of.
//!
//! The issued I/Os show the side; the summary of the group has the bytes and the time, where it is of this job alone. The unit of
//! percentiles whose head is missing follows from the histogram below them. Omitted: jobs of which no rate is left.

use super::printed::{field, scaled, size_of};
use serde_json::{Map, Value, json};

/// Place of the figures of a side that is not known yet.
pub(super) const SIDE: &str = "tail";

/// Returns whether a line is of a job, below its rates.
pub(super) fn is_part(line: &str) -> bool {
    let line = line.trim_start();
    let Some((head, rest)) = line.split_once(':') else {
        return is_points(line);
    };
    let word = head.split([' ', '(']).next().unwrap_or_default();
    match word {
        "slat" | "clat" | "lat" if head.contains("percentiles (") => true,
        "slat" | "clat" => rest.contains("min=") && rest.contains("avg="),
        "lat" => rest.contains("min=") && rest.contains("avg=") || is_shares(head, rest),
        "bw" | "iops" => rest.contains("min=") && rest.contains("stdev="),
        "cpu" => rest.contains("usr=") && rest.contains("ctx="),
        "IO" => head.starts_with("IO depths"),
        "issued" => rest.contains("total="),
        _ => is_points(line),
    }
}

/// `|  1.00th=[  123],  5.00th=[  277],`.
fn is_points(line: &str) -> bool {
    line.starts_with('|') && line.contains("th=[") && line.contains(']')
}

/// `lat (usec)   : 50=0.03%, 100=80.52%`: the histogram.
fn is_shares(head: &str, rest: &str) -> bool {
    head.starts_with("lat (") && rest.contains("=") && rest.trim_end().ends_with('%')
}

/// What is left of such a job next to its figures.
#[derive(Default)]
pub(super) struct Tail {
    /// Percentiles whose unit is unknown.
    points: Vec<(f64, f64)>,
    /// Upper ends of the histogram in nanoseconds, with their percent of I/Os.
    buckets: Vec<(f64, f64)>,
    /// Mean of the windows: IOPS, bytes per second.
    ios_per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    /// Share of the group's rate that the windows are.
    share_percent: Option<f64>,
    /// How many windows there are, of all jobs together.
    samples: Option<f64>,
    /// The size of its I/Os, where the summary of the group confirms it.
    pub(super) block: Option<u64>,
}

/// Most percentiles that fio prints, and most buckets, with room.
const POINTS_MAX: usize = 64;
/// Two figures that differ by more are not the same.
const APART_MAX: f64 = 0.03;

fn near(a: f64, b: f64) -> bool {
    b > 0.0 && (a / b - 1.0).abs() <= APART_MAX
}

impl Tail {
    pub(super) fn line(&mut self, line: &str) {
        let Some((head, rest)) = line.split_once(':') else {
            return;
        };
        if is_shares(head, rest) && self.buckets.len() < POINTS_MAX {
            self.shares(head, rest);
        } else if head.trim_end() == "iops" {
            self.ios_per_s = field(rest, "avg=").and_then(scaled);
            self.samples = field(rest, "samples=").and_then(scaled);
        } else if head.starts_with("bw ") {
            let unit = head.split(['(', ')']).nth(1).unwrap_or_default();
            let unit = size_of(&format!("1{}", unit.trim_end_matches("/s").trim()));
            let mean = field(rest, "avg=").and_then(scaled);
            self.bytes_per_s = mean.zip(unit).map(|(mean, unit)| mean * unit as f64);
            let share = field(rest, "per=").map(|text| text.trim_end_matches('%'));
            self.share_percent = share.and_then(|text| text.parse().ok());
        }
    }

    fn shares(&mut self, head: &str, rest: &str) {
        let unit = match head.split(['(', ')']).nth(1) {
            Some("nsec") => 1.0,
            Some("usec") => 1e3,
            Some("msec") => 1e6,
            _ => return,
        };
        for part in rest.split(',') {
            let Some((end, share)) = part.trim().rsplit_once('=') else {
                continue;
            };
            let end = match end.strip_prefix(">=") {
                Some(_) => Some(f64::MAX),
                None => end.parse::<f64>().ok().map(|end| end * unit),
            };
            let share = share.trim_end_matches('%').parse::<f64>().ok();
            self.buckets.extend(end.zip(share));
        }
    }

    /// Takes percentiles whose head is not in the text.
    pub(super) fn points(&mut self, line: &str) {
        for point in line.trim_matches('|').split(',') {
            let parts = point.split_once("th=[");
            let point = parts.and_then(|(percent, value)| {
                let value = value.trim().strip_suffix(']')?;
                Some((percent.trim().parse().ok()?, scaled(value.trim())?))
            });
            self.points
                .extend(point.filter(|_| self.points.len() < POINTS_MAX));
        }
    }

    /// Returns the percentiles in nanoseconds, where the histogram shows their unit.
    pub(super) fn percentiles(&self) -> Option<(Value, f64)> {
        let unit = [1.0, 1e3, 1e6].into_iter().find(|unit| self.fits(*unit))?;
        let named = |(percent, value): &(f64, f64)| (percent.to_string(), json!(value * unit));
        let all: Map<String, Value> = self.points.iter().map(named).collect();
        Some((Value::Object(all), unit))
    }

    /// Whether percentiles in a unit are within the buckets of the histogram that contain them.
    fn fits(&self, unit: f64) -> bool {
        /// Fio rounds the shares to hundredths, and percentiles to the middle of their own buckets.
        const SLACK: f64 = 1.1;
        const PERCENT: std::ops::RangeInclusive<f64> = 10.0..=95.0;
        let inner = self.points.iter().filter(|(p, _)| PERCENT.contains(p));
        let mut any = false;
        let all = inner.copied().all(|(percent, value)| {
            any = true;
            let (mut sum, mut from) = (0.0, 0.0);
            self.buckets.iter().any(|(to, share)| {
                sum += share;
                let lower = from;
                from = *to;
                let near_end = (sum - percent).abs() < 0.5;
                let is_here = sum + 0.1 >= percent && sum - share - 0.1 <= percent;
                is_here && value * unit >= lower / SLACK && (near_end || value * unit <= to * SLACK)
            })
        });
        any && all && !self.buckets.is_empty()
    }

    /// Returns the size of an I/O, where so many I/Os are all that the group moved.
    pub(super) fn block_of(&self, ios: u64, bytes: u64) -> Option<u64> {
        let whole = self.is_whole();
        let windows = self.bytes_per_s.zip(self.ios_per_s);
        let block = match windows.filter(|(_, ios)| *ios > 0.0) {
            Some((bytes, ios)) => bytes / ios,
            None if whole && ios > 0 => bytes as f64 / ios as f64,
            None => return None,
        };
        let sectors = (block / 512.0).round();
        let is_size = sectors >= 1.0 && near(block, sectors * 512.0);
        let is_all = is_size && near(ios as f64 * sectors * 512.0, bytes as f64);
        is_all.then_some(sectors as u64 * 512)
    }

    /// Returns whether the windows are those of all of its group.
    fn is_whole(&self) -> bool {
        self.share_percent.is_some_and(|share| share >= 95.0)
    }

    /// Returns how many jobs it is: fio takes a window of each every half second.
    pub(super) fn jobs(&self, seconds: f64) -> Option<u32> {
        const WINDOW_S: f64 = 0.5;
        const ROUNDED_MAX: f64 = 0.1;
        let jobs = self.samples? * WINDOW_S / seconds;
        let whole = jobs.round();
        let is_whole =
            (1.0..=1024.0).contains(&whole) && (jobs - whole).abs() <= ROUNDED_MAX * whole;
        (self.is_whole() && is_whole).then_some(whole as u32)
    }

    /// Returns the IOPS of the windows, where they are those of the whole job.
    pub(super) fn rate(&self) -> Option<f64> {
        let whole = self.share_percent.is_none_or(|share| share >= 95.0);
        self.ios_per_s.filter(|rate| whole && *rate > 0.0)
    }
}
