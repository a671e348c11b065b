//! Operands → request, or everything that is wrong with them at once. Of an operand that is given twice the last counts,
//! flags and conversions add up, as with dd.

use super::number::number;
use super::{Amount, BLOCK, DdConversions, DdFlags, DdProblem, DdRequest, DdStatus};
use model::Bytes;
use std::path::{Path, PathBuf};

const BLOCK_MAX: Bytes = Bytes::gib(1);

const IFLAGS: &str =
    "of input flags there are direct, dsync, sync, fullblock, count_bytes and skip_bytes here";
const OFLAGS: &str = "of output flags there are direct, dsync, sync, append and seek_bytes here";
const CONVERSIONS: &str =
    "of conversions there are notrunc, nocreat, excl, fdatasync, fsync, noerror and sync here";
const CHANGES: &str = "this changes the data, which is no part of a measurement: omit it";
const STATUS: &str = "must be none, noxfer or progress";

/// Reads all of it.
pub fn read(words: &[String]) -> Result<DdRequest, Vec<DdProblem>> {
    let mut reading = Reading::default();
    words.iter().for_each(|word| reading.word(word));
    reading.finish(words)
}

#[derive(Default)]
struct Reading {
    asked: DdRequest,
    block: Option<Bytes>,
    input_block: Option<Bytes>,
    output_block: Option<Bytes>,
    count: Option<(u64, bool)>,
    skip: (u64, bool),
    seek: (u64, bool),
    count_bytes: bool,
    skip_bytes: bool,
    seek_bytes: bool,
    problems: Vec<DdProblem>,
}

impl Reading {
    fn word(&mut self, word: &str) {
        let Some((name, value)) = word.split_once('=') else {
            self.problems.push(DdProblem::NoOperand {
                read: word.to_owned(),
            });
            return;
        };
        match name {
            "if" => self.asked.input.path = PathBuf::from(value),
            "of" => self.asked.output.path = PathBuf::from(value),
            "bs" => self.block = self.size(name, value).or(self.block),
            "ibs" => self.input_block = self.size(name, value).or(self.input_block),
            "obs" => self.output_block = self.size(name, value).or(self.output_block),
            "count" => self.count = self.number(name, value),
            "skip" | "iseek" => self.skip = self.number(name, value).unwrap_or_default(),
            "seek" | "oseek" => self.seek = self.number(name, value).unwrap_or_default(),
            "iflag" => value.split(',').for_each(|flag| self.input_flag(flag)),
            "oflag" => value.split(',').for_each(|flag| self.output_flag(flag)),
            "conv" => value.split(',').for_each(|flag| self.conversion(flag)),
            "status" => self.status(value),
            "cbs" => self.refuse(name, value, CHANGES),
            _ => self.problems.push(DdProblem::Unknown {
                name: name.to_owned(),
            }),
        }
    }

    fn number(&mut self, name: &str, value: &str) -> Option<(u64, bool)> {
        let read = number(value);
        if read.is_none() {
            self.problems.push(DdProblem::Number {
                name: name.to_owned(),
                read: value.to_owned(),
            });
        }
        read
    }

    fn size(&mut self, name: &str, value: &str) -> Option<Bytes> {
        let (bytes, _) = self.number(name, value)?;
        if bytes == 0 || bytes > BLOCK_MAX.0 {
            self.problems.push(DdProblem::Block {
                name: name.to_owned(),
                read: value.to_owned(),
            });
        }
        Some(Bytes(bytes))
    }

    fn input_flag(&mut self, word: &str) {
        let DdFlags {
            direct,
            sync,
            dsync,
            fullblock,
            ..
        } = &mut self.asked.input.flags;
        match word {
            "direct" => *direct = true,
            "sync" => *sync = true,
            "dsync" => *dsync = true,
            "fullblock" => *fullblock = true,
            "count_bytes" => self.count_bytes = true,
            "skip_bytes" => self.skip_bytes = true,
            _ => self.refuse("iflag", word, IFLAGS),
        }
    }

    fn output_flag(&mut self, word: &str) {
        let DdFlags {
            direct,
            sync,
            dsync,
            append,
            ..
        } = &mut self.asked.output.flags;
        match word {
            "direct" => *direct = true,
            "sync" => *sync = true,
            "dsync" => *dsync = true,
            "append" => *append = true,
            "seek_bytes" => self.seek_bytes = true,
            _ => self.refuse("oflag", word, OFLAGS),
        }
    }

    fn conversion(&mut self, word: &str) {
        let DdConversions {
            notrunc,
            nocreat,
            excl,
            fdatasync,
            fsync,
            noerror,
            sync,
        } = &mut self.asked.conversions;
        match word {
            "notrunc" => *notrunc = true,
            "nocreat" => *nocreat = true,
            "excl" => *excl = true,
            "fdatasync" => *fdatasync = true,
            "fsync" => *fsync = true,
            "noerror" => *noerror = true,
            "sync" => *sync = true,
            "ascii" | "ebcdic" | "ibm" | "block" | "unblock" | "lcase" | "ucase" | "swab"
            | "sparse" => {
                self.refuse("conv", word, CHANGES);
            }
            _ => self.refuse("conv", word, CONVERSIONS),
        }
    }

    fn status(&mut self, word: &str) {
        self.asked.status = match word {
            "none" => DdStatus::None,
            "noxfer" => DdStatus::NoTransfer,
            "progress" => DdStatus::Progress,
            _ => return self.refuse("status", word, STATUS),
        };
    }

    fn refuse(&mut self, name: &str, read: &str, why: &'static str) {
        self.problems.push(DdProblem::Word {
            name: name.to_owned(),
            read: read.to_owned(),
            why,
        });
    }

    fn finish(mut self, words: &[String]) -> Result<DdRequest, Vec<DdProblem>> {
        self.contradictions();
        let amount = |(number, bytes): (u64, bool), flag| Amount {
            number,
            in_bytes: bytes || flag,
        };
        let mut asked = self.asked;
        asked.input.block = self.block.or(self.input_block).unwrap_or(BLOCK);
        asked.output.block = self.block.or(self.output_block).unwrap_or(BLOCK);
        asked.joins = self.block.is_none();
        asked.count = self.count.map(|count| amount(count, self.count_bytes));
        asked.input.start = amount(self.skip, self.skip_bytes);
        asked.output.start = amount(self.seek, self.seek_bytes);
        asked.operands = words.to_vec();
        match self.problems.is_empty() {
            true => Ok(asked),
            false => Err(self.problems),
        }
    }

    fn contradictions(&mut self) {
        let reported = [
            (
                self.asked.input.path.as_os_str().is_empty(),
                "if=: specify what is read: a file, a device or /dev/zero (standard input is not measured)",
            ),
            (
                self.asked.output.path.as_os_str().is_empty(),
                "of=: specify where it goes: a file, a device or /dev/null (standard output is for the result)",
            ),
            (
                self.asked.conversions.excl && self.asked.conversions.nocreat,
                "conv=excl,nocreat: the output cannot be new and be there before: omit one of them",
            ),
        ];
        let found = reported.iter().filter(|(wrong, _)| *wrong);
        self.problems
            .extend(found.map(|(_, why)| DdProblem::Contradiction(why)));
        for end in [&self.asked.input, &self.asked.output] {
            self.problems.extend(name_problem(&end.path));
        }
    }
}

fn name_problem(path: &Path) -> Option<DdProblem> {
    let plain = path.to_str().is_some();
    (!plain).then(|| {
        crate::Problem::NameNotText {
            path: path.to_owned(),
        }
        .into()
    })
}
