//! How often a comparison is a false alarm, what it detects, and its text.

use super::spread::spreads;
use super::*;
use crate::chance::Chance;
use crate::rows::Sums;
use crate::sample::Sample;
use crate::verdict::Validity;
use model::{Bytes, Interval, LatencyHistogram, Nanos, ResultRow, RowFigures, RunRecord};

/// A minute at this rate, whose seconds vary by 3% and are autocorrelated by `correlation`; latencies are lognormal, and
/// vary as the rate does, as in a closed loop.
pub(crate) fn minute(
    base: &RunRecord,
    chance: &mut Chance,
    rate: f64,
    correlation: f64,
) -> RunRecord {
    let mut record = base.clone();
    let mut state = chance.normal();
    let mut histogram = LatencyHistogram::new();
    let mut steps = Vec::new();
    for _ in 0..60 {
        state = correlation * state + (1.0 - correlation * correlation).sqrt() * chance.normal();
        let level = 1.0 + 0.03 * state;
        let mut step = Interval {
            ios: (rate * level) as u64,
            ..Interval::default()
        };
        step.bytes = Bytes(step.ios * 4096);
        let typical = 4e9 / rate / level;
        for _ in 0..60 {
            histogram.record(Nanos((typical * (0.5 * chance.normal()).exp()) as u64));
        }
        // The mean of as many as the step has, without drawing each.
        let noise = 0.5 / (step.ios as f64).sqrt() * chance.normal();
        step.latency_sum =
            Nanos((typical * 0.125f64.exp() * (1.0 + noise) * step.ios as f64) as u64);
        steps.push(step);
    }
    let tally = &mut record.threads[0].measured[0];
    tally.ios = steps.iter().map(|step| step.ios).sum();
    tally.bytes = Bytes(tally.ios * 4096);
    // The mean is that of the steps: the draws only give the histogram its shape.
    let means = steps
        .iter()
        .map(|step| u128::from(step.latency_sum.0 / step.ios * 60));
    let (sum, [min, max]) = (
        means.sum(),
        [histogram.min(), histogram.max()].map(|ns| ns.unwrap_or_default()),
    );
    tally.latency = histogram.with_totals(sum, min, max);
    tally.intervals = steps;
    record
}

pub(crate) fn base() -> RunRecord {
    let minute = Nanos::seconds(60);
    let sample = Sample {
        planned: minute,
        measured: minute,
        reads: 100,
        depth: 4,
        ..Sample::default()
    };
    let mut record = sample.build();
    record.plan.interval = Nanos::seconds(1);
    record
}

/// Without the verdict, which takes longer than all else.
pub(crate) fn compared(record: &RunRecord, number: u32) -> Compared {
    let row = ResultRow {
        session: u64::from(number),
        number: 1,
        ..ResultRow::of_record(record)
    };
    Compared {
        spreads: spreads(record, &Sums::of(record, None)),
        ..Compared::line(row)
    }
}

/// The same as a result whose verdict is CAUTION.
pub(crate) fn doubtful(result: Compared, reason: &str) -> Compared {
    Compared {
        validity: Some(Validity::Caution),
        reason: Some(reason.to_owned()),
        ..result
    }
}

fn side(name: &str, results: Vec<Compared>) -> Side {
    Side {
        name: name.to_owned(),
        results,
    }
}

fn reported<'a>(report: &'a CompareReport, metric: &str) -> &'a ChangeReport {
    report
        .overall
        .iter()
        .find(|change| change.metric == metric)
        .expect("a figure that both have")
}

const FIGURES: [&str; 4] = [
    "iops",
    "latency_mean_ns",
    "latency_p50_ns",
    "latency_p99_ns",
];

/// Of so many pairs, how many are distinguished, by figure.
fn apart(pairs: u32, rates: (f64, f64), correlation: f64) -> [u32; 4] {
    let (base, mut chance) = (base(), Chance(7));
    let mut seen = [0; 4];
    for _ in 0..pairs {
        let a = minute(&base, &mut chance, rates.0, correlation);
        let b = minute(&base, &mut chance, rates.1, correlation);
        let report = compare_report(
            &side("1", vec![compared(&a, 1)]),
            &side("2", vec![compared(&b, 2)]),
            &[],
        );
        for (count, metric) in seen.iter_mut().zip(FIGURES) {
            *count += u32::from(reported(&report, metric).differs == Some(true));
        }
    }
    seen
}

