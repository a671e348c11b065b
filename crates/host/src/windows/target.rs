//! What the system reports of one target. Deliberately absent: what is the same on every system (`crate::target`).

use super::ask;
use super::claims::Uses;
use super::disks::{self, Opened};
use super::volume_calls::final_path;
use super::volumes::{self, shown};
use crate::target::{Eyes, Place, add_openers};
use gate::{Access, FileFacts, NodeKind, Pin};
use model::{BlockDevice, Bytes, DirectIo, TargetFacts, TargetKind};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::mem::offset_of;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ADD_FILE, FILE_ATTRIBUTE_COMPRESSED, FILE_ATTRIBUTE_READONLY, FILE_BASIC_INFO,
    FILE_COMPRESSION_INFO, FILE_FLAG_BACKUP_SEMANTICS, FILE_STORAGE_INFO, FileBasicInfo,
    FileCompressionInfo, FileStorageInfo,
};

/// Aligned enough for every device in use.
const SAFE_BLOCK: Bytes = Bytes(4096);
/// Why a disk or volume is not written.
const UNVERIFIED: &str = "writing to disks and volumes of Windows has not been verified on a real machine; a file on it can be measured";

/// Fills in the facts of what a path leads to.
pub(crate) fn by_pin(place: Place<'_>, pin: &Pin, found: &mut TargetFacts, eyes: &Eyes<'_>) {
    let node = pin.node();
    let facts = node.as_deref().and_then(|node| gate::file_facts(node).ok());
    match (node, facts) {
        (Some(node), Some(facts)) if facts.kind == NodeKind::BlockDevice => {
            device(place, (pin, &node, &facts), found, eyes);
        }
        (Some(node), Some(facts)) => file_or_folder(place, (pin, &node, &facts), found, eyes),
        _ => missing(place, pin, found),
    }
    let is_opened = matches!(found.kind, TargetKind::File | TargetKind::BlockDevice);
    let denied = |error: &std::io::Error| error.kind() == ErrorKind::PermissionDenied;
    if is_opened && pin.reopen(Access::READ).is_err_and(|error| denied(&error)) {
        found.kind = TargetKind::Forbidden;
    }
}

/// What denies it to administrators, too: the system does not report it.
pub(crate) fn denied_to_all(_: &std::io::Error) -> Option<String> {
    None
}

/// What is pinned, open for its facts, with them.
type Pinned<'a> = (&'a Pin, &'a File, &'a FileFacts);

fn device(
    (root, _): Place<'_>,
    (pin, node, facts): Pinned<'_>,
    found: &mut TargetFacts,
    eyes: &Eyes<'_>,
) {
    found.kind = TargetKind::BlockDevice;
    found.identity = Some(facts.target_identity());
    found.obstacle = Some(UNVERIFIED.to_owned());
    let uses = Uses::read(root);
    found.unchecked = Uses::unchecked();
    match disks::opened(&found.path, node) {
        Some(Opened::Disk(number)) => {
            found.chain = disks::disk(root, number).into_iter().collect();
            found.claims = uses.of_disk(number);
        }
        Some(Opened::Volume(volume)) => {
            found.chain = disks::chain_of(root, &volume);
            found.claims = uses.of_volume(&volume);
        }
        None => found
            .unchecked
            .push("who uses it (the system does not list the device)".to_owned()),
    }
    found.size = found.chain.first().map_or(Bytes(0), |device| device.size);
    if let Some(look) = eyes.open(pin) {
        eyes.take_device(&look, found);
        let name = found.path.display().to_string();
        found.claims.extend(look.signature_claims(&name));
    }
    found.claims.extend(eyes.earlier_signatures());
    found.allocated = found.size;
    found.direct_io = Some(aligned_to(block(&found.chain)));
}

fn file_or_folder(
    (root, pins): Place<'_>,
    (pin, node, facts): Pinned<'_>,
    found: &mut TargetFacts,
    eyes: &Eyes<'_>,
) {
    let real = final_path(node).unwrap_or_else(|| found.path.clone());
    place_on(root, node, &real, found);
    found.identity = Some(facts.target_identity());
    found.obstacle = obstacle(node, &found.path);
    if facts.kind == NodeKind::Folder {
        found.kind = TargetKind::Folder;
        found.writable = !is_read_only(found) && is_writable_folder(&real);
        return;
    }
    if facts.kind != NodeKind::File {
        found.kind = TargetKind::Other;
        return;
    }
    found.kind = TargetKind::File;
    found.size = Bytes(facts.length);
    found.allocated = allocated(node).unwrap_or(found.size);
    found.direct_io = direct_io(node, &found.chain);
    found.writable = found.obstacle.is_none() && !is_read_only(found) && is_writable(pin);
    found.claims = Uses::read(root).of_file(&shown(&real));
    if root.is_live() && !pins.is_shared() {
        add_openers(pin, found);
    }
    found.claims.extend(eyes.earlier_signatures());
    eyes.take_file(pin, found);
}

