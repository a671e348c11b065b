//! The results of a SQLIO run in SQLIO's own layout, blank for blank, because scripts read it.
//!
//! The text before `CUMULATIVE DATA:` is the dialect's to print. A figure that is not known is `N/A`, which no script
//! reads as a number. Microseconds, which the layout has no place for, have a line of their own next to it.

use crate::sqlio::figures::{Figures, Latency, Processors, Use};
use crate::sqlio::{Profile, Size, Usage, head};
use std::io::{self, Write};

/// Everything that the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SqlioResults<'a> {
    /// What was asked.
    pub profile: &'a Profile,
    /// How large each target had to be and was.
    pub sizes: &'a [Size],
    /// Its result.
    pub figures: &'a Figures,
}

/// The whole text of a run. Errors are those of `out`.
pub fn sqlio_text(results: &SqlioResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    let figures = results.figures;
    out.write_all(head(results.profile, results.sizes).as_bytes())?;
    writeln!(out, "CUMULATIVE DATA:")?;
    writeln!(out, "throughput metrics:")?;
    writeln!(out, "IOs/sec:{:9.2}", figures.ios_per_s)?;
    writeln!(out, "MBs/sec:{:9.2}", figures.bytes_per_s / 1_048_576.0)?;
    if results.profile.latency.is_some() {
        write_latency(figures.latency.as_ref(), out)?;
    }
    match results.profile.usage {
        Usage::Off => Ok(()),
        Usage::Total => write_use(&figures.processors, &[], out),
        Usage::EachProcessor => write_use(&figures.processors, &figures.processors.each, out),
    }
}

/// The latencies in microseconds, to be printed next to the page: none where there are none.
pub fn sqlio_latency(figures: &Figures) -> Option<String> {
    let latency = figures.latency.as_ref()?;
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    Some(format!(
        "latency in µs, not cut off to milliseconds: min {}, avg {}, max {}",
        us(latency.min_ns as f64),
        us(latency.mean_ns),
        us(latency.max_ns as f64)
    ))
}

fn write_latency(latency: Option<&Latency>, out: &mut dyn Write) -> io::Result<()> {
    let ms = |of: fn(&Latency) -> f64| {
        latency.map_or_else(
            || "N/A".to_owned(),
            |latency| format!("{:.0}", (of(latency) / 1e6).floor()),
        )
    };
    writeln!(out, "latency metrics:")?;
    writeln!(out, "Min_Latency(ms): {}", ms(|l| l.min_ns as f64))?;
    writeln!(out, "Avg_Latency(ms): {}", ms(|l| l.mean_ns))?;
    writeln!(out, "Max_Latency(ms): {}", ms(|l| l.max_ns as f64))?;
    let Some(latency) = latency else {
        return Ok(());
    };
    writeln!(out, "histogram:")?;
    write!(out, "ms: 0")?;
    for column in 1..latency.percents.len() {
        write!(out, "{column:3}")?;
    }
    writeln!(out, "+")?;
    write!(out, "%:")?;
    for percent in latency.percents {
        write!(out, "{percent:3}")?;
    }
    writeln!(out)
}

/// A row of the table of processors.
struct Row {
    name: &'static str,
    of: fn(&Use) -> Option<f64>,
}

const ROWS: [Row; 5] = [
    Row {
        name: "DPCTime(%):",
        of: |one| one.dpc,
    },
    Row {
        name: "InterruptTime(%):",
        of: |one| one.interrupt,
    },
    Row {
        name: "PrivilegedTime(%):",
        of: |one| Some(one.privileged),
    },
    Row {
        name: "ProcessorTime(%):",
        of: |one| Some(one.processor),
    },
    Row {
        name: "UserTime(%):",
        of: |one| Some(one.user),
    },
];

/// The head ends one column before the figures, as in the original.
fn write_use(processors: &Processors, each: &[(u32, Use)], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{:19}{:>9}", "ProcessorNumber:", "ALL")?;
    for (number, _) in each {
        write!(out, "{number:9}")?;
    }
    writeln!(out)?;
    for Row { name, of } in ROWS {
        write!(out, "{name:20}{}", cell(of(&processors.all)))?;
        for (_, one) in each {
            write!(out, "{}", cell(of(one)))?;
        }
        writeln!(out)?;
    }
    write!(
        out,
        "{:20}{}",
        "Interrupts/sec:",
        cell(processors.interrupts_per_s)
    )?;
    for _ in each {
        write!(out, "{}", cell(None))?;
    }
    writeln!(out)
}

/// Nine wide.
fn cell(figure: Option<f64>) -> String {
    figure.map_or_else(|| format!("{:>9}", "N/A"), |figure| format!("{figure:9.2}"))
}
