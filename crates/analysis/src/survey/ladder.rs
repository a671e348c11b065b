//! Why a ladder of depths ended, read from its cells.

use super::knee::knee;
use super::{CellReport, Ladder, LadderEnd, SurveyContext};
use crate::gain;
use crate::run::OutcomeKind;
use crate::say;

/// Why a workload that writes is missing from a survey that only reads.
const LEFT_OUT: &str = "omitted: this survey only reads";
/// Deepest rung where the context does not report it.
const QUEUE_DEPTH_MAX: u64 = 128;

/// `best` is what the row shows as such. Besides the context: whether a cell of any workload failed, which ends a survey.
pub(super) fn ladder(
    workload: &str,
    cells: &[&CellReport],
    best: Option<&CellReport>,
    context: &SurveyContext,
    ended_by_a_failure: bool,
) -> Ladder {
    let (end, reason) = end(workload, cells, best, context, ended_by_a_failure);
    Ladder {
        depths: cells.iter().map(|cell| cell.load.queue_depth).collect(),
        end,
        reason,
    }
}

impl Ladder {
    /// Whether it was omitted on request, which is no fault of the survey.
    pub(super) fn left_out(&self) -> bool {
        self.reason == LEFT_OUT
    }
}

fn end(
    workload: &str,
    cells: &[&CellReport],
    best: Option<&CellReport>,
    context: &SurveyContext,
    ended_by_a_failure: bool,
) -> (LadderEnd, String) {
    let Some(deepest) = cells.iter().map(|cell| cell.load.queue_depth).max() else {
        let reason = match (context.scope.read_only, &context.failure) {
            (Some(true), _) if writes(workload) => LEFT_OUT.to_owned(),
            (_, Some(failure)) => format!("not run: {failure}"),
            _ if context.interrupted => "not run: the survey was interrupted".to_owned(),
            _ if ended_by_a_failure => "not run: the survey ended where a cell failed".to_owned(),
            _ => format!("not run: {}", used_up(context)),
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
            format!("failed at depth {}: {why}", cell.load.queue_depth),
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
    if cells.iter().all(|cell| cell.throughput.ios == 0) {
        let measured: u64 = cells.iter().map(|cell| cell.throughput.measured_ns).sum();
        let deepest = say::count(deepest);
        let waited = say::time(measured as f64);
        let reason = format!("no I/O was answered in {waited} at depth {deepest}");
        return (LadderEnd::Budget, reason);
    }
    if context.settled.iter().any(|known| known == workload) {
        return settled(cells, best);
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
            format!("{} at depth {deepest}", used_up(context)),
        ),
    }
}

/// A cell costs more than its time where a target answers late: then the last of the budget is too short for one.
fn used_up(context: &SurveyContext) -> &'static str {
    const MOST: f64 = 0.9;
    match (context.scope.elapsed_ns, context.scope.budget_ns) {
        (Some(spent), Some(given)) if (spent as f64) < MOST * given as f64 => {
            "the remaining time was too short for another cell"
        }
        _ => "the time was used up",
    }
}

/// What ended a climb of which all is known that its loads can show.
fn settled(cells: &[&CellReport], best: Option<&CellReport>) -> (LadderEnd, String) {
    let Some(best) = best else {
        return (LadderEnd::Failed, "nothing completed".to_owned());
    };
    let peak = best.load.queue_depth;
    match knee(cells, best) {
        Some(knee) if peak > knee.in_flight => (
            LadderEnd::GainEnded,
            format!("knee at {}, peak at {peak}", knee.in_flight),
        ),
        Some(knee) => (
            LadderEnd::GainEnded,
            format!("knee at {}; deeper is no faster", knee.in_flight),
        ),
        None if cells.iter().all(|cell| cell.load.queue_depth == peak) => (
            LadderEnd::MaxDepth,
            format!("only {peak} in flight was run"),
        ),
        None => (
            LadderEnd::MaxDepth,
            format!("the rate may rise beyond {peak}, the deepest that was run"),
        ),
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
        .map(|cell| (cell.load.queue_depth, cell.throughput.iops))
        .collect();
    rungs.sort_by_key(|(depth, _)| *depth);
    rungs.into_iter().map(|(_, rate)| rate).collect()
}
