//! The system's allocator, with what each thread has taken of it; the tests of `dialects` include this file too. Left
//! out: memory that one thread takes and another gives back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

pub(crate) struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static ALL: Cell<u64> = const { Cell::new(0) };
}

/// What a piece of work took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Most bytes at one time.
    pub(crate) peak: usize,
    /// Calls that take or move memory.
    #[allow(dead_code, reason = "not every test that includes this file asks")]
    pub(crate) calls: u64,
    /// Bytes of all these calls together.
    pub(crate) all: u64,
}

/// Does something on this thread and answers what it took of memory.
pub(crate) fn cost(work: impl FnOnce()) -> Cost {
    let before = NOW.get();
    let calls = CALLS.get();
    let all = ALL.get();
    PEAK.set(before);
    work();
    Cost {
        peak: (PEAK.get() - before).cast_unsigned(),
        calls: CALLS.get() - calls,
        all: ALL.get() - all,
    }
}

/// Time of this thread on a processor, in nanoseconds, as the kernel counts it.
pub(crate) fn busy(work: impl FnOnce()) -> f64 {
    let ticks = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat");
        let text = text.expect("the kernel counts the time of threads");
        let first = text.split(' ').next().expect("a line has a first word");
        first.parse::<f64>().expect("nanoseconds")
    };
    let before = ticks();
    work();
    ticks() - before
}

/// Returns whether files have the lengths of `cargo xtask bounds`, and not those of every check.
#[allow(
    clippy::disallowed_methods,
    reason = "the lengths are those of the laboratory"
)]
pub(crate) fn is_full() -> bool {
    std::env::var_os("FATHOM_COSTS_FULL").is_some()
}

fn take(bytes: usize) {
    NOW.set(NOW.get() + bytes.cast_signed());
    PEAK.set(PEAK.get().max(NOW.get()));
    CALLS.set(CALLS.get() + 1);
    ALL.set(ALL.get() + bytes as u64);
}

fn give(bytes: usize) {
    NOW.set(NOW.get() - bytes.cast_signed());
}

#[allow(unsafe_code, reason = "an allocator is unsafe by its nature")]
// SAFETY: everything is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promise, handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: the caller's promise, handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size); // both exist while the bytes are moved
        give(layout.size());
        // SAFETY: the caller's promise, handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
