//! From a file system or a device down to the hardware: which uses which.
//!
//! Down through partitions, loop devices (and the file system that their file lies on), dm and md.
//! A file system without a device number of its own (Btrfs) is followed through the device that it
//! was mounted from; an overlay through the layer that contains the file, and FUSE through the folder that it passes on,
//! where this process can see these; one without any device (tmpfs, NFS) has no chain. Deliberately absent:
//! what stands *above* a device, which is `claims`' question.

use super::block::Node;
use super::mounts::{Mount, mount_of, unescape};
use super::paths::with_paths;
use crate::root::Root;
use model::{BlockDevice, TargetFacts};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The device of this number and everything below it, each with what it uses after it. Empty
/// when there is no such device.
pub fn device_chain(root: &Root, major: u32, minor: u32) -> Vec<BlockDevice> {
    let mounts = super::mounts::mounts(root);
    Node::by_number(root, libc::makedev(major, minor))
        .map(|node| facts(root, &below(root, &mounts, &[node])))
        .unwrap_or_default()
}

/// Names of all devices of the target's chain, whose counters are worth reading. The first
/// is the target itself, or what its file system uses directly (a partition has counters of its own); a
/// Btrfs of several devices uses more than that one.
pub fn chain_devices(facts: &TargetFacts) -> Vec<String> {
    facts
        .chain
        .iter()
        .map(|device| device.name.clone())
        .collect()
}

/// Each device with its paths, and a loop device with the type of the file system that its file lies on.
pub(super) fn facts(root: &Root, nodes: &[Node]) -> Vec<BlockDevice> {
    let has_file = |node: &Node| node.backing_file().is_some();
    let mounts = match nodes.iter().any(has_file) {
        true => super::mounts::mounts(root),
        false => Vec::new(),
    };
    let each = nodes.iter().map(|node| BlockDevice {
        file_on: node
            .backing_file()
            .and_then(|file| file_system_of(root, &mounts, &file)),
        ..with_paths(root, node)
    });
    each.collect()
}

pub(super) fn file_system_of(root: &Root, mounts: &[Mount], file: &Path) -> Option<String> {
    let mount = mount_of(mounts, file, None)?;
    let layer = layer(root, mounts, mount, file).filter(|_| mount.kind == "overlay");
    Some(layer.unwrap_or(mount).kind.clone())
}

/// These devices and all below them. Each appears once, after all that use it, so the last is at the bottom also where two
/// loop devices of a mirror have files on one disk; a circle ends.
pub(super) fn below(root: &Root, mounts: &[Mount], tops: &[Node]) -> Vec<Node> {
    let mut seen: Vec<Node> = Vec::new();
    let mut from_bottom: Vec<Node> = Vec::new();
    // A device with what it uses is behind all of that once its own turn comes again.
    let mut todo: Vec<(Node, bool)> = tops.iter().map(|node| (node.clone(), false)).collect();
    while let Some((node, is_done)) = todo.pop() {
        if is_done {
            from_bottom.push(node);
            continue;
        }
        if seen.contains(&node) {
            continue;
        }
        seen.push(node.clone());
        let uses = stands_on(root, mounts, &node);
        todo.push((node, true));
        todo.extend(uses.into_iter().map(|used| (used, false)));
    }
    from_bottom.reverse();
    from_bottom
}

/// One step down.
fn stands_on(root: &Root, mounts: &[Mount], node: &Node) -> Vec<Node> {
    if let Some(disk) = node.disk() {
        return vec![disk];
    }
    if let Some(file) = node.backing_file() {
        return under_file(root, mounts, &file);
    }
    node.slaves()
        .iter()
        .filter_map(|name| Node::by_name(root, name))
        .collect()
}

