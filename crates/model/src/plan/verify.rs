//! Whether what is read is compared with what was written, and how thoroughly.
//!
//! Omitted: the comparison (`engine`), and what it found ([`crate::Verification`]).

use crate::read_back::{ReadBack, is_of_share};
use crate::units::{Bytes, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Comparison of what is read with what was written, block by block. Called elsewhere: fio `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    /// Compared part of a block.
    pub level: VerifyLevel,
    /// Share of the blocks whose body is compared, too, where it is at all.
    pub bodies: Ratio,
    /// The whole range is read and compared after the run.
    pub end_pass: bool,
    /// Most memory for the write map; without it a quarter of what is available.
    pub memory: Option<Bytes>,
    /// The first corrupt block ends the run.
    pub stop: bool,
    /// Writes that are read again while the run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<ReadBack>,
    /// The bytes of all described corrupt blocks are kept, of any kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub evidence: bool,
}

/// Compared part of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyLevel {
    /// Nothing.
    #[default]
    Off,
    /// The header and the tag of each sector: version and place.
    Headers,
    /// Every byte.
    Full,
}

impl Default for Verify {
    fn default() -> Self {
        Verify {
            level: VerifyLevel::Off,
            bodies: Ratio::ALL,
            end_pass: true,
            memory: None,
            stop: false,
            read_back: None,
            evidence: false,
        }
    }
}

impl Verify {
    /// Returns whether nothing is compared.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub const fn is_off(&self) -> bool {
        matches!(self.level, VerifyLevel::Off)
    }

    /// Returns whether every byte of a block is compared, by its number among those compared: of each hundred as many as
    /// requested, evenly spread.
    #[inline]
    pub fn compares_body(&self, number: u64) -> bool {
        self.level == VerifyLevel::Full && is_of_share(self.bodies, number)
    }
}
