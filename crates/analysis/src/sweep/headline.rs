//! The verdict on a sweep, and its first line: how far it may be used, and what was found.
//!
//! A sweep is as good as its cells: valid where all are, invalid where none may be used, weak in between. Where nothing
//! may be used, the reason stands in the first line instead of an answer.

use super::best::name;
use super::{SweepContext, SweepCounts, SweepReport, SweepRow};
use crate::say::{count, counted};
use crate::verdict::Answer;
use crate::verdict::{Rank, Verdict};

impl SweepReport {
    /// Joins the answer: `most IOPS: 84.1k IOPS, p99 1.20 ms, depth=32; …`; none where no cell may be used.
    pub fn answer(&self) -> Option<String> {
        let answers: Vec<String> = self.answers.iter().map(Answer::sentence).collect();
        (!answers.is_empty()).then(|| answers.join("; "))
    }
}

fn is(row: &SweepRow, rank: Rank) -> bool {
    row.figures.as_ref().is_some_and(|f| f.rank == Some(rank))
}

pub(super) fn verdict(rows: &[SweepRow], counts: SweepCounts, context: &SweepContext) -> Verdict {
    let done = counts.done;
    let of = |rank| rows.iter().filter(move |row| is(row, rank));
    let doubt = |rank: Rank, word: &str| {
        let first = of(rank).next()?;
        let why = first.figures.as_ref()?.reasons.first()?;
        let few = count(of(rank).count() as u64);
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
        doubt(Rank::Invalid, "invalid"),
        left,
        missing,
        doubt(Rank::Caution, "CAUTION"),
        doubt(Rank::NotChecked, "not checked"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rank = if of(Rank::Invalid).count() as u64 == done {
        Rank::Invalid
    } else if reasons.is_empty() {
        Rank::Valid
    } else {
        Rank::Caution
    };
    if reasons.is_empty() {
        reasons.push(format!("{}, no errors", counted(done, "cell")));
    }
    Verdict {
        rank,
        not_as: None,
        checks: Vec::new(),
        unchecked: Vec::new(),
        simulated: false,
        reasons,
    }
}