/// The devices under a file that is named by an absolute path; the device itself when it is one.
pub(super) fn under_file(root: &Root, mounts: &[Mount], file: &Path) -> Vec<Node> {
    let live = root.is_live().then(|| fs::metadata(file).ok()).flatten();
    if let Some(found) = &live
        && found.file_type().is_block_device()
    {
        return Node::by_number(root, found.rdev()).into_iter().collect();
    }
    if let Some(node) = Node::by_path(root, file) {
        return vec![node];
    }
    let mount = mount_of(mounts, file, None);
    match mount.and_then(|mount| layer(root, mounts, mount, file)) {
        Some(layer) => under_file_system(root, Some(layer), None),
        None => under_file_system(root, mount, live.map(|found| found.dev())),
    }
}

/// Layers on layers, at most.
const LAYERS_MAX: usize = 4;

/// The mount that contains a file which this mount only passes on. Of an overlay that of its upper folder, or of a lower
/// one while only that has the file; of FUSE that of the folder or image which its server reports as its source. `None`
/// for anything else, and where these are not visible, as in a container.
/// Source: the kernel's `Documentation/filesystems/overlayfs.rst`; fuse(8), `fsname`.
pub(super) fn layer<'a>(
    root: &Root,
    mounts: &'a [Mount],
    mount: &Mount,
    file: &Path,
) -> Option<&'a Mount> {
    let (mut mount, mut file) = (mount, file.to_owned());
    let mut found = None;
    for _ in 0..LAYERS_MAX {
        let behind = match mount.kind.as_str() {
            "overlay" => in_overlay(root, mount, &file),
            kind if kind.starts_with("fuse") => source_of_fuse(root, mount),
            _ => break,
        };
        let Some(behind) = behind else {
            break;
        };
        let Some(next) = mount_of(mounts, &behind, None).filter(|next| next.id != mount.id) else {
            break;
        };
        (mount, file, found) = (next, behind, Some(next));
    }
    found.filter(|found| found.kind != "overlay")
}

fn in_overlay(root: &Root, mount: &Mount, file: &Path) -> Option<PathBuf> {
    let within = file.strip_prefix(&mount.at).ok()?;
    let inner = mount.inner.strip_prefix("/").unwrap_or(&mount.inner);
    let within = inner.join(within);
    let is_there = |path: &Path| !root.is_live() || path.symlink_metadata().is_ok();
    let folders = folders(mount);
    let folders = || folders.iter().filter(|folder| is_there(folder));
    let has_file = |folder: &&PathBuf| is_there(&folder.join(&within));
    let folder = folders().find(has_file).or_else(|| folders().next())?;
    Some(folder.join(within))
}

/// Any text may be there; a folder or a regular file of this machine is believed.
fn source_of_fuse(root: &Root, mount: &Mount) -> Option<PathBuf> {
    let source = PathBuf::from(&mount.source);
    let there = source.metadata().ok().filter(|_| root.is_live())?;
    let passes_on = there.is_dir() || there.is_file();
    (source.is_absolute() && passes_on).then_some(source)
}

/// Of an overlay: the upper folder, then those below it.
fn folders(mount: &Mount) -> Vec<PathBuf> {
    let options = mount
        .options
        .split(',')
        .filter_map(|one| one.split_once('='));
    let (mut upper, mut lower) = (Vec::new(), Vec::new());
    for (name, value) in options {
        let named = |part: &str| PathBuf::from(unescape(part));
        match name {
            "upperdir" => upper.push(named(value)),
            "lowerdir" | "lowerdir+" => lower.extend(value.split(':').map(named)),
            _ => {}
        }
    }
    upper.append(&mut lower);
    upper
}

/// The devices under a file system: by the device number of its files, otherwise by what was mounted.
pub(super) fn under_file_system(
    root: &Root,
    mount: Option<&Mount>,
    number: Option<u64>,
) -> Vec<Node> {
    let number = number.or(mount.map(|mount| mount.number));
    if let Some(node) = number.and_then(|number| Node::by_number(root, number)) {
        return vec![node];
    }
    let Some(node) = mount.and_then(|mount| Node::by_path(root, Path::new(&mount.source))) else {
        return Vec::new();
    };
    btrfs_members(root, &node).unwrap_or_else(|| vec![node])
}

