//! Latencies of a row: exact mean and extremes, and percentiles as deep as the count can carry.
//!
//! A percentile that leaves fewer than one expected I/O beyond it is only the maximum under another name,
//! so it is not shown; with fewer than ten independent ones beyond it, its error is larger than most differences people
//! look for, so it is marked. That slow I/Os came together hides nothing: that many were this slow is a fact of the run.
//! The interval of a percentile is that of its order statistics, with the whole bucket of either end in it. Source: Hahn
//! and Meeker, Statistical Intervals, chapter 5 (distribution-free intervals); the bounds 10 and 1 are the practical rule
//! of this house.
//! Deliberately absent: averages of percentiles. Histograms are merged first, always; also those of several runs of one
//! load (`joined`).

mod joined;
mod split;

pub(crate) use split::{Split, split_of};

use crate::estimate::{Estimate, NotKnown};
use crate::estimates::{Dependence, Series, beyond};
use model::{LatencyHistogram, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latencies from submission to the completion found, over all threads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Exact mean in nanoseconds; none without I/Os.
    pub mean_ns: Option<f64>,
    /// The same mean with its interval, in nanoseconds; none without I/Os.
    pub mean: Option<Estimate>,
    /// Exact smallest in nanoseconds; none without I/Os.
    pub min_ns: Option<u64>,
    /// Exact largest in nanoseconds; none without I/Os.
    pub max_ns: Option<u64>,
    /// Median to 99.99%, always all of them, in this order.
    pub percentiles: Vec<Percentile>,
}

/// One percentile and how far it may be believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// Share of I/Os that were at most this slow. // in [0, 1]
    pub quantile: f64,
    /// Nanoseconds, within 0.2%; none where the count does not reach that deep.
    pub latency_ns: Option<u64>,
    /// Lower end of its 95% interval in nanoseconds, bucket error included; none where the data does not show it.
    pub low_ns: Option<u64>,
    /// Upper end of its 95% interval in nanoseconds; none where the data does not show it, as where fewer than four I/Os are
    /// expected beyond it.
    pub high_ns: Option<u64>,
    /// Why it has no interval, or only one end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_known: Option<NotKnown>,
    /// How many independent I/Os all I/Os of the row are worth for it: fewer, where slow ones come together.
    pub effective_ios: f64,
    /// How many of all and of these lie beyond it.
    pub tail_samples: TailSamples,
}

impl Percentile {
    /// Returns why it has a mark of trust; none where it has none.
    pub fn doubt(&self) -> Option<NotKnown> {
        const ENOUGH: f64 = 10.0;
        let rounding = 1e-6; // 1 - 0.999 is not exactly a thousandth
        let beyond = self.effective_ios * (1.0 - self.quantile) + rounding;
        (self.tail_samples == TailSamples::Few).then_some(match self.not_known {
            Some(why) if beyond >= ENOUGH => why,
            _ => NotKnown::FewIos,
        })
    }

    /// Half the width of its interval, as a share of the value; none where either end cannot be reported.
    pub fn half_width_share(&self) -> Option<f64> {
        let (low, high) = (self.low_ns? as f64, self.high_ns? as f64);
        let value = self.latency_ns.filter(|ns| *ns > 0)? as f64;
        Some((high - low) / 2.0 / value)
    }
}

/// How many I/Os lie beyond a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TailSamples {
    /// Ten or more independent ones.
    Enough,
    /// Fewer than ten independent ones, or it is not known how many: another run may give another value.
    Few,
    /// Fewer than one, independent or not: not shown.
    None,
}

/// Each quantile with the number of I/Os of which one lies beyond it; whole numbers, so that 10000 I/Os
/// carry exactly ten beyond 99.9%, despite the rounding of 1 - 0.999 in binary.
const LADDER: [(f64, u64); 5] = [
    (0.5, 2),
    (0.9, 10),
    (0.99, 100),
    (0.999, 1000),
    (0.9999, 10_000),
];

