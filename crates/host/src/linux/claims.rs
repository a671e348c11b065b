//! Who uses a device or a file: mounts, swap, devices that stand on it, and openers who are not named.
//!
//! A disk is claimed by everything on its partitions, and a device by everything that stands on it,
//! however many steps above. Deliberately absent: what the claims forbid (`model::check`), and the
//! signatures, which need reading (`look`).

use super::block::Node;
use super::mounts::{Mount, mounts, unescape};
use crate::root::Root;
use model::Claim;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Who uses what on this machine, read once.
pub(super) struct Uses {
    pub(super) mounts: Vec<Mount>,
    /// With the device that was mounted, where it is one.
    mounted: Vec<(String, Mount)>,
    /// The device, where it is one, and the path as the system gives it.
    swaps: Vec<(Option<String>, PathBuf)>,
    /// Kernel name of the loop device, the device behind it, where it is one, and the path behind it.
    loops: Vec<(String, Option<String>, PathBuf)>,
}

impl Uses {
    pub(super) fn read(root: &Root) -> Self {
        let mounts = mounts(root);
        let name = |node: Option<Node>| node.map(|node| node.name);
        let mounted = mounts
            .iter()
            .filter_map(|mount| {
                let node = Node::by_number(root, mount.number)
                    .or_else(|| Node::by_path(root, Path::new(&mount.source)))?;
                Some((node.name, mount.clone()))
            })
            .collect();
        let swaps = root.text("proc/swaps").unwrap_or_default();
        let swaps = swaps
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next())
            .map(|path| PathBuf::from(unescape(path)))
            .map(|path| (name(Node::by_path(root, &path)), path))
            .collect();
        let loops = Node::all(root)
            .into_iter()
            .filter_map(|node| {
                let file = node.backing_file()?;
                Some((node.name, name(Node::by_path(root, &file)), file))
            })
            .collect();
        Uses {
            mounts,
            mounted,
            swaps,
            loops,
        }
    }

    /// Of a device, its partitions, and whatever stands on them.
    pub(super) fn of_device(&self, root: &Root, node: &Node) -> Vec<Claim> {
        let mut claims = Vec::new();
        let mut reached: Vec<String> = Vec::new();
        let mut family = vec![node.clone()];
        family.extend(node.partitions());
        for member in &family {
            for by in self.direct_holders(member) {
                claims.push(Claim::Holder {
                    device: member.name.clone(),
                    by,
                });
            }
        }
        let mut todo = family;
        while let Some(member) = todo.pop() {
            if reached.contains(&member.name) {
                continue;
            }
            reached.push(member.name.clone());
            self.add_direct_uses(&member.name, &mut claims);
            todo.extend(member.partitions());
            let holders = self.direct_holders(&member);
            todo.extend(holders.iter().filter_map(|name| Node::by_name(root, name)));
        }
        in_order(claims)
    }

    /// Of a regular file: swapped to, or behind a loop device, with that device's own uses.
    pub(super) fn of_file(&self, root: &Root, path: &Path) -> Vec<Claim> {
        let mut claims = Vec::new();
        let name = path.display().to_string();
        for (device, swap) in &self.swaps {
            if device.is_none() && is_same_file(root, path, swap) {
                let device = name.clone();
                claims.push(Claim::Swap { device });
            }
        }
        for (by, device, file) in &self.loops {
            if device.is_none() && is_same_file(root, path, file) {
                claims.push(Claim::Holder {
                    device: name.clone(),
                    by: by.clone(),
                });
                if let Some(node) = Node::by_name(root, by) {
                    claims.extend(self.of_device(root, &node));
                }
            }
        }
        in_order(claims)
    }

    /// Kernel names of what stands on a device, one step up.
    fn direct_holders(&self, node: &Node) -> Vec<String> {
        let mut holders = node.holders();
        let loops = self.loops.iter();
        holders.extend(
            loops
                .filter(|(_, device, _)| device.as_ref() == Some(&node.name))
                .map(|(by, ..)| by.clone()),
        );
        holders
    }

    /// Mounts and swap of exactly this device. A file system that is mounted many times (bind mounts)
    /// is named where all of it is mounted, if there is such a place.
    fn add_direct_uses(&self, device: &str, claims: &mut Vec<Claim>) {
        let here = || self.mounted.iter().filter(|(name, _)| name == device);
        let whole = here().any(|(_, mount)| mount.inner == Path::new("/"));
        for (_, mount) in here() {
            if !whole || mount.inner == Path::new("/") {
                claims.push(Claim::Mounted {
                    device: device.to_owned(),
                    at: mount.at.clone(),
                });
            }
        }
        if self
            .swaps
            .iter()
            .any(|(name, _)| name.as_deref() == Some(device))
        {
            let device = device.to_owned();
            claims.push(Claim::Swap { device });
        }
    }
}

/// By device and inode where the files can be looked at, so that a second name does not hide it.
fn is_same_file(root: &Root, path: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|m| (m.dev(), m.ino()));
    path == other || root.is_live() && identity(path).is_some_and(|id| Some(id) == identity(other))
}

fn in_order(mut claims: Vec<Claim>) -> Vec<Claim> {
    claims.sort();
    claims.dedup();
    claims
}
