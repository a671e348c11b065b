//! The journal of a run while it is written: rings of the threads, and one writer.
//!
//! A thread leaves a word for each write that was completed and each flush that returned well; the writer takes them every
//! 10 ms, or when a ring is half full, appends frames and brings them to the journal's own storage. No write of the run
//! waits for one of the journal; only a full ring makes its thread wait, and that time is counted. A journal that cannot be
//! written any more ends, and the run continues. Omitted: what words mean (`model::journal`), and reading (`promised`).

use crate::RunError;
use crate::thread_plan::ThreadPlan;
use crate::usage;
use crate::word_rings::{Rings, Taker};
use model::journal::{FRAME_WORDS_MAX, FrameHead, JournalHead, Word};
use model::verified::JournalCounts;
use model::{Nanos, Plan, TargetFacts};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words of all rings together; a ring has as many as are left for it.
const WORDS: usize = 1 << 20;
/// Fewest and most words of one ring.
const RING: [usize; 2] = [1 << 10, 1 << 15];

/// Where a journal goes: a file, a FIFO or standard output, open for writing.
#[derive(Debug, Clone)]
pub struct JournalSink {
    /// Open for writing, at its start.
    pub file: Arc<File>,
    /// As it was named.
    pub path: PathBuf,
    /// It is a file, which can be brought to its storage.
    pub is_file: bool,
    /// By target: the journal is on the same storage.
    pub beside: Vec<bool>,
}

/// The run of a journal.
pub(crate) struct JournalOf<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) facts: &'a [TargetFacts],
    pub(crate) started_utc: Nanos,
    /// Without one it stays in memory.
    pub(crate) sink: Option<&'a JournalSink>,
}

/// A journal that is being written.
pub(crate) struct Journal {
    rings: Rings,
    streams: Box<[Stream]>, // by ring
    writer: Mutex<Writer>,
    /// By target: a flush failed, so that later ones promise nothing.
    broken: Box<[AtomicBool]>,
}

/// Whose words are in a ring.
struct Stream {
    thread: u32,
    target: u16,
}

struct Writer {
    to: Destination,
    frames: u64,
    counts: JournalCounts,
    epochs: Box<[u64]>, // by ring, of its next word
    words: Vec<u64>,
    bytes: Vec<u8>,
}

enum Destination {
    File(Arc<File>, bool),
    Memory(Vec<u8>),
}

impl Journal {
    /// Writes the head of a journal of these threads. Without a sink it stays in memory.
    pub(crate) fn begin(
        sink: Option<&JournalSink>,
        head: &JournalHead,
        places: &[ThreadPlan],
    ) -> Result<Arc<Journal>, RunError> {
        let streams: Box<[Stream]> = places
            .iter()
            .flat_map(|place| {
                place.seats.iter().map(|seat| Stream {
                    thread: place.thread,
                    target: seat.target as u16,
                })
            })
            .collect();
        let rings = Rings::new(streams.len(), WORDS, RING);
        let mut writer = Writer {
            to: match sink {
                Some(sink) => Destination::File(Arc::clone(&sink.file), sink.is_file),
                None => Destination::Memory(Vec::new()),
            },
            frames: 0,
            counts: JournalCounts::default(),
            epochs: vec![0; streams.len()].into(),
            words: Vec::with_capacity(FRAME_WORDS_MAX),
            bytes: head.to_bytes(),
        };
        writer.append();
        if let (Some(why), Some(sink)) = (writer.counts.failed.take(), sink) {
            return Err(RunError::Journal {
                path: sink.path.clone(),
                why,
            });
        }
        Ok(Arc::new(Journal {
            broken: head
                .targets
                .iter()
                .map(|_| AtomicBool::new(false))
                .collect(),
            rings,
            streams,
            writer: Mutex::new(writer),
        }))
    }

    /// Writes all words that are in the rings, and brings them to the journal's storage.
    pub(crate) fn write_group(&self) {
        let mut writer = self.writer();
        for (number, stream) in self.streams.iter().enumerate() {
            for _ in 0..self.rings.capacity() / FRAME_WORDS_MAX + 1 {
                self.rings.take(number, &mut writer.words, FRAME_WORDS_MAX);
                if writer.words.is_empty() {
                    break;
                }
                writer.frame(number, stream);
            }
        }
        writer.append();
    }

    /// A flush of a target covers everything that its threads completed. They have ended.
    pub(crate) fn flushed(&self, target: u32) {
        if self.broken[target as usize].load(Ordering::Relaxed) {
            return;
        }
        self.write_group();
        let mut writer = self.writer();
        for (number, stream) in self.streams.iter().enumerate() {
            if u32::from(stream.target) == target {
                writer.words.push(Word::flushed());
                writer.frame(number, stream);
            }
        }
        writer.append();
    }

    /// A flush of a target failed: what the system could not write it may have forgotten.
    pub(crate) fn flush_failed(&self, target: u32) {
        self.broken[target as usize].store(true, Ordering::Relaxed);
    }

