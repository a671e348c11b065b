//! Who uses a disk, a volume or a file: what is mounted of it, and page files. Omitted: what the claims forbid (`model::check`), what
//! a device carries (`look`), and members of storage pools, which are not known by number.

use super::calls::registry_list;
use super::volumes::{self, Volume};
use crate::root::Root;
use model::Claim;
use std::path::{Path, PathBuf};

/// Where the system lists the page files that are in use.
const MEMORY_KEY: &str = r"SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management";
/// Files of the system at the top of a volume that are not page files in the list.
const SYSTEM_FILES: [&str; 3] = ["pagefile.sys", "swapfile.sys", "hiberfil.sys"];

/// Who uses what on this machine, read once.
pub(super) struct Uses {
    pub(super) volumes: Vec<Volume>,
    page_files: Vec<PathBuf>,
}

impl Uses {
    pub(super) fn read(root: &Root) -> Self {
        Uses {
            volumes: volumes::all(root),
            page_files: if root.is_live() {
                page_files()
            } else {
                Vec::new()
            },
        }
    }

    /// Of a disk: all volumes that lie on it.
    pub(super) fn of_disk(&self, disk: u32) -> Vec<Claim> {
        let is_on = |volume: &&Volume| volume.stretches.iter().any(|one| one.disk == disk);
        let volumes = self.volumes.iter().filter(is_on);
        volumes.flat_map(|volume| self.of_volume(volume)).collect()
    }

    /// Of a volume: where it is mounted, and page files on it.
    pub(super) fn of_volume(&self, volume: &Volume) -> Vec<Claim> {
        let mounted = volume.at.iter().map(|at| Claim::Mounted {
            device: volume.name.clone(),
            at: at.clone(),
        });
        let swaps = self.page_files.iter().any(|file| {
            let letter = file.to_str().and_then(|text| text.get(..2));
            letter.is_some_and(|letter| letter.eq_ignore_ascii_case(&volume.name))
        });
        let swap = swaps.then(|| Claim::Swap {
            device: volume.name.clone(),
        });
        mounted.chain(swap).collect()
    }

    /// Of a file, by its path without links.
    pub(super) fn of_file(&self, real: &Path) -> Vec<Claim> {
        let is_listed = self.page_files.iter().any(|file| is_same(file, real));
        let swap = (is_listed || is_system_file(real)).then(|| Claim::Swap {
            device: real.display().to_string(),
        });
        swap.into_iter().collect()
    }

    /// What cannot be found out of a disk or volume.
    pub(super) fn unchecked() -> Vec<String> {
        vec![
            "whether it belongs to a storage pool (Windows lists members by another number)"
                .to_owned(),
        ]
    }
}

/// `\??\C:\pagefile.sys` as `C:\pagefile.sys`.
fn page_files() -> Vec<PathBuf> {
    let all = registry_list(MEMORY_KEY, "ExistingPageFiles").unwrap_or_default();
    let files = all.iter().filter_map(|file| file.to_str());
    let plain = |file: &str| PathBuf::from(file.strip_prefix(r"\??\").unwrap_or(file));
    files.map(plain).collect()
}

/// Names do not differ by their case.
fn is_same(one: &Path, other: &Path) -> bool {
    let lower = |path: &Path| path.to_string_lossy().to_lowercase();
    lower(one) == lower(other)
}

fn is_system_file(real: &Path) -> bool {
    let is_at_top = real
        .parent()
        .is_some_and(|folder| folder.parent().is_none());
    let name = real
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    is_at_top && SYSTEM_FILES.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_files_are_known_whatever_their_case_and_only_at_the_top() {
        let uses = Uses {
            volumes: Vec::new(),
            page_files: vec![PathBuf::from(r"E:\swap\pagefile.sys")],
        };
        let swaps = |path: &str| !uses.of_file(Path::new(path)).is_empty();
        assert!(swaps(r"e:\Swap\PageFile.sys") && swaps(r"C:\pagefile.sys"));
        assert!(!swaps(r"C:\a\pagefile.sys") && !swaps(r"C:\fathom.dat"));
        let volume = Volume {
            name: "E:".to_owned(),
            at: vec![PathBuf::from(r"E:\")],
            stretches: Vec::new(),
        };
        assert_eq!(uses.of_volume(&volume).len(), 2);
    }
}
