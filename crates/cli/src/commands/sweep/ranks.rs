//! The results of all ranks of a cell, which have numbers that follow one another: put together into one result.
//!
//! The line of rank 0 has the key of the cell, so that the cell is found by it. Ranks of a cell without a result have no key.

use crate::commands::hosts::part;
use analysis::{JobPart, RankLabel, SweepResult};
use model::{ResultRow, RunRecord};
use session::RankResult;
use store::{SessionId, Store};

/// Whether the line belongs to a cell whose result is found by another line: that of a further rank, or one of a cell
/// without a result.
pub(crate) fn is_part(row: &ResultRow) -> bool {
    row.key.is_none() && RankLabel::of(&row.label).is_some()
}

/// The result of all ranks by the line of rank 0; `None` where its run was one alone.
pub(crate) fn merged(
    store: &Store,
    session: SessionId,
    row: &ResultRow,
) -> Option<Result<SweepResult, String>> {
    RankLabel::of(&row.label).filter(|label| label.rank == 0)?;
    let Some((_, first)) = record(store, session, row.number) else {
        return Some(Err("the result of rank 0 cannot be read".to_owned()));
    };
    let size = first.engine.rank()?.size;
    let mut ranks = vec![(row.label.clone(), first)];
    for rank in 1..size {
        match record(store, session, row.number.checked_add(rank)?) {
            Some(one) if one.1.engine.rank().is_some_and(|its| its.rank == rank) => {
                ranks.push(one);
            }
            _ => {
                return Some(Err(format!(
                    "the result of rank {rank} is not in the results database"
                )));
            }
        }
    }
    let parts = ranks
        .iter()
        .zip(0..)
        .map(|((label, record), rank)| JobPart {
            rank,
            host: RankLabel::of(label).map_or("", |label| label.host),
            run: Some(row.number + rank),
            outcome: Ok(record),
        });
    let parts: Vec<JobPart<'_>> = parts.collect();
    Some(SweepResult::of_job(&parts).ok_or_else(|| "no rank has a result".to_owned()))
}

fn record(store: &Store, session: SessionId, number: u32) -> Option<(String, RunRecord)> {
    store.load_result(session, number).ok()??.into_record()
}

/// The result of all ranks as they were measured just now.
pub(crate) fn of_results(results: &[RankResult]) -> Result<SweepResult, String> {
    let parts: Vec<JobPart<'_>> = results.iter().map(part).collect();
    SweepResult::of_job(&parts).ok_or_else(|| "a rank has no result".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rank_in_a_label_counts() {
        let label = RankLabel::of("target=a, rank 3, b, rank 1, n1").unwrap();
        assert_eq!(
            (label.cell, label.rank, label.host),
            ("target=a, rank 3, b", 1, "n1")
        );
        assert!(RankLabel::of("depth=4").is_none());
        assert!(RankLabel::of("depth=4, rank x, n1").is_none());
    }
}
