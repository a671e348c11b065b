//! What is known of a run step by step, in addition to each thread's own time series: how latencies were spread, and
//! what the machine's counters were during it, on the same axis of time.
//!
//! Deliberately absent: what follows from it.

use super::counters::{Counters, CpuTimes, DeviceCounters};
use super::heat::LatencyHeat;
use crate::units::{Bytes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All of it. Empty in records kept before it was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// Latencies by target and operation, those that counted any; targets in order, reads before writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heat: Vec<LatencyHeat>,
    /// The machine's counters in the measured phase: about one a step of the plan, fewer where steps are short or many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// What the machine's counters did from one reading to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// When the stretch ended, on the run's clock: counted from the start of the warm-up.
    pub at: Nanos,
    /// How long it was.
    pub length: Nanos,
    /// Cores, where the system reports it.
    pub cpu: Option<CpuSample>,
    /// Each device of the targets' chains that was read at both ends: what it did in the stretch. `in_flight` is the
    /// level at its end.
    pub devices: Vec<DeviceCounters>,
    /// Written by programs and not yet to the device, at the end of the stretch; where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<Bytes>,
    /// Being written to the device at the end of the stretch; where the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writeback: Option<Bytes>,
}

/// What all cores did in a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuSample {
    /// How many were read at both ends.
    pub cores: u32,
    /// In programs, all of them together.
    pub user: Nanos,
    /// In the kernel, all of them together, interrupts included.
    pub kernel: Nanos,
    /// Doing nothing, all of them together.
    pub idle: Nanos,
    /// Taken by the hypervisor, all of them together.
    pub steal: Nanos,
    /// The core that was in programs and the kernel for longest.
    pub busiest: u32,
    /// For how long it was.
    pub busiest_time: Nanos,
}

impl CpuSample {
    /// Of what each core did; `None` of no cores.
    pub fn of(cores: &[CpuTimes]) -> Option<Self> {
        let busy = |core: &CpuTimes| core.user.plus(core.kernel);
        let busiest = cores.iter().max_by_key(|core| busy(core))?;
        let sum = |part: fn(&CpuTimes) -> Nanos| {
            let parts = cores.iter().map(part);
            parts.fold(Nanos(0), Nanos::plus)
        };
        Some(CpuSample {
            cores: u32::try_from(cores.len()).unwrap_or(u32::MAX),
            user: sum(|core| core.user),
            kernel: sum(|core| core.kernel),
            idle: sum(|core| core.idle),
            steal: sum(|core| core.steal),
            busiest: busiest.cpu,
            busiest_time: busy(busiest),
        })
    }
}

impl Sample {
    /// From one reading to a later one; levels of memory are not among them.
    pub fn between(before: &Counters, after: &Counters) -> Self {
        let earlier = |name: &str| before.devices.iter().find(|device| device.name == name);
        let devices = after
            .devices
            .iter()
            .filter_map(|now| Some(now.since(earlier(&now.name)?)));
        let core = |cpu| before.cpus.iter().find(move |core| core.cpu == cpu);
        let cores: Vec<CpuTimes> = after
            .cpus
            .iter()
            .filter_map(|now| Some(now.since(core(now.cpu)?)))
            .collect();
        Sample {
            at: after.begun,
            length: after.begun.minus(before.begun),
            cpu: CpuSample::of(&cores),
            devices: devices.collect(),
            dirty: None,
            writeback: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_what_was_counted_in_between() {
        let core = |cpu, user, idle| CpuTimes {
            cpu,
            user: Nanos(user),
            idle: Nanos(idle),
            ..CpuTimes::default()
        };
        let device = |name: &str, reads, in_flight| DeviceCounters {
            name: name.to_owned(),
            reads,
            in_flight,
            ..DeviceCounters::default()
        };
        let reading = |begun, cpus: Vec<CpuTimes>, devices: Vec<DeviceCounters>| Counters {
            begun: Nanos(begun),
            cpus,
            devices,
            ..Counters::default()
        };
        let before = reading(
            100,
            vec![core(0, 5, 0), core(1, 5, 0)],
            vec![device("a", 10, 1)],
        );
        let after = reading(
            300,
            vec![core(0, 25, 180), core(1, 155, 50), core(2, 9, 9)],
            vec![device("a", 17, 4), device("new", 3, 3)],
        );
        let sample = Sample::between(&before, &after);
        assert_eq!((sample.at, sample.length), (Nanos(300), Nanos(200)));
        assert_eq!(sample.devices, [device("a", 7, 4)]);
        let cpu = sample.cpu.unwrap();
        assert_eq!((cpu.cores, cpu.busiest), (2, 1));
        assert_eq!(
            (cpu.user, cpu.idle, cpu.busiest_time),
            (Nanos(170), Nanos(230), Nanos(150))
        );
        assert_eq!(
            Sample::between(&after, &reading(400, vec![], vec![])).cpu,
            None
        );
    }
}
