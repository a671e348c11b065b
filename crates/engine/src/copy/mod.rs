//! A copy from one file or device to another, as dd does it, with a stamp around every read and write.
//!
//! It is no second engine for block I/O: one read, then one write, as the operands specify, with the records that dd
//! counts. The steps of its record have clocks of their own that run only while a read, or a write, is under way; so
//! the rate of the reads is what the source gives, independent of the destination. Read in this order: the copy (here),
//! `blocks` (buffers and the joining of short reads), `ends` (how both files are opened), `source` (pipes and terminals),
//! `transfers` (many threads, random places). Deliberately absent: what may be written over, which is decided before
//! (`model::check_output`).

mod blocks;
mod ends;
mod source;
#[cfg(test)]
mod tests;
mod transfers;

pub use source::has_no_places;

use crate::clock::{Clock, WallClock};
use crate::files::Batches;
use crate::stop::Stop;
use crate::system::caches;
use crate::system::source::through_cache;
use blocks::Aligned;
use gate::Pins;
use host::{CounterReader, Root};
use model::errno_text;
use model::record::copied::CopyTransfers;
use model::{Bytes, CounterWindow, FilesOrder, FilesOutcome, FilesStep, FilesThread, Nanos};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

pub use ends::CopyEnd;

/// What is to be copied, and how.
#[derive(Clone, Debug, Default)]
pub struct CopyJob {
    /// Where from.
    pub input: CopyEnd,
    /// Where to. Whether it may be written has been decided.
    pub output: CopyEnd,
    /// Reads that bring something, at most; `None` up to the end.
    pub count: Option<u64>,
    /// Bytes, at most.
    pub count_bytes: Option<Bytes>,
    /// What becomes of short and failed reads.
    pub reads: CopyReads,
    /// Data is on the device before it is over.
    pub syncs_data: bool,
    /// Data and facts are.
    pub syncs_all: bool,
    /// The output keeps the length that it has.
    pub keeps_length: bool,
    /// The output must not be there yet.
    pub must_be_new: bool,
    /// The output must be there.
    pub must_be_there: bool,
    /// Transfers with places of their own; `None` reads and writes one after the other, as dd does.
    pub transfers: Option<CopyTransfers>,
    /// What both paths led to when it was decided whether the output may be written.
    pub pins: Pins,
}

/// What becomes of short and failed reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyReads {
    /// Short reads are joined to whole blocks of the output.
    pub joins: bool,
    /// A short read is completed by further ones.
    pub fills: bool,
    /// A short read is filled up with zeros.
    pub pads: bool,
    /// A failed read is omitted, and the copy goes on.
    pub goes_on: bool,
}

/// What was copied.
#[derive(Clone, Debug, Default)]
pub struct Copied {
    /// Whole and partial reads.
    pub records_in: (u64, u64),
    /// Whole and partial writes.
    pub records_out: (u64, u64),
    /// Bytes written.
    pub bytes: Bytes,
    /// From the first read to the end of the last write or flush.
    pub elapsed: Nanos,
    /// The reads.
    pub read: FilesStep,
    /// The writes, with the flush.
    pub write: FilesStep,
    /// A transfer found the source shorter than its place and length. // of transfers only
    pub source_ended: bool,
    /// What went wrong and was omitted, a sentence each. // at most 10
    pub skipped: Vec<String>,
}

/// Why nothing was copied.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message describes each variant and field")]
pub enum CopyError {
    #[error("{}: cannot be opened for reading: {}", path.display(), errno_text(source))]
    Input { path: PathBuf, source: io::Error },
    #[error("{}: cannot be opened for writing: {}", path.display(), errno_text(source))]
    Output { path: PathBuf, source: io::Error },
    #[error("{}: this is no longer the checked file (it was replaced), so it is not changed: run again", path.display())]
    Changed { path: PathBuf },
    #[error("{}: another fathom is using it{}: wait until that one has ended, or specify another output", path.display(), crate::error::held(holder.as_deref()))]
    Locked {
        path: PathBuf,
        holder: Option<String>,
    },
    #[error("{}: it cannot be skipped so far: {}", path.display(), errno_text(source))]
    Skip { path: PathBuf, source: io::Error },
}

