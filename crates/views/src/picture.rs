//! A bar chart of a survey's first workload: IOPS and median latency at each queue depth. The knee is where the bars stop
//! growing and the latency does not.
//!
//! Only blocks and digits, no colour, so that it is the same in a terminal, in a file and in a mail. Deliberately absent:
//! workloads with fewer than three loads, which the table shows as well.

use crate::number::{count, rate, time};
use crate::paper::Paper;
use crate::text::{printable, shorten};
use analysis::{CellReport, SurveyReport};

/// Fewer add nothing to the table.
const LOADS_MIN: usize = 3;
/// With the line above them eight lines.
const LOADS_MAX: usize = 7;
/// What stands left and right of a bar.
const AROUND: usize = 44;
const BAR_MAX: usize = 50;

/// The picture, with an empty line before it; nothing where no workload has enough loads.
pub(crate) fn picture(report: &SurveyReport, paper: &Paper) -> Vec<String> {
    let mut known = report.rows.iter().filter_map(|row| {
        let loads = report.loads(row);
        (loads.len() >= LOADS_MIN).then_some((row, loads))
    });
    let Some((row, loads)) = known.next() else {
        return Vec::new();
    };
    let width = paper.width().saturating_sub(AROUND).min(BAR_MAX);
    let most = loads
        .iter()
        .map(|cell| cell.throughput.iops)
        .fold(0.0, f64::max);
    let name = printable(&row.workload);
    let head = format!("  {name}: QD, IOPS, median latency");
    let knee_at = report.knee(row).map(|knee| knee.in_flight);
    let bars = thinned(loads, row.knee_depth).into_iter().map(|cell| {
        let knee = (knee_at == Some(cell.load.queue_depth)).then_some("  knee");
        let median = cell.latency.at(0.5).and_then(|p| p.latency_ns);
        format!(
            "  {:>5}  {:<width$}  {:>6}  {:>7}{}",
            count(cell.load.queue_depth),
            bar(cell.throughput.iops / most, width),
            rate(cell.throughput.iops),
            median.map_or_else(String::new, |ns| time(ns as f64)),
            knee.unwrap_or_default()
        )
    });
    let lines = std::iter::once(String::new()).chain([head]).chain(bars);
    lines.map(|line| shorten(&line, paper.width())).collect()
}

/// At most so many that the picture stays small: the ends, the knee, and what lies around it.
fn thinned(mut loads: Vec<&CellReport>, knee: Option<u64>) -> Vec<&CellReport> {
    let knee = knee.unwrap_or(1).max(1);
    let away = |cell: &CellReport| {
        (cell.load.queue_depth.max(1) as f64 / knee as f64)
            .log2()
            .abs()
    };
    while loads.len() > LOADS_MAX {
        let inner = loads.iter().enumerate().skip(1).take(loads.len() - 2);
        let farthest = inner.max_by(|a, b| away(a.1).total_cmp(&away(b.1)));
        let Some((place, _)) = farthest else {
            break;
        };
        loads.remove(place);
    }
    loads
}

/// To half a column.
fn bar(share: f64, width: usize) -> String {
    let halves = (share.clamp(0.0, 1.0) * 2.0 * width as f64).round() as usize;
    let half = if halves % 2 == 1 { "▌" } else { "" };
    format!("{}{half}", "█".repeat(halves / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.4, 4), "█▌");
        assert_eq!(bar(0.0, 4), "");
    }
}
