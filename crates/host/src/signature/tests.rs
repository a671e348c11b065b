//! Marks in synthetic data: each row of the table is found, random bytes are not, and no length makes it panic.

use super::*;
use proptest::prelude::*;

fn probe(data: &[u8]) -> Vec<&'static str> {
    let ends = Ends::read(Bytes(data.len() as u64), |offset, piece| {
        let at = offset as usize;
        piece.copy_from_slice(&data[at..at + piece.len()]);
        true
    });
    signatures(&ends.expect("memory can be read"))
}

/// A mark at the first offset of each place of each row is found there, unless more must be true.
#[test]
fn every_mark_without_a_condition_is_found_at_every_place() {
    const SIZE: u64 = (4 << 20) + 12 * 512;
    for row in ROWS {
        for place in row.places {
            for at in offsets(place, SIZE) {
                let mut data = vec![0; SIZE as usize];
                data[at as usize..at as usize + row.mark.len()].copy_from_slice(row.mark);
                let found = probe(&data);
                if (row.confirm)(
                    &Ends {
                        size: SIZE,
                        head: data,
                        tail: Vec::new(),
                        tail_at: 0,
                    },
                    at,
                ) {
                    assert_eq!(found, [row.what], "at {at}");
                } else {
                    assert!(found.is_empty(), "{found:?} at {at}");
                }
            }
        }
    }
}

#[test]
fn zeros_and_fathoms_own_blocks_carry_nothing() {
    let mut data = vec![0; 4 << 20];
    assert!(probe(&data).is_empty());
    model::block_header::write_blocks(&mut data, &Default::default());
    assert!(probe(&data).is_empty());
}

#[test]
fn a_boot_record_without_partitions_is_no_partition_table() {
    let mut data = vec![0; 4096];
    data[510..512].copy_from_slice(&[0x55, 0xaa]);
    assert!(probe(&data).is_empty());
    data[446 + 4] = 0x83;
    data[446 + 12] = 1;
    assert_eq!(probe(&data), ["MBR partition table"]);
    data[446 + 16] = 0x33; // a status that no partition has: boot code
    assert!(probe(&data).is_empty());
}

/// Offset and bytes of everything that a mark with a condition needs, and what it then means.
type Whole = (&'static [(usize, &'static [u8])], &'static str);

const WHOLE: &[Whole] = &[
    (
        &[(4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0")],
        "member of an md array",
    ),
    (
        &[((4 << 20) - 8192, b"\xfc\x4e\x2b\xa9\x01\0\0\0")],
        "member of an md array",
    ),
    (
        &[(0, b"\xfc\x4e\x2b\xa9\x01\0\0\0")],
        "member of an md array",
    ),
    (
        &[(512, b"LABELONE"), (536, b"LVM2 001")],
        "LVM physical volume",
    ),
    (&[(1024, b"H+\0\x04")], "HFS+ file system"),
    (&[(1024, b"HX\0\x05")], "HFS+ file system"),
];

#[test]
fn marks_with_a_condition_are_found_when_it_is_true() {
    for (pieces, what) in WHOLE {
        let mut data = vec![0; (4 << 20) + 512];
        for (at, bytes) in *pieces {
            data[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        assert_eq!(probe(&data), [*what]);
    }
}

#[test]
fn the_entry_that_guards_a_gpt_is_no_table_of_its_own_while_there_is_one() {
    let mut data = vec![0; 1 << 20];
    data[510..512].copy_from_slice(&[0x55, 0xaa]);
    data[446 + 4] = 0xee;
    data[446 + 12] = 1;
    assert_eq!(probe(&data), ["MBR partition table"]);
    data[512..520].copy_from_slice(b"EFI PART");
    assert_eq!(probe(&data), ["GPT partition table"]);
}

#[test]
fn a_target_that_cannot_be_read_has_no_ends() {
    assert!(Ends::read(Bytes(4096), |_, _| false).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_length_makes_it_stumble(length in 0usize..9000, byte in any::<u8>()) {
        probe(&vec![byte; length]);
    }

    #[test]
    fn random_bytes_carry_nothing(seed in any::<u64>(), length in 0usize..(2 << 20)) {
        let mut state = seed | 1;
        let data: Vec<u8> = (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        prop_assert!(probe(&data).is_empty());
    }

    #[test]
    fn offsets_stay_on_any_size(size in any::<u64>()) {
        for row in ROWS {
            for place in row.places {
                prop_assert!(offsets(place, size).count() <= 128);
            }
        }
    }
}
