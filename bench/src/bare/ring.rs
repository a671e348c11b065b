//! A bare io_uring loop, after the idea of the small program that fio's authors use to find the kernel's limit: deferred
//! task work, one registered file, one registered buffer, up to 32 I/Os submitted with the call that waits for one.
//!
//! Without a target it does I/Os that do nothing, which shows what the interface alone costs.
#![allow(unsafe_code, reason = "hands memory to the kernel")]

use super::{BLOCK, Latencies, Offsets, Page, Work, size};
use io_uring::squeue::{self, SubmissionQueue};
use io_uring::types::Fixed;
use io_uring::{CompletionQueue, IoUring, Submitter, opcode};
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsRawFd;

/// Most I/Os submitted at once.
const BATCH: usize = 32;

/// Counts I/Os until the word to stop.
pub(super) fn turn(work: &Work<'_>) -> io::Result<u64> {
    take_turns(work, false)
}

/// The same, each I/O submitted by a call of its own as soon as it is staged.
pub(super) fn turn_each(work: &Work<'_>) -> io::Result<u64> {
    take_turns(work, true)
}

fn take_turns(work: &Work<'_>, each: bool) -> io::Result<u64> {
    let file = work.place.open()?;
    // Declared before the ring: the ring, and what the kernel still does for it, ends first.
    let mut pages = vec![Page([0; BLOCK]); work.depth];
    let mut ring = build(work.depth)?;
    if let Some(file) = &file {
        ring.submitter().register_files(&[file.as_raw_fd()])?;
        let memory = [libc::iovec {
            iov_base: pages.as_mut_ptr().cast(),
            iov_len: pages.len() * BLOCK,
        }];
        // SAFETY: the pages outlive the ring, and no other code accesses them.
        unsafe { ring.submitter().register_buffers(&memory) }?;
    }
    let bytes = file.as_ref().map_or(Ok(1 << 30), size)?;
    let mut offsets = Offsets::new(work.seed, bytes);
    let first = pages.as_mut_ptr().cast::<u8>();
    let entry = |slot: usize, offset: u64| match &file {
        Some(_) => {
            let page = first.wrapping_add(slot * BLOCK);
            opcode::ReadFixed::new(Fixed(0), page, BLOCK as u32, 0)
                .offset(offset)
                .build()
                .user_data(slot as u64)
        }
        None => opcode::Nop::new().build().user_data(slot as u64),
    };
    let wanted = if file.is_some() { BLOCK as i32 } else { 0 };
    let mut slots = Slots::new(work.depth, work.stamps, wanted);
    let (mut kernel, mut queue, mut landed) = ring.split();
    // Saves a look-up with each call; older kernels do without.
    let _ = kernel.register_ring_fd();
    while !work.over() || slots.free.len() < work.depth {
        let most = if work.over() { 0 } else { BATCH };
        for _ in 0..slots.free.len().min(most) {
            let slot = slots.take();
            push(&mut queue, &entry(slot, offsets.next()))?;
            if each {
                queue.sync();
                enter(&kernel, 0)?;
                queue.sync();
            }
        }
        queue.sync();
        // A stop between the two looks leaves nothing to wait for.
        enter(&kernel, usize::from(slots.free.len() < work.depth))?;
        // The kernel took what was submitted: its places are free again.
        queue.sync();
        landed.sync();
        slots.land(&mut landed)?;
    }
    Ok(slots.done)
}

/// Which slots are free, and when the others were submitted.
struct Slots {
    free: VecDeque<usize>, // in turn, so that all the memory of the depth is used

    stamps: Option<Vec<u64>>,
    latencies: Latencies,
    wanted: i32, // result of a good I/O
    done: u64,
}

impl Slots {
    fn new(depth: usize, stamps: bool, wanted: i32) -> Slots {
        Slots {
            free: (0..depth).collect(),
            stamps: stamps.then(|| vec![0; depth]),
            latencies: Latencies::new(),
            wanted,
            done: 0,
        }
    }

    #[inline]
    fn take(&mut self) -> usize {
        let slot = self.free.pop_front().expect("only as many as are free");
        if let Some(stamps) = &mut self.stamps {
            stamps[slot] = ticks();
        }
        slot
    }

    #[inline]
    fn land(&mut self, landed: &mut CompletionQueue<'_>) -> io::Result<()> {
        for done in landed {
            let slot = done.user_data() as usize;
            if done.result() != self.wanted {
                return Err(io::Error::from_raw_os_error(-done.result().min(0)));
            }
            if let Some(stamps) = &self.stamps {
                self.latencies.add(ticks().wrapping_sub(stamps[slot]));
            }
            self.free.push_back(slot);
            self.done += 1;
        }
        Ok(())
    }
}

fn build(depth: usize) -> io::Result<IoUring> {
    let entries = depth.next_power_of_two() as u32;
    let newest = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_coop_taskrun()
        .setup_no_sqarray()
        .build(entries);
    newest.or_else(|_| IoUring::new(entries))
}

#[inline]
fn push(queue: &mut SubmissionQueue<'_>, entry: &squeue::Entry) -> io::Result<()> {
    // SAFETY: the page of a slot is used by one I/O at a time and outlives the ring.
    let pushed = unsafe { queue.push(entry) };
    pushed.map_err(|_| io::Error::other("the queue has a place for each slot"))
}

/// Submits and waits for so many.
#[inline]
fn enter(kernel: &Submitter<'_>, want: usize) -> io::Result<()> {
    match kernel.submit_and_wait(want) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        _ => Ok(()),
    }
}

/// Reads the cheapest clock.
#[inline]
pub(super) fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this kind has it, and Linux leaves it open to programs.
    return unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    return {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the place is ours and live.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    };
}
