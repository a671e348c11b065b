//! What only the engines of Linux have: polling, kernel AIO that waits through the cache, mapped files that are cut short.
#![cfg(target_os = "linux")]

use crate::contract::{AfterSome, NO_DATA, engines, job, marked_file, run_it};
use crate::{jobs, mapped};
use engine::{Silent, Stop, run};
use host::Root;
use model::*;
use std::fs::File;
use tempfile::TempDir;

const SIZE: u64 = 8 << 20;

/// Below a tree that reports that the device can be polled, so that the kernel is asked and not its files.
#[test]
fn polled_completion_is_what_was_used_or_is_refused_before_the_run() {
    let (_folder, path) = marked_file(SIZE);
    let tree = TempDir::new().unwrap();
    let queue = tree.path().join("sys/class/block/somewhere/queue");
    std::fs::create_dir_all(&queue).unwrap();
    std::fs::write(queue.join("io_poll"), "1").unwrap();
    let mut job = job(&path, EngineChoice::IoUring, &|span| {
        span.polling.completions = true;
    });
    job.targets[0].chain = vec![BlockDevice {
        name: "somewhere".to_owned(),
        ..BlockDevice::default()
    }];
    match run(
        job,
        &Root::at(tree.path().to_owned()),
        &Silent,
        &Stop::new(),
    ) {
        Ok(record) => {
            let features = &record.engine.features;
            assert!(features.iter().any(|name| name == "polled completion"));
            assert!(record.total().ios > 0);
        }
        Err(refused) => {
            let text = refused.to_string();
            if text.contains("io_uring does not run") {
                println!("skipped: {text}");
                return;
            }
            println!("skipped: the polled loop itself: {text}");
            assert!(text.contains("omit polling"), "{text}");
        }
    }
}

#[test]
fn submission_queue_polling_reads_like_everything_else_and_stops_when_it_is_requested() {
    let (_folder, path) = marked_file(SIZE);
    let polled = |change: jobs::Change<'_>| {
        job(&path, EngineChoice::IoUring, &|span| {
            span.polling.submissions = true;
            span.targets[0].workload.write = Ratio::percent(30).unwrap();
            change(span);
        })
    };
    for depth in [1, 32] {
        let shallow = polled(&|span| span.targets[0].workload.queue_depth = QueueDepth(depth));
        let record = match run(shallow, &Root::live(), &Silent, &Stop::new()) {
            Ok(record) => record,
            Err(refused) => {
                println!("skipped: {refused}");
                return;
            }
        };
        assert!(record.total().ios > 0);
        assert_eq!(record.total().errors_total(), 0);
        let features = &record.engine.features;
        assert!(
            features
                .iter()
                .any(|name| name == "submission-queue polling")
        );
        assert!(
            record
                .engine
                .notes
                .iter()
                .any(|note| note.contains("kept a core busy"))
        );
    }
    let endless = polled(&|span| span.phases.measured = Nanos::seconds(3600));
    let stop = Stop::new();
    let record = run(endless, &Root::live(), &AfterSome(&stop), &stop).unwrap();
    assert_eq!(record.outcome, Outcome::Interrupted);
}

#[test]
fn libaio_says_that_it_waits_through_the_cache() {
    let (_folder, path) = marked_file(SIZE);
    if !engines()
        .iter()
        .any(|(engine, _)| *engine == EngineChoice::Libaio)
    {
        return;
    }
    let notes = |cache| {
        let job = job(&path, EngineChoice::Libaio, &|span| {
            span.targets[0].cache = cache;
        });
        run_it(job).engine.notes
    };
    assert_eq!(notes(CacheMode::Unbuffered), Vec::<String>::new());
    assert!(notes(CacheMode::Cached)[0].contains("unbuffered I/O only"));
}

#[test]
fn a_mapped_file_that_is_cut_short_fails_the_io_and_not_the_program() {
    let (_folder, path) = marked_file(SIZE);
    let mut job = mapped::job(&path, &|span| {
        mapped::map(span, Flush::Never);
        span.targets[0].base = Bytes::mib(4);
        span.phases.measured = Nanos::seconds(60);
    });
    job.plan.targets[0].identity = None;
    let handle = File::options().write(true).open(&path).unwrap();
    let cutter = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        handle.set_len(4096).unwrap();
    });
    let record = run_it(job);
    cutter.join().unwrap();
    let Outcome::Failed(failure) = &record.outcome else {
        panic!("{:?}", record.outcome)
    };
    assert_eq!(failure.errno, NO_DATA, "{}", failure.message);
}
