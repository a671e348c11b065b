//! A file is known again by the next run after any write of fathom, and not any more after one foreign byte.

use crate::bench::{Bench, Said, until};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::SystemTime;

/// One line of each content, on a file `f` that is there or is created, with an option that follows.
const KINDS: [(&str, &str); 15] = [
    ("blocks", "run -b 4K -w 100 -d 100ms --warmup 0s f"),
    ("small sectors", "run -b 512 -w 100 -d 100ms --warmup 0s f"),
    (
        "compressible",
        "run -b 8K -w 50 --compress 50 -d 100ms --warmup 0s f",
    ),
    (
        "duplicates",
        "run -b 4K -w 100 --dedupe 50 -d 100ms --warmup 0s f",
    ),
    ("counting pattern", "diskspd -b4K -w100 -W0 -d1 -g2000i f"),
    ("zeros", "diskspd -b4K -w100 -W0 -d1 -g2000i -Z f"),
    (
        "new random bytes",
        "diskspd -b4K -w100 -W0 -d1 -g2000i -Zr f",
    ),
    (
        "shared random bytes",
        "diskspd -b4K -w100 -W0 -d1 -g2000i -Z1M f",
    ),
    (
        "a file as source",
        "diskspd -b4K -w100 -W0 -d1 -g2000i -Z1M,source f",
    ),
    ("odd size 2300", "diskspd -b2300 -w100 -W0 -d1 -g2000i f"),
    (
        "odd size 47008",
        "diskspd -b47008 -w100 -W0 -d1 -g2000i -Zr f",
    ),
    ("odd size 3901", "diskspd -b3901 -w100 -W0 -d1 -g2000i f"),
    ("sqlio", "sqlio -kW -s1 -b8 -f8 -i8 f"),
    (
        "fio",
        "fio --name=x --filename=f --size=4m --rw=randwrite --bs=4k --runtime=1 --time_based --rate_iops=2000",
    ),
    (
        "fio zeros",
        "fio --name=x --filename=f --size=4m --rw=randwrite --bs=512 --zero_buffers --runtime=1 --time_based --rate_iops=2000",
    ),
];

fn with_file(size: &str) -> Bench {
    let bench = Bench::new();
    bench.write("source", 100_000);
    let create = format!("run --create {size} -b 4K -w 0 -d 100ms --warmup 0s f");
    bench.line(&create).good();
    bench
}

/// A foreign write of one byte, and what the file contains then.
fn flip(bench: &Bench, at: u64) -> Vec<u8> {
    let file = File::options().read(true).write(true).open(bench.path("f"));
    let (file, mut byte) = (file.unwrap(), [0]);
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[!byte[0]], at).unwrap();
    drop(file);
    std::fs::read(bench.path("f")).unwrap()
}

fn is_refused(bench: &Bench, said: &Said, before: &[u8], line: &str) {
    assert!(matches!(said.code, Some(1..=3)), "{line}: {said:?}");
    assert!(said.err.contains("--overwrite"), "{line}: {said:?}");
    let after = std::fs::read(bench.path("f")).unwrap();
    assert!(after == before, "{line}: the file was changed");
}

fn every_kind_is_known_again(option: &str) {
    for (kind, line) in KINDS {
        let line = line.replace(" f", &format!("{option} f"));
        let line = line.replace("--filename=f", &format!("--filename=f{option}"));
        let bench = with_file("4M");
        for run in 1..=3 {
            let said = bench.line(&line);
            assert_eq!(said.code, Some(0), "{kind}, run {run}: {said:?}");
        }
        let before = flip(&bench, 2_000_009);
        is_refused(&bench, &bench.line(&line), &before, kind);
    }
}

#[test]
fn every_content_is_known_again_until_somebody_else_writes() {
    every_kind_is_known_again("");
}

/// Without a results database the record is an attribute of the file.
#[test]
fn every_content_is_known_again_without_a_database() {
    every_kind_is_known_again(" --no-store");
}

#[test]
fn a_file_of_an_odd_length_is_known_again() {
    let bench = Bench::new();
    for run in 1..=2 {
        let said = bench.line("diskspd -c5000001 -b4K -w100 -W0 -d1 -Zr f");
        assert_eq!(said.code, Some(0), "run {run}: {said:?}");
    }
    let before = flip(&bench, 5_000_000);
    let line = "diskspd -b4K -w100 -W0 -d1 -g2000i -Zr f";
    is_refused(&bench, &bench.line(line), &before, line);
}

