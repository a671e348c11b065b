//! `fathom fio` with fio's options of verification and of logs: what is compared, and what it exits with.

use crate::bench::Bench;
use serde_json::Value;

/// Reads, writes and the error of the first job.
pub(crate) fn totals(json: &str) -> [u64; 3] {
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
    // fio 3.33 has both with the option alone, and a line in its text.
    let errors = |json: &str| {
        let document: Value = serde_json::from_str(json).unwrap();
        ["total_err", "first_error"].map(|key| document["jobs"][0][key].as_u64())
    };
    assert_eq!(errors(&ran.out), [None, None]);
    let ran = run("--rw=read --verify=crc32c --continue_on_error=verify");
    assert_eq!(errors(&ran.out), [Some(1), Some(EILSEQ)]);
    let ran = run("--rw=read --verify=crc32c --continue_on_error=all --output-format=normal");
    assert!(
        ran.out
            .contains("     errors    : total=1, first_error=84/<"),
        "{}",
        ran.out
    );
}

type Codes = [i32; 2];
type Exits = (Option<Codes>, Codes);
const SAME: Exits = (Some([0, 1]), [0, 1]);
const NEWER: Exits = (None, [0, 1]);
const MORE: Exits = (Some([0, 0]), [0, 1]); // fio 3.33 misses the damage
const GOOD: Exits = (Some([0, 0]), [0, 0]);

/// Exit codes with a file that is as it was written and with one with two damaged blocks: those of fio 3.33, `None` where it
/// does not know the option, and those of fathom.
const OPTIONS: [(&str, Exits); 32] = [
    ("--verify=crc32c", SAME),
    ("--verify=md5", SAME),
    ("--verify=sha1", SAME),
    ("--verify=sha256", SAME),
    ("--verify=sha512", MORE),
    ("--verify=sha3-256", SAME),
    ("--verify=xxhash", SAME),
    ("--verify=crc64", SAME),
    ("--verify=crc7", SAME),
    ("--verify=meta", MORE),
    ("--verify=null", GOOD),
    (
        "--verify=pattern --verify_pattern=0xaa",
        (Some([0, 1]), [2, 2]),
    ),
    ("--verify=pattern_hdr --verify_pattern=0xaa", NEWER),
    ("--verify=crc32c --verify_interval=1024", MORE),
    (
        "--verify=crc32c --verify_offset=512",
        (Some([0, 1]), [2, 2]),
    ),
    ("--verify=crc32c --verify_fatal=1", SAME),
    ("--verify=crc32c --verify_dump=1", SAME),
    (
        "--verify=crc32c --verify_async=2 --verify_async_cpus=0",
        SAME,
    ),
    (
        "--verify=crc32c --verify_backlog=8 --verify_backlog_batch=4",
        SAME,
    ),
    ("--verify=crc32c --verify_state_save=1", SAME),
    (
        "--verify=crc32c --verify_state_load=1",
        (Some([1, 1]), [2, 2]),
    ),
    ("--verify=crc32c --experimental_verify=1", SAME),
    ("--verify=crc32c --verify_write_sequence=0", NEWER),
    ("--verify=crc32c --verify_pattern_interval=512", NEWER),
    ("--verify=crc32c --verify_header_seed=0", NEWER),
    ("--verify=crc32c --verifysort=0 --verifysort_nr=4", SAME),
    ("--verify=crc32c --trim_verify_zero=1", SAME),
    ("--verify=crc32c --continue_on_error=none", SAME),
    ("--verify=crc32c --continue_on_error=io", SAME),
    ("--verify=crc32c --continue_on_error=verify", GOOD),
    ("--verify=crc32c --continue_on_error=all", GOOD),
    (
        "--verify=crc32c --continue_on_error=verify --verify_fatal=1",
        GOOD,
    ),
];

