//! IOmeter's results: its CSV of version 1.1.0, column for column, because scripts and spreadsheets read it.
//!
//! A cell that fathom has no number for is empty: transactions, connections, packets, raw ticks.

use crate::iometer::Spec;
use crate::iometer::figures::{CLASSES_US, Figures, Use};
use std::io::{self, Write};
use views::printable;
use views::{Zone, local_stamp};

/// Parts of the file.
#[derive(Clone, Debug)]
pub struct IometerResults<'a> {
    /// Of the test.
    pub description: &'a str,
    /// Those that were run.
    pub specs: &'a [&'a Spec],
    /// One after another.
    pub tests: &'a [IometerTest],
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct IometerTest {
    /// When it began and ended, as IOmeter writes it.
    pub times: [String; 2],
    /// Its access specification.
    pub spec: String,
    /// ALL first, then MANAGER, PROCESSOR, WORKER and DISK.
    pub rows: Vec<IometerRow>,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IometerRow {
    /// `ALL`, `MANAGER`, `PROCESSOR`, `WORKER` or `DISK`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How many there are of managers, workers and disks.
    pub counts: [Option<u64>; 3],
    /// What it did; none for processors.
    pub figures: Option<Figures>,
    /// Starting sector, maximum size in sectors, outstanding I/Os.
    pub place: [Option<u64>; 3],
    /// Use of processors.
    pub cpu: Option<Use>,
    /// Of all processors.
    pub interrupts_per_s: Option<f64>,
}

const COLUMNS: [&str; 62] = [
    "Target Type",
    "Target Name",
    "Access Specification Name",
    "# Managers",
    "# Workers",
    "# Disks",
    "IOps",
    "Read IOps",
    "Write IOps",
    "MiBps (Binary)",
    "Read MiBps (Binary)",
    "Write MiBps (Binary)",
    "MBps (Decimal)",
    "Read MBps (Decimal)",
    "Write MBps (Decimal)",
    "Transactions per Second",
    "Connections per Second",
    "Average Response Time",
    "Average Read Response Time",
    "Average Write Response Time",
    "Average Transaction Time",
    "Average Connection Time",
    "Maximum Response Time",
    "Maximum Read Response Time",
    "Maximum Write Response Time",
    "Maximum Transaction Time",
    "Maximum Connection Time",
    "Errors",
    "Read Errors",
    "Write Errors",
    "Bytes Read",
    "Bytes Written",
    "Read I/Os",
    "Write I/Os",
    "Connections",
    "Transactions per Connection",
    "Total Raw Read Response Time",
    "Total Raw Write Response Time",
    "Total Raw Transaction Time",
    "Total Raw Connection Time",
    "Maximum Raw Read Response Time",
    "Maximum Raw Write Response Time",
    "Maximum Raw Transaction Time",
    "Maximum Raw Connection Time",
    "Total Raw Run Time",
    "Starting Sector",
    "Maximum Size",
    "Queue Depth",
    "% CPU Utilization",
    "% User Time",
    "% Privileged Time",
    "% DPC Time",
    "% Interrupt Time",
    "Processor Speed",
    "Interrupts per Second",
    "CPU Effectiveness",
    "Packets/Second",
    "Packet Errors",
    "Segments Retransmitted/Second",
    "0 to 50 uS",
    "50 to 100 uS",
    "100 to 200 uS",
];
/// The classes of latency go on so.
const CLASSES: [&str; 18] = [
    "200 to 500 uS",
    "0.5 to 1 mS",
    "1 to 2 mS",
    "2 to 5 mS",
    "5 to 10 mS",
    "10 to 15 mS",
    "15 to 20 mS",
    "20 to 30 mS",
    "30 to 50 mS",
    "50 to 100 mS",
    "100 to 200 mS",
    "200 to 500 mS",
    "0.5 to 1 S",
    "1 to 2 s",
    "2 to 4.7 s",
    "4.7 to 5 s",
    "5 to 10 s",
    " >= 10 s",
];
const FIRST_CLASS: usize = 59;
const WIDTH: usize = FIRST_CLASS + CLASSES_US.len() + 1;

/// The whole file. Errors are those of `out`.
pub fn iometer_csv(results: &IometerResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let first = results.tests.first().map_or("", |test| &test.times[0]);
    write!(
        out,
        "'Test Type,Test Description\r\n0,{}\r\n'Version\r\n1.1.0\r\n'Time Stamp\r\n{first}\r\n'Access specifications\r\n",
        results.description
    )?;
    for spec in results.specs {
        write!(
            out,
            "'Access specification name,default assignment\r\n{},0\r\n'size,% of size,% reads,% random,delay,burst,align,reply\r\n",
            spec.name
        )?;
        for line in &spec.lines {
            write!(
                out,
                "{},{},{},{},{},{},{},{},\r\n",
                line.size,
                line.of_size,
                line.reads,
                line.random,
                line.delay_ms,
                line.burst,
                line.align,
                line.reply
            )?;
        }
    }
    write!(out, "'End access specifications\r\n")?;
    for test in results.tests {
        write!(
            out,
            "'Results\r\n'{},{}\r\n",
            COLUMNS.join(","),
            CLASSES.join(",")
        )?;
        for row in &test.rows {
            write!(out, "{}\r\n", cells(row, &test.spec).join(","))?;
        }
        write!(out, "'Time Stamp\r\n{}\r\n", test.times[1])?;
    }
    Ok(())
}

fn cells(row: &IometerRow, spec: &str) -> Vec<String> {
    let mut cells = vec![String::new(); WIDTH];
    let mut put = |column: &str, text: String| {
        if let Some(place) = COLUMNS.iter().position(|name| *name == column) {
            cells[place] = text;
        }
    };
    put("Target Type", row.kind.to_owned());
    put("Target Name", quoted(&row.name));
    if row.kind != "PROCESSOR" && row.kind != "DISK" {
        put("Access Specification Name", quoted(spec));
    }
    let whole = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    for (column, value) in ["# Managers", "# Workers", "# Disks"]
        .into_iter()
        .zip(row.counts)
    {
        put(column, whole(value));
    }
    for (column, value) in ["Starting Sector", "Maximum Size", "Queue Depth"]
        .into_iter()
        .zip(row.place)
    {
        put(column, whole(value));
    }
    if let Some(cpu) = row.cpu {
        put("% CPU Utilization", fixed(cpu.busy));
        put("% User Time", fixed(cpu.user));
        put("% Privileged Time", fixed(cpu.kernel));
    }
    if let Some(interrupts) = row.interrupts_per_s {
        put("Interrupts per Second", fixed(interrupts));
    }
    if let Some(figures) = &row.figures {
        put_figures(figures, &mut put);
        let all = figures.classes.iter().enumerate();
        all.for_each(|(class, count)| cells[FIRST_CLASS + class] = count.to_string());
    }
    cells
}

fn put_figures(figures: &Figures, put: &mut dyn FnMut(&str, String)) {
    const MIB: f64 = 1_048_576.0;
    const MEGA: f64 = 1e6;
    const MS: f64 = 1e6;
    for (prefix, side) in [
        ("", &figures.total),
        ("Read ", &figures.sides[0]),
        ("Write ", &figures.sides[1]),
    ] {
        put(&format!("{prefix}IOps"), fixed(side.ios_per_s));
        put(
            &format!("{prefix}MiBps (Binary)"),
            fixed(side.bytes_per_s / MIB),
        );
        put(
            &format!("{prefix}MBps (Decimal)"),
            fixed(side.bytes_per_s / MEGA),
        );
        put(
            &format!("Average {prefix}Response Time"),
            fixed(side.mean_ns / MS),
        );
        put(
            &format!("Maximum {prefix}Response Time"),
            fixed(side.max_ns as f64 / MS),
        );
        put(&format!("{prefix}Errors"), side.errors.to_string());
    }
    let [reads, writes] = &figures.sides;
    put("Bytes Read", reads.bytes.to_string());
    put("Bytes Written", writes.bytes.to_string());
    put("Read I/Os", reads.ios.to_string());
    put("Write I/Os", writes.ios.to_string());
}

/// A moment as IOmeter writes it, by the clock of the machine: `2026-11-21 12:05:17:250`.
pub fn iometer_time(utc_ns: u64, zone: &Zone) -> String {
    let ms = utc_ns / 1_000_000 % 1000;
    format!("{}:{ms:03}", local_stamp(utc_ns, zone).replace('T', " "))
}

/// Six digits behind the point, as IOmeter sets its stream.
fn fixed(value: f64) -> String {
    format!("{value:.6}")
}

/// A name with a comma would be two cells.
fn quoted(name: &str) -> String {
    let name = printable(name);
    match name.contains(',') {
        true => format!("\"{}\"", name.replace('"', "'")),
        false => name,
    }
}
