//! Content of a target, judged by a sample of its blocks.
//!
//! Looked at: the first and the last block, up to 254 spread evenly between, the last piece that is
//! shorter than a block, and the blocks that have data according to the caller (the extents of a sparse
//! file). A sample can miss things, so it proves that user data is there, never that none is: zeros
//! are unproven until everything was read. Deliberately absent: how bytes are read and how time is read,
//! so that a test needs neither a file nor a clock.

use model::block_header::{self, BlockState, inspect};
use model::{Bytes, Content, Flaw};
use std::collections::BTreeSet;

const BLOCK: u64 = block_header::BLOCK.0;
const SAMPLES: u64 = 256;
/// Bytes of one read where everything is read.
const PIECE: u64 = 1 << 20;

/// Offsets of the blocks to read, rising. The last may be shorter than a block.
pub(crate) fn sample(size: Bytes, known_data: &[u64]) -> BTreeSet<u64> {
    let whole = size.0 / BLOCK;
    let mut blocks: BTreeSet<u64> = if whole <= SAMPLES {
        (0..whole).collect()
    } else {
        let spread = u128::from(whole - 1);
        (0..SAMPLES)
            .map(|i| (u128::from(i) * spread / u128::from(SAMPLES - 1)) as u64)
            .collect()
    };
    if !size.is_multiple_of(block_header::BLOCK) {
        blocks.insert(whole);
    }
    blocks.extend(known_data.iter().map(|at| at / BLOCK));
    blocks
        .into_iter()
        .map(|block| block * BLOCK)
        .filter(|&offset| offset < size.0)
        .collect()
}

/// Judges the sampled blocks. `read` fills the buffer from an offset, or reports that it could not or that
/// there is no more time for it.
pub(crate) fn judge(
    size: Bytes,
    offsets: &BTreeSet<u64>,
    mut read: impl FnMut(u64, &mut [u8]) -> bool,
) -> Content {
    if size == Bytes(0) {
        return Content::Empty;
    }
    let mut seen = Vec::with_capacity(offsets.len());
    let mut block = [0; BLOCK as usize];
    for &offset in offsets {
        let piece = &mut block[..BLOCK.min(size.0 - offset) as usize];
        if !read(offset, piece) {
            return Content::Unknown;
        }
        // The last piece of a file of fathom, which is shorter than a block, is zeros and proves nothing.
        let is_rest = piece.len() < BLOCK as usize && seen.first() == Some(&BlockState::Whole);
        match inspect(piece) {
            BlockState::Flawed(flaw) => return flawed(offset, flaw, seen.first()),
            BlockState::Zero if is_rest => {}
            state => seen.push(state),
        }
    }
    let whole = |state: &BlockState| *state == BlockState::Whole;
    if !seen.iter().any(whole) {
        Content::Unproven
    } else if seen.iter().all(whole) {
        Content::Fathom
    } else if seen.first().is_some_and(whole) {
        Content::FathomPartial
    } else {
        Content::Foreign
    }
}

/// What a target contains that has this flaw: foreign data, where no block of fathom is found.
fn flawed(offset: u64, flaw: Flaw, first: Option<&BlockState>) -> Content {
    match flaw.may_be_ours() || first == Some(&BlockState::Whole) {
        true => Content::Flawed {
            offset: Bytes(offset),
            flaw,
        },
        false => Content::Foreign,
    }
}