impl Latency {
    /// The figures of one merged histogram. Without a time series the autocorrelation of its I/Os is unknown, so
    /// there are no intervals, and percentiles go as deep as the plain count carries them.
    pub(crate) fn of(histogram: &LatencyHistogram) -> Latency {
        let unknown = |_: Nanos, _: u64| Worth {
            sure: histogram.count(),
            wide: Err(NotKnown::NotRecorded),
        };
        Latency::with(histogram, None, &unknown)
    }

    /// Response times. They are not recorded over time, and those of one queue depend on each other for as long as it takes to
    /// empty: how many of them are independent is not known, so that none of their percentiles counts as sure.
    pub(crate) fn of_responses(histogram: &LatencyHistogram) -> Latency {
        let mut latency = Latency::of(histogram);
        let shown = latency.percentiles.iter_mut();
        shown
            .filter(|one| one.tail_samples == TailSamples::Enough)
            .for_each(|one| one.tail_samples = TailSamples::Few);
        latency
    }

    /// The service times of a tally, with their intervals.
    pub(crate) fn of_series(series: &Series<'_>) -> Latency {
        let means = series.dependence();
        let known = |latency: Nanos, one_in: u64| Worth::of(series, means, latency, one_in);
        Latency::with(&series.tally.latency, series.latency(), &known)
    }

    fn with(
        histogram: &LatencyHistogram,
        mean: Option<Estimate>,
        worth: &dyn Fn(Nanos, u64) -> Worth,
    ) -> Latency {
        let mean_ns = histogram.mean_ns();
        let ranked = Ranked::of(histogram);
        Latency {
            mean_ns,
            mean: mean.or(mean_ns.map(|value| Estimate::bare(value, 0.0))),
            min_ns: histogram.min().map(|ns| ns.0),
            max_ns: histogram.max().map(|ns| ns.0),
            percentiles: percentiles(&ranked, &LADDER, worth),
        }
    }

    /// The percentile at this quantile, one of those that are always there.
    pub fn at(&self, quantile: f64) -> Option<&Percentile> {
        self.percentiles
            .iter()
            .find(|percentile| percentile.quantile == quantile)
    }
}

/// Percentiles of a series at quantiles with the number of I/Os of which one lies beyond, in rising order.
pub(crate) fn percentiles_of(series: &Series<'_>, ladder: &[(f64, u64)]) -> Vec<Percentile> {
    let means = series.dependence();
    let known = |latency: Nanos, one_in: u64| Worth::of(series, means, latency, one_in);
    percentiles(&Ranked::of(&series.tally.latency), ladder, &known)
}

/// What is not known of a percentile because of noise that lasts is not known of those beyond it: these are of fewer I/Os, in
/// which the same noise does not show.
fn percentiles(
    ranked: &Ranked<'_>,
    ladder: &[(f64, u64)],
    worth: &dyn Fn(Nanos, u64) -> Worth,
) -> Vec<Percentile> {
    let mut is_unknown = false;
    let each = ladder.iter().map(|&(quantile, one_in)| {
        let beyond = |latency: Nanos, one_in: u64| {
            let worth = worth(latency, one_in);
            match is_unknown {
                true => Worth {
                    wide: Err(NotKnown::Correlated),
                    ..worth
                },
                false => worth,
            }
        };
        let one = percentile(ranked, quantile, one_in, &beyond);
        is_unknown |= one.not_known == Some(NotKnown::Correlated);
        one
    });
    each.collect()
}

/// How many independent I/Os those of a row are worth for a percentile.
#[derive(Clone, Copy)]
struct Worth {
    sure: u64,                   // so many at least
    wide: Result<u64, NotKnown>, // rather too few, for an interval
}

