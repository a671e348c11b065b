//! How sure a run's own figures are: each rate and mean as a value with its 95% interval.
//!
//! Rates are over the whole measured phase, and so are their intervals: I/Os, bytes, latencies and the device's own counts
//! are over the same time, and one row of figures has one meaning. What of that time was still warm-up is reported with
//! it ([`WarmupCut`]). One method per file: `batch_means`, `correlated`, `mser`, `effective`, `order_statistics`. A count over a
//! time is never better known than to one I/O, with any batches. Deliberately absent: several runs, which
//! are `spread`'s.

mod batch_means;
mod correlated;
#[cfg(test)]
pub(crate) mod coverage;
mod effective;
mod mser;
mod order_statistics;
mod warmup;

pub(crate) use order_statistics::beyond;
pub(crate) use warmup::WarmupCut;
pub(crate) use warmup::warmup_cut;

use crate::estimate::{Estimate, NotKnown};
use crate::rows::per_second;
use batch_means::spread;
pub(crate) use effective::Dependence;
use model::{Interval, LatencyHeat, Nanos, RunRecord, Tally};

/// Fewer I/Os than this have a rate, but no interval: their count is far from normal.
const IOS_MIN: u64 = 10;

/// IOPS over the measured phase, reads and writes of all targets together. No interval where there are fewer than
/// ten full steps of the time series or fewer than ten I/Os.
pub fn rate_estimate(record: &RunRecord) -> Estimate {
    Series::of(record, &record.total(), None).rate()
}

/// The same from steps of (I/Os, seconds), for a run before it is a record. None with fewer than ten steps,
/// and where they took no time.
pub fn rate_of_steps(steps: &[(f64, f64)]) -> Option<Estimate> {
    let (ios, seconds): (Vec<f64>, Vec<f64>) = steps.iter().copied().unzip();
    let seen = spread(&ios, &seconds).ok()?;
    let value = ios.iter().sum::<f64>() / seconds.iter().sum::<f64>();
    value
        .is_finite()
        .then(|| around(value, seen.half_width, seen.worth))
}

/// Mean latency in nanoseconds over the measured phase, reads and writes of all targets together; none without I/Os, and
/// no interval as for [`rate_estimate`].
pub fn latency_estimate(record: &RunRecord) -> Option<Estimate> {
    Series::of(record, &record.total(), None).latency()
}

/// A tally with the time that it was counted in.
#[derive(Clone, Copy)]
pub(crate) struct Series<'a> {
    pub(crate) tally: &'a Tally,
    heat: Option<&'a LatencyHeat>,
    measured: Nanos,
    step: Nanos,
}

impl<'a> Series<'a> {
    /// `heat` is how the latencies of the same I/Os were spread over time, where that was kept.
    pub(crate) fn of(
        record: &RunRecord,
        tally: &'a Tally,
        heat: Option<&'a LatencyHeat>,
    ) -> Series<'a> {
        Series {
            tally,
            heat,
            measured: record.phases.measured(),
            step: record.plan.interval,
        }
    }

    /// Steps of full length: the last one may have been cut short.
    pub(crate) fn full(&self) -> &'a [Interval] {
        let full = self.measured.0.checked_div(self.step.0).unwrap_or(0);
        let there = self.tally.intervals.len();
        &self.tally.intervals[..there.min(usize::try_from(full).unwrap_or(there))]
    }

    /// IOPS.
    pub(crate) fn rate(&self) -> Estimate {
        self.per_second(self.tally.ios, |step| step.ios as f64)
    }

    /// Bytes a second.
    pub(crate) fn bytes_per_s_estimate(&self) -> Estimate {
        self.per_second(self.tally.bytes.0, |step| step.bytes.0 as f64)
    }

    fn per_second(&self, amount: u64, of: fn(&Interval) -> f64) -> Estimate {
        let value = per_second(amount as f64, self.measured);
        let parts: Vec<f64> = self.full().iter().map(of).collect();
        let seconds = vec![self.step.as_seconds(); parts.len()];
        let ios = self.tally.ios;
        if ios < IOS_MIN || value <= 0.0 {
            return Estimate::not_known(value, NotKnown::FewIos);
        }
        let one_io = value / ios as f64;
        match spread(&parts, &seconds) {
            Ok(seen) => around(value, seen.half_width.max(one_io), seen.worth),
            Err(why) => Estimate::not_known(value, why),
        }
    }

    /// Mean latency in nanoseconds.
    pub(crate) fn latency(&self) -> Option<Estimate> {
        let value = self.tally.latency.mean_ns()?;
        let (sums, ios) = self.latencies();
        if self.tally.ios < IOS_MIN {
            return Some(Estimate::not_known(value, NotKnown::FewIos));
        }
        let one_io = value / self.tally.ios as f64;
        Some(match spread(&sums, &ios) {
            Ok(seen) => around(value, seen.half_width.max(one_io), seen.worth),
            Err(why) => Estimate::not_known(value, why),
        })
    }

    /// How far the I/Os are autocorrelated in their mean latency.
    ///
    /// # Errors
    /// The series is too short to show it.
    pub(crate) fn dependence(&self) -> Result<Dependence, NotKnown> {
        effective::of_mean(self.full(), &self.tally.latency)
    }

    /// How far they are autocorrelated in being slower than this latency, which one in `one_in` is; none where no heat was
    /// kept, its rows are too few, or its columns are too coarse near it, as where nearly all I/Os are in one of
    /// them.
    pub(crate) fn dependence_beyond(
        &self,
        latency: Nanos,
        one_in: u64,
    ) -> Option<Result<Dependence, NotKnown>> {
        let heat = self.heat?;
        let full = self.measured.0.checked_div(heat.step.0)?;
        let rows = &heat.rows[..heat.rows.len().min(usize::try_from(full).ok()?)];
        let ios: Vec<f64> = rows.iter().map(|row| row.total() as f64).collect();
        let all = ios.iter().sum::<f64>();
        let wanted = all / one_in as f64;
        let column = LatencyHeat::column_of(latency);
        let beyond = |column: u16| -> Vec<f64> {
            let slower = rows.iter().map(|row| row.from_column(column) as f64);
            slower.collect()
        };
        let sides =
            [beyond(column), beyond(column + 1)].map(|side| (side.iter().sum::<f64>(), side));
        // On either side: those beyond it, and those that are not.
        let off = |sum: f64| {
            let others = ((all - sum) / (all - wanted)).ln().abs();
            (sum / wanted).ln().abs().max(others)
        };
        let (sum, nearest) = sides
            .into_iter()
            .min_by(|one, other| off(one.0).total_cmp(&off(other.0)))?;
        // Twice or half as many beyond a column's edge are about the same I/Os; more or fewer are others.
        (off(sum) <= 2f64.ln()).then(|| effective::of_exceedances(&nearest, &ios))
    }

    fn latencies(&self) -> (Vec<f64>, Vec<f64>) {
        let steps = self.full().iter();
        steps
            .map(|step| (step.latency_sum.0 as f64, step.ios as f64))
            .unzip()
    }
}

/// A value of something that cannot be below 0, with as much on either side.
fn around(value: f64, half_width: f64, samples: f64) -> Estimate {
    Estimate {
        value,
        low: Some((value - half_width).max(0.0)),
        high: Some(value + half_width),
        samples,
        not_known: None,
    }
}
