//! The parameters by name: what each is, what it accepts, and where it stands. One row each; the reader, the printer and
//! the documentation come from here.

use super::data_faults::{DataFault, FaultPlan};
use super::{FlushLaw, ServiceLaw, SimulatedDevice};
use crate::units::{Bytes, Nanos};

/// One parameter.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedKey {
    /// As it is written.
    pub name: &'static str,
    /// How its value is written.
    pub unit: Unit,
    /// Smallest and largest value.
    pub range: (u64, u64),
    /// What it is, in a few words.
    pub what: &'static str,
    pub(super) get: fn(&SimulatedDevice) -> u64,
    pub(super) set: fn(&mut SimulatedDevice, u64),
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A whole number.
    Count,
    /// A whole number of percent, with or without its sign.
    Percent,
    /// A time.
    Time,
    /// A size.
    Size,
    /// A size that is done in a second, with or without `/s`.
    Rate,
    /// `constant`, `lognormal` or `exponential`.
    Law,
    /// How often or where a fault of data is done: `1/500` or `@128M`.
    Fault,
    /// `honest`, `ignored` or `reordered`.
    Flush,
}

const GIB: u64 = 1 << 30;
const HOUR: u64 = 3_600_000_000_000;

/// A row whose field has the value's own type, or one that wraps it.
macro_rules! key {
    ($name:literal, $unit:ident, $range:expr, $what:literal, $($field:ident).+, $wrap:expr, $($part:tt)?) => {
        SimulatedKey {
            name: $name,
            unit: Unit::$unit,
            range: $range,
            what: $what,
            get: |device| device.$($field).+ $(.$part)?,
            set: |device, value| device.$($field).+ = $wrap(value),
        }
    };
}

/// A row of a fault of data.
macro_rules! fault {
    ($name:literal, $fault:ident, $what:literal) => {
        SimulatedKey {
            name: $name,
            unit: Unit::Fault,
            range: (0, u64::MAX - 1),
            what: $what,
            get: |device| device.data_faults.encoded(DataFault::$fault),
            set: |device, value| device.data_faults.encode(DataFault::$fault, value),
        }
    };
}

const fn plain(value: u64) -> u64 {
    value
}

