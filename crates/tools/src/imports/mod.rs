//! Results that other tools printed → [`ImportedRun`]s, recognised by what is in the file.
//!
//! A file is text in some encoding (`decode`); it is cut into sections, each of which begins with a line that one format
//! alone has (`section`); and each section is read by that format's reader: one file, and one row in the readers of its
//! tool. So appended runs, and formats that stand mixed in one file, need no care of their own. Every figure is as printed,
//! what a section lacks is `None`, and every run keeps its own piece of the text: the pieces together are the whole
//! file, except for sections without a run.
//!
//! All input is hostile: no reader nests deeper than a bound, checks a line more often than a fixed number of times, keeps
//! more than a small multiple of the text, or panics; runs are handed on one by one. Deliberately absent: files (`cli`
//! opens them), the results database, and any conclusion from a figure.

pub(crate) mod command;
pub(crate) mod decode;
mod joined;
pub(crate) mod number;
mod pasted;
pub(crate) mod run;
pub(crate) mod section;

pub use decode::{LENGTH_MAX, ReadError};
pub use section::Reader;

use crate::TOOLS;
use model::{ImportFormat, ImportedRun};
use section::{Fault, Found, Section, Start};

/// Content of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its runs, in the order of the file.
    pub runs: Vec<ImportedRun>,
    /// As in [`Rest`].
    pub broken: Vec<Broken>,
    /// As in [`Rest`].
    pub notes: Vec<String>,
}

/// Content of a file other than its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// What looked like a run and is none that can be kept, in the order of the file: the first [`BROKEN_MAX`].
    pub broken: Vec<Broken>,
    /// How many there are.
    pub broken_count: usize,
    /// What a person should know about the file as a whole.
    pub notes: Vec<String>,
}

/// Most broken runs of a file that are named.
pub const BROKEN_MAX: usize = 1000;

/// A run that cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Broken {
    /// What it was read as.
    pub format: ImportFormat,
    /// Where the trouble is. // from 1
    pub line: u32,
    /// What was read, and what was expected.
    pub what: String,
}

/// Returns every format that is read, in the order in which a line is offered to them.
pub fn readers() -> impl Iterator<Item = &'static Reader> {
    TOOLS.iter().flat_map(|tool| tool.readers)
}

fn known() -> String {
    let tools = TOOLS.iter().filter(|tool| !tool.readers.is_empty());
    let names = tools.map(|tool| tool.name);
    names.collect::<Vec<_>>().join(", ")
}

/// Reads a file and keeps all of its runs. `source` is its name for the record.
pub fn read(source: &str, bytes: impl AsRef<[u8]>) -> Result<Reading, ReadError> {
    let mut runs = Vec::new();
    let rest = read_each(source, bytes.as_ref(), &mut |run| runs.push(run))?;
    Ok(Reading {
        runs,
        broken: rest.broken,
        notes: rest.notes,
    })
}

/// Reads a file and hands on each run, in the order of the file. With any content this takes at most eight times
/// its length of memory, a small constant, and time in proportion to its length. Files of the same bytes give the same.
pub fn read_each(
    source: &str,
    bytes: &[u8],
    take: &mut dyn FnMut(ImportedRun),
) -> Result<Rest, ReadError> {
    let (text, mut notes) = decode::decode(bytes)?;
    let (text, decoded) = joined::decoded(text);
    let (text, marked) = pasted::bare(text);
    let (text, joined) = joined::joined(text);
    if decoded + joined > 0 {
        notes.push(format!(
            "{} lines that a mail, a page or a program broke or packed are read as lines of the tool",
            decoded + joined
        ));
    }
    if marked > 0 {
        notes.push(format!(
            "marks of quotes, markup or logs are removed from {marked} lines"
        ));
    }
    let mut rest = Rest {
        notes,
        ..Rest::default()
    };
    let mut place: u32 = 0;
    let mut sections = cut(&text).peekable();
    if sections.peek().is_none() {
        let first = text.find(|c: char| !c.is_whitespace());
        return Err(ReadError::Unknown {
            line: section::line_at(&text, first.unwrap_or_default()),
            known: known(),
        });
    }
    for (reader, section) in sections {
        let mut warnings = section.warnings();
        let mut keep = |mut run: ImportedRun| {
            place = place.saturating_add(1);
            run.format = reader.format;
            source.clone_into(&mut run.source);
            run.place = place;
            run.evidence.warnings = std::mem::take(&mut warnings);
            take(run);
        };
        let mut tell = |fault: Fault| {
            rest.broken_count += 1;
            if rest.broken.len() < BROKEN_MAX {
                rest.broken.push(Broken {
                    format: reader.format,
                    line: section.line(fault.line),
                    what: fault.what,
                });
            }
        };
        let mut found = Found::new(&section, &mut keep, &mut tell);
        (reader.read)(&section, &mut found);
        found.end();
    }
    Ok(rest)
}

/// Cuts a file into sections, each with its reader.
fn cut(text: &str) -> impl Iterator<Item = (&'static Reader, Section<'_>)> {
    let mut beginnings = beginnings(text).peekable();
    let (mut from, mut first) = (0, 1);
    std::iter::from_fn(move || {
        let (at, reader) = beginnings.next()?;
        let to = beginnings.peek().map_or(text.len(), |next| next.0);
        let section = Section {
            text: &text[from..to],
            head: at - from,
            first,
        };
        first += section::newlines(section.text);
        from = to;
        Some((reader, section))
    })
}

/// Where sections begin.
fn beginnings(text: &str) -> impl Iterator<Item = (usize, &'static Reader)> {
    let mut open = None;
    section::lines(text).filter_map(move |(at, line)| {
        let line = line.trim_start();
        if line.is_empty() {
            return None;
        }
        let begins = |reader: &&Reader| match (reader.begins)(line, &text[at..]) {
            Start::No => false,
            Start::Here => true,
            Start::Orphan => open != Some(reader.format),
            Start::Beside(other) => {
                open.is_some_and(|open| open != reader.format && open != other) || open.is_none()
            }
        };
        let reader = readers().find(begins)?;
        open = Some(reader.format);
        Some((at, reader))
    })
}

/// What distinguishes the content of a file from any other's: 128 bits and the length, in hexadecimal. Source: FNV-1a
/// (Fowler, Noll and Vo), its 128-bit form. It is no protection against an attacker who wants two files to be taken for one.
pub fn fingerprint(bytes: &[u8]) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = bytes.iter().fold(OFFSET, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    });
    format!("{hash:032x}-{:016x}", bytes.len())
}
