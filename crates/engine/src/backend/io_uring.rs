//! Linux io_uring: many I/Os handed over and taken back with one system call.
//!
//! What the kernel offers is tried, never assumed: single issuer with deferred task work, a registered file,
//! registered buffers. What it took is in the record. Batching never waits: `reap` hands over all that was
//! pushed, waits for one completion and takes all that are there. A timer of the ring's own brings the worker
//! back several times a second on a device that does not answer, at no cost to each I/O.
//! Left out here: polled completion, submission-queue polling, passthrough.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

use super::priority::number;
use super::{Backend, Completion, Io, REAP_AT_MOST, Setup, Used};
use crate::RunError;
use crate::clock::Clock;
use crate::dispatch::Unavailable;
use io_uring::types::{Fd, Fixed, SubmitArgs, Timespec};
use io_uring::{IoUring as Ring, Probe, opcode, squeue};
use model::{Nanos, Operation};
use std::io;
use std::time::Duration;

/// Marks the completion of the ring's own timer; slots are far below.
const TIMER: u64 = u64::MAX;
/// The kernel takes at most this much as one registered buffer.
const REGISTERED_MAX: usize = 1 << 30;
/// Most entries that the kernel allows a submission queue.
const ENTRIES_MAX: u32 = 32_768;
/// How often a full queue is handed over before the kernel is taken to refuse for good.
const HAND_OVERS_MAX: u32 = 10_000;

/// A ring, used by the thread that made it.
pub(crate) struct IoUring {
    ring: Ring,
    files: Box<[Target]>, // by seat
    fixed_file: bool,
    fixed_buffers: bool,
    /// Boxed, because the kernel reads it when the timer is handed over.
    timer: Box<Timespec>,
    used: Used,
}

#[derive(Clone, Copy)]
struct Target {
    descriptor: i32,
    priority: u16,
}

