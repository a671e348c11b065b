//! Pieces of lines of fio's text: keys and values, rates, sizes, counters of devices.

use super::reader::queue_time;
use crate::imports::number::size;
use model::imported_evidence::ImportedDisk;
use serde_json::{Map, Value, json};

pub(super) const ECHO: &str = ": (g=";

/// A line without a last figure that is cut off: spreads end with a deviation of two decimals.
pub(super) fn finished(line: &str) -> &str {
    let is_spread = line.contains("min=") && line.contains("max=");
    let tail = line.rsplit_once("stdev=").map(|(_, tail)| tail);
    let whole = tail.is_some_and(|tail| {
        tail.split_once('.')
            .is_some_and(|(_, rest)| rest.len() >= 2)
    });
    match (is_spread && !whole, line.rfind(',')) {
        (true, Some(comma)) => &line[..comma],
        _ => line,
    }
}

/// `a: (g=0): rw=randread, bs=…`: the job and its options.
pub(super) fn echoed(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(ECHO)?;
    Some((name.trim(), &rest[rest.find("rw=")?..]))
}

/// ` : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.2%, 16=0.3%, 32=99.4%, >=64=0.0%`: the depth from which on most I/Os were; none beyond 64.
pub(super) fn depth_seen(rest: &str) -> Option<u32> {
    const MOST: f64 = 90.0;
    let (_, levels) = rest.split_once(':')?;
    levels.split(',').find_map(|level| {
        let (depth, share) = level.trim().split_once('=')?;
        let share: f64 = share.trim_end_matches('%').parse().ok()?;
        depth.parse().ok().filter(|_| share >= MOST)
    })
}

/// `a: Laying out IO file (1 file / 1024MiB)`: the job and the size of all its files together.
pub(super) fn laid_out(line: &str) -> Option<(&str, u64)> {
    let (name, rest) = line.split_once(": Laying out IO file")?;
    let text = rest.rsplit_once("/ ")?.1.split(')').next()?;
    Some((name.trim(), size(text)?.0)).filter(|(_, size)| *size > 0)
}

/// What follows the name of a side on its line: `read: IOPS=…`, `read : io=…`.
pub(super) fn side_of<'t>(line: &'t str, side: &str) -> Option<&'t str> {
    let rest = line.strip_prefix(side)?.trim_start().strip_prefix(':')?;
    let rest = rest.trim_start();
    (rest.starts_with("IOPS=") || rest.starts_with("io=")).then_some(rest)
}

/// `IOPS=40.2k, BW=157MiB/s (165MB/s)(314MiB/2001msec)`, or `io=1024.0MB, bw=97.9MB/s, iops=25085, runt= 10460msec`.
pub(super) fn rates(rest: &str) -> Map<String, Value> {
    let bytes = |text: &str| Some(size(text.trim_end_matches("/s"))?.0);
    let first = |new: &str, old: &str| field(rest, new).or_else(|| field(rest, old));
    let brackets = rest
        .rsplit_once('(')
        .map(|(_, text)| text.split(')').next().unwrap_or_default());
    let whole = brackets.and_then(|text| text.split_once('/'));
    let moved = whole.map(|(moved, _)| moved).or_else(|| field(rest, "io="));
    let time = whole.map(|(_, time)| time).or_else(|| field(rest, "runt="));
    let ms = time.and_then(|time| time.trim_end_matches("msec").parse::<u64>().ok());
    let rate = first("BW=", "bw=").and_then(bytes);
    let moved = moved.and_then(bytes);
    let mut side = Map::new();
    // Fewer than half an I/O per second is printed as none.
    let ios = first("IOPS=", "iops=").and_then(scaled);
    let ios = ios.filter(|ios| *ios > 0.0 || rate.is_none_or(|rate| rate == 0));
    side.insert("iops".to_owned(), json!(ios));
    side.insert("bw_bytes".to_owned(), json!(rate));
    side.insert("io_bytes".to_owned(), json!(moved));
    side.insert(
        "io_kbytes".to_owned(),
        json!(moved.map(|bytes| bytes / 1024)),
    );
    side.insert("runtime".to_owned(), json!(ms));
    side
}

