//! The survey on devices that are formulas: rate over load, with any overhead of a cell.

use super::*;
use crate::budget::CELL_MIN;
use crate::is_tight;
use expect_test::expect;
use model::{
    Interval, LatencyHistogram, Operation, Outcome, PhaseTimes, Plan, PlannedTarget, RunRecord,
    Tally, ThreadRecord,
};
use proptest::prelude::*;
use std::collections::HashSet;

fn request() -> SurveyRequest {
    SurveyRequest {
        target: Location::Path("t".into()),
        size: Bytes::gib(1),
        queue_depth_max: 128,
        threads_max: 4,
        raw: None,
        options: SurveyOptions {
            cache: CacheMode::Unbuffered,
            budget: Nanos::seconds(180),
            workloads: WorkloadSet::of("all").unwrap().workloads(),
            read_only: false,
            seed: 7,
            engine: EngineChoice::Auto,
            precision: PRECISION_DEFAULT,
            grid_share: Some(GRID_SHARE_DEFAULT),
            goal: None,
            exhaustive: false,
            cache_check: false,
        },
    }
}

fn plan(span: &Timespan) -> Plan {
    let target = &span.targets[0];
    let planned = PlannedTarget {
        fsync: model::Fsync::default(),
        drop_cache: false,
        drop_cache_every: None,
        amount: None,
        prove_ours: false,
        location: target.location.clone(),
        base: target.base,
        length: target.length.unwrap(),
        create: None,
        allocation: model::Allocation::default(),
        cache: target.cache,
        write_through: false,
        exclusive: false,
        mapped: None,
        engine: None,
        content: target.content.clone(),
        pacing: target.pacing,
        priority: target.priority,
        hint: target.hint,
        large_pages: false,
        bounds: model::Bounds::default(),
        zones: None,
        active: model::Active::default(),
        weight: 1,
        pool_threads: Vec::new(),
        verify: model::Verify::default(),
        threads: target.threads,
        workload: target.workload.clone(),
        alignment: Bytes(512),
        namespace: None,
        identity: None,
    };
    serde_json::from_value(serde_json::json!({
        "phases": span.phases, "interval": span.interval, "seed": span.seed, "engine": span.engine,
        "on_error": span.on_error, "targets": [planned], "arrivals": span.arrivals, "checked": null,
    }))
    .unwrap()
}

/// Rate over load: each I/O takes `latency` alone, no more than `cap` a second are served, and beyond `cliff` in flight
/// only `fallen` of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    pub(super) latency_us: u64,
    pub(super) cap: f64,
    /// How softly the cap is met: 0 for a corner, 1 for a slow bend.
    pub(super) softness: f64,
    pub(super) cliff: u32,
    pub(super) fallen: f64,
    /// Bytes a second, at most.
    pub(super) flow: f64,
    /// Rate of one step of the time series over the mean.
    pub(super) noise: f64,
    /// Deviation of noise that stays for a second, over the mean.
    pub(super) lasting: f64,
}

pub(super) const FAST: Device = Device {
    latency_us: 100,
    cap: 40_000.0,
    softness: 0.0,
    cliff: u32::MAX,
    fallen: 1.0,
    flow: f64::INFINITY,
    noise: 0.01,
    lasting: 0.0,
};

impl Device {
    fn rate(&self, load: Load, block: Bytes) -> f64 {
        let free = f64::from(load.in_flight()) * 1e6 / self.latency_us as f64;
        let cap = self.cap.min(self.flow / block.0 as f64);
        let bent = free * cap / (free + cap);
        let rate = (1.0 - self.softness) * free.min(cap) + self.softness * bent;
        if load.in_flight() > self.cliff {
            rate.min(cap * self.fallen)
        } else {
            rate
        }
    }

    pub(super) fn run(&self, point: &Point, overhead: Nanos) -> Measured {
        let (mut record, ended) = self.record(point);
        record.phases.measured_to = record.phases.measured_from.plus(ended);
        let wall = point.timespan.phases.warmup.plus(ended).plus(overhead);
        Measured::new(point.label.clone(), record, wall)
    }

