//! The lines of a mixed workload on the page: what was asked in a few words, and a row for each size and operation.

use crate::number::{NOTHING, bytes, mib_per_s, rate, time_or_nothing, whole_time_or_nothing};
use analysis::{LineRow, TargetReport};

/// Most lines that are written out; the report as JSON has all.
const SHOWN_MAX: usize = 8;

/// `4 KiB (60%), 64 KiB (40%)`; the block where all I/Os are of one kind.
pub(crate) fn sizes(target: &TargetReport) -> String {
    let mut sizes: Vec<(u64, f64)> = Vec::new();
    for line in &target.lines {
        match sizes
            .iter_mut()
            .find(|(block, _)| *block == line.block_bytes)
        {
            Some((_, percent)) => *percent += line.requested_percent,
            None => sizes.push((line.block_bytes, line.requested_percent)),
        }
    }
    if sizes.len() < 2 {
        return bytes(target.work.block_bytes);
    }
    let more = sizes.len().saturating_sub(SHOWN_MAX);
    let part = |(block, percent): &(u64, f64)| format!("{} ({percent:.0}%)", bytes(*block));
    let mut parts: Vec<String> = sizes.iter().take(SHOWN_MAX).map(part).collect();
    if more > 0 {
        parts.push(format!("{more} sizes more"));
    }
    parts.join(", ")
}

/// A row of the table for each operation of each line, where there are several.
pub(crate) fn rows(target: &TargetReport) -> Vec<Vec<String>> {
    let lines: &[LineRow] = match target.lines.len() {
        0 | 1 => &[],
        _ => &target.lines,
    };
    let rows = lines.iter().take(SHOWN_MAX).flat_map(|line| {
        line.operations.iter().map(|done| {
            let not_split = || NOTHING.to_owned(); // by line there are sums and the longest
            vec![
                format!("  {} {}", bytes(line.block_bytes), done.operation),
                rate(done.iops),
                mib_per_s(done.bytes_per_s),
                time_or_nothing(done.latency_mean_ns),
                not_split(),
                not_split(),
                not_split(),
                not_split(),
                whole_time_or_nothing(done.latency_max_ns),
            ]
        })
    });
    rows.collect()
}