/// All devices of the mounted Btrfs that this one belongs to, this one first.
pub(super) fn btrfs_members(root: &Root, node: &Node) -> Option<Vec<Node>> {
    let devices = root
        .names("sys/fs/btrfs")
        .into_iter()
        .map(|id| root.names(format!("sys/fs/btrfs/{id}/devices")))
        .find(|names| names.contains(&node.name))?;
    let mut members = vec![node.clone()];
    members.extend(
        devices
            .iter()
            .filter(|name| **name != node.name)
            .filter_map(|name| Node::by_name(root, name)),
    );
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::mounts::mounts;

    /// Names of the chain under a path of a saved tree, as its mount table lists them.
    fn under(name: &str, path: &str) -> Vec<String> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let root = Root::at(fixtures.join(name));
        let mounts = mounts(&root);
        let mount = mount_of(&mounts, Path::new(path), None);
        let layer = mount.and_then(|mount| layer(&root, &mounts, mount, Path::new(path)));
        let tops = under_file_system(&root, layer.or(mount), None);
        let chain = below(&root, &mounts, &tops);
        chain.into_iter().map(|node| node.name).collect()
    }

    #[test]
    fn a_file_system_without_a_number_is_followed_through_what_was_mounted() {
        let chain = ["dm-0", "nvme0n1p3", "nvme0n1"];
        assert_eq!(under("laptop_crypt", "/home/a/fathom.dat"), chain);
    }

    #[test]
    fn a_bind_mount_stands_on_the_device_of_its_file_system() {
        let chain = ["nvme0n1p2", "nvme0n1"];
        assert_eq!(under("server_nvme", "/srv/data/fathom.dat"), chain);
    }

    #[test]
    fn network_and_memory_stand_on_no_device() {
        assert!(under("vm_virtio", "/mnt/nfs/a").is_empty());
        assert!(under("raid_lvm_xfs", "/tmp/a").is_empty());
    }

    #[test]
    fn an_overlay_stands_on_what_its_upper_layer_does() {
        assert_eq!(under("vm_virtio", "/mnt/merged/a"), ["vda"]);
        let mounts: Vec<Mount> = crate::system::mounts::of_text(
            "20 1 0:20 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/u,workdir=/var/w\n\
             21 20 0:21 / /mem rw - tmpfs none rw\n\
             22 20 0:22 / /box rw - overlay overlay rw,lowerdir=/l,upperdir=/mem/u,workdir=/mem/w",
        );
        let root = Root::at("/nowhere".into());
        let kind = |at: &str| {
            let mount = mount_of(&mounts, Path::new(at), None).unwrap();
            layer(&root, &mounts, mount, Path::new(at)).map(|mount| mount.kind.clone())
        };
        assert_eq!(kind("/box/a"), Some("tmpfs".to_owned()));
        assert_eq!(kind("/mem/a"), None);
        // The root of a container: its folders are not visible in it.
        assert_eq!(kind("/a"), None);
    }

    #[test]
    fn a_disk_below_both_halves_of_a_mirror_comes_after_both() {
        let folder = tempfile::tempdir().unwrap();
        let block = folder.path().join("sys/class/block");
        let uses = [
            ("md0", "md1"),
            ("md0", "md2"),
            ("md1", "vda"),
            ("md2", "vda"),
            ("vda", "vda"),
        ];
        for (name, used) in uses {
            fs::create_dir_all(block.join(name).join("slaves").join(used)).unwrap();
        }
        let root = Root::at(folder.path().to_owned());
        let top = Node::by_name(&root, "md0").unwrap();
        let chain = below(&root, &[], &[top]);
        let names: Vec<&str> = chain.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["md0", "md1", "md2", "vda"], "and the circle ends");
    }

    #[test]
    fn a_garbled_table_of_mounts_still_gives_its_sound_lines() {
        assert_eq!(under("garbled", "/data/a"), ["sda1", "sda"]);
        assert!(under("garbled", "/elsewhere").is_empty());
    }
}
