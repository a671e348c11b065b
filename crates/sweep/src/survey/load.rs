//! How hard a target is pushed, and the ladder of loads that a climb goes up.

use model::{EngineChoice, RunRecord};

/// Threads, and the outstanding I/Os of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Load {
    /// Threads. // at least 1
    pub threads: u32,
    /// Outstanding I/Os of each. // at least 1
    pub depth: u32,
}

impl Load {
    /// One I/O at a time: its latency is the service time.
    pub const ONE: Load = Load {
        threads: 1,
        depth: 1,
    };

    /// I/Os in flight over all threads.
    pub const fn in_flight(self) -> u32 {
        self.threads.saturating_mul(self.depth)
    }

    /// Of a record with one target; of each rank, where several have it together.
    pub(crate) fn of(record: &RunRecord) -> Load {
        let first = record.plan.targets.first();
        first.map_or(Load::ONE, |target| Load {
            threads: target.threads / record.engine.ranks(),
            depth: target.workload.queue_depth.0,
        })
    }
}

/// Doubling loads, the lightest first. A backend that has one I/O a thread climbs by threads.
pub(crate) fn ladder(engine: EngineChoice, depth_max: u32, threads_max: u32) -> Vec<Load> {
    let doubling = |most: u32| (0..=most.max(1).ilog2()).map(|step| 1 << step);
    match engine {
        EngineChoice::Sync => doubling(threads_max)
            .map(|threads| Load { threads, depth: 1 })
            .collect(),
        _ => doubling(depth_max)
            .map(|depth| Load { threads: 1, depth })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_doubles_from_one_in_what_the_backend_can_do() {
        let deep = ladder(EngineChoice::Auto, 100, 4);
        assert_eq!(deep.last().map(|load| load.in_flight()), Some(64));
        assert_eq!(deep.len(), 7);
        let wide = ladder(EngineChoice::Sync, 128, 4);
        assert_eq!(
            wide.iter().map(|load| load.threads).collect::<Vec<_>>(),
            [1, 2, 4]
        );
        assert!(wide.iter().all(|load| load.depth == 1));
    }
}
