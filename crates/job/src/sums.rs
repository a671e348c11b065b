//! What all ranks counted together. Counts are added and histograms are merged; percentiles never are.

use model::{LatencyHistogram, Operation, RunRecord};
use serde::{Deserialize, Serialize};

/// The measured counts of some ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Of how many ranks.
    pub ranks: u32,
    /// By operation.
    pub operations: [OperationSums; 2],
}

/// The measured counts of one operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationSums {
    /// Completed without error.
    pub ios: u64,
    /// Transferred by them.
    pub bytes: u64,
    /// Failed.
    pub errors: u64,
    /// Their latencies.
    pub latency: LatencyHistogram,
}

impl Sums {
    /// Returns those of one rank.
    pub fn of(record: &RunRecord) -> Sums {
        let operations = Operation::ALL.map(|operation| {
            let tally = record.tally(operation, None);
            OperationSums {
                ios: tally.ios,
                bytes: tally.bytes.0,
                errors: tally.errors_total(),
                latency: tally.latency,
            }
        });
        Sums {
            ranks: 1,
            operations,
        }
    }

    /// Adds those of other ranks.
    pub fn merge(&mut self, other: &Sums) {
        self.ranks = self.ranks.saturating_add(other.ranks);
        for (mine, its) in self.operations.iter_mut().zip(&other.operations) {
            mine.ios = mine.ios.saturating_add(its.ios);
            mine.bytes = mine.bytes.saturating_add(its.bytes);
            mine.errors = mine.errors.saturating_add(its.errors);
            mine.latency.merge(&its.latency);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;

    /// A rank may send any counts: in sums that begin again at 0 a job would look slow.
    #[test]
    fn sums_stop_at_the_largest_number() {
        let mut latency = LatencyHistogram::new();
        latency.record(Nanos(1000));
        let most = OperationSums {
            ios: u64::MAX - 1,
            bytes: u64::MAX,
            errors: u64::MAX,
            latency,
        };
        let rank = Sums {
            ranks: u32::MAX,
            operations: [most.clone(), most],
        };
        let mut all = rank.clone();
        all.merge(&rank);
        assert_eq!(all.ranks, u32::MAX);
        for (sum, one) in all.operations.iter().zip(&rank.operations) {
            let counts = [sum.ios, sum.bytes, sum.errors];
            assert_eq!(counts, [u64::MAX; 3]);
            assert_eq!(sum.latency.count(), 2 * one.latency.count());
        }
        let mut none = Sums::default();
        none.merge(&rank);
        assert_eq!(none, rank);
    }
}
