//! How far a mean over a run may be off, from the steps of its time series.
//!
//! The residuals of a ratio of two sums (latency over I/Os: Cochran, Sampling Techniques, section 6.4, which also makes rate
//! and mean latency of a closed loop agree about how sure they are) are a series about 0, and `correlated` has the error of
//! its mean, or that the run is too short to show it.
//!
//! Where a rate limit lets I/Os through in even bursts, the spread overestimates the error: a batch with one burst more
//! is followed by one with one less, and only the ends matter, however long the series is. That is so where some length
//! of batches has a variance many times smaller than the shortest whose neighbours are nearly uncorrelated (lag-1 correlation
//! up to 0.1). The variance is then that of all overlapping batches of this length, so that it does not matter where a batch
//! begins: Meketon and Schmeiser, "Overlapping batch means: something for nothing?", Proceedings of the Winter Simulation
//! Conference 1984. Negative correlation narrows the interval as in a moving average of the first order,
//! 1 + 2 r (1 - 1/k) with r from -1/2: Box and Jenkins, Time Series Analysis, section 3.3. Half the 95% interval is
//! t(k - 1) · s / √k, and never less than what the ends of the series, which few batches cover, move the mean by, and one step
//! more. Omitted: what is summed, which is the caller's.

use super::correlated;
use crate::estimate::NotKnown;
use crate::spread::t_95;

const BATCHES_MAX: usize = 30;
const BATCHES_MIN: usize = 10;
/// Fewest steps of a series that shows its error.
pub(crate) const STEPS_MIN: usize = 10;
const CORRELATION_SMALL: f64 = 0.1;
/// What differs by less, as a share of how far the sums go, is equal but for rounding.
const ROUNDING: f64 = 1e-9;
/// Bursts are even where some batches have a variance so many times smaller than the shortest that fit: by chance alone it
/// is rarely a fourth.
const EVEN_LUMPS: f64 = 1.0 / 9.0;

/// How far a ratio of two sums over a series may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Variance of the ratio. // at least 0
    pub(crate) variance: f64,
    /// How many independent values it is worth. // at least 1
    pub(crate) worth: f64,
    /// Half the width of the 95% interval of the ratio.
    pub(crate) half_width: f64,
}

/// Of the sum of `parts` over the sum of `wholes`, which are as long.
///
/// # Errors
/// Fewer than ten steps, wholes that add up to nothing, or a series that is too short for its correlation.
pub(crate) fn spread(parts: &[f64], wholes: &[f64]) -> Result<Spread, NotKnown> {
    match widest(parts, wholes).ok_or(NotKnown::FewSteps)? {
        (spread, true) => Ok(spread),
        (_, false) => Err(NotKnown::Correlated),
    }
}

/// The same, with whether the series is long enough; none with too few steps.
pub(crate) fn widest(parts: &[f64], wholes: &[f64]) -> Option<(Spread, bool)> {
    let steps = parts.len().min(wholes.len());
    let whole: f64 = wholes.iter().sum();
    if steps < STEPS_MIN || whole <= 0.0 {
        return None;
    }
    let ratio = parts.iter().sum::<f64>() / whole;
    let residuals = parts.iter().zip(wholes).map(|(part, of)| part - ratio * of);
    let mut residuals: Vec<f64> = residuals.collect();
    let per_step = whole / steps as f64;
    if let Some(bursts) = Batched::bursts(&sums_before(residuals.iter().copied())) {
        let variance = bursts.variance() / (per_step * per_step);
        let by_chance = t_95(bursts.count() - 1) * variance.sqrt();
        let ends = bursts.mean.abs() / per_step;
        let spread = Spread {
            variance,
            worth: bursts.count() as f64,
            // When a burst came is known to a step.
            half_width: by_chance.max(ends) + ratio.abs() / steps as f64,
        };
        return Some((spread, true));
    }
    let most = residuals.iter().copied().map(f64::abs).fold(0.0, f64::max);
    if most <= ROUNDING * per_step * ratio.abs() {
        residuals.fill(0.0);
    }
    let error = correlated::error(&residuals);
    let spread = Spread {
        variance: error.variance / (per_step * per_step),
        worth: error.worth,
        half_width: error.half_width / per_step,
    };
    Some((spread, error.is_known))
}

/// The sum of all values before each, and of all.
fn sums_before(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let after = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(after).collect()
}

/// All overlapping batches of one length, of a series with mean 0.
struct Batched {
    steps: usize,
    length: usize,
    /// Of the means of the batches: 0 but for the ends of the series, which few of them cover.
    mean: f64,
    /// Of how far the means of the batches are from that.
    squares: f64,
    /// Of neighbours.
    correlation: f64,
    /// They come evenly.
    lumps: bool,
}

impl Batched {
    /// Those that show that bursts come evenly; none where they do not.
    fn bursts(sums: &[f64]) -> Option<Batched> {
        let steps = sums.len() - 1;
        let lengths = steps.div_ceil(BATCHES_MAX)..=steps / BATCHES_MIN;
        let all = lengths.map(|length| Batched::of_length(sums, length));
        let mut fitting = all.filter(|one| one.correlation <= CORRELATION_SMALL);
        let limit = EVEN_LUMPS * fitting.next()?.variance();
        let even = fitting.filter(|one| one.variance() < limit);
        even.min_by(|a, b| a.variance().total_cmp(&b.variance()))
            .map(|even| Batched {
                lumps: true,
                ..even
            })
    }

