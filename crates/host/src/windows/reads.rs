//! Reads of a target, and what the system reports of where its data is.
//!
//! Windows reports nothing of what its cache contains and drops nothing from it for another process, so plain reads leave what was
//! read in it. Omitted: direct I/O, which cannot read the last piece of every file.

use super::ask;
use super::disks::{self, DISK_LENGTH};
use gate::NodeKind;
use model::{Bytes, Extents};
use std::fs::File;
use std::mem::offset_of;
use windows_sys::Win32::Storage::FileSystem::FILE_ATTRIBUTE_COMPRESSED;
use windows_sys::Win32::System::Ioctl::{
    FSCTL_GET_RETRIEVAL_POINTERS, FSCTL_QUERY_ALLOCATED_RANGES, RETRIEVAL_POINTERS_BUFFER,
};

const PAGE: u64 = 4096;
/// Pieces that are counted at most; a file of more is counted up to there.
const PIECES_MAX: u64 = 16_384;
const ANSWER_BYTES: usize = 64 << 10;
/// A range, or an extent with the virtual cluster behind it. // 16 bytes
const PAIR: usize = 16;

/// Bytes of an open file or device.
pub(crate) fn length(file: &mut File) -> Option<Bytes> {
    let facts = gate::file_facts(file).ok()?;
    match facts.kind {
        NodeKind::BlockDevice => {
            let answer = ask::control(file, DISK_LENGTH, &[], 8).ok();
            let length = answer.and_then(|answer| answer.u64(0));
            length.map(Bytes).or_else(|| disks::size_of_open(file))
        }
        _ => Some(Bytes(facts.length)),
    }
}

/// Does nothing: that reads are at random places is decided when a file is opened.
pub(crate) fn expect_random(_: &File) {}

/// Fills a part.
pub(crate) fn read_part(file: &File, at: u64, part: &mut [u8]) -> bool {
    let mut done = 0;
    while done < part.len() {
        match gate::read_at(file, &mut part[done..], at + done as u64) {
            Ok(0) | Err(_) => return false,
            Ok(read) => done += read,
        }
    }
    true
}

/// Bytes of a page.
pub(crate) fn page_bytes() -> u64 {
    PAGE
}

/// Pages of a stretch that the cache contains; Windows does not report it.
pub(crate) fn cached_pages(_: &File, _: u64, _: u64) -> Option<u64> {
    None
}

/// Whether the file system reports no data at all.
pub(crate) fn has_no_data(file: &File) -> bool {
    let length = gate::file_facts(file).map_or(0, |facts| facts.length);
    length > 0 && ranges(file, 0, length).is_some_and(|ranges| ranges.is_empty())
}

/// Where the next data of a sparse file begins, from an offset on.
pub(crate) fn next_data(file: &File, from: u64) -> Option<u64> {
    first_range(file, from).map(|(begin, _)| begin)
}

/// Where the data at this offset ends.
pub(crate) fn next_hole(file: &File, from: u64) -> Option<u64> {
    first_range(file, from).map(|(begin, length)| begin.saturating_add(length))
}

fn first_range(file: &File, from: u64) -> Option<(u64, u64)> {
    let length = gate::file_facts(file).ok()?.length;
    let left = length.checked_sub(from).filter(|&left| left > 0)?;
    ranges(file, from, left)?.first().copied()
}

/// The first ranges that have data, by offset and length. Source: FSCTL_QUERY_ALLOCATED_RANGES.
fn ranges(file: &File, from: u64, length: u64) -> Option<Vec<(u64, u64)>> {
    let question = [from.to_le_bytes(), length.to_le_bytes()].concat();
    let code = FSCTL_QUERY_ALLOCATED_RANGES;
    let answer = ask::control(file, code, &question, ANSWER_BYTES).ok()?;
    let pairs = 0..answer.length() / PAIR;
    let pair = |i: usize| answer.u64(i * PAIR).zip(answer.u64(i * PAIR + 8));
    pairs.map(pair).collect()
}

/// Where a file lies on its volume; `None` where the file system does not report it. Clusters that are shared with other files, and
/// those that are reserved and not written, are not reported. Source: FSCTL_GET_RETRIEVAL_POINTERS.
pub(crate) fn extents(file: &File, size: Bytes) -> Option<Extents> {
    let cluster = super::volumes::cluster(file)?;
    let is_compressed = super::target::attributes(file)? & FILE_ATTRIBUTE_COMPRESSED != 0;
    let mut found = Extents::default();
    let (mut at, mut ended_at, mut reported) = (0u64, None, 0u64);
    loop {
        let code = FSCTL_GET_RETRIEVAL_POINTERS;
        let answer = ask::control(file, code, &at.to_le_bytes(), ANSWER_BYTES).ok();
        let pieces = answer.as_ref().map_or(Some(Vec::new()), pieces)?;
        if pieces.iter().any(|(begin, end, _)| end <= begin) {
            return None; // else it would be asked for ever
        }
        for (begin, end, place) in &pieces {
            let bytes = |cluster_number: u64| cluster_number.saturating_mul(cluster).min(size.0);
            let length = Bytes(bytes(*end) - bytes(*begin).min(bytes(*end)));
            match place {
                None if is_compressed => found.encoded.0 += length.0,
                None => found.holes.0 += length.0,
                Some(place) if ended_at != Some(*place) => found.pieces += 1,
                Some(_) => {}
            }
            ended_at = place.map(|place| place + (end - begin));
            (at, found.looked_at) = (*end, Bytes(bytes(*end)));
        }
        reported += pieces.len() as u64;
        if pieces.is_empty() || found.looked_at == size || reported >= PIECES_MAX {
            // Behind the last extent there is nothing; a small file lies in its record and has none at all.
            return (reported > 0).then_some(found);
        }
    }
}

/// Extents by first cluster, the cluster behind, and place on the volume; a hole has none.
fn pieces(answer: &ask::Answer) -> Option<Vec<(u64, u64, Option<u64>)>> {
    let count = answer.u32(offset_of!(RETRIEVAL_POINTERS_BUFFER, ExtentCount))?;
    let mut begin = answer.u64(offset_of!(RETRIEVAL_POINTERS_BUFFER, StartingVcn))?;
    let first = offset_of!(RETRIEVAL_POINTERS_BUFFER, Extents);
    let mut found = Vec::new();
    for i in 0..count as usize {
        let (Some(end), Some(place)) = (
            answer.u64(first + i * PAIR),
            answer.u64(first + i * PAIR + 8),
        ) else {
            break;
        };
        let is_hole = place == u64::MAX; // -1
        found.push((begin, end, (!is_hole).then_some(place)));
        begin = end;
    }
    Some(found)
}
