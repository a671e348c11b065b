//! Where a file lies on its file system, put together from the pieces that the kernel reports.
//!
//! Source: the kernel's `Documentation/filesystems/fiemap.rst`. Nothing is flushed for it, so that what was written a
//! moment ago may still have no place; that counts as written. Deliberately absent: where on the device each piece is.

use super::sys::{self, Piece};
use model::{Bytes, Extents};
use std::fs::File;

/// Pieces that are counted at most; a file of more is counted up to there. The kernel reports 500 in less than 0.1 ms.
const PIECES_MAX: u64 = 16_384;

/// Of an open regular file; `None` where the file system does not report it.
pub(crate) fn extents(file: &File, size: Bytes) -> Option<Extents> {
    let mut sum = Sum::default();
    loop {
        let pieces = sys::pieces(file, sum.reached)?;
        for piece in &pieces {
            sum.add(piece, size.0);
        }
        let ended = pieces.last().is_none_or(|piece| piece.last);
        if ended || sum.reported >= PIECES_MAX || sum.reached >= size.0 {
            sum.end(size.0, ended);
            return Some(sum.found);
        }
    }
}

#[derive(Default)]
struct Sum {
    found: Extents,
    /// Up to which place of the file all is known.
    reached: u64,
    /// Pieces that the kernel reported.
    reported: u64,
    /// Where on the device the piece before ended.
    ended_at: Option<u64>,
}

impl Sum {
    fn add(&mut self, piece: &Piece, size: u64) {
        self.reported += 1;
        let begin = piece.logical.clamp(self.reached, size.max(self.reached));
        let end = piece
            .logical
            .saturating_add(piece.length)
            .min(size)
            .max(begin);
        self.hole(begin);
        let length = end - begin;
        let place = piece.physical.filter(|_| !piece.encoded);
        let continues = place.is_some() && place == self.ended_at;
        if length > 0 && !continues {
            self.found.pieces += 1;
        }
        self.ended_at = place.map(|place| place.saturating_add(piece.length));
        if piece.unwritten {
            self.found.unwritten.0 += length;
        } else if piece.encoded {
            self.found.encoded.0 += length;
        }
        if piece.shared {
            self.found.shared.0 += length;
        }
        self.reached = end;
    }

    fn hole(&mut self, to: u64) {
        let length = to.saturating_sub(self.reached);
        self.found.holes.0 += length;
        self.reached = self.reached.max(to);
    }

    fn end(&mut self, size: u64, all_reported: bool) {
        if all_reported {
            self.hole(size);
        }
        self.found.looked_at = Bytes(self.reached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(logical: u64, length: u64, physical: u64) -> Piece {
        Piece {
            logical,
            length,
            physical: Some(physical),
            ..Piece::default()
        }
    }

    #[test]
    fn pieces_that_continue_each_other_are_one_and_gaps_are_holes() {
        let mut sum = Sum::default();
        sum.add(&piece(0, 100, 1000), 1000);
        let shared = Piece {
            shared: true,
            ..piece(100, 100, 1100)
        };
        sum.add(&shared, 1000);
        let unwritten = Piece {
            unwritten: true,
            ..piece(300, 200, 5000)
        };
        sum.add(&unwritten, 1000);
        sum.end(1000, true);
        let expected = Extents {
            looked_at: Bytes(1000),
            pieces: 2,
            unwritten: Bytes(200),
            holes: Bytes(600),
            encoded: Bytes(0),
            shared: Bytes(100),
        };
        assert_eq!(sum.found, expected);
    }

    #[test]
    fn what_lies_behind_the_end_of_the_file_does_not_count() {
        let mut sum = Sum::default();
        let beyond = Piece {
            unwritten: true,
            ..piece(0, 4096, 0)
        };
        sum.add(&beyond, 10);
        sum.end(10, true);
        assert_eq!(sum.found.unwritten, Bytes(10));
        assert_eq!(sum.found.holes, Bytes(0));
    }

    #[test]
    fn a_reserved_file_is_all_unwritten_and_a_written_one_is_not() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        file.sync_all().unwrap();
        let Some(found) = extents(&file, Bytes::mib(1)) else {
            println!("skipped: this file system does not report where files are");
            return;
        };
        assert_eq!(
            (found.unbacked(), found.looked_at),
            (Bytes(0), Bytes::mib(1))
        );
        file.set_len(4 << 20).unwrap();
        let found = extents(&file, Bytes::mib(4)).unwrap();
        assert_eq!(found.holes, Bytes::mib(3));
        let status = std::process::Command::new("fallocate")
            .args(["-l", "4M"])
            .arg(&path)
            .status();
        if !status.is_ok_and(|status| status.success()) {
            println!("skipped: nothing here reserves space");
            return;
        }
        let found = extents(&file, Bytes::mib(4)).unwrap();
        assert_eq!((found.holes, found.unwritten), (Bytes(0), Bytes::mib(3)));
    }
}
