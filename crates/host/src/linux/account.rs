//! What processes requested, which files they have open, on which devices a path is, and how long tasks waited.
//!
//! Sources: proc_pid_io(5), proc_pid_task(5) (`children`), proc_pid_fd(5), proc_pid_fdinfo(5), the kernel's
//! `Documentation/accounting/psi.rst`. Omitted: starting a program (`child`), and what any of it means (`analysis`).

use super::activity::named;
use super::block::Node;
use super::chain::{below, facts, layer, under_file};
use super::mounts::{mount_of, mounts};
use crate::root::Root;
use crate::system::tree::{names, text};
use model::record::audited::{AuditPlace, Pressure, ProgramIo};
use model::{BlockDevice, Bytes, FileSystem, Nanos};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Descendants and open files that are looked at in one sample.
const PROCESSES_MAX: usize = 256;
const FILES_MAX: usize = 256;
/// Unit of the blocks that stat(2) counts.
const STAT_BLOCK_BYTES: u64 = 512;
/// Source: open(2), the numbers of x86-64 and of most others.
const O_DIRECT: u64 = libc::O_DIRECT as u64;

/// Returns the counts of a process, also of one that has ended and is not reaped yet.
///
/// # Errors
/// It is gone, or another user's.
pub fn program_io(root: &Root, process: u32) -> io::Result<ProgramIo> {
    let text = fs::read_to_string(root.path(format!("proc/{process}/io")))?;
    let count = |name: &str| named(&text, name).unwrap_or(0);
    Ok(ProgramIo {
        processes: 1,
        unread: 0,
        still_running: 0,
        rchar: Bytes(count("rchar:")),
        wchar: Bytes(count("wchar:")),
        syscr: count("syscr:"),
        syscw: count("syscw:"),
        read_bytes: Bytes(count("read_bytes:")),
        write_bytes: Bytes(count("write_bytes:")),
        cancelled_write_bytes: Bytes(count("cancelled_write_bytes:")),
    })
}

/// Returns the processes that descend from this one and still run, at most a few hundred.
pub fn descendants(root: &Root, process: u32) -> Vec<u32> {
    let (mut found, mut todo) = (Vec::new(), vec![process]);
    while let Some(parent) = todo.pop() {
        for thread in root.names(format!("proc/{parent}/task")) {
            let children = root.text(format!("proc/{parent}/task/{thread}/children"));
            let children = children.unwrap_or_default();
            let children = children.split(' ').filter_map(|one| one.parse().ok());
            let children: Vec<u32> = children.filter(|one| !found.contains(one)).collect();
            found.extend(&children);
            todo.extend(children);
        }
        if found.len() >= PROCESSES_MAX {
            break;
        }
    }
    found
}

/// Returns the processes of a control group and of those below it, at most a few hundred.
pub fn processes_of_group(folder: &Path) -> Vec<u32> {
    let (mut found, mut todo) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(group) = todo.pop().filter(|_| found.len() < PROCESSES_MAX) {
        let listed = text(&group.join("cgroup.procs")).unwrap_or_default();
        found.extend(listed.lines().filter_map(|one| one.parse::<u32>().ok()));
        let inner = names(&group).into_iter().map(|name| group.join(name));
        todo.extend(inner.filter(|path| path.is_dir()));
    }
    found
}

/// Returns the regular files and block devices that a process has open, without those of the system itself.
pub fn open_places(root: &Root, process: u32) -> Vec<AuditPlace> {
    let descriptors = root.names(format!("proc/{process}/fd"));
    let places = descriptors.iter().take(FILES_MAX).filter_map(|descriptor| {
        let at = root.path(format!("proc/{process}/fd/{descriptor}"));
        let path = fs::read_link(&at).ok()?;
        let there = fs::metadata(&at).ok().filter(|_| path.is_absolute())?;
        let is_file = there.is_file();
        if !is_file && !there.file_type().is_block_device() {
            return None;
        }
        let info = root.text(format!("proc/{process}/fdinfo/{descriptor}"));
        let info = info.unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok());
        let bytes = |bytes: u64| is_file.then_some(Bytes(bytes));
        Some(AuditPlace {
            path: path.to_string_lossy().into_owned(),
            size: bytes(there.len()),
            allocated: bytes(there.blocks().saturating_mul(STAT_BLOCK_BYTES)),
            direct: flags.is_some_and(|flags| flags & O_DIRECT != 0),
            ..AuditPlace::default()
        })
    });
    places.collect()
}

