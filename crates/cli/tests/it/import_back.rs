//! What fathom prints in DISKSPD's layouts is read back with the same numbers.

use model::{CacheMode, ImportedOperation, ImportedRun, Nanos};
use proptest::prelude::*;
use tools::diskspd::figures::{
    CpuShares, CpuUse, DirectionFigures, Figures, LATENCY_POINTS, Latency, LatencyPoint, Measured,
    Row, Span, System,
};
use tools::diskspd::{
    Cache, Compat, DiskspdResults, Intervals, Profile, Target, TimeSpan, diskspd_text, diskspd_xml,
};

const PATHS: [&str; 4] = [
    "a.dat",
    "/srv/a name (1) of it.dat",
    "E:\\x\\ü.dat",
    "/dev/sdb",
];

/// One direction of one row: I/Os, mean in ns, and the latencies of its percentiles.
fn latency() -> impl Strategy<Value = Latency> {
    let points = proptest::collection::vec(1_000_u64..3_000_000_000, LATENCY_POINTS.len());
    (points, 1_000.0..2e9, 0.0..1e9).prop_map(|(mut ns, mean_ns, deviation)| {
        ns.sort_unstable();
        let point = |(&parts, ns): (&u64, u64)| LatencyPoint { parts, ns };
        Latency {
            samples: 1000,
            distinct: 100,
            mean_ns,
            std_dev_ns: Some(deviation),
            points: LATENCY_POINTS.iter().zip(ns).map(point).collect(),
        }
    })
}

fn direction(ios: u64, block: u64, seconds: f64, latency: &Latency) -> DirectionFigures {
    let bytes = ios * block;
    DirectionFigures {
        ios,
        bytes,
        rate_per_s: ios as f64 / seconds,
        bytes_per_s: bytes as f64 / seconds,
        iops_std_dev: ios as f64 / 7.0,
        latency: if ios == 0 {
            Latency::default()
        } else {
            latency.clone()
        },
    }
}

fn figures(reads: u64, writes: u64, block: u64, seconds: f64, latency: &Latency) -> Figures {
    Figures {
        read: direction(reads, block, seconds, latency),
        write: direction(writes, block, seconds, latency),
        total: direction(reads + writes, block, seconds, latency),
        ..Figures::default()
    }
}

fn asked() -> impl Strategy<Value = Profile> {
    let target = (
        proptest::sample::subsequence(PATHS.to_vec(), 1..=3),
        9_u32..22,
        0_u8..=100,
        1_u32..100,
        1_u32..4,
        (0_u8..3, any::<bool>(), any::<bool>()),
    );
    (target, any::<[bool; 2]>(), 1_u32..100, 0_u32..9).prop_map(
        |(target, flags, duration_s, warmup_s)| {
            let (
                paths,
                block,
                write_percent,
                request_count,
                threads,
                (cache, write_through, random),
            ) = target;
            let one = |path: &&str| Target {
                path: (*path).to_owned(),
                block_bytes: 1 << block,
                write_percent,
                request_count,
                threads,
                random_percent: if random { 100 } else { 0 },
                cache: [Cache::Cached, Cache::Unbuffered, Cache::LocalOff][usize::from(cache)],
                write_through,
                ..Target::default()
            };
            let span = TimeSpan {
                measure_latency: flags[0],
                intervals: Intervals {
                    printed: flags[1],
                    length_ms: 1000,
                },
                duration_s,
                warmup_s,
                targets: paths.iter().map(one).collect(),
                ..TimeSpan::default()
            };
            Profile {
                time_spans: vec![span],
                ..Profile::default()
            }
        },
    )
}

/// A thread with its target, and its reads and writes.
type Counted<'a> = ((u32, (u32, &'a Target)), &'a (u64, u64));

/// A time span's report: a row for each thread of each target, and their sums.
fn measured() -> impl Strategy<Value = (Profile, Measured)> {
    let counts = proptest::collection::vec((0_u64..5_000_000, 0_u64..5_000_000), 12);
    let time = 1_000_000_000_u64..100_000_000_000;
    (asked(), counts, time, latency()).prop_map(|(profile, counts, time, latency)| {
        let span = &profile.time_spans[0];
        let seconds = time as f64 / 1e9;
        let block = u64::from(span.targets[0].block_bytes);
        let threads = || {
            (0..).zip(&span.targets).flat_map(|(number, target)| {
                std::iter::repeat_n((number, target), target.threads as usize)
            })
        };
        let row = |((thread, (target, asked)), &(reads, writes)): Counted<'_>| Row {
            thread,
            target,
            path: asked.path.clone(),
            size_bytes: 1 << 30,
            figures: figures(reads, writes, block, seconds, &latency),
            ..Row::default()
        };
        let rows: Vec<Row> = (0..).zip(threads()).zip(&counts).map(row).collect();
        let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
        let total = figures(
            sum(|row| row.figures.read.ios),
            sum(|row| row.figures.write.ios),
            block,
            seconds,
            &latency,
        );
        let measured = Measured {
            time: Nanos(time),
            threads: rows.len() as u32,
            cpu_average: CpuShares {
                usage: 12.34,
                user: 2.34,
                kernel: 10.0,
                idle: 87.66,
            },
            cpus: vec![CpuUse::default()],
            rows,
            total,
            ..Measured::default()
        };
        (profile, measured)
    })
}

