//! Code for one operating system stands in `src/linux/` and `src/windows/` of a crate, and nowhere else: one line of the file that
//! declares its modules picks the folder. The folder for Windows opens no file of Linux, because Wine would serve it. Tests may know
//! the system that they run on.

use super::Finding;
use super::tree::{Rust, Tree};

/// What picks code by the system. Allowed where a folder is picked, too.
const CHOICES: &[&str] = &[
    "target_os",
    "target_family",
    "cfg(unix",
    "cfg!(unix",
    "not(unix",
    "cfg(windows",
    "cfg!(windows",
    "not(windows",
];

/// A system's folder, and what gives away its code: in code, and in string literals.
struct System {
    folder: &'static str,
    code: &'static [&'static str],
    literals: &'static [&'static str],
}

const SYSTEMS: &[System] = &[
    System {
        folder: "/src/linux/",
        code: &[
            "std::os::unix",
            "std::os::fd",
            "std::os::linux",
            "libc::",
            "rustix::",
            "signal_hook::",
        ],
        literals: &["/proc/", "/sys/"],
    },
    System {
        folder: "/src/windows/",
        code: &["std::os::windows", "windows_sys::"],
        literals: &[],
    },
];

/// How paths of Linux's files begin, which no code for Windows names.
const LINUX_FILES: &[&str] = &["/proc", "/sys", "/dev", "/etc", "/run"];

/// The line before the folder of a system.
const PICKS: &[&str] = &["#[cfg(target_os = \"\")]", "#[cfg(windows)]"];

/// Where else it may stand, and what for. A folder ends with `/`.
const ALLOWED: &[(&str, &str)] = &[
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
            .filter_map(|at| Some((at, tell_tale(rust, at, &file.path)?)))
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
                "move it to src/linux/ or src/windows/ of its crate, under a name that both systems have",
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

/// The word in a line that belongs to one system, whose folder the file is not in.
fn tell_tale(rust: &Rust, at: usize, path: &str) -> Option<&'static str> {
    let (code, literals) = (&rust.code[at], &rust.literals[at]);
    let foreign = SYSTEMS
        .iter()
        .filter(|system| !path.contains(system.folder));
    let mut of_system = foreign.flat_map(|system| {
        let in_code = system.code.iter().filter(|word| code.contains(**word));
        let in_literals = system
            .literals
            .iter()
            .filter(|word| literals.contains(**word));
        in_code.chain(in_literals)
    });
    let chosen = || {
        CHOICES
            .iter()
            .find(|word| code.contains(**word) && !picks_folder(rust, at))
    };
    let linux_file = || {
        let is_windows = path.contains("/src/windows/");
        let begins = |word: &&&str| {
            literals
                .split('"')
                .any(|text| text.trim_start().starts_with(**word))
        };
        LINUX_FILES.iter().filter(|_| is_windows).find(begins)
    };
    of_system
        .next()
        .or_else(chosen)
        .or_else(linux_file)
        .copied()
}

/// Whether the line picks a system's folder for the module in the lines behind it, or tests of one system.
fn picks_folder(rust: &Rust, at: usize) -> bool {
    let is_of_tests = at > 0 && rust.code[at - 1].trim() == "#[cfg(test)]";
    if is_of_tests {
        return true;
    }
    let next = |ahead: usize| rust.code.get(at + ahead).map_or("", |line| line.trim());
    PICKS.contains(&rust.code[at].trim())
        && next(1).starts_with("#[path = ")
        && next(2) == "mod system;"
}

/// Whether `place` is this file, or a folder above it.
fn covers(place: &str, path: &str) -> bool {
    place == path || (place.ends_with('/') && path.starts_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let found = check(&Tree::of(&[(path, text)]));
        let here = found.iter().filter(|finding| finding.path == path);
        here.map(|finding| finding.line).collect()
    }

    #[test]
    fn code_for_one_system_is_reported_outside_its_folder() {
        let text = "use libc::open;\nlet a = libc::open;\nlet b = \"/proc/stat\";\n// see /proc/stat and libc::x\n\
            use windows_sys::Win32;\nif cfg!(windows) {}\n";
        assert_eq!(lines("crates/sweep/src/lib.rs", text), [1, 2, 3, 5, 6]);
        assert_eq!(lines("crates/host/src/linux/cpu.rs", text), [5, 6]);
        assert_eq!(lines("crates/host/src/windows/cpu.rs", text), [1, 2, 3, 6]);
    }

    #[test]
    fn one_line_picks_the_folder_of_a_system() {
        let picks = "#[cfg(target_os = \"linux\")]\n#[path = \"linux/mod.rs\"]\nmod system;\n#[cfg(windows)]\n\
            #[path = \"windows/mod.rs\"]\nmod system;\n";
        assert!(lines("crates/host/src/lib.rs", picks).is_empty());
        let other = "#[cfg(windows)]\nmod other;\n";
        assert_eq!(lines("crates/host/src/lib.rs", other), [1]);
    }

    #[test]
    fn code_for_windows_names_no_file_of_linux() {
        let text =
            "let a = File::open(\"/dev/kmsg\");\nlet b = r\"\\.\\C:\";\nlet c = \"reads /dev\";\n";
        assert_eq!(lines("crates/host/src/windows/a.rs", text), [1]);
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
