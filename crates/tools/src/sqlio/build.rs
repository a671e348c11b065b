//! SQLIO's profile → `model::Profile`: one time span, with the files as large as SQLIO would make them.
//!
//! The size of a file follows from its line, from the stripes, or from what is there, so `cli` checks first and passes
//! what it found. Here is what Linux cannot do, refused with the nearest thing that it can. Deliberately absent:
//! whether the machine can do the rest, and whether a file may be written.

use super::profile::{Access, Affinity, Buffering, Files, Line, Profile, cores};
use super::{Extra, Problem, Refusal, names};
use crate::names::Names;
use model::{
    BeyondEnd, Bytes, CacheMode, DiskspdAccess, EngineChoice, Location, Nanos, OnError, Phases,
    Placement, Pool, PoolDraw, QueueDepth, Ratio, Sequence, StripeAccess, Target, Timespan,
    Workload, WriteContent,
};
use std::path::PathBuf;

/// Most steps of the series, which is not requested.
const QUIET_STEPS: u32 = 100_000;
/// The random data that SQLIO writes from, for all files together.
const ENTROPY: Bytes = Bytes::mib(20);

/// What is there under the name of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// How large it is.
    pub bytes: u64,
    /// A block device.
    pub device: bool,
    /// A file whose making by fathom was cut short.
    pub unfinished: bool,
}

/// How large a target has to be and is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// So large it has to be; the existing size, if the request specifies none.
    pub needed: u64,
    /// So large it is; 0 where there is nothing.
    pub current: u64,
    /// The setting of its line in the parameter file, if that counts.
    pub specified_mib: Option<u32>,
}

impl Size {
    /// Whether the file has to grow.
    pub const fn grows(&self) -> bool {
        self.needed > self.current
    }
}

/// What a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// One time span.
    pub profile: model::Profile,
    /// Of each target, in order.
    pub sizes: Vec<Size>,
}

/// The path that a name of a request leads to on this system.
pub fn path_of(name: &str) -> PathBuf {
    names::path(name, Names::own())
}

/// Turns a request that is to be run into what the engine understands. `found` returns for each of [`Profile::targets`]
/// what is there now. `extra` specifies the effect of a failed I/O.
///
/// # Errors
/// Everything that the system or fathom cannot do.
pub fn build(profile: &Profile, extra: &Extra, found: &[Option<There>]) -> Result<Built, Refusal> {
    let on = Names::own();
    let targets = profile.targets();
    assert_eq!(targets.len(), found.len(), "each target was looked at");
    let mut problems = Vec::new();
    let mut sizes = Vec::new();
    for ((name, _, specified), there) in targets.iter().zip(found) {
        if let Some(why) = names::foreign(name, on) {
            problems.push(rule(name, why));
        }
        let size = size(profile, *specified, *there);
        let raw = there.is_some_and(|there| there.device);
        if raw && specified.is_none() && !matches!(profile.access, Access::Stripe(_)) {
            let why = "a device has no size to SQLIO: specify it in a parameter file (-F), in MB, as in `DEVICE 1 \
                      0x0 1024`; without one, only stripes (-f and a number) know where to end";
            problems.push(rule(name, why));
        }
        sizes.push(size);
    }
    problems.dedup();
    Refusal::none_or(problems)?;
    let each = targets.iter().zip(found).zip(&sizes);
    let all = targets.len() as u64;
    let targets: Vec<Target> = each
        .map(|(((name, threads, _), there), size)| Target {
            content: content(profile, all),
            location: Location::Path(names::path(name, on)),
            ..target(profile, name, *threads, *there, size)
        })
        .collect();
    Ok(Built {
        profile: model::Profile {
            timespans: vec![timespan(profile, extra, targets)],
        },
        sizes,
    })
}

fn rule(name: &str, why: impl Into<String>) -> Problem {
    Problem::Rule {
        place: name.to_owned(),
        why: why.into(),
    }
}

/// The first byte that is used.
fn base(profile: &Profile) -> u64 {
    profile.start_blocks.saturating_mul(profile.block_bytes())
}

fn size(profile: &Profile, specified: Option<u32>, there: Option<There>) -> Size {
    let current = there.map_or(0, |there| there.bytes);
    let stripes = |factor: u32| {
        let blocks = u64::from(factor).saturating_mul(u64::from(profile.run_ios));
        base(profile).saturating_add(blocks.saturating_mul(profile.block_bytes()))
    };
    let specified_mib = match profile.access {
        Access::Stripe(_) => None,
        Access::Random | Access::Sequential => specified,
    };
    Size {
        needed: match (profile.access, specified_mib) {
            (Access::Stripe(factor), _) => stripes(factor),
            (_, Some(mib)) => u64::from(mib) << 20,
            (_, None) => current,
        },
        current,
        specified_mib,
    }
}

