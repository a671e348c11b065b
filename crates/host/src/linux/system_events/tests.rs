//! Lines of the kernel's log and states of a saved tree. The lines are in `sample_lines`.

use super::kernel_log::note;
use super::sample_lines::{LINES, OTHERS};
use super::*;
use model::record::{EventKind, SystemEvent};
use model::{BlockDevice, FileSystem, NullBehaviour};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A multipath mapping over two disks of iSCSI, with an array, a controller of NVMe, a disk of SATA and DRBD next to it.
fn tree() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let put = |path: &str, text: &str| {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let link = |to: &str, path: &str| {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(at.join(to), path).unwrap();
    };
    for (name, session, number, access) in [
        ("sdb", 1, "8:16", "active/optimized"),
        ("sdc", 2, "8:32", "active/non-optimized"),
    ] {
        let host = session + 1;
        let session_at = format!("sys/devices/platform/host{host}/session{session}");
        let address = format!("{host}:0:0:0");
        let disk = format!("{session_at}/target{host}:0:0/{address}");
        put(&format!("{disk}/block/{name}/dev"), number);
        put(&format!("{disk}/state"), "running\n");
        put(&format!("{disk}/access_state"), access);
        link(&disk, &format!("{disk}/block/{name}/device"));
        link(
            &format!("{disk}/block/{name}"),
            &format!("sys/class/block/{name}"),
        );
        let class = format!("{session_at}/iscsi_session/session{session}");
        put(&format!("{class}/state"), "LOGGED_IN\n");
        put(&format!("{class}/recovery_tmo"), "120\n");
        let connection = format!("connection{session}:0");
        let class = format!("{session_at}/{connection}/iscsi_connection/{connection}");
        put(
            &format!("{class}/persistent_address"),
            &format!("10.0.0.{session}\n"),
        );
        put(&format!("{class}/persistent_port"), "3260\n");
        link(
            &format!("{disk}/block/{name}"),
            &format!("sys/class/block/dm-0/slaves/{name}"),
        );
    }
    put("sys/class/block/dm-0/dev", "254:0\n");
    put("sys/class/block/dm-0/dm/uuid", "mpath-36001405f\n");
    put("sys/class/block/md0/dev", "9:0\n");
    put("sys/class/block/md0/md/degraded", "0\n");
    put("sys/class/block/md0/md/sync_action", "idle\n");
    let nvme = "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0";
    put(&format!("{nvme}/state"), "live\n");
    put(&format!("{nvme}/nvme0n1/dev"), "259:0\n");
    link(nvme, &format!("{nvme}/nvme0n1/device"));
    link(&format!("{nvme}/nvme0n1"), "sys/class/block/nvme0n1");
    let disk = "sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0";
    put(&format!("{disk}/block/sda/dev"), "8:0\n");
    put(&format!("{disk}/state"), "running\n");
    link(disk, &format!("{disk}/block/sda/device"));
    link(&format!("{disk}/block/sda"), "sys/class/block/sda");
    put("sys/class/block/drbd0/dev", "147:0\n");
    put("proc/drbd", REPLICA);
    put("sys/class/net/eth0/operstate", "up\n");
    put("sys/class/net/lo/operstate", "unknown\n");
    put("dev/kmsg", "");
    let root = Root::at(at.to_owned());
    (folder, root)
}

const REPLICA: &str = "version: 8.4.11 (api:1/proto:86-101)\n 0: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----\n";

fn facts(devices: &[&str], file_system: Option<(&str, &str, &str)>) -> TargetFacts {
    let device = |name: &&str| BlockDevice {
        name: (*name).to_owned(),
        ..BlockDevice::default()
    };
    let on = |(kind, source, options): (&str, &str, &str)| FileSystem {
        kind: kind.to_owned(),
        source: source.to_owned(),
        options: options.to_owned(),
        ..FileSystem::default()
    };
    TargetFacts {
        kind: TargetKind::File,
        chain: devices.iter().map(device).collect(),
        file_system: file_system.map(on),
        ..TargetFacts::null(&NullBehaviour::default())
    }
}

const DEVICES: [&str; 7] = ["dm-0", "sdb", "sdc", "md0", "nvme0n1", "sda", "drbd0"];

/// All devices of the tree, and a folder of a server.
fn targets() -> Vec<TargetFacts> {
    vec![
        facts(&DEVICES, Some(("xfs", "/dev/mapper/mpatha", "rw"))),
        facts(
            &[],
            Some(("nfs4", "filer:/export", "rw,vers=4.2,addr=10.0.0.9")),
        ),
        facts(&[], Some(("cifs", "//smb1/share", "rw"))),
        facts(&[], Some(("ceph", "10.0.0.1:6789:/", "rw"))),
        facts(&[], Some(("lustre", "10.0.0.2@tcp:/lustre", "rw"))),
    ]
}

