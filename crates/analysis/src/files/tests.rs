//! Steps that were counted by hand, and their text.

use super::*;
use crate::verdict::Validity;
use model::verified::{ContentCounts, ExpectedRun, RunBlocks, Stretch, VerifyWork};
use model::{
    Bytes, CorruptKind, DeviceCounters, FilesOrder, FilesOutcome, FilesPlace, FilesStep,
    FilesThread, HostRecord, KindCount, LatencyHistogram, Nanos, TreeWork,
};

fn thread(batches_ms: &[u64], each: u64) -> FilesThread {
    let mut latency = LatencyHistogram::new();
    let operations = batches_ms.len() as u64 * each;
    (0..operations).for_each(|_| latency.record(Nanos::micros(100)));
    let mut at = 0;
    let ends = batches_ms.iter().map(|ms| {
        at += ms;
        Nanos::millis(at)
    });
    FilesThread {
        operations,
        bytes: Bytes(operations * 4096),
        latency,
        batch_operations: each,
        batch_ends: ends.collect(),
        began: Nanos(0),
        ended: Nanos::millis(batches_ms.iter().sum()),
        cpu: Some(Nanos::millis(100)),
        ..FilesThread::default()
    }
}

fn step(name: &str, threads: Vec<FilesThread>) -> FilesStep {
    let ends = threads.iter().map(|thread| thread.ended).max();
    FilesStep {
        name: name.to_owned(),
        order: FilesOrder::Random,
        planned: Some(1000),
        block: Some(Bytes(4096)),
        elapsed: ends.unwrap_or_default(),
        threads,
        ..FilesStep::default()
    }
}

fn record(step: FilesStep) -> FilesRecord {
    FilesRecord {
        tool_version: "0".to_owned(),
        command: vec!["fathom".to_owned()],
        started_utc: Nanos(0),
        host: HostRecord {
            ram: Bytes::gib(8),
            ..HostRecord::default()
        },
        place: FilesPlace::default(),
        work: FilesWork::Tree(TreeWork {
            files: 1000,
            data: Bytes::gib(1),
            ..TreeWork::default()
        }),
        step,
        outcome: FilesOutcome::Complete,
    }
}

const STEADY: [u64; 10] = [100, 101, 99, 100, 102, 98, 101, 100, 99, 100];

#[test]
fn a_rate_is_operations_by_time_and_its_interval_is_that_of_the_textbook() {
    let row = FilesRow::of(&record(step("create", vec![thread(&STEADY, 100)])));
    let rate = row.iops_estimate.unwrap();
    assert_eq!(rate.value, 1000.0);
    // Sample deviation 1.155 ms of ten batches; 2.262 * 1.155 / sqrt(10) = 0.826 ms of 100 ms.
    let share = rate.half_width_share().unwrap();
    assert!((share - 0.00826).abs() < 1e-4, "{share}");
    assert_eq!(row.bytes_per_s_estimate.unwrap().value, 1000.0 * 4096.0);
    assert_eq!(row.cpu_share, Some(0.1));
}

#[test]
fn threads_add_up_and_few_batches_have_no_interval() {
    let two = FilesRow::of(&record(step("create", vec![thread(&STEADY, 100); 2])));
    let rate = two.iops_estimate.unwrap();
    assert_eq!(rate.value, 2000.0);
    let one = 0.00826;
    let share = rate.half_width_share().unwrap();
    assert!((share - one / 2f64.sqrt()).abs() < 1e-4, "{share}");
    let few = FilesRow::of(&record(step("create", vec![thread(&[100; 5], 100)])));
    assert_eq!(few.iops_estimate.unwrap().low, None);
}

#[test]
fn batches_that_hang_together_count_less() {
    let drift: Vec<u64> = (0..20).map(|n| 100 + 5 * n).collect();
    let row = FilesRow::of(&record(step("create", vec![thread(&drift, 10)])));
    let rate = row.iops_estimate.unwrap();
    assert!(rate.low.is_none() || rate.samples < 10.0, "{rate:?}");
}

#[test]
fn what_was_not_measured_says_why_and_has_no_figure() {
    let mut none = step("stat", vec![]);
    none.unmeasured = Some("no file was created".to_owned());
    let report = files_report(&[record(none)]);
    assert_eq!(report.rows[0].iops_estimate, None);
    assert_eq!(
        report.rows[0].unmeasured.as_deref(),
        Some("no file was created")
    );
    assert_eq!(report.verdict.validity, crate::Validity::Invalid);
    assert_eq!(files_report(&[]).outcome, "interrupted");
}

