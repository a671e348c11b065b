//! Latencies of a row: exact mean and extremes, and percentiles as deep as the count can carry.
//!
//! A percentile that leaves fewer than one expected I/O beyond it is only the maximum under another name,
//! so it is not shown; with fewer than ten independent ones beyond it, its error is larger than most differences people
//! look for, so it is marked. That slow I/Os came together hides nothing: that many were this slow is a fact of the run.
//! The interval of a percentile is that of its order statistics, with the whole bucket of either end in it. Source: Hahn
//! and Meeker, Statistical Intervals, chapter 5 (distribution-free intervals); the bounds 10 and 1 are the practical rule
//! of this house.
//! Deliberately absent: averages of percentiles. Histograms are merged first, always; also those of several runs of one
//! load, whose independent I/Os are counted run by run and added up.

use crate::estimate::Estimate;
use crate::estimates::{Series, beyond};
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
    /// Median to 99.99 %, always all of them, in this order.
    pub percentiles: Vec<Percentile>,
}

/// One percentile and how far it may be believed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// Share of I/Os that were at most this slow. // in [0, 1]
    pub quantile: f64,
    /// Nanoseconds, within 0.2 %; none where the count does not reach that deep.
    pub latency_ns: Option<u64>,
    /// Lower end of its 95 % interval in nanoseconds, bucket error included; none where the data cannot tell.
    pub low_ns: Option<u64>,
    /// Upper end of its 95 % interval in nanoseconds; none where the data cannot tell, as where fewer than four I/Os are
    /// expected beyond it.
    pub high_ns: Option<u64>,
    /// How many independent I/Os all I/Os of the row are worth for it: fewer, where slow ones come together.
    pub effective_ios: f64,
    /// How many of all and of these lie beyond it.
    pub trust: Trust,
}

impl Percentile {
    /// Half the width of its interval, as a share of the value; none where either end cannot be told.
    pub fn half_width_share(&self) -> Option<f64> {
        let (low, high) = (self.low_ns? as f64, self.high_ns? as f64);
        let value = self.latency_ns.filter(|ns| *ns > 0)? as f64;
        Some((high - low) / 2.0 / value)
    }
}

/// How many I/Os lie beyond a percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Ten or more independent ones.
    Trusted,
    /// Fewer than ten independent ones: another run may well say something else.
    Weak,
    /// Fewer than one, independent or not: not shown.
    None,
}

/// Each quantile with the number of I/Os of which one lies beyond it; whole numbers, so that 10 000 I/Os
/// carry exactly ten beyond 99.9 %, whatever 1 - 0.999 is in binary.
const LADDER: [(f64, u64); 5] = [
    (0.5, 2),
    (0.9, 10),
    (0.99, 100),
    (0.999, 1000),
    (0.9999, 10_000),
];

impl Latency {
    /// The figures of one merged histogram. Without a time series nobody knows how far its I/Os hang together, so there are
    /// no intervals, and percentiles go as deep as the plain count carries them.
    pub(crate) fn of(histogram: &LatencyHistogram) -> Latency {
        let unknown = |_: Nanos, _: u64| Worth {
            sure: histogram.count(),
            wide: None,
        };
        Latency::with(histogram, None, &unknown)
    }

    /// The service times of a tally, with their intervals.
    pub(crate) fn of_series(series: &Series<'_>) -> Latency {
        let known = |latency: Nanos, one_in: u64| Worth::of(series, latency, one_in);
        Latency::with(&series.tally.latency, series.latency(), &known)
    }