fn printed(profile: &Profile, measured: &Measured, compat: Compat, xml: bool) -> Vec<u8> {
    let system = System {
        started_utc: Nanos::seconds(1_777_900_927),
        ..System::default()
    };
    let results = DiskspdResults {
        profile,
        command_line: "diskspd -b4K a.dat",
        compat,
        system,
        spans: vec![Span::Measured(measured.clone())],
    };
    let mut page = Vec::new();
    let view = if xml { diskspd_xml } else { diskspd_text };
    view(&results, &mut page).unwrap();
    page
}

fn near(read: Option<f64>, value: f64, by: f64) {
    let read = read.expect("it is printed");
    assert!((read - value).abs() <= by, "{read} is not {value}");
}

/// Half of the last digit of milliseconds with three decimals.
const HALF_US: f64 = 501.0;

fn same(read: &ImportedOperation, wrote: &DirectionFigures, latency: bool, seconds_known_by: f64) {
    assert_eq!(read.ios, Some(wrote.ios));
    assert_eq!(read.bytes.map(|bytes| bytes.0), Some(wrote.bytes));
    let slack = 0.0051 + wrote.rate_per_s * seconds_known_by;
    near(read.ios_per_s, wrote.rate_per_s, slack);
    let slack = 0.0051 * 1_048_576.0 + wrote.bytes_per_s * seconds_known_by;
    near(read.bytes_per_s, wrote.bytes_per_s, slack);
    if !latency || wrote.ios == 0 {
        assert_eq!(read.latency.mean, None);
        assert!(read.latency.percentiles.is_empty());
        return;
    }
    let ns = |ns: Option<Nanos>| ns.map(|ns| ns.0 as f64);
    near(ns(read.latency.mean), wrote.latency.mean_ns, HALF_US);
    near(
        ns(read.latency.sd),
        wrote.latency.std_dev_ns.unwrap(),
        HALF_US,
    );
    assert!(read.latency.percentiles.len() >= 13);
    for (quantile, value) in &read.latency.percentiles {
        let parts = (quantile * 1e9).round() as u64;
        let point = wrote
            .latency
            .points
            .iter()
            .find(|point| point.parts == parts);
        near(
            Some(value.0 as f64),
            point.expect("it was printed").ns as f64,
            HALF_US,
        );
    }
    let points = &wrote.latency.points;
    near(ns(read.latency.min), points[0].ns as f64, HALF_US);
    near(
        ns(read.latency.max),
        points.last().unwrap().ns as f64,
        HALF_US,
    );
}

fn check(run: &ImportedRun, profile: &Profile, wrote: &Measured, known_by: f64) {
    let (span, target) = (&profile.time_spans[0], &profile.time_spans[0].targets[0]);
    let work = &run.workload;
    let names: Vec<&str> = span
        .targets
        .iter()
        .map(|target| target.path.as_str())
        .collect();
    assert_eq!(work.targets, names);
    assert_eq!(
        work.block.map(|block| block.0),
        Some(u64::from(target.block_bytes))
    );
    assert_eq!(
        work.write_percent.map(|share| share.as_percent()),
        Some(target.write_percent)
    );
    assert_eq!(
        work.random_percent.map(|share| share.as_percent()),
        Some(target.random_percent)
    );
    assert_eq!(work.queue_depth, Some(target.request_count));
    assert_eq!(work.threads, Some(wrote.threads));
    assert_eq!(
        work.duration,
        Some(Nanos::seconds(u64::from(span.duration_s)))
    );
    assert_eq!(work.warmup, Some(Nanos::seconds(u64::from(span.warmup_s))));
    let cache = match target.cache {
        Cache::Cached => CacheMode::Cached,
        Cache::Unbuffered => CacheMode::Unbuffered,
        Cache::LocalOff => CacheMode::LocalOff,
    };
    assert_eq!(
        (work.cache, work.write_through),
        (Some(cache), Some(target.write_through))
    );
    near(
        run.measured.map(|time| time.0 as f64),
        wrote.time.0 as f64,
        5.1e6,
    );
    let latency = span.measure_latency;
    same(&run.figures.total, &wrote.total.total, latency, known_by);
    same(&run.figures.read, &wrote.total.read, latency, known_by);
    same(&run.figures.write, &wrote.total.write, latency, known_by);
    assert_eq!(run.rows.len(), wrote.rows.len());
    for (mine, theirs) in run.rows.iter().zip(&wrote.rows) {
        assert_eq!(
            (mine.thread, &mine.target),
            (Some(theirs.thread), &theirs.path)
        );
        assert_eq!(mine.figures.write.ios, Some(theirs.figures.write.ios));
    }
    assert_eq!(run.cpu.and_then(|cpu| cpu.usage_percent), Some(12.34));
    let other = run.notes.iter().find(|note| !note.contains("percentiles"));
    assert_eq!(other, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_printed_for_diskspds_scripts_imports_with_the_same_numbers((profile, wrote) in measured()) {
        for (compat, xml) in [(Compat::V2_2, false), (Compat::V2_0, false), (Compat::V2_2, true)] {
            let page = printed(&profile, &wrote, compat, xml);
            // Twice, as scripts append them.
            let reading = tools::imports::read("a", [page.clone(), page].concat()).unwrap();
            prop_assert_eq!(&reading.broken, &Vec::new());
            prop_assert_eq!(reading.runs.len(), 2);
            // The document has no rates: they follow from the time, of which two decimals are printed.
            let known_by = if xml { 0.0051 / wrote.time.as_seconds() } else { 0.0 };
            for run in &reading.runs {
                check(run, &profile, &wrote, known_by);
            }
        }
    }
}
