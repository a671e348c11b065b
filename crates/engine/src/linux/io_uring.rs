//! Linux io_uring: many I/Os submitted and taken back with one system call.
//!
//! What the kernel offers is tried, never assumed: single issuer with deferred task work, a registered file,
//! registered buffers. What it took is in the record. Batching never waits: `reap` submits all that was
//! pushed, waits for one completion and takes all that are there. A timer of the ring's own brings the worker
//! back several times a second on a device that does not answer, at no cost to each I/O.
//! With polled completion there is no timer, because such a ring takes reads and writes only: the worker asks again
//! and again. Omitted here: commands that are passed through, which are in `nvme`.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

mod entry;
mod setup;
mod split_ring;

use super::priority::number;
use crate::RunError;
use crate::backend::{Backend, Completion, Io, REAP_AT_MOST, Setup, Used};
use crate::clock::{Clock, WallClock};
use crate::dispatch::Unavailable;
use entry::SqeTemplate;
use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{opcode, squeue};
use model::{Nanos, Operation, Polling};
use setup::Places;
use split_ring::SplitRing;
use std::io;
use std::path::Path;
use std::time::Duration;

pub(super) use setup::{ENTRIES_MAX, register_buffers, remedy};

/// Marks the completion of the ring's own timer; slots are far below.
const TIMER: u64 = u64::MAX;
/// How long the reads before the run may take in all.
pub(super) const TRIAL_MAX: Nanos = Nanos::seconds(2);
/// How often a full queue is submitted before the kernel is taken to refuse for good.
const HAND_OVERS_MAX: u32 = 10_000;

/// A ring, used by the thread that created it.
pub(crate) struct IoUring {
    ring: SplitRing,
    heads: Box<[SqeTemplate]>, // by seat
    fixed_file: bool,
    fixed_buffers: bool,
    polling: Polling,
    /// Most completions taken at once.
    completions_max: usize,
    /// Boxed, because the kernel reads it when the timer is submitted.
    timer: Box<Timespec>,
    used: Used,
}

const SQPOLL_NOTE: &str = "submission-queue polling was used: for each of fathom's threads a kernel thread \
                           kept a core busy, and without a core of its own its figures are erratic";

impl IoUring {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let places = Places::of(setup.depth, setup.polling);
        let mut used = Used::default();
        let ring =
            setup::build(places, setup.polling, &mut used).map_err(|source| RunError::Ring {
                remedy: remedy(&source),
                source,
            })?;
        let descriptors: Vec<i32> = setup.aims.iter().map(|aim| aim.descriptor.raw()).collect();
        let mut ring = SplitRing::of(ring);
        let fixed_file = ring.kernel.register_files(&descriptors).is_ok();
        let fixed_buffers = register_buffers(&ring.kernel, setup, &mut used);
        let fixed_ring = ring.kernel.register_ring_fd().is_ok();
        used.features
            .extend(fixed_file.then_some("registered file"));
        used.features
            .extend(fixed_buffers.then_some("registered buffers"));
        used.features
            .extend(fixed_ring.then_some("registered ring"));
        let [seconds, nanos] = [
            REAP_AT_MOST.0 / 1_000_000_000,
            REAP_AT_MOST.0 % 1_000_000_000,
        ];
        let timer = Box::new(Timespec::new().sec(seconds).nsec(nanos as u32));
        let seats = descriptors.iter().zip(&setup.targets).zip(0..);
        let heads = seats
            .map(|((&descriptor, target), seat)| {
                let file = if fixed_file {
                    Ok(seat)
                } else {
                    Err(descriptor)
                };
                SqeTemplate::new(file, fixed_buffers, number(target.priority))
            })
            .collect();
        let mut opened = IoUring {
            ring,
            heads,
            fixed_file,
            fixed_buffers,
            polling: setup.polling,
            completions_max: setup.completions_max(),
            timer,
            used,
        };
        if setup.polling.submissions {
            opened.used.notes.push(SQPOLL_NOTE.to_owned());
        }
        if setup.polling.completions {
            opened.try_polling(setup)?;
        } else {
            opened.start_timer()?;
        }
        Ok(opened)
    }

    /// Whether this kernel lets this process have a ring that can do what we need; otherwise why not.
    pub(crate) fn probe(polling: Polling) -> Result<(), Unavailable> {
        setup::probe(polling)
    }

    /// Reads once from each target that can be read, because a file system or device may not offer polling.
    fn try_polling(&mut self, setup: &Setup<'_>) -> Result<(), RunError> {
        let clock = WallClock::monotonic();
        let limit = clock.now().plus(TRIAL_MAX);
        let mut landed = Vec::with_capacity(1);
        let (memory, _) = setup.buffers.pieces()[0];
        let seats = setup.targets.iter().zip(0u16..);
        for (target, seat) in seats.filter(|(target, _)| !target.writes_only()) {
            let length = u32::try_from(target.alignment.0).expect("at most a block");
            self.push(Io {
                operation: Operation::Read,
                offset: target.base.0,
                memory,
                length,
                area: 0,
                seat,
                slot: 0,
                issued: Nanos(0),
            })?;
            while landed.is_empty() && clock.now() < limit {
                self.reap(&clock, limit, &mut landed)?;
            }
            // The memory of an unanswered unbuffered read is the kernel's until it is answered, in any case.
            let result = landed.pop().map_or(-libc::ETIME, |done| done.result);
            if result < 0 {
                let error = io::Error::from_raw_os_error(-result);
                let reason = format!("a polled read failed: {}", model::errno_text(&error));
                let path = target.location.path().unwrap_or(Path::new("")).to_owned();
                return Err(RunError::NotPolled { path, reason });
            }
        }
        Ok(())
    }

    fn start_timer(&mut self) -> Result<(), RunError> {
        let entry = opcode::Timeout::new(&raw const *self.timer)
            .build()
            .user_data(TIMER);
        self.stage(entry)
    }

    /// Puts an entry into the queue, which is submitted first where it is full.
    #[inline(always)] // through memory, what was just written in halves would be read back whole, and waited for
    fn stage(&mut self, entry: squeue::Entry) -> Result<(), RunError> {
        // SAFETY: the memory of an I/O belongs to its slot and the timer to us; both outlive the completion, because the
        // worker drains, and abandons what it could not drain.
        match unsafe { self.ring.staged.push(&entry) } {
            Ok(()) => Ok(()),
            Err(_) => self.stage_when_full(entry),
        }
    }

    #[cold]
    #[inline(never)]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a reference would keep the entry in memory on the way that is taken always"
    )]
    fn stage_when_full(&mut self, entry: squeue::Entry) -> Result<(), RunError> {
        for _ in 0..HAND_OVERS_MAX {
            self.enter(0)?;
            if self.polling.submissions {
                came_back(self.ring.kernel.squeue_wait())?;
            }
            // SAFETY: as in `stage`.
            if unsafe { self.ring.staged.push(&entry) }.is_ok() {
                return Ok(());
            }
        }
        let source = io::Error::from_raw_os_error(libc::EBUSY);
        Err(RunError::RingBroke {
            remedy: remedy(&source),
            source,
        })
    }

    #[inline]
    fn enter(&mut self, want: usize) -> Result<(), RunError> {
        self.ring.staged.sync();
        let entered = self.ring.kernel.submit_and_wait(want);
        self.ring.staged.sync();
        came_back(entered)
    }

    /// Submits and asks the device until it has one completion, or for so long. Never inside the kernel, which would
    /// ask a device that is silent without reacting to signals.
    fn look<C: Clock>(&mut self, clock: &C, until: Nanos) -> Result<(), RunError> {
        let limit = until.min(clock.now().plus(REAP_AT_MOST));
        loop {
            self.enter(0)?;
            self.ring.landed.sync();
            if !self.ring.landed.is_empty() || clock.now() >= limit {
                return Ok(());
            }
        }
    }

    /// Submits and waits for one completion for so long at most.
    fn enter_for(&mut self, left: Nanos) -> Result<(), RunError> {
        if !self.ring.waits_for_a_time {
            // Before Linux 5.11: looks again after at most a millisecond, as DISKSPD does.
            self.enter(0)?;
            std::thread::sleep(left.as_duration().min(Duration::from_millis(1)));
            return Ok(());
        }
        let left = Timespec::from(left.as_duration());
        let arguments = SubmitArgs::new().timespec(&left);
        self.ring.staged.sync();
        let entered = self.ring.kernel.submit_with_args(1, &arguments);
        self.ring.staged.sync();
        came_back(entered)
    }
}

