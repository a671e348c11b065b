//! Who does what: each thread of a plan with the targets that it works on and the slots that it has.

use model::{EngineChoice, Plan, PlannedTarget};

/// One thread of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadPlan {
    /// Number over the whole plan.
    pub(crate) thread: u32,
    /// The targets that it works on, in the plan's order. // at least one
    pub(crate) seats: Vec<TargetShare>,
    /// I/Os that it may have outstanding.
    pub(crate) slots: u32,
    /// Whether each free slot draws its target by weight, instead of belonging to one.
    pub(crate) draws: bool,
    /// What it writes is drawn from this.
    pub(crate) content_seed: u64,
}

/// One target of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetShare {
    /// Which of the plan's targets.
    pub(crate) target: u32,
    /// Number among the threads of that target; in a pool the thread's own.
    pub(crate) index: u32,
    /// How many threads that target has.
    pub(crate) threads: u32,
    /// Its share of the draws. // above 0
    pub(crate) weight: u32,
    /// The first of the slots that it may have.
    pub(crate) first_slot: u32,
    /// How many.
    pub(crate) slots: u32,
}

/// All places of a plan, in the order of their threads. `salt` differs from run to run: what is written must too, or a
/// device that folds equal blocks would see old friends.
pub(crate) fn places(plan: &Plan, salt: u64) -> Vec<ThreadPlan> {
    let content_seed = |thread: u32| plan.seed ^ salt.rotate_left(17) ^ (u64::from(thread) << 48);
    let targets = || plan.targets.iter().zip(0u32..);
    let Some(pool) = plan.pool else {
        let each = targets().flat_map(|(target, number)| {
            (0..target.threads).map(move |index| (target, number, index))
        });
        return each
            .zip(0u32..)
            .map(|((target, number, index), thread)| ThreadPlan {
                thread,
                seats: vec![alone(target, number, index)],
                slots: target.workload.queue_depth.0,
                draws: false,
                content_seed: content_seed(thread),
            })
            .collect();
    };
    (0..pool.threads)
        .map(|thread| {
            let mut slots = 0;
            let seats: Vec<TargetShare> = targets()
                .filter_map(|(target, number)| {
                    let weight = target.weight_on(thread)?;
                    let depth = pool.slots(target.workload.queue_depth.0);
                    let first_slot = if pool.outstanding.is_some() { 0 } else { slots };
                    slots = first_slot + depth;
                    Some(TargetShare {
                        target: number,
                        index: thread,
                        threads: pool.threads,
                        weight,
                        first_slot,
                        slots: depth,
                    })
                })
                .collect();
            ThreadPlan {
                thread,
                seats,
                slots,
                draws: pool.outstanding.is_some(),
                content_seed: content_seed(thread),
            }
        })
        .collect()
}

fn alone(target: &PlannedTarget, number: u32, index: u32) -> TargetShare {
    TargetShare {
        target: number,
        index,
        threads: target.threads,
        weight: 1,
        first_slot: 0,
        slots: target.workload.queue_depth.0,
    }
}

impl ThreadPlan {
    /// Returns the engine of its targets, where it is not the plan's; the check lets no thread have several.
    pub(crate) fn engine(&self, plan: &Plan) -> Option<EngineChoice> {
        let first = self.seats.first()?;
        plan.targets[first.target as usize].engine
    }

    /// Whether the thread maps its targets; the check lets no thread do both.
    pub(crate) fn maps(&self, plan: &Plan) -> bool {
        self.seats
            .iter()
            .any(|seat| plan.targets[seat.target as usize].mapped.is_some())
    }
}
