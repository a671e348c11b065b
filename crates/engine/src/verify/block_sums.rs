//! Checksums of a block in one pass, where the processor multiplies 512 bits wide: most of its bytes by carry-less
//! multiplication, the rest at the same time by the CRC-32C instruction, which uses another unit.
//!
//! Polynomials are bit-reflected. Sources: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
//! Instruction", Intel 2009; Kadatch and Jenkins, "Everything we know about CRC but afraid to forget", 2010. Omitted:
//! other processors, for which `model` computes the sums.
#![allow(unsafe_code)]

use model::block_header::{BLOCK_BYTES, BlockSums};

type Block = [u8; BLOCK_BYTES];

#[inline]
pub(super) fn sums(block: &Block) -> BlockSums {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("sse4.2")
    {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { wide::sums(block) };
    }
    BlockSums::of(block)
}

/// Loads what is read soon into the cache, without waiting for it.
#[inline]
pub(super) fn load_ahead<T>(of: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it has no effect that a program can see, and what it is given is borrowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(of).cast());
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{BLOCK_BYTES, Block, BlockSums};
    use model::block_header::HEADER_BYTES;
    use std::arch::x86_64::*;

    const LINE: usize = 64;
    /// Lines that are multiplied at the same time: a product is complete when so many have begun.
    const LANES: usize = 5;
    const ROUNDS: usize = 10;
    /// Where the bytes for the CRC instruction begin.
    const REST: usize = HEADER_BYTES + LINE * LANES * ROUNDS;
    /// Parts of these, for the same reason.
    const PARTS: usize = 4;
    const PART: usize = (BLOCK_BYTES - REST) / PARTS;
    const WORDS: usize = PART / 8;
    /// Words of each part in a round.
    const STEP: usize = WORDS.div_ceil(ROUNDS - 1);

    #[target_feature(enable = "avx512f,vpclmulqdq,pclmulqdq,sse4.2")]
    pub(super) fn sums(block: &Block) -> BlockSums {
        let mut head = u64::from(u32::MAX);
        for at in (0..HEADER_BYTES - 8).step_by(8) {
            head = _mm_crc32_u64(head, word(block, at));
        }
        // The last word without the head's own sum.
        head = _mm_crc32_u64(head, word(block, HEADER_BYTES - 8) & u64::from(u32::MAX));
        let mut lanes: [__m512i; LANES] = std::array::from_fn(|lane| line(block, lane));
        lanes[0] = _mm512_xor_si512(lanes[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128(-1)));
        let mut parts = [0; PARTS];
        let by = const { ahead(LINE * LANES) };
        for round in 1..ROUNDS {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                *sum = moved(*sum, by, line(block, round * LANES + lane));
            }
            for step in (round - 1) * STEP..(round * STEP).min(WORDS) {
                for (part, sum) in parts.iter_mut().enumerate() {
                    *sum = _mm_crc32_u64(*sum, word(block, REST + part * PART + step * 8));
                }
            }
        }
        BlockSums {
            head: !(head as u32),
            body: !(joined(lanes) ^ joined_rest(parts)),
        }
    }

    /// Joins the lanes to the remainder of all their lines, as it is at the end of the block.
    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq,pclmulqdq,sse4.2")]
    fn joined(lanes: [__m512i; LANES]) -> u32 {
        const LANES_AHEAD: [[i64; 2]; LANES - 1] = [
            ahead(4 * LINE),
            ahead(3 * LINE),
            ahead(2 * LINE),
            ahead(LINE),
        ];
        const QUARTERS: [[i64; 2]; 3] = [ahead(48), ahead(32), ahead(16)];
        let [first, second, third, fourth, last] = lanes;
        let none = _mm512_setzero_si512();
        let even = moved(first, LANES_AHEAD[0], last);
        let odd = moved(second, LANES_AHEAD[1], none);
        let even = moved(third, LANES_AHEAD[2], even);
        let odd = moved(fourth, LANES_AHEAD[3], odd);
        let line = _mm512_xor_si512(even, odd);
        let [a, b, c] = QUARTERS;
        let by = _mm512_set_epi64(0, 0, c[1], c[0], b[1], b[0], a[1], a[0]);
        let quarters = product(line, by, none);
        let ab = _mm_xor_si128(
            _mm512_extracti32x4_epi32::<0>(quarters),
            _mm512_extracti32x4_epi32::<1>(quarters),
        );
        let cd = _mm_xor_si128(
            _mm512_extracti32x4_epi32::<2>(quarters),
            _mm512_extracti32x4_epi32::<3>(line),
        );
        let all = _mm_xor_si128(ab, cd);
        let low = _mm_crc32_u64(0, _mm_cvtsi128_si64(all) as u64);
        let sum = _mm_crc32_u64(low, _mm_extract_epi64::<1>(all) as u64);
        behind(sum, const { power(8 * (BLOCK_BYTES - REST) - 33) })
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq,sse4.2")]
    fn joined_rest(parts: [u64; PARTS]) -> u32 {
        let [first, second, third, last] = parts;
        behind(first, const { power(8 * 3 * PART - 33) })
            ^ behind(second, const { power(8 * 2 * PART - 33) })
            ^ behind(third, const { power(8 * PART - 33) })
            ^ last as u32
    }

    /// Moves a sum over the bytes behind it. // by: x to their bits less 33
    #[inline]
    #[target_feature(enable = "pclmulqdq,sse4.2")]
    fn behind(sum: u64, by: u32) -> u32 {
        let [sum, by] = [sum as i64, i64::from(by)].map(|one| _mm_cvtsi64_si128(one));
        let product = _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(sum, by));
        _mm_crc32_u64(0, product as u64) as u32
    }

    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    fn moved(sum: __m512i, [low, high]: [i64; 2], next: __m512i) -> __m512i {
        let by = _mm512_set_epi64(high, low, high, low, high, low, high, low);
        product(sum, by, next)
    }

    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    fn product(sum: __m512i, by: __m512i, next: __m512i) -> __m512i {
        let low = _mm512_clmulepi64_epi128::<0x00>(sum, by);
        let high = _mm512_clmulepi64_epi128::<0x11>(sum, by);
        _mm512_ternarylogic_epi64::<0x96>(low, high, next) // exclusive or of three
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn line(block: &Block, number: usize) -> __m512i {
        let line: &[u8; LINE] = block[HEADER_BYTES + number * LINE..]
            .first_chunk()
            .expect("all lines are in the block");
        // SAFETY: 64 bytes are borrowed, and the load needs no alignment.
        unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
    }

    #[inline]
    fn word(block: &Block, at: usize) -> u64 {
        let word = block[at..].first_chunk();
        u64::from_le_bytes(*word.expect("all words are in the block"))
    }

    /// Factors for the halves of 16 bytes that are moved over so many bytes.
    const fn ahead(bytes: usize) -> [i64; 2] {
        let [low, high] = [power(8 * bytes + 32), power(8 * bytes - 32)];
        [(low as i64) << 1, (high as i64) << 1]
    }

    /// x to a power, modulo the polynomial.
    const fn power(exponent: usize) -> u32 {
        const POLYNOMIAL: u32 = 0x1edc_6f41;
        let mut rest: u32 = 1;
        let mut at = 0;
        while at < exponent {
            rest = (rest << 1) ^ ((rest >> 31) * POLYNOMIAL);
            at += 1;
        }
        rest.reverse_bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sums_are_those_of_the_bytes(seed in any::<u64>(), flipped in 0..4096usize * 8) {
            let mut state = seed;
            let mut block: Box<Block> = Box::new(std::array::from_fn(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                (state >> 56) as u8
            }));
            prop_assert_eq!(sums(&block), BlockSums::of(&block));
            let before = sums(&block);
            block[flipped / 8] ^= 1 << (flipped % 8);
            prop_assert_eq!(sums(&block), BlockSums::of(&block));
            // Not the head's own sum, which is no part of it.
            prop_assert_eq!(sums(&block) == before, (60 * 8..64 * 8).contains(&flipped));
        }
    }
}
