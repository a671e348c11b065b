//! What a survey found, in one sentence: the answer that a person came for.
//!
//! Only of rows that may be used: a rate that is not the disk's is no answer. Deliberately absent: why a row may not
//! be used, which is the verdict's.

use super::SurveyRow;
use crate::facts::WorkDigest;
use crate::say;
use crate::verdict::Rank;
use model::Access;

/// `up to 84.1k random reads/s, 3.10 GiB/s reading; 46.1 µs a read at depth 1`. `works` says what each row did, in
/// the order of the rows; none for a row without cells. None where no row may be used.
pub(super) fn answer(rows: &[SurveyRow], works: &[Option<&WorkDigest>]) -> Option<String> {
    let usable: Vec<(&SurveyRow, &WorkDigest)> = rows
        .iter()
        .zip(works)
        .filter(|(row, _)| row.rank != Rank::Invalid && row.best.is_some())
        .filter_map(|(row, work)| Some((row, (*work)?)))
        .collect();
    let rates = [(0, "random reads/s"), (100, "random writes/s")].map(|(write, unit)| {
        let of = usable
            .iter()
            .filter(|(_, work)| work.access == Access::Random && work.write_percent == write);
        let rates = of.filter_map(|(row, _)| Some(row.best.as_ref()?.rate_per_s));
        Some(format!("{} {unit}", say::rate(most(rates)?)))
    });
    let flows = [(0, "reading"), (100, "writing")].map(|(write, way)| {
        let of = usable
            .iter()
            .filter(|(_, work)| work.write_percent == write);
        let flows = of.filter_map(|(row, _)| Some(row.best.as_ref()?.bytes_per_s));
        Some(format!("{}/s {way}", say::bytes(most(flows)? as u64)))
    });
    let parts: Vec<String> = rates.into_iter().chain(flows).flatten().collect();
    if parts.is_empty() {
        return None;
    }
    let alone = alone(&usable).map(|alone| format!("; {alone}"));
    Some(format!(
        "up to {}{}",
        parts.join(", "),
        alone.unwrap_or_default()
    ))
}

fn most(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp)
}

/// What a program waits that sends one small random I/O after another: the smallest block, reads before writes.
fn alone(usable: &[(&SurveyRow, &WorkDigest)]) -> Option<String> {
    let (row, work) = usable
        .iter()
        .filter(|(row, work)| {
            let pure = matches!(work.write_percent, 0 | 100);
            pure && work.access == Access::Random && row.depth_1_p50_ns.is_some()
        })
        .min_by_key(|(_, work)| (work.write_percent, work.block_bytes))?;
    let name = if work.write_percent == 0 {
        "read"
    } else {
        "write"
    };
    let time = say::time(row.depth_1_p50_ns? as f64);
    Some(format!("{time} a {name} at depth 1"))
}