    fn of_length(sums: &[f64], length: usize) -> Batched {
        let steps = sums.len() - 1;
        let batches = steps - length + 1;
        let mean_of = |from: usize| (sums[from + length] - sums[from]) / length as f64;
        let mean = (0..batches).map(mean_of).sum::<f64>() / batches as f64;
        let off = |from: usize| mean_of(from) - mean;
        let squares: f64 = (0..batches).map(|from| off(from).powi(2)).sum();
        let most = sums.iter().copied().map(f64::abs).fold(0.0, f64::max);
        let differ = (squares / batches as f64).sqrt() > ROUNDING * most;
        let pairs = batches - length;
        let products: f64 = (0..pairs).map(|from| off(from) * off(from + length)).sum();
        let seen = match differ {
            true => products / pairs as f64 / (squares / batches as f64),
            false => 0.0,
        };
        // Without the bias of short series: Marriott and Pope, Biometrika 41 (1954).
        let correlation = seen + (1.0 + 4.0 * seen) / (steps / length) as f64;
        Batched {
            steps,
            length,
            mean,
            squares,
            correlation,
            lumps: false,
        }
    }

    /// Whole ones.
    fn count(&self) -> usize {
        self.steps / self.length
    }

    /// Of the mean of the series.
    fn variance(&self) -> f64 {
        let batches = self.steps - self.length + 1;
        let free = (self.steps - self.length) as f64;
        let left = self.correlation.clamp(-0.5, 0.0);
        let widened = match self.lumps {
            true => 1.0 + 2.0 * left * (1.0 - 1.0 / self.count() as f64),
            false => 1.0,
        };
        self.length as f64 * self.squares / batches as f64 / free * widened
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_steps_give_the_interval_of_the_textbook() {
        // Ten steps of one second: deviation 1.0541 around 5, and neighbours that alternate.
        let parts = [4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0];
        let reported = spread(&parts, &[1.0; 10]).unwrap();
        let textbook = 2.262 * 1.0541 / 10f64.sqrt();
        let times = reported.half_width / textbook;
        assert!(
            reported.worth > 5.0 && (0.95..1.2).contains(&times),
            "{reported:?}"
        );
    }

    /// Ten bursts a second, in steps of 10 ms, for so many steps; every third comes a step late.
    fn lumps(steps: usize, late: f64) -> Spread {
        let mut parts = vec![0.0; steps + 1];
        for (number, step) in (3..steps).step_by(10).enumerate() {
            let moved = if number % 3 == 0 { late } else { 0.0 };
            parts[step] = 200.0 - moved;
            parts[step + 1] = moved;
        }
        spread(&parts[..steps], &vec![0.01; steps]).unwrap()
    }

    #[test]
    fn lumps_that_come_evenly_are_known_but_for_the_ends() {
        for late in [0.0, 60.0] {
            let whole = lumps(200, late);
            assert!(whole.half_width < 0.025 * 2000.0, "{whole:?}");
            // 2.06 s with 21 bursts instead of 20.6: two in a hundred more than there are.
            let off = lumps(206, late);
            let truly = 21.0 * 200.0 / 2.06 - 2000.0;
            assert!(
                off.half_width >= 0.9 * truly && off.half_width < 3.0 * truly,
                "{off:?}"
            );
            // Shorter than ten bursts nothing shows that they come evenly.
            assert!(lumps(60, late).half_width > 0.1 * 2000.0);
        }
    }

    #[test]
    fn intervals_hold_the_rate_of_a_limiter_that_counts_in_lumps() {
        let mut chance = crate::chance::Chance(3);
        let (mut covered, mut narrow) = (0, 0);
        for _ in 0..400 {
            let steps = 100 + (300.0 * chance.share()) as usize;
            let mut parts = vec![0.0; steps];
            let mut at = 10.0 * chance.share(); // in steps; a burst takes most of a step and comes up to half a step late
            while at < steps as f64 {
                let ends = at + 0.5 * chance.share();
                for share in 0..20 {
                    let step = (ends + 0.04 * f64::from(share)) as usize;
                    if let Some(part) = parts.get_mut(step) {
                        *part += 10.0;
                    }
                }
                at += 10.0;
            }
            let wholes = vec![0.01; steps];
            let reported = spread(&parts, &wholes).unwrap().half_width;
            let rate = parts.iter().sum::<f64>() / wholes.iter().sum::<f64>();
            covered +=
                u32::from((rate - 2000.0).abs() <= reported.max(rate / parts.iter().sum::<f64>()));
            narrow += u32::from(reported < 0.05 * rate);
        }
        assert!(
            covered >= 372 && narrow >= 300,
            "{covered} of 400 contain it, {narrow} are narrow"
        );
    }

    #[test]
    fn steps_that_hang_together_are_worth_fewer_or_show_nothing() {
        let slow: Vec<f64> = (0..120)
            .map(|n| if n / 20 % 2 == 0 { 1.0 } else { 2.0 })
            .collect();
        assert_eq!(spread(&slow, &[1.0; 120]), Err(NotKnown::Correlated));
        let (reported, _) = widest(&slow, &[1.0; 120]).unwrap();
        assert!(reported.worth < 30.0, "{reported:?}");
        assert_eq!(spread(&slow[..9], &[1.0; 9]), Err(NotKnown::FewSteps));
        assert_eq!(spread(&[0.0; 20], &[0.0; 20]), Err(NotKnown::FewSteps));
        assert_eq!(spread(&[3.0; 20], &[1.0; 20]).unwrap().half_width, 0.0);
    }
}
