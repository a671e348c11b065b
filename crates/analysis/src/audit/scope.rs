//! Which devices a program's I/O goes to, and what they did: those below the named places, else all of the machine. And what the rules of
//! audits check.
//!
//! Files that were only seen open are no scope: a file that was not seen could be on another device.

use model::record::audited::{Audit, AuditPlace};
use model::{BlockDevice, DeviceCounters, FileSystem, Operation};
use schemars::JsonSchema;
use serde::Serialize;

/// The devices of a program.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    /// What file systems use directly.
    pub(super) tops: Vec<&'a str>,
    /// The hardware, as far as this machine shows it.
    pub(super) bottoms: Vec<&'a str>,
    /// The named places, where all of them are on no device of this machine.
    pub(super) elsewhere: Option<&'a AuditPlace>,
}

/// What devices did of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) ios: u64,
    pub(super) bytes: u64,
}

impl<'a> Scope<'a> {
    pub(super) fn of(audit: &'a Audit) -> Scope<'a> {
        let named: Vec<&AuditPlace> = audit.places.iter().filter(|place| place.named).collect();
        if named.is_empty() {
            let all = audit.devices.iter().map(|device| device.name.as_str());
            let all: Vec<&str> = all.collect();
            return Scope {
                tops: all.clone(),
                bottoms: all,
                elsewhere: None,
            };
        }
        let mut scope = Scope::default();
        for place in &named {
            add(&mut scope.tops, place.chain.first());
            let last = place.chain.last();
            let bottoms = place.chain.iter();
            let bottoms = bottoms.filter(|name| Some(*name) == last || is_bottom(audit, name));
            bottoms.for_each(|name| add(&mut scope.bottoms, Some(name)));
        }
        if scope.tops.is_empty() {
            scope.elsewhere = named.first().copied();
        }
        scope
    }

    /// Whether the lowest devices keep their data in memory.
    pub(super) fn is_in_memory(&self, audit: &Audit) -> bool {
        let is_memory = |name: &&str| {
            let device = audit.devices.iter().find(|device| device.name == *name);
            device.is_some_and(keeps_in_memory)
        };
        !self.bottoms.is_empty() && self.bottoms.iter().all(is_memory)
    }

    /// Returns what the upper devices did.
    pub(super) fn top(&self, audit: &Audit, operation: Operation) -> Done {
        sum(audit, &self.tops, operation)
    }

    /// Returns what the lowest devices did.
    pub(super) fn bottom(&self, audit: &Audit, operation: Operation) -> Done {
        sum(audit, &self.bottoms, operation)
    }

    /// Returns the names for a sentence: of many devices those that did something.
    pub(super) fn names(&self, audit: &Audit, operation: Operation) -> String {
        const NAMED_MAX: usize = 3;
        let is_active = |name: &&&str| done(audit, name, operation).bytes > 0;
        let active: Vec<&str> = self.tops.iter().filter(is_active).copied().collect();
        let names = if active.is_empty() {
            &self.tops
        } else {
            &active
        };
        match names.len() {
            0 => "no device".to_owned(),
            few if few <= NAMED_MAX => crate::say::listed(names),
            many => format!("{many} devices"),
        }
    }
}

fn add<'a>(names: &mut Vec<&'a str>, name: Option<&'a String>) {
    if let Some(name) = name.filter(|name| !names.contains(&name.as_str())) {
        names.push(name);
    }
}

fn is_bottom(audit: &Audit, name: &str) -> bool {
    let passes_on = |device: &BlockDevice| {
        let kind = device.kind.as_str();
        matches!(kind, "loop" | "partition" | "dm" | "md" | "bcache")
    };
    let device = audit.devices.iter().find(|device| device.name == name);
    device.is_none_or(|device| !passes_on(device))
}

/// Compressed memory, a RAM disk, or a loop device whose file is in memory.
fn keeps_in_memory(device: &BlockDevice) -> bool {
    let on = device.file_on.clone().map(|kind| FileSystem {
        kind,
        ..FileSystem::default()
    });
    let is_memory = matches!(device.kind.as_str(), "zram" | "ram");
    is_memory || on.is_some_and(|on| on.is_in_memory())
}

fn sum(audit: &Audit, names: &[&str], operation: Operation) -> Done {
    let each = names.iter().map(|name| done(audit, name, operation));
    each.fold(Done::default(), |sum, one| Done {
        ios: sum.ios.saturating_add(one.ios),
        bytes: sum.bytes.saturating_add(one.bytes),
    })
}

fn done(audit: &Audit, name: &str, operation: Operation) -> Done {
    let DeviceCounters {
        reads,
        read_bytes,
        writes,
        write_bytes,
        ..
    } = audit.window.device(name).unwrap_or_default();
    match operation {
        Operation::Read => Done {
            ios: reads,
            bytes: read_bytes.0,
        },
        Operation::Write => Done {
            ios: writes,
            bytes: write_bytes.0,
        },
    }
}

/// What the kernel's account shows of the printed figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditAnswer {
    /// No figures were printed, or none that can be read: the account stands alone.
    Account,
    /// The devices did what was printed.
    Device,
    /// The devices moved the bytes in far fewer I/Os.
    Merged,
    /// Memory answered a part.
    PartMemory,
    /// Other programs used the devices too much, or the figures are too small.
    Undecided,
    /// A server did the I/O, which this machine does not count.
    Remote,
    /// The page cache below a loop device answered.
    CacheBelow,
    /// Memory answered.
    Memory,
    /// The files are in memory: no device took part.
    NoDevice,
}

impl AuditAnswer {
    /// Whether the figures are not those of a device.
    pub(crate) fn is_memory(self) -> bool {
        self >= AuditAnswer::CacheBelow
    }
}

/// What the rules of audits check.
pub struct AuditSeen<'a> {
    /// The record.
    pub(crate) audit: &'a Audit,
    /// The answer, and the figures that it is based on.
    pub(crate) answer: AuditAnswer,
    pub(crate) sentence: &'a str,
    pub(crate) printed_bytes: f64,
    pub(crate) device_bytes: f64,
    /// Bytes that were to be written, and those that the devices wrote meanwhile; none where no device of this machine does it.
    pub(crate) written: Option<[u64; 2]>,
    /// What the devices of the program moved, reads and writes.
    pub(crate) moved_bytes: u64,
}

/// Bytes below which nothing is concluded.
pub(crate) const BYTES_MIN: u64 = 256 << 10;

/// What is left, where it is more than file systems write late anyway.
pub(crate) fn left_of(to_write: u64, written: u64) -> Option<u64> {
    let left = to_write.saturating_sub(written);
    (left >= BYTES_MIN && left as f64 > 0.10 * to_write as f64).then_some(left)
}
