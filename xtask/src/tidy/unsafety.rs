//! `unsafe` is only in files that are listed here, and each use states which promise is kept by whom.

use super::Finding;
use super::rust::has_word;
use super::tree::{Rust, Tree};

/// Where `unsafe` may stand, and what for.
const ALLOWED: &[(&str, &str)] = &[
    ("bench/src/bare/ring.rs", "buffers that the kernel fills"),
    ("bench/src/bare/vectors.rs", "system calls with buffers"),
    ("bench/src/child.rs", "what a process cost"),
    (
        "crates/job/src/transport/mpi.rs",
        "a library of MPI, loaded at run time",
    ),
    (
        "crates/job/src/linux/library.rs",
        "a library of C, loaded at run time",
    ),
    (
        "crates/job/src/windows/library.rs",
        "a library of C, loaded at run time",
    ),
    (
        "crates/engine/src/linux/io_uring.rs",
        "buffers that the kernel fills outlive their I/O",
    ),
    (
        "crates/engine/src/linux/io_uring/entry.rs",
        "an entry is the kernel's structure, of whole words",
    ),
    (
        "crates/engine/src/linux/io_uring/split_ring.rs",
        "a ring outlives the parts that point into it",
    ),
    (
        "crates/engine/src/linux/io_uring/setup.rs",
        "memory that is registered with a ring outlives it",
    ),
    (
        "crates/engine/src/linux/nvme.rs",
        "commands whose buffers outlive them",
    ),
    (
        "crates/engine/src/linux/aio.rs",
        "kernel AIO: buffers that the kernel fills outlive their I/O",
    ),
    (
        "crates/engine/src/linux/sync.rs",
        "system calls with buffers",
    ),
    (
        "crates/host/src/linux/child.rs",
        "signals, children and their ends",
    ),
    (
        "crates/engine/src/windows/affinity.rs",
        "the scheduler's masks of cores",
    ),
    (
        "crates/engine/src/windows/iocp.rs",
        "memory that the kernel fills outlives its I/O",
    ),
    (
        "crates/engine/src/windows/mapping.rs",
        "files mapped into memory",
    ),
    (
        "crates/engine/src/windows/priority.rs",
        "the priority of a handle's I/O",
    ),
    (
        "crates/engine/src/windows/region.rs",
        "aligned memory, and the right to large pages",
    ),
    ("crates/engine/src/windows/room.rs", "the room of a folder"),
    (
        "crates/engine/src/windows/source.rs",
        "whether a source can be read",
    ),
    (
        "crates/engine/src/windows/space.rs",
        "reserving space of files",
    ),
    (
        "crates/engine/src/windows/state.rs",
        "what other programs change of a file",
    ),
    (
        "crates/engine/src/windows/sync.rs",
        "system calls with buffers",
    ),
    (
        "crates/engine/src/windows/transfer.rs",
        "system calls with buffers",
    ),
    (
        "crates/engine/src/windows/usage.rs",
        "the processor time of a thread",
    ),
    (
        "crates/engine/src/backend/memory.rs",
        "memory that is lent with an I/O",
    ),
    (
        "crates/engine/src/linux/mapping.rs",
        "files mapped into memory, and the signal of one that was cut short",
    ),
    (
        "crates/engine/src/linux/priority.rs",
        "the priority of a thread's I/O",
    ),
    (
        "crates/engine/src/buffer/map.rs",
        "places in memory that the kernel fills",
    ),
    ("crates/engine/src/linux/region.rs", "aligned memory"),
    (
        "crates/engine/src/linux/space.rs",
        "reserving space of files",
    ),
    (
        "crates/engine/src/buffer/tests.rs",
        "reads what a backend would write",
    ),
    (
        "crates/engine/src/linux/affinity.rs",
        "the scheduler's masks of cores",
    ),
    (
        "crates/engine/src/linux/arenas.rs",
        "a setting of the system's allocator",
    ),
    (
        "crates/engine/src/linux/usage.rs",
        "the processor time of a thread",
    ),
    (
        "crates/engine/src/clock.rs",
        "reading the processor's time stamp",
    ),
    (
        "crates/engine/src/prepare/raw.rs",
        "memory for filling with direct I/O",
    ),
    (
        "crates/engine/src/verify/block_sums.rs",
        "instructions that only some processors have",
    ),
    (
        "crates/engine/tests/it/no_allocation.rs",
        "a counting allocator",
    ),
    (
        "crates/tools/tests/imports/counting.rs",
        "a counting allocator",
    ),
    ("crates/gate/src/linux/lease.rs", "leases on files"),
    ("crates/cli/src/windows/console.rs", "calls on the console"),
    ("crates/gate/src/windows/handle.rs", "calls on handles"),
    (
        "crates/gate/src/windows/security.rs",
        "owners and access control lists",
    ),
    (
        "crates/store/src/vfs.rs",
        "SQLite's table of functions for files",
    ),
    (
        "crates/host/src/linux/sys.rs",
        "system calls that return facts",
    ),
    (
        "crates/host/src/windows/ask.rs",
        "questions to devices and file systems",
    ),
    (
        "crates/host/src/windows/calls.rs",
        "system calls that return facts",
    ),
    (
        "crates/host/src/windows/process_calls.rs",
        "system calls about processes and named events",
    ),
    (
        "crates/host/src/windows/volume_calls.rs",
        "system calls about volumes",
    ),
];

