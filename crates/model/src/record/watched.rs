//! What was observed of one device: `fathom watch --record`.
//!
//! Counts and sums of each refresh as the kernel gave them, so that any stretch of them can be added up later. Deliberately
//! absent: rates and averages, which their readers divide; and what other devices did meanwhile, which is a record each.

use super::audited::Audit;
use super::counters::DeviceCounters;
use super::host::{BlockDevice, HostRecord};
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// A stretch of time in the life of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchRecord {
    /// Version of fathom.
    pub tool_version: String,
    /// The command line as it was given, program name first.
    pub command: Vec<String>,
    /// Wall clock at the start of the first moment: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// The machine.
    pub host: HostRecord,
    /// The device, as it was at the start.
    pub device: BlockDevice,
    /// How long a moment was to be.
    pub interval: Nanos,
    /// Each I/O could be timed (the kernel's tracepoints); else there are averages only.
    pub traced: bool,
    /// One after another, oldest first.
    pub moments: Vec<WatchMoment>,
    /// The account of the program that was observed; none of a watch of devices alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Box<Audit>>,
}

impl WatchRecord {
    /// Returns what was observed: the places that an audit names, else the device.
    pub fn target(&self) -> String {
        let places = self.audit.iter().flat_map(|audit| &audit.places);
        let named = places.filter(|place| place.named);
        let named: Vec<&str> = named.map(|place| place.path.as_str()).collect();
        match named.is_empty() {
            true => format!("/dev/{}", self.device.name),
            false => named.join(" "),
        }
    }
}

/// One refresh of one device: what happened since the refresh before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchMoment {
    /// Its end, since the watch began.
    pub at: Nanos,
    /// Its length. // above 0
    pub length: Nanos,
    /// Reads that were completed.
    pub reads: u64,
    /// Bytes that they transferred.
    pub read_bytes: Bytes,
    /// Sum of how long they took, in whole milliseconds as the kernel counts.
    pub read_time: Nanos,
    /// Writes that were completed.
    pub writes: u64,
    /// Bytes that they transferred.
    pub write_bytes: Bytes,
    /// Sum of how long they took, in whole milliseconds as the kernel counts.
    pub write_time: Nanos,
    /// Time in which at least one I/O was in flight.
    pub busy: Nanos,
    /// I/Os in flight at its end.
    pub in_flight: u64,
    /// Of I/Os that were timed one by one; `None` where there were none, or some of them were lost.
    pub latency: Option<WatchLatency>,
}

/// Latencies of the I/Os that were timed one by one, from their issue to the driver to their completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchLatency {
    /// How many were timed. // above 0
    pub timed: u64,
    /// Half of them took no longer.
    pub p50: Nanos,
    /// 99 of 100 took no longer; `None` for fewer than a hundred.
    pub p99: Option<Nanos>,
    /// The longest.
    pub max: Nanos,
}

impl WatchLatency {
    /// Of these, in any order, which it sorts; `None` of none. The rank is the nearest one (Hyndman and Fan 1996, type 1).
    pub fn of(times: &mut [Nanos]) -> Option<Self> {
        times.sort_unstable();
        let max = *times.last()?;
        let at = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
        Some(WatchLatency {
            timed: times.len() as u64,
            p50: at(50),
            p99: (times.len() >= 100).then(|| at(99)),
            max,
        })
    }
}

impl WatchMoment {
    /// Figures from a device's counters for the time between two readings of them.
    pub fn between(
        before: &DeviceCounters,
        after: &DeviceCounters,
        at: Nanos,
        length: Nanos,
    ) -> Self {
        let DeviceCounters {
            name: _,
            reads,
            reads_merged: _, // the device did not see them
            read_bytes,
            read_time,
            writes,
            writes_merged: _,
            write_bytes,
            write_time,
            in_flight,
            busy,
            discards: _,
            flushes: _,
        } = after;
        WatchMoment {
            at,
            length,
            reads: reads.saturating_sub(before.reads),
            read_bytes: Bytes(read_bytes.0.saturating_sub(before.read_bytes.0)),
            read_time: read_time.minus(before.read_time),
            writes: writes.saturating_sub(before.writes),
            write_bytes: Bytes(write_bytes.0.saturating_sub(before.write_bytes.0)),
            write_time: write_time.minus(before.write_time),
            in_flight: *in_flight,
            busy: busy.minus(before.busy),
            latency: None,
        }
    }

    /// Reads and writes a second.
    pub fn ios_per_s(&self) -> f64 {
        self.reads_per_s() + self.writes_per_s()
    }

