//! fio's normal output, of its version 3: what people read, and many scripts search.
//!
//! Source: `stat.c` of fio 3.33. What fathom does not count (submission latency, depths above 1, context switches, page faults) has no
//! line or field here.

use super::figures::{CLASSES, Disk, Job, Latency, Side, Steps};
use super::result::{DEPTHS, FioResults};
use crate::fio::{JobPart, Reporting};
use std::fmt::Write as _;
use std::io::{self, Write};

/// What a side is called at the end.
const SIDES: [(&str, &str); 3] = [
    ("read", "   READ"),
    ("write", "  WRITE"),
    ("mixed", "  MIXED"),
];

/// The whole output. Errors are those of `out`.
pub fn fio_normal(results: &FioResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    if results.head {
        head(&mut text, results);
    }
    for (part, jobs) in results.parts {
        jobs.iter()
            .for_each(|one| job(&mut text, results, part, one));
    }
    let mut groups: Vec<u32> = results.parts.iter().map(|(part, _)| part.group).collect();
    groups.dedup();
    groups
        .iter()
        .for_each(|group| status(&mut text, results, *group));
    if !results.disks.is_empty() {
        text.push_str("\nDisk stats (read/write):\n");
        results.disks.iter().for_each(|one| disk(&mut text, one));
    }
    out.write_all(text.as_bytes())
}

