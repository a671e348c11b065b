//! Who else is at work: on the device, on the cores, next to us under the same hypervisor.
//!
//! Thresholds: fathom's own runs aim at 2%, so what is below 1% is not reported; from half of the device or of the cores on,
//! the result is another user's as much as ours.

use super::{Facts, Remark, care, fine, stop, unknown};
use crate::say;
use model::{DeviceCounters, TargetKind};

pub(super) const SMALL: f64 = 0.01;
pub(super) const HALF: f64 = 0.5;
/// Share of all cores from which on it is reported: a core of few, which the tool then has to share.
pub(super) const CPU_TOLD: f64 = 0.15;
/// IOPS that no idle machine does.
pub(super) const IOS_TOLD_PER_S: f64 = 20.0;

/// I/O of others on the devices below the target, the busiest of them.
pub(super) fn device(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "other load";
    if matches!(facts.target.kind, TargetKind::Null | TargetKind::Simulated) {
        return Vec::new();
    }
    let chain = &facts.target.chain;
    if chain.is_empty() || chain.iter().all(|device| device.counted == Some(false)) {
        return unknown(TOPIC, "no device below the target counts its I/Os");
    }
    let seconds = facts.window.elapsed().as_seconds().max(1e-9);
    let busy = |counters: &DeviceCounters| counters.busy.as_seconds() / seconds;
    let loads = chain
        .iter()
        .filter_map(|device| facts.window.device(&device.name));
    let Some(most) = loads.max_by(|a, b| busy(a).total_cmp(&busy(b))) else {
        return unknown(TOPIC, "the counters of its devices cannot be read");
    };
    let rate = (most.reads + most.writes) as f64 / seconds;
    let bytes = (most.read_bytes.0 + most.write_bytes.0) as f64 / seconds;
    let found = format!(
        "{} does {} IOPS and {} MiB/s for others, busy {:.0}% of the time",
        most.name,
        say::rate(rate),
        say::mib_per_s(bytes),
        (busy(&most) * 100.0).min(100.0)
    );
    let remedy =
        "find the process with `fathom watch`; stop it, or measure when the device is idle";
    if busy(&most) >= HALF {
        return stop(TOPIC, found, remedy);
    }
    if busy(&most) >= SMALL || rate >= IOS_TOLD_PER_S {
        return care(TOPIC, found, remedy);
    }
    fine(TOPIC, format!("less than the threshold on {}", most.name))
}

/// Programs on the cores.
pub(super) fn cpus(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "processors";
    let Some(shares) = Shares::of(facts) else {
        return unknown(TOPIC, "the system does not report how busy they are");
    };
    let found = format!(
        "{:.0}% of all cores are in use by others",
        shares.used * 100.0
    );
    let remedy = "stop the other processes (see top(1)), or measure when the machine is idle; fathom run --cores restricts a run to idle cores";
    if shares.used >= HALF {
        return stop(TOPIC, found, remedy);
    }
    if shares.used >= CPU_TOLD {
        return care(TOPIC, found, remedy);
    }
    fine(
        TOPIC,
        format!("{:.0}% idle", (1.0 - shares.used - shares.stolen) * 100.0),
    )
}

/// Time that others had on the same machine below ours.
pub(super) fn hypervisor(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "hypervisor";
    let Some(shares) = Shares::of(facts).filter(|shares| shares.stolen >= SMALL) else {
        return Vec::new();
    };
    care(
        TOPIC,
        format!(
            "the hypervisor gave {:.0}% of the CPU time to other machines",
            shares.stolen * 100.0
        ),
        "measure when the host is idle, or on a dedicated host; repeat and compare",
    )
}

/// Shares of all cores' time.
struct Shares {
    used: f64,
    stolen: f64,
}

impl Shares {
    fn of(facts: &Facts<'_>) -> Option<Self> {
        let cores = facts.window.cpus();
        let sum = |of: fn(&model::CpuTimes) -> u64| cores.iter().map(of).sum::<u64>() as f64;
        let used = sum(|core| core.user.0 + core.kernel.0);
        let stolen = sum(|core| core.steal.0);
        let all = used + stolen + sum(|core| core.idle.0);
        (all > 0.0).then(|| Shares {
            used: used / all,
            stolen: stolen / all,
        })
    }
}
