//! Chance for tests: a small generator with a fixed stream, and the distributions that simulated devices need.

/// SplitMix64; Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0, at most 1.
    pub(crate) fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.share().ln()
    }

    /// Mean 0, deviation 1; Box and Muller, "A note on the generation of random normal deviates" (1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.share().ln()).sqrt();
        radius * (self.share() * std::f64::consts::TAU).cos()
    }
}
