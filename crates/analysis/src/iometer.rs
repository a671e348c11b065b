//! A run as IOmeter reports it: for all workers, for one, for one target.
//!
//! Times are nanoseconds and rates are over the time that was measured. What IOmeter has and fathom does not count
//! (transactions, connections, packets, raw ticks) is not here.

use crate::cpu::cpu_report;
use crate::rows::per_second;
use model::{LatencyHistogram, Operation, RunRecord, Tally};

/// Upper edges of IOmeter's classes of latency, in microseconds; the last class is all above.
pub const CLASSES_US: [u64; 20] = [
    50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000,
    200_000, 500_000, 1_000_000, 2_000_000, 4_700_000, 5_000_000, 10_000_000,
];

/// Reads and writes of some targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Reads, writes.
    pub sides: [Side; 2],
    /// Both together.
    pub total: Side,
    /// I/Os in each class.
    pub classes: [u64; 21],
}

/// One direction, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Completed.
    pub ios: u64,
    /// Moved by them.
    pub bytes: u64,
    /// Failed.
    pub errors: u64,
    /// I/Os a second.
    pub ios_per_s: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// 0 without I/Os, as IOmeter prints it.
    pub mean_ns: f64,
    /// 0 without I/Os, as IOmeter prints it.
    pub max_ns: u64,
}

/// Use of the processors, in percent of all of them, or of one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Use {
    /// Not idle.
    pub busy: f64,
    /// In programs.
    pub user: f64,
    /// In the kernel.
    pub kernel: f64,
}

/// What these targets did; all of them without a list.
pub fn figures(record: &RunRecord, targets: Option<&[u32]>) -> Figures {
    let sum = |operation: Operation| {
        let mut sum = Tally::default();
        let mine = record
            .threads
            .iter()
            .filter(|thread| targets.is_none_or(|targets| targets.contains(&thread.target)));
        for thread in mine {
            sum.merge(&thread.measured[operation.index()]);
        }
        sum
    };
    let [reads, writes] = Operation::ALL.map(sum);
    let mut both = reads.clone();
    both.merge(&writes);
    Figures {
        sides: [side(record, &reads), side(record, &writes)],
        total: side(record, &both),
        classes: classes(&both.latency),
    }
}

fn side(record: &RunRecord, tally: &Tally) -> Side {
    let measured = record.phases.measured();
    Side {
        ios: tally.ios,
        bytes: tally.bytes.0,
        errors: tally.errors_total(),
        ios_per_s: per_second(tally.ios as f64, measured),
        bytes_per_s: per_second(tally.bytes.0 as f64, measured),
        mean_ns: tally.latency.mean_ns().unwrap_or(0.0),
        max_ns: tally.latency.max().map_or(0, |max| max.0),
    }
}

/// A bucket that lies across an edge counts where its middle is: it is at most 0.4 % wide.
fn classes(histogram: &LatencyHistogram) -> [u64; 21] {
    let mut counts = [0; 21];
    for (low, high, count) in histogram.buckets() {
        let middle = low.0 + (high.0 - low.0) / 2;
        let class = CLASSES_US.iter().position(|edge| middle < edge * 1000);
        counts[class.unwrap_or(20)] += count;
    }
    counts
}

/// The mean over all processors, each with its number, and interrupts a second; none where the system does not tell.
#[allow(clippy::type_complexity, reason = "named once, and read here alone")]
pub fn processors(record: &RunRecord) -> Option<(Use, Vec<(u32, Use)>, Option<f64>)> {
    let report = cpu_report(&record.window);
    let count = report.cores.len();
    if count == 0 {
        return None;
    }
    let each: Vec<(u32, Use)> = report
        .cores
        .iter()
        .map(|core| {
            let (user, kernel) = (core.user_share * 100.0, core.kernel_share * 100.0);
            let one = Use {
                busy: user + kernel,
                user,
                kernel,
            };
            (core.cpu, one)
        })
        .collect();
    let mean =
        |of: fn(&Use) -> f64| each.iter().map(|(_, one)| of(one)).sum::<f64>() / count as f64;
    let all = Use {
        busy: mean(|one| one.busy),
        user: mean(|one| one.user),
        kernel: mean(|one| one.kernel),
    };
    let seconds = record.window.elapsed().as_seconds();
    let interrupts = record.window.interrupts().filter(|_| seconds > 0.0);
    Some((all, each, interrupts.map(|count| count as f64 / seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn all_ios_are_in_a_class_and_both_sides_make_the_total() {
        let record = Sample {
            reads: 3000,
            writes: 1000,
            ..Sample::default()
        }
        .build();
        let figures = figures(&record, None);
        assert_eq!(figures.classes.iter().sum::<u64>(), 4000);
        assert_eq!(
            figures.total.ios,
            figures.sides[0].ios + figures.sides[1].ios
        );
        assert_eq!(super::figures(&record, Some(&[9])).total.ios, 0);
    }
}
