//! A simulated device: when an I/O that comes now will be done, and its counters.
//!
//! Parts in the order in which an I/O meets them: the host's cache, the host's throttle, the queue, the caps (token
//! buckets, as the generic cell rate algorithm has them: ITU-T I.371), the ceiling of bandwidth, the device's caches, a
//! channel. Each part serves in the order of arrival, so that the end of an I/O is known the moment it comes, and a
//! simulated I/O costs tens of nanoseconds. Where an order of service is what matters (an elevator), its gain follows
//! from the queue that an I/O finds. Deliberately absent: threads and clocks.

use super::service_time::{Law, uniform};
use super::speed::Speed;
use crate::rng::Rng;
use model::{Bytes, DeviceCounters, NEIGHBOUR_BLOCK, Nanos, Operation, SimulatedDevice};
use std::cell::RefCell;
use std::rc::Rc;

/// What the host's cache takes for an I/O.
const FROM_MEMORY: f64 = 2_000.0;
const NS_PER_S: f64 = 1e9;
/// Random numbers of devices lie this far from those of offsets and arrivals.
const STREAM: u64 = 3 << 62;

/// One I/O that comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) at: Nanos,
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) thread: u32,
}

/// What will come of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Promise {
    pub(crate) due: Nanos,
    /// When the device got it, which its counters begin with.
    pub(crate) entered: Nanos,
    /// Whether the device sees it at all.
    pub(crate) seen: bool,
}

/// A device at work. All times are nanoseconds on the run's clock.
pub(crate) struct Device {
    is: SimulatedDevice,
    law: Law,
    rng: Rng,
    speed: Speed,
    channels: Box<[f64]>, // when each is free
    queue: Box<[f64]>,    // when each of its places is free; empty without a limit
    gains: Box<[f64]>,    // of positioning, by I/Os outstanding
    hits: f64,            // share of reads that the cache serves
    limits: Limits,
    ended_at: u64, // where the last I/O ended
    neighbour_at: f64,
    counted: Counted,
}

/// What may delay an I/O before the device serves it.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    throttle: Bucket,  // of the host
    caps: [Bucket; 2], // I/Os, bytes
    roof_free: f64,
    kept: f64, // bytes in the write cache
    kept_at: f64,
}

/// The counters.
struct Counted {
    outstanding: u64,
    counters: DeviceCounters,
    busy_until: Nanos, // counted as busy up to then
}

/// A device that others ask too.
pub(super) type SharedDevice = Rc<RefCell<Device>>;

/// A token bucket: the moment at which it would be full.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    full_at: f64,
}

impl Bucket {
    /// When something of this cost may go that comes at `at`; `ahead` is what may run ahead.
    fn take(&mut self, at: f64, cost: f64, ahead: f64) -> f64 {
        let start = at.max(self.full_at - ahead);
        self.full_at = self.full_at.max(start) + cost;
        start
    }
}

impl Device {
    /// A device of which a range of so many bytes is used; `number` distinguishes those of a plan.
    pub(crate) fn new(is: &SimulatedDevice, range: Bytes, seed: u64, number: u64) -> Self {
        let keep = 1.0 - is.elevator as f64 / 100.0;
        let deepest = if is.queue > 0 { is.queue } else { 1024 };
        let gain = |depth: u64| keep.powf((depth.max(1) as f64).log2());
        let mut rng = Rng::new(seed, STREAM.wrapping_add(number));
        let neighbour_at = match is.faults.neighbour {
            0 => f64::INFINITY,
            rate => -uniform(&mut rng).ln() * NS_PER_S / rate as f64,
        };
        Device {
            law: Law::new(is.law, is.spread),
            speed: Speed::new(is, seed, number).of_age(is.past.age),
            channels: vec![0.0; is.channels as usize].into(),
            queue: vec![0.0; is.queue as usize].into(),
            gains: (0..=deepest).map(gain).collect(),
            hits: (is.cache.0 as f64 / range.0.max(1) as f64).min(1.0),
            limits: Limits {
                kept: is.past.cached.0 as f64,
                ..Limits::default()
            },
            ended_at: u64::MAX,
            neighbour_at,
            counted: Counted {
                outstanding: 0,
                counters: DeviceCounters {
                    name: is.to_string(),
                    ..DeviceCounters::default()
                },
                busy_until: Nanos(0),
            },
            is: *is,
            rng,
        }
    }

