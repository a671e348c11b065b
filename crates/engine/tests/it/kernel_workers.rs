//! What is done where io_uring hands its requests to kernel workers: on a zram device of our own (root).
#![cfg(target_os = "linux")]

use crate::jobs;
use engine::{Silent, Stop, run};
use host::Root;
use model::*;
use std::fs;
use std::path::PathBuf;

const CONTROL: &str = "/sys/class/zram-control";

/// A zram device without other users; removed again in any case.
struct Zram {
    number: String,
}

impl Zram {
    /// `None`, with the reason printed, where this machine or user cannot have one.
    fn new(size: Bytes) -> Option<Self> {
        let number = match fs::read_to_string(format!("{CONTROL}/hot_add")) {
            Ok(text) => text.trim().to_owned(),
            Err(why) => {
                println!("skipped: no zram device: {why}");
                return None;
            }
        };
        let made = Zram { number };
        match fs::write(made.attribute("disksize"), size.0.to_string()) {
            Ok(()) => Some(made),
            Err(why) => {
                println!("skipped: no zram device: {why}");
                None
            }
        }
    }

    fn attribute(&self, name: &str) -> String {
        format!("/sys/block/zram{}/{name}", self.number)
    }

    fn job(&self, change: jobs::Change<'_>) -> engine::Job {
        let path = PathBuf::from(format!("/dev/zram{}", self.number));
        let facts = host::target_facts(&Root::live(), &path);
        assert_eq!(facts.kind, TargetKind::BlockDevice);
        jobs::device(facts, &|span| {
            span.phases.measured = Nanos::millis(400);
            change(span);
        })
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(self.attribute("reset"), "1");
        let _ = fs::write(format!("{CONTROL}/hot_remove"), &self.number);
    }
}

fn measured(job: engine::Job) -> RunRecord {
    let record = run(job, &Root::live(), &Silent, &Stop::new()).unwrap();
    assert_eq!(record.outcome, Outcome::Complete);
    assert!(record.total().ios > 0);
    record
}

fn has_note(record: &RunRecord, words: &str) -> bool {
    record.engine.notes.iter().any(|note| note.contains(words))
}

#[test]
fn auto_goes_round_kernel_workers_of_a_block_device_at_any_depth() {
    let Some(zram) = Zram::new(Bytes::mib(64)) else {
        return;
    };
    let ring = engine::available()
        .into_iter()
        .find(|row| row.engine == EngineChoice::IoUring && row.refusal.is_none());
    if ring.is_none() {
        println!("skipped: io_uring does not run here");
        return;
    }
    let shallow = measured(zram.job(&|_| {}));
    if shallow.engine.backend == "io_uring" {
        println!("skipped: this kernel's zram takes I/O without waiting");
        assert_eq!(shallow.engine.kernel_workers, None, "{:?}", shallow.engine);
        return;
    }
    assert_eq!(shallow.engine.backend, "sync");
    assert!(has_note(&shallow, "would be carried out by kernel workers"));
    let deep = measured(zram.job(&|span| span.targets[0].workload.queue_depth = QueueDepth(8)));
    assert_eq!(deep.engine.backend, "libaio");
    assert!(has_note(&deep, "so libaio was used"));
    let named = measured(zram.job(&|span| span.engine = EngineChoice::IoUring));
    assert_eq!(named.engine.backend, "io_uring");
    let seen = named.engine.kernel_workers.unwrap();
    assert!(seen.count > 0 && seen.busy > Nanos(0), "{seen:?}");
    let around = measured(zram.job(&|span| {
        span.engine = EngineChoice::Libaio;
        span.targets[0].workload.queue_depth = QueueDepth(8);
    }));
    assert_eq!(around.engine.notes, Vec::<String>::new());
    assert_eq!(around.engine.kernel_workers, None);
}

#[test]
fn a_device_without_poll_queues_is_refused_before_anything_is_read() {
    let Some(zram) = Zram::new(Bytes::mib(64)) else {
        return;
    };
    for engine in [EngineChoice::Auto, EngineChoice::Sync] {
        let job = zram.job(&|span| {
            span.engine = engine;
            span.polling.completions = true;
        });
        let Err(refused) = run(job, &Root::live(), &Silent, &Stop::new()) else {
            panic!("{engine} polled a zram device")
        };
        let text = refused.to_string();
        assert!(text.contains("nvme.poll_queues="), "{text}");
    }
}
