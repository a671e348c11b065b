//! Memory-mapped files, and further settings of a thread: contents, hints, priorities, cores.

use crate::contract::marked_file;
use crate::jobs;
use engine::{Silent, Stop, run};
use host::Root;
use model::*;
use std::path::Path;

const SIZE: u64 = 8 << 20;
const FLUSH: &str = if cfg!(windows) {
    "FlushViewOfFile"
} else {
    "msync"
};

pub(crate) fn job(path: &Path, change: jobs::Change<'_>) -> engine::Job {
    jobs::file(
        path,
        Bytes(SIZE),
        Content::Fathom,
        EngineChoice::Auto,
        &|span| {
            span.phases.measured = Nanos::millis(120);
            change(span);
        },
    )
}

pub(crate) fn run_it(job: engine::Job) -> RunRecord {
    run(job, &Root::live(), &Silent, &Stop::new()).unwrap()
}

pub(crate) fn map(span: &mut Timespan, flush: Flush) {
    let target = &mut span.targets[0];
    (target.cache, target.mapped) = (CacheMode::Cached, Some(flush));
}

#[test]
fn mapped_reads_and_writes_move_whole_blocks() {
    let (_folder, path) = marked_file(SIZE);
    for (flush, write) in [(Flush::Never, 0), (Flush::Never, 50), (Flush::View, 100)] {
        let record = run_it(job(&path, &|span| {
            map(span, flush);
            let target = &mut span.targets[0];
            target.workload.queue_depth = QueueDepth(4);
            target.workload.write = Ratio::percent(write).unwrap();
            (target.base, target.length) = (Bytes::mib(1), Some(Bytes::mib(4)));
        }));
        let total = record.total();
        assert_eq!(record.engine.backend, "mmap");
        assert!(
            total.ios > 0 && total.bytes.0 == total.ios * 4096,
            "{flush:?} {write}"
        );
        assert_eq!((total.short_ios, total.errors_total()), (0, 0));
        assert_eq!(
            record.engine.features.contains(&FLUSH.to_owned()),
            flush == Flush::View
        );
    }
    let data = std::fs::read(&path).unwrap();
    assert!(data.chunks(4096).all(block_header::is_whole));
    assert!(
        data[..1 << 20]
            .chunks(4096)
            .all(|block| block[64..512].iter().all(|&byte| byte == 0xA5))
    );
    assert!(
        data[1 << 20..5 << 20]
            .chunks(4096)
            .any(|block| block[64] != 0xA5)
    );
}

#[test]
fn a_pattern_arrives_on_the_disk_through_every_backend() {
    for (mapped, cache) in [
        (None, CacheMode::Unbuffered),
        (Some(Flush::Never), CacheMode::Cached),
    ] {
        let (_folder, path) = marked_file(SIZE);
        run_it(job(&path, &|span| {
            span.phases.measured = Nanos::millis(60_000); // or when all is written
            let target = &mut span.targets[0];
            target.amount = Some(Bytes::kib(64));
            (target.cache, target.mapped, target.content) = (cache, mapped, WriteContent::Pattern);
            (target.workload.write, target.workload.access) = (Ratio::ALL, Access::Sequential);
            target.length = Some(Bytes::kib(64));
        }));
        let data = std::fs::read(&path).unwrap();
        assert!(
            data[..65536]
                .iter()
                .enumerate()
                .all(|(at, &byte)| byte == at as u8),
            "{mapped:?}"
        );
    }
}

#[test]
fn a_shared_source_priority_hint_and_core_go_through_the_ring() {
    let (_folder, path) = marked_file(SIZE);
    for content in [
        WriteContent::Source {
            bytes: Bytes::mib(2),
            file: None,
        },
        WriteContent::Fresh,
        WriteContent::Zero,
    ] {
        let run = || {
            run_it(job(&path, &|span| {
                span.placement = Placement::RoundRobin;
                let target = &mut span.targets[0];
                (target.priority, target.hint) = (Priority::VeryLow, Hint::Random);
                target.content = content.clone();
                target.threads = 2;
                target.workload.queue_depth = QueueDepth(if record_depth() { 8 } else { 1 });
                target.workload.write = Ratio::percent(60).unwrap();
            }))
        };
        let wrote = |record: &RunRecord| record.tally(Operation::Write, None).ios > 0;
        // I/O of the lowest priority waits for all others: on a disk that others use, none may be done in so short a run.
        let mut runs = (0..3).map(|_| run());
        let record = runs.find(wrote).unwrap_or_else(|| panic!("{content:?}"));
        assert_eq!(record.outcome, Outcome::Complete);
        assert_eq!(record.total().errors_total(), 0);
    }
}

/// Whether more than one I/O may be outstanding here.
fn record_depth() -> bool {
    engine::queue_depth_max(EngineChoice::Auto).unwrap() > 1
}

#[test]
fn a_pool_reads_several_files_and_a_pace_holds_on_a_real_clock() {
    let (_folder, path) = marked_file(SIZE);
    let (_other, second) = marked_file(SIZE);
    if !record_depth() {
        println!("skipped: io_uring does not run here, and a pool over two files needs it");
        return;
    }
    let facts = [&path, &second].map(|path| jobs::file_facts(path, Bytes(SIZE), Content::Fathom));
    let job = jobs::files(facts.to_vec(), &|span| {
        span.pool = Some(Pool {
            threads: 2,
            outstanding: None,
            draw: PoolDraw::ByWeight,
        });
        span.phases.measured = Nanos::millis(300);
        for target in &mut span.targets {
            target.pacing = Pacing::Rate {
                bytes_per_s: 409_600,
            };
        }
    });
    let record = run_it(job);
    let rows: Vec<_> = record
        .threads
        .iter()
        .map(|t| (t.thread, t.target))
        .collect();
    assert_eq!(rows, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    // 100 a second, from credit that is never ahead: at most 30 each in 300 ms.
    assert!(
        record
            .threads
            .iter()
            .all(|t| (1..=30).contains(&t.measured[0].ios)),
        "{:?}",
        record.total().ios
    );
}

#[test]
fn large_pages_are_had_or_refused() {
    let (_folder, path) = marked_file(SIZE);
    let job = job(&path, &|span| span.targets[0].large_pages = true);
    match run(job, &Root::live(), &Silent, &Stop::new()) {
        Ok(record) => assert!(record.total().ios > 0),
        Err(reported) => assert!(
            reported.to_string().contains("omit large pages"),
            "{reported}"
        ),
    }
}

#[test]
fn a_core_that_may_not_be_used_is_refused_with_those_that_may() {
    let (_folder, path) = marked_file(SIZE);
    let job = job(&path, &|span| span.placement = Placement::Cores(vec![1023]));
    let reported = run(job, &Root::live(), &Silent, &Stop::new())
        .unwrap_err()
        .to_string();
    assert!(
        reported.contains("core 1023: this process may use 0"),
        "{reported}"
    );
}
