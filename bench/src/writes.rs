//! `writes`: what block headers cost a write, and what the proof of ownership costs the start of a run that writes.
//!
//! Pairs take turns, another one first in each round; a figure is the median over the pairs. Content without headers is
//! zeros, which cost nothing to make. Omitted: builds of other versions.

use crate::child;
use crate::error::BenchError;
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::{median, progress};
use crate::table::{rate, ratio, short};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Fits into any cache, so that the content is a large part of a write.
const FILE: &str = "16m";
/// The file whose proof is remembered.
const PROVEN: &str = "1G";
/// Length of the runs whose start is measured, in ms: on a busy disk 50 may pass without an I/O.
const RUN_MS: u32 = 200;
/// Before each of them: a proof counts as recorded once the file has been closed for two seconds.
const SETTLED: Duration = Duration::from_millis(2500);

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let contents = pairs(options.rounds, &mut |zeros| written(shop, options, zeros))?;
    let ratios = contents.iter().map(|[headers, zeros]| headers / zeros);
    let starts = starts(shop, options)?;
    let apart = |figure: fn(&Started) -> f64| {
        let apart = starts
            .iter()
            .map(|[read, write]| figure(write) - figure(read));
        short(median(apart.collect()))
    };
    let of = |at: usize| median(contents.iter().map(|pair| pair[at]).collect());
    let each = |at: usize, figure: fn(&Started) -> f64| {
        short(median(
            starts.iter().map(|pair| figure(&pair[at])).collect(),
        ))
    };
    Ok(vec![
        format!(
            "writes: block headers leave {} × the IOPS of zeros; from start to exit a run that writes differs from one that \
             reads by {} ms",
            ratio(Some(median(ratios.collect()))),
            apart(|one| one.beyond_ms)
        ),
        format!(
            "medians of {} pairs in turns; 4 KiB random writes, QD32, {FILE} in the page cache; starts on a {PROVEN} file whose \
             proof is recorded",
            options.rounds
        ),
        format!("\n{:<26} {:>9} {:>9}", "k/s", "headers", "zeros"),
        format!(
            "{:<26} {:>9} {:>9}",
            "page cache",
            rate(Some(of(0))),
            rate(Some(of(1)))
        ),
        format!("\n{:<26} {:>9} {:>9} {:>9}", "ms", "read", "write", "apart"),
        format!(
            "{:<26} {:>9} {:>9} {:>9}",
            "until the run begins",
            each(0, |one| one.before_ms),
            each(1, |one| one.before_ms),
            apart(|one| one.before_ms)
        ),
        format!(
            "{:<26} {:>9} {:>9} {:>9}",
            format!("whole, less {RUN_MS} ms"),
            each(0, |one| one.beyond_ms),
            each(1, |one| one.beyond_ms),
            apart(|one| one.beyond_ms)
        ),
    ])
}

/// Measures the first and the second of a pair in turns, each of them first in every other round.
pub(crate) fn pairs<T>(
    rounds: usize,
    measure: &mut dyn FnMut(bool) -> Result<T, BenchError>,
) -> Result<Vec<[T; 2]>, BenchError> {
    let mut pairs = Vec::with_capacity(rounds);
    for round in 0..rounds {
        progress(&format!("writes, round {} of {rounds}", round + 1));
        pairs.push(if round % 2 == 0 {
            [measure(false)?, measure(true)?]
        } else {
            let second = measure(true)?;
            [measure(false)?, second]
        });
    }
    progress("");
    Ok(pairs)
}

/// Returns the IOPS of writes with block headers or of zeros, each on a file of its own.
fn written(shop: &Shop, options: &Options, zeros: bool) -> Result<f64, BenchError> {
    let file = ["headers.dat", "zeros.dat"][usize::from(zeros)];
    let mut command = Command::new(&shop.fathom);
    command.args(["fio", "--name=w", "--rw=randwrite", "--bs=4k", "--thread"]);
    command.args(["--ioengine=io_uring", "--iodepth=32", "--time_based"]);
    command.args(["--output-format=json", "--no-store", "--overwrite"]);
    command.arg(format!("--size={FILE}"));
    command.arg(format!("--runtime={}ms", options.time.as_millis()));
    command.arg(format!("--zero_buffers={}", u8::from(zeros)));
    command.arg(format!("--filename={}", shop.folder().join(file).display()));
    let iops = |document: &Value| document["jobs"][0]["write"]["iops"].as_f64();
    document(&mut command, shop, &iops).map(|(iops, _)| iops)
}

/// When a run began and ended, both from the start of the program.
struct Started {
    before_ms: f64,
    beyond_ms: f64, // without the time that was asked for
}

fn starts(shop: &Shop, options: &Options) -> Result<Vec<[Started; 2]>, BenchError> {
    let file = shop.folder().join("proven.dat");
    started(shop, &file, &["--create", PROVEN, "-w", "100"])?;
    pairs(options.rounds, &mut |writes| {
        started(shop, &file, &["-w", ["0", "100"][usize::from(writes)]])
    })
}

#[allow(
    clippy::disallowed_methods,
    reason = "the program reports its start by the wall clock; no test depends on it"
)]
fn started(shop: &Shop, file: &Path, words: &[&str]) -> Result<Started, BenchError> {
    let mut command = Command::new(&shop.fathom);
    command.args(["run", "--json", "--block", "4K", "--warmup", "0s"]);
    command.args(["--duration", &format!("{RUN_MS}ms")]);
    command
        .args(words)
        .arg("--store")
        .arg(shop.store())
        .arg(file);
    std::thread::sleep(SETTLED);
    let begun = SystemTime::now().duration_since(UNIX_EPOCH);
    let begun = begun.unwrap_or_default().as_nanos() as f64;
    let began = |document: &Value| document["time"]["started_utc_ns"].as_f64();
    let (at, wall_ms) = document(&mut command, shop, &began)?;
    Ok(Started {
        before_ms: (at - begun) / 1e6,
        beyond_ms: wall_ms - f64::from(RUN_MS),
    })
}

/// Runs the program and reads one number of its document; also returns the ms that it took.
pub(crate) fn document(
    command: &mut Command,
    shop: &Shop,
    read: &dyn Fn(&Value) -> Option<f64>,
) -> Result<(f64, f64), BenchError> {
    let cost = child::run(command, &shop.stop)?;
    let document: Option<Value> = serde_json::from_str(&cost.out).ok();
    let number = document.as_ref().and_then(read);
    let number = number.ok_or_else(|| BenchError::Unreadable {
        command: child::words(command),
        printed: cost.out.chars().take(200).collect(),
    })?;
    Ok((number, cost.wall.as_secs_f64() * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_a_pair_is_first_in_every_other_round() {
        let mut order = Vec::new();
        let all = pairs(3, &mut |second| {
            order.push(second);
            Ok(second)
        });
        assert_eq!(all.unwrap(), [[false, true]; 3]);
        assert_eq!(order, [false, true, true, false, false, true]);
    }
}
