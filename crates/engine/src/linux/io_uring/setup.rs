//! How a ring comes about: what this kernel is asked for, what it gave, and what to do where it gives none.
//!
//! Omitted: what is done with a ring.

use crate::backend::{Setup, Used};
use crate::dispatch::Unavailable;
use io_uring::{IoUring as Ring, Probe, Submitter, opcode};
use model::Polling;
use std::io;

/// The kernel takes at most this much as one registered buffer.
const REGISTERED_MAX: usize = 1 << 30;
/// How long the kernel's thread looks for submissions in vain before it sleeps, in milliseconds: longer than any
/// device takes, so that it does not sleep within a run.
const SUBMISSION_IDLE_MS: u32 = 1000;
/// Most entries that the kernel allows a submission queue.
pub(in super::super) const ENTRIES_MAX: u32 = 32_768;
/// Most that are staged before they are submitted.
const STAGED_MAX: u32 = 64;
/// Fewest places for completions.
const LANDED_MIN: u32 = 8;
const ELSEWHERE: &str = "the engine libaio or sync may work";

/// Whether this kernel lets this process have a ring that can do what we need; otherwise why not.
pub(super) fn probe(polling: Polling) -> Result<(), Unavailable> {
    let refused = |source: &io::Error| Unavailable {
        reason: model::errno_text(source),
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
    if !needed.iter().all(|&code| probe.is_supported(code)) {
        return Err(Unavailable {
            reason: "this kernel's io_uring lacks plain reads, writes or timeouts".to_owned(),
            remedy: "Linux 5.6 or later has them",
        });
    }
    drop(ring);
    if polling.any() {
        let polled = build(Places::of(1, polling), polling, &mut Used::default());
        polled
            .map(drop)
            .map_err(|source| refused_polling(&source))?;
    }
    Ok(())
}

fn refused_polling(source: &io::Error) -> Unavailable {
    Unavailable {
        reason: format!("a polled ring was refused: {}", model::errno_text(source)),
        remedy: match source.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => {
                "submission-queue polling needs root or CAP_SYS_NICE before Linux 5.13: omit it"
            }
            Some(libc::EINVAL) => "this kernel does not offer it: omit polling",
            _ => remedy(source),
        },
    }
}

/// Places in the two queues of a ring.
#[derive(Clone, Copy)]
pub(super) struct Places {
    staged: u32,
    landed: u32,
}

impl Places {
    /// For so many I/Os in flight and the ring's own timer. All of them have a place when they are done; at the largest
    /// depth the kernel keeps the last one until there is room. Not all need
    /// one before: a full queue is submitted, and a short one goes round in the cache closest to the processor. A
    /// thread of the kernel's that takes them out by itself is waited for, so there all have one.
    pub(super) fn of(depth: u32, polling: Polling) -> Places {
        let all = (depth + 1).next_power_of_two();
        let staged = if polling.submissions {
            all
        } else {
            all.min(STAGED_MAX)
        };
        Places {
            staged: staged.min(ENTRIES_MAX),
            landed: all.clamp(LANDED_MIN, 2 * ENTRIES_MAX),
        }
    }
}

/// The best ring that this kernel makes: each refusal of a newer offer is a step down.
pub(super) fn build(places: Places, polling: Polling, used: &mut Used) -> io::Result<Ring> {
    used.features
        .extend(polling.completions.then_some("polled completion"));
    used.features
        .extend(polling.submissions.then_some("submission-queue polling"));
    // Task work is the submitter's, and here a thread of the kernel's submits.
    let own = !polling.submissions;
    for direct in [true, false] {
        let mut first = plain(places, polling);
        first.setup_submit_all().setup_single_issuer();
        if own {
            first.setup_coop_taskrun().setup_defer_taskrun();
        }
        if direct {
            first.setup_no_sqarray(); // Linux 6.6: one look-up less for each I/O
        }
        match first.build(places.staged) {
            Ok(ring) => {
                used.features.push("single issuer");
                used.features.extend(own.then_some("deferred task work"));
                used.features
                    .extend(direct.then_some("direct submission queue"));
                return Ok(ring);
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            Err(error) => return Err(error),
        }
    }
    let mut second = plain(places, polling);
    second.setup_submit_all();
    if own {
        second.setup_coop_taskrun();
    }
    if let Ok(ring) = second.build(places.staged) {
        used.features.extend(own.then_some("cooperative task work"));
        used.notes.push(
            "this kernel has no deferred task work (Linux 6.1): each I/O costs a little more"
                .to_owned(),
        );
        return Ok(ring);
    }
    used.notes.push(
        "this kernel's io_uring is older than Linux 5.19: each I/O costs a little more".to_owned(),
    );
    plain(places, polling).build(places.staged)
}

fn plain(places: Places, polling: Polling) -> io_uring::Builder {
    let mut builder = Ring::builder();
    builder.setup_clamp().setup_cqsize(places.landed);
    if polling.completions {
        builder.setup_iopoll();
    }
    if polling.submissions {
        builder.setup_sqpoll(SUBMISSION_IDLE_MS);
    }
    builder
}

/// Pins the thread's memory once instead of at every I/O, where the kernel and the memlock limit allow it.
pub(in super::super) fn register_buffers(
    kernel: &Submitter<'_>,
    setup: &Setup<'_>,
    used: &mut Used,
) -> bool {
    if setup.queueing.unregistered {
        return false;
    }
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
    let registered = unsafe { kernel.register_buffers(&pieces) };
    if let Err(error) = &registered {
        let errno = model::errno_text(error);
        used.notes.push(format!(
            "buffers are not registered ({errno}), so each I/O costs a little more: raise the limit on locked memory \
             (ulimit -l unlimited)"
        ));
    }
    registered.is_ok()
}

pub(in super::super) fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => "Linux 5.6 or later has it; the engine libaio or sync may work",
        Some(libc::EPERM | libc::EACCES) => {
            "it is switched off here: switch it on (sysctl kernel.io_uring_disabled=0, or the container's seccomp \
             filter), or use the engine libaio or sync"
        }
        Some(libc::ENOMEM) => {
            "raise the limit on locked memory (ulimit -l unlimited), or use fewer threads or a smaller depth"
        }
        Some(libc::EBUSY) => "it takes no more I/Os: use a smaller depth, or the engine sync",
        Some(libc::EMFILE | libc::ENFILE) => {
            "raise the limit on open files (ulimit -n 65536), or use fewer threads"
        }
        _ => ELSEWHERE,
    }
}
