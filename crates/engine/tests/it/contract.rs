//! Every backend that this machine can run, against one list of expectations, on a real file.

use crate::file_at::FileAt;
use crate::jobs;
use engine::{Event, Observer, Silent, Stop, Tick, available, run};
use host::Root;
use model::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SIZE: u64 = 8 << 20;
/// What a read behind the end of a file is reported with: `ENODATA`, `ERROR_HANDLE_EOF`.
pub(crate) const NO_DATA: i32 = if cfg!(windows) { 38 } else { 61 };
/// What a device that failed is reported with: `EIO`, `ERROR_IO_DEVICE`.
pub(crate) const DEVICE_FAILED: i32 = if cfg!(windows) { 1117 } else { 5 };

/// A marked file next to the test binary, where the file system takes unbuffered I/O.
pub(crate) fn marked_file(size: u64) -> (TempDir, PathBuf) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("target.dat");
    let file = File::create(&path).unwrap();
    let mut data = vec![0xA5; size as usize];
    model::block_header::write_blocks(&mut data, &Default::default());
    file.write_all_at(&data, 0).unwrap();
    file.sync_all().unwrap();
    (folder, path)
}

/// Engines that move a file's bytes, each with the largest depth that a test may ask of it.
pub(crate) fn engines() -> Vec<(EngineChoice, u32)> {
    let movers = available()
        .into_iter()
        .filter(|row| !matches!(row.engine, EngineChoice::Null | EngineChoice::Nvme));
    movers
        .filter_map(|row| match row.refusal {
            None => Some((
                row.engine,
                if row.engine == EngineChoice::Sync {
                    1
                } else {
                    32
                },
            )),
            Some(why) => {
                println!("skipped: the engine {}: {why}", row.engine);
                None
            }
        })
        .collect()
}

pub(crate) fn job(path: &Path, engine: EngineChoice, change: jobs::Change<'_>) -> engine::Job {
    jobs::file(path, Bytes(SIZE), Content::Fathom, engine, &|span| {
        span.phases.measured = Nanos::millis(450);
        span.interval = Nanos::millis(150);
        change(span);
    })
}

/// Does something when counting begins.
struct WhenMeasured<F>(F);

impl<F: Fn() + Sync> Observer for WhenMeasured<F> {
    fn on(&self, event: Event<'_>) {
        if let Event::Phase { name: "measured" } = event {
            (self.0)();
        }
    }
}

/// Sets the stop flag once I/Os have been counted.
pub(crate) struct AfterSome<'a>(pub(crate) &'a Stop);

impl Observer for AfterSome<'_> {
    fn on(&self, event: Event<'_>) {
        if let Event::Tick(Tick { ios: 1.., .. }) = event {
            self.0.ask();
        }
    }
}

/// Counts the words that report I/Os.
#[derive(Default)]
struct Counted(std::sync::atomic::AtomicU32);

