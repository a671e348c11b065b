//! What fio does for each pass of a file: the pages that it drops from the page cache, as the kernel saw it of both programs.

use crate::bench::Bench;
use std::process::Command;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// The I/Os between two drops of the pages of a file, of the thread that reads or writes it: the first ten passes. None where
/// a program is absent.
fn passes(bench: &Bench, program: &[&str], job: &str) -> Option<Vec<u32>> {
    let folder = tempfile::tempdir().unwrap();
    let calls = "trace=pread64,pwrite64,preadv2,pwritev2,fadvise64";
    let mut strace = Command::new("strace");
    strace.args(["-ff", "-y", "-e", calls, "-o"]);
    strace.arg(folder.path().join("calls")).args(program);
    strace.args(job.split(' ')).current_dir(bench.path("."));
    let ran = strace.output().ok()?;
    assert!(ran.status.success(), "{program:?} {job}: {ran:?}");
    let mut all: Vec<Vec<u32>> = Vec::new();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let lines = text.lines().filter(|line| line.contains("/x>"));
        let mut found = vec![0];
        for line in lines {
            let ios = found.last_mut().unwrap();
            match line.contains("POSIX_FADV_DONTNEED") {
                true if *ios > 0 => found.push(0),
                false if !line.starts_with("fadvise64") => *ios += 1,
                _ => {}
            }
        }
        all.push(found);
    }
    let mut found = all
        .into_iter()
        .max_by_key(|found| found.iter().sum::<u32>())?;
    found.truncate(10);
    Some(found)
}

#[test]
fn pages_are_dropped_after_each_pass_where_fio_does() {
    let timed = "--time_based --runtime=2";
    for (options, pass) in [
        ("--rw=read --loops=3", 16),
        ("--rw=randread --loops=3", 16),
        ("--rw=randread --io_size=160k", 16),
        ("--rw=randwrite --loops=2", 16),
        ("--rw=read --offset=16k --size=32k --loops=4", 8),
        ("--rw=randread --norandommap --loops=3", 48),
        ("--rw=randread --random_distribution=zipf:1.2 --loops=2", 32),
        ("--rw=read --invalidate=0 --loops=3", 48),
        ("--rw=randread --numjobs=2 --loops=2", 16),
        (&format!("--rw=read {timed}"), 16),
        (&format!("--rw=randread {timed}"), 16),
    ] {
        let bench = Bench::new();
        std::fs::write(bench.path("x"), vec![0; 64 << 10]).unwrap();
        let job = format!(
            "--name=a --filename=x --bs=4k --size=64k --ioengine=psync --direct=0 --output=o {options}"
        );
        let Some(theirs) = passes(&bench, &["fio", "--thread"], &job) else {
            return println!("skipped: strace is not installed");
        };
        std::fs::remove_file(bench.path("o")).unwrap();
        let program = [FATHOM, "fio", "--no-store", "--overwrite"];
        let ours = passes(&bench, &program, &job).unwrap();
        assert_eq!(theirs[0], pass, "{options}");
        if options.contains("time_based") {
            assert!(ours.len() > 2 && ours[..ours.len() - 1].iter().all(|ios| *ios == pass));
        } else {
            assert_eq!(ours, theirs, "{options}");
        }
    }
}