#[test]
fn two_halves_of_one_distribution_cry_wolf_at_most_once_in_twenty() {
    for correlation in [0.0, 0.3, 0.6, 0.8] {
        let seen = apart(1000, (5000.0, 5000.0), correlation);
        assert!(
            seen.iter().all(|count| *count <= 50),
            "{correlation}: {FIGURES:?} {seen:?} of 1000"
        );
    }
}

#[test]
fn a_change_of_the_rate_by_five_percent_is_seen_in_a_minute() {
    // Where seconds are autocorrelated for long, not every minute shows how sure it is.
    for (correlation, least) in [(0.0, 380), (0.3, 340), (0.5, 280)] {
        let [rate, ..] = apart(400, (5000.0, 5250.0), correlation);
        assert!(rate >= least, "{correlation}: {rate} of 400");
    }
}

fn plain(rate: u64, number: u32, change: impl Fn(&mut RunRecord)) -> Compared {
    let minute = Nanos::seconds(60);
    let mut record = Sample {
        planned: minute,
        measured: minute,
        reads: rate * 60,
        depth: 4,
        ..Sample::default()
    }
    .build();
    for (at, step) in record.threads[0].measured[0]
        .intervals
        .iter_mut()
        .enumerate()
    {
        step.ios += 3 * (at as u64 * 7 % 5); // not as even as no device is
    }
    change(&mut record);
    let row = ResultRow {
        session: u64::from(number),
        number: 1,
        kind: "run".into(),
        ..ResultRow::of_record(&record)
    };
    Compared::measured(row, &record, &crate::known::Known::default())
}

fn imported(number: u32, rate: f64) -> Compared {
    let mut row = plain(100, number, |_| {}).row;
    row.origin = model::Origin::Imported;
    row.tool = "diskspd".into();
    row.total.ios = None;
    row.total.ios_per_s = Some(rate);
    Compared::line(row)
}

#[test]
fn versions_of_another_tool_are_named_with_what_changed() {
    let of = |number, version: &str| {
        let mut one = imported(number, 1000.0);
        one.row.tool_version = Some(version.to_owned());
        vec![one]
    };
    let found = |a: &str, b: &str| report(of(1, a), of(2, b), &[]).notes;
    let named = |notes: &[String], what: &str| notes.iter().any(|note| note.contains(what));
    let newer = found("2.2", "2.3.0");
    assert!(
        named(&newer, "A is of diskspd 2.2 and B of 2.3.0"),
        "{newer:?}"
    );
    assert!(
        named(&newer, "-aup -bsn") && !named(&newer, "in batches"),
        "{newer:?}"
    );
    assert!(named(&found("2.3", "2.1"), "in batches"));
    assert!(!named(&found("2.3", "2.3"), "B of"));
}

fn report(a: Vec<Compared>, b: Vec<Compared>, conditions: &[&str]) -> CompareReport {
    let conditions: Vec<Condition> = conditions
        .iter()
        .map(|text| Condition::read(text).unwrap())
        .collect();
    compare_report(&side("1", a), &side("2", b), &conditions)
}

#[test]
fn the_first_line_says_how_much_faster_and_what_else_differs() {
    let other = |record: &mut RunRecord| {
        record.host.kernel = "Linux 6.19".into();
        record.targets[0].chain[1].scheduler = Some("mq-deadline".into());
        record.targets[0].chain[1].firmware = Some("2".into());
    };
    let found = report(
        vec![plain(1000, 1, |_| {})],
        vec![plain(1100, 2, other)],
        &["iops < -5%", "iops > +5%"],
    );
    assert_eq!(found.verdict, Verdict::Faster, "{}", found.answer);
    assert!(
        found.answer.starts_with("B is faster: IOPS +10% ("),
        "{}",
        found.answer
    );
    let held: Vec<ConditionOutcome> = found.conditions.iter().map(|one| one.outcome).collect();
    assert_eq!(held, [ConditionOutcome::Pass, ConditionOutcome::Fail]);
    let reported: Vec<(&str, &str, &str)> = found
        .differences
        .iter()
        .map(|one| (one.what.as_str(), one.a.as_str(), one.b.as_str()))
        .collect();
    assert_eq!(
        reported,
        [
            ("kernel", "Linux 6.18.44", "Linux 6.19"),
            ("scheduler", "none", "none, mq-deadline")
        ]
    );
}

