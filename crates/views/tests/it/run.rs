//! One run on one page.

use crate::pages::run_page;
use analysis::sample::Sample;
use expect_test::expect;
use model::{
    Arrivals, Backlog, Bytes, CacheMode, ErrorCount, Failure, LatencyHistogram, Nanos, Operation,
    Outcome, Ratio, Spacing, Waiting, WorkerRecord,
};
use std::path::PathBuf;

fn mixed() -> Sample {
    Sample {
        block: Bytes::kib(8),
        depth: 32,
        write: Ratio::percent(30).unwrap(),
        reads: 140_000,
        writes: 60_000,
        ..Sample::default()
    }
}

#[test]
fn a_sound_run() {
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring
        8 KiB random, 70% reads, 30% writes; QD 32, 1 thread; direct I/O

          20.0k IOPS ±0.01%, 156 MiB/s, p50 1.60 ms, p99 1.79 ms

        VALID: no errors; device counters agree, cache bypassed, queue full, steady, enough samples

                  IOPS    MiB/s     mean      p50      p99     p99.9    p99.99      max
        read     14.0k      109  1.60 ms  1.60 ms  1.79 ms   1.79 ms   6.56 ms  6.57 ms
        write     6000     46.9  1.60 ms  1.60 ms  1.79 ms   1.79 ms  ~6.56 ms  6.57 ms
        total    20.0k      156  1.60 ms  1.60 ms  1.79 ms   1.79 ms   6.56 ms  6.57 ms
        ±95%     0.01%    0.01%    0.01%    0.26%    0.11%     >100%     0.49%
        ~ fewer than 10 tail samples

        note     queue full (32.0 of 32.0 in flight, 100%): the mean latency of 1.60 ms includes waiting;
                 for the service time, measure at depth 1                           fathom explain saturated
        note     vda may complete writes in its volatile cache (write back) without a flush: a power loss
                 loses them; measure with --write-through as well: the difference is the cost of durability
                                                                                  fathom explain write-cache
        note     five windows: lowest 20.0k, highest 20.0k IOPS
        checks   vda1 counters match fathom's (the same to the byte); 32.0 I/Os in flight of 32; CPU: 0.44
                 of 2 cores busy (user 0.11, kernel 0.33)
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&run_page(&mixed().build()));
}

#[test]
fn a_run_at_a_rate_that_was_too_much() {
    let mut record = mixed().build();
    record.plan.arrivals = Some(Arrivals {
        per_s: 50_000,
        spacing: Spacing::Constant,
    });
    for tally in &mut record.threads[0].measured {
        let mut response = LatencyHistogram::new();
        (0..tally.ios).for_each(|n| response.record(Nanos(n * 6_000_000_000 / tally.ios)));
        tally.response = Some(response);
    }
    record.engine.workers = vec![WorkerRecord {
        backlog: Some(Backlog {
            from: Waiting::default(),
            to: Waiting {
                ios: 300_000,
                late: Nanos::seconds(6),
            },
        }),
        ..WorkerRecord::default()
    }];
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring
        8 KiB random, 70% reads, 30% writes; QD 32, 1 thread; direct I/O

        INVALID as a response time at this rate: overload: the target sustained 20.0k of 50.0k IOPS; backlog
        300000 I/Os, 6 s behind schedule

                      IOPS    MiB/s     mean      p50      p99     p99.9    p99.99      max
        read         14.0k      109   3.00 s  ~3.00 s  ~5.95 s   ~6.00 s   ~6.00 s   6.00 s
          service                    1.60 ms  1.60 ms  1.79 ms   1.79 ms   6.56 ms  6.57 ms
        write         6000     46.9   3.00 s  ~3.00 s  ~5.95 s   ~6.00 s   ~6.00 s   6.00 s
          service                    1.60 ms  1.60 ms  1.79 ms   1.79 ms  ~6.56 ms  6.57 ms
        total        20.0k      156   3.00 s  ~3.00 s  ~5.95 s   ~6.00 s   ~6.00 s   6.00 s
          service                    1.60 ms  1.60 ms  1.79 ms   1.79 ms   6.56 ms  6.57 ms
        ±95%         0.01%    0.01%        -        -        -         -         -
        ~ fewer than 10 tail samples; ~ not recorded over time

        rate     requested 50.0k/s (constant), reached 20.0k/s; at the end 300000 I/Os waited, the oldest
                 for 6 s; response times are from the scheduled start, I/O latencies from the submission
        hint     request a rate below the achieved one, or use more depth or threads
                                                                                     fathom explain overload
        note     vda may complete writes in its volatile cache (write back) without a flush: a power loss
                 loses them; measure with --write-through as well: the difference is the cost of durability
                                                                                  fathom explain write-cache
        note     five windows: lowest 20.0k, highest 20.0k IOPS
        checks   vda1 counters match fathom's (the same to the byte); 32.0 I/Os in flight of 32; CPU: 0.44
                 of 2 cores busy (user 0.11, kernel 0.33)
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&run_page(&record));
}

