//! The devices that fio saw at work (`disk_util`).

use model::imported_evidence::ImportedDisk;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::fmt;

/// They are those of all jobs of the document together.
#[derive(Debug, Default)]
pub(super) struct Disks(Vec<ImportedDisk>);

impl Disks {
    /// Those of one job: known where it is alone in its document.
    pub(super) fn of(&self, jobs: usize) -> Vec<ImportedDisk> {
        if jobs == 1 {
            self.0.clone()
        } else {
            Vec::new()
        }
    }
}

impl<'de> Deserialize<'de> for Disks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(DiskList)
    }
}

struct DiskList;

impl<'de> Visitor<'de> for DiskList {
    type Value = Disks;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of devices")
    }

    /// The first of them: a text of short ones would grow to many times its length.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Disks, A::Error> {
        const DISKS_MAX: usize = 256;
        #[derive(Deserialize)]
        struct Disk {
            name: String,
            read_ios: Option<u64>,
            write_ios: Option<u64>,
            read_merges: Option<u64>,
            write_merges: Option<u64>,
            util: Option<f64>,
        }
        let mut disks = Vec::new();
        while let Some(disk) = list.next_element::<Disk>()? {
            let all = [
                disk.read_ios,
                disk.write_ios,
                disk.read_merges,
                disk.write_merges,
            ];
            let ios = all.into_iter().flatten().fold(0, u64::saturating_add);
            if disks.len() < DISKS_MAX {
                disks.push(ImportedDisk {
                    name: disk.name,
                    ios,
                    util_percent: disk.util.filter(|util| util.is_finite() && *util >= 0.0),
                });
            }
        }
        Ok(Disks(disks))
    }
}
