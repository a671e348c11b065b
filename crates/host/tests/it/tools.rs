//! What the live tests need: loop devices and mounts that undo themselves, and tools that may be absent.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs a tool and returns what it printed; `None`, with the reason on stderr, when it is not
/// installed or refuses.
pub(crate) fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(name)
        .args(arguments)
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(done) if done.status.success() => {
            Some(String::from_utf8_lossy(&done.stdout).trim().to_owned())
        }
        Ok(done) => {
            let why = String::from_utf8_lossy(&done.stderr);
            eprintln!("skipped: {name} {}: {}", arguments.join(" "), why.trim());
            None
        }
        Err(error) => {
            eprintln!("skipped: {name}: {error}");
            None
        }
    }
}

/// A sparse file of this size.
pub(crate) fn sparse(path: &Path, size: u64) {
    std::fs::File::create(path).unwrap().set_len(size).unwrap();
}

/// A loop device over a file; let go on drop.
pub(crate) struct Loop(pub(crate) PathBuf);

impl Loop {
    pub(crate) fn over(file: &Path, options: &[&str]) -> Option<Self> {
        let mut arguments = vec!["-f", "--show"];
        arguments.extend(options);
        arguments.push(file.to_str()?);
        tool("losetup", &arguments).map(|name| Loop(PathBuf::from(name)))
    }

    /// Over a new file of 64 MiB, with two partitions.
    pub(crate) fn with_two_partitions(file: &Path) -> Option<Self> {
        sparse(file, 64 << 20);
        let path = file.to_str()?;
        let script = format!("printf 'label: gpt\\nsize=20M\\nsize=20M\\n' | sfdisk -q '{path}'");
        tool("sh", &["-c", &script])?;
        let device = Loop::over(file, &["-P"])?;
        let second = device.part(2);
        if !Path::new(&second).exists() {
            // A kernel without this format leaves the reading of the table to others.
            tool("partx", &["-a", device.0.to_str()?]);
        }
        if !Path::new(&second).exists() {
            eprintln!("skipped: {second} did not appear");
            return None;
        }
        Some(device)
    }

    /// Path of a partition.
    pub(crate) fn part(&self, number: u32) -> String {
        format!("{}p{number}", self.0.display())
    }

    pub(crate) fn name(&self) -> String {
        self.0.file_name().unwrap().to_str().unwrap().to_owned()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        tool("losetup", &["-d", self.0.to_str().unwrap()]);
    }
}

/// Something mounted; unmounted on drop.
pub(crate) struct Mounted(PathBuf);

impl Mounted {
    pub(crate) fn at(what: &str, folder: &Path, options: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let mut arguments = options.to_vec();
        arguments.extend([what, folder.to_str()?]);
        tool("mount", &arguments).map(|_| Mounted(folder.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        tool("umount", &[self.0.to_str().unwrap()]);
    }
}

/// Swapped to; ended on drop.
pub(crate) struct Swapping(String);

impl Swapping {
    pub(crate) fn to(what: &Path) -> Option<Self> {
        let what = what.to_str()?;
        tool("swapon", &[what]).map(|_| Swapping(what.to_owned()))
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        tool("swapoff", &[&self.0]);
    }
}