#[test]
fn a_run_that_was_still_warming_up_tells_the_rate_after_it() {
    let mut record = Sample {
        planned: Nanos::seconds(60),
        measured: Nanos::seconds(60),
        ..Sample::default()
    }
    .build();
    record.plan.interval = Nanos::seconds(1);
    let tally = &mut record.threads[0].measured[0];
    let one = tally.intervals[0];
    tally.intervals = (0..60)
        .map(|step| model::Interval {
            ios: if step < 10 { 200 } else { 360 },
            ..one
        })
        .collect();
    let page = run_page(&record);
    let reported = page.lines().find(|line| line.starts_with("warm-up"));
    expect!["warm-up  the first 10 s of 60 s: 200 IOPS; after that 360 IOPS ±0.01%; the table is over all of it"].assert_eq(reported.unwrap_or_default());
}

#[test]
fn a_run_of_the_page_cache() {
    let cached = Sample {
        cache: CacheMode::Cached,
        device_percent: 0,
        ..Sample::default()
    };
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring
        4 KiB random reads; QD 1, 1 thread; buffered I/O

        INVALID as a disk result: the page cache served 100% of the reads

                  IOPS    MiB/s     mean      p50      p99     p99.9    p99.99      max
        read      2000     7.81   501 µs   500 µs   560 µs    560 µs  ~2.05 ms  2.05 ms
        ±95%     0.01%    0.01%    0.01%    0.31%    0.18%     >100%         -
        ~ fewer than 10 tail samples

        hint     use direct I/O to measure the device                              fathom explain page-cache
        note     five windows: lowest 2000, highest 2000 IOPS
        checks   vda1 counters: 100% apart: a cache above vda1 answered or absorbed the rest; 1.00 I/Os in
                 flight of 1; CPU: 0.44 of 2 cores busy (user 0.11, kernel 0.33)
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&run_page(&cached.build()));
}

#[test]
fn an_interrupted_run() {
    let interrupted = Sample {
        measured: Nanos::millis(2400),
        outcome: Outcome::Interrupted,
        reads: 700,
        ..Sample::default()
    };
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring
        4 KiB random reads; QD 1, 1 thread; direct I/O

          292 IOPS, 1.14 MiB/s, p50 3.41 ms, p99 ~3.84 ms

        CAUTION: interrupted after 2.40 s of 10 s

                  IOPS    MiB/s     mean      p50       p99     p99.9    p99.99      max
        read       292     1.14  3.42 ms  3.41 ms  ~3.84 ms       max       max  3.84 ms
        ~ fewer than 10 tail samples; max: too few I/Os for that percentile

        ± of IOPS and latencies is not known: fewer than ten steps of the time series: measure longer, or
        with a shorter --interval
        hint     repeat the complete run                                          fathom explain interrupted
        note     follows from interrupted: a short run: 700 I/Os in 2.40 s          fathom explain short-run
        checks   vda1 counters match fathom's (the same to the byte); 1.00 I/Os in flight of 1; CPU: 0.44 of
                 2 cores busy (user 0.11, kernel 0.33)
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&run_page(&interrupted.build()));
}

