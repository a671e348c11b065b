//! The operands of sgp_dd, of sg3_utils 1.46: `if=/dev/sdb of=. bs=512 bpt=128 thr=4 time=1`.
//!
//! Source: its manual page sgp_dd(8) and its output. A transfer is `bs` × `bpt` bytes; the threads take transfers in their order.
//! Omitted: SCSI commands (a block device takes the same transfers), and what may be written (`model::check_output`).

use crate::dd::{Amount, CopyLines, CopyRequest, CopySpelling, DdEnd, DdFlags, DdRequest};
use crate::operands::{Apply, Dialect, Findings, Row, row};
use model::Bytes;
use model::record::copied::CopyTransfers;
use std::path::PathBuf;

/// What was given.
#[derive(Default)]
struct Settings {
    input: String,
    output: String,
    block: Option<u64>,
    input_block: Option<u64>,
    output_block: Option<u64>,
    transfer: Option<u64>,
    threads: Option<u64>,
    /// -1 is as if it were not given.
    count: Option<u64>,
    skip: Option<u64>,
    seek: Option<u64>,
    time: Option<u64>,
    flags: [Flags; 2],
}

#[derive(Clone, Copy, Default)]
struct Flags {
    direct: bool,
    dsync: bool,
    excl: bool,
    append: bool,
}

use Apply::{Noted, Number, Refused, Text};

const OF_SG: &str =
    "it is for sg devices: nothing changes on files and block devices, as in sgp_dd";

fn text(of: &mut String, value: &str) -> Result<(), String> {
    match value {
        "" | "-" => {
            Err("standard input and output are not measured: specify a file or device".to_owned())
        }
        _ => {
            value.clone_into(of);
            Ok(())
        }
    }
}

fn flags(of: &mut Flags, value: &str) -> Result<(), String> {
    for word in value.split(',') {
        match word {
            "direct" => of.direct = true,
            "dsync" => of.dsync = true,
            "excl" => of.excl = true,
            "append" => of.append = true,
            "null" => {}
            "coe" => {
                return Err("coe is not done here: a failed read or write ends the copy".to_owned());
            }
            "dio" | "dpo" | "fua" | "mmap" => {
                return Err(format!(
                    "{word} is for sg devices, which are refused here: omit it"
                ));
            }
            _ => return Err("must be direct, dsync, excl, append or null".to_owned()),
        }
    }
    Ok(())
}

const ROWS: &[Row<Settings>] = &[
    row(
        "if",
        "FILE",
        "what is read",
        Text(|s, v| text(&mut s.input, v)),
    ),
    row(
        "of",
        "FILE|.",
        "where it goes; . and /dev/null: nowhere, without any write",
        Text(|s, v| text(&mut s.output, v)),
    ),
    row(
        "bs",
        "SIZE",
        "bytes of a block (512); that of a device is its logical block",
        Number(|s| &mut s.block),
    ),
    row(
        "ibs",
        "SIZE",
        "must be the same as bs",
        Number(|s| &mut s.input_block),
    ),
    row(
        "obs",
        "SIZE",
        "must be the same as bs",
        Number(|s| &mut s.output_block),
    ),
    row(
        "bpt",
        "N",
        "blocks of a transfer (128; 32 with blocks of 2048 bytes and more)",
        Number(|s| &mut s.transfer),
    ),
    row(
        "thr",
        "N",
        "threads, 1 to 1024 (4)",
        Number(|s| &mut s.threads),
    ),
    row(
        "count",
        "N",
        "blocks; omitted or -1: the whole device",
        Text(count),
    ),
    row(
        "skip",
        "N",
        "blocks before the first one that is read",
        Number(|s| &mut s.skip),
    ),
    row(
        "seek",
        "N",
        "blocks before the first one that is written",
        Number(|s| &mut s.seek),
    ),
    row(
        "iflag",
        "LIST",
        "direct, dsync; excl is refused",
        Text(|s, v| flags(&mut s.flags[0], v)),
    ),
    row(
        "oflag",
        "LIST",
        "direct, dsync, excl, append",
        Text(|s, v| flags(&mut s.flags[1], v)),
    ),
    row(
        "time",
        "0|1",
        "1: print the time and the rate",
        Number(|s| &mut s.time),
    ),
    row(
        "coe",
        "0|1",
        "continue on error",
        Refused("a failed read or write ends the copy: omit it"),
    ),
    row(
        "sync",
        "0|1",
        "flush the output's cache by a SCSI command",
        Noted(OF_SG),
    ),
    row("fua", "0..3", "force unit access", Noted(OF_SG)),
    row("dio", "0|1", "direct I/O of the sg driver", Noted(OF_SG)),
    row(
        "cdbsz",
        "6|10|12|16",
        "size of the SCSI commands",
        Noted(OF_SG),
    ),
    row(
        "deb",
        "N",
        "debug output",
        Noted("nothing is printed for it"),
    ),
    row(
        "verbose",
        "N",
        "debug output",
        Noted("nothing is printed for it"),
    ),
];

