//! The volatile cache of a simulated device: writes that are complete and not durable, and what a power cut leaves of them.
//!
//! The store has what reads return; here is what its medium still has below. A cut decides for each write that is not on the
//! medium: kept, lost, or torn at the device's atomic unit. A part never becomes older than it is. Which writes were durable by the
//! device's own word is noted, so that a test can compare the diagnosis with the truth. Omitted: the store.

use crate::rng::Rng;
use crate::verify::Block;
use model::CorruptKind;
use model::block_header::{BLOCK_BYTES, SECTOR};
use model::plan::{FlushLaw, PowerCut};
use std::collections::{HashMap, VecDeque};

/// Sectors of a block.
const SECTORS: usize = BLOCK_BYTES / SECTOR;
/// Of so many writes one stays in the cache when a flush reorders.
const STAYS_ONE_IN: u64 = 4;

/// Writes that are not on the medium.
pub(super) struct Volatile {
    is: PowerCut,
    log: VecDeque<Dirty>, // oldest first
    bytes: u64,
    medium: HashMap<u64, Content>, // of places in the log
    newest: HashMap<u64, u64>,     // number of the last version, by place
    unflushed: Vec<u64>,           // places that were written since the last flush
    pending: Vec<(u64, u64)>,      // place and version: promised, and not in the journal yet
    promised: HashMap<u64, u64>,   // the same, by place, in the journal
    version: u64,
    write: u64,
}

struct Dirty {
    write: u64,
    place: u64,
    first: bool, // of the write, at the start of an atomic unit
    version: u64,
    data: Box<Block>,
}

/// What the medium has at a place, with the version of each sector.
#[derive(Clone)]
struct Content {
    versions: [u64; SECTORS],
    data: Box<Block>,
}

impl Volatile {
    /// None where a device has no such cache and its power is not cut.
    pub(super) fn new(is: PowerCut) -> Option<Volatile> {
        is.has_cache().then(|| Volatile {
            is,
            log: VecDeque::new(),
            bytes: 0,
            medium: HashMap::new(),
            newest: HashMap::new(),
            unflushed: Vec::new(),
            pending: Vec::new(),
            promised: HashMap::new(),
            version: 0,
            write: 0,
        })
    }

    /// The blocks that follow are of another write.
    pub(super) fn begin_write(&mut self) {
        self.write += 1;
    }

    /// A block of a write, and what was at its place.
    pub(super) fn put(&mut self, place: u64, data: &Block, old: impl FnOnce() -> Box<Block>) {
        self.version += 1;
        let last = self.newest.insert(place, self.version).unwrap_or(0);
        self.medium.entry(place).or_insert_with(|| Content {
            versions: [last; SECTORS],
            data: old(),
        });
        let unit = (self.is.atomic.0 / BLOCK_BYTES as u64).max(1);
        self.log.push_back(Dirty {
            write: self.write,
            place,
            first: place.is_multiple_of(unit),
            version: self.version,
            data: Box::new(*data),
        });
        self.unflushed.push(place);
        self.bytes += BLOCK_BYTES as u64;
    }

    /// A write is complete; `through`: it has to be durable.
    pub(super) fn end_write(&mut self, through: bool) {
        if through {
            let own = self.log.iter().rev();
            let own = own.take_while(|dirty| dirty.write == self.write);
            self.pending
                .extend(own.map(|dirty| (dirty.place, dirty.version)));
            if self.is.flush != FlushLaw::Ignored {
                let write = self.write;
                self.destage(|dirty| dirty.write == write);
            }
        }
        while self.bytes > self.is.volatile.0
            && let Some(dirty) = self.log.pop_front()
        {
            self.settle(&dirty, [true; SECTORS]);
        }
    }

    /// The host flushes.
    pub(super) fn flush(&mut self, rng: &mut Rng) {
        let flushed = self.unflushed.drain(..);
        self.pending
            .extend(flushed.map(|place| (place, self.newest[&place])));
        match self.is.flush {
            FlushLaw::Honest => self.destage(|_| true),
            FlushLaw::Ignored => {}
            FlushLaw::Reordered => self.destage(|_| rng.below(STAYS_ONE_IN) != 0),
        }
    }

    /// All that was promised so far is in the journal.
    pub(super) fn journaled(&mut self) {
        self.promised.extend(self.pending.drain(..));
    }

    /// What was in flight is added to the log by the store. Returns what each place has now that was in the log, and the
    /// damage to what was durable.
    pub(super) fn cut(&mut self, rng: &mut Rng) -> Vec<(u64, Box<Block>, Option<CorruptKind>)> {
        let log: Vec<Dirty> = std::mem::take(&mut self.log).into();
        let (mut write, mut fate, mut unit) = (u64::MAX, 0, true);
        for dirty in &log {
            if dirty.write != write {
                (write, fate) = (dirty.write, rng.below(3));
                unit = rng.below(2) == 0;
            } else if dirty.first {
                unit = rng.below(2) == 0;
            }
            let sectors = match fate {
                0 => [true; SECTORS],
                1 => [false; SECTORS],
                _ => self.torn(unit, rng),
            };
            self.settle(dirty, sectors);
        }
        let medium = std::mem::take(&mut self.medium);
        let damage = |place: u64, content: &Content| {
            let promised = *self.promised.get(&place)?;
            let older = content.versions.map(|version| version < promised);
            match older {
                [true, ..] => Some(CorruptKind::NotDurable),
                _ if older.contains(&true) => Some(CorruptKind::Torn),
                _ => None,
            }
        };
        let each = medium.into_iter();
        each.map(|(place, content)| (place, content.data.clone(), damage(place, &content)))
            .collect()
    }

    /// Which sectors of a block are written of a write that is torn.
    fn torn(&self, unit: bool, rng: &mut Rng) -> [bool; SECTORS] {
        let sectors = (self.is.atomic.0 / SECTOR as u64) as usize;
        if sectors >= SECTORS {
            return [unit; SECTORS];
        }
        let mut written = [false; SECTORS];
        for part in written.chunks_mut(sectors.max(1)) {
            part.fill(rng.below(2) == 0);
        }
        written
    }

    fn destage(&mut self, mut goes: impl FnMut(&Dirty) -> bool) {
        let log = std::mem::take(&mut self.log);
        for dirty in log {
            match goes(&dirty) {
                true => self.settle(&dirty, [true; SECTORS]),
                false => self.log.push_back(dirty),
            }
        }
        if self.log.is_empty() {
            self.medium.clear();
        }
    }

    /// Brings sectors of a version to the medium that are newer than what it has.
    fn settle(&mut self, dirty: &Dirty, sectors: [bool; SECTORS]) {
        self.bytes = self.bytes.saturating_sub(BLOCK_BYTES as u64);
        let Some(content) = self.medium.get_mut(&dirty.place) else {
            return;
        };
        for (number, _) in sectors.iter().enumerate().filter(|(_, written)| **written) {
            if content.versions[number] < dirty.version {
                content.versions[number] = dirty.version;
                let bytes = number * SECTOR..(number + 1) * SECTOR;
                content.data[bytes.clone()].copy_from_slice(&dirty.data[bytes]);
            }
        }
    }
}
