//! Who uses a device or a file: mounts, swap, devices that stand on it, and openers who are not named.
//!
//! A disk is claimed by everything on its partitions, and a device by everything that uses it,
//! however many steps above. What is written to a device is written to the devices below it, so the uses of
//! that count too: of a disk, mapping or array those of exactly that device, because others may share it
//! soundly; of what is behind a loop device all of them, because a loop device is a second name for it.
//! Deliberately absent: what the claims forbid (`model::check`), and the signatures, which need reading
//! (`look`).

use super::block::Node;
use super::chain;
use super::closed::file_identity;
use super::mounts::{Mount, mounts, unescape};
use super::{look, sys};
use crate::root::Root;
use model::{Bytes, Claim};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A loop device and what is behind it.
struct Loop {
    /// Kernel name.
    name: String,
    /// Kernel name of the device behind it, where it is one.
    device: Option<String>,
    /// As the system gives it, when it was set up; a file that is gone has ` (deleted)` after its name.
    path: PathBuf,
    /// Device and inode number of the file behind it, where this user may ask for them.
    file: Option<(u64, u64)>,
    node: Node,
}

impl Loop {
    fn read(root: &Root, node: Node) -> Option<Self> {
        let path = node.backing_file()?;
        let asked = root.is_live().then(|| look::loop_backing(&node)).flatten();
        let behind = match asked {
            Some(sys::Backing { device: 0, .. }) => None,
            Some(sys::Backing { device, .. }) => Node::by_number(root, device),
            None => Node::by_path(root, &path),
        };
        Some(Loop {
            name: node.name.clone(),
            node,
            device: behind.map(|node| node.name),
            path,
            file: asked.map(|backing| backing.file),
        })
    }

    /// Whether something of this size may be behind it, although it could not be asked. Its path counts only where it
    /// leads to something of the right size: in another mount namespace it may mean something else.
    fn may_be_over(&self, root: &Root, size: Bytes) -> bool {
        let named = || fs::metadata(&self.path).ok();
        let is_known = self.file.is_some()
            || self.device.is_some()
            || named().is_some_and(|there| self.node.may_be_over(Bytes(there.len())));
        root.is_live() && !is_known && self.node.may_be_over(size)
    }

    /// Whether this regular file is behind it, under any name.
    fn is_over(&self, root: &Root, path: &Path, there: &Metadata) -> bool {
        match self.file {
            _ if self.device.is_some() => false,
            Some(file) => file == file_identity(there),
            None => path == self.path || root.is_live() && is_at(&self.path, there),
        }
    }
}

