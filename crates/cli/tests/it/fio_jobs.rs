//! `fathom fio`: job files of the kinds in fio's manual are read; the same job moves the same by fio and by fathom; what
//! is printed is fio's JSON to those who read that.

use crate::bench::{Bench, Said};
use crate::looped::Loop;
use expect_test::expect_file;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const JOBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/jobs");

fn fixtures() -> Vec<PathBuf> {
    let all = std::fs::read_dir(JOBS).unwrap();
    let mut paths: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "fio"));
    paths.sort();
    paths
}

/// In a folder with copies of all of them.
fn bench() -> Bench {
    let bench = Bench::new();
    for entry in std::fs::read_dir(JOBS).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(
            &path,
            bench.path(path.file_name().unwrap().to_str().unwrap()),
        )
        .unwrap();
    }
    bench
}

fn said(bench: &Bench, line: &str) -> Said {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = bench.command(&words);
    Said::from(command.env("JOB_MIB", "4").output().unwrap())
}

#[test]
fn twenty_job_files_are_read_and_say_what_they_mean() {
    let (bench, fixtures) = (bench(), fixtures());
    assert_eq!(fixtures.len(), 20);
    let mut page = String::new();
    for path in fixtures {
        let name = path.file_name().unwrap().to_str().unwrap();
        let reported = said(&bench, &format!("fio --parse-only {name}"));
        assert_eq!(reported.code, Some(0), "{name}: {}", reported.err);
        page.push_str(&format!("{name}\n{}{}\n", reported.out, reported.err));
    }
    expect_file![format!("{JOBS}/read.txt")].assert_eq(&page);
}

#[test]
fn job_files_run_and_write_nothing_that_they_did_not_make() {
    let bench = bench();
    for name in [
        "02-random-write",
        "08-threads-with-files-of-their-own",
        "10-several-files",
        "20-environment-and-bases",
    ] {
        let reported = said(&bench, &format!("fio {name}.fio"));
        assert_eq!(reported.code, Some(0), "{name}: {}", reported.err);
        assert!(reported.out.starts_with('['), "{}", reported.out);
    }
    bench.write("mine.dat", 1 << 20);
    let before = bench.snapshot();
    let reported = said(
        &bench,
        "fio --name=w --rw=write --size=1m --filename=mine.dat --no-store",
    );
    assert_eq!(reported.code, Some(2));
    assert!(reported.err.contains("--overwrite"), "{}", reported.err);
    assert_eq!(bench.snapshot(), before);
}

#[test]
fn what_is_not_honoured_is_named_with_its_line() {
    let bench = Bench::new();
    let text = "[j]\nsize=1m\nverify=rot13\nrw=randtrim\nioengine=rbd\nopendir=x\nuid=1\nexec_prerun=x\n\
                latency_target=5ms\nioscheduler=none\n";
    std::fs::write(bench.path("j.fio"), text).unwrap();
    let reported = bench.line("fio j.fio");
    let lines: Vec<String> = (3..11)
        .map(|line| format!("fathom: j.fio:{line}: "))
        .collect();
    assert_eq!(reported.code, Some(2));
    for (line, start) in reported.err.lines().zip(&lines) {
        assert!(line.starts_with(start.as_str()), "{}", reported.err);
    }
    assert_eq!(
        reported.err.lines().count(),
        lines.len(),
        "{}",
        reported.err
    );
}

/// Reads, writes, and bytes of both, as the block layer counted them: merged ones are as many as they were.
fn counted(device: &Path) -> [u64; 4] {
    let name = device.file_name().unwrap().to_str().unwrap();
    let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let all: Vec<u64> = stat
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    [all[0] + all[1], all[4] + all[5], all[2] * 512, all[6] * 512]
}

fn moved(device: &Path, command: &mut Command) -> [u64; 4] {
    let before = counted(device);
    let reported = command.output().unwrap();
    assert!(reported.status.success(), "{reported:?}");
    let after = counted(device);
    [0, 1, 2, 3].map(|number| after[number] - before[number])
}

