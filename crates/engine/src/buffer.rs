//! Aligned memory for the I/Os of one thread: a read part and, where there are writes, a write part.
//!
//! They are apart so that what a read brings in is never written back. Each slot owns its piece of both, so
//! two I/Os in flight never share memory. The write part holds several windows a slot, used in turn, so that
//! even depth 1 does not write the same bytes again and again. A thread with several targets has a write part for each.
//!
//! Pages are ordinary ones, as applications have them, unless the plan asks for large ones (DISKSPD `-l`). Huge pages
//! make a large I/O one piece of memory instead of many, and on a device whose requests hold few pieces that alone
//! made 1 MiB reads 2.6 times as fast: true, but not what anybody's program would see.

mod map;
mod source;

pub(crate) use source::Source;

use crate::RunError;
use crate::jenkins::Jenkins;
use crate::place::{Place, Seat};
use crate::rng::Rng;
use crate::shape::{Shape, Turns, common};
use map::Map;
use model::{Access, Bytes, CacheMode, Plan, PlannedTarget, WriteContent, stamp};
use std::ptr::NonNull;
use std::sync::Arc;

/// Smallest alignment that every device takes for memory.
const PAGE: usize = 4096;
/// Write data of one thread that is different before it is used again, where the depth alone gives less.
const WRITE_POOL: usize = 4 << 20;

/// Most twins that a part needs: one for each 512 bytes between two marks.
const TWINS_MAX: usize = 8;

/// All I/O memory of one thread.
#[derive(Debug)]
pub(crate) struct Buffers {
    map: Map,
    read_slot: usize,   // bytes of each slot's read piece, 0 without reads
    parts: Box<[Part]>, // by seat
    serial: u64,
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
    twins: usize, // behind the windows, a slot's bytes each
    data: Data,
}

#[derive(Debug)]
enum Data {
    Marked,
    Shaped(Turns),
    /// A pattern or zeros, put there once.
    Still,
    Fresh,
    Source {
        source: Arc<Source>,
        area: u16,
        align: u64,
    },
}

/// Where an I/O's data lies, and in which of the pieces that a backend registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) start: NonNull<u8>,
    /// 0 for the thread's own memory, else the place in `pieces`.
    pub(crate) area: u16,
}