/// The jobs, the version and the number of threads.
fn head(text: &mut String, results: &FioResults<'_>) {
    for (part, _) in results.parts {
        let option = |name: &str| {
            let mut options = part.options.iter().chain(results.globals);
            let found = options.find(|(known, _)| known == name);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        let _ = writeln!(
            text,
            "{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}",
            part.name,
            part.group,
            option("rw"),
            option("bs"),
            part.engine,
            part.depth
        );
    }
    let threads: usize = results.parts.iter().map(|(_, jobs)| jobs.len()).sum();
    let _ = writeln!(text, "{}", super::version(results.version).trim_end());
    let _ = writeln!(
        text,
        "Starting {threads} {}\n",
        if threads == 1 { "thread" } else { "threads" }
    );
}

fn job(text: &mut String, results: &FioResults<'_>, part: &JobPart, job: &Job) {
    let ended = results.ended_text;
    let _ = writeln!(
        text,
        "{}: (groupid={}, jobs=1): err={:2}: pid={}: {ended}",
        part.name,
        part.group,
        job.error,
        std::process::id()
    );
    if let Some(description) = &part.reporting.description {
        let _ = writeln!(text, "  Description  : [{description}]");
    }
    for side in job.sides.iter().filter(|side| side.ios > 0) {
        let share = results.share(part.group, side);
        direction(text, side, share, &part.reporting);
    }
    for ((unit, shares), tail) in ["nsec", "usec", "msec"]
        .iter()
        .zip(&job.classes)
        .zip([0, 0, 2000])
    {
        let mut edges = CLASSES.iter().map(ToString::to_string).collect::<Vec<_>>();
        if tail > 0 {
            edges.extend([tail.to_string(), format!(">={tail}")]);
        }
        let used: Vec<String> = edges
            .iter()
            .zip(shares)
            .filter(|(_, share)| **share >= 0.005)
            .map(|(edge, share)| format!("{edge}={share:.2}%"))
            .collect();
        for line in used.chunks(5) {
            let _ = writeln!(text, "  lat ({unit})   : {}", line.join(", "));
        }
    }
    if let Some(syncs) = &job.syncs {
        text.push_str("  fsync/fdatasync/sync_file_range:\n");
        latency(text, "sync", syncs);
        percentiles(text, "sync", syncs, part.reporting.decimals);
    }
    if let Some((user, kernel)) = job.cpu_percent {
        let _ = writeln!(text, "  cpu          : usr={user:.2}%, sys={kernel:.2}%");
    }
    depths(text, part.depth);
    let calls = job.syncs.as_ref().map_or(0, |syncs| syncs.count);
    // What is reported together only is in the first place.
    let count = |of: fn(&Side) -> u64| {
        let mut counts = job.sides.iter().map(of);
        [counts.next().unwrap_or(0), counts.next().unwrap_or(0)]
    };
    let (ios, short) = (count(|side| side.ios), count(|side| side.short_ios));
    let _ = writeln!(
        text,
        "     issued rwts: total={},{},0,{calls} short={},{},0,0 dropped=0,0,0,0",
        ios[0], ios[1], short[0], short[1]
    );
    if let Some(errors) = job.errors {
        let first = job.error;
        let reason = model::errno_text(&std::io::Error::from_raw_os_error(first));
        let _ = writeln!(
            text,
            "     errors    : total={errors}, first_error={first}/<{reason}>"
        );
    }
    let _ = writeln!(
        text,
        "     latency   : target=0, window=0, percentile=100.00%, depth={}",
        part.depth
    );
}

/// With one I/O in flight all have that depth; others are not counted.
fn depths(text: &mut String, most: u64) {
    if most == 1 {
        let share = |level: &&str| format!("{level}={:3.1}%", 100.0 * f64::from(**level == *"1"));
        let levels: Vec<String> = DEPTHS.iter().map(share).collect();
        let _ = writeln!(text, "  IO depths    : {}", levels.join(", "));
    }
}

fn direction(text: &mut String, side: &Side, share: f64, reporting: &Reporting) {
    let _ = writeln!(
        text,
        "  {}: IOPS={}, BW={} ({})({}/{}msec){}",
        side.name,
        short(side.ios_per_s as u64, false, ""),
        short(side.bytes_per_s as u64, true, "B/s"),
        short(side.bytes_per_s as u64, false, "B/s"),
        short(side.bytes, true, "B"),
        side.measured_ns / 1_000_000,
        if side.name == "write" {
            "; 0 zone resets"
        } else {
            ""
        }
    );
    if let Some(times) = &side.latency {
        let kinds = [
            ("clat", reporting.clat, reporting.clat_percentiles()),
            (" lat", reporting.lat, reporting.lat_percentiles()),
        ];
        let shown = || kinds.into_iter().filter(|(_, shown, _)| *shown);
        shown().for_each(|(name, ..)| latency(text, name, times));
        for (name, ..) in shown().filter(|(.., percentiles)| *percentiles) {
            percentiles(text, name.trim(), times, reporting.decimals);
        }
    }
    let bandwidth = "   bw (  KiB/s)";
    steps(text, bandwidth, &side.bytes_steps, 1024.0, Some(share));
    steps(text, "   iops        ", &side.ios_steps, 1.0, None);
}

/// The unit in which fio prints such latencies, and how many nanoseconds it has.
fn unit(least: f64, most: f64) -> (&'static str, f64) {
    match (least, most) {
        (2_000_000.0.., 99_999_000.0..) => ("msec", 1e6),
        (2_000.0.., 99_999.0..) => ("usec", 1e3),
        _ => ("nsec", 1.0),
    }
}

fn latency(text: &mut String, name: &str, times: &Latency) {
    let (unit, ns) = unit(times.min_ns as f64, times.max_ns as f64);
    let deviation = times.sd_ns.map(|sd| format!(", stdev={:5.2}", sd / ns));
    let deviation = deviation.unwrap_or_default();
    let _ = writeln!(
        text,
        "    {name} ({unit}): min={}, max={}, avg={:5.2}{deviation}",
        (times.min_ns as f64 / ns) as u64,
        (times.max_ns as f64 / ns) as u64,
        times.mean_ns / ns
    );
}

fn percentiles(text: &mut String, name: &str, times: &Latency, decimals: usize) {
    let (Some((_, first)), Some((_, last))) = (times.percentiles.first(), times.percentiles.last())
    else {
        return;
    };
    let (unit, ns) = unit(*first as f64, *last as f64);
    let _ = writeln!(text, "    {name} percentiles ({unit}):");
    const LINE: usize = 73;
    const NUMBER: usize = 5;
    let at = times.percentiles.iter();
    let all: Vec<String> = at
        .map(|(percent, value)| {
            let percent = format!("{percent:width$.decimals$}", width = decimals + 3);
            format!("{percent}th=[{:NUMBER$}]", (*value as f64 / ns) as u64)
        })
        .collect();
    let lines = all.chunks(LINE / (decimals + 10 + NUMBER));
    let lines: Vec<String> = lines.map(|line| line.join(", ")).collect();
    let _ = writeln!(text, "     | {}", lines.join(",\n     | "));
}

/// `share` is that of the group, in percent.
fn steps(text: &mut String, name: &str, steps: &Steps, scale: f64, share: Option<f64>) {
    if steps.count == 0 {
        return;
    }
    let per = share.map(|share| format!(" per={share:3.2}%,"));
    let per = per.unwrap_or_default();
    let _ = writeln!(
        text,
        "{name}: min={:5}, max={:5},{per} avg={:5.2}, stdev={:5.2}, samples={}",
        (steps.min / scale) as u64,
        (steps.max / scale) as u64,
        steps.mean / scale,
        steps.sd / scale,
        steps.count
    );
}

fn status(text: &mut String, results: &FioResults<'_>, group: u32) {
    let _ = writeln!(text, "\nRun status group {group} (all jobs):");
    for (side, name) in SIDES {
        let parts = results.parts.iter().filter(|(part, _)| part.group == group);
        let jobs: Vec<&Job> = parts.flat_map(|(_, jobs)| jobs).collect();
        let sides: Vec<&Side> = results.sides(group, side).collect();
        if sides.is_empty() {
            continue;
        }
        let rates = || sides.iter().map(|side| side.bytes_per_s as u64);
        let (least, most) = (rates().min().unwrap_or(0), rates().max().unwrap_or(0));
        let (sum, bytes) = (rates().sum(), sides.iter().map(|side| side.bytes).sum());
        let times = || jobs.iter().map(|job| job.measured_ns / 1_000_000);
        let both = |binary: bool| {
            format!(
                "{}-{}",
                short(least, binary, "B/s"),
                short(most, binary, "B/s")
            )
        };
        let _ = writeln!(
            text,
            "{name}: bw={} ({}), {} ({}), io={} ({}), run={}-{}msec",
            short(sum, true, "B/s"),
            short(sum, false, "B/s"),
            both(true),
            both(false),
            short(bytes, true, "B"),
            short(bytes, false, "B"),
            times().min().unwrap_or(0),
            times().max().unwrap_or(0)
        );
    }
}

fn disk(text: &mut String, disk: &Disk) {
    let Disk {
        name, busy_percent, ..
    } = disk;
    let [
        reads,
        writes,
        merged,
        merged_writes,
        read_ms,
        write_ms,
        both_ms,
    ] = disk.counts();
    let _ = writeln!(
        text,
        "  {name}: ios={reads}/{writes}, merge={merged}/{merged_writes}, ticks={read_ms}/{write_ms}, in_queue={both_ms}, \
         util={busy_percent:.2}%"
    );
}

/// At most four digits with their letter, as fio's `num2str` prints them.
fn short(mut number: u64, binary: bool, unit: &str) -> String {
    const DIGITS: usize = 4;
    const LETTERS: [&str; 6] = ["", "K", "M", "G", "T", "P"];
    let step = if binary { 1024 } else { 1000 };
    let (mut power, mut rest) = (0, None);
    while number.to_string().len() > DIGITS && power + 1 < LETTERS.len() {
        rest = Some(number % step);
        number /= step;
        power += 1;
    }
    let letter = match (LETTERS[power], binary) {
        ("", _) => String::new(),
        ("K", false) => "k".to_owned(),
        (letter, true) => format!("{letter}i"),
        (letter, false) => letter.to_owned(),
    };
    let digits = number.to_string().len();
    match rest {
        Some(rest) if digits + 1 < DIGITS => {
            let part = format!("{:.*}", DIGITS - digits - 1, rest as f64 / step as f64);
            format!("{number}.{}{letter}{unit}", &part[2..])
        }
        Some(rest) => format!("{}{letter}{unit}", number + u64::from(rest >= step / 2)),
        None => format!("{number}{letter}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As fio 3.33 prints them.
    #[test]
    fn numbers_have_at_most_four_digits() {
        let bandwidth = 14_938_352;
        assert_eq!(short(bandwidth, true, "B/s"), "14.2MiB/s");
        assert_eq!(short(bandwidth, false, "B/s"), "14.9MB/s");
        assert_eq!(short(3647, false, ""), "3647");
        assert_eq!(short(52_345, false, ""), "52.3k");
        assert_eq!(short(1984 << 10, true, "B"), "1984KiB");
        assert_eq!(short(4 << 20, true, "B"), "4096KiB");
    }
}
