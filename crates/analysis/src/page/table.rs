//! The table that answers: one row a workload, an operation, an I/O path or a result, with the figures that its own text
//! has.
//!
//! A mark next to a figure shows whether it may be used: `*` doubtful, `!` invalid, `~` fewer than ten tail samples.
//! Omitted: digits, which are the page's, and the table of all fields of all cells.

use super::curves::Seen;
use super::panel::of_what;
use super::{PageFigure, PageHead, PageRow, PageTable, PageValue};
use crate::columns::Unit;
use crate::estimate::{Estimate, NotKnown};
use crate::files::{FilesReport, FilesRow};
use crate::job::JobReport;
use crate::latency::Latency;
use crate::looks::{AbReport, FitReport, LayerRow, LayersReport, QuickReport};
use crate::pts::{PtsCellReport, PtsPartReport, PtsReport};
use crate::run::RunReport;
use crate::survey::{CellReport, SurveyReport, SurveyRow};
use crate::verdict::Validity;
use std::collections::BTreeSet;

type Heads = [(&'static str, Unit)];

const INTERVAL: (&str, Unit) = ("95% CI", Unit::Percent);
const SURVEY: &Heads = &[
    ("IOPS", Unit::Rate),
    INTERVAL,
    ("MiB/s", Unit::SizePerSecond),
    ("p50", Unit::Time),
    ("p99", Unit::Time),
    ("QD1 p50", Unit::Time),
    ("QD", Unit::Count),
    ("QD@95%", Unit::Count),
    ("limited by", Unit::Text),
];
const OPERATIONS: &Heads = &[
    ("IOPS", Unit::Rate),
    INTERVAL,
    ("MiB/s", Unit::SizePerSecond),
    ("mean", Unit::Time),
    ("p50", Unit::Time),
    ("p99", Unit::Time),
    ("p99.9", Unit::Time),
    ("max", Unit::Time),
];
const FILES: &Heads = &[
    ("per second", Unit::Rate),
    INTERVAL,
    ("MiB/s", Unit::SizePerSecond),
    ("p50", Unit::Time),
    ("p99", Unit::Time),
    ("p99.9", Unit::Time),
    ("max", Unit::Time),
];
const QUICK: &Heads = &[
    ("IOPS", Unit::Rate),
    INTERVAL,
    ("MiB/s", Unit::SizePerSecond),
    ("p50", Unit::Time),
    ("p99", Unit::Time),
    ("measures", Unit::Text),
];
const AB: &Heads = &[
    ("A", Unit::Text),
    ("B", Unit::Text),
    ("B/A", Unit::Rate),
    INTERVAL,
];
const FIT: &Heads = &[
    ("decides", Unit::Text),
    ("IOPS", Unit::Rate),
    ("mean", Unit::Time),
    ("p99", Unit::Time),
];
const LAYERS: &Heads = &[
    ("IOPS", Unit::Rate),
    INTERVAL,
    ("MiB/s", Unit::SizePerSecond),
    ("cost", Unit::Percent),
    ("MiB/s less", Unit::SizePerSecond),
];
const PTS: &Heads = &[
    ("IOPS", Unit::Rate),
    ("MiB/s", Unit::SizePerSecond),
    ("mean", Unit::Time),
    ("max", Unit::Time),
    ("rounds", Unit::Count),
];
/// Rows of a part of a test; the table of all cells has more.
const PTS_ROWS_MAX: usize = 64;
/// More results than this have the table of all cells alone.
const RESULTS_MAX: usize = 24;

/// One row a workload: its best load, and its latency with one I/O in flight. `place` finds the cell of a load.
pub(super) fn of_survey(
    report: &SurveyReport,
    place: impl Fn(&CellReport) -> Option<usize>,
) -> PageTable {
    let row = |row: &SurveyRow| {
        let Some(best) = &row.best else {
            return gap(&row.workload, &row.ladder.reason);
        };
        let validities = report.figure_validity(row);
        let limit = row.limit.as_ref().map(|limit| limit.kind.word().to_owned());
        let loads = report.loads(row);
        PageRow {
            name: row.workload.clone(),
            cell: place(best),
            figures: vec![
                real(best.throughput.iops).marked(validities.peak),
                width(best.throughput.iops_estimate),
                real(best.throughput.bytes_per_s),
                percentile(&best.latency, 0.5),
                percentile(&best.latency, 0.99),
                whole(row.qd1_latency_p50_ns).marked(validities.depth_1),
                whole(Some(best.load.queue_depth)),
                whole(row.knee_depth),
                figure(limit.map_or(PageValue::Nothing, PageValue::Text)),
            ],
            trend: loads.iter().map(|load| load.throughput.iops).collect(),
            gap: None,
        }
    };
    let of_rows = table(
        "Workload",
        SURVEY,
        report.rows.iter().map(row).collect(),
        "QD: I/Os in flight over all threads; QD@95%: the lowest QD with 95% of the peak; the line shows IOPS over QD",
    );
    PageTable {
        trend: "IOPS over QD".to_owned(),
        ..of_rows
    }
}

/// Reads, writes and both of a single run.
pub(super) fn of_run(report: &RunReport, cell: usize) -> PageTable {
    let shown = match report.operations.as_slice() {
        [one, total] if one.ios == total.ios => std::slice::from_ref(one),
        all => all,
    };
    let row = |row: &crate::rows::OperationRow| PageRow {
        name: row.operation.clone(),
        cell: Some(cell),
        figures: [
            real(row.iops),
            width(row.iops_estimate),
            real(row.bytes_per_s),
        ]
        .into_iter()
        .chain(times(&row.latency))
        .collect(),
        ..PageRow::default()
    };
    table("Operation", OPERATIONS, shown.iter().map(row).collect(), "")
}

/// Results that bring no report of their own, where they are few.
pub(super) fn of_results(cells: &[&Seen<'_>]) -> Option<PageTable> {
    if cells.is_empty() || cells.len() > RESULTS_MAX {
        return None;
    }
    let row = |seen: &&Seen<'_>| {
        let latency = &seen.row.total.latency;
        let at = |quantile| whole(latency.at(quantile).map(|time| time.0));
        let known = |value: f64| {
            if value > 0.0 {
                real(value)
            } else {
                figure(PageValue::Nothing)
            }
        };
        let named = matches!(seen.row.kind.as_str(), "import" | "watch" | "audit");
        let unnamed = named
            .then(|| of_what(seen))
            .filter(|_| seen.cell.label.is_empty());
        let name = match (&unnamed, named) {
            (Some(work), _) => work.as_str(),
            (None, true) => seen.cell.label.as_str(),
            (None, false) => "",
        };
        if seen.cell.failed {
            let why = seen
                .cell
                .reasons
                .first()
                .map_or("no result", String::as_str);
            return PageRow {
                cell: Some(seen.place),
                ..gap(name, why)
            };
        }
        let mark = seen.cell.validity.unwrap_or_default();
        PageRow {
            name: name.to_owned(),
            cell: Some(seen.place),
            figures: vec![
                known(seen.rate()).marked(mark),
                seen.cell
                    .iops_estimate
                    .map_or(figure(PageValue::Nothing), width),
                known(seen.bytes_per_s()),
                whole(latency.mean.map(|time| time.0)),
                at(0.5),
                at(0.99),
                at(0.999),
                whole(latency.max.map(|time| time.0)),
            ],
            ..PageRow::default()
        }
    };
    let mut cells = cells.to_vec();
    if cells.iter().all(|seen| seen.row.kind == "sweep") {
        cells.sort_by_key(|seen| {
            (
                seen.row.work.block,
                seen.row.work.write_percent,
                seen.outstanding(),
            )
        });
    }
    // What is no result of the disk (hdparm -T) does not come before what is.
    if cells.iter().all(|seen| seen.row.kind == "import") {
        cells.sort_by_key(|seen| seen.cell.validity == Some(Validity::Invalid)); // stable
    }
    let rows = cells.iter().map(row).collect();
    Some(table("Result", OPERATIONS, rows, ""))
}

/// One row for each step of a job: all ranks together.
pub(super) fn of_job(steps: &[(String, JobReport)]) -> PageTable {
    let row = |(step, report): &(String, JobReport)| {
        let total = report.operations.last();
        let latency = total.map(|total| &total.latency);
        let at = |quantile| whole(latency.and_then(|latency| latency.at(quantile)?.latency_ns));
        let known = |value: Option<f64>| value.map_or(figure(PageValue::Nothing), real);
        PageRow {
            name: step.clone(),
            figures: vec![
                known(total.map(|total| total.iops)).marked(report.verdict.validity),
                figure(PageValue::Nothing),
                known(total.map(|total| total.bytes_per_s)),
                known(latency.and_then(|latency| latency.mean_ns)),
                at(0.5),
                at(0.99),
                at(0.999),
                whole(latency.and_then(|latency| latency.max_ns)),
            ],
            ..PageRow::default()
        }
    };
    let rows = steps.iter().map(row).collect();
    table("All ranks together", OPERATIONS, rows, "")
}

/// One row an operation.
pub(super) fn of_files(report: &FilesReport) -> PageTable {
    let row = |row: &FilesRow| {
        let name = format!("{}, {}", row.operation, row.order);
        let Some(rate) = row.iops_estimate else {
            return gap(&name, row.unmeasured.as_deref().unwrap_or("not measured"));
        };
        let flow = row.bytes_per_s_estimate.map(|flow| flow.value);
        PageRow {
            name,
            figures: [
                real(rate.value),
                width(rate),
                flow.map_or(figure(PageValue::Nothing), real),
            ]
            .into_iter()
            .chain(times(&row.latency).into_iter().skip(1))
            .collect(),
            ..PageRow::default()
        }
    };
    table(
        "Operation",
        FILES,
        report.rows.iter().map(row).collect(),
        "",
    )
}

/// One row a run.
pub(super) fn of_quick(report: &QuickReport) -> PageTable {
    let rows = report.rows.iter().map(|row| PageRow {
        name: row.label.clone(),
        figures: vec![
            real(row.iops_estimate.value),
            width(row.iops_estimate),
            real(row.bytes_per_s_estimate.value),
            percentile(&row.latency, 0.5),
            percentile(&row.latency, 0.99),
            figure(PageValue::Text(row.what.clone())),
        ],
        ..PageRow::default()
    });
    table("Workload", QUICK, rows.collect(), "")
}

/// One row a run.
pub(super) fn of_fit(report: &FitReport) -> PageTable {
    let nothing = || figure(PageValue::Nothing);
    let demand = report.demand.as_ref();
    let rows = report.rows.iter().map(|row| PageRow {
        name: row.label.clone(),
        figures: vec![
            row.figure
                .zip(demand)
                .map_or_else(nothing, |(value, demand)| {
                    figure(PageValue::Text(demand.figure.value(value)))
                }),
            real(row.iops),
            row.latency_mean_ns.map_or_else(nothing, real),
            row.latency_p99_ns.map_or_else(nothing, real),
        ],
        ..PageRow::default()
    });
    let note = demand.map_or_else(String::new, |demand| {
        format!("{} decides", demand.figure.name())
    });
    table("Run", FIT, rows.collect(), &note)
}

/// One row a figure.
pub(super) fn of_ab(report: &AbReport) -> PageTable {
    let text = |text: String| figure(PageValue::Text(text));
    let rows = report.figures.iter().map(|row| PageRow {
        name: row.label(),
        figures: vec![
            text(row.value(row.a)),
            text(row.value(row.b)),
            real(row.ratio.value),
            width(row.ratio),
        ],
        ..PageRow::default()
    });
    let note = format!("{} pairs of runs in turns", report.pairs);
    table("Figure", AB, rows.collect(), &note)
}

/// One row an I/O path of each workload.
pub(super) fn of_layers(report: &LayersReport) -> PageTable {
    let rows = report.rows.iter().map(|row: &LayerRow| {
        let cost = row.cost.map_or(figure(PageValue::Nothing), |cost| {
            real(cost.share.value * 100.0)
        });
        let less = row
            .cost
            .map_or(figure(PageValue::Nothing), |cost| real(cost.bytes_per_s));
        PageRow {
            name: format!("{}: {}", row.work.name(), row.layer.name()),
            figures: vec![
                real(row.iops_estimate.value),
                width(row.iops_estimate),
                real(row.bytes_per_s_estimate.value),
                cost,
                less,
            ],
            ..PageRow::default()
        }
    });
    let note = "costs are relative to the raw device with direct I/O";
    table("I/O path", LAYERS, rows.collect(), note)
}

/// One row a cell of a test of PTS, with its value over the rounds.
pub(super) fn of_pts(report: &PtsReport) -> PageTable {
    let parts = report.parts.iter();
    let measured = parts.filter(|part| part.kind != "precondition");
    let row = |part: &PtsPartReport, cell: &PtsCellReport| {
        let means = cell.means?;
        let row = match part.name == cell.row {
            true => "", // a part of one block size
            false => &cell.row,
        };
        let name = format!("{} {row} {}", part.name, cell.column).replace("  ", " ");
        Some(PageRow {
            name: name.trim().to_owned(),
            figures: vec![
                real(means.iops),
                real(means.bytes_per_s),
                real(means.latency_mean_ns),
                whole(Some(means.latency_max_ns)),
                whole(Some(u64::from(means.rounds))),
            ],
            trend: cell.values.clone(),
            ..PageRow::default()
        })
    };
    let rows = measured.flat_map(|part| {
        let cells = part.cells.iter().take(PTS_ROWS_MAX);
        cells.filter_map(|cell| row(part, cell)).collect::<Vec<_>>()
    });
    let of_rows = table(
        "Cell",
        PTS,
        rows.collect(),
        "means over the measurement window; the line shows the value of each round: convergence to steady state",
    );
    PageTable {
        trend: "value by round".to_owned(),
        ..of_rows
    }
}

/// Completes the note with the marks that the table has.
fn table(rows_are: &str, heads: &Heads, rows: Vec<PageRow>, note: &str) -> PageTable {
    const MARKS: [(&str, &str); 2] = [("*", "* doubtful"), ("!", "! invalid")];
    let figures = || rows.iter().flat_map(|row: &PageRow| &row.figures);
    let has = |mark: &str| figures().any(|figure| figure.mark == mark);
    let doubts = figures().filter(|figure| figure.mark == "~");
    let doubts: BTreeSet<NotKnown> = doubts.filter_map(|figure| figure.doubt).collect();
    let marks = MARKS
        .iter()
        .filter(|(mark, _)| has(mark))
        .map(|(_, text)| *text)
        .chain(doubts.into_iter().map(NotKnown::mark));
    let mut parts: Vec<String> = marks.map(str::to_owned).collect();
    if !note.is_empty() {
        parts.insert(0, note.to_owned());
    }
    let heads = heads.iter().map(|(label, unit)| PageHead {
        label: (*label).to_owned(),
        unit: *unit,
    });
    PageTable {
        rows_are: rows_are.to_owned(),
        heads: heads.collect(),
        note: parts.join("; "),
        rows,
        trend: String::new(),
    }
}

fn gap(name: &str, why: &str) -> PageRow {
    PageRow {
        name: name.to_owned(),
        gap: Some(why.to_owned()),
        ..PageRow::default()
    }
}

fn times(latency: &Latency) -> Vec<PageFigure> {
    let mean = latency.mean_ns.map_or(figure(PageValue::Nothing), real);
    let at = [0.5, 0.99, 0.999].map(|quantile| percentile(latency, quantile));
    let max = whole(latency.max_ns);
    [mean].into_iter().chain(at).chain([max]).collect()
}

fn percentile(latency: &Latency, quantile: f64) -> PageFigure {
    let Some(found) = latency.at(quantile) else {
        return figure(PageValue::Nothing);
    };
    let doubt = found.doubt().filter(|_| found.latency_ns.is_some());
    PageFigure {
        mark: doubt.map_or("", |_| "~"),
        doubt,
        ..whole(found.latency_ns)
    }
}

/// Half of the interval, in percent.
fn width(estimate: Estimate) -> PageFigure {
    let share = estimate.half_width_share();
    share.map_or(figure(PageValue::Nothing), |share| real(share * 100.0))
}

fn real(value: f64) -> PageFigure {
    figure(PageValue::Real(value))
}

fn whole(value: Option<u64>) -> PageFigure {
    figure(value.map_or(PageValue::Nothing, PageValue::Whole))
}

const fn figure(value: PageValue) -> PageFigure {
    PageFigure {
        value,
        mark: "",
        doubt: None,
    }
}

impl PageFigure {
    fn marked(self, validity: Validity) -> PageFigure {
        let mark = match validity {
            Validity::Valid | Validity::NotChecked => self.mark,
            Validity::Caution => "*",
            Validity::Invalid => "!",
        };
        PageFigure { mark, ..self }
    }
}
