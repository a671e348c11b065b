//! What a compressor would make of a block: an estimate by the simplest one that deserves the name.
//!
//! Greedy matches of at least four bytes, found by a table of the last place of each four bytes, as LZ4 does it; a match
//! costs three bytes, a byte without one itself. Within about a tenth of what LZ4 makes of text, code and random bytes.
//! Source: the format's description, `lz4_Block_format.md`. Deliberately absent: compressing.

use model::{Bytes, DataSample};

const TABLE_BITS: u32 = 10;
const MATCH_MIN: usize = 4;
/// A place in no block, which is shorter.
const NOWHERE: u16 = u16::MAX;
/// Tries without a match before a step is one byte longer. Source: LZ4's default, `LZ4_skipTrigger`.
const STEP_AFTER: usize = 1 << 6;
/// Two bytes specify how far back, one how long and how many bytes without a match are before it.
const MATCH_BYTES: u64 = 3;

/// Adds a block of at most 64 KiB to what is known of a sample.
pub(crate) fn add(sample: &mut DataSample, block: &[u8]) {
    sample.blocks += 1;
    if block.iter().all(|&byte| byte == 0) {
        sample.zero_blocks += 1;
        return;
    }
    let whole = block.len() as u64;
    sample.bytes = Bytes(sample.bytes.0 + whole);
    sample.pressed = Bytes(sample.pressed.0 + pressed(block).min(whole));
}

/// Bytes that would be left. The more bytes in a row have no match, the longer are the steps.
fn pressed(block: &[u8]) -> u64 {
    let mut table = [NOWHERE; 1 << TABLE_BITS];
    let (mut at, mut left) = (0, 0);
    let mut tries = STEP_AFTER;
    while let Some(word) = block.get(at..).and_then(|rest| rest.first_chunk()) {
        let place = &mut table[slot(u32::from_le_bytes(*word))];
        let before = usize::from(std::mem::replace(place, at as u16));
        let same = match before {
            before if before < at => alike(block, before, at),
            _ => 0,
        };
        if same < MATCH_MIN {
            let step = (tries / STEP_AFTER).min(block.len() - at);
            left += step as u64;
            at += step;
            tries += 1;
        } else {
            left += MATCH_BYTES;
            at += same;
            tries = STEP_AFTER;
        }
    }
    left + (block.len() - at) as u64
}

/// How many bytes from both places on are the same.
fn alike(block: &[u8], before: usize, at: usize) -> usize {
    let pairs = block[before..].iter().zip(&block[at..]);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Multiplicative hashing by the golden ratio. Source: Knuth, The Art of Computer Programming, volume 3, 6.4.
fn slot(word: u32) -> usize {
    (word.wrapping_mul(0x9E37_79B1) >> (32 - TABLE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(block: &[u8]) -> Option<f64> {
        let mut sample = DataSample::default();
        add(&mut sample, block);
        sample.pressed_share()
    }

    #[test]
    fn random_bytes_stay_what_they_are() {
        let mut state = 1u64;
        let random: Vec<u8> = (0..4096)
            .map(|_| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 56) as u8
            })
            .collect();
        assert!(share(&random).unwrap() > 0.98, "{:?}", share(&random));
    }

    #[test]
    fn repeated_words_shrink_and_half_zeros_shrink_by_half() {
        let text: Vec<u8> = b"a user's letters and pictures\n".repeat(128);
        assert!(share(&text).unwrap() < 0.05);
        let steps: Vec<u8> = (0..4096).map(|i| i as u8).collect();
        assert!(share(&steps).unwrap() < 0.10);
        let mut half = vec![0; 2048];
        half.extend(
            (0..1024u32).flat_map(|i| (i.wrapping_mul(2_654_435_769) as u16).to_le_bytes()),
        );
        let half = share(&half).unwrap();
        assert!((0.35..0.6).contains(&half), "{half}");
    }

    #[test]
    fn zeros_are_counted_apart() {
        let mut sample = DataSample::default();
        add(&mut sample, &[0; 4096]);
        assert_eq!(
            (sample.zero_share(), sample.pressed_share()),
            (Some(1.0), None)
        );
        add(&mut sample, &[7; 3]);
        assert_eq!(sample.zero_share(), Some(0.5));
        assert_eq!(sample.pressed, Bytes(3), "too short to press");
    }
}
