//! Surveys whole and in part; the laws that no record may break.

use super::*;
use crate::sample::Sample;
use crate::{run_report, survey_report};
use model::{Bytes, CacheMode, Failure, Nanos, Operation, Outcome, Ratio, RunRecord};
use proptest::prelude::*;
use serde_json::Value;

fn cell(label: &str, depth: u32, reads: u64) -> (String, RunRecord) {
    let sample = Sample {
        depth,
        reads,
        ..Sample::default()
    };
    (label.to_owned(), sample.build())
}

fn climb() -> Vec<(String, RunRecord)> {
    [
        (1, 10_000),
        (2, 19_000),
        (4, 30_000),
        (8, 30_300),
        (16, 30_500),
    ]
    .map(|(depth, reads)| cell("4K random read", depth, reads))
    .to_vec()
}

fn context() -> SurveyContext {
    SurveyContext {
        workloads: vec!["4K random read".to_owned(), "4K random write".to_owned()],
        scope: SurveyScope {
            read_only: Some(true),
            ..SurveyScope::default()
        },
        ..SurveyContext::default()
    }
}

fn failure() -> Outcome {
    Outcome::Failed(Failure {
        operation: Operation::Read,
        target: 0,
        offset: Bytes(0),
        length: Bytes(4096),
        errno: 5,
        message: "Input/output error".to_owned(),
    })
}

#[test]
fn a_row_shows_its_best_cell_and_where_the_gain_ends() {
    let report = survey_report(&climb(), &context());
    let row = &report.rows[0];
    assert_eq!(row.best.as_ref().unwrap().load.queue_depth, 16);
    assert_eq!(row.knee_depth, Some(4));
    assert_eq!(row.ladder.end, LadderEnd::GainEnded);
    assert_eq!(row.ladder.reason, "the last two doublings brought 1.67%");
    assert_eq!(row.qd1_latency_p50_ns.map(|ns| ns / 100_000), Some(10));
    assert_eq!(
        report.verdict.sentence(),
        "VALID: 1 workload, no errors; the device's counters match fathom's"
    );
}

#[test]
fn a_knee_is_reported_only_where_a_heavier_load_was_run_and_the_ladder_tells_the_same() {
    let settled = SurveyContext {
        settled: vec!["4K random read".to_owned()],
        ..context()
    };
    let report = survey_report(&climb(), &settled);
    let row = &report.rows[0];
    let knee = report.knee(row).unwrap();
    assert_eq!((knee.in_flight, knee.threads), (4, 1));
    assert_eq!((knee.iops, knee.best_per_s), (3000.0, 3050.0));
    assert_eq!(row.ladder.end, LadderEnd::GainEnded);
    assert_eq!(row.ladder.reason, "knee at 4, peak at 16");
    let reported = |cell: &&CellReport| (cell.load.queue_depth, cell.load.threads);
    let loads: Vec<_> = report.loads(row).iter().map(reported).collect();
    assert_eq!(loads, [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1)]);
    let rising = survey_report(&climb()[..3], &settled);
    assert_eq!(rising.knee(&rising.rows[0]), None);
    assert_eq!(rising.rows[0].knee_depth, Some(4));
    assert_eq!(rising.rows[0].ladder.end, LadderEnd::MaxDepth);
    assert_eq!(
        rising.rows[0].ladder.reason,
        "the rate may rise beyond 4, the deepest that was run"
    );
    let one = survey_report(&climb()[..1], &settled);
    assert_eq!(one.knee(&one.rows[0]), None);
    assert_eq!(one.rows[0].ladder.end, LadderEnd::MaxDepth);
    assert_eq!(one.rows[0].ladder.reason, "only 1 in flight was run");
    let mut failed = climb()[..4].to_vec();
    failed[3].1.outcome = failure();
    let failed = survey_report(&failed, &settled);
    assert_eq!(failed.knee(&failed.rows[0]), None, "8 gave no result");
}

