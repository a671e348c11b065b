//! What was seen of a device while it was watched: averages over all of it, its busiest moment, its worst percentile.
//!
//! Averages are sums over sums. Percentiles of single moments cannot be put together, so the worst one is reported with its
//! time. Deliberately absent: an interval around any figure. An observed program does not do the same all the time.

use model::{Nanos, WatchMoment, WatchRecord};
use schemars::JsonSchema;
use serde::Serialize;

/// One device over a stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WatchReport {
    /// Kernel name.
    pub device: String,
    /// Start: nanoseconds since 1970 in UTC.
    pub started_utc_ns: u64,
    /// Name of the machine.
    pub host: String,
    /// Number of samples.
    pub interval_ns: u64,
    /// How long it was watched.
    pub watched_ns: u64,
    /// Single I/Os were timed; else there are no percentiles.
    pub traced: bool,
    /// Averages over all of it.
    pub mean: WatchFigures,
    /// The moment with the most IOPS; none of a watch without moments.
    pub busiest: Option<WatchFigures>,
    /// The moment with the largest 99th percentile; none where no moment has one.
    pub slowest: Option<WatchFigures>,
    /// Every moment, oldest first.
    pub moments: Vec<WatchFigures>,
}

/// A moment, or the average of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WatchFigures {
    /// Its end, since the watch began.
    pub at_ns: u64,
    /// Reads a second.
    pub read_iops: f64,
    /// Writes a second.
    pub write_iops: f64,
    /// Bytes read a second.
    pub read_bytes_per_s: f64,
    /// Bytes written a second.
    pub write_bytes_per_s: f64,
    /// How long a read took on average; none without reads.
    pub read_latency_mean_ns: Option<f64>,
    /// How long a write took on average; none without writes.
    pub write_latency_mean_ns: Option<f64>,
    /// Half of the I/Os that were timed took no longer; none of an average.
    pub latency_p50_ns: Option<u64>,
    /// 99 of 100 of them took no longer; none of an average.
    pub latency_p99_ns: Option<u64>,
    /// I/Os in flight on average.
    pub in_flight_mean: f64,
    /// Share of the time with an I/O in flight, 0 to 1: no limit of a device that does several at once.
    pub busy_share: f64,
}

impl WatchFigures {
    fn of(moment: &WatchMoment) -> Self {
        let latency = moment.latency;
        WatchFigures {
            at_ns: moment.at.0,
            read_iops: moment.reads_per_s(),
            write_iops: moment.writes_per_s(),
            read_bytes_per_s: moment.read_bytes_per_s(),
            write_bytes_per_s: moment.write_bytes_per_s(),
            read_latency_mean_ns: moment.read_ns(),
            write_latency_mean_ns: moment.write_ns(),
            latency_p50_ns: latency.map(|latency| latency.p50.0),
            latency_p99_ns: latency.and_then(|latency| Some(latency.p99?.0)),
            in_flight_mean: moment.queue(),
            busy_share: moment.utilisation(),
        }
    }
}

/// The text on one record.
pub fn watch_report(record: &WatchRecord) -> WatchReport {
    let WatchRecord {
        tool_version: _,
        command: _,
        started_utc,
        host,
        device,
        interval,
        traced,
        moments,
        audit: _, // has a report of its own
    } = record;
    let sum = WatchMoment::sum(moments);
    let rate = |moment: &&WatchMoment| moment.ios_per_s();
    let busiest = moments.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)));
    let p99 = |moment: &WatchMoment| -> Option<Nanos> { moment.latency?.p99 };
    let slowest = moments.iter().filter(|moment| p99(moment).is_some());
    WatchReport {
        device: device.name.clone(),
        started_utc_ns: started_utc.0,
        host: host.hostname.clone(),
        interval_ns: interval.0,
        watched_ns: sum.length.0,
        traced: *traced,
        mean: WatchFigures::of(&sum),
        busiest: busiest.map(WatchFigures::of),
        slowest: slowest
            .max_by_key(|moment| p99(moment))
            .map(WatchFigures::of),
        moments: moments.iter().map(WatchFigures::of).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BlockDevice, HostRecord, WatchLatency};

    #[test]
    fn averages_are_over_time_and_extremes_are_moments() {
        let moment = |second: u64, reads: u64, p99: Option<u64>| WatchMoment {
            at: Nanos::seconds(second),
            length: Nanos::seconds(1),
            reads,
            read_time: Nanos::millis(reads),
            latency: p99.map(|p99| WatchLatency {
                timed: reads,
                p99: Some(Nanos(p99)),
                ..WatchLatency::default()
            }),
            ..WatchMoment::default()
        };
        let report = watch_report(&WatchRecord {
            tool_version: "0".to_owned(),
            command: Vec::new(),
            started_utc: Nanos(0),
            host: HostRecord::default(),
            device: BlockDevice::default(),
            interval: Nanos::seconds(1),
            traced: true,
            moments: vec![
                moment(1, 100, Some(9)),
                moment(2, 300, Some(5)),
                moment(3, 200, None),
            ],
            audit: None,
        });
        assert_eq!(
            (report.mean.read_iops, report.mean.read_latency_mean_ns),
            (200.0, Some(1e6))
        );
        assert_eq!(report.mean.latency_p99_ns, None);
        assert_eq!(report.busiest.unwrap().at_ns, 2_000_000_000);
        assert_eq!(report.slowest.unwrap().latency_p99_ns, Some(9));
        assert_eq!(
            (report.moments.len(), report.watched_ns),
            (3, 3_000_000_000)
        );
    }
}