impl IoUring {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let entries = (setup.depth + 1).next_power_of_two().min(ENTRIES_MAX);
        let mut used = Used::default();
        let ring = build(entries, &mut used).map_err(|source| RunError::Ring {
            remedy: remedy(&source),
            source,
        })?;
        let descriptors: Vec<i32> = setup.aims.iter().map(|aim| aim.descriptor).collect();
        let fixed_file = ring.submitter().register_files(&descriptors).is_ok();
        let fixed_buffers = register_buffers(&ring, setup, &mut used);
        used.features
            .extend(fixed_file.then_some("registered file"));
        used.features
            .extend(fixed_buffers.then_some("registered buffers"));
        let [seconds, nanos] = [
            REAP_AT_MOST.0 / 1_000_000_000,
            REAP_AT_MOST.0 % 1_000_000_000,
        ];
        let timer = Box::new(Timespec::new().sec(seconds).nsec(nanos as u32));
        let files = descriptors
            .iter()
            .zip(&setup.targets)
            .map(|(&descriptor, target)| Target {
                descriptor,
                priority: number(target.priority),
            })
            .collect();
        let mut opened = IoUring {
            ring,
            files,
            fixed_file,
            fixed_buffers,
            timer,
            used,
        };
        opened.start_timer()?;
        Ok(opened)
    }

    /// Whether this kernel lets this process have a ring that can do what we need; otherwise why not.
    pub(crate) fn probe() -> Result<(), Unavailable> {
        let refused = |source: &io::Error| Unavailable {
            reason: crate::error::errno_text(source),
            remedy: remedy(source),
        };
        let ring = Ring::new(2).map_err(|source| refused(&source))?;
        let mut probe = Probe::new();
        ring.submitter()
            .register_probe(&mut probe)
            .map_err(|source| refused(&source))?;
        let needed = [
            opcode::Read::CODE,
            opcode::Write::CODE,
            opcode::ReadFixed::CODE,
            opcode::WriteFixed::CODE,
            opcode::Timeout::CODE,
        ];
        if needed.iter().all(|&code| probe.is_supported(code)) {
            return Ok(());
        }
        Err(Unavailable {
            reason: "this kernel's io_uring lacks plain reads, writes or timeouts".to_owned(),
            remedy: "Linux 5.6 or later has them",
        })
    }

    #[inline]
    fn entry(&self, io: &Io) -> squeue::Entry {
        let (memory, length, offset) = (io.memory.as_ptr(), io.length, io.offset);
        let (seat, area) = (u32::from(io.seat), io.area);
        let Target {
            descriptor,
            priority,
        } = self.files[io.seat as usize];
        macro_rules! entry {
            ($made:expr) => {
                $made.offset(offset).ioprio(priority).build()
            };
        }
        let (fd, slot) = (Fd(descriptor), Fixed(seat));
        let entry = match (io.operation, self.fixed_buffers, self.fixed_file) {
            (Operation::Read, true, true) => {
                entry!(opcode::ReadFixed::new(slot, memory, length, area))
            }
            (Operation::Read, true, false) => {
                entry!(opcode::ReadFixed::new(fd, memory, length, area))
            }
            (Operation::Read, false, true) => entry!(opcode::Read::new(slot, memory, length)),
            (Operation::Read, false, false) => entry!(opcode::Read::new(fd, memory, length)),
            (Operation::Write, true, true) => {
                entry!(opcode::WriteFixed::new(slot, memory, length, area))
            }
            (Operation::Write, true, false) => {
                entry!(opcode::WriteFixed::new(fd, memory, length, area))
            }
            (Operation::Write, false, true) => entry!(opcode::Write::new(slot, memory, length)),
            (Operation::Write, false, false) => entry!(opcode::Write::new(fd, memory, length)),
        };
        entry.user_data(u64::from(io.slot))
    }

    fn start_timer(&mut self) -> Result<(), RunError> {
        let entry = opcode::Timeout::new(&raw const *self.timer)
            .build()
            .user_data(TIMER);
        self.stage(&entry)
    }

    #[inline]
    fn stage(&mut self, entry: &squeue::Entry) -> Result<(), RunError> {
        for _ in 0..HAND_OVERS_MAX {
            // SAFETY: the memory of an I/O belongs to its slot and the timer to us; both outlive the
            // completion, because the worker drains, and abandons what it could not drain.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return Ok(());
            }
            // Full: only where the depth is the largest that the kernel allows.
            self.enter(0)?;
        }
        let source = io::Error::from_raw_os_error(libc::EBUSY);
        Err(RunError::Ring {
            remedy: remedy(&source),
            source,
        })
    }

    #[inline]
    fn enter(&self, want: usize) -> Result<(), RunError> {
        came_back(self.ring.submit_and_wait(want))
    }

    /// Hands over and waits for one completion for so long at most.
    fn enter_for(&self, left: Nanos) -> Result<(), RunError> {
        if !self.ring.params().is_feature_ext_arg() {
            // Before Linux 5.11: looks again after at most a millisecond, as DISKSPD does.
            self.enter(0)?;
            std::thread::sleep(left.as_duration().min(Duration::from_millis(1)));
            return Ok(());
        }
        let left = Timespec::from(left.as_duration());
        let arguments = SubmitArgs::new().timespec(&left);
        came_back(self.ring.submitter().submit_with_args(1, &arguments))
    }
}

/// Whether the kernel's interface still stands.
#[inline]
fn came_back(entered: io::Result<usize>) -> Result<(), RunError> {
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
        Err(source) => Err(RunError::Ring {
            remedy: remedy(&source),
            source,
        }),
    }
}

