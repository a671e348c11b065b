//! The tables "Total IO", "Read IO" and "Write IO", and the totals over several time spans.

use super::{mib, ms};
use crate::diskspd::figures::{DirectionFigures, Figures, Measured, Totals, TotalsRow};
use crate::diskspd::{Compat, TimeSpan, size_text};
use std::io::{self, Write};

/// One direction's part of the figures.
type Side = fn(&Figures) -> &DirectionFigures;

/// The three tables: title, and which figures.
const TABLES: [(&str, Side); 3] = [
    ("Total", |f| &f.total),
    ("Read", |f| &f.read),
    ("Write", |f| &f.write),
];

/// Which columns a table has.
#[derive(Clone, Copy)]
struct Columns {
    latency: bool,
    intervals: bool,
    compat: Compat,
}

/// All three, each with the blank line before it.
pub(super) fn write(
    measured: &Measured,
    asked: &TimeSpan,
    compat: Compat,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = Columns {
        latency: asked.measure_latency,
        intervals: asked.intervals.printed,
        compat,
    };
    let rule = columns.rule();
    for (title, side) in TABLES {
        writeln!(out, "\n{title} IO\n{}\n{rule}", columns.header())?;
        for row in &measured.rows {
            let size = columns.size(row.size_bytes);
            write!(
                out,
                "{:6} | {}",
                row.thread,
                columns.cells(side(&row.figures))
            )?;
            writeln!(out, " | {} ({size})", row.path)?;
        }
        writeln!(
            out,
            "{rule}\ntotal:   {}",
            columns.cells(side(&measured.total))
        )?;
    }
    Ok(())
}

impl Columns {
    fn header(self) -> String {
        let mut header = "thread |       bytes     |     I/Os     |".to_owned();
        header += megabytes(self.compat);
        header += "|  I/O per s ";
        header += if self.latency { "|  AvgLat  " } else { "" };
        header += if self.intervals { "| IopsStdDev " } else { "" };
        header += if self.latency { "| LatStdDev " } else { "" };
        header + "|  file"
    }

    fn rule(self) -> String {
        let latency = if self.latency { 11 + 12 } else { 0 };
        let intervals = if self.intervals { 13 } else { 0 };
        "-".repeat(66 + 12 + latency + intervals)
    }

    fn cells(self, figures: &DirectionFigures) -> String {
        let mut cells = counts(
            figures.bytes,
            figures.ios,
            figures.bytes_per_s,
            figures.rate_per_s,
        );
        if self.latency {
            cells += &format!(" | {:8.3}", ms(figures.latency.mean_ns));
        }
        if self.intervals {
            cells += &format!(" | {:10.2}", figures.iops_std_dev);
        }
        if self.latency {
            let none = || " |       N/A".to_owned();
            let deviation = figures.latency.std_dev_ns;
            cells += &deviation.map_or_else(none, |ns| format!(" |  {:8.3}", ms(ns)));
        }
        cells
    }

    fn size(self, bytes: u64) -> String {
        match self.compat {
            Compat::V2_0 => old_size(bytes, ""),
            Compat::V2_0_21 => old_size(bytes, "i"),
            Compat::V2_1 | Compat::V2_2 | Compat::V2_3 => size_text(bytes, 0),
        }
    }
}

/// The totals over all time spans, with what separates them from the last.
pub(super) fn write_totals(totals: &Totals, compat: Compat, out: &mut dyn Write) -> io::Result<()> {
    let rule = "-".repeat(79);
    let row = |row: &TotalsRow| counts(row.bytes, row.ios, row.bytes_per_s, row.rate_per_s);
    writeln!(out, "\n\nTotals:\n{}\n", "*".repeat(79))?;
    let titles = megabytes(compat);
    writeln!(
        out,
        "type   |       bytes     |     I/Os     |{titles}|  I/O per s\n{rule}"
    )?;
    writeln!(
        out,
        "write  | {}\nread   | {}\n{rule}",
        row(&totals.write),
        row(&totals.read)
    )?;
    writeln!(out, "total  | {}\n", row(&totals.total))?;
    writeln!(out, "total test time:\t{:.2}s", totals.time.as_seconds())
}

fn counts(bytes: u64, ios: u64, bytes_per_s: f64, rate_per_s: f64) -> String {
    format!(
        "{bytes:15} | {ios:12} | {:10.2} | {rate_per_s:10.2}",
        mib(bytes_per_s)
    )
}

/// Title of the throughput column. Both mean 2^20 bytes per second.
fn megabytes(compat: Compat) -> &'static str {
    if compat == Compat::V2_0 {
        "     MB/s   "
    } else {
        "    MiB/s   "
    }
}

/// Whole units of 1024, rounded down, from more than ten of a unit on; `infix` is the `i` of `KiB`.
fn old_size(bytes: u64, infix: &str) -> String {
    const UNITS: [(u32, &str); 3] = [(30, "G"), (20, "M"), (10, "K")];
    let unit = UNITS.iter().find(|(shift, _)| bytes > 10 << shift);
    unit.map_or_else(
        || format!("{bytes}B"),
        |(shift, name)| format!("{}{name}{infix}B", bytes >> shift),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_sizes_change_their_unit_above_ten_of_the_next() {
        let sizes = [10 << 10, (10 << 10) + 1, 1 << 30, 10 << 30, 440 << 30];
        assert_eq!(
            sizes.map(|bytes| old_size(bytes, "")),
            ["10240B", "10KB", "1024MB", "10240MB", "440GB"]
        );
        assert_eq!(old_size(1 << 30, "i"), "1024MiB");
    }
}
