//! DISKSPD 2.2 and 2.3: its command line, its XML profiles, and the first part of its text output.
//!
//! Read in this order: `flags` (every switch, one row each: the table drives reading, help and the manual),
//! `parse` (arguments → [`Request`]), `profile` (the content of a request, in DISKSPD's terms), `xml` (profiles read
//! and written), `validate` (what cannot be together), `text` (the input parameters, printed back), `build` (→
//! [`model::Profile`]). Where it differs from the original stands in `docs/compatibility/diskspd.md`.
//!
//! Deliberately absent: files (`cli` reads the profile and passes the text), results (`views` prints them),
//! offsets and rates (`engine`), and whether data may be overwritten (`model::check`).

mod affinity;
mod build;
mod compat;
mod creation;
mod decode;
mod distribution;
pub mod figures;
mod flags;
mod number;
mod parse;
mod problem;
mod profile;
pub(crate) mod reader;
pub(crate) mod reader_xml;
mod result;
mod targets;
mod text;
mod validate;
mod xml;

pub use affinity::{AffinityOrder, Processors, ThreadAffinity};
pub use build::{Built, beyond_end, build, smaller_than_memory};
pub use compat::{Compat, version_table};
pub use decode::decode;
pub use flags::{FLAGS, Flag, flag_table, option, usage};
pub use number::size_text;
pub use parse::parse;
pub(crate) use parse::{LOOKS_LIKE_A_SWITCH, is_program, words_of};
pub use problem::{Note, Problem, Refusal};
pub use profile::{
    Batch, BufferSeparation, Bypass, Cache, Content, Distribution, EventClasses, Flush, Intervals,
    IoRing, Precreate, Profile, ResultFormat, Target, Throughput, TimeSpan,
};
pub use result::{DiskspdResults, diskspd_text, diskspd_xml, machine_text, machine_xml};
pub use text::{RangeLine, print_text, range_line};
pub use validate::{Purpose, validate};
pub use xml::{
    Element as XmlElement, LENGTH_MAX as XML_LENGTH_MAX, LOST as XML_LOST, XmlError, escape,
    read_results as read_xml_results, read_xml, write_xml,
};

use crate::OwnOptions;
use crate::Tool;
use crate::imports::Reader;
use model::ImportFormat;
use std::path::PathBuf;

/// Defines the row of DISKSPD.
pub(crate) const TOOL: Tool = Tool {
    name: "DISKSPD",
    option: Some(option),
    readers: &[
        Reader {
            format: ImportFormat::DiskspdText,
            name: "DISKSPD's text",
            about: "what DISKSPD 2.0.11 to 2.3 and `fathom diskspd` print",
            begins: reader::begins,
            read: reader::read,
        },
        Reader {
            format: ImportFormat::DiskspdXml,
            name: "DISKSPD's XML",
            about: "results of DISKSPD's -Rxml",
            begins: reader_xml::begins,
            read: reader_xml::read,
        },
    ],
};

/// The name of the switch that these letters, behind its dash, begin with.
pub(crate) fn switch_named_in(letters: &str) -> Option<&'static str> {
    flags::find(letters).map(|flag| flag.name)
}

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is to be done.
    pub action: Action,
    /// What was accepted and may not mean what was meant; for stderr.
    pub notes: Vec<Note>,
    /// Named events of other processes.
    pub events: Events,
    /// The long switches, which DISKSPD does not have.
    pub extra: Extra,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Print [`usage`] to stdout: exit 0 when `asked`, 3 when there was no argument at all.
    Usage {
        /// By `-?`.
        asked: bool,
    },
    /// `-Rp`: print the profile in its result format, open nothing, exit 0.
    Print(Profile),
    /// `-Rs`: print the system information in this format, exit 0.
    Machine(ResultFormat),
    /// `-ye`: set this event and leave.
    Signal {
        /// Its name. // no slash, not empty
        event: String,
    },
    /// Measure.
    Run(Profile),
}

/// `-y`: events by name. // no slash, not empty
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// `-ys`: set when measuring starts.
    pub start: Option<String>,
    /// `-yf`: set when measuring ends.
    pub finish: Option<String>,
    /// `-yr`: waited for before the warm-up.
    pub wait: Option<String>,
    /// `-yp`: ends the run when set.
    pub stop: Option<String>,
}

/// The long switches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// fathom's own.
    pub own: OwnOptions,
    /// `--json FILE`: the run's report besides.
    pub json: Option<PathBuf>,
    /// `--text FILE`: the text output besides.
    pub text: Option<PathBuf>,
    /// `--xml FILE`: the XML output besides.
    pub xml: Option<PathBuf>,
    /// `--compat VERSION`: whose layout and defaults.
    pub compat: Compat,
    /// `--continue-on-error`: a failed I/O is counted and the run goes on.
    pub continue_on_error: bool,
}

/// What the reading of a command line must be reported, so that it needs no machine.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// How long the machine is up, in milliseconds: the seed of a bare `-z`.
    pub uptime_ms: u64,
    /// The text of a file, or the system's error.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// Whether there is something of this name: decides between `/b4K`, the switch, and `/b4K`, the file.
    pub exists: &'a dyn Fn(&str) -> bool,
}

impl Environment<'_> {
    /// A machine without files that has just started.
    pub const BARE: Environment<'static> = Environment {
        uptime_ms: 1,
        read: &|_| Err("no such file".to_owned()),
        exists: &|_| false,
    };
}
