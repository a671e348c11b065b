//! `nvme`: passthrough to NVMe controllers, a mounted namespace, and one that cannot be read from some place on.

use super::machine::{Contents, Machine};
use super::{Lab, Outcome, Result, Visit, find};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) const LAB: Lab = Lab {
    name: "nvme",
    about: "commands passed through to emulated NVMe controllers",
    takes: "about a minute",
    needs: &[("mke2fs", "e2fsprogs")],
    script: include_str!("nvme.sh"),
    run,
};

const NAMESPACE_BYTES: u64 = 16 << 20;

fn run(visit: &Visit<'_>) -> Result<Outcome> {
    let programs = visit.build(&["fathom"], true)?;
    let contents = Contents {
        modules: &["nvme", "crc32c_generic", "ext4"],
        programs,
        script: LAB.script,
    };
    let disks = Disks::new(visit.folder)?;
    let machine = Machine {
        processors: &["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2"],
        memory_mib: 1024,
        kernel_words: "",
        more: disks.arguments(),
        seconds_max: 600,
    };
    visit.boot(&machine, &contents)
}

/// A namespace of zeros, one with a file system, and one that cannot be read from its second mebibyte's end on.
struct Disks {
    empty: PathBuf,
    mounted: PathBuf,
    broken: PathBuf,
    rules: PathBuf,
}

impl Disks {
    fn new(folder: &Path) -> Result<Self> {
        let disk = |name: &str| -> Result<PathBuf> {
            let path = folder.join(name);
            File::create(&path)?.set_len(NAMESPACE_BYTES)?;
            Ok(path)
        };
        let disks = Disks {
            empty: disk("empty")?,
            mounted: disk("mounted")?,
            broken: disk("broken")?,
            rules: folder.join("rules"),
        };
        let made = Command::new(find("mke2fs").ok_or("no mke2fs")?)
            .args(["-q", "-F", "-t", "ext4"])
            .arg(&disks.mounted)
            .status()?;
        if !made.success() {
            return Err("the file system could not be created".into());
        }
        // Sector 4096 of 512 bytes: byte 2 MiB. Source: QEMU's docs/devel/blkdebug.rst.
        let rules = "[inject-error]\nevent = \"none\"\niotype = \"read\"\nerrno = \"5\"\nsector = \"4096\"\n";
        std::fs::write(&disks.rules, rules)?;
        Ok(disks)
    }

    fn arguments(&self) -> Vec<String> {
        let raw = |path: &Path| {
            format!(
                "driver=raw,file.driver=file,file.filename={}",
                path.display()
            )
        };
        let broken = format!(
            "driver=blkdebug,config={},image.driver=raw,image.file.driver=file,image.file.filename={}",
            self.rules.display(),
            self.broken.display()
        );
        let drives = [raw(&self.empty), raw(&self.mounted), broken];
        let each = drives.iter().enumerate().flat_map(|(number, drive)| {
            [
                "-drive".to_owned(),
                format!("if=none,id=d{number},{drive}"),
                "-device".to_owned(),
                format!("nvme,serial=fathom{number},drive=d{number}"),
            ]
        });
        each.collect()
    }
}
