//! This machine, and saved answers of another: files that the tests create, and devices as they answered.

use crate::root::Root;
use crate::{device_chain, devices, target_facts};
use model::block_header::{BlockHeader, write_blocks};
use model::{Bytes, Content, TargetKind};
use std::fs;

#[test]
fn a_file_of_this_machine_has_its_content_and_its_file_system() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut data = vec![0xA7; 1 << 20];
    write_blocks(&mut data, &BlockHeader::default());
    fs::write(at("own"), &data).unwrap();
    fs::write(at("foreign"), b"dear diary").unwrap();
    fs::write(at("none"), b"").unwrap();
    let facts = |name: &str| target_facts(&Root::live(), &at(name));
    let own = facts("own");
    assert_eq!((own.kind, own.size), (TargetKind::File, Bytes::mib(1)));
    assert_eq!(own.content, Content::Fathom);
    assert!(own.writable && own.identity.is_some(), "{own:?}");
    assert!(own.direct_io.unwrap().offset.0.is_power_of_two());
    let on = own.file_system.unwrap();
    assert!(!on.kind.is_empty() && on.free > Bytes(0) && on.size >= on.free);
    assert_eq!(facts("foreign").content, Content::Foreign);
    assert_eq!(facts("none").content, Content::Empty);
    let missing = facts("new");
    assert_eq!(missing.kind, TargetKind::Missing);
    assert!(missing.writable && missing.file_system.is_some());
    assert_eq!(facts("no/such").kind, TargetKind::MissingFolder);
    assert_eq!(
        target_facts(&Root::live(), folder.path()).kind,
        TargetKind::Folder
    );
}

#[test]
fn a_file_with_the_read_only_attribute_says_what_lifts_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    fs::write(&path, b"x").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions.clone()).unwrap();
    let found = target_facts(&Root::live(), &path);
    assert!(!found.writable);
    assert!(found.obstacle.unwrap().contains("attrib -r"));
    permissions.set_readonly(false);
    fs::set_permissions(&path, permissions).unwrap();
}

/// Saves the answer of a disk to a question.
fn save(root: &std::path::Path, name: &str, bytes: &[u8]) {
    let disk = root.join("PhysicalDrive2");
    fs::create_dir_all(&disk).unwrap();
    fs::write(disk.join(name), bytes).unwrap();
}

#[test]
fn a_disk_is_described_by_its_saved_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut geometry = vec![0u8; 40];
    geometry[24..32].copy_from_slice(&Bytes::gib(100).0.to_le_bytes());
    save(folder.path(), "000700a0", &geometry);
    let mut about = vec![0u8; 80];
    about[10] = 1; // can be taken out
    for (at, place) in [(12usize, 40u32), (16, 50), (20, 60)] {
        about[at..at + 4].copy_from_slice(&place.to_le_bytes());
    }
    about[28..32].copy_from_slice(&17u32.to_le_bytes());
    about[40..46].copy_from_slice(b"ACME  ");
    about[50..57].copy_from_slice(b"Fast 9 ");
    about[60..63].copy_from_slice(b"1.2");
    save(folder.path(), "002d1400-000000000000000000000000", &about);
    let mut aligned = vec![0u8; 28];
    aligned[16..20].copy_from_slice(&512u32.to_le_bytes());
    aligned[20..24].copy_from_slice(&4096u32.to_le_bytes());
    save(folder.path(), "002d1400-060000000000000000000000", &aligned);
    let root = Root::at(folder.path().to_owned());
    let list = devices(&root);
    assert_eq!(list.len(), 1);
    let disk = &list[0].device;
    assert_eq!(disk.name, "PhysicalDrive2");
    assert_eq!(disk.model.as_deref(), Some("ACME Fast 9"));
    assert_eq!(disk.firmware.as_deref(), Some("1.2"));
    assert_eq!(disk.transport.as_deref(), Some("nvme pcie"));
    assert_eq!((disk.size, disk.removable), (Bytes::gib(100), true));
    assert_eq!(disk.logical_block, Some(Bytes(512)));
    assert_eq!(disk.physical_block, Some(Bytes(4096)));
    assert_eq!((disk.rotational, disk.write_cache.clone()), (None, None));
    assert_eq!(device_chain(&root, 7, 2), std::slice::from_ref(disk));
    assert!(device_chain(&root, 8, 2).is_empty());
}
