//! The verdict on a sweep, and its first line: how far it may be used, and what was found.
//!
//! A sweep is as good as its cells: valid where all are, invalid where none may be used, weak in between. Where nothing
//! may be used, the reason stands in the first line instead of an answer.

use super::best::name;
use super::{SweepContext, SweepCounts, SweepReport, SweepRow};
use crate::findings::Finding;
use crate::say::{count, counted};
use crate::verdict::Answer;
use crate::verdict::{Validity, Verdict, hints};

impl SweepReport {
    /// Joins the answer: `most IOPS: 84.1k IOPS, p99 1.20 ms, depth=32; …`; none where no cell may be used.
    pub fn answer(&self) -> Option<String> {
        let answers: Vec<String> = self.answers.iter().map(Answer::sentence).collect();
        (!answers.is_empty()).then(|| answers.join("; "))
    }
}

fn is(row: &SweepRow, validity: Validity) -> bool {
    row.figures
        .as_ref()
        .is_some_and(|f| f.validity == Some(validity))
}

/// The result of all cells together is in it if none of them is a reason to doubt.
pub(super) fn verdict(
    rows: &[SweepRow],
    counts: SweepCounts,
    context: &SweepContext,
    together: &[Finding],
) -> Verdict {
    let done = counts.done;
    let of = |validity| rows.iter().filter(move |row| is(row, validity));
    let doubt = |validity: Validity, word: &str| {
        let first = of(validity).next()?;
        let why = first.figures.as_ref()?.reasons.first()?;
        let few = count(of(validity).count() as u64);
        let planned = counted(counts.planned, "cell");
        Some(format!(
            "{why}; {few} of {planned} {word}, first {}",
            name(first)
        ))
    };
    let missing = rows.iter().find_map(|row| {
        let why = row.missing.as_ref()?;
        let few = counted(counts.missing, "cell");
        Some(format!(
            "{few} without a result, first {}: {why}",
            name(row)
        ))
    });
    let left = (counts.left > 0).then(|| {
        let planned = counted(counts.planned, "cell");
        format!("{} of {planned} still to come", count(counts.left))
    });
    let nothing = (done == 0).then(|| "no cell has a result".to_owned());
    let failure = context.failure.as_ref();
    let mut reasons: Vec<String> = [
        failure.map(|why| format!("it ended early: {why}")),
        nothing,
        doubt(Validity::Invalid, "invalid"),
        left,
        missing,
        doubt(Validity::Caution, "CAUTION"),
        doubt(Validity::NotChecked, "not checked"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let validity = if of(Validity::Invalid).count() as u64 == done {
        Validity::Invalid
    } else if reasons.is_empty() {
        Validity::Valid
    } else {
        Validity::Caution
    };
    if reasons.is_empty() {
        let hints = hints(together);
        reasons.push(format!("{}, no errors{hints}", counted(done, "cell")));
    }
    Verdict {
        validity,
        invalid_for: None,
        checks: Vec::new(),
        unchecked: Vec::new(),
        simulated: false,
        reasons,
    }
}
