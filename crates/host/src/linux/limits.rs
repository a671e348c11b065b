//! What the control groups of this process, and those above them, allow it: processor time, I/O and memory.
//!
//! Where the groups are mounted is read in mountinfo, for the first version and for the second. The smallest limit on the
//! way up counts. Sources: cgroups(7), the kernel's `Documentation/admin-guide/cgroup-v2.rst` (`cpu.max`, `io.max`, `memory.max`) and
//! `cgroup-v1/blkio-controller.rst`, `cgroup-v1/memory.rst`, `Documentation/scheduler/sched-bwc.rst`. Deliberately absent: weights, which bind
//! only under contention; and limits of the groups above a container, which are not shown in it.

use super::mounts::{Mount, mounts};
use crate::root::Root;
use crate::system::tree::field;
use model::{Bytes, IoLimit, Limits, MemoryLimit};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A path of groups that is deeper is cut off.
const DEPTH_MAX: usize = 32;
/// Value of the first version if there is no limit: the largest multiple of the page size, which differs.
const MEMORY_UNLIMITED: u64 = 1 << 60;

/// Of this process.
pub(super) fn limits(root: &Root) -> Limits {
    let mut found = Limits {
        idle_io: root.is_live() && super::sys::has_idle_io_class(),
        ..Limits::default()
    };
    for folder in groups(root) {
        let allowed =
            quota(root, &folder).map(|(quota, period)| quota.saturating_mul(1000) / period);
        smaller(&mut found.cpu_millicores, allowed);
        read_io(root, &folder, &mut found);
        if let Some(memory) = memory(root, &folder)
            && found
                .memory
                .as_ref()
                .is_none_or(|known| memory.room() < known.room())
        {
            found.memory = Some(memory);
        }
    }
    found
}

/// A line of proc_meminfo(5), in units of 1024 bytes.
pub(super) fn machine_memory(root: &Root, key: &str) -> Bytes {
    let text = root.text("proc/meminfo").unwrap_or_default();
    let kib = field(&text, key).and_then(|value| value.split(' ').next()?.parse().ok());
    Bytes(kib.unwrap_or(0_u64).saturating_mul(1024))
}

/// What this process can still allocate: free memory of the machine, or the room of a control group where that is less.
/// `None` if the system does not report it.
pub fn memory_room(root: &Root) -> Option<Bytes> {
    let available = machine_memory(root, "MemAvailable");
    let machine = Some(available).filter(|available| available.0 > 0);
    let group = limits(root).memory.map(|memory| memory.room());
    machine.into_iter().chain(group).min()
}

/// The limit of one group. Cached files are not counted as used, because the kernel drops them first.
fn memory(root: &Root, folder: &Path) -> Option<MemoryLimit> {
    let number = |name: &str| root.number::<u64>(folder.join(name));
    let second = [number("memory.max"), number("memory.high")];
    let first = number("memory.limit_in_bytes").filter(|&limit| limit < MEMORY_UNLIMITED);
    let limit = second.into_iter().flatten().min().or(first)?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let counts = root.text(folder.join("memory.stat")).unwrap_or_default();
    let count = |name: &str| {
        let mut lines = counts.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(key, _)| *key == name)?.1.trim().parse().ok()
    };
    let cached = |kind: &str| -> u64 {
        let of_all = count(&format!("total_{kind}_file")); // the first version counts groups below apart
        of_all
            .or_else(|| count(&format!("{kind}_file")))
            .unwrap_or(0)
    };
    let cached = cached("inactive").saturating_add(cached("active"));
    Some(MemoryLimit {
        group: Path::new("/").join(folder),
        limit: Bytes(limit),
        used: Bytes(used.saturating_sub(cached)),
    })
}

/// What the kernel counts of each group that has a quota of processor time, open.
pub(super) fn quota_counters(root: &Root) -> Vec<File> {
    let groups = groups(root).into_iter();
    groups
        .filter(|folder| quota(root, folder).is_some())
        .filter_map(|folder| File::open(root.path(folder.join("cpu.stat"))).ok())
        .collect()
}

/// The folders of the groups of this process, each before those above it.
fn groups(root: &Root) -> Vec<PathBuf> {
    let mounts = mounts(root);
    let mut found = Vec::new();
    let groups = root.text("proc/self/cgroup").unwrap_or_default();
    for line in groups.lines() {
        let mut words = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (words.next(), words.next()) else {
            continue;
        };
        let mount = mounts.iter().find(|mount| is_of(mount, controllers));
        found.extend(mount.iter().flat_map(|mount| folders(mount, group)));
    }
    found
}

