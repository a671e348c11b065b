//! The survey on simulated devices: rate = min(depth / latency, cap), with whatever a cell costs beside.

use super::*;
use crate::budget::CELL_MIN;
use expect_test::expect;
use model::{LatencyHistogram, Operation, PhaseTimes, Plan, PlannedTarget, Tally, ThreadRecord};
use proptest::prelude::*;
use std::collections::HashSet;

fn request() -> SurveyRequest {
    SurveyRequest {
        target: Location::Path("t".into()),
        size: Bytes::gib(1),
        cache: CacheMode::Unbuffered,
        budget: Nanos::seconds(180),
        read_only: false,
        seed: 7,
        engine: EngineChoice::Auto,
        queue_depth_max: 128,
    }
}

fn plan(span: &Timespan) -> Plan {
    let target = &span.targets[0];
    let planned = PlannedTarget {
        prove_ours: false,
        location: target.location.clone(),
        base: target.base,
        length: target.length.unwrap(),
        create: None,
        cache: target.cache,
        write_through: false,
        exclusive: false,
        mapped: None,
        content: target.content.clone(),
        pacing: target.pacing,
        priority: target.priority,
        hint: target.hint,
        large_pages: false,
        weight: 1,
        pool_threads: Vec::new(),
        threads: 1,
        workload: target.workload.clone(),
        alignment: Bytes(512),
        namespace: None,
        identity: None,
    };
    serde_json::from_value(serde_json::json!({
        "phases": span.phases, "interval": span.interval, "seed": span.seed, "engine": span.engine,
        "on_error": span.on_error, "targets": [planned], "checked": null,
    }))
    .unwrap()
}

/// A device: each I/O takes `latency`, and no more than `cap` a second are served.
#[derive(Clone, Copy, Debug)]
struct Device {
    latency_us: u64,
    cap: u64,
}

impl Device {
    fn run(self, point: &Point, overhead: Nanos) -> Measured {
        let phases = point.timespan.phases;
        let free = f64::from(point.queue_depth.0) * 1e6 / self.latency_us as f64;
        let ios = (free.min(self.cap as f64) * phases.measured.as_seconds()) as u64;
        let counted = Tally {
            ios,
            latency: LatencyHistogram::new(),
            response: None,
            ..Tally::default()
        };
        let mut measured = [Tally::default(), Tally::default()];
        measured[Operation::Read.index()] = counted;
        let record = RunRecord {
            tool_version: String::new(),
            command: vec![],
            started_utc: Nanos(0),
            plan: plan(&point.timespan),
            host: Default::default(),
            targets: vec![],
            engine: Default::default(),
            phases: PhaseTimes {
                measured_from: phases.warmup,
                measured_to: phases.total(),
                drained: phases.total(),
            },
            threads: vec![ThreadRecord {
                thread: 0,
                target: 0,
                measured,
                lifetime: Default::default(),
                abandoned: 0,
            }],
            window: Default::default(),
            lifetime: Default::default(),
            outcome: Outcome::Complete,
        };
        Measured {
            label: point.label.clone(),
            record,
            wall: phases.total().plus(overhead),
        }
    }
}

fn survey(change: impl FnOnce(&mut SurveyRequest)) -> Survey {
    let mut request = request();
    change(&mut request);
    Survey::new(request).unwrap()
}

/// Runs to the end; `run` is the machine.
fn play(survey: &Survey, mut run: impl FnMut(&Point) -> Measured) -> Vec<Measured> {
    let mut done = Vec::new();
    while let Some(point) = survey.next(&done) {
        assert!(survey.cells_left_max(&done) > 0 && survey.time_left(&done) > Nanos(0));
        assert_eq!(
            survey.next(&done).as_ref(),
            Some(&point),
            "the same question has the same answer"
        );
        assert!(done.len() < 7 * 8, "it does not end");
        done.push(run(&point));
    }
    assert_eq!(
        (survey.cells_left_max(&done), survey.time_left(&done)),
        (0, Nanos(0))
    );
    done
}

fn depth(cell: &Measured) -> u32 {
    cell.record.plan.targets[0].workload.queue_depth.0
}

