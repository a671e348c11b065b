//! Profile + facts → plans, or every problem at once. The one gate between asking and doing.
//!
//! Policy on alignment, ranges, memory and, above all, on what may be written stands here and nowhere else.
//! Finding the facts is `host`'s business; opening things safely is `engine`'s.

mod access;
mod field;
mod memory;
mod mixed;
mod passthrough;
mod problem;
mod safety;
mod simulated;
mod threads;
mod verify;

pub use field::{Field, Options, Remedy, Rule};
pub use problem::{Problem, Problems};
pub use safety::{Consent, asks_if_empty, check_output, output_asks_if_empty, seems_own, writes};

use crate::plan::planned::{Checked, Plan, PlannedTarget};
use crate::plan::{
    Access, BeyondEnd, EngineChoice, Location, PermutedAccess, Profile, Target, Timespan,
};
use crate::record::{HostRecord, TargetFacts, TargetKind};
use crate::units::{Bytes, Nanos};

/// Smallest block; every device and every fathom file is a multiple of it.
pub const BLOCK_MIN: Bytes = Bytes(512);
/// Largest block: the size of one registered buffer.
pub const BLOCK_MAX: Bytes = Bytes::gib(1);
/// Most outstanding I/Os of one thread: the size of a completion queue.
pub const QUEUE_DEPTH_MAX: u32 = 65_536;
/// Most arrivals a second: one a nanosecond.
pub const RATE_MAX: u64 = 1_000_000_000;
/// Shortest step of a time series.
const INTERVAL_MIN: Nanos = Nanos::millis(1);
/// Most threads on one target.
pub const THREADS_MAX: u32 = 1024;

/// Creates the profile's plans, one per timespan, or returns all problems.
///
/// `facts` has one entry for each target of each timespan, in order: timespan by timespan.
pub fn check(
    profile: &Profile,
    host: &HostRecord,
    facts: &[TargetFacts],
    consent: &Consent,
) -> Result<Vec<Plan>, Problems> {
    let targets_asked: usize = profile
        .timespans
        .iter()
        .map(|span| span.targets.len())
        .sum();
    assert_eq!(
        facts.len(),
        targets_asked,
        "one set of facts for each target asked"
    );
    let mut problems = Vec::new();
    let mut plans = Vec::new();
    let mut facts = facts.iter();
    for span in &profile.timespans {
        check_timespan(span, &mut problems);
        let facts_of_span = &facts.as_slice()[..span.targets.len()];
        passthrough::check_mixed(facts_of_span, &mut problems);
        let planned = span
            .targets
            .iter()
            .zip(facts.by_ref())
            .map(|(target, facts)| {
                check_workload(span, target, &mut problems);
                safety::check_writing(target, facts, consent, &mut problems);
                access::check_found(target, facts, &mut problems);
                passthrough::check(span, target, facts, &mut problems);
                let planned = plan_target(span, target, facts, &mut problems);
                PlannedTarget {
                    prove_ours: safety::needs_proof(target, facts, consent),
                    ..planned
                }
            })
            .collect();
        let plan = Plan {
            phases: span.phases,
            interval: span.interval,
            seed: span.seed,
            engine: span.engine,
            on_error: span.on_error,
            targets: planned,
            pool: span.pool,
            placement: span.placement.clone(),
            polling: span.polling,
            queueing: span.queueing,
            arrivals: span.arrivals,
            end_with_first: span.end_with_first,
            checked: Checked,
        };
        memory::check(&plan, host, &mut problems);
        verify::check(&plan, host, facts_of_span, &mut problems);
        plans.push(plan);
    }
    if plans.is_empty() {
        problems.push(Problem::NoTimespan);
    }
    Problems::none_or(problems).map(|()| plans)
}

fn check_timespan(span: &Timespan, problems: &mut Vec<Problem>) {
    if span.phases.measured.0 == 0 {
        let (read, rule) = (span.phases.measured, Rule::LongerThanNothing);
        problems.push(Problem::value(Field::Duration, read, rule));
    }
    if span.interval < INTERVAL_MIN {
        let rule = Rule::AtLeast(INTERVAL_MIN);
        problems.push(Problem::value(Field::Interval, span.interval, rule));
    }
    if span.phases.measured.0 / span.interval.0.max(1) > field::STEPS_MAX {
        let rule = Rule::StepsOver(span.phases.measured);
        problems.push(Problem::value(Field::Interval, span.interval, rule));
    }
    if span.targets.is_empty() {
        problems.push(Problem::NoTarget);
    }
    simulated::check(span, problems);
    threads::check_threads(span, problems);
    access::check_polling(span, problems);
    threads::check_arrivals(span, problems);
}

