//! Every complete output that the seeds show, with the numbers that stand there.

use super::desk::{SEED_000, SEED_001, SEED_002, bytes, mib, one, us};
use model::{Bytes, CacheMode, ImportFormat, Nanos, Ratio};

#[test]
fn seed_000_a_mixed_run_of_2_0_17_with_percentiles() {
    let run = one(SEED_000);
    assert_eq!(run.format, ImportFormat::DiskspdText);
    assert_eq!(run.tool_version.as_deref(), Some("2.0.17"));
    assert!(
        run.command
            .as_ref()
            .unwrap()
            .starts_with("diskspd.exe -Suw -L -W5 -Z1G")
    );
    let work = &run.workload;
    assert_eq!(work.targets, ["E:\\iotest.dat"]);
    assert_eq!(work.block, Some(Bytes::kib(64)));
    assert_eq!(work.write_percent, Ratio::percent(10));
    assert_eq!(work.random_percent, Some(Ratio::ALL));
    assert_eq!((work.queue_depth, work.threads), (Some(4), Some(16)));
    assert_eq!(work.cache, Some(CacheMode::Unbuffered));
    assert_eq!(work.write_through, Some(true));
    assert_eq!(work.duration, Some(Nanos::seconds(120)));
    assert_eq!(work.warmup, Some(Nanos::seconds(5)));
    assert_eq!(work.size, Some(Bytes::gib(440)));
    assert_eq!(run.measured, Some(Nanos::seconds(120)));
    let total = &run.figures.total;
    assert_eq!(total.bytes, bytes(161_863_434_240));
    assert_eq!(total.ios, Some(2_469_840));
    assert_eq!(total.bytes_per_s, mib(1286.37));
    assert_eq!(total.ios_per_s, Some(20_581.94));
    assert_eq!((total.latency.mean, total.latency.sd), (us(3106), us(3955)));
    assert_eq!(
        (total.latency.min, total.latency.max),
        (us(535), us(211_330))
    );
    assert_eq!(total.latency.percentiles.len(), 13);
    assert!(
        total
            .latency
            .percentiles
            .contains(&(0.999, Nanos::micros(39_374)))
    );
    assert!(
        run.figures
            .read
            .latency
            .percentiles
            .contains(&(0.5, Nanos::micros(2796)))
    );
    assert!(
        run.figures
            .write
            .latency
            .percentiles
            .contains(&(0.99, Nanos::micros(6761)))
    );
    assert_eq!(total.latency.resolution, us(1));
    let cpu = run.cpu.unwrap();
    assert_eq!(cpu.processors, Some(32));
    assert_eq!(
        (cpu.usage_percent, cpu.idle_percent),
        (Some(2.49), Some(22.51))
    );
    assert_eq!(run.rows.len(), 16);
    assert_eq!(run.rows[15].figures.total.latency.mean, us(3073));
    // The page leaves these tables away, so nothing is known of them.
    assert_eq!(run.figures.read.ios, None);
    assert!(run.notes.iter().any(|note| note.contains("`Read IO`")));
}

#[test]
fn seed_001_a_default_run_of_2_0_15() {
    let run = one(SEED_001);
    assert_eq!(run.tool_version.as_deref(), Some("2.0.15"));
    let work = &run.workload;
    assert_eq!(work.targets, ["test.dat"]);
    assert_eq!(work.cache, Some(CacheMode::Cached));
    assert_eq!(work.write_through, Some(false));
    assert_eq!(work.random_percent, Some(Ratio::NONE));
    assert_eq!(work.write_percent, Some(Ratio::NONE));
    assert_eq!((work.queue_depth, work.threads), (Some(2), Some(1)));
    assert_eq!(work.size, Some(Bytes::gib(1)));
    assert_eq!(run.measured, Some(Nanos::millis(10_090)));
    for figures in [&run.figures.total, &run.figures.read] {
        assert_eq!(figures.bytes, bytes(25_740_902_400));
        assert_eq!(figures.ios, Some(392_775));
        assert_eq!(figures.bytes_per_s, mib(2432.28));
        assert_eq!(figures.ios_per_s, Some(38_916.47));
        assert_eq!(figures.latency.mean, None);
    }
    assert_eq!(run.figures.write.ios, Some(0));
    assert_eq!(run.cpu.unwrap().usage_percent, Some(3.66));
    assert_eq!(run.cpu.unwrap().processors, Some(32));
}

#[test]
fn seed_002_an_sqlio_run_with_its_histogram() {
    let run = one(SEED_002);
    assert_eq!(run.format, ImportFormat::SqlioText);
    assert_eq!(run.tool_version.as_deref(), Some("1.5.SG"));
    let work = &run.workload;
    assert_eq!(work.targets, ["e:\\TestFile.dat"]);
    assert_eq!(work.block, Some(Bytes::kib(8)));
    assert_eq!(work.random_percent, Some(Ratio::ALL));
    assert_eq!(work.write_percent, Some(Ratio::ALL));
    assert_eq!((work.threads, work.queue_depth), (Some(1), Some(1)));
    assert_eq!(work.cache, Some(CacheMode::Unbuffered));
    assert_eq!(work.write_through, Some(false));
    assert_eq!(work.duration, Some(Nanos::seconds(120)));
    assert_eq!(work.size, Some(Bytes::mib(20_000)));
    let total = &run.figures.total;
    assert_eq!(total.ios_per_s, Some(225.80));
    assert_eq!(total.bytes_per_s, mib(1.76));
    assert_eq!(total.latency.min, Some(Nanos(0)));
    assert_eq!(total.latency.mean, Some(Nanos::millis(3)));
    assert_eq!(total.latency.max, Some(Nanos::millis(111)));
    assert_eq!(total.latency.resolution, Some(Nanos::millis(1)));
    let shares = &total.latency.histogram;
    assert_eq!(shares.len(), 25);
    assert_eq!(
        (shares[3].from, shares[3].percent),
        (Nanos::millis(3), 31.0)
    );
    assert_eq!(run.figures.write, *total);
    assert_eq!(run.measured, None);
}
