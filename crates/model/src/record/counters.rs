//! What the kernel counted: CPU time per core and of this process, the block layer's own figures, and how often a quota of
//! CPU time was used up; read twice.
//!
//! The difference of the two readings is taken here, because every reader needs it and the rules of
//! wrapping counters belong in one place.

use super::tally::LifetimeCount;
use crate::plan::Operation;
use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};

/// One reading of all counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// When the reading began, on the run's clock: counted from the start of the warm-up.
    pub begun: Nanos,
    /// When it ended. The device counters are read first, so they are nearest to `begun`.
    pub ended: Nanos,
    /// Every core that is online. // empty where the system does not report it
    pub cpus: Vec<CpuTimes>,
    /// Every device of the targets' chains. // empty where the system does not report it
    pub devices: Vec<DeviceCounters>,
    /// Interrupts of all cores together since boot. None in records kept before that was read, and where the system does
    /// not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<u64>,
    /// CPU time of this process since it began, all its threads together. None in records kept before that was read, and
    /// where the system does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessCpu>,
    /// Bytes that devices have read for this process since it began, all its threads together, regardless of what others read. None in
    /// records kept before that was read, and where the system does not report it. Source: proc_pid_io(5), `read_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_read_bytes: Option<Bytes>,
    /// The control groups of this process, and those above them, that have a quota of CPU time; always in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<QuotaCounters>,
}

/// CPU time of one process since it began, those threads included that the kernel runs for it. Source: getrusage(2),
/// `RUSAGE_SELF`. The sum is exact to a tick of the kernel a thread; how it is split is often an estimate by ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessCpu {
    /// In the program.
    pub user: Nanos,
    /// In the kernel for it.
    pub kernel: Nanos,
}

/// A control group that may use only so much CPU time in each period, since its creation. Source: the kernel's
/// `Documentation/scheduler/sched-bwc.rst`, `cpu.stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaCounters {
    /// Periods in which something of the group could run.
    pub periods: u64,
    /// Of these, those in which its time was used up, so that it was stopped until the next.
    pub throttled: u64,
    /// For how long it was stopped, all cores together.
    pub throttled_time: Nanos,
}

/// Time of one core since boot. Source: proc_stat(5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTimes {
    /// Number of the core as the system counts.
    pub cpu: u32,
    /// In programs, niced ones included.
    pub user: Nanos,
    /// In the kernel, interrupts included.
    pub kernel: Nanos,
    /// Doing nothing, waiting for I/O included.
    pub idle: Nanos,
    /// Taken by the hypervisor for others.
    pub steal: Nanos,
    /// Of the time in the kernel, in interrupts; absent as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irq: Option<Nanos>,
    /// Of the time in the kernel, in what interrupts left for later (softirq); absent as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softirq: Option<Nanos>,
}

/// The block layer's figures of one device since boot. Source: the kernel's `Documentation/block/stat.rst`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCounters {
    /// Kernel name, as in `/sys/block`.
    pub name: String,
    /// Reads completed.
    pub reads: u64,
    /// Reads merged into a neighbour before they were sent.
    pub reads_merged: u64,
    /// Read, in 512-byte sectors times 512.
    pub read_bytes: Bytes,
    /// Sum of the times that reads took, in whole milliseconds.
    pub read_time: Nanos,
    /// Writes completed.
    pub writes: u64,
    /// Writes merged into a neighbour before they were sent.
    pub writes_merged: u64,
    /// Written, in 512-byte sectors times 512.
    pub write_bytes: Bytes,
    /// Sum of the times that writes took, in whole milliseconds.
    pub write_time: Nanos,
    /// Requests in the device now. A level, not a count.
    pub in_flight: u64,
    /// Time with at least one request in the device.
    pub busy: Nanos,
    /// Discards completed.
    pub discards: u64,
    /// Cache flushes completed.
    pub flushes: u64,
}

/// The readings at both ends of a stretch of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterWindow {
    /// At its start.
    pub before: Counters,
    /// At its end.
    pub after: Counters,
}

impl CounterWindow {
    /// What a device did in between; `None` when it was not read at both ends.
    pub fn device(&self, name: &str) -> Option<DeviceCounters> {
        let find = |counters: &Counters| counters.devices.iter().find(|d| d.name == name).cloned();
        Some(find(&self.after)?.since(&find(&self.before)?))
    }

    /// What each core did in between, for cores read at both ends.
    pub fn cpus(&self) -> Vec<CpuTimes> {
        let before = |cpu| self.before.cpus.iter().find(move |c| c.cpu == cpu);
        self.after
            .cpus
            .iter()
            .filter_map(|now| Some(now.since(before(now.cpu)?)))
            .collect()
    }

    /// Interrupts of all cores in between; `None` when they were not read at both ends.
    pub fn interrupts(&self) -> Option<u64> {
        Some(
            self.after
                .interrupts?
                .saturating_sub(self.before.interrupts?),
        )
    }

