//! Whether the rate changed for good on the way, how much, and when: the drop and the drift.
//!
//! A *drop* is a step down to a lower level: a fast cache that was full, a device that grew too hot, a burst allowance that
//! was used up. A *drift* is a slow change in one direction. A series is tried for both, and what describes it better (the
//! smaller sum of squares) is reported, so that one change never has two names. Changes below a tenth ([`DROP_MIN`]) or
//! a twentieth ([`DRIFT_MIN`]) are not reported: they are smaller than any relevant change. A test limits false alarms
//! to 1% of stationary series, correlated ones included. Deliberately absent: a short dip that recovers (it is no new
//! level), and what caused a change, which the findings report.

mod drift;
mod drop;
mod pauses;
mod points;
#[cfg(test)]
mod tests;

pub(crate) use drift::Drift;
pub(crate) use drop::RateDrop;
pub(crate) use pauses::{Stalled, pauses, period};

use crate::intervals::{IntervalRow, full_intervals};
use model::Nanos;
use points::Points;

/// Smallest drop that is reported, as a share of the level before.
pub(crate) const DROP_MIN: f64 = 0.10;
/// Smallest drift that is reported, as a share of the level at the start.
pub(crate) const DRIFT_MIN: f64 = 0.05;

/// The drop or the drift of a series, at most one of both. Neither of a series that is too short: fewer than
/// ten full steps, or fewer than 200 I/Os.
pub(crate) fn changes(rows: &[IntervalRow], step: Nanos) -> (Option<Drift>, Option<RateDrop>) {
    let Some(points) = Points::of(full_intervals(rows, step), step) else {
        return (None, None);
    };
    let (drift, drop) = (drift::find(&points), drop::find(&points));
    match (drift, drop) {
        (Some((_, left)), Some((drop, left_by_drop))) if left_by_drop <= left => (None, Some(drop)),
        (Some((drift, _)), _) => (Some(drift), None),
        (None, drop) => (None, drop.map(|(drop, _)| drop)),
    }
}
