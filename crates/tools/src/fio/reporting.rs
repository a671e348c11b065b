//! Which figures a job asks for, as fio's options of statistics specify it.
//!
//! Omitted: how these options are read (`read_results`), the figures (`figures`), and where they are printed (`result`,
//! `normal`, `terse`).

/// Parts of one percent.
const PARTS: f64 = 1e6;

/// Whether reads and writes have figures of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Each has its own.
    #[default]
    Split,
    /// Both have theirs together.
    Mixed,
    /// Each has its own, and both have theirs together.
    Both,
}

/// Which figures a job asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporting {
    /// In millionths of a percent, ascending.
    pub(super) percentiles: Vec<u32>,
    /// Digits behind the point, as in the list.
    pub decimals: usize,
    /// The figures called `clat`, and the classes of latencies.
    pub clat: bool,
    /// The figures called `lat`.
    pub lat: bool,
    pub(super) clat_percentiles: bool,
    pub(super) lat_percentiles: bool,
    /// What has figures of its own.
    pub sides: Sides,
    /// A remark that the results repeat.
    pub description: Option<String>,
    /// The devices.
    pub disks: bool,
    /// The number of errors, as errors do not end the job.
    pub errors: bool,
}

impl Default for Reporting {
    fn default() -> Self {
        Reporting {
            percentiles: [
                1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5,
                99.9, 99.95, 99.99,
            ]
            .map(parts)
            .to_vec(),
            decimals: 2,
            clat: true,
            lat: true,
            clat_percentiles: true,
            lat_percentiles: false,
            sides: Sides::Split,
            description: None,
            disks: true,
            errors: false,
        }
    }
}

impl Reporting {
    /// Returns whether `clat` has percentiles.
    pub fn clat_percentiles(&self) -> bool {
        self.clat && self.clat_percentiles
    }

    /// Returns whether `lat` has percentiles.
    pub fn lat_percentiles(&self) -> bool {
        self.lat && self.lat_percentiles
    }

    /// Returns the percentiles in percent, ascending.
    pub fn percentiles(&self) -> impl Iterator<Item = f64> {
        self.percentiles.iter().map(|part| f64::from(*part) / PARTS)
    }
}

pub(super) fn parts(percent: f64) -> u32 {
    (percent * PARTS).round() as u32
}

/// What a line has of its step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LogValue {
    #[default]
    Mean,
    Max,
    Both,
}

/// The logs that a job asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Logs {
    /// How the names of its files begin; empty for the name of the job.
    pub(super) bandwidth: Option<String>,
    pub(super) iops: Option<String>,
    pub(super) latency: Option<String>,
    pub(super) histogram: Option<String>,
    /// The file of its I/Os, each with a line.
    pub(super) ios: Option<String>,
    /// Of its classes: each step has half as many.
    pub(super) coarseness: u32,
    /// All jobs have one file of each kind.
    pub(super) together: bool,
    pub(super) value: LogValue,
    pub(super) offset: bool,
    pub(super) priority: bool,
    pub(super) since_1970: bool,
}

impl Logs {
    /// Returns whether there are any with a line per step.
    pub(super) fn any(&self) -> bool {
        self.bandwidth.is_some() || self.iops.is_some() || self.latency.is_some()
    }
}
