//! The machine before a run: system, processor, memory, and whether it is a virtual one. Sources: RtlGetVersion, the registry,
//! GetLogicalProcessorInformationEx, GlobalMemoryStatusEx.
//!
//! A core's number is its group times 64 and its place in the group. Deliberately absent: anything that changes during a run
//! (`counters`).

use super::calls::{host_name, memory, processor_count, processors, registry_text, version};
use super::limits::limits;
use crate::firmware::hypervisor;
use crate::root::Root;
use model::{Bytes, CpuFacts, HostRecord};

const SYSTEM_KEY: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";
const PROCESSOR_KEY: &str = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0";
const FIRMWARE_KEY: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
/// From this build on it is Windows 11, which the registry still calls 10.
const ELEVEN: u32 = 22_000;

/// Everything that a record keeps of the machine. Of a saved one nothing: its devices alone are saved.
pub fn host_record(root: &Root) -> HostRecord {
    if !root.is_live() {
        return HostRecord::default();
    }
    let [ram, available, _] = memory().unwrap_or_default();
    let number = version();
    let kernel = number.map(|[major, minor, build]| format!("Windows {major}.{minor}.{build}"));
    HostRecord {
        hostname: host_name().unwrap_or_default(),
        kernel: kernel.unwrap_or_else(|| "Windows".to_owned()),
        distribution: edition(number.map_or(0, |[_, _, build]| build)),
        cpu_model: registry_text(PROCESSOR_KEY, "ProcessorNameString"),
        cpus: cpus(),
        ram: Bytes(ram),
        ram_available: Bytes(available),
        virtualization: virtualization(),
        limits: limits(root),
        boot_id: None,
    }
}

/// `Windows Server 2022 Standard 21H2`.
fn edition(build: u32) -> Option<String> {
    let name = registry_text(SYSTEM_KEY, "ProductName")?;
    let name = match name.strip_prefix("Windows 10") {
        Some(rest) if build >= ELEVEN => format!("Windows 11{rest}"),
        _ => name,
    };
    Some(match registry_text(SYSTEM_KEY, "DisplayVersion") {
        Some(release) => format!("{name} {release}"),
        None => name,
    })
}

/// The hypervisor by name, as the firmware shows it. The processor's own flag proves nothing: Windows runs on its hypervisor by
/// itself where it isolates parts of its kernel.
fn virtualization() -> Option<String> {
    let words = ["SystemManufacturer", "SystemProductName"];
    let words = words.map(|word| registry_text(FIRMWARE_KEY, word).unwrap_or_default());
    hypervisor(&words.join(" "), false)
}

/// All cores; where the system does not describe them, their numbers alone.
fn cpus() -> Vec<CpuFacts> {
    let found = processors().map(|bytes| described(&bytes));
    found.filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| {
        let number = |cpu| CpuFacts {
            cpu,
            ..CpuFacts::default()
        };
        (0..processor_count()).map(number).collect()
    })
}

/// Entries of the kinds that are read. // LOGICAL_PROCESSOR_RELATIONSHIP
const CORE: u32 = 0;
const NODE: u32 = 1;
const PACKAGE: u32 = 3;
/// Bytes before what an entry describes: its kind and its size.
const HEAD: usize = 8;
/// Where an entry has its class, how many groups it is in, and the groups. // PROCESSOR_RELATIONSHIP, NUMA_NODE_RELATIONSHIP
const CLASS_AT: usize = HEAD + 1;
const GROUPS_AT: usize = HEAD + 22;
const MASKS_AT: usize = HEAD + 24;
/// A mask of processors and the number of its group. // GROUP_AFFINITY
const MASK_BYTES: usize = 16;

/// One entry: its kind and its bytes.
type Described<'a> = (u32, &'a [u8]);

fn described(bytes: &[u8]) -> Vec<CpuFacts> {
    let entries = entries(bytes);
    let of_kind = |kind: u32| {
        let all = entries.iter().filter(move |(found, _)| *found == kind);
        all.map(|(_, entry)| *entry)
    };
    let mut cpus: Vec<CpuFacts> = Vec::new();
    for (core, entry) in (0..).zip(of_kind(CORE)) {
        let class = entry.get(CLASS_AT).copied().map(u32::from);
        cpus.extend(members(entry).into_iter().map(|cpu| CpuFacts {
            cpu,
            core: Some(core),
            efficiency_class: class,
            ..CpuFacts::default()
        }));
    }
    for (socket, entry) in (0..).zip(of_kind(PACKAGE)) {
        set(&mut cpus, entry, |facts| facts.socket = Some(socket));
    }
    for entry in of_kind(NODE) {
        let node = number(entry, HEAD);
        set(&mut cpus, entry, |facts| facts.node = node);
    }
    cpus.sort_by_key(|facts| facts.cpu);
    rank(&mut cpus);
    cpus
}