/// Returns a place by its path with the devices below it. What is not there yet is where its folder is.
///
/// # Errors
/// Neither it nor its folder can be read.
pub fn place_of(root: &Root, path: &Path) -> io::Result<(AuditPlace, Vec<BlockDevice>)> {
    let real = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|one| !one.as_os_str().is_empty());
            fs::canonicalize(folder.unwrap_or(Path::new(".")))?
        }
        found => found?,
    };
    let there = fs::metadata(&real)?;
    let mounts = mounts(root);
    let is_device = there.file_type().is_block_device();
    let top = match is_device {
        true => Node::by_number(root, there.rdev()).into_iter().collect(),
        false => under_file(root, &mounts, &real),
    };
    let devices = facts(root, &below(root, &mounts, &top));
    let mount = mount_of(&mounts, &real, None).filter(|_| !is_device);
    let file_system = mount.map(|mount| FileSystem {
        kind: mount.kind.clone(),
        mount_point: mount.at.clone(),
        source: mount.source.clone(),
        options: mount.options.clone(),
        read_only: mount.read_only(),
        layer: layer(root, &mounts, mount, &real).map(|layer| layer.kind.clone()),
        ..FileSystem::default()
    });
    let bytes = |bytes: u64| there.is_file().then_some(Bytes(bytes));
    let place = AuditPlace {
        path: path.to_string_lossy().into_owned(),
        named: false,
        file_system,
        chain: devices.iter().map(|device| device.name.clone()).collect(),
        size: bytes(there.len()),
        allocated: bytes(there.blocks().saturating_mul(STAT_BLOCK_BYTES)),
        direct: false,
    };
    Ok((place, devices))
}

/// Returns every whole device that has requests of its own, without those that only pass them on.
pub fn whole_devices(root: &Root) -> Vec<BlockDevice> {
    let of_itself = |node: &Node| matches!(node.kind(), "disk" | "zram" | "optical");
    let nodes = Node::all(root).into_iter();
    let nodes: Vec<Node> = nodes
        .filter(|node| of_itself(node) && node.size().0 > 0 && !node.is_hidden())
        .collect();
    facts(root, &nodes)
}

/// How types of file systems begin that a server or another program keeps.
const SERVED: [&str; 5] = ["fuse", "9p", "virtiofs", "afs", "orangefs"];
/// Those that every desktop and container has, and that no benchmark writes to.
const WITHOUT_DATA: [&str; 4] = ["fusectl", "fuse.gvfsd-fuse", "fuse.portal", "fuse.lxcfs"];

/// Returns the types of mounted file systems whose files are on no device of this machine, each once.
pub fn remote_mounts(root: &Root) -> Vec<String> {
    let kinds: BTreeSet<String> = mounts(root).into_iter().map(|mount| mount.kind).collect();
    let is_remote = |kind: &String| {
        let on = FileSystem {
            kind: kind.clone(),
            ..FileSystem::default()
        };
        let is_served = SERVED.iter().any(|name| kind.starts_with(name));
        on.is_remote() || (is_served && !WITHOUT_DATA.contains(&kind.as_str()))
    };
    kinds.into_iter().filter(is_remote).collect()
}

/// Returns how long tasks have waited since the system started.
pub fn pressure(root: &Root) -> Pressure {
    Pressure {
        cpu_some: waited(root, "cpu", "some "),
        memory_some: waited(root, "memory", "some "),
        memory_full: waited(root, "memory", "full "),
        io_some: waited(root, "io", "some "),
        io_full: waited(root, "io", "full "),
    }
}

fn waited(root: &Root, resource: &str, who: &str) -> Option<Nanos> {
    waited_in(&root.text(format!("proc/pressure/{resource}"))?, who)
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`, in microseconds.
pub(super) fn waited_in(text: &str, who: &str) -> Option<Nanos> {
    let line = text.lines().find_map(|line| line.strip_prefix(who))?;
    let total = line.rsplit_once("total=")?.1;
    Some(Nanos(
        total.trim().parse::<u64>().ok()?.saturating_mul(1000),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_process_and_waits_of_tasks_are_read_from_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::at(folder.path().to_owned());
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "proc/42/io",
            "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 512\ncancelled_write_bytes: 12\n",
        );
        write("proc/42/task/42/children", "43 44 ");
        write("proc/44/task/44/children", "45 ");
        write(
            "proc/pressure/io",
            "some avg10=1.00 avg60=0.10 avg300=0.01 total=77\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n",
        );
        let io = program_io(&root, 42).unwrap();
        assert_eq!(
            (io.rchar, io.syscw, io.to_write()),
            (Bytes(9), 6, Bytes(500))
        );
        assert!(program_io(&root, 43).is_err());
        assert_eq!(descendants(&root, 42), [43, 44, 45]);
        let waits = pressure(&root);
        assert_eq!(
            (waits.io_some, waits.io_full),
            (Some(Nanos(77_000)), Some(Nanos(5000)))
        );
        assert_eq!(waits.cpu_some, None);
    }

    #[test]
    fn a_file_has_the_devices_of_its_file_system_and_memory_has_none() {
        let root = Root::live();
        let (place, devices) = place_of(&root, Path::new("/dev/shm/not-there-yet")).unwrap();
        let on = place.file_system.unwrap();
        assert_eq!((on.is_in_memory(), devices.len()), (true, 0), "{on:?}");
        assert!(place_of(&root, Path::new("/nowhere/at/all")).is_err());
    }
}
