//! Facts of a target for its engine: before the run, whether it takes I/O without waiting and whether it can be
//! polled; during it, whether the kernel's workers are there.
//!
//! io_uring tries each request without waiting first, and hands what the file or device will not do so to threads of
//! the kernel's own: on a zram device every one, at thirty times the cost. The same question can be put with a read
//! of our own (`preadv2(2)`, `RWF_NOWAIT`); `EOPNOTSUPP` is a no for good, and `EAGAIN` with direct I/O is one if it
//! keeps coming. An I/O that the device splits is refused so, too, after the limit of a control group has counted it: then it is
//! known from the facts alone. Reads only, a few blocks, before the run's clock starts; on a thread of its own, because a device
//! that never answers would keep us for ever. Omitted: writes, which a trial must not make.

use crate::RunError;
use crate::target::OpenTarget;
use gate::{Descriptor, Pins};
use host::Root;
use model::{
    CacheMode, IoLimit, KernelWorkers, Limits, Operation, Plan, PlannedTarget, Ratio, TargetFacts,
    TargetKind,
};
use std::io;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Reads of one trial.
const READS: u64 = 8;
/// How long the trials of one plan may take; then nothing is concluded.
const PATIENCE: Duration = Duration::from_secs(1);
/// What the kernel calls "not offered by this file", and "not without waiting".
const NOT_OFFERED: io::ErrorKind = io::ErrorKind::Unsupported;
const WOULD_WAIT: io::ErrorKind = io::ErrorKind::WouldBlock;

/// Reads into memory from an offset if that can be begun without waiting.
pub(crate) type Trial = fn(Descriptor, &mut [u8], u64) -> io::Result<usize>;

/// Whether io_uring would have a target's requests carried out by kernel workers, and the evidence.
pub(crate) fn needs_kernel_workers(plan: &Plan, pins: &Pins, trial: Trial) -> Option<String> {
    let (sender, answer) = channel();
    let targets: Vec<PlannedTarget> = plan
        .targets
        .iter()
        .filter(|target| target.mapped.is_none() && target.location.path().is_some())
        .cloned()
        .collect();
    let pins = pins.clone();
    let asking = std::thread::Builder::new()
        .name("fathom-trial".to_owned())
        .spawn(move || {
            let _ = sender.send(
                targets
                    .iter()
                    .find_map(|target| refuses_to_go_on(target, &pins, trial)),
            );
        });
    asking.ok()?;
    answer.recv_timeout(PATIENCE).ok()?
}

/// Whether all targets are block devices with direct I/O: libaio submits theirs, or carries them out in its call.
pub(crate) fn are_for_libaio(plan: &Plan, targets: &[TargetFacts]) -> bool {
    let is_direct =
        |target: &PlannedTarget| target.mapped.is_none() && target.cache == CacheMode::Unbuffered;
    plan.targets.iter().all(is_direct)
        && targets
            .iter()
            .all(|facts| facts.kind == TargetKind::BlockDevice)
}

/// Returns why a limit of a control group would count what io_uring tries without waiting, where it would: the device splits the
/// I/Os, which is refused after they are counted. Source: the kernel's block/blk-throttle.c and block/blk-merge.c, `REQ_NOWAIT`.
pub(crate) fn counts_attempts(
    plan: &Plan,
    targets: &[TargetFacts],
    limits: &Limits,
) -> Option<String> {
    let pairs = plan.targets.iter().zip(targets);
    let mut limited = pairs.filter(|(target, facts)| {
        let bounds = |operation| match operation {
            Operation::Read => target.workload.write < Ratio::ALL,
            Operation::Write => target.writes(),
        };
        let on = |limit: &&IoLimit| facts.chain.iter().any(|one| one.number == limit.device);
        limits.io.iter().filter(on).any(|limit| {
            let of = |operation| bounds(operation) && limit.of(operation) != (None, None);
            of(Operation::Read) || of(Operation::Write)
        })
    });
    limited.find_map(|(target, facts)| {
        let block = target.workload.block;
        let splits = facts.chain.iter().find(|device| device.may_split(block))?;
        let name = &splits.name;
        Some(format!(
            "{name} splits I/Os of {block}, and the limit of a control group would count io_uring's first attempts at them, too"
        ))
    })
}

/// What one target answered, if it was a no.
fn refuses_to_go_on(target: &PlannedTarget, pins: &Pins, trial: Trial) -> Option<String> {
    let mut for_reading = target.clone();
    for_reading.workload.write = Ratio::NONE;
    for_reading.write_through = false;
    let open = OpenTarget::open(&for_reading, pins, false).ok()?;
    let path = target.location.path()?.display();
    let align = target.alignment.0.max(512) as usize;
    let mut room = vec![0; 2 * align];
    let start = room.as_ptr().align_offset(align);
    let piece = room.get_mut(start..start + align)?;
    let blocks = (target.length.0 / align as u64).max(1);
    let step = (blocks / READS).max(1);
    let mut waits = 0;
    for number in 0..READS.min(blocks) {
        let offset = target.base.0 + number * step * align as u64;
        match trial(open.descriptor(), piece, offset) {
            Err(error) if error.kind() == NOT_OFFERED => {
                return Some(format!("{path} takes no I/O without waiting: EOPNOTSUPP"));
            }
            Err(error) if error.kind() == WOULD_WAIT => waits += 1,
            _ => return None,
        }
    }
    // Through the cache, what is not there yet is waited for without a worker.
    (waits == READS && target.cache != CacheMode::Cached)
        .then(|| format!("{path} takes no I/O without waiting: EAGAIN, {READS} times of {READS}"))
}

