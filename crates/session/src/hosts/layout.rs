//! Each rank's part of what is measured.

use super::HostsOptions;
use model::{Access, Bytes, CommandError, JobLayout, Location, Profile, Target, Timespan};
use std::path::{Path, PathBuf};

/// One rank among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Its number.
    pub(super) rank: u32,
    /// How many there are.
    pub(super) size: u32,
}

/// How the ranks share a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    pub(super) layout: JobLayout,
    /// How many take part, the first ones.
    pub(super) ranks: u32,
}

impl Sharing {
    /// Of a step whose threads are tasks.
    pub(super) fn of_tasks(timespan: &Timespan) -> Sharing {
        let threads = |target: &Target| target.threads;
        let shares = timespan.targets.iter().any(|target| target.threads > 1);
        Sharing {
            layout: match shares {
                true => JobLayout::Interleaved,
                false => JobLayout::Own,
            },
            ranks: timespan.targets.iter().map(threads).sum(),
        }
    }
}

/// Returns the request of one rank, which does the task of this number: that thread of the request, all targets counted
/// together.
pub(super) fn task(timespan: &Timespan, share: Share, number: u32) -> Profile {
    let mut before = 0;
    let mut targets = timespan.targets.iter();
    let target = targets.find(|target| {
        before += target.threads;
        number < before
    });
    let own = target.map(|target| {
        let within = number + target.threads - before;
        let mut own = target.clone();
        own.threads = 1;
        if let Access::Runs { first, .. } = &mut own.workload.access {
            *first += within;
        }
        own
    });
    Profile {
        timespans: vec![Timespan {
            seed: seed(timespan, share),
            targets: own.into_iter().collect(),
            ..timespan.clone()
        }],
    }
}

/// Each rank draws its own offsets.
fn seed(timespan: &Timespan, share: Share) -> u64 {
    timespan.seed.wrapping_add(u64::from(share.rank) << 32)
}

/// Returns the request of one rank, from that of all.
///
/// # Errors
/// A name or the layout does not fit.
pub(super) fn place(
    timespan: &Timespan,
    options: &HostsOptions,
    share: Share,
    host: &str,
) -> Result<Profile, CommandError> {
    let layout = options.layout;
    let mut timespan = timespan.clone();
    for target in &mut timespan.targets {
        match &mut target.location {
            Location::Path(path) => *path = named(path, layout, share, host)?,
            Location::Null(_) if layout == JobLayout::Own => {}
            Location::Null(_) => {
                return Err(CommandError::refused(format!(
                    "--layout {layout}: the engine null has no storage that ranks could share; hint: omit it"
                )));
            }
            Location::Simulated(_) => {
                return Err(CommandError::refused(
                    "a simulated device exists in one process only, so that many hosts cannot measure it together",
                ));
            }
        }
        if layout == JobLayout::Segments {
            let Some(length) = target.length else {
                return Err(CommandError::refused(
                    "--layout segments: specify the range of one rank (--length; fio size=, DISKSPD -f)",
                ));
            };
            let before = length.0.checked_mul(u64::from(share.rank));
            let base = before.and_then(|before| target.base.0.checked_add(before));
            target.base = Bytes(base.ok_or_else(|| {
                CommandError::refused("--length: the segments end beyond 16 EiB")
            })?);
        }
        if layout == JobLayout::Interleaved {
            interleave(target, options.piece, share)?;
        }
        if layout != JobLayout::Own && target.create.is_some() {
            return Err(CommandError::refused(format!(
                "--create: with --layout {layout} the ranks share one file that is there already; hint: create it first \
                 by one fathom run --create"
            )));
        }
    }
    timespan.seed = seed(&timespan, share);
    Ok(Profile {
        timespans: vec![timespan],
    })
}

