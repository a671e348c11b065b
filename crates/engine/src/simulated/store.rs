//! The data of a simulated device, and what is done wrong to it: a sparse store of blocks behind the model of time.
//!
//! What was never written contains blocks of an earlier run, as a file that fathom filled. Every fault is noted with its
//! place and with what it should be called, so that a test can compare the diagnosis with the truth. The package `faultfs`
//! serves the same store as a file. Omitted: time (`device`), and the diagnosis (`verify`).

use super::volatile::Volatile;
use crate::rng::Rng;
use crate::system::errors::DEVICE_FAILED;
use crate::verify::{Block, Medium};
use model::block_header::{self, BLOCK, BLOCK_BYTES, BlockHeader, SECTOR};
use model::{
    Bytes, CorruptKind, DataFault, DataFaults, FaultPlan, InjectedFault, Nanos, SimulatedDevice,
};
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Random numbers of stores are this far from those of devices.
const STREAM: u64 = 5 << 60;
/// The run that wrote what was never written in this one.
const EARLIER_RUN: u64 = 0x0065_6172_6c69_6572;

/// The data of one device.
pub struct Store {
    faults: DataFaults,
    alias: u64,        // blocks after which places repeat; 0 for never
    range: Range<u64>, // of blocks
    written: HashMap<u64, Box<Block>>,
    previous: HashMap<u64, Box<Block>>, // where stale reads are a fault
    late: Late,
    rng: Rng,
    /// Writes that are not durable, where the device has any such.
    volatile: Option<Volatile>,
    /// Damage that is there now.
    damaged: HashMap<u64, CorruptKind>,
    /// Where the second copy of a block is, by that copy.
    copies: HashMap<u64, u64>,
    injected: Vec<InjectedFault>,
    misread: HashSet<u64>, // damaged blocks that a read returned
}

/// Damage that shows only after a time.
#[derive(Default)]
struct Late {
    after: Nanos,
    now: Nanos,
    /// Damaged writes that are read as they were written until a moment.
    hidden: HashMap<u64, (Nanos, Box<Block>)>,
}

/// A store that backends of several threads and the comparison use.
pub(crate) type SharedStore = Arc<Mutex<Store>>;

impl Store {
    /// Returns the data of a device of which this range is used; none where it has no data.
    pub fn new(is: &SimulatedDevice, range: Range<Bytes>, seed: u64) -> Option<Store> {
        (is.data.0 > 0).then(|| Store {
            faults: is.data_faults,
            alias: is.alias.0 / BLOCK.0,
            range: range.start.0 / BLOCK.0..range.end.0 / BLOCK.0,
            written: HashMap::new(),
            previous: HashMap::new(),
            late: Late {
                after: is.late,
                ..Late::default()
            },
            rng: Rng::new(seed, STREAM),
            volatile: Volatile::new(is.cut),
            damaged: HashMap::new(),
            copies: HashMap::new(),
            injected: Vec::new(),
            misread: HashSet::new(),
        })
    }

    /// From now on these faults are done.
    pub fn set_faults(&mut self, faults: DataFaults) {
        self.faults = faults;
    }

    /// The I/O that follows is done at this moment.
    pub(crate) fn advance(&mut self, now: Nanos) {
        self.late.now = self.late.now.max(now);
    }

    /// From now on all reads are of the medium: the device's cache answers no more.
    pub(crate) fn drop_cache(&mut self) {
        self.late.hidden.clear();
    }

    /// Writes whole blocks; `through`: they have to be durable then.
    pub fn write(&mut self, offset: u64, data: &[u8], through: bool) {
        self.begin_write(offset, data);
        if let Some(volatile) = &mut self.volatile {
            volatile.end_write(through);
        }
    }

    /// Writes whole blocks that are not complete when the power is cut.
    pub(crate) fn begin_write(&mut self, offset: u64, data: &[u8]) {
        if let Some(volatile) = &mut self.volatile {
            volatile.begin_write();
        }
        let (blocks, _) = data.as_chunks::<BLOCK_BYTES>();
        for (number, block) in (offset / BLOCK.0..).zip(blocks) {
            self.write_one(number, block);
        }
    }

    /// Does what the device calls a flush.
    pub fn flush(&mut self) {
        if let Some(volatile) = &mut self.volatile {
            volatile.flush(&mut self.rng);
        }
    }

    /// All that was promised so far is in the journal.
    pub fn journaled(&mut self) {
        if let Some(volatile) = &mut self.volatile {
            volatile.journaled();
        }
    }

    /// Cuts the power: what was not durable is kept, lost or torn.
    pub fn cut(&mut self) {
        let Some(volatile) = &mut self.volatile else {
            return;
        };
        let mut left = volatile.cut(&mut self.rng);
        left.sort_by_key(|(place, ..)| *place);
        for (place, data, damage) in left {
            self.written.insert(place, data);
            if let Some(kind) = damage {
                self.note(place, kind);
            }
        }
    }

