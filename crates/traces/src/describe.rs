//! The summary of a trace, from one pass over its records, in bounded memory.
//!
//! Omitted: the models of `fathom learn`, and text (`views`).

use crate::error::TraceError;
use crate::footprint::Footprint;
use crate::trace::Trace;
use model::trace::{
    TraceArrivals, TraceDevice, TraceOperation, TraceQuantiles, TraceRecord, TraceShare, TraceSize,
    TraceSummary,
};
use model::{LatencyHistogram, Nanos};
use std::collections::HashMap;

/// So many different sizes of an operation are counted; I/Os of further ones are counted together.
const SIZES_MAX: usize = 4096;
/// So many sizes are reported.
const SIZES_SHOWN: usize = 8;
/// A sequential I/O begins where one of so many last ones ended.
const RUNS: usize = 64;
/// A variance is computed from at least so many windows.
const WINDOWS_MIN: u64 = 10;

/// Reads a trace to its end and summarizes it.
///
/// # Errors
/// Those of the trace; a trace without I/Os.
pub fn describe(trace: &mut Trace) -> Result<TraceSummary, TraceError> {
    let mut description = Description::default();
    while let Some(record) = trace.read()? {
        description.take(&record);
    }
    description.summary(trace)
}

/// What is counted of the records so far.
#[derive(Default)]
pub struct Description {
    ios: u64,
    last: Nanos,
    shares: [Share; 4],       // by operation
    devices: Vec<(u64, u64)>, // I/Os and end, by number
    arrivals: Arrivals,
    latency: LatencyHistogram,
    footprint: Footprint,
}

#[derive(Default)]
struct Share {
    ios: u64,
    bytes: u64,
    sizes: HashMap<u64, u64>,
    other: u64,
    sequential: u64,
    runs: Runs,
}

/// The ends of the last runs of I/Os.
struct Runs {
    ends: [(u16, u64); RUNS],
    next: usize,
}

impl Default for Runs {
    fn default() -> Runs {
        Runs {
            ends: [(0, u64::MAX); RUNS],
            next: 0,
        }
    }
}

impl Runs {
    /// Returns whether the I/O continues a run; it is the end of one from now on.
    fn continues(&mut self, record: &TraceRecord) -> bool {
        let end = (record.device, record.offset + record.length);
        let begin = (record.device, record.offset);
        if let Some(run) = self.ends.iter_mut().find(|run| **run == begin) {
            *run = end;
            return true;
        }
        self.ends[self.next] = end;
        self.next = (self.next + 1) % RUNS;
        false
    }
}

/// I/Os by windows of one length.
struct Windows {
    length: Nanos,
    number: u64, // of the current window
    ios: u64,    // in it
    sum: u64,
    squares: f64,
    most: (u64, u64), // I/Os and number of the busiest
}

impl Windows {
    fn new(length: Nanos) -> Windows {
        Windows {
            length,
            number: 0,
            ios: 0,
            sum: 0,
            squares: 0.0,
            most: (0, 0),
        }
    }

    fn take(&mut self, at: Nanos) {
        let number = at.0 / self.length.0;
        if number != self.number {
            self.close();
            self.number = number;
        }
        self.ios += 1;
        if self.ios > self.most.0 {
            self.most = (self.ios, number);
        }
    }

    fn close(&mut self) {
        self.sum += self.ios;
        self.squares += (self.ios as f64).powi(2);
        self.ios = 0;
    }

    /// Returns variance over mean of the whole windows before the last I/O.
    fn dispersion(&self) -> Option<f64> {
        let (windows, sum) = (self.number, self.sum as f64);
        if windows < WINDOWS_MIN || self.sum == 0 {
            return None;
        }
        let n = windows as f64;
        let mean = sum / n;
        Some((self.squares / n - mean * mean) / mean * n / (n - 1.0))
    }

    fn busiest(&self) -> (u64, Nanos) {
        (self.most.0, Nanos(self.most.1 * self.length.0))
    }
}

struct Arrivals {
    short: Windows,
    seconds: Windows,
    minutes: Windows,
    gaps: LatencyHistogram,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            short: Windows::new(Nanos::millis(10)),
            seconds: Windows::new(Nanos::seconds(1)),
            minutes: Windows::new(Nanos::seconds(60)),
            gaps: LatencyHistogram::new(),
        }
    }
}

