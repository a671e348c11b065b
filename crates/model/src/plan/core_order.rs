//! An order of cores by hardware threads, groups of 64 and classes of cores: DISKSPD 2.3's `-a`.
//!
//! The order needs facts of the machine, so it is applied where threads are bound. Source: the affinity rules of
//! DISKSPD 2.3. Omitted: the memory node of a device, which is [`super::Placement::Near`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which cores, and in which order threads take them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoreOrder {
    /// Cores in the order given; empty for all that this process may use.
    pub cores: Vec<CoreSet>,
    /// The first hardware thread of each physical core before the second ones.
    pub core_first: bool,
    /// Groups are not filled one after another.
    pub span_groups: bool,
    /// What the class of a core decides.
    pub efficiency: EfficiencyOrder,
}

impl CoreOrder {
    /// Cores of a group. Called elsewhere: a Windows processor group.
    pub const GROUP: u32 = 64;
}

/// Some cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoreSet {
    /// This core. // it may be used by this process
    One(u32),
    /// Those of a group of [`CoreOrder::GROUP`] that this process may use. // at least one
    Group(u32),
}

/// What the class of a core decides: performance cores have a higher class than efficient ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EfficiencyOrder {
    /// Nothing.
    #[default]
    Unordered,
    /// Performance cores first among the hardware threads of equal number.
    PerformanceFirst,
    /// All hardware threads of performance cores first.
    FillPerformance,
    /// Efficient cores first among the hardware threads of equal number.
    EfficientFirst,
    /// All hardware threads of efficient cores first.
    FillEfficient,
}

impl fmt::Display for CoreOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |set: &CoreSet| match set {
            CoreSet::One(core) => core.to_string(),
            CoreSet::Group(group) => format!("group {group}"),
        };
        let mut parts: Vec<String> = match self.cores.is_empty() {
            true => vec!["all".to_owned()],
            false => self.cores.iter().map(each).collect(),
        };
        parts.extend(self.core_first.then(|| "physical cores first".to_owned()));
        parts.extend(self.span_groups.then(|| "groups together".to_owned()));
        let class = match self.efficiency {
            EfficiencyOrder::Unordered => "",
            EfficiencyOrder::PerformanceFirst => "P-cores first",
            EfficiencyOrder::FillPerformance => "P-cores filled first",
            EfficiencyOrder::EfficientFirst => "E-cores first",
            EfficiencyOrder::FillEfficient => "E-cores filled first",
        };
        parts.extend((!class.is_empty()).then(|| class.to_owned()));
        f.write_str(&parts.join(","))
    }
}
