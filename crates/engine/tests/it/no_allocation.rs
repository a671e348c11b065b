//! The hot loop's promise: a million null I/Os, no allocation.

use crate::jobs;
use engine::rehearse;
use model::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of each thread's calls.
pub(crate) struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its nature")]
// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promise, handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promise, handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's promise, handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Calls of this thread while it rehearses for so long. The series has one step whatever the length, so that
/// a longer run differs in nothing but its I/Os.
fn calls(measured: Nanos) -> (u64, u64) {
    let behaviour = NullBehaviour {
        size: Bytes::mib(64),
        delay: Nanos::micros(1),
        error_every: 0,
    };
    let job = jobs::null(behaviour, &|span| {
        span.phases.measured = measured;
        span.interval = Nanos::seconds(10);
        span.targets[0].workload.queue_depth = QueueDepth(32);
        span.targets[0].workload.write = Ratio::percent(30).unwrap();
    });
    let before = CALLS.get();
    let record = rehearse(job, Nanos(1)).unwrap();
    (CALLS.get() - before, record.total().ios)
}

#[test]
fn a_million_ios_allocate_nothing_in_the_loop() {
    let (few_calls, few) = calls(Nanos::millis(1));
    let (many_calls, many) = calls(Nanos::millis(60));
    assert!(many > few + 1_000_000, "{few} and {many} I/Os");
    assert!(few_calls > 0, "the allocator is watched");
    assert_eq!(
        many_calls,
        few_calls,
        "{} more I/Os, and calls of the allocator",
        many - few
    );
}
