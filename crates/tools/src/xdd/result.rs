//! xdd's lines: a target in a pass, a target over all passes, and all together; for people and separated by commas.
//!
//! Columns are as wide as xdd's. Latency is the mean of the requests: xdd divides the time by their number, without regard to the queue's
//! depth. The time of all together has no pauses between passes. Omitted: the lines of options that are refused here.

use super::request::{Pick, Request, Throttle, XddTarget};
use model::{Nanos, Operation, RunRecord};
use std::io::{self, Write};

/// The version of xdd whose lines are written.
const XDD_VERSION: &str = "7.0.0";

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct XddResults<'a> {
    /// Of fathom.
    pub version: &'a str,
    /// The host's name.
    pub machine: &'a str,
    /// When it began and ended, as ctime(3) writes a moment.
    pub times: [&'a str; 2],
    /// The request.
    pub request: &'a Request,
    /// A record of each pass, in their order.
    pub records: &'a [RunRecord],
    /// All of it was done.
    pub good: bool,
}

/// A line.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    bytes: u64,
    requests: u64,
    elapsed_s: f64,
    latency_sum_ns: f64,
    cpu_s: f64,
}

impl Figures {
    /// Of a target in a pass.
    fn of(record: &RunRecord, number: usize, target: &XddTarget) -> Figures {
        let threads = || {
            let all = record.threads.iter();
            all.filter(|thread| thread.target as usize == number)
        };
        let lifetime = threads().flat_map(|thread| {
            Operation::ALL.map(|operation| thread.lifetime[operation.index()].bytes.0)
        });
        let measured = threads().flat_map(|thread| thread.measured.iter());
        let workers = record.engine.workers.iter();
        let workers =
            workers.filter(|worker| threads().any(|thread| thread.thread == worker.thread));
        let accounts: Vec<_> = workers
            .filter_map(|worker| worker.account.as_ref())
            .collect();
        let elapsed = accounts.iter().map(|account| account.elapsed).max();
        let elapsed = elapsed.unwrap_or(record.phases.drained);
        let cpu = accounts.iter().filter_map(|account| account.cpu);
        Figures {
            bytes: lifetime.sum(),
            requests: measured.clone().map(|tally| tally.ios).sum(),
            elapsed_s: elapsed.minus(Nanos(target.times.delay_ns)).as_seconds(),
            latency_sum_ns: measured
                .filter_map(|tally| Some(tally.latency.mean_ns()? * tally.ios as f64))
                .sum(),
            cpu_s: cpu.map(|cpu| cpu.user.plus(cpu.kernel).as_seconds()).sum(),
        }
    }

    /// Both, one after the other.
    fn then(self, next: Figures) -> Figures {
        Figures {
            elapsed_s: self.elapsed_s + next.elapsed_s,
            ..self.beside(next)
        }
    }

    /// Both at the same time.
    fn beside(self, other: Figures) -> Figures {
        Figures {
            bytes: self.bytes + other.bytes,
            requests: self.requests + other.requests,
            elapsed_s: self.elapsed_s.max(other.elapsed_s),
            latency_sum_ns: self.latency_sum_ns + other.latency_sum_ns,
            cpu_s: self.cpu_s + other.cpu_s,
        }
    }
}

/// A row: its name, and pass, target and queue.
struct Row<'a> {
    what: &'a str,
    numbers: [u64; 3],
    figures: Figures,
    kind: &'static str,
    size: u64,
}

impl Row<'_> {
    fn text(&self, between: char) -> String {
        let figures = &self.figures;
        let per_s = |count: f64| match figures.elapsed_s > 0.0 {
            true => count / figures.elapsed_s,
            false => -1.0, // as xdd
        };
        let latency_ms = match figures.requests {
            0 => 0.0,
            requests => figures.latency_sum_ns / requests as f64 / 1e6,
        };
        let [pass, target, queue] = self.numbers;
        let cells = [
            format!("{:>15}", self.what),
            format!("{pass:7}"),
            format!("{target:7}"),
            format!("{queue:7}"),
            format!("{:16}", figures.bytes),
            format!("{:11}", figures.requests),
            format!("{:11.3}", figures.elapsed_s),
            format!("{:10.3}", per_s(figures.bytes as f64 / 1e6)),
            format!("{:10.3}", per_s(figures.requests as f64)),
            format!("{latency_ms:9.3}"),
            format!("{:9.3}", per_s(figures.cpu_s) * 100.0),
            format!("{:>8}", self.kind),
            format!("{:12}", self.size),
        ];
        cells.join(&between.to_string())
    }
}

const HEAD: [[&str; 13]; 2] = [
    [
        "What           ",
        "   Pass",
        " Target",
        "  Queue",
        "    Bytes_Xfered",
        "        Ops",
        "    Elapsed",
        " Bandwidth",
        "      IOPS",
        "  Latency",
        "  Pct_CPU",
        " Op_Type",
        "   Xfer_Size",
    ],
    [
        "    UNITS>>    ",
        " Number",
        " Number",
        " Number",
        "           Bytes",
        "       #ops",
        "    seconds",
        "  MBytes/s",
        "     Ops/s",
        " millisec",
        "  percent",
        "    text",
        "       bytes",
    ],
];

