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
