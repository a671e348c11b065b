//! Threads: how many, what each has outstanding, and which targets a pool's threads share.

use super::{Field, Problem, QUEUE_DEPTH_MAX, RATE_MAX, Rule, THREADS_MAX};
use crate::plan::planned::weight_on;
use crate::plan::{
    Access, EngineChoice, Pacing, Placement, Pool, PoolDraw, Sequence, Target, Timespan,
};

pub(super) fn check_threads(span: &Timespan, problems: &mut Vec<Problem>) {
    match &span.placement {
        Placement::Cores(cores) if cores.is_empty() => problems.push(Problem::NoCores),
        Placement::Masks(masks) if masks.is_empty() => problems.push(Problem::NoCores),
        _ => {}
    }
    for target in &span.targets {
        let depth = target.workload.queue_depth.0;
        if !(1..=QUEUE_DEPTH_MAX).contains(&depth) {
            problems.push(depth_out_of_range(depth));
        }
        if !(1..=THREADS_MAX).contains(&target.threads) {
            problems.push(threads_out_of_range(target.threads));
        }
    }
    match span.pool {
        Some(pool) => check_pool(span, pool, problems),
        None => check_alone(span, problems),
    }
}

fn depth_out_of_range(read: u32) -> Problem {
    let rule = Rule::Range {
        most: u64::from(QUEUE_DEPTH_MAX),
        of: "for each thread",
    };
    Problem::value(Field::QueueDepth, read, rule)
}

fn threads_out_of_range(read: u32) -> Problem {
    let rule = Rule::Range {
        most: u64::from(THREADS_MAX),
        of: "for each target",
    };
    Problem::value(Field::Threads, read, rule)
}

/// A rate of arrivals is the whole run's, so nothing else may determine when its I/Os start.
pub(super) fn check_arrivals(span: &Timespan, problems: &mut Vec<Problem>) {
    let Some(arrivals) = span.arrivals else {
        return;
    };
    if !(1..=RATE_MAX).contains(&arrivals.per_s) {
        let rule = Rule::Range {
            most: RATE_MAX,
            of: "I/Os per second over all threads",
        };
        problems.push(Problem::value(Field::Rate, arrivals.per_s, rule));
    }
    if span.pool.is_some() {
        problems.push(Problem::RateCannot {
            what: "a pool of threads",
        });
    }
    if span
        .targets
        .iter()
        .any(|target| target.pacing != Pacing::Free)
    {
        problems.push(Problem::RateCannot {
            what: "a pace of each target",
        });
    }
    if span.targets.iter().any(|target| !target.active.is_always()) {
        problems.push(Problem::RateCannot {
            what: "a part of the time of each target",
        });
    }
    let pauses =
        |target: &Target| matches!(&target.workload.access, Access::Mixed(mixed) if mixed.pauses());
    if span.targets.iter().any(pauses) {
        problems.push(Problem::RateCannot {
            what: "lines that pause after a burst",
        });
    }
}

fn check_alone(span: &Timespan, problems: &mut Vec<Problem>) {
    for target in &span.targets {
        if target.weight != 1 || !target.pool_threads.is_empty() {
            problems.push(Problem::ShareWithoutPool);
        }
        let depth = target.workload.queue_depth.0;
        sync_depth(span.engine_of(target), depth, problems);
    }
}

fn sync_depth(engine: EngineChoice, depth: u32, problems: &mut Vec<Problem>) {
    if engine == EngineChoice::Sync && (2..=QUEUE_DEPTH_MAX).contains(&depth) {
        let rule = Rule::OneOutstanding;
        problems.push(Problem::value(Field::QueueDepth, depth, rule));
    }
}

