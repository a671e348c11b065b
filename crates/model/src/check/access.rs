//! Whether what a target gets can be done: its walk, its pace, its data, and what its engine has to honour.
//!
//! What cannot be done as asked is refused with the nearest thing that can: nothing is accepted and then ignored.

use super::{BLOCK_MAX, BLOCK_MIN, Field, Problem, RATE_MAX, Remedy, Rule};
use crate::plan::{
    Access, CacheMode, DiskspdAccess, Distribution, EngineChoice, Hint, Location, Pacing,
    PlannedTarget, PoolDraw, Priority, Sequence, StridedZones, StripeAccess, Target, Timespan,
    WriteContent,
};
use crate::record::{FileSystem, TargetFacts, TargetKind};
use crate::units::Bytes;

/// Whether the I/O goes past the system's cache, so that the device's alignment binds it.
pub(super) fn is_unbuffered(target: &Target) -> bool {
    target.cache != CacheMode::Cached && target.mapped.is_none()
}

/// The walks of DISKSPD, fio and IOR through the system's cache may go anywhere; every other I/O consists of sectors.
pub(super) fn unit(target: &Target) -> Bytes {
    let anywhere = matches!(
        target.workload.access,
        Access::Diskspd(_) | Access::Permuted(_) | Access::Skewed(_) | Access::Runs { .. }
    );
    let free = anywhere && !is_unbuffered(target);
    if free { Bytes(1) } else { BLOCK_MIN }
}

pub(super) fn check_block(target: &Target, problems: &mut Vec<Problem>) {
    if matches!(
        target.workload.access,
        Access::Mixed(_) | Access::Recorded(_)
    ) {
        return; // each line is looked at by itself
    }
    let (block, unit) = (target.workload.block, unit(target));
    if block < unit || block > BLOCK_MAX || !block.is_multiple_of(unit) {
        problems.push(Problem::value(Field::Block, block, Rule::BlockSize));
    }
}

/// Everything about one target that does not depend on what is found under its name.
pub(super) fn check_request(span: &Timespan, target: &Target, problems: &mut Vec<Problem>) {
    match target.pacing {
        Pacing::Rate { bytes_per_s: 0 } => problems.push(Problem::PaceZero {
            what: "a rate of 0 bytes a second",
        }),
        Pacing::Ios { per_s, .. } if !(1..=RATE_MAX).contains(&per_s) => {
            let rule = Rule::Range {
                most: RATE_MAX,
                of: "I/Os per second of each thread",
            };
            problems.push(Problem::value(Field::Rate, per_s, rule));
        }
        Pacing::Bursts { ios: 0, .. } => problems.push(Problem::PaceZero {
            what: "a burst of 0 I/Os",
        }),
        Pacing::Bursts { pause, .. } if pause.0 == 0 => {
            problems.push(Problem::PaceZero {
                what: "a pause of no time after each burst",
            });
        }
        _ => {}
    }
    if let Some(amount) = target.amount {
        if amount < target.workload.block {
            let rule = Rule::OneBlock(target.workload.block);
            problems.push(Problem::value(Field::Amount, amount, rule));
        }
        if span.pool.is_some_and(|pool| pool.draw != PoolDraw::InTurn) {
            problems.push(Problem::PoolCannot {
                what: "an amount after which a thread is done",
            });
        }
    }
    if let WriteContent::Source { bytes, .. } = target.content
        && bytes < target.workload.block
    {
        let rule = Rule::OneBlock(target.workload.block);
        problems.push(Problem::value(Field::Source, bytes, rule));
    }
    check_order(span, target, problems);
    if target.bounds.cycle.0 == 0 {
        problems.push(Problem::PaceZero {
            what: "a bound on rates over no time",
        });
    }
    if let Some(zones) = &target.zones
        && let Err(why) = check_zones(zones, target)
    {
        problems.push(Problem::Walk { why });
    }
    if !target.allocation.is_written() && !is_only_written(target) {
        problems.push(Problem::Walk {
            why: "a file whose blocks are not written before the run is for writes alone: fill it with data, or make all I/O writes",
        });
    }
    if target.mapped.is_some() {
        check_mapped(span, target, problems);
    }
    if matches!(target.location, Location::Null(_)) {
        check_null(target, problems);
    }
}

