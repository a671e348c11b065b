//! The journal of a run: which version of each grain its storage promised to keep through a power cut.
//!
//! A journal is a head and frames, only ever appended. A frame has words of one stream: what one thread did to one target,
//! in its order. A word is a write that was completed (grain, version, time), a flush that returned well and covers all
//! words of the stream before it, or the continuation of the time. Nothing is written before a write: a block that is newer
//! than its journal proves itself by its header. So a journal that lost its end promises less and reports no false
//! loss. Every part has a checksum, and a part that does not match ends the journal. Omitted: files and threads, which
//! are `engine`'s.

use crate::block_header::{BlockHeader, GENERATION_MAX, checksum};
use crate::units::{Bytes, Nanos};
use std::path::PathBuf;

/// Length of what every frame begins with.
pub const FRAME_HEAD_BYTES: usize = 40;
/// Most words of a frame.
pub const FRAME_WORDS_MAX: usize = 8192;
/// Runs of earlier data that a head lists at most.
pub const EARLIER_RUNS_MAX: usize = 16;

/// The head is a multiple of this long.
const HEAD_UNIT: usize = 4096;
/// Upper bound of the length that the start of a head contains.
const HEAD_MAX: usize = 1 << 22;
const MAGIC: [u8; 8] = *b"FATHOMJ\n";
const FRAME_MAGIC: u32 = u32::from_le_bytes(*b"fjrn");
const VERSION: u32 = 1;
/// Magic, version, length and checksum of the head.
pub const PREFIX_BYTES: usize = 20;

const GENERATION_AT: u32 = 10;
const GRAIN_AT: u32 = 24;
const LOW: u64 = (1 << GENERATION_AT) - 1;
const KIND_EPOCH: u64 = 1;
const KIND_FLUSHED: u64 = 2;
const MS: u64 = 1_000_000;

/// What a journal begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalHead {
    /// The random number in the block headers of the run.
    pub run: u64,
    /// Wall clock when the run began: nanoseconds since 1970 in UTC.
    pub started_utc: Nanos,
    /// Targets of the run, in its order.
    pub targets: Vec<JournalTarget>,
}

/// One target of a journal's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalTarget {
    /// As it was named; what is no text in it is replaced.
    pub path: PathBuf,
    /// Device and inode number.
    pub identity: Option<(u64, u64)>,
    /// First byte of the range that was used.
    pub base: Bytes,
    /// Length of that range.
    pub length: Bytes,
    /// What every I/O began and ended at a multiple of.
    pub grain: Bytes,
    /// A completed write is durable at once; else only what a flush covers.
    pub at_once: bool,
    /// The journal was on the same storage, so that its own flushes reached the device.
    pub beside: bool,
    /// Largest write that a power cut cannot tear; 0 where it is unknown.
    pub atomic: Bytes,
    /// Runs whose data was there before, from a sample. // at most 16
    pub earlier: Vec<u64>,
}

/// Why a head is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadError {
    /// It does not begin as a journal.
    NoJournal,
    /// Of a later version of fathom.
    Newer,
    /// It is cut off, or a checksum does not fit.
    Damaged,
}

/// What a frame begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameHead {
    /// From 1 on, one more for each.
    pub number: u64,
    /// Which thread's words these are.
    pub thread: u32,
    /// On which target.
    pub target: u16,
    /// Nothing follows, because the run has ended.
    pub is_end: bool,
    /// Words.
    pub count: u32,
    /// Time of the first word, in units of 1024 ms since the run began.
    pub epoch: u64,
    /// Of the words; filled in when it is written.
    pub words_checksum: u32,
}

/// One word of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// A write of a grain was completed.
    Done {
        /// The number of the grain in the range. // below 2^40
        grain: u64,
        /// What it contains since then.
        version: Durable,
    },
    /// A flush returned well that was issued after all writes before this word were complete.
    Flushed,
    /// The words after it are of this unit of 1024 ms.
    Epoch(u64),
}

/// A version that is durable, with the time at which it was complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durable {
    /// Its generation. // in [1, 16383]
    pub generation: u16,
    /// Whole milliseconds since the run began.
    pub ms: u64,
}

/// How a version that was found is to a durable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It is the durable one.
    Same,
    /// It was issued after the durable one was complete.
    Newer,
    /// It was complete before the durable one was issued.
    Older,
}