    /// Reads a second.
    pub fn reads_per_s(&self) -> f64 {
        self.per_second(self.reads as f64)
    }

    /// Writes a second.
    pub fn writes_per_s(&self) -> f64 {
        self.per_second(self.writes as f64)
    }

    /// Bytes read a second.
    pub fn read_bytes_per_s(&self) -> f64 {
        self.per_second(self.read_bytes.0 as f64)
    }

    /// Bytes written a second.
    pub fn write_bytes_per_s(&self) -> f64 {
        self.per_second(self.write_bytes.0 as f64)
    }

    /// How long a read took on average, in nanoseconds; `None` without reads.
    pub fn read_ns(&self) -> Option<f64> {
        (self.reads > 0).then(|| self.read_time.0 as f64 / self.reads as f64)
    }

    /// How long a write took on average, in nanoseconds; `None` without writes.
    pub fn write_ns(&self) -> Option<f64> {
        (self.writes > 0).then(|| self.write_time.0 as f64 / self.writes as f64)
    }

    /// The same of both together.
    pub fn mean_ns(&self) -> Option<f64> {
        let (time, ios) = (
            self.read_time.0 + self.write_time.0,
            self.reads + self.writes,
        );
        (ios > 0).then(|| time as f64 / ios as f64)
    }

    /// I/Os in flight on average: the sum of their times over the length (Little 1961), as `aqu-sz` of iostat(1).
    pub fn queue(&self) -> f64 {
        let time = self.read_time.0 as f64 + self.write_time.0 as f64;
        if self.length.0 == 0 {
            0.0
        } else {
            time / self.length.0 as f64
        }
    }

    /// Share of the time in which at least one I/O was in flight. Of a device that does several at once 1 is not its limit.
    pub fn utilisation(&self) -> f64 {
        if self.length.0 == 0 {
            return 0.0;
        }
        (self.busy.0 as f64 / self.length.0 as f64).min(1.0)
    }

    fn per_second(&self, count: f64) -> f64 {
        if self.length.0 == 0 {
            0.0
        } else {
            count / self.length.as_seconds()
        }
    }

    /// All of these as one, for averages over them; the last one's end, queue and no percentiles.
    pub fn sum(moments: &[WatchMoment]) -> WatchMoment {
        moments
            .iter()
            .fold(WatchMoment::default(), |sum, moment| WatchMoment {
                at: moment.at,
                length: sum.length.plus(moment.length),
                reads: sum.reads + moment.reads,
                read_bytes: Bytes(sum.read_bytes.0 + moment.read_bytes.0),
                read_time: sum.read_time.plus(moment.read_time),
                writes: sum.writes + moment.writes,
                write_bytes: Bytes(sum.write_bytes.0 + moment.write_bytes.0),
                write_time: sum.write_time.plus(moment.write_time),
                busy: sum.busy.plus(moment.busy),
                in_flight: moment.in_flight,
                latency: None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_sums_over_counts_and_rates_sums_over_time() {
        let moment = WatchMoment {
            length: Nanos::seconds(2),
            reads: 100,
            read_bytes: Bytes(409_600),
            read_time: Nanos::millis(400),
            writes: 300,
            write_time: Nanos::millis(600),
            busy: Nanos::seconds(3),
            ..WatchMoment::default()
        };
        assert_eq!((moment.reads_per_s(), moment.writes_per_s()), (50.0, 150.0));
        assert_eq!(moment.read_bytes_per_s(), 204_800.0);
        assert_eq!(
            (moment.read_ns(), moment.write_ns()),
            (Some(4e6), Some(2e6))
        );
        assert_eq!((moment.mean_ns(), moment.queue()), (Some(2.5e6), 0.5));
        assert_eq!(moment.utilisation(), 1.0);
        assert_eq!(WatchMoment::default().ios_per_s(), 0.0);
        assert_eq!(WatchMoment::default().mean_ns(), None);
        assert_eq!(WatchMoment::sum(&[moment, moment]).ios_per_s(), 200.0);
    }

    #[test]
    fn a_percentile_needs_as_many_ios_as_it_divides() {
        let mut few: Vec<Nanos> = (1..=99).rev().map(Nanos).collect();
        let reported = WatchLatency::of(&mut few).unwrap();
        assert_eq!(
            (reported.p50, reported.p99, reported.max),
            (Nanos(50), None, Nanos(99))
        );
        let mut enough: Vec<Nanos> = (1..=200).map(Nanos).collect();
        assert_eq!(WatchLatency::of(&mut enough).unwrap().p99, Some(Nanos(198)));
        assert_eq!(WatchLatency::of(&mut []), None);
    }
}