/// The peak is a point without a stall, so that a survey of a device that pauses was VALID.
#[test]
fn stalls_of_any_point_are_reported_and_doubted_where_they_take_time() {
    let surveyed = |ios: fn(u64) -> u64| {
        let mut cells = [(1, 10_000), (2, 20_000), (8, 90_000), (16, 100_000)]
            .map(|(depth, reads)| cell("4K random read", depth, reads))
            .to_vec();
        let mut record = crate::findings::test::stepped(ios);
        record.plan.targets[0].workload.queue_depth = model::QueueDepth(4);
        cells.insert(2, ("4K random read".to_owned(), record));
        survey_report(&cells, &context())
    };
    let stall = |report: &SurveyReport| {
        let mut all = report.remarks.findings.iter();
        all.find(|one| one.id == crate::findings::STALL).cloned()
    };
    let pausing = surveyed(|step| if (10..14).contains(&step) { 0 } else { 2222 });
    assert_eq!(pausing.rows[0].best.as_ref().unwrap().load.queue_depth, 16);
    let reported = stall(&pausing).unwrap();
    assert_eq!(reported.severity, crate::findings::Severity::Warning);
    assert_eq!(pausing.verdict.validity, Validity::Caution);
    let share = reported.evidence.iter().find(|one| one.name == "share");
    assert!((0.03..0.04).contains(&share.unwrap().value), "{reported:?}");
    let steady = surveyed(|_| 2000);
    assert_eq!(stall(&steady), None);
    assert_eq!(steady.verdict.validity, Validity::Valid);
}

/// A short cell may be the highest by luck: the table takes one that is known better, and its ladder must not name the
/// other.
#[test]
fn the_peak_of_the_ladder_is_that_of_the_row() {
    let mut cells = climb();
    let (_, lucky) = &mut cells[3]; // 8 in flight: too short to be known
    *lucky = Sample {
        depth: 8,
        reads: 32,
        planned: Nanos::millis(10),
        measured: Nanos::millis(10),
        ..Sample::default()
    }
    .build();
    let settled = SurveyContext {
        settled: vec!["4K random read".to_owned()],
        ..context()
    };
    let report = survey_report(&cells, &settled);
    let row = &report.rows[0];
    assert_eq!(report.cells[3].throughput.iops, 3200.0);
    assert_ne!(row.best.as_ref().unwrap().load.queue_depth, 8);
    let reported = format!("peak at {}", row.best.as_ref().unwrap().load.queue_depth);
    assert!(
        row.ladder.reason.ends_with(&reported),
        "{} {reported}",
        row.ladder.reason
    );
}

#[test]
fn a_workload_that_was_left_out_says_why_and_weakens_nothing() {
    let report = survey_report(&climb(), &context());
    assert_eq!(report.rows[1].ladder.end, LadderEnd::NotRun);
    assert_eq!(
        report.rows[1].ladder.reason,
        "omitted: this survey only reads"
    );
    assert_eq!(report.verdict.validity, Validity::Valid);
}

#[test]
fn a_ladder_that_was_still_gaining_ended_for_lack_of_time() {
    let report = survey_report(&climb()[..3], &context());
    assert_eq!(report.rows[0].ladder.end, LadderEnd::Budget);
}

#[test]
fn the_device_check_is_the_sum_over_all_cells() {
    let measured = survey_report(&climb(), &context())
        .device_check
        .measured
        .unwrap();
    assert_eq!(
        measured.read.tool_ios,
        10_000 + 19_000 + 30_000 + 30_300 + 30_500
    );
    assert_eq!(measured.read.device_bytes, measured.read.tool_bytes);
}

#[test]
fn the_device_check_names_the_runs_that_do_not_agree() {
    let mut cells = climb();
    let agrees = survey_report(&cells, &context()).device_check.sentence;
    assert!(!agrees.contains("but not in"), "{agrees}");
    let sample = Sample {
        depth: 1,
        reads: 10_000,
        device_percent: 107,
        ..Sample::default()
    };
    cells[0].1 = sample.build();
    let reported = survey_report(&cells, &context());
    let found = &reported.cells[0].findings;
    assert!(
        found
            .iter()
            .any(|finding| finding.id == crate::findings::NOISY_NEIGHBOUR),
        "{found:?}"
    );
    let sentence = reported.device_check.sentence;
    assert!(sentence.ends_with(", but not in 1 of 5 runs"), "{sentence}");
}

#[test]
fn without_cells_nothing_was_measured() {
    let report = survey_report(
        &[],
        &SurveyContext {
            interrupted: true,
            ..context()
        },
    );
    assert_eq!(report.verdict.validity, Validity::Invalid);
    assert_eq!(report.verdict.reasons[0], "nothing was measured");
    assert_eq!(
        report.rows[0].ladder.reason,
        "not run: the survey was interrupted"
    );
}