#[test]
fn a_run_that_failed() {
    let mut record = Sample {
        measured: Nanos::seconds(1),
        ..mixed()
    }
    .build();
    record.threads[0].measured[1].errors = vec![ErrorCount { errno: 5, count: 1 }];
    record.outcome = Outcome::Failed(Failure {
        operation: Operation::Write,
        target: 0,
        offset: Bytes(1 << 20),
        length: Bytes(8192),
        errno: 5,
        message: "Input/output error".to_owned(),
    });
    expect![[r#"
        /data/fathom.dat, 8 GiB, ext4 on vda1 on vda; VM (kvm), 2 cores; io_uring
        8 KiB random, 70% reads, 30% writes; QD 32, 1 thread; direct I/O

        INVALID: a failed write of 8 KiB at byte 1048576 ended the run: Input/output error

                  IOPS    MiB/s     mean      p50      p99     p99.9    p99.99      max
        read      140k     1094   160 µs   160 µs   179 µs    179 µs    656 µs   657 µs
        write    60.0k      469   160 µs   160 µs   179 µs    179 µs   ~656 µs   657 µs
        total     200k     1562   160 µs   160 µs   179 µs    179 µs    656 µs   657 µs
        ~ fewer than 10 tail samples

        ± of IOPS and latencies is not known: fewer than ten steps of the time series: measure longer, or
        with a shorter --interval
        errors   1 I/O failed
        hint     check the system log for the device before measuring again         fathom explain io-errors
        warning  a short run: 1 s, too few steps to detect a change; measure longer
                                                                                    fathom explain short-run
        note     queue full (32.0 of 32.0 in flight, 100%): the mean latency of 160 µs includes waiting; for
                 the service time, measure at depth 1                               fathom explain saturated
        note     vda may complete writes in its volatile cache (write back) without a flush: a power loss
                 loses them; measure with --write-through as well: the difference is the cost of durability
                                                                                  fathom explain write-cache
        checks   vda1 counters match fathom's (the same to the byte); 32.0 I/Os in flight of 32; CPU: 0.44
                 of 2 cores busy (user 0.11, kernel 0.33)
        details  fathom show 12 --verbose; all data: fathom show 12 --json
    "#]].assert_eq(&run_page(&record));
}

#[test]
fn everything_at_once_still_fits_the_page() {
    let mut record = mixed().build();
    record.targets[0].path = PathBuf::from(format!(
        "/data/{}\n\u{1b}[2J/fathom.dat",
        "long/".repeat(60)
    ));
    record.outcome = Outcome::Interrupted;
    record.threads[0].abandoned = 2;
    record.engine.clock.drift = Nanos::seconds(1);
    record.engine.notes = vec!["the kernel refused registered buffers".to_owned(); 9];
    record.window.after.cpus[0].steal = Nanos::seconds(8);
    record.window.after.devices[0].read_bytes = Bytes(u64::MAX);
    record.threads[0].measured[0].errors = vec![ErrorCount { errno: 5, count: 1 }];
    record.threads[0].measured[0].bytes = Bytes(u64::MAX / 2);
    let page = run_page(&record);
    assert!(
        page.contains("more with --verbose") && page.contains("fathom show 12"),
        "{page}"
    );
    assert!(!page.contains('\u{1b}'), "{page}");
}

#[test]
fn many_targets_still_fit_the_page() {
    let mut record = mixed().build();
    for number in 1..6 {
        let (mut facts, planned) = (record.targets[0].clone(), record.plan.targets[0].clone());
        facts.chain[0].name = format!("unread{number}");
        facts.chain.truncate(1);
        let mut thread = record.threads[0].clone();
        (thread.thread, thread.target) = (number, number);
        record.targets.push(facts);
        record.plan.targets.push(planned);
        record.threads.push(thread);
    }
    record.outcome = Outcome::Interrupted;
    let page = run_page(&record);
    assert!(
        page.contains("target 4") && page.contains("and 4 more targets"),
        "{page}"
    );
}