/// fio 3.33 makes 7, 255 and 0 such calls in these, and the one at the end besides.
#[test]
fn data_is_made_durable_after_so_many_writes_but_not_after_the_last() {
    let bench = Bench::new();
    for (options, calls) in [
        ("--fsync=32", 7),
        ("--fsync=32 --ioengine=io_uring --iodepth=4", 7),
        ("--fdatasync=1", 255),
        ("--fsync=32 --end_fsync=1", 7),
        ("--end_fsync=1", 0),
        ("--fsync=1 --rw=read", 0),
    ] {
        let line =
            format!("fio --name=x --size=1m --bs=4k --rw=write {options} --output-format=json");
        let reported = said(&bench, &line);
        assert_eq!(reported.code, Some(0), "{options}: {}", reported.err);
        let document: serde_json::Value = serde_json::from_str(&reported.out).unwrap();
        let sync = &document["jobs"][0]["sync"];
        assert_eq!(sync["total_ios"], calls, "{options}");
        assert_eq!(sync["lat_ns"]["N"], calls, "{options}");
        let ios = |side: &str| document["jobs"][0][side]["total_ios"].as_u64().unwrap();
        assert_eq!(ios("read") + ios("write"), 256, "{options}");
    }
}

#[test]
fn the_same_job_moves_the_same_by_fio_and_by_fathom() {
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed");
        return;
    }
    let Some(looped) = Loop::new(&[]) else { return };
    let (bench, device) = (Bench::new(), &looped.device);
    let jobs = [
        ("rw=read\nbs=64k\nsize=8m\n", true),
        (
            "rw=randread\nbs=4k\nsize=8m\niodepth=8\nioengine=libaio\n",
            true,
        ),
        (
            "rw=write\nbs=16k\nsize=4m\noffset=8m\niodepth=4\nioengine=io_uring\n",
            true,
        ),
        ("rw=randwrite\nbs=8k\nsize=4m\nnumjobs=2\n", true),
        ("rw=read\nbs=4k\nsize=4m\nio_size=10m\n", true),
        ("rw=read:64k\nbs=64k\nsize=8m\n", true),
        ("rw=write:-128k\nbs=64k\nsize=4m\n", true),
        ("rw=read\nbs=4k\nsize=4m\nloops=2\n", true),
        (
            "rw=randrw\nrwmixread=70\nbs=4k\nsize=16m\niodepth=4\nioengine=libaio\n",
            false,
        ),
    ];
    for (job, exactly) in jobs {
        let text = format!(
            "[global]\ndirect=1\nrandrepeat=1\nfilename={}\n[j]\n{job}",
            device.display()
        );
        std::fs::write(bench.path("j.fio"), text).unwrap();
        let mut fio = Command::new("fio");
        let by_fio = moved(device, fio.arg(bench.path("j.fio")));
        let name = device.to_str().unwrap();
        let by_fathom = moved(
            device,
            &mut bench.command(&["fio", "j.fio", "--destroy", name, "--no-store"]),
        );
        println!(
            "{} fio {by_fio:?}, fathom {by_fathom:?}",
            job.replace('\n', " ")
        );
        // fathom checks a device before it uses it: who it belongs to, and whether it is its own.
        let looked = |here: u64, there: u64| here.abs_diff(there) <= 700;
        let bytes = |here: u64, there: u64| here.abs_diff(there) <= 4 << 20;
        if exactly {
            assert_eq!(by_fio[1], by_fathom[1], "{job}");
            assert_eq!(by_fio[3], by_fathom[3], "{job}");
            assert!(
                looked(by_fio[0], by_fathom[0]) && bytes(by_fio[2], by_fathom[2]),
                "{job}"
            );
        } else {
            // Five standard deviations of a binomial, of both: sqrt(4096 × 0.7 × 0.3) = 29.
            assert!(by_fio[1].abs_diff(by_fathom[1]) < 300, "{job}");
        }
    }
}

