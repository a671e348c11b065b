//! The hot loop's promise: a million null I/Os, no allocation.

use crate::jobs;
use crate::replay::access;
use engine::{RecordedIo, Recording, rehearse};
use model::plan::{RecordedDependencies, RecordedIssue, RecordedTiming};
use model::trace::{TraceDependency, TraceOperation};
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

/// Calls of this thread while it rehearses for so long. The series has one step at any length, so that
/// a longer run differs in nothing but its I/Os.
fn calls(measured: Nanos, change: jobs::Change<'_>, recording: Option<&Recording>) -> (u64, u64) {
    let behaviour = NullBehaviour {
        size: Bytes::mib(64),
        delay: Nanos::micros(1),
        error_every: 0,
        ..NullBehaviour::default()
    };
    let mut job = jobs::null(behaviour, &|span| {
        span.phases.measured = measured;
        span.interval = Nanos::seconds(10);
        span.targets[0].workload.queue_depth = QueueDepth(32);
        span.targets[0].workload.write = Ratio::percent(30).unwrap();
        change(span);
    });
    job.recording = recording.cloned();
    let before = CALLS.get();
    let record = rehearse(job, Nanos(1)).unwrap();
    (CALLS.get() - before, record.total().ios)
}

/// Asks both a short and a long run, and how many more calls the long one makes.
fn loop_allocates_nothing(change: jobs::Change<'_>) {
    recorded_loop_allocates_nothing(change, None);
}

/// The same with the I/Os of a trace.
fn recorded_loop_allocates_nothing(change: jobs::Change<'_>, recording: Option<&Recording>) {
    let (few_calls, few) = calls(Nanos::millis(10), change, recording);
    let (many_calls, many) = calls(Nanos::millis(60), change, recording);
    assert!(many > few + 1_000_000, "{few} and {many} I/Os");
    assert!(few_calls > 0, "the allocator is watched");
    assert_eq!(
        many_calls,
        few_calls,
        "{} more I/Os, and calls of the allocator",
        many - few
    );
}

#[test]
fn a_million_ios_allocate_nothing_in_the_loop() {
    loop_allocates_nothing(&|_| {});
}

#[test]
fn closing_a_step_allocates_nothing_either() {
    loop_allocates_nothing(&|span| span.interval = Nanos(span.phases.measured.0 / 10));
}

#[test]
fn a_pool_that_draws_its_targets_allocates_nothing_either() {
    loop_allocates_nothing(&|span| {
        span.pool = Some(Pool {
            threads: 1,
            outstanding: Some(32),
            draw: PoolDraw::ByWeight,
        });
        span.targets = vec![span.targets[0].clone(); 2];
        for (number, target) in span.targets.iter_mut().enumerate() {
            (target.weight, target.content) = (number as u32 + 1, WriteContent::Pattern);
            target.workload.access = Access::Diskspd(DiskspdAccess {
                random: Ratio::percent(50).unwrap(),
                align: Bytes::kib(4),
                sequence: Sequence::PerThread,
                thread_stride: Bytes(0),
                distribution: Distribution::Percent(vec![(90, 10), (10, 90)]),
            });
        }
    });
}

#[test]
fn a_rate_with_more_arrivals_than_slots_allocates_nothing_either() {
    for spacing in [Spacing::Constant, Spacing::Poisson] {
        loop_allocates_nothing(&|span| {
            span.arrivals = Some(Arrivals {
                per_s: 50_000_000,
                spacing,
            });
        });
    }
}

#[test]
fn a_mix_of_sizes_allocates_nothing_either() {
    loop_allocates_nothing(&|span| {
        let large = MixedLine {
            write: Ratio::ALL,
            random: Ratio::percent(40).unwrap(),
            align: Bytes::kib(4),
            burst: 3,
            ..MixedLine::new(Bytes::kib(16))
        };
        let lines = vec![MixedLine::new(Bytes::kib(4)), large];
        span.targets[0].workload = Workload::mixed(lines, QueueDepth(32));
    });
}

#[test]
fn ios_of_a_trace_allocate_nothing_either() {
    // An I/O each 20 ns, without an end; every second one waits for the one before it.
    let io = |number: u64| RecordedIo {
        number,
        at: Nanos(number * 20),
        offset: number * 7919 % 4096 * 4096,
        length: 4096,
        operation: match number % 50 {
            7 => TraceOperation::Write,
            _ => TraceOperation::Read,
        },
        after: TraceDependency {
            back: u32::from(number % 2 == 1),
            completed: number % 4 == 1,
            gap: Nanos(20),
            barrier: 0,
        },
    };
    let recording = Recording::new(move |_| Ok(Box::new((0..).map(io).map(Ok))));
    for timing in [
        RecordedTiming::Recorded,
        RecordedTiming::Dependent(RecordedDependencies::default()),
    ] {
        let change = |span: &mut Timespan| {
            span.arrivals = Some(Arrivals {
                per_s: 50_000_000,
                spacing: Spacing::Recorded,
            });
            span.targets[0].workload.access = access(&[]);
            let Access::Recorded(recorded) = &mut span.targets[0].workload.access else {
                unreachable!("a trace")
            };
            recorded.issue = RecordedIssue {
                timing,
                ..RecordedIssue::default()
            };
        };
        recorded_loop_allocates_nothing(&change, Some(&recording));
    }
}
