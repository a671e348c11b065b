//! How commands that have no dialect of their own spell the fields of a request.
//!
//! Omitted: the spelling of `fathom run` and of other tools, which their dialects have.

use model::Field;

/// Returns the option of `fathom survey`.
pub(crate) fn survey(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::QueueDepth => "--depth-max",
        Field::Threads => "--threads-max",
        Field::FileSize | Field::Length => "--size",
        Field::Duration => "--budget",
        Field::Buffered => "--cache cached",
        Field::Unbuffered => "--cache unbuffered",
        Field::ReadOnly => "--read-only",
        Field::Engine => "--engine",
        Field::Passthrough => "--engine nvme",
        Field::Overwrite => "--overwrite",
        Field::Destroy => "--destroy",
        Field::Block | Field::Create | Field::Interval | Field::Amount | Field::Base => {
            return None;
        }
        Field::Stride | Field::ThreadStride | Field::Distribution | Field::Rate => return None,
        Field::Source | Field::CompletionPolling | Field::SubmissionPolling => return None,
        Field::Pool | Field::VerifyMemory => return None,
    })
}

/// Returns the option of `fathom pts`.
pub(crate) fn pts(field: Field) -> Option<&'static str> {
    match field {
        Field::Block => Some("--block"),
        Field::QueueDepth => Some("--depth"),
        Field::Threads => Some("--threads"),
        Field::FileSize | Field::Create => Some("--create"),
        Field::Length => Some("--range"),
        Field::Duration | Field::Interval | Field::Amount => Some("--scale"),
        Field::Engine => Some("--engine"),
        Field::Overwrite | Field::Destroy => dd(field),
        Field::Base | Field::Stride | Field::ThreadStride | Field::Distribution => None,
        Field::Rate | Field::Source | Field::Buffered | Field::Unbuffered => None,
        Field::ReadOnly | Field::Passthrough | Field::CompletionPolling => None,
        Field::SubmissionPolling | Field::Pool | Field::VerifyMemory => None,
    }
}

/// Returns the option of `fathom quick` and `fathom layers`, or the command that does what they do not.
pub(crate) fn looks(field: Field) -> Option<&'static str> {
    match field {
        Field::FileSize | Field::Length => Some("--size"),
        Field::Create => Some("fathom run"),
        Field::Buffered => Some("fathom run --cache cached"),
        Field::ReadOnly => Some("no --write"),
        Field::Overwrite | Field::Destroy => dd(field),
        Field::Block | Field::QueueDepth => None,
        Field::Threads | Field::Duration | Field::Interval | Field::Amount => None,
        Field::Base | Field::Stride | Field::ThreadStride | Field::Distribution => None,
        Field::Rate | Field::Source | Field::Unbuffered => None,
        Field::Engine | Field::Passthrough | Field::CompletionPolling => None,
        Field::SubmissionPolling | Field::Pool | Field::VerifyMemory => None,
    }
}

/// Returns the option of `fathom dd`, whose problems are about what it would write over.
pub(crate) fn dd(field: Field) -> Option<&'static str> {
    match field {
        Field::Overwrite => Some("--overwrite"),
        Field::Destroy => Some("--destroy"),
        Field::Block | Field::QueueDepth | Field::Threads | Field::FileSize | Field::Create => None,
        Field::Duration | Field::Interval | Field::Amount | Field::Base | Field::Length => None,
        Field::Stride | Field::ThreadStride | Field::Distribution | Field::Rate => None,
        Field::Source | Field::Buffered | Field::Unbuffered | Field::ReadOnly => None,
        Field::Engine | Field::Passthrough | Field::CompletionPolling => None,
        Field::SubmissionPolling | Field::Pool | Field::VerifyMemory => None,
    }
}

#[cfg(test)]
mod tests;