/// Gives each thread of this rank a column of pieces among those of all ranks.
fn interleave(target: &mut Target, piece: Bytes, share: Share) -> Result<(), CommandError> {
    let refused = |why: &str| {
        Err(CommandError::refused(format!(
            "--layout interleaved:{piece}: {why}"
        )))
    };
    if target.workload.access != Access::Sequential {
        return refused(
            "only sequential I/O takes turns; hint: add --pattern sequential, or use --layout segments",
        );
    }
    let block = target.workload.block;
    if !piece.is_multiple_of(block) {
        return refused("must be a multiple of the block size (--block)");
    }
    let of_rank = piece.0.checked_mul(u64::from(target.threads));
    let (Some(length), Some(of_rank)) = (target.length, of_rank) else {
        return refused("specify the bytes of one rank by --length");
    };
    if length.0 == 0 || !length.0.is_multiple_of(of_rank) {
        return refused("--length must be a multiple of a piece for each thread (--threads)");
    }
    let columns = share.size.checked_mul(target.threads);
    let all = length.0.checked_mul(u64::from(share.size));
    let (Some(columns), Some(all)) = (columns, all) else {
        return refused("the ranges end beyond 16 EiB");
    };
    target.length = Some(Bytes(all));
    target.workload.access = Access::Runs {
        run: piece.0 / block.0.max(1),
        columns,
        first: share.rank * target.threads,
    };
    Ok(())
}

/// The name with `{rank}` and `{host}` filled in.
pub(super) fn named(
    path: &Path,
    layout: JobLayout,
    share: Share,
    host: &str,
) -> Result<PathBuf, CommandError> {
    let Some(text) = path.to_str().filter(|text| text.contains('{')) else {
        return Ok(path.to_owned());
    };
    if layout != JobLayout::Own && (text.contains("{rank}") || text.contains("{host}")) {
        return Err(CommandError::refused(format!(
            "{text}: a name of each rank's own cannot be combined with --layout {layout}"
        )));
    }
    if text.contains("{host}") && (host.contains('/') || host.contains("..") || host.is_empty()) {
        return Err(CommandError::refused(format!(
            "{text}: the host name {host:?} is no part of a file name"
        )));
    }
    let filled = text
        .replace("{rank}", &share.rank.to_string())
        .replace("{host}", host);
    match filled.contains("{rank") || filled.contains("{host") || filled.contains("{user") {
        true => Err(CommandError::refused(format!(
            "{text}: only {{rank}} and {{host}} are filled in in the name of a target"
        ))),
        false => Ok(PathBuf::from(filled)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{QueueDepth, Ratio, Workload};

    fn span(threads: &[u32]) -> Timespan {
        let target = |(number, threads): (usize, &u32)| {
            let access = Access::Runs {
                run: 2,
                columns: *threads,
                first: 0,
            };
            let workload = Workload {
                block: Bytes::kib(4),
                queue_depth: QueueDepth(1),
                write: Ratio::ALL,
                access,
            };
            let place = Location::Path(PathBuf::from(format!("f.{number}")));
            Target {
                threads: *threads,
                ..Target::new(place, workload)
            }
        };
        Timespan {
            targets: threads.iter().enumerate().map(target).collect(),
            phases: model::Phases {
                warmup: model::Nanos(0),
                measured: model::Nanos::seconds(1),
                cooldown: model::Nanos(0),
            },
            interval: model::Nanos::seconds(1),
            seed: 0,
            engine: model::EngineChoice::Sync,
            polling: model::Polling::default(),
            queueing: model::Queueing::default(),
            on_error: model::OnError::Stop,
            pool: None,
            placement: model::Placement::Free,
            arrivals: None,
            start_delay: model::Nanos(0),
            end_with_first: false,
        }
    }

    #[test]
    fn a_task_is_a_thread_of_the_request() {
        let of = |threads: &[u32], number: u32| {
            let share = Share {
                rank: number,
                size: 9,
            };
            let mut own = task(&span(threads), share, number).timespans.remove(0);
            let target = own.targets.remove(0);
            assert!(own.targets.is_empty() && target.threads == 1);
            let Access::Runs { first, .. } = target.workload.access else {
                panic!("{target:?}")
            };
            (target.location.name(), first)
        };
        let shared = [0, 1, 2].map(|number| of(&[3], number));
        assert_eq!(shared.map(|(_, first)| first), [0, 1, 2]);
        let own = [0, 1, 2].map(|number| of(&[1, 1, 1], number));
        assert_eq!(
            own.map(|(name, first)| format!("{name} {first}")),
            ["f.0 0", "f.1 0", "f.2 0"]
        );
        assert_eq!(of(&[2, 3], 4).1, 2);
        let sharing = |threads: &[u32]| Sharing::of_tasks(&span(threads));
        assert_eq!(sharing(&[3]).layout, JobLayout::Interleaved);
        assert_eq!(
            (sharing(&[1, 1]).layout, sharing(&[1, 1]).ranks),
            (JobLayout::Own, 2)
        );
    }
}
