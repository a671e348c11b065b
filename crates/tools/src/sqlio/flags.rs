//! Every switch, one row each. Reading, `-?` and the manual come from this table.
//!
//! What a switch does when it is read stands in `switches`; a new one is a row here and a function there.

use super::command::{Flag, Read};
use super::switches;
use crate::page;
use model::Field;
use std::fmt::Write;

const fn short(
    name: &'static str,
    argument: &'static str,
    doc: &'static str,
    linux: &'static str,
    read: Read,
) -> Flag {
    Flag {
        name,
        argument,
        doc,
        linux,
        long: false,
        read,
    }
}

const fn long(name: &'static str, argument: &'static str, doc: &'static str, read: Read) -> Flag {
    Flag {
        name,
        argument,
        doc,
        linux: "",
        long: true,
        read,
    }
}

/// Every switch: those of 1.5 in the order of its own help, those of sqlio2, and the long ones.
pub const FLAGS: &[Flag] = &[
    short(
        "?",
        "",
        "print the switches and leave",
        "the same",
        switches::usage,
    ),
    short(
        "k",
        "R or W",
        "read or write; R by default",
        "the same; W on an existing file that fathom did not create needs `--overwrite`, on a device `--destroy`",
        switches::kind,
    ),
    short(
        "t",
        "THREADS",
        "threads, 1 by default, up to 256; each does I/O to every file",
        "the same; with `-F` it changes nothing, and a warning reports it",
        switches::threads,
    ),
    short(
        "s",
        "SECONDS",
        "how long, 30 by default; there is no warm-up",
        "the same",
        switches::seconds,
    ),
    short(
        "d",
        "LETTERS",
        "drives: the one file name on each of them",
        "refused: Linux has no drive letters; specify the files by their paths",
        switches::drives,
    ),
    short(
        "R",
        "LETTERS AND NUMBERS",
        "raw partitions and disks",
        "refused: specify the devices as files, as in /dev/sdb",
        switches::raw,
    ),
    short(
        "f",
        "BLOCKS, random or sequential",
        "stripe factor (64 by default), or any block, or one block after another on each file",
        "the same; the number of threads is at most the stripe factor",
        switches::access,
    ),
    short(
        "p",
        "[I]CPU",
        "all threads on this processor; with I it is only preferred",
        "the same; I is refused, because nothing is preferred here: the nearest is without I",
        switches::processor,
    ),
    short(
        "a",
        "[R[I]]MASK",
        "all threads on the processors of this mask (decimal or 0x), with R dealt out over them",
        "the same; I is refused, the nearest is without it",
        switches::affinity,
    ),
    short(
        "o",
        "DEPTH",
        "outstanding I/Os of each thread for each file; 0, the default, waits for each, one file after another",
        "the same, up to 32768",
        switches::outstanding,
    ),
    short(
        "b",
        "KIB",
        "KiB of one I/O, 2 by default",
        "the same, up to 1048576",
        switches::block,
    ),
    short(
        "i",
        "COUNT",
        "I/Os of a run, the rows of the stripes, 64 by default; means nothing with random or sequential",
        "the same; where it means nothing, a warning reports it",
        switches::run_ios,
    ),
    short(
        "m",
        "C or S, then COUNT",
        "I/O from several buffers, copied or scattered",
        "refused: the nearest is `-b` alone, one buffer an I/O",
        switches::multi_buffer,
    ),
    short(
        "L",
        "S or P, then [i]",
        "show latencies, by the system's or the processor's timer; with i the time to start an I/O too",
        "S and P are one clock, in nanoseconds; i is refused, because that time is not measured: the nearest is without i",
        switches::latency,
    ),
    short(
        "U",
        "[p]",
        "show processor use, with p of each",
        "the same; softirqs of Linux are in the row of DPCs, and interrupts are counted for all processors together",
        switches::processor_use,
    ),
    short(
        "B",
        "N, Y, H or S",
        "caches: none (the default), both, the hardware's, or the software's",
        "N: `O_DIRECT` and `O_DSYNC`, Y: neither, H: `O_DIRECT`, S: `O_DSYNC`",
        switches::buffering,
    ),
    short(
        "S",
        "BLOCKS",
        "where the I/Os begin, in blocks",
        "the same",
        switches::start,
    ),
    short(
        "v1.1.1",
        "",
        "use the blocks of one run again and again, an error of 1.1.1",
        "refused: the nearest is `-f1` with as many I/Os a run, which has one run",
        switches::old_runs,
    ),
    short(
        "64",
        "",
        "copy with 64-bit operations",
        "accepted: it is about the copies of `-m`, so it changes nothing, and a warning reports it",
        switches::wide_copies,
    ),
    short(
        "F",
        "FILE",
        "parameter file: a line a file, with its threads, their mask and its size in MB",
        "the same; warnings name the options that it disables",
        switches::parameters,
    ),
    short(
        "D",
        "LEVEL",
        "debug output",
        "refused: `--json FILE` has the stored figures",
        switches::debug,
    ),
    short(
        "T",
        "PERCENT",
        "sqlio2: share of reads",
        "the same; not with `-k`",
        switches::read_share,
    ),
    short(
        "q",
        "FILE",
        "sqlio2: where the written data comes from",
        "the first 20 MiB of it",
        switches::entropy,
    ),
    long(
        "overwrite",
        "",
        "existing files that fathom did not create may be written",
        switches::overwrite,
    ),
    long(
        "destroy",
        "DEVICE",
        "this device may be written and what is on it lost",
        switches::destroy,
    ),
    long(
        "json",
        "FILE",
        "the report of the run as JSON, besides",
        switches::json,
    ),
    long("text", "FILE", "the text output, besides", switches::text),
    long("store", "PATH", "where the run is stored", switches::store),
    long("no-store", "", "do not store the run", switches::no_store),
    long(
        "continue-on-error",
        "",
        "count failed I/Os and continue",
        switches::continue_on_error,
    ),
];

