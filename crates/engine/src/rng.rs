//! Random numbers: same seed, same offsets, next year too (pinned by test vectors).
//!
//! xoshiro256++ seeded through SplitMix64, as its authors advise; each thread has the stream of
//! `seed` + its number. DISKSPD's walks draw from its own generator ([`Jenkins`]).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// One thread's generator, for fathom's own workloads.
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

/// DISKSPD's generator of one thread: Bob Jenkins' small noncryptographic generator with 64-bit words.
///
/// Source: B. Jenkins, "A small noncryptographic PRNG", burtleburtle.net/bob/rand/smallprng.html, 2009; seeding and
/// discarded steps as DISKSPD has them. The same seed gives the same offsets here and there.
#[derive(Clone, Debug)]
pub(crate) struct Jenkins {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

/// Steps that are thrown away after seeding.
const DISCARDED: usize = 20;

impl Jenkins {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Jenkins {
            a: 0xf1ea_5eed,
            b: seed,
            c: seed,
            d: seed,
        };
        for _ in 0..DISCARDED {
            rng.bits();
        }
        rng
    }

    /// Any 64 bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        let e = self.a.wrapping_sub(self.b.rotate_left(7));
        self.a = self.b ^ self.c.rotate_left(13);
        self.b = self.c.wrapping_add(self.d.rotate_left(37));
        self.c = self.d.wrapping_add(e);
        self.d = e.wrapping_add(self.a);
        self.d
    }

    /// The low half of a step.
    #[inline]
    pub(crate) fn low(&mut self) -> u32 {
        self.bits() as u32
    }

    /// True in `percent` of all draws. // percent in [0, 100]
    #[inline]
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.low() % 100 < percent
    }

    /// Random bytes, eight a step.
    pub(crate) fn fill(&mut self, data: &mut [u8]) {
        for piece in data.chunks_mut(8) {
            piece.copy_from_slice(&self.bits().to_le_bytes()[..piece.len()]);
        }
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

    #[test]
    fn e020_e021_streams_are_diskspds_own() {
        let cases: [(u64, &[u64]); 3] = [
            (
                0,
                &[
                    0x4b39_c42d_b38f_cdf5,
                    0xaee2_c9e9_1983_3f29,
                    0x3061_1cd7_5d02_54ce,
                ],
            ),
            (
                1,
                &[
                    0xae73_5ca1_0d06_0948,
                    0x8e16_aa02_6856_3732,
                    0x8f06_1cf1_eaa2_da64,
                ],
            ),
            (1234, &[0x75fa_a925_eff2_04e4, 0x9d02_4891_85b0_1570]),
        ];
        for (seed, expected) in cases {
            let mut rng = Jenkins::new(seed);
            let drawn: Vec<u64> = expected.iter().map(|_| rng.bits()).collect();
            assert_eq!(drawn, expected, "seed {seed}");
        }
    }
}
