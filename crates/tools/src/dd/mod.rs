//! The operands of dd: `if=A of=B bs=1M count=100 oflag=direct conv=fdatasync`.
//!
//! Source: the manual of GNU coreutils 9.1, "dd invocation". What changes the data (conv=ucase and the like) is refused by
//! name, because a measurement has nothing to do with it. Read in this order: the request (here), `operands` (text →
//! request), `number` (sizes with their suffixes). Deliberately absent: consent, and whether the files are there.

mod number;
mod operands;
pub(crate) mod reader;
mod request;
mod result;
#[cfg(test)]
mod tests;

pub(crate) use number::dd_number as number;
pub use operands::read;
pub use request::{CopyLines, CopyRequest, CopySpelling};
pub use result::copy_lines;

use crate::Problem;
use crate::Tool;
use crate::imports::Reader;
use model::Bytes;
use model::ImportFormat;
use std::path::PathBuf;

/// Defines the row of dd.
pub(crate) const TOOL: Tool = Tool {
    name: "dd",
    option: None,
    readers: &[Reader {
        format: ImportFormat::DdText,
        name: "dd's text",
        about: "what dd prints, best with its command line",
        begins: reader::begins,
        read: reader::read,
    }],
};

/// Default block size. // dd invocation, ibs and obs
pub const BLOCK: Bytes = Bytes(512);

/// One thing that is wrong with the operands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DdProblem {
    /// A word that is no `name=value`.
    #[error("`{read}`: an operand is name=value, as in if=/dev/zero of=file bs=1M count=100")]
    NoOperand {
        /// As it was given.
        read: String,
    },
    /// A name that there is not.
    #[error(
        "{name}=: dd has no such operand; it has if, of, bs, ibs, obs, count, skip, seek, iflag, oflag, conv, status"
    )]
    Unknown {
        /// As it was given.
        name: String,
    },
    /// A number that cannot be read.
    #[error(
        "invalid value '{read}' for {name}=: must be a number with a suffix: c (1), w (2), b (512), kB (1000), K \
        (1024), MB, M, GB, G and so on, joined by x"
    )]
    Number {
        /// The operand.
        name: String,
        /// As it was given.
        read: String,
    },
    /// A block size of 0 or beyond what fits into memory.
    #[error("invalid value '{read}' for {name}=: must be 1 byte to 1G")]
    Block {
        /// The operand.
        name: String,
        /// As it was given.
        read: String,
    },
    /// A word of a list that there is not, or that is not done here.
    #[error("{name}={read}: {why}")]
    Word {
        /// The operand.
        name: String,
        /// The word.
        read: String,
        /// What is accepted, or why this is not.
        why: &'static str,
    },
    /// Two words that contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A name that cannot be kept.
    #[error(transparent)]
    Name(#[from] Problem),
}

/// How far: in blocks, or in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub number: u64,
    /// Bytes, not blocks.
    pub in_bytes: bool,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DdFlags {
    /// Past the system's cache.
    pub direct: bool,
    /// Data and facts are on stable storage when a write returns.
    pub sync: bool,
    /// Data is.
    pub dsync: bool,
    /// Output only: each write at the end.
    pub append: bool,
    /// Input only: a short read is completed.
    pub fullblock: bool,
}

/// Work other than copying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DdConversions {
    /// The output keeps its length.
    pub notrunc: bool,
    /// The output must be there.
    pub nocreat: bool,
    /// The output must not be there.
    pub excl: bool,
    /// Data is flushed before the end.
    pub fdatasync: bool,
    /// Data and facts are.
    pub fsync: bool,
    /// A failed read does not end the copy.
    pub noerror: bool,
    /// A short read is filled up with zeros.
    pub sync: bool,
}

/// Which of dd's own lines are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DdStatus {
    /// Records, and bytes with their rate.
    #[default]
    All,
    /// Records alone.
    NoTransfer,
    /// None.
    None,
    /// All, and a line a second meanwhile.
    Progress,
}

/// One end of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DdEnd {
    /// `if=`, `of=`.
    pub path: PathBuf,
    /// Bytes of one transfer: `ibs=`, `obs=`. // at least 1
    pub block: Bytes,
    /// Where the copy begins: `skip=`, `seek=`.
    pub start: Amount,
    /// `iflag=`, `oflag=`.
    pub flags: DdFlags,
}

/// What was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DdRequest {
    /// What is read.
    pub input: DdEnd,
    /// What is written.
    pub output: DdEnd,
    /// Short reads are joined to whole output blocks: always, unless `bs=` is specified.
    pub joins: bool,
    /// `count=`.
    pub count: Option<Amount>,
    /// `conv=`.
    pub conversions: DdConversions,
    /// `status=`.
    pub status: DdStatus,
    /// The operands as they were given.
    pub operands: Vec<String>,
}

impl Amount {
    /// So many blocks.
    pub const fn blocks(number: u64) -> Self {
        Amount {
            number,
            in_bytes: false,
        }
    }
}

impl DdEnd {
    /// Returns the first byte that is transferred.
    pub fn offset(&self) -> Bytes {
        let start = self.start;
        match start.in_bytes {
            true => Bytes(start.number),
            false => Bytes(start.number.saturating_mul(self.block.0)),
        }
    }
}
