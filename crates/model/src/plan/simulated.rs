//! A device that exists in a model only: which parts it has, how fast each is, and what is wrong with it.
//!
//! One set of parameters for all models; a model is the defaults it begins with. Written `sim:MODEL[,key=value…]`. What
//! comes of it in time is `engine`'s business, and what is known of it beforehand too. Deliberately absent: data, file
//! systems, and any claim that a real device is like this.

mod data_faults;
mod keys;
mod notation;

pub use data_faults::{DataFault, DataFaults, FaultPlan, FlushLaw, PowerCut};
pub use keys::{KEYS, SimulatedKey, Unit};
pub use notation::SimulatedError;

use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a simulated device begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SimulatedModel {
    /// A rotating disk: one I/O at a time, positioning and then the transfer at the media rate.
    Spindle,
    /// Flash: I/Os side by side on several channels, below a ceiling of bandwidth.
    Ssd,
    /// A volume with a cap on IOPS over something fast.
    Capped,
    /// Disks behind a controller with a cache for reads and writes.
    Array,
    /// Flash whose latency jumps beyond a depth.
    Cliff,
}

/// How service times are spread about their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceLaw {
    /// All equal.
    Constant,
    /// Lognormal, with the width `spread`.
    #[default]
    Lognormal,
    /// Exponential: what queueing theory has closed forms for.
    Exponential,
}

/// A simulated device. Where a time is 0 it takes none, and where a limit is 0 there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedDevice {
    /// What it began with.
    pub model: SimulatedModel,
    /// Size that it reports.
    pub size: Bytes,
    /// I/Os that are served side by side. // in [1, 1024]
    pub channels: u64,
    /// How service times are spread.
    pub law: ServiceLaw,
    /// Standard deviation of a lognormal service time, in percent of its mean. // at most 300
    pub spread: u64,
    /// Mean service time of a read on its channel, without positioning and transfer.
    pub service: Nanos,
    /// The same of a write.
    pub write_service: Nanos,
    /// Mean time to get to an I/O that does not begin where the last one ended.
    pub position: Nanos,
    /// By how many percent positioning falls with each doubling of the queue. // at most 50
    pub elevator: u64,
    /// Bytes a second of one channel; adds the transfer to the service time.
    pub media: u64,
    /// Bytes a second of all channels together.
    pub bandwidth: u64,
    /// The same for writes, where it is another.
    pub write_bandwidth: u64,
    /// Most IOPS.
    pub cap_iops: u64,
    /// Most bytes per second.
    pub cap_bandwidth: u64,
    /// I/Os that may run ahead of the cap after an idle time: the credit at the start.
    pub burst: u64,
    /// Read cache of the device: the share of a range that fits is served from it.
    pub cache: Bytes,
    /// Service time of what a cache of the device takes or gives.
    pub hit: Nanos,
    /// Writes that the device takes into a cache before it has to make room.
    pub write_cache: Bytes,
    /// Bytes a second at which that cache empties.
    pub drain: u64,
    /// Outstanding I/Os above which latency jumps.
    pub cliff: u64,
    /// What each I/O takes longer then.
    pub cliff_latency: Nanos,
    /// I/Os that the device takes at once; more wait on the host's side.
    pub queue: u64,
    /// Largest request of the device; a larger I/O becomes several.
    pub request_max: Bytes,
    /// Processor time of each I/O on the simulated host.
    pub cpu: Nanos,
    /// What is wrong with it.
    pub faults: SimulatedFaults,
    /// What is uneven in its speed.
    #[serde(default, skip_serializing_if = "UnevenFaults::is_none")]
    pub uneven: UnevenFaults,
    /// Data that it stores, from its start: none, or all that is used of it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub data: Bytes,
    /// Where its addresses wrap around.
    #[serde(default, skip_serializing_if = "is_none")]
    pub alias: Bytes,
    /// How long a write that is damaged is read as it was written.
    #[serde(default, skip_serializing_if = "is_at_once")]
    pub late: Nanos,
    /// What is wrong with that data.
    #[serde(default, skip_serializing_if = "DataFaults::is_none")]
    pub data_faults: DataFaults,
    /// What it may lose when its power is cut, and when that is.
    #[serde(default, skip_serializing_if = "PowerCut::is_none")]
    pub cut: PowerCut,
    /// What earlier runs of the session left in it.
    #[serde(default, skip_serializing_if = "SimulatedPast::is_none")]
    pub past: SimulatedPast,
}

