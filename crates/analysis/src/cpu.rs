//! What the processors did while the measured phase ran. Sources of the counters: proc_stat(5), getrusage(2).

use crate::rows::share;
use crate::say;
use model::{CounterWindow, CpuTimes, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Less than this share of its time taken by a hypervisor is not reported.
const TAKEN_SAID_MIN: f64 = 0.01;

/// Load of the CPUs between the two readings of the counters around the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuReport {
    /// Wall time between the readings, in nanoseconds.
    pub elapsed_ns: u64,
    /// User time of all cores together, in cores: 1.5 is one and a half cores at 100%.
    pub user_cores: f64,
    /// Kernel time of all cores together, in cores.
    pub kernel_cores: f64,
    /// Time that the hypervisor took, of all cores together, in cores.
    pub steal_cores: f64,
    /// Of this process alone, user and kernel time of all its threads together, in cores. None if the system does not
    /// report it, and in results stored before it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_cores: Option<f64>,
    /// Each core that was read at both ends; empty where the system does not report it.
    pub cores: Vec<CoreShare>,
}

/// One core's time as shares of the wall time. The counters tick 100 times a second, so short runs are coarse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoreShare {
    /// Number of the core as the system counts.
    pub cpu: u32,
    /// In programs. // in [0, 1]
    pub user_share: f64,
    /// In the kernel, interrupts included. // in [0, 1]
    pub kernel_share: f64,
    /// Doing nothing, waiting for I/O included. // in [0, 1]
    pub idle_share: f64,
    /// Taken by the hypervisor for others. // in [0, 1]
    pub steal_share: f64,
    /// The time that was taken, in nanoseconds.
    pub steal_ns: u64,
}

impl CpuReport {
    /// Computes what the processors did between two readings of their counters.
    pub fn of(window: &CounterWindow) -> Self {
        let elapsed = window.after.ended.minus(window.before.ended);
        let cores: Vec<CoreShare> = window.cpus().iter().map(|cpu| core(cpu, elapsed)).collect();
        Self {
            elapsed_ns: elapsed.0,
            user_cores: cores.iter().map(|core| core.user_share).sum(),
            kernel_cores: cores.iter().map(|core| core.kernel_share).sum(),
            steal_cores: cores.iter().map(|core| core.steal_share).sum(),
            own_cores: window
                .process()
                .and_then(|cpu| share(cpu.total().0 as f64, elapsed.0 as f64)),
            cores,
        }
    }

    /// Share of the time that the hypervisor took, over all cores; 0 where no core was read. // in [0, 1]
    pub(crate) fn steal_mean(&self) -> f64 {
        (self.steal_cores / self.cores.len().max(1) as f64).clamp(0.0, 1.0)
    }

    /// `, the hypervisor took 8%`, or nothing where that is too little to matter.
    pub(crate) fn taken(&self, share: f64) -> String {
        match share >= TAKEN_SAID_MIN {
            true => format!(", the hypervisor took {}", say::percent(share)),
            false => String::new(),
        }
    }
}

/// A tick may fall on either side of a reading, so the counted time can exceed the wall time a little: the
/// larger of both is the whole, and no share exceeds 1.
fn core(cpu: &CpuTimes, elapsed: Nanos) -> CoreShare {
    let whole = cpu.total().max(elapsed).0 as f64;
    let of = |time: Nanos| share(time.0 as f64, whole).unwrap_or(0.0);
    CoreShare {
        cpu: cpu.cpu,
        user_share: of(cpu.user),
        kernel_share: of(cpu.kernel),
        idle_share: of(cpu.idle),
        steal_share: of(cpu.steal),
        steal_ns: cpu.steal.0,
    }
}