impl Durable {
    /// Compares a version of the same run and place. Writes of a grain never overlap, so of two versions one was complete
    /// before the other was issued. Only within two milliseconds the generations decide, of which a grain cannot go through
    /// half in that time.
    pub fn age(&self, found: &BlockHeader) -> Age {
        let issued = found.issued_ns / MS;
        let ahead = distance(self.generation, found.generation);
        match () {
            () if ahead == 0 => Age::Same,
            () if issued > self.ms => Age::Newer,
            () if issued + 1 < self.ms || ahead > GENERATION_MAX / 2 => Age::Older,
            () => Age::Newer,
        }
    }

    /// Returns whether another one of the same grain replaces this one.
    pub fn is_replaced_by(&self, other: &Durable) -> bool {
        match other.ms.abs_diff(self.ms) {
            0 | 1 => distance(self.generation, other.generation) <= GENERATION_MAX / 2,
            _ => other.ms > self.ms,
        }
    }
}

/// How many versions after `from` another one is, in the ring without 0.
const fn distance(from: u16, to: u16) -> u16 {
    match to >= from {
        true => to - from,
        false => GENERATION_MAX - (from - to),
    }
}

impl Word {
    /// Returns the word of a write that was complete at this time, and the unit of time that it belongs to.
    #[inline]
    pub const fn done(grain: u64, generation: u16, now: Nanos) -> (u64, u64) {
        let ms = now.0 / MS;
        let word = grain << GRAIN_AT | (generation as u64) << GENERATION_AT | ms & LOW;
        (word, ms >> GENERATION_AT)
    }

    /// Returns the word that begins a unit of time.
    pub const fn epoch(epoch: u64) -> u64 {
        epoch << GRAIN_AT | KIND_EPOCH
    }

    /// Returns the word of a flush.
    pub const fn flushed() -> u64 {
        KIND_FLUSHED
    }

    /// Reads a word that comes in this unit of time; none where it has no meaning.
    pub const fn read(word: u64, epoch: u64) -> Option<Word> {
        let generation = (word >> GENERATION_AT) as u16 & GENERATION_MAX;
        match (generation, word & LOW) {
            (0, KIND_EPOCH) => Some(Word::Epoch(word >> GRAIN_AT)),
            (0, KIND_FLUSHED) => Some(Word::Flushed),
            (0, _) => None,
            (generation, low) => Some(Word::Done {
                grain: word >> GRAIN_AT,
                version: Durable {
                    generation,
                    ms: epoch << GENERATION_AT | low,
                },
            }),
        }
    }
}

impl FrameHead {
    /// Appends the frame with these words, of which it has at most [`FRAME_WORDS_MAX`].
    pub fn write(&self, words: &[u64], to: &mut Vec<u8>) {
        let body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let at = to.len();
        put(to, &FRAME_MAGIC.to_le_bytes());
        put(to, &[u8::from(self.is_end), 0]);
        put(to, &self.target.to_le_bytes());
        put(to, &self.number.to_le_bytes());
        put(to, &self.thread.to_le_bytes());
        put(to, &(words.len() as u32).to_le_bytes());
        put(to, &self.epoch.to_le_bytes());
        put(to, &checksum(&body).to_le_bytes());
        let sum = checksum(&to[at..]);
        put(to, &sum.to_le_bytes());
        to.extend(body);
    }

    /// Reads what a frame begins with; none where it is damaged.
    pub fn read(bytes: &[u8; FRAME_HEAD_BYTES]) -> Option<FrameHead> {
        let mut from = Cursor(bytes);
        if from.u32()? != FRAME_MAGIC {
            return None;
        }
        let [kind, _] = from.take()?;
        let head = FrameHead {
            is_end: kind == 1,
            target: u16::from_le_bytes(from.take()?),
            number: from.u64()?,
            thread: from.u32()?,
            count: from.u32()?,
            epoch: from.u64()?,
            words_checksum: from.u32()?,
        };
        let sum = checksum(&bytes[..FRAME_HEAD_BYTES - 4]);
        (from.u32()? == sum && kind <= 1 && head.count as usize <= FRAME_WORDS_MAX).then_some(head)
    }

    /// Returns the words, where their checksum fits. // as many bytes as the head specifies
    pub fn words<'a>(&self, body: &'a [u8]) -> Option<impl Iterator<Item = u64> + use<'a>> {
        let (words, rest) = body.as_chunks::<8>();
        let whole = words.len() == self.count as usize && rest.is_empty();
        (whole && checksum(body) == self.words_checksum)
            .then(|| words.iter().map(|word| u64::from_le_bytes(*word)))
    }
}