/// What contradicts itself in the order of the offsets.
fn check_order(span: &Timespan, target: &Target, problems: &mut Vec<Problem>) {
    let threads = span.pool.map_or(target.threads, |pool| pool.threads);
    match &target.workload.access {
        Access::Diskspd(access) => {
            if let Err(why) = check_walk(access, target.workload.block) {
                problems.push(Problem::Walk { why });
            }
        }
        Access::Mixed(mixed) => super::mixed::check(target, mixed, problems),
        Access::Stripe(stripe) => check_stripe(target, *stripe, threads, problems),
        Access::Runs { .. } => check_runs(target, threads, problems),
        _ => {}
    }
}

/// Whether nothing reads the target, which would find zeros in blocks that were never written.
fn is_only_written(target: &Target) -> bool {
    let all_writes = target.workload.write.as_percent() == 100;
    all_writes && target.mapped.is_none() && target.verify.is_off()
}

/// What contradicts itself in zones of a range.
fn check_zones(zones: &StridedZones, target: &Target) -> Result<(), &'static str> {
    let block = target.workload.block;
    let one_size = match &target.workload.access {
        Access::Random => true,
        Access::Diskspd(walk) => {
            walk.sequence == Sequence::PerThread && walk.distribution == Distribution::Uniform
        }
        _ => false,
    };
    let in_order =
        matches!(&target.workload.access, Access::Diskspd(walk) if walk.random.as_percent() == 0);
    if zones.moved < block || zones.length < block {
        Err("a zone is at least one block long, and at least one block is moved in it")
    } else if target.length.is_some_and(|length| zones.length > length) {
        Err("a zone is at most as long as the range")
    } else if in_order && !starts_each_zone(zones, block) {
        Err(
            "in order, what is moved in a zone is a multiple of the block, and of the zone where it is longer: specify such sizes, or random I/O",
        )
    } else if !one_size || !target.verify.is_off() {
        Err(
            "zones are for blocks of one size that are not verified, in order or at random anywhere in a zone",
        )
    } else {
        Ok(())
    }
}

/// Whether a walk in order is at the start of the zone whenever the zone changes.
fn starts_each_zone(zones: &StridedZones, block: Bytes) -> bool {
    let (moved, length) = (zones.moved, zones.length);
    moved.is_multiple_of(block)
        && (moved <= length || length.is_multiple_of(block) && moved.is_multiple_of(length))
}

/// A matrix has blocks, is just as long as the range, and has a column for each thread.
fn check_stripe(target: &Target, stripe: StripeAccess, threads: u32, problems: &mut Vec<Problem>) {
    let bytes = u128::from(stripe.blocks()) * u128::from(target.workload.block.0);
    if bytes == 0 {
        problems.push(Problem::Walk {
            why: "a stripe has at least one column and one row of blocks",
        });
    } else if target.length.map(|length| u128::from(length.0)) != Some(bytes) {
        problems.push(Problem::Walk {
            why: "a stripe's range is as long as its columns times its rows of blocks: specify just that length",
        });
    }
    if threads > stripe.columns {
        problems.push(Problem::StripeThreads {
            columns: stripe.columns,
            threads,
        });
    }
}

/// Rows are whole, and each thread has a column of its own.
fn check_runs(target: &Target, threads: u32, problems: &mut Vec<Problem>) {
    let Access::Runs {
        run,
        columns,
        first,
    } = target.workload.access
    else {
        return;
    };
    let row = u128::from(run) * u128::from(columns) * u128::from(target.workload.block.0);
    let mut refuse = |why| problems.push(Problem::Walk { why });
    if row == 0 {
        refuse("runs have at least one block and one column");
    } else if target
        .length
        .is_none_or(|length| length.0 == 0 || !u128::from(length.0).is_multiple_of(row))
    {
        refuse(
            "the range of runs is whole rows of them: specify a multiple of a row as its length",
        );
    }
    if u64::from(first) + u64::from(threads) > u64::from(columns) {
        refuse("each thread has a column of runs of its own: use fewer threads, or more columns");
    }
}

