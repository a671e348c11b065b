//! Imported runs that no tool would print: the findings report any content without panic, and in numbers.

use super::FINDINGS;
use crate::known::{CloudCap, Known, Medium};
use crate::observed::Observed;
use crate::{imported_report_knowing, session_findings};
use model::imported_evidence::{
    ImportedContent, ImportedDisk, ImportedEvidence, ImportedFlush, ImportedPace, RequestedRate,
    SideEvidence, SyncFigures,
};
use model::{
    Bytes, CacheMode, HistogramShare, ImportFormat, ImportedCore, ImportedCpu, ImportedFigures,
    ImportedLatency, ImportedOperation, ImportedRow, ImportedRun, ImportedWorkload, Nanos, Ratio,
};
use proptest::option::of;
use proptest::prelude::*;

/// Numbers that a damaged file may contain: none, tiny, huge, and what is no number.
fn number() -> impl Strategy<Value = Option<f64>> {
    let odd = prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e300),
        Just(1e-300),
        0.0..1e6f64,
    ];
    of(odd)
}

fn time() -> impl Strategy<Value = Option<Nanos>> {
    of(prop_oneof![Just(0), Just(1), 0..1u64 << 40, any::<u64>()].prop_map(Nanos))
}

fn count() -> impl Strategy<Value = Option<u64>> {
    of(prop_oneof![Just(0), Just(1), 0..5000u64, any::<u64>()])
}

fn latency() -> impl Strategy<Value = ImportedLatency> {
    let point = (
        prop_oneof![Just(0.5), Just(0.999_999_9), 0.0..1.0f64],
        0..1u64 << 40,
    );
    let column = (0..1u64 << 30, number());
    (
        (time(), time(), time(), time(), time()),
        prop::collection::vec(point, 0..15),
        prop::collection::vec(column, 0..5),
    )
        .prop_map(
            |((mean, sd, min, max, resolution), points, columns)| ImportedLatency {
                mean,
                sd,
                min,
                max,
                percentiles: points.into_iter().map(|(at, ns)| (at, Nanos(ns))).collect(),
                resolution,
                histogram: columns
                    .into_iter()
                    .map(|(from, percent)| HistogramShare {
                        from: Nanos(from),
                        percent: percent.unwrap_or(1.0),
                    })
                    .collect(),
            },
        )
}

fn operation() -> impl Strategy<Value = ImportedOperation> {
    (
        (count(), count(), count()),
        (number(), number(), number()),
        latency(),
    )
        .prop_map(
            |((ios, bytes, errors), (ios_per_s, bytes_per_s, ios_per_s_sd), latency)| {
                ImportedOperation {
                    ios,
                    bytes: bytes.map(Bytes),
                    ios_per_s,
                    bytes_per_s,
                    ios_per_s_sd,
                    errors,
                    latency,
                }
            },
        )
}

fn workload() -> impl Strategy<Value = ImportedWorkload> {
    let target = prop_oneof![
        Just("/dev/sda".to_owned()),
        Just("a b".to_owned()),
        Just(String::new())
    ];
    (
        prop::collection::vec(target, 0..3),
        (count(), of(0..=100u8), of(0..=100u8)),
        (
            of(any::<u32>()),
            of(0..5u32),
            of(any::<bool>()),
            of(any::<bool>()),
        ),
    )
        .prop_map(
            |(targets, (block, random, write), (depth, threads, cached, through))| {
                ImportedWorkload {
                    targets,
                    block: block.map(Bytes),
                    random_percent: random.and_then(Ratio::percent),
                    write_percent: write.and_then(Ratio::percent),
                    queue_depth: depth,
                    threads,
                    cache: cached.map(|cached| match cached {
                        true => CacheMode::Cached,
                        false => CacheMode::Unbuffered,
                    }),
                    write_through: through,
                    ..ImportedWorkload::default()
                }
            },
        )
}

fn cpu() -> impl Strategy<Value = ImportedCpu> {
    (of(any::<u32>()), number(), number(), number()).prop_map(|(processors, usage, idle, core)| {
        ImportedCpu {
            processors,
            usage_percent: usage,
            idle_percent: idle,
            busiest: core.map(|usage| ImportedCore {
                cpu: 0,
                usage_percent: usage,
                user_percent: usage,
                kernel_percent: -usage,
            }),
            ..ImportedCpu::default()
        }
    })
}

fn side() -> impl Strategy<Value = SideEvidence> {
    let rates = (count(), number(), number());
    (rates, time(), time()).prop_map(
        |((windows, window_min_per_s, window_max_per_s), submission_mean, whole_mean)| {
            SideEvidence {
                windows,
                window_min_per_s,
                window_max_per_s,
                submission_mean,
                whole_mean,
            }
        },
    )
}

