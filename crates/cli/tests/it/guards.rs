//! What is not fathom's is not written and not removed, also where a look here and there does not show it.

use crate::bench::{Bench, until};
use std::fs::{self, FileTimes, OpenOptions};
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::time::{Duration, SystemTime};

const SHORT: &str = "-d 300ms --warmup 0s --no-store";
const SURVEY: &str = "survey --depth-max 1 --budget 3s --no-store";
/// Between the blocks that a scan of a file of 64 MiB reads.
const HIDDEN: u64 = 33 * 4096;

/// A file that fathom created, with a user's block in the middle of it.
fn with_a_hidden_letter(bench: &Bench) {
    let line = format!("run {SHORT} --create 64M own");
    bench.line(&line).good();
    let file = OpenOptions::new().write(true).open(bench.path("own"));
    let letter = [b"my only copy".as_slice(), &[b'.'; 4084]].concat();
    file.unwrap().write_all_at(&letter, HIDDEN).unwrap();
}

/// A user's letter, still there.
fn the_letter_is_there(bench: &Bench) {
    let own = fs::read(bench.path("own")).unwrap();
    assert!(own[HIDDEN as usize..].starts_with(b"my only copy"));
}

#[test]
fn one_block_of_somebody_else_stops_writing() {
    let bench = Bench::new();
    with_a_hidden_letter(&bench);
    let words = format!("offset {HIDDEN} contains data that fathom did not write");
    for line in [
        format!("run {SHORT} -w 100 own"),
        format!("{SURVEY} own"),
        format!("{SURVEY} --size 128M own"),
    ] {
        bench.line(&line).refused(&words);
        the_letter_is_there(&bench);
    }
    bench.line(&format!("run {SHORT} own")).good(); // reads need no proof
    bench
        .line(&format!("run {SHORT} -w 100 --overwrite own"))
        .good();
}

#[test]
fn one_block_of_somebody_else_stops_removing() {
    let bench = Bench::new();
    with_a_hidden_letter(&bench);
    let words = format!("offset {HIDDEN} contains data that fathom did not write");
    for option in ["--read-only", "--overwrite", ""] {
        let line = format!("{SURVEY} --rm {option} own");
        bench.line(&line).refused(&words);
        the_letter_is_there(&bench);
    }
}

#[test]
fn what_is_proven_is_written_and_removed() {
    let bench = Bench::new();
    bench.line(&format!("run {SHORT} --create 64M own")).good();
    let said = bench.line(&format!("{SURVEY} --rm own")).good();
    assert!(said.err.contains("own: removed"), "{said:?}");
    assert!(!bench.path("own").exists());
}

#[test]
fn a_second_fathom_names_the_first() {
    let bench = Bench::new();
    bench.line(&format!("run {SHORT} --create 1M own")).good();
    let mut first = bench.start("run -w 100 --warmup 0s -d 1h --no-store own");
    let word = format!(" {} ", first.id());
    until(|| {
        assert!(first.try_wait().unwrap().is_none(), "the first ended");
        fs::read_to_string("/proc/locks").unwrap().contains(&word)
    });
    let words = format!("another fathom is using it (process {}: ", first.id());
    bench.line(&format!("run {SHORT} own")).refused(&words);
    first.kill().unwrap();
    first.wait().unwrap();
}

#[test]
fn zeros_in_a_file_are_somebodys() {
    let bench = Bench::new();
    fs::write(bench.path("zeros"), vec![0; 1 << 20]).unwrap();
    let line = format!("run {SHORT} -w 100 zeros");
    let hint = "hint: use --write 0 to only read, or use --overwrite";
    bench.line(&line).refused(hint);
    bench
        .line(&format!("run {SHORT} -w 100 --overwrite zeros"))
        .good();
}

#[test]
fn the_store_under_a_second_name_is_no_target() {
    let bench = Bench::new();
    bench.line("run --engine null -d 300ms --warmup 0s").good();
    fs::hard_link(bench.path("s.db"), bench.path("harmless")).unwrap();
    let before = bench.snapshot();
    bench
        .line("run -d 300ms -w 100 --overwrite harmless")
        .refused("the results are stored in this file");
    assert!(bench.snapshot() == before);
}

#[test]
fn a_file_that_may_only_grow_is_refused_with_what_lifts_that() {
    let bench = Bench::new();
    bench.write("log", 1 << 20);
    let chattr = |how: &str| {
        let done = Command::new("chattr")
            .arg(how)
            .arg(bench.path("log"))
            .output();
        done.is_ok_and(|done| done.status.success())
    };
    if !chattr("+a") {
        eprintln!("skipped: chattr needs root and a file system that knows it");
        return;
    }
    let said = bench.line(&format!("run {SHORT} -w 100 --overwrite log"));
    assert!(chattr("-a"));
    said.refused("append-only (chattr -a log lifts it)");
}

#[test]
fn reading_leaves_the_time_of_the_last_use() {
    let bench = Bench::new();
    bench.line(&format!("run {SHORT} --create 8M own")).good();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let age = || {
        let file = OpenOptions::new().write(true).open(bench.path("own"));
        let times = FileTimes::new().set_accessed(long_ago);
        file.unwrap().set_times(times).unwrap();
    };
    let used = || fs::metadata(bench.path("own")).unwrap().accessed().unwrap();
    age();
    fs::read(bench.path("own")).unwrap();
    if used() == long_ago {
        println!("skipped: the file system here keeps no access times");
        return;
    }
    age();
    for line in [
        format!("run {SHORT} own"),
        format!("run {SHORT} --cache cached --engine sync own"),
    ] {
        bench.line(&line).good();
        assert_eq!(used(), long_ago, "{line}");
    }
    let checked = bench.line("check own"); // whose answer is also of what else the machine does
    assert!(matches!(checked.code, Some(0 | 3)), "{checked:?}");
    assert_eq!(used(), long_ago, "check");
}
