//! Every option of IOR's that fathom knows, one row each: what it does here, or why it does nothing, or why it is refused.
//! Reading, help and the manual come from this table.

use super::test::{Form, Settings};
use crate::page;
use model::Field;
use std::fmt::Write;

/// What an option does to the settings.
pub(super) enum Apply {
    /// Counts how often it was given.
    Count(fn(&mut Settings) -> &mut u64),
    /// Sets a whole number.
    Number(fn(&mut Settings) -> &mut u64),
    /// Sets a text.
    Text(fn(&mut Settings, &str) -> Result<(), String>),
    /// Is taken and changes nothing, for this reason.
    Noted(&'static str),
    /// Is refused, for this reason.
    Refused(&'static str),
}

/// An option.
pub(super) struct Row {
    /// Behind one dash; none for what only scripts, `-O` and two dashes can express.
    pub(super) letter: Option<char>,
    /// In scripts, behind `-O` and, for those without a letter, behind two dashes. In any case.
    pub(super) key: &'static str,
    /// What belongs to it; empty for a flag.
    pub(super) argument: &'static str,
    /// What it asks for.
    pub(super) doc: &'static str,
    pub(super) apply: Apply,
}

const fn row(
    letter: Option<char>,
    key: &'static str,
    argument: &'static str,
    doc: &'static str,
    apply: Apply,
) -> Row {
    Row {
        letter,
        key,
        argument,
        doc,
        apply,
    }
}

fn text(of: &mut String, value: &str) -> Result<(), String> {
    value.clone_into(of);
    Ok(())
}

use Apply::{Count, Noted, Number, Refused, Text};

/// All of them.
pub(super) const ROWS: &[Row] = &[
    row(
        Some('a'),
        "api",
        "API",
        "how the bytes are moved: POSIX",
        Text(|s, value| text(&mut s.test.storage.api, value)),
    ),
    row(
        Some('A'),
        "refNum",
        "N",
        "a number that the summary repeats",
        Number(|s| &mut s.test.reference),
    ),
    row(
        Some('b'),
        "blockSize",
        "SIZE",
        "bytes of a task in one segment (1m)",
        Number(|s| &mut s.test.layout.block),
    ),
    row(
        Some('c'),
        "collective",
        "",
        "collective I/O, which POSIX does not have",
        Count(|s| &mut s.test.storage.collective),
    ),
    row(
        Some('C'),
        "reorderTasksConstant",
        "",
        "a task reads what a task of another host wrote",
        Count(|s| &mut s.test.order.constant),
    ),
    row(
        Some('d'),
        "interTestDelay",
        "SECONDS",
        "pause before each phase (0)",
        Number(|s| &mut s.test.course.delay_s),
    ),
    row(
        Some('D'),
        "deadlineForStonewalling",
        "SECONDS",
        "no I/O is issued after this time (0: no limit)",
        Number(|s| &mut s.test.course.deadline_s),
    ),
    row(
        Some('e'),
        "fsync",
        "",
        "fsync behind the writes, within their time",
        Count(|s| &mut s.test.storage.fsync),
    ),
    row(
        Some('E'),
        "useExistingTestFile",
        "",
        "write into the file that is there",
        Count(|s| &mut s.test.files.existing),
    ),
    row(
        Some('f'),
        "scriptFile",
        "FILE",
        "tests from a script",
        Text(|s, value| {
            s.script = Some(value.to_owned());
            Ok(())
        }),
    ),
    row(
        Some('F'),
        "filePerProc",
        "",
        "a file of each task: NAME.00000000",
        Count(|s| &mut s.test.files.per_task),
    ),
    row(
        Some('g'),
        "intraTestBarriers",
        "",
        "barriers between opening, I/O and closing",
        Noted("opening, I/O and closing are always apart"),
    ),
    row(
        Some('G'),
        "setTimeStampSignature",
        "N",
        "what the content begins with",
        Noted("each block has a header of fathom's, with its place and a checksum"),
    ),
    row(
        Some('i'),
        "repetitions",
        "N",
        "how often all is done (1)",
        Number(|s| &mut s.test.course.repetitions),
    ),
    row(
        Some('j'),
        "outlierThreshold",
        "SECONDS",
        "tasks that are late are named",
        Noted("the record has every task: fathom show"),
    ),
    row(
        Some('k'),
        "keepFile",
        "",
        "the files stay",
        Count(|s| &mut s.test.files.keep),
    ),
    row(
        Some('K'),
        "keepFileWithError",
        "",
        "the files stay where a comparison failed",
        Count(|s| &mut s.test.files.keep_corrupt),
    ),
    row(
        Some('l'),
        "dataPacketType",
        "TYPE",
        "what is written",
        Noted("random data behind headers of fathom's is written"),
    ),
    row(
        Some('m'),
        "multiFile",
        "",
        "a file of each repetition: NAME.0",
        Count(|s| &mut s.test.files.multi),
    ),
    row(
        Some('M'),
        "memoryPerNode",
        "SIZE",
        "memory that is taken before",
        Refused("fathom takes no memory to shrink the page cache; --posix.odirect passes it by"),
    ),
    row(
        Some('N'),
        "numTasks",
        "N",
        "tasks: the first processes of a launcher (all), or threads of one process (1)",
        Number(|s| &mut s.test.tasks),
    ),
    row(
        Some('o'),
        "testFile",
        "FILE",
        "the file (testFile)",
        Text(|s, value| text(&mut s.test.files.name, value)),
    ),
    row(
        Some('O'),
        "",
        "KEY=VALUE,...",
        "settings by the names of scripts",
        Text(|s, value| {
            s.directives.push(value.to_owned());
            Ok(())
        }),
    ),
    row(
        Some('Q'),
        "taskPerNodeOffset",
        "N",
        "how many hosts further with -C (1)",
        Number(|s| &mut s.test.order.offset),
    ),
    row(
        Some('r'),
        "readFile",
        "",
        "read",
        Count(|s| &mut s.test.actions.read),
    ),
    row(
        Some('R'),
        "checkRead",
        "",
        "read, and compare with what was written",
        Count(|s| &mut s.test.actions.check_read),
    ),
    row(
        Some('s'),
        "segmentCount",
        "N",
        "segments (1)",
        Number(|s| &mut s.test.layout.segments),
    ),
    row(
        Some('t'),
        "transferSize",
        "SIZE",
        "bytes of one I/O (256k)",
        Number(|s| &mut s.test.layout.transfer),
    ),
    row(
        Some('T'),
        "maxTimeDuration",
        "MINUTES",
        "no phase of a repetition begins after this time (0: no limit)",
        Number(|s| &mut s.test.course.max_minutes),
    ),
    row(
        Some('u'),
        "uniqueDir",
        "",
        "with -F: a folder of each task, which has to be there",
        Count(|s| &mut s.test.files.unique_dir),
    ),
    row(
        Some('v'),
        "verbose",
        "",
        "print more",
        Count(|s| &mut s.test.storage.verbose),
    ),
    row(
        Some('w'),
        "writeFile",
        "",
        "write",
        Count(|s| &mut s.test.actions.write),
    ),
    row(
        Some('W'),
        "checkWrite",
        "",
        "read behind the writes and compare",
        Count(|s| &mut s.test.actions.check_write),
    ),
    row(
        Some('x'),
        "singleXferAttempt",
        "",
        "a short transfer is not completed",
        Noted("a short transfer is counted as one"),
    ),
    row(
        Some('X'),
        "reorderTasksRandomSeed",
        "N",
        "seed of -Z",
        Noted("it belongs to -Z"),
    ),
    row(
        Some('y'),
        "dualMount",
        "",
        "two mounts of one file system",
        Refused("a run has one name of a file: run it for each mount"),
    ),
    row(
        Some('Y'),
        "fsyncPerWrite",
        "",
        "fsync after each write",
        Refused(
            "IOR counts these calls as part of each transfer; hint: fathom run --write-through, or --fsync 1",
        ),
    ),
    row(
        Some('z'),
        "randomOffset",
        "",
        "with -F: each transfer once, in random order",
        Count(|s| &mut s.test.layout.shuffled),
    ),
    row(
        Some('Z'),
        "reorderTasksRandom",
        "",
        "a task reads what a random task wrote",
        Count(|s| &mut s.test.order.random),
    ),
    row(
        None,
        "random-offset-seed",
        "N",
        "seed of -z (0)",
        Number(|s| &mut s.test.layout.seed),
    ),
    row(
        None,
        "posix.odirect",
        "",
        "direct I/O, past the page cache",
        Count(|s| &mut s.test.storage.direct),
    ),
    row(
        None,
        "useO_DIRECT",
        "",
        "the same, as in IOR 3.0",
        Count(|s| &mut s.test.storage.direct),
    ),
    row(
        None,
        "dryRun",
        "",
        "describe the tests and run none",
        Count(|s| &mut s.test.actions.dry_run),
    ),
    row(
        None,
        "stoneWallingWearOut",
        "",
        "behind -D: all tasks move as much as the fastest",
        Count(|s| &mut s.test.course.wear_out),
    ),
    row(
        None,
        "summaryFile",
        "FILE",
        "the results go to this file",
        Text(|s, value| {
            s.output.file = Some(value.into());
            Ok(())
        }),
    ),
    row(
        None,
        "summaryFormat",
        "default|JSON|CSV",
        "form of the results",
        Text(|s, value| {
            s.output.form = match value.to_ascii_lowercase().as_str() {
                "default" => Form::Text,
                "json" => Form::Json,
                "csv" => Form::Csv,
                _ => return Err("must be default, JSON or CSV".to_owned()),
            };
            Ok(())
        }),
    ),
    row(
        None,
        "platform",
        "NAME",
        "a name that is printed",
        Noted("the record has the machine"),
    ),
    row(
        None,
        "debug",
        "TEXT",
        "a text that is printed",
        Noted("nothing is printed for it"),
    ),
    row(None, "numNodes", "N", "hosts", Noted("they are counted")),
    row(
        None,
        "numTasksOnNode0",
        "N",
        "tasks of the first host",
        Noted("they are counted"),
    ),
    row(
        None,
        "summaryalways",
        "",
        "a summary behind each test",
        Noted("the summary of all tests comes last"),
    ),
    row(
        None,
        "saveRankPerformanceDetailsCSV",
        "FILE",
        "a line of each task",
        Refused("the record has every task; hint: fathom export csv"),
    ),
    row(
        None,
        "savePerOpDataCSV",
        "FILE",
        "a line of each transfer",
        Refused("records have no single I/Os"),
    ),
    row(
        None,
        "stoneWallingStatusFile",
        "FILE",
        "how many transfers each task wrote behind -D, for reads of a later call",
        Text(|s, value| {
            s.test.course.status = Some(value.into());
            Ok(())
        }),
    ),
    row(
        None,
        "stoneWallingWearOutIterations",
        "N",
        "how far all tasks go",
        Refused("specify the amount by -b and -s"),
    ),
    row(
        None,
        "minTimeDuration",
        "SECONDS",
        "how long all tasks go on",
        Refused("specify the amount by -b and -s, or a time by fathom run --duration"),
    ),
    row(
        None,
        "interIODelay",
        "US",
        "pause behind each transfer",
        Refused("a pause is not a pace; hint: fathom run --rate"),
    ),
    row(
        None,
        "memoryPerTask",
        "SIZE",
        "memory that is taken before",
        Refused("fathom takes no memory to shrink the page cache; --posix.odirect passes it by"),
    ),
    row(
        None,
        "randomPrefill",
        "SIZE",
        "the file is filled before -z",
        Refused("hint: write the file first by a call without -z, and keep it by -k"),
    ),
    row(
        None,
        "allocateBufferOnGPU",
        "N",
        "memory of a GPU",
        Refused("transfers go to this machine's memory"),
    ),
    row(
        None,
        "GPUid",
        "N",
        "which GPU",
        Refused("transfers go to this machine's memory"),
    ),
    row(
        None,
        "GPUDirect",
        "N",
        "I/O of a GPU",
        Refused("transfers go to this machine's memory"),
    ),
    row(
        None,
        "warningAsErrors",
        "",
        "a warning ends the run",
        Refused("notes are no errors here: read standard error"),
    ),
];

/// The row of a letter.
pub(super) fn of_letter(letter: char) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.letter == Some(letter))
}