fn entries(bytes: &[u8]) -> Vec<Described<'_>> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let (Some(kind), Some(size)) = (number(rest, 0), number(rest, 4)) {
        let size = size as usize;
        let (true, Some(entry)) = (size >= HEAD, rest.get(..size)) else {
            break;
        };
        found.push((kind, entry));
        rest = &rest[size..];
    }
    found
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_le_bytes)
}

/// The processors of all groups of an entry. A node of systems before groups were counted has one.
fn members(entry: &[u8]) -> Vec<u32> {
    let groups = entry.get(GROUPS_AT).copied().unwrap_or(0).max(1);
    let mut found = Vec::new();
    for at in (MASKS_AT..).step_by(MASK_BYTES).take(usize::from(groups)) {
        let Some(mask) = entry.get(at..at + MASK_BYTES) else {
            break;
        };
        let (low, high) = (number(mask, 0).unwrap_or(0), number(mask, 4).unwrap_or(0));
        let bits = u64::from(high) << 32 | u64::from(low);
        let group = number(mask, 8).unwrap_or(0) & 0xffff;
        let has = |bit: &u32| bits >> bit & 1 == 1;
        found.extend((0..64).filter(has).map(|bit| group * 64 + bit));
    }
    found
}

fn set(cpus: &mut [CpuFacts], entry: &[u8], change: impl Fn(&mut CpuFacts)) {
    let members = members(entry);
    let its = |facts: &&mut CpuFacts| members.contains(&facts.cpu);
    cpus.iter_mut().filter(its).for_each(change);
}

/// Classes count up from 0, the slowest; none where all cores are of one.
fn rank(cpus: &mut [CpuFacts]) {
    let mut classes: Vec<Option<u32>> = cpus.iter().map(|facts| facts.efficiency_class).collect();
    classes.sort_unstable();
    classes.dedup();
    for facts in cpus {
        let class = classes
            .iter()
            .position(|class| *class == facts.efficiency_class);
        let class = class.filter(|_| classes.len() > 1);
        facts.efficiency_class = class.and_then(|class| u32::try_from(class).ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: u32, class: u8, node: u32, masks: &[(u64, u16)]) -> Vec<u8> {
        let mut bytes = vec![0u8; MASKS_AT + masks.len() * MASK_BYTES];
        bytes[..4].copy_from_slice(&kind.to_le_bytes());
        let size = (bytes.len() as u32).to_le_bytes();
        bytes[4..8].copy_from_slice(&size);
        bytes[HEAD..HEAD + 4].copy_from_slice(&node.to_le_bytes());
        bytes[CLASS_AT] = class.max(bytes[CLASS_AT]);
        bytes[GROUPS_AT] = masks.len() as u8;
        for (i, (mask, group)) in masks.iter().enumerate() {
            let at = MASKS_AT + i * MASK_BYTES;
            bytes[at..at + 8].copy_from_slice(&mask.to_le_bytes());
            bytes[at + 8..at + 10].copy_from_slice(&group.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn cores_packages_and_nodes_are_put_together_over_groups() {
        let bytes = [
            entry(CORE, 1, 0, &[(0b11, 0)]),
            entry(CORE, 0, 0, &[(0b100, 0)]),
            entry(CORE, 1, 0, &[(1 << 63, 1)]),
            entry(PACKAGE, 0, 0, &[(0b111, 0)]),
            entry(PACKAGE, 0, 0, &[(1 << 63, 1)]),
            entry(NODE, 0, 5, &[(0b111, 0)]),
        ]
        .concat();
        let seen: Vec<_> = described(&bytes)
            .into_iter()
            .map(|it| (it.cpu, it.core, it.socket, it.node, it.efficiency_class))
            .collect();
        let expected = [
            (0, Some(0), Some(0), Some(5), Some(1)),
            (1, Some(0), Some(0), Some(5), Some(1)),
            (2, Some(1), Some(0), Some(5), Some(0)),
            (127, Some(2), Some(1), None, Some(1)),
        ];
        assert_eq!(seen, expected);
        let alike = described(&entry(CORE, 3, 0, &[(0b1, 0)]));
        assert_eq!(alike[0].efficiency_class, None);
    }

    #[test]
    fn garbled_entries_end_the_list() {
        assert!(described(&[0, 0, 0, 0, 4, 0, 0, 0]).is_empty());
        assert!(described(&[0, 0, 0, 0, 255, 0, 0, 0]).is_empty());
        assert!(described(&[1]).is_empty());
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_version() {
        let found = host_record(&Root::live());
        assert!(found.kernel.starts_with("Windows "), "{}", found.kernel);
        assert!(!found.cpus.is_empty() && !found.hostname.is_empty());
        assert!(found.ram >= found.ram_available && found.ram_available > Bytes(0));
        assert_eq!(
            host_record(&Root::at("nowhere".into())),
            HostRecord::default()
        );
    }
}