    /// Of several runs of one load, as if all their I/Os were those of one run. The interval of the mean is made as that of
    /// a rate of several runs is; that of a percentile is the one of all I/Os together, and holds what each run came to:
    /// where the runs' own intervals do not meet, all of them.
    pub(crate) fn together(runs: &[Series<'_>]) -> Latency {
        let mut all = LatencyHistogram::new();
        runs.iter().for_each(|run| all.merge(&run.tally.latency));
        let means = runs.iter().map(|run| {
            let ios = run.tally.latency.count() as f64;
            Some((ios, run.latency()?))
        });
        let means: Option<Vec<(f64, Estimate)>> = means.collect();
        let mean = means.zip(all.mean_ns()).map(|(means, value)| {
            let told = Estimate::together(&means);
            Estimate {
                value, // exact; the other is the same but for the rounding of its parts
                low: told.low.map(|low| low.min(value)),
                high: told.high.map(|high| high.max(value)),
                ..told
            }
        });
        let worth = |latency: Nanos, one_in: u64| {
            let each = runs.iter().map(|run| Worth::of(run, latency, one_in));
            each.reduce(Worth::and).unwrap_or_default()
        };
        let mut latency = Latency::with(&all, mean, &worth);
        let own: Vec<Latency> = runs.iter().map(Latency::of_series).collect();
        for (place, percentile) in latency.percentiles.iter_mut().enumerate() {
            let own: Vec<&Percentile> = own.iter().map(|own| &own.percentiles[place]).collect();
            percentile.hold(&own);
        }
        latency
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
            percentiles: LADDER
                .iter()
                .map(|&place| percentile(histogram, &ranked, place, worth))
                .collect(),
        }
    }

    /// The percentile at this quantile, one of those that are always there.
    pub fn at(&self, quantile: f64) -> Option<&Percentile> {
        self.percentiles
            .iter()
            .find(|percentile| percentile.quantile == quantile)
    }
}

impl Percentile {
    /// Widens an interval so that it holds what each of these came to. Where one of them cannot tell an end of its own, its
    /// value is held.
    fn hold(&mut self, own: &[&Percentile]) {
        if self.latency_ns.is_none() {
            return;
        }
        let ends: Option<Vec<(u64, u64)>> =
            own.iter().map(|one| one.low_ns.zip(one.high_ns)).collect();
        let values = own.iter().filter_map(|one| one.latency_ns);
        let bounds: Vec<(u64, u64)> = match ends {
            Some(ends) if !meet(&ends) => ends,
            _ => values.map(|value| (value, value)).collect(),
        };
        let lowest = |low: u64| bounds.iter().fold(low, |low, (own, _)| low.min(*own));
        let highest = |high: u64| bounds.iter().fold(high, |high, (_, own)| high.max(*own));
        self.low_ns = self.low_ns.map(lowest);
        self.high_ns = self.high_ns.map(highest);
    }
}

/// Whether there is a value that lies in all of them.
fn meet(ends: &[(u64, u64)]) -> bool {
    let lows = ends.iter().map(|(low, _)| low);
    lows.max() <= ends.iter().map(|(_, high)| high).min()
}

/// How many independent I/Os those of a row are worth for a percentile.
#[derive(Clone, Copy, Default)]
struct Worth {
    sure: u64,         // so many at least
    wide: Option<u64>, // rather too few, for an interval; none where the series is too short to tell
}

impl Worth {
    fn of(series: &Series<'_>, latency: Nanos, one_in: u64) -> Worth {
        let count = series.tally.latency.count();
        let Some(means) = series.dependence() else {
            return Worth {
                sure: count,
                wide: None,
            };
        };
        // Where exceedances were counted, they are asked; else the means of the steps stand for them.
        let known = series.dependence_beyond(latency, one_in).unwrap_or(means);
        let worth = |each: f64| (count as f64 / each).floor() as u64;
        Worth {
            sure: worth(known.sure),
            wide: Some(worth(known.wide)),
        }
    }

    /// Of two runs.
    fn and(self, other: Worth) -> Worth {
        let wide = self.wide.zip(other.wide);
        Worth {
            sure: self.sure.saturating_add(other.sure),
            wide: wide.map(|(one, two)| one.saturating_add(two)),
        }
    }
}