    /// Reads whole blocks, as an I/O does: with transient faults.
    ///
    /// # Errors
    /// The errno of an unreadable block.
    pub fn read(&mut self, offset: u64, data: &mut [u8]) -> Result<(), i32> {
        let (blocks, _) = data.as_chunks_mut::<BLOCK_BYTES>();
        for (number, block) in (offset / BLOCK.0..).zip(blocks) {
            let faults = self.injected.len();
            *block = *self.read_one(number)?;
            if self.injected.len() > faults || self.damaged.contains_key(&number) {
                self.misread.insert(number);
            }
        }
        Ok(())
    }

    /// What was done wrong, and whether it is still there.
    pub fn injected(&self) -> Vec<InjectedFault> {
        let mut injected = self.injected.clone();
        let mut last = HashMap::new();
        for (at, fault) in injected.iter().enumerate() {
            last.insert(fault.offset.0, at);
        }
        for (offset, at) in last {
            injected[at].remains = self.damaged.contains_key(&(offset / BLOCK.0));
        }
        injected
    }

    /// Returns whether a read returned this place with a fault.
    pub fn was_read_damaged(&self, place: Bytes) -> bool {
        self.misread.contains(&(place.0 / BLOCK.0))
    }

    fn write_one(&mut self, number: u64, data: &Block) {
        let old = self.at(number);
        if self.faults.of(DataFault::Stale) != FaultPlan::Never {
            self.previous.insert(number, old.clone());
        }
        self.copies.retain(|copy, of| {
            *copy != number && {
                if *of == number {
                    self.damaged.insert(*copy, CorruptKind::Misdirected);
                }
                *of != number
            }
        });
        let mut new = Box::new(*data);
        // Damage over damage has no one name.
        let sound = !self.damaged.contains_key(&number);
        let before = self.damaged.remove(&number);
        let fault = self.draw_write_fault(number, sound);
        self.late.hidden.remove(&number);
        if fault.is_some() && self.late.after.0 > 0 {
            let until = self.late.now.plus(self.late.after);
            self.late.hidden.insert(number, (until, new.clone()));
        }
        match fault {
            None => {}
            Some(DataFault::Lose) => {
                return self.note(number, before.unwrap_or(CorruptKind::Lost));
            }
            Some(DataFault::Tear) => {
                let at = self.sector();
                new[at..].copy_from_slice(&old[at..]);
                self.note(number, CorruptKind::Torn);
            }
            Some(DataFault::TearTail) => {
                let at = self.sector();
                new[..at].copy_from_slice(&old[..at]);
                self.note(number, CorruptKind::Torn);
            }
            Some(DataFault::Misdirect | DataFault::Duplicate) => {
                let stays = match fault {
                    Some(DataFault::Misdirect) => Some(before.unwrap_or(CorruptKind::Lost)),
                    _ => None,
                };
                return self.write_elsewhere(number, new, stays);
            }
            Some(DataFault::Rot) => {
                self.flip(&mut new);
                self.note(number, CorruptKind::BitRot);
            }
            Some(DataFault::Zero) => {
                new.fill(0);
                self.note(number, CorruptKind::Zeroed);
            }
            Some(DataFault::Shift) => {
                let late = self.sector();
                new.copy_within(..BLOCK_BYTES - late, late);
                self.rng.fill(&mut new[..late]);
                self.note(number, CorruptKind::Shifted);
            }
            Some(_) => {
                self.rng.fill(&mut new[..]);
                self.note(number, CorruptKind::Foreign);
            }
        }
        self.put(number, new);
    }

    /// Writes a block to a place that is not its own; to its own, too, if its damage does not stay there.
    fn write_elsewhere(&mut self, number: u64, data: Box<Block>, stays: Option<CorruptKind>) {
        let other = self.other(number);
        if self.damaged.contains_key(&other) || self.copies.contains_key(&other) {
            return self.put(number, data); // one fault at a place
        }
        self.put(other, data.clone());
        if let Some(kind) = stays {
            self.note(other, CorruptKind::Misdirected);
            self.note(number, kind);
        } else {
            self.put(number, data);
            self.copies.insert(other, number);
            self.note(other, CorruptKind::Duplicated);
        }
    }