fn timespan(profile: &Profile, extra: &Extra, targets: Vec<Target>) -> Timespan {
    let measured = Nanos::seconds(u64::from(profile.seconds));
    Timespan {
        start_delay: model::Nanos(0),
        end_with_first: false,
        phases: Phases {
            warmup: Nanos(0),
            measured,
            cooldown: Nanos(0),
        },
        interval: Nanos::seconds(u64::from(profile.seconds / QUIET_STEPS).max(1)),
        seed: 0,
        engine: EngineChoice::Auto,
        polling: model::Polling::default(),
        queueing: model::Queueing::default(),
        on_error: match extra.continue_on_error {
            true => OnError::Continue,
            false => OnError::Stop,
        },
        pool: pool(profile),
        placement: placement(profile),
        arrivals: None,
        targets,
    }
}

/// Threads go to every file that is named. Without `-o` they wait for each I/O, one file after another.
fn pool(profile: &Profile) -> Option<Pool> {
    let Files::Named { names, threads, .. } = &profile.files else {
        return None;
    };
    let waits = profile.outstanding == 0;
    (names.len() > 1).then_some(Pool {
        threads: *threads,
        outstanding: waits.then_some(1),
        draw: match waits {
            true => PoolDraw::InTurn,
            false => PoolDraw::ByWeight,
        },
    })
}

fn placement(profile: &Profile) -> Placement {
    match &profile.files {
        Files::Named { affinity, .. } => match affinity {
            Affinity::Free => Placement::Free,
            Affinity::One(cpu) => Placement::Cores(vec![*cpu]),
            Affinity::Mask(mask) => Placement::Masks(vec![cores(*mask)]),
            Affinity::RoundRobin(mask) => Placement::Cores(cores(*mask)),
        },
        Files::Listed { lines, .. } if lines.iter().all(|line| line.mask == 0) => Placement::Free,
        Files::Listed { lines, .. } => {
            let of_line =
                |line: &Line| std::iter::repeat_n(cores(line.mask), line.threads as usize);
            Placement::Masks(lines.iter().flat_map(of_line).collect())
        }
    }
}

fn target(
    profile: &Profile,
    name: &str,
    threads: u32,
    there: Option<There>,
    size: &Size,
) -> Target {
    let pooled = pool(profile).is_some();
    let base = base(profile);
    let to_the_end = size.specified_mib.is_none() && !matches!(profile.access, Access::Stripe(_));
    let device = there.is_some_and(|there| there.device);
    let unfinished = there.is_some_and(|there| there.unfinished);
    let made = !device && (size.grows() || unfinished);
    Target {
        base: Bytes(base),
        length: (!to_the_end).then(|| Bytes(size.needed.saturating_sub(base))),
        create: made.then(|| Bytes(size.needed.max(size.current))),
        cache: match profile.buffering {
            Buffering::None | Buffering::Hardware => CacheMode::Unbuffered,
            Buffering::All | Buffering::Software => CacheMode::Cached,
        },
        write_through: matches!(profile.buffering, Buffering::None | Buffering::Software),
        beyond_end: BeyondEnd::Refuse,
        threads: if pooled { 1 } else { threads },
        ..Target::new(Location::Path(PathBuf::from(name)), workload(profile))
    }
}

/// A share of the random data for each file, and at least a block.
fn content(profile: &Profile, files: u64) -> WriteContent {
    let share = Bytes(ENTROPY.0 / files).floor_to(Bytes(4096));
    match profile.read_percent {
        100 => WriteContent::default(),
        _ => WriteContent::Source {
            bytes: Bytes(share.0.max(profile.block_bytes())),
            file: profile.entropy.as_ref().map(PathBuf::from),
        },
    }
}

fn workload(profile: &Profile) -> Workload {
    let block = Bytes(profile.block_bytes());
    let writes = Ratio::percent(100 - profile.read_percent).expect("must be at most 100");
    Workload {
        block,
        queue_depth: QueueDepth(profile.outstanding.max(1)),
        write: writes,
        access: match profile.access {
            Access::Stripe(columns) => model::Access::Stripe(StripeAccess {
                columns,
                rows: profile.run_ios,
            }),
            Access::Random => model::Access::Random,
            // The next block of the file, whichever thread had the last: DISKSPD's shared pointer (`-si`) does just that.
            Access::Sequential => model::Access::Diskspd(DiskspdAccess {
                random: Ratio::NONE,
                align: block,
                sequence: Sequence::Interlocked,
                thread_stride: Bytes(0),
                distribution: model::Distribution::Uniform,
            }),
        },
    }
}
