//! Linux kernel AIO, called libaio after its usual C library: the asynchronous way of kernels and containers without
//! io_uring. System calls only; the C library is not used.
//!
//! It is asynchronous for unbuffered I/O alone: through the page cache `io_submit` itself waits for each I/O, and a
//! note reports it. `hand_over` submits all that was pushed; what the kernel refuses one by one comes back as that
//! I/O's completion, as with the other backends. Source: `io_submit(2)`, `io_getevents(2)`, `linux/aio_abi.h`.
//! Omitted: polled completion, which this interface has not.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

use super::priority::number;
use crate::RunError;
use crate::backend::{Backend, Completion, Io, REAP_AT_MOST, Setup, Used};
use crate::clock::Clock;
use crate::dispatch::Unavailable;
use libc::c_long;
use model::{CacheMode, Nanos, Operation};
use std::io;

const PREAD: u16 = 0;
const PWRITE: u16 = 1;
/// `aio_reqprio` contains a priority. Linux 4.18.
const FLAG_IOPRIO: u32 = 1 << 1;
/// How often a submission that nothing in flight stands in the way of is tried before it is refused for good.
const TRIES_MAX: u32 = 10_000;
const ELSEWHERE: &str = "the engine sync works everywhere";

/// One thread's context.
pub(crate) struct Aio {
    context: Context,
    files: Box<[(u32, u16)]>,  // by seat: the descriptor and the priority
    blocks: Box<[Request]>,    // by slot; the kernel copies them when they are submitted
    staged: Vec<*mut Request>, // capacity the depth; each points into `blocks`
    refused: Vec<Completion>,  // capacity the depth
    events: Box<[Event]>,      // as many as are taken at once
    in_flight: usize,          // submitted and not yet found
    used: Used,
}

/// The kernel's `struct iocb` on a little-endian machine. The crate libc has it for glibc alone.
#[derive(Clone, Copy, Default)]
#[repr(C)]
#[cfg(target_endian = "little")]
struct Request {
    aio_data: u64,
    aio_key: u32,
    aio_rw_flags: i32,
    aio_lio_opcode: u16,
    aio_reqprio: i16,
    aio_fildes: u32,
    aio_buf: u64,
    aio_nbytes: u64,
    aio_offset: i64,
    aio_reserved2: u64,
    aio_flags: u32,
    aio_resfd: u32,
}

const _: () = assert!(size_of::<Request>() == 64);

/// The kernel's `struct io_event`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Event {
    data: u64,
    block: u64,
    result: i64,
    more: i64,
}

/// What the kernel keeps for us; given back when dropped, which waits for all that is in flight.
struct Context(libc::c_ulong);

