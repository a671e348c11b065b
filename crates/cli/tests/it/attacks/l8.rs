//! A backup has its name when it is whole, whenever it is killed.

use super::names;
use crate::bench::Bench;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

/// A database of some 30 MB: sessions with large contexts.
fn large(path: &Path) -> store::Store {
    let store = store::Store::open(path).unwrap();
    let mut text = String::new();
    let mut state = 1u64;
    while text.len() < 2 << 20 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        text.push_str(&format!("{state:x}"));
    }
    for _ in 0..15 {
        let session = store
            .begin(&store::NewSession {
                kind: store::SessionKind::new("run"),
                command: vec!["fathom".to_owned()],
                tool_version: "1".to_owned(),
                started_utc: model::Nanos(1),
                target: "t".to_owned(),
                notes: Vec::new(),
            })
            .unwrap();
        store
            .finish(session, store::SessionOutcome::Complete, Some(&text))
            .unwrap();
    }
    store
}

fn parts(bench: &Bench) -> Vec<String> {
    let mut names = names(&bench.path(""));
    names.retain(|name| name.contains(".part-"));
    names
}

#[test]
#[allow(
    clippy::disallowed_methods,
    reason = "the kills are spread over the time that it takes; no figure is judged"
)]
fn a_killed_backup_leaves_no_file_under_its_name() {
    let bench = Bench::new();
    drop(large(&bench.path("s.db")));
    let begun = Instant::now();
    bench.line("db backup whole").done();
    let whole = begun.elapsed();
    let listed = bench.line("list --json").good().json()["sessions"].clone();
    let (mut left, mut done) = (0, 0);
    for part in 0..40u32 {
        let mut child = bench
            .command(&["db", "backup", "copy"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments from the start of the program to a little after its end.
        std::thread::sleep(whole * part / 36);
        let _ = child.kill();
        child.wait().unwrap();
        left += usize::from(!parts(&bench).is_empty());
        if bench.path("copy").exists() {
            assert_eq!(
                bench.line("list --store copy --json").good().json()["sessions"],
                listed,
                "half a copy under its name"
            );
            fs::remove_file(bench.path("copy")).unwrap();
            done += 1;
        }
    }
    println!("of 40 backups {left} left a part, {done} were whole");
    bench.line("db backup copy").done();
    assert_eq!(
        parts(&bench),
        Vec::<String>::new(),
        "what was left is removed"
    );
    bench.line("db check --full --store copy").good();
    for name in ["copy-wal", "copy-shm", "copy-journal"] {
        assert!(!bench.path(name).exists(), "{name}");
    }
}

#[test]
fn what_only_looks_like_a_part_stays() {
    let bench = Bench::new();
    drop(store::Store::open(&bench.path("s.db")).unwrap());
    for name in [".copy.part-0123456789abcdef", ".copy.part-thesis"] {
        bench.write(name, 1000);
    }
    let before = bench.snapshot();
    bench.line("db backup copy").done();
    fs::remove_file(bench.path("copy")).unwrap();
    assert_eq!(bench.snapshot(), before);
}
