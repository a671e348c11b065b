//! Loop devices, foreign files, and how much of the attacks is run.

use crate::bench::{Bench, Said, answered};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether all attempts are to be run: `FATHOM_ATTACK_RACES=full`. Otherwise a share of them.
pub(super) fn is_full() -> bool {
    #[allow(clippy::disallowed_methods, reason = "limits the time of a test")]
    let asked = std::env::var("FATHOM_ATTACK_RACES");
    asked.is_ok_and(|value| value == "full")
}

/// Bytes that must not change.
pub(super) fn foreign(length: usize) -> Vec<u8> {
    let text = b"this line of the thesis must not change\n";
    text.iter().copied().cycle().take(length).collect()
}

/// Whether this is root; otherwise prints that the test is skipped.
pub(super) fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        println!("skipped: not root");
    }
    root
}

/// The attribute with a file's ACL. Source: acl(5); the kernel's `include/uapi/linux/posix_acl_xattr.h`.
pub(super) const ACL: &str = "system.posix_acl_access";

/// An ACL: rights are those of a digit of a mode.
pub(super) struct Acl {
    /// Tag, rights, user or group.
    entries: Vec<(u16, u16, u32)>,
}

impl Acl {
    pub(super) fn of(owner: u16, group: u16, others: u16) -> Self {
        const NO_ID: u32 = u32::MAX;
        let entries = [(0x01, owner), (0x04, group), (0x20, others)];
        Acl {
            entries: entries.map(|(tag, rights)| (tag, rights, NO_ID)).to_vec(),
        }
    }

    pub(super) fn user(self, user: u32, rights: u16) -> Self {
        self.with(0x02, rights, user).mask(7)
    }

    pub(super) fn group(self, group: u32, rights: u16) -> Self {
        self.with(0x08, rights, group).mask(7)
    }

    pub(super) fn mask(mut self, rights: u16) -> Self {
        self.entries.retain(|(tag, ..)| *tag != 0x10);
        self.with(0x10, rights, u32::MAX)
    }

    fn with(mut self, tag: u16, rights: u16, id: u32) -> Self {
        self.entries.push((tag, rights, id));
        self.entries.sort_unstable();
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = 2u32.to_le_bytes().to_vec();
        for (tag, rights, id) in &self.entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(rights.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }
}

/// Whether the file system keeps this ACL.
pub(super) fn set_acl(path: &Path, acl: &Acl) -> bool {
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(path, ACL, &acl.bytes(), flags).is_ok()
}

/// Whether a tool exists and succeeded.
pub(super) fn tool(name: &str, words: &[&str]) -> bool {
    let output = Command::new(name).args(words).output();
    output.is_ok_and(|output| output.status.success())
}

/// A file that fathom created, of 1 MiB.
pub(super) fn own_file(bench: &Bench, name: &str) {
    let line = format!("run --no-store --create 1M -d 1ms --warmup 0s {name}");
    bench.line(&line);
    assert!(bench.path(name).exists(), "{line}");
}

/// The program in a mount namespace of its own, after the words of a shell. `None` where that is not possible.
pub(super) fn without(bench: &Bench, preparation: &str, line: &str) -> Option<Said> {
    let possible = Command::new("unshare").args(["--mount", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        println!("skipped: no mount namespace of one's own");
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    Some(answered(&words, |words| {
        let script = format!("{preparation} && exec \"$@\"");
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-c", &script, "sh"])
            .arg(env!("CARGO_BIN_EXE_fathom"))
            .args(words)
            .current_dir(bench.path("."))
            .env("FATHOM_STORE", bench.path("s.db"));
        Said::from(command.output().unwrap())
    }))
}

/// A loop device over a file or device; it goes away with the test.
pub(super) struct Loop(pub(super) PathBuf);

impl Loop {
    /// `None`, with a message, where this machine has none.
    pub(super) fn over(path: &Path) -> Option<Loop> {
        let output = Command::new("losetup")
            .args(["-f", "--show"])
            .arg(path)
            .output();
        let device = output.ok().filter(|output| output.status.success());
        let Some(device) = device else {
            println!("skipped: no loop device over {}", path.display());
            return None;
        };
        let name = String::from_utf8(device.stdout).unwrap();
        Some(Loop(PathBuf::from(name.trim())))
    }

    /// Over a new file of so many bytes.
    pub(super) fn over_new(file: &Path, content: &[u8]) -> Option<Loop> {
        fs::write(file, content).unwrap();
        Loop::over(file)
    }

    pub(super) fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        tool("losetup", &["-d", self.name()]);
    }
}
