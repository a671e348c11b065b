//! Jobs of `fathom fio` that run side by side, with times, rates, files and processors of their own, compared with the installed
//! fio; and the files that they leave.

use crate::bench::Bench;
use serde_json::Value;
use std::process::Command;

/// Of each job its name, reads, writes, bytes of both and syncs.
type Totals = Vec<(String, [u64; 5])>;

/// Returns those that the JSON of a program has.
fn totals(json: &[u8]) -> Totals {
    let document: Value = serde_json::from_slice(json).unwrap();
    let of = |job: &Value| {
        let count = |side: &str, key: &str| job[side][key].as_u64().unwrap_or(0);
        let name = job["jobname"].as_str().unwrap().to_owned();
        let [reads, writes] = ["read", "write"].map(|side| count(side, "total_ios"));
        let [read, written] = ["read", "write"].map(|side| count(side, "io_bytes"));
        (
            name,
            [reads, writes, read, written, count("sync", "total_ios")],
        )
    };
    document["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect()
}

/// Runs a job file with the installed fio and with fathom, each in a folder of its own; none where fio is absent.
fn both_totals(job: &str) -> Option<[Totals; 2]> {
    if Command::new("fio").arg("--version").output().is_err() {
        println!("skipped: fio is not installed");
        return None;
    }
    let bench = Bench::new();
    std::fs::create_dir(bench.path("fio")).unwrap();
    std::fs::write(bench.path("j.fio"), job).unwrap();
    let mut fio = Command::new("fio");
    fio.args(["--output-format=json", "../j.fio"])
        .current_dir(bench.path("fio"));
    let theirs = fio.output().unwrap();
    assert!(theirs.status.success(), "{job}: {theirs:?}");
    let ours = bench.line("fio j.fio --output-format=json --no-store");
    assert_eq!(ours.code, Some(0), "{job}: {}", ours.err);
    Some([totals(&theirs.stdout), totals(ours.out.as_bytes())])
}

#[test]
fn jobs_side_by_side_do_as_much_as_fio_s() {
    for job in [
        "[global]\nsize=1m\nbs=4k\n[a]\nrw=randread\n[b]\nrw=write\nrate_iops=2k\n[c]\nrw=randwrite\nbs=16k\nrate=8m\n",
        "[global]\nbs=4k\n[a]\nnrfiles=3\nsize=3m\nrw=randwrite\nfsync=64\nnumjobs=2\n[b]\nsize=1m\nrw=read\nnumjobs=2\nfilename=x\n",
        "[a]\nnrfiles=2\nsize=2m\nbs=4k\nrw=write\nrate=8m\n[b]\nstonewall\nnrfiles=4\nsize=1m\nrw=read\nrate_iops=2000\n",
        "[global]\nsize=1m\n[a]\nrw=write\nruntime=30\ncpus_allowed=0\n[b]\nstartdelay=300ms\nrw=randread\nnumjobs=2\n",
        "[a]\nnrfiles=300\nsize=2400k\nbs=4k\nrw=write\n",
        "[global]\nsize=1m\nbs=4k\n[a]\nrw=randwrite\nioengine=libaio\niodepth=8\nfsync=64\n[b]\nrw=randread\nioengine=mmap\n[c]\nrw=read\nioengine=psync\n\
         [d]\nrw=randread\nioengine=null\n[e]\nnrfiles=2\nrw=randread\nioengine=sync\n",
        "[a]\nsize=4m\nbs=64k\nrw=read\nloops=3\nio_size=1m\n[b]\nsize=4m\nbs=64k\nrw=randwrite\nloops=3\nnumber_ios=10\n",
        "[c]\ncreate_only=1\nfilename=f\nsize=2m\nrw=write\n[a]\nstonewall\nfilename=f\nsize=1m\nrw=read\nbs=64k\n",
    ] {
        if let Some([mut theirs, ours]) = both_totals(job) {
            theirs.retain(|(_, counts)| *counts != [0; 5]); // fio has a result for files that are only created
            assert_eq!(ours, theirs, "{job}");
        }
    }
}

/// fio 3.33 prints a runtime of 300 ms for the first job and of 900 ms for the second.
#[test]
fn the_results_of_a_job_are_over_its_own_time() {
    let bench = Bench::new();
    let reported = bench.line(
        "fio --ioengine=null --size=1m --rw=randread --time_based --output-format=json --no-store \
         --name=a --runtime=300ms --startdelay=200ms --name=b --runtime=900ms",
    );
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    let document: Value = serde_json::from_str(&reported.out).unwrap();
    let times = [0, 1].map(|job| document["jobs"][job]["job_runtime"].as_u64().unwrap());
    assert_eq!(times, [300, 900]);
}

/// fio 3.33 removes these files, too.
#[test]
fn unlink_removes_what_fathom_wrote_and_nothing_else() {
    let bench = Bench::new();
    let before = bench.snapshot();
    let job = "fio --size=1m --bs=64k --rw=write --unlink=1 --no-store --name=a --numjobs=2 --name=b --zero_buffers";
    let reported = bench.line(job);
    assert_eq!(reported.code, Some(0), "{}", reported.err);
    assert_eq!(bench.snapshot(), before);
    bench.write("mine.dat", 1 << 20);
    let before = bench.snapshot();
    for rw in ["read", "write"] {
        let job =
            format!("fio --name=c --rw={rw} --size=1m --filename=mine.dat --unlink=1 --no-store");
        let reported = bench.line(&job);
        assert_eq!(reported.code, Some(2), "{}", reported.err);
        assert!(reported.err.contains("--overwrite"), "{}", reported.err);
        assert_eq!(bench.snapshot(), before);
        let confirmed = bench.line(&format!("{job} --overwrite"));
        assert_eq!(confirmed.code, Some(0), "{}", confirmed.err);
        assert!(!bench.path("mine.dat").exists());
        bench.write("mine.dat", 1 << 20);
    }
}

/// The sample of a file of 4 MiB reads every fourth block; what is between is found before the file is removed.
#[test]
fn a_foreign_block_between_the_samples_keeps_the_file() {
    let bench = Bench::new();
    let fill = "fio --name=a --rw=write --size=4m --bs=64k --filename=own.dat --no-store";
    assert_eq!(bench.line(fill).code, Some(0));
    let own = std::fs::read(bench.path("own.dat")).unwrap();
    let job = "fio --name=b --rw=read --size=4m --bs=64k --filename=own.dat --unlink=1 --no-store";
    for block in [1, 333, 1023] {
        let mut data = own.clone();
        data[block * 4096..(block + 1) * 4096].fill(b'T');
        std::fs::write(bench.path("own.dat"), &data).unwrap();
        let reported = bench.line(job);
        assert_ne!(reported.code, Some(0), "block {block}: {}", reported.err);
        assert_eq!(
            std::fs::read(bench.path("own.dat")).unwrap(),
            data,
            "block {block}"
        );
    }
    std::fs::write(bench.path("own.dat"), &own).unwrap();
    assert_eq!(bench.line(job).code, Some(0));
    assert!(!bench.path("own.dat").exists());
}
