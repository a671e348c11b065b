//! The figures at the head of a part: of a survey and of work with files those of the answer that the text gives, of a
//! single run its own, of the ranks of a job what they reach together.
//!
//! Omitted: those of sweeps and imports, which are the best of many cells (`panel`).

use super::PanelItem;
use super::curves::Seen;
use crate::columns::Unit;
use crate::estimate::Estimate;
use crate::job::JobReport;
use crate::survey::{CellReport, SurveyAnswer, SurveyAnswerSide, SurveyReport};
use crate::verdict::Answer;

/// What small random and large sequential I/O reach, and how long one I/O alone takes. `place` finds the cell of a load.
pub(super) fn of_survey(
    report: &SurveyReport,
    place: impl Fn(&CellReport) -> Option<usize>,
) -> Vec<PanelItem> {
    let load = |workload: &str, depth: u64| {
        let row = report.rows.iter().find(|row| row.workload == workload)?;
        let mut loads = report.loads(row).into_iter();
        loads.find(|load| load.load.queue_depth == depth)
    };
    let peak = |answer: &SurveyAnswer, side: &SurveyAnswerSide| {
        let load = load(&side.workload, side.queue_depth)?;
        let each = match answer.in_bytes {
            true => load.throughput.bytes_per_s / load.throughput.iops.max(f64::MIN_POSITIVE),
            false => 1.0,
        };
        Some(PanelItem {
            id: format!("answer {}", side.workload),
            label: side.workload.clone(),
            unit: if answer.in_bytes {
                Unit::SizePerSecond
            } else {
                Unit::Rate
            },
            estimate: Some(Estimate {
                value: load.throughput.iops * each,
                ..load.throughput.iops_estimate.times(each)
            }),
            cell: place(load),
            ..PanelItem::default()
        })
    };
    let answers = report.answers.iter();
    let mut items: Vec<PanelItem> = answers
        .flat_map(|answer| {
            answer
                .sides
                .iter()
                .filter_map(|side| peak(answer, side))
                .collect::<Vec<_>>()
        })
        .collect();
    let first = report
        .answers
        .first()
        .and_then(|answer| answer.sides.first());
    items.extend(first.and_then(|side| {
        let median = side.qd1_latency_p50_ns?;
        Some(PanelItem {
            id: "alone".to_owned(),
            label: format!("QD1 latency, {}", side.workload),
            unit: Unit::Time,
            estimate: Some(Estimate::bare(median as f64, 0.0)),
            cell: load(&side.workload, 1).and_then(&place),
            note: "median".to_owned(),
            ..PanelItem::default()
        })
    }));
    items
}

/// The figures of a single run, as far as they are known.
pub(super) fn of_run(seen: &Seen<'_>) -> Vec<PanelItem> {
    let cell = seen.cell;
    let latency = &seen.row.total.latency;
    let time = |id: &str, label: &str, estimate: Option<Estimate>| {
        Some((id.to_owned(), label.to_owned(), Unit::Time, estimate?))
    };
    let bare = |ns: u64| Estimate::bare(ns as f64, 0.0);
    let at = |quantile| latency.at(quantile).map(|time| bare(time.0));
    let bytes = cell.bytes_per_s_estimate.or_else(|| {
        let known = seen.bytes_per_s();
        (known > 0.0).then(|| Estimate::bare(known, 0.0))
    });
    let rate = cell
        .iops_estimate
        .map(|rate| ("rate".to_owned(), "IOPS".to_owned(), Unit::Rate, rate));
    let bytes = bytes.map(|flow| {
        (
            "bytes".to_owned(),
            "Throughput".to_owned(),
            Unit::SizePerSecond,
            flow,
        )
    });
    let times = [
        time("p50", "p50", cell.latency_p50_estimate.or_else(|| at(0.5))),
        time("p99", "p99", at(0.99)),
        time("p999", "p99.9", at(0.999)),
        time("max", "max", latency.max.map(|max| bare(max.0))),
    ];
    let known = [rate, bytes].into_iter().chain(times).flatten();
    known
        .map(|(id, label, unit, estimate)| PanelItem {
            id,
            label,
            unit,
            estimate: Some(estimate),
            cell: Some(seen.place),
            ..PanelItem::default()
        })
        .collect()
}

/// What all ranks of a job reach together, step by step.
pub(super) fn of_job(steps: &[(String, JobReport)]) -> Vec<PanelItem> {
    let each = steps.iter().filter_map(|(step, report)| {
        let total = report.operations.last()?;
        let name = |what: &str| match steps.len() {
            1 => what.to_owned(),
            _ => format!("{what}, {step}"),
        };
        let item = |id: &str, what: &str, unit: Unit, value: f64| PanelItem {
            id: id.to_owned(),
            label: name(what),
            unit,
            estimate: Some(Estimate::bare(value, total.ios as f64)),
            note: "all ranks together".to_owned(),
            ..PanelItem::default()
        };
        Some([
            item("rate", "IOPS", Unit::Rate, total.iops),
            item(
                "bytes",
                "Throughput",
                Unit::SizePerSecond,
                total.bytes_per_s,
            ),
        ])
    });
    each.flatten().collect()
}

/// Each figure of an answer in words.
pub(super) fn of_answers(answers: &[Answer]) -> Vec<PanelItem> {
    let each = answers
        .iter()
        .flat_map(|answer| answer.figures.iter().map(move |figure| (answer, figure)));
    each.map(|(answer, figure)| PanelItem {
        id: "answer".to_owned(),
        label: answer.name.clone(),
        text: Some(figure.clone()),
        ..PanelItem::default()
    })
    .collect()
}
