//! How many independent I/Os a run's latencies are worth: the effective sample size.
//!
//! Latencies close in time are correlated, so a million of them may carry no more information than a thousand
//! independent ones. How much less is the variance of a mean, by its time series, against what it would be for independent
//! I/Os: Law, Simulation Modeling and Analysis, section 4.4 and 9.5.3. Of a percentile the mean is that of the
//! exceedances (slower, or not), where the record contains their number per step; where it contains only the steps'
//! mean latencies, these represent it. Slow I/Os that come together move the mean of their step as well, so this is
//! rarely too small. Deliberately absent: the factor below 1, which negative correlation would give: it would promise
//! more than was measured.

use super::batch_means::{Spread, spread};
use crate::estimate::NotKnown;
use model::{Interval, LatencyHistogram};

/// The point of the normal distribution for 95%.
const NORMAL: f64 = 1.959_964;
/// The point of the normal distribution for 1% beyond it.
const ONE_PERCENT: f64 = 2.326;

/// How many I/Os count as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dependence {
    /// For the width of an interval: as found, and more, because it was found from one series only. // at least 1
    pub(crate) wide: f64,
    /// For how deep a percentile may go: 1 unless chance alone would give as much less than once in a hundred. // at
    /// least 1
    pub(crate) sure: f64,
}

/// Of the mean latency, from the means of the steps. None where the steps are too few.
pub(crate) fn of_mean(
    steps: &[Interval],
    histogram: &LatencyHistogram,
) -> Result<Dependence, NotKnown> {
    let count: f64 = steps.iter().map(|step| step.ios as f64).sum();
    let sums: Vec<f64> = steps.iter().map(|step| step.latency_sum.0 as f64).collect();
    let ios: Vec<f64> = steps.iter().map(|step| step.ios as f64).collect();
    let variance = variance(histogram).ok_or(NotKnown::FewIos)?;
    Ok(dependence(spread(&sums, &ios)?, variance, count))
}

/// Of the share of I/Os beyond a latency, from how many were in each step. None where the steps are too few.
pub(crate) fn of_exceedances(beyond: &[f64], ios: &[f64]) -> Result<Dependence, NotKnown> {
    let count: f64 = ios.iter().sum();
    let share = beyond.iter().sum::<f64>() / count;
    Ok(dependence(
        spread(beyond, ios)?,
        share * (1.0 - share),
        count,
    ))
}

fn dependence(seen: Spread, variance: f64, count: f64) -> Dependence {
    if variance.is_nan() || variance <= 0.0 || count < 1.0 {
        // All equal: every I/O carries the same information.
        return Dependence {
            wide: 1.0,
            sure: 1.0,
        };
    }
    let factor = seen.variance * count / variance;
    let free = (seen.worth - 1.0).max(1.0);
    let by_chance = {
        // Wilson and Hilferty, "The distribution of chi-square", PNAS 17 (1931).
        let part = 2.0 / (9.0 * free);
        (1.0 - part + ONE_PERCENT * part.sqrt()).powi(3)
    };
    let wide = (seen.half_width / NORMAL).powi(2) * count / variance;
    Dependence {
        wide: wide.clamp(1.0, count),
        sure: if factor > by_chance {
            factor.min(wide).clamp(1.0, count)
        } else {
            1.0
        },
    }
}

/// Of single latencies, each taken as the middle of its bucket. None without any.
fn variance(histogram: &LatencyHistogram) -> Option<f64> {
    let (mean, count) = (histogram.mean_ns()?, histogram.count() as f64);
    let (min, max) = (histogram.min()?.0 as f64, histogram.max()?.0 as f64);
    let off = |low: u64, high: u64| ((low as f64 + high as f64) / 2.0).clamp(min, max) - mean;
    let squares: f64 = histogram
        .buckets()
        .map(|(low, high, many)| many as f64 * off(low.0, high.0).powi(2))
        .sum();
    Some(if min == max { 0.0 } else { squares / count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    /// 60 steps of 1000 I/Os, of which so many are slow by chance, or in every tenth step only.
    fn exceedances(clustered: bool) -> Dependence {
        let mut chance = Chance(9);
        let beyond: Vec<f64> = (0..60)
            .map(|step| {
                let share = match (clustered, step % 10 == 3) {
                    (false, _) => 0.01,
                    (true, true) => 0.1,
                    (true, false) => 0.0,
                };
                f64::from((0..1000).filter(|_| chance.share() <= share).count() as u32)
            })
            .collect();
        of_exceedances(&beyond, &[1000.0; 60]).unwrap()
    }

    #[test]
    fn independent_ios_are_worth_their_number_and_clustered_ones_are_not() {
        let even = exceedances(false);
        assert!(even.sure == 1.0 && even.wide < 2.0, "{even:?}");
        let clustered = exceedances(true);
        assert!(
            clustered.sure > 50.0 && clustered.wide >= clustered.sure,
            "{clustered:?}"
        );
    }

    #[test]
    fn latencies_that_are_all_alike_depend_on_nothing() {
        let mut histogram = LatencyHistogram::new();
        let mut steps = vec![Interval::default(); 20];
        for number in 0..2000 {
            histogram.record(model::Nanos(70));
            steps[number / 100].record(model::Bytes(512), model::Nanos(70));
        }
        let reported = of_mean(&steps, &histogram);
        assert_eq!(
            reported,
            Ok(Dependence {
                wide: 1.0,
                sure: 1.0
            })
        );
        assert_eq!(of_mean(&steps[..9], &histogram), Err(NotKnown::FewSteps));
        assert_eq!(
            of_mean(&[], &LatencyHistogram::new()),
            Err(NotKnown::FewIos)
        );
    }
}