#[test]
fn the_same_results_are_exactly_one() {
    let one = || vec![plain(1000, 1, |_| {})];
    let found = report(one(), one(), &["iops < -0%", "p99 > +0%"]);
    assert_eq!(found.verdict, Verdict::Identical);
    let ratio = reported(&found, "iops").ratio.unwrap();
    assert_eq!(
        (ratio.value, ratio.low, ratio.high),
        (1.0, Some(1.0), Some(1.0))
    );
    assert!(
        found
            .conditions
            .iter()
            .all(|one| one.outcome == ConditionOutcome::Pass),
        "{:?}",
        found.conditions
    );
}

#[test]
fn an_import_alone_cannot_tell_and_repeats_of_it_can() {
    let found = report(
        vec![imported(1, 1000.0)],
        vec![imported(2, 1100.0)],
        &["iops > +5%"],
    );
    assert_eq!(found.verdict, Verdict::Inconclusive);
    assert!(
        found.answer.contains("1.1 of A was imported"),
        "{}",
        found.answer
    );
    assert_eq!(found.conditions[0].outcome, ConditionOutcome::Unclear);
    let three = |first: u32, rates: [f64; 3]| {
        (first..)
            .zip(rates)
            .map(|(n, rate)| imported(n, rate))
            .collect()
    };
    let found = report(
        three(1, [1000.0, 1004.0, 998.0]),
        three(4, [1100.0, 1106.0, 1095.0]),
        &["iops > +5%"],
    );
    assert_eq!(
        (found.verdict, found.conditions[0].outcome),
        (Verdict::Faster, ConditionOutcome::Fail),
        "{}",
        found.answer
    );
}

