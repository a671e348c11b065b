//! What a journal promises: which version of each grain has to be there after a power cut, or a newer one.
//!
//! A journal is read twice. First to its last whole frame, where the last flush of each stream is noted; then for one target
//! and range every write that such a flush covers. Memory is 8 bytes per grain of the range, however long the journal is.
//! Omitted: the comparison (`check`).

use super::map::CutRule;
use model::block_header::{BLOCK, SECTOR};
use model::journal::{
    Durable, FRAME_HEAD_BYTES, FrameHead, HeadError, JournalHead, PREFIX_BYTES, Word,
};
use model::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;

/// Bytes of memory for each grain.
const ENTRY: u64 = 8;
/// In an entry the generation is below the time.
const GENERATION_BITS: u32 = 14;

/// Why a journal cannot be used.
#[derive(Debug)]
pub enum JournalError {
    /// Its head.
    Head(HeadError),
    /// It cannot be read.
    Io(io::Error),
    /// So much memory is needed.
    Memory(Bytes),
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Head(HeadError::NoJournal) => {
                f.write_str("this is no journal of fathom run --journal")
            }
            JournalError::Head(HeadError::Newer) => {
                f.write_str("a later version of fathom wrote this journal")
            }
            JournalError::Head(HeadError::Damaged) => {
                f.write_str("the head of the journal is damaged or cut off, so it promises nothing")
            }
            JournalError::Io(error) => write!(
                f,
                "the journal cannot be read: {}",
                model::errno_text(error)
            ),
            JournalError::Memory(needed) => write!(
                f,
                "the promises of this journal need {} of memory; hint: --range reads a part",
                needed.about()
            ),
        }
    }
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        JournalError::Io(error)
    }
}

/// A journal, read to its last whole frame.
#[derive(Debug)]
pub struct Scan {
    /// Its head.
    pub head: JournalHead,
    /// Whole frames.
    pub frames: u64,
    /// Bytes up to the end of the last of them.
    pub whole_bytes: u64,
    /// The run ended regularly, and the journal records that.
    pub ended: bool,
    /// Time of the last write in it, since its run began.
    pub last: Nanos,
    head_bytes: u64,
    flushes: BTreeMap<(u32, u16), (u64, usize)>, // frame and word of the last, by stream
}

impl Scan {
    /// Reads it from its start.
    ///
    /// # Errors
    /// It has no whole head, or cannot be read.
    pub fn read(from: &mut (impl Read + Seek)) -> Result<Scan, JournalError> {
        from.seek(SeekFrom::Start(0))?;
        let mut prefix = [0; PREFIX_BYTES];
        if !fill(from, &mut prefix)? {
            return Err(JournalError::Head(HeadError::NoJournal));
        }
        let length = JournalHead::length(&prefix).map_err(JournalError::Head)?;
        let mut bytes = vec![0; length];
        bytes[..PREFIX_BYTES].copy_from_slice(&prefix);
        if !fill(from, &mut bytes[PREFIX_BYTES..])? {
            return Err(JournalError::Head(HeadError::Damaged));
        }
        let mut scan = Scan {
            head: JournalHead::from_bytes(&bytes).map_err(JournalError::Head)?,
            frames: 0,
            whole_bytes: length as u64,
            ended: false,
            last: Nanos(0),
            head_bytes: length as u64,
            flushes: BTreeMap::new(),
        };
        let mut frames = Frames::new(from);
        while let Some(head) = frames.next()? {
            if head.number != scan.frames + 1 || scan.ended {
                break;
            }
            scan.frames = head.number;
            scan.whole_bytes += (FRAME_HEAD_BYTES + frames.body.len()) as u64;
            scan.ended = head.is_end;
            scan.note(&head, &frames);
        }
        Ok(scan)
    }

    fn note(&mut self, head: &FrameHead, frames: &Frames<'_, impl Read>) {
        for (at, word) in frames.words(head).enumerate() {
            match word {
                Word::Flushed => {
                    let stream = (head.thread, head.target);
                    self.flushes.insert(stream, (head.number, at));
                }
                Word::Done { version, .. } => {
                    self.last = self.last.max(Nanos::millis(version.ms));
                }
                Word::Epoch(_) => {}
            }
        }
    }

