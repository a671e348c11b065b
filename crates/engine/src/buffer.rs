//! Aligned memory for the I/Os of one thread: a read part and, where there are writes, a write part.
//!
//! They are apart so that what a read brings in is never written back. Each slot owns its piece of both, so
//! two I/Os in flight never share memory. The write part has several windows a slot, used in turn, so that
//! even depth 1 does not write the same bytes again and again. A thread with several targets has a write part for each.
//!
//! Pages are ordinary ones, as applications have them, unless the plan asks for large ones (DISKSPD `-l`). Huge pages
//! turn a large I/O into one piece of memory instead of many, and on a device whose requests have few pieces that alone
//! accelerates 1 MiB reads 2.6 times: true, but no user's program would get that.

mod map;
mod source;

pub(crate) use source::Source;

use crate::RunError;
use crate::rng::Jenkins;
use crate::rng::Rng;
use crate::shape::{Shape, Turns};
use crate::thread_plan::{TargetShare, ThreadPlan};
use map::Map;
use model::block_header::{self, BlockHeader};
use model::{Bytes, CacheMode, Location, Nanos, Plan, PlannedTarget, WriteContent};
use std::ptr::NonNull;
use std::sync::Arc;

/// Smallest alignment that every device takes for memory.
const PAGE: usize = 4096;
/// Write data of one thread that is different before it is used again, where the depth alone gives less.
const WRITE_POOL: usize = 4 << 20;
/// The same of blocks with headers: the header makes each of them another one, and a pool that stays in the processor's
/// cache makes writing headers three times as fast.
const WRITE_POOL_BLOCKS: usize = 1 << 20;
/// What writes from a shared buffer of random bytes begin at multiples of.
const SOURCE_ALIGN: u64 = 512;
/// From one serial number to the next in content without headers.
const NUMBERED: usize = 4096;

/// All I/O memory of one thread.
#[derive(Debug)]
pub(crate) struct Buffers {
    map: Map,
    read_slot: usize,   // bytes of each slot's read piece, 0 without reads
    parts: Box<[Part]>, // by seat
    serial: u64,        // of the next block: thread (16 bits, high), count (48)
    run: u64,
}

/// The write memory of one target of the thread.
#[derive(Debug)]
struct Part {
    block: usize,
    base: usize,       // where it begins
    slot_bytes: usize, // block rounded up to a page
    first_slot: u32,
    windows: usize, // windows a slot, 0 without writes of its own memory
    next_window: Box<[u32]>,
    twin: Option<usize>, // behind the windows
    target: u16,
    data: Data,
}

#[derive(Debug)]
enum Data {
    /// Blocks with headers, whose bodies are complete.
    Blocks,
    /// The same with new bodies for each write.
    FreshBlocks,
    /// Random bytes without headers.
    Random,
    Shaped(Turns),
    /// A pattern or zeros, put there once, or what no device keeps.
    Still,
    Fresh,
    Source {
        source: Arc<Source>,
        area: u16,
        align: u64,
    },
}

/// What one write is to carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    /// From the start of the target.
    pub(crate) offset: Bytes,
    /// Bytes. // at most the target's block
    pub(crate) length: usize,
    /// The last reading of the clock.
    pub(crate) issued: Nanos,
}

/// An I/O in flight.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) seat: u16,
    pub(crate) slot: u32,
    /// From the start of the target.
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) length: u64,
}

/// Where an I/O's data lies, and in which of the pieces that a backend registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) start: NonNull<u8>,
    /// 0 for the thread's own memory, else the place in `pieces`.
    pub(crate) area: u16,
}

impl Buffers {
    /// Maps and fills everything that the thread will need. `sources` has the shared data of each of the plan's targets;
    /// `run` is the random number of the run.
    pub(crate) fn new(
        plan: &Plan,
        place: &ThreadPlan,
        sources: &[Option<Arc<Source>>],
        run: u64,
    ) -> Result<Self, RunError> {
        let seed = place.content_seed;
        let targets = || {
            place
                .seats
                .iter()
                .map(|seat| &plan.targets[seat.target as usize])
        };
        let reads = targets().any(|target| !target.writes_only());
        let read_slot = targets()
            .map(slot_bytes)
            .max()
            .filter(|_| reads)
            .unwrap_or(0);
        let mut end = place.slots as usize * read_slot;
        let mut areas = 0;
        let parts: Box<[Part]> = place
            .seats
            .iter()
            .zip(targets())
            .map(|(seat, target)| {
                Part::new(
                    seat,
                    target,
                    &sources[seat.target as usize],
                    &mut end,
                    &mut areas,
                )
            })
            .collect();
        let apart = plan
            .queueing
            .buffers_apart
            .map_or(0, |apart| apart.0 as usize);
        let map = match targets().any(|target| target.large_pages) {
            true => Map::new(end, true)?,
            false => Map::aligned(end, apart)?,
        };
        let mut buffers = Buffers {
            map,
            read_slot,
            parts,
            serial: u64::from(place.thread) << 48,
            run,
        };
        for (number, target) in targets().enumerate() {
            buffers.fill(number, &target.content, seed);
        }
        Ok(buffers)
    }

