//! DISKSPD's walk: offsets and operations from its generator, in its order.
//!
//! Source: the rules restated in `docs/compatibility/diskspd.md`. For a thread with one target the stream is a function of
//! seed and thread number alone. Offsets are computed relative to the range and the base is added last. One deliberate
//! difference: an absolute range whose length is no multiple of the alignment is drawn from at its aligned offsets only,
//! and never so late that a block would pass the end; DISKSPD leaves both to the user.

use crate::rng::Jenkins;
use model::{DiskspdAccess, Operation, PlannedTarget, Sequence};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What to do next, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// From the start of the target, in bytes.
    pub(crate) offset: u64,
    pub(crate) operation: Operation,
}

/// The one pointer of an interlocked target, shared by its threads, on cache lines of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(crate) struct SharedPointer(AtomicU64);

/// Most places that a thread takes of it at once.
const CLAIM_MAX: u64 = 16;

/// One thread's endless list of steps on one target.
#[derive(Debug)]
pub(crate) struct Walk {
    base: u64,
    block: u64,
    length: u64,
    align: u64,
    starts_to: u64, // above 0, a multiple of `align`
    wrap: u64,      // where a pointer goes on after the end; below `align`
    write: u32,     // percent
    order: Order,
    spread: Spread,
    last: Operation,
}

#[derive(Debug)]
enum Order {
    Random,
    Mixed {
        random: u32,
        next: u64,
    },
    Sequential {
        next: u64,
    },
    /// `top` is where it goes on from the start.
    Backward {
        next: u64,
        top: u64,
    },
    Interlocked(Claim),
    PerSlot {
        next: Box<[u64]>,
        first_slot: u32,
    },
}

/// What a thread has taken of the pointer that it shares: a few places in a row, so that the threads meet at the pointer
/// once for these and not at each I/O.
#[derive(Debug)]
struct Claim {
    pointer: Arc<SharedPointer>,
    at_once: u64, // above 0
    next: u64,    // the next place of those taken
    left: u64,
}

impl Claim {
    /// A thread takes no more at once than a quarter of what it has outstanding, so that the places of all threads stay
    /// together as they do one by one.
    fn new(pointer: &Arc<SharedPointer>, slots: u32) -> Self {
        Claim {
            pointer: Arc::clone(pointer),
            at_once: u64::from(slots / 4).clamp(1, CLAIM_MAX),
            next: 0,
            left: 0,
        }
    }

    #[inline]
    fn take(&mut self, align: u64) -> u64 {
        if self.left == 0 {
            let taken = align.saturating_mul(self.at_once);
            self.next = self.pointer.0.fetch_add(taken, Ordering::Relaxed);
            self.left = self.at_once;
        }
        let place = self.next;
        self.next = place.wrapping_add(align);
        self.left -= 1;
        place
    }
}

#[derive(Debug)]
enum Spread {
    Uniform,
    Ranges { ranges: Box<[Range]>, span: u64 },
}

#[derive(Debug)]
struct Range {
    io_to: u64,
    from: u64,
    lengths: u64, // what draws are reduced by; above 0
}

/// Which of a target's threads and slots a walk is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stride {
    /// Number of the thread among those of the target; in a pool, its own number.
    pub(crate) index: u32,
    /// The first of its slots.
    pub(crate) first_slot: u32,
    /// How many.
    pub(crate) slots: u32,
}