#[test]
fn fio_s_counts_are_fathom_s_counts() {
    let bench = Bench::new();
    let jobs = "--name=a --filename=f --size=2m --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=8 \
                --name=b --stonewall --filename=f --size=2m --rw=write --bs=64k --direct=1 --numjobs=2";
    let reported = bench.line(&format!(
        "fio {jobs} --output-format=json --output=out.json"
    ));
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    assert_eq!(reported.out, "");
    let document = document(&bench);
    let all = document["jobs"].as_array().unwrap();
    let names: Vec<&str> = all
        .iter()
        .map(|job| job["jobname"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["a", "b", "b"],
        "without group_reporting each thread is one"
    );
    assert_eq!(all[0]["read"]["total_ios"], 512);
    assert_eq!(all[1]["iodepth_level"]["1"], 100.0, "one I/O in flight");
    for job in &all[1..] {
        assert_eq!(
            (&job["write"]["total_ios"], &job["write"]["io_bytes"]),
            (&32.into(), &(2 << 20).into())
        );
    }
    for missing in ["slat_ns", "iodepth_level", "ctx", "majf"] {
        assert!(
            all[0][missing].is_null() && all[0]["read"][missing].is_null(),
            "{missing}"
        );
    }
}

/// Which figures a job's results have: of each side the latencies that were counted and their percentiles, in the JSON; the
/// percentiles of the terse line and its length; and the lines of the normal text.
fn figures_of(program: &mut dyn FnMut(&str) -> Vec<u8>, options: &str) -> Vec<String> {
    let job = format!(
        "--name=a --ioengine=null --size=8m --rw=randrw --bs=4k {options} --output-format="
    );
    let document: Value = serde_json::from_slice(&program(&format!("{job}json"))).unwrap();
    let mut all = Vec::new();
    for side in ["read", "write", "trim", "mixed"] {
        for name in ["clat_ns", "lat_ns"] {
            let times = &document["jobs"][0][side][name];
            let mut percentiles = BTreeSet::new();
            keys(&times["percentile"], "", &mut percentiles);
            all.push(format!("{side} {name} {} {percentiles:?}", times["N"]));
        }
    }
    let terse = String::from_utf8(program(&format!("{job}terse"))).unwrap();
    let fields: Vec<&str> = terse.trim().split(';').collect();
    let percents = fields.iter().filter_map(|field| field.split_once("%="));
    let percents: Vec<&str> = percents.map(|(percent, _)| percent).collect();
    all.push(format!("{} {percents:?}", fields.len()));
    let normal = String::from_utf8(program(&format!("{job}normal"))).unwrap();
    for line in normal.lines() {
        let name = line.split([':', '(']).next().unwrap_or_default().trim();
        let known = [
            "read",
            "write",
            "mixed",
            "clat",
            "clat percentiles",
            "lat percentiles",
            "READ",
            "WRITE",
            "MIXED",
        ];
        if known.contains(&name) {
            all.push(name.to_owned());
        } else if line.starts_with("     | ") {
            let percents = line
                .split('[')
                .filter_map(|part| part.rsplit_once(['|', ',']));
            let percents: Vec<&str> = percents.map(|(_, percent)| percent.trim()).collect();
            all.push(format!("{percents:?}"));
        } else if name == "lat" && line.contains("avg") {
            all.push("lat".to_owned());
        }
    }
    all
}

#[test]
fn options_of_statistics_choose_the_figures_of_all_forms() {
    let bench = Bench::new();
    let mut ours = |line: &str| {
        let reported = bench.line(&format!("fio {line} --no-store"));
        assert_eq!(reported.code, Some(0), "{line}: {}", reported.err);
        reported.out.into_bytes()
    };
    let figures = figures_of(
        &mut ours,
        "--percentile_list=99.9:50 --lat_percentiles=1 --disable_clat=1",
    );
    assert!(
        figures.contains(&"read clat_ns 0 {}".to_owned()),
        "{figures:?}"
    );
    assert!(
        figures.contains(&r#"["50.0th=", "99.9th="]"#.to_owned()),
        "{figures:?}"
    );
    let mixed = figures_of(&mut ours, "--unified_rw_reporting=mixed");
    assert!(mixed[6].starts_with("mixed clat_ns 2048 "), "{mixed:?}");
    assert!(mixed[0].starts_with("read clat_ns null "), "{mixed:?}");
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed");
        return;
    }
    let mut theirs = |line: &str| {
        let mut fio = Command::new("fio");
        let output = fio
            .args(line.split_whitespace())
            .current_dir(bench.path(""))
            .output();
        output.unwrap().stdout
    };
    for options in [
        "",
        "--percentile_list=99.9:50",
        "--percentile_list=1:2:3:4:5:99.999:0:7",
        "--lat_percentiles=1",
        "--lat_percentiles=1 --clat_percentiles=0",
        "--clat_percentiles=0",
        "--disable_clat=1",
        "--disable_lat=1 --lat_percentiles=1",
        "--disable_slat=1 --disable_bw_measurement=1",
        "--gtod_reduce=1",
        "--unified_rw_reporting=1",
        "--unified_rw_reporting=both",
        "--unified_rw_reporting=both --terse-version=4",
    ] {
        // Which I/Os of a mix are reads is drawn by each program in its own way; the sum is the same.
        let counted = |all: Vec<String>| -> Vec<String> {
            let count = |word: &str| match word.parse::<u64>() {
                Ok(1..2048) => "some".to_owned(),
                _ => word.to_owned(),
            };
            let line = |line: String| line.split(' ').map(count).collect::<Vec<_>>().join(" ");
            all.into_iter().map(line).collect()
        };
        // How many percentiles are on a line depends on the largest of them, which one slow I/O changes.
        let mut compared = Vec::new();
        for _ in 0..3 {
            let [its, own] = [
                counted(figures_of(&mut theirs, options)),
                counted(figures_of(&mut ours, options)),
            ];
            let is_same = own == its;
            compared = vec![own, its];
            if is_same {
                break;
            }
        }
        assert_eq!(compared[0], compared[1], "{options}");
    }
}

/// fio 3.33 prints the description at these places, and no devices.
#[test]
fn a_description_is_in_all_forms_and_disk_util_0_omits_the_devices() {
    let bench = Bench::new();
    let run = |form: &str, more: &str| {
        let line = format!(
            "fio --name=a --size=1m --filename=f --description=mine --output-format={form} --no-store {more}"
        );
        let reported = bench.line(&line);
        assert_eq!(reported.code, Some(0), "{}", reported.err);
        reported.out
    };
    let document: Value = serde_json::from_str(&run("json", "--disk_util=0")).unwrap();
    assert_eq!(document["jobs"][0]["desc"], "mine");
    assert_eq!(document["disk_util"], serde_json::json!([]));
    let normal = run("normal", "--disk_util=0");
    let line = normal
        .lines()
        .position(|line| line == "  Description  : [mine]");
    assert!(line.is_some_and(|line| {
        normal
            .lines()
            .nth(line - 1)
            .unwrap()
            .starts_with("a: (groupid=0")
    }));
    assert!(!normal.contains("Disk stats"), "{normal}");
    assert!(run("terse", "").trim_end().ends_with(";mine"));
}

/// fio 3.33 creates the files too, and reports no I/O.
#[test]
fn create_only_creates_the_files_of_all_jobs_and_runs_none() {
    let bench = Bench::new();
    let jobs = "--create_only=1 --size=1m --bs=4k --rw=randwrite --name=a --name=b --stonewall --numjobs=2";
    let reported = bench.line(&format!("fio {jobs}"));
    assert_eq!(
        (reported.code, reported.out.as_str()),
        (Some(0), ""),
        "{}",
        reported.err
    );
    for name in ["a.0.0", "b.0.0", "b.1.0"] {
        assert_eq!(
            std::fs::metadata(bench.path(name)).unwrap().len(),
            1 << 20,
            "{name}"
        );
    }
    let run = bench.line(&format!(
        "fio {} --output-format=json",
        jobs.replace("--create_only=1", "")
    ));
    assert_eq!(run.code, Some(0), "fathom created these: {}", run.err);
    let read_only = bench.line("fio --readonly --create_only=1 --size=1m --rw=read --name=c");
    assert_eq!(read_only.code, Some(2));
    assert!(!bench.path("c.0.0").exists());
    bench.write("mine.dat", 1 << 19);
    let before = bench.snapshot();
    let refused =
        bench.line("fio --create_only=1 --size=1m --rw=write --filename=mine.dat --name=d");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    let some = bench.line("fio --size=1m --name=e --name=f --create_only=1");
    assert!(some.err.contains("create_only"), "{}", some.err);
    assert_eq!(bench.snapshot(), before);
}

/// The log files in a folder, with the columns and the directions of their lines.
fn logs_in(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".log") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let columns = |line: &str| {
            let columns: Vec<&str> = line.split(", ").collect();
            let last = columns[columns.len() - 1];
            format!("{} {last}", columns.len())
        };
        let lines: BTreeSet<String> = text.lines().map(columns).collect();
        all.push(format!("{name} {lines:?}"));
    }
    all.sort();
    all
}

