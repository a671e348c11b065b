//! The request as DISKSPD prints it back: everything before the system information.
//!
//! Scripts read this, so lines, order and blanks are the original's. Results are printed by `views`, which finds the
//! line of a range and the text of a size here.

mod span;
mod target;

use super::Compat;
use super::number::size_text;
use super::profile::Profile;
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
    let indent = Indent::of(compat);
    if profile.verbose {
        line(&mut text, &format!("{}using verbose mode", indent.head));
    }
    for (place, span) in profile.time_spans.iter().enumerate() {
        let head = indent.head;
        line(
            &mut text,
            &format!("{head}timespan: {:>3}\n{head}-------------", place + 1),
        );
        span::print(span, compat, &mut text);
        for each in &span.targets {
            target::print(span, each, compat, &mut text);
        }
        text.push('\n');
    }
    text
}

/// What lines begin with.
#[derive(Clone, Copy)]
struct Indent {
    /// A time span's title.
    head: &'static str,
    /// Its settings, and the paths of its targets.
    span: &'static str,
    /// The settings of a target.
    target: &'static str,
}

impl Indent {
    fn of(compat: Compat) -> Indent {
        if compat >= Compat::V2_3 {
            return Indent {
                head: "  ",
                span: "    ",
                target: "      ",
            };
        }
        Indent {
            head: "\t",
            span: "\t",
            target: "\t\t",
        }
    }
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
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