/// Whether the kernel's interface still stands.
#[inline]
pub(super) fn came_back(entered: io::Result<usize>) -> Result<(), RunError> {
    match entered {
        Ok(_) => Ok(()),
        // A signal, the end of a wait, or a full completion queue that the caller is about to empty.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EINTR | libc::ETIME | libc::EBUSY | libc::EAGAIN)
            ) =>
        {
            Ok(())
        }
        Err(source) => Err(RunError::RingBroke {
            remedy: remedy(&source),
            source,
        }),
    }
}

impl Backend for IoUring {
    fn used(&self) -> Used {
        self.used.clone()
    }

    #[inline(always)] // as `stage`
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let entry = self.heads[usize::from(io.seat)].entry(&io);
        self.stage(entry)
    }

    /// By a worker of the kernel's, which waits. Source: io_uring_enter(2), `IOSQE_ASYNC`.
    #[cold]
    fn push_waiting(&mut self, io: Io) -> Result<bool, RunError> {
        let entry = self.heads[usize::from(io.seat)].entry(&io);
        self.stage(entry.flags(squeue::Flags::ASYNC)).map(|()| true)
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        self.enter(0)
    }

    #[inline]
    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        if self.polling.completions {
            self.look(clock, until)?;
        } else if until == Nanos::MAX {
            self.enter(1)?;
        } else {
            self.enter_for(until.minus(clock.now()))?;
        }
        let mut timer_fired = false;
        self.ring.landed.sync();
        for done in self.ring.landed.by_ref().take(self.completions_max) {
            if done.user_data() == TIMER {
                timer_fired = true;
            } else {
                landed.push(Completion {
                    slot: done.user_data() as u32,
                    result: done.result(),
                });
            }
        }
        self.ring.landed.sync();
        if timer_fired {
            self.start_timer()
        } else {
            Ok(())
        }
    }
}

/// The kernel takes a ring apart some time after it was closed. What it had registered is given back at once, so
/// that a device or file system can be let go as soon as the run is over.
impl Drop for IoUring {
    fn drop(&mut self) {
        let kernel = &self.ring.kernel;
        if self.fixed_file {
            let _ = kernel.unregister_files();
        }
        if self.fixed_buffers {
            let _ = kernel.unregister_buffers();
        }
    }
}
