//! The input parameters: one block a time span, in it one a target.

use crate::imports::number::size;
use crate::imports::run::common;
use crate::imports::section::short;
use model::imported_evidence::{ImportedContent, ImportedEvidence, ImportedPace, RequestedRate};
use model::{Bytes, CacheMode, ImportedWorkload, Nanos, Ratio};

/// What was asked of one time span.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    /// As printed. // from 1
    pub(super) number: u32,
    duration: Option<Nanos>,
    warmup: Option<Nanos>,
    pub(super) latency: bool,
    pool_threads: Option<u32>,
    pool_depth: Option<u32>,
    ring: bool,
    /// As printed from 2.3 on.
    pub(super) order: Option<String>,
    /// As printed from 2.3 on.
    pub(super) buffers: Option<String>,
    targets: Vec<Target>,
}

/// What was asked of one target.
#[derive(Clone, Debug, Default)]
struct Target {
    path: String,
    block: Option<Bytes>,
    random: Option<Ratio>,
    writes: Option<Ratio>,
    depth: Option<u32>,
    threads: Option<u32>,
    cache: Option<CacheMode>,
    write_through: Option<bool>,
    zeros: bool,
    own_buffer: bool,
    /// Of each thread.
    pace: Option<ImportedPace>,
}

/// A sentence on what is cached: the mode, and whether writes are durable.
type CacheLine = (&'static str, Option<CacheMode>, Option<bool>);

/// From two lines a target since 2.0.17, and from the one line of older versions.
const CACHE_LINES: [CacheLine; 11] = [
    ("using software cache", Some(CacheMode::Cached), None),
    ("software cache disabled", Some(CacheMode::Unbuffered), None),
    (
        "local software cache disabled, remote cache enabled",
        Some(CacheMode::LocalOff),
        None,
    ),
    (
        "hardware write cache disabled, writethrough on",
        None,
        Some(true),
    ),
    (
        "hardware and software write caches disabled, writethrough on",
        None,
        Some(true),
    ),
    (
        "using hardware write cache, writethrough off",
        None,
        Some(false),
    ),
    (
        "software and hardware cache disabled",
        Some(CacheMode::Unbuffered),
        Some(true),
    ),
    (
        "software and hardware write cache disabled",
        Some(CacheMode::Unbuffered),
        Some(true),
    ),
    (
        "using software and hardware cache",
        Some(CacheMode::Cached),
        Some(false),
    ),
    (
        "using software and hardware write cache",
        Some(CacheMode::Cached),
        Some(false),
    ),
    (
        "hardware and software cache disabled",
        Some(CacheMode::Unbuffered),
        Some(true),
    ),
];

impl Request {
    /// One of which nothing is known but its number.
    pub(super) fn new(number: u32) -> Request {
        Request {
            number,
            ..Request::default()
        }
    }

    /// Takes a line of the block; other lines change nothing. Answers with how much memory it may have taken.
    pub(super) fn line(&mut self, line: &str) -> usize {
        if let Some(rest) = line.strip_prefix("path: ") {
            let path = rest.strip_prefix("template target ").unwrap_or(rest);
            let path = path.trim_matches('\'').to_owned();
            self.targets.push(Target {
                path,
                ..Target::default()
            });
            return 2 * (size_of::<Target>() + line.len());
        } else if let Some(target) = self.targets.last_mut() {
            target.line(line);
        } else {
            self.own_line(line);
        }
        0
    }

    fn own_line(&mut self, line: &str) {
        if line == "measuring latency" {
            self.latency = true;
        } else if let Some(rest) = line.strip_prefix("thread pool with ") {
            self.pool_threads = leading(rest);
        } else if let Some(rest) = after(line, "number of outstanding I/O operations per thread") {
            self.pool_depth = rest.parse().ok();
        } else if line.starts_with("using IoRing") {
            self.ring = true;
        } else if let Some(rest) = after(line, "affinity assignment") {
            self.order = Some(short(rest));
        } else if let Some(rest) = after(line, "buffer separation") {
            self.buffers = Some(short(rest));
        } else if let Some(rest) = after(line, "duration") {
            self.duration = seconds(rest);
        } else if let Some(rest) = after(line, "warm up time") {
            self.warmup = seconds(rest);
        }
    }

    /// Returns what was written and which pace was requested. Without an option for it DISKSPD writes the same 256 bytes again
    /// and again; random content (`-Zr`) is only in the command line.
    pub(super) fn evidence(&self, command: Option<&str>) -> ImportedEvidence {
        let all = &self.targets;
        let has_content = |line: &str| line.contains(" -Z") || line.contains(" /Z");
        let usual = command.is_some_and(|line| !has_content(line));
        let content = |target: &Target| match (target.zeros, target.own_buffer) {
            (true, _) => Some(ImportedContent::Zeros),
            (false, false) if usual => Some(ImportedContent::Pattern),
            _ => None,
        };
        ImportedEvidence {
            content: common(all.iter().map(content)),
            paced: all.iter().any(|target| target.pace.is_some()),
            pace: self.pace(),
            ..ImportedEvidence::default()
        }
    }

    /// Returns the pace of all threads together; none where targets differ in their kind of it.
    fn pace(&self) -> Option<ImportedPace> {
        let of = |target: &Target| {
            let threads = target.threads.or(self.pool_threads);
            let all = |rate: RequestedRate| {
                let per_s = rate.per_s * f64::from(threads?);
                Some(RequestedRate { per_s, ..rate })
            };
            Some(match target.pace? {
                ImportedPace::Pauses => ImportedPace::Pauses,
                ImportedPace::Ios(rate) => ImportedPace::Ios(all(rate)?),
                ImportedPace::Bytes(rate) => ImportedPace::Bytes(all(rate)?),
            })
        };
        let all: Option<Vec<ImportedPace>> = self.targets.iter().map(of).collect();
        let sum = |one: RequestedRate, other: RequestedRate| RequestedRate {
            per_s: one.per_s + other.per_s,
            ..one
        };
        let mut all = all?.into_iter();
        let first = all.next()?;
        all.try_fold(first, |before, next| match (before, next) {
            (ImportedPace::Pauses, ImportedPace::Pauses) => Some(ImportedPace::Pauses),
            (ImportedPace::Ios(one), ImportedPace::Ios(other)) => {
                Some(ImportedPace::Ios(sum(one, other)))
            }
            (ImportedPace::Bytes(one), ImportedPace::Bytes(other)) => {
                Some(ImportedPace::Bytes(sum(one, other)))
            }
            _ => None,
        })
    }

    /// The same as a workload. `threads` is what the results count.
    pub(super) fn workload(&self, threads: Option<u32>) -> ImportedWorkload {
        let all = &self.targets;
        let per_file = || {
            let threads: Option<Vec<u32>> = all.iter().map(|target| target.threads).collect();
            threads
                .filter(|t| !t.is_empty())
                .map(|t| t.iter().fold(0u32, |sum, n| sum.saturating_add(*n)))
        };
        ImportedWorkload {
            targets: all.iter().map(|target| target.path.clone()).collect(),
            block: common(all.iter().map(|target| target.block)),
            random_percent: common(all.iter().map(|target| target.random)),
            write_percent: common(all.iter().map(|target| target.writes)),
            queue_depth: common(all.iter().map(|target| target.depth)).or(self.pool_depth),
            threads: threads.or(self.pool_threads).or_else(per_file),
            cache: common(all.iter().map(|target| target.cache)),
            write_through: common(all.iter().map(|target| target.write_through)),
            duration: self.duration,
            warmup: self.warmup,
            size: None,
            engine: self.ring.then(|| "IoRing".to_owned()),
        }
    }

    /// In which of the settings that a run has once its targets differ.
    pub(super) fn differences(&self) -> Vec<&'static str> {
        fn differ<T: PartialEq>(targets: &[Target], field: impl Fn(&Target) -> T) -> bool {
            targets
                .windows(2)
                .any(|pair| field(&pair[0]) != field(&pair[1]))
        }
        let all = self.targets.as_slice();
        let found = [
            ("block size", differ(all, |target| target.block)),
            ("random or sequential", differ(all, |target| target.random)),
            ("share of writes", differ(all, |target| target.writes)),
            ("outstanding I/Os", differ(all, |target| target.depth)),
            (
                "caching",
                differ(all, |target| (target.cache, target.write_through)),
            ),
        ];
        found
            .iter()
            .filter(|(_, differs)| *differs)
            .map(|(name, _)| *name)
            .collect()
    }
}

