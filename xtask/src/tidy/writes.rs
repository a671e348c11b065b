//! What opens for writing, creates, renames or removes stands in the gate, and in the files that are named here.
//!
//! The words are looked for in the code of the program (`crates/`). Tests create what they please, and the tools of the
//! tree (`xtask`, `bench`) write next to the build.

use super::Finding;
use super::rust::has_word;
use super::tree::{Rust, Tree};

/// The crate that does it for all others.
const GATE: &str = "crates/gate/";

/// The calls, as they stand in code. What begins with a letter is not looked for inside of a longer name.
const CALLS: &[&str] = &[
    "File::create",
    "File::options",
    ".create(",
    ".write(true)",
    ".append(true)",
    ".truncate(true)",
    "fs::write(",
    "fs::rename(",
    "fs::remove_file(",
    "fs::remove_dir(",
    "fs::remove_dir_all(",
    "fs::create_dir(",
    "fs::create_dir_all(",
    "fs::copy(",
    "fs::hard_link(",
    "fs::set_permissions(",
    "symlink(",
    ".set_len(",
    ".set_permissions(",
    ".set_times(",
    "DirBuilder",
    "libc::open",
    "libc::creat",
    "libc::unlink",
    "libc::rename",
    "libc::link",
    "libc::symlink",
    "libc::mkdir",
    "libc::mknod",
    "libc::rmdir",
    "libc::truncate",
    "libc::ftruncate",
    "libc::fallocate",
    "libc::O_WRONLY",
    "libc::O_RDWR",
    "libc::O_CREAT",
    "libc::O_TRUNC",
    "OFlags::WRONLY",
    "OFlags::RDWR",
    "OFlags::CREATE",
    "OFlags::TRUNC",
    "openat",
    "openat2",
    "unlinkat",
    "renameat",
    "mkdirat",
    "linkat",
    "tempfile::",
    "Connection::open",
];

/// What opens a pin for writing; other types have longer names.
const RIGHTS: &[&str] = &["Access::WRITE", "Access::READ_WRITE"];

/// Functions of `std::fs` that must not be imported by their bare names, under which they would not be found.
const BARE: &[&str] = &[
    "write",
    "rename",
    "remove_file",
    "remove_dir",
    "remove_dir_all",
    "create_dir",
    "create_dir_all",
    "copy",
    "hard_link",
    "set_permissions",
    "soft_link",
];

/// Where else they may stand, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/cli/build.rs", "a file of the build"),
    // Switches of the kernel: no file of a user.
    (
        "crates/engine/src/linux/caches.rs",
        "/proc/sys/vm/drop_caches: a switch of the kernel",
    ),
    (
        "crates/host/src/linux/trace/instance.rs",
        "an instance in tracefs: folders and switches of the kernel",
    ),
    // Opened through the gate.
    (
        "crates/host/src/linux/events.rs",
        "empties an event that no process has locked, in a folder of this user alone",
    ),
    (
        "crates/host/src/windows/target.rs",
        "asks whether a file may be written, and closes it again",
    ),
    (
        "crates/host/src/windows/terminal.rs",
        "the console of this process",
    ),
    // The database: SQLite opens its files by itself.
    ("crates/store/src/open.rs", "a database in memory"),
    (
        "crates/store/src/vfs.rs",
        "SQLite opens the database and its log, which the gate has created and checked",
    ),
    (
        "crates/store/src/backup.rs",
        "SQLite opens the copy that the gate has created",
    ),
    ("crates/store/src/schema.rs", "a database in memory"),
    // Targets: what is opened comes from a pin of the gate, and these name the flags.
    (
        "crates/engine/src/target.rs",
        "measured targets, opened as they were checked",
    ),
    (
        "crates/engine/src/prepare/mod.rs",
        "measured targets, created and filled",
    ),
    (
        "crates/engine/src/linux/space.rs",
        "measured targets, laid out and removed after a failure",
    ),
    (
        "crates/engine/src/windows/space.rs",
        "measured targets, laid out",
    ),
    ("crates/engine/src/copy/ends.rs", "both ends of a copy"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = Vec::new();
    for (file, rust) in tree.rust() {
        if !file.path.starts_with("crates/") || file.path.starts_with(GATE) {
            continue;
        }
        let mut found = (0..rust.code.len())
            .filter(|&at| !rust.test[at])
            .filter_map(|at| Some((at, call(rust, at)?)))
            .peekable();
        if ALLOWED.iter().any(|(path, _)| *path == file.path) {
            used.extend(found.peek().map(|_| file.path.as_str()));
            continue;
        }
        findings.extend(found.map(|(at, word)| {
            Finding::new(
                &file.path,
                at + 1,
                format!("`{word}` outside crate `gate`: it may write, replace or remove a file that fathom did not create"),
                "use gate::{write_output, create_new, remove_file, Folder, FileLock}; or argue for a row in \
                 xtask/src/tidy/writes.rs",
            )
        }));
    }
    let idle = ALLOWED.iter().filter(|(path, _)| !used.contains(path));
    findings.extend(idle.map(|(path, what)| {
        Finding::new(
            path,
            1,
            format!("named for what it writes ({what}), but it writes nothing"),
            "take its row out of xtask/src/tidy/writes.rs",
        )
    }));
    findings
}

