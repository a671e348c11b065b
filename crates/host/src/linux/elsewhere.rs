//! Regular files that the kernel mounted itself, without a loop device, as it does with an EROFS: in this mount namespace or another one.
//!
//! No device and no lease shows them: the kernel has them open for reading. Only root may ask other namespaces, and only root can
//! mount so. Source: the kernel's `Documentation/filesystems/erofs.rst`; mount_namespaces(7), proc_pid_mountinfo(5).

use super::closed::identity;
use super::mounts::{Mount, of_text};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The kind of file system that is mounted so.
const KIND: &str = "erofs";
/// As its signature is called.
const SIGNATURE: &str = "EROFS";

/// Where this file is mounted in another namespace, and the mounts of which it cannot be known whether they are of this file: their source
/// leads to no file any more, or the file has the same format.
pub(super) fn mounts_of(
    file: &Metadata,
    signatures: &[&str],
    mounts: &[Mount],
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let known = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    if !known.lines().any(|line| line.trim() == KIND) {
        return (Vec::new(), Vec::new());
    }
    let is_alike = signatures.iter().any(|what| what.contains(SIGNATURE));
    let (mut at, mut unknown) = (Vec::new(), Vec::new());
    let mut sort = |mount: &Mount, root: &Path| {
        // One on a block device has that device's number.
        if mount.kind != KIND || libc::major(mount.number) != 0 {
            return;
        }
        let source = Path::new(&mount.source);
        let below = source
            .strip_prefix("/")
            .ok()
            .map(|source| root.join(source));
        let there = below.and_then(|path| fs::metadata(path).ok());
        match there.filter(Metadata::is_file) {
            Some(there) if identity(&there) == identity(file) => {
                at.push(mount.at.clone());
            }
            Some(_) if !is_alike => {}
            _ => unknown.push(mount.at.clone()),
        }
    };
    for mount in mounts {
        sort(mount, Path::new("/"));
    }
    for (text, root) in other_namespaces() {
        for mount in of_text(&text) {
            sort(&mount, &root);
        }
    }
    (at, unknown)
}

/// The table of mounts of each other mount namespace that this user may see, and a path to its root folder.
fn other_namespaces() -> Vec<(String, PathBuf)> {
    let namespace = |process: &Path| {
        let there = fs::metadata(process.join("ns/mnt")).ok()?;
        Some((there.dev(), there.ino()))
    };
    let mut seen: Vec<(u64, u64)> = namespace(Path::new("/proc/self")).into_iter().collect();
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let is_process = process.file_name().to_string_lossy().parse::<u32>().is_ok();
        let process = process.path();
        let Some(of) = is_process.then(|| namespace(&process)).flatten() else {
            continue;
        };
        if !seen.contains(&of)
            && let Ok(text) = fs::read_to_string(process.join("mountinfo"))
        {
            seen.push(of);
            found.push((text, process.join("root")));
        }
    }
    found
}
