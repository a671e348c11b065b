//! For what tasks wait: servers of file systems, limits of control groups, and what one process or group waits for.
//!
//! Sources: proc_pid_stat(5), proc_pid_wchan(5), `/proc/PID/schedstat` (the kernel's `Documentation/scheduler/sched-stats.rst`), the
//! kernel's `cgroup-v2.rst` (`io.max`, `io.stat`), `cgroup-v1/blkio-controller.rst` and `filesystems/fuse.rst` (`waiting`). Omitted: what follows.

use super::account::waited_in;
use super::activity::{ProcessStat, processes};
use super::mounts::mounts;
use crate::reported::{LimitedIo, ProcessWait};
use crate::root::Root;
use crate::system::tree::{field, names, text};
use model::Nanos;
use model::record::audited::Pressure;
use std::path::{Path, PathBuf};

/// Groups that are looked at.
const GROUPS_MAX: usize = 2000;
/// What the kernel function is called in which a task waits for a server.
const OF_SERVERS: [&str; 9] = [
    "request_wait_answer",
    "fuse_",
    "rpc_",
    "nfs",
    "cifs",
    "smb2_",
    "wait_for_response",
    "ceph_",
    "p9_",
];

/// Returns the processes that wait for the answer of a file system's server, by name.
pub fn waiting_for_servers(root: &Root) -> Vec<String> {
    let waits = processes(root).filter_map(|process| {
        let channel = root.text(format!("proc/{process}/wchan"))?;
        let is_one = OF_SERVERS.iter().any(|head| channel.starts_with(head));
        // A thread of the kernel that serves others has no arguments.
        let has_arguments = root.text(format!("proc/{process}/cmdline")).is_some();
        (is_one && has_arguments).then(|| ProcessStat::read(root, process).map(|stat| stat.name))?
    });
    waits.collect()
}

/// Returns the requests to FUSE servers that are not answered yet.
pub fn waiting_fuse_requests(root: &Root) -> u64 {
    let all = root.names("sys/fs/fuse/connections").into_iter();
    let counts =
        all.filter_map(|one| root.number::<u64>(format!("sys/fs/fuse/connections/{one}/waiting")));
    counts.sum()
}

/// Returns every limit on I/O of a control group with what was counted for it so far.
pub fn limited_io(root: &Root) -> Vec<LimitedIo> {
    let tops = mounts(root)
        .into_iter()
        .filter(|mount| match mount.kind.as_str() {
            "cgroup2" => true,
            "cgroup" => mount.options.split(',').any(|option| option == "blkio"),
            _ => false,
        });
    let mut found = Vec::new();
    for mount in tops {
        let Ok(below) = mount.at.strip_prefix("/") else {
            continue;
        };
        let top = root.path(below);
        let (mut todo, mut count) = (vec![top.clone()], 0);
        while let Some(folder) = todo.pop().filter(|_| count < GROUPS_MAX) {
            count += 1;
            let name = folder
                .strip_prefix(&top)
                .unwrap_or(&folder)
                .to_string_lossy();
            let limits = match mount.kind.as_str() {
                "cgroup2" => of_second(&folder),
                _ => of_first(&folder),
            };
            found.extend(limits.into_iter().map(|limit| LimitedIo {
                group: format!("/{name}"),
                ..limit
            }));
            let inner = names(&folder).into_iter().map(|name| folder.join(name));
            todo.extend(inner.filter(|path| path.is_dir()));
        }
    }
    found
}

/// `8:0 rbps=1048576 wbps=max riops=max wiops=max`
fn of_second(folder: &Path) -> Vec<LimitedIo> {
    const COUNTS: [(&str, &str); 4] = [
        ("rbps", "rbytes"),
        ("wbps", "wbytes"),
        ("riops", "rios"),
        ("wiops", "wios"),
    ];
    let limits = text(&folder.join("io.max")).unwrap_or_default();
    let counts = text(&folder.join("io.stat")).unwrap_or_default();
    let value = |line: &str, name: &str| -> Option<u64> {
        let mut words = line.split(' ').filter_map(|word| word.split_once('='));
        words.find(|(known, _)| *known == name)?.1.parse().ok()
    };
    let mut found = Vec::new();
    for line in limits.lines() {
        let Some((device, _)) = line.split_once(' ') else {
            continue;
        };
        let of_device = |line: &&str| line.split(' ').next() == Some(device);
        let counted = counts.lines().find(of_device).unwrap_or_default();
        for (limit, count) in COUNTS {
            found.extend(value(line, limit).map(|limit_per_s| LimitedIo {
                group: String::new(),
                what: format!("{limit} of {device}"),
                limit_per_s,
                count: value(counted, count).unwrap_or(0),
            }));
        }
    }
    found
}

