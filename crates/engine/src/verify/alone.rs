//! A pass over a file or device without a run before it: each block has to match its own header.
//!
//! The comparison is that of every pass (`check`), with no version expected: a whole block at its place is right, and so
//! are zeros. A block without any sign of fathom is counted and not accused, because nothing shows that it should be
//! another. Omitted: counting by run and place (`tally`), and what it means (`analysis`).

use super::check::{Before, Block, Compared, Place, Wrong};
use super::diagnose::{Medium, Suspect};
use super::map::Expected;
use super::medium::FileMedium;
use super::promised::Promised;
use super::tally::{PieceTally, Tally};
use crate::RunError;
use crate::clock::{Clock, WallClock};
use crate::observer::{Event, Observer};
use crate::prepare::scan::{PIECE, Scan};
use crate::stop::Stop;
use crate::system::caches;
use gate::Pins;
use host::{CounterReader, Root};
use model::block_header::{self, BLOCK, BLOCK_BYTES, BlockHeader};
use model::verified::{DurableCounts, VerifyWork};
use model::{Bytes, CorruptKind, CounterWindow, FilesOutcome, FilesStep, Nanos};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Corrupt blocks that are read twice more; those after them are counted by the first reading, so that a damaged device is
/// read in the time of a whole one.
const CONFIRMED_MAX: u64 = 1000;

/// No run has this number, but one of 2^64, so that every whole block is of another run.
const NO_RUN: u64 = u64::MAX;

/// What is to be read.
#[derive(Clone, Debug)]
pub struct VerifyJob {
    /// The file or device.
    pub path: PathBuf,
    /// What its path leads to.
    pub pins: Pins,
    /// The device below it, by its kernel name, where there is one.
    pub device: Option<String>,
    /// First byte. // a multiple of 4096
    pub from: Bytes,
    /// Behind the last byte.
    pub to: Bytes,
    /// The bytes of all described corrupt blocks are kept, of any kind.
    pub evidence: bool,
    /// What a journal promises of the range.
    pub promised: Option<Arc<Promised>>,
}

/// Reads and checks the range. Returns what was found, how fast it was read, and how it ended.
///
/// # Errors
/// It cannot be opened, or its data cannot be brought to the device.
pub fn verify_target(
    job: &VerifyJob,
    root: &Root,
    observer: &dyn Observer,
    stop: &Stop,
) -> Result<(VerifyWork, FilesStep, FilesOutcome), RunError> {
    let medium = FileMedium::at(&job.path, &job.pins)?;
    let synced = caches::write_back_to_read(&medium.file);
    synced.map_err(|source| crate::target::unopened(&job.path, "writing back", source))?;
    caches::drop_cache(&medium.file);
    let scan = Scan {
        file: &medium.file,
        from: job.from.0,
        // Direct I/O reads whole blocks; behind the end of a file there is nothing.
        to: job.to.0.next_multiple_of(BLOCK.0),
        stop,
    };
    let pass = Alone {
        medium: &medium,
        promised: job.promised.as_deref(),
        to: job.to.0,
        evidence: job.evidence,
        tally: Mutex::new(Tally::new(job.evidence)),
        confirmed: AtomicU64::new(0),
    };
    let clock = WallClock::monotonic();
    let devices: Vec<String> = job.device.iter().cloned().collect();
    let mut counters = CounterReader::open(root, &devices);
    let before = counters.read(&mut || clock.now());
    let each = |at: u64, read: io::Result<&[u8]>| {
        pass.compare_piece(at, &read);
        Ok::<(), ()>(())
    };
    let total = Bytes(job.to.0 - job.from.0);
    let (done, threads, _) = scan.run_counted(
        &each,
        |(), ()| false,
        |done| {
            let (path, done) = (job.path.as_path(), Bytes(done));
            observer.on(Event::Verifying { path, done, total });
        },
    );
    let window = CounterWindow {
        before,
        after: counters.read(&mut || clock.now()),
    };
    let done = Bytes(done).min(total);
    let step = FilesStep {
        name: "read and compare".to_owned(),
        planned: Some(total.0.div_ceil(PIECE)),
        block: Some(Bytes(PIECE)),
        elapsed: threads
            .iter()
            .map(|one| one.ended)
            .max()
            .unwrap_or(Nanos(0)),
        threads,
        device: job.device.as_deref().and_then(|name| window.device(name)),
        ..FilesStep::default()
    };
    let outcome = match done < total {
        false => FilesOutcome::Complete,
        true if stop.asked() => FilesOutcome::Interrupted,
        true => FilesOutcome::Failed("it became shorter while it was read".to_owned()),
    };
    let tally = pass.tally.into_inner();
    let work = VerifyWork {
        from: job.from,
        to: job.to,
        done,
        ..tally.unwrap_or_else(PoisonError::into_inner).finish()
    };
    Ok((work, step, outcome))
}

/// The same of a simulated device whose power was cut, block by block.
pub(crate) fn after_cut(
    medium: &dyn Medium,
    promised: &Promised,
    range: Range<u64>,
    evidence: bool,
) -> (VerifyWork, DurableCounts) {
    let pass = Alone {
        medium,
        promised: Some(promised),
        to: range.end,
        evidence,
        tally: Mutex::new(Tally::new(evidence)),
        confirmed: AtomicU64::new(0),
    };
    for at in range.clone().step_by(PIECE as usize) {
        pass.compare_piece(at, &Err(io::ErrorKind::Unsupported.into()));
    }
    let tally = pass.tally.into_inner();
    let work = tally.unwrap_or_else(PoisonError::into_inner).finish();
    let counts = work.durability.as_ref().map(|one| one.blocks);
    (work, counts.unwrap_or_default())
}

