//! Health of a device as the system reports it, without any command sent to it: arrays, paths, controllers.
//!
//! Sources: the kernel's `Documentation/admin-guide/md.rst` (`array_state`, `degraded`, `sync_action`),
//! `Documentation/ABI/testing/sysfs-class-scsi_host` and `scsi_mid_low_api.rst` (`device/state`),
//! `drivers/nvme/host/sysfs.c` (`state`), and the state files of dm. Deliberately absent: SMART and NVMe's log pages, which
//! are commands to the device.

use super::block::Node;
use crate::root::Root;
use model::{DeviceHealth, HealthState};

/// Of these devices (kernel names), and of the paths of those that have several. Devices of which nothing is known are
/// omitted.
pub fn device_health(root: &Root, devices: &[String]) -> Vec<DeviceHealth> {
    let mut found = Vec::new();
    for name in devices {
        let Some(node) = Node::by_name(root, name) else {
            continue;
        };
        found.extend(md(&node));
        found.extend(attached(&node));
        found.extend(multipath(root, &node));
    }
    found.dedup();
    found
}

/// What the kernel reads the time from: `tsc`, `hpet`; `None` where it does not report it.
pub fn time_source(root: &Root) -> Option<String> {
    root.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
}

fn md(node: &Node) -> Option<DeviceHealth> {
    let state = node.text("md/array_state")?;
    let missing: u64 = node.number_of("md/degraded").unwrap_or(0);
    let action = node
        .text("md/sync_action")
        .unwrap_or_else(|| "idle".to_owned());
    let (health, words) = match (state.as_str(), missing, action.as_str()) {
        ("broken" | "inactive" | "clear", ..) => (HealthState::Failed, state.clone()),
        (_, 1.., _) => {
            let all: u64 = node.number_of("md/raid_disks").unwrap_or(0);
            let repair = match action.as_str() {
                "idle" => String::new(),
                action => format!(", {action} is running"),
            };
            (
                HealthState::Degraded,
                format!("{missing} of {all} members missing{repair}"),
            )
        }
        (.., "resync" | "recover" | "check" | "repair" | "reshape") => {
            (HealthState::Repairing, format!("{action} is running"))
        }
        _ => (HealthState::Good, state.clone()),
    };
    Some(reported(node, health, words))
}

/// A SCSI device, or a controller of NVMe.
fn attached(node: &Node) -> Option<DeviceHealth> {
    let state = node.text("device/state")?;
    let health = match state.as_str() {
        "running" | "live" | "created" => HealthState::Good,
        "resetting" | "connecting" | "quiesce" | "blocked" | "created-blocked" | "new" => {
            HealthState::Degraded
        }
        _ => HealthState::Failed,
    };
    Some(reported(node, health, state))
}

/// A mapping of device mapper whose name indicates that it is one: as many paths as it uses.
fn multipath(root: &Root, node: &Node) -> Option<DeviceHealth> {
    if !node.text("dm/uuid")?.starts_with("mpath-") {
        return None;
    }
    let paths: Vec<Node> = node
        .slaves()
        .iter()
        .filter_map(|name| Node::by_name(root, name))
        .collect();
    let bad = paths
        .iter()
        .filter_map(attached)
        .filter(|path| path.state != HealthState::Good);
    let bad = bad.count();
    let health = match bad {
        0 => HealthState::Good,
        bad if bad < paths.len() => HealthState::Degraded,
        _ => HealthState::Failed,
    };
    Some(reported(
        node,
        health,
        format!("{bad} of {} paths down", paths.len()),
    ))
}

fn reported(node: &Node, state: HealthState, words: String) -> DeviceHealth {
    DeviceHealth {
        device: node.name.clone(),
        state,
        words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::at(folder.path().to_owned());
        (folder, root)
    }

    fn states(files: &[(&str, &str)], device: &str) -> Vec<(HealthState, String)> {
        let (_folder, root) = tree(files);
        let found = device_health(&root, &[device.to_owned()]);
        found
            .into_iter()
            .map(|health| (health.state, health.words))
            .collect()
    }

    #[test]
    fn an_array_that_misses_a_member_is_degraded() {
        let at = |name: &str| format!("sys/class/block/md0/md/{name}");
        let (state, missing, disks, action) = (
            at("array_state"),
            at("degraded"),
            at("raid_disks"),
            at("sync_action"),
        );
        let array = |missing_members: &str, doing: &str| {
            let files = [
                (state.as_str(), "clean\n"),
                (missing.as_str(), missing_members),
                (disks.as_str(), "2\n"),
                (action.as_str(), doing),
            ];
            states(&files, "md0")
        };
        assert_eq!(
            array("0", "idle"),
            [(HealthState::Good, "clean".to_owned())]
        );
        assert_eq!(
            array("0", "resync"),
            [(HealthState::Repairing, "resync is running".to_owned())]
        );
        let reported = "1 of 2 members missing, recover is running".to_owned();
        assert_eq!(array("1", "recover"), [(HealthState::Degraded, reported)]);
    }

    #[test]
    fn a_disk_that_is_offline_has_failed() {
        let state = |text: &str| states(&[("sys/class/block/sda/device/state", text)], "sda");
        assert_eq!(
            state("running\n"),
            [(HealthState::Good, "running".to_owned())]
        );
        assert_eq!(
            state("offline\n"),
            [(HealthState::Failed, "offline".to_owned())]
        );
        assert_eq!(state("blocked\n")[0].0, HealthState::Degraded);
        assert_eq!(states(&[("sys/class/block/sda/size", "8")], "sda"), []);
    }
}
