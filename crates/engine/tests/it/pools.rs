//! Threads that share all targets, and DISKSPD's walks and paces: exact accounts on a fake clock.

use crate::jobs;
use engine::rehearse;
use model::*;

/// A null job with this many equal targets, each I/O of which takes 100 µs.
fn rehearsed(targets: usize, change: jobs::Change<'_>) -> RunRecord {
    let device = NullBehaviour {
        size: Bytes::mib(64),
        delay: Nanos::micros(100),
        error_every: 0,
        ..NullBehaviour::default()
    };
    let job = jobs::null(device, &|span| {
        span.targets = vec![span.targets[0].clone(); targets];
        change(span);
    });
    rehearse(job, Nanos(0)).unwrap()
}

fn ios(record: &RunRecord) -> Vec<(u32, u32, u64)> {
    record
        .threads
        .iter()
        .map(|t| (t.thread, t.target, t.measured[0].ios + t.measured[1].ios))
        .collect()
}

fn walk() -> DiskspdAccess {
    DiskspdAccess {
        random: Ratio::NONE,
        align: Bytes::kib(4),
        sequence: Sequence::PerThread,
        thread_stride: Bytes(0),
        distribution: Distribution::Uniform,
    }
}

#[test]
fn e045_threads_of_targets_are_numbered_through() {
    let record = rehearsed(2, &|span| {
        for target in &mut span.targets {
            (target.threads, target.workload.access) = (2, Access::Diskspd(walk()));
        }
    });
    assert_eq!(
        ios(&record),
        [(0, 0, 9_999), (1, 0, 9_999), (2, 1, 9_999), (3, 1, 9_999)]
    );
}

#[test]
fn e046_each_thread_of_a_pool_has_its_depth_on_every_target() {
    let record = rehearsed(2, &|span| {
        span.pool = Some(Pool {
            threads: 3,
            outstanding: None,
            draw: PoolDraw::ByWeight,
        });
        for target in &mut span.targets {
            (target.workload.queue_depth, target.workload.access) =
                (QueueDepth(4), Access::Diskspd(walk()));
        }
    });
    let each = 4 * 9_999;
    assert_eq!(
        ios(&record),
        [
            (0, 0, each),
            (0, 1, each),
            (1, 0, each),
            (1, 1, each),
            (2, 0, each),
            (2, 1, each)
        ]
    );
    assert_eq!(record.plan.outstanding_max(), 24);
}

#[test]
fn e048_weights_share_a_pools_outstanding_ios_out() {
    let record = rehearsed(2, &|span| {
        span.pool = Some(Pool {
            threads: 1,
            outstanding: Some(10),
            draw: PoolDraw::ByWeight,
        });
        (span.targets[0].weight, span.targets[1].weight) = (70, 30);
    });
    let counts = ios(&record);
    assert_eq!(counts[0].2 + counts[1].2, 10 * 9_999);
    // Five standard deviations of a binomial: sqrt(100 000 × 0.7 × 0.3) = 145; the case allows 1 %.
    assert!(counts[0].2.abs_diff(69_993) < 725, "{counts:?}");
}

#[test]
fn e049_threads_may_have_weights_of_their_own_or_no_part_in_a_target() {
    let record = rehearsed(2, &|span| {
        span.pool = Some(Pool {
            threads: 4,
            outstanding: Some(10),
            draw: PoolDraw::ByWeight,
        });
        (span.targets[0].weight, span.targets[1].weight) = (100, 100);
        span.targets[0].pool_threads = vec![(0, 200), (1, 50), (2, 0)];
    });
    let on = |thread: u32, target: u32| {
        let found = record
            .threads
            .iter()
            .find(|t| (t.thread, t.target) == (thread, target));
        found.map(|t| t.measured[0].ios as f64)
    };
    for (thread, ratio) in [(0, 2.0), (1, 0.5), (2, 1.0)] {
        let found = on(thread, 0).unwrap() / on(thread, 1).unwrap();
        assert!(
            (found / ratio - 1.0).abs() < 0.05,
            "thread {thread}: {found}"
        );
    }
    assert_eq!((on(3, 0), on(3, 1)), (None, Some(99_990.0)));
}

#[test]
fn e050_a_rate_is_kept_to_the_io_and_waiting_is_no_latency() {
    let record = rehearsed(1, &|span| {
        span.targets[0].pacing = Pacing::Rate {
            bytes_per_s: 4_096_000,
        };
    });
    // Issued at 1, 2 … 999 ms and found 100 µs later.
    assert_eq!(record.total().ios, 999);
    assert_eq!(record.total().latency.max(), Some(Nanos::micros(100)));
}

