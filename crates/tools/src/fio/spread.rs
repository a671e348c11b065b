//! Sizes, mixes and places of a job as a workload.

use super::job::{Job, Sizes, Zones};
use model::{
    Access, BLOCK_MIN, Bytes, DiskspdAccess, Distribution, LINES_MAX, MixedAccess, MixedLine,
    PermutedAccess, QueueDepth, RangePart, Ratio, SHARE_MAX, Sequence, Workload,
};

/// The workload, or why there is none.
pub(super) fn workload(job: &Job, depth: u32) -> Result<Workload, String> {
    let queue_depth = QueueDepth(depth);
    let random = job.random_percent();
    let share = if job.pattern.reads {
        random.0
    } else {
        random.1
    };
    let step = job.pattern.step;
    let sizes = match (job.pattern.reads, job.pattern.writes) {
        (true, true) if job.reads != job.write_sizes || random.0 != random.1 => None,
        (false, _) => Some(&job.write_sizes),
        _ => Some(&job.reads),
    };
    match sizes {
        Some(Sizes::Fixed(block)) if job.stride(*block) == 0 => Err(format!(
            "rw: a step of {step} bytes goes back to the same block: specify another one"
        )),
        Some(Sizes::Fixed(block))
            if matches!(share, 0 | 100) && job.align.is_none_or(|align| align == *block) =>
        {
            Ok(Workload {
                block: Bytes(*block),
                queue_depth,
                write: percent(job.writes_percent()),
                access: plain(job, Bytes(*block), share == 100),
            })
        }
        _ if step != 0 => Err(format!(
            "rw: a step of {step} bytes is for blocks of one size, one behind the other: specify one bs"
        )),
        _ if matches!(job.zones, Some(Zones::Bytes(_))) => Err(
            "random_distribution: zoned_abs is for blocks of one size, aligned to it, and all random: zoned is for all"
                .to_owned(),
        ),
        _ => {
            let skew = job.skew.filter(|_| job.pattern.random);
            let lines = lines(job)?;
            let align = lines.first().map(|line| line.align);
            let free = |line: &MixedLine| {
                Some(line.align) == align
                    && line.random.as_percent() == 100
                    && line.part.is_whole()
            };
            // blockalign turns fio's random map off.
            let mapped = job.random_map && job.align.is_none();
            let once = mapped && skew.is_none() && lines.iter().all(free);
            Ok(Workload::of_mix(MixedAccess { lines, skew, once }, queue_depth))
        }
    }
}

fn percent(value: u8) -> Ratio {
    Ratio::percent(value).unwrap_or_default()
}

/// Every thread begins at the start of the range, as fio's do, and not each at its own part.
fn plain(job: &Job, block: Bytes, random: bool) -> Access {
    let distribution = match &job.zones {
        _ if !random => Distribution::Uniform,
        None if job.skew.is_some() => {
            return job.skew.map_or(Access::Random, Access::Skewed);
        }
        None if job.random_map && !job.zoned.strided => {
            return Access::Permuted(PermutedAccess::Each);
        }
        None if block.is_multiple_of(BLOCK_MIN) => return Access::Random,
        None => Distribution::Uniform, // only this walk has other sizes
        Some(Zones::Percent(parts)) => Distribution::Percent(parts.clone()),
        Some(Zones::Bytes(parts)) => Distribution::Absolute(parts.clone()),
    };
    Access::Diskspd(DiskspdAccess {
        random: if random { Ratio::ALL } else { Ratio::NONE },
        align: if random {
            block
        } else {
            Bytes(job.stride(block.0).unsigned_abs())
        },
        sequence: match job.stride(block.0) < 0 {
            true => Sequence::Backward,
            false => Sequence::PerThread,
        },
        thread_stride: Bytes(0),
        distribution,
    })
}

/// Each size with its share in percent.
fn parts(sizes: &Sizes) -> Result<Vec<(u64, u32)>, String> {
    match sizes {
        Sizes::Fixed(size) => Ok(vec![(*size, 1)]),
        Sizes::Split(parts) => Ok(parts.clone()),
        Sizes::Range(low, high) => {
            let count = high / low;
            if count > LINES_MAX as u64 {
                return Err(format!(
                    "bsrange: {count} sizes, and a mix has {LINES_MAX} at most: specify the usual ones by bssplit"
                ));
            }
            Ok((1..=count).map(|number| (number * low, 1)).collect())
        }
    }
}

/// Whether places are drawn again although the job asks for each block once.
pub(super) fn draws_again(job: &Job, workload: &Workload) -> bool {
    let in_order = match &workload.access {
        Access::Permuted(_) | Access::Skewed(_) => true,
        Access::Mixed(mixed) => mixed.once,
        _ => false,
    };
    let mapped = job.random_map && job.align.is_none();
    mapped && job.pattern.random && job.percentage_random != (0, 0) && !in_order
}

