//! How things are set: the target itself, its devices' health, limits, options, clocks.

use super::{Facts, Remark, Weight, care, fine, stop, unknown};
use crate::say;
use model::{BlockDevice, FileSystem, HealthState, IoLimit, TargetFacts, TargetKind};

/// A file system that is fuller places new files badly, and has little left to make a file on.
pub(super) const FREE_MIN: f64 = 0.05;
/// The smallest file that is representative of a device.
pub(super) const FREE_BYTES_MIN: u64 = 256 << 20;

/// The smallest file that a survey works on.
pub(super) const SURVEY_MIN: u64 = 64 << 20;

/// Whether there is anything to measure.
pub(super) fn target(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "target";
    let (found, remedy) = match facts.target.kind {
        TargetKind::MissingFolder => (
            "its folder does not exist",
            "create the folder, or check the spelling",
        ),
        TargetKind::Forbidden if facts.target.obstacle.is_some() => {
            let why = facts.target.obstacle.clone().unwrap_or_default();
            let remedy = "allow it there (docker run --device), or specify another target";
            return stop(TOPIC, why, remedy);
        }
        TargetKind::Forbidden => ("permission denied", "run as root, or as its owner"),
        TargetKind::Other if facts.target.obstacle.is_some() => {
            let why = facts.target.obstacle.as_deref().unwrap_or_default();
            return stop(
                TOPIC,
                format!("it cannot be reached: {why}"),
                "check the name",
            );
        }
        TargetKind::Other => (
            "it is neither file, folder nor block device",
            "specify one of these",
        ),
        TargetKind::Null | TargetKind::Simulated => return fine(TOPIC, "no hardware is measured"),
        TargetKind::Missing if facts.target.names_no_device() => (
            "there is no device of this name",
            "check the spelling: fathom devices lists them",
        ),
        TargetKind::Missing | TargetKind::Folder => return room_for_a_file(TOPIC, facts.target),
        TargetKind::File => return file(TOPIC, facts.target),
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => return Vec::new(),
    };
    stop(TOPIC, found, remedy)
}

/// Whether `fathom survey` starts there, by the check that it passes itself.
pub(super) fn start(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "start";
    let is_known = target(facts).iter().any(|one| one.weight == Weight::Error);
    let head = format!("{}: ", facts.target.path.display());
    let reasons = facts.refused.iter().filter(|_| !is_known);
    let remarks = reasons.flat_map(|reason| {
        let reason = reason.strip_prefix(&head).unwrap_or(reason);
        let (found, hint) = model::split_hint(reason);
        let hint = hint.unwrap_or_default();
        match facts.starts_read_only {
            true => {
                let remedy = "only read: fathom survey --read-only, fathom run without --write";
                care(
                    TOPIC,
                    format!("a survey that writes is refused: {found}"),
                    remedy,
                )
            }
            false => stop(TOPIC, found, hint),
        }
    });
    remarks.collect()
}

/// Whether a file can be created there.
fn room_for_a_file(topic: &'static str, target: &TargetFacts) -> Vec<Remark> {
    let on = target.file_system.as_ref();
    if on.is_some_and(|on| on.read_only) {
        let found = "its file system is mounted read-only, so no file can be created";
        return stop(topic, found, "mount it writable");
    }
    if target.writable {
        return Vec::new();
    }
    let found = match &target.obstacle {
        Some(obstacle) => format!("no file can be created there: {obstacle}"),
        None => "no permission to create a file there".to_owned(),
    };
    let remedy = "request write access to the folder, or specify another";
    stop(topic, found, remedy)
}

/// Whether a file is representative of the device below it.
fn file(topic: &'static str, target: &TargetFacts) -> Vec<Remark> {
    if (1..SURVEY_MIN).contains(&target.size.0) {
        let size = say::bytes(target.size.0);
        let found = format!("its size of {size} fits into any cache");
        return care(topic, found, "specify a larger file: a survey needs 64 MiB");
    }
    if target.direct_io.is_some() {
        return Vec::new();
    }
    care(
        topic,
        "it does not support direct I/O",
        "results include the page cache: place the file on another file system, or use --cache cached",
    )
}

