//! Whether a row, and the whole survey, may be used, and why not.
//!
//! Deliberately absent: what the rules found in a cell, which its own report says.

use super::{CellReport, SurveyContext, SurveyRow};
use crate::comparison::Agreement;
use crate::device_check::DeviceCheck;
use crate::findings::{Finding, SHORT_RUN, Severity};
use crate::say;
use crate::verdict::{Rank, Verdict};

/// What was found in the two cells that a row shows, each rule once, and the worst of it. Of the cell at depth
/// 1 only the median is shown, which few I/Os can carry: that it was short is not held against the row.
pub(super) fn judge(
    best: Option<&CellReport>,
    shallow: Option<&CellReport>,
) -> (Rank, Vec<String>) {
    let of_best = best
        .into_iter()
        .flat_map(|cell| cell.findings.iter().map(move |f| (f, cell)));
    let of_shallow = shallow
        .into_iter()
        .flat_map(|cell| cell.findings.iter().map(move |f| (f, cell)))
        .filter(|(finding, _)| finding.id != SHORT_RUN);
    let mut told: Vec<(&Finding, u64)> = Vec::new();
    for (finding, cell) in of_best.chain(of_shallow) {
        let new = told.iter().all(|(known, _)| known.id != finding.id);
        if new && finding.because.is_none() && finding.severity > Severity::Note {
            told.push((finding, cell.queue_depth));
        }
    }
    told.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
    let rank = match told.first().map(|(finding, _)| finding.severity) {
        Some(Severity::Error) => Rank::Invalid,
        Some(_) => Rank::Caution,
        None => Rank::Valid,
    };
    let say = |(finding, depth): &(&Finding, u64)| format!("{} (QD{depth})", finding.sentence);
    (rank, told.iter().map(say).collect())
}

/// Invalid when every measured row is, or none was measured; weak when any is not valid or one is missing.
pub(super) fn verdict(rows: &[SurveyRow], check: &DeviceCheck, planned: &SurveyContext) -> Verdict {
    let wanted: Vec<&SurveyRow> = rows.iter().filter(|row| !row.ladder.left_out()).collect();
    let measured = wanted.iter().filter(|row| row.best.is_some()).count();
    let of = |rank| {
        wanted
            .iter()
            .filter(move |row| row.rank == rank && row.best.is_some())
    };
    let doubt = |rank: Rank, word: &str| {
        let first = of(rank).next()?;
        let why = first.reasons.first()?;
        let (few, all) = (of(rank).count(), wanted.len());
        Some(format!(
            "{}: {why}; {few} of {all} workloads are {word}",
            first.workload
        ))
    };
    let first_missing = wanted.iter().find(|row| row.best.is_none());
    let missing = first_missing.filter(|_| measured > 0).map(|row| {
        let few = wanted.len() - measured;
        let all = wanted.len();
        let why = &row.ladder.reason;
        format!(
            "{}: {why}; {few} of {all} workloads have no result",
            row.workload
        )
    });
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
        doubt(Rank::Invalid, "INVALID, marked !"),
        cut,
        missing,
        doubt(Rank::Caution, "CAUTION, marked *"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rank = if of(Rank::Invalid).count() == measured {
        Rank::Invalid
    } else if reasons.is_empty() {
        Rank::Valid
    } else {
        Rank::Caution
    };
    let not_as = (rank == Rank::Invalid).then(|| same_not_as(rows)).flatten();
    if reasons.is_empty() {
        reasons.push(good(measured, check));
    }
    Verdict {
        rank,
        not_as,
        checks: Vec::new(),
        unchecked: Vec::new(),
        simulated: false,
        reasons,
    }
}

/// What all the invalid rows are not valid as, where they say the same.
fn same_not_as(rows: &[SurveyRow]) -> Option<String> {
    let mut all = rows.iter().filter_map(|row| row.best.as_ref()).map(|best| {
        best.findings
            .iter()
            .find_map(|finding| finding.not_as.clone())
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
