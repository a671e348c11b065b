//! A pass → a timespan: each target with its threads, which take its requests off one pointer.
//!
//! A new file that is only written grows as it is written, as xdd's does. Omitted: which pass is next (`cli`).

use super::request::{Pattern, Pick, Request, Throttle, XddTarget};
use crate::fio::There;
use model::{
    Access, Active, Allocation, Bytes, CacheMode, DiskspdAccess, Distribution, EngineChoice, Fsync,
    Location, Nanos, OnError, Pacing, Phases, Placement, Polling, QueueDepth, Ratio, Sequence,
    Target, Timespan, Workload, WriteContent,
};
use std::path::Path;

/// How long a pass runs at most.
pub const PASS_TIME_MAX: Nanos = Nanos::seconds(6 * 3600);

/// Returns the timespan of a pass, which begins with 0. `found` reports what is under a name; `left` is how much of the run's time
/// is left.
pub fn timespan(
    request: &Request,
    pass: u64,
    left: Option<Nanos>,
    found: &dyn Fn(&Path) -> Option<There>,
) -> Timespan {
    let numbered = (0u64..).zip(&request.targets);
    let targets = numbered.map(|(number, target)| {
        let offset = number.saturating_mul(request.target_blocks);
        one(target, pass, offset, left, found)
    });
    Timespan {
        phases: Phases {
            warmup: Nanos(0),
            measured: PASS_TIME_MAX,
            cooldown: Nanos(0),
        },
        interval: Nanos::seconds(1),
        seed: request
            .targets
            .first()
            .map_or(0, |target| target.walk.seed)
            .wrapping_add(pass),
        engine: EngineChoice::Sync,
        polling: Polling::default(),
        queueing: model::Queueing::default(),
        on_error: match request.stop_on_error {
            true => OnError::Stop,
            false => OnError::Continue,
        },
        pool: None,
        placement: Placement::Free,
        arrivals: None,
        start_delay: match pass {
            0 => Nanos(0),
            _ => Nanos(request.pass_delay_ns),
        },
        end_with_first: false,
        targets: targets.collect(),
    }
}

fn one(
    target: &XddTarget,
    pass: u64,
    target_blocks: u64,
    left: Option<Nanos>,
    found: &dyn Fn(&Path) -> Option<There>,
) -> Target {
    let (base, length) = range(target, pass, target_blocks);
    let path = target.path();
    let end = base.saturating_add(length);
    let there = found(&path);
    let create = match there {
        Some(there) if there.device => None,
        // What no read of it needs is not filled.
        Some(there) if there.bytes >= end && (!there.unfinished || target.read_percent == 0) => {
            None
        }
        Some(there) if target.is_written() => Some(end.max(there.bytes)),
        None if target.read_percent == 0 => Some(end),
        _ => None,
    };
    let limit = target
        .times
        .limit_ns
        .map(Nanos)
        .into_iter()
        .chain(left)
        .min();
    let threads = target.threads();
    Target {
        base: Bytes(base),
        length: Some(Bytes(length)),
        create: create.map(Bytes),
        allocation: match (create, there) {
            (Some(_), None) => Allocation::Growing,
            _ => Allocation::Written,
        },
        cache: match target.direct {
            true => CacheMode::Unbuffered,
            false => CacheMode::Cached,
        },
        write_through: target.writes.sync && target.is_written(),
        fsync: Fsync {
            every: match target.is_written() {
                true => u32::try_from(target.writes.flush_every).unwrap_or(u32::MAX),
                false => 0,
            },
            ..Fsync::default()
        },
        content: match &target.writes.pattern {
            _ if !target.is_written() => WriteContent::default(),
            Pattern::Zero => WriteContent::Zero,
            Pattern::Random => WriteContent::Marked,
            Pattern::Bytes(bytes) => WriteContent::Repeated(bytes.clone()),
        },
        pacing: pacing(target, threads),
        active: Active {
            after: Nanos(target.times.delay_ns),
            length: limit,
            wear_out: false,
        },
        threads: u32::try_from(threads).unwrap_or(u32::MAX),
        amount: Some(Bytes(target.pass_bytes() / threads)),
        ..Target::new(Location::Path(path), workload(target))
    }
}

/// The first byte of a pass, and how many there are.
fn range(target: &XddTarget, pass: u64, target_blocks: u64) -> (u64, u64) {
    match target.walk.pick {
        Pick::Random => (0, target.walk.range_kib.saturating_mul(1024)),
        Pick::Sequential => {
            let passed = pass.saturating_mul(target.walk.pass_blocks);
            let blocks = target.walk.start_blocks.saturating_add(passed);
            let blocks = blocks.saturating_add(target_blocks);
            (blocks.saturating_mul(target.block), target.pass_bytes())
        }
    }
}

/// Each thread has an equal part of the target's rate.
fn pacing(target: &XddTarget, threads: u64) -> Pacing {
    let bytes_per_s = match target.times.throttle {
        None => return Pacing::Free,
        Some(Throttle::Megabytes(rate)) => rate * 1e6,
        Some(Throttle::Requests(rate)) => rate * target.request_bytes() as f64,
    };
    Pacing::Rate {
        bytes_per_s: ((bytes_per_s / threads as f64).round() as u64).max(1),
    }
}

fn workload(target: &XddTarget) -> Workload {
    Workload {
        block: Bytes(target.request_bytes()),
        queue_depth: QueueDepth(1),
        write: Ratio::percent(100 - target.read_percent).unwrap_or(Ratio::NONE),
        access: Access::Diskspd(DiskspdAccess {
            random: match target.walk.pick {
                Pick::Random => Ratio::ALL,
                Pick::Sequential => Ratio::NONE,
            },
            align: match target.walk.pick {
                Pick::Random => Bytes(target.block),
                Pick::Sequential => Bytes(target.request_bytes()),
            },
            sequence: match target.walk.pick {
                Pick::Random => Sequence::PerThread,
                Pick::Sequential => Sequence::Interlocked,
            },
            thread_stride: Bytes(0),
            distribution: Distribution::Uniform,
        }),
    }
}