    fn read_one(&mut self, number: u64) -> Result<Box<Block>, i32> {
        if self.is_due(DataFault::Eio, number) {
            return Err(DEVICE_FAILED);
        }
        let sound = !self.damaged.contains_key(&number) && self.written.contains_key(&number);
        if sound
            && self.is_due(DataFault::Stale, number)
            && let Some(old) = self.previous.remove(&number)
        {
            self.note_once(number, CorruptKind::StaleRead);
            return Ok(old);
        }
        if sound && self.is_due(DataFault::Misread, number) {
            let other = self.other(number);
            self.note_once(number, CorruptKind::Misdirected);
            return Ok(self.at(other));
        }
        let mut block = self.seen(number);
        if sound && self.is_due(DataFault::RotRead, number) {
            self.flip(&mut block);
            self.note_once(number, CorruptKind::BitRot);
        }
        Ok(block)
    }

    /// The fault of the next write of a block, if any; a torn write only where the block is sound.
    fn draw_write_fault(&mut self, number: u64, sound: bool) -> Option<DataFault> {
        let faults = DataFault::ALL
            .into_iter()
            .take_while(|fault| *fault < DataFault::Stale);
        let due: Vec<DataFault> = faults.filter(|fault| self.is_due(*fault, number)).collect();
        let first = due.first().copied()?;
        let needs_sound = matches!(first, DataFault::Tear | DataFault::TearTail);
        (sound || !needs_sound).then_some(first)
    }

    fn is_due(&mut self, fault: DataFault, number: u64) -> bool {
        match self.faults.of(fault) {
            FaultPlan::Never => false,
            FaultPlan::OneIn(often) => self.rng.below(often) == 0,
            FaultPlan::At(place) => place.0 / BLOCK.0 == number,
        }
    }

    /// Where a block is stored.
    fn place(&self, number: u64) -> u64 {
        match self.alias {
            0 => number,
            alias => number % alias,
        }
    }

    fn put(&mut self, number: u64, data: Box<Block>) {
        let place = self.place(number);
        if let Some(volatile) = &mut self.volatile {
            let old = || self.written.get(&place).cloned();
            volatile.put(place, &data, || old().unwrap_or_else(|| earlier(number)));
        }
        self.written.insert(place, data);
    }

    /// What is at a place now.
    fn at(&self, number: u64) -> Box<Block> {
        let stored = self.written.get(&self.place(number)).cloned();
        stored.unwrap_or_else(|| earlier(number))
    }

    /// What a read finds at a place now.
    fn seen(&self, number: u64) -> Box<Block> {
        match self.late.hidden.get(&number) {
            Some((until, written)) if self.late.now < *until => written.clone(),
            _ => self.at(number),
        }
    }

    /// Another block of the range.
    fn other(&mut self, number: u64) -> u64 {
        let Range { start, end } = self.range;
        let step = 1 + self.rng.below((end - start - 1).max(1));
        start + (number - start + step) % (end - start)
    }

    /// Where a sector begins that is neither the first nor the last: the origin of a single sector cannot be
    /// determined.
    fn sector(&mut self) -> usize {
        (1 + self.rng.below(6) as usize) * SECTOR
    }

    /// Flips one to three bits that differ.
    fn flip(&mut self, block: &mut Block) {
        let first = self.rng.below(BLOCK_BYTES as u64 * 8);
        for number in 0..=self.rng.below(3) {
            let bit = (first + number * 4099) % (BLOCK_BYTES as u64 * 8);
            block[(bit / 8) as usize] ^= 1 << (bit % 8);
        }
    }

    /// Damage that stays until the block is written again.
    fn note(&mut self, number: u64, kind: CorruptKind) {
        self.damaged.insert(number, kind);
        self.note_once(number, kind);
    }

    /// Damage of one reading.
    fn note_once(&mut self, number: u64, kind: CorruptKind) {
        self.injected.push(InjectedFault {
            kind,
            offset: Bytes(number * BLOCK.0),
            remains: false,
        });
    }
}

/// The block that an earlier run left at a place.
fn earlier(number: u64) -> Box<Block> {
    let mut block = Box::new([0; BLOCK_BYTES]);
    Rng::new(EARLIER_RUN, number).fill(&mut block[..]);
    let header = BlockHeader {
        serial: number,
        run: EARLIER_RUN,
        block: number,
        generation: block_header::GENERATION,
        ..BlockHeader::default()
    };
    block_header::write_blocks(&mut block[..], &header);
    block
}

/// Where the comparison reads again: without the faults of one reading.
pub(crate) struct StoreMedium(pub(crate) SharedStore);

impl Medium for StoreMedium {
    fn read(&self, offset: u64) -> io::Result<Box<Block>> {
        let store = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = offset / BLOCK.0;
        match store.faults.of(DataFault::Eio) {
            FaultPlan::At(place) if place.0 / BLOCK.0 == number => {
                Err(io::Error::from_raw_os_error(DEVICE_FAILED))
            }
            _ => Ok(store.seen(number)),
        }
    }

    fn pause(&self, _: Duration) {}
}
