//! The machine before a run: system, processor, memory, and whether it is a virtual one.
//!
//! Deliberately absent: containers, which change nothing about the disks, and anything that changes
//! during a run (`counters`).

use super::kernel::boot_id;
use super::limits::{limits, machine_memory};
use crate::firmware::hypervisor;
use crate::root::Root;
use crate::system::tree::field;
use model::{CpuFacts, HostRecord};

/// More than any kernel is built for; a garbled list of cores ends here.
const CORES_MAX: u32 = 8192;

/// Everything that a record keeps of the machine.
pub fn host_record(root: &Root) -> HostRecord {
    let cpuinfo = root.text("proc/cpuinfo").unwrap_or_default();
    let word = |name: &str| root.text(format!("proc/sys/kernel/{name}"));
    let kernel = [word("ostype"), word("osrelease")];
    HostRecord {
        hostname: word("hostname").unwrap_or_default(),
        kernel: kernel.into_iter().flatten().collect::<Vec<_>>().join(" "),
        distribution: distribution(root),
        cpu_model: cpu_model(&cpuinfo),
        cpus: with_classes(
            root,
            online(root, &cpuinfo)
                .into_iter()
                .map(|cpu| core(root, cpu))
                .collect(),
        ),
        ram: machine_memory(root, "MemTotal"),
        ram_available: machine_memory(root, "MemAvailable"),
        virtualization: virtualization(root, &cpuinfo),
        limits: limits(root),
        boot_id: boot_id(root),
    }
}

/// `PRETTY_NAME` of os-release(5).
fn distribution(root: &Root) -> Option<String> {
    let text = root
        .text("etc/os-release")
        .or_else(|| root.text("usr/lib/os-release"))?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = value.trim().trim_matches(['"', '\'']).to_owned();
    (!name.is_empty()).then_some(name)
}

/// The architectures do not agree on the word.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    ["model name", "cpu model", "Model", "Hardware", "cpu"]
        .into_iter()
        .find_map(|key| field(cpuinfo, key))
        .map(str::to_owned)
}

/// Numbers of the cores that are online.
fn online(root: &Root, cpuinfo: &str) -> Vec<u32> {
    let list = root.text("sys/devices/system/cpu/online");
    let numbers = list.map(|list| numbers(&list)).unwrap_or_default();
    if !numbers.is_empty() {
        return numbers;
    }
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.trim() == "processor")
        .filter_map(|(_, value)| value.trim().parse().ok())
        .collect()
}

/// `0-3,8` is 0, 1, 2, 3 and 8. Parts that are garbled are omitted.
fn numbers(list: &str) -> Vec<u32> {
    list.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some((
                first.trim().parse::<u32>().ok()?,
                last.trim().parse::<u32>().ok()?,
            ))
        })
        .flat_map(|(first, last)| first..=last.min(CORES_MAX))
        .take(CORES_MAX as usize)
        .collect()
}

fn core(root: &Root, cpu: u32) -> CpuFacts {
    let folder = format!("sys/devices/system/cpu/cpu{cpu}");
    let node = root
        .names(&folder)
        .iter()
        .find_map(|name| name.strip_prefix("node")?.parse().ok());
    CpuFacts {
        cpu,
        core: root.number(format!("{folder}/topology/core_id")),
        socket: root.number(format!("{folder}/topology/physical_package_id")),
        node,
        governor: root.text(format!("{folder}/cpufreq/scaling_governor")),
        efficiency_class: None,
    }
}

/// Adds the class of each core, where there are several kinds: by the lists of the performance counters of each kind, which
/// x86 has, or by the capacity of each core, which Arm and newer x86 have. Source: Documentation/ABI/testing/
/// sysfs-devices-system-cpu (`cpu_capacity`), and perf(1) on `cpu_core` and `cpu_atom`.
fn with_classes(root: &Root, mut cpus: Vec<CpuFacts>) -> Vec<CpuFacts> {
    let listed = |kind: &str| {
        let list = root.text(format!("sys/devices/{kind}/cpus"));
        list.map(|list| numbers(&list)).unwrap_or_default()
    };
    let kinds = ["cpu_lowpower", "cpu_atom", "cpu_core"].map(listed);
    let rank = |cpu: u32| -> Option<u32> {
        if kinds.iter().filter(|kind| !kind.is_empty()).count() > 1 {
            let kind = kinds.iter().position(|kind| kind.contains(&cpu))?;
            return u32::try_from(kind).ok();
        }
        root.number(format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity"))
    };
    let ranks: Vec<Option<u32>> = cpus.iter().map(|facts| rank(facts.cpu)).collect();
    let mut classes: Vec<u32> = ranks.iter().copied().flatten().collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() < 2 || ranks.iter().any(Option::is_none) {
        return cpus;
    }
    for (facts, rank) in cpus.iter_mut().zip(ranks) {
        let class = classes.iter().position(|class| Some(*class) == rank);
        facts.efficiency_class = class.and_then(|class| u32::try_from(class).ok());
    }
    cpus
}

/// The hypervisor by name, `unnamed` where the processor only reports that there is one.
fn virtualization(root: &Root, cpuinfo: &str) -> Option<String> {
    let flagged = field(cpuinfo, "flags")
        .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    if let Some(kind) = root.text("sys/hypervisor/type") {
        return Some(kind);
    }
    let firmware = ["sys_vendor", "product_name"]
        .map(|name| {
            root.text(format!("sys/class/dmi/id/{name}"))
                .unwrap_or_default()
        })
        .join(" ");
    hypervisor(&firmware, flagged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read_and_garbled_parts_left_out() {
        assert_eq!(numbers("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(numbers("5-2,x,,7"), [7]);
        assert_eq!(numbers("0-4000000000").len(), CORES_MAX as usize);
    }
}