    /// CPU time of this process in between; `None` when it was not read at both ends.
    pub fn process(&self) -> Option<ProcessCpu> {
        let (before, after) = (self.before.process?, self.after.process?);
        Some(ProcessCpu {
            user: after.user.minus(before.user),
            kernel: after.kernel.minus(before.kernel),
        })
    }

    /// What each quota did in between; none when they were not the same at both ends.
    pub fn quotas(&self) -> Vec<QuotaCounters> {
        let (before, after) = (&self.before.quotas, &self.after.quotas);
        if before.len() != after.len() {
            return Vec::new();
        }
        let each = after.iter().zip(before);
        each.map(|(now, then)| QuotaCounters {
            periods: now.periods.saturating_sub(then.periods),
            throttled: now.throttled.saturating_sub(then.throttled),
            throttled_time: now.throttled_time.minus(then.throttled_time),
        })
        .collect()
    }

    /// From the device reading at the start to the one at the end.
    pub fn elapsed(&self) -> Nanos {
        self.after.begun.minus(self.before.begun)
    }
}

impl CpuTimes {
    /// The difference to an earlier reading; a counter that went backwards (steal and idle can, by a
    /// tick) counts as still.
    #[must_use]
    pub fn since(&self, before: &CpuTimes) -> CpuTimes {
        let part = |now: Option<Nanos>, before: Option<Nanos>| Some(now?.minus(before?));
        CpuTimes {
            irq: part(self.irq, before.irq),
            softirq: part(self.softirq, before.softirq),
            cpu: self.cpu,
            user: self.user.minus(before.user),
            kernel: self.kernel.minus(before.kernel),
            idle: self.idle.minus(before.idle),
            steal: self.steal.minus(before.steal),
        }
    }

    /// All of it together.
    pub fn total(&self) -> Nanos {
        self.user.plus(self.kernel).plus(self.idle).plus(self.steal)
    }
}

impl DeviceCounters {
    /// The difference to an earlier reading; `in_flight` stays the level of this one.
    #[must_use]
    pub fn since(&self, before: &DeviceCounters) -> DeviceCounters {
        DeviceCounters {
            name: self.name.clone(),
            reads: self.reads.saturating_sub(before.reads),
            reads_merged: self.reads_merged.saturating_sub(before.reads_merged),
            read_bytes: Bytes(self.read_bytes.0.saturating_sub(before.read_bytes.0)),
            read_time: self.read_time.minus(before.read_time),
            writes: self.writes.saturating_sub(before.writes),
            writes_merged: self.writes_merged.saturating_sub(before.writes_merged),
            write_bytes: Bytes(self.write_bytes.0.saturating_sub(before.write_bytes.0)),
            write_time: self.write_time.minus(before.write_time),
            in_flight: self.in_flight,
            busy: self.busy.minus(before.busy),
            discards: self.discards.saturating_sub(before.discards),
            flushes: self.flushes.saturating_sub(before.flushes),
        }
    }

    /// Returns the requests and bytes of one operation.
    pub fn amount(&self, operation: Operation) -> LifetimeCount {
        match operation {
            Operation::Read => LifetimeCount {
                ios: self.reads,
                bytes: self.read_bytes,
            },
            Operation::Write => LifetimeCount {
                ios: self.writes,
                bytes: self.write_bytes,
            },
        }
    }
}

impl ProcessCpu {
    /// Both together.
    pub fn total(&self) -> Nanos {
        self.user.plus(self.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(cpu_ms: u64, throttled: &[u64]) -> Counters {
        let quota = |throttled: &u64| QuotaCounters {
            periods: 100 + throttled,
            throttled: *throttled,
            throttled_time: Nanos::millis(*throttled),
        };
        Counters {
            process: Some(ProcessCpu {
                user: Nanos::millis(cpu_ms),
                kernel: Nanos::millis(2 * cpu_ms),
            }),
            quotas: throttled.iter().map(quota).collect(),
            ..Counters::default()
        }
    }

    #[test]
    fn what_a_process_used_and_its_quotas_took_is_between_both_readings() {
        let window = CounterWindow {
            before: reading(10, &[1, 0]),
            after: reading(15, &[4, 0]),
        };
        assert_eq!(window.process().unwrap().total(), Nanos::millis(15));
        let expected = QuotaCounters {
            periods: 3,
            throttled: 3,
            throttled_time: Nanos::millis(3),
        };
        assert_eq!(window.quotas(), [expected, QuotaCounters::default()]);
    }

    #[test]
    fn what_was_read_once_only_tells_nothing() {
        let window = CounterWindow {
            before: Counters::default(),
            after: reading(15, &[4]),
        };
        assert_eq!((window.process(), window.quotas()), (None, Vec::new()));
    }

    #[test]
    fn a_reading_kept_before_these_were_read_is_read_back_without_them() {
        let old = r#"{"begun":1,"ended":2,"cpus":[],"devices":[]}"#;
        let read: Counters = serde_json::from_str(old).unwrap();
        assert_eq!((read.process, read.quotas.len()), (None, 0));
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
    }
}
