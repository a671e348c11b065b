//! The session report's text on its part: the page repeats it, so that text and page have one figure for one
//! thing.
//!
//! Omitted: figures of the cells one by one, which the page has of every kind of session.

use super::{PageCounts, PagePart};
use crate::facts::TargetDigest;
use crate::files::FilesReport;
use crate::job::JobReport;
use crate::say;
use crate::survey::{CellReport, SurveyKnee, SurveyReport, SurveyRow};
use crate::sweep::SweepReport;
use crate::verdict::{Answer, Validity, Verdict};

/// Content of a survey's report other than the text of its part.
#[derive(Debug)]
pub(super) struct Surveyed {
    /// The knee of each workload by its label; none where the rate still rose.
    pub(super) knees: Vec<(String, Option<SurveyKnee>)>,
    /// The loads that were run more than once, all runs of each together.
    pub(super) joined: Vec<CellReport>,
}

/// Completes the part of a survey.
pub(super) fn survey(part: &mut PagePart, report: SurveyReport) -> Surveyed {
    decided(part, &report.verdict);
    let rows = report.rows.iter();
    part.models = rows.flat_map(|row| found(row, &report)).collect();
    part.machine.device_checks = vec![report.device_check.sentence.clone()]; // of all cells, as the text has it
    let surveyed = Surveyed {
        knees: report.knees(),
        joined: report.joined,
    };
    part.goals = report.remarks.goals;
    part.verdict.sentences.extend(report.answer);
    part.verdict.sentences.extend(limits(&report.rows));
    part.notes.extend(report.remarks.loose);
    part.notes.extend(report.beside);
    part.notes.extend(report.remarks.notes);
    surveyed
}

/// Takes the verdict of the text.
fn decided(part: &mut PagePart, verdict: &Verdict) {
    part.verdict.validity = Some(verdict.validity);
    part.verdict.headline = verdict.sentence();
    part.verdict.cause = verdict.reasons.first().cloned().unwrap_or_default();
    part.verdict.simulated |= verdict.simulated;
}

/// Completes the part of work with files or of a copy.
pub(super) fn files(part: &mut PagePart, report: FilesReport) {
    decided(part, &report.verdict);
    part.verdict.sentences = sentences(&report.answers);
    let named = report.verdict.reasons.first();
    let warnings = report.warnings.iter().filter(|one| Some(*one) != named);
    part.notes.extend(warnings.cloned());
    part.notes.extend(report.notes);
    part.machine.host = report.host;
    part.machine.targets = vec![TargetDigest {
        path: report.paths.join(" to "),
        file_system: report.storage.file_system,
        mount_options: report.storage.mount_options,
        chain: report.storage.chain,
        ..TargetDigest::default()
    }];
}

/// Completes the part of `fathom quick` or `fathom layers`.
pub(super) fn looks(part: &mut PagePart, verdict: &Verdict, answers: &[Answer], notes: &[String]) {
    decided(part, verdict);
    part.verdict.sentences = sentences(answers);
    part.notes.extend(notes.iter().cloned());
}

fn sentences(answers: &[Answer]) -> Vec<String> {
    let all: Vec<String> = answers.iter().map(Answer::sentence).collect();
    (!all.is_empty())
        .then(|| all.join("; "))
        .into_iter()
        .collect()
}

/// Completes the part of a job, whose steps follow one another: `41.2k IOPS and 322 MiB/s of 3 ranks together`.
pub(super) fn job(part: &mut PagePart, steps: &[(String, JobReport)]) {
    let all = steps.iter().map(|(_, report)| report.verdict.validity);
    let worst = match all.clone().min() {
        Some(Validity::Invalid) => Some(Validity::Invalid),
        _ => all.map(|one| one.min(Validity::Caution)).max(),
    };
    let first_of = |worst| {
        let mut steps = steps.iter();
        steps.find(|(_, report)| report.verdict.validity.min(Validity::Caution) >= worst)
    };
    if let Some((step, report)) = worst.and_then(|worst| first_of(worst.min(Validity::Caution))) {
        decided(part, &report.verdict);
        part.verdict.validity = worst;
        if steps.len() > 1 && worst >= Some(Validity::Caution) {
            let word = worst.map_or("", Validity::word);
            part.verdict.cause = format!("{} ({step})", part.verdict.cause);
            part.verdict.headline = format!("{word}: {}", part.verdict.cause);
        }
    }
    let answers = steps.iter().filter_map(|(step, report)| {
        let answer = job_answer(report)?;
        Some(match steps.len() {
            1 => answer,
            _ => format!("{step}: {answer}"),
        })
    });
    let answers: Vec<String> = answers.collect();
    part.verdict.sentences = (!answers.is_empty())
        .then(|| answers.join("; "))
        .into_iter()
        .collect();
}

/// `41.2k IOPS and 322 MiB/s of 3 ranks together`; none without a result.
fn job_answer(report: &JobReport) -> Option<String> {
    let measured = report
        .hosts
        .iter()
        .filter(|row| row.figures.is_some())
        .count();
    let ranks = say::counted(report.hosts.len() as u64, "rank");
    let of = match measured < report.hosts.len() {
        true => format!("{measured} of {ranks}"),
        false => ranks,
    };
    report.operations.last().map(|total| {
        format!(
            "{} IOPS and {} MiB/s of {of} together",
            say::rate(total.iops),
            say::mib_per_s(total.bytes_per_s)
        )
    })
}

/// Completes the part of a sweep.
pub(super) fn sweep(part: &mut PagePart, report: SweepReport) {
    part.verdict.validity = (!report.rows.is_empty()).then_some(report.verdict.validity);
    if report.matrix.cell_counts.done > 0 {
        decided(part, &report.verdict);
    }
    let models = report.models.iter().flat_map(|models| {
        let of = match models.series.as_str() {
            "" => String::new(),
            series => format!("{series}: "),
        };
        let sentences = models.sentences.iter();
        sentences.map(move |text| format!("{of}{text}"))
    });
    part.models = models.collect();
    part.goals.clone_from(&report.goals);
    part.verdict.sentences.extend(report.answer());
    part.notes.extend(report.notes);
    part.counts = PageCounts {
        planned: Some(report.matrix.cell_counts.planned),
        ..PageCounts::default()
    };
}

/// The limits of the workloads, each once, with the sentence of the first.
fn limits(rows: &[SurveyRow]) -> Option<String> {
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
    let of = match words.as_slice() {
        [_] => "",
        _ => " (differs by workload)",
    };
    let words = words.join(", ");
    Some(format!(
        "limited by {words}{of}: {}: {}",
        row.workload, limit.sentence
    ))
}

/// Results of a survey on a workload other than its figures: knee, two models of it, limit, and the rate within
/// a latency.
fn found(row: &SurveyRow, report: &SurveyReport) -> Vec<String> {
    let knee = report
        .knee(row)
        .map(|knee| format!("{}: knee at {} in flight", row.workload, knee.in_flight));
    let models = row.knee.as_ref().and_then(|models| {
        let text = models.sentence.as_ref()?;
        Some(format!("{}: {text}", row.workload))
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
        let rate = goal.iops_estimate?;
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
