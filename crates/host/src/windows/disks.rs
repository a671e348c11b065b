//! Disks and volumes as devices: their facts, what uses what, and the list of them. A device is opened for its facts alone, which
//! needs no rights. Omitted: who uses them (`claims`).

use super::ask::{self, Answer};
use super::claims;
use super::volume_calls::device_names;
use super::volumes::{self, Stretch, Volume};
use crate::look::Look;
use crate::patience::Patience;
use crate::reported::DeviceListing;
use crate::root::Root;
use gate::Pin;
use model::{BlockDevice, Bytes, Claim, TargetFacts};
use std::fs::File;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Storage::FileSystem::{
    BusTypeAta, BusTypeAtapi, BusTypeFibre, BusTypeFileBackedVirtual, BusTypeMmc, BusTypeNvme,
    BusTypeRAID, BusTypeSCM, BusTypeSas, BusTypeSata, BusTypeScsi, BusTypeSd, BusTypeSpaces,
    BusTypeUfs, BusTypeUsb, BusTypeVirtual, BusTypeiScsi, STORAGE_BUS_TYPE,
};
use windows_sys::Win32::System::Ioctl::{
    DEVICE_SEEK_PENALTY_DESCRIPTOR, DISK_GEOMETRY_EX, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX,
    IOCTL_DISK_GET_LENGTH_INFO, IOCTL_DISK_PERFORMANCE, IOCTL_STORAGE_GET_DEVICE_NUMBER,
    IOCTL_STORAGE_QUERY_PROPERTY, STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR, STORAGE_ADAPTER_DESCRIPTOR,
    STORAGE_DEVICE_DESCRIPTOR, STORAGE_DEVICE_NUMBER, STORAGE_PROPERTY_ID,
    STORAGE_WRITE_CACHE_PROPERTY, StorageAccessAlignmentProperty, StorageAdapterProperty,
    StorageDeviceProperty, StorageDeviceSeekPenaltyProperty, StorageDeviceWriteCacheProperty,
    WriteCacheDisabled as CACHE_OFF, WriteCacheEnabled as CACHE_ON,
    WriteThroughNotSupported as NO_WRITE_THROUGH, WriteThroughSupported as WRITE_THROUGH,
};

/// The question for the length of a disk or volume, which only administrators may ask.
pub(super) const DISK_LENGTH: u32 = IOCTL_DISK_GET_LENGTH_INFO;
/// What the system calls a disk in numbers. // FILE_DEVICE_DISK
const DISK: u32 = 7;
/// How disks are named, before their number.
const DRIVE: &str = "PhysicalDrive";

/// How buses are named, as Linux names them where it has them.
const BUSES: [(STORAGE_BUS_TYPE, &str); 17] = [
    (BusTypeNvme, "nvme pcie"),
    (BusTypeSata, "ata"),
    (BusTypeAta, "ata"),
    (BusTypeAtapi, "ata"),
    (BusTypeSas, "sas"),
    (BusTypeScsi, "scsi"),
    (BusTypeUsb, "usb"),
    (BusTypeiScsi, "iscsi"),
    (BusTypeFibre, "fc"),
    (BusTypeRAID, "raid"),
    (BusTypeSd, "sd"),
    (BusTypeMmc, "mmc"),
    (BusTypeUfs, "ufs"),
    (BusTypeSCM, "scm"),
    (BusTypeVirtual, "virtual"),
    (BusTypeFileBackedVirtual, "vhd"),
    (BusTypeSpaces, "storage spaces"),
];