fn check_workload(span: &Timespan, target: &Target, problems: &mut Vec<Problem>) {
    access::check_block(target, problems);
    access::check_request(span, target, problems);
    let null_engine = span.engine_of(target) == EngineChoice::Null;
    let null_target = matches!(target.location, Location::Null(_));
    if null_engine != null_target {
        problems.push(Problem::NullMismatch);
    }
}

fn plan_target(
    span: &Timespan,
    target: &Target,
    facts: &TargetFacts,
    problems: &mut Vec<Problem>,
) -> PlannedTarget {
    let alignment = alignment(target, facts, problems);
    let before = problems.len();
    let create = creation(target, facts, alignment, problems);
    check_kind(target, facts, problems);
    let length = match problems.len() == before {
        true => range_length(target, facts, create, problems),
        false => target.workload.block,
    };
    if !target.base.is_multiple_of(alignment) {
        let rule = Rule::MultipleOf(alignment);
        problems.push(Problem::value(Field::Base, target.base, rule));
    }
    if let Access::Mixed(access) = &target.workload.access {
        mixed::check_alignment(access, alignment, facts, problems);
    }
    let planned = PlannedTarget {
        location: target.location.clone(),
        base: target.base,
        length,
        create,
        allocation: target.allocation,
        cache: target.cache,
        drop_cache: target.drop_cache,
        drop_cache_every: target.drop_cache_every,
        write_through: target.write_through,
        fsync: target.fsync,
        exclusive: is_device(facts) && target.workload.write.as_percent() > 0,
        mapped: target.mapped,
        engine: target.engine,
        content: target.content.clone(),
        pacing: target.pacing,
        bounds: target.bounds,
        zones: target.zones,
        active: target.active,
        priority: target.priority,
        hint: target.hint,
        large_pages: target.large_pages,
        weight: target.weight,
        pool_threads: target.pool_threads.clone(),
        verify: target.verify,
        threads: target.threads,
        amount: target.amount,
        workload: target.workload.clone(),
        alignment,
        prove_ours: false,
        namespace: facts.namespace.clone(),
        identity: facts.identity,
    };
    if problems.len() == before {
        access::check_room(&planned, highest_thread(span, target), facts, problems);
    }
    planned
}

/// Whether it is a whole device or namespace, which has no file system of its own.
fn is_device(facts: &TargetFacts) -> bool {
    matches!(
        facts.kind,
        TargetKind::BlockDevice | TargetKind::NvmeNamespace
    )
}

/// The largest number of a thread among those that work on a target.
fn highest_thread(span: &Timespan, target: &Target) -> u32 {
    let Some(pool) = span.pool else {
        return target.threads.saturating_sub(1);
    };
    let named = target.pool_threads.iter().map(|(thread, _)| *thread).max();
    named.unwrap_or(pool.threads.saturating_sub(1))
}

/// The size to make or complete the file at; `None` where what is there serves.
fn creation(
    target: &Target,
    facts: &TargetFacts,
    alignment: Bytes,
    problems: &mut Vec<Problem>,
) -> Option<Bytes> {
    let asked = target.create?;
    let path = &facts.path;
    if !asked.is_multiple_of(alignment) {
        let rule = Rule::Aligned {
            to: alignment,
            path: path.clone(),
        };
        problems.push(Problem::value(Field::FileSize, asked, rule));
        return None;
    }
    if asked < target.workload.block {
        let rule = Rule::OneBlock(target.workload.block);
        problems.push(Problem::value(Field::FileSize, asked, rule));
        return None;
    }
    match facts.kind {
        TargetKind::File | TargetKind::Missing => {}
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => {
            problems.push(Problem::CreateDevice { path: path.clone() });
            return None;
        }
        _ => return None, // `check_kind` reports what is wrong with it
    }
    if safety::serves(target, asked, facts) {
        return None;
    }
    // How much is written before a time ends nothing foretells.
    let most = match target.allocation == crate::plan::Allocation::Emptied
        && target.active.length.is_some()
    {
        true => Bytes(0),
        false => asked,
    };
    let needed = Bytes(most.0.saturating_sub(facts.allocated.0));
    if let Some(fs) = &facts.file_system
        && needed > fs.free
    {
        problems.push(Problem::NoSpace {
            path: path.clone(),
            needed,
            free: fs.free,
            size: fs.size,
            mount_point: fs.mount_point.clone(),
        });
    }
    Some(asked)
}