/// Who uses what on this machine, read once.
pub(super) struct Uses {
    pub(super) mounts: Vec<Mount>,
    /// With the device that was mounted, where it is one.
    mounted: Vec<(String, Mount)>,
    /// The device, where it is one, and the path as the system gives it.
    swaps: Vec<(Option<String>, PathBuf)>,
    loops: Vec<Loop>,
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
                let all = chain::btrfs_members(root, &node).unwrap_or_else(|| vec![node]);
                Some(all.into_iter().map(|node| (node.name, mount.clone())))
            })
            .flatten()
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
            .filter_map(|node| Loop::read(root, node))
            .collect();
        Uses {
            mounts,
            mounted,
            swaps,
            loops,
        }
    }

    /// What could not be found out about who uses a file or device of this size.
    pub(super) fn unchecked(&self, root: &Root, size: Bytes) -> Vec<String> {
        let mut unchecked = Vec::new();
        if root.text("proc/self/mountinfo").is_none() {
            unchecked.push("what is mounted (/proc/self/mountinfo cannot be read)".to_owned());
        }
        if !["sys/class/block", "sys/block"]
            .iter()
            .any(|folder| root.path(folder).is_dir())
        {
            unchecked.push("which devices there are (/sys/block cannot be read)".to_owned());
        }
        let loops = self.loops.iter();
        unchecked.extend(loops.filter(|one| one.may_be_over(root, size)).map(|one| {
            format!(
                "whether it is behind {} (the device cannot be opened; {} is not its file here)",
                one.name,
                one.path.display()
            )
        }));
        unchecked
    }

    /// The devices that are behind loop devices, anywhere below this one. No claim of the kernel's protects them.
    pub(super) fn behind_loops(&self, root: &Root, node: &Node) -> Vec<Node> {
        let below = chain::below(root, &self.mounts, std::slice::from_ref(node));
        let behind = |node: &Node| {
            let one = self.loops.iter().find(|one| one.name == node.name)?;
            Node::by_name(root, one.device.as_deref()?)
        };
        below.iter().filter_map(behind).collect()
    }

    /// Of a device: its partitions, everything that uses them, and what it uses.
    pub(super) fn of_device(&self, root: &Root, node: &Node) -> Vec<Claim> {
        let mut claims = Vec::new();
        self.add_device(root, node, &[], &mut claims);
        self.add_below(root, node, &mut claims);
        in_order(claims)
    }

    /// Of a regular file: swapped to, or behind a loop device, with that device's own uses.
    pub(super) fn of_file(&self, root: &Root, path: &Path, there: &Metadata) -> Vec<Claim> {
        let mut claims = Vec::new();
        let name = path.display().to_string();
        for (device, swap) in &self.swaps {
            if device.is_none() && (path == swap || root.is_live() && is_at(swap, there)) {
                let device = name.clone();
                claims.push(Claim::Swap { device });
            }
        }
        claims.extend(self.over_file(root, &name, |one| one.is_over(root, path, there), &[]));
        in_order(claims)
    }

    /// A device with its partitions and everything that uses them, but for the devices `except`.
    fn add_device(&self, root: &Root, node: &Node, except: &[String], claims: &mut Vec<Claim>) {
        let mut reached: Vec<String> = except.to_vec();
        let holders = |member: &Node| -> Vec<String> {
            let all = self.direct_holders(member).into_iter();
            all.filter(|name| !except.contains(name)).collect()
        };
        let mut family = vec![node.clone()];
        family.extend(node.partitions());
        for member in &family {
            for by in holders(member) {
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
            self.add_direct_uses(&member.name, claims);
            todo.extend(member.partitions());
            let above = holders(&member);
            todo.extend(above.iter().filter_map(|name| Node::by_name(root, name)));
        }
    }

    /// What a device uses, down to the hardware or to a regular file behind a loop device: the file
    /// system that such a file lies on may be mounted, and the file is not all of it.
    fn add_below(&self, root: &Root, node: &Node, claims: &mut Vec<Claim>) {
        let mut reached = vec![node.name.clone()];
        let mut todo = vec![node.clone()];
        while let Some(member) = todo.pop() {
            let mut below: Vec<Node> = member.disk().into_iter().collect();
            if below.is_empty() {
                let slaves = member.slaves();
                below.extend(slaves.iter().filter_map(|name| Node::by_name(root, name)));
            }
            for node in &below {
                self.add_direct_uses(&node.name, claims);
                self.add_beside(&member, node, claims);
            }
            if let Some(one) = self.loops.iter().find(|one| one.name == member.name) {
                let device = one.device.as_deref();
                if let Some(behind) = device.and_then(|name| Node::by_name(root, name)) {
                    self.add_device(root, &behind, &reached, claims);
                    below.push(behind);
                } else {
                    claims.extend(self.of_file_behind(root, one, &reached));
                }
            }
            below.retain(|node| !reached.contains(&node.name));
            reached.extend(below.iter().map(|node| node.name.clone()));
            todo.extend(below);
        }
    }

    /// What else uses a device below. Mappings share one, as the volumes of a group do; nothing else does.
    fn add_beside(&self, member: &Node, below: &Node, claims: &mut Vec<Claim>) {
        let maps = |name: &str| name.starts_with("dm-");
        if member.is_partition() {
            return;
        }
        for by in self.direct_holders(below) {
            if by != member.name && !(maps(&by) && maps(&member.name)) {
                let device = below.name.clone();
                claims.push(Claim::Holder { device, by });
            }
        }
    }

    /// The regular file behind a loop device: swapped to, or behind other loop devices.
    fn of_file_behind(&self, root: &Root, one: &Loop, except: &[String]) -> Vec<Claim> {
        let mut claims = Vec::new();
        let name = one.path.display().to_string();
        let is_it = |path: &Path| match one.file {
            Some(file) => root.is_live() && identity(path) == Some(file),
            None => is_same_file(root, path, &one.path),
        };
        for (device, swap) in &self.swaps {
            if device.is_none() && is_it(swap) {
                let device = swap.display().to_string();
                claims.push(Claim::Swap { device });
            }
        }
        let same = |other: &Loop| match (one.file, other.file) {
            _ if other.device.is_some() => false,
            (Some(one), Some(other)) => one == other,
            _ => is_same_file(root, &one.path, &other.path),
        };
        claims.extend(self.over_file(root, &name, same, except));
        claims
    }

    /// What uses a file: the loop devices over it, but for those in `except`, with their own uses.
    fn over_file(
        &self,
        root: &Root,
        name: &str,
        is_over: impl Fn(&Loop) -> bool,
        except: &[String],
    ) -> Vec<Claim> {
        let mut claims = Vec::new();
        let others = self.loops.iter().filter(|one| !except.contains(&one.name));
        for one in others.filter(|one| is_over(one)) {
            claims.push(Claim::Holder {
                device: name.to_owned(),
                by: one.name.clone(),
            });
            if let Some(node) = Node::by_name(root, &one.name) {
                self.add_device(root, &node, except, &mut claims);
            }
        }
        claims
    }

    /// Kernel names of what uses a device, one step up.
    fn direct_holders(&self, node: &Node) -> Vec<String> {
        let mut holders = node.holders();
        let loops = self.loops.iter();
        holders.extend(
            loops
                .filter(|one| one.device.as_ref() == Some(&node.name))
                .map(|one| one.name.clone()),
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
    path == other || root.is_live() && identity(path).is_some_and(|id| Some(id) == identity(other))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|there| file_identity(&there))
}

fn is_at(path: &Path, there: &Metadata) -> bool {
    identity(path) == Some(file_identity(there))
}

fn in_order(mut claims: Vec<Claim>) -> Vec<Claim> {
    claims.sort();
    claims.dedup();
    claims
}
