//! The request as DISKSPD prints it back: everything before the system information.
//!
//! Scripts read this, so lines, order and blanks are the original's. Results are printed by `views`, which finds the
//! line of a range and the text of a size here.

mod target;

use super::Compat;
use super::number::size_text;
use super::profile::{Profile, TimeSpan};
use std::fmt::Write;

/// A range of a target and its share of I/Os, as a line shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeLine {
    /// Percent of all I/Os, before a trimmed list is completed.
    pub io: u32,
    /// What the list adds up to; 100 unless it was trimmed.
    pub io_of: u32,
    /// First byte, from the base.
    pub from: u64,
    /// The byte behind the last; `None` for the end of the target.
    pub to: Option<u64>,
}

/// Command line, experiment flags and input parameters: what `-Rp` prints, and how every result begins.
pub fn print_text(profile: &Profile, command_line: &str, compat: Compat) -> String {
    let mut text = format!("\nCommand Line: {command_line}\n\n");
    let flags = profile.experiment_flags;
    if flags != 0 {
        line(
            &mut text,
            &format!("Experiment Flags: 0x{flags:x} ({flags})\n"),
        );
    }
    line(&mut text, "Input parameters:\n");
    if profile.verbose {
        line(&mut text, "\tusing verbose mode");
    }
    for (place, span) in profile.time_spans.iter().enumerate() {
        line(
            &mut text,
            &format!("\ttimespan: {:>3}\n\t-------------", place + 1),
        );
        print_span(span, &mut text);
        for each in &span.targets {
            target::print(span, each, compat, &mut text);
        }
        text.push('\n');
    }
    text
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn print_span(span: &TimeSpan, text: &mut String) {
    let mut tell = |content: &str| line(text, &format!("\t{content}"));
    tell(&format!("duration: {}s", span.duration_s));
    tell(&format!("warm up time: {}s", span.warmup_s));
    tell(&format!("cool down time: {}s", span.cooldown_s));
    if span.affinity.disabled {
        tell("affinity disabled");
    }
    if span.measure_latency {
        tell("measuring latency");
    }
    if span.intervals.printed {
        tell(&format!(
            "gathering IOPS at intervals of {}ms",
            span.intervals.length_ms
        ));
    }
    tell(&format!("random seed: {}", span.seed));
    if span.thread_count > 0 {
        tell(&format!("thread pool with {} threads", span.thread_count));
        tell(&format!(
            "number of outstanding I/O operations per thread: {}",
            span.request_count
        ));
    }
    if !span.affinity.processors.is_empty() {
        let list: Vec<String> = span
            .affinity
            .processors
            .iter()
            .map(|(group, cpu)| format!("{group}/{cpu}"))
            .collect();
        tell(&format!(
            "advanced affinity round robin (group/core): {}",
            list.join(", ")
        ));
    }
    if span.random_write_data {
        tell("generating random data for each write IO");
        tell("  WARNING: this increases the CPU cost of issuing writes and should only");
        tell("           be compared to other results using the -Zr flag");
    }
}

/// One range: with whole percent, or with a decimal where a trimmed list is completed.
pub fn range_line(range: &RangeLine) -> String {
    let mut text = if range.io_of == 100 || range.io_of == 0 {
        format!("   {:>3}% of IO => [", range.io)
    } else {
        format!(
            "    {:.1}% of IO => [",
            f64::from(range.io) * 100.0 / f64::from(range.io_of)
        )
    };
    match range.from {
        0 => text.push_str("     0   "),
        from => text.push_str(&size_text(from, 6)),
    }
    text.push_str(" - ");
    match range.to {
        None => text.push_str("      end"),
        Some(to) => text.push_str(&size_text(to, 6)),
    }
    write!(text, ")").expect("a String takes it");
    text
}