#[test]
fn what_moved_nothing_has_no_ratio() {
    let none = |record: &mut RunRecord| {
        record.threads[0].measured = Default::default();
    };
    let found = report(
        vec![plain(1000, 1, |_| {})],
        vec![plain(1000, 2, none)],
        &["iops < -5%"],
    );
    assert_eq!(
        (found.verdict, found.conditions[0].outcome),
        (Verdict::Slower, ConditionOutcome::Fail),
        "{}",
        found.answer
    );
    assert!(found.answer.contains("IOPS fell to 0"), "{}", found.answer);
    let found = report(
        vec![plain(1000, 1, none)],
        vec![plain(1000, 2, |_| {})],
        &["iops < -5%"],
    );
    assert_eq!(
        (found.verdict, found.conditions[0].outcome),
        (Verdict::Inconclusive, ConditionOutcome::Unclear)
    );
    let found = report(vec![plain(1000, 1, none)], vec![plain(1000, 2, none)], &[]);
    assert!(found.answer.starts_with("inconclusive"), "{}", found.answer);
    let text = serde_json::to_string(&found).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

/// Cells of a sweep over depth, with the missing ones named.
fn sweep(session: u64, depths: &[u32], missing: &[u32], rate: u64) -> Vec<Compared> {
    (1u32..)
        .zip(depths)
        .map(|(number, depth)| {
            let mut cell = plain(rate, number, |record| {
                record.plan.targets[0].workload.queue_depth = model::QueueDepth(*depth);
            });
            cell.row.session = session;
            cell.row.number = number;
            cell.row.kind = "sweep".into();
            cell.row.label = format!("depth={depth} #1");
            if missing.contains(depth) {
                cell.row = ResultRow {
                    origin: model::Origin::Missing,
                    reason: Some("no space".into()),
                    total: RowFigures::default(),
                    work: Default::default(),
                    ..cell.row
                };
                cell = Compared::line(cell.row);
            }
            cell
        })
        .collect()
}

#[test]
fn cells_are_paired_by_what_varies_and_the_rest_is_reported() {
    let found = report(
        sweep(1, &[1, 4, 16], &[], 1000),
        sweep(2, &[4, 16, 32], &[], 1100),
        &[],
    );
    let depths: Vec<&str> = found
        .cells
        .iter()
        .map(|cell| cell.values[0].value.as_str())
        .collect();
    assert_eq!(
        (found.fields.as_slice(), depths),
        (&["queue_depth".to_owned()][..], vec!["4", "16"])
    );
    assert_eq!(
        (found.unmatched.only_a, found.unmatched.only_b),
        (vec!["1.1".to_owned()], vec!["2.3".to_owned()])
    );
    assert_eq!(found.cell_counts.faster, 2);
    assert!(
        found
            .answer
            .starts_with("B is faster in 2 of 2 cells, most in depth=4: IOPS +10%"),
        "{}",
        found.answer
    );
    let alone = report(
        vec![sweep(1, &[4], &[], 1000).remove(0)],
        sweep(2, &[1, 4, 16], &[], 1000),
        &[],
    );
    assert_eq!(
        alone.cells.len(),
        1,
        "a result finds its cell: {:?}",
        alone.notes
    );
    let nothing = report(
        sweep(1, &[1, 2], &[], 1000),
        sweep(2, &[8, 16], &[], 1000),
        &[],
    );
    assert!(nothing.cells.is_empty());
    assert!(
        nothing
            .notes
            .iter()
            .any(|note| note.contains("depth 1 and 2")),
        "{:?}",
        nothing.notes
    );
}

#[test]
fn a_cell_without_a_result_says_why_and_hides_no_other() {
    let found = report(
        sweep(1, &[1, 4], &[], 1000),
        sweep(2, &[1, 4], &[4], 1000),
        &["iops < -5%"],
    );
    let missing: Vec<Option<&str>> = found
        .cells
        .iter()
        .map(|cell| cell.missing.as_deref())
        .collect();
    assert_eq!(missing, [None, Some("B has none: no space")]);
    assert_eq!(
        found.conditions[0].outcome,
        ConditionOutcome::Unclear,
        "a cell that is not there proves nothing"
    );
}

#[test]
fn two_runs_are_compared_whatever_they_are_and_the_work_that_differs_is_said() {
    let large = |record: &mut RunRecord| record.plan.targets[0].workload.block = Bytes::kib(64);
    let found = report(
        vec![plain(1000, 1, |_| {})],
        vec![plain(1000, 2, large)],
        &[],
    );
    assert_eq!(found.cells.len(), 1);
    assert!(
        found
            .answer
            .contains("the work differs: block 4 KiB in A, 64 KiB in B"),
        "{}",
        found.answer
    );
}

/// A mark lowers the confidence and does not end the evaluation; what measures something else does.
#[test]
fn a_side_that_is_doubtful_is_named_and_one_that_is_invalid_makes_conditions_unclear() {
    let base = base();
    let mut chance = Chance(7);
    let records = [1000.0, 900.0].map(|rate| minute(&base, &mut chance, rate, 0.0));
    let sides = |validity: Option<Validity>| {
        let mut both =
            [(1, &records[0]), (2, &records[1])].map(|(number, record)| compared(record, number));
        both[0].validity = validity;
        both[0].reason = validity.map(|_| "other I/O".to_owned());
        let [a, b] = both;
        let condition = Condition::read("iops < -5%").unwrap();
        compare_report(&side("1", vec![a]), &side("2", vec![b]), &[condition])
    };
    let sound = sides(None);
    assert_eq!(
        (sound.verdict, sound.conditions[0].outcome),
        (Verdict::Slower, ConditionOutcome::Fail),
        "{}",
        sound.answer
    );
    let doubtful = sides(Some(Validity::Caution));
    assert_eq!(doubtful.conditions[0].outcome, ConditionOutcome::Fail);
    let invalid = sides(Some(Validity::Invalid));
    assert_eq!(invalid.conditions[0].outcome, ConditionOutcome::Unclear);
    assert!(
        doubtful.answer.ends_with("; but A is CAUTION: other I/O"),
        "{}",
        doubtful.answer
    );
    assert_eq!(
        doubtful.cells[0].doubt.as_deref(),
        Some("A is CAUTION: other I/O")
    );
}

#[test]
fn blocks_of_two_sizes_at_one_rate_show_one_limit() {
    let of = |kib: u64, iops: f64| {
        let mut row = ResultRow {
            session: kib,
            number: 1,
            ..ResultRow::of_record(&base())
        };
        row.work.block = Some(Bytes::kib(kib));
        row.work.queue_depth = Some(32);
        row.total.ios_per_s = Some(iops);
        row.total.bytes_per_s = Some(iops * (kib << 10) as f64);
        row.origin = model::Origin::Imported;
        row
    };
    let notes = |a: ResultRow, b: ResultRow| {
        let [a, b] = [("A", a), ("B", b)].map(|(name, row)| side(name, vec![Compared::line(row)]));
        let notes = compare_report(&a, &b, &[]).notes;
        notes.into_iter().find(|note| note.starts_with("one limit"))
    };
    let bandwidth = notes(of(16, 16_000.0), of(256, 1005.0)).unwrap();
    assert!(
        bandwidth.contains("250 MiB/s with blocks of 16 KiB and 256 KiB"),
        "{bandwidth}"
    );
    let iops = notes(of(4, 3000.0), of(16, 3010.0)).unwrap();
    assert!(
        iops.contains("3000 IOPS with blocks of 4 KiB and 16 KiB"),
        "{iops}"
    );
    assert_eq!(notes(of(4, 3000.0), of(16, 2900.0)), None);
    assert_eq!(notes(of(4, 180.0), of(16, 181.0)), None, "a rotating disk");
    assert_eq!(
        notes(of(16, 16_000.0), of(32, 8000.0)),
        None,
        "nearly one size"
    );
    let mut shallow = of(16, 3010.0);
    shallow.work.queue_depth = Some(1);
    assert_eq!(notes(of(4, 3000.0), shallow), None);
    let mut other = of(16, 3010.0);
    other.target = "elsewhere".to_owned();
    assert_eq!(notes(of(4, 3000.0), other), None);
}

#[test]
fn the_interval_decides_a_condition_and_a_shared_cause_does_not_void_it() {
    let base = base();
    let mut chance = Chance(7);
    let records = [1000.0, 350.0].map(|rate| minute(&base, &mut chance, rate, 0.0));
    let judge = |causes: [&str; 2], condition: &str| {
        let one = |place: usize| Compared {
            validity: Some(Validity::Invalid),
            reason: Some("a cause".to_owned()),
            causes: vec![causes[place].to_owned()],
            ..compared(&records[place], place as u32 + 1)
        };
        let condition = Condition::read(condition).unwrap();
        let [a, b] = [side("1", vec![one(0)]), side("2", vec![one(1)])];
        compare_report(&a, &b, &[condition]).conditions[0].outcome
    };
    let shared = ["iops-limit"; 2];
    assert_eq!(judge(shared, "iops < -5%"), ConditionOutcome::Fail);
    assert_eq!(judge(shared, "iops < -65%"), ConditionOutcome::Unclear);
    assert_eq!(judge(shared, "iops < -70%"), ConditionOutcome::Pass);
    let own = ["iops-limit", "overload"];
    assert_eq!(judge(own, "iops < -5%"), ConditionOutcome::Unclear);
}

#[test]
fn earlier_runs_show_how_far_one_run_is_from_the_next() {
    let base = base();
    let mut chance = Chance(7);
    let mut run = |rate: f64, number: u32| compared(&minute(&base, &mut chance, rate, 0.0), number);
    let (a, b) = (run(1000.0, 20), run(1030.0, 21));
    let history: Vec<ResultRow> = (1..16)
        .map(|number| run(1000.0 + 60.0 * f64::from(number % 3), number).row)
        .collect();
    let [a, b] = [side("20", vec![a]), side("21", vec![b])];
    let alone = compare_report(&a, &b, &[]);
    assert_eq!(
        (alone.verdict, alone.between_runs),
        (Verdict::Faster, BetweenRuns::Unknown)
    );
    let known = compare_with_history(&a, &b, &[], &history);
    assert_eq!(known.between_runs, BetweenRuns::History);
    assert_ne!(known.verdict, Verdict::Faster, "{}", known.answer);
    // Results of other work do not count.
    let other: Vec<ResultRow> = history
        .into_iter()
        .map(|mut row| {
            row.target = "/other".to_owned();
            row
        })
        .collect();
    let other = compare_with_history(&a, &b, &[], &other);
    assert_eq!(other.between_runs, BetweenRuns::Unknown);
}

#[test]
fn two_runs_with_one_seed_on_one_target_are_reported() {
    let (a, b) = (plain(1000, 1, |_| {}), plain(1000, 2, |_| {}));
    let notes = |b: Compared| {
        let found = report(vec![a.clone()], vec![b], &[]);
        found
            .notes
            .iter()
            .filter(|note| note.contains("the same seed"))
            .count()
    };
    assert_eq!(notes(b.clone()), 1);
    assert_eq!(
        notes(Compared {
            seed: Some(77),
            ..b
        }),
        0
    );
}

/// A survey of three workloads with these peaks at QD32; `deepest` is the share that QD128 reaches of them.
fn survey(session: u32, peaks: [f64; 3], deepest: f64) -> Side {
    let (base, mut chance) = (base(), Chance(u64::from(session)));
    let mut results = Vec::new();
    for (name, peak) in ["4K random read", "8K OLTP", "64K random read"]
        .into_iter()
        .zip(peaks)
    {
        for (depth, share) in [(1, 0.2), (8, 0.9), (32, 1.0), (128, deepest)] {
            let record = minute(&base, &mut chance, peak * share, 0.0);
            let mut one = compared(&record, session);
            one.row.number = results.len() as u32 + 1;
            (one.row.kind, one.row.label) = ("survey".to_owned(), name.to_owned());
            one.row.work.queue_depth = Some(depth);
            results.push(one);
        }
    }
    let name = session.to_string();
    Side { name, results }
}

#[test]
fn two_surveys_are_compared_workload_by_workload_at_their_peaks() {
    // The peak is not at the same depth on both sides.
    let a = survey(1, [10_000.0, 5_000.0, 3_000.0], 1.1);
    let b = survey(2, [22_000.0, 5_500.0, 3_000.0], 0.8);
    let report = compare_report(&a, &b, &[]);
    let known = [
        ("4K random read", 11_000.0, 22_000.0),
        ("8K OLTP", 5_500.0, 5_500.0),
        ("64K random read", 3_300.0, 3_000.0),
    ];
    assert_eq!(report.workloads.len(), known.len());
    for (one, (name, a, b)) in report.workloads.iter().zip(known) {
        let mut changes = one.changes.iter();
        let iops = changes.find(|change| change.metric == "iops").unwrap();
        assert_eq!(one.values[0].value, name);
        let near = |value: f64, known: f64| (value / known - 1.0).abs() < 0.02;
        assert!(near(iops.a, a) && near(iops.b, b), "{name}: {iops:?}");
    }
    let answer = "B is faster in 1 and slower in 1 of 3 workloads, most in";
    assert!(report.answer.starts_with(answer), "{}", report.answer);
}

#[test]
fn the_peak_is_the_smallest_load_that_reaches_it() {
    let a = survey(1, [10_000.0, 5_000.0, 3_000.0], 0.995);
    let report = compare_report(&a, &a, &[]);
    let runs: Vec<&String> = report.workloads.iter().flat_map(|one| &one.a).collect();
    assert_eq!(runs, ["1.3", "1.7", "1.11"]);
    assert_eq!(
        report.verdict,
        super::Verdict::Identical,
        "{}",
        report.answer
    );
}

#[test]
fn what_is_no_pair_of_surveys_of_several_workloads_is_compared_by_cells() {
    let a = survey(1, [10_000.0, 5_000.0, 3_000.0], 1.1);
    let (mut run, mut one) = (a.clone(), a.clone());
    run.results[0].row.kind = "run".to_owned();
    one.results.truncate(4);
    for other in [run, one] {
        assert!(compare_report(&other, &a, &[]).workloads.is_empty());
    }
}