/// fio's file of submission latencies has none here; what is there already is replaced only if fathom wrote it.
#[test]
fn log_files_have_fio_s_names_and_columns() {
    let bench = Bench::new();
    let job = "--name=a --ioengine=null --size=1m --rw=randrw --bs=4k --time_based --runtime=300ms --numjobs=2";
    let with_fio = Command::new("fio").arg("--version").output().is_ok();
    for (number, more) in [
        "--write_bw_log=x --write_iops_log=x --write_lat_log=y",
        "--write_bw_log=x --write_lat_log=y --per_job_logs=0 --log_prio=1 --disable_slat=1",
        "--write_bw_log=x --log_offset=1 --group_reporting --log_max_value=1",
    ]
    .iter()
    .enumerate()
    {
        let (ours, theirs) = (format!("ours{number}"), format!("theirs{number}"));
        for folder in [&ours, &theirs] {
            std::fs::create_dir(bench.path(folder)).unwrap();
        }
        let line = |folder: &str| {
            let more = more.replace("log=x", &format!("log={folder}/x"));
            let more = more.replace("log=y", &format!("log={folder}/y"));
            format!("{job} --log_avg_msec=50 {more}")
        };
        for _ in ["new", "replaced"] {
            let reported = bench.line(&format!("fio {} --no-store", line(&ours)));
            assert_eq!(reported.code, Some(0), "{}", reported.err);
        }
        let ours = logs_in(&bench.path(&ours));
        assert!(ours.iter().any(|log| log.starts_with("x_bw.")), "{ours:?}");
        if with_fio {
            let mut fio = Command::new("fio");
            fio.args(line(&theirs).split(' '))
                .current_dir(bench.path(""));
            assert!(fio.output().unwrap().status.success());
            let mut theirs = logs_in(&bench.path(&theirs));
            theirs.retain(|log| !log.contains("_slat."));
            // A step in which fio was not run has no lines.
            let written = theirs.iter().any(|log| log.contains("{}"));
            let names = |logs: &[String]| -> Vec<String> {
                let name = |log: &String| log.split(' ').next().unwrap_or_default().to_owned();
                logs.iter().map(name).collect()
            };
            assert_eq!(names(&ours), names(&theirs), "{more}");
            assert!(written || ours == theirs, "{ours:?} {theirs:?}");
        }
    }
    if !with_fio {
        println!("skipped: fio is not installed");
    }
    std::fs::write(bench.path("mine_bw.1.log"), "not numbers").unwrap();
    let reported = bench.line(&format!(
        "fio {job} --log_avg_msec=50 --write_bw_log=mine --no-store"
    ));
    assert_eq!(reported.code, Some(2));
    assert!(reported.err.contains("mine_bw.1.log"), "{}", reported.err);
    assert_eq!(
        std::fs::read(bench.path("mine_bw.1.log")).unwrap(),
        b"not numbers"
    );
}