/// The one size of all I/Os: `bs=(R) 4096B-4096B, (W) 4096B-4096B, …`, or `bs=4K-4K/4K-4K/4K-4K`.
pub(super) fn block(echo: &str) -> Option<u64> {
    let (_, rest) = echo.split_once("bs=")?;
    let rest = rest.split(", ioengine").next()?;
    let letters = |c: char| c == ',' || c == '/' || c == '-' || c.is_whitespace();
    let mut sizes = rest
        .split(letters)
        .filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    let first = size(sizes.next()?)?.0;
    sizes
        .all(|text| size(text).is_some_and(|size| size.0 == first))
        .then_some(first)
}

/// `vda: ios=75332/75450, merge=0/0, …, util=79.68%`.
pub(super) fn disk(line: &str) -> Option<ImportedDisk> {
    let (name, rest) = line.split_once(':')?;
    let sum = |key| -> Option<u64> {
        let parts = field(rest, key)?
            .split('/')
            .map(|text| text.parse::<u64>().ok());
        parts.sum()
    };
    let util = field(rest, "util=").and_then(|text| text.trim_end_matches('%').parse().ok());
    Some(ImportedDisk {
        name: name.trim().to_owned(),
        ios: sum("ios=")?.saturating_add(sum("merge=").unwrap_or(0)),
        util_percent: util.filter(|util: &f64| util.is_finite() && *util >= 0.0),
        // Some kernels count only the time with any I/O in `in_queue`: the sum of the requests' times is not less.
        queue_time: field(rest, "in_queue=")
            .and_then(|ms| ms.parse().ok())
            .max(sum("ticks="))
            .map(queue_time),
    })
}

/// The bytes of a size: `4KiB`.
pub(super) fn size_of(text: &str) -> Option<u64> {
    Some(size(text)?.0)
}

/// The value behind a key, up to the next comma, blank or bracket. Blanks stand before short numbers.
pub(super) fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut places = text.match_indices(key).map(|(place, _)| place);
    let place = places.find(|place| !text[..*place].ends_with(|c: char| c.is_alphanumeric()))?;
    let value = text[place + key.len()..].trim_start();
    let end = value.find(|c: char| c == ',' || c == '(' || c == ')' || c.is_whitespace());
    Some(&value[..end.unwrap_or(value.len())]).filter(|value| !value.is_empty())
}

/// `14.1k` and `9547.7k` are thousands, `1.2M` millions.
pub(super) fn scaled(text: &str) -> Option<f64> {
    let (number, factor) = match text.char_indices().last()? {
        (end, 'k') => (&text[..end], 1e3),
        (end, 'M') => (&text[..end], 1e6),
        (end, 'G') => (&text[..end], 1e9),
        _ => (text, 1.0),
    };
    let number: f64 = number.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number * factor)
}

/// What ended a job, behind `(groupid=`: `err=121 (file:io_u.c:1896, func=io_u error, error=Remote I/O error): pid=…`.
pub(super) fn ended_by(rest: &str) -> Option<String> {
    let (_, rest) = rest.split_once("err=")?;
    let number = rest
        .trim_start()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    if number.parse::<u32>().ok()? == 0 {
        return None;
    }
    let text = rest
        .split_once("error=")
        .and_then(|(_, text)| text.split(')').next());
    Some(text.map_or_else(|| format!("error {number}"), |text| text.trim().to_owned()))
}

/// Files that each job has open, of a line of progress: `Jobs: 4 (f=64): …`.
pub(super) fn files_of_a_job(line: &str) -> Option<u64> {
    let rest = line.trim_start().strip_prefix("Jobs: ")?;
    let (jobs, rest) = rest.split_once(" (f=")?;
    let files: u64 = rest.split(')').next()?.parse().ok()?;
    files.checked_div(jobs.parse().ok()?)
}

/// Returns whether a list of devices breaks off: those of a stripe have the same number of I/Os, and each job has more files than
/// there are devices.
pub(super) fn is_cut(disks: &[ImportedDisk], files: Option<u64>) -> bool {
    let most = disks.iter().map(|disk| disk.ios).max().unwrap_or(0);
    let least = disks.iter().map(|disk| disk.ios).min().unwrap_or(0);
    let alike = least as f64 >= 0.9 * most as f64;
    disks.len() > 1 && alike && files.is_some_and(|files| files > disks.len() as u64)
}
