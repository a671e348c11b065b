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
use super::file_place::{FilePlace, Sameness};
use super::mounts::{Mount, mounts, unescape};
use super::{look, sys};
use crate::root::Root;
use model::{Bytes, Claim};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// A loop device and what is behind it.
struct Loop {
    /// Kernel name.
    name: String,
    /// Kernel name of the device behind it, where it is one.
    device: Option<String>,
    /// What is behind it, by the path that the system gives, as when it was set up; a file that is gone has ` (deleted)`
    /// after its name. With numbers where this user may ask for them, or where the path leads to something of its size.
    place: FilePlace,
    /// Its file was asked for.
    is_asked: bool,
    node: Node,
}

impl Loop {
    fn read(root: &Root, mounts: &[Mount], node: Node) -> Option<Self> {
        let path = node.backing_file()?;
        let asked = root.is_live().then(|| look::loop_backing(&node)).flatten();
        let behind = match asked {
            Some(sys::Backing { device: 0, .. }) => None,
            Some(sys::Backing { device, .. }) => Node::by_number(root, device),
            None => Node::by_path(root, &path),
        };
        let mut place = FilePlace::at(&path);
        place.length = node.length_behind();
        let named = || {
            let named = FilePlace::named(mounts, &path).filter(|_| root.is_live())?;
            named
                .length
                .is_some_and(|length| node.may_be_over(length))
                .then_some(named)
        };
        match asked {
            Some(backing) => {
                place.file = Some(backing.file);
                place.find_kind(mounts);
            }
            None => place = named().unwrap_or(place),
        }
        Some(Loop {
            name: node.name.clone(),
            node,
            device: behind.map(|node| node.name),
            place,
            is_asked: asked.is_some(),
        })
    }

    /// Whether something of this size may be behind it, although it could not be asked. Its path counts only where it
    /// leads to something of the right size: in another mount namespace it may mean something else. A device that was detached
    /// after it was found has nothing behind it.
    fn may_be_over(&self, root: &Root, size: Bytes) -> bool {
        let is_known = self.is_asked || self.device.is_some() || self.place.file.is_some();
        let is_attached = || self.node.backing_file().is_some();
        root.is_live() && !is_known && self.node.may_be_over(size) && is_attached()
    }

    /// Whether this regular file is behind it, under any name.
    fn is_over(&self, file: &FilePlace) -> Sameness {
        match self.device {
            Some(_) => Sameness::Different,
            None => self.place.is(file),
        }
    }
}

/// Who uses what on this machine, read once.
pub(super) struct Uses {
    pub(super) mounts: Vec<Mount>,
    /// With the device that was mounted, where it is one.
    mounted: Vec<(String, Mount)>,
    /// The regular file that was mounted without a loop device, as the kernel mounts an EROFS.
    mounted_files: Vec<(FilePlace, Mount)>,
    /// The device, where it is one, and the file, by the path that the system gives.
    swaps: Vec<(Option<String>, FilePlace)>,
    loops: Vec<Loop>,
}

/// Uses of a target, and what could not be found out about them.
#[derive(Default)]
pub(super) struct Found {
    pub(super) claims: Vec<Claim>,
    pub(super) unchecked: Vec<String>,
}

impl Found {
    /// Notes a use of a file if it is this one, or that it cannot be known.
    fn note(&mut self, is_it: Sameness, by: &dyn Fn() -> String, claim: impl FnOnce() -> Claim) {
        match is_it {
            Sameness::Same => self.claims.push(claim()),
            Sameness::Unknown => self.unchecked.push(format!(
                "whether it is {}: a file system that passes on files of others is between them",
                by()
            )),
            Sameness::Different => {}
        }
    }

    fn in_order(mut self) -> Self {
        self.claims.sort();
        self.claims.dedup();
        self.unchecked.dedup();
        self
    }
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
            .map(|path| {
                let named = root.is_live().then(|| FilePlace::named(&mounts, &path));
                let place = named.flatten().unwrap_or_else(|| FilePlace::at(&path));
                (name(Node::by_path(root, &path)), place)
            })
            .collect();
        let mounted_files = mounts
            .iter()
            .filter(|_| root.is_live())
            .filter_map(|mount| {
                let source = Path::new(&mount.source);
                let is_file = source.is_absolute() && !source.starts_with("/dev");
                let place = FilePlace::named(&mounts, source).filter(|_| is_file)?;
                Some((place, mount.clone()))
            });
        let mounted_files = mounted_files.collect();
        let loops = Node::all(root)
            .into_iter()
            .filter_map(|node| Loop::read(root, &mounts, node))
            .collect();
        Uses {
            mounts,
            mounted,
            mounted_files,
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
                one.place.path.display()
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
    pub(super) fn of_device(&self, root: &Root, node: &Node) -> Found {
        let mut found = Found::default();
        self.add_device(root, node, &[], &mut found.claims);
        self.add_below(root, node, &mut found);
        found.in_order()
    }

    /// Of a regular file: mounted, swapped to, or behind a loop device, with that device's own uses.
    pub(super) fn of_file(&self, root: &Root, path: &Path, there: &Metadata) -> Found {
        let mut file = FilePlace::at(path);
        if root.is_live() {
            file = FilePlace::of(&self.mounts, path, there);
        }
        let mut found = Found::default();
        self.add_file(root, &file, &[], &mut found);
        found.in_order()
    }

    /// What uses a file, but for the devices in `except`.
    fn add_file(&self, root: &Root, file: &FilePlace, except: &[String], found: &mut Found) {
        let name = file.path.display().to_string();
        for (place, mount) in &self.mounted_files {
            let by = || format!("what is mounted at {}", mount.at.display());
            found.note(place.is(file), &by, || Claim::Mounted {
                device: name.clone(),
                at: mount.at.clone(),
            });
        }
        for (_, swap) in self.swaps.iter().filter(|(device, _)| device.is_none()) {
            let by = || format!("the swap space {}", swap.path.display());
            let device = name.clone();
            found.note(swap.is(file), &by, || Claim::Swap { device });
        }
        for one in self.loops.iter().filter(|one| !except.contains(&one.name)) {
            let is_over = one.is_over(file);
            let by = || format!("behind {}", one.name);
            found.note(is_over, &by, || Claim::Holder {
                device: name.clone(),
                by: one.name.clone(),
            });
            if is_over == Sameness::Same {
                self.add_device(root, &one.node, except, &mut found.claims);
            }
        }
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
    fn add_below(&self, root: &Root, node: &Node, found: &mut Found) {
        let mut reached = vec![node.name.clone()];
        let mut todo = vec![node.clone()];
        while let Some(member) = todo.pop() {
            let mut below: Vec<Node> = member.disk().into_iter().collect();
            if below.is_empty() {
                let slaves = member.slaves();
                below.extend(slaves.iter().filter_map(|name| Node::by_name(root, name)));
            }
            for node in &below {
                self.add_direct_uses(&node.name, &mut found.claims);
                self.add_beside(&member, node, &mut found.claims);
            }
            if let Some(one) = self.loops.iter().find(|one| one.name == member.name) {
                let device = one.device.as_deref();
                if let Some(behind) = device.and_then(|name| Node::by_name(root, name)) {
                    self.add_device(root, &behind, &reached, &mut found.claims);
                    below.push(behind);
                } else {
                    self.add_file(root, &one.place, &reached, found);
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
