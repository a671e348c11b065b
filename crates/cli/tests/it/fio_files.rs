//! New files of `fathom fio`: what of them is written before the run, as in fio, and how they are recognized afterwards.

use crate::bench::Bench;
use serde_json::Value;
use std::os::unix::fs::{FileExt, MetadataExt};

const SIZE: u64 = 4 << 20;

/// Blocks of 4096 bytes that have a header, and those that are zeros; any other fails.
fn blocks(bench: &Bench, name: &str) -> (usize, usize) {
    let data = std::fs::read(bench.path(name)).unwrap();
    let blocks = || data.chunks(4096);
    let written = blocks().filter(|block| model::block_header::is_whole(block));
    let zeros = blocks().filter(|block| block.iter().all(|byte| *byte == 0));
    let counts = (written.count(), zeros.count());
    assert_eq!(counts.0 + counts.1, blocks().count());
    counts
}

/// 16 random writes into a new file; fio 3.33 leaves the same sizes and spaces.
fn job(fallocate: &str) -> String {
    format!(
        "fio --name=a --rw=randwrite --size=4m --bs=4k --number_ios=16 --filename=f {fallocate} --no-store"
    )
}

#[test]
fn a_new_file_that_is_only_written_is_laid_out_as_asked_and_known_again() {
    for (fallocate, has_size, has_space) in [
        ("", true, true),
        ("--fallocate=posix", true, true),
        ("--fallocate=keep", false, true),
        ("--fallocate=truncate", true, false),
        ("--fallocate=none", false, false),
        ("--create_on_open=1", false, false),
    ] {
        let bench = Bench::new();
        for time in ["first", "again"] {
            let reported = bench.line(&job(fallocate));
            assert_eq!(
                reported.code,
                Some(0),
                "{fallocate}, {time}: {}",
                reported.err
            );
        }
        let there = std::fs::metadata(bench.path("f")).unwrap();
        assert_eq!(
            there.len() == SIZE,
            has_size,
            "{fallocate}: {}",
            there.len()
        );
        let space = there.blocks() * 512;
        assert_eq!(space >= SIZE, has_space, "{fallocate}: {space}");
        let (written, _) = blocks(&bench, "f");
        assert!((16..=33).contains(&written), "{fallocate}: {written}");
    }
}

#[test]
fn one_foreign_byte_in_a_block_that_was_never_written_refuses() {
    let bench = Bench::new();
    assert_eq!(bench.line(&job("")).code, Some(0));
    let data = std::fs::read(bench.path("f")).unwrap();
    let zeros = data
        .chunks(4096)
        .enumerate()
        .filter(|(_, block)| block.iter().all(|byte| *byte == 0));
    let places: Vec<usize> = zeros.map(|(block, _)| block).collect();
    for place in [
        places[0],
        places[places.len() / 2],
        places[places.len() - 1],
    ] {
        let file = std::fs::File::options()
            .write(true)
            .open(bench.path("f"))
            .unwrap();
        file.write_all_at(b"x", place as u64 * 4096 + 77).unwrap();
        let before = std::fs::read(bench.path("f")).unwrap();
        let reported = bench.line(&job(""));
        assert_eq!(reported.code, Some(2), "block {place}: {}", reported.err);
        assert_eq!(std::fs::read(bench.path("f")).unwrap(), before);
        file.write_all_at(&[0], place as u64 * 4096 + 77).unwrap();
    }
    assert_eq!(bench.line(&job("")).code, Some(0));
}

#[test]
fn files_that_are_read_mapped_overwritten_or_verified_are_filled_before() {
    for options in [
        "--rw=read",
        "--rw=randrw",
        "--rw=write --overwrite=1",
        "--rw=write --ioengine=mmap",
        "--rw=randwrite --verify=crc32c",
    ] {
        let bench = Bench::new();
        let line = format!(
            "fio --name=a {options} --size=4m --bs=4k --number_ios=16 --filename=f --no-store"
        );
        let reported = bench.line(&line);
        assert_eq!(reported.code, Some(0), "{options}: {}", reported.err);
        assert_eq!(blocks(&bench, "f"), (1024, 0), "{options}");
    }
}

/// What was never written is filled before it is read, so that no read returns zeros without disk I/O.
#[test]
fn a_job_that_reads_fills_what_another_job_left_unwritten() {
    let bench = Bench::new();
    assert_eq!(bench.line(&job("")).code, Some(0));
    assert!(blocks(&bench, "f").1 > 900);
    let reported = bench.line("fio --name=b --rw=read --size=4m --bs=64k --filename=f --no-store");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    assert_eq!(blocks(&bench, "f"), (1024, 0));
}

/// etcd's check, twice: its blocks have no headers, so a record knows the file again.
#[test]
fn first_writes_are_a_finding_of_the_result_and_overwrites_are_not() {
    let bench = Bench::new();
    let line = "fio --name=mytest --rw=write --ioengine=sync --fdatasync=1 --directory=. --size=230k --bs=2300";
    let found = |run: &str| {
        let reported = bench.line(line);
        assert_eq!(reported.code, Some(0), "{run}: {}", reported.err);
        let shown = bench.line(&format!("show {run} --json"));
        let document: Value = serde_json::from_str(&shown.out).unwrap();
        document.to_string().contains("\"unwritten-extents\"")
    };
    assert!(found("1"));
    assert!(!found("2"));
}

#[test]
fn job_files_are_read_where_their_targets_and_what_they_include_are_missing() {
    let bench = Bench::new();
    let text = "[a]\nfilename=gone.dat\nrw=randread\ninclude gone.inc\n";
    std::fs::write(bench.path("j.fio"), text).unwrap();
    let before = bench.snapshot();
    let parsed = bench.line("fio --parse-only j.fio");
    assert_eq!(parsed.code, Some(0), "{}", parsed.err);
    assert_eq!(
        parsed.err.matches("note: j.fio:").count(),
        2,
        "{}",
        parsed.err
    );
    assert!(
        parsed.out.contains("until each thread has moved its size"),
        "{}",
        parsed.out
    );
    let run = bench.line("fio j.fio --no-store");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert_eq!(bench.snapshot(), before);
}
