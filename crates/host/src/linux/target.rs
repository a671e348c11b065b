//! What the kernel reports of one target. Deliberately absent: what is the same on every system (`crate::target`).

use super::block::Node;
use super::chain::{below, facts, layer, under_file_system};
use super::claims::{Found, Uses};
use super::closed::identity;
use super::look::{self, Claimed};
use super::mounts::mount_of;
use super::openers::writer_of_device;
use super::{direct, elsewhere, namespace, sys};
use crate::look::Look;
use crate::patience::Patience;
use crate::root::Root;
use crate::target::{Eyes, Place, add_openers, look_at};
use gate::Pin;
use model::{BlockDevice, Bytes, Claim, Content, FileSystem, TargetFacts, TargetKind};
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What `st_blocks` counts, independent of the file system's own block size. // inode(7)
const STAT_BLOCK_BYTES: u64 = 512;

/// Fills in the facts of what a path leads to.
pub(crate) fn by_pin(place: Place<'_>, pin: &Pin, found: &mut TargetFacts, eyes: &Eyes<'_>) {
    // A file that was removed is no longer there for other processes, although the pin still leads to it; one that another
    // process still has open is there under that process's descriptor.
    let is_left = |there: &Metadata| !there.is_file() || there.nlink() > 0 || pin.leads_to_it();
    match pin.metadata().filter(is_left) {
        None => missing(place.0, pin, found),
        Some(there) if there.file_type().is_block_device() => {
            device(place, (pin, &there), found, eyes);
        }
        Some(there) if namespace::is_one(place.0, &there) => {
            namespace::fill(place.0, pin, &there, found, &|block_device| {
                look_at(place, block_device, eyes)
            });
        }
        Some(there) => file_or_folder(place, (pin, &there), found, eyes),
    }
    let is_opened = matches!(found.kind, TargetKind::File | TargetKind::BlockDevice);
    if is_opened && let Err(error) = sys::may_read(&link(pin, &found.path)) {
        found.kind = TargetKind::Forbidden;
        found.obstacle = denied_to_all(&error);
    }
}

/// What denies it to root, too: `EPERM` comes from rules, `EACCES` from permissions. Source: the kernel's
/// `Documentation/admin-guide/cgroup-v1/devices.rst`.
pub(crate) fn denied_to_all(error: &std::io::Error) -> Option<String> {
    let why =
        "it is permitted to no user here (EPERM), as where the device rules of a container omit it";
    (error.raw_os_error() == Some(libc::EPERM)).then(|| why.to_owned())
}

/// For calls that take a path: one that leads to the pin; without /proc the name, because it only asks.
fn link(pin: &Pin, path: &Path) -> PathBuf {
    pin.link().unwrap_or_else(|| path.to_owned())
}

/// What is pinned, with its metadata.
type Pinned<'a> = (&'a Pin, &'a Metadata);

fn device(
    (root, pins): Place<'_>,
    (pin, there): Pinned<'_>,
    found: &mut TargetFacts,
    eyes: &Eyes<'_>,
) {
    found.kind = TargetKind::BlockDevice;
    found.identity = Some((there.rdev(), 0));
    let look = eyes.open(pin);
    let read = match eyes {
        Eyes::Open(patience) => look.as_ref().map(|look| (look, patience)),
        Eyes::Closed(_) => None,
    };
    let uses = Uses::read(root);
    if let Some(node) = Node::by_number(root, there.rdev()) {
        found.size = node.size();
        found.chain = facts(
            root,
            &below(root, &uses.mounts, std::slice::from_ref(&node)),
        );
        let device = device_claims(root, &uses, &node, read);
        (found.claims, found.unchecked) = (device.claims, device.unchecked);
        if pins.claims(pin) {
            claim_below(&uses, (root, pins), &node, found);
        }
        let in_use = found.claims.iter().any(Claim::in_use);
        if !in_use && look.is_some() && look::is_busy(pins, pin) {
            let device = node.name.clone();
            found.claims.insert(0, Claim::Busy { device });
        } else if !in_use && root.is_live() && !pins.is_shared() {
            // One that is open exclusively shows above; the ranks of a job write one device.
            let file = found.path.display().to_string();
            let writer = writer_of_device(there).map(|_| Claim::OpenForWriting { file });
            found.claims.extend(writer);
        }
    } else {
        let what = "who uses it (/sys does not list the device)";
        found.unchecked.push(what.to_owned());
    }
    if found.chain.is_empty()
        && let Some((look, _)) = read
    {
        found.claims = look.signature_claims(&found.path.display().to_string());
    }
    found.claims.extend(eyes.earlier_signatures());
    if let Some(look) = &look {
        eyes.take_device(look, found);
    }
    found.unchecked.extend(uses.unchecked(root, found.size));
    found.allocated = found.size;
    // Permissions are not all: a container may be forbidden a device whose name it may write.
    let read_only = found.chain.first().is_some_and(|device| device.read_only);
    found.writable = !read_only && look.is_some() && sys::may_write(&link(pin, &found.path), false);
    found.direct_io = direct::existing(pin, None, block(&found.chain));
}

