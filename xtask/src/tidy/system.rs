//! Code for one operating system stands only in the places that are named here, so that another system moves
//! in by adding files to them. Tests may know the system that they run on.

use super::Finding;
use super::tree::{Rust, Tree};

/// What gives away code for one system: in code, and in string literals.
const IN_CODE: &[&str] = &[
    "target_os",
    "target_family",
    "cfg(unix",
    "cfg!(unix",
    "not(unix",
    "cfg(windows",
    "cfg!(windows",
    "not(windows",
    "std::os::",
    "libc::",
];
const IN_LITERALS: &[&str] = &["/proc/", "/sys/"];

/// Where it may stand, and what for. A folder ends with `/`.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/gate/src/", "descriptors, folders and links"),
    ("crates/host/src/lib.rs", "which system's folder is built"),
    ("crates/cli/src/main.rs", "which system's folder is built"),
    ("crates/host/src/linux/", "the facts and counters of Linux"),
    (
        "crates/host/src/windows/",
        "the facts and counters of Windows",
    ),
    ("crates/engine/src/lib.rs", "which system's folder is built"),
    (
        "crates/engine/src/windows/",
        "how bytes move through Windows, and its calls around a run",
    ),
    (
        "crates/engine/src/linux/",
        "how bytes move through Linux, and its calls around a run",
    ),
    ("crates/job/src/lib.rs", "which system's folder is built"),
    (
        "crates/job/src/linux/",
        "libraries of C, groups of processes",
    ),
    (
        "crates/job/src/windows/",
        "libraries of C, groups of processes",
    ),
    ("attack/src/", "another user and process of this system"),
    ("bench/", "makes devices, and reads what a process cost"),
    ("xtask/", "sets up a Debian machine"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = Vec::new();
    for (file, rust) in tree.rust() {
        let mut found = (0..rust.code.len())
            .filter(|&at| !rust.test[at])
            .filter_map(|at| Some((at, tell_tale(rust, at)?)))
            .peekable();
        let place = ALLOWED.iter().find(|(place, _)| covers(place, &file.path));
        if let Some((place, _)) = place {
            used.extend(found.peek().map(|_| *place));
            continue;
        }
        findings.extend(found.map(|(at, word)| {
            Finding::new(
                &file.path,
                at + 1,
                format!("`{word}`: code for one operating system"),
                "move it to host/<system> or engine/backend, under a name that every system can bear",
            )
        }));
    }
    let idle = ALLOWED.iter().filter(|(place, _)| !used.contains(place));
    findings.extend(idle.map(|(place, what)| {
        Finding::new(
            place,
            1,
            format!("named for code of one operating system ({what}), but there is none"),
            "take its row out of xtask/src/tidy/system.rs",
        )
    }));
    findings
}

/// The word in a line that belongs to one system.
fn tell_tale(rust: &Rust, at: usize) -> Option<&'static str> {
    let in_code = IN_CODE.iter().find(|word| rust.code[at].contains(**word));
    let in_literal = || {
        IN_LITERALS
            .iter()
            .find(|word| rust.literals[at].contains(**word))
    };
    in_code.or_else(in_literal).copied()
}

/// Whether `place` is this file, or a folder above it.
fn covers(place: &str, path: &str) -> bool {
    place == path || (place.ends_with('/') && path.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_for_one_system_is_reported_outside_its_rooms() {
        let text = "use libc::open;\nlet a = libc::open;\nlet b = \"/proc/stat\";\n// see /proc/stat and libc::x\n";
        let found = check(&Tree::of(&[
            ("crates/sweep/src/lib.rs", text),
            ("crates/host/src/linux/cpu.rs", text),
            ("crates/engine/src/target.rs", text),
        ]));
        let there = found.iter().filter(|f| !f.what.contains("there is none"));
        let lines: Vec<_> = there.map(|f| (f.path.as_str(), f.line)).collect();
        let here = "crates/sweep/src/lib.rs";
        assert_eq!(lines, [(here, 1), (here, 2), (here, 3)]);
    }

    #[test]
    fn tests_may_know_their_system() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::os::unix::fs::FileExt;\n}\n";
        let found = check(&Tree::of(&[("crates/cli/src/a.rs", text)]));
        assert!(
            found
                .iter()
                .all(|finding| finding.path != "crates/cli/src/a.rs")
        );
    }
}