/// Arrays, paths, controllers.
pub(super) fn health(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "health";
    let mut remarks = Vec::new();
    for device in facts.health {
        let found = format!("{}: {}", device.device, device.words);
        remarks.extend(match device.state {
            HealthState::Good => continue,
            HealthState::Repairing => stop(
                TOPIC,
                found,
                "wait until it is done, or pause it for the test",
            ),
            HealthState::Degraded => {
                stop(TOPIC, found, "put the missing part back and let it recover")
            }
            HealthState::Failed => stop(
                TOPIC,
                found,
                "replace or reconnect it; details are in the kernel log",
            ),
        });
    }
    if !remarks.is_empty() {
        return remarks;
    }
    let good: Vec<String> = facts
        .health
        .iter()
        .map(|device| format!("{} {}", device.device, device.words))
        .collect();
    if good.is_empty() {
        return unknown(
            TOPIC,
            "the system reports nothing; SMART is not read: smartctl -H DEVICE",
        );
    }
    fine(
        TOPIC,
        format!("{}; SMART is not read: smartctl -H DEVICE", good.join(", ")),
    )
}

/// Of file systems that a virtual machine's host shares.
pub(crate) const BY_HOST: &str = "the host of this machine";

/// File systems that several hosts use, by their type in mountinfo.
pub(super) const SHARED: [(&str, &str); 15] = [
    ("nfs", "a server"),
    ("nfs4", "a server"),
    ("cifs", "a server"),
    ("smb3", "a server"),
    ("9p", BY_HOST),
    ("virtiofs", BY_HOST),
    ("fuse.sshfs", "a server"),
    ("ceph", "a cluster"),
    ("lustre", "a cluster"),
    ("beegfs", "a cluster"),
    ("gpfs", "a cluster"),
    ("glusterfs", "a cluster"),
    ("fuse.glusterfs", "a cluster"),
    ("gfs2", "several hosts on one device"),
    ("ocfs2", "several hosts on one device"),
];

/// Whether writes wait for stable storage because of a mount option. The kernel shows `sync` of each 9p without a cache:
/// its writes go to the host at once, and nothing asks the host to write them. // fs/9p/vfs_super.c
pub(crate) fn is_synchronous(on: &FileSystem) -> bool {
    on.kind != "9p" && on.options.split(',').any(|option| option == "sync")
}

/// Who keeps the data of a file system that several hosts use.
pub(crate) fn shared_by(kind: &str) -> Option<&'static str> {
    let mut found = SHARED.iter().filter(|(known, _)| *known == kind);
    found.next().map(|(_, by)| *by)
}

/// Whether this host is the one to measure.
pub(super) fn shared(facts: &Facts<'_>) -> Vec<Remark> {
    let Some(on) = &facts.target.file_system else {
        return Vec::new();
    };
    let kind = &on.kind;
    shared_by(kind).map_or_else(Vec::new, |by| {
        care(
            "shared",
            format!(
                "{} is {kind}, kept by {by} ({}): what is measured is this host's way there, and others may use it too, which no counter here shows",
                on.mount_point.display(),
                on.source
            ),
            "measure on the host that will use it, check the load where the data is stored, and report which host it was",
        )
    })
}

/// What control groups allow.
pub(super) fn throttle(facts: &Facts<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for device in &facts.target.chain {
        let limits = facts.host.limits.io.iter();
        for limit in limits.filter(|limit| limit.device == device.number) {
            remarks.extend(care(
                "throttle",
                format!(
                    "a control group allows this process {} on {}",
                    allowed(limit),
                    device.name
                ),
                "run it outside that group, or report the result as that of the limit",
            ));
        }
    }
    remarks
}

