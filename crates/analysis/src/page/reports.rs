//! What the report of a survey or a sweep says of its part: the page repeats it, so that text and page have one figure for one
//! thing.
//!
//! Omitted: figures of the cells one by one, which the page has of every kind of session.

use super::{PageCounts, PagePart};
use crate::say;
use crate::survey::{CellReport, Glance, SurveyKnee, SurveyReport, SurveyRow};
use crate::sweep::SweepReport;

/// What a survey's report says beyond the text of its part.
#[derive(Debug)]
pub(super) struct Surveyed {
    /// What limits the rate, in a word and a sentence.
    pub(super) limit: Option<(String, String)>,
    /// The knee of each workload by its label; none where the rate still rose.
    pub(super) knees: Vec<(String, Option<SurveyKnee>)>,
    /// The figures of the first line.
    pub(super) glance: Glance,
    /// The loads that were run more than once, all runs of each together.
    pub(super) joined: Vec<CellReport>,
}

/// Completes the part of a survey.
pub(super) fn survey(part: &mut PagePart, report: SurveyReport) -> Surveyed {
    part.verdict.validity = Some(report.verdict.validity);
    part.verdict.headline = report.verdict.sentence();
    let rows = report.rows.iter();
    part.models = rows.flat_map(|row| found(row, &report)).collect();
    part.device_checks = vec![report.device_check.sentence.clone()]; // of all cells, as the text has it
    let surveyed = Surveyed {
        limit: limits(&report.rows),
        knees: report.knees(),
        glance: report.glance(),
        joined: report.joined,
    };
    part.verdict.sentences.extend(report.answer);
    part.notes.extend(report.loose);
    part.notes.extend(report.beside);
    part.notes.extend(report.notes);
    surveyed
}

/// Completes the part of a sweep.
pub(super) fn sweep(part: &mut PagePart, report: SweepReport) {
    part.verdict.validity = (!report.rows.is_empty()).then_some(report.verdict.validity);
    let models = report.models.iter().flat_map(|models| {
        let of = match models.series.as_str() {
            "" => String::new(),
            series => format!("{series}: "),
        };
        let sentences = models.sentences.iter();
        sentences.map(move |said| format!("{of}{said}"))
    });
    part.models = models.collect();
    part.verdict.sentences.extend(report.answer());
    part.notes.extend(report.notes);
    part.counts = PageCounts {
        planned: Some(report.cell_counts.planned),
        ..PageCounts::default()
    };
}

/// What holds the workloads, each word once, with the sentence of the first.
fn limits(rows: &[SurveyRow]) -> Option<(String, String)> {
    let limits = rows
        .iter()
        .filter_map(|row| Some((row, row.limit.as_ref()?)));
    let mut words: Vec<&str> = Vec::new();
    for word in limits.clone().map(|(_, limit)| limit.kind.word()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let (row, limit) = limits.clone().next()?;
    Some((
        words.join(", "),
        format!("{}: {}", row.workload, limit.sentence),
    ))
}

/// What a survey found of a workload beside its figures: knee, what two models say of it, limit, and the rate that keeps
/// a latency.
fn found(row: &SurveyRow, report: &SurveyReport) -> Vec<String> {
    let knee = report
        .knee(row)
        .map(|knee| format!("{}: knee at {} in flight", row.workload, knee.in_flight));
    let models = row.knee.as_ref().and_then(|models| {
        let said = models.sentence.as_ref()?;
        Some(format!("{}: {said}", row.workload))
    });
    let limit = row.limit.as_ref().map(|limit| {
        format!(
            "{}: limited by {}: {}",
            row.workload,
            limit.kind.word(),
            limit.sentence
        )
    });
    let kept = row.goal.as_ref().and_then(|goal| {
        let rate = goal.rate?;
        let ends = rate.low.zip(rate.high);
        let ends = ends.map(|(low, high)| format!(" ({} … {})", say::rate(low), say::rate(high)));
        Some(format!(
            "{}: {} IOPS{} arrive and {} of them are answered within {}",
            row.workload,
            say::rate(rate.value),
            ends.unwrap_or_default(),
            say::percent(goal.quantile),
            say::time(goal.latency_ns as f64)
        ))
    });
    [knee, models, limit, kept].into_iter().flatten().collect()
}
