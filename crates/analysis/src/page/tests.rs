//! A page's text on known cells.

use super::*;
use crate::sample::Sample;
use crate::{SurveyContext, SurveyReport, Validity, run_report, survey_report};
use model::{Arrivals, Bytes, Origin, Ratio, ResultRow, RunRecord, Spacing};

fn part(name: &str) -> PagePart {
    PagePart {
        name: name.to_owned(),
        kind: "sweep".to_owned(),
        target: "/data/fathom.dat".to_owned(),
        ..PagePart::default()
    }
}

fn add(page: &mut PageBuilder, number: u32, sample: &Sample) {
    let record = sample.build();
    let row = ResultRow {
        session: 12,
        number,
        ..ResultRow::of_record(&record)
    };
    page.measured(row, &record, &run_report(&record), None);
}

fn at_depth(depth: u32, reads: u64) -> Sample {
    Sample {
        depth,
        reads,
        ..Sample::default()
    }
}

fn missing(number: u32) -> ResultRow {
    ResultRow {
        session: 12,
        number,
        origin: Origin::Missing,
        reason: Some("no space".to_owned()),
        ..ResultRow::default()
    }
}

fn page_of(samples: &[Sample]) -> PageDocument {
    let mut page = PageBuilder::new(7, "0.1.0", false);
    page.part(part("12"));
    for (number, sample) in (1u32..).zip(samples) {
        add(&mut page, number, sample);
    }
    page.finish(1 << 20)
}

#[test]
fn a_ladder_of_depths_becomes_a_curve_with_its_knee() {
    let rungs = [(1, 20_000), (2, 40_000), (4, 78_000), (8, 80_000)];
    let page = page_of(&rungs.map(|(depth, reads)| at_depth(depth, reads)));
    assert_eq!(page.axes, ["queue_depth"]);
    let [curve] = page.curves.as_slice() else {
        panic!("{:?}", page.curves);
    };
    let loads: Vec<u64> = curve.points.iter().map(|point| point.outstanding).collect();
    assert_eq!(
        (curve.workload.as_str(), loads),
        ("4 KiB random reads", vec![1, 2, 4, 8])
    );
    assert_eq!(curve.knee.as_ref().unwrap().outstanding, Some(4.0));
    let knee = page.parts[0]
        .panel
        .iter()
        .find(|item| item.id == "knee")
        .unwrap();
    assert_eq!((knee.estimate.unwrap().value, knee.cell), (4.0, Some(2)));
}

#[test]
fn a_rate_that_still_rises_has_no_knee() {
    let page = page_of(
        &[(1, 20_000), (2, 40_000), (4, 79_000)].map(|(depth, reads)| at_depth(depth, reads)),
    );
    assert_eq!(page.curves[0].knee, None);
    assert!(page.parts[0].verdict.sentences[1].starts_with("No knee was reached"));
}

/// A survey's page, built from its report.
fn page_of_a_survey(cells: &[(u32, u32, u64)]) -> (SurveyReport, PageDocument) {
    let record = |&(threads, depth, reads): &(u32, u32, u64)| {
        let mut record = at_depth(depth, reads).build();
        record.plan.targets[0].threads = threads;
        record
    };
    page_of_records(cells.iter().map(record).collect())
}

fn page_of_records(records: Vec<RunRecord>) -> (SurveyReport, PageDocument) {
    let mut page = PageBuilder::new(7, "0.1.0", false);
    page.part(part("12"));
    let mut runs = Vec::new();
    for (number, record) in (1u32..).zip(records) {
        let row = ResultRow {
            session: 12,
            number,
            kind: "survey".to_owned(),
            label: "4K random read".to_owned(),
            ..ResultRow::of_record(&record)
        };
        page.measured(row, &record, &run_report(&record), None);
        runs.push(("4K random read".to_owned(), record));
    }
    let report = survey_report(&runs, &SurveyContext::default());
    page.survey(report.clone());
    (report, page.finish(1 << 20))
}

