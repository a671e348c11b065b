//! What a person is to know of a survey: what the rules found in the points that the table shows, each rule once for all
//! workloads, then what the session shows as a whole.
//!
//! Deliberately absent: which is shown first and how many, which is the same for all views.

use crate::foot::Note;
use crate::text::printable;
use analysis::{CellReport, Finding, LadderEnd, Rank, Severity, SurveyReport, SurveyRow};

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

/// The points that the table shows of a row: its peak, and the one at queue depth 1.
fn shown<'a>(row: &SurveyRow, report: &'a SurveyReport) -> Vec<&'a CellReport> {
    let peak = row
        .best
        .as_ref()
        .map(|best| (best.queue_depth, best.threads));
    let loads = report.loads(row).into_iter();
    loads
        .filter(|load| load.queue_depth == 1 || peak == Some((load.queue_depth, load.threads)))
        .collect()
}

/// What a rule found in one point.
struct Found<'a> {
    row: &'a SurveyRow,
    queue_depth: u64,
    finding: &'a Finding,
}

/// A line for each rule: its finding where it weighs most, and in which other workloads it was found.
fn of_rules(report: &SurveyReport) -> Vec<Note> {
    let mut rules: Vec<Vec<Found<'_>>> = Vec::new();
    for row in report.rows.iter().filter(|row| row.best.is_some()) {
        for cell in shown(row, report) {
            let own = cell
                .findings
                .iter()
                .filter(|finding| finding.because.is_none());
            for finding in own.filter(|finding| finding.severity > Severity::Note) {
                let found = Found {
                    row,
                    queue_depth: cell.queue_depth,
                    finding,
                };
                match rules
                    .iter_mut()
                    .find(|rule| rule[0].finding.id == finding.id)
                {
                    Some(rule) => rule.push(found),
                    None => rules.push(vec![found]),
                }
            }
        }
    }
    rules.iter().filter_map(|rule| of_rule(rule)).collect()
}

fn of_rule(found: &[Found<'_>]) -> Option<Note> {
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
        false => format!("; also {}", others.join(", ")),
    };
    let (name, sentence) = (printable(&row.workload), printable(&finding.sentence));
    Some(Note::of(finding, None).with_text(format!("{name} (QD{queue_depth}): {sentence}{also}")))
}

/// What speaks against a row beside the findings of the points that the table shows.
fn own_reasons<'a>(row: &'a SurveyRow, report: &SurveyReport) -> Vec<&'a String> {
    if row.rank == Rank::Valid {
        return Vec::new();
    }
    let found = shown(row, report);
    let is_found = |reason: &str| {
        let mut all = found.iter().flat_map(|cell| &cell.findings);
        all.any(|finding| reason.starts_with(&finding.sentence))
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