fn allowed(limit: &IoLimit) -> String {
    let IoLimit {
        device: _,
        read_ios_per_s,
        write_ios_per_s,
        read_per_s,
        write_per_s,
    } = limit;
    let ios =
        |rate: &Option<u64>, what: &str| rate.map(|rate| format!("{} {what}/s", say::count(rate)));
    let bytes = |rate: &Option<model::Bytes>, what: &str| {
        rate.map(|rate| format!("{}/s of {what}", say::bytes(rate.0)))
    };
    let parts = [
        ios(read_ios_per_s, "reads"),
        ios(write_ios_per_s, "writes"),
        bytes(read_per_s, "reads"),
        bytes(write_per_s, "writes"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Processor time that control groups allow.
pub(super) fn quota(facts: &Facts<'_>) -> Vec<Remark> {
    let cores = facts.host.cpus.len() as f64;
    let quota = facts
        .host
        .limits
        .cpu_millicores
        .map(|allowed| allowed as f64 / 1000.0);
    let quota = quota.filter(|allowed| *allowed < cores);
    quota.map_or_else(Vec::new, |allowed| {
        care(
            "quota",
            format!(
                "a {} allows this process {} of {cores} cores",
                facts.host.limited_set(),
                say::digits(allowed)
            ),
            "raise the limit for the test: a limited process looks like a slow device",
        )
    })
}

/// Room for a file.
pub(super) fn space(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "free space";
    let kind = facts.target.kind;
    let Some(on) = facts.target.file_system.as_ref().filter(|on| on.size.0 > 0) else {
        return Vec::new();
    };
    if kind == TargetKind::BlockDevice || facts.target.names_no_device() {
        return Vec::new();
    }
    let found = format!(
        "{} of {} free on {}",
        say::bytes(on.free.0),
        say::bytes(on.size.0),
        on.mount_point.display()
    );
    let to_make = matches!(kind, TargetKind::Missing | TargetKind::Folder);
    if to_make && on.free.0 < FREE_BYTES_MIN {
        return stop(
            TOPIC,
            found,
            "free space: a useful file needs at least 256 MiB, better twice the memory",
        );
    }
    if (on.free.0 as f64) < on.size.0 as f64 * FREE_MIN {
        return care(
            TOPIC,
            found,
            "free space: nearly full file systems and SSDs are slower",
        );
    }
    fine(TOPIC, found)
}

/// The disks' schedulers. Source: the kernel's `Documentation/block/bfq-iosched.rst`.
pub(super) fn scheduler(facts: &Facts<'_>) -> Vec<Remark> {
    let turns = |device: &&BlockDevice| device.rotational == Some(true);
    let bfq = |device: &&BlockDevice| device.scheduler.as_deref() == Some("bfq");
    let disks = facts.target.chain.iter();
    let found = disks.filter(bfq).find(|device| !turns(device));
    found.map_or_else(Vec::new, |device| {
        care(
            "scheduler",
            format!(
                "{} does not rotate and has bfq, which costs speed from some 20000 IOPS on",
                device.name
            ),
            "measure with the scheduler `none` as well",
        )
    })
}

/// Options that make I/O something else. Sources: mount(8), ext4(5), btrfs(5).
pub(super) fn mount(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "mount";
    if facts.target.kind == TargetKind::BlockDevice {
        return Vec::new();
    }
    let Some(on) = &facts.target.file_system else {
        return Vec::new();
    };
    let options: Vec<&str> = on.options.split(',').collect();
    let starts = |name: &str| {
        options
            .iter()
            .any(|option| option.split('=').next() == Some(name))
    };
    let has = |option: &str| options.contains(&option);
    let reported = |found: &str| {
        care(
            TOPIC,
            format!("{}: {found}", on.mount_point.display()),
            "use the mount options of the production system, and report them with the result",
        )
    };
    if is_synchronous(on) {
        return reported("sync: every write waits for stable storage");
    }
    if has("data=journal") {
        return reported("data=journal: data is written to the device twice");
    }
    if has("nobarrier") || has("barrier=0") {
        return reported("barriers are off: durable writes may not be durable");
    }
    if starts("compress") || starts("compress-force") {
        return reported("compression: less is written than measured");
    }
    if on.kind == "tmpfs" || on.kind == "ramfs" {
        return reported("a file system in memory: no device is measured");
    }
    Vec::new()
}

/// Source: the kernel's `Documentation/admin-guide/pm/cpufreq.rst`.
pub(super) fn governor(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "governor";
    let governors = facts
        .host
        .cpus
        .iter()
        .filter_map(|cpu| cpu.governor.as_deref());
    let governors: Vec<&str> = governors.collect();
    match governors.iter().find(|name| **name != "performance") {
        Some(name) => care(
            TOPIC,
            format!(
                "{name}: processors that have little to do run slowly, which short latencies show"
            ),
            "for the test: cpupower frequency-set -g performance",
        ),
        None if governors.is_empty() => Vec::new(),
        None => fine(TOPIC, "performance"),
    }
}

/// Clocks whose reading is no more than some instructions, or a page that the hypervisor shares.
const QUICK: [&str; 6] = [
    "tsc",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "xen",
    "arch_sys_counter",
    "timebase",
];

/// What the kernel reads the time from: each I/O is stamped twice.
pub(super) fn time_source(facts: &Facts<'_>) -> Vec<Remark> {
    const TOPIC: &str = "clock";
    match facts.time_source {
        None => unknown(TOPIC, "the system does not report its clock source"),
        Some(name) if QUICK.contains(&name) => fine(TOPIC, name),
        Some(name) => care(
            TOPIC,
            format!(
                "the clock source is {name}: reading it takes up to microseconds, twice per I/O"
            ),
            "boot with a synchronous time stamp counter (dmesg | grep -i tsc shows why it is not used)",
        ),
    }
}
