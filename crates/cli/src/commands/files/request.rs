//! The words of `fathom files` as values, or everything that is wrong with them at once.
//!
//! Which steps may be omitted stands in `skip`.

use super::skip;
use crate::args::{FilesArgs, FilesWorkArgs};
use model::{Bytes, CommandError, Nanos, TreeWork};
use session::FilesOrder;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tools::{Problem, Reader};

const FILES_FORM: &str = "must be a whole number from 0 to 1000000000";
const FOLDERS_FORM: &str = "must be a whole number from 1 to 10000000";
const THREADS_FORM: &str = "must be a whole number from 1 to 1024";
const SEED_FORM: &str = "must be a whole number from 0 to 18446744073709551615";
const BLOCK_FORM: &str = "must be 1 byte to 64M: 8K";
const FILE_SIZE_FORM: &str = "must be 0 to 64M: 4K";
const BONNIE_FORM: &str =
    "must be a multiple of 1024 with --bonnie, as bonnie++ counts files in 1024s";
const TIME_FORM: &str = "must be a time above 0: 500ms, 10s, 2m";

const FILES_MAX: u64 = 1_000_000_000;
const FOLDERS_MAX: u64 = 10_000_000;
const THREADS_MAX: u32 = 1024;
const BUFFER_MAX: Bytes = Bytes::mib(64);
/// Files of one folder by default.
const FILES_A_FOLDER: u64 = 64;
/// What bonnie++ counts files in.
const BONNIE_FILES: u64 = 1024;

/// Request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) folder: PathBuf,
    pub(crate) work: TreeWork,
    pub(crate) patience: Nanos,
}

impl Asked {
    /// The same for all ranks of a job.
    pub(crate) fn order(&self) -> FilesOrder {
        FilesOrder {
            folder: self.folder.clone(),
            work: self.work.clone(),
            patience: self.patience,
        }
    }

    /// Reads all of it.
    pub(crate) fn read(args: &FilesArgs) -> Result<Asked, CommandError> {
        let FilesArgs {
            folder,
            work,
            bonnie,
            hosts: _, // how many do it
            keep: _,
            json: _,
        } = args;
        let FilesWorkArgs {
            files,
            file_size,
            folders,
            threads,
            data,
            block,
            skip,
            step_limit,
            drop_caches,
            patience,
            seed,
        } = work;
        let mut reader = Reader::default();
        reader.target(folder);
        let count = within(&mut reader, ("--files", files, FILES_FORM), 0..=FILES_MAX);
        let threads = within(
            &mut reader,
            ("--threads", threads, THREADS_FORM),
            1..=u64::from(THREADS_MAX),
        );
        let usual = (count / FILES_A_FOLDER).max(threads).min(count).max(1);
        let folders = match folders {
            Some(text) => within(
                &mut reader,
                ("--folders", text, FOLDERS_FORM),
                1..=FOLDERS_MAX,
            ),
            None => usual,
        };
        if *bonnie && !count.is_multiple_of(BONNIE_FILES) {
            refuse(&mut reader, ("--files", files, BONNIE_FORM));
        }
        let work = TreeWork {
            files: count,
            file_size: size(
                &mut reader,
                ("--file-size", file_size, FILE_SIZE_FORM),
                Bytes(0),
            ),
            folders,
            threads: u32::try_from(threads).unwrap_or(THREADS_MAX),
            data: reader.value("--data", data).unwrap_or_default(),
            block: size(&mut reader, ("--block", block, BLOCK_FORM), Bytes(1)),
            step_limit: span(&mut reader, "--step-limit", step_limit),
            seed: reader.number("--seed", seed, SEED_FORM).unwrap_or_default(),
            drops_caches: *drop_caches,
            skipped: skip::read(skip.as_deref(), &mut reader),
        };
        let asked = Asked {
            folder: folder.clone(),
            patience: span(&mut reader, "--patience", patience),
            work,
        };
        contradictions(&asked.work, &mut reader);
        skip::must_leave_what_others_need(&asked.work, &mut reader);
        Ok(reader.finish(asked)?)
    }
}

fn contradictions(work: &TreeWork, reader: &mut Reader) {
    if work.files == 0 && work.data == Bytes(0) {
        reader.refuse(Problem::Contradiction {
            option: "--files",
            why: "neither small files nor a large one: there is nothing to do, so omit --files 0 or --data 0",
        });
    }
    if work.data > Bytes(0) && work.data < work.block {
        reader.refuse(Problem::Contradiction {
            option: "--data",
            why: "the large file is smaller than one --block of it: make it larger, or the block smaller",
        });
    }
}

/// An option, its text, and what it takes.
type OptionRead<'a> = (&'static str, &'a String, &'static str);

fn within(reader: &mut Reader, reported: OptionRead<'_>, range: RangeInclusive<u64>) -> u64 {
    let (option, text, form) = reported;
    let read: Option<u64> = reader.number(option, text, form);
    if read.is_some_and(|number| !range.contains(&number)) {
        refuse(reader, reported);
    }
    let (min, max) = range.into_inner();
    read.unwrap_or(min).clamp(min, max)
}

fn size(reader: &mut Reader, reported: OptionRead<'_>, min: Bytes) -> Bytes {
    let read: Option<Bytes> = reader.value(reported.0, reported.1);
    if read.is_some_and(|size| size < min || size > BUFFER_MAX) {
        refuse(reader, reported);
    }
    read.unwrap_or(min)
}

fn span(reader: &mut Reader, option: &'static str, text: &String) -> Nanos {
    let read: Option<Nanos> = reader.value(option, text);
    if read == Some(Nanos(0)) {
        refuse(reader, (option, text, TIME_FORM));
    }
    read.unwrap_or_default()
}

fn refuse(reader: &mut Reader, (option, read, accepted): OptionRead<'_>) {
    reader.refuse(Problem::Value {
        option,
        read: read.clone(),
        accepted,
    });
}
