//! The charts of latency percentiles.

use super::ms;
use crate::diskspd::Compat;
use crate::diskspd::figures::{Latency, Measured, PARTS_OF_WHOLE};
use std::io::{self, Write};

/// The rows: name, and which percentile.
const ROWS: [(&str, u64); 15] = [
    ("min", 0),
    ("25th", 250_000_000),
    ("50th", 500_000_000),
    ("75th", 750_000_000),
    ("90th", 900_000_000),
    ("95th", 950_000_000),
    ("99th", 990_000_000),
    ("3-nines", 999_000_000),
    ("4-nines", 999_900_000),
    ("5-nines", 999_990_000),
    ("6-nines", 999_999_000),
    ("7-nines", 999_999_900),
    ("8-nines", 999_999_990),
    ("9-nines", 999_999_999),
    ("max", PARTS_OF_WHOLE),
];

/// One chart for each path where there are several, then the one over all, with what stands before each. The oldest layout
/// has only the last, without a title; until 2.1 the titles are bare.
pub(super) fn write(measured: &Measured, compat: Compat, out: &mut dyn Write) -> io::Result<()> {
    let total = &measured.total;
    let whole = [
        &total.read.latency,
        &total.write.latency,
        &total.total.latency,
    ];
    if compat == Compat::V2_0 {
        writeln!(out, "\n")?;
        return chart(whole, out);
    }
    let (title, whole_title) = if compat < Compat::V2_2 {
        writeln!(out, "\n")?;
        ("", "total:")
    } else {
        ("Latency distribution: ", "Total latency distribution:")
    };
    if measured.paths.len() > 1 {
        for path in &measured.paths {
            writeln!(out, "\n{title}{}", path.path)?;
            chart([&path.read, &path.write, &path.total], out)?;
        }
    }
    writeln!(out, "\n{whole_title}")?;
    chart(whole, out)
}

fn chart([read, write, total]: [&Latency; 3], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}",
        "-".repeat(46)
    )?;
    for (name, parts) in ROWS {
        let all = ms(total.at(parts).unwrap_or(0) as f64);
        let (read, write) = (cell(read, parts), cell(write, parts));
        writeln!(out, "{name:>7} | {read:>10} | {write:>10} | {all:10.3}")?;
    }
    Ok(())
}

fn cell(latency: &Latency, parts: u64) -> String {
    latency
        .at(parts)
        .map_or_else(|| "N/A".to_owned(), |ns| format!("{:.3}", ms(ns as f64)))
}