/// What offsets and buffers must be multiples of.
fn alignment(target: &Target, facts: &TargetFacts, problems: &mut Vec<Problem>) -> Bytes {
    let usable = is_device(facts) || matches!(facts.kind, TargetKind::File | TargetKind::Missing);
    if !access::is_unbuffered(target) || !usable || facts.names_no_device() {
        return access::unit(target);
    }
    let Some(direct) = facts.direct_io else {
        problems.push(Problem::NoDirectIo {
            path: facts.path.clone(),
            file_system: facts.file_system.clone(),
        });
        return BLOCK_MIN;
    };
    let alignment = direct.offset.max(direct.memory).max(BLOCK_MIN);
    let mixed = matches!(target.workload.access, Access::Mixed(_)); // each line is looked at by itself
    let unit = match &target.workload.access {
        Access::Recorded(recorded) => recorded.unit,
        _ => target.workload.block,
    };
    if !mixed && !unit.is_multiple_of(alignment) {
        let rule = Rule::Aligned {
            to: alignment,
            path: facts.path.clone(),
        };
        problems.push(Problem::value(Field::Block, target.workload.block, rule));
    }
    alignment
}

/// Whether there is anything under this name that stores.
fn check_kind(target: &Target, facts: &TargetFacts, problems: &mut Vec<Problem>) {
    let path = facts.path.clone();
    match facts.kind {
        TargetKind::File
        | TargetKind::BlockDevice
        | TargetKind::NvmeNamespace
        | TargetKind::Null
        | TargetKind::Simulated => {}
        TargetKind::Missing if facts.names_no_device() => {
            problems.push(Problem::NoDevice { path });
        }
        TargetKind::Missing if target.create.is_some() => {}
        TargetKind::Missing => problems.push(Problem::Missing { path }),
        TargetKind::MissingFolder => problems.push(Problem::MissingFolder { path }),
        TargetKind::Folder => problems.push(Problem::Folder { path }),
        TargetKind::Other => problems.push(match facts.obstacle.clone() {
            Some(why) => Problem::Unreachable { path, why },
            None => Problem::NotStorage { path },
        }),
        TargetKind::Forbidden => problems.push(Problem::Forbidden {
            path,
            why: facts.obstacle.clone(),
        }),
    }
}

/// Whole blocks between the base and the end of the range, or the reason why there are none.
fn range_length(
    target: &Target,
    facts: &TargetFacts,
    create: Option<Bytes>,
    problems: &mut Vec<Problem>,
) -> Bytes {
    let path = facts.path.clone();
    let (base, block) = (target.base, target.workload.block);
    // A file that is filled again has the size asked, also where it was larger before.
    let size = create.unwrap_or(facts.size);
    let asked = target
        .length
        .map_or(size, |length| Bytes(base.0.saturating_add(length.0)));
    let end = match target.beyond_end {
        BeyondEnd::Refuse => asked,
        BeyondEnd::Clip => asked.min(size),
    };
    let whole = Bytes(end.0.saturating_sub(base.0));
    let anywhere = matches!(
        target.workload.access,
        Access::Diskspd(_) | Access::Mixed(_) | Access::Recorded(_)
    );
    let each = matches!(
        target.workload.access,
        Access::Permuted(PermutedAccess::Each) | Access::Skewed(_)
    );
    let length = if anywhere {
        whole
    } else {
        whole.floor_to(block)
    };
    let blocks = length.0 / block.0.max(1);
    let threads = target.threads;
    let problem = match target.length {
        _ if size > Bytes(0) && base >= size => {
            Problem::value(Field::Base, base, Rule::BelowEnd { path, size })
        }
        Some(asked) if asked < block => Problem::value(Field::Length, asked, Rule::OneBlock(block)),
        _ if end > size => Problem::RangeBeyondEnd {
            path,
            base,
            end,
            size,
        },
        _ if blocks == 0 => Problem::TooSmall {
            path,
            size,
            base,
            block,
        },
        _ if !anywhere && !each && blocks < u64::from(threads) => Problem::FewerBlocksThanThreads {
            path,
            blocks,
            threads,
        },
        _ => return length,
    };
    problems.push(problem);
    block
}

#[cfg(test)]
mod tests;