impl Buffers {
    /// Maps and fills everything that the thread will need. `seed` makes the write data of each thread its own;
    /// `sources` has the shared data of each of the plan's targets.
    pub(crate) fn new(
        plan: &Plan,
        place: &Place,
        sources: &[Option<Arc<Source>>],
        seed: u64,
    ) -> Result<Self, RunError> {
        let targets = || {
            place
                .seats
                .iter()
                .map(|seat| &plan.targets[seat.target as usize])
        };
        let reads = targets().any(|target| target.workload.write.as_percent() < 100);
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
                    (seat, target),
                    &sources[seat.target as usize],
                    &mut end,
                    &mut areas,
                )
            })
            .collect();
        let map = Map::new(end, targets().any(|target| target.large_pages))?;
        let mut buffers = Buffers {
            map,
            read_slot,
            parts,
            serial: seed,
        };
        for (number, target) in targets().enumerate() {
            buffers.fill(number, &target.content, seed);
        }
        Ok(buffers)
    }

    fn fill(&mut self, number: usize, content: &WriteContent, seed: u64) {
        let part = &self.parts[number];
        let slots = part.next_window.len();
        let whole = part.base..part.base + slots * part.windows * part.slot_bytes;
        let (block, slot_bytes) = (part.block, part.slot_bytes);
        let (base, windows, twins) = (part.base, part.windows, part.twins);
        let data = &mut self.map.bytes_mut()[whole];
        match content {
            WriteContent::Marked => Rng::new(seed, number as u64).fill(data),
            WriteContent::Shaped { .. } => {
                Rng::new(seed, number as u64).fill(data);
                let shape = Shape::of(content);
                data.chunks_mut(slot_bytes)
                    .for_each(|piece| shape.press(&mut piece[..block]));
                for twin in 0..twins {
                    let place = base + (slots * windows + twin) * slot_bytes;
                    let data = &mut self.map.bytes_mut()[place..place + block];
                    shape.make_twin(data, twin_behind(twins, twin));
                }
            }
            WriteContent::Pattern => {
                for (slot, piece) in data.chunks_mut(slot_bytes).enumerate() {
                    for (at, byte) in piece.iter_mut().enumerate() {
                        *byte = (slot * block + at) as u8;
                    }
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

    /// Where the next write of `slot` on a seat takes its data, made as the target's content asks.
    #[inline]
    pub(crate) fn for_write(
        &mut self,
        seat: usize,
        slot: u32,
        offset: Bytes,
        dice: &mut Jenkins,
    ) -> Memory {
        let block = self.parts[seat].block;
        self.for_piece(seat, slot, (offset, block), dice)
    }

    /// The same for a write of so many bytes. // at most the target's block
    #[inline]
    pub(crate) fn for_piece(
        &mut self,
        seat: usize,
        slot: u32,
        (offset, block): (Bytes, usize),
        dice: &mut Jenkins,
    ) -> Memory {
        let part = &mut self.parts[seat];
        if let Data::Source {
            source,
            area,
            align,
        } = &part.data
        {
            return Memory {
                start: source.place(block as u64, *align, dice),
                area: *area,
            };
        }
        if let Data::Shaped(turns) = &mut part.data
            && turns.twin()
        {
            let place = part.twin_place(offset);
            return self.own(place, block);
        }
        let place = part.next_place(slot);
        match part.data {
            Data::Marked | Data::Shaped(_) => {
                let data = &mut self.map.bytes_mut()[place..place + block];
                self.serial = stamp::stamp(data, offset, self.serial);
            }
            Data::Fresh => {
                let data = &mut self.map.bytes_mut()[place..place + block];
                dice.fill(data);
                self.serial = stamp::stamp(data, offset, self.serial);
            }
            Data::Still | Data::Source { .. } => {}
        }
        self.own(place, block)
    }

    /// All pieces, for registering with the kernel: the thread's own, then each shared source.
    pub(crate) fn pieces(&self) -> Vec<(NonNull<u8>, usize)> {
        let shared = self.parts.iter().filter_map(|part| match &part.data {
            Data::Source { source, .. } => Some(source.whole()),
            _ => None,
        });
        std::iter::once((self.map.start, self.map.bytes))
            .chain(shared)
            .collect()
    }

    #[inline]
    fn own(&self, place: usize, length: usize) -> Memory {
        let start = self.map.at(place, length);
        Memory { start, area: 0 }
    }

    /// Leaves the memory mapped for good, for I/Os that the device never answered: the kernel may still
    /// write to it.
    pub(crate) fn abandon(self) {
        std::mem::forget(self);
    }
}

impl Part {
    /// Takes its memory from `end` on, and a number for its source.
    fn new(
        (seat, target): (&Seat, &PlannedTarget),
        source: &Option<Arc<Source>>,
        end: &mut usize,
        areas: &mut u16,
    ) -> Self {
        let (slots, slot_bytes) = (seat.slots as usize, slot_bytes(target));
        let writes = target.workload.write.as_percent() > 0;
        let data = match (&target.content, source) {
            (_, Some(source)) if writes => {
                *areas += 1;
                let unbuffered = target.mapped.is_none() && target.cache != CacheMode::Cached;
                let device = if unbuffered { target.alignment.0 } else { 1 };
                let align = match &target.content {
                    WriteContent::Source { file: Some(_), .. } => device,
                    _ => device.max(stamp::SOURCE_MARK_EVERY.0), // each write carries the mark
                };
                Data::Source {
                    source: Arc::clone(source),
                    area: *areas,
                    align,
                }
            }
            (WriteContent::Marked, _) => Data::Marked,
            (content @ WriteContent::Shaped { .. }, _) => Data::Shaped(Shape::of(content).turns()),
            (WriteContent::Fresh, _) => Data::Fresh,
            _ => Data::Still,
        };
        let windows = match &data {
            _ if !writes => 0,
            Data::Source { .. } => 0,
            Data::Marked | Data::Shaped(_) => (WRITE_POOL / (slots * slot_bytes)).max(1),
            Data::Still | Data::Fresh => 1,
        };
        let base = *end;
        let block = target.workload.block.0 as usize;
        let twins = if writes {
            Shape::of(&target.content).twins(unit_of(target), target.base.0 as usize)
        } else {
            0
        };
        *end += (slots * windows + twins) * slot_bytes;
        let next_window = vec![0; slots].into();
        Part {
            block,
            base,
            slot_bytes,
            first_slot: seat.first_slot,
            windows,
            next_window,
            twins,
            data,
        }
    }

    /// Where the twin for this offset stands.
    fn twin_place(&self, offset: Bytes) -> usize {
        let windows = self.next_window.len() * self.windows;
        let every = stamp::STAMP_EVERY.0 as usize;
        let twin = offset.0 as usize % every / (every / self.twins);
        self.base + (windows + twin) * self.slot_bytes
    }

    /// The slot's windows are used in turn.
    #[inline]
    fn next_place(&mut self, slot: u32) -> usize {
        let slot = (slot - self.first_slot) as usize;
        let window = self.next_window[slot] as usize;
        self.next_window[slot] = if window + 1 == self.windows {
            0
        } else {
            window as u32 + 1
        };
        self.base + (slot * self.windows + window) * self.slot_bytes
    }
}

/// The most that so many slots of a thread take for one of its targets.
pub(crate) fn most(target: &PlannedTarget, slots: u32) -> Bytes {
    let (slot, percent) = (slot_bytes(target), target.workload.write.as_percent());
    let once = slots as usize * slot;
    let reads = if percent < 100 { once } else { 0 };
    let writes = if percent > 0 {
        once.max(WRITE_POOL) + slot * TWINS_MAX
    } else {
        0
    };
    Bytes((reads + writes) as u64)
}

/// How far behind a mark's place a block begins that takes this twin.
fn twin_behind(twins: usize, twin: usize) -> u64 {
    stamp::STAMP_EVERY.0 / twins as u64 * twin as u64
}

/// What lengths and offsets of its I/Os are multiples of, from the base on.
fn unit_of(target: &PlannedTarget) -> usize {
    match &target.workload.access {
        Access::Mixed(mixed) => {
            let sizes = mixed.lines.iter().flat_map(|line| [line.block, line.align]);
            sizes.fold(0, |unit, size| common(size.0 as usize, unit))
        }
        _ => target.workload.block.0 as usize,
    }
}

fn slot_bytes(target: &PlannedTarget) -> usize {
    (target.workload.block.0 as usize).next_multiple_of(PAGE.max(target.alignment.0 as usize))
}

#[cfg(test)]
mod tests;