/// What contradicts itself in a walk.
fn check_walk(access: &DiskspdAccess, block: Bytes) -> Result<(), &'static str> {
    let random = access.random.as_percent();
    let shared = access.sequence == Sequence::Interlocked;
    if access.align.0 == 0 {
        return Err(
            "a stride or alignment of 0 goes nowhere: give at least 1 byte, usually a block",
        );
    }
    if random > 0 && (access.sequence != Sequence::PerThread || access.thread_stride.0 > 0) {
        return Err(
            "pointers that are shared, one a slot or set apart by thread belong to sequential I/O: omit them, or \
            make no I/O random",
        );
    }
    if access.sequence == Sequence::Backward && access.thread_stride.0 > 0 {
        return Err(
            "threads that go backwards all begin at the start: omit the stride of the threads",
        );
    }
    if shared && access.thread_stride.0 > 0 {
        return Err("threads that share one pointer do not start apart: omit one of the two");
    }
    match &access.distribution {
        Distribution::Uniform => Ok(()),
        _ if random == 0 => {
            Err("a distribution is for random I/O, and none is: make a share of the I/O random")
        }
        Distribution::Percent(parts) => check_percents(parts),
        Distribution::Absolute(parts) => check_absolute(parts, block),
    }
}

fn check_percents(parts: &[(u8, u8)]) -> Result<(), &'static str> {
    let sum = |of: fn(&(u8, u8)) -> u8| parts.iter().map(|part| u32::from(of(part))).sum::<u32>();
    if parts.iter().any(|part| part.1 == 0) {
        return Err("a distribution's range covers at least 1% of the target");
    }
    match (sum(|part| part.0), sum(|part| part.1)) {
        (100, 100) => Ok(()),
        (100, _) => Err("a distribution's ranges add up to 100% of the target"),
        _ => Err("a distribution's shares add up to 100% of the I/Os"),
    }
}

fn check_absolute(parts: &[(u8, u64)], block: Bytes) -> Result<(), &'static str> {
    let shares: u32 = parts.iter().map(|part| u32::from(part.0)).sum();
    let open_inside = parts.iter().rev().skip(1).any(|part| part.1 == 0);
    let short = parts.iter().any(|part| part.1 > 0 && part.1 < block.0);
    if shares == 0 || shares > 100 {
        Err("a distribution's shares add up to at most 100% of the I/Os, and to more than none")
    } else if open_inside {
        Err("only the last range of a distribution may be open (0 bytes)")
    } else if short {
        Err("a distribution's range is at least one block long")
    } else {
        Ok(())
    }
}

fn check_mapped(span: &Timespan, target: &Target, problems: &mut Vec<Problem>) {
    let mut refuse = |what, instead| problems.push(Problem::Mapped { what, instead });
    match target.cache {
        CacheMode::Cached => {}
        CacheMode::Unbuffered => refuse(
            "past the system's cache",
            "map it through the cache, or do not map it",
        ),
        CacheMode::LocalOff => refuse(
            "past the local cache of a network file system",
            "map it through the cache, or do not map it",
        ),
    }
    if target.write_through {
        refuse(
            "written through by itself",
            "have the touched pages flushed after each write (msync), or do not map it",
        );
    }
    if span.engine_of(target) != EngineChoice::Auto {
        refuse(
            "moved by a chosen engine",
            "leave the engine to fathom (auto)",
        );
    }
    if target.location.path().is_none() {
        refuse("nowhere", "specify a file");
    }
}

