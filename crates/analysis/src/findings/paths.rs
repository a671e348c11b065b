//! Paths to a multipath target: paths that are down, one path alone, I/O through a path that is not optimised, and a session
//! that waits long before its path fails.
//!
//! Omitted: changes during the run with their pauses, which are `failover`.

use super::{Cause, Confidence, Finding, Group, Look, Own, Rule, RuleId, Severity, finding};
use crate::say;
use model::BlockDevice;
use model::record::PathFacts;

pub(super) const DOWN: Rule = Rule {
    id: RuleId::new("path-down"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "A path of the multipath target was down before the run.",
    method: "A path of a mapping of multipathd whose SCSI device is not `running`, or a controller of an NVMe subsystem that is not `live`.",
    evidence: &["paths", "down"],
    source: "The kernel's drivers/scsi/scsi_sysfs.c (state) and drivers/nvme/host/sysfs.c (state).",
    advice: "List the paths with `multipath -ll` or `nvme list-subsys` and restore this one. Then measure again, or report the number of paths with the result.",
    look: Look::Own(|seen| each(seen, down)),
};

pub(super) const ONE: Rule = Rule {
    id: RuleId::new("one-path"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "The multipath target has one path, or all of its paths use one port of the storage.",
    method: "A mapping of multipathd or an NVMe subsystem has one path. Or it has several, and all have the same address of the storage's port.",
    evidence: &["paths"],
    source: "The kernel's drivers/scsi/scsi_transport_iscsi.c (persistent_address) and drivers/nvme/host/sysfs.c (address).",
    advice: "Add a path over another port and network. One port also limits the bandwidth to its own.",
    look: Look::Own(|seen| each(seen, one)),
};

pub(super) const NOT_OPTIMISED: Rule = Rule {
    id: RuleId::new("non-optimised-path"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "I/Os used a path of the controller that does not own the target, although an optimised path exists.",
    method: "The block layer counted 1% or more of the I/Os on paths whose access state is not optimised. Another path is up and optimised.",
    evidence: &["ios", "share"],
    source: "SCSI SPC-4, asymmetric logical unit access; the kernel's drivers/scsi/device_handler/scsi_dh_alua.c (access_state).",
    advice: "Set `path_grouping_policy group_by_prio` and `prio alua` in multipath.conf, then measure again.",
    look: Look::Own(|seen| each(seen, not_optimised)),
};

pub(super) const TIMEOUT: Rule = Rule {
    id: RuleId::new("long-timeout"),
    group: Group::Setup,
    cause: Cause::Alone,
    limit: None,
    what: "A session of iSCSI below multipath waits long for its connection before its path fails.",
    method: "`recovery_tmo` of a path's session is more than 20 s, or without a limit.",
    evidence: &["recovery_timeout_s"],
    source: "open-iscsi's README, section on dm-multipath (node.session.timeo.replacement_timeout); the kernel's drivers/scsi/scsi_transport_iscsi.c.",
    advice: "Set node.session.timeo.replacement_timeout to 15 s or less where multipath has another path: I/O waits this long before it fails over.",
    look: Look::Own(|seen| each(seen, long_timeout)),
};

const TIMEOUT_MAX_S: i64 = 20;
const SHARE_MIN: f64 = 0.01;

/// The finding of the first multipath device that has one.
fn each(seen: &Own<'_>, of: fn(&Own<'_>, &BlockDevice) -> Option<Finding>) -> Option<Finding> {
    let mut devices = seen.record.targets.iter().flat_map(|facts| &facts.chain);
    devices.find_map(|device| match device.paths.is_empty() {
        true => None,
        false => of(seen, device),
    })
}

fn names<'a>(paths: impl Iterator<Item = &'a PathFacts>) -> String {
    let names: Vec<&str> = paths.map(|path| path.name.as_str()).collect();
    names.join(", ")
}

fn down(_: &Own<'_>, device: &BlockDevice) -> Option<Finding> {
    let down: Vec<&PathFacts> = device.paths.iter().filter(|path| !path.is_up()).collect();
    let first = down.first()?;
    let state = first.state.as_deref().unwrap_or("down");
    let (count, all) = (down.len(), device.paths.len());
    let verb = if count == 1 { "was" } else { "were" };
    Some(finding(
        DOWN.id,
        Severity::Warning,
        format!(
            "{count} of {} of {} {verb} down before the run: {} ({state})",
            say::counted(all as u64, "path"),
            device.name,
            names(down.iter().copied()),
        ),
        &[("paths", all as f64), ("down", count as f64)],
        "restore the path and measure again, or report the number of paths with the result",
    ))
}

fn one(_: &Own<'_>, device: &BlockDevice) -> Option<Finding> {
    let paths = &device.paths;
    let evidence = [("paths", paths.len() as f64)];
    let advice = "add a path over another port and network";
    if let [only] = paths.as_slice() {
        let sentence = format!(
            "{} has one path, {}: no failover is possible",
            device.name, only.name
        );
        return Some(finding(ONE.id, Severity::Note, sentence, &evidence, advice));
    }
    let first = paths.first()?.portal.as_ref()?;
    let is_same = paths.iter().all(|path| path.portal.as_ref() == Some(first));
    let sentence = format!(
        "all {} paths of {} use one port of the storage, {first}",
        paths.len(),
        device.name
    );
    is_same.then(|| finding(ONE.id, Severity::Note, sentence, &evidence, advice))
}

fn not_optimised(seen: &Own<'_>, device: &BlockDevice) -> Option<Finding> {
    let is = |path: &PathFacts, optimised| path.is_optimised() == Some(optimised);
    let has_better = device
        .paths
        .iter()
        .any(|path| is(path, true) && path.is_up());
    if !has_better {
        return None;
    }
    let ios = |path: &PathFacts| {
        let counted = seen.record.window.device(&path.name);
        counted.map_or(0, |counted| counted.reads.saturating_add(counted.writes))
    };
    let all: u64 = device.paths.iter().map(ios).sum();
    let worse: Vec<&PathFacts> = device
        .paths
        .iter()
        .filter(|path| is(path, false) && ios(path) > 0)
        .collect();
    let through: u64 = worse.iter().map(|path| ios(path)).sum();
    let share = through as f64 / all.max(1) as f64;
    (share >= SHARE_MIN).then(|| {
        finding(
            NOT_OPTIMISED.id,
            Severity::Warning,
            format!(
                "{} of the I/Os of {} used paths that are not optimised ({}), although an optimised one is up",
                say::percent(share),
                device.name,
                names(worse.iter().copied())
            ),
            &[("ios", through as f64), ("share", share)],
            "set path_grouping_policy group_by_prio and prio alua in multipath.conf, then measure again",
        )
        .sure(Confidence::Medium)
    })
}

fn long_timeout(_: &Own<'_>, device: &BlockDevice) -> Option<Finding> {
    let waits = |path: &PathFacts| {
        path.recovery_timeout_s
            .filter(|s| *s > TIMEOUT_MAX_S || *s < 0)
    };
    let seconds: Vec<i64> = device.paths.iter().filter_map(waits).collect();
    let endless = seconds.iter().any(|seconds| *seconds < 0);
    let longest = *seconds.iter().max()?;
    let wait = match endless {
        true => "without a limit".to_owned(),
        false => format!("{longest} s"),
    };
    Some(finding(
        TIMEOUT.id,
        Severity::Note,
        format!(
            "if a connection of {} fails, I/O waits {wait} before it uses another path",
            device.name
        ),
        &[("recovery_timeout_s", longest as f64)],
        "set node.session.timeo.replacement_timeout to 15 s or less below multipath",
    ))
}

#[cfg(test)]
mod tests {
    use crate::findings::test::found;
    use crate::sample::Sample;
    use model::record::PathFacts;
    use model::{BlockDevice, DeviceCounters, RunRecord};

    fn path(name: &str, state: &str, access: &str, portal: &str) -> PathFacts {
        PathFacts {
            name: name.to_owned(),
            state: Some(state.to_owned()),
            access_state: Some(access.to_owned()),
            session: Some(format!("session-{name}")),
            portal: Some(portal.to_owned()),
            interface: None,
            recovery_timeout_s: Some(5),
        }
    }

    fn with(paths: Vec<PathFacts>) -> RunRecord {
        let mut record = Sample::default().build();
        record.targets[0].chain.push(BlockDevice {
            name: "dm-0".to_owned(),
            kind: "dm".to_owned(),
            paths,
            ..BlockDevice::default()
        });
        record
    }

    fn two() -> Vec<PathFacts> {
        vec![
            path("sdb", "running", "active/optimized", "10.0.0.1:3260"),
            path("sdc", "running", "active/non-optimized", "10.0.1.1:3260"),
        ]
    }

    const ALL: [&str; 4] = [
        "path-down",
        "one-path",
        "non-optimised-path",
        "long-timeout",
    ];

    #[test]
    fn two_paths_in_order_give_no_finding() {
        for id in ALL {
            assert_eq!(found(&with(two()), id), None, "{id}");
            assert_eq!(found(&with(Vec::new()), id), None, "{id}");
        }
    }

    #[test]
    fn a_path_that_is_down_is_named() {
        let mut paths = two();
        paths[1].state = Some("offline".to_owned());
        let reported = found(&with(paths), "path-down").unwrap().sentence;
        assert_eq!(
            reported,
            "1 of 2 paths of dm-0 was down before the run: sdc (offline)"
        );
    }

    #[test]
    fn one_path_and_one_port_are_reported() {
        let reported = found(&with(two()[..1].to_vec()), "one-path")
            .unwrap()
            .sentence;
        assert_eq!(reported, "dm-0 has one path, sdb: no failover is possible");
        let mut paths = two();
        paths[1].portal = paths[0].portal.clone();
        let reported = found(&with(paths), "one-path").unwrap().sentence;
        assert_eq!(
            reported,
            "all 2 paths of dm-0 use one port of the storage, 10.0.0.1:3260"
        );
    }

    #[test]
    fn ios_of_a_path_that_is_not_optimised_are_counted() {
        let mut record = with(two());
        for (name, ios) in [("sdb", 900), ("sdc", 100)] {
            let device = |reads| DeviceCounters {
                name: name.to_owned(),
                reads,
                ..DeviceCounters::default()
            };
            record.window.before.devices.push(device(0));
            record.window.after.devices.push(device(ios));
        }
        let reported = found(&record, "non-optimised-path").unwrap().sentence;
        let expected = "10% of the I/Os of dm-0 used paths that are not optimised (sdc), although an optimised one is up";
        assert_eq!(reported, expected);
        record.targets[0].chain[2].paths[0].state = Some("offline".to_owned());
        assert_eq!(
            found(&record, "non-optimised-path"),
            None,
            "there is no better one"
        );
    }

    #[test]
    fn a_session_that_waits_longer_than_20_s_is_reported() {
        let mut paths = two();
        paths[0].recovery_timeout_s = Some(120);
        let reported = found(&with(paths.clone()), "long-timeout")
            .unwrap()
            .sentence;
        assert!(reported.contains("I/O waits 120 s before"), "{reported}");
        paths[0].recovery_timeout_s = Some(-1);
        let reported = found(&with(paths.clone()), "long-timeout")
            .unwrap()
            .sentence;
        assert!(reported.contains("without a limit"), "{reported}");
        paths[0].recovery_timeout_s = Some(20);
        assert_eq!(found(&with(paths), "long-timeout"), None);
    }
}
