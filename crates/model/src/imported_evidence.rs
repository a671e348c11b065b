//! Data in another tool's results next to its figures, which findings use: windows of the rate, times of
//! submission, syncs, devices, what was written and when it was flushed.
//!
//! Everything is as printed, and `None` or empty where the text does not have it, or where it was stored before that was
//! read. Deliberately absent: any judgement.

use crate::plan::Operation;
use crate::units::Nanos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImportedEvidence {
    /// Next to the figures of reads and writes together.
    #[serde(skip_serializing_if = "is_default")]
    pub total: SideEvidence,
    /// Next to those of reads.
    #[serde(skip_serializing_if = "is_default")]
    pub read: SideEvidence,
    /// Next to those of writes.
    #[serde(skip_serializing_if = "is_default")]
    pub write: SideEvidence,
    /// Syncs that the run issued, with their own latency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncFigures>,
    /// When written data was flushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<ImportedFlush>,
    /// What was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ImportedContent>,
    /// Queue depth that was specified, where the engine ignores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_queue_depth: Option<u32>,
    /// Whether a rate, or pauses between I/Os, were requested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub paced: bool,
    /// What was requested of it, where the text has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<ImportedPace>,
    /// Jobs that each go along the same blocks from the same place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_place: Option<u32>,
    /// Context switches of all its threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_switches: Option<u64>,
    /// The fastest way of making a write durable that the same text has of the same file.
    #[serde(rename = "commit_min_ns", skip_serializing_if = "Option::is_none")]
    pub commit_min: Option<Nanos>,
    /// What ended the run before its time, as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Sectors that were not read back as they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_sectors: Option<u64>,
    /// Block devices and their counters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<ImportedDisk>,
    /// Whether the text breaks off in the list of devices.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disks_cut: bool,
    /// Warnings that the tool printed before or within its results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Further figures of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SideEvidence {
    /// Windows of which the standard deviation of the IOPS is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<u64>,
    /// IOPS of the slowest window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_min_per_s: Option<f64>,
    /// IOPS of the fastest window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_max_per_s: Option<f64>,
    /// Mean time that submitting one I/O took.
    #[serde(rename = "submission_mean_ns", skip_serializing_if = "Option::is_none")]
    pub submission_mean: Option<Nanos>,
    /// Mean latency with the time of submitting.
    #[serde(rename = "whole_mean_ns", skip_serializing_if = "Option::is_none")]
    pub whole_mean: Option<Nanos>,
}

/// Syncs and their latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SyncFigures {
    /// How many.
    pub count: u64,
    /// Mean latency.
    #[serde(rename = "mean_ns")]
    pub mean: Option<Nanos>,
    /// Median; none in results stored before it was read.
    #[serde(rename = "p50_ns", default)]
    pub p50: Option<Nanos>,
    /// 99th percentile.
    #[serde(rename = "p99_ns")]
    pub p99: Option<Nanos>,
    /// Largest.
    #[serde(rename = "max_ns")]
    pub max: Option<Nanos>,
}

/// When written data was flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportedFlush {
    /// By a sync after so many writes. // from 1
    EveryWrites(u32),
    /// Once, before the time ended.
    AtEnd,
    /// With all that the kernel had cached, before the run: its reads come from the device.
    BeforeReads,
}

/// A pace that was requested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportedPace {
    /// Pauses between I/Os and no rate.
    Pauses,
    /// IOPS.
    Ios(RequestedRate),
    /// Bytes per second.
    Bytes(RequestedRate),
}

/// A rate that was requested of all threads together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedRate {
    /// Its value. // finite, above 0
    pub per_s: f64,
    /// The operation of which it is; none if it is of reads and writes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<Operation>,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportedContent {
    /// Zeros.
    Zeros,
    /// One pattern again and again.
    Pattern,
    /// So many percent of it can be compressed away. // in [1, 100]
    Compressible(u8),
    /// So many percent of its blocks repeat others. // in [1, 100]
    Duplicate(u8),
}

/// A block device as another tool saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedDisk {
    /// Its name.
    pub name: String,
    /// I/Os that it completed.
    pub ios: u64,
    /// Share of the time with an I/O in it, in percent.
    pub util_percent: Option<f64>,
    /// Sum of the times of its I/Os: divided by the elapsed time it is the mean number of I/Os in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_time: Option<Nanos>,
}

impl ImportedEvidence {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        is_default(self)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