fn depths(done: &[Measured], label: &str) -> Vec<u32> {
    done.iter()
        .filter(|cell| cell.label == label)
        .map(depth)
        .collect()
}

fn wall(done: &[Measured]) -> Nanos {
    done.iter().fold(Nanos(0), |sum, cell| sum.plus(cell.wall))
}

const FAST: Device = Device {
    latency_us: 100,
    cap: 40_000,
};

#[test]
fn the_workloads_have_their_names_in_the_order_of_display() {
    let names: Vec<_> = Survey::workloads().iter().map(|w| w.name).collect();
    expect![[r#"4K random read, 4K random write, 8K random 70/30, 64K random read, 512K sequential read, 1M sequential read, 1M sequential write"#]]
    .assert_eq(&names.join(", "));
}

#[test]
fn reads_run_first_and_writes_last() {
    let done = play(&survey(|r| r.engine = EngineChoice::Sync), |point| {
        FAST.run(point, Nanos(0))
    });
    let order: Vec<_> = done.iter().map(|cell| cell.label.as_str()).collect();
    expect![[r#"4K random read, 64K random read, 512K sequential read, 1M sequential read, 8K random 70/30, 4K random write, 1M sequential write"#]]
    .assert_eq(&order.join(", "));
}

#[test]
fn a_ladder_stops_after_two_doublings_without_gain() {
    // 10,000 a second at depth 1 and at most 40,000: depth 4 reaches it, 8 and 16 bring nothing.
    let done = play(&survey(|_| ()), |point| FAST.run(point, Nanos::millis(30)));
    for workload in Survey::workloads() {
        assert_eq!(
            depths(&done, workload.name),
            [1, 2, 4, 8, 16],
            "{}",
            workload.name
        );
    }
}

#[test]
fn the_rule_of_the_ladder_is_three_percent_over_the_best_before() {
    let ended = |rates: &[f64]| has_ended(&rates.iter().map(|&r| Some(r)).collect::<Vec<_>>());
    assert!(!ended(&[]) && !ended(&[100.0]) && !ended(&[100.0, 90.0]));
    assert!(ended(&[100.0, 102.0, 102.9]));
    assert!(!ended(&[100.0, 90.0, 103.1]), "one flat step is not two");
    assert!(!ended(&[100.0, 103.1, 90.0]));
    assert!(ended(&[100.0, 200.0, 150.0, 205.0]));
    assert!(has_ended(&[Some(100.0), None]));
}

#[test]
fn a_ladder_without_a_cap_ends_at_the_greatest_depth() {
    let boundless = Device {
        latency_us: 100,
        cap: u64::MAX,
    };
    let done = play(&survey(|_| ()), |point| boundless.run(point, Nanos(0)));
    assert_eq!(done.len(), 56);
    let done = play(&survey(|r| r.queue_depth_max = 100), |point| {
        boundless.run(point, Nanos(0))
    });
    assert_eq!(depths(&done, "4K random read"), [1, 2, 4, 8, 16, 32, 64]);
}

#[test]
fn a_read_only_survey_writes_nothing() {
    let done = play(&survey(|r| r.read_only = true), |point| {
        FAST.run(point, Nanos(0))
    });
    assert!(
        done.iter()
            .all(|cell| !cell.record.plan.targets[0].writes())
    );
    assert_eq!(depths(&done, "64K random read").len(), 5);
}

#[test]
fn what_a_short_ladder_leaves_goes_to_the_cells_after_it() {
    let done = play(&survey(|_| ()), |point| FAST.run(point, Nanos::millis(50)));
    let planned = |cell: &Measured| cell.record.plan.phases.total();
    assert!(planned(&done[34]) > planned(&done[0]));
    assert!(wall(&done) > Nanos::seconds(120), "{}", wall(&done));
}

#[test]
fn a_cell_without_a_result_ends_its_ladder() {
    let broken = |point: &Point| {
        let mut cell = FAST.run(point, Nanos(0));
        match point.label.as_str() {
            "4K random read" => cell.record.outcome = Outcome::Interrupted,
            "64K random read" => cell.record.threads.clear(),
            "1M sequential read" => cell.record.phases.measured_to = Nanos(0),
            _ => {}
        }
        cell
    };
    let done = play(&survey(|_| ()), broken);
    for label in ["4K random read", "64K random read", "1M sequential read"] {
        assert_eq!(depths(&done, label), [1]);
    }
    assert_eq!(depths(&done, "1M sequential write"), [1, 2, 4, 8, 16]);
}

#[test]
fn short_of_time_every_workload_still_gets_its_depth_1() {
    // 20 s are enough for 56 least cells as guessed; each costs 1.5 s beyond its phases.
    let done = play(&survey(|r| r.budget = Nanos::seconds(20)), |point| {
        FAST.run(point, Nanos::millis(1500))
    });
    for workload in Survey::workloads() {
        assert_eq!(
            depths(&done, workload.name).first(),
            Some(&1),
            "{}",
            workload.name
        );
    }
    assert!(wall(&done) <= Nanos::seconds(20).plus(CELL_MIN).plus(Nanos::millis(1500)));
}

#[test]
fn nothing_is_handed_out_once_the_budget_is_spent() {
    let survey = survey(|_| ());
    let first = survey.next(&[]).unwrap();
    assert_eq!(survey.next(&[FAST.run(&first, Nanos::seconds(180))]), None);
}

#[test]
fn what_cannot_be_done_is_refused_with_what_can() {
    let refuse = |change: fn(&mut SurveyRequest)| {
        let mut request = request();
        change(&mut request);
        Survey::new(request).unwrap_err().to_string()
    };
    expect!["budget: read 5s; up to 56 cells need at least 20s: say --budget 20s or more"]
        .assert_eq(&refuse(|r| r.budget = Nanos::seconds(5)));
    expect![
        "size: read 512K; a survey needs at least 1M, and tells little below 1G: say --size 1G"
    ]
    .assert_eq(&refuse(|r| r.size = Bytes::kib(512)));
    expect!["queue depth: read 0; a survey needs at least 1"]
        .assert_eq(&refuse(|r| r.queue_depth_max = 0));
    survey(|r| r.budget = Nanos::seconds(20));
}

#[test]
fn the_null_engine_climbs_too_and_seeds_differ_by_cell() {
    let survey = survey(|r| r.engine = EngineChoice::Null);
    let mut seeds = HashSet::new();
    let done = play(&survey, |point| {
        assert!(seeds.insert(point.timespan.seed));
        FAST.run(point, Nanos(0))
    });
    assert_eq!(seeds.len(), done.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_whole_is_over_the_budget_by_less_than_one_least_cell(
        latency_us in 1u64..20_000,
        cap in 1u64..2_000_000,
        budget_s in 20u64..300,
        queue_depth_max in 1u32..300,
        overheads_ms in prop::collection::vec(0u64..3_000, 56),
    ) {
        let survey = survey(|r| {
            r.budget = Nanos::seconds(budget_s);
            r.queue_depth_max = queue_depth_max;
        });
        let mut overheads = overheads_ms.iter().map(|&ms| Nanos::millis(ms));
        let done = play(&survey, |point| Device { latency_us, cap }.run(point, overheads.next().unwrap()));
        let last = done.last().unwrap();
        let beyond = last.wall.minus(last.record.plan.phases.total());
        prop_assert!(wall(&done) < Nanos::seconds(budget_s).plus(CELL_MIN).plus(beyond));
        let cells: HashSet<_> = done.iter().map(|cell| (&cell.label, depth(cell))).collect();
        prop_assert_eq!(cells.len(), done.len(), "a cell came twice");
    }

    #[test]
    fn with_a_steady_overhead_every_workload_is_measured(
        latency_us in 1u64..20_000,
        cap in 1u64..2_000_000,
        budget_s in 20u64..300,
        overhead_ms in 0u64..1_500,
    ) {
        let survey = survey(|r| r.budget = Nanos::seconds(budget_s));
        let done = play(&survey, |point| Device { latency_us, cap }.run(point, Nanos::millis(overhead_ms)));
        for workload in Survey::workloads() {
            prop_assert!(!depths(&done, workload.name).is_empty(), "{}", workload.name);
        }
    }
}
