//! NVMe commands passed through to a namespace by io_uring: no file system, no cache, no block layer.
//!
//! Each I/O is one read or write command of the NVM command set, handed to the namespace's character device
//! (`/dev/ng0n1`) with `IORING_OP_URING_CMD` on a ring of large entries. Nothing on the way cuts, merges, orders, limits
//! or counts it. Source: the kernel's `include/uapi/linux/nvme_ioctl.h` and `drivers/nvme/host/ioctl.c`; NVM Express NVM
//! Command Set Specification 1.0, 3.2.4 (Read) and 3.2.6 (Write). Omitted: every other command, and metadata.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

mod command;

use super::io_uring::{ENTRIES_MAX, TRIAL_MAX, came_back, register_buffers, remedy};
use crate::RunError;
use crate::backend::{Backend, Completion, Io, REAP_AT_MOST, Setup, Used};
use crate::clock::{Clock, WallClock};
use crate::dispatch::Unavailable;
use command::{Command, PASS_THROUGH};
use io_uring::types::{Fixed, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, opcode, squeue};
use model::{Nanos, Operation, Polling};
use std::io;

type Ring = IoUring<squeue::Entry128, cqueue::Entry32>;

const NEWER: &str =
    "Linux 5.19 or later has it; without it, name the block device (/dev/nvme0n1 for /dev/ng0n1)";

/// A ring for commands, used by the thread that created it.
pub(crate) struct Nvme {
    ring: Ring,
    commands: Box<[Command]>, // by seat
    fixed_buffers: bool,
    polls: bool,
    used: Used,
}

impl Nvme {
    /// Whether this kernel lets this process have a ring for commands; otherwise why not.
    pub(crate) fn probe(polling: Polling) -> Result<(), Unavailable> {
        let reported = |source: io::Error| Unavailable {
            reason: model::errno_text(&source),
            remedy: match source.raw_os_error() {
                Some(libc::EINVAL) => NEWER,
                _ => remedy(&source),
            },
        };
        let ring = build(2, polling, &mut Used::default()).map_err(reported)?;
        let mut probe = Probe::new();
        ring.submitter()
            .register_probe(&mut probe)
            .map_err(reported)?;
        if probe.is_supported(opcode::UringCmd80::CODE) {
            return Ok(());
        }
        Err(Unavailable {
            reason: "this kernel's io_uring passes no commands through".to_owned(),
            remedy: NEWER,
        })
    }

    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let broken = |source| RunError::Ring {
            remedy: remedy(&source),
            source,
        };
        let entries = setup.depth.next_power_of_two().min(ENTRIES_MAX);
        let mut used = Used::default();
        used.features.push("NVMe passthrough");
        let ring = build(entries, setup.polling, &mut used).map_err(broken)?;
        let descriptors: Vec<i32> = setup.aims.iter().map(|aim| aim.descriptor.raw()).collect();
        ring.submitter()
            .register_files(&descriptors)
            .map_err(broken)?;
        used.features.push("registered file");
        let fixed_buffers = register_buffers(&ring.submitter(), setup, &mut used);
        let commands = setup.targets.iter().map(|target| Command::to(target));
        let mut opened = Nvme {
            ring,
            commands: commands.collect(),
            fixed_buffers,
            polls: setup.polling.completions,
            used,
        };
        opened.try_all(setup)?;
        if opened.fixed_buffers {
            opened.used.features.push("registered buffers");
        }
        Ok(opened)
    }

    /// Reads a block of each target: whether commands are taken at all, and with registered buffers, is found out before
    /// the run and not in it.
    fn try_all(&mut self, setup: &Setup<'_>) -> Result<(), RunError> {
        for seat in 0..setup.targets.len() {
            let mut result = self.try_one(setup, seat)?;
            if result == -libc::EINVAL && self.fixed_buffers {
                // Before Linux 6.1 a command has its buffers pinned each time.
                self.fixed_buffers = false;
                result = self.try_one(setup, seat)?;
            }
            if result < 0 {
                let path = setup.targets[seat].location.path();
                let error = io::Error::from_raw_os_error(-result);
                return Err(RunError::PassedThrough {
                    path: path.unwrap_or("".as_ref()).to_owned(),
                    reason: model::errno_text(&error),
                    remedy: trial_remedy(-result),
                });
            }
        }
        Ok(())
    }

    fn try_one(&mut self, setup: &Setup<'_>, seat: usize) -> Result<i32, RunError> {
        let clock = WallClock::monotonic();
        let limit = clock.now().plus(TRIAL_MAX);
        let (target, (memory, _)) = (setup.targets[seat], setup.buffers.pieces()[0]);
        let mut landed = Vec::with_capacity(1);
        self.push(Io {
            operation: Operation::Read,
            offset: target.base.0,
            memory,
            length: u32::try_from(target.alignment.0).expect("at most a block"),
            area: 0,
            seat: u16::try_from(seat).expect("a seat's number"),
            slot: 0,
            issued: Nanos(0),
        })?;
        while landed.is_empty() && clock.now() < limit {
            self.reap(&clock, limit, &mut landed)?;
        }
        // The memory of an unanswered command is the device's until it is answered, in any case.
        Ok(landed.pop().map_or(-libc::ETIME, |done| done.result))
    }

    #[inline]
    fn enter(&self, want: usize) -> Result<(), RunError> {
        came_back(self.ring.submit_and_wait(want))
    }

    /// As the engine io_uring does: never inside the kernel, which would ask a silent device without reacting to signals.
    fn look<C: Clock>(&mut self, clock: &C, until: Nanos) -> Result<(), RunError> {
        let limit = until.min(clock.now().plus(REAP_AT_MOST));
        loop {
            self.enter(0)?;
            if !self.ring.completion().is_empty() || clock.now() >= limit {
                return Ok(());
            }
        }
    }
}

