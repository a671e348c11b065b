//! The mark that fathom leaves in everything it writes, so that it can tell its own data from a person's.
//!
//! Every 4096 bytes of a target, at absolute offsets, begin with 8 magic bytes and a serial number; the rest
//! of a block is incompressible. A file is fathom's own when its blocks carry the mark, wherever it was
//! copied and whatever its name is. An extended attribute or a name alone would not do: both stay when a
//! person's data is written into the same file. The serial makes each block unique, so that nothing below
//! can fold equal blocks into one.

use crate::units::Bytes;

/// From one mark to the next.
pub const STAMP_EVERY: Bytes = Bytes(4096);
/// Length of the mark: magic, then the serial number, little end first.
pub const STAMP_BYTES: usize = 16;
const MAGIC: [u8; 8] = *b"FATHOM\x01\n";

/// Puts the marks where they belong into data that will be written at `offset` of its target. A mark that
/// would stand only partly in `data` is left out: such a place belongs to the block that begins before it.
/// Returns the next unused serial number.
#[inline]
pub fn stamp(data: &mut [u8], offset: Bytes, serial: u64) -> u64 {
    let every = STAMP_EVERY.0 as usize;
    let first = (every - (offset.0 % STAMP_EVERY.0) as usize) % every;
    let mut serial = serial;
    let mut at = first;
    while at + STAMP_BYTES <= data.len() {
        data[at..at + 8].copy_from_slice(&MAGIC);
        data[at + 8..at + STAMP_BYTES].copy_from_slice(&serial.to_le_bytes());
        serial = serial.wrapping_add(1);
        at += every;
    }
    serial
}

/// Whether a block that begins at a multiple of [`STAMP_EVERY`] carries the mark.
pub fn is_stamped(block: &[u8]) -> bool {
    block.get(..8) == Some(&MAGIC)
}

/// Bytes at the start of a block that have to be DISKSPD's pattern: its smallest I/O.
const PATTERN_BYTES: usize = 512;

/// Whether a block begins with what DISKSPD writes where nothing else is asked for: each byte one more than the one
/// before it. It is made to be written over, and there is nothing in it that could be lost.
pub fn is_pattern(block: &[u8]) -> bool {
    let start = &block[..block.len().min(PATTERN_BYTES)];
    start.len() >= STAMP_BYTES
        && start
            .windows(2)
            .all(|pair| pair[1] == pair[0].wrapping_add(1))
}

/// Puts the mark's magic at every 512 bytes of a buffer from which writes begin at such places.
pub fn mark_source(data: &mut [u8]) {
    for piece in data.chunks_exact_mut(PATTERN_BYTES) {
        piece[..8].copy_from_slice(&MAGIC);
    }
}

/// From one mark of such a buffer to the next.
pub const SOURCE_MARK_EVERY: Bytes = Bytes(PATTERN_BYTES as u64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_pattern_is_known_by_its_first_512_bytes_wherever_it_begins() {
        let counting = |from: u8| (0..4096usize).map(move |at| (at as u8).wrapping_add(from));
        let block: Vec<u8> = counting(7).collect();
        assert!(is_pattern(&block) && is_pattern(&block[..512]) && is_pattern(&block[..16]));
        assert!(!is_pattern(&block[..15]) && !is_pattern(&[0; 4096]));
        let mut over: Vec<u8> = counting(0).take(512).collect();
        over.resize(4096, 0xAA);
        assert!(is_pattern(&over));
        over[511] = 0;
        assert!(!is_pattern(&over));
    }

    #[test]
    fn every_write_from_a_marked_source_carries_the_mark() {
        let mut source = vec![0xAA; 5 * 512 + 100];
        mark_source(&mut source);
        for start in (0..4).map(|n| n * 512) {
            assert!(is_stamped(&source[start..start + 1000]));
        }
    }

    proptest! {
        #[test]
        fn every_boundary_is_marked_whatever_the_offset(
            offset in 0u64..20_000,
            blocks in 1usize..40,
        ) {
            let offset = offset * 512;
            let mut file = vec![0xAA; 20_000 * 512 + 40 * 512];
            let end = offset as usize + blocks * 512;
            let next = stamp(&mut file[offset as usize..end], Bytes(offset), 7);
            let marked: Vec<usize> =
                (0..file.len()).step_by(4096).filter(|&at| is_stamped(&file[at..])).collect();
            let expected: Vec<usize> =
                (0..file.len()).step_by(4096).filter(|&at| at >= offset as usize && at < end).collect();
            prop_assert_eq!(next, 7 + expected.len() as u64);
            prop_assert_eq!(marked, expected);
        }
    }
}