/// The switch that these letters begin with: the longest name wins.
pub(super) fn find(letters: &str) -> Option<&'static Flag> {
    let known = FLAGS.iter().filter(|flag| !flag.long);
    known
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
        Field::QueueDepth => "-o over all files",
        Field::Threads => "-t",
        Field::FileSize => "size in the parameter file (-F)",
        Field::Create => "a size in a parameter file (-F)",
        Field::Duration => "-s",
        Field::Base => "-S in bytes",
        Field::Length => "-f, -i or size in the parameter file (-F)",
        Field::Source => "-q",
        Field::Buffered => "-BY",
        Field::Unbuffered => "-BH",
        Field::ReadOnly => "-kR",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Interval | Field::Amount | Field::Stride | Field::ThreadStride => return None,
        Field::Distribution | Field::Rate | Field::Engine | Field::Passthrough => return None,
        Field::CompletionPolling | Field::SubmissionPolling | Field::Pool => return None,
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
    let mut text = format!("usage: {program} [switch...] [file...]\n\n");
    let about = "Without a file it is testfile.dat in the current folder. Letters count as they are written; what belongs \
                 to a switch follows it without a blank, as in -b64. Without a switch: -kR -t1 -s30 -f64 -b2 -i64 -BN \
                 testfile.dat.";
    page::paragraph(&mut text, about);
    text.push('\n');
    for flag in FLAGS {
        page::entry(&mut text, &flag.form(), flag.doc);
    }
    text
}

/// The table of the manual, in Markdown.
pub fn flag_table() -> String {
    let mut text = String::from("| switch | meaning | on Linux |\n|---|---|---|\n");
    for flag in FLAGS {
        let linux = if flag.long {
            "fathom's own"
        } else {
            flag.linux
        };
        writeln!(text, "| `{}` | {} | {linux} |", flag.form(), flag.doc)
            .expect("a String takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        for line in usage("fathom sqlio").lines() {
            assert!(line.chars().count() < 80, "{line}");
            assert_eq!(line, line.trim_end());
        }
    }
}