/// The call in a line.
fn call(rust: &Rust, at: usize) -> Option<&'static str> {
    let code = &rust.code[at];
    let imports = code.trim_start().starts_with("use std::fs::");
    let bare = || BARE.iter().find(|word| imports && has_word(code, word));
    let called = CALLS.iter().find(|word| stands_in(code, word));
    let right = || RIGHTS.iter().find(|word| has_word(code, word));
    called.or_else(right).or_else(bare).copied()
}

/// Whether the word stands there, and not as the end of a longer name.
fn stands_in(code: &str, word: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !word.starts_with(in_name) || !code[..at].ends_with(in_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let all = check(&Tree::of(&[(path, text)]));
        let here = all
            .iter()
            .filter(|finding| finding.path == path && !finding.what.contains("writes nothing"));
        here.map(|finding| finding.line).collect()
    }

    const EACH: &str = "//! A.\n\
        let a = File::create(path)?;\n\
        let b = OpenOptions::new().write(true).open(path)?;\n\
        fs::remove_dir_all(path)?;\n\
        std::os::unix::fs::symlink(a, b)?;\n\
        use std::fs::{self, rename};\n\
        let c = libc::O_RDWR;\n\
        rustix::fs::unlinkat(folder, name, flags)?;\n";

    #[test]
    fn every_call_that_writes_is_found_outside_of_the_gate() {
        assert_eq!(lines("crates/cli/src/a.rs", EACH), [2, 3, 4, 5, 6, 7, 8]);
        assert!(lines("crates/gate/src/a.rs", EACH).is_empty());
        assert!(lines("xtask/src/a.rs", EACH).is_empty());
        assert!(lines("crates/engine/src/target.rs", EACH).is_empty());
    }

    #[test]
    fn reading_and_tests_and_words_are_not() {
        let text = "//! A.\n// File::create\nlet a = \"fs::write(\";\nif path.is_symlink() {}\nlet b = File::open(a)?;\n\
            gate::remove_file(a, b)?;\nuse std::fs::{self, File};\nfolder.rename(&from, &to)?;\n\
            #[cfg(test)]\nmod tests {\n    fn a() {\n        fs::write(a, b);\n    }\n}\n";
        assert!(lines("crates/cli/src/a.rs", text).is_empty());
        assert!(lines("crates/cli/tests/it/a.rs", EACH).is_empty());
    }

    #[test]
    fn a_file_that_is_named_and_writes_nothing_is_found() {
        let path = "crates/engine/src/target.rs";
        let found = check(&Tree::of(&[(path, "//! Reads.\n")]));
        assert_eq!(found.len(), ALLOWED.len());
        assert!(found.iter().any(|finding| finding.path == path));
    }
}
