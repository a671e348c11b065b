//! What is known of a simulated device before it runs: its peak, its latency alone, and what limits it.
//!
//! Sources: the operational laws (Denning and Buzen, Computing Surveys 10(3), 1978): with a fixed number outstanding the
//! rate is at most that number divided by the latency alone, and at most the peak; for channels whose service times have
//! any law, without a ceiling of bandwidth between, both bounds are reached. For random arrivals at channels with
//! exponential service times the wait is Erlang's (M/M/c: Kleinrock, Queueing Systems, volume 1, sections 3.4 and 3.5).
//! Omitted: faults, and what the order of arrival does near the knee of a ceiling.

use super::device::bandwidth;
use super::service_time::Law;
use model::{Bytes, Operation, Ratio, ServiceLaw, SimulatedDevice};

const NS_PER_S: f64 = 1e9;

/// What limits the rate at its peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The time that channels are busy.
    Channels,
    /// The ceiling of bandwidth.
    Bandwidth,
    /// The cap on IOPS.
    CapIops,
    /// The cap on bytes per second.
    CapBandwidth,
    /// The latency beyond the cliff.
    Cliff,
}

/// What is known of a device under a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth {
    /// Mean latency with nothing else outstanding.
    pub latency_alone_ns: f64,
    /// The most IOPS, over all depths.
    pub peak_per_s: f64,
    /// What limits it.
    pub limit: Limit,
    /// I/Os outstanding at which the bounds cross: peak × latency alone.
    pub knee: f64,
    device: SimulatedDevice,
    fixed_ns: f64,    // of the latency: what is not on a channel
    service_ns: f64,  // on a channel, without positioning
    position_ns: f64, // on a channel, with nothing else outstanding
}

/// What a device has when blocks of this size are read and written over a range.
///
/// Sequential I/O of one thread needs no positioning. Writes into a write cache are as fast as the cache for as long as it
/// is not full, and this is the time after that.
pub fn truth(
    device: &SimulatedDevice,
    block: Bytes,
    range: Bytes,
    write: Ratio,
    sequential: bool,
) -> Truth {
    let written = f64::from(write.as_percent()) / 100.0;
    let mixed = |read: f64, write: f64| (1.0 - written) * read + written * write;
    let bytes = block.0 as f64;
    let hits = (device.cache.0 as f64 / range.0.max(1) as f64).min(1.0);
    let per = |rate: u64| match rate {
        0 => 0.0,
        rate => bytes * NS_PER_S / rate as f64,
    };
    let kept = device.write_cache.0 > 0;
    let on_channel = mixed(1.0 - hits, f64::from(u8::from(!kept))); // share of the I/Os
    let service_ns = mixed(
        (1.0 - hits) * device.service.0 as f64,
        if kept {
            0.0
        } else {
            device.write_service.0 as f64
        },
    ) + on_channel * per(device.media);
    let position_ns = match sequential {
        true => 0.0,
        false => on_channel * device.position.0 as f64,
    };
    let roof_ns = mixed(
        per(bandwidth(device, Operation::Read)),
        per(bandwidth(device, Operation::Write)),
    );
    let fixed_ns = roof_ns + (1.0 - on_channel) * device.hit.0 as f64;
    let drained_ns = if kept {
        written * per(device.drain)
    } else {
        0.0
    };
    let mut known = Truth {
        latency_alone_ns: fixed_ns + service_ns + position_ns,
        peak_per_s: f64::INFINITY,
        limit: Limit::Channels,
        knee: 0.0,
        device: *device,
        fixed_ns,
        service_ns,
        position_ns,
    };
    let cap_ns = |cap: u64| if cap > 0 { NS_PER_S / cap as f64 } else { 0.0 };
    let channel_ns = known.channel_ns(device.queue.max(1)) / device.channels as f64;
    for (limit, each_ns) in [
        (Limit::Channels, channel_ns),
        (Limit::Bandwidth, roof_ns.max(drained_ns)),
        (Limit::CapIops, cap_ns(device.cap_iops)),
        (Limit::CapBandwidth, per(device.cap_bandwidth)),
        (Limit::Cliff, known.below_cliff_ns()),
    ] {
        let most = NS_PER_S / each_ns;
        if each_ns > 0.0 && most < known.peak_per_s {
            (known.peak_per_s, known.limit) = (most, limit);
        }
    }
    known.knee = known.peak_per_s * known.latency_alone_ns / NS_PER_S;
    known
}