    /// Writes the end. Returns what was written.
    pub(crate) fn end(&self) -> JournalCounts {
        self.write_group();
        let mut writer = self.writer();
        writer.frames += 1;
        let head = FrameHead {
            number: writer.frames,
            is_end: true,
            ..FrameHead::default()
        };
        head.write(&[], &mut writer.bytes);
        writer.append();
        self.counts(&writer)
    }

    /// Returns what was written, in memory, before a power cut; words that are still in rings are lost.
    pub(crate) fn cut(&self) -> (Vec<u8>, JournalCounts) {
        let mut writer = self.writer();
        let counts = self.counts(&writer);
        match &mut writer.to {
            Destination::Memory(bytes) => (std::mem::take(bytes), counts),
            Destination::File(..) => (Vec::new(), counts),
        }
    }

    fn counts(&self, writer: &Writer) -> JournalCounts {
        JournalCounts {
            waited: self.rings.waited(),
            ..writer.counts.clone()
        }
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which ring a thread has for a target.
    fn ring_of(&self, thread: u32, target: u32) -> usize {
        let is_it = |stream: &Stream| (stream.thread, u32::from(stream.target)) == (thread, target);
        let found = self.streams.iter().position(is_it);
        found.expect("each thread has a ring for each of its targets")
    }

    #[inline]
    fn push(&self, ring: usize, word: u64) {
        self.rings.push(ring, [word], || self.write_group());
    }
}

impl Taker for Journal {
    fn rings(&self) -> &Rings {
        &self.rings
    }

    fn take(&self) {
        self.write_group();
    }

    fn end(&self) {
        let cpu = usage::of_this_thread();
        self.writer().counts.cpu = cpu.map(|cpu| cpu.user.plus(cpu.kernel));
    }
}

impl Writer {
    /// Makes a frame of the words that were taken.
    fn frame(&mut self, number: usize, stream: &Stream) {
        self.frames += 1;
        let head = FrameHead {
            number: self.frames,
            thread: stream.thread,
            target: stream.target,
            epoch: self.epochs[number],
            ..FrameHead::default()
        };
        head.write(&self.words, &mut self.bytes);
        for word in &self.words {
            match Word::read(*word, self.epochs[number]) {
                Some(Word::Epoch(epoch)) => self.epochs[number] = epoch,
                Some(Word::Done { .. }) => self.counts.writes += 1,
                Some(Word::Flushed) => self.counts.flushes += 1,
                None => {}
            }
        }
        self.words.clear();
    }

    /// Appends what is ready. After a failure nothing is appended any more: a journal has no gaps.
    fn append(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let written = match &mut self.to {
            _ if self.counts.failed.is_some() => Ok(()),
            Destination::Memory(bytes) => {
                bytes.extend_from_slice(&self.bytes);
                Ok(())
            }
            Destination::File(file, is_file) => {
                let mut to: &File = file;
                let written = to.write_all(&self.bytes);
                match is_file {
                    true => written.and_then(|()| file.sync_data()),
                    false => written,
                }
            }
        };
        match written {
            Ok(()) if self.counts.failed.is_none() => {
                self.counts.bytes.0 += self.bytes.len() as u64;
            }
            Ok(()) => {}
            Err(error) => self.counts.failed = Some(model::errno_text(&error)),
        }
        self.bytes.clear();
    }
}

/// What one thread leaves in the journal.
pub(super) struct ThreadJournal {
    journal: Arc<Journal>,
    rings: Box<[usize]>, // by seat
    epochs: Box<[u64]>,  // by seat
}

impl ThreadJournal {
    pub(super) fn new(journal: &Arc<Journal>, place: &ThreadPlan) -> ThreadJournal {
        let seats = place.seats.iter();
        let rings: Box<[usize]> = seats
            .map(|seat| journal.ring_of(place.thread, seat.target))
            .collect();
        ThreadJournal {
            journal: Arc::clone(journal),
            epochs: vec![0; rings.len()].into(),
            rings,
        }
    }

    /// A write of a grain is complete, found at `now`.
    #[inline]
    pub(super) fn done(&mut self, seat: u16, grain: u64, generation: u16, now: Nanos) {
        let (seat, (word, epoch)) = (usize::from(seat), Word::done(grain, generation, now));
        if self.epochs[seat] != epoch {
            self.epochs[seat] = epoch;
            self.journal.push(self.rings[seat], Word::epoch(epoch));
        }
        self.journal.push(self.rings[seat], word);
    }