/// Every parameter, in the order in which it is printed.
#[rustfmt::skip]
pub const KEYS: [SimulatedKey; 59] = [
    key!("size", Size, (1 << 20, 1 << 60), "reported size", size, Bytes, 0),
    key!("channels", Count, (1, 1024), "I/Os that are served in parallel", channels, plain,),
    SimulatedKey {
        name: "law",
        unit: Unit::Law,
        range: (0, 2),
        what: "distribution of service times",
        get: |device| device.law as u64,
        set: |device, value| device.law = LAWS[value as usize].0,
    },
    key!("spread", Percent, (0, 300), "standard deviation of a lognormal service time, of its mean", spread, plain,),
    key!("service", Time, (0, HOUR), "mean service time of a read", service, Nanos, 0),
    key!("write-service", Time, (0, HOUR), "mean service time of a write", write_service, Nanos, 0),
    key!("position", Time, (0, HOUR), "mean positioning time of an I/O that does not begin where the last one ended", position, Nanos, 0),
    key!("elevator", Percent, (0, 50), "decrease of positioning time per doubling of the queue", elevator, plain,),
    key!("media", Rate, (0, 1024 * GIB), "rate of one channel", media, plain,),
    key!("bandwidth", Rate, (0, 1024 * GIB), "rate of all channels together", bandwidth, plain,),
    key!("write-bandwidth", Rate, (0, 1024 * GIB), "the same for writes, if different", write_bandwidth, plain,),
    key!("cap-iops", Count, (0, 1_000_000_000), "IOPS limit", cap_iops, plain,),
    key!("cap-bandwidth", Rate, (0, 1024 * GIB), "bandwidth limit", cap_bandwidth, plain,),
    key!("burst", Count, (0, 1_000_000_000), "burst credits: I/Os above the limit at the start and after idle times", burst, plain,),
    key!("cache", Size, (0, 1 << 60), "read cache: the share of a range that fits is served from it", cache, Bytes, 0),
    key!("hit", Time, (0, HOUR), "service time of a cache hit", hit, Nanos, 0),
    key!("write-cache", Size, (0, 1 << 60), "size of the write cache", write_cache, Bytes, 0),
    key!("drain", Rate, (0, 1024 * GIB), "rate at which the write cache is flushed", drain, plain,),
    key!("cliff", Count, (0, 1_000_000), "number of I/Os in flight above which latency rises", cliff, plain,),
    key!("cliff-latency", Time, (0, HOUR), "additional latency of each I/O above the cliff", cliff_latency, Nanos, 0),
    key!("queue", Count, (0, 65_536), "queue slots of the device; more I/Os wait on the host", queue, plain,),
    key!("request-max", Size, (0, GIB), "largest request; a larger I/O is split", request_max, Bytes, 0),
    key!("cpu", Time, (0, HOUR), "CPU time of each I/O on the simulated host", cpu, Nanos, 0),
    key!("neighbour", Count, (0, 100_000_000), "fault: IOPS of another process, 16 KiB reads", faults.neighbour, plain,),
    key!("drift", Percent, (0, 10_000), "fault: slowdown per minute", faults.drift, plain,),
    key!("drop", Percent, (0, 99), "fault: permanent slowdown from drop-at on", faults.drop, plain,),
    key!("drop-at", Time, (0, HOUR), "fault: time of the drop, from the start of the warm-up", faults.drop_at, Nanos, 0),
    key!("pause", Time, (0, HOUR), "fault: duration of a stall in each pause-every", faults.pause, Nanos, 0),
    key!("pause-every", Time, (0, HOUR), "fault: time from one stall to the next", faults.pause_every, Nanos, 0),
    key!("page-cache", Percent, (0, 100), "fault: share of the I/Os that the host's page cache serves", faults.page_cache, plain,),
    key!("noise", Percent, (0, 200), "fault: variation of speed, standard deviation: first-order autoregressive with a coefficient of 0.9, in steps of 100 ms", faults.noise, plain,),
    key!("throttle", Count, (0, 100_000_000), "fault: IOPS limit of the host above the device", faults.throttle, plain,),
    key!("pause-jitter", Percent, (0, 100), "fault: how late in pause-every a stall may begin, at random, of the time that is left", uneven.pause_jitter, plain,),
    key!("swing", Percent, (0, 99), "fault: slowdown in the second half of each swing-every", uneven.swing, plain,),
    key!("swing-every", Time, (0, HOUR), "fault: time from one change to the lower speed to the next", uneven.swing_every, Nanos, 0),
    key!("tail", Count, (0, 1_000_000_000), "fault: one of so many I/Os is slow, at random", uneven.tail, plain,),
    key!("tail-latency", Time, (0, HOUR), "fault: additional latency of a slow I/O", uneven.tail_latency, Nanos, 0),
    key!("unwritten", Percent, (0, 100), "fault: share of the range that was never written: reads of it are zeros, in the time of a cache hit", uneven.unwritten, plain,),
    key!("data", Size, (0, 16 * GIB), "data that is stored, from the start of the device, for --verify", data, Bytes, 0),
    key!("alias", Size, (0, 16 * GIB), "fault: addresses wrap around there", alias, Bytes, 0),
    key!("late", Time, (0, HOUR), "fault: damage of a write shows only after this time; before, the device's cache answers", late, Nanos, 0),
    fault!("lose", Lose, "fault: writes that are acknowledged and not done"),
    fault!("tear", Tear, "fault: only the first sectors of a block are written"),
    fault!("tear-tail", TearTail, "fault: only the last sectors of a block are written"),
    fault!("misdirect", Misdirect, "fault: blocks that are written at another place"),
    fault!("duplicate", Duplicate, "fault: blocks that are written at another place, too"),
    fault!("rot", Rot, "fault: up to three bits of a block are flipped when it is written"),
    fault!("zero", Zero, "fault: zeros are written"),
    fault!("shift", Shift, "fault: data of a block is written some sectors late"),
    fault!("forge", Forge, "fault: random bytes are written"),
    fault!("stale", Stale, "fault: reads return the version before the last"),
    fault!("misread", Misread, "fault: reads return another block"),
    fault!("rot-read", RotRead, "fault: up to three bits of a block are flipped when it is read"),
    fault!("eio", Eio, "fault: reads that fail"),
    key!("volatile", Size, (0, 1 << 40), "completed writes that a power cut may lose or tear, until a flush", cut.volatile, Bytes, 0),
    key!("atomic", Size, (512, 1 << 30), "largest aligned part of a write that a power cut does not tear", cut.atomic, Bytes, 0),
    key!("cut-at", Time, (0, HOUR), "fault: time of a power cut, from the start of the warm-up; 0 for none", cut.at, Nanos, 0),
    SimulatedKey {
        name: "flush",
        unit: Unit::Flush,
        range: (0, 2),
        what: "fault: what a flush does: all that it promises, nothing, or only for some of the newer writes",
        get: |device| device.cut.flush as u64,
        set: |device, value| device.cut.flush = FlushLaw::ALL[value as usize].0,
    },
    key!("imbalance", Percent, (0, 1000), "fault: additional latency of every second thread", faults.imbalance, plain,),
];