    fn fill(&mut self, number: usize, content: &WriteContent, seed: u64) {
        let part = &self.parts[number];
        let slots = part.next_window.len();
        let whole = slots * part.windows * part.slot_bytes;
        let (block, slot_bytes) = (part.block, part.slot_bytes);
        let has_headers = matches!(part.data, Data::Blocks);
        let twin = part.twin;
        if matches!(content, WriteContent::Marked) && matches!(part.data, Data::Still) {
            return;
        }
        let data = self.map.piece_mut(part.base, whole); // nothing is in flight yet
        match content {
            WriteContent::Marked | WriteContent::Shaped { .. } => {
                Rng::new(seed, number as u64).fill(data);
                let shape = Shape::of(content);
                for piece in data.chunks_mut(slot_bytes) {
                    shape.press(&mut piece[..block]);
                    if has_headers {
                        block_header::complete_bodies(&mut piece[..block]);
                    }
                }
                if let Some(place) = twin {
                    shape.make_twin(self.map.piece_mut(place, block));
                }
            }
            WriteContent::Pattern => {
                for (slot, piece) in data.chunks_mut(slot_bytes).enumerate() {
                    for (at, byte) in piece.iter_mut().enumerate() {
                        *byte = (slot * block + at) as u8;
                    }
                }
            }
            WriteContent::Repeated(bytes) => {
                for piece in data.chunks_mut(slot_bytes) {
                    let repeated = bytes.iter().cycle();
                    piece
                        .iter_mut()
                        .zip(repeated)
                        .for_each(|(to, from)| *to = *from);
                }
            }
            WriteContent::Zero | WriteContent::Fresh | WriteContent::Source { .. } => {}
        }
    }

    /// Where the next read of `slot` puts its data.
    #[inline]
    pub(crate) fn for_read(&mut self, slot: u32) -> Memory {
        self.own(slot as usize * self.read_slot, self.read_slot)
    }

    /// Where the next write of `slot` on a seat takes its data, filled as the target's content requires.
    #[inline]
    pub(crate) fn for_write(
        &mut self,
        seat: usize,
        slot: u32,
        write: Write,
        rng: &mut Jenkins,
    ) -> Memory {
        let part = &mut self.parts[seat];
        let block = write.length;
        if let Data::Source {
            source,
            area,
            align,
        } = &part.data
        {
            return Memory {
                start: source.place(block as u64, *align, rng),
                area: *area,
            };
        }
        if let Data::Shaped(turns) = &mut part.data
            && turns.twin()
        {
            let place = part.twin.expect("turns are of targets with a twin");
            return self.own(place, block);
        }
        let (place, window) = part.next_place(slot);
        if matches!(part.data, Data::Still) {
            return self.own(place, block);
        }
        let data = self.map.piece_mut(place, block);
        if matches!(part.data, Data::Fresh | Data::FreshBlocks) {
            rng.fill(data);
        }
        match part.data {
            Data::Blocks | Data::FreshBlocks => {
                debug_assert!(write.offset.is_multiple_of(block_header::BLOCK));
                if matches!(part.data, Data::FreshBlocks) {
                    block_header::complete_bodies(data);
                }
                let header = BlockHeader {
                    serial: self.serial,
                    run: self.run,
                    block: write.offset.0 / block_header::BLOCK.0,
                    target: part.target,
                    generation: block_header::GENERATION,
                    blocks: 0, // is filled in
                    index: 0,
                    window,
                    issued_ns: write.issued.0,
                };
                self.serial = block_header::write_headers(data, &header);
            }
            Data::Random | Data::Shaped(_) => self.serial = number(data, self.serial),
            Data::Still | Data::Fresh | Data::Source { .. } => {}
        }
        self.own(place, block)
    }

    /// The same of a write with a version for each block; only content with headers is verified.
    pub(crate) fn for_versions(
        &mut self,
        io: Extent,
        issued: Nanos,
        versions: &[u16],
        rng: &mut Jenkins,
    ) -> Memory {
        let part = &mut self.parts[usize::from(io.seat)];
        let (place, window) = part.next_place(io.slot);
        let length = io.length as usize;
        let data = self.map.piece_mut(place, length);
        if matches!(part.data, Data::FreshBlocks) {
            rng.fill(data);
            block_header::complete_bodies(data);
        }
        let header = BlockHeader {
            serial: self.serial,
            run: self.run,
            block: io.offset / block_header::BLOCK.0,
            target: part.target,
            window,
            issued_ns: issued.0,
            ..BlockHeader::default() // the rest is filled in
        };
        self.serial = block_header::write_versions(data, &header, versions);
        self.own(place, length)
    }

    /// What the last read of a slot returned. // in no read's flight
    pub(crate) fn read_data(&mut self, slot: u32, length: usize) -> &[u8] {
        let place = slot as usize * self.read_slot;
        self.map.piece_mut(place, length.min(self.read_slot))
    }