/// What a line of the kernel's reports: kind and subject.
fn found(line: &str, scope: &Scope) -> Option<(&'static str, String)> {
    let mut seen = Seen::default();
    note(
        &format!("4,7,1000000,-;{line}"),
        scope,
        1_000_000_000,
        &mut seen,
    );
    let event = seen.events.events.into_iter().next()?;
    Some((event.kind.name(), event.subject))
}

#[test]
fn each_kind_is_recognised_with_what_it_is_about() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    for (kind, subject, line) in LINES {
        assert_eq!(
            found(line, &scope),
            Some((*kind, (*subject).to_owned())),
            "{line}"
        );
    }
    let of_services = [
        EventKind::Membership,
        EventKind::Quorum,
        EventKind::Fencing,
        EventKind::ResourceMoved,
    ];
    for (kind, name) in EventKind::ALL {
        if of_services.contains(&kind) {
            continue;
        }
        assert!(LINES.iter().any(|(one, ..)| *one == name), "{kind:?}");
    }
}

#[test]
fn other_lines_and_other_devices_are_passed_by() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    for line in OTHERS {
        assert_eq!(found(line, &scope), None, "{line}");
    }
    assert!(OTHERS.len() >= 30);
    let local = Scope::of(&root, &[facts(&["sda"], Some(("ext4", "/dev/sda", "rw")))]);
    for (kind, subject, line) in LINES {
        let is_its = ["sda", "ata1"].contains(subject) || *kind == "blocked-task";
        assert_eq!(found(line, &local).is_some(), is_its, "{line}");
    }
}

#[test]
fn only_the_kernel_s_own_lines_count_and_hostile_ones_do_no_harm() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    let seen_of = |record: &str| {
        let mut seen = Seen::default();
        note(record, &scope, 5_000_000_000, &mut seen);
        seen.events.events
    };
    let line = "sd 2:0:0:0: rejecting I/O to offline device";
    let kernel = seen_of(&format!(
        "3,1,4000000,-;{line}\n SUBSYSTEM=scsi\n DEVICE=+scsi:2:0:0:0\n"
    ));
    assert_eq!((kernel.len(), kernel[0].at_ns), (1, 4_000_000_000));
    assert_eq!(kernel[0].text, line);
    assert_eq!(
        seen_of(&format!("3,1,4000000,-,caller=T12;{line}")).len(),
        1
    );
    assert_eq!(
        seen_of(&format!("11,1,4000000,-;{line}")).len(),
        0,
        "of a program"
    );
    for record in [
        "",
        ";",
        "a,b,c;d",
        "3,1;x",
        "3,1,-,-;x",
        "4294967295,1,1,-;x",
        "\u{0};\n\n",
    ] {
        assert_eq!(seen_of(record).len(), 0, "{record}");
    }
    let long = "\\x1b[2J\\xff\\xzz".repeat(500);
    let hostile = seen_of(&format!("3,1,9223372036854775807,-;{line} {long}"));
    assert!(hostile[0].text.len() <= SystemEvent::TEXT_MAX);
    assert!(
        hostile[0].text.contains("\u{1b}[2J\u{fffd}\\xzz"),
        "as it was, and escaped where it is shown"
    );
}

#[test]
fn a_change_of_a_state_is_an_event_at_its_time() {
    let (folder, root) = tree();
    let put = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    let all = targets();
    let mut seen = Seen::default();
    let mut watch = Watch::open(&root, &all, &mut seen);
    watch.states.read_at = 1_000_000_000;
    watch.look(Nanos::millis(1200), &mut seen);
    assert_eq!(seen.events.events, [], "nothing changed");
    let session = "sys/devices/platform/host2/session1";
    put(
        &format!("{session}/iscsi_session/session1/state"),
        "FAILED\n",
    );
    put(&format!("{session}/target2:0:0/2:0:0:0/state"), "blocked\n");
    put("sys/class/block/md0/md/degraded", "1\n");
    put("sys/class/block/md0/md/sync_action", "recover\n");
    put(
        "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0/state",
        "resetting\n",
    );
    put("sys/class/net/eth0/operstate", "down\n");
    put(
        "proc/drbd",
        &REPLICA.replace("cs:Connected", "cs:WFConnection"),
    );
    fs::remove_file(folder.path().join("sys/class/block/dm-0/slaves/sdc")).unwrap();
    watch.look(Nanos::millis(1400), &mut seen);
    watch.look(Nanos::millis(1600), &mut seen);
    let words = |event: &SystemEvent| {
        assert_eq!(
            (event.at_ns, event.uncertainty),
            (1_300_000_000, Nanos::millis(100))
        );
        format!("{} {}: {}", event.subject, event.kind.name(), event.text)
    };
    let found: Vec<String> = seen.events.events.iter().map(words).collect();
    let expected = [
        "dm-0 path-failed: paths sdb sdc -> sdb",
        "sdb path-failed: state running -> blocked",
        "session1 session-lost: state LOGGED_IN -> FAILED",
        "md0 member-failed: missing members 0 -> 1",
        "md0 rebuild: sync action idle -> recover",
        "nvme0 controller-reset: state live -> resetting",
        "drbd0 replica-lost: replica Connected UpToDate/UpToDate -> WFConnection UpToDate/UpToDate",
        "eth0 link: link up -> down",
    ];
    assert_eq!(found, expected);
    let mut later = Seen::default();
    fs::remove_dir_all(folder.path().join(format!("{session}/target2:0:0/2:0:0:0"))).unwrap();
    put("sys/class/block/md0/md/degraded", "0\n");
    watch.look(Nanos::millis(1800), &mut later);
    let found: Vec<String> = later
        .events
        .events
        .iter()
        .map(|event| event.text.clone())
        .collect();
    assert_eq!(found, ["state blocked -> gone", "missing members 1 -> 0"]);
}

