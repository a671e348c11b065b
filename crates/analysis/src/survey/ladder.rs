//! Why a ladder of depths ended, read from its cells; and the depth from which on nothing is gained.

use super::{CellReport, Ladder, LadderEnd, SurveyContext};
use crate::gain;
use crate::run::OutcomeKind;
use crate::say;

/// Why a workload that writes is missing from a survey that only reads.
const LEFT_OUT: &str = "left out: this survey only reads";
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
    let interrupted = || {
        (
            LadderEnd::Interrupted,
            format!("interrupted at depth {deepest}"),
        )
    };
    if cells
        .iter()
        .any(|cell| cell.outcome.kind == OutcomeKind::Interrupted)
    {
        return interrupted();
    }
    if context.settled.iter().any(|known| known == workload) {
        return (LadderEnd::GainEnded, settled(cells));
    }
    // Depth doubles: the next rung would be beyond what was allowed.
    let allowed = context.queue_depth_max.unwrap_or(QUEUE_DEPTH_MAX);
    if deepest.saturating_mul(2) > allowed {
        return (
            LadderEnd::MaxDepth,
            format!("reached the deepest rung, {deepest}"),
        );
    }
    let rates = rates(cells);
    match gain::gain_of_last_steps(&rates) {
        Some(ratio) if gain::gain_has_ended(&rates) => {
            let brought = say::percent((ratio - 1.0).max(0.0));
            (
                LadderEnd::GainEnded,
                format!("the last two doublings brought {brought}"),
            )
        }
        _ if context.interrupted => interrupted(),
        _ => (
            LadderEnd::Budget,
            format!("the time was used up at depth {deepest}"),
        ),
    }
}

/// What ended a climb that found its knee and its peak.
fn settled(cells: &[&CellReport]) -> String {
    let best = cells
        .iter()
        .max_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    let knee = best.and_then(|best| knee_depth(cells, best.rate_per_s));
    let beyond = |knee: u64| {
        let deeper = cells.iter().filter(move |cell| cell.queue_depth > knee);
        deeper.map(|cell| cell.rate_per_s).reduce(f64::max)
    };
    match (best, knee) {
        (Some(best), Some(knee)) => match beyond(knee) {
            Some(rate) if rate > best.rate_per_s * 0.999 => {
                format!("knee at {knee}, peak at {}", best.queue_depth)
            }
            Some(_) => format!("knee at {knee}; deeper is no faster"),
            None => format!("knee at {knee}, the deepest that was allowed"),
        },
        _ => "nothing completed".to_owned(),
    }
}

/// Whether a workload of the survey writes, by its label: all names end with what they do.
fn writes(workload: &str) -> bool {
    workload.contains("write") || workload.contains('/')
}

/// Rates from the shallowest to the deepest rung.
fn rates(cells: &[&CellReport]) -> Vec<f64> {
    let mut rungs: Vec<(u64, f64)> = cells
        .iter()
        .map(|cell| (cell.queue_depth, cell.rate_per_s))
        .collect();
    rungs.sort_by_key(|(depth, _)| *depth);
    rungs.into_iter().map(|(_, rate)| rate).collect()
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
