//! Random choices that follow from a seed and the number of an attempt. Omitted: anything cryptographic.

/// SplitMix64. // Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let mut dice = Dice(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        dice.bits();
        dice
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `end`. // end in [1, 2^63]
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// An index of a list of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    pub(crate) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn fill(&mut self, data: &mut [u8]) {
        for piece in data.chunks_mut(8) {
            piece.copy_from_slice(&self.bits().to_le_bytes()[..piece.len()]);
        }
    }
}