const DIALECT: Dialect<Settings> = Dialect {
    tool: "sgp_dd",
    rows: ROWS,
    number,
    form: "a number with a suffix: c (1), w (2), b (512), k, m, g, t (1024, …), kB (1000), KiB; 0x for hexadecimal; joined by x",
    dashes: false,
};

fn count(settings: &mut Settings, value: &str) -> Result<(), String> {
    settings.count = match value {
        "-1" => None,
        _ => Some(number(value).ok_or_else(|| format!("must be {}, or -1", DIALECT.form))?),
    };
    Ok(())
}

/// Numbers of sg3_utils: those of dd, with small letters, and hexadecimal ones.
fn number(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return plain
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten();
    }
    let large: String = text
        .chars()
        .map(|letter| match letter {
            'm' | 'g' | 't' | 'p' => letter.to_ascii_uppercase(),
            _ => letter,
        })
        .collect();
    let is_bytes = large.ends_with('B')
        && large
            .trim_end_matches('B')
            .ends_with(|last: char| last.is_ascii_digit());
    crate::dd::number(&large).filter(|_| !is_bytes)
}

/// Reads all of it. `block_of` returns the block device of an sg device, by both their names in `/dev`.
pub fn read(
    words: &[String],
    block_of: &dyn Fn(&str) -> Option<String>,
) -> Result<CopyRequest, Vec<String>> {
    let mut settings = Settings::default();
    let mut found = DIALECT.read(words, &mut settings);
    contradictions(&settings, &mut found);
    found.problems.extend(of_sg(&settings, block_of));
    match found.problems.is_empty() {
        true => Ok(request(&settings, words, found.notes)),
        false => Err(found.problems),
    }
}

/// The table of the manual, in Markdown.
pub fn operand_table() -> String {
    DIALECT.table()
}

impl Settings {
    fn block(&self) -> u64 {
        self.block.unwrap_or(512)
    }

    fn per_transfer(&self) -> u64 {
        let usual = if self.block() >= 2048 { 32 } else { 128 };
        self.transfer.unwrap_or(usual)
    }

    fn no_output(&self) -> bool {
        [".", "/dev/null"].contains(&self.output.as_str())
    }
}

