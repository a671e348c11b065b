//! The operands of lmdd, of lmbench 3: `if=internal of=file bs=64k count=100 fsync=1`.
//!
//! Source: its manual page lmdd(8) and its output. lmdd ignores a shortened name (`b=8k` leaves blocks of 8192 bytes); here it is
//! refused. Omitted: whether the files are there, and whether they may be written (`model::check_output`).

use crate::dd::{CopyLines, CopyRequest, CopySpelling, DdEnd, DdFlags, DdRequest};
use crate::operands::{Apply, Dialect, Row, row};
use analysis::CopyDigest;
use model::record::copied::{CopyRandom, CopyTransfers};
use model::{Bytes, Nanos};
use std::path::PathBuf;

/// What was given.
#[derive(Default)]
struct Settings {
    input: String,
    output: String,
    block: Option<u64>,
    count: Option<u64>,
    moved: Option<u64>,
    skip: Option<u64>,
    course: Course,
    print: Option<u64>,
    label: String,
    random: Random,
    flags: Flags,
}

#[derive(Default)]
struct Course {
    fsync: Option<u64>,
    sync: Option<u64>,
    time: Option<u64>,
    pause: Option<u64>,
}

#[derive(Default)]
struct Random {
    length: Option<u64>,
    start: Option<u64>,
    ends: Option<u64>,
    seed: Option<u64>,
}

#[derive(Default)]
struct Flags {
    direct: bool,
    input_direct: bool,
    output_direct: bool,
    output_sync: bool,
    append: bool,
    keeps_length: bool,
    must_be_there: bool,
}

use Apply::{Flag, Noted, Number, Refused, Text};

const PATTERN: &str =
    "patterns are not written and compared here; hint: fathom run --verify, and fathom verify";
const SLOW: &str =
    "single slow I/Os are not printed; the result has the percentiles and the maximum";

fn text(of: &mut String, value: &str) -> Result<(), String> {
    value.clone_into(of);
    Ok(())
}

fn name(of: &mut String, value: &str) -> Result<(), String> {
    match value {
        "" => Err("must be a file, a device or internal".to_owned()),
        "-" | "0" | "1" | "2" | "stdin" | "stdout" | "stderr" => {
            Err("standard input and output are not measured: specify a file".to_owned())
        }
        _ => text(of, value),
    }
}