/// As fio 3.33 computes it: the mean of a job's steps in percent of what its whole group moved per second.
#[test]
fn the_json_has_each_job_s_share_of_its_group_and_when_it_began() {
    let bench = Bench::new();
    let line = "fio --name=a --ioengine=null --size=1m --rw=read --time_based --runtime=300ms --log_avg_msec=50 --numjobs=2 \
                --rate_iops=2000 --output-format=json --no-store";
    let document = bench.line(line).json();
    let jobs = document["jobs"].as_array().unwrap();
    let of = |job: &Value, key: &str| job["read"][key].as_f64().unwrap();
    let whole: f64 = jobs.iter().map(|job| of(job, "bw_bytes") / 1024.0).sum();
    for job in jobs {
        let share = (of(job, "bw_mean") / whole * 100.0).min(100.0);
        assert!((of(job, "bw_agg") - share).abs() < 0.1, "{job}");
        assert_eq!(job["trim"]["bw_agg"], 0.0);
        let began = job["job_start"].as_u64().unwrap();
        let ended = document["timestamp_ms"].as_u64().unwrap();
        assert!(began > 0 && began + 300 <= ended, "{began} {ended}");
    }
    let version = document["fio version"].as_str().unwrap();
    let printed = bench.line("fio --version").out;
    let number = printed.split(' ').next().unwrap();
    assert!(version.contains(number), "{version} {number}");
}

