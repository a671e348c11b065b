//! The header of every block that fathom writes, by which it knows its own data from a person's.
//!
//! A block is 4096 bytes at a multiple of 4096 from the start of its target. It begins with 64 bytes: magic, the write
//! that it belongs to, and checksums of header and body. Bytes 0 to 7 of each further sector are a tag of the same
//! write, so that a block that was written in part is detected sector by sector. If another program changes any byte of
//! a block, a checksum or a tag does not fit any more.
//!
//! The tags enter the body's checksum linearly. So the checksum of the body without tags is computed once for each
//! window of write data, a write only stores the header and the tags, and the check is one pass over the bytes.
//!
//! Deliberately absent: whether run and place are those that were expected, which is verification's question. A block
//! that was copied or moved is still fathom's. Files and records are absent, too.

use crate::units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::LazyLock;

/// Length of a block.
pub const BLOCK_BYTES: usize = 4096;
/// The same as a size.
pub const BLOCK: Bytes = Bytes(BLOCK_BYTES as u64);
/// Length of the header.
pub const HEADER_BYTES: usize = 64;
/// The generation of every block of a run that does not count versions.
pub const GENERATION: u16 = 1;
/// The largest generation; the next one is 1 again.
pub const GENERATION_MAX: u16 = 16_383;
/// Sectors of a block after the first, each of which begins with a tag.
pub const TAGS: usize = BLOCK_BYTES / SECTOR - 1;

const MAGIC: [u8; 8] = *b"FATHOM\x01\n";
const VERSION: u8 = 1;
const BLOCK_LOG2: u8 = BLOCK_BYTES.trailing_zeros() as u8;
/// Length of a sector.
pub const SECTOR: usize = 512;
const TAG_BYTES: usize = 8;
const BODY_CHECKSUM_AT: usize = 56;
const HEAD_CHECKSUM_AT: usize = 60;
/// Returns whether a thread of a run can have given this number to a block.
pub const fn is_serial(serial: u64) -> bool {
    serial >> 48 < SERIAL_THREADS_MAX && serial & ((1 << 48) - 1) < SERIAL_COUNT_MAX
}

/// Above this no thread and no count of a thread goes. A sector that decodes to more was not written by the run.
const SERIAL_THREADS_MAX: u64 = 4096;
const SERIAL_COUNT_MAX: u64 = 1 << 40;

/// The write that a block belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHeader {
    /// Number of the block among all that the run wrote: thread (16 bits, high), count of that thread (48).
    pub serial: u64,
    /// Random number of the run.
    pub run: u64,
    /// Number of the block from the start of the target. // below 2^48
    pub block: u64,
    /// Which of the run's targets.
    pub target: u16,
    /// Version of the data at this place. // in [1, 16383]
    pub generation: u16,
    /// Blocks of this write.
    pub blocks: u32,
    /// Which of them, from 0.
    pub index: u32,
    /// Which window of the thread's write data.
    pub window: u32,
    /// When the write was issued, since the run began.
    pub issued_ns: u64,
}

/// What a block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// A whole block that fathom wrote.
    Whole,
    /// Zeros: nothing could be lost in them.
    Zero,
    /// Anything else.
    Flawed(Flaw),
}

/// Why a block or a file is not accepted as fathom's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// No block header.
    Foreign,
    /// The mark that fathom wrote before there were block headers.
    OldMark,
    /// The header is whole, and sectors belong to other writes of the same run.
    Torn,
    /// The header or the body is not as it was written.
    Altered,
    /// A record states that fathom was killed while it wrote content without block headers.
    Unfinished,
    /// A record states that fathom wrote this file, and it has been changed since.
    Changed,
}

impl Flaw {
    /// Whether blocks of fathom may still be there.
    pub fn may_be_ours(self) -> bool {
        self != Flaw::Foreign
    }
}

/// The sentence without its subject, which is the file with the offset.
impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::Foreign => "data that fathom did not write",
            Flaw::OldMark => {
                "only the mark of an older fathom, which cannot prove that nothing else was written over it"
            }
            Flaw::Torn => "a torn write of fathom: its sectors belong to different writes",
            Flaw::Altered => {
                "a block of fathom that is not as it was written: a torn write of fathom, or changed by another program"
            }
            Flaw::Unfinished => {
                "what a run of fathom left that was killed while it wrote data without block headers, so its content \
                 cannot be checked"
            }
            Flaw::Changed => {
                "data without block headers that changed after fathom closed the file, so its content cannot be checked"
            }
        })
    }
}

