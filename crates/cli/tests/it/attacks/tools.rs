//! Loop devices, foreign files, and how much of the attacks is run.

use crate::bench::Bench;
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