/// Judges what showed only zeros to a sample, by reading all of it up to the first byte that is not zero.
/// What `read` does not give stays unproven.
pub(crate) fn judge_whole(size: Bytes, mut read: impl FnMut(u64, &mut [u8]) -> bool) -> Content {
    let mut buffer = vec![0; PIECE.min(size.0) as usize];
    let zeros = buffer.clone(); // compared as a whole, which costs far less than byte by byte
    for offset in (0..size.0).step_by(PIECE as usize) {
        let piece = &mut buffer[..PIECE.min(size.0 - offset) as usize];
        if !read(offset, piece) {
            return Content::Unproven;
        }
        if *piece != zeros[..piece.len()] {
            return Content::Foreign;
        }
    }
    Content::Empty
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::block_header::{BlockHeader, write_blocks};
    use proptest::prelude::*;

    fn judge_bytes(data: &[u8]) -> Content {
        let size = Bytes(data.len() as u64);
        judge(size, &sample(size, &[]), |offset, piece| {
            let at = offset as usize;
            piece.copy_from_slice(&data[at..at + piece.len()]);
            true
        })
    }

    /// What fathom fills a file with.
    fn blocks(length: usize) -> Vec<u8> {
        let mut data = vec![0xA7; length];
        write_blocks(&mut data, &BlockHeader::default());
        data
    }

    #[test]
    fn a_sample_of_zeros_proves_nothing_and_no_length_is_empty() {
        assert_eq!(judge_bytes(&[]), Content::Empty);
        assert_eq!(judge_bytes(&vec![0; 2 << 20]), Content::Unproven);
        assert_eq!(judge_bytes(&[0; 100]), Content::Unproven);
    }

    #[test]
    fn only_all_of_it_read_is_empty() {
        let size = Bytes((5 << 20) + 512);
        let judged = |known_to: u64, dirty: Option<u64>| {
            judge_whole(size, |offset, piece| {
                let end = offset + piece.len() as u64;
                piece.fill(0);
                if let Some(at) = dirty.filter(|at| (offset..end).contains(at)) {
                    piece[(at - offset) as usize] = 1;
                }
                end <= known_to
            })
        };
        assert_eq!(judged(size.0, None), Content::Empty);
        assert_eq!(judged(size.0, Some(size.0 - 1)), Content::Foreign);
        assert_eq!(judged(3 << 20, None), Content::Unproven);
        assert_eq!(judged(3 << 20, Some(4 << 20)), Content::Unproven);
        assert_eq!(judge_whole(Bytes(0), |_, _| true), Content::Empty);
    }

    #[test]
    fn a_whole_filling_is_fathoms() {
        assert_eq!(judge_bytes(&blocks(3 << 20)), Content::Fathom);
        assert_eq!(judge_bytes(&blocks((3 << 20) + 512)), Content::Fathom);
        assert_eq!(judge_bytes(&blocks((3 << 20) + 5)), Content::Fathom);
        assert_eq!(judge_bytes(&blocks(5)), Content::Unproven);
    }

    #[test]
    fn a_filling_cut_short_is_partly_fathoms() {
        let mut data = blocks(3 << 20);
        data[1 << 20..].fill(0);
        assert_eq!(judge_bytes(&data), Content::FathomPartial);
        data[..4096].fill(0);
        assert_eq!(judge_bytes(&data), Content::Foreign);
    }

    #[test]
    fn a_person_s_bytes_are_foreign_even_in_the_last_short_piece() {
        let mut data = blocks(1 << 20);
        data.extend_from_slice(b"dear diary, today I");
        let there = |offset: u64, flaw| Content::Flawed {
            offset: Bytes(offset),
            flaw,
        };
        assert_eq!(judge_bytes(&data), there(1 << 20, Flaw::Foreign));
        data[4096 * 3 + 9] ^= 1;
        assert_eq!(judge_bytes(&data), there(4096 * 3, Flaw::Altered));
        data[32..34].fill(0xEE);
        assert_eq!(judge_bytes(&data), there(0, Flaw::OldMark));
        assert_eq!(judge_bytes(b"x"), Content::Foreign);
        let mut zeros = vec![0; 8192];
        zeros.extend_from_slice(b"the end of a sparse image");
        assert_eq!(judge_bytes(&zeros), Content::Foreign);
    }

    #[test]
    fn known_data_between_the_samples_is_looked_at() {
        let size = Bytes::gib(100);
        let offsets = sample(size, &[123_456_789]);
        assert!(offsets.contains(&(123_456_789 / 4096 * 4096)));
        let content = judge(size, &offsets, |offset, piece| {
            piece.fill(u8::from(offset == 123_456_789 / 4096 * 4096));
            true
        });
        assert_eq!(content, Content::Foreign);
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        let size = Bytes::mib(1);
        let content = judge(size, &sample(size, &[]), |offset, piece| {
            piece.fill(0);
            offset != 1_048_576 - 4096
        });
        assert_eq!(content, Content::Unknown);
    }

    proptest! {
        #[test]
        fn the_sample_is_bounded_aligned_and_has_both_ends(size in 0u64..=u64::MAX) {
            let offsets = sample(Bytes(size), &[]);
            prop_assert!(offsets.len() <= 257);
            prop_assert!(offsets.iter().all(|at| at % 4096 == 0 && *at < size));
            prop_assert_eq!(offsets.first().copied(), (size > 0).then_some(0));
            if size >= 4096 {
                prop_assert!(offsets.contains(&((size / 4096 - 1) * 4096)));
            }
        }
    }
}