/// How far above an `unsafe` its reason may begin.
const LOOK_BACK_LINES: usize = 12;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = Vec::new();
    for (file, rust) in tree.rust() {
        let text: Vec<&str> = file.text.lines().collect();
        let mut uses = (0..rust.code.len())
            .filter(|&at| has_word(&rust.code[at], "unsafe"))
            .peekable();
        let Some(&first) = uses.peek() else { continue };
        if ALLOWED.iter().any(|(path, _)| *path == file.path) {
            used.push(file.path.as_str());
        } else {
            findings.push(Finding::new(
                &file.path,
                first + 1,
                "`unsafe` in a file that is not named for it",
                "use a safe wrapper of host::linux::sys or engine; or argue for a row in xtask/src/tidy/unsafety.rs",
            ));
        }
        for at in uses.filter(|&at| needs_reason(&rust.code[at]) && !has_reason(&text, rust, at)) {
            findings.push(Finding::new(
                &file.path,
                at + 1,
                "`unsafe` without its reason",
                "write `// SAFETY:` above it: which promise, kept by whom",
            ));
        }
    }
    findings.extend(
        ALLOWED
            .iter()
            .filter(|(path, _)| !used.contains(path))
            .map(|(path, what)| {
                Finding::new(
                    path,
                    1,
                    format!("named for `unsafe` ({what}), but there is none"),
                    "take its row out of xtask/src/tidy/unsafety.rs",
                )
            }),
    );
    findings
}

/// Declarations state their duty in a `# Safety` section, which clippy asks for.
fn needs_reason(code: &str) -> bool {
    !["unsafe fn", "unsafe extern", "unsafe trait", "unsafe("]
        .iter()
        .any(|word| code.contains(word))
}

/// Whether the comment above the statement that `unsafe` stands in, or its own line, gives the reason.
fn has_reason(text: &[&str], rust: &Rust, at: usize) -> bool {
    if text[at].contains("// SAFETY:") {
        return true;
    }
    for above in (at.saturating_sub(LOOK_BACK_LINES)..at).rev() {
        let code = rust.code[above].trim();
        if text[above].contains("// SAFETY:") {
            return true;
        }
        let comment = code.is_empty() && !text[above].trim().is_empty();
        if !comment
            && !code.starts_with("#[")
            && (code.is_empty() || code.ends_with([';', '{', '}']))
        {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(path: &str, text: &str) -> Vec<String> {
        let here =
            |finding: &Finding| finding.path == path && !finding.what.contains("there is none");
        let all = check(&Tree::of(&[(path, text)]));
        all.into_iter()
            .filter(here)
            .map(|f| format!("{}: {}", f.line, f.what))
            .collect()
    }

    #[test]
    fn an_unnamed_file_is_reported_once() {
        let text = "// SAFETY: all is well\nunsafe { a() }\n// SAFETY: again\nunsafe { b() }\n";
        assert_eq!(
            reported("crates/views/src/lib.rs", text),
            ["2: `unsafe` in a file that is not named for it"]
        );
    }

    #[test]
    fn a_reason_stands_above_the_statement() {
        let path = "crates/engine/src/buffer/map.rs";
        let good =
            "// SAFETY: the layout is not empty,\n// see new.\nlet p =\n    unsafe { alloc(l) };\n";
        assert!(reported(path, good).is_empty());
        let bad = "// SAFETY: of another one\nlet q = 1;\nlet p = unsafe { alloc(l) };\n";
        assert_eq!(reported(path, bad), ["3: `unsafe` without its reason"]);
    }

    #[test]
    fn a_word_in_a_comment_or_a_lint_is_no_use() {
        assert!(
            reported(
                "a.rs",
                "//! unsafe\n#![deny(unsafe_code)]\nlet a = \"unsafe\";\n"
            )
            .is_empty()
        );
    }

    #[test]
    fn a_named_file_without_any_is_reported() {
        let found = check(&Tree::of(&[(
            "crates/engine/src/buffer/map.rs",
            "//! Safe now.\n",
        )]));
        assert_eq!(found.len(), ALLOWED.len());
        assert!(
            found
                .iter()
                .any(|finding| finding.path == "crates/engine/src/buffer/map.rs")
        );
    }
}
