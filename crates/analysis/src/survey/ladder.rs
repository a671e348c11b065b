//! Why a ladder of depths ended, read from its cells; and the depth from which on nothing is gained.

use super::{CellReport, Ladder, LadderEnd, SurveyContext};
use crate::run::OutcomeKind;
use crate::say;

/// Why a workload that writes is missing from a survey that only reads.
const LEFT_OUT: &str = "left out: this survey only reads";
/// Two doublings that together bring less than this brought nothing.
const GAIN_MIN: f64 = 1.05;
/// Deepest rung where the context does not tell.
const QUEUE_DEPTH_MAX: u64 = 128;
/// The share of the best rate that counts as having reached it.
const KNEE_SHARE: f64 = 0.95;

pub(super) fn ladder(workload: &str, cells: &[&CellReport], context: &SurveyContext) -> Ladder {
    let (end, reason) = end(workload, cells, context);
    Ladder {
        depths: cells.iter().map(|cell| cell.queue_depth).collect(),
        end,
        reason,
    }
}

impl Ladder {
    /// Whether it was left out on request, which is no fault of the survey.
    pub(super) fn left_out(&self) -> bool {
        self.reason == LEFT_OUT
    }
}

fn end(workload: &str, cells: &[&CellReport], context: &SurveyContext) -> (LadderEnd, String) {
    let stopped = context.interrupted
        || cells
            .iter()
            .any(|cell| cell.outcome.kind == OutcomeKind::Interrupted);
    let Some(deepest) = cells.iter().map(|cell| cell.queue_depth).max() else {
        let reason = match (context.read_only, &context.failure) {
            (Some(true), _) if writes(workload) => LEFT_OUT.to_owned(),
            (_, Some(failure)) => format!("not run: {failure}"),
            _ if context.interrupted => "not run: the survey was interrupted".to_owned(),
            _ => "not run: the time was used up".to_owned(),
        };
        return (LadderEnd::NotRun, reason);
    };
    if let Some(cell) = cells
        .iter()
        .find(|cell| cell.outcome.kind == OutcomeKind::Failed)
    {
        let why = cell
            .outcome
            .failure
            .as_ref()
            .map_or("an I/O failed", |failure| &failure.message);
        return (
            LadderEnd::Failed,
            format!("failed at depth {}: {why}", cell.queue_depth),
        );
    }
    if stopped {
        return (
            LadderEnd::Interrupted,
            format!("interrupted at depth {deepest}"),
        );
    }
    if deepest >= context.queue_depth_max.unwrap_or(QUEUE_DEPTH_MAX) {
        return (
            LadderEnd::MaxDepth,
            format!("reached the deepest rung, {deepest}"),
        );
    }
    match gain_of_last_two(cells) {
        Some(gain) if gain < GAIN_MIN => {
            let brought = say::percent((gain - 1.0).max(0.0));
            (
                LadderEnd::GainEnded,
                format!("the last two doublings brought {brought}"),
            )
        }
        _ => (
            LadderEnd::Budget,
            format!("the time was used up at depth {deepest}"),
        ),
    }
}

/// Whether a workload of the survey writes, by its label.
fn writes(workload: &str) -> bool {
    workload.contains("write") || workload.contains("70/30")
}

/// Best rate of the two deepest rungs over the best of those above them; `None` with fewer than three rungs.
fn gain_of_last_two(cells: &[&CellReport]) -> Option<f64> {
    let mut depths: Vec<u64> = cells.iter().map(|cell| cell.queue_depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let from = *depths.get(depths.len().checked_sub(2)?)?;
    let best = |deep: bool| {
        let rates = cells
            .iter()
            .filter(|cell| (cell.queue_depth >= from) == deep);
        rates.map(|cell| cell.rate_per_s).fold(0.0, f64::max)
    };
    let before = best(false);
    (before > 0.0).then(|| best(true) / before)
}

/// The smallest depth whose rate reaches 95 % of the best. A hint and no fitted knee: with one short run a
/// rung, two rungs closer than that cannot be told apart.
pub(super) fn knee_depth(cells: &[&CellReport], best_rate: f64) -> Option<u64> {
    let reached = cells
        .iter()
        .filter(|cell| cell.ios > 0 && cell.outcome.kind != OutcomeKind::Failed)
        .filter(|cell| cell.rate_per_s >= KNEE_SHARE * best_rate);
    reached.map(|cell| cell.queue_depth).min()
}
