//! What IOR, mdtest and IO500 print, from the seeds of the fuzzers.

use super::desk::{READ, WRITTEN, mib, runs, seed, trouble};
use model::imported_evidence::ImportedFlush;
use model::{Bytes, CacheMode, ImportFormat, ImportedRun, Nanos, Ratio};

fn has(run: &ImportedRun, part: &str) -> bool {
    run.notes.iter().any(|note| note.contains(part))
}

#[test]
fn ior_has_a_run_for_each_access_and_repetition() {
    let runs = runs(seed!("ior"));
    assert_eq!(runs.len(), 4);
    let write = &runs[0];
    assert_eq!(write.format, ImportFormat::IorText);
    assert_eq!(write.name.as_deref(), Some("write, repetition 0"));
    assert_eq!(
        (write.tool_version.as_deref(), write.host.as_deref()),
        (Some("4.0.0"), Some("n01"))
    );
    let workload = &write.workload;
    assert_eq!(
        (workload.threads, workload.block),
        (Some(8), Some(Bytes::mib(1)))
    );
    assert_eq!(
        (workload.size, workload.cache),
        (Some(Bytes::mib(512)), Some(CacheMode::Cached))
    );
    assert_eq!(
        (workload.write_percent, workload.random_percent),
        (WRITTEN, Some(Ratio::NONE))
    );
    assert_eq!(workload.targets, ["/mnt/s/f"]);
    assert_eq!(write.figures.write.bytes_per_s, mib(412.37));
    assert_eq!(write.figures.write.ios_per_s, Some(415.02));
    assert_eq!(write.figures.write.latency.mean, Some(Nanos(18_870_000)));
    assert_eq!(write.measured, Some(Nanos::millis(1240)));
    assert_eq!(write.evidence.flush, Some(ImportedFlush::AtEnd));
    assert!(has(write, "open(s) 0.001204") && has(write, "task 0") && has(write, "2 nodes"));
    assert!(!has(write, "memory"));
    let read = &runs[3];
    assert_eq!(read.name.as_deref(), Some("read, repetition 1"));
    assert_eq!(
        (read.workload.write_percent, read.evidence.flush),
        (READ, None)
    );
    assert!(has(read, "the rate may be that of memory"));
}

#[test]
fn the_layout_of_ior_3_0_has_no_latency_and_reads_elsewhere_are_not_suspected() {
    let runs = runs(seed!("ior_old"));
    assert_eq!(runs.len(), 2);
    let read = &runs[1];
    assert_eq!(read.workload.cache, Some(CacheMode::Unbuffered));
    assert_eq!(
        (read.workload.threads, read.workload.block),
        (Some(64), Some(Bytes::mib(4)))
    );
    assert_eq!(read.figures.read.bytes_per_s, mib(2010.25));
    assert_eq!(
        (read.figures.read.ios_per_s, read.figures.read.latency.mean),
        (None, None)
    );
    assert!(!has(read, "memory") && !has(read, "task 0"));
    let (_, what) =
        trouble("IOR-3.0.1: MPI Coordinated Test of Parallel I/O\n\nERROR: open failed\n");
    assert!(what.contains("IOR"), "{what}");
}

#[test]
fn ior_s_json_is_read_over_its_warnings() {
    let runs = runs(seed!("ior_json"));
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].format, ImportFormat::IorJson);
    assert_eq!(runs[0].figures.write.bytes_per_s, mib(812.5));
    assert_eq!(runs[0].workload.block, Some(Bytes::kib(256)));
    assert_eq!(runs[0].workload.threads, Some(2));
    assert_eq!(
        runs[0].figures.write.latency.resolution,
        Some(Nanos::micros(100))
    );
    let below = seed!("ior_json").replace("\"latency\": 0.0001", "\"latency\": 0.0000");
    assert_eq!(super::desk::runs(&below)[1].figures.read.latency.mean, None);
    assert_eq!(runs[1].name.as_deref(), Some("read, repetition 0"));
    assert!(has(&runs[1], "the rate may be that of memory"));
    let cut = &seed!("ior_json")[..900];
    let (_, what) = trouble(cut);
    assert!(what.contains("IOR"), "{what}");
}

#[test]
fn mdtest_has_a_run_for_each_row_of_rates() {
    let new = runs(seed!("mdtest"));
    assert_eq!(new.len(), 9);
    let create = &new[3];
    assert_eq!(create.name.as_deref(), Some("File creation"));
    assert_eq!(create.figures.total.ios_per_s, Some(15166.0));
    assert_eq!(
        (create.workload.threads, create.tool_version.as_deref()),
        (Some(4), Some("4.0.0"))
    );
    assert!(has(create, "counts files") && has(create, "2 iterations") && has(create, "2 nodes"));
    assert!(has(&new[0], "counts folders"));
    let old = runs(seed!("mdtest_old"));
    assert_eq!(old.len(), 5);
    assert_eq!(old[0].figures.total.ios_per_s, Some(9012.345));
    assert_eq!(old[0].tool_version.as_deref(), Some("1.9.1"));
    assert!(!has(&old[0], "iterations"));
}

#[test]
fn io500_has_a_run_for_each_phase_and_its_score_has_to_add_up() {
    let summary = runs(seed!("io500"));
    assert_eq!(summary.len(), 12);
    assert_eq!(summary[0].name.as_deref(), Some("ior-easy-write"));
    assert_eq!(
        summary[0].figures.write.bytes_per_s,
        Some(2.0 * f64::from(1 << 30))
    );
    assert_eq!(summary[0].measured, Some(Nanos::millis(312_401)));
    assert_eq!(summary[1].figures.total.ios_per_s, Some(10_000.0));
    assert!(has(&summary[2], "INVALID") && !has(&summary[0], "INVALID"));
    let wrong = seed!("io500").replace("Bandwidth 1.414214", "Bandwidth 2.414214");
    let (line, what) = trouble(&wrong);
    assert!(
        line == 15 && what.contains("does not add up"),
        "{line}: {what}"
    );
    let both = format!("{}{}", seed!("io500_ini"), seed!("io500"));
    let both = both.replacen("IO500 version", "another version", 1);
    let lines: Vec<u32> = runs(&both).iter().map(|run| run.line).collect();
    assert!(
        lines.is_sorted(),
        "an open phase ends at a result: {lines:?}"
    );
    let ini = runs(seed!("io500_ini"));
    assert_eq!(ini.len(), 2);
    assert_eq!(
        ini[0].figures.write.bytes_per_s,
        Some(2.5 * f64::from(1 << 30))
    );
    assert_eq!(
        (ini[0].workload.threads, ini[0].tool_version.as_deref()),
        (Some(10), Some("io500-isc22_v2"))
    );
    assert!(
        ini[0]
            .command
            .as_deref()
            .is_some_and(|exe| exe.starts_with("./ior"))
    );
}
