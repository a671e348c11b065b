//! The program for Windows: installs the compilers and Wine, checks, builds, and runs the unit tests and the program under Wine 8.
//!
//! Rust comes from Debian (`rustc-web`), with the source of its standard library, which is compiled for `x86_64-pc-windows-gnu`; C comes
//! from mingw. Everything is built below `target/windows`, so that builds for Linux stay. What Wine answers is not what Windows does: what
//! may be claimed is in docs/windows.md. Omitted: installers, and builds with Microsoft's tools.

use crate::{check, setup};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "x86_64-pc-windows-gnu";
/// The standard library for the program, and what tests need in addition.
const STANDARD: &str = "-Zbuild-std=std,panic_unwind,test";
const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";
const WINE: &str = "/usr/lib/wine/wine64";
const MINGW: &str = "x86_64-w64-mingw32-gcc";
/// A file of each package, and the packages.
const NEEDS: [(&str, &str); 6] = [
    (RUSTC, "rustc-web"),
    (CARGO, "cargo-web"),
    ("/usr/lib/rustlib/src/rust/library/std", "rust-web-src"),
    ("/usr/bin/x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
    (
        "/usr/x86_64-w64-mingw32/include/windows.h",
        "mingw-w64-x86-64-dev",
    ),
    (WINE, "wine64"),
];
/// Wine 8 lacks this library, of which Rust's standard library takes its random numbers.
const RANDOM: &str = include_str!("windows/bcryptprimitives.c");
/// Crates whose unit tests are run, those with a folder for Windows first.
const CRATES: [&str; 13] = [
    "gate", "host", "engine", "job", "model", "store", "sweep", "monitor", "session", "traces",
    "analysis", "tools", "views",
];
/// Command lines of the program that need neither a device nor a file, and what their output contains.
const RUNS: [(&str, &str); 3] = [
    ("--version", "fathom"),
    ("run sim:ssd --duration 1s --no-store", "IOPS"),
    ("run --engine null --duration 1s --no-store", "IOPS"),
];

/// `cargo xtask windows [check | build | test [CRATE...]]`; all three without an argument.
pub(crate) fn run(root: &Path, words: &[String]) -> bool {
    let (what, crates) = match words.split_first() {
        Some((what, crates)) => (what.as_str(), crates),
        None => ("", words),
    };
    if !["", "check", "build", "test"].contains(&what) || what != "test" && !crates.is_empty() {
        eprintln!("xtask: invalid argument; accepted: windows [check | build | test [CRATE...]]");
        return false;
    }
    if !is_installed() {
        return false;
    }
    match what {
        "check" => cargo(root, &["check", "-p", "fathom"]),
        "build" => build(root),
        "test" => test(root, crates),
        _ => {
            let good = [
                cargo(root, &["check", "-p", "fathom"]),
                build(root),
                test(root, &[]),
            ];
            good.iter().all(|good| *good)
        }
    }
}

/// Whether everything that is called is there; installs what is missing, as root.
fn is_installed() -> bool {
    let missing = || NEEDS.iter().filter(|(file, _)| !Path::new(file).exists());
    let packages: Vec<&str> = missing().map(|(_, package)| *package).collect();
    if packages.is_empty() || setup::installs(&packages) && missing().next().is_none() {
        return true;
    }
    println!("windows: missing: {}", packages.join(" "));
    false
}

/// Where the builds for Windows are.
fn target(root: &Path) -> PathBuf {
    setup::target(root).join("windows")
}

fn command(root: &Path, words: &[&str]) -> Command {
    let mut cargo = Command::new(CARGO);
    cargo.current_dir(root).args(words);
    cargo.args([STANDARD, "--target", TARGET]);
    cargo.env("RUSTC", RUSTC).env("RUSTC_BOOTSTRAP", "1");
    cargo.env("CARGO_TARGET_DIR", target(root));
    cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", WINE);
    cargo.stdin(Stdio::null());
    wine(&mut cargo, root);
    cargo
}

/// With a prefix of its own, and silent.
fn wine(command: &mut Command, root: &Path) {
    command.env("WINEPREFIX", target(root).join("wine"));
    command.env("WINEDEBUG", "-all");
}

fn cargo(root: &Path, words: &[&str]) -> bool {
    check::succeeds(&mut command(root, words))
}

/// Builds the program, and runs what of it needs neither a device nor a file.
fn build(root: &Path) -> bool {
    if !cargo(root, &["build", "-p", "fathom"]) || !lay_library(root) {
        return false;
    }
    let program = folder(root).join("fathom.exe");
    println!("windows: {}", program.display());
    let mut good = true;
    for (line, part) in RUNS {
        let mut started = Command::new(WINE);
        started
            .arg(&program)
            .args(line.split(' '))
            .stdin(Stdio::null());
        wine(&mut started, root);
        let is_as_expected = started.output().is_ok_and(|answer| {
            let text = String::from_utf8_lossy(&answer.stdout);
            answer.status.success() && text.contains(part)
        });
        let ending = if is_as_expected { "ok" } else { "FAILED" };
        println!("windows: fathom {line} ... {ending}");
        good &= is_as_expected;
    }
    good
}

fn folder(root: &Path) -> PathBuf {
    target(root).join(TARGET).join("debug")
}

/// Lays the library that Wine lacks next to the program and the tests.
fn lay_library(root: &Path) -> bool {
    let folder = folder(root);
    let source = folder.join("bcryptprimitives.c");
    let library = folder.join("bcryptprimitives.dll");
    let compiled = library.exists()
        || fs::write(&source, RANDOM).is_ok() && {
            let mut compiler = Command::new(MINGW);
            compiler.args(["-shared", "-O1", "-o"]).arg(&library);
            compiler.arg(&source).arg("-ladvapi32");
            check::succeeds(&mut compiler)
        };
    compiled && fs::copy(&library, folder.join("deps/bcryptprimitives.dll")).is_ok()
}

/// What the tests of one or more crates did.
#[derive(Debug, Default, PartialEq)]
struct Account {
    passed: u64,
    failed: u64,
    skipped: Vec<String>,
}

/// Runs the unit tests of these crates, or of all.
fn test(root: &Path, crates: &[String]) -> bool {
    let named = crates.iter().map(String::as_str);
    let crates: Vec<&str> = match crates.is_empty() {
        true => CRATES.to_vec(),
        false => named.collect(),
    };
    let mut all = Account::default();
    let mut good = true;
    for name in crates {
        let unit = ["test", "-p", name, "--lib"];
        if !cargo(root, &["test", "--no-run", "-p", name, "--lib"]) || !lay_library(root) {
            (good, all.failed) = (false, all.failed + 1);
            println!("windows: {name}: not built");
            continue;
        }
        let mut tests = command(root, &unit);
        tests.args(["--", "--show-output", "--test-threads", "2"]);
        let Ok(answer) = tests.stderr(Stdio::inherit()).output() else {
            good = false;
            continue;
        };
        let text = String::from_utf8_lossy(&answer.stdout);
        let account = read(&text);
        if !answer.status.success() {
            print!("{text}");
        }
        good &= answer.status.success();
        println!("windows: {name}: {}", account.line());
        all.passed += account.passed;
        all.failed += account.failed;
        all.skipped.extend(account.skipped);
    }
    for reason in &all.skipped {
        println!("windows: {reason}");
    }
    println!("windows: {}", all.line());
    good
}

impl Account {
    fn line(&self) -> String {
        let (passed, failed, skipped) = (self.passed, self.failed, self.skipped.len());
        format!("{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Reads what a test program of Rust prints. A test that prints why it was skipped is not counted as passed.
fn read(text: &str) -> Account {
    let mut account = Account::default();
    for line in text.lines() {
        if let Some(figures) = line.strip_prefix("test result: ") {
            let count = |word: &str| {
                let words: Vec<&str> = figures.split([' ', ';']).collect();
                let at = words.iter().position(|one| *one == word)?;
                words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
            };
            account.passed += count("passed").unwrap_or(0);
            account.failed += count("failed").unwrap_or(0);
        } else if line.starts_with("skipped: ") {
            account.skipped.push(line.trim_end().to_owned());
        }
    }
    account.passed = account.passed.saturating_sub(account.skipped.len() as u64);
    account
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_test_is_no_passed_one() {
        let text = "test a ... ok\n\nsuccesses:\n\n---- b stdout ----\nskipped: no links\r\n\n\
            test result: ok. 20 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.45s\n";
        let account = read(text);
        assert_eq!(account.line(), "19 passed, 1 failed, 1 skipped");
        assert_eq!(account.skipped, ["skipped: no links"]);
    }
}
