//! Opens what was checked, the way the plan says, and nothing else under its name.
#![allow(unsafe_code, reason = "advice on a descriptor")]

use crate::RunError;
use crate::backend::Aim;
use crate::place::Place;
use crate::prepare::lock;
use model::{Access, CacheMode, Hint, Location, Plan, PlannedTarget};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// An open target. The null backend's has no descriptor.
#[derive(Debug)]
pub(crate) struct OpenTarget(Option<File>);

impl OpenTarget {
    /// Opens the target of one thread. Devices that are written are held exclusively by `hold` below, not by
    /// each thread, because exclusive opens exclude each other.
    pub(crate) fn open(target: &PlannedTarget) -> Result<Self, RunError> {
        let Location::Path(path) = &target.location else {
            return Ok(OpenTarget(None));
        };
        let writes = target.writes();
        let reads = target.workload.write.as_percent() < 100;
        let mut flags = libc::O_CLOEXEC;
        let passed_through = target.namespace.is_some();
        if passed_through {
            // Commands know no cache, and a character device no such flag.
        } else if target.cache != CacheMode::Cached && target.mapped.is_none() {
            flags |= libc::O_DIRECT;
        }
        if target.write_through && !passed_through {
            flags |= libc::O_DSYNC;
        }
        let mut options = OpenOptions::new();
        options
            .read(reads || target.mapped.is_some()) // a shared mapping is made of readable files only
            .write(writes);
        let file =
            host::open_unmarked(&mut options, flags, path).map_err(|source| RunError::Open {
                path: path.clone(),
                access: access(reads, writes),
                source,
            })?;
        verify(&file, path, target)?;
        if !passed_through {
            advise(&file, target);
        }
        Ok(OpenTarget(Some(file)))
    }

    /// The descriptor; -1 for the null backend, which never uses it.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Leaves the descriptor open for good, for I/Os that the device never answered.
    pub(crate) fn abandon(self) {
        std::mem::forget(self);
    }
}

/// What the system is told about the pattern: what the plan says, or else what fathom's own random access means.
fn advise(file: &File, target: &PlannedTarget) {
    let random = target.cache == CacheMode::Cached && target.workload.access == Access::Random;
    let advice = match target.hint {
        Hint::Sequential => libc::POSIX_FADV_SEQUENTIAL,
        Hint::Random => libc::POSIX_FADV_RANDOM,
        Hint::None if random => libc::POSIX_FADV_RANDOM,
        Hint::None => return,
    };
    // SAFETY: advice on a descriptor that we own; it cannot do harm.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, advice) };
}

/// Opens all targets of one thread, in the order of its seats.
pub(crate) fn open_all(
    plan: &Plan,
    place: &Place,
) -> Result<(Vec<OpenTarget>, Vec<Aim>), RunError> {
    let each = place
        .seats
        .iter()
        .map(|seat| OpenTarget::open(&plan.targets[seat.target as usize]));
    let targets = each.collect::<Result<Vec<_>, _>>()?;
    let aims = targets
        .iter()
        .map(|target| Aim {
            descriptor: target.descriptor(),
        })
        .collect();
    Ok((targets, aims))
}

/// Holds all targets for the length of a run. A device that is written is opened exclusively, so that nobody can mount
/// or hold it too; the kernel refuses with EBUSY when somebody already does. A file is locked against other fathoms
/// that write it, or against all others when we write.
pub(crate) fn hold_all(plan: &Plan) -> Result<Vec<File>, RunError> {
    let mut held: Vec<File> = Vec::new();
    for (number, target) in plan.targets.iter().enumerate() {
        let Some(path) = target.location.path() else {
            continue;
        };
        if plan.targets[..number]
            .iter()
            .any(|other| are_one(target, other))
        {
            continue;
        }
        // A target that is given twice is held once, in the stronger way.
        let alike = plan.targets.iter().filter(|other| are_one(target, other));
        let strongest = alike.max_by_key(|other| (other.exclusive, other.writes()));
        held.extend(hold(strongest.unwrap_or(target), path)?);
    }
    Ok(held)
}

/// Whether two targets are one file or device, be it under two names.
fn are_one(one: &PlannedTarget, other: &PlannedTarget) -> bool {
    let by_number = one.identity.is_some() && one.identity == other.identity;
    by_number || one.location.path() == other.location.path()
}

fn hold(target: &PlannedTarget, path: &Path) -> Result<Option<File>, RunError> {
    if target.exclusive {
        return hold_device(target, target.held_by().unwrap_or(path)).map(Some);
    }
    let Ok(file) = File::open(path) else {
        return Ok(None); // what may only be written cannot be held; opening it for the run says what is wrong
    };
    let regular = file.metadata().is_ok_and(|meta| meta.is_file());
    if regular && !lock(&file, target.writes()) {
        return Err(RunError::Locked {
            path: path.to_owned(),
        });
    }
    Ok(Some(file))
}

fn hold_device(target: &PlannedTarget, path: &Path) -> Result<File, RunError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_EXCL | libc::O_CLOEXEC)
        .open(path)
        .map_err(|source| RunError::Open {
            path: path.to_owned(),
            access: "exclusive writing",
            source,
        })?;
    verify(&file, path, target)?;
    Ok(file)
}

/// Whether the open file is the one that was checked, and still holds the whole range.
fn verify(file: &File, path: &Path, target: &PlannedTarget) -> Result<(), RunError> {
    let changed = || RunError::Changed {
        path: path.to_owned(),
    };
    let meta = file.metadata().map_err(|_| changed())?;
    let kind = meta.file_type();
    let device = kind.is_block_device() || kind.is_char_device();
    let identity = if device {
        (meta.rdev(), 0)
    } else {
        (meta.dev(), meta.ino())
    };
    let checked = match &target.namespace {
        Some(namespace) if kind.is_block_device() => Some(namespace.block_identity),
        _ => target.identity,
    };
    let same = checked.is_none_or(|checked| checked == identity);
    let long_enough = device || meta.len() >= target.base.0 + target.length.0;
    if same && long_enough {
        Ok(())
    } else {
        Err(changed())
    }
}

fn access(reads: bool, writes: bool) -> &'static str {
    match (reads, writes) {
        (true, true) => "reading and writing",
        (false, true) => "writing",
        _ => "reading",
    }
}