/// A figure of the table's only row.
fn in_table(page: &PageDocument, head: &str) -> PageFigure {
    let table = page.parts[0].table.as_ref().unwrap();
    let place = table.heads.iter().position(|one| one.label == head);
    table.rows[0].figures[place.unwrap()].clone()
}

#[test]
fn the_page_of_a_survey_tells_the_knee_that_its_text_tells() {
    // Two threads reach the most, with one load; one thread has all the others.
    let one = [(1, 1, 20_000), (1, 2, 40_000), (1, 4, 76_000)];
    let (report, page) = page_of_a_survey(&[one.as_slice(), &[(2, 4, 79_000)]].concat());
    let reported = report.knee(&report.rows[0]).unwrap();
    assert_eq!((reported.in_flight, reported.threads), (4, 1));
    assert_eq!(in_table(&page, "QD@95%").value, PageValue::Whole(4));
    let marks: Vec<_> = page.curves.iter().map(|curve| curve.knee.clone()).collect();
    assert_eq!(marks[0].as_ref().unwrap().outstanding, Some(4.0));
    // Where the text reports none, neither does the page, although curves could be drawn.
    let (report, page) = page_of_a_survey(&[one.as_slice(), &[(2, 4, 99_000)]].concat());
    assert_eq!(report.knee(&report.rows[0]), None);
    assert_eq!(page.curves[0].knee, None);
}

#[test]
fn tiles_and_table_of_a_survey_have_the_figures_of_its_text() {
    let cells = [
        (1, 1, 20_000),
        (1, 4, 76_000),
        (1, 8, 77_000),
        (1, 16, 78_000),
        (1, 1, 10_000),
    ];
    let (report, page) = page_of_a_survey(&cells);
    let row = &report.rows[0];
    let best = row.best.as_ref().unwrap();
    assert_eq!(
        in_table(&page, "IOPS").value,
        PageValue::Real(best.throughput.iops)
    );
    assert_eq!(
        in_table(&page, "MiB/s").value,
        PageValue::Real(best.throughput.bytes_per_s)
    );
    let alone = row.qd1_latency_p50_ns.unwrap();
    assert_eq!(in_table(&page, "QD1 p50").value, PageValue::Whole(alone));
    let table = page.parts[0].table.as_ref().unwrap();
    assert_eq!(table.rows[0].trend.len(), 4, "each load once");
    let tile = |id: &str| {
        let mut panel = page.parts[0].panel.iter();
        panel
            .find(|item| item.id == id)
            .unwrap()
            .estimate
            .unwrap()
            .value
    };
    assert_eq!(
        tile("answer 4K random read"),
        report.answers[0].sides[0].iops
    );
    assert_eq!(tile("alone"), alone as f64);
}

/// What `--p99` tries has a rate for its load, and is no point of a curve.
#[test]
fn trials_beside_one_load_are_no_second_one() {
    let trial = |per_s: u64| {
        let mut record = at_depth(4, per_s * 10).build();
        record.plan.arrivals = Some(Arrivals {
            per_s,
            spacing: Spacing::Poisson,
        });
        record
    };
    let one = at_depth(1, 20_000).build();
    let (_, page) = page_of_records(vec![one.clone(), trial(1000), trial(1500)]);
    assert_eq!(page.curves, []);
    let two = at_depth(2, 40_000).build();
    let (_, page) = page_of_records(vec![trial(1000), one, two]);
    assert_eq!(page.curves[0].points.len(), 2);
}

#[test]
fn a_verdict_has_its_cause_and_the_remedy_apart_from_the_badge() {
    let cells = [(1, 4, 40_000), (1, 4, 60_000)];
    let (report, page) = page_of_a_survey(&cells);
    let verdict = &page.parts[0].verdict;
    assert_eq!(Some(&verdict.cause), report.verdict.reasons.first());
    assert!(!verdict.cause.contains("CAUTION:") && !verdict.simulated);
    let finding = &page.findings[0];
    assert_eq!(verdict.advice.as_ref(), Some(&finding.advice));
    assert!(
        page.findings
            .is_sorted_by_key(|one| std::cmp::Reverse(one.severity))
    );
}