impl Target {
    fn line(&mut self, line: &str) {
        if let Some((_, cache, through)) = CACHE_LINES.iter().find(|(text, ..)| *text == line) {
            self.cache = cache.or(self.cache);
            self.write_through = through.or(self.write_through);
        } else if line == "zeroing write buffers" || line == "zeroing IO buffers" {
            self.zeros = true;
        } else if line.starts_with("write buffer") {
            self.own_buffer = true;
        } else if let Some(rest) = line.strip_prefix("throughput rate-limited to ") {
            self.pace = rate(rest).or(self.pace);
        } else if let Some(rest) = after(line, "think time") {
            let pauses = leading_digits(rest).is_some_and(|ms: u32| ms > 0);
            self.pace = self.pace.or(pauses.then_some(ImportedPace::Pauses));
        } else if line.starts_with("performing ") {
            self.writes = writes(line).or(self.writes);
        } else if let Some(rest) = after(line, "block size") {
            self.block = size(rest);
        } else if line.starts_with("using ") {
            self.random = random(line).or(self.random);
        } else if let Some(rest) = after(line, "threads per file") {
            self.threads = rest.parse().ok();
        } else if let Some(rest) = line.strip_prefix("number of outstanding I/O operations") {
            let number = rest.rsplit(':').next().unwrap_or_default();
            self.depth = number.trim().parse().ok();
        }
    }
}

