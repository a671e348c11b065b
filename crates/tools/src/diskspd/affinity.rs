//! The processors that threads run on: the list of `-a`, and the order in which threads take them.
//!
//! 2.2 lists single processors; 2.3 adds whole groups and orders by core, group and efficiency class, and prints the list
//! as one mask per ascending run. Omitted: which processors a machine has; the engine applies the order to them.

use model::{CoreOrder, CoreSet, EfficiencyOrder};

/// Processors of a group.
pub(super) const GROUP: u32 = CoreOrder::GROUP;

/// The processors that threads run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadAffinity {
    /// `-a` list; threads take it round robin.
    pub processors: Vec<Processors>,
    /// `-ac`, `-as`, `-ap` and the like.
    pub order: AffinityOrder,
    /// `-n`.
    pub disabled: bool,
}

/// An item of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processors {
    /// A processor of a group.
    One {
        /// Which group.
        group: u16,
        /// Its number within the group.
        cpu: u8,
    },
    /// All of a group. `-ag1`.
    Group {
        /// Which group.
        group: u16,
    },
}

/// The order in which threads take processors, as far as it is specified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AffinityOrder {
    /// `-ac`: the first processor of each core before its siblings.
    pub core_first: bool,
    /// `-as`: all groups in turn before one is filled.
    pub span_groups: bool,
    /// `-ap`, `-aP`, `-ae`, `-aE`, `-aup`; `None` for the default of the version.
    pub efficiency: Option<EfficiencyOrder>,
}

impl AffinityOrder {
    /// Returns whether a switch specified any of it.
    pub fn is_given(self) -> bool {
        self != AffinityOrder::default()
    }
}

/// Processors of a group as a mask; 0 represents all of the group. The form of 2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupMask {
    pub(super) group: u32,
    pub(super) mask: u64,
}

impl ThreadAffinity {
    /// Returns whether it has something that 2.2 cannot express.
    pub(super) fn is_of_2_3(&self) -> bool {
        let whole = |item: &Processors| matches!(item, Processors::Group { .. });
        self.order.is_given() || self.processors.iter().any(whole)
    }

    /// Counts processors within their groups where the list has whole groups too: both are stored as masks then. Returns
    /// whether every one has a group.
    pub(super) fn regroup(&mut self) -> bool {
        let whole = |item: &Processors| matches!(item, Processors::Group { .. });
        if !self.processors.iter().any(whole) {
            return true;
        }
        for item in &mut self.processors {
            let Processors::One { group, cpu } = item else {
                continue;
            };
            let Some(behind) = group.checked_add(u16::from(*cpu) / 64) else {
                return false;
            };
            (*group, *cpu) = (behind, *cpu % 64);
        }
        true
    }

    /// Returns the list as 2.3 stores it: one mask for each ascending run within a group.
    pub(super) fn masks(&self) -> Vec<GroupMask> {
        let mut masks: Vec<GroupMask> = Vec::new();
        for item in &self.processors {
            let (group, cpu) = match *item {
                Processors::Group { group } => {
                    let group = u32::from(group);
                    masks.push(GroupMask { group, mask: 0 });
                    continue;
                }
                Processors::One { group, cpu } => {
                    let cpu = u32::from(group) * GROUP + u32::from(cpu);
                    (cpu / GROUP, cpu % GROUP)
                }
            };
            let bit = 1u64 << cpu;
            match masks.last_mut() {
                Some(last) if last.group == group && last.mask > 0 && bit > last.mask => {
                    last.mask |= bit;
                }
                _ => masks.push(GroupMask { group, mask: bit }),
            }
        }
        masks
    }

    /// Returns what the engine is to do, for a list or order that is more than a plain list.
    pub(super) fn core_order(&self) -> CoreOrder {
        let cores = self.processors.iter().map(|item| match *item {
            Processors::One { group, cpu } => {
                CoreSet::One(u32::from(group) * GROUP + u32::from(cpu))
            }
            Processors::Group { group } => CoreSet::Group(u32::from(group)),
        });
        let AffinityOrder {
            core_first,
            span_groups,
            efficiency,
        } = self.order;
        CoreOrder {
            cores: cores.collect(),
            core_first,
            span_groups,
            efficiency: efficiency.unwrap_or(EfficiencyOrder::Unordered),
        }
    }
}

impl GroupMask {
    /// Returns its processors in ascending order.
    pub(super) fn processors(self) -> Vec<Processors> {
        let group = u16::try_from(self.group).unwrap_or(u16::MAX);
        if self.mask == 0 {
            return vec![Processors::Group { group }];
        }
        let set = (0..64u8).filter(|cpu| self.mask & (1 << cpu) != 0);
        set.map(|cpu| Processors::One { group, cpu }).collect()
    }

    /// Returns `0-3,7`, or `*` for all of the group.
    pub(super) fn ranges(self) -> String {
        if self.mask == 0 {
            return "*".to_owned();
        }
        let set: Vec<u32> = (0..GROUP)
            .filter(|cpu| self.mask & (1 << cpu) != 0)
            .collect();
        let runs = set.chunk_by(|a, b| a + 1 == *b);
        let runs = runs.map(|run| match run {
            [only] => only.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        });
        runs.collect::<Vec<_>>().join(",")
    }
}

/// The words of the document for orders by efficiency class.
pub(super) const EFFICIENCIES: [(&str, EfficiencyOrder); 5] = [
    ("PFirst", EfficiencyOrder::PerformanceFirst),
    ("FillPFirst", EfficiencyOrder::FillPerformance),
    ("EFirst", EfficiencyOrder::EfficientFirst),
    ("FillEFirst", EfficiencyOrder::FillEfficient),
    ("Unordered", EfficiencyOrder::Unordered),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn list(cpus: &[(u16, u8)]) -> ThreadAffinity {
        let one = |&(group, cpu)| Processors::One { group, cpu };
        ThreadAffinity {
            processors: cpus.iter().map(one).collect(),
            ..ThreadAffinity::default()
        }
    }

    #[test]
    fn ascending_runs_of_a_group_are_one_mask() {
        let masks = list(&[(0, 0), (0, 2), (0, 1), (0, 5), (1, 6), (1, 63)]).masks();
        let found: Vec<(u32, u64, String)> = masks
            .iter()
            .map(|mask| (mask.group, mask.mask, mask.ranges()))
            .collect();
        assert_eq!(
            found,
            [
                (0, 0x5, "0,2".to_owned()),
                (0, 0x22, "1,5".to_owned()),
                (1, 1 << 63 | 0x40, "6,63".to_owned())
            ]
        );
        let again: Vec<Processors> = masks.iter().flat_map(|mask| mask.processors()).collect();
        assert_eq!(again.len(), 6);
        assert_eq!(
            list(&[(0, 70)]).masks(),
            [GroupMask {
                group: 1,
                mask: 0x40
            }]
        );
        assert_eq!(list(&[(0, 3), (0, 3)]).masks().len(), 2);
    }
}