/// Looks for kernel workers during a run. A look reads a file for each thread, so there are two or three in all; a
/// worker stays for some seconds after its last request.
pub(crate) struct Watch<'a> {
    /// `None` where the engine has no kernel workers.
    root: Option<&'a Root>,
    most: KernelWorkers,
}

impl<'a> Watch<'a> {
    /// Of an engine that may have kernel workers, or of one that has none.
    pub(crate) fn new(root: &'a Root, may_have: bool) -> Self {
        Watch {
            root: may_have.then_some(root),
            most: KernelWorkers::default(),
        }
    }

    /// Looks, and keeps the look that found the most.
    pub(crate) fn look(&mut self) {
        let found = self.root.map(host::kernel_workers).unwrap_or_default();
        if (found.count, found.busy) > (self.most.count, self.most.busy) {
            self.most = found;
        }
    }

    /// What was seen, where any was.
    pub(crate) fn seen(&self) -> Option<KernelWorkers> {
        (self.most.count > 0).then_some(self.most)
    }
}

/// Refuses a plan that polls for completions where a device cannot be polled.
///
/// # Errors
/// As [`can_be_polled`].
pub(crate) fn polls_as_planned(
    root: &Root,
    plan: &Plan,
    targets: &[TargetFacts],
) -> Result<(), RunError> {
    match plan.polling.completions {
        true => can_be_polled(root, targets),
        false => Ok(()),
    }
}

/// Whether the devices below the targets can be polled for completions. Only a device that reports it can: others may
/// take the request for polling and answer by interrupt all the same.
///
/// # Errors
/// A device has no queues for it, or does not report them.
fn can_be_polled(root: &Root, targets: &[TargetFacts]) -> Result<(), RunError> {
    for facts in targets {
        let device = facts.chain.first().map(|device| &device.name);
        let polls = device.and_then(|name| host::has_poll_queues(root, name));
        let reason = match (polls, device) {
            (Some(true), _) => continue,
            (Some(false), Some(name)) => {
                format!("{name} has no queues for it (queue/io_poll is 0)")
            }
            _ => "no device below reports queues for it".to_owned(),
        };
        return Err(RunError::NotPolled {
            path: facts.path.clone(),
            reason,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{BlockDevice, Bytes, NullBehaviour};

    fn on(device: &str) -> TargetFacts {
        let mut facts = TargetFacts::null(&NullBehaviour::default());
        facts.chain = vec![BlockDevice {
            name: device.to_owned(),
            ..BlockDevice::default()
        }];
        facts
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_poll_queues_is_refused_with_the_parameter_that_makes_them() {
        let folder = tempfile::tempdir().unwrap();
        for (name, value) in [("nvme0n1", "0\n"), ("nvme1n1", "1\n")] {
            let queue = folder
                .path()
                .join("sys/class/block")
                .join(name)
                .join("queue");
            std::fs::create_dir_all(&queue).unwrap();
            std::fs::write(queue.join("io_poll"), value).unwrap();
        }
        let root = Root::at(folder.path().to_owned());
        assert!(can_be_polled(&root, &[on("nvme1n1")]).is_ok());
        let unknown = can_be_polled(&root, &[on("unknown")]).unwrap_err();
        assert!(
            unknown.to_string().contains("no device below reports"),
            "{unknown}"
        );
        let refused = can_be_polled(&root, &[on("nvme1n1"), on("nvme0n1")]);
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("nvme.poll_queues="), "{text}");
        assert!(text.contains("omit polling"), "{text}");
    }

    #[test]
    fn attempts_count_where_a_limited_device_splits_the_ios() {
        use crate::rehearsal::tests::{plan, planned};
        let mut target = planned();
        target.workload.block = Bytes::mib(1);
        let mut facts = on("loop0");
        (facts.chain[0].number, facts.chain[0].segments_max) = ((7, 0), Some(128));
        let limits = |device, write_per_s: Option<Bytes>| Limits {
            io: vec![IoLimit {
                device,
                read_per_s: Some(Bytes::mib(37)).filter(|_| write_per_s.is_none()),
                write_per_s,
                ..IoLimit::default()
            }],
            ..Limits::default()
        };
        let reads = |block, limits: &Limits, facts: &TargetFacts| {
            let mut target = target.clone();
            target.workload.block = block;
            let facts = std::slice::from_ref(facts);
            counts_attempts(&plan(&[target]), facts, limits).is_some()
        };
        let here = limits((7, 0), None);
        assert!(reads(Bytes::mib(1), &here, &facts));
        assert!(!reads(Bytes::kib(512), &here, &facts), "not split");
        assert!(!reads(Bytes::mib(1), &Limits::default(), &facts));
        assert!(!reads(Bytes::mib(1), &limits((7, 1), None), &facts));
        let writes = limits((7, 0), Some(Bytes::mib(1)));
        assert!(!reads(Bytes::mib(1), &writes, &facts), "of writes only");
        facts.chain[0].segments_max = None;
        assert!(!reads(Bytes::mib(1), &here, &facts), "not known");
        facts.chain[0].request_max = Some(Bytes::kib(256));
        assert!(reads(Bytes::mib(1), &here, &facts));
    }
}
