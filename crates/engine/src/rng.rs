//! Random numbers: same seed, same offsets, next year too (pinned by test vectors).
//!
//! xoshiro256++ seeded through SplitMix64, as its authors advise; each thread has the stream of
//! `seed` + its number.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// One thread's generator.
#[derive(Clone, Debug)]
pub(crate) struct Rng(Xoshiro256PlusPlus);

impl Rng {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(stream)))
    }

    /// Any 64 bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// In [0, `bound`), by multiply and shift; the bias is below `bound` / 2^64. // bound above 0
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Incompressible bytes.
    pub(crate) fn fill(&mut self, data: &mut [u8]) {
        self.0.fill_bytes(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut rng = Rng::new(0, 0);
        assert_eq!(
            [rng.bits(), rng.bits(), rng.bits()],
            [
                5_987_356_902_031_041_503,
                7_051_070_477_665_621_255,
                6_633_766_593_972_829_180
            ]
        );
        let mut other = Rng::new(0, 1);
        assert_ne!(other.bits(), Rng::new(0, 0).bits());
    }

    #[test]
    fn draws_stay_below_their_bound() {
        let mut rng = Rng::new(7, 0);
        for bound in [1, 2, 3, 1000, u64::MAX] {
            for _ in 0..1000 {
                assert!(rng.below(bound) < bound);
            }
        }
    }
}
