//! Service times relative to their mean: drawn from a table of quantiles, so that a draw is a look-up and the mean of
//! what is drawn is exact.
//!
//! A table contains the law at the middle of each of 4096 equal shares, divided by their mean. Source of the normal
//! quantile: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23 (absolute error below 4.5e-4).

use crate::rng::Rng;
use model::ServiceLaw;

const SHARE_BITS: u32 = 12;
const SHARES: usize = 1 << SHARE_BITS;

/// A law with mean 1.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    table: Box<[f64]>, // rising; empty where all are 1
}

impl Law {
    /// `spread` is the standard deviation of the lognormal law in percent.
    pub(crate) fn new(law: ServiceLaw, spread: u64) -> Self {
        // A lognormal variable with parameters 0 and s has (standard deviation / mean)² = exp(s²) - 1.
        let wide = (spread as f64 / 100.0).powi(2).ln_1p().sqrt();
        let at = |share: usize| {
            let below = (share as f64 + 0.5) / SHARES as f64;
            match law {
                ServiceLaw::Constant => 1.0,
                ServiceLaw::Lognormal => (wide * normal_quantile(below)).exp(),
                ServiceLaw::Exponential => -(-below).ln_1p(),
            }
        };
        let alike = law == ServiceLaw::Constant || law == ServiceLaw::Lognormal && spread == 0;
        let mut table: Box<[f64]> = (0..if alike { 0 } else { SHARES }).map(at).collect();
        let mean = table.iter().sum::<f64>() / SHARES as f64;
        table.iter_mut().for_each(|value| *value /= mean);
        Law { table }
    }

    /// One draw.
    #[inline]
    pub(crate) fn draw(&self, rng: &mut Rng) -> f64 {
        if self.table.is_empty() {
            return 1.0;
        }
        self.table[(rng.bits() >> (u64::BITS - SHARE_BITS)) as usize]
    }

    /// The value that this share of draws does not exceed. // quantile in [0, 1]
    pub(crate) fn quantile(&self, quantile: f64) -> f64 {
        let place = (quantile * self.table.len() as f64) as usize;
        let last = self.table.len().checked_sub(1);
        last.map_or(1.0, |last| self.table[place.min(last)])
    }
}

fn normal_quantile(below: f64) -> f64 {
    let tail = below.min(1.0 - below);
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let under = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    (t - above / under) * (below - 0.5).signum()
}

/// One draw of a normal variable with mean 0 and deviation 1. Source: Box and Muller, 1958.
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    let [one, other] = [uniform(rng), uniform(rng)];
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

/// In (0, 1].
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_and_deviation(law: &Law) -> (f64, f64) {
        let mut rng = Rng::new(3, 0);
        let drawn: Vec<f64> = (0..400_000).map(|_| law.draw(&mut rng)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        let squares = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (mean, (squares / drawn.len() as f64).sqrt())
    }

    #[test]
    fn laws_have_mean_1_and_the_width_that_is_asked() {
        for (law, spread, deviation) in [
            (ServiceLaw::Constant, 50, 0.0),
            (ServiceLaw::Lognormal, 0, 0.0),
            (ServiceLaw::Lognormal, 25, 0.25),
            (ServiceLaw::Lognormal, 60, 0.60),
            (ServiceLaw::Exponential, 0, 1.0),
        ] {
            let (mean, found) = mean_and_deviation(&Law::new(law, spread));
            assert!((mean - 1.0).abs() < 0.005, "{law:?}: {mean}");
            assert!((found - deviation).abs() < 0.01, "{law:?}: {found}");
        }
        let median = Law::new(ServiceLaw::Exponential, 0).quantile(0.5);
        assert!((median - std::f64::consts::LN_2).abs() < 1e-3);
    }
}