#[test]
fn a_rate_is_each_targets_own_and_may_have_several_in_flight() {
    let record = rehearsed(2, &|span| {
        span.pool = Some(Pool {
            threads: 2,
            outstanding: None,
            draw: PoolDraw::ByWeight,
        });
        for target in &mut span.targets {
            target.workload.queue_depth = QueueDepth(8);
        }
        span.targets[0].pacing = Pacing::Rate {
            bytes_per_s: 40_960_000,
        };
        span.targets[1].pacing = Pacing::Rate {
            bytes_per_s: 8_192_000,
        };
    });
    let counts: Vec<u64> = ios(&record).iter().map(|row| row.2).collect();
    assert_eq!(counts, [9_998, 1_999, 9_998, 1_999]);
}

#[test]
fn e052_bursts_are_followed_by_their_pause() {
    let record = rehearsed(1, &|span| {
        span.targets[0].workload.queue_depth = QueueDepth(10);
        span.targets[0].pacing = Pacing::Bursts {
            ios: 10,
            pause: Nanos::millis(100),
        };
    });
    // Ten at 0, 100 … 900 ms.
    assert_eq!(record.total().ios, 100);
    assert_eq!(record.total().latency.max(), Some(Nanos::micros(100)));
}

#[test]
fn a_mixed_walk_of_a_pool_repeats_to_the_last_bit() {
    let run = || {
        rehearsed(2, &|span| {
            span.pool = Some(Pool {
                threads: 2,
                outstanding: Some(7),
                draw: PoolDraw::ByWeight,
            });
            for target in &mut span.targets {
                let random = Ratio::percent(50).unwrap();
                target.workload.access = Access::Diskspd(DiskspdAccess { random, ..walk() });
                target.workload.write = Ratio::percent(30).unwrap();
                target.content = WriteContent::Fresh;
            }
        })
    };
    assert_eq!(run(), run());
}

#[test]
fn interlocked_threads_of_a_pool_share_each_targets_pointer() {
    let record = rehearsed(1, &|span| {
        span.pool = Some(Pool {
            threads: 2,
            outstanding: None,
            draw: PoolDraw::ByWeight,
        });
        let sequence = Sequence::Interlocked;
        span.targets[0].workload.access = Access::Diskspd(DiskspdAccess { sequence, ..walk() });
    });
    assert_eq!(ios(&record), [(0, 0, 9_999), (1, 0, 9_999)]);
}

#[test]
fn targets_that_take_turns_get_one_io_after_another_without_overlap() {
    let record = rehearsed(3, &|span| {
        span.pool = Some(Pool {
            threads: 2,
            outstanding: Some(1),
            draw: PoolDraw::InTurn,
        });
        for target in &mut span.targets {
            target.workload.access = Access::Random;
        }
    });
    let each = 9_999 / 3;
    assert_eq!(
        ios(&record),
        [
            (0, 0, each),
            (0, 1, each),
            (0, 2, each),
            (1, 0, each),
            (1, 1, each),
            (1, 2, each)
        ]
    );
    assert_eq!(record.plan.outstanding_max(), 2);
}

/// A thread has one meter for all of its targets, and loses no turn while it waits.
#[test]
fn targets_that_take_turns_share_the_pace_and_the_depth_of_their_thread() {
    let record = rehearsed(3, &|span| {
        span.pool = Some(Pool {
            threads: 2,
            outstanding: Some(4),
            draw: PoolDraw::InTurn,
        });
        for target in &mut span.targets[..2] {
            target.pool_threads = vec![(0, 0)];
            target.pacing = Pacing::Ios {
                per_s: 300,
                spacing: Spacing::Constant,
            };
            target.workload.queue_depth = QueueDepth(1);
        }
        span.targets[2].pool_threads = vec![(1, 0)];
        span.targets[2].workload.queue_depth = QueueDepth(4);
    });
    let paced: Vec<(u32, u32, u64)> = ios(&record).into_iter().take(2).collect();
    assert_eq!(paced, [(0, 0, 150), (0, 1, 150)]);
    assert_eq!(record.plan.outstanding_max(), 5);
}

#[test]
fn a_target_runs_only_in_its_part_of_the_time() {
    let record = rehearsed(2, &|span| {
        span.targets[0].active = Active {
            after: Nanos::millis(400),
            length: Some(Nanos::millis(300)),
            wear_out: false,
        };
    });
    let each: Vec<u64> = ios(&record).into_iter().map(|(.., ios)| ios).collect();
    assert_eq!(each, [3_000, 9_999]);
    let steps = &record.threads[0].measured[0].intervals;
    let active: Vec<bool> = steps.iter().map(|step| step.ios > 0).collect();
    let tenths = |tenth: usize| active[active.len() * tenth / 10];
    assert!(!tenths(3) && tenths(5) && !active[active.len() * 8 / 10..].contains(&true));
}
