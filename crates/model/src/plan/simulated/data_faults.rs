//! What may be wrong with the data of a simulated device: which fault, and how often or where; what a power cut may lose.
//!
//! Omitted: what a fault or a cut does to a block, which is `engine`'s.

use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of damage that a simulated device does to its data.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DataFault {
    /// A write is acknowledged and not done.
    Lose,
    /// The first sectors of a block are written, the others are not.
    Tear,
    /// The last sectors of a block are written, the others are not.
    TearTail,
    /// A block is written at another place.
    Misdirect,
    /// A block is written at another place, too.
    Duplicate,
    /// Up to three bits of a block are flipped when it is written.
    Rot,
    /// Zeros are written.
    Zero,
    /// The data of a block is written some sectors late.
    Shift,
    /// Random bytes are written.
    Forge,
    /// A read returns the version before the last.
    Stale,
    /// A read returns another block.
    Misread,
    /// Up to three bits of a block are flipped when it is read.
    RotRead,
    /// A read fails.
    Eio,
}

/// How often or where each fault is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataFaults([u64; DataFault::ALL.len()]);

/// How often or where a fault is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlan {
    /// It is not done.
    Never,
    /// To one of so many blocks, drawn at random.
    OneIn(u64),
    /// To the block at this offset, each time.
    At(Bytes),
}

/// Bit of an encoded fault that is done at a place.
const PLACE: u64 = 1 << 63;

impl DataFault {
    /// All faults, those of writes first.
    pub const ALL: [DataFault; 13] = [
        DataFault::Lose,
        DataFault::Tear,
        DataFault::TearTail,
        DataFault::Misdirect,
        DataFault::Duplicate,
        DataFault::Rot,
        DataFault::Zero,
        DataFault::Shift,
        DataFault::Forge,
        DataFault::Stale,
        DataFault::Misread,
        DataFault::RotRead,
        DataFault::Eio,
    ];
}

impl DataFaults {
    /// Returns whether there is none.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|one| *one == 0)
    }

    /// Returns how often or where a fault is done.
    pub fn of(&self, fault: DataFault) -> FaultPlan {
        FaultPlan::decode(self.encoded(fault))
    }

    pub(super) const fn encoded(&self, fault: DataFault) -> u64 {
        self.0[fault as usize]
    }

    pub(super) const fn encode(&mut self, fault: DataFault, value: u64) {
        self.0[fault as usize] = value;
    }
}

impl FaultPlan {
    const fn decode(value: u64) -> FaultPlan {
        match value {
            0 => FaultPlan::Never,
            place if place & PLACE != 0 => FaultPlan::At(Bytes(place & !PLACE)),
            often => FaultPlan::OneIn(often),
        }
    }

    /// Prints `1/500`, `@128M` or `0`.
    pub(super) fn print(value: u64) -> String {
        match FaultPlan::decode(value) {
            FaultPlan::Never => "0".to_owned(),
            FaultPlan::OneIn(often) => format!("1/{often}"),
            FaultPlan::At(place) => format!("@{place}"),
        }
    }

    /// Reads the same.
    pub(super) fn read(text: &str) -> Option<u64> {
        if let Some(place) = text.strip_prefix('@') {
            let place: Bytes = place.parse().ok()?;
            return (place.0 & PLACE == 0).then_some(place.0 | PLACE);
        }
        let often = match text {
            "0" => return Some(0),
            _ => text.strip_prefix("1/")?,
        };
        let digits = often.bytes().all(|byte| byte.is_ascii_digit());
        let often = often
            .parse::<u64>()
            .ok()
            .filter(|often| digits && *often > 0)?;
        (often & PLACE == 0).then_some(often)
    }
}

/// A volatile cache and a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PowerCut {
    /// Completed writes that a cut may lose or tear.
    pub volatile: Bytes,
    /// When the power is cut, from the start of the warm-up; 0 for never.
    pub at: Nanos,
    /// What a flush or a write-through write does.
    pub flush: FlushLaw,
    /// Largest aligned part of a write that is written as a whole or not at all.
    pub atomic: Bytes,
}

/// What a flush does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlushLaw {
    /// All completed writes are durable when it returns.
    #[default]
    Honest,
    /// It returns, and does nothing.
    Ignored,
    /// It returns when some of the writes are durable, not the oldest ones.
    Reordered,
}

impl FlushLaw {
    /// All laws with their names.
    pub const ALL: [(FlushLaw, &'static str); 3] = [
        (FlushLaw::Honest, "honest"),
        (FlushLaw::Ignored, "ignored"),
        (FlushLaw::Reordered, "reordered"),
    ];
}

impl Default for PowerCut {
    fn default() -> Self {
        PowerCut {
            volatile: Bytes(0),
            at: Nanos(0),
            flush: FlushLaw::Honest,
            atomic: Bytes(4096),
        }
    }
}

impl PowerCut {
    /// Returns whether there is neither a cut nor a cache.
    pub fn is_none(&self) -> bool {
        *self == PowerCut::default()
    }

    /// Returns whether a flush or a write-through write differs from any other.
    pub const fn has_cache(&self) -> bool {
        self.volatile.0 > 0 || self.at.0 > 0
    }
}
