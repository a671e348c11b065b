//! Write data that can be compressed, or folded with blocks like it, to a degree that was asked for.
//!
//! Of each 4096 bytes the asked share is zeros at the end, which every compressor takes away whole, and the rest is random.
//! Of the blocks written, the asked share is one and the same block, the twin: the same in every run and on every thread.
//! Deliberately absent: the headers of blocks, which the writer of a block adds.

use crate::rng::Rng;
use model::block_header::{BLOCK_BYTES, HEADER_BYTES};
use model::{Ratio, WriteContent};

/// What one piece of compressible data is: what file systems and devices compress at the least.
const PIECE: usize = BLOCK_BYTES;
/// What the twin is drawn from.
const TWIN_SEED: u64 = 0x7477_696e;

/// To which degree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    compress: Ratio,
    dedupe: Ratio,
}

impl Shape {
    /// That of a content; data that no device can compress, if it specifies none.
    pub(crate) fn of(content: &WriteContent) -> Shape {
        match *content {
            WriteContent::Shaped { compress, dedupe } => Shape { compress, dedupe },
            _ => Shape::default(),
        }
    }

    /// Zeros in random data, as many as asked.
    pub(crate) fn press(self, data: &mut [u8]) {
        let percent = usize::from(self.compress.as_percent());
        for piece in data.chunks_mut(PIECE) {
            let keep = piece.len() - piece.len() * percent / 100;
            let header = HEADER_BYTES.min(piece.len());
            piece[keep.max(header)..].fill(0);
        }
    }

    /// Whether any block is a twin.
    pub(crate) fn has_twins(self) -> bool {
        self.dedupe != Ratio::NONE
    }

    /// Makes the twin.
    pub(crate) fn make_twin(self, data: &mut [u8]) {
        Rng::new(TWIN_SEED, 0).fill(data);
        self.press(data);
    }

    /// Whether the block of this number is a twin, where blocks are not written in turn.
    pub(crate) fn is_twin(self, number: u64) -> bool {
        let share = u64::from(self.dedupe.as_percent());
        (number + 1) * share / 100 > number * share / 100
    }

    /// A new turn-taker.
    pub(crate) fn turns(self) -> Turns {
        Turns {
            percent: u32::from(self.dedupe.as_percent()),
            due: 0,
        }
    }
}

/// Decides which writes are duplicates: exactly the requested share, evenly spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    percent: u32,
    due: u32,
}

impl Turns {
    /// Whether the next one is a twin.
    #[inline]
    pub(crate) fn twin(&mut self) -> bool {
        self.due += self.percent;
        let twin = self.due >= 100;
        if twin {
            self.due -= 100;
        }
        twin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(compress: u8, dedupe: u8) -> Shape {
        let percent = |value| Ratio::percent(value).unwrap();
        Shape {
            compress: percent(compress),
            dedupe: percent(dedupe),
        }
    }

    #[test]
    fn the_asked_share_of_each_piece_is_zeros() {
        for (percent, zeros) in [(0, 0), (50, 2048), (73, 2990), (100, 4032)] {
            let mut data = vec![0xAA; 2 * PIECE];
            shape(percent, 0).press(&mut data);
            for piece in data.chunks(PIECE) {
                assert_eq!(piece.iter().filter(|&&byte| byte == 0).count(), zeros);
            }
        }
    }

    #[test]
    fn exactly_the_asked_share_are_twins() {
        for percent in [0, 1, 30, 50, 99, 100] {
            let mut turns = shape(0, percent).turns();
            let twins = (0..1000).filter(|_| turns.twin()).count();
            assert_eq!(twins, usize::from(percent) * 10);
            let placed = (0..1000).filter(|&number| shape(0, percent).is_twin(number));
            assert_eq!(placed.count(), twins);
        }
    }

    #[test]
    fn twins_are_alike_in_every_run() {
        let (mut one, mut other) = (vec![0; 6144], vec![1; 6144]);
        shape(50, 1).make_twin(&mut one);
        shape(50, 1).make_twin(&mut other);
        assert_eq!(one, other);
        assert!(shape(50, 1).has_twins() && !shape(50, 0).has_twins());
    }
}