impl Backend for IoUring {
    fn used(&self) -> Used {
        self.used.clone()
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let entry = self.entry(&io);
        self.stage(&entry)
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
        if until == Nanos::MAX {
            self.enter(1)?;
        } else {
            self.enter_for(until.minus(clock.now()))?;
        }
        let mut timer_fired = false;
        for done in self.ring.completion() {
            if done.user_data() == TIMER {
                timer_fired = true;
            } else {
                landed.push(Completion {
                    slot: done.user_data() as u32,
                    result: done.result(),
                });
            }
        }
        if timer_fired {
            self.start_timer()
        } else {
            Ok(())
        }
    }

    fn abandon(self) {
        std::mem::forget(self);
    }
}

/// The kernel takes a ring apart some time after it was closed. What it had registered is given back at once, so
/// that a device or file system can be let go as soon as the run is over.
impl Drop for IoUring {
    fn drop(&mut self) {
        let submitter = self.ring.submitter();
        if self.fixed_file {
            let _ = submitter.unregister_files();
        }
        if self.fixed_buffers {
            let _ = submitter.unregister_buffers();
        }
    }
}

/// The best ring that this kernel makes: each refusal of a newer offer is a step down.
fn build(entries: u32, used: &mut Used) -> io::Result<Ring> {
    let deferred = Ring::builder()
        .setup_clamp()
        .setup_submit_all()
        .setup_single_issuer()
        .setup_coop_taskrun()
        .setup_defer_taskrun()
        .build(entries);
    match deferred {
        Ok(ring) => {
            used.features
                .extend(["single issuer", "deferred task work"]);
            return Ok(ring);
        }
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
        Err(error) => return Err(error),
    }
    let cooperative = Ring::builder()
        .setup_clamp()
        .setup_submit_all()
        .setup_coop_taskrun()
        .build(entries);
    if let Ok(ring) = cooperative {
        used.features.push("cooperative task work");
        used.notes.push(
            "this kernel has no deferred task work (Linux 6.1): each I/O costs a little more"
                .to_owned(),
        );
        return Ok(ring);
    }
    used.notes.push(
        "this kernel's io_uring is older than Linux 5.19: each I/O costs a little more".to_owned(),
    );
    Ring::builder().setup_clamp().build(entries)
}

/// Pins the thread's memory once instead of at every I/O, where the kernel and the memlock limit allow it.
fn register_buffers(ring: &Ring, setup: &Setup<'_>, used: &mut Used) -> bool {
    let pieces = setup.buffers.pieces();
    if pieces.iter().any(|(_, bytes)| *bytes > REGISTERED_MAX) {
        used.notes.push(
            "buffers above 1 GiB a thread are not registered: each I/O costs a little more"
                .to_owned(),
        );
        return false;
    }
    let pieces: Vec<libc::iovec> = pieces
        .iter()
        .map(|(start, bytes)| libc::iovec {
            iov_base: start.as_ptr().cast(),
            iov_len: *bytes,
        })
        .collect();
    // SAFETY: the mapping lives at least as long as the ring: the worker drops the backend before it, and
    // abandons both where I/Os are still in flight.
    let registered = unsafe { ring.submitter().register_buffers(&pieces) };
    if let Err(error) = &registered {
        let errno = crate::error::errno_text(error);
        used.notes.push(format!(
            "buffers are not registered ({errno}): raise the limit with ulimit -l"
        ));
    }
    registered.is_ok()
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => "Linux 5.6 or later has it; --engine sync works everywhere",
        Some(libc::EPERM | libc::EACCES) => {
            "it is switched off here (sysctl kernel.io_uring_disabled, or the container's seccomp filter); \
             --engine sync works everywhere"
        }
        Some(libc::ENOMEM) => {
            "raise the limit on locked memory (ulimit -l), or take fewer threads or a smaller depth"
        }
        Some(libc::EBUSY) => "it takes no more I/Os: say a smaller depth, or --engine sync",
        Some(libc::EMFILE | libc::ENFILE) => {
            "raise the limit on open files (ulimit -n), or take fewer threads"
        }
        _ => "--engine sync works everywhere",
    }
}