impl JournalHead {
    /// Returns the bytes, a multiple of 4096.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        put(&mut body, &self.run.to_le_bytes());
        put(&mut body, &self.started_utc.0.to_le_bytes());
        put(&mut body, &(self.targets.len() as u16).to_le_bytes());
        for target in &self.targets {
            target.write(&mut body);
        }
        let length = (PREFIX_BYTES + body.len()).next_multiple_of(HEAD_UNIT);
        body.resize(length - PREFIX_BYTES, 0);
        let mut bytes = Vec::with_capacity(length);
        put(&mut bytes, &MAGIC);
        put(&mut bytes, &VERSION.to_le_bytes());
        put(&mut bytes, &(length as u32).to_le_bytes());
        put(&mut bytes, &checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Returns how long the head is that begins so.
    ///
    /// # Errors
    /// It does not begin as a journal that can be read.
    pub fn length(prefix: &[u8; PREFIX_BYTES]) -> Result<usize, HeadError> {
        let mut from = Cursor(prefix);
        if from.take() != Some(MAGIC) {
            return Err(HeadError::NoJournal);
        }
        let version = from.u32().ok_or(HeadError::Damaged)?;
        if version > VERSION {
            return Err(HeadError::Newer);
        }
        let length = from.u32().ok_or(HeadError::Damaged)? as usize;
        let is_length = length.is_multiple_of(HEAD_UNIT) && (1..=HEAD_MAX).contains(&length);
        match is_length && version == VERSION {
            true => Ok(length),
            false => Err(HeadError::Damaged),
        }
    }

    /// Reads a head of [`JournalHead::length`] bytes.
    ///
    /// # Errors
    /// It is no head, or not as it was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<JournalHead, HeadError> {
        let prefix = bytes.first_chunk().ok_or(HeadError::NoJournal)?;
        if JournalHead::length(prefix)? != bytes.len() {
            return Err(HeadError::Damaged);
        }
        let body = &bytes[PREFIX_BYTES..];
        if prefix.last_chunk() != Some(&checksum(body).to_le_bytes()) {
            return Err(HeadError::Damaged);
        }
        JournalHead::parse(&mut Cursor(body)).ok_or(HeadError::Damaged)
    }

    fn parse(from: &mut Cursor<'_>) -> Option<JournalHead> {
        let (run, started_utc) = (from.u64()?, Nanos(from.u64()?));
        let count = u16::from_le_bytes(from.take()?);
        let targets = (0..count).map(|_| JournalTarget::parse(from));
        Some(JournalHead {
            run,
            started_utc,
            targets: targets.collect::<Option<_>>()?,
        })
    }
}

impl JournalTarget {
    fn write(&self, to: &mut Vec<u8>) {
        let (device, inode) = self.identity.unwrap_or_default();
        let flags = [self.identity.is_some(), self.at_once, self.beside];
        put(to, &flags.map(u8::from));
        let numbers = [
            device,
            inode,
            self.base.0,
            self.length.0,
            self.grain.0,
            self.atomic.0,
        ];
        for number in numbers {
            put(to, &number.to_le_bytes());
        }
        put(to, &[self.earlier.len() as u8]);
        for run in &self.earlier {
            put(to, &run.to_le_bytes());
        }
        let path = self.path.to_string_lossy();
        put(to, &(path.len() as u16).to_le_bytes());
        put(to, path.as_bytes());
    }

    fn parse(from: &mut Cursor<'_>) -> Option<JournalTarget> {
        let [has_identity, at_once, beside] = from.take()?.map(|flag: u8| flag == 1);
        let identity = (from.u64()?, from.u64()?);
        let [base, length, grain, atomic] =
            [from.u64()?, from.u64()?, from.u64()?, from.u64()?].map(Bytes);
        let [runs] = from.take()?;
        let earlier = (0..runs).map(|_| from.u64()).collect::<Option<_>>()?;
        let length_of_path = usize::from(u16::from_le_bytes(from.take()?));
        let path = from.slice(length_of_path)?;
        (grain.0 > 0).then(|| JournalTarget {
            path: String::from_utf8_lossy(path).into_owned().into(),
            identity: has_identity.then_some(identity),
            base,
            length,
            grain,
            at_once,
            beside,
            atomic,
            earlier,
        })
    }
}

fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend_from_slice(bytes);
}

/// Bytes that are read from the front.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head() -> JournalHead {
        let target = |name: &str| JournalTarget {
            path: name.into(),
            identity: Some((7, 9)),
            base: Bytes(8192),
            length: Bytes::mib(3),
            grain: Bytes::kib(8),
            at_once: true,
            beside: false,
            atomic: Bytes(512),
            earlier: vec![3, u64::MAX],
        };
        JournalHead {
            run: 0x1234_5678_9abc_def0,
            started_utc: Nanos(17),
            targets: vec![target("a b"), target("/dev/x")],
        }
    }

    #[test]
    fn a_head_is_read_as_it_was_written_and_any_changed_byte_is_noticed() {
        let bytes = head().to_bytes();
        assert_eq!(bytes.len(), 4096);
        assert_eq!(JournalHead::from_bytes(&bytes), Ok(head()));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            assert!(JournalHead::from_bytes(&changed).is_err(), "byte {at}");
            assert!(
                JournalHead::from_bytes(&bytes[..at]).is_err(),
                "cut at {at}"
            );
        }
        let mut newer = bytes;
        newer[8] = 2;
        assert_eq!(JournalHead::from_bytes(&newer), Err(HeadError::Newer));
        assert_eq!(
            JournalHead::from_bytes(&[b'x'; 4096]),
            Err(HeadError::NoJournal)
        );
    }

    #[test]
    fn a_frame_with_any_changed_byte_is_none() {
        let frame = FrameHead {
            number: 3,
            thread: 2,
            target: 1,
            epoch: 77,
            ..FrameHead::default()
        };
        let mut bytes = Vec::new();
        frame.write(&[1, 2, 3], &mut bytes);
        let read = |bytes: &[u8]| -> Option<Vec<u64>> {
            let head = FrameHead::read(bytes.first_chunk()?)?;
            let words = head.words(&bytes[FRAME_HEAD_BYTES..])?;
            assert_eq!((head.number, head.epoch, head.count), (3, 77, 3));
            Some(words.collect())
        };
        assert_eq!(read(&bytes), Some(vec![1, 2, 3]));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(read(&changed), None, "byte {at}");
        }
    }

    fn found(generation: u16, ms: u64) -> BlockHeader {
        BlockHeader {
            generation,
            issued_ns: ms * MS,
            ..BlockHeader::default()
        }
    }

    #[test]
    fn the_time_decides_which_of_two_versions_is_newer_and_within_2_ms_the_generation() {
        let durable = Durable {
            generation: 16_000,
            ms: 500,
        };
        for (generation, ms, age) in [
            (16_000, 499, Age::Same),
            (16_001, 500, Age::Newer),
            (1, 500, Age::Newer), // around the ring
            (15_999, 500, Age::Older),
            (15_999, 499, Age::Older),
            (15_999, 501, Age::Newer), // 16,382 versions later
            (16_001, 400, Age::Older), // 16,382 versions before
        ] {
            assert_eq!(
                durable.age(&found(generation, ms)),
                age,
                "{generation} {ms}"
            );
        }
    }

    proptest! {
        #[test]
        fn words_are_read_as_they_were_written(
            grain in 0u64..1 << 40, generation in 1u16..=GENERATION_MAX, ms in 0u64..1 << 44,
        ) {
            let (word, epoch) = Word::done(grain, generation, Nanos(ms * MS + 999));
            let version = Durable { generation, ms };
            prop_assert_eq!(Word::read(word, epoch), Some(Word::Done { grain, version }));
            prop_assert_eq!(Word::read(Word::epoch(epoch), 0), Some(Word::Epoch(epoch)));
            prop_assert_eq!(Word::read(Word::flushed(), epoch), Some(Word::Flushed));
        }

        /// Any bytes are a head or none, and never a panic.
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut begun = head().to_bytes();
            let length = bytes.len();
            begun[4096 - length..].copy_from_slice(&bytes);
            let sum = checksum(&begun[PREFIX_BYTES..]).to_le_bytes();
            begun[16..20].copy_from_slice(&sum);
            let _ = JournalHead::from_bytes(&begun);
            if let Some(head) = bytes.first_chunk().and_then(FrameHead::read) {
                let _ = head.words(&bytes[FRAME_HEAD_BYTES..]).map(Iterator::count);
            }
        }
    }
}
