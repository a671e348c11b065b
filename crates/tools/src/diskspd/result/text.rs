//! The text: which sections stand in it, in which order.

use super::{DiskspdResults, INTERRUPTED, machine, percentiles, places, processors, tables};
use crate::diskspd::figures::{Measured, Span, totals};
use crate::diskspd::{Compat, TimeSpan};
use std::io::{self, Write};

/// The whole text of a run, in the layout that is asked for: the dialect's part (`Command Line:` and `Input
/// parameters:`), the machine, each time span, and the totals where there are several. Errors are those of `out`.
pub fn diskspd_text(results: &DiskspdResults<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(results.input_text().as_bytes())?;
    machine::write(&results.system, results.compat, out)?;
    for (number, (asked, span)) in (1..).zip(results.spans()) {
        write_span(results, number, asked, span, out)?;
    }
    if results.profile.time_spans.len() > 1 {
        tables::write_totals(&totals(&results.spans), results.compat, out)?;
    }
    Ok(())
}

fn write_span(
    results: &DiskspdResults<'_>,
    number: u32,
    asked: &TimeSpan,
    span: &Span,
    out: &mut dyn Write,
) -> io::Result<()> {
    if results.compat < Compat::V2_2 {
        writeln!(out)?;
    }
    writeln!(out, "\nResults for timespan {number}:\n{}", "*".repeat(79))?;
    let Span::Measured(measured) = span else {
        return writeln!(out, "{INTERRUPTED}");
    };
    write_head(measured, asked, results.compat, out)?;
    processors::write(measured, &results.system, results.compat, out)?;
    if results.compat >= Compat::V2_1 {
        places::write(&measured.layouts, out)?;
    }
    tables::write(measured, asked, results.compat, out)?;
    if asked.measure_latency {
        percentiles::write(measured, results.compat, out)?;
    }
    Ok(())
}

fn write_head(
    measured: &Measured,
    asked: &TimeSpan,
    compat: Compat,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\nactual test time:\t{:.2}s",
        measured.time.as_seconds()
    )?;
    writeln!(out, "thread count:\t\t{}", measured.threads)?;
    if compat >= Compat::V2_0_21 && asked.thread_count > 0 && asked.request_count > 0 {
        writeln!(out, "request count:\t\t{}", asked.request_count)?;
    }
    if compat < Compat::V2_2 {
        writeln!(out, "proc count:\t\t{}", measured.cpus.len())?;
    }
    Ok(())
}
