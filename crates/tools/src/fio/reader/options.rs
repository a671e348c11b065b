//! What fio's options ask for. Where options are printed at all, one that is not among them has the default of fio's
//! manual (HOWTO, "Job parameters").

use super::document::Merged;
use super::evidence::is_synchronous;
use crate::imports::number::{nanos, size};
use model::{Bytes, CacheMode, ImportedWorkload, Nanos, Ratio};

/// What the number of threads follows from.
pub(super) struct Threads<'j> {
    pub(super) together: usize,
    pub(super) name: &'j str,
}

pub(super) fn workload(
    all: &Merged,
    threads: &Threads,
    notes: &mut Vec<String>,
) -> ImportedWorkload {
    let get = |names: &[&str]| names.iter().find_map(|name| all.get(name));
    let on = |name: &str| all.get(name).map(|value| value != "0");
    let kind = get(&["rw", "readwrite"]).unwrap_or("read");
    let (random, writes) = pattern(kind, all);
    if random.is_none() || writes.is_none() {
        notes.push(format!(
            "`rw={kind}` is more than reads, writes, random and sequential"
        ));
    }
    let cache = match on("direct").or_else(|| on("buffered").map(|on| !on)) {
        Some(true) => CacheMode::Unbuffered,
        Some(false) | None => CacheMode::Cached,
    };
    let durable = ["sync", "dsync"]
        .iter()
        .filter_map(|name| on(name))
        .any(|on| on);
    let engine = get(&["ioengine"]);
    let synchronous = is_synchronous(engine, get(&["filename"]));
    ImportedWorkload {
        // Without a name, the files are in the folder and called as the job.
        targets: targets(get(&["filename", "directory"])),
        block: block(all),
        random_percent: random,
        write_percent: writes,
        queue_depth: match get(&["iodepth"]) {
            Some(_) if synchronous => Some(1),
            Some(depth) => depth.parse().ok(),
            None => Some(1),
        },
        threads: thread_count(all, threads),
        cache: Some(cache),
        write_through: Some(durable),
        duration: get(&["runtime", "timeout"]).and_then(time),
        warmup: get(&["ramp_time"]).map_or(Some(Nanos(0)), time),
        size: get(&["filesize", "size"])
            .and_then(|text| amount(text, all))
            .and_then(|size| of_all_jobs(size, all, threads)),
        engine: engine.map(str::to_owned),
    }
}

/// The size of the files of all jobs together: without a name, each has its own.
fn of_all_jobs(size: Bytes, all: &Merged, threads: &Threads) -> Option<Bytes> {
    let named = all.get("filename").is_some();
    let jobs = thread_count(all, threads).filter(|_| !named).unwrap_or(1);
    size.0.checked_mul(u64::from(jobs.max(1))).map(Bytes)
}

/// `a:b` are two files; `\:` is a colon in a name.
fn targets(names: Option<&str>) -> Vec<String> {
    const COLON: char = '\u{0}';
    /// Names of one letter each would cost many times their text.
    const TARGETS_MAX: usize = 4096;
    let Some(names) = names else {
        return Vec::new();
    };
    let names = names.replace("\\:", &COLON.to_string());
    let parts = names.split(':').filter(|name| !name.is_empty());
    parts
        .take(TARGETS_MAX)
        .map(|name| name.replace(COLON, ":"))
        .collect()
}

fn pattern(kind: &str, all: &Merged) -> (Option<Ratio>, Option<Ratio>) {
    let kind = kind.split(':').next().unwrap_or_default();
    let percent = |name: &str| -> Option<Option<Ratio>> {
        all.get(name)
            .map(|value| Ratio::percent(value.parse().ok()?))
    };
    let (random, writes) = match kind {
        "read" | "write" | "rw" | "readwrite" => (false, kind),
        "randread" => (true, "read"),
        "randwrite" => (true, "write"),
        "randrw" => (true, "rw"),
        _ => return (None, None),
    };
    let random = match percent("percentage_random").filter(|_| random) {
        Some(share) => share,
        None => Some(if random { Ratio::ALL } else { Ratio::NONE }),
    };
    let writes = match writes {
        "read" => Some(Ratio::NONE),
        "write" => Some(Ratio::ALL),
        _ => percent("rwmixwrite").unwrap_or_else(|| {
            let reads = percent("rwmixread").unwrap_or(Ratio::percent(50));
            reads.and_then(|reads| Ratio::percent(100 - reads.as_percent()))
        }),
    };
    (random, writes)
}

/// One size for all I/Os, or none.
fn block(all: &Merged) -> Option<Bytes> {
    const SEVERAL: [&str; 4] = ["bsrange", "blocksize_range", "bssplit", "bs_unaligned"];
    if SEVERAL.iter().any(|name| all.get(name).is_some()) {
        return None;
    }
    let text = all.get("bs").or_else(|| all.get("blocksize"));
    text.map_or(Some(Bytes::kib(4)), |text| amount(text, all))
}

/// A size in fio's words: 1024-based unless `kb_base` is different.
fn amount(text: &str, all: &Merged) -> Option<Bytes> {
    if all.get("kb_base").is_some_and(|base| base != "1024") {
        return None;
    }
    size(text)
}

/// A span of time in fio's words: seconds without a unit.
fn time(text: &str) -> Option<Nanos> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let unit = match text[end..].trim().to_ascii_lowercase().as_str() {
        "" | "s" => Nanos::seconds(1),
        "us" | "usec" => Nanos::micros(1),
        "ms" | "msec" => Nanos::millis(1),
        "m" => Nanos::seconds(60),
        "h" => Nanos::seconds(3600),
        "d" => Nanos::seconds(86_400),
        _ => return None,
    };
    nanos(text[..end].parse().ok()?, unit)
}

/// An object is one thread, or a group of jobs put together; the text does not specify which. Only an object alone that has
/// its own name among the options, or a number of jobs, and one of several without such a number, are no riddle.
fn thread_count(all: &Merged, threads: &Threads) -> Option<u32> {
    match all.get("numjobs") {
        Some(count) => count
            .parse()
            .ok()
            .filter(|count| threads.together == 1 || *count == 1),
        None if threads.together > 1 => Some(1),
        None if all.get("name").is_some_and(|name| name == threads.name) => Some(1),
        None => None,
    }
}
