//! The thresholds of `fathom check`, as the reference page lists them.
//!
//! The figures are the constants that the rules compare with. Omitted: the rules.

use super::load::{CPU_TOLD, HALF, IOS_TOLD_PER_S, SMALL};
use super::setting::{FREE_BYTES_MIN, FREE_MIN, SHARED, SURVEY_MIN};

/// What makes one check CAUTION or NOT READY; empty where nothing does.
pub struct CheckThreshold {
    /// What is checked.
    pub check: &'static str,
    /// From this on the answer is CAUTION.
    pub caution: String,
    /// From this on it is NOT READY.
    pub not_ready: String,
}

/// Returns a row for each check, in the order of the checks.
pub fn check_thresholds() -> Vec<CheckThreshold> {
    let mut rows = target();
    rows.extend(load());
    rows.extend(setting());
    rows
}

fn target() -> Vec<CheckThreshold> {
    let unusable =
        "missing folder or device, no permission, read-only where a file has to be created";
    let health = "health: md arrays, multipath, states of SCSI devices and NVMe controllers";
    let small = format!("no direct reads; a file below {}", mib(SURVEY_MIN));
    vec![
        row("target", small, unusable),
        row(
            "start, by the survey's own check",
            "only a survey that reads would start",
            "no survey would start",
        ),
        row(health, "", "a member or path missing, a resync, offline"),
    ]
}

fn load() -> [CheckThreshold; 3] {
    let (small, half) = (percent(SMALL), percent(HALF));
    let others = format!("busy {small} of the time, or {IOS_TOLD_PER_S} IOPS");
    let cpus = format!("{} of all cores in use", percent(CPU_TOLD));
    [
        row(
            "other load on the devices below the target",
            others,
            format!("busy {half} of the time"),
        ),
        row("CPUs", cpus, format!("{half} of all cores in use")),
        row("hypervisor", format!("{small} of the CPU time stolen"), ""),
    ]
}

fn setting() -> [CheckThreshold; 7] {
    let kinds = SHARED.map(|(kind, _)| kind).join(", ");
    let shared = format!("always, because only the path of this host is measured: {kinds}");
    let created = format!(
        "below {} where a file has to be created",
        mib(FREE_BYTES_MIN)
    );
    [
        row("shared file system", shared, ""),
        row(
            "throttling and quotas: control groups",
            "a limit is in force",
            "",
        ),
        row(
            "free space",
            format!("below {}", percent(FREE_MIN)),
            created,
        ),
        row("scheduler", "bfq on a device that does not rotate", ""),
        row(
            "mount",
            "sync, data=journal, barriers off, compression, in memory",
            "",
        ),
        row("governor", "other than performance", ""),
        row("clock", "slow to read", ""),
    ]
}

fn row(
    check: &'static str,
    caution: impl Into<String>,
    not_ready: impl Into<String>,
) -> CheckThreshold {
    CheckThreshold {
        check,
        caution: caution.into(),
        not_ready: not_ready.into(),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", share * 100.0)
}

fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