/// The exclusive descriptor of a loop device does not keep other processes from the device behind it, so that is taken, too.
fn claim_below(uses: &Uses, (root, pins): Place<'_>, node: &Node, found: &mut TargetFacts) {
    for behind in uses.behind_loops(root, node) {
        let device = behind.name.clone();
        match look::claim(pins, &behind) {
            Claimed::Taken => {}
            Claimed::Busy => found.claims.insert(0, Claim::Busy { device }),
            Claimed::Unknown => found.unchecked.push(format!(
                "who uses {device} below it (it cannot be opened exclusively)"
            )),
        }
    }
}

/// All claims on a device that are reported without opening it exclusively. What it carries is known only
/// when it was looked at.
pub(super) fn device_claims(
    root: &Root,
    uses: &Uses,
    node: &Node,
    look: Option<(&Look, &Patience)>,
) -> Found {
    let mut found = uses.of_device(root, node);
    let Some((look, patience)) = look else {
        return found;
    };
    found.claims.extend(look.signature_claims(&node.name));
    for part in node.partitions() {
        let look = Look::at_device(&part, patience);
        found.claims.extend(
            look.iter()
                .flat_map(|look| look.signature_claims(&part.name)),
        );
    }
    found
}

fn file_or_folder(
    (root, pins): Place<'_>,
    (pin, there): Pinned<'_>,
    found: &mut TargetFacts,
    eyes: &Eyes<'_>,
) {
    let uses = Uses::read(root);
    let Some(node) = pin.node() else {
        return;
    };
    let real = pin.real_path().unwrap_or_else(|| found.path.clone());
    place(root, &uses, &node, &real, found);
    found.identity = Some(identity(there));
    let named = link(pin, &found.path);
    found.obstacle = obstacle(&node, &found.path).or_else(|| unreadable(&named));
    found.writable =
        found.obstacle.is_none() && is_writable(&named, there.is_dir(), found.file_system.as_ref());
    if there.is_dir() {
        found.kind = TargetKind::Folder;
        return;
    }
    if !there.is_file() {
        found.kind = TargetKind::Other;
        return;
    }
    found.kind = TargetKind::File;
    found.size = Bytes(there.len());
    found.allocated = Bytes(there.blocks().saturating_mul(STAT_BLOCK_BYTES));
    found.direct_io = direct::existing(pin, found.file_system.as_ref(), block(&found.chain));
    let users = uses.of_file(root, &real, there);
    (found.claims, found.unchecked) = (users.claims, users.unchecked);
    found.unchecked.extend(uses.unchecked(root, found.size));
    if root.is_live() && !pins.is_shared() {
        add_openers(pin, found);
    }
    found.claims.extend(eyes.earlier_signatures());
    eyes.take_file(pin, found);
    if root.is_live() && !matches!(found.content, Content::Fathom | Content::FathomPartial) {
        add_mounts_elsewhere(&uses, there, found);
    }
}

/// Files that are mounted without a device are foreign in their first block.
fn add_mounts_elsewhere(uses: &Uses, file: &Metadata, found: &mut TargetFacts) {
    if found.size == Bytes(0) || found.claims.iter().any(Claim::in_use) {
        return;
    }
    let signatures = found.claims.iter().filter_map(|claim| match claim {
        Claim::Signature { what, .. } => Some(what.as_str()),
        _ => None,
    });
    let signatures: Vec<&str> = signatures.collect();
    let (mounted, unknown) = elsewhere::mounts_of(file, &signatures, &uses.mounts);
    let device = found.path.display().to_string();
    found
        .claims
        .extend(mounted.into_iter().map(|at| Claim::Mounted {
            device: device.clone(),
            at,
        }));
    found.unchecked.extend(unknown.iter().map(|at| {
        format!(
            "whether it is what is mounted at {} (the source of that mount has moved)",
            at.display()
        )
    }));
}

