//! What lies below the targets, as several rules use it: devices, file systems, and how far their word goes.
//!
//! Deliberately absent: any finding.

use crate::device_classes::disk_family;
use model::{
    Access, BlockDevice, CacheMode, Counted, LatencyHistogram, Operation, PlannedTarget, RunRecord,
    TargetFacts,
};

/// A target, with what was asked of it.
pub(super) struct Below<'a> {
    pub(super) number: u32,
    pub(super) planned: &'a PlannedTarget,
    pub(super) facts: &'a TargetFacts,
}

/// Every target of a run.
pub(super) fn targets(record: &RunRecord) -> impl Iterator<Item = Below<'_>> {
    let pairs = record.plan.targets.iter().zip(&record.targets);
    (0u32..).zip(pairs).map(|(number, (planned, facts))| Below {
        number,
        planned,
        facts,
    })
}

impl<'a> Below<'a> {
    /// The device that the target is, or that its file system uses.
    pub(super) fn top(&self) -> Option<&'a BlockDevice> {
        self.facts.chain.first()
    }

    pub(super) fn path(&self) -> String {
        self.facts.path.to_string_lossy().into_owned()
    }

    pub(super) fn reads(&self) -> bool {
        self.planned.workload.write.as_percent() < 100
    }

    pub(super) fn is_unbuffered(&self) -> bool {
        self.planned.cache == CacheMode::Unbuffered && self.planned.mapped.is_none()
    }

    /// All I/Os go to random places.
    pub(super) fn is_random(&self) -> bool {
        match &self.planned.workload.access {
            Access::Random | Access::Permuted(_) | Access::Skewed(_) => true,
            Access::Diskspd(walk) => walk.random.as_percent() == 100,
            Access::Mixed(mixed) => mixed
                .lines
                .iter()
                .all(|line| line.random.as_percent() == 100),
            Access::Sequential | Access::Stripe(_) | Access::Runs { .. } | Access::Recorded(_) => {
                false
            }
        }
    }

    pub(super) fn counted(&self, record: &RunRecord, operation: Operation) -> Counted {
        record.counted(operation, Some(self.number))
    }

    pub(super) fn latency(&self, record: &RunRecord, operation: Operation) -> LatencyHistogram {
        let mut sum = LatencyHistogram::new();
        let mine = record.threads.iter();
        for thread in mine.filter(|thread| thread.target == self.number) {
            sum.merge(&thread.measured[operation.index()].latency);
        }
        sum
    }

    /// How many rotating disks are at the bottom; `None` where something else is there too, or nothing that can be
    /// believed: virtual disks report that they rotate because they have no other information.
    pub(super) fn spindles(&self) -> Option<u64> {
        let mut disks = 0;
        for device in &self.facts.chain {
            match device.kind.as_str() {
                "partition" | "dm" | "md" => {}
                "loop" if device.detail.is_some() => {} // its file lies on what follows
                "disk" if turns(device) => disks += 1,
                _ => return None,
            }
        }
        (disks > 0).then_some(disks)
    }

    /// The device below it whose queue is known, how many I/Os of so many threads it accepts at a time, and whether the kernel's part
    /// of the queue is the shorter one. `None` where several disks share the I/Os.
    pub(super) fn queue_room(&self, threads: u32) -> Option<(&'a BlockDevice, u64, bool)> {
        let serves = |device: &&BlockDevice| !matches!(&*device.kind, "partition" | "dm" | "md");
        let disks = self
            .facts
            .chain
            .iter()
            .filter(|device| device.kind == "disk");
        let device = self
            .facts
            .chain
            .iter()
            .find(serves)
            .filter(|_| disks.count() <= 1)?;
        let queues = device.queues.map_or(1, |queues| queues.min(threads).max(1));
        let known = device.kind != "disk" || device.queues.is_some();
        let kernel = device.queue_size.filter(|_| known);
        let kernel = kernel.map(|size| u64::from(size) * u64::from(queues));
        let own = device.device_queue.map(u64::from);
        let room = [kernel, own].into_iter().flatten().min()?;
        (room > 0).then_some((device, room, own.is_none_or(|own| own > room)))
    }

    /// Whether a file system keeps I/Os waiting for work of its own: it compresses, or computes checksums of what it writes
    /// elsewhere than before.
    pub(super) fn works_above(&self) -> bool {
        let copies = |on: &model::FileSystem| ["btrfs", "zfs", "bcachefs"].contains(&&*on.kind);
        let on = self.facts.file_system.as_ref();
        self.presses().is_some() || self.planned.writes() && on.is_some_and(copies)
    }

    /// What below the target makes data smaller before it stores it.
    pub(super) fn presses(&self) -> Option<String> {
        let device = self.facts.chain.iter().find(|device| {
            let vdo = device
                .detail
                .as_deref()
                .is_some_and(|it| it.contains("VDO"));
            device.kind == "zram" || vdo
        });
        if let Some(device) = device {
            return Some(device.name.clone());
        }
        let on = self.facts.file_system.as_ref()?;
        let has = |head: &str| {
            let mut options = on
                .options
                .split(',')
                .filter_map(|word| word.strip_prefix(head));
            options.any(|value| !matches!(value, "no" | "none" | "off"))
        };
        let does = match on.kind.as_str() {
            "zfs" => true, // lz4 unless it is switched off, which the mount does not show
            "btrfs" => has("compress=") || has("compress-force="),
            "f2fs" => has("compress_algorithm="),
            "bcachefs" => has("compression=") || has("background_compression="),
            _ => false,
        };
        does.then(|| on.kind.clone())
    }
}