struct Alone<'a> {
    medium: &'a dyn Medium,
    promised: Option<&'a Promised>,
    to: u64,
    evidence: bool,
    tally: Mutex<Tally>,
    confirmed: AtomicU64,
}

impl Alone<'_> {
    fn compare_piece(&self, at: u64, read: &io::Result<&[u8]>) {
        let mut piece = PieceTally::new(self.evidence);
        match read {
            Ok(data) => {
                let data = &data[..data.len().min(self.to.saturating_sub(at) as usize)];
                let (blocks, rest) = data.as_chunks::<BLOCK_BYTES>();
                let mut unrecognized = Vec::new();
                for (block, number) in blocks.iter().zip(0u64..) {
                    let offset = at + number * BLOCK.0;
                    if !self.compare(&mut piece, offset, block) {
                        unrecognized.push((offset, block));
                    }
                }
                for (offset, block) in unrecognized {
                    self.compare_with_neighbours(&mut piece, offset, block);
                }
                if !block_header::is_zero(rest) {
                    piece.foreign(at + blocks.len() as u64 * BLOCK.0); // fathom writes whole blocks and zeros
                }
            }
            Err(_) => self.compare_one_by_one(&mut piece, at),
        }
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(piece);
    }

    /// Compares a block; `false` where it has no sign of fathom.
    fn compare(&self, piece: &mut PieceTally, offset: u64, block: &Block) -> bool {
        let expected = self.expected(offset);
        let durable = match expected {
            Expected::AfterCut(rule) => rule.durable,
            _ => None,
        };
        piece.durable.promised += u64::from(durable.is_some());
        match self.place(offset).compare(block, expected, true) {
            Compared::Wrong(wrong) if self.is_replaced(&wrong) => {
                piece.durable.replaced += 1;
                if let Some(header) = wrong.found {
                    piece.whole(offset, &header);
                }
            }
            Compared::Wrong(wrong) if wrong.kind == CorruptKind::Foreign && durable.is_none() => {
                return false;
            }
            Compared::Wrong(wrong) => {
                if let Some(durable) = durable {
                    piece.lost(durable);
                }
                self.damaged(piece, self.place(offset), Ok((block, wrong)));
            }
            Compared::Undecided => piece.durable.interrupted += 1,
            _ => match BlockHeader::of(block) {
                Some(header) => {
                    piece.whole(offset, &header);
                    if let Some(durable) = durable {
                        piece.found(durable, &header);
                    }
                }
                None => piece.zeros += 1,
            },
        }
        true
    }

    fn expected(&self, offset: u64) -> Expected {
        let rule = |promised: &Promised| Expected::AfterCut(promised.rule(offset));
        self.promised.map_or(Expected::Unwritten, rule)
    }

    /// Whether the block of a durable write has data of a run that was not there before: nothing shows which is newer.
    fn is_replaced(&self, wrong: &Wrong) -> bool {
        let other = |promised: &&Promised| {
            let run = wrong.found.map(|header| header.run);
            run.is_some_and(|run| run != promised.run && !promised.is_earlier(run))
        };
        wrong.kind == CorruptKind::NotDurable && self.promised.as_ref().is_some_and(other)
    }

    /// A block whose header is damaged may have tags of a run whose blocks are next to it.
    fn compare_with_neighbours(&self, piece: &mut PieceTally, offset: u64, block: &Block) {
        let of = |(run, target): (u64, u16)| {
            let place = Place {
                run,
                target,
                ..self.place(offset)
            };
            let wrong = place.flawed(block);
            (wrong.kind != CorruptKind::Foreign).then_some(wrong)
        };
        let wrong = piece.runs().find_map(of);
        match wrong {
            Some(wrong) => self.damaged(piece, self.place(offset), Ok((block, wrong))),
            None => piece.foreign(offset),
        }
    }

    /// Reads the blocks of a piece that cannot be read as one.
    fn compare_one_by_one(&self, piece: &mut PieceTally, at: u64) {
        let end = self.to.min(at + PIECE);
        for offset in (at..end).step_by(BLOCK_BYTES) {
            match self.medium.read(offset) {
                Ok(block) if self.compare(piece, offset, &block) => {}
                Ok(block) => self.compare_with_neighbours(piece, offset, &block),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => {
                    if let Expected::AfterCut(rule) = self.expected(offset)
                        && let Some(durable) = rule.durable
                    {
                        piece.durable.promised += 1;
                        piece.lost(durable);
                    }
                    let errno = error.raw_os_error().unwrap_or_default();
                    self.damaged(piece, self.place(offset), Err(errno));
                }
            }
        }
    }

    fn place(&self, offset: u64) -> Place {
        let journal = self
            .promised
            .map(|promised| (promised.run, promised.target));
        let (run, target) = journal.unwrap_or((NO_RUN, 0));
        Place {
            run,
            target,
            offset,
            before: Before::Placed { filled: false },
        }
    }

    fn damaged(&self, piece: &mut PieceTally, place: Place, first: Result<(&Block, Wrong), i32>) {
        let suspect = Suspect {
            place,
            expected: self.expected(place.offset),
            first,
            read_by: None,
        };
        let case = match self.confirmed.fetch_add(1, Ordering::Relaxed) < CONFIRMED_MAX {
            true => suspect.confirm(self.medium),
            false => suspect.unconfirmed(),
        };
        let (block, wrong) = first.ok().unzip();
        let elsewhere = wrong.filter(|wrong| wrong.kind == CorruptKind::Misdirected);
        let header = elsewhere.and_then(|wrong| wrong.found);
        piece.damaged(
            case,
            block,
            header.map(|header| (header.run, header.target)),
        );
    }
}