/// Every law with its name, in the order of its number.
pub(super) const LAWS: [(ServiceLaw, &str); 3] = [
    (ServiceLaw::Constant, "constant"),
    (ServiceLaw::Lognormal, "lognormal"),
    (ServiceLaw::Exponential, "exponential"),
];

impl SimulatedKey {
    /// What a device has of it.
    pub fn of(&self, device: &SimulatedDevice) -> u64 {
        (self.get)(device)
    }

    /// The value in words that are read back.
    pub fn print(&self, value: u64) -> String {
        match self.unit {
            Unit::Count => value.to_string(),
            Unit::Percent => format!("{value}%"),
            Unit::Time => Nanos(value).to_string(),
            Unit::Size => Bytes(value).to_string(),
            Unit::Rate => format!("{}/s", Bytes(value)),
            Unit::Law => LAWS[value as usize].1.to_owned(),
            Unit::Flush => FlushLaw::ALL[value as usize].1.to_owned(),
            Unit::Fault => FaultPlan::print(value),
        }
    }

    /// What it accepts, for a message.
    pub fn accepted(&self) -> String {
        let (least, most) = self.range;
        let between = format!("from {} to {}", self.print(least), self.print(most));
        match self.unit {
            Unit::Count => format!("a whole number {between}"),
            Unit::Percent => format!("a whole number of percent {between}"),
            Unit::Time => format!("a time {between}, such as 250us or 8ms"),
            Unit::Size => format!("a size {between}, such as 4K or 64G"),
            Unit::Rate => format!("a size a second {between}, such as 200M/s"),
            Unit::Law => "constant, lognormal or exponential".to_owned(),
            Unit::Flush => "honest, ignored or reordered".to_owned(),
            Unit::Fault => {
                "one of so many blocks (1/500), or the block at a place (@128M)".to_owned()
            }
        }
    }

    /// The value that is written so; `None` where it is none that the parameter accepts.
    pub fn read(&self, text: &str) -> Option<u64> {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let value = match self.unit {
            Unit::Count => number(text),
            Unit::Percent => number(text.strip_suffix('%').unwrap_or(text)),
            Unit::Time => text.parse::<Nanos>().ok().map(|time| time.0),
            Unit::Size => text.parse::<Bytes>().ok().map(|size| size.0),
            Unit::Rate => {
                let size = text.strip_suffix("/s").unwrap_or(text);
                size.parse::<Bytes>().ok().map(|size| size.0)
            }
            Unit::Fault => FaultPlan::read(text),
            Unit::Flush => (0..)
                .zip(FlushLaw::ALL)
                .find(|(_, law)| law.1 == text)
                .map(|law| law.0),
            Unit::Law => (0..)
                .zip(LAWS)
                .find(|(_, law)| law.1 == text)
                .map(|law| law.0),
        };
        value.filter(|value| (self.range.0..=self.range.1).contains(value))
    }
}