/// An attribute of the file that forbids writing it, regardless of the permissions. // chattr(1)
fn obstacle(node: &File, path: &Path) -> Option<String> {
    let facts = sys::extended(node);
    let path = path.display();
    if facts.immutable {
        Some(format!("immutable (chattr -i {path} lifts it)"))
    } else {
        let lifted_by = || format!("append-only (chattr -a {path} lifts it)");
        facts.append_only.then(lifted_by)
    }
}

/// Permissions are asked of a link in /proc, which leads to this file and no other.
fn unreadable(link: &Path) -> Option<String> {
    let is_there = link.symlink_metadata().is_ok();
    (!is_there).then(|| "its permissions cannot be checked (/proc is not mounted)".to_owned())
}

fn missing(root: &Root, pin: &Pin, found: &mut TargetFacts) {
    found.kind = TargetKind::Missing;
    let folder = pin.folder();
    let real = pin
        .real_path()
        .and_then(|path| Some(path.parent()?.to_owned()));
    let real = real.unwrap_or_else(|| found.path.clone());
    let uses = Uses::read(root);
    place(root, &uses, folder, &real, found);
    found.unchecked = uses.unchecked(root, Bytes(0));
    let named = pin.folder_link().unwrap_or_else(|| real.clone());
    found.writable = is_writable(&named, true, found.file_system.as_ref());
    found.obstacle = unreadable(&named);
    if !found.writable && sys::extended(folder).immutable {
        let folder = real.display();
        found.obstacle = Some(format!(
            "its folder is immutable (chattr -i {folder} lifts it)"
        ));
    }
    found.direct_io = direct::missing(pin, found.file_system.as_ref(), block(&found.chain));
}

/// Fills in the file system that an open file or folder lies on, and the devices below.
fn place(root: &Root, uses: &Uses, node: &File, real: &Path, found: &mut TargetFacts) {
    let id = sys::extended(node).mount_id.filter(|_| root.is_live());
    let mount = mount_of(&uses.mounts, real, id);
    let number = node.metadata().ok().map(|there| there.dev());
    let layer = mount.and_then(|mount| layer(root, &uses.mounts, mount, real));
    let tops = match layer {
        Some(layer) => under_file_system(root, Some(layer), None),
        None => under_file_system(root, mount, number),
    };
    found.chain = facts(root, &below(root, &uses.mounts, &tops));
    found.file_system = mount.map(|mount| {
        let room = sys::room(node);
        FileSystem {
            kind: mount.kind.clone(),
            mount_point: mount.at.clone(),
            source: mount.source.clone(),
            options: mount.options.clone(),
            read_only: mount.read_only() || room.as_ref().is_some_and(|room| room.read_only),
            size: room.as_ref().map_or(Bytes(0), |room| room.size),
            free: room.as_ref().map_or(Bytes(0), |room| room.free),
            layer: layer.map(|layer| layer.kind.clone()),
        }
    });
}

fn is_writable(path: &Path, is_folder: bool, on: Option<&FileSystem>) -> bool {
    !on.is_some_and(|on| on.read_only) && sys::may_write(path, is_folder)
}

/// The logical block of the device at the top.
fn block(chain: &[BlockDevice]) -> Option<Bytes> {
    chain.first()?.logical_block
}

/// State of a file's inode after its last change. Equal states: no process has written to the file in between, as far
/// as the clock of the file system shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    size: u64,
    /// Seconds and nanoseconds.
    written: (i64, i64),
    /// Its attributes too.
    changed: (i64, i64),
}

/// The state of a regular file; `None` for anything else. // inode(7)
pub fn file_state(pin: &Pin) -> Option<FileState> {
    let there = pin.metadata().filter(Metadata::is_file)?;
    Some(FileState {
        size: there.len(),
        written: (there.mtime(), there.mtime_nsec()),
        changed: (there.ctime(), there.ctime_nsec()),
    })
}