/// The second version has no controllers in its line; those of the first are options of their mount.
fn is_of(mount: &Mount, controllers: &str) -> bool {
    if controllers.is_empty() {
        return mount.kind == "cgroup2";
    }
    let wanted = |name: &str| matches!(name, "cpu" | "blkio" | "memory");
    let has = |name: &str| mount.options.split(',').any(|option| option == name);
    mount.kind == "cgroup" && controllers.split(',').any(|name| wanted(name) && has(name))
}

/// The group's folder and those above it, up to where the groups are mounted; without the leading slash.
fn folders(mount: &Mount, group: &str) -> Vec<PathBuf> {
    let inner = Path::new(group).strip_prefix(&mount.inner);
    let below = inner.unwrap_or(Path::new(""));
    let leaves = below.components().any(|part| part.as_os_str() == "..");
    let below = if leaves { Path::new("") } else { below };
    let at = mount.at.strip_prefix("/").unwrap_or(&mount.at);
    below
        .ancestors()
        .take(DEPTH_MAX)
        .map(|part| at.join(part))
        .collect()
}

/// How much processor time a group may use in each period, and the period; both in microseconds.
fn quota(root: &Root, folder: &Path) -> Option<(u64, u64)> {
    let number = |name: &str| root.number::<u64>(folder.join(name));
    let second = root.text(folder.join("cpu.max"));
    let (quota, period) = match second.as_deref().and_then(|text| text.split_once(' ')) {
        Some((quota, period)) => (quota.parse().ok(), period.trim().parse().ok()),
        None => (number("cpu.cfs_quota_us"), number("cpu.cfs_period_us")),
    };
    quota.zip(period.filter(|&period: &u64| period > 0))
}

