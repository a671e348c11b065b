//! Three whole runs: the default one, one with latencies and intervals, one of two time spans with a pool.

use super::desk::{self, Io, counted, host, profile, record, results, tally, thread, xml};
use expect_test::expect_file;
use model::{Nanos, RunRecord};
use tools::diskspd::{Cache, Compat, Profile, Target, TimeSpan};

const GIB: u64 = 1 << 30;

#[test]
fn example_a_the_default_run() {
    let cpus = [(43_700, 319_400), (0, 1600), (3100, 4700), (1600, 0)];
    let mut run = record(Nanos::millis(10_010), host(1), &cpus, &[GIB]);
    run.threads = vec![thread(
        0,
        0,
        counted(163_984, 10_746_855_424),
        counted(0, 0),
    )];
    let asked = profile(&["testfile.dat"], |_, _| ());
    let page = results(&asked, "diskspd testfile.dat", Compat::V2_2, &[&run]);
    expect_file!["default.txt"].assert_eq(&desk::text(&page));
}

pub(super) fn two_targets() -> (Profile, RunRecord) {
    let cpus = [(50_000, 100_000), (0, 0), (25_000, 75_000), (0, 50_000)];
    let mut run = record(
        Nanos::seconds(2),
        host(2),
        &cpus,
        &[67_108_864, 105_381_888],
    );
    run.plan.interval = Nanos::millis(500);
    let (r, w) = (false, true);
    let first: [Io; 9] = [
        (0, r, 120),
        (0, r, 140),
        (0, w, 300),
        (1, r, 100),
        (1, r, 160),
        (2, r, 110),
        (2, w, 280),
        (2, r, 150),
        (3, r, 130),
    ];
    let second: [Io; 6] = [
        (0, r, 200),
        (0, w, 400),
        (1, r, 210),
        (1, r, 220),
        (1, w, 420),
        (3, r, 230),
    ];
    run.threads = vec![
        thread(0, 0, tally(&first, r), tally(&first, w)),
        thread(1, 1, tally(&second, r), tally(&second, w)),
    ];
    let asked = profile(&["a.dat", "b.dat"], |span, target| {
        (span.duration_s, span.warmup_s) = (2, 0);
        (
            span.measure_latency,
            span.intervals.printed,
            span.intervals.length_ms,
        ) = (true, true, 500);
        (
            target.block_bytes,
            target.random_percent,
            target.align_bytes,
        ) = (4096, 100, 4096);
        (target.cache, target.write_through) = (Cache::Unbuffered, true);
        (target.write_percent, target.request_count) = (30, 1);
    });
    (asked, run)
}

const TWO_TARGETS: &str = "diskspd -b4K -r -w30 -o1 -Sh -d2 -W0 -L -D500 a.dat b.dat";

#[test]
fn example_b_two_targets_with_latencies_and_intervals() {
    let (asked, run) = two_targets();
    let page = results(&asked, TWO_TARGETS, Compat::V2_2, &[&run]);
    expect_file!["two_targets.txt"].assert_eq(&desk::text(&page));
}

/// Case X062. Differs from the original in the documentation of `xml`.
#[test]
fn example_b_as_a_document() {
    let (asked, run) = two_targets();
    let page = results(&asked, TWO_TARGETS, Compat::V2_2, &[&run]);
    expect_file!["two_targets.xml"].assert_eq(&xml(&page));
}

pub(super) fn two_spans() -> (Profile, [RunRecord; 2]) {
    let written = |path: &str| Target {
        path: path.to_owned(),
        cache: Cache::Unbuffered,
        write_percent: 100,
        ..Target::default()
    };
    let small = |weight, target| Target {
        block_bytes: 4096,
        weight,
        ..target
    };
    let pool_read = Target {
        write_percent: 0,
        random_percent: 100,
        ..written("data.bin")
    };
    let span = TimeSpan {
        duration_s: 5,
        warmup_s: 1,
        ..TimeSpan::default()
    };
    let spans = vec![
        TimeSpan {
            targets: vec![written("data.bin")],
            ..span.clone()
        },
        TimeSpan {
            seed: 7,
            thread_count: 2,
            request_count: 8,
            targets: vec![small(70, pool_read), small(30, written("log.bin"))],
            ..span
        },
    ];
    let cpus = [(12_500, 87_500), (0, 0), (0, 3125), (0, 0)];
    let mut first = record(Nanos::seconds(5), host(1), &cpus, &[8 * GIB]);
    first.threads = vec![thread(0, 0, counted(0, 0), counted(40_960, 2_684_354_560))];
    let cpus = [(125_000, 375_000), (100_000, 400_000), (0, 0), (3125, 3125)];
    let mut second = record(Nanos::millis(5010), host(1), &cpus, &[8 * GIB, 2 * GIB]);
    second.plan.pool = Some(model::Pool {
        threads: 2,
        outstanding: Some(8),
        draw: model::PoolDraw::ByWeight,
    });
    let of = |number, target, ios: u64| match target {
        0 => thread(number, target, counted(ios, ios * 4096), counted(0, 0)),
        _ => thread(number, target, counted(0, 0), counted(ios, ios * 4096)),
    };
    second.threads = vec![
        of(0, 0, 70_000),
        of(1, 0, 70_140),
        of(0, 1, 30_000),
        of(1, 1, 29_860),
    ];
    (
        Profile {
            time_spans: spans,
            ..Profile::default()
        },
        [first, second],
    )
}

#[test]
fn example_c_two_time_spans_the_second_with_a_weighted_pool() {
    let (asked, [first, second]) = two_spans();
    let page = results(
        &asked,
        "diskspd -Xtwo.xml",
        Compat::V2_2,
        &[&first, &second],
    );
    expect_file!["two_spans.txt"].assert_eq(&desk::text(&page));
}