/// What follows `name:`.
fn after<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    line.strip_prefix(name)?.strip_prefix(':').map(str::trim)
}

fn leading<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.split_whitespace().next()?.parse().ok()
}

/// The number at the start of `5ms`.
fn leading_digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// `2000 IOPS` or `134218 B/ms`.
fn rate(text: &str) -> Option<ImportedPace> {
    let (value, unit) = text.split_once(' ')?;
    let value: u32 = value.parse().ok().filter(|value| *value > 0)?;
    let rate = |per_s: f64| RequestedRate { per_s, of: None };
    match unit.trim() {
        "IOPS" => Some(ImportedPace::Ios(rate(f64::from(value)))),
        "B/ms" => Some(ImportedPace::Bytes(rate(f64::from(value) * 1e3))),
        _ => None,
    }
}

fn seconds(text: &str) -> Option<Nanos> {
    let seconds: u32 = text.strip_suffix('s')?.parse().ok()?;
    Some(Nanos::seconds(u64::from(seconds)))
}

/// `performing mix test (read/write ratio: 90/10)`; up to 2.0.15 `(write/read ratio: 10/100)`.
fn writes(line: &str) -> Option<Ratio> {
    match line {
        "performing read test" => return Some(Ratio::NONE),
        "performing write test" => return Some(Ratio::ALL),
        _ => {}
    }
    let (words, numbers) = line.split_once("ratio:")?;
    let (first, second) = numbers.trim().trim_end_matches(')').split_once('/')?;
    let writes = if words.contains("write/read") {
        first
    } else {
        second
    };
    Ratio::percent(writes.trim().parse().ok()?)
}

fn random(line: &str) -> Option<Ratio> {
    if line.starts_with("using random I/O") {
        Some(Ratio::ALL)
    } else if line.starts_with("using sequential I/O")
        || line.starts_with("using interlocked sequential I/O")
    {
        Some(Ratio::NONE)
    } else {
        let rest = line.strip_prefix("using mixed random/sequential I/O (")?;
        Ratio::percent(rest.split('%').next()?.parse().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(lines: &[&str], command: &str) -> ImportedEvidence {
        let mut request = Request::new(1);
        for line in lines {
            request.line(line);
        }
        request.evidence(Some(command))
    }

    #[test]
    fn content_may_be_an_option_with_a_dash_or_a_slash() {
        let of = |command| evidence(&["path: 'a.dat'"], command).content;
        assert_eq!(of("diskspd -w100 a.dat"), Some(ImportedContent::Pattern));
        assert_eq!(of("diskspd -w100 -Zr a.dat"), None);
        assert_eq!(of("diskspd /w100 /Zr a.dat"), None);
    }

    #[test]
    fn the_rate_of_a_thread_is_multiplied_and_added_up() {
        let target = |rate| ["path: 'a.dat'", rate, "threads per file: 4"];
        let of = |lines: &[&str]| evidence(lines, "diskspd a.dat");
        let rate = |per_s| RequestedRate { per_s, of: None };
        let ios = target("throughput rate-limited to 500 IOPS");
        let bytes = target("throughput rate-limited to 1000 B/ms");
        assert_eq!(of(&ios).pace, Some(ImportedPace::Ios(rate(2000.0))));
        assert_eq!(of(&bytes).pace, Some(ImportedPace::Bytes(rate(4e6))));
        let two = of(&[ios, ios].concat()).pace;
        assert_eq!(two, Some(ImportedPace::Ios(rate(4000.0))));
        let differ = of(&[ios, bytes].concat());
        assert_eq!((differ.pace, differ.paced), (None, true));
        let pauses = of(&target("think time: 5ms"));
        assert_eq!(
            (pauses.pace, pauses.paced),
            (Some(ImportedPace::Pauses), true)
        );
        assert!(!of(&target("think time: 0ms")).paced);
    }
}
