//! Each block once a pass, in an order that seed, thread and pass give: a keyed permutation instead of a map of the
//! blocks that were visited, so that it needs no memory and a position can be computed from a block.
//!
//! Method: four Feistel rounds over the next power of two, repeated while the result is outside (cycle-walking). Source: J.
//! Black, P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002. Omitted: what is done to a block.

use crate::thread_plan::TargetShare;
use model::PermutedAccess;

const ROUNDS: usize = 4;

/// One thread's endless list of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Permuted {
    order: Order,
    first: u64,    // block of the thread's part
    position: u64, // in [0, order.blocks)
    pass: u64,
    seed: u64,
}

impl Permuted {
    /// `blocks` are in the range; `seed` is the thread's own.
    pub(crate) fn new(access: PermutedAccess, blocks: u64, seat: &TargetShare, seed: u64) -> Self {
        let begin =
            |index: u32| (u128::from(blocks) * u128::from(index) / u128::from(seat.threads)) as u64;
        let (first, end) = match access {
            PermutedAccess::Each => (0, blocks),
            PermutedAccess::Shared => (begin(seat.index), begin(seat.index + 1)),
        };
        assert!(first < end, "the check leaves a block for each thread");
        Permuted {
            order: Order::new(end - first, seed, 0),
            first,
            position: 0,
            pass: 0,
            seed,
        }
    }

    /// The number of the next block.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        if self.position == self.order.blocks {
            self.begin_pass();
        }
        let block = self.order.block_at(self.position);
        self.position += 1;
        self.first + block
    }

    #[cold]
    fn begin_pass(&mut self) {
        self.pass += 1;
        self.position = 0;
        self.order = Order::new(self.order.blocks, self.seed, self.pass);
    }
}

/// The order of one pass: a permutation of the numbers below `blocks`.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    blocks: u64,
    low_bits: u32, // a number is a high and a low part; the high one has as many bits or one fewer
    low: u64,      // masks of the parts
    high: u64,
    keys: [u64; ROUNDS],
}

impl Order {
    pub(crate) fn new(blocks: u64, seed: u64, pass: u64) -> Order {
        let bits = 64 - (blocks - 1).leading_zeros();
        let low_bits = bits.div_ceil(2);
        let mask = |bits: u32| (1u64 << bits) - 1;
        let start = mix(seed ^ mix(pass.wrapping_add(1)));
        let key = |round: usize| mix(start.wrapping_add(round as u64));
        Order {
            blocks,
            low_bits,
            low: mask(low_bits),
            high: mask(bits - low_bits),
            keys: std::array::from_fn(key),
        }
    }

    /// The block at a position.
    #[inline]
    pub(crate) fn block_at(&self, position: u64) -> u64 {
        let mut number = position;
        loop {
            let (mut high, mut low) = (number >> self.low_bits, number & self.low);
            for pair in self.keys.chunks_exact(2) {
                high ^= mix(low ^ pair[0]) & self.high;
                low ^= mix(high ^ pair[1]) & self.low;
            }
            number = high << self.low_bits | low;
            if number < self.blocks {
                return number;
            }
        }
    }

    /// The position of a block: the inverse.
    #[cfg(test)]
    fn position_of(&self, block: u64) -> u64 {
        let mut number = block;
        loop {
            let (mut high, mut low) = (number >> self.low_bits, number & self.low);
            for pair in self.keys.chunks_exact(2).rev() {
                low ^= mix(high ^ pair[1]) & self.low;
                high ^= mix(low ^ pair[0]) & self.high;
            }
            number = high << self.low_bits | low;
            if number < self.blocks {
                return number;
            }
        }
    }
}

/// SplitMix64's finaliser: each bit of the result depends on each of the argument.
#[inline]
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn permuted(access: PermutedAccess, blocks: u64, index: u32, threads: u32) -> Permuted {
        let seat = TargetShare {
            target: 0,
            index,
            threads,
            weight: 1,
            first_slot: 0,
            slots: 1,
        };
        Permuted::new(access, blocks, &seat, u64::from(index))
    }

    #[test]
    fn threads_that_share_visit_each_block_once_together_and_otherwise_each_visits_all() {
        for (blocks, threads) in [(3, 3), (1000, 7), (1025, 4)] {
            let mut all: Vec<u64> = Vec::new();
            for index in 0..threads {
                let mut own = permuted(PermutedAccess::Shared, blocks, index, threads);
                let count = own.order.blocks;
                all.extend((0..count).map(|_| own.next()));
                let mut each = permuted(PermutedAccess::Each, blocks, index, threads);
                let seen: HashSet<u64> = (0..blocks).map(|_| each.next()).collect();
                assert_eq!(seen.len() as u64, blocks);
            }
            all.sort_unstable();
            assert_eq!(all, (0..blocks).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn passes_threads_and_seeds_have_orders_of_their_own() {
        let mut one = permuted(PermutedAccess::Each, 64, 0, 2);
        let mut other = permuted(PermutedAccess::Each, 64, 1, 2);
        let pass = |of: &mut Permuted| (0..64).map(|_| of.next()).collect::<Vec<u64>>();
        let (first, second, third) = (pass(&mut one), pass(&mut one), pass(&mut other));
        assert!(first != second && first != third);
        assert_eq!(HashSet::<u64>::from_iter(second).len(), 64);
    }

    /// Neighbours in time are not neighbours in place, and each tenth of a pass is spread over the whole range: the mean
    /// block of the first tenth of 10,000 is within five standard deviations, 5 × 0.2887 / sqrt(1000) × sqrt(0.9) = 4.3%.
    #[test]
    fn an_order_is_spread_like_draws_without_replacement() {
        for seed in 0..20 {
            let order = Order::new(10_000, seed, 0);
            let blocks: Vec<u64> = (0..1000).map(|position| order.block_at(position)).collect();
            let mean = blocks.iter().sum::<u64>() as f64 / 1000.0 / 9999.0;
            assert!((mean - 0.5).abs() < 0.043, "seed {seed}: {mean}");
            let steps = blocks.windows(2).filter(|pair| pair[1] == pair[0] + 1);
            assert!(steps.count() < 5, "seed {seed}");
        }
    }

    proptest! {
        #[test]
        fn positions_and_blocks_are_each_others_inverse(
            blocks in prop_oneof![1u64..5000, 1u64 << 20..1 << 48],
            seed in any::<u64>(),
            place in any::<u64>(),
        ) {
            let order = Order::new(blocks, seed, 3);
            let position = place % blocks;
            let block = order.block_at(position);
            prop_assert!(block < blocks);
            prop_assert_eq!(order.position_of(block), position);
        }

        #[test]
        fn a_pass_visits_every_block(blocks in 1u64..3000, seed in any::<u64>()) {
            let order = Order::new(blocks, seed, 0);
            let seen: HashSet<u64> = (0..blocks).map(|position| order.block_at(position)).collect();
            prop_assert_eq!(seen.len() as u64, blocks);
        }
    }
}