#[test]
fn what_was_asked_of_a_cell_without_a_result_gives_it_its_place() {
    let mut page = PageBuilder::new(7, "0.1.0", false);
    page.part(part("12"));
    add(&mut page, 1, &at_depth(1, 20_000));
    page.missing(missing(2));
    let values = [("depth", "4"), ("block", "4K"), ("nonsense", "?")];
    page.asked(
        2,
        &values.map(|(field, value)| (field.to_owned(), value.to_owned())),
    );
    let page = page.finish(1 << 20);
    assert_eq!(page.axes, ["queue_depth"]);
}

#[test]
fn the_panel_names_the_cells_that_its_figures_are_from() {
    let large = Sample {
        block: Bytes::kib(1024),
        reads: 5_000,
        ..Sample::default()
    };
    let page = page_of(&[at_depth(1, 20_000), large, at_depth(4, 60_000)]);
    let of = |id: &str| {
        let item = page.parts[0]
            .panel
            .iter()
            .find(|item| item.id == id)
            .unwrap();
        (item.cell, item.estimate.map(|estimate| estimate.value))
    };
    assert_eq!(of("peak_rate"), (Some(2), Some(6000.0)));
    assert_eq!(of("peak_bytes"), (Some(1), Some(500.0 * 1048576.0)));
    assert_eq!(of("alone").0, Some(0));
    assert_eq!(of("limit"), (None, None));
    assert_eq!(page.roofs[0].iops_cell, 2);
}

#[test]
fn the_panel_and_the_table_of_a_survey_take_the_runs_of_one_load_together() {
    let cells = [
        (1, 1, 10_000),
        (1, 4, 40_000),
        (1, 8, 30_000),
        (1, 4, 60_000),
    ];
    let (report, page) = page_of_a_survey(&cells);
    let best = report.rows[0].best.as_ref().unwrap();
    assert_eq!(
        (
            best.load.queue_depth,
            best.runs,
            best.throughput.iops_estimate.value
        ),
        (4, 2, 5000.0)
    );
    let line = &page.parts[0].table.as_ref().unwrap().rows[0];
    assert_eq!(line.cell, Some(3), "the run that reached the most");
    let rate = in_table(&page, "IOPS");
    assert_eq!((rate.value, rate.mark), (PageValue::Real(5000.0), "*"));
    let row = &report.rows[0];
    assert_eq!(row.validity, Validity::Caution);
    let unlike = &row.best.as_ref().unwrap().findings[0];
    assert_eq!(unlike.id, crate::findings::NOT_REPEATABLE);
    assert!(row.reasons[0].starts_with(&unlike.sentence), "{row:?}");
    // In charts they are one point, in the table two cells.
    let [load] = page.loads.as_slice() else {
        panic!("{:?}", page.loads);
    };
    assert_eq!(
        (load.cells.as_slice(), load.iops),
        ([3, 1].as_slice(), 5000.0)
    );
    assert_eq!(load.latency, best.latency);
    let points = &page.curves[0].points;
    let reported: Vec<_> = points
        .iter()
        .map(|point| (point.outstanding, point.cell, point.runs))
        .collect();
    assert_eq!(reported, [(1, 0, 1), (4, 3, 2), (8, 2, 1)]);
    let roof = &page.roofs[0];
    assert_eq!((roof.iops, roof.iops_cell), (5000.0, 3));
    assert_eq!(
        (roof.cells.as_slice(), page.cells.len()),
        ([0, 2, 3].as_slice(), 4)
    );
    // Of a sweep it is unknown that they are one load.
    let sweep = page_of(&[at_depth(4, 40_000), at_depth(4, 60_000)]);
    let item = sweep.parts[0]
        .panel
        .iter()
        .find(|item| item.id == "peak_rate");
    assert_eq!(item.unwrap().estimate.unwrap().value, 6000.0);
}