    /// All pieces, for registering with the kernel: the thread's own, then each shared source.
    #[allow(dead_code, reason = "only rings register memory")]
    pub(crate) fn pieces(&self) -> Vec<(NonNull<u8>, usize)> {
        let shared = self.parts.iter().filter_map(|part| match &part.data {
            Data::Source { source, .. } => Some(source.whole()),
            _ => None,
        });
        std::iter::once(self.map.whole()).chain(shared).collect()
    }

    #[inline]
    fn own(&self, place: usize, length: usize) -> Memory {
        let start = self.map.at(place, length);
        Memory { start, area: 0 }
    }
}

impl Part {
    /// Takes its memory from `end` on, and a number for its source.
    fn new(
        seat: &TargetShare,
        target: &PlannedTarget,
        source: &Option<Arc<Source>>,
        end: &mut usize,
        areas: &mut u16,
    ) -> Self {
        let (slots, slot_bytes) = (seat.slots as usize, slot_bytes(target));
        let writes = target.workload.write.as_percent() > 0;
        let has_headers = target.unsealed().is_none();
        let data = match (&target.content, source) {
            (_, Some(source)) if writes => {
                *areas += 1;
                let unbuffered = target.mapped.is_none() && target.cache != CacheMode::Cached;
                let device = if unbuffered { target.alignment.0 } else { 1 };
                let align = match &target.content {
                    WriteContent::Source { file: Some(_), .. } => device,
                    _ => device.max(SOURCE_ALIGN),
                };
                Data::Source {
                    source: Arc::clone(source),
                    area: *areas,
                    align,
                }
            }
            (WriteContent::Marked, _) if discards_data(&target.location) => Data::Still,
            (WriteContent::Fresh, _) if has_headers => Data::FreshBlocks,
            (WriteContent::Fresh, _) => Data::Fresh,
            (WriteContent::Marked | WriteContent::Shaped { .. }, _) if has_headers => Data::Blocks,
            (WriteContent::Marked, _) => Data::Random,
            (content @ WriteContent::Shaped { .. }, _) => Data::Shaped(Shape::of(content).turns()),
            _ => Data::Still,
        };
        let windows = match &data {
            _ if !writes => 0,
            Data::Source { .. } => 0,
            Data::Blocks => (WRITE_POOL_BLOCKS / (slots * slot_bytes)).max(1),
            Data::Random | Data::Shaped(_) => (WRITE_POOL / (slots * slot_bytes)).max(1),
            Data::Still | Data::Fresh | Data::FreshBlocks => 1,
        };
        let base = *end;
        let block = target.workload.block.0 as usize;
        *end += slots * windows * slot_bytes;
        let twin = (writes && Shape::of(&target.content).has_twins()).then_some(*end);
        *end += twin.map_or(0, |_| slot_bytes);
        let next_window = vec![0; slots].into();
        Part {
            block,
            base,
            slot_bytes,
            first_slot: seat.first_slot,
            windows,
            next_window,
            twin,
            target: seat.target as u16,
            data,
        }
    }

    /// The slot's windows are used in turn. Returns where the next one begins, and its number.
    #[inline]
    fn next_place(&mut self, slot: u32) -> (usize, u32) {
        let slot = (slot - self.first_slot) as usize;
        let window = self.next_window[slot] as usize;
        self.next_window[slot] = if window + 1 == self.windows {
            0
        } else {
            window as u32 + 1
        };
        let number = slot * self.windows + window;
        (self.base + number * self.slot_bytes, number as u32)
    }
}

/// Returns whether the device is a simulated one without data: nothing reads what it is given.
fn discards_data(location: &Location) -> bool {
    matches!(location, Location::Simulated(device) if device.data.0 == 0)
}

/// The most that so many slots of a thread take for one of its targets.
pub(crate) fn most(target: &PlannedTarget, slots: u32) -> Bytes {
    let (slot, percent) = (slot_bytes(target), target.workload.write.as_percent());
    let once = slots as usize * slot;
    let reads = if percent < 100 { once } else { 0 };
    let writes = if percent > 0 {
        once.max(WRITE_POOL) + slot
    } else {
        0
    };
    Bytes((reads + writes) as u64)
}

/// Makes each write without headers another one, so that nothing below can fold equal blocks into one. Returns the next
/// unused number.
#[inline]
fn number(data: &mut [u8], serial: u64) -> u64 {
    let mut serial = serial;
    for piece in data.chunks_mut(NUMBERED) {
        if let Some(start) = piece.first_chunk_mut() {
            *start = serial.to_le_bytes();
            serial = serial.wrapping_add(1);
        }
    }
    serial
}

fn slot_bytes(target: &PlannedTarget) -> usize {
    (target.workload.block.0 as usize).next_multiple_of(PAGE.max(target.alignment.0 as usize))
}

#[cfg(test)]
mod tests;
