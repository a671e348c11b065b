//! fio's JSON: what 3.33 printed here, older shapes, damage.

use super::desk::{FIO_JOBS, one, reading, runs, trouble};
use model::{Bytes, CacheMode, ImportFormat, Nanos, Ratio};

#[test]
fn each_job_is_a_run() {
    let runs = runs(FIO_JOBS);
    assert_eq!(runs.len(), 2);
    let (mixed, writes) = (&runs[0], &runs[1]);
    assert_eq!(mixed.format, ImportFormat::FioJson);
    assert_eq!(mixed.tool_version.as_deref(), Some("fio-3.33"));
    assert_eq!(mixed.name.as_deref(), Some("one"));
    assert_eq!(mixed.figures.read.ios, Some(90_398));
    assert_eq!(mixed.figures.read.bytes, Some(Bytes(370_270_208)));
    assert_eq!(mixed.figures.read.ios_per_s, Some(89_858.846_918));
    assert_eq!(mixed.figures.read.bytes_per_s, Some(368_061_836.0));
    assert_eq!(mixed.figures.total.ios, Some(90_398 + 38_627));
    let latency = &mixed.figures.read.latency;
    assert_eq!(
        (latency.min, latency.max),
        (Some(Nanos(581)), Some(Nanos(9_947_613)))
    );
    assert_eq!(latency.mean, Some(Nanos(2442)));
    assert!(latency.percentiles.contains(&(0.99, Nanos(3920))));
    assert_eq!(mixed.figures.total.latency.percentiles, []);
    assert_eq!(mixed.figures.total.latency.max, Some(Nanos(15_236_643)));
    let work = &mixed.workload;
    assert_eq!(work.targets, ["/srv/t.dat"]);
    assert_eq!(
        (work.block, work.size),
        (Some(Bytes::kib(4)), Some(Bytes::mib(8)))
    );
    assert_eq!(
        (work.random_percent, work.write_percent),
        (Some(Ratio::ALL), Ratio::percent(30))
    );
    assert_eq!((work.queue_depth, work.threads), (Some(1), Some(1)));
    assert_eq!(work.cache, Some(CacheMode::Cached));
    assert_eq!(work.engine.as_deref(), Some("psync"));
    assert_eq!(mixed.measured, Some(Nanos::millis(1006)));
    assert_eq!(writes.workload.block, Some(Bytes::kib(64)));
    assert_eq!(writes.figures.total, writes.figures.write);
    assert_eq!(writes.figures.read.latency.min, None);
    assert!(writes.notes[0].contains("fio's clat"));
    assert!(writes.notes[1].contains("one of 2 jobs"));
    assert!(writes.text.trim_start().starts_with('{'));
    assert_eq!(format!("{}{}", mixed.text, writes.text), FIO_JOBS);
}

#[test]
fn warnings_before_and_words_after_belong_to_it() {
    let warning = "fio: this platform does not support process shared mutexes\nnote: both iodepth >= 1 and synchronous I/O engine are selected\n";
    let text = format!("{warning}{FIO_JOBS}\nq: (groupid=0, jobs=1): err= 0\n");
    let runs = runs(&text);
    assert_eq!(runs.len(), 2);
    assert!(
        runs[0]
            .notes
            .iter()
            .any(|note| note.starts_with("printed before it: fio: this platform"))
    );
    assert!(runs[0].text.starts_with("fio: this"));
    assert!(runs[1].text.ends_with("err= 0\n"));
    assert_eq!(
        runs[0].line,
        FIO_JOBS.lines().position(|line| line == "    {").unwrap() as u32 + 3
    );
}