/// One limit of the first version is one file, of lines `8:16 1048576`.
type FirstFile = (&'static str, fn(&mut IoLimit, u64));
const FIRST: [FirstFile; 4] = [
    ("read_iops_device", |limit, value| {
        limit.read_ios_per_s = Some(value);
    }),
    ("write_iops_device", |limit, value| {
        limit.write_ios_per_s = Some(value);
    }),
    ("read_bps_device", |limit, value| {
        limit.read_per_s = Some(Bytes(value));
    }),
    ("write_bps_device", |limit, value| {
        limit.write_per_s = Some(Bytes(value));
    }),
];

fn read_io(root: &Root, folder: &Path, found: &mut Limits) {
    for (name, set) in FIRST {
        let text = root.text(folder.join(format!("blkio.throttle.{name}")));
        for line in text.unwrap_or_default().lines() {
            if let Some((device, rest)) = device(line)
                && let Ok(value) = rest.parse()
            {
                let mut limit = IoLimit {
                    device,
                    ..IoLimit::default()
                };
                set(&mut limit, value);
                merge(&mut found.io, limit);
            }
        }
    }
    let text = root.text(folder.join("io.max")).unwrap_or_default();
    for limit in text.lines().filter_map(second) {
        merge(&mut found.io, limit);
    }
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`
fn second(line: &str) -> Option<IoLimit> {
    let (device, rest) = device(line)?;
    let value = |name: &str| -> Option<u64> {
        let mut words = rest.split(' ').filter_map(|word| word.split_once('='));
        words.find(|(key, _)| *key == name)?.1.parse().ok()
    };
    Some(IoLimit {
        device,
        read_ios_per_s: value("riops"),
        write_ios_per_s: value("wiops"),
        read_per_s: value("rbps").map(Bytes),
        write_per_s: value("wbps").map(Bytes),
    })
}

fn device(line: &str) -> Option<((u32, u32), &str)> {
    let (number, rest) = line.split_once(' ')?;
    let (major, minor) = number.split_once(':')?;
    Some(((major.parse().ok()?, minor.parse().ok()?), rest.trim()))
}

fn merge(all: &mut Vec<IoLimit>, new: IoLimit) {
    let Some(known) = all.iter_mut().find(|known| known.device == new.device) else {
        all.push(new);
        return;
    };
    smaller(&mut known.read_ios_per_s, new.read_ios_per_s);
    smaller(&mut known.write_ios_per_s, new.write_ios_per_s);
    smaller(&mut known.read_per_s, new.read_per_s);
    smaller(&mut known.write_per_s, new.write_per_s);
}

fn smaller<T: Ord + Copy>(known: &mut Option<T>, new: Option<T>) {
    *known = match (*known, new) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A tree with these files in it.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let root = Root::at(folder.path().to_owned());
        (folder, root)
    }

    #[test]
    fn limits_of_the_first_version_are_read_in_the_group_s_own_folder_and_above() {
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "7:blkio:/a/b\n1:cpu,cpuacct:/a\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n\
                 31 25 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
            ),
            (
                "sys/fs/cgroup/blkio/a/b/blkio.throttle.read_iops_device",
                "7:0 1920\n254:0 9000\n",
            ),
            (
                "sys/fs/cgroup/blkio/a/blkio.throttle.read_iops_device",
                "7:0 700\n",
            ),
            (
                "sys/fs/cgroup/blkio/blkio.throttle.write_bps_device",
                "7:0 1048576\n",
            ),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n"),
            ("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ]);
        let found = limits(&root);
        assert_eq!(found.cpu_millicores, Some(1500));
        let first = IoLimit {
            device: (7, 0),
            read_ios_per_s: Some(700),
            write_per_s: Some(Bytes::mib(1)),
            ..IoLimit::default()
        };
        assert_eq!(found.io[0], first);
        assert_eq!(found.io[1].read_ios_per_s, Some(9000));
    }

    #[test]
    fn limits_of_the_second_version_are_one_line_a_device() {
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "0::/box/inner\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            (
                "sys/fs/cgroup/inner/io.max",
                "8:16 rbps=2097152 wbps=max riops=max wiops=120\nnonsense\n",
            ),
            ("sys/fs/cgroup/inner/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
        ]);
        let found = limits(&root);
        assert_eq!(found.cpu_millicores, Some(500));
        let expected = IoLimit {
            device: (8, 16),
            read_per_s: Some(Bytes::mib(2)),
            write_ios_per_s: Some(120),
            ..IoLimit::default()
        };
        assert_eq!(found.io, [expected]);
    }

    #[test]
    fn the_memory_limit_with_the_least_room_counts_and_cached_files_do_not() {
        let mount = "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("proc/self/mountinfo", mount),
            ("proc/meminfo", "MemAvailable:  9000000 kB\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.high", "300\n"),
            ("sys/fs/cgroup/a/b/memory.current", "100\n"),
            ("sys/fs/cgroup/a/memory.max", "400\n"),
            ("sys/fs/cgroup/a/memory.current", "370\n"),
            (
                "sys/fs/cgroup/a/memory.stat",
                "anon 200\nfile 140\ninactive_file 20\nactive_file 100\n",
            ),
        ]);
        let expected = MemoryLimit {
            group: "/sys/fs/cgroup/a".into(),
            limit: Bytes(400),
            used: Bytes(250),
        };
        assert_eq!(limits(&root).memory, Some(expected));
        assert_eq!(memory_room(&root), Some(Bytes(150)));
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "4:memory:/\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            ),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n"),
        ]);
        assert_eq!((limits(&root).memory, memory_room(&root)), (None, None));
    }

    #[test]
    fn no_group_a_garbled_line_or_a_way_out_is_no_limit() {
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "0::/../../x\n:::\n7:blkio\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/cpu.max", "100000 0\n"),
            ("sys/fs/cgroup/io.max", "8:x riops=1\n8:1\n"),
        ]);
        assert_eq!(limits(&root), Limits::default());
    }

    #[test]
    fn only_groups_with_a_quota_are_counted_each_before_those_above_it() {
        let (_folder, root) = tree(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            (
                "proc/self/mountinfo",
                "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/a/b/cpu.max", "20000 100000\n"),
            (
                "sys/fs/cgroup/a/b/cpu.stat",
                "nr_periods 7\nnr_throttled 3\nthrottled_usec 1\n",
            ),
            ("sys/fs/cgroup/a/cpu.max", "max 100000\n"),
            (
                "sys/fs/cgroup/a/cpu.stat",
                "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
            ),
            ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
            (
                "sys/fs/cgroup/cpu.stat",
                "nr_periods 9\nnr_throttled 0\nthrottled_usec 0\n",
            ),
        ]);
        let mut reader = super::super::CounterReader::open(&root, &[]);
        let quotas = reader.read(&mut || model::Nanos(0)).quotas;
        let periods: Vec<u64> = quotas.iter().map(|quota| quota.periods).collect();
        assert_eq!(periods, [7, 9]);
    }
}
