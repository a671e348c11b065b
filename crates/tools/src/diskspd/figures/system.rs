//! The machine as DISKSPD's output describes it: processors in groups of 64, cores, nodes and sockets.
//!
//! Linux has no processor groups; group *g* represents processors 64*g* to 64*g*+63, as on the command line.

use model::{HostRecord, Nanos};
use std::collections::{BTreeMap, BTreeSet};

/// Processors of a group.
const GROUP: u32 = 64;

/// The machine, and when the first time span began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Its name.
    pub hostname: String,
    /// Nanoseconds since 1970 in UTC: the true start, where the original reports the end.
    pub started_utc: Nanos,
    /// Version of fathom that ran it.
    pub tool_version: String,
    /// Processors that are online, in the order of their numbers.
    pub cpus: Vec<CpuPlace>,
    /// What the processor is called.
    pub processor_name: Option<String>,
    /// What decides on frequencies, every kind once; none where there is no choice.
    pub power_scheme: Option<String>,
}

/// Where a processor belongs. What the system does not report is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPlace {
    /// As the system counts.
    pub cpu: u32,
    /// Which group.
    pub group: u32,
    /// Number within the group.
    pub number: u32,
    /// Which core of the group, counted from 0 in the order of processors; a processor whose core is not known is its own.
    pub core: u32,
    /// Which memory node.
    pub node: u32,
    /// Which socket.
    pub socket: u32,
    /// Which class of cores, the slowest 0.
    pub class: u32,
}

/// The facts of a host, for a run of this version of fathom that began then.
pub fn system(host: &HostRecord, started_utc: Nanos, tool_version: &str) -> System {
    let governors: BTreeSet<&str> = host
        .cpus
        .iter()
        .filter_map(|cpu| cpu.governor.as_deref())
        .collect();
    let scheme = governors.into_iter().collect::<Vec<_>>().join(", ");
    System {
        hostname: host.hostname.clone(),
        started_utc,
        tool_version: tool_version.to_owned(),
        cpus: places(host),
        processor_name: host.cpu_model.clone(),
        power_scheme: (!scheme.is_empty()).then_some(scheme),
    }
}

/// Where each processor of a host belongs.
pub(super) fn places(host: &HostRecord) -> Vec<CpuPlace> {
    let mut cores: BTreeMap<u32, Vec<(u32, Option<u32>, u32)>> = BTreeMap::new();
    let mut place = |cpu: &model::CpuFacts| {
        let group = cpu.cpu / GROUP;
        let socket = cpu.socket.unwrap_or(0);
        let lone = if cpu.core.is_some() { 0 } else { cpu.cpu };
        let (known, identity) = (cores.entry(group).or_default(), (socket, cpu.core, lone));
        let core = known
            .iter()
            .position(|core| *core == identity)
            .unwrap_or_else(|| {
                known.push(identity);
                known.len() - 1
            });
        CpuPlace {
            cpu: cpu.cpu,
            group,
            number: cpu.cpu % GROUP,
            core: core as u32,
            node: cpu.node.unwrap_or(0),
            socket,
            class: cpu.efficiency_class.unwrap_or(0),
        }
    };
    host.cpus.iter().map(&mut place).collect()
}

impl System {
    /// Cores, a core of several processors once.
    pub fn cores(&self) -> usize {
        self.distinct(|cpu| (cpu.group, cpu.core))
    }

    /// Groups.
    pub fn groups(&self) -> usize {
        self.distinct(|cpu| (cpu.group, 0))
    }

    /// Memory nodes.
    pub fn nodes(&self) -> usize {
        self.distinct(|cpu| (cpu.node, 0))
    }

    /// Sockets.
    pub fn sockets(&self) -> usize {
        self.distinct(|cpu| (cpu.socket, 0))
    }

    /// Whether any core has several processors.
    pub fn shares_cores(&self) -> bool {
        self.cores() < self.cpus.len()
    }

    /// Returns the class of the fastest cores; 0 where all are of one kind.
    pub fn best_class(&self) -> u32 {
        self.cpus.iter().map(|cpu| cpu.class).max().unwrap_or(0)
    }

    /// Groups of processors that `key` distinguishes, in its order: the key, and (group, mask of numbers) of each group.
    pub fn masks(&self, key: fn(&CpuPlace) -> u32) -> Vec<(u32, Vec<(u32, u64)>)> {
        let mut sets: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
        for cpu in &self.cpus {
            *sets
                .entry(key(cpu))
                .or_default()
                .entry(cpu.group)
                .or_default() |= 1 << cpu.number;
        }
        sets.into_iter()
            .map(|(key, groups)| (key, groups.into_iter().collect()))
            .collect()
    }

    /// Each core as (group, core, mask of numbers, class).
    pub fn core_masks(&self) -> Vec<(u32, u32, u64, u32)> {
        let mut masks: BTreeMap<(u32, u32), (u64, u32)> = BTreeMap::new();
        for cpu in &self.cpus {
            let core = masks.entry((cpu.group, cpu.core)).or_default();
            *core = (core.0 | 1 << cpu.number, cpu.class);
        }
        masks
            .into_iter()
            .map(|((group, core), (mask, class))| (group, core, mask, class))
            .collect()
    }

    fn distinct(&self, key: fn(&CpuPlace) -> (u32, u32)) -> usize {
        self.cpus.iter().map(key).collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CpuFacts;

    fn host(cpus: u32, fact: impl Fn(u32) -> (Option<u32>, Option<u32>)) -> HostRecord {
        let core = |cpu| CpuFacts {
            cpu,
            core: fact(cpu).0,
            socket: fact(cpu).1,
            ..CpuFacts::default()
        };
        HostRecord {
            cpus: (0..cpus).map(core).collect(),
            ..HostRecord::default()
        }
    }

    #[test]
    fn cores_are_reported_apart_by_socket_and_counted_within_a_group() {
        let system = system(
            &host(130, |cpu| (Some(cpu / 4), Some(cpu % 2))),
            Nanos(0),
            "",
        );
        assert_eq!(
            (system.groups(), system.sockets(), system.nodes()),
            (3, 2, 1)
        );
        assert_eq!((system.cpus.len(), system.cores()), (130, 66));
        assert!(system.shares_cores());
        let last = system.cpus[129];
        assert_eq!((last.group, last.number, last.core), (2, 1, 1));
        assert_eq!(system.core_masks()[0], (0, 0, 0b101, 0));
    }

    #[test]
    fn processors_of_unknown_topology_are_cores_of_their_own() {
        let system = system(&host(4, |_| (None, None)), Nanos(0), "");
        assert_eq!((system.cores(), system.sockets()), (4, 1));
        assert!(!system.shares_cores());
        assert_eq!(system.masks(|cpu| cpu.node), [(0, vec![(0, 0xf)])]);
    }
}
