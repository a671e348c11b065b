//! What tools print whose requests are not run here: hdparm, sysbench, ioping and so on, from the seeds of the fuzzers.

use super::desk::{READ, WRITTEN, bytes, mib, one, runs, seed, trouble, us};
use model::imported_evidence::{ImportedContent, ImportedFlush};
use model::{Bytes, CacheMode, ImportFormat, ImportedRun, Nanos, Ratio};

fn names(runs: &[ImportedRun]) -> Vec<&str> {
    let name = |run: &'_ ImportedRun| run.name.is_some();
    assert!(runs.iter().all(name));
    runs.iter().filter_map(|run| run.name.as_deref()).collect()
}

#[test]
fn hdparm_counts_in_mebibytes_and_names_its_device() {
    let runs = runs(seed!("hdparm"));
    assert_eq!(runs.len(), 5);
    let direct = &runs[1];
    assert_eq!(direct.name.as_deref(), Some("O_DIRECT disk reads"));
    assert_eq!(direct.workload.targets, ["/dev/loop0"]);
    assert_eq!(direct.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(direct.workload.block, Some(Bytes::mib(2)));
    assert_eq!(direct.figures.read.bytes_per_s, mib(1680.34));
    assert_eq!(direct.figures.total.bytes, bytes(512 << 20));
    assert_eq!(runs[3].workload.cache, None);
    assert_eq!(runs[2].workload.cache, Some(CacheMode::Cached));
    assert_eq!(runs[2].workload.size, Some(Bytes::mib(2)));
    assert_eq!(runs[2].workload.random_percent, None);
    assert_eq!(runs[4].workload.targets, ["/dev/loop1"]);
    assert_eq!(runs[4].figures.read.bytes_per_s, Some(3951.13 * 1024.0));
    let (line, what) = trouble("/dev/sda:\n Timing buffered disk reads: read() failed\n");
    assert_eq!(line, 2);
    assert!(what.contains("MB/sec"), "{what}");
}

#[test]
fn ioping_has_a_rate_without_its_pauses() {
    let one = &runs(seed!("ioping"))[0];
    assert_eq!(one.workload.targets, ["."]);
    assert_eq!(one.workload.block, Some(Bytes::kib(4)));
    assert_eq!(one.workload.write_percent, READ);
    assert_eq!(one.figures.read.ios, Some(4));
    assert_eq!(one.figures.read.ios_per_s, Some(4210.0));
    let latency = &one.figures.read.latency;
    assert_eq!(latency.min, Some(Nanos(223_400)));
    assert_eq!(latency.mean, Some(Nanos(237_200)));
    assert_eq!(latency.max, Some(Nanos(253_400)));
    let many = &runs(seed!("ioping_r"))[0];
    assert_eq!(many.figures.read.ios, None);
    assert_eq!(many.figures.read.latency.max, us(22_900));
    assert_eq!(trouble("--- f (ext4) ioping statistics ---\n").0, 1);
}

#[test]
fn sysbench_has_its_sides_and_its_syncs() {
    let mixed = &runs(seed!("sysbench"))[0];
    assert_eq!(mixed.tool_version.as_deref(), Some("1.0.20"));
    assert_eq!(mixed.workload.threads, Some(2));
    assert_eq!(mixed.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(mixed.workload.block, Some(Bytes::kib(16)));
    assert_eq!(mixed.workload.size, Some(Bytes::mib(128)));
    assert_eq!(mixed.workload.write_percent, Ratio::percent(40));
    assert_eq!(mixed.evidence.flush, Some(ImportedFlush::EveryWrites(100)));
    assert_eq!(mixed.figures.read.ios_per_s, Some(9672.27));
    assert_eq!(mixed.figures.write.bytes_per_s, mib(100.75));
    assert_eq!(
        mixed.figures.total.latency.percentiles,
        [(0.95, Nanos::micros(180))]
    );
    assert!(mixed.notes.iter().any(|note| note.contains("fsync")));
    let sequential = &runs(seed!("sysbench_sequential"))[0];
    assert_eq!(sequential.workload.random_percent, READ);
    assert_eq!(sequential.workload.write_percent, READ);
    assert_eq!(sequential.workload.cache, Some(CacheMode::Cached));
    let old = &runs(seed!("sysbench_04"))[0];
    assert_eq!(old.tool_version.as_deref(), Some("0.4.12"));
    assert_eq!(old.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(old.figures.total.ios_per_s, Some(501.2));
    assert_eq!(old.figures.total.ios, Some(10_001));
    assert_eq!(old.measured, Some(Nanos::micros(19_954_100)));
    assert_eq!(old.figures.total.latency.max, us(271_100));
    let text = seed!("sysbench");
    let figures = one(&text[text.find("File operations:").unwrap()..]);
    assert_eq!(figures.figures.read.ios_per_s, Some(9672.27));
    assert_eq!(
        (figures.workload.cache, figures.workload.write_percent),
        (None, None)
    );
    assert!(
        figures
            .notes
            .iter()
            .any(|note| note.contains("options are not in the text"))
    );
}

#[test]
fn crystaldiskmark_has_a_run_per_line_in_each_of_its_layouts() {
    let newest = runs(seed!("crystaldiskmark"));
    assert_eq!(newest.len(), 6);
    let deep = &newest[1];
    assert_eq!(deep.tool_version.as_deref(), Some("8.0.5"));
    assert_eq!(
        (deep.workload.queue_depth, deep.workload.threads),
        (Some(32), Some(16))
    );
    assert_eq!(deep.workload.block, Some(Bytes::kib(4)));
    assert_eq!(deep.workload.size, Some(Bytes::gib(1)));
    assert_eq!(deep.workload.targets, ["C:"]);
    assert_eq!(deep.figures.read.bytes_per_s, Some(1_644_870_000.0));
    assert_eq!(deep.figures.read.ios_per_s, Some(401_579.6));
    assert_eq!(deep.figures.read.latency.mean, Some(Nanos(1_270_440)));
    assert_eq!(deep.evidence.content, Some(ImportedContent::Zeros));
    assert_eq!(newest[5].workload.write_percent, Ratio::percent(30));
    let older = runs(seed!("crystaldiskmark_5"));
    assert_eq!(older.len(), 6);
    assert_eq!(older[0].workload.random_percent, READ);
    assert_eq!(older[0].workload.block, None);
    assert_eq!(older[3].workload.write_percent, WRITTEN);
    assert_eq!(older[3].figures.write.ios_per_s, Some(73_267.6));
    assert_eq!(older[4].workload.queue_depth, None);
    let other = runs(seed!("kdiskmark"));
    assert_eq!(other[1].tool_version.as_deref(), Some("3.1.4"));
    assert_eq!(other[1].workload.block, Some(Bytes::kib(4)));
    assert_eq!(other[1].workload.queue_depth, Some(32));
    assert_eq!(other[1].workload.targets, [""; 0]);
    assert_eq!(other[0].workload.block, Some(Bytes::mib(1)));
}

#[test]
fn pg_test_fsync_has_a_run_per_method() {
    let runs = runs(seed!("pg_test_fsync"));
    assert_eq!(runs.len(), 16);
    let sync = &runs[1];
    assert_eq!(sync.name.as_deref(), Some("fdatasync"));
    assert_eq!(sync.workload.block, Some(Bytes::kib(8)));
    assert_eq!(sync.evidence.flush, Some(ImportedFlush::EveryWrites(1)));
    assert_eq!(sync.figures.write.ios_per_s, Some(2277.715));
    assert_eq!(sync.figures.write.latency.mean, us(439));
    assert_eq!(runs[5].name.as_deref(), Some("fdatasync, 2 writes"));
    assert_eq!(runs[5].figures.write.bytes_per_s, Some(2554.885 * 16384.0));
    assert_eq!(runs[9].name.as_deref(), Some("2 * 8kB open_sync writes"));
    assert_eq!(runs[12].workload.block, Some(Bytes::kib(1)));
    assert_eq!(runs[12].workload.write_through, Some(true));
    let last = &runs[15];
    assert_eq!(last.name.as_deref(), Some("write, not synced"));
    assert_eq!(last.evidence.flush, None);
}

#[test]
fn elbencho_has_a_run_per_phase_with_a_rate() {
    let runs = runs(seed!("elbencho"));
    assert_eq!(names(&runs), ["MKDIRS", "WRITE", "READ"]);
    assert!(runs[0].notes[0].contains("dirs"));
    let write = &runs[1];
    assert_eq!(write.workload.write_percent, WRITTEN);
    assert_eq!(write.measured, Some(Nanos::millis(65_020)));
    assert_eq!(write.figures.write.ios_per_s, Some(4031.0));
    assert_eq!(write.figures.write.bytes_per_s, mib(16_124.0));
    assert_eq!(write.figures.write.latency.max, us(15_830));
    assert!(write.notes[0].contains("19% higher"), "{:?}", write.notes);
    let read = &runs[2];
    assert_eq!(read.figures.read.bytes_per_s, Some(23_814e6));
    assert_eq!(read.figures.read.latency.mean, us(120));
}

#[test]
fn rados_bench_has_its_depth_for_writes() {
    let runs = runs(seed!("rados_bench"));
    assert_eq!(runs.len(), 2);
    let write = &runs[0];
    assert_eq!(write.workload.queue_depth, Some(16));
    assert_eq!(write.workload.block, Some(Bytes::mib(4)));
    assert_eq!(write.figures.write.ios, Some(611));
    assert_eq!(write.figures.write.bytes_per_s, mib(239.364));
    assert_eq!(write.figures.write.latency.mean, us(265_512));
    assert_eq!(write.figures.write.ios_per_s_sd, Some(4.50528));
    assert_eq!(runs[1].workload.queue_depth, None);
    assert_eq!(runs[1].figures.read.ios_per_s, Some(160.0));
    let (line, what) = trouble("Total time run: 3\nTotal reads made: 5\n");
    assert_eq!(line, 1);
    assert!(what.contains("Bandwidth"), "{what}");
}

#[test]
fn spdk_perf_has_a_row_per_device() {
    let run = &runs(seed!("spdk_perf"))[0];
    assert_eq!(run.figures.total.ios_per_s, Some(799_341.5));
    assert_eq!(run.figures.total.latency.mean, Some(Nanos(160_060)));
    assert_eq!(run.rows.len(), 2);
    assert_eq!(run.rows[0].figures.total.bytes_per_s, mib(1567.31));
    assert_eq!(
        run.rows[0].target,
        "PCIE (0000:04:00.0) NSID 1 from core  0"
    );
}

#[test]
fn vdbench_has_a_run_per_average() {
    let runs = runs(seed!("vdbench"));
    assert_eq!(names(&runs), ["rand_read", "mixed"]);
    let read = &runs[0];
    assert_eq!(read.workload.block, Some(Bytes::kib(4)));
    assert_eq!(read.workload.write_percent, READ);
    assert_eq!(read.workload.queue_depth, Some(32));
    assert_eq!(read.figures.read.ios_per_s, Some(42_563.5));
    assert_eq!(read.figures.read.latency.mean, us(750));
    assert_eq!(read.figures.read.latency.max, us(9280));
    let mixed = &runs[1];
    assert_eq!(mixed.workload.write_percent, Ratio::percent(30));
    assert_eq!(mixed.figures.write.latency.mean, us(1910));
    assert_eq!(mixed.figures.total.latency.max, us(31_500));
    let old = "10:14:13.061  avg_2-60  5000.2  39.06  8192  70.02  1.21  31.5  0.702  6.1  9.1\n";
    assert_eq!(super::desk::one(old).figures.total.latency.max, us(31_500));
    assert!(
        trouble("10:14:13.061  avg_2-60  1 2 3\n")
            .1
            .contains("columns")
    );
}

#[test]
fn iozone_has_a_run_per_test_in_the_column_where_it_stands() {
    let runs = runs(seed!("iozone"));
    let all = [
        "write",
        "rewrite",
        "random read",
        "random write",
        "write",
        "reread",
    ];
    assert_eq!(names(&runs), all);
    let random = &runs[2];
    assert_eq!(random.workload.random_percent, WRITTEN);
    assert_eq!(random.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(random.workload.block, Some(Bytes::kib(4)));
    assert_eq!(random.workload.size, Some(Bytes(102_400 * 1024)));
    assert_eq!(random.figures.read.bytes_per_s, Some(97_611.0 * 1024.0));
    assert_eq!(random.evidence.flush, Some(ImportedFlush::AtEnd));
    assert_eq!(random.tool_version.as_deref(), Some("3.492"));
    let threads = &runs[4];
    assert_eq!(threads.workload.threads, Some(12));
    assert_eq!(threads.workload.block, Some(Bytes::kib(256)));
    assert_eq!(threads.workload.cache, Some(CacheMode::Cached));
    assert_eq!(threads.tool_version.as_deref(), Some("3.506"));
    assert_eq!(threads.format, ImportFormat::IozoneText);
    let narrow = "              KB  reclen   write rewrite    read    reread    read   write\n           16384       4   44632   42865                     24719   11304\n";
    assert_eq!(
        names(&super::desk::runs(narrow)),
        ["write", "rewrite", "random read", "random write"]
    );
}

#[test]
fn dbench_has_reads_and_writes_as_runs() {
    let runs = runs(seed!("kubernetes_dbench"));
    assert_eq!(
        runs.len(),
        9,
        "each figure is of a load of its own, but for the mixed one"
    );
    assert_eq!(runs[0].figures.read.ios_per_s, Some(75_700.0));
    assert_eq!(runs[0].figures.read.bytes_per_s, None, "of larger blocks");
    assert_eq!(runs[3].figures.write.bytes_per_s, mib(500.0));
    assert_eq!(runs[3].workload.block, None);
    assert_eq!(runs[4].figures.read.latency.mean, Some(Nanos(183_070)));
    assert_eq!(runs[6].figures.read.bytes_per_s, mib(536.0));
    let mixed = &runs[8].figures;
    let rates = [&mixed.read, &mixed.write, &mixed.total].map(|side| side.ios_per_s);
    assert_eq!(rates, [Some(43_100.0), Some(14_400.0), Some(57_500.0)]);
}

#[test]
fn fio_has_a_run_per_terse_line() {
    let text = seed!("fio_terse");
    let runs = runs(text);
    assert_eq!(names(&runs), ["mixed", "b"]);
    let field = |line: usize, at: usize| {
        let line = text.lines().nth(line).expect("both lines");
        line.split(';').nth(at).expect("the field").to_owned()
    };
    let number = |line, at| field(line, at).parse::<f64>().ok();
    let mixed = &runs[0];
    assert_eq!(mixed.format, ImportFormat::FioTerse);
    assert_eq!(mixed.tool_version.as_deref(), Some("fio-3.33"));
    assert_eq!(mixed.figures.read.ios_per_s, number(0, 7));
    assert_eq!(mixed.figures.write.ios_per_s, number(0, 48));
    assert_eq!(
        mixed.figures.write.bytes_per_s,
        number(0, 47).map(|kib| kib * 1024.0)
    );
    let mean = number(0, 15).map(|us| Nanos((us * 1e3) as u64));
    assert_eq!(mixed.figures.read.latency.mean, mean);
    assert_eq!(mixed.figures.read.latency.percentiles.len(), 17);
    let alone = &runs[1];
    assert_eq!(alone.figures.read.ios_per_s, number(1, 7));
    assert_eq!(alone.figures.write.ios, Some(0));
    assert!(alone.figures.total.latency.percentiles.len() == 17);
    assert!(
        trouble("3;fio-3.33;a;0;0;4096;53894\n")
            .1
            .contains("fields")
    );
}