/// Returns the number of the disk that a path names on this machine.
pub fn device_number(path: &Path) -> Option<(u32, u32)> {
    let text = path.to_str()?;
    let name = [r"\\.\", r"\\?\"]
        .iter()
        .find_map(|head| text.strip_prefix(head))?;
    number_of_open(&ask::for_facts(name).ok()?)
}

/// The number of an open device.
pub(super) fn number_of_open(device: &File) -> Option<(u32, u32)> {
    let code = IOCTL_STORAGE_GET_DEVICE_NUMBER;
    let answer = ask::control(device, code, &[], size_of::<STORAGE_DEVICE_NUMBER>()).ok()?;
    let kind = answer.u32(offset_of!(STORAGE_DEVICE_NUMBER, DeviceType))?;
    Some((
        kind,
        answer.u32(offset_of!(STORAGE_DEVICE_NUMBER, DeviceNumber))?,
    ))
}

/// The size of an open disk, without rights to read it.
pub(super) fn size_of_open(device: &File) -> Option<Bytes> {
    let code = IOCTL_DISK_GET_DRIVE_GEOMETRY_EX;
    let answer = ask::control(device, code, &[], 512).ok()?;
    answer
        .u64(offset_of!(DISK_GEOMETRY_EX, DiskSize))
        .map(Bytes)
}

/// The device of this number, and what it uses after it: a disk uses nothing.
pub fn device_chain(root: &Root, major: u32, minor: u32) -> Vec<BlockDevice> {
    let found = (major == DISK).then(|| disk(root, minor)).flatten();
    found.into_iter().collect()
}

/// Names of all devices of the target's chain, whose counters are worth reading.
pub fn chain_devices(facts: &TargetFacts) -> Vec<String> {
    let devices = facts.chain.iter();
    devices.map(|device| device.name.clone()).collect()
}

/// A volume and the disks that it lies on; only the disks where it has no name.
pub(super) fn chain_of(root: &Root, volume: &Volume) -> Vec<BlockDevice> {
    let mut chain: Vec<BlockDevice> = as_device(root, volume).into_iter().collect();
    let mut seen = Vec::new();
    for stretch in &volume.stretches {
        if !seen.contains(&stretch.disk) {
            seen.push(stretch.disk);
            chain.extend(disk(root, stretch.disk));
        }
    }
    chain
}

/// A volume as a device: a partition where it lies in one piece. `None` where it is not known where it lies.
fn as_device(root: &Root, volume: &Volume) -> Option<BlockDevice> {
    let first = volume.stretches.first()?;
    let whole = disk(root, first.disk)?;
    let is_partition = volume.stretches.len() == 1;
    let length = |sum: u64, stretch: &Stretch| sum.saturating_add(stretch.length);
    Some(BlockDevice {
        kind: if is_partition { "partition" } else { "volume" }.to_owned(),
        size: Bytes(volume.stretches.iter().fold(0, length)),
        start: is_partition.then_some(Bytes(first.start)),
        detail: None,
        name: volume.name.clone(),
        ..whole
    })
}

/// A disk as it answers.
pub(super) fn disk(root: &Root, number: u32) -> Option<BlockDevice> {
    let name = format!("{DRIVE}{number}");
    let size = ask::device(root, &name, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, &[])
        .and_then(|answer| answer.u64(offset_of!(DISK_GEOMETRY_EX, DiskSize)));
    let about = property(root, &name, StorageDeviceProperty);
    if size.is_none() && about.is_none() {
        return None;
    }
    let mut found = BlockDevice {
        number: (DISK, number),
        kind: "disk".to_owned(),
        size: Bytes(size.unwrap_or(0)),
        counted: Some(ask::device(root, &name, IOCTL_DISK_PERFORMANCE, &[]).is_some()),
        name,
        ..BlockDevice::default()
    };
    if let Some(about) = about {
        describe(&about, &mut found);
    }
    measure(root, &mut found);
    Some(found)
}

/// Its maker and model, and how it is connected.
fn describe(about: &Answer, found: &mut BlockDevice) {
    type About = STORAGE_DEVICE_DESCRIPTOR;
    let text = |at: usize| about.text(about.u32(at)? as usize);
    let vendor = text(offset_of!(About, VendorIdOffset));
    let product = text(offset_of!(About, ProductIdOffset));
    let words: Vec<String> = vendor.into_iter().chain(product).collect();
    found.model = (!words.is_empty()).then(|| words.join(" "));
    found.firmware = text(offset_of!(About, ProductRevisionOffset));
    found.removable = about.flag(offset_of!(About, RemovableMedia)) == Some(true);
    let bus = about.u32(offset_of!(About, BusType));
    let named = |(kind, name): &(STORAGE_BUS_TYPE, &str)| {
        (bus == u32::try_from(*kind).ok()).then(|| (*name).to_owned())
    };
    found.transport = BUSES.iter().find_map(named);
}

/// Its blocks, its requests, its cache.
fn measure(root: &Root, found: &mut BlockDevice) {
    let ask = |id| property(root, &found.name, id);
    let above_zero = |number: Option<u32>| number.filter(|&number| number > 0);
    let bytes = |number: Option<u32>| above_zero(number).map(|number| Bytes(u64::from(number)));
    let seek = ask(StorageDeviceSeekPenaltyProperty);
    let aligned = ask(StorageAccessAlignmentProperty).unwrap_or_default();
    let adapter = ask(StorageAdapterProperty).unwrap_or_default();
    let cache = ask(StorageDeviceWriteCacheProperty).unwrap_or_default();
    type Aligned = STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR;
    type Adapter = STORAGE_ADAPTER_DESCRIPTOR;
    found.rotational = seek.and_then(|seek| {
        seek.flag(offset_of!(
            DEVICE_SEEK_PENALTY_DESCRIPTOR,
            IncursSeekPenalty
        ))
    });
    found.logical_block = bytes(aligned.u32(offset_of!(Aligned, BytesPerLogicalSector)));
    found.physical_block = bytes(aligned.u32(offset_of!(Aligned, BytesPerPhysicalSector)));
    found.request_max = bytes(adapter.u32(offset_of!(Adapter, MaximumTransferLength)));
    found.segments_max = above_zero(adapter.u32(offset_of!(Adapter, MaximumPhysicalPages)));
    (found.write_cache, found.fua) = write_cache(&cache);
}

/// Whether writes stay in the device's cache, and whether a single one may pass it.
fn write_cache(answer: &Answer) -> (Option<String>, Option<bool>) {
    type Cache = STORAGE_WRITE_CACHE_PROPERTY;
    let number = |at: usize| answer.u32(at).and_then(|number| i32::try_from(number).ok());
    let enabled = number(offset_of!(Cache, WriteCacheEnabled));
    let through = number(offset_of!(Cache, WriteThroughSupported));
    let words = match enabled {
        Some(CACHE_ON) => Some("write back".to_owned()),
        Some(CACHE_OFF) => Some("write through".to_owned()),
        _ => None,
    };
    let fua = match through {
        Some(WRITE_THROUGH) => Some(true),
        Some(NO_WRITE_THROUGH) => Some(false),
        _ => None,
    };
    (words, fua)
}

/// A property of a device and its adapter. Source: IOCTL_STORAGE_QUERY_PROPERTY.
fn property(root: &Root, name: &str, id: STORAGE_PROPERTY_ID) -> Option<Answer> {
    let mut question = [0u8; 12]; // the property, a standard query, no parameters
    question[..4].copy_from_slice(&id.to_le_bytes());
    ask::device(root, name, IOCTL_STORAGE_QUERY_PROPERTY, &question)
}

/// The numbers of all disks, rising.
fn numbers(root: &Root) -> Vec<u32> {
    let names: Vec<String> = match root.is_live() {
        true => device_names(),
        false => {
            let entries = std::fs::read_dir(&root.at).into_iter().flatten().flatten();
            entries
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect()
        }
    };
    let number = |name: &String| name.strip_prefix(DRIVE)?.parse().ok();
    let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Every disk with capacity, each before the volumes that lie on it. Volumes on several disks are behind all of them.
pub fn devices(root: &Root) -> Vec<DeviceListing> {
    let uses = claims::Uses::read(root);
    let mut found = Vec::new();
    let mut listed: Vec<&str> = Vec::new();
    let disks = numbers(root).into_iter();
    let disks = disks.filter_map(|number| Some((number, disk(root, number)?)));
    for (number, device) in disks.filter(|(_, device)| device.size > Bytes(0)) {
        let parent = device.name.clone();
        found.push(DeviceListing {
            claims: with_signatures(root, &device.name, uses.of_disk(number)),
            path: path_of(&device.name),
            known_as: None,
            parent: None,
            device,
        });
        for volume in uses.volumes.iter().filter(|one| is_only_on(one, number)) {
            listed.push(&volume.name);
            found.extend(listing(root, &uses, volume, Some(parent.clone())));
        }
    }
    let left = uses
        .volumes
        .iter()
        .filter(|one| !listed.contains(&one.name.as_str()));
    found.extend(left.filter_map(|volume| listing(root, &uses, volume, None)));
    found
}

fn is_only_on(volume: &Volume, disk: u32) -> bool {
    let stretches = &volume.stretches;
    !stretches.is_empty() && stretches.iter().all(|stretch| stretch.disk == disk)
}

fn listing(
    root: &Root,
    uses: &claims::Uses,
    volume: &Volume,
    parent: Option<String>,
) -> Option<DeviceListing> {
    Some(DeviceListing {
        device: as_device(root, volume)?,
        parent,
        claims: with_signatures(root, &volume.name, uses.of_volume(volume)),
        path: path_of(&volume.name),
        known_as: None,
    })
}

/// Adds what the device carries, where this user may read it.
fn with_signatures(root: &Root, name: &str, mut claims: Vec<Claim>) -> Vec<Claim> {
    let patience = Patience::of_list();
    let pin = Pin::new(&path_of(name)).ok().filter(|_| root.is_live());
    let look = pin.and_then(|pin| Look::at(&pin, &patience));
    claims.extend(look.iter().flat_map(|look| look.signature_claims(name)));
    claims
}

/// How a device is named as a target.
fn path_of(name: &str) -> PathBuf {
    PathBuf::from(format!(r"\\.\{name}"))
}

/// The volume or disk that an open device is.
pub(super) enum Opened {
    Disk(u32),
    Volume(Volume),
}

/// Finds which one a path such as `\\.\C:` or `\\.\PhysicalDrive0` names.
pub(super) fn opened(path: &Path, device: &File) -> Option<Opened> {
    let text = path.to_str()?;
    let name = [r"\\.\", r"\\?\"]
        .iter()
        .find_map(|head| text.strip_prefix(head))?;
    let is_disk = name
        .get(..DRIVE.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(DRIVE));
    if is_disk {
        let (kind, number) = number_of_open(device)?;
        return (kind == DISK).then_some(Opened::Disk(number));
    }
    let at = PathBuf::from(format!(r"\\?\{}\", name.trim_end_matches('\\')));
    volumes::of_path(&at).map(Opened::Volume)
}
