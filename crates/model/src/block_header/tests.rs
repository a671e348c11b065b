//! A block is whole or it is not: no flipped bit, no foreign byte and no mixture of writes passes.

use super::*;
use proptest::prelude::*;

/// Any bytes that are no pattern.
fn random(seed: u64, length: usize) -> Vec<u8> {
    (0..length as u64 / 8)
        .flat_map(|n| mix(seed ^ mix(n)).to_le_bytes())
        .collect()
}

fn header(serial: u64, block: u64) -> BlockHeader {
    BlockHeader {
        serial,
        run: 0x1234_5678_9abc_def0,
        block,
        target: 3,
        generation: GENERATION,
        window: 7,
        issued_ns: 123_456,
        ..BlockHeader::default()
    }
}

fn written(serial: u64, block: u64, blocks: usize) -> Vec<u8> {
    let mut data = random(serial ^ 99, blocks * BLOCK_BYTES);
    complete_bodies(&mut data);
    write_headers(&mut data, &header(serial, block));
    data
}

fn read(data: &[u8]) -> Result<BlockHeader, Flaw> {
    BlockHeader::read(data.try_into().unwrap())
}

#[test]
fn the_fields_stand_where_the_format_says() {
    let data = written(0x0002_0000_0000_0005, 9, 2);
    let second = &data[BLOCK_BYTES..];
    assert_eq!(&second[..8], b"FATHOM\x01\n");
    assert_eq!(second[8..16], 0x0002_0000_0000_0006u64.to_le_bytes());
    assert_eq!(second[16..24], 0x1234_5678_9abc_def0u64.to_le_bytes());
    assert_eq!(second[24..32], (10u64 | 3 << 48).to_le_bytes());
    assert_eq!(second[32..36], [1, 12, 1, 0]);
    assert_eq!(second[36..44], [2, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(second[44..48], 7u32.to_le_bytes());
    assert_eq!(second[48..56], 123_456u64.to_le_bytes());
    let read = read(second).unwrap();
    assert_eq!((read.block, read.target, read.blocks), (10, 3, 2));
    assert_eq!((read.index, read.generation), (1, GENERATION));
}

/// The check value of CRC-32C: RFC 3720, B.4.
#[test]
fn the_checksum_is_crc_32c() {
    assert_eq!(checksum(&[0; 32]), 0x8a91_36aa);
    assert_eq!(checksum(b"123456789"), 0xe306_9283);
}

#[test]
fn d4_every_flipped_bit_of_a_block_is_seen() {
    let mut data = written(77, 5, 1);
    for bit in 0..BLOCK_BYTES * 8 {
        data[bit / 8] ^= 1 << (bit % 8);
        assert_ne!(inspect(&data), BlockState::Whole, "bit {bit}");
        data[bit / 8] ^= 1 << (bit % 8);
    }
    assert_eq!(inspect(&data), BlockState::Whole);
}

#[test]
fn d4_every_foreign_byte_is_seen_wherever_it_stands() {
    let mut data = written(78, 6, 1);
    for at in 0..BLOCK_BYTES {
        let own = data[at];
        for foreign in [0, b'\n', b'e', 0xFF, own.wrapping_add(1)] {
            data[at] = foreign;
            assert_eq!(is_whole(&data), foreign == own, "byte {at}");
        }
        data[at] = own;
    }
}

#[test]
fn a_block_is_whole_wherever_it_was_copied() {
    let data = written(1 << 48 | 3, 1000, 4);
    for block in data.chunks(BLOCK_BYTES).rev() {
        assert_eq!(inspect(block), BlockState::Whole);
    }
    assert_eq!(first_flaw(&data), None);
}

#[test]
fn what_is_wrong_with_a_block_is_named() {
    let good = written(5, 8, 1);
    let flaw = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut data = good.clone();
        change(&mut data);
        match inspect(&data) {
            BlockState::Flawed(flaw) => flaw,
            other => panic!("{other:?}"),
        }
    };
    let old = random(1, BLOCK_BYTES);
    assert_eq!(
        flaw(&|data| data[16..].copy_from_slice(&old[16..])),
        Flaw::OldMark
    );
    assert_eq!(flaw(&|data| data[9] ^= 1), Flaw::Altered);
    assert_eq!(flaw(&|data| data[4000] ^= 1), Flaw::Altered);
    assert_eq!(flaw(&|data| data[512..].fill(b't')), Flaw::Altered);
    assert_eq!(flaw(&|data| data[0] = b'f'), Flaw::Foreign);
    let other = written(4711, 8, 1);
    for sectors in 1..8 {
        let torn = |data: &mut Vec<u8>| {
            data[sectors * SECTOR..].copy_from_slice(&other[sectors * SECTOR..]);
        };
        assert_eq!(flaw(&torn), Flaw::Torn, "{sectors} sectors");
    }
    assert_eq!(inspect(&[0; BLOCK_BYTES]), BlockState::Zero);
    assert_eq!(inspect(&[0; 100]), BlockState::Zero);
    let short = BlockState::Flawed(Flaw::Foreign);
    assert_eq!(inspect(&good[..4000]), short);
    assert_eq!(inspect(b"x"), short);
}

#[test]
fn d5_the_counting_pattern_is_foreign() {
    let pattern: Vec<u8> = (0..BLOCK_BYTES).map(|at| at as u8).collect();
    assert_eq!(
        inspect(&pattern),
        BlockState::Flawed(Flaw::Foreign),
        "a gradient is a user's picture"
    );
}

#[test]
fn the_first_flaw_of_many_blocks_is_reported_with_its_offset() {
    let mut data = written(5, 0, 6);
    data[2 * BLOCK_BYTES..3 * BLOCK_BYTES].fill(0);
    assert_eq!(first_flaw(&data), None);
    data[4 * BLOCK_BYTES + 100] ^= 4;
    data[5 * BLOCK_BYTES] ^= 4;
    let at = Bytes(4 * BLOCK_BYTES as u64);
    assert_eq!(first_flaw(&data), Some((at, Flaw::Altered)));
}

proptest! {
    #[test]
    fn every_block_of_every_write_is_whole(
        serial: u64,
        run: u64,
        block in 0u64..1 << 40,
        blocks in 1usize..20,
        seed: u64,
    ) {
        let mut data = random(seed, blocks * BLOCK_BYTES);
        complete_bodies(&mut data);
        for again in 0..2 {
            let header = BlockHeader { serial, run, block: block + again, ..BlockHeader::default() };
            let next = write_headers(&mut data, &header);
            prop_assert_eq!(next, serial.wrapping_add(blocks as u64));
            prop_assert_eq!(first_flaw(&data), None);
            prop_assert!(data.chunks(BLOCK_BYTES).all(is_whole));
        }
    }

    #[test]
    fn a_mixing_step_is_undone(value: u64) {
        prop_assert_eq!(unmix(mix(value)), value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn d4_no_random_change_passes(
        serial: u64,
        at in 0..BLOCK_BYTES,
        piece in proptest::collection::vec(any::<u8>(), 1..600),
    ) {
        let good = written(serial, 3, 1);
        let mut data = good.clone();
        let end = (at + piece.len()).min(BLOCK_BYTES);
        data[at..end].copy_from_slice(&piece[..end - at]);
        prop_assert_eq!(is_whole(&data), data == good);
    }
}