const ROWS: &[Row<Settings>] = &[
    row(
        "if",
        "FILE|internal",
        "what is read; internal: zeros, without any read",
        Text(|s, v| name(&mut s.input, v)),
    ),
    row(
        "of",
        "FILE|internal",
        "where it goes; internal: nowhere, without any write",
        Text(|s, v| name(&mut s.output, v)),
    ),
    row(
        "bs",
        "SIZE",
        "bytes of a read and write (8192)",
        Number(|s| &mut s.block),
    ),
    row("count", "N", "blocks", Number(|s| &mut s.count)),
    row(
        "move",
        "SIZE",
        "bytes, of which whole blocks are moved; counts before count=",
        Number(|s| &mut s.moved),
    ),
    row(
        "skip",
        "N",
        "blocks that are skipped, at both ends",
        Number(|s| &mut s.skip),
    ),
    row(
        "rand",
        "SIZE",
        "random places within this size, at both ends",
        Number(|s| &mut s.random.length),
    ),
    row(
        "start",
        "SIZE",
        "with rand=: where the range begins (0)",
        Number(|s| &mut s.random.start),
    ),
    row(
        "end",
        "SIZE",
        "with rand=: in turns within this size at both of its ends",
        Number(|s| &mut s.random.ends),
    ),
    row(
        "srand",
        "N",
        "seed of the random places (0)",
        Number(|s| &mut s.random.seed),
    ),
    row(
        "time",
        "SECONDS",
        "no transfer begins after this time",
        Number(|s| &mut s.course.time),
    ),
    row(
        "usleep",
        "US",
        "pause behind each transfer",
        Number(|s| &mut s.course.pause),
    ),
    row(
        "fsync",
        "1",
        "fsync at the end, within the time",
        Number(|s| &mut s.course.fsync),
    ),
    row(
        "sync",
        "1",
        "sync of all file systems at the end, within the time",
        Number(|s| &mut s.course.sync),
    ),
    row(
        "direct",
        "1",
        "direct I/O at both ends",
        Flag(|s| &mut s.flags.direct),
    ),
    row(
        "idirect",
        "1",
        "direct I/O of the reads",
        Flag(|s| &mut s.flags.input_direct),
    ),
    row(
        "odirect",
        "1",
        "direct I/O of the writes",
        Flag(|s| &mut s.flags.output_direct),
    ),
    row(
        "osync",
        "1",
        "data is on stable storage when a write returns",
        Flag(|s| &mut s.flags.output_sync),
    ),
    row(
        "append",
        "1",
        "each write at the end of the file",
        Flag(|s| &mut s.flags.append),
    ),
    row(
        "notrunc",
        "1",
        "the output keeps its length",
        Flag(|s| &mut s.flags.keeps_length),
    ),
    row(
        "nocreate",
        "1",
        "the output must exist, and keeps its length",
        Flag(|s| &mut s.flags.must_be_there),
    ),
    row(
        "print",
        "0..5",
        "form of the line: 0 none, 1 latency, 2 µs, 3 KB/s, 4 MB/s, 5 two numbers",
        Number(|s| &mut s.print),
    ),
    row(
        "label",
        "TEXT",
        "printed before the line",
        Text(|s, v| text(&mut s.label, v)),
    ),
    row(
        "flush",
        "1",
        "msync of the mapped output",
        Noted("it flushes nothing on Linux, as in lmdd; hint: fsync=1"),
    ),
    row(
        "timeopen",
        "1",
        "the time includes opening",
        Refused("opening is never part of the time"),
    ),
    row(
        "ipat",
        "1",
        "compare what is read with a pattern",
        Refused(PATTERN),
    ),
    row("opat", "1", "write a pattern", Refused(PATTERN)),
    row("mismatch", "N", "end at this mismatch", Refused(PATTERN)),
    row(
        "rtmax",
        "MS",
        "reads that take longer are printed",
        Refused(SLOW),
    ),
    row(
        "rtmin",
        "MS",
        "reads that take less are printed",
        Refused(SLOW),
    ),
    row(
        "wtmax",
        "MS",
        "writes that take longer are printed",
        Refused(SLOW),
    ),
    row(
        "wtmin",
        "MS",
        "writes that take less are printed",
        Refused(SLOW),
    ),
    row(
        "norepeat",
        "1",
        "no random place twice",
        Refused("places are drawn with repeats; hint: fathom run --pattern permuted"),
    ),
    row(
        "fork",
        "1",
        "a process of its own for each write",
        Refused("hint: fathom run -t 2"),
    ),
    row(
        "bufs",
        "N",
        "buffers in turns",
        Refused("each thread has one buffer"),
    ),
    row(
        "touch",
        "1",
        "each page of the buffer is written",
        Refused("the buffer is not changed between a read and its write"),
    ),
    row(
        "padin",
        "1",
        "one read before the time begins",
        Refused("every read is measured"),
    ),
    row(
        "poff",
        "1",
        "print each place",
        Refused("single I/Os are not printed"),
    ),
    row(
        "hash",
        "1",
        "print a mark for each transfer",
        Refused("single I/Os are not printed"),
    ),
    row(
        "realtime",
        "1",
        "a real-time file of XFS",
        Refused("hint: xfs_io -c 'chattr +t' on a new file"),
    ),
    row(
        "rusage",
        "1",
        "print the use of resources",
        Refused("hint: fathom run reports the processor time"),
    ),
];

const DIALECT: Dialect<Settings> = Dialect {
    tool: "lmdd",
    rows: ROWS,
    number,
    form: "a whole number, with k, m or g (1024, …) or K, M or G (1000, …)",
    dashes: false,
};