/// What fio 3.33 prints of a job and fathom does not, by the last part of the key, with the reason.
const LEFT_OUT: [(&str, &str); 7] = [
    ("slat_ns", "the time of the hand-over alone is not stamped"),
    ("iodepth_level", "depths above 1 as found are not counted"),
    ("iodepth_submit", "nor how many were submitted at once"),
    ("iodepth_complete", "nor how many came back at once"),
    ("ctx", "switches are not counted for each job"),
    ("majf", "page faults are not counted"),
    ("minf", "page faults are not counted"),
];

/// Every key with what leads to it; elements of a list are one.
fn keys(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let path = format!("{path}/{name}");
                keys(value, &path, all);
                all.insert(path);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, path, all)),
        _ => {}
    }
}

#[test]
fn every_key_that_fio_prints_is_there_or_left_out_for_a_reason() {
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed");
        return;
    }
    let bench = Bench::new();
    let job = "--name=a --filename=f --size=2m --rw=randrw --bs=4k --direct=1 --ioengine=libaio --iodepth=4 --output-format=json";
    let mut fio = Command::new("fio");
    let elsewhere = job.replace("--filename=f", "--filename=g");
    let theirs = fio
        .args(elsewhere.split_whitespace())
        .current_dir(bench.path(""))
        .output();
    let theirs = theirs.unwrap();
    let theirs: Value = serde_json::from_slice(&theirs.stdout)
        .unwrap_or_else(|error| panic!("{error}: {theirs:?}"));
    let ours = bench.line(&format!("fio {job} --no-store")).json();
    let of = |document: &Value| {
        let mut all = BTreeSet::new();
        keys(document, "", &mut all);
        all
    };
    let (theirs, ours) = (of(&theirs), of(&ours));
    println!("fio prints {} keys", theirs.len());
    let missing: Vec<&String> = theirs.difference(&ours).collect();
    let reason = |key: &str| {
        LEFT_OUT
            .iter()
            .find(|(name, _)| key.split('/').any(|part| part == *name))
    };
    // The job's name stands as `jobname`; which counters a device has is its own matter.
    let elsewhere = |key: &str| key == "/jobs/job options/name" || key.starts_with("/disk_util");
    let unexplained: Vec<_> = missing
        .iter()
        .filter(|key| reason(key).is_none() && !elsewhere(key))
        .collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
    for (name, why) in LEFT_OUT {
        assert!(
            missing.iter().any(|key| key.ends_with(&format!("/{name}"))),
            "{name} is there: {why}?"
        );
    }
}