#[test]
fn options_of_verification_exit_as_fio_does() {
    let bench = Bench::new();
    let job = "--name=j --size=256k --bs=4k --ioengine=psync";
    let write = |program: &str, prefix: &str| {
        let line = format!("{job} --filename={prefix}0 --rw=write --verify=crc32c --do_verify=0");
        assert_eq!(run_one(&bench, program, &line), 0, "{program} {line}");
        let mut data = std::fs::read(bench.path(&format!("{prefix}0"))).unwrap();
        for place in [40_960 + 1000, 81_920 + 1000] {
            data[place] ^= 1;
        }
        std::fs::write(bench.path(&format!("{prefix}1")), data).unwrap();
    };
    let codes = |program: &str, prefix: &str, options: &str| {
        [0, 1].map(|file| {
            let line = format!("{job} --filename={prefix}{file} --rw=read {options}");
            run_one(&bench, program, &line)
        })
    };
    write("fathom", "ours");
    for (options, (_, ours)) in &OPTIONS {
        assert_eq!(codes("fathom", "ours", options), *ours, "{options}");
    }
    let version = std::process::Command::new("fio").arg("--version").output();
    if !version.is_ok_and(|version| version.stdout.starts_with(b"fio-3.33")) {
        println!("skipped: fio 3.33 is not installed");
        return;
    }
    // What depends on the checksum was read off fio once; the rest takes a moment.
    write("fio", "theirs");
    let quick = OPTIONS
        .iter()
        .filter(|(options, _)| options.contains("continue_on_error"));
    for (options, (theirs, _)) in quick {
        assert_eq!(Some(codes("fio", "theirs", options)), *theirs, "{options}");
    }
}

/// Loads of sound storage that fio accused in reports of its users (the numbers of its issues), and how many of 4096 bytes
/// are written.
const ACCUSED_BY_FIO: [(&str, u64); 11] = [
    // 334, 335, 1756: several writes of one place in flight
    ("--rw=randwrite --norandommap --io_size=4m", 1024),
    ("--rw=randrw --norandommap --io_size=4m --rwmixread=0", 1024),
    ("--rw=randwrite --time_based --runtime=300ms", 0),
    // 344, 303: blocks of several lengths that overlap
    (
        "--rw=randwrite --norandommap --bsrange=4k-64k --io_size=4m",
        0,
    ),
    ("--rw=randwrite --bsrange=4k-64k", 256),
    // 1092, 1503, 1518: several jobs on one file
    ("--rw=randwrite --numjobs=4 --group_reporting", 1024),
    (
        "--rw=randwrite --numjobs=4 --group_reporting --norandommap --io_size=2m",
        2048,
    ),
    // 1938: reads that meet writes
    ("--rw=randrw --norandommap --io_size=4m", 0),
    // 2074: more than the size is written
    ("--rw=write --io_size=3m", 768),
    ("--rw=rw --loops=3", 0),
    // 1503: read back while writes go on
    (
        "--rw=randwrite --norandommap --io_size=4m --verify_backlog=8",
        1024,
    ),
];

#[test]
fn loads_that_fio_accuses_wrongly_accuse_nobody() {
    let bench = Bench::new();
    for (engine, cache) in [("libaio", 0), ("io_uring", 1)] {
        for (load, blocks) in ACCUSED_BY_FIO {
            let ran = bench.line(&format!(
                "fio --no-store --name=j --filename=f --size=1m --bs=4k --iodepth=32 --ioengine={engine} --direct={cache} \
                 --verify=crc32c --output-format=json {load}"
            ));
            assert_eq!(ran.code, Some(0), "{load}: {}", ran.err);
            assert!(!ran.err.contains("data-"), "{load}: {}", ran.err);
            let write = &ran.json()["jobs"][0]["write"];
            let written = write["io_kbytes"].as_u64().unwrap() / 4;
            assert!(written > 0, "{load}");
            assert!(blocks == 0 || written == blocks, "{load}: {written}");
        }
        // 468, 713, 732, 1447: later, by a job of another depth, seed and order.
        let later = "--rw=randread --verify_only --randseed=9 --iodepth=2";
        let ran = bench.line(&format!(
            "fio --no-store --name=k --filename=f --size=1m --bs=16k --verify=md5 {later}"
        ));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    // 1215, 2078: writes that fail are no corrupt data.
    let ran = bench.line("run sim:ssd,data=8M,eio=1/50 --length 8M --write 60 --depth 32 --threads 2 --duration 300ms --verify full --continue-on-error --json --no-store");
    assert_eq!(
        ran.json()["verification"]["kinds"].as_array().map(Vec::len),
        Some(0),
        "{}",
        ran.err
    );
}

/// The exit code of one job of fio's or of `fathom fio`.
fn run_one(bench: &Bench, program: &str, line: &str) -> i32 {
    if program == "fathom" {
        return bench.line(&format!("fio --no-store {line}")).code.unwrap();
    }
    let mut fio = std::process::Command::new(program);
    let fio = fio.args(line.split(' ')).current_dir(bench.path("."));
    fio.output().unwrap().status.code().unwrap()
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