fn evidence() -> impl Strategy<Value = ImportedEvidence> {
    let flush = prop_oneof![
        Just(None),
        Just(Some(ImportedFlush::AtEnd)),
        Just(Some(ImportedFlush::BeforeReads)),
        (0..3u32).prop_map(|every| Some(ImportedFlush::EveryWrites(every))),
    ];
    let disk = ("[a-z]{0,4}[0-9]{0,2}", any::<u64>(), number(), time());
    let disk = disk.prop_map(|(name, ios, util, queue)| ImportedDisk {
        name,
        ios,
        util_percent: util,
        queue_time: queue,
    });
    let sync = of(
        (any::<u64>(), time(), time()).prop_map(|(count, mean, max)| SyncFigures {
            p50: mean,
            count,
            mean,
            p99: mean,
            max,
        }),
    );
    let warnings = prop::collection::vec("[ -~]{0,200}", 0..3);
    (
        (side(), side(), side()),
        (sync, flush, of(any::<u32>())),
        (prop::collection::vec(disk, 0..4), warnings),
    )
        .prop_map(
            |((total, read, write), (sync, flush, ignored), (disks, warnings))| ImportedEvidence {
                total,
                read,
                write,
                sync,
                flush,
                content: ignored.map(|_| ImportedContent::Zeros),
                ignored_queue_depth: ignored,
                paced: ignored.is_some(),
                pace: ignored.map(|per_s| {
                    ImportedPace::Ios(RequestedRate {
                        per_s: f64::from(per_s),
                        of: None,
                    })
                }),
                same_place: ignored,
                context_switches: ignored.map(u64::from),
                commit_min: ignored.map(|ns| Nanos(u64::from(ns))),
                ended_by: warnings.first().cloned(),
                lost_sectors: ignored.map(u64::from),
                disks_cut: ignored.is_some(),
                disks,
                warnings,
            },
        )
}

fn run() -> impl Strategy<Value = ImportedRun> {
    let rows = prop::collection::vec((of(0..4u32), operation()), 0..4);
    (
        operation(),
        workload(),
        time(),
        of(cpu()),
        rows,
        0..ImportFormat::ALL.len(),
        evidence(),
    )
        .prop_map(|(total, workload, measured, cpu, rows, format, evidence)| {
            let mut run = super::test::imported();
            run.format = ImportFormat::ALL[format];
            run.workload = workload;
            run.measured = measured;
            run.cpu = cpu;
            run.evidence = evidence;
            run.figures = ImportedFigures {
                total: total.clone(),
                write: total,
                ..ImportedFigures::default()
            };
            run.rows = rows
                .into_iter()
                .map(|(thread, total)| ImportedRow {
                    thread,
                    figures: ImportedFigures {
                        total,
                        ..ImportedFigures::default()
                    },
                    ..ImportedRow::default()
                })
                .collect();
            run
        })
}

fn known() -> impl Strategy<Value = Known> {
    let medium = prop_oneof![
        Just(Medium::Hdd { disks: 2 }),
        Just(Medium::SataSsd),
        Just(Medium::Nvme)
    ];
    (of(1.0..1e6f64), of(1.0..1e9f64), of(medium)).prop_map(|(rate, bytes, medium)| Known {
        cap_per_s: rate,
        cap_bytes_per_s: bytes,
        medium,
        caps: vec![CloudCap {
            name: "some disk".to_owned(),
            per_s: rate,
            bytes_per_s: bytes,
            direction: None,
            burst: false,
            network: false,
        }]
        .into(),
        ..Known::default()
    })
}

proptest! {
    #[test]
    fn findings_of_any_imported_runs_are_said_in_numbers(
        runs in prop::collection::vec(run(), 1..4),
        known in known(),
    ) {
        let observed: Vec<Observed> = runs.iter().map(Observed::of_imported).collect();
        let mut said = session_findings(&observed, &known);
        said.extend(runs.iter().flat_map(|run| imported_report_knowing(run, &known).findings));
        for finding in said {
            prop_assert!(FINDINGS.iter().any(|rule| rule.id == finding.id), "{}", finding.id);
            let words = [&finding.sentence, &finding.advice];
            for word in words {
                prop_assert!(!word.contains("NaN") && !word.contains("inf "), "{}: {}", finding.id, word);
                prop_assert!(!word.is_empty() && word.len() < 1000, "{}: {}", finding.id, word);
            }
            prop_assert!(finding.evidence.iter().all(|one| one.value.is_finite()));
        }
    }
}