#[test]
fn local_targets_watch_no_link_and_models_watch_nothing() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &[facts(&["sda"], None)]);
    assert!(!scope.has_interfaces());
    assert!(Scope::of(&root, &targets()).has_interfaces());
    let null = TargetFacts::null(&NullBehaviour::default());
    assert!(SystemObserver::start(&root, &[null], &[]).is_none());
}

#[test]
fn the_log_is_read_from_its_end_and_times_are_those_of_the_run() {
    let (folder, root) = tree();
    let log = folder.path().join("dev/kmsg");
    let line = |at_us: u64| format!("3,1,{at_us},-;md: recovery of RAID array md0\n");
    fs::write(&log, line(1)).unwrap();
    let observer = SystemObserver::start(&root, &targets(), &[]).unwrap();
    let now_us = monotonic().0 / 1000;
    append(&log, &line(now_us));
    let events = observer.finish(Nanos((now_us - 3_000_000) * 1000), Nanos(0));
    assert_eq!(events.kernel_log_unread, None);
    let times: Vec<i64> = events.events.iter().map(|event| event.at_ns).collect();
    assert_eq!(
        times,
        [3_000_000_000],
        "the line from before is not of the run"
    );
}

fn append(file: &Path, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_log_with_another_clock_is_moved_to_the_arrival_of_its_lines() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    let mut seen = Seen::default();
    // Two hours of sleep are not in its stamps; the second line arrived sooner than the first.
    let hours = 7_200_000_000_000;
    for (stamp_ms, delay_ms) in [(1000i64, 150i64), (2000, 20)] {
        let record = format!("3,1,{},-;md: recovery of RAID array md0", stamp_ms * 1000);
        note(
            &record,
            &scope,
            (stamp_ms + delay_ms) * 1_000_000 + hours,
            &mut seen,
        );
    }
    let events = seen.since(Nanos(hours.unsigned_abs())).events;
    let found: Vec<(i64, Nanos)> = events
        .iter()
        .map(|one| (one.at_ns, one.uncertainty))
        .collect();
    let off = Nanos::millis(2001);
    assert_eq!(found, [(1_020_000_000, off), (2_020_000_000, off)]);
}

#[test]
fn a_log_that_is_missing_or_forbidden_is_reported_as_unread() {
    let (folder, root) = tree();
    fs::remove_file(folder.path().join("dev/kmsg")).unwrap();
    let observer = SystemObserver::start(&root, &targets(), &[]).unwrap();
    let events = observer.finish(monotonic(), Nanos(0));
    assert_eq!(
        events.kernel_log_unread.as_deref(),
        Some("No such file or directory")
    );
    assert_eq!(events.events, []);
}

#[test]
fn facts_of_paths_are_read_with_their_sessions() {
    let (_folder, root) = tree();
    let node = super::super::block::Node::by_name(&root, "dm-0").unwrap();
    let paths = super::super::paths::with_paths(&root, &node).paths;
    let names: Vec<&str> = paths.iter().map(|path| path.name.as_str()).collect();
    assert_eq!(names, ["sdb", "sdc"]);
    let second = &paths[1];
    assert_eq!(second.session.as_deref(), Some("session2"));
    assert_eq!(second.portal.as_deref(), Some("10.0.0.2:3260"));
    assert_eq!(second.recovery_timeout_s, Some(120));
    assert_eq!((second.is_up(), second.is_optimised()), (true, Some(false)));
    let disk = super::super::block::Node::by_name(&root, "sda").unwrap();
    assert_eq!(super::super::paths::with_paths(&root, &disk).paths, []);
}