/// A ring of large entries, which the kernel asks for; all kernels that have them have the rest too, but for deferred
/// task work (Linux 6.1).
fn build(entries: u32, polling: Polling, used: &mut Used) -> io::Result<Ring> {
    let plain = || {
        let mut builder = Ring::builder();
        builder.setup_clamp().setup_submit_all();
        builder.setup_coop_taskrun();
        if polling.completions {
            builder.setup_iopoll();
        }
        builder
    };
    used.features
        .extend(polling.completions.then_some("polled completion"));
    let mut best = plain();
    best.setup_single_issuer().setup_defer_taskrun();
    match best.build(entries) {
        Ok(ring) => {
            used.features
                .extend(["single issuer", "deferred task work"]);
            Ok(ring)
        }
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => plain().build(entries),
        Err(error) => Err(error),
    }
}

fn trial_remedy(errno: i32) -> &'static str {
    match errno {
        libc::EACCES | libc::EPERM => {
            "commands may be passed through by root, and since Linux 6.2 by who may read and write the device: run \
            as root, or specify the block device"
        }
        libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL => NEWER,
        _ => "see the system's log (dmesg) for more, or specify the block device",
    }
}

impl Backend for Nvme {
    fn used(&self) -> Used {
        self.used.clone()
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let command = self.commands[usize::from(io.seat)].bytes(&io);
        let mut made =
            opcode::UringCmd80::new(Fixed(u32::from(io.seat)), PASS_THROUGH).cmd(command);
        if self.fixed_buffers {
            made = made.buf_index(Some(io.area));
        }
        let entry = made
            .build()
            .user_data(u64::from(io.slot) << 32 | u64::from(io.length));
        // SAFETY: the memory of an I/O belongs to its slot and outlives the completion, because the worker drains, and
        // abandons what it could not drain.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        pushed.expect("the queue has a slot for each I/O in flight");
        Ok(())
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
        if self.polls {
            self.look(clock, until)?;
        } else {
            let left = match until {
                Nanos::MAX => REAP_AT_MOST,
                until => until.minus(clock.now()).min(REAP_AT_MOST),
            };
            let left = Timespec::from(left.as_duration());
            let arguments = SubmitArgs::new().timespec(&left);
            came_back(self.ring.submitter().submit_with_args(1, &arguments))?;
        }
        for done in self.ring.completion() {
            let mark = done.user_data();
            landed.push(Completion {
                slot: (mark >> 32) as u32,
                result: command::outcome(done.result(), mark as u32),
            });
        }
        Ok(())
    }
}

/// As for the engine io_uring: what was registered is given back at once.
impl Drop for Nvme {
    fn drop(&mut self) {
        let submitter = self.ring.submitter();
        let _ = submitter.unregister_files();
        let _ = submitter.unregister_buffers();
    }
}