impl Description {
    /// Counts a record; their times ascend.
    pub fn take(&mut self, record: &TraceRecord) {
        if self.ios > 0 {
            self.arrivals.gaps.record(record.at.minus(self.last));
        }
        let arrivals = &mut self.arrivals;
        for windows in [
            &mut arrivals.short,
            &mut arrivals.seconds,
            &mut arrivals.minutes,
        ] {
            windows.take(record.at);
        }
        self.ios += 1;
        self.last = record.at;
        if let Some(latency) = record.latency {
            self.latency.record(latency);
        }
        let share = &mut self.shares[record.operation as usize];
        share.ios += 1;
        share.bytes = share.bytes.saturating_add(record.length);
        share.count_size(record.length);
        let number = usize::from(record.device);
        if self.devices.len() <= number {
            self.devices.resize(number + 1, (0, 0));
        }
        let device = &mut self.devices[number];
        device.0 += 1;
        if record.operation.transfers() {
            device.1 = device.1.max(record.offset + record.length);
            share.sequential += u64::from(share.runs.continues(record));
            self.footprint.count(record);
        }
    }

    /// Returns the summary of what was counted.
    ///
    /// # Errors
    /// Nothing was counted.
    pub fn summary(&self, trace: &Trace) -> Result<TraceSummary, TraceError> {
        if self.ios == 0 {
            return Err(TraceError::Request(format!(
                "the trace has no I/Os in this window: must have at least one (format {})",
                trace.format().name
            )));
        }
        let counts = trace.counts();
        let operations = TraceOperation::ALL.iter().zip(&self.shares);
        let operations = operations.filter(|(_, share)| share.ios > 0);
        let names = trace.devices().iter().zip(&self.devices);
        let devices = names.map(|(name, &(ios, end_bytes))| TraceDevice {
            name: name.clone(),
            ios,
            end_bytes,
        });
        let seconds = self.last.as_seconds();
        let in_flight = self.latency.sum_ns() as f64 / 1e9 / seconds;
        Ok(TraceSummary {
            format: trace.format().name.to_owned(),
            ios: self.ios,
            duration_ns: self.last,
            resolution_ns: trace.resolution(),
            lost: counts.lost,
            skipped: counts.skipped,
            operations: operations
                .map(|(one, share)| share.summary(one.1))
                .collect(),
            devices: devices.filter(|device| device.ios > 0).collect(),
            arrivals: self.arrivals.summary(),
            latency: quantiles(&self.latency),
            mean_in_flight: (self.latency.count() > 0 && seconds > 0.0).then_some(in_flight),
            working_set: self.footprint.summary(),
        })
    }
}

impl Share {
    fn count_size(&mut self, length: u64) {
        if let Some(count) = self.sizes.get_mut(&length) {
            *count += 1;
        } else if self.sizes.len() < SIZES_MAX {
            self.sizes.insert(length, 1);
        } else {
            self.other += 1;
        }
    }

    fn summary(&self, operation: TraceOperation) -> TraceShare {
        let mut sizes: Vec<TraceSize> = self
            .sizes
            .iter()
            .map(|(&bytes, &ios)| TraceSize { bytes, ios })
            .collect();
        sizes.sort_unstable_by_key(|size| (std::cmp::Reverse(size.ios), size.bytes));
        let rare = sizes.iter().skip(SIZES_SHOWN).map(|size| size.ios);
        let other_sizes = self.other + rare.sum::<u64>();
        sizes.truncate(SIZES_SHOWN);
        TraceShare {
            operation,
            ios: self.ios,
            bytes: self.bytes,
            sizes,
            other_sizes,
            sequential: self.sequential,
        }
    }
}

impl Arrivals {
    fn summary(&self) -> TraceArrivals {
        let (busiest_second_ios, busiest_second_at_ns) = self.seconds.busiest();
        let (busiest_minute_ios, busiest_minute_at_ns) = self.minutes.busiest();
        TraceArrivals {
            busiest_second_ios,
            busiest_second_at_ns,
            busiest_minute_ios,
            busiest_minute_at_ns,
            gaps: quantiles(&self.gaps),
            dispersion_10ms: self.short.dispersion(),
            dispersion_1s: self.seconds.dispersion(),
        }
    }
}

fn quantiles(histogram: &LatencyHistogram) -> Option<TraceQuantiles> {
    Some(TraceQuantiles {
        p50_ns: histogram.quantile(0.5)?,
        p99_ns: histogram.quantile(0.99)?,
        max_ns: histogram.max()?,
    })
}