fn check_pool(span: &Timespan, pool: Pool, problems: &mut Vec<Problem>) {
    if !(1..=THREADS_MAX).contains(&pool.threads) {
        problems.push(threads_out_of_range(pool.threads));
        return;
    }
    for target in &span.targets {
        check_member(target, pool, problems);
    }
    let own = |target: &Target| target.pool_threads.iter().any(|(_, weight)| *weight != 0);
    let weighted = |target: &Target| target.weight != 1 || own(target);
    if pool.draw == PoolDraw::InTurn
        && (pool.outstanding.is_none() || span.targets.iter().any(weighted))
    {
        problems.push(Problem::PoolTurns);
    }
    let way = |target: &Target| (target.mapped.is_some(), span.engine_of(target));
    let mut is_mixed = false;
    for thread in 0..pool.threads {
        let own = span
            .targets
            .iter()
            .filter(|t| weight_on(t.weight, &t.pool_threads, thread).is_some());
        let own: Vec<&Target> = own.collect();
        let ways = own.first().map(|first| way(first));
        is_mixed |= own.iter().any(|target| Some(way(target)) != ways);
        if pool.draw == PoolDraw::InTurn {
            check_turns(&own, problems);
        }
        let depths: Vec<u32> = own
            .iter()
            .map(|target| target.workload.queue_depth.0)
            .collect();
        if depths.is_empty() && !span.targets.is_empty() {
            problems.push(Problem::PoolIdle { thread });
        }
        let depth = match (pool.draw, pool.outstanding) {
            (PoolDraw::InTurn, _) => depths.first().copied().unwrap_or(1),
            (_, Some(outstanding)) => outstanding,
            _ => depths
                .iter()
                .fold(0u32, |sum, depth| sum.saturating_add(*depth)),
        };
        if depth > QUEUE_DEPTH_MAX || pool.outstanding == Some(0) {
            problems.push(depth_out_of_range(depth));
        }
        let engine = own.first().map(|first| span.engine_of(first));
        sync_depth(engine.unwrap_or(span.engine), depth, problems);
    }
    if is_mixed {
        problems.push(Problem::PoolMixed);
    }
}

/// A thread that takes its targets in turn does the same to each.
fn check_turns(own: &[&Target], problems: &mut Vec<Problem>) {
    let differs = |same: fn(&Target, &Target) -> bool| {
        own.first()
            .is_some_and(|first| own.iter().any(|target| !same(first, target)))
    };
    let rules: [(&'static str, bool); 4] = [
        (
            "an amount after which a thread is done",
            differs(|a, b| a.amount == b.amount),
        ),
        (
            "a queue depth of each target",
            differs(|a, b| a.workload.queue_depth == b.workload.queue_depth),
        ),
        (
            "a pace of each target",
            differs(|a, b| a.pacing == b.pacing),
        ),
        (
            "a part of the time of each target",
            differs(|a, b| a.active == b.active),
        ),
    ];
    let broken = rules.into_iter().filter(|(_, differs)| *differs);
    problems.extend(broken.map(|(what, _)| Problem::PoolCannot { what }));
}

/// What one target asks of the pool that it belongs to.
fn check_member(target: &Target, pool: Pool, problems: &mut Vec<Problem>) {
    if target.threads != 1 {
        problems.push(Problem::PoolThreads {
            read: target.threads,
        });
    }
    for &(thread, _) in target
        .pool_threads
        .iter()
        .filter(|(thread, _)| *thread >= pool.threads)
    {
        problems.push(Problem::PoolThreadNumber {
            read: thread,
            threads: pool.threads,
        });
    }
    let weighted = target.weight != 1 || target.pool_threads.iter().any(|(_, weight)| *weight != 0);
    if pool.outstanding.is_none() {
        if weighted {
            problems.push(Problem::ShareWithoutPool);
        }
        return;
    }
    if target.weight == 0 {
        problems.push(Problem::WeightZero);
    }
    if target.pacing != Pacing::Free && pool.draw != PoolDraw::InTurn {
        problems.push(Problem::PoolCannot {
            what: "a pace of each target",
        });
    }
    if matches!(&target.workload.access, Access::Diskspd(access) if access.sequence == Sequence::PerSlot)
    {
        problems.push(Problem::PoolCannot {
            what: "a pointer of each outstanding I/O",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a pool of two threads whose targets have these engines and threads.
    fn problems(targets: &[(Option<EngineChoice>, u32)]) -> Vec<Problem> {
        let pool = Pool {
            threads: 2,
            outstanding: Some(1),
            draw: PoolDraw::InTurn,
        };
        let profile = crate::check::tests::profile("x", |span| {
            let first = span.targets[0].clone();
            let target = |&(engine, thread): &(Option<EngineChoice>, u32)| Target {
                engine,
                pool_threads: vec![(thread, 0)],
                ..first.clone()
            };
            span.targets = targets.iter().map(target).collect();
        });
        let mut problems = Vec::new();
        check_pool(&profile.timespans[0], pool, &mut problems);
        problems
    }

    #[test]
    fn threads_of_a_pool_have_engines_of_their_own_and_each_has_one() {
        let libaio = Some(EngineChoice::Libaio);
        assert_eq!(problems(&[(None, 0), (libaio, 1), (libaio, 1)]), []);
        let mixed = problems(&[(None, 0), (libaio, 1), (None, 1)]);
        assert_eq!(mixed, [Problem::PoolMixed]);
    }
}