    /// The record and how long was measured: until the rate is known well enough.
    fn record(&self, point: &Point) -> (RunRecord, Nanos) {
        let span = &point.timespan;
        let rate = self.rate(point.load, span.targets[0].workload.block);
        let mean_ns = f64::from(point.load.in_flight()) / rate * 1e9;
        let mut random = span.seed;
        let (mut ios, mut readings, mut elapsed) = (0u64, Vec::new(), Nanos(0));
        let mut intervals = Vec::new();
        let mut owed = 0.0;
        let mut chance = || {
            // SplitMix64: neighbouring seeds give unlike series (Steele, Lea and Flood 2014).
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (random ^ (random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let kept = (-span.interval.as_seconds()).exp();
        let mut level = 2.0 * (chance() + chance() + chance());
        while elapsed < span.phases.measured {
            let fresh = 2.0 * (chance() + chance() + chance());
            level = kept * level + (1.0 - kept * kept).sqrt() * fresh;
            let speed = 1.0 + 3.46 * self.noise * chance() + self.lasting * level;
            owed += rate * span.interval.as_seconds() * speed;
            let step = Interval {
                ios: owed as u64,
                ..Interval::default()
            };
            owed -= step.ios as f64;
            ios += step.ios;
            intervals.push(step);
            elapsed = elapsed.plus(span.interval);
            readings.push((elapsed, ios));
            if point
                .precision
                .is_some_and(|wanted| is_tight(&readings, wanted))
            {
                break;
            }
        }
        let mut latency = LatencyHistogram::new();
        if ios > 0 {
            latency.record(Nanos(mean_ns as u64));
        }
        let tally = Tally {
            ios,
            latency,
            intervals,
            ..Tally::default()
        };
        (record(span, tally), elapsed)
    }
}

fn record(span: &Timespan, tally: Tally) -> RunRecord {
    let mut measured = [Tally::default(), Tally::default()];
    measured[Operation::Read.index()] = tally;
    RunRecord {
        tool_version: String::new(),
        command: vec![],
        started_utc: Nanos(0),
        plan: plan(span),
        host: Default::default(),
        targets: vec![],
        engine: Default::default(),
        phases: PhaseTimes {
            measured_from: span.phases.warmup,
            measured_to: span.phases.total(),
            drained: span.phases.total(),
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
        series: Default::default(),
        outcome: Outcome::Complete,
    }
}

pub(super) fn survey(change: impl FnOnce(&mut SurveyRequest)) -> Survey {
    let mut request = request();
    change(&mut request);
    Survey::new(request).unwrap()
}

/// Runs to the end; `run` is the machine.
pub(super) fn play(survey: &Survey, mut run: impl FnMut(&Point) -> Measured) -> Vec<Measured> {
    let mut done = Vec::new();
    while let Some(point) = survey.next(&done) {
        assert!(survey.cells_left_max(&done) > 0 && survey.time_left(&done) > Nanos(0));
        assert_eq!(
            survey.next(&done).as_ref(),
            Some(&point),
            "the same question has the same answer"
        );
        assert!(done.len() < 300, "it does not end");
        done.push(run(&point));
    }
    assert_eq!(
        (survey.cells_left_max(&done), survey.time_left(&done)),
        (0, Nanos(0))
    );
    done
}

fn loads(done: &[Measured], label: &str) -> Vec<u32> {
    done.iter()
        .filter(|cell| cell.label == label)
        .map(|cell| Load::of(&cell.record).in_flight())
        .collect()
}

fn wall(done: &[Measured]) -> Nanos {
    done.iter().fold(Nanos(0), |sum, cell| sum.plus(cell.wall))
}

/// Best rate and knee of a workload by its rows.
fn peak_and_knee(done: &[Measured], label: &str) -> (f64, u32) {
    let row = Row::of(label, done);
    let best = row.best().unwrap().rate;
    let knee = row.cells.iter().find(|cell| cell.rate >= 0.95 * best);
    (best, knee.unwrap().load.in_flight())
}

#[test]
fn the_plain_workloads_have_their_names_in_the_order_of_display() {
    let survey = survey(|_| ());
    let names: Vec<_> = survey.workloads().map(|w| w.name.as_str()).collect();
    expect![[r#"4K random read, 4K random write, 8K random 70/30, 64K random read, 512K sequential read, 1M sequential read, 1M sequential write"#]]
    .assert_eq(&names.join(", "));
}

#[test]
fn reads_run_first_and_writes_last_and_each_kind_again_before_the_next() {
    let one_load = |r: &mut SurveyRequest| (r.queue_depth_max, r.threads_max) = (1, 1);
    let done = play(&survey(one_load), |point| FAST.run(point, Nanos(0)));
    let mut order: Vec<_> = done.iter().map(|cell| cell.label.as_str()).collect();
    order.dedup();
    let all: Vec<String> = survey(|_| ())
        .order
        .iter()
        .map(|w| w.name.clone())
        .collect();
    let (reads, mix, writes) = (&all[..4], &all[4..5], &all[5..]);
    assert_eq!(order, [reads, reads, mix, writes, writes].concat());
}

#[test]
fn a_corner_is_found_in_five_cells_and_its_peak_run_again() {
    // 10 000 a second at depth 1 and at most 40 000: the lines meet at depth 4.
    let done = play(&survey(|_| ()), |point| FAST.run(point, Nanos::millis(30)));
    let random = loads(&done, "4K random read");
    assert_eq!(random[..5], [1, 128, 4, 2, 8]);
    assert!(
        random.len() == 6 && random[1..5].contains(&random[5]),
        "{random:?}"
    );
    // The same ceiling is foretold, so no deepest load is needed.
    assert_eq!(loads(&done, "64K random read")[..4], [1, 4, 2, 8]);
    let mix = loads(&done, "8K random 70/30");
    assert_eq!(mix[..5], [1, 128, 4, 2, 8]);
    let (climb, again) = mix.split_at(5);
    assert!(!again.is_empty() && again.len() <= 2, "{mix:?}");
    assert!(again.iter().all(|load| climb.contains(load)), "{mix:?}");
}

/// A target that is a third slower from some time on.
#[test]
fn a_load_that_is_not_like_itself_a_second_time_is_known_no_better_than_that() {
    let slower = Device {
        cap: 27_000.0,
        ..FAST
    };
    let survey = survey(|r| r.options.read_only = true);
    let known = 17; // cells of four climbs
    let mut count = 0;
    let done = play(&survey, |point| {
        count += 1;
        let device = if count <= known { FAST } else { slower };
        device.run(point, Nanos(0))
    });
    let row = Row::of("4K random read", &done);
    let peak = row.peak().unwrap();
    assert!(peak.runs() > 1 && peak.half_width > Some(0.05), "{row:?}");
}

/// The planner decides by the same figure that the report shows.
#[test]
fn a_load_that_was_run_several_times_has_one_rate_for_planner_and_report() {
    let mut compared = 0;
    for noise in [0.01, 0.1, 0.5, 1.0] {
        let noisy = Device { noise, ..FAST };
        let survey = survey(|request| {
            (request.options.budget, request.threads_max) = (Nanos::seconds(60), 1);
        });
        let mut wall = Nanos(0);
        let done = play(&survey, |point| {
            wall = Nanos(wall.0 + 7_000_000);
            noisy.run(point, wall)
        });
        let records: Vec<_> = done
            .iter()
            .map(|cell| (cell.label.clone(), cell.record.clone()))
            .collect();
        let report = analysis::survey_report(&records, &analysis::SurveyContext::default());
        for load in &report.joined {
            let row = Row::of(&load.load.workload, &done);
            let is_it =
                |cell: &&row::Cell| u64::from(cell.load.in_flight()) == load.load.queue_depth;
            let cell = row.cells.iter().find(is_it).unwrap();
            let choosing = u32::from(row.lasting && cell.runs() > 2);
            assert_eq!(u64::from(cell.runs() - choosing), load.runs);
            assert_eq!(cell.rate, load.throughput.iops_estimate.value, "{load:?}");
            assert_eq!(
                cell.half_width,
                load.throughput.iops_estimate.half_width_share(),
                "{load:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn short_of_time_nothing_is_run_again_before_all_were_run_once() {
    let survey = survey(|r| r.options.budget = Nanos::seconds(16));
    let done = play(&survey, |point| FAST.run(point, Nanos::millis(400)));
    let first_repeat = done.iter().enumerate().position(|(place, cell)| {
        let load = Load::of(&cell.record);
        done[..place]
            .iter()
            .any(|other| other.label == cell.label && Load::of(&other.record) == load)
    });
    let labels = |done: &[Measured]| -> HashSet<String> {
        done.iter().map(|cell| cell.label.clone()).collect()
    };
    let before = &done[..first_repeat.unwrap_or(done.len())];
    assert_eq!(
        labels(before).len(),
        7,
        "{first_repeat:?} of {}",
        done.len()
    );
}

#[test]
fn a_cliff_hides_neither_peak_nor_knee() {
    let cliff = Device {
        cap: 160_000.0,
        cliff: 16,
        fallen: 0.5,
        ..FAST
    };
    let done = play(&survey(|_| ()), |point| cliff.run(point, Nanos::millis(30)));
    let (best, knee) = peak_and_knee(&done, "4K random read");
    assert!((best / 160_000.0 - 1.0).abs() < 0.03, "{best}");
    assert_eq!(knee, 16, "{:?}", loads(&done, "4K random read"));
}

#[test]
fn what_still_gains_at_the_deepest_load_is_given_more_threads() {
    let deep = Device {
        cap: 2_000_000.0,
        ..FAST
    };
    let done = play(&survey(|r| r.options.read_only = true), |point| {
        deep.run(point, Nanos::millis(30))
    });
    let loads = loads(&done, "4K random read");
    assert!(loads.contains(&256), "{loads:?}");
    assert!((peak_and_knee(&done, "4K random read").0 / 2e6 - 1.0).abs() < 0.03);
}

#[test]
fn a_read_only_survey_writes_nothing() {
    let done = play(&survey(|r| r.options.read_only = true), |point| {
        FAST.run(point, Nanos(0))
    });
    assert!(
        done.iter()
            .all(|cell| !cell.record.plan.targets[0].writes())
    );
    let only_writes = |r: &mut SurveyRequest| {
        r.options.read_only = true;
        r.options.workloads.retain(|w| w.write != Ratio::NONE);
    };
    let mut request = request();
    only_writes(&mut request);
    assert_eq!(Survey::new(request), Err(SurveyError::NothingToRead));
}

#[test]
fn the_whole_grid_has_every_depth_with_every_number_of_threads() {
    let survey = survey(|r| {
        r.options.exhaustive = true;
        r.options.budget = Nanos::seconds(3600);
        r.options.workloads.truncate(1);
    });
    let done = play(&survey, |point| FAST.run(point, Nanos(0)));
    assert_eq!(done.len(), 8 * 3);
    let all: HashSet<_> = done.iter().map(|cell| Load::of(&cell.record)).collect();
    assert_eq!(all.len(), done.len());
    assert!(
        done.iter()
            .all(|cell| cell.record.plan.phases.measured == Nanos::seconds(4))
    );
}

#[test]
fn a_noisy_cell_that_the_answer_rests_on_is_run_again() {
    let noisy = Device { noise: 0.5, ..FAST };
    let survey = survey(|r| {
        r.options.workloads.truncate(1);
        (r.options.budget, r.options.grid_share) = (Nanos::seconds(20), None);
    });
    let done = play(&survey, |point| noisy.run(point, Nanos(0)));
    let again = loads(&done, "4K random read");
    let ones = again.iter().filter(|load| **load == 1).count();
    assert!(ones > 1 && again.len() > 6, "{again:?}");
    assert!(wall(&done) <= Nanos::seconds(21));
}

#[test]
fn a_target_that_never_holds_still_takes_no_more_than_its_share_of_the_grid() {
    for noise in [0.3, 1.0] {
        let noisy = Device { noise, ..FAST };
        let survey = survey(|_| ());
        let done = play(&survey, |point| noisy.run(point, Nanos(0)));
        let measured: u64 = done
            .iter()
            .map(|cell| cell.record.phases.measured().0)
            .sum();
        let grid = 7 * survey.grid().len() as u64 * GRID_PHASES.measured.0;
        assert!(measured <= grid / 10, "{noise}: {measured} of {grid}");
        assert!(measured > grid / 20, "{noise}: {measured} of {grid}");
    }
}

#[test]
fn a_cell_without_a_result_ends_its_climb() {
    let broken = |point: &Point| {
        let mut record = FAST.record(point).0;
        match point.label.as_str() {
            "4K random read" => record.outcome = Outcome::Interrupted,
            "64K random read" => record.threads.clear(),
            _ => {}
        }
        Measured::new(point.label.clone(), record, Nanos::seconds(1))
    };
    let survey = survey(|_| ());
    let done = play(&survey, broken);
    for label in ["4K random read", "64K random read"] {
        assert_eq!(loads(&done, label), [1]);
    }
    assert!(loads(&done, "1M sequential write").len() > 3);
    let skipped = survey.skipped(&done);
    assert_eq!(
        (
            skipped[0].workload.as_str(),
            skipped[0].loads,
            skipped[0].why.as_str()
        ),
        (
            "4K random read",
            24,
            "a run before them failed, was stopped or moved nothing"
        )
    );
}

#[test]
fn what_was_skipped_is_said_with_its_reason() {
    let survey = survey(|_| ());
    let slow = Device {
        cap: 160_000.0,
        ..FAST
    };
    let done = play(&survey, |point| slow.run(point, Nanos::millis(30)));
    let skipped = survey.skipped(&done);
    assert_eq!(skipped.len(), 7);
    expect!["18 loads: below 16 in flight the rate follows from the service time; beyond 16 in flight more brought nothing; one thread was not the limit"]
        .assert_eq(&format!("{} loads: {}", skipped[0].loads, skipped[0].why));
    // What they would add is reported only where that is known.
    let early = survey.skipped(&done[..1]);
    let why: Vec<&str> = early.iter().map(|row| row.why.as_str()).collect();
    expect![
        "the survey ended before it was known whether they were redundant, the survey ended before them"
    ]
    .assert_eq(&why[..2].join(", "));
}

#[test]
fn short_of_time_every_workload_still_gets_its_depth_1() {
    let done = play(
        &survey(|r| r.options.budget = Nanos::seconds(20)),
        |point| FAST.run(point, Nanos::millis(1500)),
    );
    for workload in request().options.workloads {
        assert_eq!(
            loads(&done, &workload.name).first(),
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
    expect!["budget: read 5s; 42 cells need at least 15s: specify --budget 15s or more"]
        .assert_eq(&refuse(|r| r.options.budget = Nanos::seconds(5)));
    expect![
        "size: read 512K; a survey needs at least 1M, and is inaccurate below 1G: use --size 1G"
    ]
    .assert_eq(&refuse(|r| r.size = Bytes::kib(512)));
    expect!["queue depth: read 0; a survey needs at least 1"]
        .assert_eq(&refuse(|r| r.queue_depth_max = 0));
}

#[test]
fn no_two_cells_draw_the_same_offsets() {
    let mut seeds = HashSet::new();
    let done = play(&survey(|_| ()), |point| {
        assert!(seeds.insert(point.timespan.seed));
        FAST.run(point, Nanos(0))
    });
    assert_eq!(seeds.len(), done.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn peak_and_knee_are_those_of_the_whole_grid_in_a_tenth_of_the_time(
        latency_us in 10u64..10_000,
        parallel in 1u32..100,
        softness in 0.0f64..1.0,
        cliff in prop_oneof![Just(u32::MAX), 8u32..64],
        fallen in 0.3f64..0.9,
        flow_mib in 50u64..4000,
        seed in any::<u64>(),
    ) {
        let device = Device {
            latency_us,
            cap: f64::from(parallel) * 1e6 / latency_us as f64,
            softness,
            cliff,
            fallen,
            flow: (flow_mib << 20) as f64,
            noise: 0.01,
            lasting: 0.0,
        };
        let adaptive = survey(|r| r.options.seed = seed);
        let grid = survey(|r| {
            (r.options.exhaustive, r.options.budget, r.options.seed) = (true, Nanos::seconds(7200), !seed);
        });
        let few = play(&adaptive, |point| device.run(point, Nanos(0)));
        let all = play(&grid, |point| device.run(point, Nanos(0)));
        for workload in adaptive.workloads() {
            let (peak, knee) = peak_and_knee(&few, &workload.name);
            let (true_peak, true_knee) = peak_and_knee(&all, &workload.name);
            // Both peaks are known to about 1% themselves.
            prop_assert!((peak / true_peak - 1.0).abs() < 0.04, "{} {peak} {true_peak} {:?}", workload.name, loads(&few, &workload.name));
            let apart = f64::from(knee) / f64::from(true_knee);
            prop_assert!((0.5..=2.0).contains(&apart), "{} {knee} {true_knee}", workload.name);
        }
        // A tenth but for devices with one slow channel: 10.1% of the grid was seen.
        prop_assert!(wall(&few).0 * 9 <= wall(&all).0, "{} {}", wall(&few), wall(&all));
    }

    #[test]
    fn the_whole_is_over_the_budget_by_less_than_one_least_cell(
        latency_us in 1u64..20_000,
        cap in 1u64..2_000_000,
        budget_s in 20u64..300,
        queue_depth_max in 1u32..300,
        overheads_ms in prop::collection::vec(0u64..3_000, 300),
    ) {
        let survey = survey(|r| {
            r.options.budget = Nanos::seconds(budget_s);
            r.queue_depth_max = queue_depth_max;
        });
        let device = Device { latency_us, cap: cap as f64, ..FAST };
        let mut overheads = overheads_ms.iter().map(|&ms| Nanos::millis(ms));
        let mut last = Nanos(0);
        let done = play(&survey, |point| {
            last = overheads.next().unwrap();
            device.run(point, last)
        });
        prop_assert!(wall(&done) < Nanos::seconds(budget_s).plus(CELL_MIN).plus(last));
    }

    #[test]
    fn with_a_steady_overhead_every_workload_is_measured(
        latency_us in 1u64..20_000,
        cap in 1u64..2_000_000,
        budget_s in 20u64..300,
        overhead_ms in 0u64..1_500,
    ) {
        let survey = survey(|r| r.options.budget = Nanos::seconds(budget_s));
        let device = Device { latency_us, cap: cap as f64, ..FAST };
        let done = play(&survey, |point| device.run(point, Nanos::millis(overhead_ms)));
        for workload in request().options.workloads {
            prop_assert!(!loads(&done, &workload.name).is_empty(), "{}", workload.name);
        }
    }
}

/// A cell costs as long again as the device takes for what is in flight when it ends.
fn of_a_slow_device(per_s: f64, latency_us: u64) -> Vec<Measured> {
    let slow = Device {
        latency_us,
        cap: per_s,
        ..FAST
    };
    play(&survey(|_| ()), |point| {
        let rate = slow.rate(point.load, point.timespan.targets[0].workload.block);
        let drained_s = f64::from(point.load.in_flight()) / rate;
        slow.run(point, Nanos((1e9 * drained_s) as u64))
    })
}

#[test]
fn a_slow_device_is_not_asked_for_what_it_would_answer_long_after() {
    for per_s in [2.0, 5.0, 20.0] {
        let done = of_a_slow_device(per_s, (1e6 / per_s) as u64);
        let longest = done.iter().map(|cell| cell.wall).max().unwrap();
        assert!(longest < Nanos::seconds(11), "{per_s}: {longest:?}");
        assert!(
            wall(&done) < Nanos::seconds(185),
            "{per_s}: {:?}",
            wall(&done)
        );
        let (best, knee) = peak_and_knee(&done, "4K random read");
        assert!(
            (best / per_s - 1.0).abs() < 0.1 && knee <= 4,
            "{per_s}: {best} {knee}"
        );
    }
    // It is far away and not slow: what it does with more in flight shows how far it may go.
    let far = of_a_slow_device(1e6, 1_000_000);
    let loads = loads(&far, "4K random read");
    assert!(loads.contains(&128), "{loads:?}");
}