/// The row of a key, in any case.
pub(super) fn of_key(key: &str) -> Option<&'static Row> {
    let key = match key.to_ascii_lowercase().as_str() {
        "reordertasks" => "reorderTasksConstant",
        "posix.useo_direct" => "posix.odirect",
        _ => key,
    };
    ROWS.iter()
        .find(|row| !row.key.is_empty() && row.key.eq_ignore_ascii_case(key))
}

/// Why an option of a backend is refused, where it is one.
pub(super) fn of_backend(key: &str) -> Option<&'static str> {
    let backends = [
        "posix.lustre.",
        "posix.gpfs.",
        "posix.beegfs.",
        "gpfs.",
        "beegfs.",
        "lustre.",
        "mpiio.",
        "hdf5.",
        "ncmpi.",
        "aio.",
        "mmap.",
        "dfs.",
        "rados.",
        "s3.",
        "cephfs.",
    ];
    let key = key.to_ascii_lowercase();
    backends
        .iter()
        .any(|backend| key.starts_with(backend))
        .then_some(
            "striping and other settings of a file system are set by its own tools before the run",
        )
}

/// Returns the option of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "-t",
        Field::Threads => "-N",
        Field::FileSize | Field::Length | Field::Amount => "-b and -s",
        Field::Create => "-w",
        Field::Duration => "-D",
        Field::Unbuffered => "--posix.odirect",
        Field::ReadOnly => "-r",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Engine => "-a",
        Field::QueueDepth | Field::Interval | Field::Base | Field::Stride => return None,
        Field::ThreadStride | Field::Distribution | Field::Rate | Field::Source => return None,
        Field::Passthrough | Field::CompletionPolling | Field::SubmissionPolling => return None,
        Field::Pool | Field::VerifyMemory | Field::Buffered => return None,
    })
}

