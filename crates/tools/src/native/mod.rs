//! fathom's own options, those of `fathom run`.
//!
//! Read in this order: the request as typed (here), `build` (request → profile), `print` (timespan →
//! command line). The command line is split into options in `cli`, in the program's parser; the
//! defaults stand here, so that the parser's help and this dialect cannot disagree.

mod build;
mod lines;
mod print;
mod verify;

pub use build::{Built, CACHE_FORM, CACHE_MODES, build};
pub use print::{print, restate};
pub use verify::VerifyText;

use model::Field;
use std::path::PathBuf;

/// Default of `--block`.
pub const BLOCK: &str = "4K";
/// Default of `--depth`.
pub const DEPTH: &str = "1";
/// Default of `--threads`.
pub const THREADS: &str = "1";
/// Default of `--write`.
pub const WRITE: &str = "0";
/// Default of `--pattern`.
pub const PATTERN: &str = "random";
/// Default of `--cache`.
pub const CACHE: &str = "unbuffered";
/// Default of `--duration`: fifty steps of 200 ms each.
pub const DURATION: &str = "10s";
/// Default of `--warmup`: devices and their caches leave their idle state within the first second or two. It
/// does not bring a drive to its steady state; that takes minutes to hours and is another job.
pub const WARMUP: &str = "2s";
/// Default of `--cooldown`.
pub const COOLDOWN: &str = "0s";
/// Seed of a request that specifies none.
pub const SEED: &str = "0";
/// Default of `--engine`.
pub const ENGINE: &str = "auto";
/// Default of `--cores`.
pub const CORES: &str = "free";
/// Default of `--base`.
pub const BASE: &str = "0";
/// Default of `--null-size`.
pub const NULL_SIZE: &str = "1G";
/// Default of `--null-delay`.
pub const NULL_DELAY: &str = "0s";
/// Default of `--null-error-every`.
pub const NULL_ERROR_EVERY: &str = "0";

/// A request as typed: nothing is read yet. `Default` is the request without any option.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Files or devices, all with the same work.
    pub targets: Vec<PathBuf>,
    /// What is done.
    pub work: WorkText,
    /// Where on the target, and how it is opened.
    pub place: PlaceText,
    /// Whether what is read is compared with what was written.
    pub verify: VerifyText,
    /// When.
    pub time: TimeText,
    /// By which means.
    pub engine: EngineText,
}

/// What is done to each target, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkText {
    /// `-b`, `--block`: a size, or the lines of a mix.
    pub block: String,
    /// `-o`, `--depth`: a number.
    pub depth: String,
    /// `-t`, `--threads`: a number.
    pub threads: String,
    /// `-w`, `--write`: a percentage.
    pub write: String,
    /// `--pattern`: `random` or `sequential`.
    pub pattern: String,
    /// `--compress`: a percentage.
    pub compress: Option<String>,
    /// `--dedupe`: a percentage.
    pub dedupe: Option<String>,
}

/// Where on the target and how it is opened, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceText {
    /// `--base`: a size.
    pub base: String,
    /// `--length`: a size.
    pub length: Option<String>,
    /// `--create`: a size.
    pub create: Option<String>,
    /// `--cache`: `unbuffered` or `cached`.
    pub cache: String,
    /// `--drop-cache`.
    pub drop_cache: bool,
    /// `--write-through`.
    pub write_through: bool,
    /// `--fsync`: writes.
    pub fsync: Option<String>,
    /// `--fdatasync`: writes.
    pub fdatasync: Option<String>,
    /// `--end-fsync`.
    pub end_fsync: bool,
}

/// When, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeText {
    /// `-d`, `--duration`: a time.
    pub duration: String,
    /// `--warmup`: a time.
    pub warmup: String,
    /// `--cooldown`: a time.
    pub cooldown: String,
    /// `--interval`: a time. Without it: one second, or shorter so that there are fifty steps.
    pub interval: Option<String>,
    /// `--rate`: IOPS. Without it a free slot is used at once.
    pub rate: Option<String>,
    /// `--arrivals`: `constant` or `poisson`.
    pub arrivals: Option<String>,
}

/// By which means, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineText {
    /// `--engine`.
    pub engine: String,
    /// `--poll`.
    pub poll: bool,
    /// `--sqpoll`.
    pub sqpoll: bool,
    /// `--cores`: `free`, `near`, `in-turn` or a list.
    pub cores: String,
    /// `--seed`: a number. Without it: [`SEED`]; a command draws one before.
    pub seed: Option<String>,
    /// `--continue-on-error`.
    pub continue_on_error: bool,
    /// `--null-size`: a size.
    pub null_size: Option<String>,
    /// `--null-delay`: a time.
    pub null_delay: Option<String>,
    /// `--null-error-every`: a number.
    pub null_error_every: Option<String>,
}

impl Default for WorkText {
    fn default() -> Self {
        WorkText {
            block: BLOCK.to_owned(),
            depth: DEPTH.to_owned(),
            threads: THREADS.to_owned(),
            write: WRITE.to_owned(),
            pattern: PATTERN.to_owned(),
            compress: None,
            dedupe: None,
        }
    }
}

impl Default for PlaceText {
    fn default() -> Self {
        PlaceText {
            base: BASE.to_owned(),
            length: None,
            create: None,
            cache: CACHE.to_owned(),
            drop_cache: false,
            write_through: false,
            fsync: None,
            fdatasync: None,
            end_fsync: false,
        }
    }
}

impl Default for TimeText {
    fn default() -> Self {
        TimeText {
            duration: DURATION.to_owned(),
            warmup: WARMUP.to_owned(),
            cooldown: COOLDOWN.to_owned(),
            interval: None,
            rate: None,
            arrivals: None,
        }
    }
}

impl Default for EngineText {
    fn default() -> Self {
        EngineText {
            engine: ENGINE.to_owned(),
            poll: false,
            sqpoll: false,
            cores: CORES.to_owned(),
            seed: None,
            continue_on_error: false,
            null_size: None,
            null_delay: None,
            null_error_every: None,
        }
    }
}

/// Returns the option of a field.
pub fn option(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Block => "--block",
        Field::QueueDepth => "--depth",
        Field::Threads => "--threads",
        Field::FileSize => "--create",
        Field::Create => "--create SIZE",
        Field::Duration => "--duration",
        Field::Interval => "--interval",
        Field::Base => "--base",
        Field::Length => "--length",
        Field::Rate => "--rate",
        Field::Buffered => "--cache cached",
        Field::Unbuffered => "--cache unbuffered",
        Field::ReadOnly => "--write 0",
        Field::Engine => "--engine",
        Field::Passthrough => "--engine nvme",
        Field::CompletionPolling => "--poll",
        Field::SubmissionPolling => "--sqpoll",
        Field::VerifyMemory => "--verify-memory",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Amount | Field::Stride | Field::ThreadStride | Field::Distribution => return None,
        Field::Source | Field::Pool => return None,
    })
}

#[cfg(test)]
mod tests;
