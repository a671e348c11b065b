//! How far the figures of one run may be off, found within that run.
//!
//! All of it on a logarithmic scale, where a ratio is a difference. The measured phase is cut into its intervals. Their
//! values are autocorrelated, so the error of their mean is the largest of three: that of a first-order autoregressive
//! series, with the correlation corrected for its bias (Marriott and Pope, Biometrika 41 (1954), page 390; effective sample
//! size as in Thiébaux and Zwiers, J. Climate Appl. Meteor. 23 (1984), page 800); the same of means of two, where a slow
//! swing lies below fast noise; and that of batch means (Law, Simulation Modeling and Analysis, chapter 9). Degrees of
//! freedom are those of the effective sample size. It is wider than the interval of a run by itself, on purpose: a
//! comparison that cries wolf is worse than one that asks for a longer run. Over simulated pairs of runs (`tests`) it cries
//! wolf less than once in twenty.
//!
//! A percentile's interval is that of Woodruff (JASA 47 (1952), page 635): the error of the share that lies below it,
//! carried back through the histogram; the number of I/Os is divided by the design effect, which is how much more the mean
//! latency varies from interval to interval than independent I/Os would. I/Os of one queue wait for the same stall, so that
//! beyond p90 no more are counted as independent than whole queues went by. The swing of the whole level is added.
//! Deliberately absent: two runs, which are `change`'s.

use super::metric::{Clock, Kind, METRICS, Metric};
use crate::rows::Sums;
use crate::student::t_point;
use model::{Interval, LatencyHistogram, Operation, RunRecord, Tally};

/// Fewer intervals do not report it how they are autocorrelated: simulated series of fewer cried wolf more than once in 20
/// times.
pub(super) const INTERVALS_MIN: usize = 8;
/// A bucket of the histogram is at most so wide, as a share of the latency.
const BUCKET_SHARE: f64 = 0.004;

/// Standard errors of the logarithm of a figure, below and above it, and what they rest on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) freedom: f64,
}

/// The spread of every figure, in the order of `METRICS`; none where the run does not report it.
pub(super) fn spreads(record: &RunRecord, sums: Sums) -> Vec<Option<Spread>> {
    let Sums {
        each: [read, write],
        total,
    } = sums;
    let [total, read, write] = [total, read, write].map(|tally| Course::of(record, tally));
    METRICS
        .iter()
        .map(|metric| match metric.of {
            None => total.spread(metric),
            Some(Operation::Read) => read.spread(metric),
            Some(Operation::Write) => write.spread(metric),
        })
        .collect()
}

/// The course of one operation over the measured phase.
struct Course {
    tally: Tally,
    /// Of I/Os, bytes and mean latency; none where there are too few intervals, or empty ones.
    rate: Option<Spread>,
    flow: Option<Spread>,
    mean: Option<Spread>,
    in_flight: f64,
    paced: bool,
}

impl Course {
    fn of(record: &RunRecord, tally: Tally) -> Course {
        let step = record.plan.interval.0.max(1);
        let whole = (record.phases.measured().0 / step) as usize; // the last may be shorter
        let steps: Vec<Interval> = tally.intervals.iter().copied().take(whole).collect();
        let series =
            |of: fn(&Interval) -> f64| relative_error(&steps.iter().map(of).collect::<Vec<_>>());
        let some = steps.iter().all(|step| step.ios > 0);
        let threads: f64 = record
            .plan
            .targets
            .iter()
            .map(|target| f64::from(target.threads) * f64::from(target.workload.queue_depth.0))
            .sum();
        // At the edges of the phase so many I/Os may be counted or not.
        let edge = 0.5 * (1.0 + threads) / (tally.ios.max(1) as f64);
        let at_least = |spread: Spread| Spread {
            low: spread.low.max(edge),
            high: spread.high.max(edge),
            ..spread
        };
        Course {
            rate: series(|step| step.ios as f64).map(at_least),
            flow: series(|step| step.bytes.0 as f64).map(at_least),
            mean: some
                .then(|| series(|step| step.latency_sum.0 as f64 / step.ios as f64))
                .flatten(),
            in_flight: threads.max(1.0),
            paced: record.plan.arrivals.is_some(),
            tally,
        }
    }

    fn spread(&self, metric: &Metric) -> Option<Spread> {
        match metric.kind {
            Kind::Rate => self.rate,
            Kind::Flow => self.flow,
            Kind::Mean(Clock::Latency) => self.mean,
            // The series does not keep response times; that of the latencies is not sufficient.
            Kind::Mean(Clock::Response) => None,
            Kind::At(Clock::Latency, quantile) => self.at(&self.tally.latency, quantile),
            Kind::At(Clock::Response, quantile) => self.at(self.tally.response.as_ref()?, quantile),
        }
    }