#[test]
fn a_cache_that_answers_is_called_so() {
    let mut read = step("read blocks", vec![thread(&STEADY, 100)]);
    read.device = Some(DeviceCounters {
        read_bytes: Bytes(0),
        ..DeviceCounters::default()
    });
    let report = files_report(&[
        record(step("stat", vec![thread(&STEADY, 100)])),
        record(read),
    ]);
    let answers: Vec<String> = report.answers.iter().map(crate::Answer::sentence).collect();
    assert_eq!(
        answers,
        [
            "small files: stat 1000/s",
            "one large file: read 3.91 MiB/s (page cache)"
        ]
    );
    assert_eq!(report.verdict.validity, crate::Validity::Caution);
    assert_eq!(report.verdict.reasons[1..], report.warnings);
    assert!(report.warnings[0].contains("1000 files"));
    assert!(report.warnings[1].contains("--data 16G"));
}

/// A pass that read 100 blocks of which 90 are whole.
fn content(change: impl FnOnce(&mut VerifyWork)) -> FilesReport {
    let mut work = VerifyWork {
        to: Bytes(100 * 4096),
        done: Bytes(100 * 4096),
        blocks: ContentCounts {
            whole: 90,
            zeros: 10,
            ..ContentCounts::default()
        },
        runs: vec![RunBlocks {
            header_run: 7,
            blocks: 90,
            ..RunBlocks::default()
        }],
        ..VerifyWork::default()
    };
    change(&mut work);
    let whole = work.done.0 == work.to.0;
    let record = FilesRecord {
        work: FilesWork::Verify(Box::new(work)),
        outcome: match whole {
            true => FilesOutcome::Complete,
            false => FilesOutcome::Interrupted,
        },
        ..record(step("read and compare", vec![thread(&STEADY, 100)]))
    };
    files_report(&[record])
}

#[test]
fn a_file_that_differs_is_a_finding_and_makes_the_result_invalid() {
    let compared = |differing| {
        let thread = FilesThread {
            compared: 9,
            differing,
            ..thread(&[10; 9], 1)
        };
        files_report(&[record(step("file read", vec![thread]))])
    };
    let good = compared(0);
    assert!(good.findings.is_empty() && good.verdict.checks.contains(&"data compared".to_owned()));
    let bad = compared(2);
    assert_eq!(bad.verdict.validity, Validity::Invalid);
    let [finding] = &bad.findings[..] else {
        panic!("{:?}", bad.findings);
    };
    assert_eq!(finding.id.as_str(), "differing-files");
    assert_eq!(
        [finding.evidence[0].value, finding.evidence[1].value],
        [2.0, 9.0]
    );
}

#[test]
fn whole_blocks_and_zeros_are_valid_and_damage_is_invalid_with_its_finding() {
    let clean = content(|_| ());
    assert_eq!(clean.verdict.validity, Validity::Valid);
    assert_eq!(clean.findings, []);
    let digest = clean.work.verify.unwrap();
    assert_eq!((digest.blocks.whole, digest.blocks.corrupt), (90, 0));
    assert_eq!(digest.runs[0].header_run, "0000000000000007");
    let damaged = content(|work| {
        work.kinds = vec![KindCount {
            kind: CorruptKind::Torn,
            blocks: 2,
        }];
    });
    assert_eq!(damaged.verdict.validity, Validity::Invalid);
    assert_eq!(damaged.findings[0].id.as_str(), "data-torn");
    assert_eq!(damaged.work.verify.unwrap().blocks.corrupt, 2);
}

#[test]
fn foreign_data_a_copy_missing_blocks_and_an_interruption_are_cautions() {
    type Change = Box<dyn FnOnce(&mut VerifyWork)>;
    let expected = |left| ExpectedRun {
        name: "3.1".to_owned(),
        header_run: 7,
        left,
    };
    let cautions: [(&str, Change); 4] = [
        (
            "without a header",
            Box::new(|work| {
                work.blocks.foreign = 1;
                work.stretches = vec![Stretch {
                    from: Bytes(0),
                    to: Bytes(4096),
                    corrupt: false,
                }];
            }),
        ),
        ("copy", Box::new(|work| work.blocks.displaced = 3)),
        (
            "run 3.1 left 91 blocks and 90",
            Box::new(move |work| {
                work.expected = Some(expected(Some(91)));
            }),
        ),
        (
            "interrupted: 4 KiB of",
            Box::new(|work| work.done = Bytes(4096)),
        ),
    ];
    for (words, change) in cautions {
        let report = content(change);
        assert_eq!(report.verdict.validity, Validity::Caution, "{words}");
        let reason = &report.verdict.reasons[0];
        assert!(reason.contains(words), "{reason}");
    }
    let here = content(|work| work.expected = Some(expected(Some(90))));
    assert_eq!(here.verdict.validity, Validity::Valid);
    assert_eq!(
        here.notes,
        Vec::<String>::new(),
        "all that is expected was compared"
    );
    assert_eq!(
        content(|work| work.expected = Some(expected(None)))
            .notes
            .len(),
        1
    );
    assert_eq!(content(|_| ()).notes.len(), 1);
}
