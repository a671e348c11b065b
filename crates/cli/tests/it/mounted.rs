//! A file system on a loop device of the test's own, mounted for as long as the test lasts. Needs root.

use crate::bench::Bench;
use crate::looped::Loop;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Unmounted again in any case.
pub(crate) struct Mounted {
    pub(crate) folder: PathBuf,
    pub(crate) device: PathBuf,
    _loop: Option<Loop>,
}

impl Mounted {
    /// ext4 on a loop device; `None`, with the reason printed, where there can be none.
    pub(crate) fn ext4(bench: &Bench, options: &[&str]) -> Option<Self> {
        Self::ext4_over(bench, Loop::new(&[])?, options)
    }

    /// The same on this loop device.
    pub(crate) fn ext4_over(bench: &Bench, looped: Loop, options: &[&str]) -> Option<Self> {
        let device = looped.device.clone();
        if !runs(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&device)) {
            return None;
        }
        Self::mount(bench, device, Some(looped), options)
    }

    /// A file system in memory of this size.
    pub(crate) fn memory(bench: &Bench, size: &str) -> Option<Self> {
        let size = format!("size={size}");
        Self::mount(
            bench,
            PathBuf::from("none"),
            None,
            &["-t", "tmpfs", "-o", &size],
        )
    }

    fn mount(
        bench: &Bench,
        device: PathBuf,
        looped: Option<Loop>,
        options: &[&str],
    ) -> Option<Self> {
        let folder = bench.path("m");
        std::fs::create_dir(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(options).arg(&device).arg(&folder);
        runs(&mut mount).then_some(Mounted {
            folder,
            device,
            _loop: looped,
        })
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

fn runs(command: &mut Command) -> bool {
    let name = Path::new(command.get_program()).display().to_string();
    match command.output() {
        Ok(said) if said.status.success() => true,
        Ok(said) => {
            let why = String::from_utf8_lossy(&said.stderr).trim().to_owned();
            println!("skipped: {name}: {why}");
            false
        }
        Err(why) => {
            println!("skipped: {name} does not run: {why}");
            false
        }
    }
}