    fn at(&self, histogram: &LatencyHistogram, quantile: f64) -> Option<Spread> {
        let mean = self.mean?;
        let level = if self.paced { mean } else { self.rate? };
        let count = histogram.count() as f64;
        let mut independent = count / self.design_effect(mean);
        if quantile > 0.9 {
            independent = independent.min(count / self.in_flight);
        }
        let z = 1.96;
        let off = z * (quantile * (1.0 - quantile) / independent.max(1.0)).sqrt();
        // Beyond the largest I/O, or with fewer than a handful of independent ones beyond it, nothing is known.
        if quantile + off >= 1.0 || quantile <= off || independent * (1.0 - quantile) < 5.0 {
            return None;
        }
        let time = |quantile| Some((histogram.quantile(quantile)?.0.max(1) as f64).ln());
        let (low, value, high) = (
            time(quantile - off)?,
            time(quantile)?,
            time(quantile + off)?,
        );
        let beside = (level.low.powi(2) + (BUCKET_SHARE / z).powi(2)).sqrt();
        Some(Spread {
            low: ((value - low) / z).hypot(beside),
            high: ((high - value) / z).hypot(beside),
            freedom: level.freedom,
        })
    }

    /// How many times more the mean varies than that of independent I/Os would. // at least 1
    fn design_effect(&self, mean: Spread) -> f64 {
        let histogram = &self.tally.latency;
        let (Some(center), count) = (histogram.mean_ns(), histogram.count() as f64) else {
            return 1.0;
        };
        let squares: f64 = histogram
            .buckets()
            .map(|(from, to, ios)| {
                let at = (from.0 as f64 + to.0 as f64) / 2.0;
                (at - center).powi(2) * ios as f64
            })
            .sum();
        let single = squares / count.max(1.0) / center.powi(2).max(1.0);
        let found = mean.low.powi(2) * count / single;
        if found.is_finite() {
            found.max(1.0)
        } else {
            1.0
        }
    }
}

/// The standard error of the mean of a series as a share of it; none of fewer than [`INTERVALS_MIN`] values, and of a
/// mean that is not above 0.
fn relative_error(series: &[f64]) -> Option<Spread> {
    if series.len() < INTERVALS_MIN {
        return None;
    }
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    if !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let (serial, independent) = of_neighbours(series);
    let pairs: Vec<f64> = series
        .rchunks_exact(2)
        .map(|two| (two[0] + two[1]) / 2.0)
        .collect();
    let of_pairs = if pairs.len() < INTERVALS_MIN {
        0.0
    } else {
        of_neighbours(&pairs).0
    };
    let error = serial.max(of_pairs).max(of_batches(series)).sqrt() / mean;
    Some(Spread {
        low: error,
        high: error,
        freedom: (independent - 1.0).max(1.0),
    })
}

/// The variance of the mean of a series of which each value hangs on the one before, and how many independent values it
/// is worth.
fn of_neighbours(series: &[f64]) -> (f64, f64) {
    let count = series.len() as f64;
    let mean = series.iter().sum::<f64>() / count;
    let off: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let squares: f64 = off.iter().map(|o| o * o).sum();
    if squares <= 0.0 {
        return (0.0, count);
    }
    let neighbours: f64 = off.windows(2).map(|two| two[0] * two[1]).sum();
    let correlation = neighbours / squares;
    let correlation = (correlation + (1.0 + 4.0 * correlation) / count).clamp(0.0, 0.95);
    let inflation = (1.0 + correlation) / (1.0 - correlation);
    let independent = (count / inflation).max(2.0);
    // The variance of a short series that hangs together is seen too small by so much.
    let seen = (1.0 - inflation / count).max(0.25);
    (squares / (count - 1.0) / independent / seen, independent)
}

/// The variance of the mean, from means of 2 to 10 batches; what does not fill a batch is omitted at the beginning.
fn of_batches(series: &[f64]) -> f64 {
    let batches = (series.len() as f64).sqrt() as usize;
    let batches = batches.clamp(2, 10);
    let length = series.len() / batches;
    let first = series.len() - batches * length;
    let means: Vec<f64> = series[first..]
        .chunks_exact(length)
        .map(|batch| batch.iter().sum::<f64>() / length as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / batches as f64;
    let squares: f64 = means.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (batches - 1) as f64 / batches as f64
}

/// The interval of a mean of several runs, from how far these lie apart. // at least two
pub(super) fn of_repeats(logs: &[f64]) -> Spread {
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    Spread {
        low: error,
        high: error,
        freedom: count - 1.0,
    }
}

/// How wide so many standard errors are, at a level of confidence. // outside in (0, 1)
pub(super) fn reach(outside: f64, freedom: f64) -> f64 {
    t_point(outside, freedom)
}