/// Most failed reads that are reported.
const SKIPPED_MAX: usize = 10;

/// Copies. `report` is called once per interval with what was written until then, and how long that took. An error on the
/// way is an outcome: what was counted until then stands.
pub fn copy(
    job: &CopyJob,
    root: &Root,
    stop: &Stop,
    report: &mut dyn FnMut(Bytes, Nanos),
) -> Result<(Copied, FilesOutcome), CopyError> {
    let (mut input, output) = ends::open(job)?;
    ends::skip(job, &mut input, stop)?;
    let input_waits = source::waits(&input);
    if input_waits {
        // A pipe has a writer before the time begins, as where opening it waits for one; a stop is seen below.
        source::ready(&input, stop).map_err(|source| CopyError::Input {
            path: job.input.path.clone(),
            source,
        })?;
    }
    let mut counters = Sides::open(root, job);
    let clock = WallClock::monotonic();
    let before = counters.read(&clock);
    let mut run = Run {
        job,
        clock,
        stop,
        report,
        input,
        input_waits,
        output,
        copied: Copied::default(),
        reads: Side::default(),
        writes: Side::default(),
        reported: Nanos(0),
    };
    let begin = clock.now();
    let outcome = run.all(begin);
    let end = clock.now();
    let after = counters.read(&clock);
    let Run {
        mut copied,
        reads,
        writes,
        ..
    } = run;
    let flush = copied.write.flush;
    copied.elapsed = match copied.elapsed {
        Nanos(0) => end.minus(begin),
        of_transfers => of_transfers.plus(flush.unwrap_or_default()),
    };
    if job.transfers.is_none() {
        copied.read = reads.step("read", job.input.block);
        copied.write = writes.step("write", job.output.block);
        copied.write.flush = flush;
    }
    copied.write.elapsed = copied.write.elapsed.plus(flush.unwrap_or_default());
    let window = CounterWindow { before, after };
    let device = |end: &CopyEnd| window.device(end.device.as_deref()?);
    copied.read.device = device(&job.input);
    copied.write.device = device(&job.output);
    Ok((copied, outcome))
}

/// The counters of both devices.
struct Sides(CounterReader);

impl Sides {
    fn open(root: &Root, job: &CopyJob) -> Self {
        let names = [&job.input, &job.output].map(|end| end.device.clone());
        let mut names: Vec<String> = names.into_iter().flatten().collect();
        names.dedup();
        Sides(CounterReader::open(root, &names))
    }

    fn read(&mut self, clock: &WallClock) -> model::Counters {
        self.0.read(&mut || clock.now())
    }
}

/// Reads, or writes: counted on a clock that runs only while one is under way.
#[derive(Default)]
struct Side {
    counted: FilesThread,
    batches: Batches,
    clock: Nanos,
}

impl Side {
    fn done(&mut self, bytes: usize, took: Nanos) {
        self.done_at(bytes, took, self.clock.plus(took));
    }

    /// The same on a clock that other threads share.
    fn done_at(&mut self, bytes: usize, took: Nanos, clock: Nanos) {
        self.clock = clock;
        self.counted.operations += 1;
        self.counted.bytes = Bytes(self.counted.bytes.0 + bytes as u64);
        self.counted.latency.record(took);
        self.batches.done(self.clock);
    }

    /// Processor time is omitted: the system counts that of the thread, which reads and writes in turn.
    fn step(mut self, name: &str, block: Bytes) -> FilesStep {
        let counted = &mut self.counted;
        counted.ended = self.clock;
        (counted.batch_operations, counted.batch_ends) = self.batches.finish();
        let none = counted.operations == 0;
        FilesStep {
            name: name.to_owned(),
            order: FilesOrder::Sequential,
            block: Some(block),
            elapsed: self.clock,
            threads: vec![self.counted],
            unmeasured: none.then(|| "nothing was moved".to_owned()),
            ..FilesStep::default()
        }
    }
}

