//! Records that no run would give: with any content, the report covers them without panic and without a figure that
//! is no number.

use crate::sample::Sample;
use crate::{Estimate, Latency, OperationRow, RunReport, run_report, survey_report, sweep_report};
use crate::{SurveyContext, SweepCell, SweepContext, SweepResult, SweepRun};
use model::record::{EventKind, EventSource, SystemEvent, SystemEvents};
use model::{
    Bytes, ErrorCount, Failure, Interval, LatencyHistogram, LatencySpread, Nanos, Operation,
    Outcome, RunRecord, Tally,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Counts that fit and counts that contradict each other: few and many I/Os, in few and many steps.
fn interval() -> impl Strategy<Value = Interval> {
    let ios = prop_oneof![Just(0), Just(1), 0..200u64, 0..1u64 << 40];
    (ios, 0..1u64 << 40, any::<u64>(), any::<bool>()).prop_map(|(ios, mean, max, spread)| {
        Interval {
            ios,
            bytes: Bytes(ios * 512),
            latency_sum: Nanos(ios.saturating_mul(mean)),
            latency_max: Nanos(max),
            latency_spread: spread.then(|| LatencySpread::of(Nanos(mean))),
        }
    })
}

fn tally() -> impl Strategy<Value = Tally> {
    let latencies = prop_oneof![
        prop::collection::vec(any::<u64>(), 0..3),
        prop::collection::vec(0..1u64 << 22, 0..3000),
    ];
    let steps = prop::collection::vec(interval(), 0..150);
    (latencies, steps, 0..3u64, any::<bool>(), any::<bool>()).prop_map(
        |(latencies, intervals, errors, counted, response)| {
            let mut latency = LatencyHistogram::new();
            latencies.iter().for_each(|ns| latency.record(Nanos(*ns)));
            let ios = match counted {
                true => latency.count(),
                false => intervals.iter().map(|step| step.ios).sum(),
            };
            Tally {
                ios,
                bytes: Bytes(ios * 512),
                short_ios: ios / 3,
                errors: vec![ErrorCount {
                    errno: 5,
                    count: errors,
                }],
                response: response.then(|| latency.clone()),
                latency,
                intervals,
            }
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let failure = Failure {
        operation: Operation::Read,
        target: 7,
        offset: Bytes(0),
        length: Bytes(512),
        errno: 5,
        message: "Input/output error".to_owned(),
    };
    prop_oneof![
        Just(Outcome::Complete),
        Just(Outcome::Interrupted),
        Just(Outcome::Failed(failure)),
    ]
}

fn events() -> impl Strategy<Value = SystemEvents> {
    let near = prop_oneof![any::<i64>(), -1_000_000_000..20_000_000_000i64];
    let one = (near, any::<u64>(), 0..EventKind::ALL.len(), ".{0,20}");
    prop::collection::vec(one, 0..6).prop_map(|all| {
        let mut events = SystemEvents::default();
        for (at_ns, off, kind, text) in all {
            events.push(SystemEvent {
                at_ns,
                uncertainty: Nanos(off),
                source: EventSource::KernelLog,
                kind: EventKind::ALL[kind].0,
                subject: text.clone(),
                text,
            });
        }
        events
    })
}

fn record() -> impl Strategy<Value = RunRecord> {
    let measured = prop_oneof![Just(0), Just(1), 0..200_000_000_000u64, any::<u64>()];
    let step = prop_oneof![Just(1_000_000), Just(1_000_000_000), 1..u64::MAX];
    (
        tally(),
        tally(),
        measured,
        step,
        outcome(),
        any::<bool>(),
        events(),
    )
        .prop_map(|(read, write, measured, step, outcome, threads, events)| {
            let mut record = Sample {
                outcome,
                ..Sample::default()
            }
            .build();
            record.plan.interval = Nanos(step);
            record.engine.disturbances.system_events = Some(events);
            record.phases.measured_to = record.phases.measured_from.plus(Nanos(measured));
            record.threads[0].measured = [read, write];
            if !threads {
                record.threads.clear();
            }
            record
        })
}

/// A figure that is no number would become null in the document: then it does not read back, or not the same.
fn keeps<T: Serialize + DeserializeOwned + PartialEq + Debug>(report: &T) {
    let text = serde_json::to_string(report).unwrap();
    let back: T = serde_json::from_str(&text).unwrap();
    assert_eq!(&back, report);
}

fn sound(estimate: &Estimate) {
    let Estimate {
        value,
        low,
        high,
        samples,
        not_known,
    } = *estimate;
    assert!(not_known.is_none() || high.is_none(), "{estimate:?}");
    assert!(value.is_finite() && samples >= 0.0, "{estimate:?}");
    assert!(
        low.is_none_or(|low| (0.0..=value).contains(&low)),
        "{estimate:?}"
    );
    assert!(
        high.is_none_or(|high| high.is_finite() && high >= value),
        "{estimate:?}"
    );
}

fn row_is_sound(row: &OperationRow) {
    sound(&row.iops_estimate);
    sound(&row.bytes_per_s_estimate);
    for latency in [Some(&row.latency), row.response.as_ref()]
        .into_iter()
        .flatten()
    {
        latency_is_sound(latency);
    }
}

fn latency_is_sound(latency: &Latency) {
    latency.mean.iter().for_each(sound);
    for percentile in &latency.percentiles {
        let Some(value) = percentile.latency_ns else {
            assert_eq!((percentile.low_ns, percentile.high_ns), (None, None));
            continue;
        };
        assert!(
            percentile.low_ns.is_none_or(|low| low <= value),
            "{percentile:?}"
        );
        assert!(
            percentile.high_ns.is_none_or(|high| high >= value),
            "{percentile:?}"
        );
    }
}

fn is_sound(report: &RunReport) {
    keeps(report);
    report.operations.iter().for_each(row_is_sound);
    report.warmup_cut.iops_after_estimate.iter().for_each(sound);
    assert!(
        !report.verdict.sentence().contains("NaN"),
        "{:?}",
        report.verdict
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn whatever_a_record_holds_the_report_has_only_numbers(record in record()) {
        is_sound(&run_report(&record));
        let result = Ok(SweepResult::of(&record, &crate::known::Known::default()));
        let cells = [SweepCell {
            number: 1,
            group: None,
            values: vec![("depth".to_owned(), "1".to_owned())],
            runs: vec![SweepRun { stored: None, result }],
        }];
        keeps(&sweep_report(&cells, &SweepContext::default()));
        let cells = [("any".to_owned(), record.clone()), ("any".to_owned(), record)];
        keeps(&survey_report(&cells[..1], &SurveyContext::default()));
        let twice = survey_report(&cells, &SurveyContext::default());
        keeps(&twice);
        for load in &twice.joined {
            sound(&load.throughput.iops_estimate);
            latency_is_sound(&load.latency);
        }
    }
}

#[test]
fn a_run_with_one_io_or_one_step_says_what_it_cannot_tell() {
    let one = Sample {
        reads: 1,
        ..Sample::default()
    };
    let report = run_report(&one.build());
    is_sound(&report);
    let total = report.total().unwrap();
    assert_eq!(
        (total.iops_estimate.low, total.latency.mean.unwrap().low),
        (None, None)
    );
    assert_eq!(total.latency.at(0.5).unwrap().latency_ns, None);
    let mut single = Sample::default().build();
    single.plan.interval = single.phases.measured();
    let report = run_report(&single);
    is_sound(&report);
    assert_eq!(report.total().unwrap().iops_estimate.low, None);
    let why = report.warmup_cut.reason.unwrap();
    assert_eq!(why, "fewer than 50 full steps of the time series");
    assert_eq!(
        report.steadiness.reason.unwrap(),
        "1 full intervals; five are needed"
    );
    let none = Sample {
        reads: 0,
        ..Sample::default()
    };
    let report = run_report(&none.build());
    is_sound(&report);
    assert!(
        report.verdict.sentence().starts_with("INVALID"),
        "{:?}",
        report.verdict
    );
}