/// Digits, and one letter.
fn number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let factor = match suffix {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "K" => 1000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Reads all of it.
pub fn read(words: &[String]) -> Result<CopyRequest, Vec<String>> {
    let mut settings = Settings::default();
    let mut found = DIALECT.read(words, &mut settings);
    found.problems.extend(contradictions(&settings));
    match found.problems.is_empty() {
        true => {
            found.notes.extend(without_effect(&settings));
            Ok(request(&settings, words, found.notes))
        }
        false => Err(found.problems),
    }
}

/// The table of the manual, in Markdown.
pub fn operand_table() -> String {
    DIALECT.table()
}

const BLOCK: u64 = 8192;

fn is_internal(name: &str) -> bool {
    name.is_empty() || name == "internal"
}

fn contradictions(settings: &Settings) -> Vec<String> {
    let block = settings.block.unwrap_or(BLOCK);
    let random = &settings.random;
    let ends =
        settings.count.is_some() || settings.moved.is_some() || settings.course.time.is_some();
    let no_input = is_internal(&settings.input);
    let range = random.length.unwrap_or(u64::MAX);
    let largest = [random.start, random.length, settings.moved];
    let reported = [
        (
            !(4..=1 << 30).contains(&block),
            "bs=: must be 4 bytes to 1g",
        ),
        (
            no_input && is_internal(&settings.output),
            "if=, of=: nothing is read and nothing is written: specify a file or device for one of them",
        ),
        (
            !ends && (no_input || random.length.is_some()),
            "count=: it never ends: specify count=, move= or time=",
        ),
        (
            random.length.is_none()
                && (random.start.is_some() || random.ends.is_some() || random.seed.is_some()),
            "start=, end=, srand=: they need rand=",
        ),
        (range < block, "rand=: must be one block (bs=) at least"),
        (
            random.ends.is_some_and(|ends| ends < block),
            "end=: must be one block (bs=) at least",
        ),
        (
            random.length.is_some() && settings.skip.is_some(),
            "skip=: every place is random with rand=: use start=",
        ),
        (
            largest.into_iter().flatten().any(|bytes| bytes > 1 << 60)
                || settings
                    .skip
                    .unwrap_or(0)
                    .checked_mul(block)
                    .is_none_or(|at| at > 1 << 60),
            "skip=, start=, rand=, move=: must be at most 1 EiB",
        ),
        (
            settings.print.is_some_and(|print| print > 5),
            "print=: must be from 0 to 5",
        ),
        (
            settings
                .course
                .time
                .is_some_and(|seconds| seconds == 0 || seconds > 1_000_000),
            "time=: must be from 1 to 1000000 seconds",
        ),
        (
            settings.course.pause.is_some_and(|us| us > 1_000_000_000),
            "usleep=: must be at most 1000000000",
        ),
        (
            settings.flags.append && settings.skip.is_some(),
            "skip=: append=1 writes at the end: omit one of them",
        ),
        (
            settings.flags.append && random.length.is_some(),
            "rand=: append=1 writes at the end: omit one of them",
        ),
    ];
    let wrong = reported.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, why)| why.to_owned()).collect()
}

/// Notes on operands of an end that is internal.
fn without_effect(settings: &Settings) -> Vec<String> {
    let (flags, course) = (&settings.flags, &settings.course);
    let ends = [
        (
            is_internal(&settings.input),
            "nothing is read with if=internal",
            vec![("idirect=1", flags.input_direct)],
        ),
        (
            is_internal(&settings.output),
            "nothing is written with of=internal",
            vec![
                ("odirect=1", flags.output_direct),
                ("osync=1", flags.output_sync),
                ("append=1", flags.append),
                ("notrunc=1", flags.keeps_length),
                ("nocreate=1", flags.must_be_there),
                ("fsync=1", course.fsync.is_some_and(|on| on > 0)),
            ],
        ),
    ];
    crate::operands::without_effect(ends)
}