    /// Reads what it promises of a range of one target.
    ///
    /// # Errors
    /// It cannot be read, or needs more than `memory` bytes.
    pub fn promised(
        &self,
        from: &mut (impl Read + Seek),
        target: u16,
        range: Range<u64>,
        memory: u64,
    ) -> Result<Promised, JournalError> {
        let own = &self.head.targets[usize::from(target)];
        let to = range.end.min(own.base.0 + own.length.0);
        let first = range.start.saturating_sub(own.base.0) / own.grain.0;
        let grains = to
            .saturating_sub(own.base.0)
            .div_ceil(own.grain.0)
            .saturating_sub(first);
        if grains.saturating_mul(ENTRY) > memory {
            return Err(JournalError::Memory(Bytes(grains.saturating_mul(ENTRY))));
        }
        let mut promised = Promised {
            run: self.head.run,
            target,
            from: own.base.0 + first * own.grain.0,
            grain: own.grain.0,
            range: range.start..to,
            atomic_sectors: (own.atomic.0 / SECTOR as u64).min(8) as u8,
            earlier: own.earlier.clone(),
            entries: vec![0; grains as usize],
        };
        from.seek(SeekFrom::Start(self.head_bytes))?;
        let mut frames = Frames::new(from);
        for _ in 0..self.frames {
            let Some(head) = frames.next()? else {
                break;
            };
            let covered = match self.flushes.get(&(head.thread, head.target)) {
                _ if head.target != target => continue,
                _ if own.at_once => usize::MAX,
                Some((frame, _)) if head.number < *frame => usize::MAX,
                Some((frame, word)) if head.number == *frame => *word,
                _ => continue,
            };
            for word in frames.words(&head).take(covered) {
                if let Word::Done { grain, version } = word {
                    promised.add(grain.wrapping_sub(first), version);
                }
            }
        }
        Ok(promised)
    }
}

/// Frames one after the other, until one is not whole.
struct Frames<'a, R> {
    from: io::BufReader<&'a mut R>,
    body: Vec<u8>,
}

impl<'a, R: Read> Frames<'a, R> {
    fn new(from: &'a mut R) -> Self {
        Frames {
            from: io::BufReader::with_capacity(1 << 16, from),
            body: Vec::new(),
        }
    }

    fn next(&mut self) -> io::Result<Option<FrameHead>> {
        let mut bytes = [0; FRAME_HEAD_BYTES];
        if !fill(&mut self.from, &mut bytes)? {
            return Ok(None);
        }
        let Some(head) = FrameHead::read(&bytes) else {
            return Ok(None);
        };
        self.body.resize(head.count as usize * 8, 0);
        let whole = fill(&mut self.from, &mut self.body)?;
        Ok((whole && head.words(&self.body).is_some()).then_some(head))
    }

    fn words(&self, head: &FrameHead) -> impl Iterator<Item = Word> {
        let mut epoch = head.epoch;
        head.words(&self.body)
            .into_iter()
            .flatten()
            .filter_map(move |word| {
                let word = Word::read(word, epoch)?;
                if let Word::Epoch(later) = word {
                    epoch = later;
                }
                Some(word)
            })
    }
}

/// Fills the buffer; `false` where the end comes before.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The durable versions of a range of one target.
pub struct Promised {
    pub(super) run: u64,
    pub(super) target: u16,
    from: u64, // of the first grain
    grain: u64,
    range: Range<u64>,
    atomic_sectors: u8,
    earlier: Vec<u64>,
    entries: Vec<u64>, // time and generation, 0 for none
}

impl fmt::Debug for Promised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Promised of {} grains", self.entries.len())
    }
}

impl Promised {
    fn add(&mut self, grain: u64, version: Durable) {
        let entry = usize::try_from(grain)
            .ok()
            .and_then(|grain| self.entries.get_mut(grain));
        if let Some(entry) = entry
            && unpacked(*entry).is_none_or(|old| old.is_replaced_by(&version))
        {
            *entry = version.ms << GENERATION_BITS | u64::from(version.generation);
        }
    }

    /// Returns the version that has to be at an offset at least.
    pub fn durable(&self, offset: u64) -> Option<Durable> {
        let grain = offset.checked_sub(self.from)? / self.grain;
        let entry = self.entries.get(usize::try_from(grain).ok()?)?;
        unpacked(*entry)
    }

    /// Returns how many blocks of the range it promises.
    pub fn blocks(&self) -> u64 {
        let of = |(number, _): (u64, &u64)| {
            let from = self.from + number * self.grain;
            let to = (from + self.grain).min(self.range.end);
            to.saturating_sub(from.max(self.range.start)) / BLOCK.0
        };
        let promised = (0..).zip(&self.entries).filter(|(_, entry)| **entry != 0);
        promised.map(of).sum()
    }

    pub(super) fn rule(&self, offset: u64) -> CutRule {
        CutRule {
            durable: self.durable(offset),
            atomic_sectors: self.atomic_sectors,
        }
    }

    /// Whether data of a run was there before the journal's.
    pub(super) fn is_earlier(&self, run: u64) -> bool {
        self.earlier.contains(&run)
    }

    /// Returns places of blocks that it promises, evenly spread.
    pub fn sample(&self, count: usize) -> Vec<u64> {
        let promised = (0u64..)
            .zip(&self.entries)
            .filter(|(_, entry)| **entry != 0);
        let all: u64 = promised.clone().count() as u64;
        let step = all.div_ceil(count as u64).max(1) as usize;
        let places =
            promised.map(|(number, _)| (self.from + number * self.grain).max(self.range.start));
        places.step_by(step).collect()
    }
}

const fn unpacked(entry: u64) -> Option<Durable> {
    match entry {
        0 => None,
        entry => Some(Durable {
            generation: (entry & ((1 << GENERATION_BITS) - 1)) as u16,
            ms: entry >> GENERATION_BITS,
        }),
    }
}
