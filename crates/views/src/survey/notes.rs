//! What a person is to know of a survey: what the rules found in the points that the table shows, each rule once for all
//! workloads, then what the session shows as a whole.
//!
//! Deliberately absent: which is shown first and how many, which is the same for all views.

use crate::foot::{self, Found, Note};
use crate::text::printable;
use analysis::{LadderEnd, SurveyReport, SurveyRow, Validity};

/// The notes.
pub(super) fn notes(report: &SurveyReport) -> Vec<Note> {
    let verdict = report.verdict.reasons.first();
    let mut notes = of_rules(report);
    let named = |reason: &&String| verdict.is_none_or(|first| !first.contains(reason.as_str()));
    let rows = report.rows.iter().filter(|row| row.best.is_some());
    let others = rows.flat_map(|row| {
        own_reasons(row, report)
            .into_iter()
            .filter(named)
            .map(move |r| (row, r))
    });
    notes.extend(others.map(|(row, reason)| Note::warning(&format!("{}: {reason}", row.workload))));
    notes.extend(cut(report).map(|text| Note::warning(&text)));
    notes.extend(report.remarks.loose.iter().map(|text| Note::warning(text)));
    notes.extend(report.beside.iter().map(|text| Note::plain(text)));
    notes.extend(
        report
            .remarks
            .findings
            .iter()
            .map(|finding| Note::of(finding, None)),
    );
    notes.extend(report.remarks.notes.iter().map(|text| Note::plain(text)));
    notes
}

/// A line for each rule, over the points that the table shows.
fn of_rules(report: &SurveyReport) -> Vec<Note> {
    let rows = report.rows.iter().filter(|row| row.best.is_some());
    let found = rows.flat_map(|row| {
        let found = report.row_findings(row).into_iter();
        found.map(|(cell, finding)| Found {
            of: &row.workload,
            at: format!("{} (QD{})", row.workload, cell.load.queue_depth),
            finding,
        })
    });
    foot::by_rule(found.collect(), report.verdict.reasons.first())
}

/// Objections to a row other than the findings of the points that the table shows.
fn own_reasons<'a>(row: &'a SurveyRow, report: &SurveyReport) -> Vec<&'a String> {
    if row.validity == Validity::Valid {
        return Vec::new();
    }
    let found = report.row_findings(row);
    let is_found = |reason: &str| {
        let mut all = found.iter();
        all.any(|(_, finding)| reason.starts_with(&finding.sentence))
    };
    row.reasons
        .iter()
        .filter(|reason| !is_found(reason))
        .collect()
}

/// The workloads whose rate still rose when the budget was used up.
fn cut(report: &SurveyReport) -> Option<String> {
    let rising = report
        .rows
        .iter()
        .filter(|row| row.ladder.end == LadderEnd::Budget && row.best.is_some());
    let names: Vec<String> = rising.map(|row| printable(&row.workload)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "still rising when the budget was used up: {}",
            names.join(", ")
        )
    })
}
