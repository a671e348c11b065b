//! Transfers that each have a place of their own: many threads that take them in order, as sgp_dd does, or one thread at
//! random places, as lmdd does.
//!
//! A transfer is one read and one write of the same length. The clock of the reads runs while one or more of them are
//! under way, and that of the writes likewise: with one thread it is the sum of their times, as in the copy of dd.
//! Omitted: joining short reads, padding, and going on behind an error: neither tool of these does it by default.

use super::blocks::Aligned;
use super::{Copied, CopyJob, Side, TELL, ends, unread, unwritten};
use crate::clock::{Clock, WallClock};
use crate::rng::Rng;
use crate::stop::Stop;
use crate::system::source::through_cache;
use model::record::copied::{CopyRandom, CopyTransfers};
use model::{Bytes, FilesOrder, FilesOutcome, FilesStep, FilesThread, Nanos};
use std::fs::File;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// A pause is interrupted this soon.
const PAUSE_STEP: Nanos = Nanos::millis(20);

/// What the threads share.
pub(super) struct Transfers<'a> {
    pub(super) job: &'a CopyJob,
    pub(super) work: &'a CopyTransfers,
    pub(super) clock: WallClock,
    pub(super) stop: &'a Stop,
    pub(super) input: &'a File,
    pub(super) output: &'a File,
    pub(super) began: Nanos,
}

/// What comes next, and what was done.
struct State {
    number: u64,
    left: u64,
    rng: Rng,
    /// The source has ended, or the time is over.
    over: bool,
    source_ended: bool,
    outcome: FilesOutcome,
    bytes: u64,
    /// When the first transfer began and the last one ended.
    span: Option<[Nanos; 2]>,
    /// Whole and partial ones.
    records: [[u64; 2]; 2],
    clocks: [Busy; 2],
}

/// Runs while one or more operations are under way.
#[derive(Clone, Copy, Default)]
struct Busy {
    under_way: u32,
    since: Nanos,
    total: Nanos,
}

impl Busy {
    fn begin(&mut self, now: Nanos) {
        if self.under_way == 0 {
            self.since = now;
        }
        self.under_way += 1;
    }

    /// Returns how long it has run.
    fn end(&mut self, now: Nanos) -> Nanos {
        let ran = self.total.plus(now.minus(self.since));
        self.under_way -= 1;
        if self.under_way == 0 {
            self.total = ran;
        }
        ran
    }
}

/// A read and a write.
#[derive(Clone, Copy)]
struct Transfer {
    /// Behind the begin of both ends.
    place: u64,
    length: usize,
}

/// Which side of a transfer.
#[derive(Clone, Copy)]
enum End {
    In = 0,
    Out = 1,
}

