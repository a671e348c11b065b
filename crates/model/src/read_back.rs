//! Writes that are read again while a run continues: which are requested, and what was found.
//!
//! Omitted: the comparison itself (`engine`).

use crate::record::VerifyCounts;
use crate::units::{Bytes, Nanos, Ratio};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Part of the writes that is read again while the run continues. Called elsewhere: fio `verify_backlog`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadBack {
    /// Share of the writes. // above 0
    pub share: Ratio,
    /// How long after a write was completed.
    pub after: ReadBackDelay,
}

/// How long after a write it is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadBackDelay {
    /// A time. // at most an hour
    Time(Nanos),
    /// So many further I/Os of the same thread. // at most `ReadBack::IOS_MAX`
    Ios(u32),
}

impl ReadBack {
    /// Most I/Os between a write and its second reading.
    pub const IOS_MAX: u32 = 1 << 20;
    /// Longest time between them.
    pub const TIME_MAX: Nanos = Nanos::seconds(3600);
    /// The time between them without another word.
    pub const TIME: Nanos = Nanos::seconds(1);

    /// Returns whether a write is read again, by its number among the writes: of each hundred as many as requested, evenly
    /// spread.
    pub fn is_of_share(&self, number: u64) -> bool {
        is_of_share(self.share, number)
    }
}

/// Of each hundred numbers as many as the share has percent, evenly spread.
pub(crate) fn is_of_share(share: Ratio, number: u64) -> bool {
    let share = u64::from(share.as_percent());
    let sum = |number: u64| number * share / 100;
    sum(number.saturating_add(1)) > sum(number)
}

/// Writes that were read again while the run continued. These reads are in no rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadBackCounts {
    /// Blocks of them.
    pub blocks: VerifyCounts,
    /// Writes of the share that were not read again, because too many waited.
    pub skipped: u64,
    /// Writes that still waited when their thread ended.
    pub left: u64,
}

/// I/Os by which writes of one target were read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadBackIos {
    /// Which of the plan's targets.
    pub target: u32,
    /// Completed in the measured phase.
    pub ios: u64,
    /// Bytes of these.
    pub bytes: Bytes,
    /// Sum of their latencies.
    pub waited: Nanos,
    /// Completed in all phases.
    pub all_ios: u64,
    /// Bytes of these.
    pub all_bytes: Bytes,
}

impl ReadBackIos {
    /// Adds those of another part.
    pub fn add(&mut self, other: &ReadBackIos) {
        let bytes = |one: Bytes, other: Bytes| Bytes(one.0.saturating_add(other.0));
        self.ios = self.ios.saturating_add(other.ios);
        self.bytes = bytes(self.bytes, other.bytes);
        self.waited = self.waited.plus(other.waited);
        self.all_ios = self.all_ios.saturating_add(other.all_ios);
        self.all_bytes = bytes(self.all_bytes, other.all_bytes);
    }
}

impl ReadBackCounts {
    /// Adds those of another part.
    pub fn add(&mut self, other: &ReadBackCounts) {
        self.blocks.add(&other.blocks);
        self.skipped += other.skipped;
        self.left += other.left;
    }
}
