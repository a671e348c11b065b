//! The distribution's kernel: found in a folder, or downloaded as a package that is never installed.

use super::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel's image and its modules.
pub(super) struct Kernel {
    folder: PathBuf,
    version: String,
}

impl Kernel {
    /// The one in `FATHOM_LAB_KERNEL`, in the lab's folder, or downloaded into it; or why there is none.
    pub(super) fn find_or_fetch(lab: &Path) -> std::result::Result<Self, String> {
        if let Some(folder) = crate::setup::named("FATHOM_LAB_KERNEL") {
            let none = format!(
                "FATHOM_LAB_KERNEL: no boot/vmlinuz-… in {}",
                folder.display()
            );
            return Self::at(folder).ok_or(none);
        }
        let folder = lab.join("kernel");
        if let Some(kernel) = Self::at(folder.clone()) {
            return Ok(kernel);
        }
        let why = |what: &dyn std::fmt::Display| {
            format!(
                "no kernel to boot: {what}; unpack a Debian package linux-image-… and name the folder in \
                 FATHOM_LAB_KERNEL"
            )
        };
        fetch(&folder).map_err(|error| why(&error))?;
        Self::at(folder).ok_or_else(|| why(&"the package has none"))
    }

    fn at(folder: PathBuf) -> Option<Self> {
        let images = std::fs::read_dir(folder.join("boot")).ok()?;
        let names = images.flatten().map(|entry| entry.file_name());
        let version = names
            .filter_map(|name| Some(name.to_str()?.strip_prefix("vmlinuz-")?.to_owned()))
            .max()?;
        Some(Kernel { folder, version })
    }

    pub(super) fn name(&self) -> &str {
        &self.version
    }

    pub(super) fn image(&self) -> PathBuf {
        self.folder
            .join("boot")
            .join(format!("vmlinuz-{}", self.version))
    }

    /// As `/lib/modules`.
    pub(super) fn modules_folder(&self) -> Result<PathBuf> {
        let folders = ["lib/modules", "usr/lib/modules"].map(|place| self.folder.join(place));
        let found = folders
            .into_iter()
            .find(|folder| folder.join(&self.version).is_dir());
        Ok(found.ok_or("the kernel has no modules")?)
    }

    /// These and what they need, each after what it needs. Source: depmod(8), modules.dep(5).
    pub(super) fn modules(&self, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>> {
        let tree = self.modules_folder()?.join(&self.version);
        let list = tree.join("modules.dep");
        if !list.is_file() {
            let depmod =
                super::find("depmod").ok_or("no depmod; on Debian: apt-get install kmod")?;
            Command::new(depmod)
                .arg("-b")
                .arg(&self.folder)
                .arg(&self.version)
                .status()?;
        }
        let list = std::fs::read_to_string(list)?;
        let mut order: Vec<&str> = Vec::new();
        for name in names {
            let line = list.lines().find(|line| short(line) == *name);
            let (module, needed) = line
                .and_then(|line| line.split_once(':'))
                .unwrap_or_default();
            order.extend(needed.split_whitespace().rev());
            order.push(module);
        }
        let mut modules: Vec<(String, Vec<u8>)> = Vec::new();
        for path in order.into_iter().filter(|path| !path.is_empty()) {
            let name = format!("{}.ko", short(path));
            if modules.iter().all(|(known, _)| *known != name) {
                modules.push((name, unpacked(&tree.join(path))?));
            }
        }
        Ok(modules)
    }
}

/// `kernel/drivers/nvme/host/nvme.ko.xz: …` is `nvme`.
fn short(line: &str) -> &str {
    let path = line.split(':').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default()
}

fn unpacked(path: &Path) -> Result<Vec<u8>> {
    if path.extension().is_some_and(|extension| extension == "xz") {
        let unpacked = Command::new("xz").arg("-dc").arg(path).output()?;
        return Ok(unpacked.stdout);
    }
    Ok(std::fs::read(path)?)
}

/// Downloads the package that belongs to the newest kernel's name, and unpacks it.
fn fetch(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let reported = Command::new("apt-cache")
        .args(["depends", "linux-image-amd64"])
        .output()?;
    let reported = String::from_utf8(reported.stdout)?;
    let package = reported
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: linux-image-"))
        .ok_or("apt-cache knows no linux-image-amd64 (apt-get update)")?;
    println!("lab: downloading linux-image-{package}, once");
    let good = Command::new("apt-get")
        .args(["download", "-qq", &format!("linux-image-{package}")])
        .current_dir(folder)
        .status()?;
    if !good.success() {
        return Err("the package could not be downloaded".into());
    }
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            Command::new("dpkg-deb")
                .arg("-x")
                .arg(&path)
                .arg(folder)
                .status()?;
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_known_by_the_name_of_its_file() {
        let line = "kernel/drivers/nvme/host/nvme-core.ko.xz: kernel/lib/crc64.ko";
        assert_eq!(short(line), "nvme-core");
        assert_eq!(short("kernel/fs/ext4/ext4.ko:"), "ext4");
    }
}
