//! The five figures that a person looks for first, each with its cell.
//!
//! Only of cells that may be used and whose I/Os all succeeded. A figure that is not known is listed with
//! the reason: a gap is an answer too.

use super::curves::Seen;
use super::roof::first_most;
use super::{PageCell, PageCurve, PageFinding, PanelItem};
use crate::columns::Unit;
use crate::estimate::Estimate;
use crate::findings::{self, RuleId};
use crate::say;
use model::ResultRow;

/// The panel of one part.
pub(super) fn panel(
    cells: &[Seen<'_>],
    curves: &[PageCurve],
    findings: &[PageFinding],
    part: usize,
) -> Vec<PanelItem> {
    let usable: Vec<&Seen<'_>> = cells
        .iter()
        .filter(|seen| seen.cell.part == part && seen.is_usable())
        .collect();
    vec![
        peak_bytes(&usable),
        peak_rate(&usable),
        alone(&usable),
        knee(&usable, curves, part),
        limit(cells, findings, part),
    ]
}

fn item(id: &str, label: &str, unit: Unit) -> PanelItem {
    PanelItem {
        id: id.to_owned(),
        label: label.to_owned(),
        unit,
        ..PanelItem::default()
    }
}

/// What the database calls a session that is one.
const SURVEY: &str = "survey";
const NO_CELL: &str = "no cell may be used";
const SEVERAL: &str = "it takes several loads of one workload to see one";

fn peak_bytes(usable: &[&Seen<'_>]) -> PanelItem {
    let item = item("peak_bytes", "Peak bandwidth", Unit::SizePerSecond);
    let Some(best) = the_most(usable, |cell| cell.bytes_per_s_estimate, Seen::bytes_per_s) else {
        return PanelItem {
            note: NO_CELL.to_owned(),
            ..item
        };
    };
    let bare = Estimate::bare(best.bytes_per_s(), 0.0);
    PanelItem {
        estimate: of_load(usable, best, |cell| cell.bytes_per_s_estimate).or(Some(bare)),
        cell: Some(best.place),
        note: of_what(best),
        ..item
    }
}

fn peak_rate(usable: &[&Seen<'_>]) -> PanelItem {
    let item = item("peak_rate", "Peak rate", Unit::Rate);
    let Some(best) = the_peak(usable) else {
        return PanelItem {
            note: NO_CELL.to_owned(),
            ..item
        };
    };
    PanelItem {
        estimate: of_load(usable, best, |cell| cell.iops_estimate),
        cell: Some(best.place),
        note: of_what(best),
        ..item
    }
}

/// A figure of a cell.
type Told = fn(&PageCell) -> Option<Estimate>;

/// The cell with the most: of the load that surely reaches the most, all its runs together, the run that does.
fn the_most<'a, 'b>(
    usable: &[&'a Seen<'b>],
    reported: Told,
    bare: impl Fn(&Seen<'b>) -> f64,
) -> Option<&'a Seen<'b>> {
    let load = first_most(usable, |seen| {
        surely(of_load(usable, seen, reported), bare(seen))
    })?;
    let runs: Vec<&'a Seen<'b>> = runs_of(usable, load).collect();
    first_most(&runs, |seen| surely(reported(seen.cell), bare(seen)))
}

fn the_peak<'a, 'b>(usable: &[&'a Seen<'b>]) -> Option<&'a Seen<'b>> {
    the_most(usable, |cell| cell.iops_estimate, Seen::rate)
}

/// The runs of the load of one of them. Only of a survey are cells with one label, target and work one load: of a sweep or
/// an import they may differ in what is not among these.
fn runs_of<'a, 'b>(usable: &[&'a Seen<'b>], one: &Seen<'_>) -> impl Iterator<Item = &'a Seen<'b>> {
    let (place, mine) = (one.place, one.row);
    let among = match mine.kind == SURVEY {
        true => usable,
        false => {
            let found = usable.iter().position(|seen| seen.place == place);
            &usable[found.map_or(0..0, |found| found..found + 1)]
        }
    };
    let is_it = move |row: &ResultRow| {
        (&row.label, &row.target, &row.work) == (&mine.label, &mine.target, &mine.work)
    };
    let runs = among.iter().copied();
    runs.filter(move |seen| seen.place == place || is_it(seen.row))
}

/// A figure of a load, of all its runs together, as the table of a survey has it.
fn of_load(usable: &[&Seen<'_>], one: &Seen<'_>, reported: Told) -> Option<Estimate> {
    let time = |seen: &Seen<'_>| seen.row.measured.map_or(1.0, |time| time.0.max(1) as f64);
    let runs: Option<Vec<(f64, Estimate)>> = runs_of(usable, one)
        .map(|seen| Some((time(seen), reported(seen.cell)?)))
        .collect();
    match runs?.as_slice() {
        [(_, one)] => Some(*one),
        runs => Some(Estimate::together(runs)),
    }
}

/// What is surely reached ([`survey::surely`](crate::survey::surely)).
pub(super) fn surely(reported: Option<Estimate>, value: f64) -> f64 {
    crate::survey::surely(
        value,
        reported.and_then(|reported| reported.half_width_share()),
    )
}

/// What a program waits that sends one small random I/O after another: reads before writes, random before sequential, the
/// smallest block.
fn alone(usable: &[&Seen<'_>]) -> PanelItem {
    let item = item("alone", "Latency at depth 1", Unit::Time);
    let first = usable
        .iter()
        .filter(|seen| seen.outstanding() == Some(1) && seen.row.total.latency.at(0.5).is_some())
        .min_by_key(|seen| {
            let work = &seen.row.work;
            (
                work.write_percent.unwrap_or(100),
                work.pattern.as_deref() != Some("random"),
                work.block,
            )
        });
    let Some(seen) = first else {
        return PanelItem {
            note: "no cell had one I/O outstanding".to_owned(),
            ..item
        };
    };
    let median = seen.row.total.latency.at(0.5).map(|time| time.0 as f64);
    let ios = seen.row.total.ios.unwrap_or(0) as f64;
    PanelItem {
        estimate: seen
            .cell
            .latency_p50_estimate
            .or(median.map(|median| Estimate::bare(median, ios))),
        cell: Some(seen.place),
        note: format!("median, {}", of_what(seen)),
        ..item
    }
}

/// Of the curve with the highest rate.
fn knee(usable: &[&Seen<'_>], curves: &[PageCurve], part: usize) -> PanelItem {
    let item = item("knee", "Knee", Unit::Count);
    let peak = the_peak(usable).map(|seen| seen.place);
    let holds = |curve: &&PageCurve| {
        curve.part == part && curve.points.iter().any(|point| Some(point.cell) == peak)
    };
    let Some(curve) = curves.iter().find(holds) else {
        return PanelItem {
            note: SEVERAL.to_owned(),
            ..item
        };
    };
    let found = curve.knee.as_ref();
    let Some((mark, outstanding)) = found.and_then(|mark| Some((mark, mark.outstanding?))) else {
        return PanelItem {
            note: none_reached(&curve.workload),
            ..item
        };
    };
    let nearest = curve
        .points
        .iter()
        .min_by(|one, other| {
            let far = |outstanding_of: u64| (outstanding_of as f64 - outstanding).abs();
            far(one.outstanding).total_cmp(&far(other.outstanding))
        })
        .map(|point| point.cell);
    let rate = mark.iops.map_or(String::new(), |rate| {
        format!("{} IOPS of ", say::rate(rate))
    });
    PanelItem {
        estimate: Some(Estimate::bare(outstanding, 0.0)),
        cell: nearest,
        note: format!("{rate}{}; {}", curve.workload, mark.how),
        ..item
    }
}

/// Rules that name the limit of the rate, with its name.
const LIMITS: [(RuleId, &str); 4] = [
    (findings::IOPS_LIMIT, "a cap on I/Os"),
    (findings::BANDWIDTH_LIMIT, "a cap on bytes"),
    (findings::CPU_BOUND, "this machine's processors"),
    (findings::FATHOM_CPU_BOUND, "the measuring tool itself"),
];

/// The limit of the rate, if a rule reports one for a cell.
fn limit(cells: &[Seen<'_>], findings: &[PageFinding], part: usize) -> PanelItem {
    let item = item("limit", "Limit", Unit::Text);
    let own = |cell: &&usize| cells.get(**cell).is_some_and(|seen| seen.cell.part == part);
    let found = LIMITS.iter().find_map(|(rule, word)| {
        let finding = findings
            .iter()
            .find(|finding| finding.id == *rule && finding.cells.iter().any(|cell| own(&cell)))?;
        Some((finding, *word, finding.cells.iter().find(own).copied()))
    });
    match found {
        Some((finding, word, cell)) => PanelItem {
            text: Some(word.to_owned()),
            note: finding.sentence.clone(),
            cell,
            ..item
        },
        None => PanelItem {
            note: "no rule found the limit of the rate".to_owned(),
            ..item
        },
    }
}

/// The prefix is what `words` knows it by.
fn none_reached(workload: &str) -> String {
    format!(
        "not reached: the rate of {workload} may increase beyond the largest load with a result"
    )
}

/// `4 KiB random reads, 16 outstanding`.
pub(super) fn of_what(seen: &Seen<'_>) -> String {
    match seen.outstanding() {
        Some(outstanding) => format!("{}, {outstanding} outstanding", seen.workload()),
        None => seen.workload(),
    }
}
