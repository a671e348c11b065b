//! Random numbers for drawn I/Os: the same seed gives the same I/Os.
//!
//! SplitMix64, whose finaliser the crate has; the streams are as long as a trace, not as long as a measurement of a device.
//! Omitted: the engine's generators.

use crate::footprint::mix;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(mix(seed ^ 0x9e37_79b9_7f4a_7c15))
    }

    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// In [0, 1).
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [0, `bound`). // bound above 0
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Normal, by Box and Muller (1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Gamma of this shape and scale 1. Source: Marsaglia, Tsang, "A simple method for generating gamma variables", 2000.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let part = (1.0 - self.unit()).powf(1.0 / shape);
            return self.gamma(shape + 1.0) * part;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            let limit = 0.5 * x * x + d - d * v;
            if v > 0.0 && (1.0 - self.unit()).ln() < limit + d * v.ln() {
                return d * v;
            }
        }
    }

    /// Beta of twice the same parameter. // in [0, 1]
    fn beta(&mut self, shape: f64) -> f64 {
        let (a, b) = (self.gamma(shape), self.gamma(shape));
        match a + b > 0.0 {
            true => a / (a + b),
            false => f64::from(self.bits() as u32 & 1),
        }
    }

    /// How many of `count` independent events with this probability happen; nearly normal above 256.
    fn binomial(&mut self, count: u64, probability: f64) -> u64 {
        const EXACT: u64 = 256;
        if count <= EXACT {
            return (0..count).filter(|_| self.unit() < probability).count() as u64;
        }
        let mean = count as f64 * probability;
        let deviation = (mean * (1.0 - probability)).sqrt();
        let drawn = mean + deviation * self.normal();
        (drawn.round().max(0.0) as u64).min(count)
    }

    /// How many of `count` are in the left half, with this excess of the variance (`ArrivalRule::Open`).
    pub(crate) fn halved(&mut self, count: u64, excess: f64) -> u64 {
        if excess < 0.0 && self.unit() < -excess {
            let odd = count & 1;
            return count / 2 + (odd & self.bits());
        }
        let probability = match excess > 0.0 {
            true => self.beta(((1.0 / (4.0 * excess) - 1.0) / 2.0).max(1e-6)),
            false => 0.5,
        };
        self.binomial(count, probability)
    }
}

/// Draws ranks by Zipf's law. Source: Hörmann, Derflinger, "Rejection-inversion to generate variates from monotone discrete
/// distributions", 1996.
#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    theta: f64,
    blocks: u64,
    first: f64,
    last: f64,
    squeeze: f64,
}

impl Zipf {
    pub(crate) fn new(theta: f64, blocks: u64) -> Zipf {
        let mut zipf = Zipf {
            theta,
            blocks,
            first: 0.0,
            last: 0.0,
            squeeze: 0.0,
        };
        zipf.first = zipf.integral(1.5) - 1.0;
        zipf.last = zipf.integral(blocks as f64 + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    fn weight(&self, x: f64) -> f64 {
        x.powf(-self.theta)
    }

    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.theta;
        match power.abs() < 1e-9 {
            true => x.ln(),
            false => (x.powf(power) - 1.0) / power,
        }
    }

    fn inverse(&self, y: f64) -> f64 {
        let power = 1.0 - self.theta;
        match power.abs() < 1e-9 {
            true => y.exp(),
            false => (1.0 + y * power).max(0.0).powf(1.0 / power),
        }
    }

    /// A rank from 0 on.
    pub(crate) fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let u = self.last + rng.unit() * (self.first - self.last);
            let x = self.inverse(u);
            let rank = (x.round() as u64).clamp(1, self.blocks);
            let k = rank as f64;
            if k - x <= self.squeeze || u >= self.integral(k + 0.5) - self.weight(k) {
                return rank - 1;
            }
        }
    }
}
