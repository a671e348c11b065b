//! A run as IOmeter reports it: for all workers, for one, for one target.
//!
//! Times are nanoseconds and rates are over the time that was measured. What IOmeter has and fathom does not count
//! (transactions, connections, packets, raw ticks) is not here.

use analysis::CpuReport;
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
    /// IOPS.
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

/// The processors while it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Processors {
    /// The mean over all of them.
    pub all: Use,
    /// Each with its number.
    pub each: Vec<(u32, Use)>,
    /// None where the system does not report it.
    pub interrupts_per_s: Option<f64>,
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
        ios_per_s: measured.rate_of(tally.ios as f64),
        bytes_per_s: measured.rate_of(tally.bytes.0 as f64),
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

/// None where the system does not report it.
pub fn processors(record: &RunRecord) -> Option<Processors> {
    let report = CpuReport::of(&record.window);
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
    Some(Processors {
        all,
        each,
        interrupts_per_s: interrupts.map(|count| count as f64 / seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::sample::Sample;
    use model::Nanos;

    #[test]
    fn reads_and_writes_are_separate_and_the_total_is_both() {
        let record = Sample {
            reads: 3000,
            writes: 1000,
            ..Sample::default()
        }
        .build();
        let all = figures(&record, None);
        let reported = |side: &Side| (side.ios, side.bytes, side.ios_per_s, side.bytes_per_s);
        // In ten seconds, 4 KiB each.
        assert_eq!(
            reported(&all.sides[0]),
            (3000, 3000 << 12, 300.0, 1_228_800.0)
        );
        assert_eq!(
            reported(&all.sides[1]),
            (1000, 1000 << 12, 100.0, 409_600.0)
        );
        assert_eq!(reported(&all.total), (4000, 4000 << 12, 400.0, 1_638_400.0));
        assert_eq!(all.classes.iter().sum::<u64>(), 4000);
        assert_eq!(figures(&record, Some(&[0])), all);
        assert_eq!(figures(&record, Some(&[9])).total, Side::default());
    }

    #[test]
    fn an_io_is_in_the_class_below_whose_edge_it_stays() {
        let mut latencies = LatencyHistogram::new();
        let each_us = [30, 70, 70, 400_000, 9_000_000, 20_000_000];
        for us in each_us {
            latencies.record(Nanos::micros(us));
        }
        let classes = classes(&latencies);
        let filled: Vec<(usize, u64)> = classes
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .collect();
        assert_eq!(filled, [(0, 1), (1, 2), (14, 1), (19, 1), (20, 1)]);
    }

    #[test]
    fn processors_are_the_mean_of_all_and_each_for_itself() {
        let mut record = Sample::default().build();
        let found = processors(&record).unwrap();
        let close = |one: f64, other: f64| (one - other).abs() < 1e-6;
        let is = |one: &Use, [busy, user, kernel]: [f64; 3]| {
            close(one.busy, busy) && close(one.user, user) && close(one.kernel, kernel)
        };
        let [(0, first), (1, second)] = &found.each[..] else {
            panic!("{found:?}");
        };
        assert!(is(first, [40.0, 10.0, 30.0]), "{first:?}");
        assert!(is(second, [4.0, 1.0, 3.0]), "{second:?}");
        assert!(is(&found.all, [22.0, 5.5, 16.5]), "{:?}", found.all);

        record.window.before.interrupts = Some(100);
        record.window.after.interrupts = Some(100 + 5000);
        let seconds = record.window.elapsed().as_seconds();
        let per_s = processors(&record).unwrap().interrupts_per_s.unwrap();
        assert!(close(per_s, 5000.0 / seconds), "{per_s}");

        record.window.after.cpus.clear();
        assert_eq!(processors(&record), None);
    }
}