fn percentile(
    histogram: &LatencyHistogram,
    ranked: &Ranked,
    (quantile, one_in): (f64, u64),
    worth: &dyn Fn(Nanos, u64) -> Worth,
) -> Percentile {
    let count = histogram.count();
    let latency = histogram.quantile(quantile);
    let worth = latency.map_or_else(Worth::default, |latency| worth(latency, one_in));
    let trust = trust(count, worth.sure, one_in);
    let shown = latency.filter(|_| trust != Trust::None);
    let (low, high) = match worth.wide {
        Some(wide) if shown.is_some() => ranked.bounds(wide.max(1), one_in),
        _ => (None, None),
    };
    Percentile {
        quantile,
        latency_ns: shown.map(|ns| ns.0),
        // Of a handful of independent I/Os even the slowest is rather faster than the true percentile: no end can be told.
        low_ns: low.filter(|low| latency.is_some_and(|ns| *low <= ns.0)),
        high_ns: high,
        effective_ios: worth.sure as f64,
        trust,
    }
}

/// The buckets of a histogram by rank.
struct Ranked {
    buckets: Vec<(u64, u64, u64)>, // smallest, largest, and how many I/Os up to here
    count: u64,
}

impl Ranked {
    fn of(histogram: &LatencyHistogram) -> Ranked {
        let min = histogram.min().map_or(0, |ns| ns.0);
        let max = histogram.max().map_or(0, |ns| ns.0);
        let mut below = 0;
        let buckets = histogram.buckets().map(|(low, high, count)| {
            below += count;
            (low.0.max(min), high.0.min(max), below)
        });
        Ranked {
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

    /// The 95 % interval of the latency that one in `one_in` exceeds, for I/Os that are worth `effective` independent ones.
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

fn trust(count: u64, effective: u64, one_in: u64) -> Trust {
    match (count / one_in, effective / one_in) {
        (0, _) => Trust::None,
        (_, 0..10) => Trust::Weak,
        _ => Trust::Trusted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, HeatRow, Interval, LatencyHeat, Operation, Tally};

    fn trusts(count: u64) -> Vec<Trust> {
        let mut histogram = LatencyHistogram::new();
        (0..count).for_each(|n| histogram.record(Nanos(1000 + n)));
        Latency::of(&histogram)
            .percentiles
            .iter()
            .map(|p| p.trust)
            .collect()
    }

    #[test]
    fn a_percentile_is_shown_only_as_deep_as_the_count_reaches() {
        use Trust::{None, Trusted, Weak};
        assert_eq!(trusts(0), [None, None, None, None, None]);
        assert_eq!(trusts(1), [None, None, None, None, None]);
        assert_eq!(trusts(99), [Trusted, Weak, None, None, None]);
        assert_eq!(trusts(999), [Trusted, Trusted, Weak, None, None]);
        assert_eq!(trusts(10_000), [Trusted, Trusted, Trusted, Trusted, Weak]);
        assert_eq!(trusts(100_000), [Trusted; 5]);
    }

    /// The percentile 99 % of 2 s in steps of 20 ms with 1000 I/Os each, of which this share is slow by step; all others
    /// take half as long in every other ten steps, as where neighbours come and go.
    fn p99_of_noisy_steps(slow: fn(u64) -> u64) -> Percentile {
        let mut record = crate::sample::Sample {
            planned: Nanos::seconds(2),
            measured: Nanos::seconds(2),
            ..crate::sample::Sample::default()
        }
        .build();
        record.plan.interval = Nanos::millis(20);
        let mut tally = Tally::default();
        let mut heat = LatencyHeat {
            target: 0,
            operation: Operation::Read,
            step: record.plan.interval,
            rows: Vec::new(),
        };
        for number in 0..100u64 {
            let mut step = Interval::default();
            let mut row = [0; LatencyHeat::COLUMNS];
            for io in 0..1000 {
                let level = if number / 10 % 2 == 0 { 40 } else { 80 };
                let slow = io < slow(number);
                let latency = Nanos::micros(if slow { 2000 + io } else { level + io % 7 });
                step.record(Bytes::kib(4), latency);
                tally.latency.record(latency);
                row[usize::from(LatencyHeat::column_of(latency))] += 1;
            }
            tally.ios += 1000;
            tally.intervals.push(step);
            heat.rows.push(HeatRow::of_dense(&row));
        }
        let latency = Latency::of_series(&Series::of(&record, &tally, Some(&heat)));
        latency.percentiles[2].clone()
    }

    #[test]
    fn a_level_that_comes_and_goes_takes_nothing_from_a_percentile_of_even_slow_ios() {
        let told = p99_of_noisy_steps(|step| 12 + step * 7 % 5);
        assert_eq!(told.trust, Trust::Trusted);
        assert_eq!(told.effective_ios, 100_000.0);
        assert!(
            told.low_ns >= Some(1_990_000) && told.high_ns.is_some(),
            "{told:?}"
        );
    }

    #[test]
    fn slow_ios_that_came_together_make_a_percentile_weak_and_do_not_hide_it() {
        let told = p99_of_noisy_steps(|step| if step == 40 || step == 41 { 700 } else { 0 });
        assert_eq!(told.trust, Trust::Weak, "{told:?}");
        assert!(told.latency_ns >= Some(1_990_000), "{told:?}");
    }

    #[test]
    fn one_io_still_has_mean_and_extremes() {
        let mut histogram = LatencyHistogram::new();
        histogram.record(Nanos(77));
        let latency = Latency::of(&histogram);
        assert_eq!(
            (latency.mean_ns, latency.min_ns, latency.max_ns),
            (Some(77.0), Some(77), Some(77))
        );
    }

    /// A run of 10 s in steps of 100 ms whose I/Os all take about this long.
    fn run_of(ios: u64, latency: Nanos) -> (model::RunRecord, Tally) {
        let mut record = crate::sample::Sample::default().build();
        record.plan.interval = Nanos::millis(100);
        let mut tally = Tally::default();
        for step in 0..100u64 {
            let mut interval = Interval::default();
            for io in 0..ios / 100 {
                let took = Nanos(latency.0 + (step * 31 + io * 7) % 97);
                interval.record(Bytes::kib(4), took);
                tally.latency.record(took);
            }
            tally.ios += interval.ios;
            tally.intervals.push(interval);
        }
        (record, tally)
    }

    fn taken_together(runs: &[(model::RunRecord, Tally)]) -> Latency {
        let series = runs
            .iter()
            .map(|(record, tally)| Series::of(record, tally, None));
        Latency::together(&series.collect::<Vec<_>>())
    }

    #[test]
    fn runs_taken_together_go_as_deep_as_all_their_ios_carry() {
        let run = || run_of(600, Nanos::micros(100));
        let alone = taken_together(&[run()]);
        let both = taken_together(&[run(), run()]);
        let trust = |latency: &Latency| -> Vec<Trust> {
            latency.percentiles.iter().map(|p| p.trust).collect()
        };
        use Trust::{None, Trusted, Weak};
        assert_eq!(trust(&alone), [Trusted, Trusted, Weak, None, None]);
        assert_eq!(trust(&both), [Trusted, Trusted, Trusted, Weak, None]);
        assert_eq!(both.percentiles[2].effective_ios, 1200.0);
        let (record, tally) = run();
        let own = Latency::of_series(&Series::of(&record, &tally, Option::None));
        assert_eq!(alone, own, "one run alone is that run");
        assert_eq!(taken_together(&[]), Latency::of(&LatencyHistogram::new()));
    }

    #[test]
    fn percentiles_and_means_of_runs_are_those_of_all_ios_and_their_intervals_hold_each_run() {
        let (fast, slow) = (
            run_of(3000, Nanos::micros(100)),
            run_of(1000, Nanos::micros(300)),
        );
        let both = taken_together(&[fast, slow]);
        let mean = both.mean.unwrap();
        assert!((both.mean_ns.unwrap() - 150_048.0).abs() < 1.0, "{both:?}");
        assert_eq!(Some(mean.value), both.mean_ns);
        assert!(
            mean.low < Some(100_100.0) && mean.high > Some(300_000.0),
            "{mean:?}"
        );
        let median = both.at(0.5).unwrap();
        assert!(
            median.latency_ns < Some(101_000),
            "three of four are fast: {median:?}"
        );
        assert!(
            median.high_ns >= Some(300_000) && median.low_ns <= Some(100_200),
            "{median:?}"
        );
        let deep = both.at(0.9).unwrap();
        assert!(
            deep.latency_ns > Some(299_000) && deep.low_ns <= Some(100_200),
            "{deep:?}"
        );
    }
}