/// A foreign write that puts the time of writing back does not put back the time of the last change.
#[test]
fn a_write_that_hides_its_time_is_seen() {
    for option in ["", "--no-store "] {
        let bench = with_file("4M");
        let line = format!("diskspd -b4K -w100 -W0 -d1 -g2000i {option}f");
        assert_eq!(bench.line(&line).code, Some(0));
        let written: SystemTime = bench.path("f").metadata().unwrap().modified().unwrap();
        let before = flip(&bench, 77);
        let file = File::options().write(true).open(bench.path("f")).unwrap();
        file.set_modified(written).unwrap();
        drop(file);
        is_refused(&bench, &bench.line(&line), &before, &line);
    }
}

/// The copy of a record is none: an attribute that came along with another file does not fit that file.
#[test]
fn a_copied_attribute_proves_nothing() {
    let bench = with_file("4M");
    let line = "diskspd -b4K -w100 -W0 -d1 -g2000i --no-store f";
    assert_eq!(bench.line(line).code, Some(0));
    let copied = std::process::Command::new("cp")
        .args(["--preserve=all", "f", "g"])
        .current_dir(bench.path(""))
        .status();
    assert!(copied.unwrap().success());
    std::fs::rename(bench.path("g"), bench.path("f")).unwrap();
    let before = std::fs::read(bench.path("f")).unwrap();
    is_refused(&bench, &bench.line(line), &before, line);
}

#[test]
fn a_run_that_was_killed_among_unsealed_writes_leaves_a_file_that_is_refused() {
    for option in ["", "--no-store "] {
        let bench = with_file("4M");
        let mut child = bench.start(&format!("diskspd -b4K -w100 -W0 -d60 {option}f"));
        let sealed = std::fs::read(bench.path("f")).unwrap();
        until(|| std::fs::read(bench.path("f")).unwrap() != sealed);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = std::fs::read(bench.path("f")).unwrap();
        let line = format!("diskspd -b4K -w100 -W0 -d1 -g2000i {option}f");
        let said = bench.line(&line);
        is_refused(&bench, &said, &before, &line);
        assert!(said.err.contains("killed"), "{said:?}");
    }
}

/// What was overwritten with the person's word is not fathom's afterwards.
#[test]
fn a_foreign_file_stays_foreign_after_a_run_that_was_allowed() {
    let bench = Bench::new();
    bench.write("f", 4 << 20);
    let allowed = bench.line("diskspd -b4K -w100 -W0 -d1 -g2000i --overwrite f");
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    let before = std::fs::read(bench.path("f")).unwrap();
    let line = "diskspd -b4K -w100 -W0 -d1 -g2000i f";
    is_refused(&bench, &bench.line(line), &before, line);
}

/// A large file is not read whole to prove it: neither the run after the one that created it, nor the next.
#[test]
fn the_proof_of_a_large_file_is_remembered() {
    let bench = with_file("300M");
    let line = "run -b 4K -w 100 -d 100ms --warmup 0s --engine sync f";
    let bytes_read = || {
        let reported = std::process::Command::new("strace")
            .args(["-f", "-e", "trace=pread64", "-o", "trace"])
            .arg(env!("CARGO_BIN_EXE_fathom"))
            .args(line.split_whitespace())
            .env("FATHOM_STORE", bench.path("s.db"))
            .current_dir(bench.path(""))
            .output();
        let reported = reported.ok().filter(|reported| reported.status.success())?;
        assert!(!reported.stdout.is_empty());
        let trace = std::fs::read_to_string(bench.path("trace")).unwrap();
        let lengths = trace
            .lines()
            .filter_map(|line| line.rsplit("= ").next()?.parse::<u64>().ok());
        Some(lengths.sum::<u64>())
    };
    let (Some(first), Some(second)) = (bytes_read(), bytes_read()) else {
        println!("skipped: strace is not installed");
        return;
    };
    println!("read by pread: {first} bytes, then {second}");
    assert!(first.max(second) < 50 << 20, "{first} bytes, then {second}");
    let before = flip(&bench, 200_000_009);
    is_refused(&bench, &bench.line(line), &before, line);
}