/// Completes the body of each block in `data`: makes room for the tags and stores what does not change from write to
/// write. // a whole number of blocks
pub fn complete_bodies(data: &mut [u8]) {
    for block in data.chunks_exact_mut(BLOCK_BYTES) {
        for tag in 1..=TAGS {
            block[tag * SECTOR..][..TAG_BYTES].fill(0);
        }
        let body = checksum(&block[HEADER_BYTES..]);
        block[BODY_CHECKSUM_AT..HEAD_CHECKSUM_AT].copy_from_slice(&body.to_le_bytes());
    }
}

/// Stores header and tags of each block in `data`, whose bodies are complete; `header` is that of the first block, and
/// its count of blocks is filled in here. Returns the next unused serial number. // a whole number of blocks
#[inline]
pub fn write_headers(data: &mut [u8], header: &BlockHeader) -> u64 {
    let mut header = *header;
    header.blocks = (data.len() / BLOCK_BYTES) as u32;
    for block in data.chunks_exact_mut(BLOCK_BYTES) {
        let block: &mut [u8; BLOCK_BYTES] =
            block.try_into().expect("chunks are as long as a block");
        header.write(block);
        header.serial = header.serial.wrapping_add(1);
        header.block += 1;
        header.index += 1;
    }
    header.serial
}

/// The same with a generation for each block.
#[inline]
pub fn write_versions(data: &mut [u8], header: &BlockHeader, generations: &[u16]) -> u64 {
    let mut header = *header;
    header.blocks = (data.len() / BLOCK_BYTES) as u32;
    for (block, &generation) in data.chunks_exact_mut(BLOCK_BYTES).zip(generations) {
        let block: &mut [u8; BLOCK_BYTES] =
            block.try_into().expect("chunks are as long as a block");
        header.generation = generation;
        header.write(block);
        header.serial = header.serial.wrapping_add(1);
        header.block += 1;
        header.index += 1;
    }
    header.serial
}

/// Makes blocks of any bytes, from the start of `data` on, which belongs at the place of `header`. What is left at the end
/// and shorter than a block becomes zeros, in which nothing could be lost, so that the last bytes of a file need no form
/// of their own. Returns the next unused serial number.
pub fn write_blocks(data: &mut [u8], header: &BlockHeader) -> u64 {
    let (blocks, rest) = data.split_at_mut(data.len() / BLOCK_BYTES * BLOCK_BYTES);
    rest.fill(0);
    complete_bodies(blocks);
    write_headers(blocks, header)
}

/// What a block contains. One that is shorter than [`BLOCK_BYTES`], the last of a file, is zero or foreign: fathom
/// writes nothing else there.
pub fn inspect(block: &[u8]) -> BlockState {
    let whole = <&[u8; BLOCK_BYTES]>::try_from(block);
    match whole {
        Ok(block) if block.starts_with(&MAGIC) => match BlockHeader::read(block) {
            Ok(_) => BlockState::Whole,
            Err(flaw) => BlockState::Flawed(flaw),
        },
        _ if is_zero(block) => BlockState::Zero,
        _ => BlockState::Flawed(Flaw::Foreign),
    }
}

/// Whether this is a whole block that fathom wrote.
pub fn is_whole(block: &[u8]) -> bool {
    inspect(block) == BlockState::Whole
}

/// The first block that is neither whole nor zero, with its offset in `data`, which begins at a multiple of [`BLOCK`].
pub fn first_flaw(data: &[u8]) -> Option<(Bytes, Flaw)> {
    let flaw = |(number, block)| match inspect(block) {
        BlockState::Flawed(flaw) => Some((Bytes((number * BLOCK_BYTES) as u64), flaw)),
        BlockState::Whole | BlockState::Zero => None,
    };
    data.chunks(BLOCK_BYTES).enumerate().find_map(flaw)
}

/// Returns whether a block begins with fathom's magic.
pub fn has_magic(block: &[u8]) -> bool {
    block.starts_with(&MAGIC)
}

/// Returns whether all bytes are zeros.
pub fn is_zero(data: &[u8]) -> bool {
    let (whole, rest) = data.as_chunks::<64>();
    let ored = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all | byte) == 0;
    whole.iter().all(|chunk| ored(chunk)) && ored(rest)
}