#[test]
fn documents_stand_behind_each_other() {
    let two = include_str!("texts/fio_two.json");
    let runs = runs(&format!("{FIO_JOBS}{two}{FIO_JOBS}"));
    assert_eq!(runs.len(), 6);
    assert_eq!(runs[2].workload.queue_depth, Some(8));
    assert_eq!(runs[2].workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(runs[2].workload.warmup, Some(Nanos::seconds(1)));
    // Two jobs, or two groups of two: the text does not show which.
    assert_eq!(runs[2].workload.threads, None);
}

#[test]
fn jobs_before_a_damage_are_kept() {
    let second = FIO_JOBS.find("\"jobname\" : \"two\"").unwrap();
    let text = &FIO_JOBS[..second + 400];
    assert_eq!(reading(text).runs.len(), 1);
    let (line, what) = trouble(text);
    assert!(what.contains("breaks off"), "{what}");
    assert_eq!(line as usize, text.lines().count());
    let damaged = FIO_JOBS.replacen("\"iops\" : 89858.846918", "\"iops\" : \"many\"", 1);
    let reading = reading(&damaged);
    assert_eq!((reading.runs.len(), reading.broken.len()), (1, 1));
    assert!(
        reading.broken[0].what.contains("invalid type"),
        "{}",
        reading.broken[0]
    );
    let junk = FIO_JOBS.replacen("\"total_ios\" :", "\"total_ios\" ?", 1);
    assert!(trouble(&junk).1.contains("expected `:`"));
}

#[test]
fn what_is_no_json_number_is_unknown() {
    for nan in ["-nan", "nan", "inf", "-inf"] {
        let text = FIO_JOBS.replacen("\"iops\" : 89858.846918", &format!("\"iops\" : {nan}"), 1);
        let runs = runs(&text);
        assert_eq!(runs[0].figures.read.ios_per_s, None);
        assert_eq!(runs[0].figures.read.ios, Some(90_398));
        assert!(runs[0].text.contains(nan));
    }
}

#[test]
fn times_that_were_not_taken_are_unknown_and_not_zero() {
    // fio --disable_clat=1 --disable_lat=1
    let text = r#"{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "a", "read" : { "io_bytes" : 4096, "io_kbytes" : 4,
      "iops" : 2.0, "runtime" : 500, "total_ios" : 1,
      "clat_ns" : { "min" : 0, "max" : 0, "mean" : 0.000000, "stddev" : 0.000000, "N" : 0 } },
      "write" : { "total_ios" : 0 } } ] }"#;
    let run = one(text);
    assert_eq!(run.figures.total.ios, Some(1));
    assert_eq!(run.figures.read.latency, model::ImportedLatency::default());
    assert_eq!(run.figures.total.latency.mean, None);
}

#[test]
fn old_documents_count_kibibytes_and_microseconds() {
    let text = r#"{ "fio version" : "fio-2.2.10",
      "jobs" : [ { "jobname" : "a", "error" : 5, "read" : { "io_bytes" : 1024, "bw" : 512, "iops" : 128.5, "runtime" : 2000,
      "total_ios" : 257, "clat" : { "min" : 5, "max" : 90, "mean" : 10.5, "stddev" : 1.25, "percentile" : { "99.000000" : 50, "0.00" : 0 } } },
      "write" : { "total_ios" : 0, "io_bytes" : 0 } } ] }"#;
    let run = one(text);
    let read = &run.figures.read;
    assert_eq!(read.bytes, Some(Bytes::mib(1)));
    assert_eq!(read.bytes_per_s, Some(524_288.0));
    assert_eq!(read.latency.mean, Some(Nanos(10_500)));
    assert_eq!(read.latency.percentiles, [(0.99, Nanos::micros(50))]);
    assert_eq!(read.latency.resolution, Some(Nanos::micros(1)));
    assert_eq!(run.workload.block, None);
    assert!(run.notes.iter().any(|note| note.contains("error 5")));
}

#[test]
fn deep_nesting_is_refused_and_costs_nothing() {
    let deep = format!(
        "{{\"fio version\" : \"x\", \"jobs\" : [ {}",
        "[".repeat(1_000_000)
    );
    assert!(trouble(&deep).1.contains("breaks off or is damaged"));
    assert!(
        trouble("{ \"fio version\" : \"x\", \"jobs\" : [] }")
            .1
            .contains("without any jobs")
    );
}