/// About how many lines or zones each target of a job has.
pub(super) fn parts_of(job: &Job) -> u64 {
    let of_sizes = |sizes: &Sizes| match sizes {
        Sizes::Fixed(_) => 1,
        Sizes::Range(low, high) => (high / low).min(LINES_MAX as u64),
        Sizes::Split(parts) => parts.len() as u64,
    };
    let zones = match &job.zones {
        None => 0,
        Some(Zones::Percent(zones)) => zones.len() as u64,
        Some(Zones::Bytes(zones)) => zones.len() as u64,
    };
    (of_sizes(&job.reads) + of_sizes(&job.write_sizes)).saturating_mul(zones.max(1)) + zones
}

/// What random offsets are multiples of where nothing is specified: the smallest size.
fn align(job: &Job, parts: &[(u64, u32)]) -> u64 {
    let least = parts.iter().map(|(size, _)| *size).min();
    job.align.or(least).unwrap_or(512)
}

fn lines(job: &Job) -> Result<Vec<MixedLine>, String> {
    let (write, random) = (job.writes_percent(), job.random_percent());
    let together = !job.is_mix() || job.reads == job.write_sizes && random.0 == random.1;
    let mut lines = Vec::new();
    let mut add = |sizes: &Sizes, write: u8, weight: u32| -> Result<(), String> {
        let parts = parts(sizes)?;
        let align = align(job, &parts);
        // Shares of both directions are distinguished by what each direction has in all.
        let whole: u32 = parts.iter().map(|(_, share)| share).sum();
        lines.extend(
            parts
                .iter()
                .filter(|_| weight > 0)
                .map(|&(size, share)| (size, share, whole, align, write, weight)),
        );
        Ok(())
    };
    if together {
        let sizes = if job.pattern.reads {
            &job.reads
        } else {
            &job.write_sizes
        };
        add(sizes, write, 100)?;
    } else {
        add(&job.reads, 0, 100 - u32::from(write))?;
        add(&job.write_sizes, 100, u32::from(write))?;
    }
    let zones = zones(job);
    // Weights as whole numbers: each direction's shares over the other's whole.
    let wholes: Vec<u32> = lines.iter().map(|line| line.2).collect();
    let common = wholes
        .iter()
        .fold(1u64, |all, whole| lcm(all, u64::from(*whole)));
    let lines = lines
        .into_iter()
        .flat_map(|(size, share, whole, align, write, weight)| {
            let apart = u64::from(share) * u64::from(weight) * (common / u64::from(whole));
            let share = if together { u64::from(share) } else { apart };
            let line = MixedLine {
                write: percent(write),
                random: percent(if write == 100 { random.1 } else { random.0 }),
                align: Bytes(align),
                ..MixedLine::new(Bytes(size))
            };
            let in_zone = move |&(zone, part): &(u8, RangePart)| {
                let line = MixedLine { part, ..line };
                (share.saturating_mul(u64::from(zone)), line)
            };
            zones.iter().map(in_zone).collect::<Vec<_>>()
        });
    with_shares(lines.collect())
}

/// Gives each line its share as a whole number, as small as it can be.
fn with_shares(lines: Vec<(u64, MixedLine)>) -> Result<Vec<MixedLine>, String> {
    if lines.len() > LINES_MAX {
        return Err(format!(
            "bssplit, random_distribution: {} sizes in all zones, and a mix has {LINES_MAX} at most: specify fewer",
            lines.len()
        ));
    }
    let common = lines
        .iter()
        .fold(0, |all, (share, _)| gcd(all, *share))
        .max(1);
    let small = |share: u64| {
        u32::try_from(share / common)
            .ok()
            .filter(|share| *share <= SHARE_MAX)
    };
    let with_share = |(share, line)| {
        let share = small(share).ok_or("the shares are too fine: specify round percentages")?;
        Ok(MixedLine { share, ..line })
    };
    lines.into_iter().map(with_share).collect()
}

/// Each zone's share of the I/Os, and its part of the range; zones without I/Os or without a length are omitted.
fn zones(job: &Job) -> Vec<(u8, RangePart)> {
    let Some(Zones::Percent(zones)) = job.zones.as_ref().filter(|_| job.pattern.random) else {
        return vec![(1, RangePart::WHOLE)];
    };
    let mut from = 0u8;
    let part = |&(share, length): &(u8, u8)| {
        let to = from.saturating_add(length).min(100);
        let part = RangePart {
            from: percent(from),
            to: percent(to),
        };
        from = to;
        (share, part)
    };
    let all = zones.iter().map(part);
    all.filter(|(share, part)| *share > 0 && part.from < part.to)
        .collect()
}

/// The greatest common divisor; that of 0 and a number is the number.
fn gcd(a: u64, b: u64) -> u64 {
    let mut pair = (a, b);
    while pair.1 != 0 {
        pair = (pair.1, pair.0 % pair.1);
    }
    pair.0
}

fn lcm(a: u64, b: u64) -> u64 {
    a / gcd(a, b).max(1) * b
}