impl BlockHeader {
    #[inline]
    fn write(&self, block: &mut [u8; BLOCK_BYTES]) {
        let place = self.place();
        let head: &mut [u8; HEADER_BYTES] = block
            .first_chunk_mut()
            .expect("a header is shorter than a block");
        head[0..8].copy_from_slice(&MAGIC);
        head[8..16].copy_from_slice(&self.serial.to_le_bytes());
        head[16..24].copy_from_slice(&self.run.to_le_bytes());
        head[24..32].copy_from_slice(&place.to_le_bytes());
        head[32] = VERSION;
        head[33] = BLOCK_LOG2;
        head[34..36].copy_from_slice(&self.generation.to_le_bytes());
        head[36..40].copy_from_slice(&self.blocks.to_le_bytes());
        head[40..44].copy_from_slice(&self.index.to_le_bytes());
        head[44..48].copy_from_slice(&self.window.to_le_bytes());
        head[48..56].copy_from_slice(&self.issued_ns.to_le_bytes());
        head[HEAD_CHECKSUM_AT..].fill(0);
        let sum = checksum(head);
        head[HEAD_CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        let tag = tag(self.serial, self.run, place);
        for (number, constant) in (1..).zip(TAG_CONSTANTS) {
            block[number * SECTOR..][..TAG_BYTES].copy_from_slice(&(tag ^ constant).to_le_bytes());
        }
    }

    /// Reads the header of a block that begins with the magic, and checks every byte of the block.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    pub fn read(block: &[u8; BLOCK_BYTES]) -> Result<BlockHeader, Flaw> {
        BlockHeader::read_with(block, BlockSums::of)
    }

    /// The same with sums that were computed in another way.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    pub fn read_with(
        block: &[u8; BLOCK_BYTES],
        sums: impl FnOnce(&[u8; BLOCK_BYTES]) -> BlockSums,
    ) -> Result<BlockHeader, Flaw> {
        begins(block)?;
        let sums = sums(block);
        if sums.head != u32_at(block, HEAD_CHECKSUM_AT) {
            return Err(Flaw::Altered);
        }
        let header = BlockHeader::fields(block);
        let tag = header.tag();
        let body = u32_at(block, BODY_CHECKSUM_AT) ^ tags_in_checksum(tag);
        match sums.body == body && has_tags(block, tag) {
            true => Ok(header),
            false => Err(header.flaw(block)),
        }
    }

    /// Reads the header of a block and checks it and the tags, and no other byte.
    ///
    /// # Errors
    /// What is wrong with it.
    #[inline]
    pub fn read_tags(block: &[u8; BLOCK_BYTES]) -> Result<BlockHeader, Flaw> {
        begins(block)?;
        let header = BlockHeader::of(block).ok_or(Flaw::Altered)?;
        match has_tags(block, header.tag()) {
            true => Ok(header),
            false => Err(header.flaw(block)),
        }
    }

    /// Returns how many bits of each sector's tag differ from this header's.
    pub fn tag_distances(&self, block: &[u8; BLOCK_BYTES]) -> [u32; TAGS] {
        let tag = self.tag();
        std::array::from_fn(|at| {
            (u64_at(block, (at + 1) * SECTOR) ^ TAG_CONSTANTS[at] ^ tag).count_ones()
        })
    }

    /// Returns the serial number that each sector's tag has, if it belongs to the run, place and target of this header.
    pub fn sector_serials(&self, block: &[u8; BLOCK_BYTES]) -> [u64; TAGS] {
        let key = tag_key(self.run, self.place());
        std::array::from_fn(|at| unmix(u64_at(block, (at + 1) * SECTOR) ^ TAG_CONSTANTS[at]) ^ key)
    }

    /// Returns the fields, where the header's own checksum fits.
    #[inline]
    pub fn of(block: &[u8; BLOCK_BYTES]) -> Option<BlockHeader> {
        let fits = head_sum(block) == u32_at(block, HEAD_CHECKSUM_AT);
        fits.then(|| BlockHeader::fields(block))
    }

    #[inline]
    fn fields(block: &[u8; BLOCK_BYTES]) -> BlockHeader {
        let place = u64_at(block, 24);
        BlockHeader {
            serial: u64_at(block, 8),
            run: u64_at(block, 16),
            block: place & ((1 << 48) - 1),
            target: (place >> 48) as u16,
            generation: u16::from_le_bytes([block[34], block[35]]),
            blocks: u32_at(block, 36),
            index: u32_at(block, 40),
            window: u32_at(block, 44),
            issued_ns: u64_at(block, 48),
        }
    }

    /// Torn, where each sector belongs to some write of this run to this place, and not all to the same.
    #[cold]
    fn flaw(&self, block: &[u8; BLOCK_BYTES]) -> Flaw {
        let key = tag_key(self.run, self.place());
        let serials = (1..)
            .zip(TAG_CONSTANTS)
            .map(|(number, own)| unmix(u64_at(block, number * SECTOR) ^ own) ^ key);
        let mut others = 0;
        for serial in serials {
            match serial == self.serial {
                true => {}
                false if is_serial(serial) => others += 1,
                false => return Flaw::Altered,
            }
        }
        match others {
            0 => Flaw::Altered,
            _ => Flaw::Torn,
        }
    }

    #[inline]
    fn tag(&self) -> u64 {
        tag(self.serial, self.run, self.place())
    }

    #[inline]
    fn place(&self) -> u64 {
        self.block & ((1 << 48) - 1) | u64::from(self.target) << 48
    }
}