/// What earlier runs of a session left in a simulated device. No word means it: a device begins without a past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedPast {
    /// How long it was in use and idle: drift and a drop go on from there.
    pub age: Nanos,
    /// Content of the write cache.
    pub cached: Bytes,
}

impl SimulatedPast {
    /// Returns whether there is none.
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub fn is_none(&self) -> bool {
        *self == SimulatedPast::default()
    }
}

impl SimulatedDevice {
    /// Returns the device after so many bytes were written to it in this time. While bytes come, the cache is drained.
    #[must_use]
    pub fn after(self, time: Nanos, written: Bytes) -> SimulatedDevice {
        let drained = u128::from(self.drain) * u128::from(time.0) / 1_000_000_000;
        let came = u128::from(self.past.cached.0) + u128::from(written.0);
        let left = came.saturating_sub(drained);
        let cached = left.min(u128::from(self.write_cache.0)) as u64; // at most the cache
        SimulatedDevice {
            past: SimulatedPast {
                age: self.past.age.plus(time),
                cached: Bytes(cached),
            },
            ..self
        }
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
const fn is_none(size: &Bytes) -> bool {
    size.0 == 0
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
const fn is_at_once(time: &Nanos) -> bool {
    time.0 == 0
}

/// What may be wrong with a simulated device; nothing, where all are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedFaults {
    /// IOPS that another process does on the device, 16 KiB reads.
    pub neighbour: u64,
    /// By how many percent of its first speed it slows down each minute.
    pub drift: u64,
    /// By how many percent it is slower after `drop_at`. // at most 99
    pub drop: u64,
    /// When that happens, from the start of the warm-up.
    pub drop_at: Nanos,
    /// How long it answers nothing at the start of each `pause_every`.
    pub pause: Nanos,
    /// From one pause to the next.
    pub pause_every: Nanos,
    /// Share of the I/Os that the host's own cache serves and the device never sees, in percent. // at most 100
    pub page_cache: u64,
    /// How far its speed wanders, standard deviation in percent: an autoregressive walk in steps of 100 ms that keeps nine
    /// tenths of where it was. // at most 200
    pub noise: u64,
    /// IOPS that the host lets through to the device.
    pub throttle: u64,
    /// By how many percent longer the I/Os of every second thread take. // at most 1000
    pub imbalance: u64,
}

/// What may be uneven in the speed of a simulated device; nothing, where all are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UnevenFaults {
    /// How late in its `pause_every` a pause may begin, in percent of the time that is left. // at most 100
    pub pause_jitter: u64,
    /// By how many percent it is slower in the second half of each `swing_every`. // at most 99
    pub swing: u64,
    /// From one change to the lower speed to the next.
    pub swing_every: Nanos,
    /// One of so many I/Os is slow, at random.
    pub tail: u64,
    /// How much longer a slow one takes.
    pub tail_latency: Nanos,
    /// Share of the range that was never written, in percent: reads of it take the time of a cache hit. // at most 100
    pub unwritten: u64,
}

impl UnevenFaults {
    /// Returns whether it has none.
    pub fn is_none(&self) -> bool {
        *self == UnevenFaults::default()
    }
}

/// A block of the neighbour.
pub const NEIGHBOUR_BLOCK: Bytes = Bytes::kib(16);

impl SimulatedModel {
    /// Every model with its name, in the order in which help lists them.
    pub const ALL: [(SimulatedModel, &'static str); 5] = [
        (SimulatedModel::Spindle, "spindle"),
        (SimulatedModel::Ssd, "ssd"),
        (SimulatedModel::Capped, "capped"),
        (SimulatedModel::Array, "array"),
        (SimulatedModel::Cliff, "cliff"),
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        let row = SimulatedModel::ALL.iter().find(|(model, _)| *model == self);
        row.expect("every model has its row in ALL").1
    }

    /// The device without specified properties.
    pub fn device(self) -> SimulatedDevice {
        let flash = flash(self);
        match self {
            SimulatedModel::Ssd => flash,
            SimulatedModel::Spindle => SimulatedDevice {
                size: Bytes::gib(1024),
                channels: 1,
                service: Nanos::micros(100),
                write_service: Nanos::micros(100),
                position: Nanos::millis(8),
                elevator: 12,
                media: 180_000_000,
                bandwidth: 0,
                write_bandwidth: 0,
                queue: 32,
                ..flash
            },
            SimulatedModel::Capped => SimulatedDevice {
                size: Bytes::gib(256),
                channels: 64,
                service: Nanos::micros(500),
                write_service: Nanos::micros(700),
                cap_iops: 4_000,
                ..flash
            },
            SimulatedModel::Array => SimulatedDevice {
                size: Bytes::gib(512),
                channels: 24,
                service: Nanos::millis(4),
                write_service: Nanos::millis(5),
                spread: 40,
                bandwidth: 1_600_000_000,
                write_bandwidth: 1_600_000_000,
                cache: Bytes::gib(8),
                hit: Nanos::micros(150),
                write_cache: Bytes::gib(4),
                drain: 40_000_000,
                ..flash
            },
            SimulatedModel::Cliff => SimulatedDevice {
                channels: 16,
                cliff: 32,
                cliff_latency: Nanos::millis(5),
                ..flash
            },
        }
    }
}

/// Defaults of every model: a small solid-state disk.
fn flash(model: SimulatedModel) -> SimulatedDevice {
    SimulatedDevice {
        model,
        size: Bytes::gib(64),
        channels: 8,
        law: ServiceLaw::Lognormal,
        spread: 25,
        service: Nanos::micros(160),
        write_service: Nanos::micros(240),
        position: Nanos(0),
        elevator: 0,
        media: 0,
        bandwidth: 1_000_000_000,
        write_bandwidth: 700_000_000,
        cap_iops: 0,
        cap_bandwidth: 0,
        burst: 0,
        cache: Bytes(0),
        hit: Nanos::micros(50),
        write_cache: Bytes(0),
        drain: 0,
        cliff: 0,
        cliff_latency: Nanos(0),
        queue: 0,
        request_max: Bytes(0),
        cpu: Nanos::micros(2),
        faults: SimulatedFaults::default(),
        uneven: UnevenFaults::default(),
        data: Bytes(0),
        alias: Bytes(0),
        late: Nanos(0),
        data_faults: DataFaults::default(),
        cut: PowerCut::default(),
        past: SimulatedPast::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_cache_fills_while_written_and_drains_while_idle() {
        let device = SimulatedDevice {
            write_cache: Bytes::mib(64),
            drain: Bytes::mib(1).0,
            ..SimulatedModel::Ssd.device()
        };
        let filled = device.after(Nanos::seconds(10), Bytes::mib(50));
        assert_eq!(filled.past.cached, Bytes::mib(40));
        assert_eq!(
            filled.after(Nanos::seconds(1), Bytes::mib(500)).past.cached,
            Bytes::mib(64)
        );
        let rested = filled.after(Nanos::seconds(30), Bytes(0));
        assert_eq!(rested.past.cached, Bytes::mib(10));
        assert_eq!(rested.past.age, Nanos::seconds(40));
        assert_eq!(
            rested.after(Nanos::seconds(30), Bytes(0)).past.cached,
            Bytes(0)
        );
        assert_eq!(rested.to_string(), device.to_string());
    }
}
