//! Queue depth where neither io_uring nor libaio runs, as in many containers: threads that each wait for one I/O.
//!
//! Random I/O at depth 8 with 2 threads is 16 threads with one I/O each: as many I/Os are in flight, at the same places by
//! chance. Sequential I/O is left as it is and refused, because several threads would read several streams. Omitted: which
//! engines run (`engine`).

use model::{Access, EngineChoice, Location, Placement, Profile, QueueDepth, Timespan};

/// Most threads of one target that this makes.
const THREADS_MAX: u32 = 128;

/// The profile with threads instead of depth, and the note on it; `None` where nothing of it can be changed.
pub(crate) fn instead_of_depth(profile: &Profile) -> Option<(Profile, String)> {
    let mut changed = profile.clone();
    let mut most = 0;
    for span in changed.timespans.iter_mut().filter(|span| is_free(span)) {
        for target in &mut span.targets {
            let depth = target.workload.queue_depth.0;
            let threads = target.threads.saturating_mul(depth);
            let on_path = matches!(target.location, Location::Path(_));
            let random = matches!(
                target.workload.access,
                Access::Random | Access::Permuted(_) | Access::Skewed(_)
            ) && target.mapped.is_none();
            if depth > 1 && threads <= THREADS_MAX && on_path && random {
                target.threads = threads;
                target.workload.queue_depth = QueueDepth(1);
                most = most.max(threads);
            }
        }
    }
    let note = format!(
        "neither io_uring nor libaio runs here, so the queue depth comes from {most} threads with one I/O each (at most \
         {THREADS_MAX}), which costs more CPU; hint: allow io_uring (sysctl kernel.io_uring_disabled, or the container's \
         seccomp filter)"
    );
    (most > 0).then_some((changed, note))
}

/// Nothing else decides how many threads there are, or where.
fn is_free(span: &Timespan) -> bool {
    span.engine == EngineChoice::Auto
        && span.targets.iter().all(|target| target.engine.is_none())
        && !span.polling.any()
        && span.pool.is_none()
        && span.placement == Placement::Free
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Bytes, Nanos, OnError, Phases, Polling, Ratio, Target, Workload};

    fn asked(threads: u32, depth: u32, access: Access) -> Profile {
        let workload = Workload {
            block: Bytes::kib(4),
            queue_depth: QueueDepth(depth),
            write: Ratio::NONE,
            access,
        };
        let second = Nanos::seconds(1);
        let span = Timespan {
            start_delay: model::Nanos(0),
            end_with_first: false,
            phases: Phases {
                warmup: Nanos(0),
                measured: second,
                cooldown: Nanos(0),
            },
            interval: second,
            seed: 0,
            engine: EngineChoice::Auto,
            on_error: OnError::Stop,
            pool: None,
            polling: Polling::default(),
            queueing: model::Queueing::default(),
            placement: Placement::Free,
            arrivals: None,
            targets: vec![Target {
                threads,
                ..Target::new(Location::Path("f".into()), workload)
            }],
        };
        Profile {
            timespans: vec![span],
        }
    }

    #[test]
    fn as_many_random_ios_are_in_flight_by_threads_up_to_the_limit() {
        let (changed, note) = instead_of_depth(&asked(2, 8, Access::Random)).unwrap();
        let target = &changed.timespans[0].targets[0];
        assert_eq!((target.threads, target.workload.queue_depth.0), (16, 1));
        assert!(note.contains("16 threads"), "{note}");
        for kept in [
            asked(2, 1, Access::Random),
            asked(2, 65, Access::Random),
            asked(1, 8, Access::Sequential),
        ] {
            assert_eq!(instead_of_depth(&kept), None);
        }
        let mut named = asked(1, 8, Access::Random);
        named.timespans[0].engine = EngineChoice::IoUring;
        assert_eq!(instead_of_depth(&named), None);
    }
}