impl Observer for Counted {
    fn on(&self, event: Event<'_>) {
        if let Event::Tick(Tick { ios: 1.., .. }) = event {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[test]
fn a_run_that_is_shorter_than_a_step_tells_of_its_ios_too() {
    let (_folder, path) = marked_file(SIZE);
    let reported = Counted::default();
    let job = job(&path, EngineChoice::Sync, &|span| {
        span.phases.warmup = Nanos::millis(20);
        span.phases.measured = Nanos::millis(40);
    });
    let record = run(job, &Root::live(), &reported, &Stop::new()).unwrap();
    assert!(record.total().ios > 0);
    assert!(reported.0.into_inner() > 0);
}

pub(crate) fn run_it(job: engine::Job) -> RunRecord {
    run(job, &Root::live(), &Silent, &Stop::new()).unwrap()
}

#[test]
fn reads_come_back_whole_at_every_depth() {
    let (_folder, path) = marked_file(SIZE);
    for (engine, depth_max) in engines() {
        for depth in [1, depth_max] {
            let record = run_it(job(&path, engine, &|span| {
                span.targets[0].workload.queue_depth = QueueDepth(depth);
            }));
            let total = record.total();
            assert!(total.ios > 0, "{engine} at depth {depth}");
            assert_eq!(total.bytes, Bytes(total.ios * 4096));
            assert_eq!((total.short_ios, total.errors_total()), (0, 0));
            assert_eq!(total.latency.count(), total.ios);
            assert_eq!(record.engine.backend, engine.to_string());
            assert_eq!(
                total.intervals.iter().map(|step| step.ios).sum::<u64>(),
                total.ios
            );
        }
    }
}

#[test]
fn what_is_written_is_marked_and_stays_inside_the_range() {
    for (engine, _) in engines() {
        let (_folder, path) = marked_file(SIZE);
        let untouched = |at: u64| {
            let mut block = vec![0; 4096];
            File::open(&path)
                .unwrap()
                .read_exact_at(&mut block, at)
                .unwrap();
            block[64..512].iter().all(|&byte| byte == 0xA5)
        };
        let record = run_it(job(&path, engine, &|span| {
            let target = &mut span.targets[0];
            (target.base, target.length) = (Bytes::mib(2), Some(Bytes::kib(64)));
            (target.workload.write, target.workload.access) = (Ratio::ALL, Access::Sequential);
        }));
        assert!(
            record.tally(Operation::Write, None).ios > 16,
            "the range was gone through"
        );
        assert_eq!(record.tally(Operation::Read, None).ios, 0);
        let file = std::fs::read(&path).unwrap();
        assert!(file.chunks(4096).all(block_header::is_whole), "{engine}");
        for (at, stays) in [
            (0, true),
            ((2 << 20) - 4096, true),
            (2 << 20, false),
            ((2 << 20) + (64 << 10), true),
        ] {
            assert_eq!(untouched(at), stays, "{engine} at {at}");
        }
    }
}

#[test]
fn mixes_threads_and_the_last_block_work_together() {
    let (_folder, path) = marked_file(SIZE);
    for (engine, depth_max) in engines() {
        let record = run_it(job(&path, engine, &|span| {
            let target = &mut span.targets[0];
            (target.base, target.threads) = (Bytes(SIZE - 8192), 2);
            target.workload.queue_depth = QueueDepth(depth_max);
            target.workload.write = Ratio::percent(50).unwrap();
        }));
        assert_eq!(record.threads.len(), 2);
        assert!(
            record
                .threads
                .iter()
                .all(|thread| thread.lifetime[0].ios + thread.lifetime[1].ios > 0)
        );
        assert_eq!(record.total().errors_total(), 0, "{engine}");
    }
    assert_eq!(
        std::fs::metadata(&path).unwrap().len(),
        SIZE,
        "the file has not grown"
    );
}

#[test]
fn a_file_that_is_cut_short_meanwhile_is_an_error_and_not_a_fast_device() {
    for (engine, _) in engines() {
        let (_folder, path) = marked_file(SIZE);
        let mut job = job(&path, engine, &|span| span.targets[0].base = Bytes::mib(4));
        job.plan.phases.measured = Nanos::seconds(3600);
        let handle = File::options().write(true).open(&path).unwrap();
        let cutter = WhenMeasured(|| handle.set_len(4096).unwrap());
        let record = run(job, &Root::live(), &cutter, &Stop::new()).unwrap();
        let Outcome::Failed(failure) = &record.outcome else {
            panic!("{engine}: {:?}", record.outcome)
        };
        // A read that found no data, or the shorter file, whichever was seen first.
        let known = failure.errno == NO_DATA || failure.is_of_the_target();
        assert!(known, "{engine}: {}", failure.message);
    }
}

#[test]
fn a_file_replaced_after_the_check_is_refused_untouched() {
    let (_folder, path) = marked_file(SIZE);
    for (engine, _) in engines() {
        let job = job(&path, engine, &|span| {
            span.targets[0].workload.write = Ratio::ALL;
        });
        // It stays under another name, so that its number is not given away.
        std::fs::rename(&path, path.with_extension("checked")).unwrap();
        std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
        let Err(refused) = run(job, &Root::live(), &Silent, &Stop::new()) else {
            panic!("{engine} wrote")
        };
        assert!(
            refused.to_string().contains("no longer the checked target"),
            "{refused}"
        );
        assert!(std::fs::read(&path).unwrap().iter().all(|&byte| byte == 7));
        std::fs::write(&path, vec![7; SIZE as usize]).unwrap();
    }
}

#[test]
fn the_stop_word_ends_a_run_at_once_with_what_was_counted() {
    let (_folder, path) = marked_file(SIZE);
    for (engine, _) in engines() {
        let job = job(&path, engine, &|span| {
            span.phases.measured = Nanos::seconds(3600);
        });
        let stop = Stop::new();
        let sayer = AfterSome(&stop);
        let record = run(job, &Root::live(), &sayer, &stop).unwrap();
        assert_eq!(record.outcome, Outcome::Interrupted, "{engine}");
        assert!(record.total().ios > 0);
        assert!(record.phases.measured() < Nanos::seconds(60));
        assert!(
            record.total().intervals.len() < 1000,
            "only the steps that were reached"
        );
    }
}

#[test]
fn an_unanswered_wait_still_hears_the_stop_word() {
    let behaviour = NullBehaviour {
        size: Bytes::mib(1),
        delay: Nanos::millis(400),
        error_every: 0,
        ..NullBehaviour::default()
    };
    let job = jobs::null(behaviour, &|span| {
        span.phases.measured = Nanos::seconds(3600);
    });
    let stop = Stop::new();
    let sayer = WhenMeasured(|| stop.ask());
    let record = run(job, &Root::live(), &sayer, &stop).unwrap();
    assert_eq!(record.outcome, Outcome::Interrupted);
    assert_eq!(record.total().ios, 0);
    // None where the word came before the thread had issued its first.
    let in_flight = record.threads[0].lifetime[0].ios + u64::from(record.threads[0].abandoned);
    assert!(
        in_flight <= 1,
        "what was in flight is waited for, or reported"
    );
}

#[test]
fn a_device_that_is_slow_but_answers_keeps_what_was_counted() {
    let behaviour = NullBehaviour {
        size: Bytes::mib(1),
        delay: Nanos::millis(250),
        error_every: 0,
        ..NullBehaviour::default()
    };
    let job = jobs::null(behaviour, &|span| {
        span.phases.measured = Nanos::millis(600);
        span.targets[0].workload.queue_depth = QueueDepth(16);
    });
    let record = run_it(job);
    assert_eq!((record.total().ios, record.threads[0].abandoned), (32, 0));
    assert_eq!(record.threads[0].lifetime[0].ios, 48);
    assert_eq!(record.outcome, Outcome::Complete);
}

#[test]
fn a_second_run_waits_for_no_one_and_says_who_is_there() {
    let (_folder, path) = marked_file(SIZE);
    let other = File::open(&path).unwrap();
    other.lock().unwrap();
    let reported = run(
        job(&path, EngineChoice::Sync, &|_| {}),
        &Root::live(),
        &Silent,
        &Stop::new(),
    );
    let Err(refused) = reported else {
        panic!("ran at the same time as another")
    };
    assert!(
        refused.to_string().contains("another fathom is using it"),
        "{refused}"
    );
}

#[test]
fn a_file_given_twice_is_held_once() {
    let (_folder, path) = marked_file(SIZE);
    let record = run_it(job(&path, EngineChoice::Sync, &|span| {
        let mut other = span.targets[0].clone();
        other.workload.write = Ratio::ALL;
        span.targets.push(other);
    }));
    assert_eq!(record.outcome, Outcome::Complete);
    assert_eq!(record.threads.len(), 2);
}

#[test]
fn a_file_under_two_names_is_held_once() {
    let (folder, path) = marked_file(SIZE);
    let other = folder.path().join("other.dat");
    std::fs::hard_link(&path, &other).unwrap();
    let facts = [&path, &other].map(|path| jobs::file_facts(path, Bytes(SIZE), Content::Fathom));
    let record = run_it(jobs::files(facts.to_vec(), &|span| {
        span.targets[1].workload.write = Ratio::ALL;
    }));
    assert_eq!(record.outcome, Outcome::Complete);
    assert_eq!(record.threads.len(), 2);
}
