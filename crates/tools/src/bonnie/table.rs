//! The table for people that bonnie++ prints above its line of commas, where the line was not pasted with it.
//!
//! Columns follow from the end of a row: a test of characters that was switched off leaves blanks. K/sec are KiB/s; since 2.00 a
//! figure has its unit (`1.4g`). Old Bonnie's table is the same. Omitted: the table of files.

use crate::imports::number::size;
use crate::imports::section::Section;
use model::Bytes;

/// Lines from the head of the table to the line of commas that repeats it.
const AHEAD: usize = 20;

/// Returns whether a table begins on a line, and no line of commas follows that repeats it.
pub(super) fn begins(line: &str, text: &str, is_commas: fn(&str) -> bool) -> bool {
    is_head(line) && !text.lines().take(AHEAD).skip(1).any(is_commas)
}

/// `Version  1.03       ------Sequential Output------ --Sequential Input- --Random-`, also broken behind one of its parts.
fn is_head(line: &str) -> bool {
    let plain = |line: &str| line.contains("-Sequential Output-");
    plain(line) && line.contains("-Sequential Input-")
}

/// The names of the columns of data.
fn is_columns(line: &str) -> bool {
    let words = ["/sec", "%CP"];
    words.iter().all(|word| line.contains(word)) && !line.contains("files")
}

/// A row as the fields of a line of commas: name, size, and six figures, each with its share of processor.
pub(super) struct Row {
    /// Byte of the row in the section.
    pub(super) at: usize,
    pub(super) version: Option<String>,
    pub(super) name: Option<String>,
    pub(super) size: String,
    /// As printed, and empty where the test was switched off. // 12
    pub(super) fields: Vec<String>,
}

/// Returns the rows of the tables of a section.
pub(super) fn rows(section: &Section) -> Vec<Row> {
    const ROWS_MAX: usize = 1024;
    let mut rows: Vec<Row> = Vec::new();
    let (mut version, mut in_table) = (None, false);
    // A row that was broken at the edge of a mail.
    let mut rest: Option<(usize, String)> = None;
    for (at, line) in section.lines() {
        if is_head(line) {
            let name = line.trim().strip_prefix("Version").map(str::trim_start);
            version = name
                .and_then(|name| name.split_whitespace().next())
                .map(str::to_owned);
            in_table = false;
        } else if is_columns(line) {
            in_table = true;
        } else if line.contains("Sequential Create") || line.trim_start().starts_with("Latency") {
            in_table = false;
        } else if in_table && rows.len() < ROWS_MAX {
            let (at, whole) = match rest.take() {
                Some((from, begun)) => (from, format!("{begun} {}", line.trim())),
                None => (at, line.trim().to_owned()),
            };
            match row(at, &whole) {
                Some(row) => rows.push(Row {
                    version: version.clone(),
                    ..row
                }),
                None if whole.len() < 200 && figures(&whole) >= 2 => rest = Some((at, whole)),
                None => {}
            }
        }
    }
    rows
}

/// How many words of a line are figures.
fn figures(line: &str) -> usize {
    line.split_whitespace()
        .filter(|word| is_figure(word))
        .count()
}

fn is_figure(word: &str) -> bool {
    word.starts_with('+') || figure_of(word).is_some()
}

/// Figures with six tests, and with the tests of blocks alone.
const WHOLE: usize = 12;
const BLOCKS: usize = 8;

/// `host  4G  3002  88 31164  60 13485  29  3035  84 32838  36  56.7   0`.
fn row(at: usize, line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().take(WHOLE + 8).collect();
    // A figure may look like a size: the number of words behind it decides, and that no size is before it.
    let size_at = [WHOLE, BLOCKS].iter().find_map(|figures| {
        let at = words.len().checked_sub(figures + 1)?;
        let is_first = !words[..at].iter().any(|word| is_size(word));
        (is_first && is_size(words[at])).then_some(at)
    })?;
    let figures = &words[size_at + 1..];
    if !figures.iter().all(|word| is_figure(word)) {
        return None;
    }
    let mut fields: Vec<String> = figures.iter().map(|word| (*word).to_owned()).collect();
    if fields.len() == BLOCKS {
        for place in [0, 1, 6, 7] {
            fields.insert(place, String::new());
        }
    }
    let name = words[..size_at].join(" ");
    Some(Row {
        at,
        version: None,
        name: Some(name).filter(|name| !name.is_empty()),
        size: words[size_at].to_owned(),
        fields,
    })
}

/// `2G`, `2G:8k`, `4096M`; bare numbers are mebibytes.
pub(super) fn size_of(field: &str) -> Option<Bytes> {
    let whole = field.split(':').next().unwrap_or(field);
    match whole.parse::<u64>() {
        Ok(mib) => mib.checked_mul(1 << 20).map(Bytes),
        Err(_) => size(whole),
    }
}

/// Whether a word is the size of the files of a table.
fn is_size(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && size_of(word).is_some_and(|size| size.0 > 0)
}

/// The number of a figure: bare, or since 2.00 with its unit, `1.4g` for GiB/s; then in KiB/s.
pub(super) fn figure_of(text: &str) -> Option<f64> {
    let (number, scale) = match text.char_indices().last()? {
        (end, 'k') => (&text[..end], 1.0),
        (end, 'm') => (&text[..end], 1024.0),
        (end, 'g') => (&text[..end], 1024.0 * 1024.0),
        _ => (text, 1.0),
    };
    let value: f64 = number.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value * scale)
}
