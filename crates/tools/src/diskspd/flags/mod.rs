//! Every switch, one row each. Reading, `-?` and the manual come from this table.
//!
//! What a switch does when it is read stands in `parse`; a new one is a row here and a function there.

use super::Problem;
use super::parse::{Command, Word};
use crate::page;
use model::Field;
use std::fmt::Write;

mod rows;

pub use rows::FLAGS;

/// A switch.
pub struct Flag {
    /// What stands behind the dash, or behind the two of a long switch.
    pub name: &'static str,
    /// What follows it; empty where nothing does.
    pub argument: &'static str,
    /// What it asks for.
    pub doc: &'static str,
    /// How Linux does it. Empty for long switches, which are fathom's own.
    pub linux: &'static str,
    /// Where it differs from DISKSPD 2.2 on purpose.
    pub deviation: &'static str,
    /// May be combined with `-X`.
    pub composes: bool,
    /// Written with two dashes.
    pub long: bool,
    pub(super) pass: Pass,
    pub(super) read: Read,
}

/// When a switch is read. Sizes in blocks need `-b` first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    First,
    Second,
}

/// The switch that these letters begin with: the longest name wins.
pub(super) fn find(letters: &str) -> Option<&'static Flag> {
    let short = FLAGS.iter().filter(|flag| !flag.long);
    short
        .filter(|flag| letters.starts_with(flag.name))
        .max_by_key(|flag| flag.name.len())
}

/// The long switch of this name.
pub(super) fn find_long(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.long && flag.name == name)
}

/// Returns the switch of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "-b",
        Field::QueueDepth => "-o or -O",
        Field::Threads => "-t or -F",
        Field::FileSize => "-c",
        Field::Create => "-cSIZE",
        Field::Duration => "-d",
        Field::Interval => "-D",
        Field::Base => "-B",
        Field::Length => "-f or -B",
        Field::Stride => "-r, -s or -si",
        Field::ThreadStride => "-T",
        Field::Distribution => "-rd",
        Field::Source => "-Z",
        Field::Buffered => "-Sb",
        Field::Unbuffered => "-Su",
        Field::ReadOnly => "-w0",
        Field::Pool => "-F with -O",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Amount | Field::Rate | Field::Engine | Field::Passthrough => return None,
        Field::CompletionPolling | Field::SubmissionPolling => return None,
        Field::VerifyMemory => return None,
    })
}

impl Flag {
    /// As it is written, with its argument.
    pub fn form(&self) -> String {
        page::form(self.name, self.long, self.argument)
    }
}

/// The text of `-?`, for a program of this name.
pub fn usage(program: &str) -> String {
    let mut text = format!("usage: {program} [switch...] target [target...]\n\n");
    let about = "A target is a file or a block device. A size is digits with K, M, G or T behind them (1024-based), b \
                 for blocks, or plain bytes. Letters count as they are written; what belongs to a switch follows it \
                 without a blank, as in -b4K.";
    page::paragraph(&mut text, about);
    text.push('\n');
    for flag in FLAGS {
        page::entry(&mut text, &flag.form(), flag.doc);
    }
    text
}

/// The table of the manual, in Markdown.
pub fn flag_table() -> String {
    let mut text =
        String::from("| switch | meaning | on Linux | differs from 2.2 |\n|---|---|---|---|\n");
    for flag in FLAGS {
        let linux = if flag.long {
            "fathom's own"
        } else {
            flag.linux
        };
        let Flag { doc, deviation, .. } = flag;
        writeln!(
            text,
            "| `{}` | {doc} | {linux} | {deviation} |",
            flag.form()
        )
        .expect("a String takes it");
    }
    text
}

type Read = fn(&mut Command, &Word) -> Result<(), Problem>;

const fn short(name: &'static str, argument: &'static str, read: Read) -> Flag {
    Flag {
        name,
        argument,
        doc: "",
        linux: "the same",
        deviation: "",
        composes: false,
        long: false,
        pass: Pass::Second,
        read,
    }
}

/// May be combined with `-X`, so it is read in the first pass.
const fn open(name: &'static str, argument: &'static str, read: Read) -> Flag {
    let mut flag = short(name, argument, read);
    flag.composes = true;
    flag
}

const fn long(name: &'static str, argument: &'static str, doc: &'static str, read: Read) -> Flag {
    let mut flag = open(name, argument, read);
    flag.long = true;
    flag.says(doc).on_linux("")
}

impl Flag {
    const fn says(mut self, doc: &'static str) -> Flag {
        self.doc = doc;
        self
    }

    const fn on_linux(mut self, linux: &'static str) -> Flag {
        self.linux = linux;
        self
    }

    const fn differs(mut self, deviation: &'static str) -> Flag {
        self.deviation = deviation;
        self
    }

    const fn first(mut self) -> Flag {
        self.pass = Pass::First;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        for line in usage("fathom diskspd").lines() {
            assert!(line.chars().count() < 80, "{line}");
            assert_eq!(line, line.trim_end());
        }
    }
}