impl Worth {
    /// Of I/Os whose mean latencies depend on each other like this.
    fn of(
        series: &Series<'_>,
        means: Result<Dependence, NotKnown>,
        latency: Nanos,
        one_in: u64,
    ) -> Worth {
        let count = series.tally.latency.count();
        // Where exceedances were counted, they are asked; else the means of the steps represent them. What lasts as long as
        // the run is in both.
        let known = match means {
            Ok(means) => series
                .dependence_beyond(latency, one_in)
                .unwrap_or(Ok(means)),
            Err(why) => Err(why),
        };
        let worth = |each: f64| (count as f64 / each).floor() as u64;
        Worth {
            sure: known.map_or(count, |known| worth(known.sure)),
            wide: known.map(|known| worth(known.wide)),
        }
    }
}

fn percentile(
    ranked: &Ranked<'_>,
    quantile: f64,
    one_in: u64,
    worth: &dyn Fn(Nanos, u64) -> Worth,
) -> Percentile {
    let latency = ranked.histogram.quantile(quantile);
    let none = Worth {
        sure: 0,
        wide: Err(NotKnown::FewIos),
    };
    let worth = latency.map_or(none, |latency| worth(latency, one_in));
    let tail_samples = tail_samples(ranked.count, worth, one_in);
    let shown = latency.filter(|_| tail_samples != TailSamples::None);
    let (low, high) = match worth.wide {
        Ok(wide) if shown.is_some() => ranked.bounds(wide.max(1), one_in),
        _ => (None, None),
    };
    // Of a handful of independent I/Os even the slowest is rather faster than the true percentile: no end can be reported.
    let low = low.filter(|low| latency.is_some_and(|ns| *low <= ns.0));
    let few = (low.is_none() || high.is_none()).then_some(NotKnown::FewIos);
    Percentile {
        quantile,
        latency_ns: shown.map(|ns| ns.0),
        low_ns: low,
        high_ns: high,
        not_known: worth.wide.err().or(few),
        effective_ios: worth.sure as f64,
        tail_samples,
    }
}

/// The buckets of a histogram by rank.
struct Ranked<'h> {
    histogram: &'h LatencyHistogram,
    buckets: Vec<(u64, u64, u64)>, // smallest, largest, and how many I/Os up to here
    count: u64,
}

impl<'h> Ranked<'h> {
    fn of(histogram: &'h LatencyHistogram) -> Ranked<'h> {
        let min = histogram.min().map_or(0, |ns| ns.0);
        let max = histogram.max().map_or(0, |ns| ns.0);
        let mut below = 0;
        let buckets = histogram.buckets().map(|(low, high, count)| {
            below += count;
            (low.0.max(min), high.0.min(max), below)
        });
        Ranked {
            histogram,
            buckets: buckets.collect(),
            count: histogram.count(),
        }
    }

    /// The bucket of the I/O with this rank, counted from the fastest. // from 1
    fn bucket(&self, rank: u64) -> Option<(u64, u64)> {
        let place = self.buckets.partition_point(|(_, _, upto)| *upto < rank);
        let (low, high, _) = self.buckets.get(place)?;
        Some((*low, *high))
    }

    /// The 95% interval of the latency that one in `one_in` exceeds, for I/Os that are worth `effective` independent ones.
    fn bounds(&self, effective: u64, one_in: u64) -> (Option<u64>, Option<u64>) {
        let (least, most) = beyond(effective, one_in);
        let each = self.count as f64 / effective as f64;
        let low = self
            .count
            .saturating_sub((most as f64 * each).ceil() as u64);
        let slower = |independent: u64| (independent as f64 * each) as u64;
        let high = (least > 0).then(|| self.count - slower(least - 1).min(self.count));
        (
            Some(low)
                .filter(|rank| *rank > 0)
                .and_then(|rank| Some(self.bucket(rank)?.0)),
            high.and_then(|rank| Some(self.bucket(rank)?.1)),
        )
    }
}

fn tail_samples(count: u64, worth: Worth, one_in: u64) -> TailSamples {
    let is_unknown = worth.wide == Err(NotKnown::Correlated);
    match (count / one_in, worth.sure / one_in) {
        (0, _) => TailSamples::None,
        (_, 0..10) => TailSamples::Few,
        _ if is_unknown => TailSamples::Few,
        _ => TailSamples::Enough,
    }
}

#[cfg(test)]
mod tests;
