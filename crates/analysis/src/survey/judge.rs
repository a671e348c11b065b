//! Whether a row, and the whole survey, may be used, and why not.
//!
//! Deliberately absent: what the rules found in a cell, which its own report contains.

use super::{CellReport, Limit, LimitKind, SurveyContext, SurveyRow};
use crate::comparison::Agreement;
use crate::device_check::DeviceCheck;
use crate::findings::{Finding, SHORT_RUN, Severity};
use crate::say;
use crate::verdict::{Validity, Verdict};

/// The errors and warnings of the two points that a row shows: its peak, and the one at queue depth 1. Of the latter only the
/// median is shown, which few I/Os can carry, so that it was short does not count.
pub(super) fn counted<'a>(
    best: Option<&'a CellReport>,
    shallow: Option<&'a CellReport>,
) -> impl Iterator<Item = (&'a CellReport, &'a Finding)> {
    let of = |cell: &'a CellReport| cell.findings.iter().map(move |finding| (cell, finding));
    let of_shallow = shallow
        .into_iter()
        .flat_map(of)
        .filter(|(_, finding)| finding.id != SHORT_RUN);
    let both = best.into_iter().flat_map(of).chain(of_shallow);
    both.filter(|(_, finding)| finding.because.is_none() && finding.severity > Severity::Note)
}

/// The validity of a row by these, and its reasons: each rule once, the worst first.
pub(super) fn judge(
    best: Option<&CellReport>,
    shallow: Option<&CellReport>,
) -> (Validity, Vec<String>) {
    let mut rules: Vec<(&CellReport, &Finding)> = Vec::new();
    for one in counted(best, shallow) {
        if rules.iter().all(|(_, known)| known.id != one.1.id) {
            rules.push(one);
        }
    }
    rules.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.severity));
    let validity = Validity::of_severity(rules.first().map(|(_, finding)| finding.severity));
    let reason = |(cell, finding): &(&CellReport, &Finding)| {
        format!("{} (QD{})", finding.sentence, cell.load.queue_depth)
    };
    (validity, rules.iter().map(reason).collect())
}

/// Returns why the first workload without a result has none, where others have one.
fn missing(wanted: &[&SurveyRow], measured: usize) -> Option<String> {
    let first = wanted.iter().find(|row| row.best.is_none());
    first.filter(|_| measured > 0).map(|row| {
        let (few, all) = (wanted.len() - measured, wanted.len());
        let why = &row.ladder.reason;
        format!(
            "{}: {why}; {few} of {all} workloads have no result",
            row.workload
        )
    })
}

/// Returns INVALID where every measured row is, or none was measured; CAUTION where any is not valid or missing, or points
/// contain stalls.
pub(super) fn verdict(
    rows: &[SurveyRow],
    check: &DeviceCheck,
    stalls: Option<&Finding>,
    planned: &SurveyContext,
) -> Verdict {
    let wanted: Vec<&SurveyRow> = rows.iter().filter(|row| !row.ladder.left_out()).collect();
    let measured = wanted.iter().filter(|row| row.best.is_some()).count();
    let of = |validity| {
        wanted
            .iter()
            .filter(move |row| row.validity == validity && row.best.is_some())
    };
    let doubt = |validity: Validity, word: &str| {
        let first = of(validity).next()?;
        let why = first.reasons.first()?;
        let (few, all) = (of(validity).count(), wanted.len());
        Some(format!(
            "{}: {why}; {few} of {all} workloads are {word}",
            first.workload
        ))
    };
    let missing = missing(&wanted, measured);
    let nothing = (measured == 0).then(|| "nothing was measured".to_owned());
    let cut = planned.interrupted.then(|| {
        format!(
            "interrupted with {measured} of {} workloads measured",
            wanted.len()
        )
    });
    let mut reasons: Vec<String> = [
        planned.failure.clone(),
        nothing,
        doubt(Validity::Invalid, "INVALID, marked !"),
        cut,
        missing,
        doubt(Validity::Caution, "CAUTION, marked *"),
        stalls
            .filter(|stalls| stalls.severity > Severity::Note)
            .map(|stalls| stalls.sentence.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let validity = if of(Validity::Invalid).count() == measured {
        Validity::Invalid
    } else if reasons.is_empty() {
        Validity::Valid
    } else {
        Validity::Caution
    };
    let invalid_for = (validity == Validity::Invalid)
        .then(|| same_not_as(rows))
        .flatten();
    if reasons.is_empty() {
        let good = good(measured, check);
        reasons.push(match shared_limit(rows) {
            Some(limit) => format!("{limit}; {good}"),
            None => good,
        });
    }
    Verdict {
        validity,
        invalid_for,
        checks: Vec::new(),
        unchecked: Vec::new(),
        simulated: false,
        reasons,
    }
}

/// The limit that most of the measured workloads share, with its figure.
fn shared_limit(rows: &[SurveyRow]) -> Option<&str> {
    let limits = || {
        let measured = rows.iter().filter(|row| row.best.is_some());
        measured.map(|row| row.limit.as_ref())
    };
    let count = |limit: &Limit| {
        limits()
            .flatten()
            .filter(|one| one.sentence == limit.sentence)
            .count()
    };
    let is_shared = |limit: &&Limit| {
        matches!(
            limit.kind,
            LimitKind::Rate | LimitKind::Bandwidth | LimitKind::Cap
        )
    };
    let most = limits()
        .flatten()
        .filter(is_shared)
        .max_by_key(|limit| count(limit))?;
    (2 * count(most) > limits().count()).then_some(most.sentence.as_str())
}

/// What all the invalid rows are not valid as, if they agree.
fn same_not_as(rows: &[SurveyRow]) -> Option<String> {
    let mut all = rows.iter().filter_map(|row| row.best.as_ref()).map(|best| {
        best.findings
            .iter()
            .find_map(|finding| finding.invalid_for.clone())
    });
    let first = all.next()??;
    all.all(|other| other.as_deref() == Some(&first))
        .then_some(first)
}

fn good(measured: usize, check: &DeviceCheck) -> String {
    let device = match check.agreement {
        Agreement::Agrees => "the device's counters match fathom's",
        Agreement::Unknown => "the device's counters were not compared",
        Agreement::DeviceLess | Agreement::DeviceMore => "the device's counters differ",
    };
    format!(
        "{}, no errors; {device}",
        say::counted(measured as u64, "workload")
    )
}