impl Context {
    fn new(depth: u32) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one number, to a place of its size.
        let refused =
            unsafe { libc::syscall(libc::SYS_io_setup, c_long::from(depth), &raw mut context) } < 0;
        if refused {
            return Err(io::Error::last_os_error());
        }
        Ok(Context(context))
    }

    /// How many of `blocks`, from the first on, the kernel took.
    fn submit(&self, blocks: &mut [*mut Request]) -> io::Result<usize> {
        let count = blocks.len() as c_long;
        // SAFETY: each points to a block of ours, and the memory that it names belongs to its slot, which outlives
        // the completion, because the worker drains, and abandons what it could not drain.
        let taken =
            unsafe { libc::syscall(libc::SYS_io_submit, self.0, count, blocks.as_mut_ptr()) };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// Waits for `least` completions or for so long, and takes all that are there.
    fn take(&self, least: usize, events: &mut [Event], at_most: Nanos) -> io::Result<usize> {
        let wait = libc::timespec {
            tv_sec: (at_most.0 / 1_000_000_000).cast_signed(),
            tv_nsec: (at_most.0 % 1_000_000_000).cast_signed(),
        };
        let (least, most) = (least as c_long, events.len() as c_long);
        // SAFETY: the kernel writes at most `most` events to a place with room for as many.
        let found = unsafe {
            let events = events.as_mut_ptr();
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                least,
                most,
                events,
                &raw const wait,
            )
        };
        usize::try_from(found).map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: our own context, no longer used.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

impl Aio {
    pub(crate) fn open(setup: &Setup<'_>) -> Result<Self, RunError> {
        let context = Context::new(setup.depth).map_err(broken)?;
        let depth = setup.depth as usize;
        let files = setup.aims.iter().zip(&setup.targets);
        let files = files
            .map(|(aim, target)| {
                (
                    aim.descriptor.raw().cast_unsigned(),
                    number(target.priority),
                )
            })
            .collect();
        let cached = |mode| mode == CacheMode::Cached;
        let cached = setup.targets.iter().any(|target| cached(target.cache));
        let mut used = Used::default();
        used.features.extend(["io_submit", "io_getevents"]);
        used.notes.extend(cached.then(|| {
            "libaio is asynchronous for unbuffered I/O only: through the cache each I/O was waited for as it was \
             submitted, so a depth above 1 changes little"
                .to_owned()
        }));
        Ok(Aio {
            context,
            files,
            blocks: vec![Request::default(); depth].into(),
            staged: Vec::with_capacity(depth),
            refused: Vec::with_capacity(depth),
            events: vec![Event::default(); depth.min(setup.completions_max())].into(),
            in_flight: 0,
            used,
        })
    }

    /// Whether this kernel lets this process have a context; otherwise why not.
    pub(crate) fn probe() -> Result<(), Unavailable> {
        Context::new(1).map(drop).map_err(|source| Unavailable {
            reason: model::errno_text(&source),
            remedy: remedy(&source),
        })
    }

    /// Submits what is staged. Returns with some of it left where the kernel has no room before a completion.
    #[inline]
    fn submit(&mut self) -> Result<(), RunError> {
        let mut tries = 0;
        while !self.staged.is_empty() {
            match self.context.submit(&mut self.staged) {
                Ok(taken) => {
                    self.in_flight += taken;
                    self.staged.drain(..taken);
                }
                Err(error) => self.settle_refusal(error, &mut tries)?,
            }
            if tries > 0 && self.in_flight > 0 {
                break;
            }
        }
        Ok(())
    }

    /// The kernel took none: it has no room for now, or the first one is refused for itself.
    #[cold]
    fn settle_refusal(&mut self, error: io::Error, tries: &mut u32) -> Result<(), RunError> {
        match error.raw_os_error() {
            Some(libc::EINTR) => Ok(()),
            Some(libc::EAGAIN) if *tries < TRIES_MAX => {
                *tries += 1;
                Ok(())
            }
            Some(libc::EAGAIN | libc::ENOSYS) | None => Err(broken(error)),
            Some(errno) => {
                let first = self.staged.remove(0);
                // SAFETY: it points into `blocks`, which no other code uses now.
                let slot = unsafe { (*first).aio_data } as u32;
                let result = -errno;
                self.refused.push(Completion { slot, result });
                Ok(())
            }
        }
    }
}

impl Backend for Aio {
    fn used(&self) -> Used {
        self.used.clone()
    }

    #[inline]
    fn push(&mut self, io: Io) -> Result<(), RunError> {
        let (descriptor, priority) = self.files[io.seat as usize];
        let block = &mut self.blocks[io.slot as usize];
        block.aio_data = u64::from(io.slot);
        block.aio_lio_opcode = match io.operation {
            Operation::Read => PREAD,
            Operation::Write => PWRITE,
        };
        block.aio_fildes = descriptor;
        block.aio_buf = io.memory.as_ptr() as u64;
        block.aio_nbytes = u64::from(io.length);
        block.aio_offset = io.offset.cast_signed();
        block.aio_reqprio = priority.cast_signed();
        block.aio_flags = if priority == 0 { 0 } else { FLAG_IOPRIO };
        self.staged.push(&raw mut *block);
        Ok(())
    }

    #[inline]
    fn hand_over(&mut self) -> Result<(), RunError> {
        self.submit()
    }

    #[inline]
    fn reap<C: Clock>(
        &mut self,
        clock: &C,
        until: Nanos,
        landed: &mut Vec<Completion>,
    ) -> Result<(), RunError> {
        self.submit()?;
        landed.append(&mut self.refused);
        if self.in_flight == 0 {
            return Ok(());
        }
        let (least, at_most) = match until {
            _ if !landed.is_empty() => (0, Nanos(0)),
            Nanos::MAX => (1, REAP_AT_MOST),
            until => (1, until.minus(clock.now()).min(REAP_AT_MOST)),
        };
        let found = match self.context.take(least, &mut self.events, at_most) {
            Ok(found) => found,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => 0,
            Err(error) => return Err(broken(error)),
        };
        self.in_flight -= found;
        landed.extend(self.events[..found].iter().map(|event| Completion {
            slot: event.data as u32,
            result: event.result as i32, // at most 1 GiB, or a negated errno
        }));
        Ok(())
    }
}

fn broken(source: io::Error) -> RunError {
    RunError::Aio {
        remedy: remedy(&source),
        source,
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            "the system's limit on its I/Os is reached: raise it (sysctl fs.aio-max-nr=1048576), or use fewer \
             threads or a smaller depth"
        }
        Some(libc::ENOSYS) => "this kernel was built without it; the engine sync works everywhere",
        Some(libc::EPERM | libc::EACCES) => {
            "it is switched off here (the container's seccomp filter); the engine sync works everywhere"
        }
        Some(libc::ENOMEM) => "there is no memory for it: use fewer threads or a smaller depth",
        _ => ELSEWHERE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_outstanding_name_the_limit_and_the_command_that_lifts_it() {
        // Thirty times the usual limit: where it is refused, nothing of the system is used up.
        let refused = Context::new(2_000_000).map(drop).map_err(broken);
        let Err(error) = refused else {
            println!("skipped: this system lets us have 2 million I/Os outstanding");
            return;
        };
        let text = error.to_string();
        if Aio::probe().is_err() {
            println!("skipped: {text}");
            return;
        }
        assert!(text.contains("sysctl fs.aio-max-nr="), "{text}");
    }
}
