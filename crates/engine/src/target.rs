//! Claims the checked target, and opens it as the plan specifies.

use crate::RunError;
use crate::backend::TargetFd;
use crate::system::caches;
use crate::thread_plan::ThreadPlan;
use gate::{Descriptor, NodeKind, Pins, file_facts};
use model::{Access, CacheMode, Hint, Location, Plan, PlannedTarget, TargetFacts};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// An open target. The null backend's has no descriptor.
#[derive(Debug)]
pub(crate) struct OpenTarget(Option<File>);

impl OpenTarget {
    /// Opens the target of one thread, by its pin. Devices that are written are claimed exclusively by the session, not
    /// by each thread, because exclusive opens exclude each other. `overlapped`: I/Os may be outstanding.
    pub(crate) fn open(
        target: &PlannedTarget,
        pins: &Pins,
        overlapped: bool,
    ) -> Result<Self, RunError> {
        let Location::Path(path) = &target.location else {
            return Ok(OpenTarget(None));
        };
        let writes = target.writes();
        let reads = !target.writes_only();
        let rights = match (reads || target.mapped.is_some(), writes) {
            (false, true) => gate::Access::WRITE,
            (true, true) => gate::Access::READ_WRITE, // a shared mapping needs a readable file
            _ => gate::Access::READ,
        };
        // Commands know no cache, and a character device no such flag.
        let passed_through = target.namespace.is_some();
        let unbuffered = target.cache != CacheMode::Cached && target.mapped.is_none();
        let rights = rights
            .direct(unbuffered && !passed_through)
            .data_sync(target.write_through && !passed_through)
            .overlapped(overlapped);
        // Windows takes the hint now, Linux behind it.
        let hint = hint(target);
        let rights = rights
            .random(hint == Hint::Random)
            .sequential(hint == Hint::Sequential);
        let opened = pins.pin(path).and_then(|pin| pin.reopen(rights));
        let file = opened.map_err(|source| unopened(path, access(reads, writes), source))?;
        verify(&file, path, target)?;
        if !passed_through {
            caches::hint(&file, hint);
        }
        Ok(OpenTarget(Some(file)))
    }

    /// Another descriptor of the same open file; none for the null backend.
    pub(crate) fn another(&self) -> io::Result<Option<File>> {
        self.0.as_ref().map(File::try_clone).transpose()
    }

    /// The descriptor; none for the null backend, which never uses it.
    pub(crate) fn descriptor(&self) -> Descriptor {
        self.0.as_ref().map_or(Descriptor::NONE, Descriptor::of)
    }
}

/// The system's hint about the pattern: that of the plan, or else what fathom's own random access means.
fn hint(target: &PlannedTarget) -> Hint {
    let random = target.cache == CacheMode::Cached
        && matches!(
            target.workload.access,
            Access::Random | Access::Permuted(_) | Access::Skewed(_)
        );
    match target.hint {
        Hint::None if random => Hint::Random,
        own => own,
    }
}

/// Opens all targets of one thread, in the order of its seats.
pub(crate) fn open_all(
    plan: &Plan,
    place: &ThreadPlan,
    pins: &Pins,
    overlapped: bool,
) -> Result<(Vec<OpenTarget>, Vec<TargetFd>), RunError> {
    let each = place
        .seats
        .iter()
        .map(|seat| OpenTarget::open(&plan.targets[seat.target as usize], pins, overlapped));
    let targets = each.collect::<Result<Vec<_>, _>>()?;
    let aims = targets
        .iter()
        .map(|target| TargetFd {
            descriptor: target.descriptor(),
        })
        .collect();
    Ok((targets, aims))
}

/// Claims all targets until the session's pins go. A device that is written is opened exclusively, so that no process
/// can mount or claim it too; the kernel refuses with EBUSY when one already does. A file is locked against other
/// fathoms that write it, or against all others when we write. Existing claims stay.
///
/// # Errors
/// Another process uses a target, or it is no longer what was checked.
pub(crate) fn hold_all(plan: &Plan, facts: &[TargetFacts], pins: &Pins) -> Result<(), RunError> {
    let mut targets = plan.targets.iter().zip(facts);
    targets.try_for_each(|(target, facts)| {
        let path = match target.exclusive {
            true => target.held_by(),
            false => target.location.path(),
        };
        path.map_or(Ok(()), |path| hold(target, facts, path, pins))
    })
}

/// Descriptors of what the plan's targets are, each once, opened for nothing but their facts.
pub(crate) fn nodes(plan: &Plan, pins: &Pins) -> Vec<Arc<File>> {
    let mut nodes: Vec<Arc<File>> = Vec::new();
    let number = |node: &File| file_facts(node).ok().map(|facts| facts.identity);
    for path in plan
        .targets
        .iter()
        .filter_map(|target| target.location.path())
    {
        let node = pins.pin(path).ok().and_then(|pin| pin.node());
        nodes.extend(node.filter(|node| nodes.iter().all(|one| number(one) != number(node))));
    }
    nodes
}

fn hold(
    target: &PlannedTarget,
    facts: &TargetFacts,
    path: &Path,
    pins: &Pins,
) -> Result<(), RunError> {
    let pin = pins.pin(path);
    let pin = pin.map_err(|source| unopened(path, "reading", source))?;
    let Some(node) = pin.node() else {
        return Ok(()); // created later, or opening it for the run reports that it is gone
    };
    if target.exclusive {
        let claimed = pins.claim(&pin);
        claimed.map_err(|source| unopened(path, "exclusive use", source))?;
        return match pins.is_unchanged(&pin, &state(facts)) {
            true => verify(&node, path, target),
            false => Err(RunError::Changed {
                path: path.to_owned(),
            }),
        };
    }
    match pins.lock(&pin, target.writes() || target.create.is_some()) {
        true => Ok(()),
        false => Err(RunError::locked(path)),
    }
}

/// Everything below a device: a table of mappings, a medium or a file behind a loop can be exchanged under its number.
fn state(facts: &TargetFacts) -> String {
    let chain = facts.chain.iter();
    let each = chain.map(|one| format!("{} {} {:?}", one.name, one.size.0, one.diskseq));
    each.collect::<Vec<_>>().join("; ")
}

/// Why a pin could not be opened again.
pub(crate) fn unopened(path: &Path, access: &'static str, source: std::io::Error) -> RunError {
    let path = path.to_owned();
    match gate::is_changed(&source) {
        true => RunError::Changed { path },
        false => RunError::Open {
            path,
            access,
            source,
        },
    }
}

/// Whether the open file is the one that was checked, and still contains the whole range.
fn verify(file: &File, path: &Path, target: &PlannedTarget) -> Result<(), RunError> {
    let changed = || RunError::Changed {
        path: path.to_owned(),
    };
    let opened = file_facts(file).map_err(|_| changed())?;
    let checked = match &target.namespace {
        Some(namespace) if opened.kind == NodeKind::BlockDevice => Some(namespace.block_identity),
        _ => target.identity,
    };
    let same = checked.is_none_or(|checked| checked == opened.target_identity());
    let grows = target.create.is_some() && target.allocation.grows();
    let device = matches!(
        opened.kind,
        NodeKind::BlockDevice | NodeKind::CharacterDevice
    );
    let long_enough = device || grows || opened.length >= target.base.0 + target.length.0;
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