fn missing((root, _): Place<'_>, pin: &Pin, found: &mut TargetFacts) {
    found.kind = TargetKind::Missing;
    let folder = pin.folder();
    let real = final_path(folder).unwrap_or_else(|| found.path.clone());
    place_on(root, folder, &real, found);
    found.writable = !is_read_only(found) && is_writable_folder(&real);
    found.direct_io = direct_io(folder, &found.chain);
}

/// Fills in the file system that an open file or folder lies on, and the devices below.
fn place_on(root: &crate::Root, node: &File, real: &Path, found: &mut TargetFacts) {
    found.file_system = volumes::file_system_of(node, real);
    let volume = volumes::of_path(real).filter(|_| root.is_live());
    found.chain = volume
        .map(|volume| disks::chain_of(root, &volume))
        .unwrap_or_default();
}

fn is_read_only(found: &TargetFacts) -> bool {
    found.file_system.as_ref().is_some_and(|on| on.read_only)
}

/// Attributes of an open file.
pub(super) fn attributes(file: &File) -> Option<u32> {
    let answer = ask::file(file, FileBasicInfo, size_of::<FILE_BASIC_INFO>()).ok()?;
    answer.u32(offset_of!(FILE_BASIC_INFO, FileAttributes))
}

/// An attribute of the file that forbids writing it, regardless of the permissions. Folders have it without effect.
fn obstacle(node: &File, path: &Path) -> Option<String> {
    let is_folder = node.metadata().is_ok_and(|there| there.is_dir());
    let is_set = attributes(node)? & FILE_ATTRIBUTE_READONLY != 0 && !is_folder;
    is_set.then(|| format!("read-only (attrib -r {} lifts it)", path.display()))
}

/// Space that it takes: of a sparse or compressed file less than its size.
fn allocated(file: &File) -> Option<Bytes> {
    let room = size_of::<FILE_COMPRESSION_INFO>();
    let answer = ask::file(file, FileCompressionInfo, room).ok()?;
    let size = answer.u64(offset_of!(FILE_COMPRESSION_INFO, CompressedFileSize))?;
    Some(Bytes(size))
}

/// What direct I/O must be aligned to. A compressed file is opened for it and copied all the same.
fn direct_io(file: &File, chain: &[BlockDevice]) -> Option<DirectIo> {
    let is_compressed = |attributes: u32| attributes & FILE_ATTRIBUTE_COMPRESSED != 0;
    if attributes(file).is_some_and(is_compressed) {
        return None;
    }
    let answer = ask::file(file, FileStorageInfo, size_of::<FILE_STORAGE_INFO>()).ok();
    let reported = answer.and_then(|answer| {
        let bytes = answer.u32(offset_of!(FILE_STORAGE_INFO, LogicalBytesPerSector))?;
        Some(Bytes(u64::from(bytes)))
    });
    Some(aligned_to(reported.or_else(|| block(chain))))
}

fn aligned_to(block: Option<Bytes>) -> DirectIo {
    let block = block.filter(|block| block.0.is_power_of_two());
    let block = block.unwrap_or(SAFE_BLOCK);
    DirectIo {
        memory: block,
        offset: block,
    }
}

/// The logical block of the device at the top.
fn block(chain: &[BlockDevice]) -> Option<Bytes> {
    chain.first()?.logical_block
}

/// Whether this user may write the file: it is opened for it, and nothing is written. One that another process keeps for itself may
/// be written once that has ended.
fn is_writable(pin: &Pin) -> bool {
    let is_kept = |error: &std::io::Error| {
        error.raw_os_error() == i32::try_from(ERROR_SHARING_VIOLATION).ok()
    };
    match pin.reopen(Access::WRITE) {
        Ok(_) => true,
        Err(error) => is_kept(&error),
    }
}

/// Whether this user may create files in a folder: it is opened for it, and none is created.
fn is_writable_folder(real: &Path) -> bool {
    let mut options = OpenOptions::new();
    let options = options.access_mode(FILE_ADD_FILE).share_mode(ask::SHARED);
    options
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
        .open(real)
        .is_ok()
}