/// Checksums of a block as its bytes are, CRC-32C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSums {
    /// Of the first 64 bytes, with zeros where they have their own sum.
    pub head: u32,
    /// Of all bytes after these, tags included.
    pub body: u32,
}

impl BlockSums {
    /// Computes both.
    #[inline]
    pub fn of(block: &[u8; BLOCK_BYTES]) -> BlockSums {
        BlockSums {
            head: head_sum(block),
            body: checksum(&block[HEADER_BYTES..]),
        }
    }
}

#[inline]
fn head_sum(block: &[u8; BLOCK_BYTES]) -> u32 {
    let mut head = [0; HEADER_BYTES];
    head[..HEAD_CHECKSUM_AT].copy_from_slice(&block[..HEAD_CHECKSUM_AT]);
    checksum(&head)
}

/// Checks the bytes that are the same in all headers of this form.
#[inline]
fn begins(block: &[u8; BLOCK_BYTES]) -> Result<(), Flaw> {
    match block[32..34] == [VERSION, BLOCK_LOG2] {
        _ if !block.starts_with(&MAGIC) => Err(Flaw::Foreign),
        true => Ok(()),
        false => Err(Flaw::OldMark),
    }
}

#[inline]
fn has_tags(block: &[u8; BLOCK_BYTES], tag: u64) -> bool {
    let mut tags = (1..).zip(TAG_CONSTANTS);
    tags.all(|(number, own)| u64_at(block, number * SECTOR) == tag ^ own)
}

#[inline]
fn u32_at(data: &[u8; BLOCK_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]])
}

#[inline]
fn u64_at(data: &[u8; BLOCK_BYTES], at: usize) -> u64 {
    u64::from(u32_at(data, at)) | u64::from(u32_at(data, at + 4)) << 32
}

/// CRC-32C. The head is summed with its own field as zeros, so that it is 64 bytes long: the wide multiplication takes
/// them in half the time of 60.
#[inline]
pub(crate) fn checksum(data: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(data)
}

/// The finaliser of SplitMix64, a bijection. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014; constants of Stafford's variant 13.
#[inline]
const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Undoes [`mix`].
const fn unmix(z: u64) -> u64 {
    let z = z ^ (z >> 31) ^ (z >> 62);
    let z = z.wrapping_mul(0x3196_42b2_d24d_8ec3);
    let z = z ^ (z >> 27) ^ (z >> 54);
    let z = z.wrapping_mul(0x96de_1b17_3f11_9089);
    z ^ (z >> 30) ^ (z >> 60)
}

/// Each sector of a block has its own, so that swapped sectors show.
const TAG_CONSTANTS: [u64; TAGS] = {
    let mut all = [0; TAGS];
    let mut number = 0;
    while number < TAGS {
        all[number] = mix((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        number += 1;
    }
    all
};

#[inline]
const fn tag_key(run: u64, place: u64) -> u64 {
    mix(run ^ mix(place))
}

#[inline]
const fn tag(serial: u64, run: u64, place: u64) -> u64 {
    mix(serial ^ tag_key(run, place))
}

/// What the tags of a block add to the checksum of its body.
#[inline]
fn tags_in_checksum(tag: u64) -> u32 {
    let tables = &*TAG_TABLES;
    let bytes = tag.to_le_bytes();
    let parts = tables.iter().zip(bytes);
    parts.fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
}

/// By byte of the tag and value: the checksum is linear, so that what a tag adds is the sum of what its bytes add. The
/// constants' part is in the first table.
static TAG_TABLES: LazyLock<Box<[[u32; 256]; 8]>> = LazyLock::new(|| {
    let mut body = [0; BLOCK_BYTES - HEADER_BYTES];
    let empty = checksum(&body);
    let mut added = |tags: [u64; TAGS]| {
        for (number, tag) in (1..).zip(tags) {
            body[number * SECTOR - HEADER_BYTES..][..TAG_BYTES].copy_from_slice(&tag.to_le_bytes());
        }
        checksum(&body) ^ empty
    };
    let constants = added(TAG_CONSTANTS);
    let bits: Vec<u32> = (0..64).map(|bit| added([1 << bit; TAGS])).collect();
    let mut tables = Box::new([[0; 256]; 8]);
    for (byte, table) in tables.iter_mut().enumerate() {
        for (value, sum) in table.iter_mut().enumerate() {
            let set = (0..8).filter(|bit| value >> bit & 1 == 1);
            *sum = set.fold(0, |sum, bit| sum ^ bits[byte * 8 + bit]);
            *sum ^= if byte == 0 { constants } else { 0 };
        }
    }
    tables
});

#[cfg(test)]
mod tests;