impl Walk {
    /// Draws from `rng` what DISKSPD draws when it sets a thread up: a first place for mixed walks, and one choice.
    pub(crate) fn new(
        target: &PlannedTarget,
        access: &DiskspdAccess,
        stride: Stride,
        pointer: &Arc<SharedPointer>,
        rng: &mut Jenkins,
    ) -> Self {
        let block = target.workload.block.0;
        assert!(
            target.length.0 >= block && access.align.0 > 0,
            "the check leaves at least one block"
        );
        let start = access
            .thread_stride
            .0
            .saturating_mul(u64::from(stride.index));
        let mut walk = Walk {
            base: target.base.0,
            block,
            length: target.length.0,
            align: access.align.0,
            starts_to: access
                .extent(target.length, target.workload.block)
                .starts_to(),
            wrap: start % access.align.0,
            write: u32::from(target.workload.write.as_percent()),
            order: Order::Random,
            spread: Spread::new(target, access),
            last: Operation::Read,
        };
        walk.order = match (access.random.as_percent(), access.sequence) {
            (100, _) => Order::Random,
            (0, Sequence::PerThread) => Order::Sequential { next: start },
            (0, Sequence::Backward) => Order::Backward {
                next: 0,
                top: target.length.0.saturating_sub(access.align.0 + block),
            },
            (0, Sequence::Interlocked) => Order::Interlocked(Claim::new(pointer, stride.slots)),
            (0, Sequence::PerSlot) => {
                let next = vec![start; stride.slots as usize].into();
                Order::PerSlot {
                    next,
                    first_slot: stride.first_slot,
                }
            }
            (random, _) => Order::Mixed {
                random: u32::from(random),
                next: walk.random(rng),
            },
        };
        walk.last = walk.choose(rng);
        walk
    }

    /// The next step of a slot: first the place, then the operation.
    #[inline]
    pub(crate) fn next(&mut self, rng: &mut Jenkins, slot: u32) -> Step {
        let (length, block, align, wrap) = (self.length, self.block, self.align, self.wrap);
        let step = |next: &mut u64| {
            let place = if next.saturating_add(block) > length {
                wrap
            } else {
                *next
            };
            *next = place.saturating_add(align);
            place
        };
        let mut repeats = false;
        let place = match &mut self.order {
            Order::Random => self.random(rng),
            Order::Mixed { random, .. } if rng.chance(*random) => {
                let place = self.random(rng);
                if let Order::Mixed { next, .. } = &mut self.order {
                    *next = place.saturating_add(align);
                }
                place
            }
            Order::Mixed { next, .. } => {
                repeats = true;
                step(next)
            }
            Order::Sequential { next } => step(next),
            Order::Backward { next, top } => {
                let place = *next;
                *next = place.checked_sub(align).unwrap_or(*top);
                place
            }
            Order::Interlocked(claim) => claim.take(align) % self.starts_to,
            Order::PerSlot { next, first_slot } => step(&mut next[(slot - *first_slot) as usize]),
        };
        if !repeats {
            self.last = self.choose(rng);
        }
        Step {
            offset: self.base + place,
            operation: self.last,
        }
    }

    #[inline]
    fn choose(&self, rng: &mut Jenkins) -> Operation {
        match self.write {
            0 => Operation::Read,
            100 => Operation::Write,
            percent if rng.chance(percent) => Operation::Write,
            _ => Operation::Read,
        }
    }

    #[inline]
    fn random(&self, rng: &mut Jenkins) -> u64 {
        let drawn = rng.bits();
        let drawn = drawn - drawn % self.align;
        match &self.spread {
            Spread::Uniform => drawn % self.starts_to,
            Spread::Ranges { ranges, span } => {
                let share = rng.bits() % span;
                let range = ranges.iter().find(|range| share < range.io_to);
                let range = range.expect("the last range ends with the span");
                drawn % range.lengths + range.from
            }
        }
    }
}

impl Spread {
    fn new(target: &PlannedTarget, access: &DiskspdAccess) -> Self {
        let effective = target.effective().unwrap_or_default();
        if effective.ranges.is_empty() {
            return Spread::Uniform; // the check refuses a distribution of which nothing is left
        }
        let extent = access.extent(target.length, target.workload.block);
        let mut io_to = 0;
        let ranges = effective.ranges.iter().map(|range| {
            io_to += u64::from(range.io);
            let starts = range.to.min(extent.starts_to().max(range.from)) - range.from;
            let lengths = (starts - starts % extent.align).max(1);
            Range {
                io_to,
                from: range.from,
                lengths,
            }
        });
        Spread::Ranges {
            ranges: ranges.collect(),
            span: u64::from(effective.span),
        }
    }
}

#[cfg(test)]
mod tests;