/// fio prints the options of the last job for a whole group.
#[test]
fn options_that_do_not_fit_the_figures_are_unknown() {
    let second = FIO_JOBS.find("    {\n      \"jobname\" : \"two\"").unwrap();
    let group = format!(
        "{}\n  ]\n}}\n",
        FIO_JOBS[..second].trim_end().trim_end_matches(',')
    );
    assert_eq!(one(&group).workload.block, Some(Bytes::kib(4)));
    for (from, to) in [
        ("\"rw\" : \"randrw\"", "\"rw\" : \"write\""),
        ("\"bs\" : \"4k\"", "\"bs\" : \"64k\""),
    ] {
        let run = one(&group.replacen(from, to, 1));
        assert_eq!(run.workload.block, None);
        assert_eq!(run.workload.write_percent, None);
        assert!(
            run.notes
                .iter()
                .any(|note| note.contains("one job of a group"))
        );
    }
}

/// A job of an asynchronous engine with a sync after each write, on one device.
const SYNCED: &str = r#"{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "a",
  "job options" : { "name" : "a", "filename" : "/dev/sdb", "rw" : "randwrite", "bs" : "4k", "direct" : "1",
    "ioengine" : "ENGINE", "iodepth" : "32", "fdatasync" : "1", "zero_buffers" : "1" },
  "read" : { "total_ios" : 0 },
  "write" : { "total_ios" : 2000, "io_bytes" : 8192000, "io_kbytes" : 8000, "iops" : 200.0, "runtime" : 10000,
    "slat_ns" : { "min" : 1000, "max" : 9000, "mean" : 4000.0, "stddev" : 10.0, "N" : 2000 },
    "clat_ns" : { "min" : 20000, "max" : 90000, "mean" : 30000.0, "stddev" : 10.0, "N" : 2000 },
    "lat_ns" : { "min" : 24000, "max" : 99000, "mean" : 34000.0, "stddev" : 10.0, "N" : 2000 },
    "iops_min" : 190, "iops_max" : 210, "iops_mean" : 200.0, "iops_stddev" : 4.5, "iops_samples" : 19 },
  "sync" : { "total_ios" : 0, "lat_ns" : { "min" : 1000, "max" : 12000000, "mean" : 4900000.0, "stddev" : 1.0,
    "N" : 1999, "percentile" : { "99.000000" : 8000000 } } } } ],
  "disk_util" : [ { "name" : "sdb", "read_ios" : 3, "write_ios" : 4000, "read_merges" : 0, "write_merges" : 7, "util" : 99.5 } ] }"#;

#[test]
fn what_findings_are_built_on_is_read_beside_the_figures() {
    use model::imported_evidence::{ImportedContent, ImportedFlush, SyncFigures};
    let run = one(&SYNCED.replace("ENGINE", "libaio"));
    assert_eq!(run.workload.queue_depth, Some(32));
    let seen = &run.evidence;
    assert_eq!(seen.total, seen.write);
    assert_eq!(seen.total.windows, Some(19));
    assert_eq!(seen.total.window_min_per_s, Some(190.0));
    assert_eq!(seen.total.submission_mean, Some(Nanos::micros(4)));
    assert_eq!(seen.total.whole_mean, Some(Nanos::micros(34)));
    let sync = SyncFigures {
        count: 1999,
        p50: None,
        mean: Some(Nanos::micros(4900)),
        p99: Some(Nanos::millis(8)),
        max: Some(Nanos::millis(12)),
    };
    assert_eq!(seen.sync, Some(sync));
    assert_eq!(seen.flush, Some(ImportedFlush::EveryWrites(1)));
    assert_eq!(seen.content, Some(ImportedContent::Zeros));
    assert_eq!(
        (seen.disks[0].name.as_str(), seen.disks[0].ios),
        ("sdb", 4010)
    );
    assert_eq!(seen.ignored_queue_depth, None);
}

#[test]
fn the_depth_of_a_synchronous_engine_is_one() {
    for engine in ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"] {
        let run = one(&SYNCED.replace("ENGINE", engine));
        assert_eq!(run.workload.queue_depth, Some(1), "{engine}");
        assert_eq!(run.evidence.ignored_queue_depth, Some(32), "{engine}");
    }
    let unnamed = SYNCED.replace("\"ioengine\" : \"ENGINE\",", "");
    assert_eq!(one(&unnamed).workload.queue_depth, Some(1));
    let windows = unnamed.replace("/dev/sdb", r"\\\\.\\PhysicalDrive1");
    assert_eq!(one(&windows).workload.queue_depth, Some(32));
}
