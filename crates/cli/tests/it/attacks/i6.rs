//! I6: reports that were killed left `.part` files, which stood in the way of the next one.

use super::traces;
use crate::bench::Bench;
use std::fs;
use std::process::{Command, Stdio};

fn parts(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.path(".")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.contains(".part")).collect()
}

/// Runs the program and kills it at the first of these system calls.
fn killed_at(bench: &Bench, calls: &str, line: &str) {
    let plain = bench.command(&[""; 0]);
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-o", "/dev/null", "-e"])
        .arg(format!("inject={calls}:signal=SIGKILL:when=1"))
        .arg(plain.get_program())
        .args(line.split_whitespace())
        .current_dir(bench.path("."))
        .env("FATHOM_STORE", bench.path("s.db"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    assert!(!strace.status().unwrap().success());
}

#[test]
fn what_a_killed_report_leaves_is_removed_by_the_next_and_stands_in_nobodys_way() {
    if !traces() {
        return println!("skipped: strace does not run here");
    }
    let bench = Bench::new();
    bench.line("run --engine null --warmup 0s -d 20ms").good();
    for made_before in [false, true] {
        if made_before {
            bench.line("report 1").good();
        }
        killed_at(&bench, "rename,renameat,renameat2", "report 1");
        assert_eq!(parts(&bench).len(), 1, "{made_before}");
        fs::write(bench.path(".report.html.part-0123456789abcdef"), "a user's").unwrap();
        bench.line("report 1").good();
        assert_eq!(parts(&bench), [".report.html.part-0123456789abcdef"]);
        fs::remove_file(bench.path(".report.html.part-0123456789abcdef")).unwrap();
        fs::remove_file(bench.path("report.html")).unwrap();
    }
    killed_at(
        &bench,
        "rename,renameat,renameat2",
        "export 1 --csv --out r.csv",
    );
    assert!(!bench.path("r.csv").exists());
    bench.line("export 1 --csv --out r.csv").done();
    assert!(parts(&bench).is_empty());
}