impl Truth {
    /// Time on a channel of an I/O that finds the device with so many outstanding, itself among them.
    fn channel_ns(&self, depth: u64) -> f64 {
        let keep = 1.0 - self.device.elevator as f64 / 100.0;
        let depth = match self.device.queue {
            0 => depth.min(1024),
            most => depth.min(most),
        };
        self.service_ns + self.position_ns * keep.powf((depth.max(1) as f64).log2())
    }

    /// The time from one I/O to the next at the deepest depth before the cliff; 0 without one.
    fn below_cliff_ns(&self) -> f64 {
        match self.device.cliff {
            0 => 0.0,
            depth => self.latency_alone_ns / depth as f64,
        }
    }

    /// IOPS with so many outstanding all the time: exact for channels alone and for one channel with
    /// positioning; a bound from above near the knee of a cap or a ceiling of bandwidth. None beyond a cliff.
    pub fn rate_at(&self, outstanding: u64) -> Option<f64> {
        if self.device.cliff > 0 && outstanding > self.device.cliff {
            return None;
        }
        let busy = self.channel_ns(outstanding);
        let alone = outstanding as f64 * NS_PER_S / (self.fixed_ns + busy);
        let channels = self.device.channels as f64 * NS_PER_S / busy;
        let others = match self.limit {
            Limit::Channels => f64::INFINITY,
            _ => self.peak_per_s,
        };
        Some(alone.min(channels).min(others))
    }

    /// The latency that this share of the I/Os does not exceed when nothing else is outstanding, where only channels take
    /// time. // quantile in [0, 1]
    pub fn quantile_alone_ns(&self, quantile: f64) -> Option<f64> {
        let plain = self.fixed_ns == 0.0 && self.device.media == 0;
        let law = Law::new(self.device.law, self.device.spread);
        plain.then(|| (self.service_ns + self.position_ns) * law.quantile(quantile))
    }

    /// The response time that this share of randomly arriving I/Os does not exceed; only for channels with exponential
    /// service times and nothing else, below their peak. // quantile in (0, 1)
    pub fn response_quantile_ns(&self, rate_per_s: f64, quantile: f64) -> Option<f64> {
        let closed = self.device.law == ServiceLaw::Exponential
            && self.fixed_ns == 0.0
            && self.limit == Limit::Channels
            && self.position_ns == 0.0
            && rate_per_s < self.peak_per_s;
        if !closed {
            return None;
        }
        let channels = self.device.channels as f64;
        let load = rate_per_s * self.service_ns / NS_PER_S; // channels busy on average
        let waits = erlang_c(self.device.channels, load);
        let spare = channels - load;
        let exceeds = |time: f64| {
            // P(response > t) with service rate 1; the two rates are identical where one channel is spare.
            let apart = spare - 1.0;
            let wait = if apart.abs() < 1e-9 {
                waits * time * (-time).exp()
            } else {
                waits * ((-time).exp() - (-spare * time).exp()) / apart
            };
            (-time).exp() + wait
        };
        let (mut low, mut high) = (0.0, 1.0);
        while exceeds(high) > 1.0 - quantile {
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if exceeds(middle) > 1.0 - quantile {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high * self.service_ns)
    }
}

/// The share of arrivals that find all channels busy, by Erlang's B formula in its recursive form.
fn erlang_c(channels: u64, load: f64) -> f64 {
    let blocked = (1..=channels).fold(1.0, |blocked, channel| {
        load * blocked / (channel as f64 + load * blocked)
    });
    let busy = load / channels as f64;
    blocked / (1.0 - busy * (1.0 - blocked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erlangs_tables_are_met() {
        // Cooper, Introduction to Queueing Theory, appendix: one server is its load; two at 1 erlang a third.
        assert!((erlang_c(1, 0.6) - 0.6).abs() < 1e-12);
        assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn one_exponential_channel_responds_exponentially() {
        let device: SimulatedDevice =
            "sim:ssd,channels=1,law=exponential,service=1ms,bandwidth=0,write-bandwidth=0"
                .parse()
                .unwrap();
        let truth = truth(&device, Bytes::kib(4), Bytes::gib(1), Ratio::NONE, false);
        let p99 = truth.response_quantile_ns(600.0, 0.99).unwrap();
        let expected = 1e6 / (1.0 - 0.6) * 100f64.ln(); // M/M/1
        assert!((p99 / expected - 1.0).abs() < 1e-6, "{p99} {expected}");
    }
}