fn document(bench: &Bench) -> Value {
    serde_json::from_slice(&std::fs::read(bench.path("out.json")).unwrap()).unwrap()
}

#[test]
fn the_json_is_imported_as_fio_s() {
    let bench = Bench::new();
    let line = "fio --name=a --filename=f --size=2m --rw=randread --bs=4k --direct=1 --output-format=json --output=out.json --no-store";
    assert_eq!(bench.line(line).code, Some(0));
    let reported = bench.line("import out.json");
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let table = bench.line("table 1 --json");
    let row: Value = serde_json::from_str(&table.out).unwrap();
    let text = row.to_string();
    let iops = document(&bench)["jobs"][0]["read"]["iops"]
        .as_f64()
        .unwrap();
    assert!(text.contains(&format!("{iops}")), "{iops} in {text}");
}

/// The folder into which `cargo xtask setup` puts fio-plot, or this does: without what draws, only its reader is asked.
fn plot_reader() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fio-plot-reader");
    if !folder.join("fio_plot").is_dir() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]);
        let reported = pip.arg(&folder).arg("fio-plot").output();
        if !reported.is_ok_and(|reported| reported.status.success()) {
            println!("skipped: fio-plot cannot be fetched (cargo xtask setup)");
            return None;
        }
    }
    Some(folder)
}

/// The package itself is passed by, because it wants matplotlib at once.
const ASK: &str = "
import sys, json, types, importlib.util
found = importlib.util.find_spec('fio_plot')
package = types.ModuleType('fio_plot')
package.__path__ = list(found.submodule_search_locations)
sys.modules['fio_plot'] = package
from fio_plot.fiolib import jsonimport, jsonparsing
settings = {'rw': 'randread', 'iodepth': [4], 'numjobs': [1], 'input_directory': [sys.argv[1]], 'filter': ('read',),
            'include_hosts': None, 'exclude_hosts': None, 'compare_graph': False}
files = jsonimport.list_json_files(settings)
data = jsonparsing.parse_json_data(settings, jsonimport.import_json_dataset(settings, files))
print(json.dumps(data[0]['data']))
";

#[test]
fn fio_plot_s_reader_takes_the_json() {
    let Some(reader) = plot_reader() else { return };
    let bench = Bench::new();
    std::fs::create_dir(bench.path("plot")).unwrap();
    let line = "fio --name=a --filename=f --size=2m --rw=randread --bs=4k --direct=1 --iodepth=4 --ioengine=libaio \
                --output-format=json --output=plot/out.json --no-store";
    assert_eq!(bench.line(line).code, Some(0));
    let reported = Command::new("python3")
        .args(["-c", ASK])
        .arg(bench.path("plot"))
        .env("PYTHONPATH", reader)
        .output()
        .unwrap();
    assert!(reported.status.success(), "{reported:?}");
    let rows: Value = serde_json::from_slice(&reported.stdout).unwrap();
    let text = std::fs::read(bench.path("plot/out.json")).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let read = &document["jobs"][0]["read"];
    assert_eq!(rows[0]["iops"], read["iops"]);
    assert_eq!(rows[0]["lat"], read["lat_ns"]["mean"]);
}