/// Whether it is the name of a SCSI generic device.
fn is_sg(name: &str) -> bool {
    let number = name.strip_prefix("/dev/sg").unwrap_or_default();
    name.starts_with("/dev/bsg/")
        || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Refuses SCSI generic devices, with the block device of each.
fn of_sg(settings: &Settings, block_of: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let ends = [("if", &settings.input), ("of", &settings.output)];
    let found = ends.iter().filter(|(_, path)| is_sg(path));
    let problem = found.map(|(name, path)| {
        let block = path.strip_prefix("/dev/").and_then(block_of);
        let instead = match block {
            Some(block) => format!("specify its block device, /dev/{block}"),
            None => "specify its block device, which lsscsi -g lists".to_owned(),
        };
        format!("{name}={path}: SCSI generic devices are not opened here: {instead}")
    });
    problem.collect()
}

fn contradictions(settings: &Settings, found: &mut Findings) {
    let block = settings.block();
    if settings.block.is_none() {
        found
            .notes
            .push("bs= is omitted: blocks of 512 bytes".to_owned());
    }
    for (name, path) in [("if", &settings.input), ("of", &settings.output)] {
        if path.is_empty() {
            found
                .problems
                .push(format!("{name}=: specify a file or device"));
        }
    }
    let other = [settings.input_block, settings.output_block];
    let most = |blocks: Option<u64>| blocks.unwrap_or(0).checked_mul(block);
    let amounts = [settings.count, settings.skip, settings.seek];
    let bytes = block.checked_mul(settings.per_transfer());
    let [input, output] = settings.flags;
    found.notes.extend(crate::operands::without_effect([(
        settings.no_output(),
        "nothing is written with of=. or of=/dev/null",
        vec![
            ("oflag=direct", output.direct),
            ("oflag=dsync", output.dsync),
            ("oflag=append", output.append),
            ("oflag=excl", output.excl),
            ("seek=", settings.seek.is_some_and(|seek| seek > 0)),
        ],
    )]));
    let reported = [
        (
            other.into_iter().flatten().any(|size| size != block),
            "ibs=, obs=: must be the same as bs=",
        ),
        (
            bytes.is_none_or(|bytes| bytes == 0 || bytes > 1 << 30),
            "bs=, bpt=: a transfer must be 1 byte to 1g",
        ),
        (
            !(1..=1024).contains(&settings.threads.unwrap_or(4)),
            "thr=: must be from 1 to 1024",
        ),
        (
            amounts
                .into_iter()
                .any(|blocks| most(blocks).is_none_or(|bytes| bytes > 1 << 60)),
            "count=, skip=, seek=: must be at most 1 EiB",
        ),
        (
            settings.time.is_some_and(|time| time > 1),
            "time=: must be 0 or 1",
        ),
        (input.append, "iflag=append: it is for the output"),
        (
            output.append && settings.seek.is_some_and(|seek| seek > 0),
            "oflag=append: it writes at the end: omit it, or seek=",
        ),
        (
            output.append && settings.threads.unwrap_or(4) > 1,
            "oflag=append: several threads would append in any order: add thr=1",
        ),
        (
            input.excl,
            "iflag=excl: the source is opened for reading only: omit it",
        ),
    ];
    let wrong = reported.into_iter().filter(|(wrong, _)| *wrong);
    found.problems.extend(wrong.map(|(_, why)| why.to_owned()));
}

fn request(settings: &Settings, words: &[String], notes: Vec<String>) -> CopyRequest {
    let block = settings.block();
    let transfer = Bytes(block * settings.per_transfer());
    let bytes = |blocks: u64| Amount {
        number: blocks * block,
        in_bytes: true,
    };
    let no_output = settings.no_output();
    let [input, output] = settings.flags;
    let end = |path: &str, start: Option<u64>| DdEnd {
        path: PathBuf::from(path),
        block: transfer,
        start: bytes(start.unwrap_or(0)),
        flags: DdFlags::default(),
    };
    let mut copy = DdRequest {
        input: end(&settings.input, settings.skip),
        output: match no_output {
            true => end("/dev/null", settings.seek),
            false => end(&settings.output, settings.seek),
        },
        count: settings.count.map(bytes),
        operands: words.to_vec(),
        ..DdRequest::default()
    };
    copy.input.flags.direct = input.direct;
    copy.input.flags.sync = input.dsync;
    copy.output.flags.direct = output.direct && !no_output;
    copy.output.flags.sync = output.dsync;
    copy.output.flags.append = output.append;
    copy.conversions.notrunc = true;
    copy.conversions.excl = output.excl && !no_output;
    CopyRequest {
        copy,
        transfers: Some(CopyTransfers {
            threads: u32::try_from(settings.threads.unwrap_or(4)).unwrap_or(u32::MAX),
            no_output,
            ..CopyTransfers::default()
        }),
        lines: CopyLines::SgpDd {
            block: Bytes(block),
            time: settings.time == Some(1),
        },
        spelling: CopySpelling {
            tool: "sgp_dd",
            input_direct: "iflag=direct",
            output_direct: "oflag=direct",
            must_be_new: "oflag=excl",
            must_be_there: "",
        },
        notes,
    }
}

/// What of a copy sgp_dd's lines are about.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// Bytes of a block.
    pub block: Bytes,
    /// Bytes that were requested.
    pub wanted: Bytes,
    /// Bytes that were read.
    pub read: Bytes,
    /// Bytes that were written, or thrown away.
    pub written: Bytes,
    /// How long all of it took.
    pub elapsed_ns: u64,
}

/// sgp_dd's lines on standard error. `time` is its time=1.
pub fn copy_lines(moved: &Moved, time: bool) -> Vec<String> {
    let block = moved.block.0.max(1);
    let mut lines = Vec::new();
    if time {
        let us = moved.elapsed_ns / 1000;
        let seconds = us as f64 / 1e6;
        let rate = match seconds > 0.00001 && moved.written.0 > 511 {
            true => format!(", {:.2} MB/sec", moved.written.0 as f64 / (seconds * 1e6)),
            false => String::new(),
        };
        let (whole, rest) = (us / 1_000_000, us % 1_000_000);
        lines.push(format!(
            "time to transfer data was {whole}.{rest:06} secs{rate}"
        ));
    }
    let left = moved.wanted.0.saturating_sub(moved.written.0) / block;
    if left > 0 {
        lines.push(format!("  remaining block count={left}"));
    }
    for (bytes, word) in [(moved.read.0, "in"), (moved.written.0, "out")] {
        let partial = u64::from(!bytes.is_multiple_of(block));
        lines.push(format!("{}+{partial} records {word}", bytes / block));
    }
    lines
}

#[cfg(test)]
mod tests;
