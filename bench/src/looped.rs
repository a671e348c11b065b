//! A loop device over a file in memory, and a file system on it: for contenders that need more than one file. Needs root.

use crate::error::{BenchError, doing};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Taken apart again at the end.
pub(crate) struct Looped {
    pub(crate) device: PathBuf,
    mount: Option<tempfile::TempDir>,
    _backing: tempfile::NamedTempFile,
}

impl Looped {
    /// Over a file of this many bytes, with direct I/O of what lies below where that can be; `Err` is the reason.
    pub(crate) fn new(bytes: u64) -> Result<Looped, String> {
        let backing =
            tempfile::NamedTempFile::new_in("/dev/shm").map_err(|error| error.to_string())?;
        backing
            .as_file()
            .set_len(bytes)
            .map_err(|error| error.to_string())?;
        let path = backing.path();
        let made = losetup(path, &["--direct-io=on"]).or_else(|_| losetup(path, &[]))?;
        Ok(Looped {
            device: made,
            mount: None,
            _backing: backing,
        })
    }

    /// With a fresh file system of this kind, mounted. Its memory is there before, so that no write has to wait for it.
    pub(crate) fn with_file_system(bytes: u64, kind: &str) -> Result<Looped, String> {
        let mut looped = Looped::new(bytes)?;
        looped.fill(bytes).map_err(|error| error.to_string())?;
        let words: &[&str] = match kind {
            "xfs" => &["-q", "-f", "-K"], // -K: what is there is not given back
            _ => &[
                "-q",
                "-F",
                "-E",
                "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
            ],
        };
        let mut make = Command::new(format!("mkfs.{kind}"));
        said(make.args(words).arg(&looped.device))?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        said(Command::new("mount").arg(&looped.device).arg(folder.path()))?;
        looped.mount = Some(folder);
        Ok(looped)
    }

    /// Where it is mounted.
    pub(crate) fn folder(&self) -> &Path {
        self.mount
            .as_ref()
            .map_or(Path::new("/nonexistent"), |folder| folder.path())
    }

    /// From here on the device reads its file through the page cache.
    pub(crate) fn go_through_cache(&self) -> Result<(), String> {
        let mut losetup = Command::new("losetup");
        said(losetup.arg("--direct-io=off").arg(&self.device)).map(drop)
    }

    /// Fills the device with numbers that no layer below can fold together.
    pub(crate) fn fill(&self, bytes: u64) -> Result<(), BenchError> {
        filled(&self.device, bytes)
    }

    /// The same with a file on it.
    pub(crate) fn fill_file(&self, path: &Path, bytes: u64) -> Result<(), BenchError> {
        filled(path, bytes)
    }
}

pub(crate) fn filled(path: &Path, bytes: u64) -> Result<(), BenchError> {
    let mut fill = Command::new("dd");
    fill.arg("if=/dev/urandom")
        .arg(format!("of={}", path.display()));
    fill.args(["bs=1M", "oflag=direct", "status=none"])
        .arg(format!("count={}", bytes >> 20));
    let done = fill.status().map_err(doing("dd"))?;
    match done.success() {
        true => Ok(()),
        false => Err(BenchError::Unreadable {
            command: "dd".to_owned(),
            printed: done.to_string(),
        }),
    }
}

impl Drop for Looped {
    fn drop(&mut self) {
        if let Some(folder) = &self.mount {
            let _ = Command::new("umount").arg(folder.path()).status();
        }
        let _ = Command::new("losetup")
            .arg("--detach")
            .arg(&self.device)
            .status();
    }
}

/// A file system that a process serves (FUSE), mounted until the end.
pub(crate) struct Mounted(tempfile::TempDir);

impl Mounted {
    /// ext4 in an image, served by fuse2fs; `Err` is the reason.
    pub(crate) fn fuse2fs(image: &Path, bytes: u64) -> Result<Mounted, String> {
        let file = std::fs::File::create_new(image).map_err(|error| error.to_string())?;
        file.set_len(bytes).map_err(|error| error.to_string())?;
        said(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(image))?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        said(Command::new("fuse2fs").arg(image).arg(folder.path()))?;
        Ok(Mounted(folder))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: the kernel closes the file of a ring some time after its process ended.
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.folder())
            .status();
    }
}

fn losetup(backing: &Path, more: &[&str]) -> Result<PathBuf, String> {
    let mut losetup = Command::new("losetup");
    let made = said(losetup.args(["--find", "--show"]).args(more).arg(backing))?;
    Ok(PathBuf::from(made.trim()))
}

fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(format!(
            "{name}: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        )),
    }
}
