//! The character device of an NVMe namespace (`/dev/ng0n1`): the same namespace as a block device (`/dev/nvme0n1`), to
//! which commands are passed through, past the block layer.
//!
//! Its content, users and features are those of the block device, which is the one that can be mounted.
//! Source: the kernel's `drivers/nvme/host/core.c` (`nvme_cdev_add`) and `Documentation/ABI/stable/sysfs-block`.
//! Deliberately absent: namespaces without a block device, of which the system reports neither size nor users.

use super::block::{Node, split};
use super::sys;
use crate::root::Root;
use gate::Pin;
use model::{Bytes, DirectIo, Namespace, TargetFacts, TargetKind};
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Size of one piece of memory where pages do not lie side by side.
const PAGE: u64 = 4096;

/// Whether what was found is such a device.
pub(super) fn is_one(root: &Root, there: &Metadata) -> bool {
    there.file_type().is_char_device() && folder(root, there).is_some()
}

fn folder(root: &Root, there: &Metadata) -> Option<PathBuf> {
    let (major, minor) = split(there.rdev());
    let folder = root.resolve(format!("sys/dev/char/{major}:{minor}"))?;
    let subsystem = fs::read_link(folder.join("subsystem")).ok()?;
    (subsystem.file_name()? == "nvme-generic").then_some(folder)
}

/// The facts of its block device, as `look` finds them, become those of the namespace.
pub(super) fn fill(
    root: &Root,
    pin: &Pin,
    there: &Metadata,
    found: &mut TargetFacts,
    look: &dyn Fn(&Path) -> TargetFacts,
) {
    found.kind = TargetKind::NvmeNamespace;
    found.identity = Some((there.rdev(), 0));
    let Some((node, block)) = block_device(root, there, look) else {
        return;
    };
    let Some(namespace) = namespace(&node, &block) else {
        return;
    };
    let mut chain = block.chain;
    if let Some(device) = chain.first_mut() {
        let counts = node.flag("queue/iostats_passthrough");
        device.counted = Some(counts == Some(true) && device.counted != Some(false));
    }
    *found = TargetFacts {
        path: found.path.clone(),
        kind: TargetKind::NvmeNamespace,
        identity: found.identity,
        writable: block.writable && pin.link().is_some_and(|link| sys::may_write(&link, false)),
        direct_io: Some(DirectIo {
            memory: namespace.block,
            offset: namespace.block,
        }),
        namespace: Some(namespace),
        chain,
        ..block
    };
}

/// `ng0n1` is `nvme0n1`; a name in `/dev` that means another device is not taken for it.
fn block_device(
    root: &Root,
    there: &Metadata,
    look: &dyn Fn(&Path) -> TargetFacts,
) -> Option<(Node, TargetFacts)> {
    let folder = folder(root, there)?;
    let number = folder.file_name()?.to_str()?.strip_prefix("ng")?;
    let node = Node::by_name(root, &format!("nvme{number}"))?;
    let block = look(&node.path());
    let is_it = block.kind == TargetKind::BlockDevice
        && block.identity.map(|(number, _)| number) == node.number();
    is_it.then_some((node, block))
}

fn namespace(node: &Node, block: &TargetFacts) -> Option<Namespace> {
    let transfer_kib: u64 = node.number_of("queue/max_hw_sectors_kb")?;
    let pieces: Option<u64> = node.number_of("queue/max_segments");
    let by_pieces = pieces.map_or(u64::MAX, |pieces| pieces.saturating_mul(PAGE));
    Some(Namespace {
        id: node.number_of("nsid")?,
        block: node.block_size("queue/logical_block_size")?,
        command_max: Bytes(transfer_kib.saturating_mul(1024).min(by_pieces)),
        block_device: block.path.clone(),
        block_identity: block.identity?,
    })
}