    /// Takes an I/O. Those of all threads come in the order of time.
    pub(crate) fn take(&mut self, io: Request) -> Promise {
        let at = io.at.0 as f64;
        self.let_others_in(at);
        let slow = self.speed.slowness(io.at);
        let page_cache = self.is.faults.page_cache;
        let seen = page_cache == 0 || self.rng.below(100) >= page_cache;
        let (entered, mut due) = if seen {
            self.serve(io, slow)
        } else {
            (at, at + FROM_MEMORY)
        };
        if io.thread % 2 == 1 {
            due += (due - at) * self.is.faults.imbalance as f64 / 100.0;
        }
        let due = Nanos(due.round() as u64).max(io.at.plus(Nanos(1)));
        let entered = Nanos(entered as u64).min(due);
        if seen {
            self.counted.outstanding += 1;
            let fresh = due.minus(entered.max(self.counted.busy_until));
            self.counted.counters.busy = self.counted.counters.busy.plus(fresh);
            self.counted.busy_until = self.counted.busy_until.max(due);
        }
        Promise { due, entered, seen }
    }

    /// An I/O that was taken is done.
    pub(crate) fn complete(&mut self, io: Request, promise: Promise) {
        if !promise.seen {
            return;
        }
        self.counted.outstanding -= 1;
        let requests = match self.is.request_max.0 {
            0 => 1,
            most => io.length.div_ceil(most),
        };
        let time = promise.due.minus(promise.entered);
        self.count(io.operation, requests, io.length, time);
    }

    /// The counters at `now`.
    pub(crate) fn counters(&mut self, now: Nanos) -> DeviceCounters {
        self.let_others_in(now.0 as f64);
        let mut counters = self.counted.counters.clone();
        counters.in_flight = self.counted.outstanding;
        counters.busy = counters.busy.minus(self.counted.busy_until.minus(now)); // it is counted ahead
        counters
    }

    fn count(&mut self, operation: Operation, requests: u64, bytes: u64, time: Nanos) {
        let time = Nanos(time.0.saturating_mul(requests));
        let counters = &mut self.counted.counters;
        match operation {
            Operation::Read => {
                counters.reads += requests;
                counters.read_bytes.0 += bytes;
                counters.read_time = counters.read_time.plus(time);
            }
            Operation::Write => {
                counters.writes += requests;
                counters.write_bytes.0 += bytes;
                counters.write_time = counters.write_time.plus(time);
            }
        }
    }

    /// Through all parts: when the device gets it, and when it is done.
    fn serve(&mut self, io: Request, slow: f64) -> (f64, f64) {
        let mut entered = io.at.0 as f64;
        if self.is.faults.throttle > 0 {
            let cost = NS_PER_S / self.is.faults.throttle as f64;
            entered = self.limits.throttle.take(entered, cost, 0.0);
        }
        let place = earliest(&self.queue);
        if let Some(place) = place {
            entered = entered.max(self.queue[place]);
        }
        let at = self.pass_caps(entered, io.length as f64, slow);
        let at = self.pass_roof(at, io, slow);
        let mut done = match self.serve_from_cache(at, io, slow) {
            Some(done) => self.speed.after_pause(done),
            None => self.serve_on_channel(at, io, slow),
        };
        self.ended_at = io.offset + io.length;
        if self.is.cliff > 0 && self.counted.outstanding >= self.is.cliff {
            done += self.is.cliff_latency.0 as f64;
        }
        let tail = self.is.uneven.tail;
        if tail > 0 && self.rng.below(tail) == 0 {
            done += self.is.uneven.tail_latency.0 as f64; // its channel is free meanwhile
        }
        if let Some(place) = place {
            self.queue[place] = done;
        }
        (entered, done)
    }

