//! `fathom fio` with fio's options of verification and of traces: what is compared, what it exits with, and what is opened.

use crate::bench::Bench;
use serde_json::Value;

/// Reads, writes and the error of the first job.
fn totals(json: &str) -> [u64; 3] {
    let document: Value = serde_json::from_str(json).unwrap();
    let job = &document["jobs"][0];
    let count = |value: &Value| value.as_u64().unwrap();
    [
        count(&job["read"]["total_ios"]),
        count(&job["write"]["total_ios"]),
        count(&job["error"]),
    ]
}

#[test]
fn verified_jobs_find_a_damaged_block_and_exit_as_fio_does() {
    const EILSEQ: u64 = 84;
    let bench = Bench::new();
    let run = |options: &str| {
        bench.line(&format!(
            "fio --no-store --name=j --filename=f --size=1m --bs=4k --output-format=json {options}"
        ))
    };
    for (options, ios) in [
        (
            "--rw=randwrite --verify=crc32c --verify_backlog=16",
            [0, 256],
        ),
        ("--rw=write --verify=md5 --verify_only", [256, 0]),
        ("--rw=randread --verify=xxhash --verify_fatal=1", [256, 0]),
    ] {
        let ran = run(options);
        assert_eq!(ran.code, Some(0), "{options}: {}", ran.err);
        assert_eq!(totals(&ran.out), [ios[0], ios[1], 0], "{options}");
    }
    let path = bench.path("f");
    let mut data = std::fs::read(&path).unwrap();
    data[40_960 + 1000] ^= 1;
    std::fs::write(&path, data).unwrap();
    let ran = run("--rw=read --verify=crc32c");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(totals(&ran.out), [256, 0, EILSEQ]);
    assert!(ran.err.contains("data-bit-rot"), "{}", ran.err);
}

#[test]
fn a_log_of_fio_s_is_replayed_on_what_filename_names_and_on_nothing_else() {
    let bench = Bench::new();
    let log = "fio version 2 iolog\nother add\nother open\nother read 0 4096\nother write 8192 4096\nother close\n";
    std::fs::write(bench.path("log"), log).unwrap();
    let job = "fio --no-store --output-format=json --name=j --read_iolog=log --size=1m";
    for target in [
        "--filename=f",
        "--replay_redirect=g --replay_time_scale=200",
    ] {
        let ran = bench.line(&format!("{job} {target}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(totals(&ran.out), [1, 1, 0]);
    }
    let refused = bench.line(job);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("opens nothing"), "{}", refused.err);
    assert!(!bench.path("other").exists());
}

#[test]
fn logs_without_a_step_and_of_histograms_are_written() {
    let bench = Bench::new();
    let ran = bench.line(
        "fio --no-store --name=j --filename=f --size=1m --bs=4k --rw=randrw --output-format=json --write_bw_log=l --write_hist_log=l",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let [reads, writes, _] = totals(&ran.out);
    let text = std::fs::read_to_string(bench.path("l_clat_hist.1.log")).unwrap();
    let counted = text.lines().map(|line| {
        let numbers = line
            .split(", ")
            .map(|number| number.parse::<u64>().unwrap());
        numbers.skip(3).sum::<u64>()
    });
    assert_eq!(counted.collect::<Vec<_>>(), [reads, writes]);
    assert!(bench.path("l_bw.1.log").exists());
}