/// Returns whether a kernel, as a record names it, has this version or a later one.
pub(super) fn kernel_is_since(kernel: &str, major: u32, minor: u32) -> bool {
    let digits = kernel.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let mut numbers = digits.split(|sign: char| !sign.is_ascii_digit());
    let mut number = || numbers.next()?.parse::<u32>().ok();
    number()
        .zip(number())
        .is_some_and(|found| found >= (major, minor))
}

/// Whether it reports so, or has the model name of such a disk: some controllers pass on the name and not the flag.
fn turns(device: &BlockDevice) -> bool {
    let family = device.model.as_deref().and_then(disk_family);
    family.is_some() || (device.rotational == Some(true) && is_believed(device))
}

/// Returns whether its flags are of the device itself and not of a host that imitates one.
pub(super) fn is_believed(device: &BlockDevice) -> bool {
    !matches!(
        device.transport.as_deref(),
        Some("virtio" | "xen" | "iscsi")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn a_virtual_disk_is_not_believed_to_rotate_and_a_real_one_is() {
        let mut record = Sample::default().build();
        assert_eq!(targets(&record).next().unwrap().spindles(), None);
        for device in &mut record.targets[0].chain {
            device.rotational = Some(true);
        }
        assert_eq!(targets(&record).next().unwrap().spindles(), Some(1));
        record.targets[0].chain[1].transport = Some("virtio".to_owned());
        assert_eq!(targets(&record).next().unwrap().spindles(), None);
    }

    #[test]
    fn a_disk_is_known_to_rotate_by_its_model() {
        let mut record = Sample::default().build();
        for device in &mut record.targets[0].chain {
            device.rotational = None;
        }
        record.targets[0].chain[1].model = Some("ST4000NM0035-1V4107".to_owned());
        assert_eq!(targets(&record).next().unwrap().spindles(), Some(1));
        record.targets[0].chain[1].model = Some("Samsung SSD 870 EVO 1TB".to_owned());
        assert_eq!(targets(&record).next().unwrap().spindles(), None);
    }

    #[test]
    fn what_compresses_is_known_by_its_options() {
        let mut record = Sample::default().build();
        let presses = |record: &RunRecord| targets(record).next().unwrap().presses();
        assert_eq!(presses(&record), None);
        let on = record.targets[0].file_system.as_mut().unwrap();
        (on.kind, on.options) = ("btrfs".to_owned(), "rw,compress=no".to_owned());
        assert_eq!(presses(&record), None);
        record.targets[0].file_system.as_mut().unwrap().options = "rw,compress=zstd:3".to_owned();
        assert_eq!(presses(&record).as_deref(), Some("btrfs"));
        record.targets[0].chain[0].kind = "zram".to_owned();
        assert_eq!(presses(&record).as_deref(), Some("vda1"));
    }
}
