//! One limit on both sides: blocks of different sizes moved the same MiB/s, or as many I/Os per second.
//!
//! Omitted: the runs of one session, which the rules of `findings` judge, and other differences than the block size.

use super::compared::Compared;
use super::metric::Metric;
use super::pair::{Pairs, WORK, text};
use crate::device_classes::RANDOM_IOPS;
use crate::say;
use model::ResultRow;

/// How far two rates at one limit are from each other.
const APART_MAX: f64 = 0.015;
/// Blocks that differ less move nearly the same without any limit.
const BLOCKS_APART_MIN: f64 = 4.0;
/// With fewer I/Os in flight the latency of each determines the rate.
const IN_FLIGHT_MIN: u64 = 8;
/// A rotating disk does nearly as many small I/Os of any size: beyond this there is none.
const IOPS_MIN: f64 = 4.0 * RANDOM_IOPS;

/// Reports the first pair of results that one limit determines.
pub(super) fn shared_limit(pairs: &Pairs<'_>) -> Option<String> {
    let mut found = pairs.cells.iter().filter_map(|cell| {
        let ([a], [b]) = (cell.a.as_slice(), cell.b.as_slice()) else {
            return None;
        };
        of_two(a, b)
    });
    found.next()
}

fn of_two(a: &Compared, b: &Compared) -> Option<String> {
    let (block_a, block_b) = (a.row.work.block?.0, b.row.work.block?.0);
    let (small, large) = (block_a.min(block_b), block_a.max(block_b));
    let same_work = WORK
        .iter()
        .filter(|field| !["block_bytes", "queue_depth", "threads"].contains(field))
        .all(|field| text(&a.row, field) == text(&b.row, field));
    let same_target = a.row.target == b.row.target;
    let deep = [&a.row, &b.row]
        .iter()
        .all(|row| in_flight(row) >= Some(IN_FLIGHT_MIN));
    if small == 0
        || large as f64 / (small as f64) < BLOCKS_APART_MIN
        || !(same_work && same_target && deep)
    {
        return None;
    }
    let blocks = format!(
        "with blocks of {} and {}",
        say::bytes(block_a),
        say::bytes(block_b)
    );
    let rate = Metric::named("iops")?;
    let (iops_a, iops_b) = (rate.value(&a.row)?, rate.value(&b.row)?);
    let flow = |iops: f64, block: u64| iops * block as f64;
    if is_near(flow(iops_a, block_a), flow(iops_b, block_b)) {
        return Some(format!(
            "one limit on both sides: {} MiB/s {blocks}: a bandwidth limit, a link or the device's bandwidth, not the time of an I/O",
            say::mib_per_s(flow(iops_a, block_a))
        ));
    }
    (is_near(iops_a, iops_b) && iops_a.min(iops_b) >= IOPS_MIN).then(|| {
        format!(
            "one limit on both sides: {} IOPS {blocks}: an IOPS limit or one processor core, not the bandwidth of the device",
            say::rate(iops_a)
        )
    })
}

fn is_near(a: f64, b: f64) -> bool {
    a > 0.0 && b > 0.0 && (a / b).max(b / a) <= 1.0 + APART_MAX
}

fn in_flight(row: &ResultRow) -> Option<u64> {
    Some(u64::from(row.work.queue_depth?) * u64::from(row.work.threads.unwrap_or(1)))
}