impl Row {
    /// As it is written, with its argument.
    fn form(&self) -> String {
        match (self.letter, self.argument) {
            (Some(letter), "") => format!("-{letter}"),
            (Some(letter), argument) => format!("-{letter} {argument}"),
            (None, "") => format!("--{}", self.key),
            (None, argument) => format!("-O {}={argument}", self.key),
        }
    }

    fn fate(&self) -> String {
        match &self.apply {
            Count(_) | Number(_) | Text(_) => "honoured".to_owned(),
            Noted(why) => format!("changes nothing: {why}"),
            Refused(why) => format!("refused: {why}"),
        }
    }
}

/// The help, for a program of this name.
pub fn usage(program: &str) -> String {
    let mut text = format!("usage: {program} [option...]\n\n");
    let about = "Letters count as they are written; a value stands behind a blank or =. Without -w, -r, -W and -R it writes and reads. \
                 IOR deletes an existing test file; fathom does not: a file that it did not create needs --overwrite, a device \
                 --destroy DEVICE.";
    page::paragraph(&mut text, about);
    text.push('\n');
    for row in ROWS {
        let mark = match row.apply {
            Noted(_) => " (changes nothing)",
            Refused(_) => " (refused)",
            _ => "",
        };
        page::entry(&mut text, &row.form(), &format!("{}{mark}", row.doc));
    }
    text.push('\n');
    for (form, doc) in OWN {
        page::entry(&mut text, form, doc);
    }
    text
}

