//! How far the figures of one run may be off: as the report of the run has it, on a logarithmic scale, where a ratio is a
//! difference.
//!
//! One series has one interval, here and in `fathom show`. Runs of the same work on the same target differ by more than their
//! own series show, because caches, places on the device and other users differ from run to run; where several runs show by how
//! much, that replaces what is found within one: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.
//! Omitted: two sides, which are `change`'s.

use super::metric::{Clock, Kind, METRICS, Metric};
use crate::estimate::{Estimate, NotKnown};
use crate::estimates::Series;
use crate::latency::{Percentile, percentiles_of};
use crate::rows::Sums;
use crate::student::t_point;
use model::{Operation, RunRecord, Tally};

/// Both tails of the intervals of a run.
const OUTSIDE: f64 = 0.05;
/// Degrees of freedom of an interval beyond its 95%: a mixture falls off more slowly than a normal distribution.
const FREEDOM: f64 = 30.0;
/// Quantiles of the figures, each with the number of I/Os of which one lies beyond.
const LADDER: [(f64, u64); 6] = [
    (0.5, 2),
    (0.9, 10),
    (0.95, 20),
    (0.99, 100),
    (0.999, 1000),
    (0.9999, 10_000),
];

/// Standard errors of the logarithm of a figure, below and above it, and what they rest on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) freedom: f64,
}

/// The spread of a figure, or why the run does not show it.
pub(crate) type Shown = Result<Spread, NotKnown>;

/// The spread of every figure, in the order of `METRICS`.
pub(super) fn spreads(record: &RunRecord, sums: &Sums) -> Vec<Shown> {
    let [read, write] = &sums.each;
    let of = |tally, operation| Course::of(record, tally, operation);
    let total = of(&sums.total, None);
    let read = of(read, Some(Operation::Read));
    let write = of(write, Some(Operation::Write));
    let each = METRICS.iter().map(|metric| match metric.of {
        None => total.spread(metric),
        Some(Operation::Read) => read.spread(metric),
        Some(Operation::Write) => write.spread(metric),
    });
    each.collect()
}

/// What the series of one operation shows.
struct Course {
    rate: Estimate,
    flow: Estimate,
    mean: Option<Estimate>,
    percentiles: Vec<Percentile>,
    response: Vec<Percentile>,
}

impl Course {
    fn of(record: &RunRecord, tally: &Tally, operation: Option<Operation>) -> Course {
        let heat = record.heat(operation, None);
        let series = Series::of(record, tally, heat.as_ref());
        Course {
            rate: series.rate(),
            flow: series.bytes_per_s_estimate(),
            mean: series.latency(),
            percentiles: percentiles_of(&series, &LADDER),
            response: Vec::new(),
        }
    }

    fn spread(&self, metric: &Metric) -> Shown {
        let at = |percentiles: &[Percentile], quantile: f64| {
            let mut all = percentiles.iter();
            let one = all.find(|one| one.quantile == quantile);
            one.map_or(Err(NotKnown::NotRecorded), of_percentile)
        };
        match metric.kind {
            Kind::Rate => of_estimate(&self.rate),
            Kind::Flow => of_estimate(&self.flow),
            Kind::Mean(Clock::Latency) => {
                let mean = self.mean.as_ref();
                mean.map_or(Err(NotKnown::FewIos), of_estimate)
            }
            Kind::Mean(Clock::Response) => Err(NotKnown::NotRecorded),
            Kind::At(Clock::Latency, quantile) => at(&self.percentiles, quantile),
            Kind::At(Clock::Response, quantile) => at(&self.response, quantile),
        }
    }
}

fn of_estimate(estimate: &Estimate) -> Shown {
    let ends = estimate.low.zip(estimate.high);
    let unknown = estimate.not_known.unwrap_or(NotKnown::FewIos);
    let (_, high) = ends.ok_or(unknown)?;
    // The low end may be cut off at 0, so that the high one has the width.
    let error = (high / estimate.value - 1.0) / reach(OUTSIDE, FREEDOM);
    Ok(Spread {
        low: error,
        high: error,
        freedom: FREEDOM,
    })
}

fn of_percentile(one: &Percentile) -> Shown {
    let ends = one.low_ns.zip(one.high_ns).zip(one.latency_ns);
    let ((low, high), value) = ends.ok_or(one.not_known.unwrap_or(NotKnown::FewIos))?;
    let log = |ns: u64| (ns.max(1) as f64).ln();
    let error = |apart: f64| apart / reach(OUTSIDE, FREEDOM);
    Ok(Spread {
        low: error(log(value) - log(low)),
        high: error(log(high) - log(value)),
        freedom: FREEDOM,
    })
}

/// The interval of a mean of several runs, from how far these lie apart. // at least two
pub(super) fn of_repeats(logs: &[f64]) -> Spread {
    let one = of_one(logs);
    let error = one.low / (logs.len() as f64).sqrt();
    Spread {
        low: error,
        high: error,
        ..one
    }
}

/// The same of one such run. // at least two
pub(super) fn of_one(logs: &[f64]) -> Spread {
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let error = (squares / (count - 1.0)).sqrt();
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

/// The one that has the wider interval.
pub(super) fn wider(one: Spread, other: Spread) -> Spread {
    let width = |spread: &Spread| (spread.low + spread.high) * reach(OUTSIDE, spread.freedom);
    match width(&one) >= width(&other) {
        true => one,
        false => other,
    }
}