#[test]
fn controllers_of_a_subsystem_are_paths_and_a_local_one_alone_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let subsystem = at.join("sys/devices/virtual/nvme-subsystem/nvme-subsys0");
    let disk = subsystem.join("nvme0n1");
    fs::create_dir_all(&disk).unwrap();
    symlink(&subsystem, disk.join("device")).unwrap();
    fs::create_dir_all(at.join("sys/class/block")).unwrap();
    symlink(&disk, at.join("sys/class/block/nvme0n1")).unwrap();
    let controller = |name: &str, number: u32, transport: &str, access: &str| {
        let real = at.join(format!("sys/devices/{name}"));
        let path = real.join(format!("nvme0c{number}n1"));
        fs::create_dir_all(&path).unwrap();
        fs::write(real.join("state"), "live\n").unwrap();
        fs::write(real.join("transport"), transport).unwrap();
        fs::write(real.join("address"), format!("traddr=10.0.0.{number}")).unwrap();
        fs::write(path.join("ana_state"), access).unwrap();
        symlink(&real, subsystem.join(name)).unwrap();
    };
    let root = Root::at(at.to_owned());
    let node = super::super::block::Node::by_name(&root, "nvme0n1").unwrap();
    let paths = || super::super::paths::with_paths(&root, &node).paths;
    controller("nvme1", 1, "pcie\n", "optimized\n");
    assert_eq!(paths(), [], "a local drive");
    fs::write(at.join("sys/devices/nvme1/transport"), "tcp\n").unwrap();
    assert_eq!(paths().len(), 1);
    controller("nvme2", 2, "tcp\n", "non-optimized\n");
    let found = paths();
    assert_eq!((found.len(), found[1].name.as_str()), (2, "nvme2"));
    assert_eq!(found[1].is_optimised(), Some(false));
    assert_eq!(found[1].portal.as_deref(), Some("traddr=10.0.0.2"));
    let all = [facts(&["nvme0n1"], None)];
    let mut seen = Seen::default();
    let mut watch = Watch::open(&root, &all, &mut seen);
    fs::write(at.join("sys/devices/nvme1/state"), "connecting\n").unwrap();
    fs::write(
        at.join("sys/devices/nvme2/nvme0c2n1/ana_state"),
        "optimized\n",
    )
    .unwrap();
    watch.look(sys::monotonic(), &mut seen);
    let kinds = seen
        .events
        .events
        .iter()
        .map(|one| (one.kind, one.subject.as_str()));
    let expected = [
        (EventKind::SessionLost, "nvme1"),
        (EventKind::Ownership, "nvme2"),
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

#[test]
fn a_million_lines_cost_little() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    let mut seen = Seen::default();
    let record = |number: usize| {
        let line = match number % 50 {
            0 => LINES[number / 50 % LINES.len()].2,
            _ => OTHERS[number % OTHERS.len()],
        };
        format!("6,{number},{number},-;{line}")
    };
    let records: Vec<String> = (0..10_000).map(record).collect();
    let begun = sys::monotonic();
    for record in records.iter().cycle().take(1_000_000) {
        note(record, &scope, 0, &mut seen);
    }
    let took = sys::monotonic().minus(begun);
    let kept = seen.events.events.len() as u64;
    println!(
        "10^6 lines: {} ms; {kept} events kept, {} counted",
        took.0 / 1_000_000,
        seen.events.omitted
    );
    assert!(kept <= SystemEvents::KEPT_MAX as u64);
    assert_eq!(kept + seen.events.omitted, 20_000);
}

#[test]
fn services_report_devices_and_sessions_of_the_target_alone() {
    let (_folder, root) = tree();
    let scope = Scope::of(&root, &targets());
    let local = Scope::of(&root, &[facts(&["sda"], None)]);
    for (line, kind, subject) in [
        (
            "n1 multipathd[9]: checker failed path 8:16 in map mpatha",
            EventKind::PathFailed,
            "sdb",
        ),
        (
            "n1 multipathd[9]: 8:16: reinstated",
            EventKind::PathRestored,
            "sdb",
        ),
        (
            "n1 iscsid: Kernel reported iSCSI connection 1:0 error (1020 - x) state (3)",
            EventKind::SessionLost,
            "session1",
        ),
        (
            "n1 iscsid: connection2:0 is operational after recovery (3 attempts)",
            EventKind::SessionRestored,
            "session2",
        ),
        (
            "n1 kernel: [  43.103812] device-mapper: multipath: 254:0: Failing path 8:16.",
            EventKind::PathFailed,
            "sdb",
        ),
    ] {
        let found = service_log::of_service(line, &scope);
        let found = found.map(|(kind, subject, _)| (kind, subject));
        assert_eq!(found, Some((kind, subject.to_owned())), "{line}");
        assert_eq!(service_log::of_service(line, &local), None, "{line}");
    }
}
