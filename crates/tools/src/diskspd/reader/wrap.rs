//! Lines that a console broke at its edge, joined again.
//!
//! The width is seen where a rule of dashes was broken, because a rule has no blanks to lose; without one, a command
//! line goes on to the empty line behind it and a path to its quote. Rows of a table with a long path go on in `table`.

use crate::imports::section::Section;
use std::borrow::Cow;

/// A line of the output.
pub(super) struct Line<'t> {
    /// Byte of its beginning in the section.
    pub(super) at: usize,
    /// Its line in the section. // from 0
    pub(super) number: usize,
    /// Without blanks at its end.
    pub(super) text: Cow<'t, str>,
}

/// Most pieces that make a line: a command line of 4096 characters has 52.
const PIECES_MAX: usize = 128;

/// The lines of a section, joined again. Only the next ones are in memory: a list of all would be many times the text.
pub(super) fn whole_lines<'t>(section: &Section<'t>) -> impl Iterator<Item = Line<'t>> {
    const AHEAD: usize = 32 * PIECES_MAX;
    let width = width(section);
    let mut source = section.lines();
    let mut number = section.head_line();
    let mut window: Vec<(usize, &str)> = Vec::with_capacity(AHEAD);
    let mut next = 0;
    std::iter::from_fn(move || {
        if window.len() - next < PIECES_MAX {
            window.drain(..next);
            next = 0;
            window.extend(source.by_ref().take(AHEAD - window.len()));
        }
        let raw = &window[next..];
        let (at, first) = *raw.first()?;
        let pieces = pieces(raw, width);
        let text = if pieces == 1 {
            Cow::Borrowed(first.trim_end())
        } else {
            Cow::Owned(join(&raw[..pieces], width))
        };
        let line = Line { at, number, text };
        next += pieces;
        number += pieces;
        Some(line)
    })
}

/// Where the window ended, if a rule was broken there.
fn width(section: &Section) -> Option<usize> {
    /// Consoles are narrower, and lines are filled up to it.
    const WIDTHS: std::ops::RangeInclusive<usize> = 40..=1000;
    let rule = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte == b'-');
    let lines = || section.lines().map(|(_, line)| line.trim_end());
    lines()
        .zip(lines().skip(1))
        .find(|(first, second)| WIDTHS.contains(&first.len()) && rule(first) && rule(second))
        .map(|(first, _)| first.len())
}

/// How many lines from the first one on make one.
fn pieces(raw: &[(usize, &str)], width: Option<usize>) -> usize {
    let first = raw[0].1.trim_start();
    let most = raw.len().min(PIECES_MAX);
    let quoted = first.starts_with("path: '") && !first.trim_end().ends_with('\'');
    let goes_on = |number: usize| {
        let (line, next) = (raw[number].1, raw[number + 1].1.trim());
        if next.is_empty() || next == "Input parameters:" {
            false
        } else if first.starts_with("Command Line:") {
            true
        } else if quoted {
            !(number > 0 && line.trim_end().ends_with('\''))
        } else {
            width.is_some_and(|width| is_broken(line, next, width))
        }
    };
    1 + (0..most - 1).take_while(|number| goes_on(*number)).count()
}

/// Whether a line goes on behind the edge. Blanks before the edge may be lost.
fn is_broken(line: &str, next: &str, width: usize) -> bool {
    const LOST_MAX: usize = 4;
    if line.len() > 4 * width {
        return false;
    }
    let length = line.trim_end().chars().count();
    let table = line.contains('|') && !next.starts_with('-') && !next.starts_with("total:");
    line.chars().count() == width || (table && (width - LOST_MAX..width).contains(&length))
}

fn join(pieces: &[(usize, &str)], width: Option<usize>) -> String {
    let mut whole = String::new();
    for (number, (_, piece)) in pieces.iter().enumerate() {
        if number + 1 == pieces.len() {
            whole.push_str(piece.trim_end());
        } else if let Some(width) = width {
            whole.push_str(piece);
            let missing = width.saturating_sub(piece.chars().count());
            whole.extend(std::iter::repeat_n(' ', missing));
        } else {
            whole.push_str(piece);
        }
    }
    whole
}
