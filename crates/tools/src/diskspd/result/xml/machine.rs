//! The element `System`.

use super::element::Document;
use crate::diskspd::Compat;
use crate::diskspd::figures::System;
use crate::diskspd::result::machine::{UNKNOWN, start_time};

/// The machine, the program and the topology.
pub(super) fn write(system: &System, compat: Compat, document: &mut Document) {
    let (version, date) = compat.form();
    document.open("System", &[]);
    document.leaf("ComputerName", &system.hostname);
    if compat >= Compat::V2_3 {
        document.leaf(
            "ProcessorName",
            system.processor_name.as_deref().unwrap_or(""),
        );
    }
    document.open("Tool", &[]);
    document.leaf("Version", version);
    document.leaf("VersionDate", date);
    document.leaf(
        "Implementation",
        format_args!("fathom {}", system.tool_version),
    );
    document.close("Tool");
    document.leaf("RunTime", start_time(system));
    let scheme = system.power_scheme.as_deref().unwrap_or(UNKNOWN);
    document.empty(
        "PowerScheme",
        &[("Name", scheme.to_owned()), ("Guid", String::new())],
    );
    topology(system, document);
    document.close("System");
}

fn topology(system: &System, document: &mut Document) {
    document.open(
        "ProcessorTopology",
        &[("Heterogeneous", (system.best_class() > 0).to_string())],
    );
    for (group, masks) in system.masks(|cpu| cpu.group) {
        let mask = masks.first().map_or(0, |(_, mask)| *mask);
        document.empty(
            "Group",
            &[
                ("Group", group.to_string()),
                (
                    "MaximumProcessors",
                    (u64::BITS - mask.leading_zeros()).to_string(),
                ),
                ("ActiveProcessors", mask.count_ones().to_string()),
                ("ActiveProcessorMask", format!("{mask:#x}")),
            ],
        );
    }
    sets("Node", system.masks(|cpu| cpu.node), document);
    sets("Socket", system.masks(|cpu| cpu.socket), document);
    for (group, core, mask, class) in system.core_masks() {
        document.empty(
            "Core",
            &[
                ("Group", group.to_string()),
                ("Core", core.to_string()),
                ("Mask", format!("{mask:#x}")),
                ("EfficiencyClass", class.to_string()),
            ],
        );
    }
    document.close("ProcessorTopology");
}

/// `<Node Node="0">` with its processors, group by group.
fn sets(name: &str, sets: Vec<(u32, Vec<(u32, u64)>)>, document: &mut Document) {
    for (number, masks) in sets {
        document.open(name, &[(name, number.to_string())]);
        for (group, mask) in masks {
            let attributes = [("Group", group.to_string()), ("Mask", format!("{mask:#x}"))];
            document.empty("Group", &attributes);
        }
        document.close(name);
    }
}
