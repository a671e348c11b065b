//! The cells of a sweep as points of a model.
//!
//! Only cells that may be used, whose I/Os all succeeded, and that asked for no rate: what is asked is no limit.

use super::{SweepCell, SweepRow};
use crate::models::Point;
use crate::verdict::Validity;

/// Fields by which the points of one series differ.
const WITHIN: [&str; 3] = ["block", "depth", "threads"];

/// One point a cell that has one.
pub(super) fn points(cells: &[SweepCell], rows: &[SweepRow]) -> Vec<Point> {
    cells
        .iter()
        .zip(rows)
        .filter_map(|(cell, row)| point(cell, row))
        .collect()
}

fn point(cell: &SweepCell, row: &SweepRow) -> Option<Point> {
    let figures = row.figures.as_ref()?;
    let usable =
        figures.validity != Some(Validity::Invalid) && figures.errors == 0 && figures.iops > 0.0;
    let result = cell.runs.iter().find_map(|run| run.result.as_ref().ok())?;
    let work = &result.row.work;
    if !usable || work.target_iops.is_some() {
        return None;
    }
    let shared = cell
        .values
        .iter()
        .filter(|(field, _)| !WITHIN.contains(&field.as_str()));
    let shared: Vec<String> = shared
        .map(|(field, value)| format!("{field}={value}"))
        .collect();
    Some(Point {
        cell: cell.number,
        series: shared.join(" "),
        block_bytes: work.block?.0.max(1),
        in_flight: (u64::from(work.queue_depth?) * u64::from(work.threads?)).max(1),
        iops: figures.iops,
        latency_mean_ns: figures.latency_mean_ns.map(|ns| ns as f64),
    })
}