impl Transfers<'_> {
    /// Does all of them. `report` is called once per interval.
    pub(super) fn all(
        &self,
        copied: &mut Copied,
        report: &mut dyn FnMut(Bytes, Nanos),
    ) -> FilesOutcome {
        let state = Mutex::new(State {
            number: 0,
            left: self.most(),
            rng: Rng::new(self.work.random.as_ref().map_or(0, |random| random.seed), 0),
            over: false,
            source_ended: false,
            outcome: FilesOutcome::Complete,
            bytes: 0,
            span: None,
            records: [[0; 2]; 2],
            clocks: [Busy::default(); 2],
        });
        let sides = self.threads(&state, report);
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        copied.bytes = Bytes(state.bytes);
        copied.source_ended = state.source_ended;
        // A tool without threads does not start one in its time.
        if let (Some([from, to]), ..=1) = (state.span, self.work.threads) {
            copied.elapsed = to.minus(from);
        }
        [copied.records_in, copied.records_out] =
            state.records.map(|[whole, partial]| (whole, partial));
        let (reads, writes): (Vec<Side>, Vec<Side>) = sides.into_iter().unzip();
        let [read, write] = state.clocks;
        copied.read = step("read", self.job.input.block, read.total, reads);
        copied.write = step("write", self.job.output.block, write.total, writes);
        if self.work.random.is_some() {
            copied.read.order = FilesOrder::Random;
            copied.write.order = FilesOrder::Random;
        }
        if self.work.no_input {
            copied.read.unmeasured = Some("zeros are written, and nothing is read".to_owned());
        }
        if self.work.no_output {
            copied.write.unmeasured = Some("nothing is written".to_owned());
        }
        state.outcome
    }

    fn threads(
        &self,
        state: &Mutex<State>,
        report: &mut dyn FnMut(Bytes, Nanos),
    ) -> Vec<(Side, Side)> {
        thread::scope(|scope| {
            let (ended, ends) = mpsc::channel::<()>();
            let mut threads = Vec::new();
            for number in 0..self.work.threads.max(1) {
                let ended = ended.clone();
                let builder = thread::Builder::new().name(format!("copy {number}"));
                let spawned = builder.spawn_scoped(scope, move || {
                    let _ended = ended;
                    self.one(state)
                });
                match spawned {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        let why = format!(
                            "a thread could not be started: {}",
                            super::errno_text(&error)
                        );
                        fail(&mut lock(state), why);
                        break;
                    }
                }
            }
            drop(ended);
            while let Err(RecvTimeoutError::Timeout) = ends.recv_timeout(TELL.as_duration()) {
                let bytes = Bytes(lock(state).bytes);
                report(bytes, self.clock.now().minus(self.began));
            }
            let joined = threads.into_iter().filter_map(|thread| thread.join().ok());
            joined.collect()
        })
    }

    /// Bytes of all transfers.
    fn most(&self) -> u64 {
        let block = self.job.input.block.0;
        let by_count = self
            .job
            .count
            .map_or(u64::MAX, |count| count.saturating_mul(block));
        by_count.min(self.job.count_bytes.map_or(u64::MAX, |bytes| bytes.0))
    }

    /// One thread's part.
    fn one(&self, state: &Mutex<State>) -> (Side, Side) {
        let (mut reads, mut writes) = (Side::default(), Side::default());
        let mut buffer = Aligned::of(self.job.input.block);
        // The lock is not kept meanwhile.
        let next = || self.next(&mut lock(state));
        while let Some(transfer) = next() {
            let length = match self.read(state, &mut reads, &mut buffer, transfer) {
                Ok(length) => length,
                Err(error) => {
                    fail(&mut lock(state), unread(self.job, &error));
                    break;
                }
            };
            if length < transfer.length {
                let mut state = lock(state);
                (state.over, state.source_ended) = (true, true);
            }
            if length == 0 {
                break;
            }
            let data = &buffer.bytes()[..length];
            if let Err(error) = self.write(state, &mut writes, data, transfer.place) {
                let mut state = lock(state);
                let bytes = Bytes(state.bytes);
                fail(&mut state, unwritten(self.job, bytes, &error));
                break;
            }
            self.ended(state);
            self.pause(state);
        }
        (reads, writes)
    }

    fn ended(&self, state: &Mutex<State>) {
        let now = self.clock.now();
        if let Some([_, to]) = &mut lock(state).span {
            *to = now.max(*to);
        }
    }

    /// Waits between two transfers, at most until nothing more is to be done.
    fn pause(&self, state: &Mutex<State>) {
        let until = self.clock.now().plus(self.work.pause);
        loop {
            let now = self.clock.now();
            let over = self
                .work
                .time_limit
                .is_some_and(|limit| now.minus(self.began) >= limit);
            let failed = || lock(state).outcome != FilesOutcome::Complete;
            if now >= until || over || self.stop.asked() || failed() {
                return;
            }
            let left = until.minus(now).min(PAUSE_STEP);
            thread::sleep(left.as_duration());
        }
    }

    fn next(&self, state: &mut State) -> Option<Transfer> {
        if state.outcome != FilesOutcome::Complete || state.over || state.left == 0 {
            return None;
        }
        let now = self.clock.now();
        state.span.get_or_insert([now, now]);
        let elapsed = now.minus(self.began);
        if self.work.time_limit.is_some_and(|limit| elapsed >= limit) {
            state.over = true;
            return None;
        }
        if self.stop.asked() {
            state.outcome = FilesOutcome::Interrupted;
            return None;
        }
        let block = self.job.input.block.0;
        let number = state.number;
        state.number += 1;
        let length = state.left.min(block);
        state.left -= length;
        let place = match &self.work.random {
            Some(random) => random_place(random, block, number, &mut state.rng),
            None => number.saturating_mul(block),
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Some(Transfer { place, length })
    }

    fn read(
        &self,
        state: &Mutex<State>,
        side: &mut Side,
        buffer: &mut Aligned,
        transfer: Transfer,
    ) -> io::Result<usize> {
        if self.work.no_input {
            return Ok(transfer.length);
        }
        let at = self.job.input.offset.0.saturating_add(transfer.place);
        let into = &mut buffer.bytes_mut()[..transfer.length];
        let (length, result) = self.timed(state, End::In, side, || {
            match ends::read_at(self.input, into, at) {
                Ok(length) => (length, Ok(())),
                Err(error) => (0, Err(error)),
            }
        });
        result?;
        count(&mut lock(state).records[0], length, buffer.bytes().len());
        Ok(length)
    }

    fn write(
        &self,
        state: &Mutex<State>,
        side: &mut Side,
        data: &[u8],
        place: u64,
    ) -> io::Result<()> {
        let whole = data.len() as u64 == self.job.output.block.0;
        let (mut written, mut result) = (data.len(), Ok(()));
        if !self.work.no_output {
            let at = self.job.output.offset.0.saturating_add(place);
            let mut once = |output: &File| {
                self.timed(state, End::Out, side, || ends::write_at(output, data, at))
            };
            (written, result) = once(self.output);
            if let Err(error) = &result
                && !whole
                && self.job.output.direct
                && is_misaligned(error)
            {
                // The end of a file need not be aligned, as in the copy of dd.
                let other = through_cache(self.output)?;
                (written, result) = once(other.as_ref().unwrap_or(self.output));
            }
        }
        let mut state = lock(state);
        state.bytes = state.bytes.saturating_add(written as u64);
        if !self.work.no_output {
            let wanted = usize::try_from(self.job.output.block.0).unwrap_or(usize::MAX);
            count(&mut state.records[1], written, wanted);
        }
        result
    }

    /// Stamps one operation, and counts it where it moved anything.
    fn timed(
        &self,
        state: &Mutex<State>,
        end: End,
        side: &mut Side,
        act: impl FnOnce() -> (usize, io::Result<()>),
    ) -> (usize, io::Result<()>) {
        lock(state).clocks[end as usize].begin(self.clock.now());
        let begin = self.clock.now();
        let (bytes, result) = act();
        let now = self.clock.now();
        let ran = lock(state).clocks[end as usize].end(now);
        if bytes > 0 {
            side.done_at(bytes, now.minus(begin), ran);
        }
        (bytes, result)
    }
}