#[test]
fn a_failed_cell_ends_its_ladder_and_is_never_the_best() {
    let mut cells = climb();
    cells[4].1.outcome = failure();
    let report = survey_report(&cells, &context());
    let row = &report.rows[0];
    assert_eq!(row.best.as_ref().unwrap().load.queue_depth, 8);
    assert_eq!(row.ladder.reason, "failed at depth 16: Input/output error");
    assert_eq!(
        (row.validity, report.verdict.validity),
        (Validity::Caution, Validity::Caution)
    );
    assert_eq!(report.coverage.cell_counts.failed, 1);
}

#[test]
fn a_survey_that_only_failed_is_invalid_and_says_why() {
    let mut cells = vec![cell("4K random read", 1, 0)];
    cells[0].1.outcome = failure();
    let report = survey_report(&cells, &context());
    assert_eq!(report.verdict.validity, Validity::Invalid);
    assert_eq!(
        report.rows[0].reasons,
        ["failed at depth 1: Input/output error"]
    );
}

#[test]
fn a_survey_of_the_page_cache_is_called_so_in_the_first_line() {
    let cells: Vec<_> = [1, 2]
        .map(|depth| {
            let cache = CacheMode::Cached;
            let sample = Sample {
                depth,
                cache,
                device_percent: 0,
                ..Sample::default()
            };
            ("4K random read".to_owned(), sample.build())
        })
        .to_vec();
    let reported = survey_report(&cells, &context()).verdict.sentence();
    assert!(
        reported.starts_with("INVALID as a disk result: 4K random read: the page cache served"),
        "{reported}"
    );
    assert!(
        reported.contains("the page cache served 100% of the reads"),
        "{reported}"
    );
}

/// Numbers that are never optional.
const NEVER_NULL: [&str; 9] = [
    "iops",
    "bytes_per_s",
    "value",
    "quantile",
    "user_cores",
    "kernel_cores",
    "steal_cores",
    "user_share",
    "idle_share",
];

/// A number that is not finite would be written as null: the names of all fields that are.
fn null_fields(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Array(items) => items.iter().for_each(|item| null_fields(item, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if value.is_null() {
                found.push(name.clone());
            }
            null_fields(value, found);
        }),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_record_makes_a_report_panic_or_hold_a_number_that_is_not_finite(
        (reads, writes) in (0u64..400, 0u64..40),
        depth in 1u32..200,
        (measured, interval) in (0u64..20_000_000_000, 1u64..3_000_000_000),
        latency in prop_oneof![0u64..1000, any::<u64>().prop_map(|ns| ns / 8)],
        device_percent in 0u64..300,
        huge in any::<bool>(),
        ending in 0u8..3,
    ) {
        let sample = Sample {
            reads,
            writes,
            depth,
            device_percent,
            write: Ratio::percent(30).unwrap(),
            latency: Some(Nanos(latency)),
            measured: Nanos(measured.max(1)),
            ..Sample::default()
        };
        let mut record = sample.build();
        record.plan.interval = Nanos(interval);
        record.phases.measured_to = record.phases.measured_from.plus(Nanos(measured));
        record.outcome = [Outcome::Complete, Outcome::Interrupted, failure()][ending as usize].clone();
        if huge {
            record.threads[0].measured[0].bytes = Bytes(u64::MAX / 4);
            record.window.after.devices[0].read_bytes = Bytes(u64::MAX);
            record.lifetime.after.devices[0].write_bytes = Bytes(u64::MAX);
            record.window.after.ended = Nanos::MAX;
        }
        let run = serde_json::to_value(run_report(&record)).unwrap();
        let mut null = Vec::new();
        null_fields(&run, &mut null);
        let cells = vec![("a".to_owned(), record.clone()), ("a".to_owned(), record)];
        let survey = serde_json::to_value(survey_report(&cells, &context())).unwrap();
        null_fields(&survey, &mut null);
        for name in NEVER_NULL {
            // A step of the time series without length has no rate; nothing else may be without one.
            let optional = name.ends_with("per_s") || name == "iops";
            prop_assert!(optional || !null.iter().any(|field| field == name), "{} is null", name);
        }
        let rows = run["operations"].as_array().unwrap();
        prop_assert!(rows.iter().all(|row| row["iops"].is_f64()));
        prop_assert!(survey["cells"].as_array().unwrap().iter().all(|cell| cell["iops"].is_f64()));
    }
}
