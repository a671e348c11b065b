//! A loop device over a file in memory, for tests that may lose its content. Needs root.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Taken apart again in any case.
pub(crate) struct Loop {
    pub(crate) device: PathBuf,
    /// What is behind it.
    pub(crate) file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Loop {
    /// Of 64 MiB, created with these options of losetup(8). `None`, with the reason printed, where there can be none.
    pub(crate) fn new(options: &[&str]) -> Option<Self> {
        Self::of(64 << 20, options)
    }

    /// The same of so many bytes.
    pub(crate) fn of(bytes: usize, options: &[&str]) -> Option<Self> {
        Self::within("/dev/shm".as_ref(), bytes, options)
    }

    /// The same over a file in this folder.
    pub(crate) fn within(folder: &Path, bytes: usize, options: &[&str]) -> Option<Self> {
        let Ok(folder) = tempfile::tempdir_in(folder) else {
            println!("skipped: no file can be created in {}", folder.display());
            return None;
        };
        let backing = folder.path().join("backing");
        std::fs::write(&backing, vec![0xA5; bytes]).unwrap();
        let mut losetup = Command::new("losetup");
        losetup
            .args(["--find", "--show"])
            .args(options)
            .arg(&backing);
        let made = match losetup.output() {
            Ok(made) if made.status.success() => made,
            Ok(made) => {
                let why = String::from_utf8_lossy(&made.stderr).trim().to_owned();
                println!("skipped: no loop device: {why}");
                return None;
            }
            Err(why) => {
                println!("skipped: losetup does not run: {why}");
                return None;
            }
        };
        let device = PathBuf::from(String::from_utf8(made.stdout).unwrap().trim());
        Some(Loop {
            device,
            file: backing,
            _folder: folder,
        })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let mut losetup = Command::new("losetup");
        let _ = losetup.arg("--detach").arg(&self.device).status();
    }
}