/// EINVAL: the length is no multiple of what direct I/O needs. // open(2), O_DIRECT
fn is_misaligned(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput
}

fn count(records: &mut [u64; 2], length: usize, block: usize) {
    match length {
        0 => {}
        length if length == block => records[0] += 1,
        _ => records[1] += 1,
    }
}

fn fail(state: &mut State, why: String) {
    if state.outcome == FilesOutcome::Complete {
        state.outcome = FilesOutcome::Failed(why);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A block of the range, each equally likely; with `ends` in turns at its end and at its begin.
fn random_place(random: &CopyRandom, block: u64, number: u64, rng: &mut Rng) -> u64 {
    let blocks_of = |bytes: Bytes| (bytes.0 / block).max(1);
    let all = blocks_of(random.length);
    let chosen = match random.ends {
        None => rng.below(all),
        Some(ends) => {
            let ends = blocks_of(ends).min(all);
            let base = if number.is_multiple_of(2) {
                all - ends
            } else {
                0
            };
            base + rng.below(ends)
        }
    };
    let start = random.start.0.next_multiple_of(block);
    start.saturating_add(chosen.saturating_mul(block))
}

/// The step of all threads: its time is that of their shared clock.
fn step(name: &str, block: Bytes, elapsed: Nanos, sides: Vec<Side>) -> FilesStep {
    let mut sides = sides.into_iter();
    let first = sides.next().unwrap_or_default();
    let mut step = first.step(name, block);
    let others = sides.map(|side| side.step(name, block).threads);
    let others: Vec<FilesThread> = others.flatten().collect();
    step.threads.extend(others);
    step.elapsed = elapsed;
    step.unmeasured = match step.operations() {
        0 => Some("nothing was moved".to_owned()),
        _ => None,
    };
    step
}