/// The head of the columns and all rows, with this between two cells.
fn lines(results: &XddResults<'_>, between: char, out: &mut dyn Write) -> io::Result<()> {
    for head in HEAD {
        writeln!(out, "{}", head.join(&between.to_string()))?;
    }
    let targets = &results.request.targets;
    let mut sums = vec![Figures::default(); targets.len()];
    let mut all = Figures::default();
    let row = |what, pass, number: usize, figures| {
        let target = &targets[number];
        let row = Row {
            what,
            numbers: [pass, number as u64, target.depth],
            figures,
            kind: target.kind(),
            size: target.request_bytes(),
        };
        row.text(between)
    };
    for (pass, record) in (1u64..).zip(results.records) {
        let mut whole = Figures::default();
        for (number, target) in targets.iter().enumerate() {
            let figures = Figures::of(record, number, target);
            if results.request.output.verbose {
                writeln!(out, "{}", row("TARGET_PASS   ", pass, number, figures))?;
            }
            sums[number] = sums[number].then(figures);
            whole = whole.beside(figures);
        }
        all = all.then(whole);
    }
    let passes = results.records.len() as u64;
    if results.request.output.verbose {
        for (number, figures) in sums.iter().enumerate() {
            writeln!(out, "{}", row("TARGET_AVERAGE", passes, number, *figures))?;
        }
    }
    if let Some(last) = targets.last() {
        let combined = Row {
            what: "COMBINED      ",
            numbers: [passes, targets.len() as u64, last.depth],
            figures: all,
            kind: last.kind(),
            size: last.request_bytes(),
        };
        writeln!(out, "{}", combined.text(between))?;
    }
    Ok(())
}

/// The lines, separated by commas.
///
/// # Errors
/// Those of `out`.
pub fn xdd_csv(results: &XddResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    lines(results, ',', out)?;
    writeln!(out, "Measured by fathom {}", results.version)
}

/// All of the text.
///
/// # Errors
/// Those of `out`.
pub fn xdd_text(results: &XddResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let request = results.request;
    let name = |path: &Option<std::path::PathBuf>| {
        path.as_ref()
            .map_or_else(String::new, |path| path.display().to_string())
    };
    let seconds = |ns: u64| Nanos(ns).as_seconds();
    let threads: u64 = request.targets.iter().map(XddTarget::threads).sum();
    writeln!(
        out,
        "XDD version {XDD_VERSION}, measured by fathom {}\n\
         Starting time for this run, {}\n\n\
         ID for this run, '{}'\n\
         Passes, {}\n\
         Pass Delay in seconds, {:.6}\n\
         Target Offset, {}\n\
         Total run-time limit in seconds, {:.6}\n\
         CSV output file name, {}\n\
         Number of Targets, {}\n\
         Number of I/O Threads, {threads}\n\n\
         Computer Name, {}",
        results.version,
        results.times[0],
        model::printable(request.output.id.as_deref().unwrap_or("No ID Specified")),
        request.passes,
        seconds(request.pass_delay_ns),
        request.target_blocks,
        request.run_time_ns.map_or(0.0, seconds),
        name(&request.output.csv),
        request.targets.len(),
        results.machine
    )?;
    for (number, target) in request.targets.iter().enumerate() {
        describe(number, target, out)?;
    }
    writeln!(
        out,
        "\n----------------------All targets should start now-------------------------"
    )?;
    lines(results, ' ', out)?;
    writeln!(out, "Ending time for this run, {}", results.times[1])?;
    let ended = match results.good {
        true => " This run terminated normally",
        false => " This run terminated with errors",
    };
    writeln!(out, "{ended}")
}

/// What a target was to get.
///
/// # Errors
/// Those of `out`.
fn describe(number: usize, target: &XddTarget, out: &mut dyn Write) -> io::Result<()> {
    let on = |is: bool| if is { "enabled" } else { "disabled" };
    let throttle = match target.times.throttle {
        None => "Throttle is unrestricted".to_owned(),
        Some(Throttle::Requests(rate)) => format!("Throttle in ops/sec is, {rate:6.2}"),
        Some(Throttle::Megabytes(rate)) => format!("Throttle in MB/sec is, {rate:6.2}"),
    };
    let size = target.request_bytes();
    writeln!(
        out,
        "\tTarget number, {number}\n\
         \t\tFully qualified target pathname, '{}'\n\
         \t\tRead/write ratio, {:5.2} READ, {:5.2} WRITE\n\
         \t\t{throttle}\n\
         \t\tPer-pass time limit in seconds, {:.6}\n\
         \t\tFile write synchronization, {}\n\
         \t\tBlocksize in bytes, {}\n\
         \t\tRequest size, {}, {}-byte blocks, {size}, bytes\n\
         \t\tNumber of Operations, {}\n\
         \t\tTotal data transfer for this TARGET, {} bytes\n\
         \t\tStart offset, {} bytes\n\
         \t\tSeek pattern, {}\n\
         \t\tFlushwrite interval, {}\n\
         \t\tDirect I/O, {}\n\
         \t\tQueue Depth, {}\n\
         \t\tDelete file, {}",
        model::printable(&target.path().display().to_string()),
        f64::from(target.read_percent),
        f64::from(100 - target.read_percent),
        target
            .times
            .limit_ns
            .map_or(0.0, |ns| Nanos(ns).as_seconds()),
        on(target.writes.sync),
        target.block,
        target.request_blocks,
        target.block,
        target.pass_bytes() / size.max(1),
        target.pass_bytes(),
        target.walk.start_blocks.saturating_mul(target.block),
        match target.walk.pick {
            Pick::Sequential => "sequential",
            Pick::Random => "random",
        },
        target.writes.flush_every,
        on(target.direct),
        target.depth,
        on(target.delete)
    )
}

/// What each target would get.
///
/// # Errors
/// Those of `out`.
pub fn xdd_described(request: &Request, out: &mut dyn Write) -> io::Result<()> {
    let numbered = request.targets.iter().enumerate();
    for (number, target) in numbered {
        describe(number, target, out)?;
    }
    writeln!(out, "{} passes", request.passes)
}
