//! What a problem names: the field of a request, the rule that its value breaks, and what to change.
//!
//! Omitted: how a field is spelled. Each tool does that in a `match` over [`Field`], so that a new field has to be answered
//! for each of them.

use super::{BLOCK_MAX, BLOCK_MIN};
use crate::units::{Bytes, Nanos};
use std::borrow::Cow;
use std::path::PathBuf;

/// Returns how a tool's request spells a field; `None` if it cannot express it.
pub type Options = fn(Field) -> Option<&'static str>;

/// Steps of a time series.
pub(super) const STEPS_MAX: u64 = 1_000_000;

/// Part of a request, or one choice of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "`noun` describes each")]
pub enum Field {
    Block,
    QueueDepth,
    Threads,
    FileSize,
    Create,
    Duration,
    Interval,
    Amount,
    Base,
    Length,
    Stride,
    ThreadStride,
    Distribution,
    Rate,
    Source,
    Buffered,
    Unbuffered,
    ReadOnly,
    Engine,
    Passthrough,
    CompletionPolling,
    SubmissionPolling,
    Pool,
    VerifyMemory,
    Overwrite,
    Destroy,
}

impl Field {
    /// Returns its name where no option has one for it.
    pub fn noun(self) -> &'static str {
        match self {
            Field::Block => "block size",
            Field::QueueDepth => "queue depth",
            Field::Threads => "number of threads",
            Field::FileSize => "file size",
            Field::Create => "creation of a file",
            Field::Duration => "duration",
            Field::Interval => "interval",
            Field::Amount => "amount of a thread",
            Field::Base => "base",
            Field::Length => "length",
            Field::Stride => "stride or alignment",
            Field::ThreadStride => "thread stride",
            Field::Distribution => "range of the distribution",
            Field::Rate => "rate",
            Field::Source => "size of the write data",
            Field::Buffered => "buffered I/O",
            Field::Unbuffered => "unbuffered I/O",
            Field::ReadOnly => "reads only",
            Field::Engine => "engine",
            Field::Passthrough => "command passthrough",
            Field::CompletionPolling => "polled completion",
            Field::SubmissionPolling => "submission-queue polling",
            Field::Pool => "pool of threads",
            Field::VerifyMemory => "memory of the write map",
            Field::Overwrite => "loss of a file's data",
            Field::Destroy => "loss of a device's data",
        }
    }
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the text describes each")]
pub enum Rule {
    #[error("longer than 0s")]
    LongerThanNothing,
    #[error("at least {0}")]
    AtLeast(Nanos),
    #[error("long enough for at most {STEPS_MAX} steps in {0}")]
    StepsOver(Nanos),
    #[error("a multiple of {BLOCK_MIN} bytes, at most {BLOCK_MAX}")]
    BlockSize,
    #[error("a multiple of {}", in_bytes(*.0))]
    MultipleOf(Bytes),
    #[error("a multiple of {} for unbuffered I/O on {}", in_bytes(*to), path.display())]
    Aligned { to: Bytes, path: PathBuf },
    #[error("at least one block of {0}")]
    OneBlock(Bytes),
    #[error("from 1 to {most} {of}")]
    Range { most: u64, of: &'static str },
    #[error("1 with the engine sync")]
    OneOutstanding,
    #[error("below the end of {} at {size}", path.display())]
    BelowEnd { path: PathBuf, size: Bytes },
    #[error(
        "at most {most} on {}, because a command that is passed through is not split", path.display()
    )]
    OneCommand { path: PathBuf, most: Bytes },
}

/// What to change in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A smaller value.
    Smaller(Field),
    /// A larger value.
    Larger(Field),
    /// The option, what stands behind it, and what that is for.
    Use(Field, Cow<'static, str>, &'static str),
    /// The request without it.
    Omit(Field),
}

impl Remedy {
    /// Makes the option alone the remedy.
    pub(super) const fn option(field: Field, purpose: &'static str) -> Remedy {
        Remedy::Use(field, Cow::Borrowed(""), purpose)
    }

    /// Makes this value of an option the remedy.
    pub(super) const fn value(field: Field, value: &'static str) -> Remedy {
        Remedy::Use(field, Cow::Borrowed(value), "")
    }

    /// Returns it in a tool's options; `None` where the tool has no such option.
    pub(super) fn message(&self, options: Options) -> Option<String> {
        Some(match self {
            Remedy::Smaller(field) => format!("use a smaller {}", options(*field)?),
            Remedy::Larger(field) => format!("use a larger {}", options(*field)?),
            Remedy::Omit(field) => format!("omit {}", options(*field)?),
            Remedy::Use(field, value, purpose) => {
                let option = options(*field)?;
                let joint = if value.is_empty() || option.ends_with('=') {
                    ""
                } else {
                    " "
                };
                format!("use {option}{joint}{value}{purpose}")
            }
        })
    }
}

/// Returns the size with its unit.
pub(super) fn in_bytes(size: Bytes) -> String {
    match size.to_string() {
        text if text.ends_with(|c: char| c.is_ascii_digit()) => format!("{text} bytes"),
        text => text,
    }
}
