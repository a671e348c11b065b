//! What maker and product of a machine show about the hypervisor that it runs on. Omitted: how they are asked for.

/// Entries of the firmware tables for a hypervisor: part of maker and product, and its name.
const FIRMWARE: [(&str, &str); 13] = [
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Parallels", "Parallels"),
    ("Apple Virtualization", "Apple Virtualization"),
    ("Xen", "Xen"),
    ("BHYVE", "bhyve"),
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("OpenStack", "OpenStack"),
];

/// The hypervisor by name, `unnamed` where the processor only reports that there is one (`flagged`).
pub(crate) fn hypervisor(firmware: &str, flagged: bool) -> Option<String> {
    // Clouds rent whole machines under the same maker's name.
    let whole_machine = firmware.contains("metal") && !flagged;
    FIRMWARE
        .iter()
        .find(|(part, _)| firmware.contains(part) && !whole_machine)
        .map(|(_, name)| *name)
        .or_else(|| flagged.then_some("unnamed hypervisor"))
        .map(str::to_owned)
}