/// Polling needs a device and an engine that offer it; whether they are here is asked when the run begins.
pub(super) fn check_polling(span: &Timespan, problems: &mut Vec<Problem>) {
    let mut refuse = |field, what, instead| {
        let problem = Problem::Polling {
            field,
            what,
            instead,
        };
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    };
    let (poll, sqpoll) = (Field::CompletionPolling, Field::SubmissionPolling);
    let polling = span.polling;
    for target in span.targets.iter().filter(|_| polling.any()) {
        if target.mapped.is_some() {
            refuse(poll, "memory-mapped I/O", None);
        }
        if polling.completions && target.cache == CacheMode::Cached {
            refuse(
                poll,
                "I/O through the system's cache",
                Some(Remedy::option(Field::Unbuffered, "")),
            );
        }
    }
    match span.engine {
        EngineChoice::Libaio | EngineChoice::Iocp | EngineChoice::Null if polling.completions => {
            refuse(
                poll,
                "this engine",
                Some(Remedy::value(Field::Engine, "io_uring or sync")),
            );
        }
        _ => {}
    }
    match span.engine {
        EngineChoice::Libaio
        | EngineChoice::Iocp
        | EngineChoice::Null
        | EngineChoice::Nvme
        | EngineChoice::Sync
            if polling.submissions =>
        {
            refuse(
                sqpoll,
                "this engine",
                Some(Remedy::value(Field::Engine, "io_uring")),
            );
        }
        _ => {}
    }
}

/// The null backend asks nothing of the system, so nothing can be asked of the system for it.
fn check_null(target: &Target, problems: &mut Vec<Problem>) {
    let mut refuse = |what| problems.push(Problem::NullCannot { what });
    if target.priority != Priority::Normal {
        refuse("a priority");
    }
    if target.hint != Hint::None {
        refuse("a hint about the pattern");
    }
    if !target.fsync.is_never() {
        refuse("written data to make durable");
    }
    if target.drop_cache || target.drop_cache_every.is_some() {
        refuse("a page cache to drop");
    }
    if target.cache == CacheMode::LocalOff {
        refuse("a network cache to go past");
    }
}

/// What depends on what was found under the name.
pub(super) fn check_found(target: &Target, facts: &TargetFacts, problems: &mut Vec<Problem>) {
    let path = || facts.path.clone();
    if target.mapped.is_some() && facts.kind == TargetKind::BlockDevice {
        problems.push(Problem::MappedDevice { path: path() });
    }
    let exists = matches!(
        facts.kind,
        TargetKind::File | TargetKind::BlockDevice | TargetKind::Missing
    );
    let system = facts.file_system.as_ref();
    if target.cache == CacheMode::LocalOff && exists && !system.is_some_and(FileSystem::is_network)
    {
        problems.push(Problem::LocalOff {
            path: path(),
            file_system: system.map(|system| system.kind.clone()),
        });
    }
}

/// Checks that each thread's walk finds room in the target's range. `highest` is the largest number of a thread among
/// those of the target.
pub(super) fn check_room(
    target: &PlannedTarget,
    highest: u32,
    facts: &TargetFacts,
    problems: &mut Vec<Problem>,
) {
    let Access::Diskspd(access) = &target.workload.access else {
        return;
    };
    let (block, length, alignment) = (target.workload.block, target.length, target.alignment);
    let aligned = || Rule::Aligned {
        to: alignment,
        path: facts.path.clone(),
    };
    for (field, read) in [
        (Field::Stride, access.align),
        (Field::ThreadStride, access.thread_stride),
    ] {
        if !read.is_multiple_of(alignment) {
            problems.push(Problem::value(field, read, aligned()));
        }
    }
    let start = Bytes(access.thread_stride.0.saturating_mul(u64::from(highest)));
    if start.0.saturating_add(block.0) > length.0 {
        let path = facts.path.clone();
        problems.push(Problem::NoRoomForThread {
            path,
            thread: highest,
            start,
            block,
            length,
        });
    }
    if access.align.0 == 0 || length < block {
        return; // reported already
    }
    let effective = access.distribution.effective(&access.extent(length, block));
    if access.distribution != Distribution::Uniform && effective.ranges.is_empty() {
        problems.push(Problem::NothingToDraw {
            path: facts.path.clone(),
            length,
        });
    }
    let uneven = |parts: &[(u8, u64)]| {
        parts
            .iter()
            .find(|part| !Bytes(part.1).is_multiple_of(alignment))
            .copied()
    };
    if let Distribution::Absolute(parts) = &access.distribution
        && let Some((_, bytes)) = uneven(parts)
    {
        problems.push(Problem::value(Field::Distribution, Bytes(bytes), aligned()));
    }
}
