//! Whether targets on two hosts are one. A file on a local file system, and a device without a number of its own, are known
//! by the boot of their machine; of a shared file system the server's name and the inode are compared.
//!
//! Omitted: SCSI and NVMe identifiers of devices that two hosts share.

use host::Root;
use model::{TargetFacts, TargetKind};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// File systems that several hosts mount from one server; `source` names it.
const SHARED: [&str; 10] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "lustre",
    "ceph",
    "gpfs",
    "beegfs",
    "fuse.glusterfs",
    "9p",
];

/// Distinguishes one target from another, on all hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetKey {
    /// Its name there.
    pub(super) path: String,
    /// None for what has no storage behind it.
    pub(super) id: Option<String>,
}

impl TargetKey {
    pub(super) fn is_same(&self, other: &TargetKey) -> bool {
        self.id.is_some() && self.id == other.id
    }

    pub(super) fn what(&self) -> String {
        match &self.id {
            Some(id) => id.clone(),
            None => "no storage".to_owned(),
        }
    }
}

/// Returns the key of one target.
pub fn target_key(facts: &TargetFacts, root: &Root) -> TargetKey {
    of(std::slice::from_ref(facts), root).remove(0)
}

/// Returns one key for each target.
pub(super) fn of(facts: &[TargetFacts], root: &Root) -> Vec<TargetKey> {
    let boot = host::boot_id(root).unwrap_or_default();
    let keys = facts.iter().map(|facts| TargetKey {
        path: facts.path.display().to_string(),
        id: id(facts, &boot),
    });
    keys.collect()
}

fn id(facts: &TargetFacts, boot: &str) -> Option<String> {
    let at_place = match facts.kind {
        TargetKind::Null | TargetKind::Simulated => return None,
        TargetKind::Missing => within_folder(&facts.path)?,
        _ => {
            let (device, inode) = facts.identity?;
            (device, inode.to_string())
        }
    };
    let (device, inode) = at_place;
    let shared = facts
        .file_system
        .as_ref()
        .filter(|system| SHARED.contains(&system.kind.as_str()));
    Some(match shared {
        Some(system) => format!("{} {} inode {inode}", system.kind, system.source),
        None => format!("device {device} inode {inode} of boot {boot}"),
    })
}

/// A file that is not there yet: the inode of its folder, and its name.
fn within_folder(path: &Path) -> Option<(u64, String)> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let name = path.file_name()?.to_string_lossy().into_owned();
    let (device, inode) = host::identity_at(folder.unwrap_or(Path::new("."))).ok()?;
    Some((device, format!("{inode}/{name}")))
}