    /// A flush returned that was issued when nothing of this thread was in flight.
    #[cold]
    pub(super) fn flushed(&self, seat: usize, target: u32, succeeded: bool) {
        match succeeded {
            false => self.journal.flush_failed(target),
            true if self.journal.broken[target as usize].load(Ordering::Relaxed) => {}
            true => self.journal.push(self.rings[seat], Word::flushed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread_plan::TargetShare;
    use crate::verify::promised::Scan;
    use model::Bytes;
    use model::journal::JournalTarget;
    use std::io::Cursor;

    fn head() -> JournalHead {
        JournalHead {
            run: 5,
            targets: vec![JournalTarget {
                length: Bytes::mib(1),
                grain: Bytes::kib(4),
                ..JournalTarget::default()
            }],
            ..JournalHead::default()
        }
    }

    fn place(thread: u32) -> ThreadPlan {
        ThreadPlan {
            thread,
            slots: 1,
            draws: false,
            content_seed: 0,
            seats: vec![TargetShare {
                target: 0,
                index: thread,
                threads: 2,
                first_slot: 0,
                slots: 1,
                weight: 1,
            }],
        }
    }

    /// Writes of two threads, the first of which flushes.
    fn written() -> Vec<u8> {
        let places = [place(0), place(1)];
        let journal = Journal::begin(None, &head(), &places).unwrap();
        let mut threads = places
            .each_ref()
            .map(|place| ThreadJournal::new(&journal, place));
        for number in 0..3u16 {
            let at = Nanos::millis(2000 * u64::from(number));
            threads[0].done(0, 7, number + 1, at);
            threads[1].done(0, 100 + u64::from(number), 1, at);
            journal.write_group();
        }
        threads[0].flushed(0, 0, true);
        threads[0].done(0, 7, 4, Nanos::seconds(9));
        journal.write_group();
        let counts = journal.end();
        assert_eq!((counts.writes, counts.flushes), (7, 1));
        journal.cut().0
    }

    #[test]
    fn a_flush_covers_the_writes_of_its_thread_before_it_and_no_others() {
        let bytes = written();
        let scan = Scan::read(&mut Cursor::new(&bytes)).unwrap();
        assert!(scan.ended && scan.whole_bytes == bytes.len() as u64);
        let promised = scan.promised(&mut Cursor::new(&bytes), 0, 0..1 << 20, u64::MAX);
        let promised = promised.unwrap();
        let durable = promised.durable(7 * 4096).unwrap();
        assert_eq!((durable.generation, durable.ms), (3, 4000));
        assert_eq!(promised.durable(100 * 4096), None);
        assert_eq!(promised.blocks(), 1);
    }

    #[test]
    fn a_journal_that_is_cut_at_any_byte_is_read_to_its_last_whole_frame() {
        let bytes = written();
        let whole = Scan::read(&mut Cursor::new(&bytes)).unwrap();
        let mut last = 0;
        for cut in 0..bytes.len() {
            let mut part = Cursor::new(&bytes[..cut]);
            let Ok(scan) = Scan::read(&mut part) else {
                assert!(cut < 4096);
                continue;
            };
            assert!(cut >= 4096 && !scan.ended && scan.frames < whole.frames);
            assert!(scan.whole_bytes <= cut as u64 && scan.whole_bytes >= last);
            last = scan.whole_bytes;
            let promised = scan.promised(&mut part, 0, 0..1 << 20, u64::MAX).unwrap();
            let durable = promised.durable(7 * 4096);
            assert!(durable.is_none_or(|one| (one.generation, one.ms) == (3, 4000)));
        }
        for at in 4096..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 8;
            let scan = Scan::read(&mut Cursor::new(&damaged)).unwrap();
            assert!(scan.whole_bytes <= at as u64, "byte {at}");
        }
    }

    #[test]
    fn a_full_ring_is_written_and_loses_no_word() {
        let journal = Journal::begin(None, &head(), &[place(0)]).unwrap();
        let mut thread = ThreadJournal::new(&journal, &place(0));
        for number in 0..200_000u64 {
            thread.done(
                0,
                number % 256,
                (number / 256 + 1) as u16,
                Nanos(number * 1000),
            );
        }
        thread.flushed(0, 0, true);
        assert_eq!(journal.end().writes, 200_000);
        let bytes = journal.cut().0;
        let scan = Scan::read(&mut Cursor::new(&bytes)).unwrap();
        let promised = scan.promised(&mut Cursor::new(&bytes), 0, 0..1 << 20, u64::MAX);
        let promised = promised.unwrap();
        assert_eq!(promised.durable(0).unwrap().generation, 782);
        assert_eq!(promised.durable(255 * 4096).unwrap().generation, 781);
    }

    #[test]
    fn after_a_failed_flush_nothing_more_is_promised() {
        let journal = Journal::begin(None, &head(), &[place(0)]).unwrap();
        let mut thread = ThreadJournal::new(&journal, &place(0));
        thread.done(0, 1, 1, Nanos(5));
        thread.flushed(0, 0, false);
        thread.flushed(0, 0, true);
        journal.flushed(0);
        let counts = journal.end();
        assert_eq!((counts.writes, counts.flushes), (1, 0));
    }
}