#[test]
fn fields_that_are_alike_are_said_once_and_a_missing_cell_is_no_witness() {
    let mut page = PageBuilder::new(7, "0.1.0", false);
    page.part(part("12"));
    add(&mut page, 1, &at_depth(1, 20_000));
    page.missing(missing(2));
    let page = page.finish(1 << 20);
    assert_eq!(page.axes, [""; 0]);
    assert!(page.cells[1].failed);
    assert_eq!(page.cells[1].reasons, ["no space"]);
    let reported = page
        .columns
        .iter()
        .filter(|column| column.alike.is_none())
        .count();
    assert!(page.cells.iter().all(|cell| cell.values.len() == reported));
    assert_eq!(page.parts[0].verdict.validity, Some(Validity::Caution));
    assert_eq!(
        (page.parts[0].counts.done, page.parts[0].counts.failed),
        (1, 1)
    );
}

#[test]
fn a_part_without_cells_and_one_that_failed_altogether_say_so() {
    let empty = page_of(&[]);
    assert_eq!(empty.parts[0].verdict.validity, None);
    assert!(empty.parts[0].verdict.headline.starts_with("no result"));
    let mut page = PageBuilder::new(7, "0.1.0", false);
    page.part(part("12"));
    page.missing(missing(1));
    let page = page.finish(1 << 20);
    assert_eq!(page.parts[0].verdict.validity, Some(Validity::Invalid));
    assert_eq!(page.parts[0].verdict.headline, "INVALID: no space");
}

#[test]
fn long_insides_make_way_for_the_figures_and_the_page_says_so() {
    let kept_of = |bytes_max: usize| {
        let mut page = PageBuilder::new(7, "0.1.0", false);
        page.part(part("12"));
        for number in 1..=6 {
            add(&mut page, number, &at_depth(1, 20_000 + u64::from(number)));
        }
        let page = page.finish(bytes_max);
        let has_inside = |place: &usize| page.cells[*place].detail.is_some();
        ((0..6).filter(has_inside).collect::<Vec<usize>>(), page)
    };
    let limits = (0..200).map(|step| kept_of(step * 250));
    let (kept, page) = limits
        .into_iter()
        .find(|(kept, _)| kept.len() == 1)
        .unwrap();
    assert_eq!(kept, [5], "the cell of the panel comes first");
    assert!(
        page.left_out[0].contains("of 5 cells"),
        "{}",
        page.left_out[0]
    );
}

#[test]
fn a_distribution_ends_where_no_io_lies_beyond_and_says_how_far_it_may_be_trusted() {
    let page = page_of(&[Sample {
        write: Ratio::NONE,
        ..at_depth(1, 20_000)
    }]);
    let detail = page.cells[0].detail.as_deref().unwrap();
    let [all] = detail.distributions.as_slice() else {
        panic!("{:?}", detail.distributions);
    };
    assert_eq!(all.ios, 20_000);
    assert_eq!(all.resolved_to_one_in, 2000.0);
    assert!(all.one_in.iter().all(|one_in| *one_in <= 20_000.0));
    assert_eq!(all.one_in.len(), all.latency_ns.len());
}

#[test]
fn a_single_run_has_its_own_figures_at_its_head() {
    let page = page_of(&[at_depth(4, 20_000)]);
    let ids: Vec<&str> = page.parts[0]
        .panel
        .iter()
        .map(|item| item.id.as_str())
        .collect();
    assert_eq!(ids, ["rate", "bytes", "p50", "p99", "p999", "max"]);
    let table = page.parts[0].table.as_ref().unwrap();
    let rows: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(rows, ["read"], "reads alone are all I/Os");
}
