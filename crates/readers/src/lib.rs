//! Results that other tools printed → [`ImportedRun`]s, recognised by what is in the file.
//!
//! A file is text in some encoding (`decode`); it is cut into sections, each of which begins with a line that one
//! format alone has (`section`); and each section is read by that format's reader: one file, and one row in
//! [`READERS`]. So appended runs, and formats that stand mixed in one file, need no care of their own. Every figure is
//! as printed, what a section does not say is `None`, and every run keeps its own piece of the text: the pieces together
//! are the whole file, except for sections without a run.
//!
//! All input is hostile: no reader nests deeper than a bound, looks at a line more often than a fixed number of times,
//! keeps more than a small multiple of the text, or panics; runs are handed on one by one. Deliberately absent: files (the door opens them), the shelf, and any conclusion from a figure.

mod bonnie;
mod dd;
mod decode;
mod diskspd;
mod fio;
mod iometer;
mod number;
mod run;
mod script;
mod section;
mod sqlio;
mod xml;

pub use decode::LENGTH_MAX;

use model::{ImportFormat, ImportedRun};
use section::{Found, Section, Start};

/// One format.
pub struct Reader {
    /// Its name in the record.
    pub format: ImportFormat,
    /// Its name, for people.
    pub name: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Whether a section of it begins on a line; the text goes on to the end of the file.
    begins: fn(line: &str, text: &str) -> Start,
    /// Runs out of a section, and what is wrong with it.
    read: fn(&Section, &mut Found),
}

/// Every format that is read. A line that two would claim goes to the upper one.
pub const READERS: [Reader; 8] = [
    Reader {
        format: ImportFormat::DiskspdText,
        name: "DISKSPD's text",
        about: "what DISKSPD 2.0.11 to 2.2 and `fathom diskspd` print",
        begins: diskspd::begins,
        read: diskspd::read,
    },
    Reader {
        format: ImportFormat::DiskspdXml,
        name: "DISKSPD's XML",
        about: "results of DISKSPD's -Rxml",
        begins: xml::begins,
        read: xml::read,
    },
    Reader {
        format: ImportFormat::SqlioText,
        name: "SQLIO's text",
        about: "what SQLIO prints",
        begins: sqlio::begins,
        read: sqlio::read,
    },
    Reader {
        format: ImportFormat::FioJson,
        name: "fio's JSON",
        about: "fio's --output-format=json or json+",
        begins: fio::begins,
        read: fio::read,
    },
    Reader {
        format: ImportFormat::IometerCsv,
        name: "IOmeter's CSV",
        about: "the results file of IOmeter",
        begins: iometer::begins,
        read: iometer::read,
    },
    Reader {
        format: ImportFormat::ScriptLines,
        name: "a script's lines",
        about: "lines `Param -b4k, -t1, -o1, 9735.28 iops, …` of a script around DISKSPD",
        begins: script::begins,
        read: script::read,
    },
    Reader {
        format: ImportFormat::DdText,
        name: "dd's text",
        about: "what dd prints, best with its command line",
        begins: dd::begins,
        read: dd::read,
    },
    Reader {
        format: ImportFormat::BonnieText,
        name: "bonnie++'s line",
        about: "the line of commas that bonnie++ 1.03, 1.96 or 1.97 prints last",
        begins: bonnie::begins,
        read: bonnie::read,
    },
];

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its runs, in the order of the file.
    pub runs: Vec<ImportedRun>,
    /// As in [`Rest`].
    pub broken: Vec<Broken>,
    /// As in [`Rest`].
    pub notes: Vec<String>,
}

/// What a file holds beside its runs.
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

/// What is wrong with a section, before its place in the file is known.
pub(crate) struct Fault {
    /// Line within the section. // from 0
    pub(crate) line: usize,
    pub(crate) what: String,
}

/// Why a file gives nothing at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No text in it.
    #[error(
        "the file is empty; results of DISKSPD, SQLIO, fio, IOmeter, dd or bonnie++ are expected in it"
    )]
    Empty,
    /// Not text.
    #[error(
        "line {line} has the character U+{:04X}, which is in no tool's output: this is not a text file", u32::from(*what)
    )]
    Binary {
        /// From 1.
        line: u32,
        /// The first such character.
        what: char,
    },
    /// More than is read at once.
    #[error(
        "the file has {0} bytes; at most {LENGTH_MAX} are read at once: split it between two runs"
    )]
    TooLong(u64),
    /// Text of no known format.
    #[error(
        "nothing in it is known; it begins with `{begins}`. These are read: {}",
        known()
    )]
    Unknown {
        /// Its first line that is not empty, shortened.
        begins: String,
    },
}

fn known() -> String {
    READERS.map(|reader| reader.about).join("; ")
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

/// Reads a file and hands on each run, in the order of the file. Whatever the file holds, this takes at most eight times
/// its length of memory, a small constant, and time in proportion to its length. Files of the same bytes give the same.
pub fn read_each(
    source: &str,
    bytes: &[u8],
    take: &mut dyn FnMut(ImportedRun),
) -> Result<Rest, ReadError> {
    let (text, notes) = decode::decode(bytes)?;
    let mut rest = Rest {
        notes,
        ..Rest::default()
    };
    let mut place: u32 = 0;
    let mut sections = section::cut(&text).peekable();
    if sections.peek().is_none() {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty());
        let begins = section::short(first.unwrap_or_default());
        return Err(ReadError::Unknown { begins });
    }
    for (reader, section) in sections {
        let mut keep = |mut run: ImportedRun| {
            place = place.saturating_add(1);
            run.format = reader.format;
            source.clone_into(&mut run.source);
            run.place = place;
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

/// What tells the content of a file from any other's: 128 bits and the length, in hexadecimal. Source: FNV-1a
/// (Fowler, Noll and Vo), its 128-bit form. It is no protection against somebody who wants two files to be taken for one.
pub fn fingerprint(bytes: &[u8]) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = bytes.iter().fold(OFFSET, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    });
    format!("{hash:032x}-{:016x}", bytes.len())
}
