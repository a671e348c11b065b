//! `gap`: what lies between the cells of a sweep beyond the rest that was asked for.
//!
//! A gap is the time from the last answer of a cell to the zero of the next one's clock. The records contain the wall clock
//! when a run was put together, some ms before its zero; so a gap as it is counted here contains that stretch of the
//! cell before it instead of its own. The sum over a sweep is the same.

use crate::child::{self, words};
use crate::error::{BenchError, doing};
use crate::options::Options;
use crate::place::Shop;
use crate::table::short;
use serde_json::Value;
use std::process::Command;

/// Reads, mixed and writes, so that what has to be proven before writing is in it.
const MATRIX: [&str; 6] = ["-o", "1,2,4,8", "-t", "1,2", "-w", "0,30,100"];
const CELLS: usize = 24;
const CELL_MS: u64 = 50;
/// As a sweep over one file is measured, and with nothing of the page cache's in between.
const FIXED: [&str; 8] = [
    "--block", "4K", "--warmup", "0s", "--rest", "0s", "--create", "16M",
];

pub(crate) fn run(shop: &Shop, options: &Options) -> Result<Vec<String>, BenchError> {
    let mut gaps = Vec::new();
    for round in 0..options.rounds {
        gaps.extend(sweep(shop, round)?);
    }
    gaps.sort_by(f64::total_cmp);
    let at = |share: f64| short(gaps[((gaps.len() - 1) as f64 * share).round() as usize]);
    Ok(vec![
        format!(
            "gap: {} ms between two cells of a sweep beyond the rest; nine of ten within {} ms, the longest {} ms",
            at(0.5),
            at(0.9),
            at(1.0)
        ),
        format!(
            "{} sweeps of {CELLS} cells of {CELL_MS} ms on a filled 16 MiB file, unbuffered, each cell kept before the next",
            options.rounds
        ),
        format!(
            "\n{:<16} {:>9} {:>9} {:>9} {:>9}",
            "ms between cells", "least", "median", "p90", "most"
        ),
        format!(
            "{:<16} {:>9} {:>9} {:>9} {:>9}",
            format!("{} gaps", gaps.len()),
            at(0.0),
            at(0.5),
            at(0.9),
            at(1.0)
        ),
    ])
}

/// One sweep with a file and a store of its own; its gaps in ms, in the order in which they were.
fn sweep(shop: &Shop, round: usize) -> Result<Vec<f64>, BenchError> {
    let file = shop.folder().join("swept.dat");
    let store = shop.folder().join(format!("swept-{round}.db"));
    let mut command = Command::new(&shop.fathom);
    command.args(["sweep", "--json", "--duration"]);
    command.arg(format!("{CELL_MS}ms"));
    command.args(MATRIX).args(FIXED);
    command.arg("--store").arg(&store).arg(&file);
    child::run(&mut command, &shop.stop)?;
    let mut stretches = Vec::with_capacity(CELLS);
    for cell in 1..=CELLS {
        let mut show = Command::new(&shop.fathom);
        show.args(["show", &format!("1.{cell}"), "--json", "--store"]);
        show.arg(&store);
        let reported = child::run(&mut show, &shop.stop)?;
        stretches.push(
            stretch(&reported.out).ok_or_else(|| BenchError::Unreadable {
                command: words(&show),
                printed: reported.out.chars().take(200).collect(),
            })?,
        );
    }
    std::fs::remove_file(&file).map_err(doing(format!("{}", file.display())))?;
    Ok(between(&stretches))
}

/// When a run began, and how long it went on: wall clock and length, both in ns.
fn stretch(document: &str) -> Option<(u64, u64)> {
    let document: Value = serde_json::from_str(document).ok()?;
    let time = &document["time"];
    Some((
        time["started_utc_ns"].as_u64()?,
        time["drained_ns"].as_u64()?,
    ))
}

/// From the end of each to the start of the next, in ms.
fn between(stretches: &[(u64, u64)]) -> Vec<f64> {
    let pairs = stretches.iter().zip(stretches.iter().skip(1));
    let gap = |((began, took), (next, _)): (&(u64, u64), &(u64, u64))| {
        next.saturating_sub(began + took) as f64 / 1e6
    };
    pairs.map(gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_from_an_end_to_the_next_start() {
        let runs = [
            (1_000_000, 2_000_000),
            (4_500_000, 1_000_000),
            (9_500_000, 1),
        ];
        assert_eq!(between(&runs), [1.5, 4.0]);
        assert_eq!(between(&runs[..1]), Vec::<f64>::new());
    }

    #[test]
    fn the_times_of_a_run_are_read_from_its_document() {
        let document = r#"{"time":{"started_utc_ns":5,"drained_ns":7}}"#;
        assert_eq!(stretch(document), Some((5, 7)));
        assert_eq!(stretch("{}"), None);
    }
}
