//! What stands below a survey: what the rows are doubted for, and then findings as far as there is room.
//!
//! Deliberately absent: which finding weighs more; the report has them in order.

use crate::foot;
use crate::paper::Paper;
use analysis::{LadderEnd, Rank, SurveyReport};

/// Lines for what rows are doubted for, also where the page has no room for them: a row that is marked weak says why.
const DOUBTS_MIN: usize = 12;

/// The lines.
pub(super) fn notes(report: &SurveyReport, room: usize, paper: &Paper) -> Vec<String> {
    let findings = report.findings.iter();
    let told = findings.map(|finding| foot::finding(finding, None));
    let others: Vec<String> = told.chain(report.notes.iter().cloned()).collect();
    let (mut lines, is_room) =
        foot::notes_before(&doubts(report), others.len(), room.max(DOUBTS_MIN), paper);
    if is_room {
        let left = room.saturating_sub(lines.len()).max(1);
        lines.extend(foot::notes(&others, left, paper));
    }
    lines
}

/// Why rows are not valid, beyond what the first line says, and which rates are known less well than asked.
fn doubts(report: &SurveyReport) -> Vec<String> {
    let answered = report.has_headline_answer();
    let reasons = report.verdict.reasons.iter();
    // What a row says for itself is not said of the whole again.
    let of_rows = |reason: &&String| {
        let rows = report.rows.iter().filter(|row| row.best.is_some());
        !rows
            .flat_map(|row| row.reasons.first())
            .any(|told| reason.starts_with(told.as_str()))
    };
    let told_first = usize::from(!answered);
    let whole: Vec<String> = reasons.skip(told_first).filter(of_rows).cloned().collect();
    let first = report
        .verdict
        .reasons
        .first()
        .filter(|_| !answered)
        .cloned()
        .unwrap_or_default();
    let of = |rank| {
        report
            .rows
            .iter()
            .filter(move |row| row.rank == rank && row.best.is_some())
    };
    let doubted = of(Rank::Invalid).chain(of(Rank::Weak)).filter_map(|row| {
        let reason = row.reasons.first()?;
        let said = first.starts_with(reason.as_str()) && first.ends_with(&row.workload);
        (!said).then(|| format!("{}: {reason}", row.workload))
    });
    let cut: Vec<&str> = report
        .rows
        .iter()
        .filter(|row| row.ladder.end == LadderEnd::Budget && row.best.is_some())
        .map(|row| row.workload.as_str())
        .collect();
    let cut = (!cut.is_empty()).then(|| {
        format!(
            "still gaining when the time was used up: {}",
            cut.join(", ")
        )
    });
    whole
        .into_iter()
        .chain(report.loose.clone())
        .chain(doubted)
        .chain(cut)
        .collect()
}