struct Run<'a> {
    job: &'a CopyJob,
    clock: WallClock,
    stop: &'a Stop,
    report: &'a mut dyn FnMut(Bytes, Nanos),
    input: File,
    /// Its reads may wait for another process.
    input_waits: bool,
    output: File,
    copied: Copied,
    reads: Side,
    writes: Side,
    /// When progress was last reported.
    reported: Nanos,
}

/// The interval between two reports of progress.
const TELL: Nanos = Nanos::seconds(1);

impl Run<'_> {
    fn all(&mut self, began: Nanos) -> FilesOutcome {
        let outcome = match &self.job.transfers {
            Some(work) => self.transfers(work, began),
            None => match self.blocks() {
                Ok(true) => FilesOutcome::Complete,
                Ok(false) => FilesOutcome::Interrupted,
                Err(why) => FilesOutcome::Failed(why),
            },
        };
        if matches!(outcome, FilesOutcome::Failed(_)) {
            return outcome;
        }
        match self.flush() {
            Ok(()) => outcome,
            Err(error) => FilesOutcome::Failed(format!(
                "{}: flushing it failed: {}",
                self.job.output.path.display(),
                errno_text(&error)
            )),
        }
    }

    fn transfers(&mut self, work: &CopyTransfers, began: Nanos) -> FilesOutcome {
        let transfers = transfers::Transfers {
            job: self.job,
            work,
            clock: self.clock,
            stop: self.stop,
            input: &self.input,
            output: &self.output,
            began,
        };
        transfers.all(&mut self.copied, self.report)
    }

    /// Returns whether it was completed.
    fn blocks(&mut self) -> Result<bool, String> {
        let mut buffer = Aligned::of(self.job.input.block);
        let mut joined = Aligned::of(self.job.output.block);
        while let Some(most) = self.wanted(buffer.bytes().len()) {
            if self.stop.asked() {
                self.write_rest(&mut joined)?;
                return Ok(false);
            }
            let length = match self.read(&mut buffer, most)? {
                Some(0) => {
                    self.write_rest(&mut joined)?;
                    return Ok(!(self.input_waits && self.stop.asked()));
                }
                Some(length) => length,
                None => continue,
            };
            let data = &buffer.bytes()[..length];
            match self.job.reads.joins && self.job.input.block != self.job.output.block
                || self.is_joining(length, &joined)
            {
                true => self.join(data, &mut joined)?,
                false => self.write(data)?,
            }
            self.say();
        }
        self.write_rest(&mut joined)?;
        Ok(true)
    }

    /// With equal blocks only a short read begins a block that is joined.
    fn is_joining(&self, length: usize, joined: &Aligned) -> bool {
        self.job.reads.joins && (joined.filled > 0 || (length as u64) < self.job.output.block.0)
    }

    /// How much the next read may bring; `None` where all that was wanted is there.
    fn wanted(&self, block: usize) -> Option<usize> {
        let (whole, partial) = self.copied.records_in;
        let by_reads = self.job.count.is_none_or(|count| whole + partial < count);
        let left = match self.job.count_bytes {
            Some(most) => most.0.saturating_sub(self.reads.counted.bytes.0),
            None => u64::MAX,
        };
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(block);
        (by_reads && most > 0).then_some(most)
    }

    /// One read; `None` where it failed and that is omitted.
    fn read(&mut self, buffer: &mut Aligned, most: usize) -> Result<Option<usize>, String> {
        let block = buffer.bytes().len();
        let begin = self.clock.now();
        let read = blocks::read(
            &mut self.input,
            &mut buffer.bytes_mut()[..most],
            self.job.reads.fills,
            self.input_waits.then_some(self.stop),
        );
        let took = self.clock.now().minus(begin);
        let mut length = match read {
            Ok(0) => return Ok(Some(0)),
            Ok(length) => length,
            Err(error) => return self.unread(&error, block),
        };
        self.reads.done(length, took);
        match length == block {
            true => self.copied.records_in.0 += 1,
            false => self.copied.records_in.1 += 1,
        }
        if self.job.reads.pads && length < block {
            buffer.bytes_mut()[length..].fill(0);
            length = block;
        }
        Ok(Some(length))
    }

    fn unread(&mut self, error: &io::Error, block: usize) -> Result<Option<usize>, String> {
        let why = unread(self.job, error);
        if !self.job.reads.goes_on {
            return Err(why);
        }
        if self.copied.skipped.len() < SKIPPED_MAX {
            self.copied.skipped.push(why);
        }
        // Past what cannot be read; where that is not possible, the copy cannot go on.
        blocks::skip(&mut self.input, block as u64).map_err(|error| errno_text(&error))?;
        if self.job.reads.pads {
            let zeros = Aligned::of(Bytes(block as u64));
            self.write(zeros.bytes())?;
        }
        self.copied.records_in.1 += 1;
        Ok(None)
    }

    fn join(&mut self, mut data: &[u8], joined: &mut Aligned) -> Result<(), String> {
        while !data.is_empty() {
            let room = joined.bytes().len() - joined.filled;
            let (now, later) = data.split_at(room.min(data.len()));
            let from = joined.filled;
            joined.bytes_mut()[from..from + now.len()].copy_from_slice(now);
            joined.filled += now.len();
            if joined.filled == joined.bytes().len() {
                self.write(joined.bytes())?;
                joined.filled = 0;
            }
            data = later;
        }
        Ok(())
    }

    fn write_rest(&mut self, joined: &mut Aligned) -> Result<(), String> {
        let length = std::mem::take(&mut joined.filled);
        match length {
            0 => Ok(()),
            _ => self.write(&joined.bytes()[..length]),
        }
    }

    fn write(&mut self, data: &[u8]) -> Result<(), String> {
        let whole = data.len() as u64 == self.job.output.block.0;
        if !whole && self.job.output.direct {
            // The end of a file need not be aligned; dd goes through the cache for it too.
            let other = through_cache(&self.output).map_err(|error| self.unwritten(&error))?;
            if let Some(other) = other {
                self.output = other;
            }
        }
        let begin = self.clock.now();
        let output = &mut self.output;
        let (written, result) = blocks::write(data, |data, _| output.write(data));
        let took = self.clock.now().minus(begin);
        if written > 0 {
            self.writes.done(written, took);
        }
        self.copied.bytes = Bytes(self.copied.bytes.0 + written as u64);
        // Of a write that failed on the way dd counts the bytes, and a record only where it joins reads to blocks of the output.
        match result {
            Ok(()) if whole => self.copied.records_out.0 += 1,
            Err(_) if written == 0 || !self.job.reads.joins => {}
            Ok(()) | Err(_) => self.copied.records_out.1 += 1,
        }
        result.map_err(|error| self.unwritten(&error))
    }

    fn unwritten(&self, error: &io::Error) -> String {
        unwritten(self.job, self.copied.bytes, error)
    }

    fn flush(&mut self) -> io::Result<()> {
        let system = (self.job.transfers.as_ref()).is_some_and(|work| work.syncs_system);
        let begin = self.clock.now();
        if system {
            caches::sync_all()?;
        }
        match (self.job.syncs_all, self.job.syncs_data) {
            (true, _) => self.output.sync_all()?,
            (false, true) => self.output.sync_data()?,
            (false, false) if !system => return Ok(()),
            (false, false) => {}
        }
        self.copied.write.flush = Some(self.clock.now().minus(begin));
        Ok(())
    }

    fn say(&mut self) {
        let now = self.clock.now();
        if now.minus(self.reported) >= TELL {
            self.reported = now;
            (self.report)(self.copied.bytes, now);
        }
    }
}

fn unread(job: &CopyJob, error: &io::Error) -> String {
    let path = job.input.path.display();
    format!("{path}: reading failed: {}", errno_text(error))
}

fn unwritten(job: &CopyJob, written: Bytes, error: &io::Error) -> String {
    let path = job.output.path.display();
    format!(
        "{path}: writing failed after {written}: {}",
        errno_text(error)
    )
}
