//! What a person is to know of a survey: what the rules found in the points that the table shows, each rule once for all
//! workloads, then what the session shows as a whole.
//!
//! Deliberately absent: which is shown first and how many, which is the same for all views.

use crate::foot::Note;
use crate::text::printable;
use analysis::{Finding, LadderEnd, Rank, SurveyReport, SurveyRow};

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
    notes.extend(report.loose.iter().map(|text| Note::warning(text)));
    notes.extend(report.beside.iter().map(|text| Note::plain(text)));
    notes.extend(
        report
            .findings
            .iter()
            .map(|finding| Note::of(finding, None)),
    );
    notes.extend(report.notes.iter().map(|text| Note::plain(text)));
    notes
}

/// What a rule found in one point.
struct Found<'a> {
    row: &'a SurveyRow,
    queue_depth: u64,
    finding: &'a Finding,
}

/// A line for each rule: its finding where it weighs most, and in which other workloads it was found.
fn of_rules(report: &SurveyReport) -> Vec<Note> {
    let verdict = report.verdict.reasons.first();
    let mut rules: Vec<Vec<Found<'_>>> = Vec::new();
    for row in report.rows.iter().filter(|row| row.best.is_some()) {
        for (cell, finding) in report.row_findings(row) {
            let found = Found {
                row,
                queue_depth: cell.queue_depth,
                finding,
            };
            let known = rules
                .iter_mut()
                .find(|rule| rule[0].finding.id == finding.id);
            match known {
                Some(rule) => rule.push(found),
                None => rules.push(vec![found]),
            }
        }
    }
    rules
        .iter()
        .filter_map(|rule| of_rule(rule, verdict))
        .collect()
}

/// Of the finding that the verdict names, only where else it was found and what to do.
fn of_rule(found: &[Found<'_>], verdict: Option<&String>) -> Option<Note> {
    let heaviest = found
        .iter()
        .rev()
        .max_by_key(|found| found.finding.severity)?;
    let Found {
        row,
        queue_depth,
        finding,
    } = heaviest;
    let mut others: Vec<String> = Vec::new();
    for Found { row: other, .. } in found {
        let name = printable(&other.workload);
        if other.workload != row.workload && !others.contains(&name) {
            others.push(name);
        }
    }
    let also = match others.is_empty() {
        true => String::new(),
        false => format!("; also affected: {}", others.join(", ")),
    };
    let (name, sentence) = (printable(&row.workload), printable(&finding.sentence));
    let is_named = verdict.is_some_and(|verdict| verdict.contains(&finding.sentence));
    Some(match is_named {
        true => Note::hint(finding).with_text(format!("{}{also}", finding.advice)),
        false => {
            let text = format!("{name} (QD{queue_depth}): {sentence}{also}");
            Note::of(finding, None).with_text(text)
        }
    })
}

/// What speaks against a row beside the findings of the points that the table shows.
fn own_reasons<'a>(row: &'a SurveyRow, report: &SurveyReport) -> Vec<&'a String> {
    if row.rank == Rank::Valid {
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