/// fathom's own options.
pub(super) const OWN: [(&str, &str); 4] = [
    (
        "--overwrite",
        "existing files that fathom did not create may be written",
    ),
    ("--destroy DEVICE", "the data on this device may be lost"),
    ("--store PATH", "the results database"),
    ("--no-store", "store nothing"),
];

/// The table of the manual, in Markdown.
pub fn option_table() -> String {
    let mut text = String::from("| option | in scripts | meaning | here |\n|---|---|---|---|\n");
    for row in ROWS {
        let key = match row.key {
            "" => String::new(),
            key => format!("`{key}`"),
        };
        let form = row.form().replace('|', "\\|");
        writeln!(text, "| `{form}` | {key} | {} | {} |", row.doc, row.fate())
            .expect("a String takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        for line in usage("fathom ior").lines() {
            assert!(line.chars().count() < 80, "{line}");
        }
    }

    #[test]
    fn letters_and_keys_are_distinct() {
        for (place, row) in ROWS.iter().enumerate() {
            let others = &ROWS[..place];
            assert!(row.letter.is_none() || others.iter().all(|other| other.letter != row.letter));
            assert!(
                row.key.is_empty()
                    || others
                        .iter()
                        .all(|other| !other.key.eq_ignore_ascii_case(row.key)),
                "{}",
                row.key
            );
        }
    }
}
