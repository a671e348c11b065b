//! What ends a job of `fathom fio` early, leads it through zones or shows its results meanwhile, compared with the installed fio.

use crate::bench::Bench;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The documents of an output, one behind the other.
fn documents(text: &str) -> Vec<Value> {
    let all = serde_json::Deserializer::from_str(text).into_iter();
    all.collect::<Result<_, _>>().unwrap()
}

fn ios(document: &Value) -> u64 {
    document["jobs"][0]["read"]["total_ios"].as_u64().unwrap()
}

const IDLE: &str = "fio --name=a --rw=randread --ioengine=null --size=64m --time_based --no-store";

#[test]
fn results_so_far_are_printed_as_often_as_asked() {
    let bench = Bench::new();
    let json = format!("{IDLE} --runtime=2 --status-interval=300ms --output-format=json");
    let reported = bench.line(&json);
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let all = documents(&reported.out);
    assert!(all.len() >= 3, "{}", all.len());
    for (earlier, later) in all.iter().zip(&all[1..]) {
        assert!(ios(earlier) < ios(later));
        let runtime = |one: &Value| one["jobs"][0]["read"]["runtime"].as_u64().unwrap();
        assert!(runtime(earlier) < runtime(later));
        assert!(earlier["jobs"][0]["read"]["clat_ns"]["percentile"].is_object());
    }
    // The same in a file, which has all of them.
    let reported = bench.line(&format!("{json} --output=r.json"));
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let text = std::fs::read_to_string(bench.path("r.json")).unwrap();
    assert!(reported.out.is_empty() && documents(&text).len() >= 3);
    // In fio's text the jobs and the version are printed once.
    let normal = format!("{IDLE} --runtime=2 --status-interval=300ms --output-format=normal");
    let text = bench.line(&normal).out;
    assert_eq!(text.matches("Starting 1 thread").count(), 1);
    assert!(text.matches("Run status group 0").count() >= 3, "{text}");
}

/// fio 3.33 ends with EIO after the two seconds that it leaves to a job, and with ETIMEDOUT at once.
#[test]
fn a_job_that_does_not_reach_its_bounds_has_failed() {
    let bench = Bench::new();
    for (options, errno) in [
        ("--rate_iops=50 --rate_iops_min=1000", 5),
        ("--rate=1m --rate_min=1g", 5),
        ("--max_latency=1", 110),
    ] {
        let line = format!("{IDLE} --runtime=20 {options} --output-format=json");
        let reported = bench.line(&line);
        assert_eq!(reported.code, Some(1), "{options}: {}", reported.err);
        let name = options
            .rsplit("--")
            .next()
            .unwrap()
            .split('=')
            .next()
            .unwrap();
        assert!(reported.err.contains(name), "{options}: {}", reported.err);
        let document = documents(&reported.out).remove(0);
        assert_eq!(document["jobs"][0]["error"], errno, "{options}");
    }
    let line = format!("{IDLE} --runtime=3 --rate_iops=1000 --rate_iops_min=1 --max_latency=10s");
    assert_eq!(bench.line(&line).code, Some(0));
}

#[test]
fn a_least_rate_is_that_of_a_job_over_its_files_from_its_start_on() {
    let bench = Bench::new();
    let job = "--rw=randread --time_based --rate_iops=400 --rate_iops_min=300";
    let late = "--ioengine=null --size=64m";
    for line in [
        format!("fio --name=a --nrfiles=2 --size=2m {job} --runtime=4 --no-store"),
        format!(
            "fio --name=a {late} {job} --runtime=7 --name=b {late} {job} --startdelay=3 --runtime=4 --no-store"
        ),
    ] {
        let reported = bench.line(&line);
        assert_eq!(reported.code, Some(0), "{line}: {}", reported.err);
    }
}

/// Which blocks of 4096 bytes are not zeros.
fn written(path: &Path) -> Vec<usize> {
    let data = std::fs::read(path).unwrap();
    let blocks = data.chunks(4096).enumerate();
    let used = blocks.filter(|(_, block)| block.iter().any(|byte| *byte != 0));
    used.map(|(number, _)| number).collect()
}

/// The files of the same job by fio and by fathom; none where fio is absent.
fn files(options: &str) -> Option<[Vec<usize>; 2]> {
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed");
        return None;
    }
    let bench = Bench::new();
    let line = format!("--name=a --size=4m --bs=4k {options}");
    let mut fio = Command::new("fio");
    fio.args(line.split(' '))
        .arg("--filename=theirs")
        .current_dir(bench.path("."));
    assert!(fio.output().unwrap().status.success());
    let ours = bench.line(&format!("fio {line} --filename=ours --no-store"));
    assert_eq!(ours.code, Some(0), "{}", ours.err);
    Some(["theirs", "ours"].map(|name| written(&bench.path(name))))
}

#[test]
fn zones_are_written_where_fio_writes_them() {
    for (zones, blocks) in [
        ("--zonemode=strided --zonesize=16k --zoneskip=48k", 256),
        (
            "--zonemode=strided --zonesize=64k --zonerange=128k --zoneskip=128k --number_ios=160",
            160,
        ),
        ("--zonemode=strided --zonesize=8k --number_ios=7", 7),
    ] {
        let Some([theirs, ours]) = files(&format!("--rw=write {zones}")) else {
            return;
        };
        assert_eq!(theirs.len(), blocks, "{zones}");
        assert_eq!(theirs, ours, "{zones}");
    }
    // At random the zones are the same, and the places in them are drawn.
    let zones = "--rw=randwrite --zonemode=strided --zonesize=16k --zonerange=64k --zoneskip=64k --number_ios=64";
    let Some(both) = files(zones) else { return };
    for blocks in both {
        assert!(blocks.len() > 30, "{}", blocks.len());
        assert!(blocks.iter().all(|block| block % 32 < 16), "{blocks:?}");
    }
}

/// fio's map ends an I/O before what was visited, so that all is written once and blocks are smaller than those drawn.
#[test]
fn blocks_of_several_sizes_visit_each_place_once_as_fio_s_do() {
    if Command::new("fio").arg("--version").output().is_err() {
        return println!("skipped: fio is not installed");
    }
    for sizes in ["--bsrange=4k-256k", "--bssplit=4k/50:64k/30:256k/20"] {
        let bench = Bench::new();
        let line = format!("--name=a --rw=randwrite --size=64m {sizes} --output-format=json");
        let mut fio = Command::new("fio");
        fio.args(line.split(' '))
            .arg("--filename=theirs")
            .current_dir(bench.path("."));
        let theirs = documents(&String::from_utf8(fio.output().unwrap().stdout).unwrap());
        let ours = bench.line(&format!("fio {line} --filename=ours --no-store"));
        assert_eq!(ours.code, Some(0), "{}", ours.err);
        let counts = [&theirs[0], &documents(&ours.out)[0]].map(|document| {
            let count = |key: &str| document["jobs"][0]["write"][key].as_u64().unwrap();
            [count("io_bytes"), count("total_ios")]
        });
        assert_eq!(counts[0][0], counts[1][0], "{sizes}: {counts:?}");
        let ratio = counts[1][1] as f64 / counts[0][1] as f64;
        assert!((0.75..1.35).contains(&ratio), "{sizes}: {counts:?}");
        assert_eq!(written(&bench.path("ours")).len(), 64 << 8, "{sizes}");
    }
}
