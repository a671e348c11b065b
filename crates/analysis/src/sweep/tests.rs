//! A sweep report's text on its cells.

use super::*;
use crate::sample::Sample;
use expect_test::expect;
use model::Bytes;

fn cell(number: u64, depth: u32, runs: Vec<Result<SweepResult, String>>) -> SweepCell {
    SweepCell {
        number,
        group: None,
        values: vec![("depth".into(), depth.to_string())],
        runs: runs
            .into_iter()
            .zip(1u32..)
            .map(|(result, place)| SweepRun {
                stored: Some(place),
                result,
            })
            .collect(),
    }
}

fn ran(reads: u64, depth: u32) -> Result<SweepResult, String> {
    let sample = Sample {
        reads,
        depth,
        block: Bytes::kib(4),
        ..Sample::default()
    };
    Ok(SweepResult::of(
        &sample.build(),
        &crate::known::Known::default(),
    ))
}

fn report(cells: &[SweepCell]) -> SweepReport {
    let context = SweepContext {
        axes: vec!["depth".into()],
        cells_planned: Some(cells.len() as u64),
        ..SweepContext::default()
    };
    sweep_report(cells, &context)
}

#[test]
fn the_answer_names_the_best_cells() {
    let cells = [
        cell(1, 1, vec![ran(20_000, 1)]),
        cell(2, 8, vec![ran(90_000, 8)]),
        cell(3, 32, vec![ran(90_000, 32)]),
    ];
    let report = report(&cells);
    expect!["most IOPS and MiB/s: 9000 IOPS, 35.2 MiB/s, p99 996 µs, depth=8; lowest p99: 2000 IOPS, p99 560 µs, depth=1"].assert_eq(&report.answer().unwrap());
    let marked: Vec<_> = report.rows.iter().map(|row| row.best_in.len()).collect();
    assert_eq!(marked, [1, 2, 0]);
}

#[test]
fn a_cell_without_a_result_has_its_reason_and_is_never_best() {
    let cells = [
        cell(1, 1, vec![Err("it broke".into())]),
        cell(2, 8, vec![]),
        cell(3, 9, vec![ran(20_000, 9), Err("once".into())]),
    ];
    let report = report(&cells);
    assert_eq!(report.rows[0].missing.as_deref(), Some("it broke"));
    assert_eq!(report.rows[1].missing, None);
    assert_eq!(report.rows[2].missing, None);
    let counts = report.matrix.cell_counts;
    assert_eq!(
        (counts.done, counts.missing, counts.left, counts.runs),
        (1, 1, 1, 3)
    );
    assert!(report.notes[0].contains("1 cell without a result; the first, depth=1: it broke"));
}

#[test]
fn several_runs_are_one_row_with_the_latencies_of_the_middle_one() {
    let runs = vec![ran(30_000, 1), ran(10_000, 1), ran(20_000, 1)];
    let middle = runs[2].clone().unwrap();
    let report = report(&[cell(1, 1, runs)]);
    let figures = report.rows[0].figures.as_ref().unwrap();
    assert!((figures.iops - 2_000.0).abs() < 1.0);
    assert_eq!(
        figures.latency_p99_ns,
        middle.row.total.latency.at(0.99).map(|time| time.0)
    );
    // Rates 1000, 2000 and 3000: 4.303 * 1000 / sqrt(3) / 2000.
    assert!((figures.iops_half_width_share.unwrap() - 1.2422).abs() < 1e-3);
    assert_eq!(report.rows[0].stored, [1, 2, 3]);
}

#[test]
fn what_may_not_be_used_is_not_best() {
    let mut broken = ran(900_000, 8).unwrap();
    broken.validity = Some(Validity::Invalid);
    broken.reasons = vec!["not the disk".into()];
    let cells = [
        cell(1, 1, vec![ran(20_000, 1)]),
        cell(2, 8, vec![Ok(broken)]),
    ];
    let report = report(&cells);
    assert!(report.best.iter().all(|best| best.cell == 1));
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("1 cell invalid; the first, depth=8: not the disk"))
    );
}
