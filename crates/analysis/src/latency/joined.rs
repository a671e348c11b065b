//! Latencies of several runs of one load.
//!
//! Histograms are merged, never percentiles; the independent I/Os of a percentile are counted run by run and added up.
//! Deliberately absent: which runs are of one load.

use super::{Latency, Percentile, Worth};
use crate::estimate::{Estimate, NotKnown};
use crate::estimates::Series;
use model::{LatencyHistogram, Nanos};

impl Latency {
    /// Of several runs of one load, as if all their I/Os were those of one run. The interval of the mean is computed as
    /// that of a rate of several runs is; that of a percentile is the one of all I/Os together, and contains the value
    /// of each run: where the runs' own intervals do not meet, all of them.
    pub(crate) fn together(runs: &[Series<'_>]) -> Latency {
        let mut all = LatencyHistogram::new();
        runs.iter().for_each(|run| all.merge(&run.tally.latency));
        let means_of: Vec<_> = runs.iter().map(Series::dependence).collect();
        let means = runs.iter().map(|run| {
            let ios = run.tally.latency.count() as f64;
            Some((ios, run.latency()?))
        });
        let means: Option<Vec<(f64, Estimate)>> = means.collect();
        let mean = means.zip(all.mean_ns()).map(|(means, value)| {
            let reported = Estimate::together(&means);
            Estimate {
                value, // exact; the other is the same but for the rounding of its parts
                low: reported.low.map(|low| low.min(value)),
                high: reported.high.map(|high| high.max(value)),
                ..reported
            }
        });
        let worth = |latency: Nanos, one_in: u64| {
            let each = runs.iter().zip(&means_of);
            let each = each.map(|(run, means)| Worth::of(run, *means, latency, one_in));
            let none = Worth {
                sure: 0,
                wide: Err(NotKnown::FewIos),
            };
            each.reduce(Worth::and).unwrap_or(none)
        };
        let mut latency = Latency::with(&all, mean, &worth);
        let own: Vec<Latency> = runs.iter().map(Latency::of_series).collect();
        for (place, percentile) in latency.percentiles.iter_mut().enumerate() {
            let own: Vec<&Percentile> = own.iter().map(|own| &own.percentiles[place]).collect();
            percentile.hold(&own);
        }
        latency
    }
}

impl Percentile {
    /// Widens an interval so that it contains the result of each. Where one of them has no end of its own, its
    /// value is used.
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

impl Worth {
    /// Of two runs.
    fn and(self, other: Worth) -> Worth {
        let wide = self
            .wide
            .and_then(|one| Ok(one.saturating_add(other.wide?)));
        Worth {
            sure: self.sure.saturating_add(other.sure),
            wide,
        }
    }
}
