//! One target as it stands: what it is, where it lies, who claims it and what it holds.
//!
//! The path itself is always this machine's; `/proc` and `/sys` are read below the root. Deliberately
//! absent: whether the target may be used (`model::check`).

use super::block::Node;
use super::chain::{below, facts, split, under_file_system};
use super::claims::Uses;
use super::look::Look;
use super::mounts::mount_of;
use super::{direct, sys};
use crate::root::Root;
use model::{BlockDevice, Bytes, Claim, Content, FileSystem, TargetFacts, TargetKind};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// As many links in a row as the kernel follows. // path_resolution(7)
const LINKS_MAX: usize = 40;

/// Everything that a record keeps of a target. Reads both ends and a sample of a file or device;
/// never writes, and never fails: what cannot be found out is unknown.
pub fn target_facts(root: &Root, path: &Path) -> TargetFacts {
    let mut found = TargetFacts {
        path: path.to_owned(),
        kind: TargetKind::Missing,
        size: Bytes(0),
        identity: None,
        writable: false,
        direct_io: None,
        file_system: None,
        chain: Vec::new(),
        claims: Vec::new(),
        content: Content::Unknown,
    };
    match fs::metadata(path) {
        Ok(there) if there.file_type().is_block_device() => device(root, &there, &mut found),
        Ok(there) => file_or_folder(root, &there, &mut found),
        Err(error) if error.kind() == ErrorKind::NotFound => missing(root, &mut found),
        Err(error) => {
            found.kind = match error.kind() {
                ErrorKind::PermissionDenied => TargetKind::Forbidden,
                ErrorKind::NotADirectory => TargetKind::MissingFolder,
                _ => TargetKind::Other, // a circle of links, a name too long, a disk that fails
            }
        }
    }
    found
}

fn device(root: &Root, there: &Metadata, found: &mut TargetFacts) {
    found.kind = TargetKind::BlockDevice;
    found.identity = Some((there.rdev(), 0));
    let look = Look::at(&found.path);
    let uses = Uses::read(root);
    if let Some(node) = Node::by_number(root, split(there.rdev())) {
        found.size = node.size();
        found.chain = facts(&below(root, &uses.mounts, std::slice::from_ref(&node)));
        found.claims = device_claims(root, &uses, &node, look.as_ref());
        let in_use = found.claims.iter().any(Claim::in_use);
        if !in_use && look.as_ref().is_some_and(Look::is_busy) {
            let device = node.name.clone();
            found.claims.insert(0, Claim::Busy { device });
        }
    } else if let Some(look) = &look {
        found.claims = look.signature_claims(&found.path.display().to_string());
    }
    if let Some(look) = &look {
        found.size = look.size;
        found.content = look.content();
    }
    // Permissions are not all: a container may be forbidden a device whose name it may write.
    let read_only = found.chain.first().is_some_and(|device| device.read_only);
    found.writable = !read_only && look.is_some() && sys::may_write(&found.path, false);
    found.direct_io = direct::existing(&found.path, "", block(&found.chain));
}

/// All claims on a device that are told without opening it exclusively. What it carries is known only
/// when it was looked at.
pub(super) fn device_claims(
    root: &Root,
    uses: &Uses,
    node: &Node,
    look: Option<&Look>,
) -> Vec<Claim> {
    let mut claims = uses.of_device(root, node);
    let Some(look) = look else {
        return claims;
    };
    claims.extend(look.signature_claims(&node.name));
    for part in node.partitions() {
        let look = Look::at_device(&part);
        claims.extend(
            look.iter()
                .flat_map(|look| look.signature_claims(&part.name)),
        );
    }
    claims
}

fn file_or_folder(root: &Root, there: &Metadata, found: &mut TargetFacts) {
    let uses = Uses::read(root);
    place(root, &uses, &found.path.clone(), there, found);
    found.identity = Some((there.dev(), there.ino()));
    found.writable = is_writable(&found.path, there.is_dir(), found.file_system.as_ref());
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
    found.direct_io = direct::existing(&found.path, file_system_kind(found), block(&found.chain));
    let real = fs::canonicalize(&found.path).unwrap_or_else(|_| found.path.clone());
    found.claims = uses.of_file(root, &real);
    if found.size == Bytes(0) {
        found.content = Content::Empty;
    } else if let Some(look) = Look::at(&found.path) {
        found.content = look.content();
        let name = found.path.display().to_string();
        found.claims.extend(look.signature_claims(&name));
    }
}

fn missing(root: &Root, found: &mut TargetFacts) {
    let folder = folder_of_missing(&found.path);
    let there = folder.as_ref().and_then(|folder| fs::metadata(folder).ok());
    let (Some(folder), Some(there)) = (folder, there.filter(Metadata::is_dir)) else {
        found.kind = TargetKind::MissingFolder;
        return;
    };
    found.kind = TargetKind::Missing;
    place(root, &Uses::read(root), &folder, &there, found);
    found.writable = is_writable(&folder, true, found.file_system.as_ref());
    found.direct_io = direct::missing(&folder, file_system_kind(found), block(&found.chain));
}

/// Where a file of this name would be made: a link that leads nowhere is followed, as opening does.
fn folder_of_missing(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let folder = match path.parent()? {
            empty if empty.as_os_str().is_empty() => PathBuf::from("."),
            folder => folder.to_owned(),
        };
        match fs::read_link(&path) {
            Ok(leads_to) => path = folder.join(leads_to),
            Err(_) => return Some(folder),
        }
    }
    None
}

/// Fills in the file system that `path` lies on, and the devices below.
fn place(root: &Root, uses: &Uses, path: &Path, there: &Metadata, found: &mut TargetFacts) {
    let id = sys::extended_at(path).mount_id.filter(|_| root.is_live());
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mount = mount_of(&uses.mounts, &real, id);
    let tops = under_file_system(root, mount, Some(split(there.dev())));
    found.chain = facts(&below(root, &uses.mounts, &tops));
    found.file_system = mount.map(|mount| {
        let room = sys::room(path);
        FileSystem {
            kind: mount.kind.clone(),
            mount_point: mount.at.clone(),
            source: mount.source.clone(),
            options: mount.options.clone(),
            read_only: mount.read_only() || room.as_ref().is_some_and(|room| room.read_only),
            size: room.as_ref().map_or(Bytes(0), |room| room.size),
            free: room.as_ref().map_or(Bytes(0), |room| room.free),
        }
    });
}

fn is_writable(path: &Path, is_folder: bool, on: Option<&FileSystem>) -> bool {
    !on.is_some_and(|on| on.read_only) && sys::may_write(path, is_folder)
}

fn file_system_kind(found: &TargetFacts) -> &str {
    found.file_system.as_ref().map_or("", |on| on.kind.as_str())
}

/// The logical block of the device at the top.
fn block(chain: &[BlockDevice]) -> Option<Bytes> {
    chain.first()?.logical_block
}

/// Number of the block device that a path names on this machine.
pub(super) fn device_number(path: &Path) -> Option<(u32, u32)> {
    let there = fs::metadata(path).ok()?;
    let is_device = there.file_type().is_block_device();
    is_device.then(|| split(there.rdev()))
}