fn request(settings: &Settings, words: &[String], notes: Vec<String>) -> CopyRequest {
    let block = settings.block.unwrap_or(BLOCK);
    let (no_input, no_output) = (is_internal(&settings.input), is_internal(&settings.output));
    let flags = &settings.flags;
    let direct = |alone: bool, name| if alone { name } else { "direct=1" };
    let end = |name: &str, none: bool, instead: &str| DdEnd {
        path: PathBuf::from(if none { instead } else { name }),
        block: Bytes(block),
        start: crate::dd::Amount::blocks(settings.skip.unwrap_or(0)),
        flags: DdFlags::default(),
    };
    let mut copy = DdRequest {
        input: end(&settings.input, no_input, "/dev/zero"),
        output: end(&settings.output, no_output, "/dev/null"),
        operands: words.to_vec(),
        ..DdRequest::default()
    };
    let count = settings.moved.map(|bytes| bytes / block).or(settings.count);
    copy.count = count.map(crate::dd::Amount::blocks);
    copy.input.flags.direct = (flags.direct || flags.input_direct) && !no_input;
    copy.output.flags.direct = (flags.direct || flags.output_direct) && !no_output;
    copy.output.flags.sync = flags.output_sync;
    copy.output.flags.append = flags.append;
    // lmdd cuts the output to nothing unless it appends; here what stands before skip= stays, as in dd.
    copy.conversions.notrunc = flags.keeps_length || flags.append || flags.must_be_there;
    copy.conversions.nocreat = flags.must_be_there;
    copy.conversions.fsync = settings.course.fsync.is_some_and(|on| on > 0) && !no_output;
    let random = settings.random.length.map(|length| CopyRandom {
        start: Bytes(settings.random.start.unwrap_or(0)),
        length: Bytes(length),
        ends: settings.random.ends.map(Bytes),
        seed: settings.random.seed.unwrap_or(0),
    });
    CopyRequest {
        copy,
        transfers: Some(CopyTransfers {
            threads: 1,
            random,
            time_limit: settings.course.time.map(Nanos::seconds),
            pause: Nanos(settings.course.pause.unwrap_or(0).saturating_mul(1000)),
            no_input,
            no_output,
            syncs_system: settings.course.sync.is_some_and(|on| on > 0),
        }),
        lines: CopyLines::Lmdd {
            print: settings.print,
            label: settings.label.clone(),
        },
        spelling: CopySpelling {
            tool: "lmdd",
            input_direct: direct(flags.input_direct, "idirect=1"),
            output_direct: direct(flags.output_direct, "odirect=1"),
            must_be_new: "",
            must_be_there: "nocreate=1",
        },
        notes,
    }
}

/// lmdd's line on standard error; none with `print=0`. MB are of 10⁶ bytes, KB of 1000.
pub fn copy_lines(copy: &CopyDigest, print: Option<u64>, label: &str) -> Vec<String> {
    let seconds = copy.elapsed_ns as f64 / 1e9;
    let bytes = copy.copied_bytes as f64;
    let block = copy.output_block_bytes.max(1) as f64;
    let transfers = (bytes / block).floor();
    let (mb, kb) = (bytes / 1e6, bytes / 1e3);
    let rate = bytes / seconds.max(1e-9);
    let line = match print {
        Some(0) => return Vec::new(),
        Some(1) => latency_line(transfers, block, seconds),
        Some(2) => format!(": {:.4} microseconds", seconds * 1e6 / transfers),
        Some(3) => format!("{:.0} KB/sec", kb / seconds.max(1e-9)),
        Some(4) => format!("{:.2} MB/sec", rate / 1e6),
        Some(_) => {
            let short = |value: f64| match value < 1.0 {
                true => format!("{value:.6}"),
                false => format!("{value:.2}"),
            };
            format!("{} {}", short(mb), short(rate / 1e6))
        }
        None => format!("{mb:.4} MB in {seconds:.4} secs, {:.4} MB/sec", rate / 1e6),
    };
    vec![format!("{label}{line}")]
}

fn latency_line(transfers: f64, block: f64, seconds: f64) -> String {
    let several = transfers > 1.0;
    let head = match several {
        true => format!(
            "{transfers:.0} {:.0}KB xfers in {seconds:.2} secs, ",
            (block / 1e3).floor()
        ),
        false => format!("{:.1}KB in ", block / 1e3),
    };
    let each = seconds * 1e3 / transfers; // "inf" without any, as lmdd prints it
    let unit = if several {
        "millisec/xfer"
    } else {
        "millisecs"
    };
    let each = match each > 100.0 {
        true => format!("{each:.0} {unit}, "),
        false => format!("{each:.4} {unit}, "),
    };
    let rate = transfers * block / seconds.max(1e-9);
    match rate / 1e6 > 1.0 {
        true => format!("{head}{each}{:.2} MB/sec", rate / 1e6),
        false => format!("{head}{each}{:.2} KB/sec", rate / 1e3),
    }
}

#[cfg(test)]
mod tests;
