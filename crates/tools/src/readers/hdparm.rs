//! hdparm: the lines of `-t` and `-T`, each a run.
//!
//! hdparm counts in units of 1024 × 1024 bytes and reads 2 MiB at a time. Source: hdparm(8) and the output of 9.65.
//! Deliberately absent: everything that it prints of a disk's settings.

use crate::Tool;
use crate::imports::Reader;
use crate::imports::command;
use crate::imports::number::{bytes, nanos, printed};
use crate::imports::run::{of_side, unknown};
use crate::imports::section::{Found, Section, Start};
use model::{Bytes, CacheMode, ImportFormat, ImportedOperation, ImportedRun, Nanos, Ratio};

/// Defines the row of hdparm.
pub(crate) const TOOL: Tool = Tool {
    name: "hdparm",
    option: None,
    readers: &[Reader {
        format: ImportFormat::HdparmText,
        name: "hdparm's text",
        about: "the timings that hdparm -t and -T print",
        begins,
        read,
    }],
};

const TIMING: &str = "Timing ";
const MIB: u64 = 1 << 20;

fn begins(line: &str, _text: &str) -> Start {
    let timed = line.trim_start().starts_with(TIMING) && line.contains(" reads:");
    // Where line ends were lost, the timings follow the command.
    let joined =
        || line.contains(" reads:") && line.contains(TIMING) && line.contains(" seconds =");
    match timed || joined() {
        true => Start::Orphan,
        false => Start::No,
    }
}

fn read(section: &Section, found: &mut Found) {
    let named = |line: &str| {
        device(line)
            .or_else(|| device_of_command(line))
            .map(str::to_owned)
    };
    let mut target = section.before().lines().rev().find_map(named);
    for (at, line) in section.lines() {
        if let Some(name) = named(line) {
            target = Some(name);
        }
        let mut timings = line.split(TIMING);
        let mut place = at + timings.next().map_or(0, str::len);
        for timing in timings {
            match run(timing, target.as_deref()) {
                Some(run) => found.run(place, run),
                None => {
                    found.fault_at(place, "no rate: expected is '… MB in … seconds = … MB/sec'");
                }
            }
            place += TIMING.len() + timing.len();
        }
    }
}

/// `/dev/sda:`.
fn device(line: &str) -> Option<&str> {
    let name = line.trim().strip_suffix(':')?;
    name.starts_with('/').then_some(name)
}

/// The device of `hdparm -t /dev/sda`, also where the head that hdparm prints follows on the same line.
fn device_of_command(line: &str) -> Option<&str> {
    let command = command::in_line(line, "hdparm")?;
    let mut words = command.split_whitespace().skip(1);
    let name = words.find(|word| word.starts_with('/'))?;
    Some(name.trim_end_matches(':'))
}

/// `O_DIRECT disk reads: 512 MB in  0.30 seconds = 1680.34 MB/sec`.
fn run(timing: &str, target: Option<&str>) -> Option<ImportedRun> {
    let (name, rest) = timing.split_once(':')?;
    let (moved, rate) = rest.split_once('=')?;
    let (size, time) = moved.split_once(" in ")?;
    let mib = printed(size.trim().strip_suffix("MB")?)?;
    let seconds = printed(time.trim().strip_suffix("seconds")?)?;
    // 2.0 printed no blank behind the sign, and a device may follow where line ends were lost.
    let mut rate = rate.split_whitespace();
    let (rate, unit) = (rate.next()?, rate.next()?);
    let scale = match unit {
        "MB/sec" => 1_048_576.0,
        "kB/sec" => 1024.0,
        _ => return None,
    };
    let mut run = unknown(ImportFormat::HdparmText);
    run.name = Some(name.to_owned());
    run.measured = nanos(seconds, Nanos::seconds(1));
    run.workload.targets = target.into_iter().map(str::to_owned).collect();
    run.workload.block = Some(Bytes(2 * MIB));
    run.workload.write_percent = Some(Ratio::NONE);
    run.workload.queue_depth = Some(1);
    run.workload.threads = Some(1);
    let direct = name.starts_with("O_DIRECT");
    run.workload.cache = direct.then_some(CacheMode::Unbuffered);
    if name.contains("cached") || name.starts_with("buffer-cache") {
        run.workload.size = Some(Bytes(2 * MIB));
        run.workload.cache = run.workload.cache.or(Some(CacheMode::Cached));
        let what = "it reads the same 2 MiB again and again: a rate of memory, or of the drive's buffer with --direct";
        run.notes.push(what.to_owned());
    } else {
        run.workload.random_percent = Some(Ratio::NONE);
        let what = "hdparm drops the device's cached pages first, and reads through the page cache";
        run.notes.extend((!direct).then(|| what.to_owned()));
    }
    let figures = ImportedOperation {
        bytes: bytes(mib, MIB),
        bytes_per_s: Some(printed(rate)? * scale),
        ..ImportedOperation::default()
    };
    run.figures = of_side(Some(Ratio::NONE), figures);
    Some(run)
}
