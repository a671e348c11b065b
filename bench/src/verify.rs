//! `verify`: what comparison of what is read with what was written costs, and the journal of durable writes.
//!
//! The verified run and the plain one take turns, another one first in each round; a figure is the median of the ratios of
//! the pairs. Omitted: what is found, which is the business of tests.

use crate::error::{BenchError, doing};
use crate::options::Options;
use crate::place::Shop;
use crate::rounds::{median, progress};
use crate::table::{rate, ratio};
use crate::writes::{document, pairs};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// One comparison: a load on a file of a size, without and with these words.
struct Row {
    what: &'static str,
    size: &'static str,
    load: &'static [&'static str],
    added: &'static [&'static str],
    bar: f64,
}

const READS: &[&str] = &["-w", "0", "--cache", "cached"];
const WRITES: &[&str] = &["-w", "100", "--cache", "cached"];
const DEVICE: &[&str] = &["-w", "50"];
const HEADERS: &[&str] = &["--verify", "headers", "--no-end-pass"];
const FULL: &[&str] = &["--verify", "full", "--no-end-pass"];
const JOURNAL: &[&str] = &["--verify", "full", "--no-end-pass", "--journal"];

const ROWS: [Row; 7] = [
    row("headers, reads", "16M", READS, HEADERS, 0.92),
    row("headers, reads", "1G", READS, HEADERS, 0.92),
    row("full, reads", "16M", READS, FULL, 0.82),
    row("full, reads", "1G", READS, FULL, 0.90),
    row("full, writes", "16M", WRITES, FULL, 0.95),
    row("full, device", "1G", DEVICE, FULL, 0.99),
    row("journal, writes", "16M", WRITES, JOURNAL, 0.0),
];

const fn row(
    what: &'static str,
    size: &'static str,
    load: &'static [&'static str],
    added: &'static [&'static str],
    bar: f64,
) -> Row {
    Row {
        what,
        size,
        load,
        added,
        bar,
    }
}

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut lines = vec![
        format!(
            "verify: medians of {} pairs in turns; 4 KiB random I/O, one thread, QD32",
            options.rounds
        ),
        format!(
            "\n{:<24} {:>9} {:>9} {:>9} {:>6}",
            "k/s", "plain", "verified", "ratio", "bar"
        ),
    ];
    for row in &ROWS {
        let file = shop.folder().join(format!("verify-{}.dat", row.size));
        measured(shop, options, &file, row, false)?; // creates the file
        let found = pairs(options.rounds, &mut |verified| {
            measured(shop, options, &file, row, verified)
        })?;
        let of = |at: usize| median(found.iter().map(|pair: &[f64; 2]| pair[at]).collect());
        let ratios = found.iter().map(|[plain, verified]| verified / plain);
        lines.push(format!(
            "{:<24} {:>9} {:>9} {:>9} {:>6}",
            format!("{}, {}", row.what, row.size),
            rate(Some(of(0))),
            rate(Some(of(1))),
            ratio(Some(median(ratios.collect()))),
            if row.bar > 0.0 {
                format!("{}", row.bar)
            } else {
                String::new()
            }
        ));
    }
    lines.extend(journal(shop, options)?);
    progress("");
    Ok(lines)
}

/// What the journal adds to the CPU time that a worker takes for a write in memory. The journal's own thread is another
/// figure.
fn journal(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let folder = in_memory()?;
    let file = folder.path().join("target.dat");
    let mut own = Vec::new();
    let found = pairs(options.rounds, &mut |kept| {
        let mut command = run_of(shop, options, 1);
        command.args(["--create", "64M"]).args(WRITES).args(FULL);
        let log = tempfile::tempdir().map_err(doing("creating a folder for journals"))?;
        if kept {
            command.arg("--journal").arg(log.path().join("journal"));
        }
        let cost = |document: &Value| {
            let worker = &document["workers"][0];
            let busy = worker["user_share"].as_f64()? + worker["kernel_share"].as_f64()?;
            let writes = document["operations"].as_array()?.last()?["ios"].as_f64()?;
            if kept {
                let journal = &document["verification"]["journal"]["cpu_ns"];
                own.push(journal.as_f64()? / writes);
            }
            Some(busy * worker["elapsed_ns"].as_f64()? / writes)
        };
        let cost = std::cell::RefCell::new(cost);
        document(command.arg(&file), shop, &|read| (cost.borrow_mut())(read)).map(|(cost, _)| cost)
    })?;
    let of = |at: usize| median(found.iter().map(|pair: &[f64; 2]| pair[at]).collect());
    let ratios = found.iter().map(|[plain, kept]| kept / plain);
    Ok(vec![
        format!(
            "\n{:<24} {:>9} {:>9} {:>9} {:>6}",
            "CPU ns of a write", "plain", "journal", "ratio", "bar"
        ),
        format!(
            "{:<24} {:>9.0} {:>9.0} {:>9} {:>6}",
            "worker, 64M in memory",
            of(0),
            of(1),
            ratio(Some(median(ratios.collect()))),
            1.03
        ),
        format!("{:<24} {:>9} {:>9.1}", "journal's thread", "", median(own)),
    ])
}

/// A run of 4 KiB random I/O without its target.
fn run_of(shop: &Shop, options: &Options, depth: u32) -> Command {
    let mut command = Command::new(&shop.fathom);
    command.args(["run", "--json", "--no-store", "--warmup", "0s"]);
    command.arg(format!("--depth={depth}"));
    command.arg(format!("--duration={}ms", options.time.as_millis()));
    command
}

/// Returns the IOPS of one run.
fn measured(
    shop: &Shop,
    options: &Options,
    file: &Path,
    row: &Row,
    verified: bool,
) -> Result<f64, BenchError> {
    let mut command = run_of(shop, options, 32);
    command.args(["--create", row.size]).args(row.load);
    let folder = in_memory()?;
    if verified {
        command.args(row.added);
        if row.added == JOURNAL {
            command.arg(folder.path().join("journal"));
        }
    }
    command.arg(file);
    let iops = |document: &Value| {
        let all = document["operations"].as_array()?.last()?;
        all["iops"].as_f64()
    };
    document(&mut command, shop, &iops).map(|(iops, _)| iops)
}

/// A folder in memory for journals, where the system has one.
fn in_memory() -> Result<TempDir, BenchError> {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.map_err(doing("creating a folder for journals"))
}