    fn pass_caps(&mut self, at: f64, bytes: f64, slow: f64) -> f64 {
        let mut at = at;
        if self.is.cap_iops > 0 {
            let cost = NS_PER_S / self.is.cap_iops as f64 * slow;
            at = self.limits.caps[0].take(at, cost, cost * self.is.burst as f64);
        }
        if self.is.cap_bandwidth > 0 {
            let cost = bytes * NS_PER_S / self.is.cap_bandwidth as f64 * slow;
            at = self.limits.caps[1].take(at, cost, 0.0);
        }
        at
    }

    fn pass_roof(&mut self, at: f64, io: Request, slow: f64) -> f64 {
        let roof = bandwidth(&self.is, io.operation);
        if roof == 0 {
            return at;
        }
        self.limits.roof_free =
            self.limits.roof_free.max(at) + io.length as f64 * NS_PER_S / roof as f64 * slow;
        self.limits.roof_free
    }

    /// `None` for what no cache of the device serves.
    fn serve_from_cache(&mut self, at: f64, io: Request, slow: f64) -> Option<f64> {
        let mut at = at;
        match io.operation {
            Operation::Read if self.hits > 0.0 || self.is.uneven.unwritten > 0 => {
                let unwritten = self.is.uneven.unwritten;
                let blank = unwritten > 0 && self.rng.below(100) < unwritten;
                let hit =
                    self.hits >= 1.0 || self.hits > 0.0 && uniform(&mut self.rng) <= self.hits;
                if !blank && !hit {
                    return None;
                }
            }
            Operation::Write if self.is.write_cache.0 > 0 => {
                let drain = self.is.drain as f64 / slow / NS_PER_S; // bytes a nanosecond
                self.limits.kept =
                    (self.limits.kept - drain * (at - self.limits.kept_at).max(0.0)).max(0.0);
                self.limits.kept_at = self.limits.kept_at.max(at);
                self.limits.kept += io.length as f64;
                let over = self.limits.kept - self.is.write_cache.0 as f64;
                at += (over / drain).max(0.0);
            }
            _ => return None,
        }
        Some(at + self.is.hit.0 as f64 * self.law.draw(&mut self.rng) * slow)
    }

    fn serve_on_channel(&mut self, at: f64, io: Request, slow: f64) -> f64 {
        let service = match io.operation {
            Operation::Read => self.is.service,
            Operation::Write => self.is.write_service,
        };
        let mut mean = service.0 as f64;
        if io.offset != self.ended_at {
            let found = (self.counted.outstanding as usize + 1).min(self.gains.len() - 1);
            mean += self.is.position.0 as f64 * self.gains[found];
        }
        let mut time = mean * self.law.draw(&mut self.rng);
        if self.is.media > 0 {
            time += io.length as f64 * NS_PER_S / self.is.media as f64;
        }
        let channel = earliest(&self.channels).expect("at least one channel");
        let start = self.channels[channel].max(at);
        let done = self.speed.after_pause(start + time * slow);
        self.channels[channel] = done;
        done
    }

    /// Takes the I/Os of the neighbour that came until then.
    fn let_others_in(&mut self, until: f64) {
        while self.neighbour_at <= until {
            let at = self.neighbour_at;
            let io = Request {
                at: Nanos(at as u64),
                operation: Operation::Read,
                offset: self.rng.bits() >> 16,
                length: NEIGHBOUR_BLOCK.0,
                thread: 0,
            };
            let slow = self.speed.slowness(io.at);
            let roofed = self.pass_roof(at, io, slow);
            let done = self.serve_on_channel(roofed, io, slow);
            self.count(io.operation, 1, io.length, Nanos((done - at) as u64));
            let gap = -uniform(&mut self.rng).ln() * NS_PER_S / self.is.faults.neighbour as f64;
            self.neighbour_at = at + gap;
        }
    }
}

/// The place that is free first.
fn earliest(free_at: &[f64]) -> Option<usize> {
    let first = free_at.first()?;
    let (mut place, mut least) = (0, *first);
    for (other, &time) in free_at.iter().enumerate().skip(1) {
        if time < least {
            (place, least) = (other, time);
        }
    }
    Some(place)
}

/// The ceiling for an operation; 0 for none.
pub(super) fn bandwidth(is: &SimulatedDevice, operation: Operation) -> u64 {
    match operation {
        Operation::Write if is.write_bandwidth > 0 => is.write_bandwidth,
        _ => is.bandwidth,
    }
}