/// A file for each limit, and two with the counts: `8:0 Read 4096`.
fn of_first(folder: &Path) -> Vec<LimitedIo> {
    const LIMITS: [(&str, &str, &str); 4] = [
        ("read_bps", "io_service_bytes", "Read"),
        ("write_bps", "io_service_bytes", "Write"),
        ("read_iops", "io_serviced", "Read"),
        ("write_iops", "io_serviced", "Write"),
    ];
    let at =
        |name: String| text(&folder.join(format!("blkio.throttle.{name}"))).unwrap_or_default();
    let mut found = Vec::new();
    for (limit, counts, side) in LIMITS {
        let limits = at(format!("{limit}_device"));
        let counts = if limits.is_empty() {
            String::new()
        } else {
            at(counts.to_owned())
        };
        for (device, limit_per_s) in limits.lines().filter_map(|line| line.split_once(' ')) {
            let head = format!("{device} {side} ");
            let count = counts.lines().find_map(|line| line.strip_prefix(&*head));
            found.extend(limit_per_s.trim().parse().ok().map(|limit_per_s| {
                LimitedIo {
                    group: String::new(),
                    what: format!("{limit} of {device}"),
                    limit_per_s,
                    count: count
                        .and_then(|count| count.trim().parse().ok())
                        .unwrap_or(0),
                }
            }));
        }
    }
    found
}

/// Returns for what a process has used its time; `None` if it does not run.
pub fn process_wait(root: &Root, process: u32) -> Option<ProcessWait> {
    let stat = ProcessStat::read(root, process)?;
    let status = root.text(format!("proc/{process}/status"))?;
    let mut wait = ProcessWait {
        name: stat.name,
        is_blocked: field(&status, "State").is_some_and(|state| state.starts_with('D')),
        ..ProcessWait::default()
    };
    for thread in root.names(format!("proc/{process}/task")) {
        let times = root.text(format!("proc/{process}/task/{thread}/schedstat"));
        let times = times.unwrap_or_default();
        let mut times = times
            .split(' ')
            .map(|time| time.parse::<u64>().unwrap_or(0));
        wait.ran = wait.ran.plus(Nanos(times.next().unwrap_or(0)));
        wait.waited = wait.waited.plus(Nanos(times.next().unwrap_or(0)));
    }
    Some(wait)
}

/// Returns the folder of a control group of the second version, by its path below the mount or in full.
pub fn group_folder(root: &Root, group: &Path) -> Option<PathBuf> {
    let mount = mounts(root)
        .into_iter()
        .find(|mount| mount.kind == "cgroup2")?;
    let below = group
        .strip_prefix(&mount.at)
        .or_else(|_| group.strip_prefix("/"));
    let at = root
        .path(mount.at.strip_prefix("/").ok()?)
        .join(below.unwrap_or(group));
    at.join("cgroup.procs").exists().then_some(at)
}

/// Returns the control group of a process, as in [`group_folder`].
pub fn group_of(root: &Root, process: u32) -> Option<PathBuf> {
    let text = root.text(format!("proc/{process}/cgroup"))?;
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    group_folder(root, Path::new(path))
}

/// Returns how long tasks of a group have waited since it was created.
pub fn group_pressure(folder: &Path) -> Pressure {
    let of = |resource: &str, who: &str| {
        waited_in(&text(&folder.join(format!("{resource}.pressure")))?, who)
    };
    Pressure {
        cpu_some: of("cpu", "some "),
        memory_some: of("memory", "some "),
        memory_full: of("memory", "full "),
        io_some: of("io", "some "),
        io_full: of("io", "full "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_both_versions_have_their_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("io.max", "8:0 rbps=1048576 wbps=max riops=max wiops=50\n");
        write(
            "io.stat",
            "7:1 rbytes=9 wios=9\n8:0 rbytes=4096 wbytes=0 rios=1 wios=7\n",
        );
        let of = |limits: Vec<LimitedIo>| -> Vec<(String, u64, u64)> {
            let each = limits.into_iter();
            each.map(|one| (one.what, one.limit_per_s, one.count))
                .collect()
        };
        assert_eq!(
            of(of_second(folder.path())),
            [
                ("rbps of 8:0".to_owned(), 1_048_576, 4096),
                ("wiops of 8:0".to_owned(), 50, 7)
            ]
        );
        write("blkio.throttle.write_bps_device", "8:16 2048\n");
        write(
            "blkio.throttle.io_service_bytes",
            "8:0 Write 1\n8:16 Read 2\n8:16 Write 3\nTotal 6\n",
        );
        assert_eq!(
            of(of_first(folder.path())),
            [("write_bps of 8:16".to_owned(), 2048, 3)]
        );
    }

    #[test]
    fn a_process_has_the_times_of_its_threads() {
        let root = Root::live();
        let own = process_wait(&root, std::process::id()).unwrap();
        assert!(own.ran > Nanos(0) && !own.is_blocked);
        assert!(process_wait(&root, 4_000_000_001).is_none());
    }
}
